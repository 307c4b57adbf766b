//! Tests that the count on a tab is the one in its report.

use crate::analysis::tests::reference::{recording, recordings_with};
use crate::session::{FileFacts, Loader, Progress, Session};
use flate2::read::GzDecoder;
use protocol::queries;
use protocol::request::Filter;
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

/// Returns the number in the figures of a report.
fn on_page(topic: Topic, head: &ReportHead) -> f64 {
    let of = |key: &str| head.figures.iter().find(|figure| figure.key == key).map_or(0.0, |figure| figure.value);
    let sums = topic.counts().iter().map(|keys| keys.iter().map(|key| of(key)).sum::<f64>());
    sums.into_iter().find(|sum| *sum > 0.0).unwrap_or(0.0)
}

/// Compares the counts of all topics of a trace. Returns how many have one.
fn compare(name: &str, bytes: Vec<u8>) -> usize {
    let mut session = session(bytes);
    let mut compared = 0;
    for presence in session.topics() {
        let Some(on_tab) = presence.count else { continue };
        let head =
            session.ask(&queries::Report { topic: presence.topic, filter: Filter::default() }).expect("a report");
        assert_eq!(on_tab as f64, on_page(presence.topic, &head), "{name} {:?}", presence.topic);
        compared += 1;
    }
    compared
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
