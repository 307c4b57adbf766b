//! Traces of two services, the first of which sends requests to the second: HttpClient and Kestrel with W3C IDs.

use super::activity_traces::ActivityTrace;
use super::activity_traces::FieldValue::{Byte, Int, Pairs, Text};
use crate::analysis::intervals::spans::search::SpanSearch;
use crate::analysis::intervals::spans::traced::traced_requests;
use crate::analysis::intervals::tracks::TrackIndex;
use crate::analysis::scan::payload_batches::Step;
use crate::clr::source_names::{DIAGNOSTIC_SOURCE, HTTP_CLIENT, KESTREL};
use crate::model::Store;
use crate::model::testing::case;
use nettrace::testing::Format;
use nettrace::{Header, SystemTime};
use protocol::tables::TracedRequests;

const US: i64 = 1_000;
const MS: i64 = 1_000_000;
/// Number of requests between the services.
const REQUESTS: i64 = 10;
/// Time of the shop minus the time of the payments at the same moment.
const OFFSET: i64 = 1_500 * MS + 370 * US;

/// A request of a client to the shop, which asks the payments: times of the shop.
struct Times {
    served: (i64, i64),
    sent: (i64, i64),
    paid: (i64, i64),
}

/// Returns the times of a request. The network takes 0.2 to 0.9 ms in each direction.
fn times(number: i64) -> Times {
    let start = 1_600 * MS + number * 60 * MS;
    let sent = start + (4 + number % 3) * MS;
    let (out, back) = (200 * US + number * 70 * US, 850 * US - number * 65 * US);
    let paid = (sent + out, sent + out + (9 + number * 7 % 5 * 3) * MS);
    let received = paid.1 + back;
    Times { served: (start, received + 2 * MS), sent: (sent, received), paid }
}

fn trace_id(number: i64) -> String {
    format!("4bf92f3577b34da6a3ce929d0e0e47{number:02x}")
}

fn span_id(kind: i64, number: i64) -> String {
    format!("{:016x}", (kind << 32) + 0x0f06_7aa0 + number)
}

/// Adds one end of an activity with its W3C IDs.
fn activity(trace: &mut ActivityTrace, at: (i64, u64, &str), end: &str, name: (&str, &str), ids: [&str; 3]) {
    let pairs = [("TraceId", ids[0]), ("SpanId", ids[1]), ("ParentSpanId", ids[2]), ("DurationTicks", "0")];
    let fields = [("SourceName", Text(name.0)), ("ActivityName", Text(name.1)), ("Arguments", Pairs(&pairs))];
    trace.event(at.0, at.1, at.2, (DIAGNOSTIC_SOURCE, end), &fields);
}

/// Adds one end of a served request.
fn kestrel(trace: &mut ActivityTrace, (at, thread, activity): (i64, u64, &str), end: &str, path: &str) {
    let fields = [
        ("connectionId", Text("0HN1")),
        ("requestId", Text(activity)),
        ("httpVersion", Text("HTTP/1.1")),
        ("path", Text(path)),
        ("method", Text("POST")),
    ];
    trace.event(at, thread, activity, (KESTREL, end), &fields);
}

const SERVED: (&str, &str) = ("Microsoft.AspNetCore", "Microsoft.AspNetCore.Hosting.HttpRequestIn");
const SENT: (&str, &str) = ("System.Net.Http", "System.Net.Http.HttpRequestOut");
const NO_PARENT: &str = "0000000000000000";

/// Returns the trace of the shop.
fn shop() -> ActivityTrace {
    let mut trace = ActivityTrace::default();
    trace.methods(MS, &[("Shop.Program", "Main"), ("Shop.Checkout", "Handle"), ("Shop.Prices", "Sum")]);
    for number in 0..REQUESTS {
        let times = times(number);
        let (path, thread) = (format!("/checkout/{number}"), 10 + (number % 3) as u64);
        let root = (number + 1).to_string();
        let (inner, client, traced) = (format!("{root}/1"), format!("{root}/1/1"), format!("{root}/1/1/1"));
        let (trace_id, served, sent) = (trace_id(number), span_id(1, number), span_id(2, number));
        let own = [trace_id.as_str(), &served, NO_PARENT];
        let asked = [trace_id.as_str(), &sent, &served];
        kestrel(&mut trace, (times.served.0, thread, &root), "RequestStart", &path);
        activity(&mut trace, (times.served.0 + 50 * US, thread, &inner), "ActivityStart", SERVED, own);
        for at in (times.served.0 + 100 * US..times.sent.0).step_by(MS as usize) {
            trace.sample(at, thread, &[1, 2, 3]);
        }
        let target = [
            ("scheme", Text("http")),
            ("host", Text("payments")),
            ("port", Int(5081)),
            ("pathAndQuery", Text("/charge")),
            ("versionMajor", Byte(1)),
            ("versionMinor", Byte(1)),
        ];
        trace.event(times.sent.0, thread, &client, (HTTP_CLIENT, "RequestStart"), &target);
        activity(&mut trace, (times.sent.0 + 20 * US, thread, &traced), "ActivityStart", SENT, asked);
        let end = times.sent.1;
        activity(&mut trace, (end - 10 * US, thread, &traced), "ActivityStop", SENT, asked);
        trace.event(end, thread, &client, (HTTP_CLIENT, "RequestStop"), &[("statusCode", Int(200))]);
        trace.sample(end + MS, thread, &[1, 2]);
        activity(&mut trace, (times.served.1 - 50 * US, thread, &inner), "ActivityStop", SERVED, own);
        kestrel(&mut trace, (times.served.1, thread, &root), "RequestStop", &path);
    }
    trace
}

/// Returns the trace of the payments, on its own clock.
fn payments() -> ActivityTrace {
    let mut trace = ActivityTrace::default();
    trace.methods(MS, &[("Payments.Program", "Main"), ("Payments.Charge", "Post"), ("Payments.Ledger", "Insert")]);
    for number in 0..REQUESTS {
        let paid = times(number).paid;
        let (start, end) = (paid.0 - OFFSET, paid.1 - OFFSET);
        let (root, inner) = ((number + 1).to_string(), format!("{}/1", number + 1));
        let thread = 20 + (number % 2) as u64;
        let (trace_id, own, client) = (trace_id(number), span_id(3, number), span_id(2, number));
        let ids = [trace_id.as_str(), &own, &client];
        kestrel(&mut trace, (start, thread, &root), "RequestStart", "/charge");
        activity(&mut trace, (start + 30 * US, thread, &inner), "ActivityStart", SERVED, ids);
        for at in (start + 100 * US..end - MS).step_by(MS as usize) {
            trace.sample(at, thread, &[1, 2, 3]);
        }
        activity(&mut trace, (end - 30 * US, thread, &inner), "ActivityStop", SERVED, ids);
        kestrel(&mut trace, (end, thread, &root), "RequestStop", "/charge");
    }
    trace
}

/// Returns a header with a start in seconds and milliseconds. Activity IDs are those of process 1, as in a container.
fn header(second: u16, millisecond: u16) -> Header {
    let header = Format::Nettrace4.header();
    let sync_time_utc = SystemTime { second, millisecond, ..header.sync_time_utc };
    Header { sync_time_utc, ..header }
}

fn requests(store: &Store, bytes: &[u8]) -> TracedRequests {
    let source: &Vec<u8> = &bytes.to_vec();
    let (mut search, mut tracks) = (SpanSearch::new(store), TrackIndex::default());
    while search.step(store, source, false).expect("payloads") != Step::Done {}
    traced_requests(&search.finish(store, source, &mut tracks).expect("payloads"))
}

#[test]
fn requests_of_both_services_have_the_same_ids() {
    let (store, bytes) = shop().finish();
    let shop = requests(&store, &bytes);
    let (store, bytes) = payments().finish();
    let payments = requests(&store, &bytes);
    assert_eq!([shop.event.len(), payments.event.len()], [20, 10]);
    let of = |table: &TracedRequests, sent: u8| -> Vec<usize> {
        (0..table.event.len()).filter(|row| table.is_sent[*row] == sent).collect()
    };
    let (asking, asked) = (of(&shop, 1), of(&payments, 0));
    assert_eq!([asking.len(), asked.len()], [10, 10]);
    for (&sent, &paid) in asking.iter().zip(&asked) {
        let ids = |table: &TracedRequests, row| (table.client_span[row], table.trace_high[row], table.trace_low[row]);
        assert_eq!(ids(&shop, sent), ids(&payments, paid));
        assert!(payments.start[paid] + OFFSET > shop.start[sent]);
        assert!(payments.end[paid] + OFFSET < shop.end[sent]);
        let caller = shop.event.iter().position(|event| *event == shop.caller[sent]).expect("a caller");
        assert_eq!((shop.is_sent[caller], shop.client_span[caller]), (0, 0), "its client wasn't traced");
    }
    assert_eq!(shop.trace_high[0], 0x4bf9_2f35_77b3_4da6);
    let first = [shop.name.get(0), shop.name.get(asking[0]), payments.name.get(0)];
    assert_eq!(first, ["POST /checkout/0", "payments/charge", "POST /charge"]);
}

/// Browser tests and tests of the offset open these files. Write them with `WRITE_FIXTURES=1`.
#[test]
fn fixtures_are_of_these_services() {
    let (_, shop) = shop().finish_with(header(6, 0));
    let (_, payments) = payments().finish_with(header(7, 500));
    for (name, bytes) in [("two-services-shop", shop), ("two-services-payments", payments)] {
        if std::env::var_os("WRITE_FIXTURES").is_some() {
            let path = format!("{}/../../tests/fixtures/cases/{name}.nettrace", env!("CARGO_MANIFEST_DIR"));
            std::fs::write(path, &bytes).expect("a writable file");
        }
        assert!(case(name).1 == bytes, "{name} differs");
    }
}
