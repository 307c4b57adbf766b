//! Rules for any trace, range and width: every visible item has an interval on its track, nothing is drawn elsewhere,
//! and of items in the same pixel the longest is hit.

use super::painted::{drawn, shapes};
use engine::analysis::intervals::interval_set::{Interval, IntervalSet, Texts};
use proptest::prelude::*;
use protocol::base::ids::EventId;
use protocol::base::time::Span;
use protocol::tables::{Exceptions, Gcs, Intervals};
use protocol::timeline::track::TrackKind;
use view::timeline::hit::Target;
use view::timeline::resolution::{request_span, resolution};
use view::timeline::timescale::TimeScale;
use view::timeline::track_key::RuntimeKey;
use view::timeline::tracks::exceptions::ExceptionsTrack;
use view::timeline::tracks::gc::GcTrack;
use view::timeline::tracks::intervals::IntervalTrack;
use view::timeline::tracks::table::interval_kinds;
use view::timeline::tracks::track::{RuntimeTrack, TrackContent};

/// Ten seconds.
const WHOLE: Span = Span { start: protocol::base::time::Nanos(0), end: protocol::base::time::Nanos(10_000_000_000) };

/// Start, duration, row, shade.
type Thing = (i64, i64, u16, u8);

fn things() -> impl Strategy<Value = Vec<Thing>> {
    // Durations of all magnitudes, and 0.
    let length = prop_oneof![Just(0i64), 1..1_000i64, 1_000..1_000_000i64, 1_000_000..3_000_000_000i64];
    // Clusters within a millisecond, and distant items.
    let start = prop_oneof![0..9_999_000_000i64, 5_000_000_000..5_001_000_000i64];
    prop::collection::vec((start, length, 0..3u16, 0..7u8), 1..60)
}

fn ranges() -> impl Strategy<Value = (Span, f64)> {
    let start = prop_oneof![0..9_000_000_000i64, 4_999_000_000..5_001_000_000i64];
    let length = prop_oneof![1_000..1_000_000i64, 1_000_000..100_000_000i64, 100_000_000..10_000_000_000i64];
    let range = (start, length).prop_map(|(start, length)| Span::new(start, (start + length).min(WHOLE.end.0)));
    (range, 60.0..1500.0f64)
}

fn kinds() -> impl Strategy<Value = TrackKind> {
    prop::sample::select(interval_kinds().collect::<Vec<_>>())
}

/// Returns the set of these items, and the page's answer for a scale.
fn answer(things: &[Thing], kind: TrackKind, scale: &TimeScale) -> (IntervalSet, Intervals) {
    let mut texts = Texts::default();
    let intervals = (0u32..).zip(things).map(|(number, &(start, length, row, shade))| {
        // Log messages have no duration.
        let length = if kind == TrackKind::Logs { 0 } else { length };
        let (event, end) = (EventId(number), (start + length).min(WHOLE.end.0));
        let (name, note) = (texts.position(&number.to_string()), texts.position(""));
        Interval { start, end, row, shade, event, name, note, ..Interval::default() }
    });
    let intervals = intervals.collect();
    let set = IntervalSet::new(intervals, texts);
    let table = set.window(&|_| true, request_span(scale, WHOLE), resolution(scale));
    (set, table)
}

fn is_visible(start: i64, end: i64, scale: &TimeScale) -> bool {
    let (left, right) = (scale.x(start), scale.x(end));
    right >= 0.0 && left < scale.width()
}

fn heights(track: &dyn RuntimeTrack) -> Vec<f64> {
    [Some(track.height()), track.expanded_height()].into_iter().flatten().collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn only_items_in_range_are_drawn(
        things in things(), (range, width) in ranges(), kind in kinds()
    ) {
        let scale = TimeScale::new(range, width);
        let (set, table) = answer(&things, kind, &scale);
        let track = IntervalTrack::new(RuntimeKey::only(kind), table, range, resolution(&scale)).unwrap();
        for height in heights(&track) {
            let painted = shapes(&drawn(&track, &scale, height));
            let visible = || set.intervals().iter().filter(|interval| is_visible(interval.start, interval.end, &scale));
            for interval in visible() {
                let (left, right) = (scale.x(interval.start).max(0.0), scale.x(interval.end).min(width - 0.001));
                prop_assert!(painted.touches(left) && painted.touches(right), "{interval:?} of {kind:?} at {left}..{right}");
            }
            // Shapes of messages are wider than their time.
            let sign = if kind == TrackKind::Logs { 4.0 } else { 0.0 };
            for rect in painted.rects.iter().chain(&painted.triangles) {
                for x in [rect.x + 0.5, rect.x + rect.width / 2.0, rect.right() - 0.5] {
                    let is_there = |interval: &Interval| {
                        scale.x(interval.start).floor() - 1.0 - sign <= x && x <= scale.x(interval.end).ceil() + 1.0 + sign
                    };
                    prop_assert!(set.intervals().iter().any(is_there), "{rect:?} of {kind:?}: nothing is at {x}");
                }
                prop_assert!(rect.y >= 0.0 && rect.bottom() <= height, "{rect:?} leaves a track of {height}");
            }
        }
    }

    #[test]
    fn longest_item_of_pixel_is_hit(things in things(), (range, width) in ranges(), at in 0.0..1.0f64) {
        let scale = TimeScale::new(range, width);
        let (set, table) = answer(&things, TrackKind::Spans, &scale);
        let pixel = (at * width).floor();
        let track = IntervalTrack::new(RuntimeKey::only(TrackKind::Spans), table, range, resolution(&scale)).unwrap();
        let rows = f64::from(set.intervals().iter().map(|interval| interval.row).max().unwrap_or(0) + 1);
        let height = track.expanded_height().unwrap_or(track.height());
        for row in 0..rows as u16 {
            // In the middle of the row, whose height is 14; rows are vertically centered.
            let y = (height - rows * 14.0) / 2.0 + 14.0 * f64::from(row) + 7.0;
            let found = track.hit(&scale, height, pixel + 0.5, y.floor());
            let touches = |interval: &&Interval| {
                let (left, right) = (scale.x(interval.start).floor(), scale.x(interval.end).ceil());
                interval.row == row && left <= pixel && pixel < right.max(left + 1.0)
            };
            let longest = set.intervals().iter().filter(touches).map(Interval::duration).max();
            if let Some(longest) = longest.filter(|longest| *longest as f64 >= scale.nanos_per_px()) {
                let bounds = found.and_then(|target| track.bounds(&target)).expect("something is there");
                prop_assert_eq!(bounds.1 - bounds.0, longest);
            } else if longest.is_some() {
                prop_assert!(found.is_some(), "something is in pixel {}", pixel);
            }
        }
    }

    #[test]
    fn every_exception_is_in_a_triangle_or_bar(mut times in prop::collection::vec(0..10_000_000_000i64, 1..200),
        (range, width) in ranges()
    ) {
        times.sort_unstable();
        let scale = TimeScale::new(range, width);
        let names = || times.iter().map(|_| "System.Exception").collect();
        let (event, thread) = ((0..times.len() as u32).collect(), vec![1; times.len()]);
        let (total, time) = (vec![times.len() as u64], times.clone());
        let track = ExceptionsTrack {
            process: 0,
            table: Exceptions { total, time, thread, event, type_name: names(), message: names() },
        };
        let painted = shapes(&drawn(&track, &scale, track.height()));
        // Dense exceptions are a rate: bars of 4 px, 8 px apart.
        let is_rate = painted.triangles.is_empty() && !painted.rects.is_empty();
        let (marks, reach) = if is_rate { (&painted.rects, 3.0) } else { (&painted.triangles, 1.0) };
        for x in times.iter().map(|time| scale.x(*time)).filter(|x| (0.0..width).contains(x)) {
            prop_assert!(marks.iter().any(|rect| rect.x - reach <= x && x <= rect.right() + reach), "at {x}");
        }
        for rect in marks.iter().filter(|_| is_rate) {
            let is_here = |time: &i64| (rect.x - reach..=rect.right() + reach).contains(&scale.x(*time));
            prop_assert!(times.iter().any(is_here), "{rect:?}");
        }
        for rect in &painted.triangles {
            let middle = rect.x + rect.width / 2.0;
            prop_assert!(times.iter().any(|time| (scale.x(*time) - middle).abs() <= 1.0), "{rect:?}");
        }
    }

    #[test]
    fn every_pause_is_drawn_and_longest_of_pixel_is_hit(
        mut pauses in prop::collection::vec((0..9_000_000_000i64, 0..100_000_000i64, 0..3u8), 1..80),
        (range, width) in ranges(), at in 0.0..1.0f64
    ) {
        pauses.sort_unstable();
        let scale = TimeScale::new(range, width);
        let count = pauses.len();
        let (starts, ends): (Vec<i64>, Vec<i64>) = pauses.iter().map(|pause| (pause.0, pause.0 + pause.1)).unzip();
        let track = GcTrack::new(0, std::sync::Arc::new(Gcs {
            process: vec![0; count],
            number: (0..count as u32).collect(),
            generation: pauses.iter().map(|pause| pause.2).collect(),
            kind: vec![0; count],
            start: starts.clone(),
            end: ends.clone(),
            induced: vec![0; count],
            pause_total: pauses.iter().map(|pause| pause.1).collect(),
            stop_row: (0..count as u32).collect(),
            stop_start: starts,
            stop_counted: ends.clone(),
            stop_end: ends,
            stop_suspension: pauses.iter().map(|pause| pause.1 / 3).collect(),
            stop_resume: vec![-1; count],
            reason: (0..count).map(|_| "small").collect(),
            thread: vec![1; count],
            event: (0..count as u32).collect(),
            ..Gcs::default()
        }));
        let painted = shapes(&drawn(&track, &scale, track.height()));
        let visible = || pauses.iter().filter(|pause| is_visible(pause.0, pause.0 + pause.1, &scale));
        for pause in visible() {
            let (left, right) = (scale.x(pause.0).max(0.0), scale.x(pause.0 + pause.1).min(width - 0.001));
            prop_assert!(painted.touches(left) && painted.touches(right), "{pause:?} at {left}..{right}");
        }
        for rect in &painted.rects {
            for x in [rect.x + 0.5, rect.right() - 0.5] {
                let is_there =
                    |pause: &(i64, i64, u8)| scale.x(pause.0) - 2.0 <= x && x <= scale.x(pause.0 + pause.1) + 2.0;
                prop_assert!(pauses.iter().any(is_there), "{rect:?}: nothing is at {x}");
            }
        }
        let pixel = (at * width).floor();
        let touches = |pause: &&(i64, i64, u8)| {
            let (left, right) = (scale.x(pause.0).floor(), scale.x(pause.0 + pause.1).ceil());
            left <= pixel && pixel < right.max(left + 1.0)
        };
        let longest = pauses.iter().filter(touches).map(|pause| pause.1).max();
        if let Some(longest) = longest {
            let Some(Target::Item { item, .. }) = track.hit(&scale, track.height(), pixel + 0.5, 10.0) else {
                return Err(TestCaseError::fail("nothing is found where a pause is"));
            };
            prop_assert_eq!(pauses[item].1, longest);
        }
    }
}

#[test]
fn microsecond_in_ten_seconds_is_visible_on_every_track() {
    let scale = TimeScale::new(WHOLE, 1000.0);
    for kind in interval_kinds() {
        for shade in 0..7 {
            let (_, table) = answer(&[(4_000_000_000, 1_000, 0, shade)], kind, &scale);
            let track = IntervalTrack::new(RuntimeKey::only(kind), table, WHOLE, resolution(&scale)).unwrap();
            let list = drawn(&track, &scale, track.height());
            let painted = shapes(&list);
            assert!(painted.touches(scale.x(4_000_000_000)), "{kind:?} {shade}");
            let largest = painted.rects.iter().chain(&painted.triangles).map(|rect| rect.width * rect.height);
            assert!(largest.fold(0.0, f64::max) >= 3.0, "{kind:?} {shade}: too small to be seen");
        }
    }
}
