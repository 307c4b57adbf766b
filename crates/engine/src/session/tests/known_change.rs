//! A pair of traces whose difference is known: one function was made slower, and one route was added.

use super::case_files::session;
use crate::analysis::compare::tests;
use crate::analysis::topics::tests::activity_traces::ActivityTrace;
use crate::analysis::topics::tests::activity_traces::FieldValue::Text;
use crate::clr::source_names::{KESTREL, SAMPLE_PROFILER};
use decompress::{Coding, Decoder};
use nettrace::testing::PayloadWriter;
use protocol::base::sort::sort_by;
use protocol::compare::{Comparison, Per, TraceChanges, TraceMeasures};
use protocol::request::Filter;

const MS: i64 = 1_000_000;
/// Threads that serve requests, one each in every slot.
const THREADS: i64 = 3;
/// Time in which each thread serves a request of each old route.
const SLOT: i64 = 120 * MS;
const SLOTS: i64 = 50;
/// Time between samples.
const SAMPLED: i64 = 4 * MS;
/// Methods, by number from 1.
const METHODS: [(&str, &str); 7] = [
    ("Shop.Program", "Main"),
    ("Shop.Items", "Get"),
    ("Shop.Prices", "Sum"),
    ("Shop.Cart", "Get"),
    ("Shop.Stock", "Count"),
    ("Shop.Coupons", "Post"),
    ("System.Threading.LowLevelLifoSemaphore", "WaitForSignal"),
];
const IDLE: &[u64] = &[1, 7];

/// Traces that [`pair`] returns, in `tests/fixtures`.
const NAMES: [&str; 2] = ["known-change-before", "known-change-after"];

/// What a thread does: from one time to another, with a stack.
type Step = (i64, i64, &'static [u64]);

/// A request: method, path, and what its thread does.
struct Request {
    method: &'static str,
    path: &'static str,
    steps: Vec<Step>,
}

/// Values without a pattern, from 0.8 to 1.2.
fn noise(seed: u64) -> impl FnMut() -> f64 {
    let mut noise = tests::noise(seed);
    move || 0.8 + 0.4 * noise()
}

/// Returns the requests of a thread. `sum` is the time in `Prices.Sum` in milliseconds.
fn requests(thread: i64, sum: f64, with_coupons: bool) -> Vec<Request> {
    let mut random = noise(thread as u64 + if with_coupons { 100 } else { 1 });
    let mut requests = Vec::new();
    for slot in 0..SLOTS {
        let mut at = slot * SLOT + thread * 7 * MS + 2 * MS;
        let mut request = |method, path, parts: &[(f64, &'static [u64])]| {
            let mut steps = Vec::new();
            for (millis, stack) in parts {
                let end = at + (millis * random() * MS as f64) as i64;
                steps.push((at, end, *stack));
                at = end;
            }
            requests.push(Request { method, path, steps });
            at += MS;
        };
        request("GET", "/items", &[(8.0, &[1, 2]), (sum, &[1, 2, 3])]);
        request("GET", "/cart", &[(8.0, &[1, 4]), (16.0, &[1, 4, 5])]);
        if with_coupons && slot % 2 == 0 {
            request("POST", "/coupon", &[(12.0, &[1, 6])]);
        }
    }
    requests
}

/// Returns a trace of the shop.
fn shop(sum: f64, with_coupons: bool) -> Vec<u8> {
    enum What {
        Kestrel(&'static str, &'static str, &'static str, String),
        Sample(bool, &'static [u64]),
    }
    let mut happenings: Vec<(i64, i64, What)> = Vec::new();
    for thread in 0..THREADS {
        let requests = requests(thread, sum, with_coupons);
        let steps: Vec<Step> = requests.iter().flat_map(|request| request.steps.iter().copied()).collect();
        for (number, request) in requests.iter().enumerate() {
            let activity = format!("{}/{}/{}", thread + 1, number / 10 + 1, number % 10 + 1);
            for (at, end) in request
                .steps
                .first()
                .map(|step| (step.0, "RequestStart"))
                .into_iter()
                .chain(request.steps.last().map(|step| (step.1, "RequestStop")))
            {
                happenings.push((at, thread, What::Kestrel(end, request.method, request.path, activity.clone())));
            }
        }
        for at in (0..SLOTS * SLOT).step_by(SAMPLED as usize).map(|at| at + thread * MS) {
            let step = steps.iter().find(|step| step.0 <= at && at < step.1);
            happenings.push((at, thread, What::Sample(step.is_some(), step.map_or(IDLE, |step| step.2))));
        }
    }
    sort_by(&mut happenings, |one, other| (one.0, one.1).cmp(&(other.0, other.1)));
    let mut trace = ActivityTrace::default();
    trace.methods(0, &METHODS);
    for (at, thread, what) in happenings {
        let thread = 10 + thread as u64;
        match what {
            What::Kestrel(end, method, path, activity) => {
                let fields = [
                    ("connectionId", Text("0HN1")),
                    ("requestId", Text(&activity)),
                    ("httpVersion", Text("HTTP/1.1")),
                    ("path", Text(path)),
                    ("method", Text(method)),
                ];
                trace.event(at, thread, &activity, (KESTREL, end), &fields);
            }
            What::Sample(is_managed, stack) => {
                let payload = PayloadWriter::new().u32(if is_managed { 2 } else { 1 }).finish();
                trace.event_by_id(at, thread, "", (SAMPLE_PROFILER, 0, 0), payload).with_stack(stack);
            }
        }
    }
    trace.finish().1
}

/// Returns the trace before and after the change.
fn pair() -> [Vec<u8>; 2] {
    [shop(16.0, false), shop(32.0, true)]
}

fn compared([old, new]: [&[u8]; 2], per: Per) -> Comparison {
    let filter = Filter::default;

    let old = session(old).ask(&TraceMeasures { filter: filter() }).expect("measures").pack();
    session(new).ask(&TraceChanges { old, filter: filter(), per }).expect("a comparison")
}

fn significant(comparison: &Comparison) -> Vec<&str> {
    comparison.changes.iter().filter(|change| change.is_significant()).map(|change| change.sentence.as_str()).collect()
}

/// All significant changes: those of the slower function, of its callers and route, of the new route and its function,
/// and of the totals that contain them.
const SENTENCES: [&str; 19] = [
    "GET /items p95 rose from 27.4 ms to 46.2 ms",
    "Requests p99 rose from 27.7 ms to 46.6 ms",
    "GET /items p50 rose from 24.0 ms to 40.0 ms",
    "Requests p95 rose from 27.2 ms to 45.2 ms",
    "Running time of threads rose from 1.22 s to 1.76 s per second",
    "Running time in Shop.Program.Main, including callees, rose from 1.22 s to 1.76 s per second",
    "Running time in Shop rose from 1.22 s to 1.76 s per second",
    "Running time in Shop.Items.Get, including callees, rose from 618 ms to 1.02 s per second",
    "Running time in Shop.Prices.Sum, including callees, rose from 403 ms to 796 ms per second",
    "Running time in Shop.Prices.Sum rose from 403 ms to 796 ms per second",
    "Throughput rose from 50.0/s to 62.5/s",
    "POST /coupon throughput is new: 12.5/s",
    "Shop.Coupons.Post, including callees, is only in the new samples: 147 ms per second",
    "Shop.Coupons.Post has self time only in the new samples: 147 ms per second",
    "Requests p50 rose from 23.9 ms to 25.7 ms",
    "Thread time “Running managed code” rose from 1.22 s to 1.76 s per second",
    "Events rose from 102/s to 127/s",
    "Microsoft-AspNetCore-Server-Kestrel/RequestStart events rose from 50.0/s to 62.5/s",
    "Microsoft-AspNetCore-Server-Kestrel/RequestStop events rose from 50.0/s to 62.5/s",
];

#[test]
fn slower_function_and_new_route_are_the_only_changes() {
    let [old, new] = pair();
    let found = compared([&old, &new], Per::Second);
    assert_eq!(significant(&found), SENTENCES);
    // What didn't change is compared, too.
    for name in ["GET /cart", "Shop.Cart.Get()", "Shop.Stock.Count()"] {
        let of_name = found.changes.iter().filter(|change| change.name == name).collect::<Vec<_>>();
        assert!(!of_name.is_empty() && of_name.iter().all(|change| !change.is_significant()), "{name}: {of_name:?}");
    }
}

#[test]
fn change_per_request_is_without_the_load_of_the_new_route() {
    let [old, new] = pair();
    let found = compared([&old, &new], Per::Request);
    let significant = significant(&found);
    assert!(significant.iter().any(|one| one.starts_with("Running time in Shop.Prices.Sum rose")), "{significant:?}");
    assert!(significant.iter().all(|one| !one.starts_with("Events")), "as many events per request: {significant:?}");
}

#[test]
fn same_behavior_has_no_change() {
    let old = shop(16.0, false);
    let found = compared([&old, &old], Per::Second);
    assert_eq!(significant(&found), [""; 0]);
}

/// A browser test opens these files. Write them with `WRITE_FIXTURES=1`, and compress them with gzip.
#[test]
fn fixtures_are_this_pair() {
    for (name, bytes) in NAMES.into_iter().zip(pair()) {
        let path = format!("{}/../../tests/fixtures/{name}.nettrace", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("WRITE_FIXTURES").is_some() {
            std::fs::write(&path, &bytes).expect("a writable file");
        }
        let packed = std::fs::read(path + ".gz").expect("a fixture");
        let mut unpacked = Vec::new();
        Decoder::new(Coding::Gzip).decode(&packed, &mut unpacked).expect("gzip");
        assert!(unpacked == bytes, "{name} differs");
    }
}
