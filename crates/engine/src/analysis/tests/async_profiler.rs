//! Tests async call stacks of .NET 11, with buffers in the runtime's layout.

use crate::analysis::events::excerpt::needed_payloads;
use crate::analysis::scan::selection::Selection;
use crate::analysis::testing::{Happening, What, store_of_program};
use crate::analysis::topics::tests::reports::{report, rows, table};
use crate::clr::source_names::ASYNC_PROFILER;
use crate::model::testing::case;
use crate::model::{AsyncCallers, Store};
use nettrace::testing::PayloadWriter;
use proptest::prelude::*;
use protocol::base::hash::FastSet;
use protocol::base::ids::EventId;
use protocol::topics::topic::Topic;

/// The thread that runs chains.
const WORKER: u64 = 7;

/// A buffer under construction.
pub(crate) struct Buffer {
    start: u64,
    last: u64,
    records: u32,
    bytes: PayloadWriter,
}

impl Buffer {
    pub fn new(start: u64) -> Self {
        Self { start, last: start, records: 0, bytes: PayloadWriter::new() }
    }

    /// Appends a record whose payload length takes `width` bytes.
    pub fn record(mut self, at: u64, id: u8, width: u8, payload: &[u8]) -> Self {
        let bytes = self.bytes.u8(id).var_u64(at - self.last);
        let bytes = match width {
            0 => bytes,
            1 => bytes.u8(payload.len() as u8),
            _ => bytes.u16(payload.len() as u16),
        };
        self.bytes = bytes.bytes(payload);
        (self.last, self.records) = (at, self.records + 1);
        self
    }

    /// Appends a call stack, which begins with the method that runs next.
    pub fn stack(self, at: u64, id: u8, chain: u64, addresses: &[u64]) -> Self {
        let has_states = matches!(id, 16 | 19);
        let mut payload = PayloadWriter::new().u8(0).u8(0).u8(addresses.len() as u8).var_u64(chain);
        let mut last = None;
        for &address in addresses {
            payload = match last {
                None => payload.var_u64(address),
                Some(last) => payload.var_i64(address.wrapping_sub(last) as i64),
            };
            payload = if has_states { payload.var_i64(1) } else { payload };
            last = Some(address);
        }
        self.record(at, id, 2, &payload.finish())
    }

    /// Returns the payload of the event, for a thread.
    pub fn finish(self, thread: u64) -> Vec<u8> {
        let bytes = self.bytes.finish();
        let total = bytes.len() as u32 + 37;
        let header = PayloadWriter::new().u32(total).u8(1).u32(total).u32(1).u64(thread).u32(self.records);
        header.u64(self.start).u64(self.last).bytes(&bytes).finish()
    }
}

/// Returns the event that writes a buffer of the worker, on another thread.
fn written(at: i64, buffer: Buffer) -> Happening {
    (at, 1, What::Any(ASYNC_PROFILER, 1, 1, buffer.finish(WORKER), Vec::new()))
}

fn sample(at: i64, stack: &[u64]) -> Happening {
    (at, WORKER, What::Sample(true, stack.to_vec()))
}

/// Returns the functions on the stack of each sample, the outermost first, by short type name and method.
fn stacks(store: &Store) -> Vec<String> {
    let samples = (0..store.events.len() as u32).map(|event| store.events.row(EventId(event)));
    let samples = samples.filter(|row| store.types.get(row.event_type).is_some_and(|one| one.sample_state.is_some()));
    let names = samples.map(|row| {
        let frames = store.stacks.leaf_to_root(row.stack);
        let mut names: Vec<&str> = frames
            .filter_map(|frame| store.function_of(frame))
            .map(|function| store.strings.get(function.short_name).rsplit('.').next().unwrap_or_default())
            .collect();
        names.reverse();
        names.join(" ")
    });
    names.collect()
}

fn callers(continued: u64, unknown: u64) -> AsyncCallers {
    AsyncCallers { continued, unknown, is_cut: false }
}

/// Returns an address in the code of a test method.
fn inside(method: u64) -> u64 {
    method * 0x1000 + 8
}

const RUNTIME_ASYNC: [(&str, &str); 8] = [
    ("System.Threading.PortableThreadPool+WorkerThread", "WorkerThreadStart"),
    ("System.Runtime.CompilerServices.AsyncHelpers+RuntimeAsyncTask`1", "InstrumentedDispatchContinuations"),
    ("System.Runtime.CompilerServices.AsyncProfiler+ContinuationWrapper", "Continuation_Wrapper_0"),
    ("System.Runtime.CompilerServices.AsyncProfiler+ContinuationWrapper", "Continuation_Wrapper_1"),
    ("Shop.Orders", "LoadAsync"),
    ("Shop.Orders", "ListAsync"),
    ("Shop.Program", "HandleAsync"),
    ("Shop.Orders", "Parse"),
];

#[test]
fn stack_below_wrapper_frame_continues_with_awaiting_methods() {
    // Two wrapper frames, which are reused.
    let metadata = [1, 1, 1, 1, 2, 0];
    let buffer = Buffer::new(50)
        .record(60, 22, 2, &metadata)
        .stack(100, 7, 9, &[inside(5), inside(6), inside(7)])
        .record(130, 21, 0, &[])
        .record(150, 3, 0, &[]);
    let (store, bytes) = store_of_program(
        &RUNTIME_ASYNC,
        &[
            (0, 1, What::Order("a", 1)),
            sample(90, &[1, 2, 3, 5]),
            sample(110, &[1, 2, 3, 5, 8]),
            sample(115, &[1, 2, 3]),
            sample(116, &[1, 2, 3, 8]),
            sample(120, &[1, 2, 4, 6, 8]),
            sample(140, &[1, 2, 3, 7]),
            sample(160, &[1, 2, 3, 5]),
            sample(170, &[1, 8]),
            written(400, buffer),
        ],
    );
    let expected = [
        "WorkerThreadStart InstrumentedDispatchContinuations Continuation_Wrapper_0 LoadAsync",
        "WorkerThreadStart HandleAsync ListAsync LoadAsync Parse",
        "WorkerThreadStart InstrumentedDispatchContinuations Continuation_Wrapper_0",
        // The expected running method isn't on the stack, so the record may be of another chain.
        "WorkerThreadStart InstrumentedDispatchContinuations Continuation_Wrapper_0 Parse",
        "WorkerThreadStart HandleAsync ListAsync Parse",
        "WorkerThreadStart HandleAsync",
        "WorkerThreadStart InstrumentedDispatchContinuations Continuation_Wrapper_0 LoadAsync",
        "WorkerThreadStart Parse",
    ];
    assert_eq!(stacks(&store), expected);
    assert_eq!(store.async_callers, callers(3, 4));
    let told = report(Topic::Tasks, &store, &bytes, "");
    let chains = rows(table(&told, "asyncChains"), &["chain", "methods", "resumes", "ranNs"]);
    assert_eq!(chains, [["9", "Program.HandleAsync → Orders.ListAsync → Orders.LoadAsync", "1", "50"]]);
    let by_method = rows(table(&told, "asyncChainMethods"), &["methods", "chains", "resumes", "ranNs"]);
    assert_eq!(by_method, [["Program.HandleAsync → Orders.ListAsync → Orders.LoadAsync", "1", "1", "50"]]);
    let words = "1 async chain executed for 50 ns. In the whole trace, the stacks of 3 events show their async callers; \
         4 have no matching record.";
    assert_eq!(told.explanation, words);
}

/// The command-line tool is tested with this file. Write it with `WRITE_FIXTURES=1`.
#[test]
fn fixture_has_samples_of_an_async_chain() {
    const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/cases/asyncstacks.nettrace");
    const MS: i64 = 1_000_000;
    let ticks = |ms: u64| ms * MS as u64;
    let mut buffer = Buffer::new(ticks(1));
    let mut happenings: Vec<Happening> = vec![(0, 1, What::Order("a", 1))];
    for (chain, at) in (0..3).map(|chain| (chain, 10 + chain * 10)) {
        buffer =
            buffer.stack(ticks(at), 7, 20 + chain, &[inside(5), inside(6), inside(7)]).record(ticks(at + 8), 4, 0, &[]);
        let stacks: [&[u64]; 8] =
            [&[1, 2, 3, 5, 8], &[1, 2, 3, 5], &[1, 2, 4, 6, 8], &[1, 2, 4, 6, 8], &[1, 2, 4, 6], &[1, 2], &[1], &[1]];
        let times = (at as i64 * MS + MS / 2..).step_by(MS as usize);
        happenings.extend(times.zip(stacks).map(|(time, stack)| sample(time, stack)));
    }
    happenings.push(written(60 * MS, buffer));
    let (store, bytes) = store_of_program(&RUNTIME_ASYNC, &happenings);
    assert_eq!(store.async_callers, callers(15, 0));
    if std::env::var_os("WRITE_FIXTURES").is_some() {
        std::fs::write(PATH, &bytes).expect("a writable file");
    }
    let (written, _) = case("asyncstacks");
    assert_eq!((stacks(&written), written.async_callers), (stacks(&store), store.async_callers));
}

#[test]
fn excerpt_has_async_buffers_of_its_stacks() {
    let buffer = Buffer::new(50).stack(100, 7, 9, &[inside(5), inside(6)]);
    let happened = [(0, 1, What::Order("a", 1)), sample(110, &[1, 2, 3, 5]), written(400, buffer)];
    let (store, bytes) = store_of_program(&RUNTIME_ASYNC, &happened);
    let rows = store.events.len();
    let selected = Selection::of_range(rows - 2..rows - 1, rows);
    let needed = needed_payloads(&store, &bytes, &selected, &FastSet::default()).expect("payloads");
    let last = store.events.row(EventId(rows as u32 - 1));
    assert_eq!(store.types.get(last.event_type).map(|one| one.provider.as_str()), Some(ASYNC_PROFILER));
    assert!(needed.iter().any(|(offset, _)| *offset == last.payload_offset), "it is written after the sample");
}

#[test]
fn nested_chain_continues_with_callers_of_both() {
    let buffer = Buffer::new(50)
        .stack(100, 7, 9, &[inside(6), inside(7)])
        .stack(110, 7, 10, &[inside(5), inside(8)])
        .record(130, 4, 0, &[]);
    let (store, _) = store_of_program(
        &RUNTIME_ASYNC,
        &[
            (0, 1, What::Order("a", 1)),
            sample(120, &[1, 2, 3, 6, 2, 3, 5]),
            sample(140, &[1, 2, 3, 6]),
            written(400, buffer),
        ],
    );
    let expected =
        ["WorkerThreadStart HandleAsync ListAsync Parse LoadAsync", "WorkerThreadStart HandleAsync ListAsync"];
    assert_eq!(stacks(&store), expected);
}

#[test]
fn latest_chain_runs_without_end_records() {
    let buffer =
        Buffer::new(50).stack(100, 7, 9, &[inside(6), inside(7)]).stack(110, 7, 10, &[inside(5), 0, inside(8)]);
    let (store, _) = store_of_program(
        &RUNTIME_ASYNC,
        &[
            (0, 1, What::Order("a", 1)),
            sample(105, &[1, 2, 3, 6]),
            sample(120, &[1, 2, 3, 5]),
            sample(130, &[1, 2, 3, 6]),
            written(400, buffer),
        ],
    );
    let expected = [
        "WorkerThreadStart HandleAsync ListAsync",
        "WorkerThreadStart Parse LoadAsync",
        "WorkerThreadStart InstrumentedDispatchContinuations Continuation_Wrapper_0 ListAsync",
    ];
    assert_eq!(stacks(&store), expected, "a step without an address isn't shown");
}

const STATE_MACHINES: [(&str, &str); 9] = [
    ("System.Threading.PortableThreadPool+WorkerThread", "WorkerThreadStart"),
    ("System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncStateMachineBox`1[A.B,C+<D>d__1]", "Run"),
    (
        "System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1+AsyncProfilerAsyncStateMachineBox`1",
        "MoveNextAsDispatcher",
    ),
    ("Shop.Orders+<Inner>d__1", "MoveNext"),
    ("Shop.Orders+<Outer>d__2", "MoveNext"),
    ("Shop.Orders+<Top>d__3", "MoveNext"),
    ("System.Runtime.CompilerServices.AsyncMethodBuilderCore", "Start"),
    ("Shop.Orders", "Parse"),
    ("System.Runtime.CompilerServices.AsyncTaskMethodBuilder`1", "SetExistingTaskResult"),
];

#[test]
fn buffer_of_unknown_layout_is_a_parse_issue() {
    let unknown = |at: usize, byte: u8| {
        let mut buffer = Buffer::new(50).record(100, 12, 1, &[7]).finish(WORKER);
        buffer[at] = byte;
        let written = (400, 1, What::Any(ASYNC_PROFILER, 1, 1, buffer, Vec::new()));
        let (store, _) = store_of_program(&STATE_MACHINES, &[(0, 1, What::Order("a", 1)), written]);
        store.diagnostics.examples.iter().map(|one| one.message.clone()).collect::<Vec<_>>()
    };
    let words = ["A buffer of the async profiler has an unknown layout; its async calls are missing."];
    assert_eq!(unknown(4, 1), [""; 0], "the known version");
    assert_eq!(unknown(4, 2), words, "another version");
    assert_eq!(unknown(41, 200), words, "an unknown record");
}

#[test]
fn state_machine_stack_continues_with_awaiting_methods() {
    // The addresses are the starts of the methods' code.
    let buffer = Buffer::new(50)
        .stack(100, 16, 3, &[0x4000, 0x5000])
        .stack(105, 19, 3, &[0x6000])
        .stack(106, 19, 4, &[0x8000])
        .record(140, 15, 1, &[1])
        .record(160, 14, 0, &[]);
    let (store, bytes) = store_of_program(
        &STATE_MACHINES,
        &[
            (0, 1, What::Order("a", 1)),
            sample(102, &[1, 2, 3, 2, 4, 8]),
            sample(110, &[1, 2, 3, 4, 9, 5, 8]),
            sample(120, &[1, 3, 4, 7, 5, 8]),
            sample(150, &[1, 3, 5, 8]),
            sample(155, &[1, 3, 8]),
            sample(170, &[1, 3, 4]),
            written(400, buffer),
        ],
    );
    let names = |stack: &str| stack.replace(" (async)", "");
    let expected = [
        "WorkerThreadStart Top Outer Inner Parse",
        "WorkerThreadStart Top Outer Parse",
        // A method that Inner calls and that completes immediately isn't the one that awaits Inner.
        "WorkerThreadStart Top Outer Inner Start Outer Parse",
        "WorkerThreadStart Top Outer Parse",
        "WorkerThreadStart MoveNextAsDispatcher Parse",
        "WorkerThreadStart MoveNextAsDispatcher Inner",
    ];
    assert_eq!(stacks(&store).iter().map(|stack| names(stack)).collect::<Vec<_>>(), expected);
    assert_eq!(store.async_callers, callers(4, 2));
    let told = report(Topic::Tasks, &store, &bytes, "");
    let chains = rows(table(&told, "asyncChains"), &["chain", "methods"]);
    assert_eq!(names(&chains[0][1]), "Orders.Outer → Orders.Inner");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn stacks_keep_inner_frames_with_any_records(
        records in proptest::collection::vec((0u8..25, proptest::collection::vec(any::<u8>(), 0..12)), 0..20),
        resumed in proptest::collection::vec(5u64..9, 0..5),
        samples in proptest::collection::vec(proptest::collection::vec(1u64..9, 1..8), 1..10),
    ) {
        let mut buffer = Buffer::new(50);
        for (at, (id, payload)) in (60..).zip(&records) {
            let addresses: Vec<u64> = resumed.iter().map(|method| inside(*method)).collect();
            buffer = match id {
                7 | 16 | 19 => buffer.stack(at, *id, payload.len() as u64, &addresses),
                1 | 2 | 5 | 11 | 12 | 15 | 23 | 24 => buffer.record(at, *id, 1, payload),
                6 | 8 | 22 => buffer.record(at, *id, 2, payload),
                _ => buffer.record(at, *id, 0, &[]),
            };
        }
        let mut happenings = vec![(0, 1, What::Order("a", 1))];
        happenings.extend((62..).zip(&samples).map(|(at, stack)| sample(at, stack)));
        let (before, _) = store_of_program(&RUNTIME_ASYNC, &happenings);
        happenings.push(written(400, buffer));
        let (after, bytes) = store_of_program(&RUNTIME_ASYNC, &happenings);
        report(Topic::Tasks, &after, &bytes, "");
        for (before, after) in stacks(&before).iter().zip(&stacks(&after)) {
            let inner = |stack: &str| stack.split(' ').next_back().map(str::to_owned);
            prop_assert_eq!(inner(before), inner(after));
        }
    }
}
