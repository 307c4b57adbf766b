//! Tests the reports on the small traces in `tests/fixtures/cases`.

use super::reports::{figure, findings, numbers, recording_findings_of, report, requests, rows, table};
use crate::analysis::filter::select::select;
use crate::analysis::timeline::counters::counters;
use crate::analysis::timeline::lines::Lines;
use crate::analysis::topics::recorded_topics::is_recorded;
use crate::model::testing::case;
use protocol::request::Filter;
use protocol::topics::finding::FindingKind;
use protocol::topics::report::ChartAxis;
use protocol::topics::topic::Topic;

#[test]
fn counter_rate_per_minute_and_values_that_are_not_numbers() {
    let (store, bytes) = case("counters");
    let report = report(Topic::Counters, &store, &bytes, "");
    let instruments = table(&report, "instruments");
    assert_eq!(
        rows(instruments, &["source", "instrument", "unit", "kind", "values", "last", "min", "max"]),
        [
            ["My-Counters", "Orders", "orders/min", "rate", "6", "2100", "1800", "2100"],
            ["My-Counters", "Queue Length", "items", "interval mean", "4", "0", "-3", "2.5"],
            ["Other-Counters", "L\u{e4}nge \u{2603}", "MB", "interval mean", "6", "12", "7", "12"],
        ]
    );
    assert_eq!(report.explanation, "Excluded 2 values that aren't numbers, from Queue Length of My-Counters.");
    let values = table(&report, "values");
    let of_queue = rows(values, &["instrument", "what"]).into_iter().zip(numbers(values, "value"));
    let of_queue: Vec<(String, Option<f64>)> =
        of_queue.filter(|(row, _)| row[0] == "Queue Length").map(|(row, value)| (row[1].clone(), value)).collect();
    let expected = [
        ("value", Some(1.5)),
        ("value (not a number)", None),
        ("value", Some(2.5)),
        ("value (not a number)", None),
        ("value", Some(-3.0)),
        ("value", Some(0.0)),
    ];
    assert_eq!(of_queue, expected.map(|(what, value)| (what.to_owned(), value)));
    let chart = report.charts.iter().find(|chart| chart.title == "Queue Length (items)").expect("a chart");
    let drawn: Vec<Option<f64>> =
        chart.series[0].values.iter().map(|value| Some(*value).filter(|value| value.is_finite())).collect();
    assert_eq!(drawn, [Some(1.5), None, Some(2.5), None, Some(-3.0), Some(0.0)]);
    assert!(matches!(&chart.axis, ChartAxis::Moments(moments) if moments.len() == 6));
}

#[test]
fn counter_timeline_has_gaps_for_non_numbers() {
    let (store, bytes) = case("counters");
    let all = select(&store, &bytes, &Filter::default()).expect("payloads");
    let mut lines = Lines::default();
    counters(&store, &bytes, &all, &mut lines).expect("payloads");
    let of_queue: Vec<f64> =
        lines.points().filter(|(lane, ..)| *lane == "Queue Length").map(|(_, _, value)| value).collect();
    assert_eq!(of_queue, [1.5, 2.5, -3.0, 0.0]);
}

#[test]
fn metrics_with_a_decimal_comma_have_their_values() {
    let (store, bytes) = case("metrics-comma");
    let report = report(Topic::Counters, &store, &bytes, "");
    let values = table(&report, "values");
    let listed = rows(values, &["instrument", "what", "value", "unit"]);
    let first = |instrument: &str| -> Vec<[&str; 3]> {
        let of = listed.iter().filter(|row| row[0] == instrument && row[1] != "measured" && row[1] != "sum");
        of.map(|row| [row[1].as_str(), &row[2], &row[3]]).take(3).collect()
    };
    for histogram in ["order-time", "cart-time"] {
        assert_eq!(first(histogram), [["p50", "10.25", "ms"], ["p95", "20.5", "ms"], ["p99", "30.75", "ms"]]);
    }
    let rate = "per interval";
    assert_eq!(first("orders"), [["value", "3.5", rate], ["value", "4.5", rate], ["value", "5.5", rate]]);
    let unit = "\u{b0}C";
    assert_eq!(first("temp"), [["value", "20.5", unit], ["value", "21.5", unit], ["value", "22.5", unit]]);
    assert_eq!(
        rows(table(&report, "instruments"), &["instrument", "kind", "values", "last", "sum", "p50"]),
        [
            ["cart-time", "histogram", "4", "", "4938", "13.25"],
            ["order-time", "histogram", "4", "", "4938", "13.25"],
            ["orders", "counter", "4", "6.5", "20", ""],
            ["temp", "gauge", "4", "23.5", "", ""],
        ]
    );
    assert_eq!(report.explanation, "");
}

#[test]
fn overlapping_requests_without_activities_are_counted_once() {
    let (store, bytes) = case("hosting-noactivity");
    let whole = report(Topic::Http, &store, &bytes, "");
    assert_eq!(["served", "sent", "open"].map(|key| figure(&whole, key)), [3.0, 0.0, 3.0]);
    assert_eq!(
        requests(&whole, &["method", "path", "durationNs"]),
        [["GET", "/slow", ""], ["GET", "/fast", ""], ["GET", "/next", ""]]
    );
    assert_eq!(rows(table(&whole, "routes"), &["count", "totalNs"]), [["1", ""], ["1", ""], ["1", ""]]);
    assert_eq!(
        whole.explanation,
        "Duration unknown for 3 requests: the events have no activity IDs. \
         Also enable System.Threading.Tasks.TplEventSource:0x80:4."
    );
    let found = findings(Topic::Http, &store, &bytes);
    assert_eq!(found.iter().map(|one| one.kind).collect::<Vec<_>>(), [FindingKind::UnpairedEvents]);
    assert_eq!(found[0].title, "Durations of 3 requests are unknown");
    assert_eq!(found[0].advice, "Also enable System.Threading.Tasks.TplEventSource:0x80:4.");
    let (with, its_bytes) = case("monitor-http5");
    assert_eq!(findings(Topic::Http, &with, &its_bytes), [], "its events have IDs");
    let of_one = report(Topic::Http, &store, &bytes, "payload.path:fast");
    assert_eq!(figure(&of_one, "served"), 1.0);
    assert!(of_one.explanation.starts_with("Duration unknown for 1 request: the events have no activity IDs."));
}

#[test]
fn source_reporting_own_failure_is_a_finding() {
    let (store, bytes) = case("eventsource-error");
    let found = recording_findings_of(&store, &bytes);
    assert_eq!(found.iter().map(|one| one.kind).collect::<Vec<_>>(), [FindingKind::EventSourceError]);
    assert_eq!(found[0].kind.slug(), "event-source-error");
    assert_eq!(found[0].title, "EventSource Contoso-Orders reported 1 error");
    assert_eq!(found[0].sentence, "Error at 0.001 s: “Event OrderShipped (with ID 7) has a non-defaul…”.");
    assert_eq!(
        found[0].details,
        "“ERROR: Exception in Command Processing for EventSource Contoso-Orders: Event OrderShipped (with \
         ID 7) has a non-default opcode but not a task.” Some events of this source may be lost."
    );
    let (store, bytes) = case("counters");
    assert_eq!(recording_findings_of(&store, &bytes), []);
}

#[test]
fn dynamic_events_of_the_gc_are_named_values_without_any_gc() {
    let (store, bytes) = case("datas");
    assert!(is_recorded(Topic::Gc, &store));
    let report = report(Topic::Gc, &store, &bytes, "");
    assert!(report.verdict.starts_with("4 GC dynamic events and no GC in "), "{}", report.verdict);
    let rows = rows(table(&report, "dynamicEvents"), &["event", "version", "field", "value", "unit", "bytes"]);
    let of = |name: &str| -> Vec<[&str; 4]> {
        let of = rows.iter().filter(|row| row[0] == name && row[1] == "256");
        of.map(|row| [row[2].as_str(), &row[3], &row[4], &row[5]]).collect()
    };
    // Bytes 0 to 47: too few for the tuning data of .NET 9, more than enough for the others.
    let all =
        "48 bytes: 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f202122232425262728292a2b2c2d2e2f";
    assert_eq!(of("SizeAdaptationTuning"), [["Data", "", "", all]]);
    assert_eq!(of("NewThing"), [["Data", "", "", all]]);
    let number = |from: u64, bytes: u64| (0..bytes).map(|at| (from + at) << (8 * at)).sum::<u64>();
    let text = |from: u64, bytes: u64| (number(from, bytes) as f64).to_string();
    let numbers = [text(2, 8), text(10, 4), text(14, 4), text(18, 4), text(22, 4), text(26, 8), text(34, 4)];
    assert_eq!(
        of("SizeAdaptationSample"),
        [
            ["GCIndex", &numbers[0], "", ""],
            ["ElapsedTimeBetweenGCs", &numbers[1], "µs", ""],
            ["GCPauseTime", &numbers[2], "µs", ""],
            ["SohMslWaitTime", &numbers[3], "µs", ""],
            ["UohMslWaitTime", &numbers[4], "µs", ""],
            ["TotalSohStableSize", &numbers[5], "B", ""],
            ["Gen0BudgetPerHeap", &numbers[6], "B", ""],
            ["More data", "", "", "10 bytes: 262728292a2b2c2d2e2f"],
        ]
    );
    let committed = of("CommittedUsage");
    let numbers: Vec<String> = (0..5).map(|at| text(2 + at * 8, 8)).collect();
    assert_eq!(committed.iter().take(5).map(|row| row[1]).collect::<Vec<_>>(), numbers);
    assert_eq!(committed[0][0], "TotalCommittedInUse");
    assert_eq!(committed[5], ["More data", "", "", "6 bytes: 2a2b2c2d2e2f"]);
    assert_eq!(rows.len(), 1 + 8 + 6 + 1);
}
