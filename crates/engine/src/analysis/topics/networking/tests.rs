//! Tests with events of the event sources of `System.Net`.

use crate::analysis::topics::recorded_topics::is_recorded;
use crate::analysis::topics::tests::activity_traces::ActivityTrace;
use crate::analysis::topics::tests::activity_traces::FieldValue::{Byte, Double, Int, Long, Text};
use crate::analysis::topics::tests::reports::{
    column, figure, figure_if_any, findings, report, report_within, rows, table,
};
use crate::clr::source_names::{HTTP_CLIENT, NAME_RESOLUTION, SECURITY, SOCKETS};
use protocol::base::time::Span;
use protocol::request::Filter;
use protocol::topics::finding::{Finding, FindingKind, FindingTarget};
use protocol::topics::topic::Topic;

const MS: i64 = 1_000_000;
/// 10.0.0.7:443 as IPv4 and as IPv6 address.
const ADDRESS: &str = "InterNetwork:16:{1,187,10,0,0,7,0,0,0,0,0,0,0,0}";
const MAPPED: &str = "InterNetworkV6:28:{1,187,0,0,0,0,0,0,0,0,0,0,0,0,0,0,255,255,10,0,0,7,0,0,0,0}";
/// 0.0.0.0:5080.
const LISTENER: &str = "InterNetwork:16:{19,216,0,0,0,0,0,0,0,0,0,0,0,0}";

/// Adds a DNS lookup, a connect and a TLS handshake of these durations in milliseconds; returns the end.
fn open(trace: &mut ActivityTrace, at: i64, host: &str, address: &str, took: [i64; 3]) -> i64 {
    let [looked_up, connected, encrypted] = took.map(|took| took * MS);
    trace.event(at, 1, "1/1", (NAME_RESOLUTION, "ResolutionStart"), &[("hostNameOrAddress", Text(host))]);
    let at = at + looked_up;
    trace.event(at, 1, "1/1", (NAME_RESOLUTION, "ResolutionStop"), &[]);
    trace.event(at, 1, "1/2", (SOCKETS, "ConnectStart"), &[("address", Text(address))]);
    let at = at + connected;
    trace.event(at, 2, "1/2", (SOCKETS, "ConnectStop"), &[]);
    let start = [("isServer", Int(0)), ("targetHost", Text(host))];
    trace.event(at, 2, "1/3", (SECURITY, "HandshakeStart"), &start);
    let at = at + encrypted;
    trace.event(at, 1, "1/3", (SECURITY, "HandshakeStop"), &[("protocol", Int(12288))]);
    at
}

/// Adds a connection of `HttpClient` to 10.0.0.7:443.
fn established(trace: &mut ActivityTrace, at: i64, number: i64) {
    let fields = [
        ("versionMajor", Byte(1)),
        ("versionMinor", Byte(1)),
        ("connectionId", Long(number)),
        ("scheme", Text("https")),
        ("host", Text("shop")),
        ("port", Int(443)),
        ("remoteAddress", Text("::ffff:10.0.0.7")),
    ];
    trace.event(at, 1, "1", (HTTP_CLIENT, "ConnectionEstablished"), &fields);
}

fn closed(trace: &mut ActivityTrace, at: i64, number: i64) {
    let fields = [("versionMajor", Byte(1)), ("versionMinor", Byte(1)), ("connectionId", Long(number))];
    trace.event(at, 2, "", (HTTP_CLIENT, "ConnectionClosed"), &fields);
}

/// Returns a trace with two connections to a shop, and a failed lookup of a bank.
fn shopping() -> ActivityTrace {
    let mut trace = ActivityTrace::default();
    let at = open(&mut trace, 10 * MS, "shop", ADDRESS, [2, 3, 5]);
    established(&mut trace, at, 1);
    let waited = [("timeOnQueueMilliseconds", Double(11.5))];
    trace.event(at, 1, "1", (HTTP_CLIENT, "RequestLeftQueue"), &waited);
    let at = open(&mut trace, 100 * MS, "shop", MAPPED, [4, 1, 7]);
    established(&mut trace, at, 2);
    closed(&mut trace, 150 * MS, 1);
    let host = [("hostNameOrAddress", Text("bank"))];
    trace.event(200 * MS, 1, "2", (NAME_RESOLUTION, "ResolutionStart"), &host);
    trace.event(209 * MS, 2, "2", (NAME_RESOLUTION, "ResolutionFailed"), &[]);
    trace.event(210 * MS, 2, "2", (NAME_RESOLUTION, "ResolutionStop"), &[]);
    trace
}

#[test]
fn operations_are_counted_by_host_and_address() {
    let (store, bytes) = shopping().finish();
    let report = report(Topic::Networking, &store, &bytes, "");
    let verdict =
        "3 DNS lookups (16.0 ms), 2 connection attempts (4.00 ms), 2 TLS handshakes (12.0 ms); 1 DNS lookup failed.";
    assert_eq!(report.verdict, verdict);
    assert_eq!(
        report.explanation,
        "TLS handshakes with shop took the most time: 12.0 ms in total, p50 5.00 ms, max 7.00 ms. \
         DNS lookups of bank failed once: failed."
    );
    let lookups = rows(table(&report, "lookups"), &["host", "count", "failed", "p50Ns", "maxNs", "totalNs", "failure"]);
    assert_eq!(
        lookups,
        [
            ["shop", "2", "0", "2000000", "4000000", "6000000", ""],
            ["bank", "1", "1", "10000000", "10000000", "10000000", "failed"],
        ]
    );
    let handshakes = rows(table(&report, "handshakes"), &["host", "side", "protocol", "count", "p95Ns"]);
    assert_eq!(handshakes, [["shop", "outgoing", "TLS 1.3", "2", "7000000"]]);
    let columns =
        ["address", "host", "count", "failed", "totalNs", "opened", "closed", "lifetimeP50Ns", "version", "failure"];
    let connections = rows(table(&report, "connections"), &columns);
    assert_eq!(
        connections,
        [["10.0.0.7:443", "https://shop", "2", "0", "4000000", "2", "1", "130000000", "HTTP/1.1", ""]]
    );
    assert_eq!(
        ["lookups", "lookupsFailed", "connects", "handshakes", "opened", "closed"].map(|key| figure(&report, key)),
        [3.0, 1.0, 2.0, 2.0, 2.0, 1.0]
    );
    assert_eq!(["connectMaxNs", "queuedNs"].map(|key| figure(&report, key)), [3e6, 11.5e6]);
    let titles: Vec<&str> = report.charts.iter().map(|chart| chart.title.as_str()).collect();
    assert_eq!(titles, ["Duration", "Rate", "Open HTTP connections"]);
}

#[test]
fn all_operations_are_listed_by_start() {
    let (store, bytes) = shopping().finish();
    let report = report(Topic::Networking, &store, &bytes, "");
    let operations =
        rows(table(&report, "operations"), &["timeNs", "kind", "target", "durationNs", "protocol", "failure"]);
    assert_eq!(operations.len(), 7);
    assert_eq!(operations[0], ["10000000", "DNS lookup", "shop", "2000000", "", ""]);
    assert_eq!(operations[1], ["12000000", "Connect", "10.0.0.7:443", "3000000", "", ""]);
    assert_eq!(operations[2], ["15000000", "TLS handshake", "shop", "5000000", "TLS 1.3", ""]);
    assert_eq!(operations[6], ["200000000", "DNS lookup", "bank", "10000000", "", "failed"]);
}

#[test]
fn row_condition_selects_operations_of_row() {
    let (store, bytes) = shopping().finish();
    let all = report(Topic::Networking, &store, &bytes, "");
    for (key, expected) in [("lookups", vec![2.0, 1.0]), ("handshakes", vec![2.0])] {
        let page = table(&all, key).rows(&table(&all, key).order(None, false));
        for (condition, expected) in page.condition.iter().zip(expected) {
            assert_eq!(figure(&report(Topic::Networking, &store, &bytes, condition), key), expected, "{condition}");
        }
    }
    let page = table(&all, "connections").rows(&[0]);
    let of_address = report(Topic::Networking, &store, &bytes, page.condition.get(0));
    assert_eq!(["connects", "opened", "lookups"].map(|key| figure(&of_address, key)), [2.0, 2.0, 0.0]);
}

#[test]
fn failure_is_assigned_to_next_stop_on_thread() {
    let mut trace = ActivityTrace::default();
    for (at, activity) in [(10, "1"), (11, "2")] {
        trace.event(at * MS, 1, activity, (SOCKETS, "ConnectStart"), &[("address", Text(ADDRESS))]);
    }
    let refused = [("error", Int(10061)), ("exceptionMessage", Text(""))];
    trace.event(20 * MS, 1, "1", (SOCKETS, "ConnectFailed"), &refused);
    trace.event(20 * MS, 2, "2", (SOCKETS, "ConnectStop"), &[]);
    trace.event(21 * MS, 1, "1", (SOCKETS, "ConnectStop"), &[]);
    let server = [("isServer", Int(1)), ("targetHost", Text(""))];
    trace.event(30 * MS, 1, "3", (SECURITY, "HandshakeStart"), &server);
    let failed =
        [("isServer", Int(1)), ("elapsedMilliseconds", Double(4.0)), ("exceptionMessage", Text("Bad certificate"))];
    trace.event(34 * MS, 1, "3", (SECURITY, "HandshakeFailed"), &failed);
    trace.event(34 * MS, 1, "3", (SECURITY, "HandshakeStop"), &[("protocol", Int(0))]);
    let (store, bytes) = trace.finish();
    let report = report(Topic::Networking, &store, &bytes, "");
    let operations = rows(table(&report, "operations"), &["kind", "durationNs", "failure"]);
    assert_eq!(
        operations,
        [
            ["Connect", "11000000", "ConnectionRefused"],
            ["Connect", "9000000", ""],
            ["TLS handshake (server)", "4000000", "Bad certificate"],
        ]
    );
    let handshakes = rows(table(&report, "handshakes"), &["host", "side", "protocol", "failed", "failure"]);
    assert_eq!(handshakes, [["", "incoming", "", "1", "Bad certificate"]]);
    assert_eq!(rows(table(&report, "connections"), &["failed", "failure"]), [["1", "ConnectionRefused"]]);
}

#[test]
fn accepted_connections_are_counted_at_their_end() {
    let mut trace = ActivityTrace::default();
    // The first wait began before the trace, and the last one fails.
    trace.event(10 * MS, 1, "", (SOCKETS, "AcceptStop"), &[]);
    for at in [11, 500] {
        trace.event(at * MS, 1, "1", (SOCKETS, "AcceptStart"), &[("address", Text(LISTENER))]);
        if at == 500 {
            let aborted = [("error", Int(995)), ("exceptionMessage", Text(""))];
            trace.event((at + 400) * MS, 2, "1", (SOCKETS, "AcceptFailed"), &aborted);
        }
        trace.event((at + 400) * MS, 2, "1", (SOCKETS, "AcceptStop"), &[]);
    }
    trace.event(950 * MS, 1, "2", (SOCKETS, "AcceptStart"), &[("address", Text(LISTENER))]);
    let (store, bytes) = trace.finish();
    let whole = report(Topic::Networking, &store, &bytes, "");
    assert_eq!(whole.verdict, "2 accepted connections.");
    assert_eq!(["accepted", "acceptsFailed", "connects"].map(|key| figure(&whole, key)), [2.0, 1.0, 0.0]);
    let listeners = rows(table(&whole, "listeners"), &["address", "count", "failed", "failure"]);
    assert_eq!(listeners, [["0.0.0.0:5080", "1", "1", "OperationAborted"], ["(unknown)", "1", "0", ""]]);
    let early = Filter { span: Some(Span::new(0, 100 * MS)), ..Filter::default() };
    let early = report_within(Topic::Networking, &store, &bytes, &early);
    assert_eq!(figure(&early, "accepted"), 1.0, "the second one is accepted later");
    assert_eq!(figure_if_any(&early, "acceptsFailed"), None);
}

#[test]
fn operations_cut_by_range_are_counted() {
    let (store, bytes) = shopping().finish();
    let range = Filter { span: Some(Span::new(11 * MS, 16 * MS)), ..Filter::default() };
    let report = report_within(Topic::Networking, &store, &bytes, &range);
    assert_eq!(["lookups", "connects", "handshakes", "opened"].map(|key| figure(&report, key)), [1.0, 1.0, 1.0, 0.0]);
    let lookups = report.figures.iter().find(|figure| figure.key == "lookups").expect("a figure");
    assert_eq!(lookups.note, "2.00 ms in total, 1 cut by the range");
}

#[test]
fn connections_before_net8_have_no_address() {
    let mut trace = ActivityTrace::default();
    for at in [10, 20] {
        let version = [("versionMajor", Byte(2)), ("versionMinor", Byte(0))];
        trace.event(at * MS, 1, "1", (HTTP_CLIENT, "ConnectionEstablished"), &version);
        trace.event((at + 100) * MS, 1, "", (HTTP_CLIENT, "ConnectionClosed"), &version);
    }
    let (store, bytes) = trace.finish();
    let report = report(Topic::Networking, &store, &bytes, "");
    assert_eq!(report.verdict, "2 HTTP connections.");
    let connections = rows(table(&report, "connections"), &["address", "host", "count", "opened", "closed", "version"]);
    assert_eq!(connections, [["", "", "0", "2", "", "HTTP/2"]]);
    assert_eq!(figure(&report, "closed"), 2.0);
}

#[test]
fn overlapping_operations_without_activities_have_no_duration() {
    let mut trace = ActivityTrace::default();
    for at in [10, 11] {
        trace.event(at * MS, 1, "", (SOCKETS, "ConnectStart"), &[("address", Text(ADDRESS))]);
    }
    for at in [20, 21] {
        trace.event(at * MS, 2, "", (SOCKETS, "ConnectStop"), &[]);
    }
    let (store, bytes) = trace.finish();
    let report = report(Topic::Networking, &store, &bytes, "");
    assert_eq!(column(table(&report, "operations"), "durationNs"), ["", ""]);
    assert_eq!(
        report.explanation,
        "Duration unknown for 2 operations: the events have no activity IDs. \
         Also enable System.Threading.Tasks.TplEventSource:0x80:4."
    );
}

#[test]
fn counters_alone_are_not_network_events() {
    let mut trace = ActivityTrace::default();
    trace.event(10 * MS, 1, "", (SOCKETS, "EventCounters"), &[]);
    trace.event(11 * MS, 1, "", (HTTP_CLIENT, "RequestStart"), &[]);
    assert!(!is_recorded(Topic::Networking, &trace.finish().0));
    trace.event(12 * MS, 1, "", (SOCKETS, "ConnectStop"), &[]);
    assert!(is_recorded(Topic::Networking, &trace.finish().0));
}

fn found(trace: &ActivityTrace) -> Vec<Finding> {
    let (store, bytes) = trace.finish();
    findings(Topic::Networking, &store, &bytes)
}

#[test]
fn slow_lookups_are_reported() {
    let looking_up = |took: i64| {
        let mut trace = ActivityTrace::default();
        for number in 0..6 {
            let at = number * 1000 * MS;
            trace.event(at, 1, "1", (NAME_RESOLUTION, "ResolutionStart"), &[("hostNameOrAddress", Text("shop"))]);
            trace.event(at + took, 1, "1", (NAME_RESOLUTION, "ResolutionStop"), &[]);
        }
        trace
    };
    let slow = found(&looking_up(150 * MS));
    assert_eq!(slow.iter().map(|one| one.kind).collect::<Vec<_>>(), [FindingKind::SlowConnecting]);
    assert_eq!(slow[0].title, "6 DNS lookups took 900 ms in total");
    assert_eq!(slow[0].sentence, "The median is 150 ms; the longest took 150 ms.");
    assert_eq!(found(&looking_up(50 * MS)), []);
}

/// Returns a trace with this number of connects. The first of each `apart` connects is refused.
fn connecting(number: i64, apart: i64) -> ActivityTrace {
    let mut trace = ActivityTrace::default();
    for at in 0..number {
        let (start, end) = (at * 10 * MS, at * 10 * MS + 2 * MS);
        trace.event(start, 1, "1", (SOCKETS, "ConnectStart"), &[("address", Text(ADDRESS))]);
        if at % apart == 0 {
            let refused = [("error", Int(10061)), ("exceptionMessage", Text(""))];
            trace.event(end, 1, "1", (SOCKETS, "ConnectFailed"), &refused);
        }
        trace.event(end, 1, "1", (SOCKETS, "ConnectStop"), &[]);
    }
    trace
}

#[test]
fn failed_connects_are_reported() {
    let failing = found(&connecting(12, 4));
    assert_eq!(failing.iter().map(|one| one.kind).collect::<Vec<_>>(), [FindingKind::FailedConnections]);
    assert_eq!(failing[0].title, "3 connection attempts failed");
    assert_eq!(failing[0].sentence, "All are connection attempts to 10.0.0.7:443: ConnectionRefused.");
    assert!(failing[0].details.starts_with("25% of connection attempts failed."), "{}", failing[0].details);
    let rows = failing[0].links.iter().find(|link| link.words == "View connection attempts").map(|link| &link.to);
    let Some(FindingTarget::Rows { table, of, .. }) = rows else { panic!("{rows:?}") };
    assert_eq!(table, "operations");
    let (store, bytes) = connecting(12, 4).finish();
    let narrowed = report(Topic::Networking, &store, &bytes, &of.condition);
    assert_eq!(["connects", "connectsFailed"].map(|key| figure(&narrowed, key)), [12.0, 3.0]);
    assert_eq!(found(&connecting(8, 4)), [], "two failures are few");
    assert_eq!(found(&connecting(400, 134)), [], "less than 1%");
}

#[test]
fn failed_handshakes_are_reported() {
    let mut trace = ActivityTrace::default();
    for at in 0..3 {
        let start = [("isServer", Int(0)), ("targetHost", Text("shop"))];
        trace.event(at * 10 * MS, 1, "1", (SECURITY, "HandshakeStart"), &start);
        let failed = [("isServer", Int(0)), ("exceptionMessage", Text("The certificate has expired"))];
        trace.event(at * 10 * MS + MS, 1, "1", (SECURITY, "HandshakeFailed"), &failed);
        trace.event(at * 10 * MS + MS, 1, "1", (SECURITY, "HandshakeStop"), &[("protocol", Int(0))]);
    }
    let failing = found(&trace);
    assert_eq!(failing.iter().map(|one| one.kind).collect::<Vec<_>>(), [FindingKind::FailedConnections]);
    assert_eq!(failing[0].sentence, "All are TLS handshakes with shop: The certificate has expired.");
    assert!(failing[0].details.starts_with("100% of TLS handshakes failed."), "{}", failing[0].details);
    assert!(failing[0].advice.starts_with("Check the name, date and chain of the certificate"));
    assert_eq!(found(&shopping()), [], "one failure");
}
