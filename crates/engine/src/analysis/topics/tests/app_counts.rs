//! Tests reports against counts by the recorded apps, for every recording that has both.

use super::reports::{column, figure, report, rows, table};
use super::runtime::of_day;
use crate::analysis::tests::reference::{Recording, recording, recordings_with, truth};
use crate::analysis::topics::recorded_topics::is_recorded;
use crate::analysis::topics::shared::report::Report;
use protocol::topics::topic::Topic;
use serde_json::Value;
use std::collections::BTreeMap;

/// Calls `check` for each recording with events about a topic and counts by its app, except for recordings that lost
/// most events. Returns the number of calls.
fn each(topic: Topic, check: impl Fn(&Recording, &Report, &Value)) -> usize {
    let mut checked = 0;
    for name in recordings_with(".truth.json").into_iter().filter(|name| !name.starts_with("drops-")) {
        let Some(recording) = recording(&name).filter(|one| is_recorded(topic, &one.store)) else { continue };
        let truth = truth(&recording).expect("the program's own counts");
        check(&recording, &report(topic, &recording.store, &recording.bytes, ""), &truth);
        checked += 1;
    }
    checked
}

/// Exceptions by type, and rethrows for which the runtime writes no event: apps are notified of both.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn exceptions_by_type_match_apps() {
    let checked = each(Topic::Exceptions, |recording, ours, truth| {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        let number = |text: &str| text.parse::<u64>().expect("a count");
        for row in rows(table(ours, "types"), &["type", "count"]) {
            *counts.entry(row[0].clone()).or_default() += number(&row[1]);
        }
        // .NET 8 writes events for them.
        if !recording.name.starts_with("web-net8") {
            for row in rows(table(ours, "handlers"), &["type", "thrownAgain"]) {
                *counts.entry(row[0].clone()).or_default() += number(&row[1]);
            }
        }
        let theirs = truth["exceptionsThrown"]["byType"].as_object().expect("types").iter();
        let theirs: BTreeMap<String, u64> =
            theirs.map(|(name, count)| (name.clone(), count.as_u64().expect("a count"))).collect();
        assert_eq!(counts, theirs, "{}", recording.name);
    });
    assert!(checked >= 5, "{checked}");
}

/// The workers that are active at once are those that the pool has at the end: it keeps idle ones for 20 s.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn pool_size_matches_apps() {
    let checked = each(Topic::ThreadPool, |recording, ours, truth| {
        assert_eq!(Some(figure(ours, "workers")), truth["threadPool"]["threadsNow"].as_f64(), "{}", recording.name);
    });
    assert!(checked >= 4, "{checked}");
}

/// Compilations until the app read its counters; it also compiles methods that write them to a file.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn compilations_match_apps() {
    let checked = each(Topic::Jit, |recording, ours, truth| {
        let name = &recording.name;
        let begun = of_day(recording.analysis["traceLog"]["sessionStartUtc"].as_str().expect("a start"));
        let time = |key: &str| of_day(truth[key].as_str().expect("a time")) - begun;
        let first = if truth["countedSince"] == "process start" { 0.0 } else { time("begunUtc") };
        let number = |text: &String| text.parse::<f64>().unwrap_or(0.0);
        let all = rows(table(ours, "compilations"), &["timeNs", "compileNs"]);
        let all = all.iter().filter(|row| (first..time("finishedUtc")).contains(&number(&row[0])));
        let (count, nanos) = all.fold((0.0, 0.0), |(count, nanos), row| (count + 1.0, nanos + number(&row[1])));
        let counted = |key: &str| truth["jit"][key].as_f64().expect("a count");
        // The first ones precede the session's first event.
        assert!((counted("compiledMethods") - count).abs() <= 3.0, "{name}: {count}");
        assert!((nanos / 1e6 / counted("compilationMs") - 1.0).abs() < 0.05, "{name}: {nanos}");
    });
    assert!(checked >= 1, "{checked}");
}

/// The app starts a task for each firing; some end with an exception.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn tasks_match_app() {
    let Some(recording) = recording("aot-net9.nettrace") else { return };
    let counted = &truth(&recording).expect("the program's own counts")["counted"];
    let ours = report(Topic::Tasks, &recording.store, &recording.bytes, "");
    let states = column(table(&ours, "tasks"), "state");
    let failed = states.iter().filter(|state| *state == "failed").count() as u64;
    assert_eq!(counted["Kiln-Events.FireStart"].as_u64(), Some(states.len() as u64));
    assert_eq!(counted["Kiln-Events.Cracked"].as_u64(), Some(failed));
}
