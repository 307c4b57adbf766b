//! `traceglass excerpt`: the events of an excerpt are the same as in the recording.

use crate::common::cli::traceglass;
use crate::common::recordings::{is_full, recording, traces, unpacked_name};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Returns the recordings of the repository, which have every version, and in a full run those beside the clone.
pub(super) fn recordings() -> Vec<PathBuf> {
    let fixtures = crate::common::root().join("tests/fixtures");
    let mut found: Vec<PathBuf> = std::fs::read_dir(fixtures)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.to_string_lossy().contains(".net"))
        .collect();
    if let Some(traces) = traces().filter(|_| is_full()) {
        for entry in std::fs::read_dir(traces.join("oracle")).expect("a folder") {
            let name = entry.expect("an entry").file_name().to_string_lossy().into_owned();
            let Some(name) = name.strip_suffix(".summary.json") else { continue };
            // Fixtures are copies of some of them.
            if !found.iter().any(|fixture| unpacked_name(fixture) == name) {
                found.extend(recording(&traces, name));
            }
        }
    }
    found.sort();
    found
}

/// Writes an excerpt of a recording to a file for the test.
fn excerpt(recording: &Path, test: &str, filter: &str) -> PathBuf {
    // Excerpts aren't compressed.
    let stem = unpacked_name(recording);
    let part = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}-of-{stem}"));
    let target = part.to_string_lossy().into_owned();
    let said = traceglass(&["excerpt", &target, "--filter", filter], recording);
    assert!(said.contains(" event"), "{}: {said}", recording.display());
    part
}

/// Returns events as JSON without values that differ between recording and excerpt: offsets, and in netperf 1 and 2 the
/// numbers of metadata records.
fn events(file: &Path, filter: &str) -> Vec<String> {
    let lines = traceglass(&["events", "--json", "--filter", filter], file);
    let event = |line: &str| {
        let (_, event) = line.split_once(",\"ns\":").expect("a time");
        let (before, rest) = event.split_once(",\"meta\":").expect("a description");
        let (_, behind) = rest.split_once(',').expect("a provider");
        format!("{before},{behind}")
    };
    lines.lines().map(event).collect()
}

/// Returns the content of a trace that depends only on its events.
fn content(file: &Path) -> Vec<Value> {
    let info: Value = serde_json::from_str(&traceglass(&["info", "--json", "--digest"], file)).expect("JSON");
    let parts = ["eventCount", "eventsLost", "digest", "losses", "types", "threads"].map(|key| info[key].clone());
    assert!(!parts[2].is_null(), "{info}");
    parts.to_vec()
}

#[test]
fn excerpt_of_everything_equals_recording() {
    for recording in recordings() {
        let part = excerpt(&recording, "all", "");
        assert_eq!(content(&part), content(&recording), "{}", recording.display());
        std::fs::remove_file(part).expect("its part");
    }
}

#[test]
fn excerpt_events_equal_recorded_events() {
    // The second half second, without events that record names.
    let filter = "time:500ms..1s level<=5 -provider:Rundown -event:Method -event:Loader -event:Module";
    let mut compared = 0;
    for recording in recordings() {
        let part = excerpt(&recording, "part", filter);
        let (found, expected) = (events(&part, filter), events(&recording, filter));
        assert!(found == expected, "{}: {} and {} events", recording.display(), found.len(), expected.len());
        compared += found.len();
        let check: Value = serde_json::from_str(&traceglass(&["check", "--json"], &part)).expect("JSON");
        assert_eq!(check["problems"].as_array().map(Vec::len), Some(0), "{}: {check}", recording.display());
        std::fs::remove_file(part).expect("its part");
    }
    assert!(compared > 1_000, "{compared} events");
}

/// The stacks of an excerpt have the same names as in the recording, although it has only the methods on its stacks.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn excerpt_names_only_code_on_its_stacks() {
    let Some(traces) = traces() else { return };
    // The recording, the selected events, and the most that an excerpt of them may have.
    for (name, filter, most_events) in [
        ("web-net10.nettrace", "time:1s..1.05s -provider:Rundown -event:Method -event:Loader", 4_000),
        ("orders-net31.nettrace", "time:1s..1.1s -provider:Rundown -event:Method -event:Loader", 2_500),
        ("orders-v6.nettrace", "time:1s..1.1s -provider:Universal.System", 4_000),
        ("web-net9.nettrace", "time:5s..5.05s -provider:Rundown -event:Method -event:Loader", 4_000),
        ("cpu-net10.nettrace", "time:1s..1.05s -provider:Rundown -event:Method -event:Loader", 2_000),
    ] {
        let Some(recording) = recording(&traces, name) else { continue };
        let part = excerpt(&recording, "names", filter);
        let stacks = |file: &Path| traceglass(&["stacks", "--format", "folded", "--filter", filter], file);
        let (found, expected) = (stacks(&part), stacks(&recording));
        assert!(!expected.trim().is_empty(), "{name}");
        assert_eq!(found, expected, "{name}");
        let events = |file: &Path| -> u64 {
            let info: Value = serde_json::from_str(&traceglass(&["info", "--json"], file)).expect("JSON");
            info["eventCount"].as_u64().expect("a count")
        };
        let (part_events, events) = (events(&part), events(&recording));
        println!("{name}: {part_events} of {events} events");
        assert!(part_events < most_events, "{name}: {part_events} of {events} events");
        std::fs::remove_file(part).expect("its part");
    }
}

/// An excerpt has both ends of every interval that begins or ends in it: an interval is open-ended only if it is in the
/// recording.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn excerpt_includes_both_ends_of_intervals() {
    let Some(traces) = traces() else { return };
    let report = |command: &str, file: &Path| -> Value {
        serde_json::from_str(&traceglass(&[command, "--json"], file)).expect("JSON")
    };
    let Some(recording) = recording(&traces, "web-net9.nettrace") else { return };
    let part = excerpt(&recording, "ends", "time:5s..5.5s");
    let http = report("http", &part);
    let rows = http["incoming"].as_array().expect("a table");
    assert!(rows.len() > 10, "{} requests", rows.len());
    for row in rows {
        let is_text = |key: &str| row[key].as_str().is_some_and(|text| !text.is_empty());
        assert!(is_text("method") && is_text("path") && row["durationNs"].as_i64().is_some(), "{row}");
    }
    for (command, figures) in [
        ("http", &["open", "sentOpen"][..]),
        ("contention", &["unfinished"]),
        ("waits", &["unfinished"]),
        ("tasks", &["neverStarted", "neverCompleted", "asyncOpen"]),
        ("jit", &["unfinished"]),
    ] {
        let [whole, part] = [&recording, &part].map(|file| report(command, file));
        for figure in figures {
            let [whole, part] = [&whole, &part].map(|report| report["figures"][*figure].as_f64().unwrap_or(0.0));
            assert!(part <= whole, "{command} {figure}: {part} in the part, {whole} in the recording");
        }
    }
    std::fs::remove_file(part).expect("its part");
}
