//! Tests log messages against those written by the recorded apps.

use crate::analysis::tests::reference::{recording, recordings_with, truth};
use crate::analysis::topics::tests::reports::{figure, report, rows, table};
use protocol::topics::topic::Topic;

/// The trace contains all errors and warnings that the app logged; the session recorded only some of the less severe
/// messages.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn errors_and_warnings_match_app() {
    for name in ["web-net8.nettrace", "web-net9.nettrace", "web-net10.nettrace"] {
        let Some(recording) = recording(name) else { continue };
        let truth = truth(&recording).expect("the program's own counts");
        let report = report(Topic::Logs, &recording.store, &recording.bytes, "");
        let counted = |key: &str| truth["counted"][key].as_u64().unwrap_or(0);
        let by_reference = |event: &str| {
            let types = recording.summary["types"].as_array().expect("types");
            types.iter().filter(|one| one["metadataName"] == event).filter_map(|one| one["count"].as_u64()).sum::<u64>()
        };
        let figures = ["errors", "warnings", "messages"].map(|key| figure(&report, key) as u64);
        assert_eq!(
            figures,
            [counted("logged.Error"), counted("logged.Warning"), by_reference("FormattedMessage")],
            "{name}"
        );
        let templates = rows(table(&report, "templates"), &["template", "count"]);
        let of = |wanted: &str| {
            let of = templates.iter().filter(|row| row[0] == wanted).map(|row| row[1].parse::<u64>().expect("a count"));
            of.sum::<u64>()
        };
        let checked_out = "Order {OrderId} checked out, {Length} characters of it";
        assert_eq!(of(checked_out), counted("checkoutsStopped.ok"), "{name}");
        assert_eq!(of("Order {OrderId} was declined"), counted("checkoutsStopped.declined"), "{name}");
        let messages = rows(table(&report, "messages"), &["message", "scope", "exception"]);
        let is_checkout = |row: &&Vec<String>| row[0].contains(" checked out, ");
        assert!(messages.iter().filter(is_checkout).all(|row| row[1].contains("→ order ")), "{name}");
        let declined =
            messages.iter().filter(|row| row[2].starts_with("Shop.PaymentDeclinedException: payment for order"));
        assert!(declined.count() as u64 >= counted("checkoutsStopped.declined"), "{name}");
        println!("{name}: {} {}", report.verdict, report.explanation);
    }
}

/// In every recording, there are as many messages as events.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn every_message_counts_once() {
    for name in recordings_with(".summary.json") {
        let Some(recording) = recording(&name) else { continue };
        let is_recorded = crate::analysis::topics::recorded_topics::is_recorded(Topic::Logs, &recording.store);
        let types = recording.summary["types"].as_array().map_or(&[][..], Vec::as_slice);
        let of_loggers = types.iter().any(|one| one["provider"] == "Microsoft-Extensions-Logging");
        assert_eq!(is_recorded, of_loggers, "{name}");
    }
}
