//! Rules of the reference reader's own tests of the export for speedscope.

use super::recordings;
use super::support::{event, record, trace};
use crate::common::cli::traceglass;
use crate::common::speedscope::validate;
use nettrace::testing::{Event, Format, PayloadWriter};
use nettrace::{MetadataRecord, ThreadRow};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

fn exported(path: &Path) -> Value {
    serde_json::from_str(&traceglass(&["stacks", "--format", "speedscope"], path)).expect("JSON")
}

/// R6.1: each thread has a profile, which names its process if there are several, even if threads of two processes have
/// the same ID.
#[test]
fn every_thread_has_profile() {
    let sampler = MetadataRecord {
        provider: "Microsoft-DotNETCore-SampleProfiler".into(),
        event_id: 0,
        version: 0,
        ..record(2, "")
    };
    let sample = |index: u64, sequence: u32, timestamp: i64| Event {
        thread: index,
        capture_thread: 9,
        stack_id: 1,
        payload: PayloadWriter::new().u32(2).finish(),
        ..event(2, sequence, timestamp)
    };
    let row = |index: u64, process_id: u64, name: Option<&str>| ThreadRow {
        index,
        process_id: Some(process_id),
        thread_id: Some(if index == 9 { 99 } else { 12 }),
        name: name.map(str::to_owned),
        ..ThreadRow::default()
    };
    let written = |processes: [u64; 2]| {
        trace(Format::Nettrace6, |builder| {
            builder.metadata(std::slice::from_ref(&sampler));
            builder.threads(&[row(1, processes[0], None), row(2, processes[1], Some("Tea <3>")), row(9, 321, None)]);
            builder.stacks(1, &[&[0x1000]]);
            builder.events(&[sample(1, 1, 10), sample(2, 2, 11), sample(1, 3, 20), sample(2, 4, 21)]);
        })
    };
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("processes.nettrace");
    std::fs::write(&path, written([321, 84])).expect("room for a file");
    let file = exported(&path);
    assert_eq!(validate(&file), Ok(4));
    let names: Vec<_> = file["profiles"].as_array().into_iter().flatten().map(|profile| &profile["name"]).collect();
    assert_eq!(names, [&json!("Process 321 · Thread 12"), &json!("Process 84 · Tea <3> 12")]);
    assert_eq!(file["name"], "processes.nettrace");
}

/// Returns a file of one profile with these changes: `O` or `C`, frame, time.
fn made(changes: &[(&str, u32, u32)]) -> Value {
    let change = |&(change, frame, at): &(&str, u32, u32)| json!({ "type": change, "frame": frame, "at": at });
    let events: Vec<Value> = changes.iter().map(change).collect();
    let profile = json!({
        "type": "evented", "name": "Thread 12", "unit": "nanoseconds", "startValue": 0, "endValue": 9, "events": events
    });
    json!({
        "$schema": "https://www.speedscope.app/file-format-schema.json",
        "shared": { "frames": [{ "name": "A" }, { "name": "B" }] }, "profiles": [profile]
    })
}

/// R6.4: unbalanced, unnested and unordered events are detected.
#[test]
fn invalid_files_are_rejected() {
    for (changes, words) in [
        ([("O", 0, 1), ("O", 1, 2), ("C", 1, 3)].as_slice(), "[0] stay open"),
        (&[("O", 0, 1), ("C", 0, 2), ("C", 1, 3)], "frame 1 closes, open are []"),
        (&[("O", 0, 1), ("C", 1, 2)], "frame 1 closes, open are [0]"),
        (&[("O", 0, 1), ("O", 1, 2), ("C", 0, 3), ("C", 1, 4)], "frame 0 closes, open are [0, 1]"),
        (&[("C", 0, 1), ("O", 0, 2)], "frame 0 closes, open are []"),
        (&[("O", 0, 3), ("C", 0, 2)], "2 is not between 3 and 9"),
        (&[("O", 0, 3), ("C", 0, 10)], "10 is not between 3 and 9"),
        (&[("O", 2, 3), ("C", 2, 4)], "there is no frame 2"),
    ] {
        let wrong = validate(&made(changes)).expect_err(words);
        assert!(wrong.contains(words), "{wrong}");
    }
}

/// R6.5: valid files pass.
#[test]
fn valid_files_pass() {
    assert_eq!(validate(&made(&[("O", 0, 1), ("O", 1, 1), ("C", 1, 2), ("O", 1, 2), ("C", 1, 4), ("C", 0, 4)])), Ok(6));
    assert_eq!(validate(&made(&[])), Ok(0));
}

/// R6.6: exports of real traces are valid: fixtures, bundled traces, and the recordings of the reference reader's test,
/// if they exist.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn exports_of_real_traces_are_valid() {
    let root = crate::common::root();
    let mut paths: Vec<PathBuf> =
        ["HeartRateMonitor.10068.nettrace.zip", "mixed_managed_external_samples.nettrace.zip"]
            .into_iter()
            .filter_map(recordings::path)
            .collect();
    for folder in ["tests/fixtures", "www/samples"] {
        let entries = std::fs::read_dir(root.join(folder)).expect("a readable folder");
        let entries = entries.map(|entry| entry.expect("a readable folder").path());
        paths.extend(entries.filter(|path| path.extension().is_some_and(|extension| extension == "gz")));
    }
    assert!(paths.len() >= 13, "{}", paths.len());
    let mut with_profiles = 0;
    for path in paths {
        let file = exported(&path);
        let changes = validate(&file).unwrap_or_else(|wrong| panic!("{}: {wrong}", path.display()));
        let profiles = file["profiles"].as_array().map_or(0, Vec::len);
        assert_eq!(changes > 0, profiles > 0, "{}", path.display());
        with_profiles += usize::from(profiles > 0);
    }
    assert!(with_profiles >= 9, "{with_profiles}");
}
