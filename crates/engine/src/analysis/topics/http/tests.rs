//! Tests the report on requests with events of several providers.

use crate::analysis::filter::query::EventDurations;
use crate::analysis::intervals::gc::gcs_of;
use crate::analysis::intervals::spans::search::SpanSearch;
use crate::analysis::intervals::tracks::TrackIndex;
use crate::analysis::scan::payload_batches::Step;
use crate::analysis::topics::recorded_topics::is_recorded;
use crate::analysis::topics::tests::activity_traces::ActivityTrace;
use crate::analysis::topics::tests::activity_traces::FieldValue::{Byte, Double, Int, Long, Pairs, Text};
use crate::analysis::topics::tests::reports::{column, figure, findings, report, report_within, requests, rows, table};
use crate::clr::source_names::{
    DIAGNOSTIC_SOURCE, HOSTING, HTTP_CLIENT, KESTREL, LOGGERS, NAME_RESOLUTION, SECURITY, SOCKETS,
};
use crate::model::Store;
use crate::model::testing::read;
use protocol::base::time::Span;
use protocol::request::Filter;
use protocol::timeline::track::TrackKind;
use protocol::topics::finding::{Finding, FindingKind};
use protocol::topics::topic::Topic;

const MS: i64 = 1_000_000;

/// Adds an incoming request that Hosting and Kestrel report, from `at` for ten milliseconds.
fn answer(trace: &mut ActivityTrace, at: i64, path: &str, activity: &str, status: &str) {
    let inner = format!("{activity}/1");
    let id = format!("C1:{at}");
    let request =
        [("connectionId", Text("C1")), ("requestId", Text(&id)), ("path", Text(path)), ("method", Text("GET"))];
    let hosting = [("method", Text("GET")), ("path", Text(path))];
    trace.event(at, 1, activity, (HOSTING, "RequestStart"), &hosting);
    trace.event(at + MS, 1, &inner, (KESTREL, "RequestStart"), &request);
    trace.event(at + 11 * MS, 2, &inner, (KESTREL, "RequestStop"), &request);
    let ended = [
        ("SourceName", Text("Microsoft.AspNetCore")),
        ("EventName", Text("Microsoft.AspNetCore.Hosting.HttpRequestIn.Stop")),
        ("Arguments", Pairs(&[("StatusCode", status), ("ActivityDuration", "17481")])),
    ];
    trace.event(at + 12 * MS, 2, activity, (DIAGNOSTIC_SOURCE, "Activity1Stop"), &ended);
    trace.event(at + 12 * MS, 2, activity, (HOSTING, "RequestStop"), &[]);
}

#[test]
fn request_of_two_providers_is_merged() {
    let mut trace = ActivityTrace::default();
    answer(&mut trace, 10 * MS, "/orders/17", "1", "200");
    answer(&mut trace, 30 * MS, "/orders/18", "2", "500");
    answer(&mut trace, 50 * MS, "/nothing", "3", "404");
    let (store, bytes) = trace.finish();
    let report = report(Topic::Http, &store, &bytes, "");
    assert_eq!(["served", "sent", "failed", "clientErrors"].map(|key| figure(&report, key)), [3.0, 0.0, 1.0, 1.0]);
    assert_eq!(report.verdict, "3 incoming requests, 1 failed (33%). p50 10.0 ms, p99 10.0 ms.");
    assert_eq!(
        requests(&report, &["number", "side", "method", "path", "status", "durationNs"]),
        [
            ["1", "incoming", "GET", "/orders/17", "200", "10000000"],
            ["2", "incoming", "GET", "/orders/18", "500", "10000000"],
            ["3", "incoming", "GET", "/nothing", "404", "10000000"],
        ]
    );
    let routes = rows(table(&report, "routes"), &["method", "route", "count", "totalNs", "failed", "clientErrors"]);
    let expected = [["GET", "/orders/{n}", "2", "20000000", "1", "0"], ["GET", "/nothing", "1", "10000000", "0", "1"]];
    assert_eq!(routes, expected);
}

#[test]
fn filter_selects_requests_by_start_event() {
    let mut trace = ActivityTrace::default();
    answer(&mut trace, 10 * MS, "/orders/17", "1", "200");
    answer(&mut trace, 30 * MS, "/fast", "2", "200");
    let (store, bytes) = trace.finish();
    let all = report(Topic::Http, &store, &bytes, "");
    let page = table(&all, "routes").rows(&[0, 1]);
    for (condition, route) in page.condition.iter().zip(["/orders/{n}", "/fast"]) {
        let report = report(Topic::Http, &store, &bytes, condition);
        assert_eq!(requests(&report, &["route"]), [[route]], "{condition}");
    }
}

#[test]
fn route_excludes_siblings_but_template_has_any_parameter() {
    let mut trace = ActivityTrace::default();
    answer(&mut trace, 10 * MS, "/orders/17", "1", "200");
    answer(&mut trace, 30 * MS, "/orders/export", "2", "200");
    answer(&mut trace, 50 * MS, "/oauth2/token", "3", "200");
    let (store, bytes) = trace.finish();
    for (condition, expected) in [
        ("route=\"GET /orders/{n}\"", &["/orders/{n}"][..]),
        ("route=/orders/export", &["/orders/export"]),
        ("route=\"GET /orders/{id:int}\"", &["/orders/{n}", "/orders/export"]),
        ("route:/oauth2", &["/oauth{n}/token"]),
        ("route=/orders/18", &["/orders/{n}"]),
        ("-route:/orders", &["/oauth{n}/token"]),
    ] {
        let report = report(Topic::Http, &store, &bytes, condition);
        assert_eq!(requests(&report, &["route"]).concat(), expected, "{condition}");
    }
}

/// Returns an incoming request that sends another one over a new connection.
fn nested() -> ActivityTrace {
    let mut trace = ActivityTrace::default();
    let request = [
        ("connectionId", Text("C1")),
        ("requestId", Text("C1:1")),
        ("path", Text("/checkout")),
        ("method", Text("POST")),
    ];
    trace.event(10 * MS, 1, "1", (KESTREL, "RequestStart"), &request);
    let message = [
        ("Level", Int(3)),
        ("LoggerName", Text("Shop")),
        ("EventName", Text("")),
        ("FormattedMessage", Text("Order 7 is slow")),
    ];
    trace.event(11 * MS, 1, "1", (LOGGERS, "FormattedMessage"), &message);
    let target = [
        ("scheme", Text("https")),
        ("host", Text("stock")),
        ("port", Int(5081)),
        ("pathAndQuery", Text("/items/4?x=1")),
        ("versionMajor", Byte(1)),
    ];
    trace.event(20 * MS, 1, "1/1", (HTTP_CLIENT, "RequestStart"), &target);
    trace.event(21 * MS, 1, "1/1/1", (NAME_RESOLUTION, "ResolutionStart"), &[("hostNameOrAddress", Text("stock"))]);
    trace.event(23 * MS, 1, "1/1/1", (NAME_RESOLUTION, "ResolutionStop"), &[]);
    let address = [("address", Text("InterNetwork:16:{19,217,10,0,0,7,0,0,0,0,0,0,0,0}"))];
    trace.event(23 * MS, 1, "1/1/2", (SOCKETS, "ConnectStart"), &address);
    trace.event(26 * MS, 1, "1/1/2", (SOCKETS, "ConnectStop"), &[]);
    trace.event(
        26 * MS,
        1,
        "1/1/3",
        (SECURITY, "HandshakeStart"),
        &[("isServer", Int(0)), ("targetHost", Text("stock"))],
    );
    trace.event(31 * MS, 1, "1/1/3", (SECURITY, "HandshakeStop"), &[("protocol", Int(1))]);
    let connection = [
        ("versionMajor", Byte(1)),
        ("versionMinor", Byte(1)),
        ("connectionId", Long(8)),
        ("scheme", Text("https")),
        ("host", Text("stock")),
        ("port", Int(5081)),
    ];
    trace.event(31 * MS, 1, "1/1", (HTTP_CLIENT, "ConnectionEstablished"), &connection);
    trace.event(32 * MS, 1, "1/1", (HTTP_CLIENT, "RequestLeftQueue"), &[("timeOnQueueMilliseconds", Double(11.5))]);
    trace.event(32 * MS, 1, "1/1/4", (HTTP_CLIENT, "RequestHeadersStart"), &[("connectionId", Long(8))]);
    trace.event(33 * MS, 1, "1/1/4", (HTTP_CLIENT, "RequestHeadersStop"), &[]);
    trace.event(34 * MS, 1, "1/1/5", (HTTP_CLIENT, "ResponseHeadersStart"), &[]);
    trace.event(60 * MS, 2, "1/1/5", (HTTP_CLIENT, "ResponseHeadersStop"), &[("statusCode", Int(200))]);
    trace.event(62 * MS, 2, "1/1", (HTTP_CLIENT, "RequestStop"), &[("statusCode", Int(200))]);
    trace.event(70 * MS, 2, "1", (KESTREL, "RequestStop"), &request);
    trace.event(80 * MS, 2, "", (HTTP_CLIENT, "ConnectionClosed"), &connection[..3]);
    trace
}

#[test]
fn request_has_phases_messages_and_outgoing_requests() {
    let (store, bytes) = nested().finish();
    let report = report(Topic::Http, &store, &bytes, "");
    let columns = ["number", "side", "host", "status", "durationNs", "queuedNs", "askedBy"];
    assert_eq!(
        requests(&report, &columns),
        [
            ["1", "incoming", "", "", "60000000", "", ""],
            ["2", "outgoing", "https://stock:5081", "200", "42000000", "11500000", "1"],
        ]
    );
    let parts = rows(table(&report, "parts"), &["request", "kind", "name", "offsetNs", "durationNs"]);
    let of_first = [
        ["1", "Log", "Order 7 is slow", "1000000", "0"],
        ["1", "Request", "https://stock:5081/items/4?x=1", "10000000", "42000000"],
    ];
    let parts: Vec<Vec<&str>> = parts.iter().map(|row| row.iter().map(String::as_str).collect()).collect();
    assert_eq!(parts[0], of_first[0]);
    assert_eq!([parts[1][0], parts[1][1], parts[1][3], parts[1][4]], ["1", "Request", "10000000", "42000000"]);
    assert_eq!(
        parts[2..],
        [
            ["2", "Phase", "Queued for a connection", "500000", "11500000"],
            ["2", "Phase", "DNS lookup stock", "1000000", "2000000"],
            ["2", "Phase", "Connect 10.0.0.7:5081", "3000000", "3000000"],
            ["2", "Phase", "TLS handshake stock", "6000000", "5000000"],
            ["2", "Phase", "Sending request headers", "12000000", "1000000"],
            ["2", "Phase", "Waiting for response", "13000000", "27000000"],
        ]
    );
    let hosts = rows(table(&report, "hosts"), &["host", "count", "queuedNs", "connections", "failed"]);
    assert_eq!(hosts, [["https://stock:5081", "1", "11500000", "1", "0"]]);
    let connections =
        rows(table(&report, "connections"), &["side", "peer", "version", "requests", "durationNs", "request"]);
    assert_eq!(connections, [["opened", "https://stock:5081", "HTTP/1.1", "1", "49000000", "2"]]);
    let steps = rows(table(&report, "steps"), &["kind", "name", "durationNs", "request"]);
    assert_eq!(
        steps,
        [
            ["DNS lookup", "stock", "2000000", "2"],
            ["Connect", "10.0.0.7:5081", "3000000", "2"],
            ["TLS handshake", "stock", "5000000", "2"],
        ]
    );
    assert!(
        report.explanation.contains("1 request queued for a connection, 11.5 ms in total."),
        "{}",
        report.explanation
    );
}

#[test]
fn failed_request_has_reason() {
    let mut trace = ActivityTrace::default();
    let target = [("scheme", Text("http")), ("host", Text("nobody")), ("port", Int(9)), ("pathAndQuery", Text("/"))];
    trace.event(10 * MS, 1, "1", (HTTP_CLIENT, "RequestStart"), &target);
    trace.event(11 * MS, 1, "1/1", (SOCKETS, "ConnectStart"), &[("address", Text("?"))]);
    trace.event(
        12 * MS,
        1,
        "1/1",
        (SOCKETS, "ConnectFailed"),
        &[("error", Int(10061)), ("exceptionMessage", Text(""))],
    );
    trace.event(12 * MS, 1, "1/1", (SOCKETS, "ConnectStop"), &[]);
    trace.event(13 * MS, 1, "1", (HTTP_CLIENT, "RequestFailed"), &[("exceptionMessage", Text("Connection refused"))]);
    trace.event(13 * MS, 1, "1", (HTTP_CLIENT, "RequestStop"), &[("statusCode", Int(-1))]);
    trace.event(20 * MS, 1, "2", (HTTP_CLIENT, "RequestStart"), &target);
    let (store, bytes) = trace.finish();
    let report = report(Topic::Http, &store, &bytes, "");
    let requests = requests(&report, &["status", "durationNs", "failure"]);
    assert_eq!(requests, [["", "3000000", "Connection refused"], ["", "", ""]]);
    assert_eq!(rows(table(&report, "steps"), &["failure"]), [["ConnectionRefused"]]);
    assert_eq!(["sentFailed", "sentOpen"].map(|key| figure(&report, key)), [1.0, 1.0]);
}

/// Returns incoming requests: path, start, duration, status.
fn answered(requests: &[(&str, i64, i64)]) -> ActivityTrace {
    let mut trace = ActivityTrace::default();
    for (number, (path, at, took)) in requests.iter().enumerate() {
        let id = format!("C:{number}");
        let fields = [("requestId", Text(&id)), ("path", Text(path)), ("method", Text("GET"))];
        trace.event(*at, 1, "", (KESTREL, "RequestStart"), &fields);
        trace.event(at + took, 1, "", (KESTREL, "RequestStop"), &fields);
    }
    trace
}

fn found(trace: &ActivityTrace) -> Vec<(FindingKind, String)> {
    let (store, bytes) = trace.finish();
    findings(Topic::Http, &store, &bytes).into_iter().map(|one| (one.kind, one.title)).collect()
}

#[test]
fn slow_requests_are_found() {
    let fast = |at: i64| ("/fast", at * 2000 * MS, 5 * MS);
    let slow = |at: i64| ("/slow", at * 2000 * MS, 800 * MS);
    let requests: Vec<_> = (0..10).map(fast).chain((10..13).map(slow)).collect();
    assert_eq!(
        found(&answered(&requests)),
        [(FindingKind::SlowRequests, "3 requests of 500 ms or longer took 2.40 s in total".to_owned())]
    );
    let all_alike: Vec<_> = (0..10).map(slow).collect();
    assert_eq!(found(&answered(&all_alike)), [], "long polling is slow by design");
    assert_eq!(found(&answered(&requests[..12])), [], "two aren't a pattern");
}

#[test]
fn failed_requests_are_found() {
    let mut trace = ActivityTrace::default();
    for (number, status) in ["500", "503", "200", "500"].into_iter().enumerate() {
        answer(&mut trace, 30 * MS * (number as i64 + 1), "/fail", &(number + 1).to_string(), status);
    }
    assert_eq!(found(&trace), [(FindingKind::FailedRequests, "3 requests failed".to_owned())]);
    assert_eq!(found(&nested()), []);
}

#[test]
fn connection_per_request_is_found() {
    let opening = |connections: i64| {
        let mut trace = ActivityTrace::default();
        let host = [("scheme", Text("http")), ("host", Text("shop")), ("port", Int(80)), ("pathAndQuery", Text("/"))];
        for number in 0..30 {
            let at = number * 10 * MS;
            trace.event(at, 1, "1", (HTTP_CLIENT, "RequestStart"), &host);
            if number < connections {
                let id = [
                    ("connectionId", Long(number)),
                    ("scheme", Text("http")),
                    ("host", Text("shop")),
                    ("port", Int(80)),
                ];
                trace.event(at + 1, 1, "1", (HTTP_CLIENT, "ConnectionEstablished"), &id);
            }
            trace.event(at + MS, 1, "1", (HTTP_CLIENT, "RequestStop"), &[("statusCode", Int(200))]);
        }
        trace
    };
    let expected = (FindingKind::ConnectionChurn, "25 new connections were opened for 30 requests".to_owned());
    assert_eq!(found(&opening(25)), [expected]);
    assert_eq!(found(&opening(5)), []);
    let (store, bytes) = opening(25).finish();
    let one = findings(Topic::Http, &store, &bytes).remove(0);
    assert!(one.sentence.ends_with("25 of 25 were open at once."), "they are never closed: {}", one.sentence);
    assert!(one.advice.contains("MaxConnectionsPerServer"), "{}", one.advice);
}

/// Returns the advice about a request every half second, each over a new connection with this lifetime.
fn churn_of(lifetime: i64) -> (String, String) {
    let mut trace = ActivityTrace::default();
    let host = [("scheme", Text("http")), ("host", Text("shop")), ("port", Int(80)), ("pathAndQuery", Text("/"))];
    let mut events: Vec<(i64, i64, u8)> = Vec::new();
    for number in 0..30 {
        let at = number * 500 * MS;
        events.extend([(at, number, 0), (at + 1, number, 1), (at + MS, number, 2), (at + lifetime, number, 3)]);
    }
    events.sort_unstable();
    for (at, number, what) in events {
        let connection = [("connectionId", Long(number)), ("scheme", Text("http")), ("host", Text("shop"))];
        match what {
            0 => trace.event(at, 1, "1", (HTTP_CLIENT, "RequestStart"), &host),
            1 => trace.event(at, 1, "1", (HTTP_CLIENT, "ConnectionEstablished"), &connection),
            2 => trace.event(at, 1, "1", (HTTP_CLIENT, "RequestStop"), &[("statusCode", Int(200))]),
            _ => trace.event(at, 1, "", (HTTP_CLIENT, "ConnectionClosed"), &connection),
        };
    }
    let (store, bytes) = trace.finish();
    let one = findings(Topic::Http, &store, &bytes).remove(0);
    (one.sentence, one.advice)
}

#[test]
fn connection_churn_names_setting() {
    let (sentence, advice) = churn_of(2_000 * MS);
    assert!(sentence.ends_with("Most were closed after 2.00 s."), "{sentence}");
    assert!(advice.contains("SocketsHttpHandler.PooledConnectionLifetime"), "{advice}");
    let (sentence, advice) = churn_of(2 * MS);
    assert!(sentence.ends_with("Most were closed after one request."), "{sentence}");
    assert!(advice.starts_with("Reuse one HttpClient"), "{advice}");
}

/// Returns this many requests that the process sends to itself, and that the server starts to process after `before`
/// nanoseconds.
fn delayed(number: i64, before: i64) -> ActivityTrace {
    let mut trace = ActivityTrace::default();
    for number in 0..number {
        let at = number * 10_000 * MS;
        let id = |span: i64| format!("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba90{span:03}-01");
        let (asking, answering) = (id(number), id(100 + number));
        let host = [("scheme", Text("http")), ("host", Text("shop")), ("port", Int(80)), ("pathAndQuery", Text("/x"))];
        let request = format!("C1:{number}");
        let fields = [("requestId", Text(&request)), ("path", Text("/x")), ("method", Text("GET"))];
        let sent = [("ActivityId", asking.as_str())];
        let sent = [
            ("SourceName", Text("HttpHandlerDiagnosticListener")),
            ("EventName", Text("System.Net.Http.HttpRequestOut")),
            ("Arguments", Pairs(&sent)),
        ];
        let served = [("ActivityId", answering.as_str()), ("ActivityParentId", asking.as_str())];
        let served = [
            ("SourceName", Text("Microsoft.AspNetCore")),
            ("EventName", Text("Microsoft.AspNetCore.Hosting.HttpRequestIn")),
            ("Arguments", Pairs(&served)),
        ];
        trace.event(at, 1, "1", (HTTP_CLIENT, "RequestStart"), &host);
        trace.event(at, 1, "1/1", (DIAGNOSTIC_SOURCE, "Activity2Start"), &sent);
        let begin = at + before;
        trace.event(begin, 2, "2", (DIAGNOSTIC_SOURCE, "Activity1Start"), &served);
        trace.event(begin, 2, "2/1", (KESTREL, "RequestStart"), &fields);
        trace.event(begin + 50 * MS, 2, "2/1", (KESTREL, "RequestStop"), &fields);
        trace.event(begin + 50 * MS, 2, "2", (DIAGNOSTIC_SOURCE, "Activity1Stop"), &served);
        trace.event(begin + 60 * MS, 1, "1/1", (DIAGNOSTIC_SOURCE, "Activity2Stop"), &sent);
        trace.event(begin + 60 * MS, 1, "1", (HTTP_CLIENT, "RequestStop"), &[("statusCode", Int(200))]);
    }
    trace
}

#[test]
fn requests_delayed_before_server_are_found() {
    let (store, bytes) = delayed(4, 300 * MS).finish();
    let report = report(Topic::Http, &store, &bytes, "");
    assert_eq!(figure(&report, "beforeServerNs"), 1_200e6);
    let before = [["outgoing", "300000000"], ["incoming", "300000000"]];
    assert_eq!(requests(&report, &["side", "beforeServerNs"]), [before; 4].concat());
    let all = findings(Topic::Http, &store, &bytes);
    assert_eq!(all.iter().map(|one| one.kind).collect::<Vec<_>>(), [FindingKind::DelayedRequests]);
    assert_eq!((all[0].title.as_str(), all[0].cost.value), ("4 requests waited 1.20 s before processing", 1_200e6));
    assert_eq!(all[0].sentence, "They waited 83% of their time, 300 ms on average.");
    let words =
        "These requests waited 1.20 s before processing (83% of their time): 300 ms on average, max 300 ms (GET /x).";
    assert!(all[0].details.starts_with(words), "{}", all[0].details);
    assert_eq!(found(&delayed(4, 10 * MS)), [], "40 ms are little");
}

/// Returns requests of duration `took` with JIT time `compiled`, before many others.
fn compiling(took: i64, compiled: i64) -> ActivityTrace {
    let mut trace = ActivityTrace::default();
    for number in 0..12 {
        let (at, id, activity) = (number * 1_000 * MS, format!("C1:{number}"), format!("1/{}", number % 9 + 1));
        let fields = [("requestId", Text(&id)), ("path", Text("/cart")), ("method", Text("GET"))];
        let took = if number == 0 { took } else { 5 * MS };
        trace.event(at, 2, &activity, (KESTREL, "RequestStart"), &fields);
        if number == 0 && compiled > 0 {
            trace.compile((at + MS, at + MS + compiled), 2, &activity, 70);
        }
        trace.event(at + took, 2, &activity, (KESTREL, "RequestStop"), &fields);
    }
    trace
}

#[test]
fn cold_start_is_found() {
    let (store, bytes) = compiling(400 * MS, 300 * MS).finish();
    let all = findings(Topic::Http, &store, &bytes);
    assert_eq!(all.iter().map(|one| one.kind).collect::<Vec<_>>(), [FindingKind::ColdStart]);
    assert_eq!((all[0].title.as_str(), all[0].cost.value), ("Cold start: a request spent 300 ms in the JIT", 300e6));
    assert_eq!(all[0].sentence, "The JIT took 75% of their time, up to 300 ms in GET /cart.");
    assert_eq!(all[0].details, "The median of the other requests is 5.00 ms.");
    assert_eq!(found(&compiling(400 * MS, 0)), [], "slow for another reason");
    assert_eq!(found(&compiling(150 * MS, 140 * MS)), [], "140 ms are little");
}

const METHODS: [(&str, &str); 4] = [
    ("System.Threading.ThreadPoolWorkQueue", "Dispatch"),
    ("Microsoft.AspNetCore.Server.Kestrel.Core.Internal.Http.HttpProtocol", "ProcessRequests"),
    ("Shop.Gateway", "Call"),
    ("System.Threading.Monitor", "Wait"),
];

/// Returns the finding about ten fast requests and three slow ones of 800 ms with samples of this stack on their
/// threads.
fn sampled(stack: &[u64]) -> String {
    let found = sampled_after(10, stack);
    assert_eq!(found.iter().map(|one| one.kind).collect::<Vec<_>>(), [FindingKind::SlowRequests]);
    found[0].sentence.clone()
}

/// Returns the findings about thirteen requests, of which the first `fast` are fast.
fn sampled_after(fast: i64, stack: &[u64]) -> Vec<Finding> {
    let mut trace = ActivityTrace::default();
    trace.methods(0, &METHODS);
    for number in 0..13 {
        let at = (number + 1) * 2_000 * MS;
        let took = if number < fast { 5 * MS } else { 800 * MS };
        let id = format!("C:{number}");
        let fields = [("requestId", Text(&id)), ("path", Text("/x")), ("method", Text("GET"))];
        trace.event(at, 2, "", (KESTREL, "RequestStart"), &fields).with_stack(&[1, 2]);
        (0..took / (10 * MS)).for_each(|sample| {
            trace.sample(at + sample * 10 * MS + 1, 2, stack);
        });
        trace.event(at + took, 2, "", (KESTREL, "RequestStop"), &fields).with_stack(&[1, 2]);
    }
    let (store, bytes) = trace.finish();
    findings(Topic::Http, &store, &bytes)
}

#[test]
fn slow_request_cause_comes_from_samples() {
    let sentence = sampled(&[1, 2, 3, 4]);
    assert!(sentence.contains("% of their time blocked in Gateway.Call."), "{sentence}");
    let sentence = sampled(&[1, 3, 4]);
    assert!(sentence.ends_with("the cause wasn't recorded."), "the thread does something else: {sentence}");
}

#[test]
fn service_whose_requests_are_all_slow_is_found_if_they_work_or_wait() {
    let all = sampled_after(0, &[1, 2, 3, 4]);
    assert_eq!(all.len(), 1);
    assert_eq!(all[0].title, "13 requests of 500 ms or longer took 10.4 s in total");
    assert!(all[0].sentence.contains("% of their time blocked in Gateway.Call."), "{}", all[0].sentence);
    assert_eq!(sampled_after(0, &[1, 3, 4]), [], "a long poll keeps no thread");
}

#[test]
fn requests_across_edge_of_range_count() {
    let (store, bytes) =
        answered(&[("/a", 10 * MS, 100 * MS), ("/b", 50 * MS, 10 * MS), ("/c", 90 * MS, 100 * MS)]).finish();
    let span = |start: i64, end: i64| {
        let filter = Filter { span: Some(Span::new(start * MS, end * MS)), ..Filter::default() };
        let report = report_within(Topic::Http, &store, &bytes, &filter);
        let served = report.figures.iter().find(|one| one.key == "served").expect("a figure");
        (served.value, served.note.clone(), requests(&report, &["path"]).concat())
    };
    let paths = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect::<Vec<_>>();
    assert_eq!(span(40, 95), (3.0, "2 cut by the range".to_owned(), paths(&["/a", "/b", "/c"])));
    assert_eq!(span(70, 80), (1.0, "1 cut by the range".to_owned(), paths(&["/a"])), "neither begins nor ends in it");
    assert_eq!(span(0, 200), (3.0, String::new(), paths(&["/a", "/b", "/c"])));
    let typed = report(Topic::Http, &store, &bytes, "time:70ms..80ms path:/a");
    assert_eq!(figure(&typed, "served"), 0.0, "what else is asked must hold: {typed:?}");
    let typed = report(Topic::Http, &store, &bytes, "time:70ms..80ms provider:Kestrel");
    assert_eq!(figure(&typed, "served"), 1.0);
}

#[test]
fn slow_requests_come_first() {
    let (store, bytes) = answered(&[("/a", 0, MS), ("/b", 50 * MS, 10 * MS), ("/c", 90 * MS, 5 * MS)]).finish();
    let report = report(Topic::Http, &store, &bytes, "");
    assert_eq!(column(table(&report, "incoming"), "path"), ["/b", "/c", "/a"]);
    assert_eq!(table(&report, "outgoing").len(), 0);
}

/// Returns the fixture of a monitoring sidecar that records requests through DiagnosticSource, without activities,
/// ending on other threads.
fn monitored() -> (Store, Vec<u8>) {
    let bytes = include_bytes!("../../../../../../tests/fixtures/cases/monitor-http5.nettrace").to_vec();
    (read(&bytes), bytes)
}

#[test]
fn diagnostic_source_requests_are_paired_by_id() {
    let (store, bytes) = monitored();
    assert!(is_recorded(Topic::Http, &store));
    let whole = report(Topic::Http, &store, &bytes, "");
    assert_eq!(["served", "sent", "failed"].map(|key| figure(&whole, key)), [4.0, 4.0, 1.0]);
    let columns = ["number", "side", "method", "host", "path", "status", "durationNs", "askedBy"];
    let sent =
        |number, path, nanos, parent| [number, "outgoing", "POST", "https://pay.example", path, "", nanos, parent];
    assert_eq!(
        requests(&whole, &columns),
        [
            ["1", "incoming", "GET", "", "/orders", "200", "12000000", ""],
            sent("2", "/charge/0", "6000000", "1"),
            ["3", "incoming", "GET", "", "/orders/17", "500", "900000000", ""],
            sent("4", "/charge/1", "450000000", "3"),
            ["5", "incoming", "GET", "", "/health", "200", "1000000", ""],
            sent("6", "/charge/2", "500000", "5"),
            ["7", "incoming", "GET", "", "/orders", "200", "15000000", ""],
            sent("8", "/charge/3", "7500000", "7"),
        ]
    );
    let parts = rows(table(&whole, "parts"), &["request", "kind", "name"]);
    assert_eq!(parts[0], ["1", "Request", "POST https://pay.example/charge/0"]);
    let stacks: Vec<_> = whole.stacks.iter().map(|one| one.event.as_str()).collect();
    assert_eq!(stacks, ["Activity1Start", "Activity2Start"]);
    let routes = table(&whole, "routes").rows(&[0, 1, 2]);
    let hosts = table(&whole, "hosts").rows(&[0]);
    let conditions = routes.condition.iter().chain(hosts.condition.iter());
    let selected = |condition: &str| requests(&report(Topic::Http, &store, &bytes, condition), &[]).len();
    assert_eq!(conditions.map(selected).collect::<Vec<_>>(), [4, 2, 2, 4], "routes with the requests that they send");
    let slow = report(Topic::Http, &store, &bytes, "trace:4bf92f3577b34da6a3ce929d0e0e4701");
    assert_eq!(requests(&slow, &["path"]), [["/orders/17"], ["/charge/1"]]);
    let one = report(Topic::Http, &store, &bytes, "span=00f067aa0ba90202");
    assert_eq!(requests(&one, &["path"]), [["/health"]]);
    assert_eq!(
        report(Topic::Http, &store, &bytes, "trace=4bf92f3577b34da6a3ce929d0e0e4799").verdict,
        "No HTTP requests."
    );
}

#[test]
fn diagnostic_source_requests_have_tracks_and_durations() {
    let (store, bytes) = monitored();
    let (mut search, mut tracks) = (SpanSearch::new(&store), TrackIndex::default());
    while search.step(&store, &bytes, false).expect("payloads") != Step::Done {}
    let spans = search.finish(&store, &bytes, &mut tracks).expect("payloads");
    let intervals = |kind| spans.track(kind).expect("a track").intervals().to_vec();
    let lasting = |kind| {
        intervals(kind).iter().map(|interval| (interval.start / 1000, interval.duration() / 1000)).collect::<Vec<_>>()
    };
    let expected = [(1_000, 12_000), (101_000, 900_000), (201_000, 1_000), (301_000, 15_000)];
    assert_eq!(lasting(TrackKind::IncomingRequests), expected);
    assert_eq!(
        lasting(TrackKind::OutgoingRequests),
        [(1_200, 6_000), (101_200, 450_000), (201_200, 500), (301_200, 7_500)]
    );
    // They continue across threads, each outgoing one below the incoming one.
    assert_eq!(intervals(TrackKind::Activities).len(), 8);
    assert_eq!(spans.spans().iter().filter_map(|span| span.parent).collect::<Vec<_>>(), [0, 2, 4, 6]);
    let gcs = gcs_of(&store, &bytes).expect("payloads");
    let lasting = EventDurations::new(&store, &bytes, &spans, &mut tracks, &gcs).expect("payloads");
    assert_eq!(lasting.rows_where(|nanos| nanos >= 400 * MS).len(), 4, "both ends of both slow requests");
}

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";

/// Adds an activity of an `ActivitySource`, or only its end.
fn activity(trace: &mut ActivityTrace, at: i64, event: &str, name: (&str, &str), more: &[(&str, &str)]) {
    let mut pairs = vec![("TraceId", TRACE), ("SpanId", "00f067aa0ba902b7"), ("ParentSpanId", "0000000000000000")];
    pairs.extend_from_slice(more);
    let fields = [("SourceName", Text(name.0)), ("ActivityName", Text(name.1)), ("Arguments", Pairs(&pairs))];
    trace.event(at, 1, "", (DIAGNOSTIC_SOURCE, event), &fields);
}

#[test]
fn request_of_listener_and_source_counts_once() {
    let name = "Microsoft.AspNetCore.Hosting.HttpRequestIn";
    let id = format!("00-{TRACE}-00f067aa0ba902b7-01");
    let mut trace = ActivityTrace::default();
    let source = ("Microsoft.AspNetCore", name);
    activity(&mut trace, 10 * MS, "ActivityStart", source, &[("DurationTicks", "0")]);
    let listened = |pairs: &'static [(&str, &str)]| {
        let mut all = vec![("ActivityId", id.as_str())];
        all.extend_from_slice(pairs);
        all
    };
    let start_name = format!("{name}.Start");
    let start = listened(&[("Path", "/orders/17"), ("Method", "PUT")]);
    let event = [("SourceName", Text(source.0)), ("EventName", Text(&start_name)), ("Arguments", Pairs(&start))];
    trace.event(11 * MS, 1, "", (DIAGNOSTIC_SOURCE, "Activity1Start"), &event);
    let stop = listened(&[("StatusCode", "503"), ("ActivityDuration", "90000")]);
    let event =
        [("SourceName", Text(source.0)), ("EventName", Text("HttpRequestIn.Stop")), ("Arguments", Pairs(&stop))];
    trace.event(19 * MS, 2, "", (DIAGNOSTIC_SOURCE, "Activity1Stop"), &event);
    activity(&mut trace, 20 * MS, "ActivityStop", source, &[("DurationTicks", "100000")]);
    let (store, bytes) = trace.finish();
    let report = report(Topic::Http, &store, &bytes, "");
    let requests = requests(&report, &["side", "method", "path", "status", "durationNs"]);
    assert_eq!(requests, [["incoming", "PUT", "/orders/17", "503", "10000000"]]);
    assert_eq!(table(&report, "parts").len(), 0, "the second report isn't part of the first");
}

#[test]
fn activity_with_only_stop_event_has_duration() {
    let mut trace = ActivityTrace::default();
    activity(&mut trace, 0, "ActivityStop", ("Shop", "Before"), &[("DurationTicks", "900000000")]);
    let tags =
        ("Tags", "[http.request.method, GET],[url.full, http://stock:5081/items/4],[http.response.status_code, 204]");
    let name = ("System.Net.Http", "System.Net.Http.HttpRequestOut");
    activity(&mut trace, 50 * MS, "ActivityStop", name, &[("StartTimeTicks", "1"), ("DurationTicks", "200000"), tags]);
    let (store, bytes) = trace.finish();
    let report = report(Topic::Http, &store, &bytes, "");
    let requests = requests(&report, &["side", "method", "host", "path", "status", "durationNs"]);
    assert_eq!(requests, [["outgoing", "GET", "http://stock:5081", "/items/4", "204", "20000000"]]);
}
