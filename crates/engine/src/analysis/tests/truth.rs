//! Tests all recordings with counts by the recorded app against these.

use super::reference::{Recording, recording, recordings_with, truth};
use crate::analysis::filter::select::select;
use crate::analysis::intervals::contention::contentions;
use crate::analysis::intervals::gc::gcs_of;
use crate::analysis::timeline::exceptions::exceptions;
use protocol::request::Filter;
use protocol::tables::interval_flag;
use std::collections::BTreeSet;

/// Valid differences between trace and app: recording, item, count in the trace, count of the app.
const DIFFERENCES: [(&str, &str, u64, u64); 11] = [
    // NativeAOT writes no event for an exception.
    ("aot-net9.nettrace", EXCEPTIONS, 0, 861),
    // The machine-wide recorder had no runtime events.
    ("cpu-v6-net10.nettrace", COLLECTIONS, 0, 108),
    // Most events were lost.
    ("drops-net10.nettrace", COLLECTIONS, 0, 1),
    ("drops-net10.nettrace", EXCEPTIONS, 1670, 21303),
    // A no-GC region takes a number, too: there were three.
    ("gc-net10.nettrace", COLLECTIONS, 40, 43),
    // The app ran before the session attached: its first GC isn't recorded, and a rethrow is counted but not written by
    // these runtimes. Counting started a fifth of a second after the trace.
    ("web-net8.nettrace", COLLECTIONS, 3, 4),
    ("web-net8.nettrace", WAITS, 55, 54),
    ("web-net9.nettrace", EXCEPTIONS, 40, 52),
    ("web-net9.nettrace", WAITS, 70, 62),
    ("web-net10.nettrace", EXCEPTIONS, 127, 174),
    ("web-net10.nettrace", WAITS, 120, 119),
];
const COLLECTIONS: &str = "collections";
const WAITS: &str = "waits for locks";
const EXCEPTIONS: &str = "exceptions";
/// OS IDs of threads without any recorded activity.
const SILENT: [(&str, &[u64]); 2] = [
    // It waited all the time, and only running threads were recorded.
    ("cpu-v6-net10.nettrace", &[2458]),
    // The session of a heap dump records the GC.
    ("heapdump-net10.nettrace", &[1420, 1421, 1422]),
];

/// Returns the numbers of GCs, lock waits and exceptions in the trace, and by the app's own count.
fn counted(recording: &Recording) -> [(&'static str, u64, Option<u64>); 3] {
    let (store, bytes) = (&recording.store, &recording.bytes);
    let truth = truth(recording).expect("the program's own counts");
    let waits = contentions(store, bytes).expect("payloads");
    let begun = waits.intervals().iter().filter(|interval| interval.flags & interval_flag::OPEN_START == 0).count();
    let all = select(store, bytes, &Filter::default()).expect("payloads");
    let thrown = exceptions(store, bytes, &all, 0).expect("payloads").total[0];
    let gcs = gcs_of(store, bytes).expect("payloads").len();
    [
        (COLLECTIONS, gcs as u64, truth["gc"]["lastIndex"].as_u64()),
        (WAITS, begun as u64, truth["monitorLockContentions"].as_u64()),
        (EXCEPTIONS, thrown, truth["exceptionsThrown"]["total"].as_u64()),
    ]
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn gcs_waits_and_exceptions_match_apps() {
    let mut found = BTreeSet::new();
    let mut expected = BTreeSet::from(DIFFERENCES);
    let names = recordings_with(".truth.json");
    for name in &names {
        let Some(recording) = recording(name) else {
            expected.retain(|one| one.0 != name);
            continue;
        };
        for (what, ours, theirs) in counted(&recording) {
            let theirs = theirs.unwrap_or_else(|| panic!("{name}: {what}"));
            if ours != theirs {
                found.insert((name.clone(), what, ours, theirs));
            }
        }
    }
    if !names.is_empty() {
        let expected: BTreeSet<_> = expected.into_iter().map(|one| (one.0.to_owned(), one.1, one.2, one.3)).collect();
        assert_eq!(found, expected);
    }
}

/// Threads with names exist in the apps; the file has their IDs. Threads without events aren't in it.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn threads_named_by_apps_are_in_trace() {
    for name in recordings_with(".truth.json") {
        let Some(recording) = recording(&name) else { continue };
        let truth = truth(&recording).expect("the program's own counts");
        let is_there = |number: u64| recording.store.threads.iter().any(|thread| thread.os_thread == number);
        let threads = truth["threads"].as_array().expect("threads");
        let numbers = threads.iter().map(|thread| thread["osThreadId"].as_u64().expect("a number"));
        let missing: Vec<u64> = numbers.filter(|number| !is_there(*number)).collect();
        let silent = SILENT.iter().find(|silent| silent.0 == name);
        assert_eq!(missing, silent.map_or(&[][..], |silent| silent.1), "{name}");
    }
}
