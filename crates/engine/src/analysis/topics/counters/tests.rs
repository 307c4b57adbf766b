//! Tests the report on counters and meters with hand-written events.

use crate::analysis::topics::tests::activity_traces::ActivityTrace;
use crate::analysis::topics::tests::activity_traces::FieldValue::{Double, Int, Text};
use crate::analysis::topics::tests::reports::{figure, report, rows, table};
use protocol::topics::report::ChartAxis;
use protocol::topics::topic::Topic;

const METRICS: &str = "System.Diagnostics.Metrics";

fn gauge(trace: &mut ActivityTrace, at: i64, tags: &str, value: &str) {
    let fields = [
        ("meterName", Text("Shop")),
        ("instrumentName", Text("shop.load")),
        ("unit", Text("")),
        ("tags", Text(tags)),
        ("lastValue", Text(value)),
    ];
    trace.event(at, 1, "", (METRICS, "GaugeValuePublished"), &fields);
}

fn histogram(trace: &mut ActivityTrace, at: i64, quantiles: &str, count: i32, sum: f64) {
    let fields = [
        ("meterName", Text("Shop")),
        ("instrumentName", Text("shop.query")),
        ("unit", Text("s")),
        ("tags", Text("")),
        ("quantiles", Text(quantiles)),
        ("count", Int(count)),
        ("sum", Double(sum)),
    ];
    trace.event(at, 1, "", (METRICS, "HistogramValuePublished"), &fields);
}

fn counter(trace: &mut ActivityTrace, at: i64, rate: &str) {
    let fields = [
        ("meterName", Text("Shop")),
        ("instrumentName", Text("shop.orders")),
        ("unit", Text("{order}")),
        ("tags", Text("")),
        ("rate", Text(rate)),
    ];
    trace.event(at, 1, "", (METRICS, "CounterRateValuePublished"), &fields);
}

#[test]
fn instrument_with_tags_has_own_row() {
    let mut trace = ActivityTrace::default();
    gauge(&mut trace, 10, "queue=a", "-4");
    gauge(&mut trace, 11, "queue=b", "7");
    histogram(&mut trace, 12, "0.5=0.1;0.95=0.4;0.99=0.5", 3, 0.9);
    counter(&mut trace, 13, "5");
    gauge(&mut trace, 20, "queue=a", "2");
    gauge(&mut trace, 21, "queue=b", "7");
    histogram(&mut trace, 22, "0.5=0.2;0.95=0.3;0.99=0.9", 1, 0.3);
    counter(&mut trace, 23, "7.5");
    let (store, bytes) = trace.finish();
    let whole = report(Topic::Counters, &store, &bytes, "");
    assert_eq!(["instruments", "series", "values"].map(|key| figure(&whole, key)), [3.0, 4.0, 8.0]);
    assert!(whole.verdict.starts_with("3 instruments from 1 source, 8 readings in "), "{}", whole.verdict);
    let columns =
        ["instrument", "tags", "kind", "values", "last", "min", "mean", "max", "sum", "measured", "p50", "p99"];
    assert_eq!(
        rows(table(&whole, "instruments"), &columns),
        [
            ["shop.load", "queue=a", "gauge", "2", "2", "-4", "-1", "2", "", "", "", ""],
            ["shop.load", "queue=b", "gauge", "2", "7", "7", "7", "7", "", "", "", ""],
            ["shop.orders", "", "counter", "2", "7.5", "5", "6.25", "7.5", "12.5", "", "", ""],
            ["shop.query", "", "histogram", "2", "", "", "0.3", "", "1.2", "4", "0.2", "0.9"],
        ]
        .map(|row| row.map(str::to_owned).to_vec())
    );
    let titles: Vec<&str> = whole.charts.iter().map(|chart| chart.title.as_str()).collect();
    assert_eq!(titles, ["shop.load", "shop.query (s)", "shop.orders (order per interval)"]);
    let lines: Vec<(&str, &[f64])> =
        whole.charts[1].series.iter().map(|line| (line.name.as_str(), line.values.as_slice())).collect();
    assert_eq!(lines, [("p95", &[0.4, 0.3][..])]);
    assert_eq!(whole.charts[1].axis, ChartAxis::Moments(vec![12, 22]));
    let condition = table(&whole, "instruments").rows(&[2]).condition.get(0).to_owned();
    let same = report(Topic::Counters, &store, &bytes, &condition);
    assert_eq!(figure(&same, "series"), 1.0, "{condition}");
}

#[test]
fn counters_are_read_in_any_culture() {
    let mut trace = ActivityTrace::default();
    gauge(&mut trace, 10, "", "\u{2212}4,5");
    counter(&mut trace, 11, "2\u{66b}5");
    let fields = [
        ("meterName", Text("Shop")),
        ("instrumentName", Text("shop.active")),
        ("unit", Text("")),
        ("tags", Text("")),
        ("rate", Text("-1,5")),
        ("value", Text("7,25")),
    ];
    trace.event(12, 1, "", (METRICS, "UpDownCounterRateValuePublished"), &fields);
    let (store, bytes) = trace.finish();
    let report = report(Topic::Counters, &store, &bytes, "");
    assert_eq!(
        rows(table(&report, "instruments"), &["instrument", "kind", "last"]),
        [["shop.active", "gauge", "7.25"], ["shop.load", "gauge", "-4.5"], ["shop.orders", "counter", "2.5"]]
    );
}

#[test]
fn instrument_without_number_has_no_values() {
    let mut trace = ActivityTrace::default();
    gauge(&mut trace, 10, "", "NaN");
    gauge(&mut trace, 20, "", "\u{221e}");
    // Nothing was measured in this interval.
    gauge(&mut trace, 30, "", "");
    histogram(&mut trace, 40, "0.5=NaN", 3, f64::NAN);
    let (store, bytes) = trace.finish();
    let report = report(Topic::Counters, &store, &bytes, "");
    assert_eq!(
        rows(table(&report, "instruments"), &["instrument", "values", "last", "min", "mean", "max", "p50"]),
        [["shop.load", "0", "", "", "", "", ""], ["shop.query", "0", "", "", "", "", ""]]
    );
    let words = "Excluded 4 values that aren't numbers, from shop.load of Shop and 1 other series.";
    assert_eq!(report.explanation, words);
}
