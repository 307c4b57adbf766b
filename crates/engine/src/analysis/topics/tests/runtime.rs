//! Tests reports on the runtime's topics against the reference, and against counts by the recorded apps.

use super::reports;
use super::reports::{column, figure, figure_if_any, rows, table};
use crate::analysis::tests::reference::{Recording, recording, truth};
use crate::analysis::tests::tracks::RECORDINGS;
use crate::analysis::topics::shared::report::Report;
use protocol::topics::topic::Topic;
use serde_json::Value;
use std::collections::BTreeMap;

fn report(recording: &Recording, topic: Topic) -> Report {
    reports::report(topic, &recording.store, &recording.bytes, "")
}

/// Returns whether sums are equal within rounding: the reference adds milliseconds as floating-point numbers, each
/// rounded to nanoseconds.
fn is_near(nanos: f64, millis: &Value, of: f64) -> bool {
    (nanos / 1e6 - millis.as_f64().expect("milliseconds")).abs() < 0.05 + of * 2e-6
}

/// Pairs, times and locks in the reference.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn lock_waits_match_reference() {
    for recording in RECORDINGS.into_iter().filter_map(recording) {
        let (name, theirs) = (&recording.name, &recording.analysis["contention"]);
        let ours = report(&recording, Topic::Contention);
        if theirs.is_null() {
            assert_eq!(figure(&ours, "count"), 0.0, "{name}");
            continue;
        }
        let count = figure(&ours, "count");
        assert_eq!(theirs["pairs"].as_f64(), Some(count), "{name}");
        assert_eq!(theirs["unmatchedStarts"].as_f64(), Some(figure(&ours, "unfinished")), "{name}");
        assert!(is_near(figure(&ours, "totalNs"), &theirs["totalMs"], count), "{name}");
        assert!(is_near(figure(&ours, "longestNs"), &theirs["maxMs"], 1.0), "{name}");
        let first = theirs["first"].as_array().expect("pairs");
        if first.len() as f64 == count {
            let mut locks: BTreeMap<String, usize> = BTreeMap::new();
            for lock in first.iter().filter_map(|pair| pair["lock"].as_str()) {
                *locks.entry(lock.to_owned()).or_default() += 1;
            }
            let by_lock = table(&ours, "locks");
            let counts = column(by_lock, "count").into_iter().map(|count| count.parse().expect("a count"));
            assert_eq!(
                column(by_lock, "lock").into_iter().zip(counts).collect::<BTreeMap<_, usize>>(),
                locks,
                "{name}"
            );
        }
    }
}

/// The apps queue for one lock, on purpose; other locks have no queues, or small ones.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn convoys_match_apps() {
    let worst = |name: &str| {
        let ours = report(&recording(name)?, Topic::Contention);
        let convoys = table(&ours, "convoys");
        let first = |key: &str| column(convoys, key).into_iter().next().unwrap_or_default();
        Some((first("mostAtOnce"), first("site")))
    };
    for (name, most, site) in CONVOYS {
        if let Some(found) = worst(name) {
            assert_eq!((found.0.as_str(), found.1.as_str()), (most, site), "{name}");
        }
    }
}

/// Recording, simultaneous threads, call site.
const CONVOYS: [(&str, &str, &str); 4] = [
    ("cpu-net10.nettrace", "", ""),
    ("short-net10.nettrace", "", ""),
    ("web-net8.nettrace", "3", "Shop.Inventory.Reserve(string, int)"),
    ("web-net10.nettrace", "4", "Shop.Inventory.Reserve(string, int)"),
];

/// Returns the nanoseconds of the day of "2026-11-21T06:57:27.2718020Z".
pub(super) fn of_day(utc: &str) -> f64 {
    let time = utc.split('T').nth(1).expect("a time").trim_end_matches('Z');
    time.split(':').fold(0.0, |sum, part| sum * 60.0 + part.parse::<f64>().expect("a number")) * 1e9
}

/// The starvation that the web apps provoke is found, and no other.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn starvation_is_found_where_app_provokes_it() {
    for name in ["web-net8.nettrace", "web-net9.nettrace", "web-net10.nettrace"] {
        let Some(recording) = recording(name) else { continue };
        let ours = report(&recording, Topic::ThreadPool);
        let truth = truth(&recording).expect("the program's own counts");
        let starved = table(&ours, "starvations");
        let number = |key: &str| column(starved, key)[0].parse::<f64>().expect("a number");
        assert_eq!(starved.len(), 1, "{name}: {}", ours.verdict);
        // In web-net10 the compiler inlined it into .NET's generated caller; the awaited task is known.
        let (key, expected) = match name {
            "web-net10.nettrace" => ("awaited", "Shop.LegacyGateway.CallAsync (async)"),
            _ => ("site", "Shop.LegacyGateway.CallBlocking()"),
        };
        assert_eq!(column(starved, key), [expected], "{name}");
        let site = &column(starved, "site")[0];
        let is_named = site.starts_with("GET /legacy; its handler is inlined into lambda_method7") || key == "site";
        assert!(is_named, "{name}: {site}");
        assert_eq!(column(starved, "on"), ["a task (sync-over-async)"], "{name}");
        let begun = of_day(recording.analysis["traceLog"]["sessionStartUtc"].as_str().expect("a start"));
        let note = |key: &str| of_day(truth["notes"][key].as_str().expect("a time")) - begun;
        let (from, to) = (note("starvationBegunUtc"), note("starvationEndedUtc"));
        let (start, end) = (number("timeNs"), number("timeNs") + number("durationNs"));
        assert!(start >= from && end <= to + 1e9, "{name}: {start}–{end} in {from}–{to}");
        assert!((end - start) > 0.6 * (to - from), "{name}: {start}–{end} in {from}–{to}");
        let most = truth["counted"]["poolThreadsAtEndOfStarvation"].as_f64();
        assert!(most.is_some_and(|most| (figure(&ours, "workers") - most).abs() <= 2.0), "{name}: {most:?}");
        assert!(number("blockedShare") > 0.5, "{name}");
    }
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn busy_pool_is_not_starved() {
    for name in ["cpu-net10.nettrace", "orders-net31.nettrace", "orders-net21.netperf", "aot-net9.nettrace"] {
        let Some(recording) = recording(name) else { continue };
        let ours = report(&recording, Topic::ThreadPool);
        assert_eq!(figure(&ours, "starvations"), 0.0, "{name}: {} {}", ours.verdict, ours.explanation);
    }
}

/// Exceptions by type match the reference.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn exceptions_match_reference() {
    for recording in RECORDINGS.into_iter().filter_map(recording) {
        let name = &recording.name;
        let ours = report(&recording, Topic::Exceptions);
        let theirs = recording.analysis["exceptions"].as_array().into_iter().flatten();
        let mut by_type: BTreeMap<String, u64> = BTreeMap::new();
        for one in theirs {
            let text = |key: &str| one[key].as_str().unwrap_or_default().to_owned();
            *by_type.entry(text("type")).or_default() += one["count"].as_u64().unwrap_or(0);
        }
        let types = table(&ours, "types");
        let counts = column(types, "count").into_iter().map(|count| count.parse().expect("a count"));
        assert_eq!(column(types, "type").into_iter().zip(counts).collect::<BTreeMap<_, u64>>(), by_type, "{name}");
    }
}

/// Apps count first-chance notifications: every exception thrown, and every rethrow, for which .NET 9 and 10 write no
/// event, but .NET 8 does.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn unrecorded_rethrows_complete_counts_of_apps() {
    for name in ["web-net8.nettrace", "web-net9.nettrace", "web-net10.nettrace", "norundown-net10.nettrace"] {
        let Some(recording) = recording(name) else { continue };
        let ours = report(&recording, Topic::Exceptions);
        let truth = truth(&recording).expect("the program's own counts");
        let counted = figure(&ours, "count") + figure_if_any(&ours, "thrownAgainSilently").unwrap_or(0.0);
        assert_eq!(truth["exceptionsThrown"]["total"].as_f64(), Some(counted), "{name}");
    }
}

/// Exceptions of web apps are attributed once to the app's method, however often `await` and handlers rethrow them.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn web_app_exceptions_are_attributed_to_own_code() {
    for (name, expected) in [
        ("web-net8.nettrace", [("Shop.Failures.Throw(int)", "System.FormatException", "2", "4"), REFUSED_15]),
        ("web-net9.nettrace", [("Shop.Failures.Throw(int)", "Shop.OutOfStockException", "2", "2"), REFUSED_12]),
        ("web-net10.nettrace", [("Shop.Failures.Throw(int)", "Shop.OutOfStockException", "9", "9"), REFUSED_13]),
    ] {
        let Some(recording) = recording(name) else { continue };
        let ours = report(&recording, Topic::Exceptions);
        let sites = rows(table(&ours, "sites"), &["site", "type", "exceptions", "count", "thrownIn"]);
        for (site, type_name, exceptions, thrown) in expected {
            let row = sites.iter().find(|row| row[0] == site && row[1] == type_name).expect(site);
            assert_eq!((row[2].as_str(), row[3].as_str()), (exceptions, thrown), "{name}: {site}");
        }
        for machinery in ["ExceptionDispatchInfo", "ExecutionContext", "TaskAwaiter", "Program.Main.λ5", "RhThrowEx"] {
            assert!(
                !sites.iter().any(|row| row[0].contains(machinery) || row[4].contains(machinery)),
                "{name}: {machinery}"
            );
        }
        let all: u64 =
            column(table(&ours, "sites"), "count").iter().map(|count| count.parse::<u64>().expect("a count")).sum();
        assert_eq!(all as f64, figure(&ours, "count"), "{name}");
    }
}

/// One request to a closed port, whose exception every layer of the client rethrows.
const REFUSED_15: (&str, &str, &str, &str) = refused("15");
const REFUSED_12: (&str, &str, &str, &str) = refused("12");
const REFUSED_13: (&str, &str, &str, &str) = refused("13");

const fn refused(thrown: &'static str) -> (&'static str, &'static str, &'static str, &'static str) {
    ("Shop.LoadDriver.RunAsync (async)", "System.Net.Http.HttpRequestException", "1", thrown)
}

/// Every exception of these apps is caught, in the method with the handler.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn exception_handlers_match_apps() {
    let handlers = |name: &str| {
        let recording = recording(name)?;
        let ours = report(&recording, Topic::Exceptions);
        assert_eq!(figure(&ours, "caught"), figure(&ours, "count"), "{name}");
        Some(column(table(&ours, "handlers"), "caughtIn"))
    };
    if let Some(handlers) = handlers("orders-net31.nettrace") {
        assert_eq!(handlers[0], "Program.Throwing(int)");
    }
    if let Some(handlers) = handlers("norundown-net10.nettrace") {
        assert!(!handlers.is_empty());
    }
}

/// Number, time, foreground share and bytes of compilations match the reference's sums.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn compilations_match_reference() {
    for recording in RECORDINGS.into_iter().filter_map(recording) {
        let name = &recording.name;
        let ours = report(&recording, Topic::Jit);
        let mut all = recording.analysis["processes"].as_array().into_iter().flatten().map(|process| &process["jit"]);
        let theirs = all.find(|jit| jit["methods"].as_u64().is_some_and(|methods| methods > 0));
        let Some(theirs) = theirs else {
            assert_eq!(figure(&ours, "methods"), 0.0, "{name}");
            continue;
        };
        let count = figure(&ours, "methods");
        let ended = figure(&ours, "methods") - figure(&ours, "unfinished");
        assert_eq!(theirs["methods"].as_f64(), Some(ended), "{name}: it counts those that have ended");
        for (key, of) in [("foreground", "foreground"), ("background", "backgroundTiered")] {
            assert_eq!(theirs[of].as_f64(), Some(figure(&ours, key)), "{name}: {key}");
        }
        let times = [("totalNs", "totalMs"), ("foregroundNs", "foregroundMs"), ("backgroundNs", "backgroundTieredMs")];
        for (key, of) in times {
            assert!(is_near(figure(&ours, key), &theirs[of], count), "{name}: {key}");
        }
        for key in ["ilBytes", "nativeBytes"] {
            let ours = figure(&ours, if key == "nativeBytes" { "codeBytes" } else { key });
            assert_eq!(theirs[key].as_f64(), Some(ours), "{name}: {key}");
        }
    }
}

/// WaitHandle waits have paired events; the reference has no analysis of them, only the number of events.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn handle_wait_count_matches_events() {
    for name in ["web-net9.nettrace", "web-net10.nettrace"] {
        let Some(recording) = recording(name) else { continue };
        let ours = report(&recording, Topic::Waits);
        let begun = figure(&ours, "count");
        let types = recording.summary["types"].as_array().expect("types");
        let started = types.iter().find(|one| one["traceEventName"] == "WaitHandleWait/Start").expect("the type");
        assert_eq!(started["count"].as_f64(), Some(begun), "{name}");
        let own = column(table(&ours, "sites"), "site").into_iter().any(|site| site.starts_with("Shop.AuditWriter"));
        assert!(own, "{name}: its thread waits for lines");
    }
}

/// Startup is reported for recordings from the start of the process, and not for those that attached later.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn startup_is_reported_only_if_recorded() {
    for (name, is_there) in [
        ("cpu-net10.nettrace", true),
        ("short-net10.nettrace", true),
        ("gc-net10.nettrace", true),
        ("web-net8.nettrace", false),
    ] {
        let Some(recording) = recording(name) else { continue };
        assert_eq!(
            crate::analysis::topics::recorded_topics::is_recorded(Topic::Startup, &recording.store),
            is_there,
            "{name}"
        );
        if is_there {
            let ours = report(&recording, Topic::Startup);
            assert!(figure(&ours, "runtimeNs") < 1e9, "{name}");
            assert!(figure(&ours, "ownCodeNs") > figure(&ours, "runtimeNs"), "{name}: {}", ours.verdict);
        }
    }
}
