//! Tests requests against counts by the recorded apps.

use crate::analysis::tests::reference::{recording, truth};
use crate::analysis::topics::tests::reports::{figure, findings, report, requests, rows, table};
use protocol::topics::finding::FindingKind;
use protocol::topics::topic::Topic;
use std::collections::BTreeMap;

/// Number of requests by first path segment or by status.
type Counts = BTreeMap<String, u64>;

fn counts(truth: &serde_json::Value, start: &str) -> Counts {
    let all = truth["counted"].as_object().expect("counts").iter();
    let of = all.filter_map(|(key, count)| Some((key.strip_prefix(start)?.to_owned(), count.as_u64()?)));
    of.filter(|(key, _)| !key.contains('.')).collect()
}

fn tally(keys: impl Iterator<Item = String>) -> Counts {
    let mut counts = Counts::new();
    keys.for_each(|key| *counts.entry(key).or_default() += 1);
    counts
}

/// The app sends requests to itself, and counted outgoing and incoming ones with their status.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn requests_match_app() {
    for name in ["web-net8.nettrace", "web-net9.nettrace", "web-net10.nettrace"] {
        let Some(recording) = recording(name) else { continue };
        let truth = truth(&recording).expect("the program's own counts");
        let report = report(Topic::Http, &recording.store, &recording.bytes, "");
        let counted = |key: &str| truth["counted"][key].as_u64().unwrap_or(0) as f64;
        // One more was refused immediately.
        let (served, sent) = (counted("served"), counted("requested") + 1.0);
        assert_eq!((figure(&report, "served"), figure(&report, "sent")), (served, sent), "{name}");
        assert_eq!(
            figure(&report, "sentFailed"),
            counted("cancelled") + counted("failed.ConnectionError") + counted("answered.500"),
            "{name}"
        );
        assert_eq!(figure(&report, "failed"), counted("served.status.500"), "{name}");

        let requests = requests(&report, &["side", "path", "status", "durationNs", "askedBy", "method"]);
        let of = |side: &'static str| requests.iter().filter(move |row| row[0] == side);
        let place = |row: &Vec<String>| row[1].split(['/', '?']).nth(1).unwrap_or_default().to_owned();
        let mut places = counts(&truth, "served.");
        assert_eq!(tally(of("incoming").map(place)), places, "{name}");
        assert_eq!(tally(of("incoming").map(|row| row[2].clone())), counts(&truth, "served.status."), "{name}");
        let answered = of("outgoing").map(|row| row[2].clone()).filter(|status| !status.is_empty());
        assert_eq!(tally(answered), counts(&truth, "answered."), "{name}");
        // Outgoing requests equal incoming ones, except for the one that was refused.
        *places.entry(String::new()).or_default() += 1;
        assert_eq!(tally(of("outgoing").map(place)), places, "{name}");
        assert!(of("incoming").all(|row| !row[3].is_empty() && !row[4].is_empty() && !row[5].is_empty()), "{name}");

        let activity = |of: &str| truth["counted"][format!("activity.Experimental.System.Net.{of}")].as_u64();
        for (kind, key) in [
            ("lookups", "NameResolution.Experimental.System.Net.NameResolution.DnsLookup"),
            ("connects", "Sockets.Experimental.System.Net.Sockets.Connect"),
            ("handshakes", "Security.Experimental.System.Net.Security.TlsHandshake"),
        ] {
            // The oldest runtime has no activities for these.
            if let Some(number) = activity(key) {
                assert_eq!(figure(&report, kind), number as f64, "{name} {kind}");
            }
        }
        let steps = rows(table(&report, "steps"), &["kind", "name", "failure"]);
        let refused: Vec<_> = steps.iter().filter(|row| !row[2].is_empty()).collect();
        assert_eq!(refused.len(), 1, "{name}: {refused:?}");
        let by_client = steps.iter().filter(|row| row[0] == "TLS handshake" && row[1] == "localhost").count();
        assert_eq!(by_client as f64, counted("tlsHandshakesSeenByClient"), "{name}");
        println!("{name}: {} {}", report.verdict, report.explanation);
    }
}

/// Incoming requests within an outgoing one are linked to it; a checkout sends three others.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn nested_requests_are_linked() {
    for name in ["web-net8.nettrace", "web-net9.nettrace", "web-net10.nettrace"] {
        let Some(recording) = recording(name) else { continue };
        let truth = truth(&recording).expect("the program's own counts");
        let report = report(Topic::Http, &recording.store, &recording.bytes, "");
        let requests = requests(&report, &["side", "path", "askedBy"]);
        let is_checkout = |number: &str| {
            let asking = number.parse::<usize>().ok().and_then(|number| requests.get(number - 1));
            asking.is_some_and(|row| row[0] == "incoming" && row[1].starts_with("/checkout/"))
        };
        let within = requests.iter().filter(|row| row[0] == "outgoing" && is_checkout(&row[2])).count() as u64;
        let checkouts = truth["counted"]["checkoutsStarted"].as_u64().expect("a count");
        assert_eq!(within, 3 * checkouts, "{name}");
        let parts = rows(table(&report, "parts"), &["kind", "name"]);
        let named = |kind: &str, name: &str| parts.iter().filter(|row| row[0] == kind && row[1] == name).count() as u64;
        assert_eq!(named("Request", ""), 0, "{name}");
        let checkout_spans = parts.iter().filter(|row| row[0] == "Span" && row[1] == "Checkout").count() as u64;
        assert_eq!(checkout_spans, checkouts, "{name}");
    }
}

/// Other recordings have no requests, or only counters of them.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn recordings_without_requests_have_none() {
    for name in ["orders-net31.nettrace", "cpu-net10.nettrace", "gc-net10.nettrace"] {
        let Some(recording) = recording(name) else { continue };
        assert!(!crate::analysis::topics::recorded_topics::is_recorded(Topic::Http, &recording.store), "{name}");
    }
}

/// The thread pool was starved on purpose, so requests that block its threads are slow.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn provoked_slow_and_failed_requests_are_found() {
    // Seconds that requests waited until the server started, if it was 100 ms or longer, summed from their events.
    let all = [("web-net8.nettrace", 61.1), ("web-net9.nettrace", 123.8), ("web-net10.nettrace", 82.8)];
    for (name, before_server) in all {
        let Some(recording) = recording(name) else { continue };
        let truth = truth(&recording).expect("the program's own counts");
        let found = findings(Topic::Http, &recording.store, &recording.bytes);
        found.iter().for_each(|one| println!("{name}: {}. {}", one.title, one.sentence));
        let slow = found.iter().find(|one| one.kind == FindingKind::SlowRequests).expect("slow requests");
        assert!(slow.sentence.contains(" are GET /legacy; "), "{name}: {}", slow.sentence);
        assert!(
            slow.title.ends_with(" took 500 ms or longer to process") || slow.cost.nanos().is_some(),
            "{}",
            slow.title
        );
        if name == "web-net10.nettrace" {
            let of_callers = "with it, callers waited 500 ms or longer for 67 requests.";
            assert!(slow.details.ends_with(of_callers), "{}", slow.details);
        }
        let delayed = found.iter().find(|one| one.kind == FindingKind::DelayedRequests).expect("delayed requests");
        assert_eq!((delayed.cost.value / 1e8).round() / 10.0, before_server, "{name}");
        let errors = truth["counted"]["served.status.500"].as_f64().expect("a count");
        let failed = found.iter().find(|one| one.kind == FindingKind::FailedRequests).map(|one| one.cost.value);
        assert_eq!(failed, Some(errors).filter(|errors| *errors > 1.0), "{name}");
        let provoked = [FindingKind::SlowRequests, FindingKind::DelayedRequests, FindingKind::FailedRequests];
        assert!(found.iter().all(|one| provoked.contains(&one.kind)), "{name}");
    }
}
