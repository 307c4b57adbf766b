//! Tests tasks against the reference's counts of events.

use crate::analysis::tests::reference::{recording, recordings_with};
use crate::analysis::topics::recorded_topics::is_recorded;
use crate::analysis::topics::tests::reports::{figure, report, rows, table};
use protocol::topics::topic::Topic;

const TASKS: &str = "System.Threading.Tasks.TplEventSource";

/// Every scheduled task and every call of an async method is in the report, for every recording; if nothing is lost at
/// the ends, each started task has a wait and a run time.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn task_count_matches_reference() {
    for name in recordings_with(".summary.json") {
        let Some(recording) = recording(&name).filter(|one| is_recorded(Topic::Tasks, &one.store)) else { continue };
        // The reference drops blocks of damaged or truncated files.
        let Some(types) = recording.summary["types"].as_array() else { continue };
        let counted = |id: u64| {
            let of = types.iter().filter(|one| one["provider"] == TASKS && one["eventId"] == id);
            of.filter_map(|one| one["count"].as_u64()).sum::<u64>()
        };
        let report = report(Topic::Tasks, &recording.store, &recording.bytes, "");
        let tasks = rows(table(&report, "tasks"), &["timeNs", "waitedNs", "ranNs", "state"]);
        let scheduled = tasks.iter().filter(|row| !row[0].is_empty()).count() as u64;
        let ended = tasks.iter().filter(|row| ["completed", "failed"].contains(&row[3].as_str())).count() as u64;
        assert_eq!((scheduled, figure(&report, "asyncMethods") as u64), (counted(7), counted(14)), "{name}");
        assert!(ended <= counted(9), "{name}: {ended} of {}", counted(9));
        assert!(tasks.iter().all(|row| !row[1].starts_with('-') && !row[2].starts_with('-')), "{name}");
        if name == "web-net10.nettrace" {
            assert_eq!((scheduled, ended), (427, 427));
            // The app blocks in 60 requests, and the ends of waits aren't recorded. Samples of pool workers show 25.2
            // s.
            let blocked = rows(table(&report, "blocking"), &["site", "count"]);
            assert!(blocked.iter().any(|row| row[0].starts_with("GET /legacy; ") && row[1] == "60"), "{blocked:?}");
            assert!((25.0e9..25.5e9).contains(&figure(&report, "blockedNs")));
        }
        println!("{name}: {} {}", report.verdict, report.explanation);
    }
}
