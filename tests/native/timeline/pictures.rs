//! Pictures of recorded traces at five zoom levels, as text: `tests/native/timeline/pictures`.

use super::painted::drawn;
use super::recorded::{ask, trace, zooms};
use super::threads::ShownThread;
use engine::session::Session;
use protocol::base::time::Span;
use protocol::queries;
use protocol::request::Filter;
use std::fmt::Write;
use std::path::Path;
use std::sync::Arc;
use view::draw::drawlist::RecordingPainter;
use view::timeline::resolution::{request_span, resolution};
use view::timeline::timescale::TimeScale;
use view::timeline::track_key::RuntimeKey;
use view::timeline::tracks::exceptions::ExceptionsTrack;
use view::timeline::tracks::gc::GcTrack;
use view::timeline::tracks::intervals::IntervalTrack;
use view::timeline::tracks::series::SeriesTrack;
use view::timeline::tracks::table::interval_kinds;
use view::timeline::tracks::thread_rows::StackView;
use view::timeline::tracks::track::{RuntimeTrack, RuntimeTracks};

/// Number of threads in a picture: with samples, and without.
const THREADS: (usize, usize) = (2, 1);
/// Width of a picture in pixels, small to limit its text.
const WIDTH: f64 = 120.0;
/// Returns the runtime tracks of the page at a scale.
fn tracks(session: &mut Session, scale: &TimeScale, limits: Span) -> RuntimeTracks {
    let filter = Filter::default;
    let mut tracks = RuntimeTracks::default();
    let gcs = ask(session, &queries::Gcs { filter: filter() });
    if !gcs.number.is_empty() {
        tracks.put(Box::new(GcTrack::new(0, Arc::new(gcs))));
    }
    let exceptions = ask(session, &queries::Exceptions { filter: filter(), limit: 1000 });
    if !exceptions.time.is_empty() {
        tracks.put(Box::new(ExceptionsTrack { process: 0, table: exceptions }));
    }
    let (span, resolution) = (request_span(scale, limits), resolution(scale));
    for kind in interval_kinds() {
        let intervals = ask(session, &queries::Intervals { kind, filter: filter(), span, resolution });
        if intervals.total[0] > 0 {
            tracks.put(Box::new(
                IntervalTrack::new(RuntimeKey::only(kind), intervals, span, resolution).expect("a track of intervals"),
            ));
        }
    }
    let (own, _) = SeriesTrack::all(0, ask(session, &queries::Series { filter: filter() }));
    own.into_iter().for_each(|track| tracks.put(Box::new(track)));
    tracks
}

fn write_track(text: &mut String, track: &dyn RuntimeTrack, scale: &TimeScale, limits: Span) {
    let words = track.words(limits);
    let _ = writeln!(text, "-- {}: {}, {} pixels", words.name, words.figures, track.height());
    let list = drawn(track, scale, track.height());
    let mut painter = RecordingPainter::default();
    list.paint_shapes(&mut painter);
    list.paint_labels(&mut painter);
    let _ = writeln!(text, "{}", painter.text());
}

/// Compares the pictures of a trace with the approved ones.
fn check(packed: &str, name: &str) {
    let mut session = trace(packed);
    let limits = session.summary().user_span;
    let mut text = String::new();
    for span in zooms(&mut session) {
        let scale = TimeScale::new(span, WIDTH);
        let _ = writeln!(text, "== {} ns from {}", span.duration(), span.start.0);
        for track in tracks(&mut session, &scale, limits).iter() {
            write_track(&mut text, track, &scale, limits);
        }
    }
    compare(&text, name);
}

/// Compares a picture with the approved one.
fn compare(text: &str, name: &str) {
    let place = crate::common::root().join(format!("tests/native/timeline/pictures/{name}.txt"));
    let expected = std::fs::read_to_string(&place).unwrap_or_default();
    if text != expected {
        let new = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.txt"));
        std::fs::write(&new, text).expect("room for a picture");
        let line = text.lines().zip(expected.lines()).take_while(|(one, other)| one == other).count();
        let of = |text: &str| text.lines().nth(line).unwrap_or("").chars().take(200).collect::<String>();
        panic!(
            "{name}, line {}: drawn is\n{}\nand was\n{}\nIf that is meant, put {} in the place of {}.",
            line + 1,
            of(text),
            of(&expected),
            new.display(),
            place.display()
        );
    }
}

#[test]
fn server_gcs_match_picture() {
    check("www/samples/gc.nettrace.gz", "gc");
}

#[test]
fn web_server_requests_and_messages_match_picture() {
    check("www/samples/web.nettrace.gz", "web");
}

#[test]
fn machine_wide_cpu_usage_matches_picture() {
    check("www/samples/orders-v6.nettrace.gz", "v6");
}

#[test]
fn lost_events_match_picture() {
    check("tests/fixtures/dropped-net31.nettrace.gz", "dropped");
}

/// Compares pictures of the busiest threads, with the upper levels of their stacks and all spans.
fn check_threads(packed: &str, name: &str) {
    let mut session = trace(packed);
    let threads = ShownThread::busiest(&mut session, StackView::Folded, THREADS.0, THREADS.1);
    let mut text = String::new();
    for span in zooms(&mut session) {
        let scale = TimeScale::new(span, WIDTH / 2.0);
        let _ = writeln!(text, "== {} ns from {}", span.duration(), span.start.0);
        for thread in &threads {
            let _ = writeln!(text, "-- {}, {} pixels", thread.label, thread.height);
            let list = thread.drawn(&mut session, &scale);
            let mut painter = RecordingPainter::default();
            list.paint_shapes(&mut painter);
            list.paint_labels(&mut painter);
            let _ = writeln!(text, "{}", painter.text());
        }
    }
    compare(&text, name);
}

#[test]
fn web_server_threads_match_picture() {
    check_threads("www/samples/web.nettrace.gz", "web-threads");
}

#[test]
fn cpu_bound_threads_match_picture() {
    check_threads("www/samples/cpu.nettrace.gz", "cpu-threads");
}

#[test]
fn machine_wide_threads_match_picture() {
    check_threads("www/samples/orders-v6.nettrace.gz", "v6-threads");
}
