//! Tests tasks and async methods with hand-written events of the task library.

use crate::analysis::events::detail::event_detail;
use crate::analysis::topics::recorded_topics::is_recorded;
use crate::analysis::topics::tests::activity_traces::ActivityTrace;
use crate::analysis::topics::tests::reports::{figure, figure_if_any, report, rows, table};
use crate::clr::source_names::{ASYNC_PROFILER, TASKS};
use crate::model::testing::read;
use nettrace::testing::PayloadWriter;
use protocol::base::ids::EventId;
use protocol::topics::topic::Topic;

const COMPLETED: u32 = 1;

fn words(words: &[u32]) -> PayloadWriter {
    words.iter().fold(PayloadWriter::new(), |payload, word| payload.u32(*word))
}

fn task_event(trace: &mut ActivityTrace, at: i64, thread: u64, id: u32, payload: PayloadWriter) {
    trace.event_by_id(at, thread, "", (TASKS, id, 1), payload.finish());
}

#[test]
fn task_has_wait_and_run_time() {
    let mut trace = ActivityTrace::default();
    let scheduled = |task: u32| words(&[1, 0, task, 0, 0, 1]);
    task_event(&mut trace, 10, 1, 7, scheduled(5));
    task_event(&mut trace, 20, 1, 7, scheduled(6));
    task_event(&mut trace, 40, 2, 8, words(&[1, 0, 5]));
    task_event(&mut trace, 100, 2, 9, words(&[1, 0, 5, 1]));
    // The ID is reused.
    task_event(&mut trace, 110, 1, 7, scheduled(5));
    task_event(&mut trace, 115, 2, 8, words(&[1, 0, 5]));
    // This task was scheduled before the trace began.
    task_event(&mut trace, 120, 3, 8, words(&[1, 0, 9]));
    task_event(&mut trace, 150, 3, 9, words(&[1, 0, 9, 0]));
    let (store, bytes) = trace.finish();
    let report = report(Topic::Tasks, &store, &bytes, "");
    assert_eq!(
        rows(table(&report, "tasks"), &["task", "timeNs", "waitedNs", "ranNs", "state"]),
        [
            ["5", "10", "30", "60", "failed"],
            ["6", "20", "", "", "not started"],
            ["5", "110", "5", "", "unfinished"],
            ["9", "", "", "30", "completed"],
        ]
    );
    let figures = ["tasks", "scheduledEarlier", "waitedNs", "ranNs", "failed", "neverStarted", "neverCompleted"];
    assert_eq!(figures.map(|key| figure(&report, key)), [3.0, 1.0, 35.0, 90.0, 1.0, 1.0, 1.0]);
    let words = "3 tasks and 1 scheduled earlier ran for 90 ns after waiting 35 ns in the queue.";
    assert_eq!(report.verdict, words);
}

#[test]
fn unrecorded_task_facts_are_not_zero() {
    let mut trace = ActivityTrace::default();
    let scheduled = |task: u32| words(&[1, 0, task, 0, 0, 1]);
    task_event(&mut trace, 10, 1, 7, scheduled(5));
    task_event(&mut trace, 20, 1, 7, scheduled(6));
    task_event(&mut trace, 40, 2, 9, words(&[1, 0, 5, 0]));
    let (store, bytes) = trace.finish();
    let found = report(Topic::Tasks, &store, &bytes, "");
    assert_eq!(found.verdict, "2 tasks scheduled; their starts weren't recorded.");
    let absent = ["waitedNs", "ranNs", "neverStarted", "neverCompleted"];
    assert_eq!(absent.map(|key| figure_if_any(&found, key)), [None; 4]);
    let columns = ["waitedNs", "ranNs", "state"];
    assert_eq!(rows(table(&found, "tasks"), &columns), [["", "", "completed"], ["", "", "scheduled"]]);
    assert_eq!(rows(table(&found, "sites"), &["waitedNs", "ranNs"]), [["", ""]]);

    let mut trace = ActivityTrace::default();
    task_event(&mut trace, 10, 1, 7, scheduled(5));
    task_event(&mut trace, 20, 2, 8, words(&[1, 0, 5]));
    let begun = words(&[31]).utf16("Async: <Call>d__1").u64(0);
    task_event(&mut trace, 30, 2, 14, begun);
    task_event(&mut trace, 90, 2, 15, words(&[31, COMPLETED]));
    let (store, bytes) = trace.finish();
    let found = report(Topic::Tasks, &store, &bytes, "");
    assert_eq!(found.verdict, "1 task waited 10 ns in the queue.", "ends are not recorded");
    assert_eq!(found.explanation, "1 async call; the longest, Call, took 60 ns.");
    assert_eq!(["ranNs", "neverCompleted", "asyncRanNs", "awaits"].map(|key| figure_if_any(&found, key)), [None; 4]);
    assert_eq!(rows(table(&found, "tasks"), &["state"]), [["started"]]);
    assert_eq!(rows(table(&found, "trees"), &["durationNs", "ranNs"]), [["60", ""]]);
}

#[test]
fn async_method_has_sections_and_awaits() {
    const EXECUTION: u32 = 2;
    const ASYNC: u32 = 2;
    let mut trace = ActivityTrace::default();
    let begun = |task: u32, name: &str| words(&[task]).utf16(name).u64(0);
    task_event(&mut trace, 10, 1, 14, begun(31, "Async: <Outer>d__1"));
    task_event(&mut trace, 12, 1, 14, begun(32, "Async: <Inner>d__2"));
    trace.event_by_id(20, 1, "", (TASKS, 10, 3), words(&[1, 0, 32, ASYNC, 31]).finish());
    task_event(&mut trace, 50, 2, 17, words(&[32, EXECUTION]));
    task_event(&mut trace, 60, 2, 15, words(&[32, COMPLETED]));
    task_event(&mut trace, 65, 2, 18, words(&[EXECUTION]));
    task_event(&mut trace, 70, 2, 17, words(&[31, EXECUTION]));
    task_event(&mut trace, 90, 2, 18, words(&[EXECUTION]));
    let (store, bytes) = trace.finish();
    let report = report(Topic::Tasks, &store, &bytes, "");
    let columns = ["number", "method", "durationNs", "ranNs", "awaitedNs", "awaits", "state", "awaitedBy"];
    assert_eq!(
        rows(table(&report, "operations"), &columns),
        [["1", "Outer", "", "20", "", "1", "unfinished", ""], ["2", "Inner", "48", "15", "33", "0", "completed", "1"]]
    );
    let trees = rows(table(&report, "trees"), &["method", "durationNs", "depth"]);
    assert_eq!(trees, [["Outer", "", "0"], ["\u{2003}Inner", "48", "1"]], "below what awaits it");
    let methods = rows(table(&report, "methods"), &["method", "count", "totalNs", "ranNs", "open"]);
    assert_eq!(methods, [["Outer", "1", "", "20", "1"], ["Inner", "1", "48", "15", "0"]]);
    assert_eq!(
        ["asyncMethods", "awaits", "asyncOpen", "blockingWaits"].map(|key| figure(&report, key)),
        [2.0, 1.0, 1.0, 0.0]
    );
    assert_eq!(report.verdict, "2 async calls executed for 35 ns across 1 await; the longest, Inner, took 48 ns.");
}

#[test]
fn thread_blocked_on_task_is_reported() {
    const SYNCHRONOUS: u32 = 1;
    let mut trace = ActivityTrace::default();
    trace.event_by_id(10, 1, "", (TASKS, 10, 3), words(&[1, 0, 44, SYNCHRONOUS, 0]).finish());
    task_event(&mut trace, 35, 1, 11, words(&[1, 0, 44]));
    let (store, bytes) = trace.finish();
    let report = report(Topic::Tasks, &store, &bytes, "");
    assert_eq!(rows(table(&report, "blocking"), &["count", "maxNs", "totalNs"]), [["1", "25", "25"]]);
    assert_eq!(["blockingWaits", "blockedNs"].map(|key| figure(&report, key)), [1.0, 25.0]);
    assert_eq!(report.explanation, "Threads blocked on tasks once, 25 ns in total.");
}

#[test]
fn wait_without_end_ends_with_task() {
    const SYNCHRONOUS: u32 = 1;
    let mut trace = ActivityTrace::default();
    let blocks = |trace: &mut ActivityTrace, at: i64, task: u32| {
        trace.event_by_id(at, 1, "", (TASKS, 10, 3), words(&[1, 0, task, SYNCHRONOUS, 0]).finish());
    };
    task_event(&mut trace, 1, 1, 14, words(&[31]).utf16("Async: <Call>d__1").u64(0));
    blocks(&mut trace, 10, 31);
    task_event(&mut trace, 50, 2, 15, words(&[31, COMPLETED]));
    task_event(&mut trace, 60, 1, 7, words(&[1, 0, 5, 0, 0, 1]));
    task_event(&mut trace, 70, 2, 8, words(&[1, 0, 5]));
    blocks(&mut trace, 80, 5);
    task_event(&mut trace, 100, 2, 9, words(&[1, 0, 5, 0]));
    // It has no other events.
    blocks(&mut trace, 200, 77);
    task_event(&mut trace, 9_000, 1, 7, words(&[1, 0, 6, 0, 0, 1]));
    let (store, bytes) = trace.finish();
    let report = report(Topic::Tasks, &store, &bytes, "");
    assert_eq!(["blockingWaits", "blockedNs"].map(|key| figure(&report, key)), [3.0, 60.0], "not until the trace ends");
    assert_eq!(rows(table(&report, "blocking"), &["count", "maxNs", "totalNs"]), [["3", "40", "60"]]);
}

#[test]
fn async_method_time_excludes_callees() {
    const EXECUTION: u32 = 2;
    let mut trace = ActivityTrace::default();
    for (at, task, name) in [(1, 31, "Async: <Outer>d__1"), (2, 32, "Async: <Inner>d__2")] {
        task_event(&mut trace, at, 1, 14, words(&[task]).utf16(name).u64(0));
    }
    task_event(&mut trace, 10, 1, 17, words(&[31, EXECUTION]));
    task_event(&mut trace, 20, 1, 17, words(&[32, EXECUTION]));
    task_event(&mut trace, 50, 1, 18, words(&[EXECUTION]));
    task_event(&mut trace, 60, 1, 18, words(&[EXECUTION]));
    task_event(&mut trace, 100, 1, 15, words(&[31, COMPLETED]));
    let (store, bytes) = trace.finish();
    let report = report(Topic::Tasks, &store, &bytes, "");
    let operations = rows(table(&report, "operations"), &["method", "ranNs", "awaitedNs"]);
    assert_eq!(operations, [["Outer", "20", "49"], ["Inner", "30", ""]]);
    assert_eq!(figure(&report, "asyncRanNs"), 50.0);
}

/// The runtime of .NET 11 records async methods in buffers with many events each.
#[test]
fn async_profiler_buffers_have_headers_and_chains() {
    let bytes = include_bytes!("../../../../../../tests/fixtures/cases/asyncprofiler.nettrace").to_vec();
    let store = read(&bytes);
    assert!(is_recorded(Topic::Tasks, &store));
    let report = report(Topic::Tasks, &store, &bytes, "");
    let words = "12 async events on 4 threads, from System.Runtime.CompilerServices.AsyncProfilerEventSource.";
    assert_eq!(report.verdict, words);
    assert_eq!(["asyncEvents", "asyncThreads"].map(|key| figure(&report, key)), [12.0, 4.0]);
    assert_eq!(report.explanation, "4 async chains executed for 400 µs.");
    let chains = rows(table(&report, "asyncChains"), &["chain", "createdNs", "resumes", "ranNs", "state"]);
    assert_eq!(chains[0], ["100", "10100000", "1", "100000", "complete"]);
    let buffers = rows(table(&report, "asyncBuffers"), &["osThread", "events", "startNs", "durationNs", "bytes"]);
    assert_eq!(buffers[0], ["500", "3", "10000000", "300000", "52"]);
    assert_eq!(buffers.len(), 4);
    let event = EventId(0);
    let detail = event_detail(&store, &bytes, event).expect("payloads").expect("an event");
    assert_eq!((detail.name.as_str(), detail.schema_source.as_str()), ("AsyncEvents", "the built-in manifest"));
    let fields: Vec<_> = detail.fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(fields[..4], ["Length", "Buffer", "Version", "TotalSize"]);
    let os_thread = detail.fields.iter().find(|field| field.name == "OsThreadId").expect("a field");
    assert_eq!(os_thread.value, "500");
    assert_eq!(detail.payload_bytes, 56);
}

/// Returns a buffer of a thread: its first timestamp, and records of one-byte numbers: ID, ticks since the previous
/// one, payload.
fn buffer(thread: u64, start: u64, records: &[(u8, u8, &[u8])]) -> Vec<u8> {
    let mut bytes = PayloadWriter::new();
    for (id, delta, payload) in records {
        bytes = bytes.u8(*id).u8(*delta);
        bytes = if payload.is_empty() { bytes } else { bytes.u8(payload.len() as u8).bytes(payload) };
    }
    let bytes = bytes.finish();
    let total = bytes.len() as u32 + 37;
    let header = PayloadWriter::new().u32(total).u8(1).u32(total).u32(1).u64(thread).u32(records.len() as u32);
    header.u64(start).u64(start + 90).bytes(&bytes).finish()
}

#[test]
fn async_chain_runs_from_resume_to_next_wait() {
    let mut trace = ActivityTrace::default();
    let (create, resume, suspend, complete) = (11, 12, 13, 14);
    let first = buffer(5, 100, &[(create, 10, &[0, 7]), (resume, 10, &[7]), (create, 5, &[7, 8]), (suspend, 15, &[])]);
    // Another thread continues both, one nested in the other, and completes them.
    let inner: [(u8, u8, &[u8]); 4] = [(resume, 0, &[7]), (resume, 10, &[8]), (complete, 20, &[]), (complete, 30, &[])];
    trace.event_by_id(300, 1, "", (ASYNC_PROFILER, 1, 1), first);
    trace.event_by_id(310, 1, "", (ASYNC_PROFILER, 1, 1), buffer(9, 300, &[(77, 1, &[1])]));
    trace.event_by_id(400, 1, "", (ASYNC_PROFILER, 1, 1), buffer(6, 200, &inner));
    let (store, bytes) = trace.finish();
    let report = report(Topic::Tasks, &store, &bytes, "");
    let words = "2 async chains executed for 80 ns. Only the headers of 1 of 3 buffers were decoded.";
    assert_eq!(report.explanation, words);
    assert_eq!(
        rows(table(&report, "asyncChains"), &["chain", "parent", "createdNs", "resumes", "ranNs", "state"]),
        [["7", "", "110", "2", "60", "complete"], ["8", "7", "125", "1", "20", "complete"]]
    );
}
