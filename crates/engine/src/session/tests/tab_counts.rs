//! Tests that the count on a tab is the one in its report.

use crate::analysis::tests::reference::{recording, recordings_with};
use crate::clr::KnownEvent;
use crate::session::{FileFacts, Loader, Progress, Session};
use flate2::read::GzDecoder;
use protocol::base::time::Span;
use protocol::queries;
use protocol::request::Filter;
use protocol::timeline::track::TrackKind;
use protocol::topics::report::ReportHead;
use protocol::topics::topic::Topic;
use std::io::Read;
use std::path::Path;

/// Larger recordings take long to read without optimization: only when `TRACEGLASS_FULL` is set.
const LARGE: usize = 6 << 20;

fn session(bytes: Vec<u8>) -> Session {
    let mut loader = Loader::new();
    loader.append(bytes.len(), |space| space.copy_from_slice(&bytes));
    while loader.advance(1 << 20).expect("a trace") == Progress::Paused {}
    let facts = FileFacts { bytes: bytes.len() as u64, ..FileFacts::default() };
    Session::new(loader.finish().expect("a trace"), Box::new(bytes), facts).expect("a session")
}

fn sum_of(keys: &[&str], head: &ReportHead) -> f64 {
    let of = |key: &str| head.figures.iter().find(|figure| figure.key == key).map_or(0.0, |figure| figure.value);
    keys.iter().map(|key| of(key)).sum()
}

/// Returns the figures of a report on a whole trace that the tab counts.
fn counted_figures(topic: Topic, whole: &ReportHead) -> &'static [&'static str] {
    topic.counts().iter().copied().find(|keys| sum_of(keys, whole) > 0.0).unwrap_or(&[])
}

/// Compares the counts of all topics of a trace. Returns how many have one.
fn compare(name: &str, bytes: Vec<u8>) -> usize {
    let mut session = session(bytes);
    let mut compared = 0;
    for presence in session.topics() {
        let Some(on_tab) = presence.count else { continue };
        let head =
            session.ask(&queries::Report { topic: presence.topic, filter: Filter::default() }).expect("a report");
        let figures = counted_figures(presence.topic, &head);
        assert_eq!(on_tab as f64, sum_of(figures, &head), "{name} {:?}", presence.topic);
        compared += 1;
    }
    compared
}

/// Compares the counts of topics and tracks for a filter. Returns how many aren't 0.
fn compare_with_filter(name: &str, session: &mut Session, filter: &Filter) -> usize {
    let counts = session.ask(&queries::ItemCounts { filter: filter.clone() }).expect("counts");
    let mut compared = 0;
    // Other tabs have no count.
    let has_count = |topic: &Topic| session.topics().iter().any(|one| one.topic == *topic && one.count.is_some());
    for topic in Topic::ALL.into_iter().filter(has_count).collect::<Vec<_>>() {
        let Some(on_tab) = counts.topics.iter().find(|one| one.topic == topic).map(|one| one.count) else { continue };
        let whole = session.ask(&queries::Report { topic, filter: Filter::default() }).expect("a report");
        let head = session.ask(&queries::Report { topic, filter: filter.clone() }).expect("a report");
        assert_eq!(on_tab as f64, sum_of(counted_figures(topic, &whole), &head), "{name} {topic:?} {filter:?}");
        compared += usize::from(on_tab > 0);
    }
    let on_tracks = |is_it: fn(TrackKind) -> bool| -> u64 {
        counts.tracks.iter().filter(|one| is_it(one.track)).map(|one| one.count).sum()
    };
    let on_tab = |topic| counts.topics.iter().find(|one| one.topic == topic).map_or(0, |one| one.count);
    assert_eq!(on_tracks(TrackKind::is_spans), on_tab(Topic::Http), "{name} {filter:?}");
    assert_eq!(on_tracks(|kind| kind == TrackKind::Gc), on_tab(Topic::Gc), "{name} {filter:?}");
    compared
}

/// Returns the middle third of a trace.
fn middle(session: &Session) -> Filter {
    let whole = session.store().full_span;
    let third = whole.duration() / 3;
    Filter { span: Some(Span::new(whole.start.0 + third, whole.end.0 - third)), ..Filter::default() }
}

/// Returns filters that select a part of the events of a trace.
fn filters(session: &Session) -> Vec<Filter> {
    let store = session.store();
    let busiest = store.threads.iter().max_by_key(|thread| thread.events).map(|thread| thread.id);
    let of_thread = busiest.map(|thread| Filter { threads: vec![thread], ..Filter::default() });
    let triggers = store.types.of_known(KnownEvent::GcTriggered).map(|kind| kind.id).collect::<Vec<_>>();
    let of_triggers = (!triggers.is_empty()).then(|| Filter { types: triggers, ..Filter::default() });
    let rest = Filter { providers: vec!["Microsoft-DotNETCore-SampleProfiler".to_owned()], ..Filter::default() };
    let nothing = Filter { query: "\"no such text\"".to_owned(), ..Filter::default() };
    [Some(middle(session)), of_thread, of_triggers, Some(rest), Some(nothing)].into_iter().flatten().collect()
}

/// Returns the decompressed traces in a folder of the repository, without files that aren't traces.
fn fixtures(folder: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures").join(folder);
    let files = std::fs::read_dir(folder).expect("a folder").map(|file| file.expect("a file").path());
    let read = |path: std::path::PathBuf| {
        let name = path.file_name()?.to_string_lossy().into_owned();
        let bytes = std::fs::read(&path).ok().filter(|_| name.contains(".net"))?;
        if !name.ends_with(".gz") {
            return Some((name, bytes));
        }
        let mut unpacked = Vec::new();
        GzDecoder::new(&bytes[..]).read_to_end(&mut unpacked).ok()?;
        Some((name, unpacked))
    };
    files
        .filter_map(read)
        .filter(|(_, bytes)| bytes.starts_with(b"Nettrace") || bytes.starts_with(b"\x14\0\0\0!"))
        .collect()
}

#[test]
fn tab_counts_match_reports_in_fixtures() {
    let all: Vec<_> = ["", "cases"].into_iter().flat_map(fixtures).collect();
    let compared: usize = all.into_iter().map(|(name, bytes)| compare(&name, bytes)).sum();
    assert!(compared > 20, "{compared} tabs");
}

#[test]
fn counts_with_filter_match_reports_in_fixtures() {
    let mut compared = 0;
    for (name, bytes) in ["", "cases"].into_iter().flat_map(fixtures) {
        let mut session = session(bytes);
        for filter in filters(&session) {
            compared += compare_with_filter(&name, &mut session, &filter);
        }
    }
    assert!(compared > 20, "{compared} tabs");
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn requests_that_overlap_a_range_are_counted_on_the_track() {
    let Some(recording) = recording("web-net10.nettrace") else { return };
    let mut session = session(recording.bytes);
    let filter = middle(&session);
    assert!(compare_with_filter("web-net10", &mut session, &filter) >= 2);
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn tab_counts_match_reports_in_all_recordings() {
    let names = [".nettrace", ".nettrace.zst", ".netperf"].into_iter().flat_map(recordings_with);
    let is_full = std::env::var_os("TRACEGLASS_FULL").is_some();
    let mut compared = 0;
    for name in names {
        let Some(recording) = recording(&name).filter(|one| is_full || one.bytes.len() <= LARGE) else { continue };
        compared += compare(&name, recording.bytes);
    }
    assert!(compared > 20, "{compared} tabs");
}
