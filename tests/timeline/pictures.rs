//! Pictures of recorded traces at five levels of zoom, as text: `tests/timeline/pictures`.

use crate::painted::drawn;
use flate2::read::GzDecoder;
use std::fmt::Write;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use traceglass::model::time::Span;
use traceglass::protocol::columns::ColumnError;
use traceglass::protocol::request::Filter;
use traceglass::protocol::tables::{Collections, Exceptions, Marks, Series};
use traceglass::protocol::track::TrackKind;
use traceglass::protocol::{Answer, Packed, Request};
use traceglass::session::{FileFacts, Loader, Progress, Session};
use traceglass::view::drawlist::RecordingPainter;
use traceglass::view::exceptions_track::ExceptionsTrack;
use traceglass::view::gc_track::CollectionsTrack;
use traceglass::view::marks_track::MarksTrack;
use traceglass::view::resolution::{request_span, resolution};
use traceglass::view::series_track::SeriesTrack;
use traceglass::view::timescale::TimeScale;
use traceglass::view::track::{RuntimeTrack, RuntimeTracks};

/// Pixels of a picture: few, so that it is small.
const WIDTH: f64 = 120.0;
/// The whole trace, then a tenth of it, and so on, around the longest pause or else the middle.
const LEVELS: u32 = 5;

/// A trace of the repository, unpacked.
fn trace(packed: &str) -> Session {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(packed);
    let mut bytes = Vec::new();
    GzDecoder::new(std::fs::File::open(path).expect("a trace")).read_to_end(&mut bytes).expect("a whole gzip file");
    let facts = FileFacts { name: "trace".to_owned(), bytes: bytes.len() as u64, packing: String::new() };
    let mut loader = Loader::new();
    loader.append(bytes.len(), |free| free.copy_from_slice(&bytes));
    while loader.advance(usize::MAX).expect("a readable trace") == Progress::Paused {}
    Session::new(loader.finish().expect("a readable trace"), Box::new(bytes), facts).expect("a session")
}

fn ask<T>(session: &mut Session, request: &Request, unpack: fn(&Packed) -> Result<T, ColumnError>) -> T {
    let reply = session.answer(request).expect("an answer");
    let Answer::Table { directory } = reply.answer else { panic!("no table") };
    unpack(&Packed { directory, body: reply.body }).expect("a table")
}

/// The runtime's tracks as the page shows them at a scale.
fn tracks(session: &mut Session, scale: &TimeScale, limits: Span) -> RuntimeTracks {
    let filter = Filter::default;
    let mut tracks = RuntimeTracks::default();
    let collections = ask(session, &Request::Collections { filter: filter() }, Collections::unpack);
    if !collections.number.is_empty() {
        tracks.put(Box::new(CollectionsTrack(Arc::new(collections))));
    }
    let exceptions = ask(session, &Request::Exceptions { filter: filter(), limit: 1000 }, Exceptions::unpack);
    if !exceptions.time.is_empty() {
        tracks.put(Box::new(ExceptionsTrack(exceptions)));
    }
    let (span, resolution) = (request_span(scale, limits), resolution(scale));
    for kind in TrackKind::MARKS {
        let marks = ask(session, &Request::Marks { kind, filter: filter(), span, resolution }, Marks::unpack);
        if marks.total[0] > 0 {
            tracks.put(Box::new(MarksTrack::new(kind, marks, span, resolution).expect("a track of marks")));
        }
    }
    let (own, _) = SeriesTrack::all(ask(session, &Request::Series { filter: filter() }, Series::unpack));
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

/// Compares the pictures of a trace with those that were looked at.
fn check(packed: &str, name: &str) {
    let mut session = trace(packed);
    let limits = session.summary().user_span;
    let collections = ask(&mut session, &Request::Collections { filter: Filter::default() }, Collections::unpack);
    let stops =
        (0..collections.stop_row.len()).max_by_key(|stop| collections.stop_end[*stop] - collections.stop_start[*stop]);
    let middle = stops.map_or(limits.start.0 + limits.duration() / 2, |stop| collections.stop_start[stop]);
    let mut text = String::new();
    for level in 0..LEVELS {
        let length = limits.duration() / 10i64.pow(level);
        let start = (middle - length / 2).clamp(limits.start.0, limits.end.0 - length);
        let scale = TimeScale::new(Span::new(start, start + length), WIDTH);
        let _ = writeln!(text, "== {} ns from {}", length, start);
        for track in tracks(&mut session, &scale, limits).iter() {
            write_track(&mut text, track, &scale, limits);
        }
    }
    let place = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/timeline/pictures/{name}.txt"));
    let expected = std::fs::read_to_string(&place).unwrap_or_default();
    if text != expected {
        let new = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.txt"));
        std::fs::write(&new, &text).expect("room for a picture");
        let line = text.lines().zip(expected.lines()).take_while(|(one, other)| one == other).count();
        let of = |text: &str| text.lines().nth(line).unwrap_or("").chars().take(200).collect::<String>();
        panic!(
            "{name}, line {}: drawn is\n{}\nand was\n{}\nIf that is meant, put {} in the place of {}.",
            line + 1,
            of(&text),
            of(&expected),
            new.display(),
            place.display()
        );
    }
}

#[test]
fn collections_of_a_server_are_drawn_as_before() {
    check("www/samples/gc.nettrace.gz", "gc");
}

#[test]
fn requests_and_messages_of_a_web_server_are_drawn_as_before() {
    check("www/samples/web.nettrace.gz", "web");
}

#[test]
fn lost_events_are_drawn_as_before() {
    check("tests/fixtures/dropped-net31.nettrace.gz", "dropped");
}
