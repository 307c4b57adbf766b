//! Rules for tracks of threads, checked with recorded traces at five zoom levels: every visible item is drawn, nothing
//! is drawn elsewhere, and items wide enough for a box are drawn as boxes and hit there.

use super::painted::{Painted, shapes};
use super::recorded::{ask, trace, zooms};
use engine::session::Session;
use protocol::base::ids::ThreadId;
use protocol::base::time::Span;
use protocol::queries;
use protocol::request::Filter;
use protocol::tables::state;
use view::draw::drawlist::{CharacterWidths, DrawList};
use view::draw::palette::{Fill, Token};
use view::draw::units::{CssPx, Rect};
use view::timeline::hit::Target;
use view::timeline::paint::strip::SMOOTHING;
use view::timeline::resolution::{request_span, resolution};
use view::timeline::timescale::TimeScale;
use view::timeline::track_choices::TrackChoices;
use view::timeline::track_key::TrackKey;
use view::timeline::track_layout::TrackLayout;
use view::timeline::tracks::lane_frame::{LaneFrame, StateRow};
use view::timeline::tracks::thread::ThreadTrack;
use view::timeline::tracks::thread_rows::{StackView, ThreadRows};
use view::timeline::tracks::track::{Chosen, Place, TrackContent};

const WIDTH: CssPx = 400.0;
/// Number of threads per trace: with samples, and without.
const THREADS: (usize, usize) = (4, 2);
/// Minimum width of a separate box.
const BOX: CssPx = 6.0;
/// Maximum stack depth.
const ALL_LEVELS: u16 = u16::MAX;

/// Expanded track of a thread with all spans.
pub struct ShownThread {
    thread: ThreadId,
    pub label: String,
    rows: ThreadRows,
    /// Height of the track.
    pub height: CssPx,
}

impl ShownThread {
    /// Returns the busiest threads, with and without samples.
    pub fn busiest(session: &mut Session, view: StackView, sampled: usize, unsampled: usize) -> Vec<Self> {
        let threads = ask(session, &queries::Threads { filter: Filter::default() });
        let spans = ask(session, &queries::SpanRows);
        let ids = || threads.thread.iter().map(|thread| ThreadId(*thread));
        let choices = TrackChoices {
            stacks: ids().map(|thread| (thread, view)).collect(),
            span_rows: spans.thread.iter().map(|thread| ThreadId(*thread)).zip(spans.rows).collect(),
            ..TrackChoices::default()
        };
        let layout = TrackLayout::new(&threads, &choices);
        let shown = ids().enumerate().filter_map(|(row, thread)| {
            let track = layout.find(TrackKey::Thread(thread))?;
            let label = format!("{} {}", threads.label.get(row), threads.number.get(row));
            Some(Self { thread, label, rows: track.parts.clone()?, height: track.height })
        });
        let (mut shown, mut others): (Vec<Self>, Vec<Self>) = shown.partition(|track| track.rows.has_strip);
        shown.truncate(sampled);
        others.truncate(unsampled);
        shown.append(&mut others);
        shown
    }

    /// Returns the data for a range at a resolution.
    fn known(&self, session: &mut Session, span: Span, resolution: i64, max_depth: u16) -> LaneFrame {
        let request = queries::Lanes { threads: vec![self.thread], span, resolution, max_depth, spans: true };
        let lanes = ask(session, &request);
        LaneFrame::split(lanes, 1, span, resolution, max_depth, true).remove(0)
    }

    /// Returns the data that the page requests for a scale.
    fn asked(&self, session: &mut Session, scale: &TimeScale) -> LaneFrame {
        let limits = session.summary().user_span;
        self.known(session, request_span(scale, limits), resolution(scale), self.rows.max_depth())
    }

    fn track<'a>(&'a self, frame: &'a LaneFrame) -> ThreadTrack<'a> {
        ThreadTrack { thread: self.thread, rows: &self.rows, frame: Some(frame), most_events: 100 }
    }

    fn painted(&self, frame: &LaneFrame, scale: &TimeScale, limits: Span) -> DrawList {
        let mut list = DrawList::default();
        let (chosen, characters) = (Chosen::default(), CharacterWidths::default());
        let place = Place { scale, top: 0.0, height: self.height, limits, chosen, characters };
        self.track(frame).paint(&mut list, &place);
        list
    }

    /// Draws the track at a scale.
    pub fn drawn(&self, session: &mut Session, scale: &TimeScale) -> DrawList {
        let frame = self.asked(session, scale);
        self.painted(&frame, scale, session.summary().user_span)
    }
}

/// Pixel columns with content.
struct Columns(Vec<bool>);

impl Columns {
    fn new() -> Self {
        Self(vec![false; WIDTH as usize])
    }

    /// Marks the columns from `left` to `right`, and one more on either side.
    fn take(&mut self, left: CssPx, right: CssPx) {
        let end = (right.ceil() as i64 + 1).clamp(0, self.0.len() as i64) as usize;
        let start = (left.floor() as i64 - 1).clamp(0, end as i64) as usize;
        self.0[start..end.max(start)].fill(true);
    }

    fn has(&self, x: CssPx) -> bool {
        self.0.get(x.clamp(0.0, WIDTH - 0.5) as usize).is_some_and(|taken| *taken)
    }
}

/// Part of a track: its items according to events, and its drawn columns.
struct Part<'p> {
    /// Name for messages.
    name: String,
    /// Top and bottom.
    place: (CssPx, CssPx),
    scale: &'p TimeScale,
    painted: &'p Painted,
    /// Fills of these items; empty for any.
    fills: &'p [Fill],
}

impl Part<'_> {
    fn rects(&self) -> impl Iterator<Item = &Rect> {
        let (top, bottom) = self.place;
        let all = self.painted.rects.iter().zip(&self.painted.fills);
        let here = all.filter(move |(rect, _)| rect.y >= top - 0.5 && rect.bottom() <= bottom + 0.5);
        here.filter(|(_, fill)| self.fills.is_empty() || self.fills.contains(fill)).map(|(rect, _)| rect)
    }

    fn is_shown(&self, (start, end): (i64, i64)) -> bool {
        self.scale.x(end) >= 0.0 && self.scale.x(start) < WIDTH
    }

    /// Checks that something is drawn at both ends of each item.
    fn leaves_marks(&self, things: impl Iterator<Item = (i64, i64)>) {
        let mut drawn = Columns::new();
        self.rects().for_each(|rect| drawn.take(rect.x, rect.right() + 1.0));
        for thing in things.filter(|thing| self.is_shown(*thing)) {
            for x in [thing.0, thing.1].map(|time| self.scale.x(time)) {
                assert!(drawn.has(x), "{}: nothing is drawn at {x} for {thing:?}", self.name);
            }
        }
    }

    /// Checks that an item exists wherever something is drawn.
    fn shows_only(&self, things: impl Iterator<Item = (i64, i64)>) {
        let mut there = Columns::new();
        things.for_each(|(start, end)| there.take(self.scale.x(start), self.scale.x(end)));
        for rect in self.rects() {
            for x in rect.x as i64..rect.right() as i64 {
                assert!(there.has(x as CssPx), "{}: {rect:?} is drawn and nothing is at {x}", self.name);
            }
        }
    }
}

fn bounds(row: &StateRow) -> (i64, i64) {
    (row.start, row.end)
}

/// Compares the drawn track of a thread at a scale with all of its data.
fn check_thread(thread: &ShownThread, exact: &LaneFrame, frame: &LaneFrame, scale: &TimeScale, limits: Span) {
    let painted = shapes(&thread.painted(frame, scale, limits));
    let part = |name: &str, (top, height): (CssPx, CssPx)| {
        let name = format!("{name} of {} in {:?}", thread.label, scale.span());
        Part { name, place: (top, top + height), scale, painted: &painted, fills: &[] }
    };
    let rows = &thread.rows;
    let ticks = part("events", rows.ticks);
    let moments = || exact.markers.iter().map(|marker| (marker.time, marker.time));
    ticks.leaves_marks(moments());
    ticks.shows_only(moments().chain(exact.waits.iter().filter(|_| !rows.has_strip).map(bounds)));
    let locks = || exact.waits.iter().filter(|wait| wait.state == state::LOCK).map(bounds);
    // Narrow waits have no stripes.
    let lock_fills = [Fill::Solid(Token::Lock), Fill::LockWait];
    let strip = part("states", if rows.has_strip { rows.strip } else { rows.ticks });
    let waiting = Part { name: format!("locks, {}", strip.name), fills: &lock_fills, ..strip };
    waiting.leaves_marks(locks());
    // Where the strip is a graph, its pixels are smoothed with their neighbors.
    let around = (SMOOTHING as f64 * scale.nanos_per_px()).ceil() as i64;
    let lock_states = exact.states.iter().filter(|row| rows.has_strip && row.state == state::LOCK).map(bounds);
    let smoothed = lock_states.map(|(start, end)| (start.saturating_sub(around), end.saturating_add(around)));
    waiting.shows_only(locks().chain(smoothed));
    if rows.has_strip {
        let strip = part("states", rows.strip);
        // Unknown time narrower than a box isn't hatched.
        let is_wide = |row: &StateRow| scale.x(row.end) - scale.x(row.start) >= BOX;
        let marked = |row: &&StateRow| row.state != state::NOT_SAMPLED || is_wide(row);
        strip.leaves_marks(exact.states.iter().filter(marked).map(bounds));
        strip.shows_only(exact.states.iter().chain(&exact.waits).map(bounds));
    }
    for row in &rows.stack {
        let level = part(&format!("level {}", row.depth), (row.y, row.height));
        let slices = || exact.depths.get(usize::from(row.depth)).into_iter().flatten();
        level.leaves_marks(slices().map(|slice| (slice.start, slice.end)));
        level.shows_only(slices().map(|slice| (slice.start, slice.end)));
    }
    if let Some(place) = &rows.spans {
        let rows_of_spans = place.interval_rows();
        for row in 0..exact.spans.rows.first().copied().unwrap_or(place.rows) {
            let lane = part(&format!("spans {row}"), (rows_of_spans.top(row), rows_of_spans.height_of(row)));
            let spans = || {
                let of_row = (0..exact.spans.start.len()).filter(|item| exact.spans.row[*item] == row);
                of_row.map(|item| (exact.spans.start[item], exact.spans.end[item]))
            };
            lane.leaves_marks(spans());
            lane.shows_only(spans());
        }
    }
    assert!(painted.rects.iter().all(|rect| rect.y >= 0.0 && rect.bottom() <= thread.height), "{}", thread.label);
}

/// Checks that items as wide as a box are hit at their center.
fn check_boxes(thread: &ShownThread, exact: &LaneFrame, frame: &LaneFrame, scale: &TimeScale) {
    let (track, rows) = (thread.track(frame), &thread.rows);
    let shown = |start: i64, end: i64| {
        let (left, right) = (scale.x(start).max(0.0), scale.x(end).min(WIDTH));
        (right - left >= BOX).then_some((left + right) / 2.0)
    };
    for row in &rows.stack {
        for slice in exact.depths.get(usize::from(row.depth)).into_iter().flatten() {
            let Some(x) = shown(slice.start, slice.end) else { continue };
            let found = track.hit(scale, thread.height, x, row.y + row.height / 2.0);
            let Some(Target::Slice { slice: found, .. }) = found else { panic!("{slice:?} is not found at {x}") };
            assert_eq!((found.start, found.end, found.function), (slice.start, slice.end, slice.function));
        }
    }
    if let Some(place) = &rows.spans {
        for item in 0..exact.spans.start.len() {
            let (start, end, row) = (exact.spans.start[item], exact.spans.end[item], exact.spans.row[item]);
            let Some(x) = shown(start, end) else { continue };
            let y = place.interval_rows().top(row) + place.interval_rows().height_of(row) / 2.0;
            let found = track.hit(scale, thread.height, x, y).and_then(|target| track.bounds(&target));
            assert_eq!(found, Some((start, end)), "a span of {} at {x}, {y}", thread.label);
        }
    }
    let is_lasting = |row: &&StateRow| row.state != state::NOT_SAMPLED;
    for row in exact.states.iter().filter(is_lasting) {
        let Some(x) = shown(row.start, row.end).filter(|_| rows.has_strip) else { continue };
        // Low in the strip, because triangles of exceptions are above.
        let found = track.hit(scale, thread.height, x, rows.strip.0 + rows.strip.1 - 1.0);
        let Some(Target::State { state: found, .. }) = found else { panic!("{row:?} is not found at {x}") };
        assert!(found.event.is_some() || bounds(&found) == bounds(row), "{row:?} at {x} is hidden by {found:?}");
    }
}

fn check(packed: &str) {
    let mut session = trace(packed);
    let zooms = zooms(&mut session);
    let threads = ShownThread::busiest(&mut session, StackView::Full, THREADS.0, THREADS.1);
    assert!(threads.len() >= 3, "{packed}");
    check_threads(&mut session, &threads, &zooms);
}

/// Checks the drawn tracks of threads in time ranges.
pub fn check_threads(session: &mut Session, threads: &[ShownThread], ranges: &[Span]) {
    let limits = session.summary().user_span;
    for thread in threads {
        let exact = thread.known(session, limits, 1, ALL_LEVELS);
        for span in ranges {
            let scale = TimeScale::new(*span, WIDTH);
            let frame = thread.asked(session, &scale);
            check_thread(thread, &exact, &frame, &scale, limits);
            check_boxes(thread, &exact, &frame, &scale);
        }
    }
}

#[test]
fn web_server_threads_show_exactly_their_items() {
    check("www/samples/web.nettrace.gz");
}

#[test]
fn cpu_bound_threads_show_exactly_their_items() {
    check("www/samples/cpu.nettrace.gz");
}

#[test]
fn machine_wide_threads_show_exactly_their_items() {
    check("www/samples/orders-v6.nettrace.gz");
}
