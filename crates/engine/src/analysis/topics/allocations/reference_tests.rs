//! Tests allocations against the reference outputs of all recordings, and against counts by the recorded apps.

use crate::analysis::tests::reference::{Recording, recording, recordings_with, truth};
use crate::analysis::topics::shared::report::Report;
use crate::analysis::topics::tests::reports::{column, figure, numbers, report, table};
use protocol::topics::topic::Topic;
use std::collections::BTreeMap;

fn report_of(recording: &Recording) -> Report {
    report(Topic::Allocations, &recording.store, &recording.bytes, "")
}

/// Events and bytes by type.
type ByType = BTreeMap<String, (u64, u64)>;

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn allocation_ticks_match_reference() {
    let mut compared = 0;
    for name in recordings_with(".analysis.json") {
        let Some(recording) = recording(&name) else { continue };
        let Some(ticks) = recording.analysis["allocationTicks"].as_array() else { continue };
        let mut theirs = ByType::new();
        for one in ticks {
            let count = |key: &str| one[key].as_u64().expect("a number");
            let by_type = theirs.entry(one["type"].as_str().expect("a name").to_owned()).or_default();
            *by_type = (by_type.0 + count("count"), by_type.1 + count("bytes"));
        }
        let report = report_of(&recording);
        let types = table(&report, "types");
        let mut ours = ByType::new();
        let numbered = numbers(types, "events").into_iter().zip(numbers(types, "bytes"));
        for (name, (events, bytes)) in column(types, "fullType").into_iter().zip(numbered) {
            // NativeAOT has no names: the reference shows the text in the events instead.
            let name = if name.starts_with("(type ") { "NULL".to_owned() } else { name };
            let by_type = ours.entry(name).or_default();
            *by_type = (by_type.0 + events.unwrap_or(0.0) as u64, by_type.1 + bytes.unwrap_or(0.0) as u64);
        }
        if name != "truncated-net31.nettrace" {
            assert_eq!(ours, theirs, "{name}");
        } else {
            // The reference stops at the first truncated block.
            let total = |all: &ByType| all.values().map(|one| one.0).sum::<u64>();
            assert!(total(&ours) > total(&theirs) && theirs.keys().all(|name| ours.contains_key(name)));
        }
        compared += 1;
    }
    assert!(compared == 0 || compared >= 9, "{compared} compared");
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn sampled_estimate_matches_app() {
    let Some(recording) = recording("gc-net10.nettrace") else { return };
    let truth = truth(&recording).expect("the program's own counts");
    let allocated = truth["gc"]["totalAllocatedBytes"].as_f64().expect("bytes");
    let report = report_of(&recording);
    let (bytes, margin) = (figure(&report, "bytes"), figure(&report, "marginBytes"));
    assert!((bytes - allocated).abs() < 1.5 * margin, "{bytes} ± {margin}: {allocated}");
    assert_eq!(numbers(table(&report, "sources"), "events"), [9_932.0, 10_375.0].map(Some));
    let large = figure(&report, "largeBytes");
    let made = truth["measured"]["largeArrayBytes"].as_f64().expect("bytes");
    // Large objects are almost always sampled.
    assert!((large / made - 1.0).abs() < 0.02, "{large}: {made}");
}

/// The runtime counts the memory that it hands to threads; ticks are written once some of it is used.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn tick_sum_matches_apps() {
    for (name, least, most) in [("aot-net9.nettrace", 1.0, 1.04), ("web-net10.nettrace", 1.0, 1.06)] {
        let Some(recording) = recording(name) else { continue };
        let allocated = truth(&recording).expect("the program's own counts")["gc"]["totalAllocatedBytes"].as_f64();
        let share = figure(&report_of(&recording), "bytes") / allocated.expect("bytes");
        assert!(share > least && share < most, "{name}: {share}");
    }
}
