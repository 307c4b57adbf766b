//! Builds a small store from a hand-written trace, for tests. One tick is one nanosecond; time 0 is the sync point.

use crate::model::Store;
use crate::model::testing::read;
use nettrace::testing::{Event, Format, PayloadWriter, TraceBuilder};
use nettrace::{Field, FieldType, MetadataRecord};

const TASKS: &str = "System.Threading.Tasks.TplEventSource";
/// Provider of the runtime's events.
pub const RUNTIME: &str = "Microsoft-Windows-DotNETRuntime";
/// Provider of [`What::Order`].
pub const ORDERS: &str = "Orders";
/// Size of each method's code in bytes.
const CODE_BYTES: u64 = 16;

/// Content of an event.
#[derive(Clone, Debug)]
pub enum What {
    /// A sample: managed or not, and the stack, root first, of numbers of methods named `Shop.M1()`, `Shop.M2()` …
    Sample(bool, Vec<u64>),
    /// An event of the app with a text and a number.
    Order(&'static str, i32),
    /// The same with a stack.
    StackedOrder(&'static str, i32, Vec<u64>),
    /// An exception with its message.
    Throw(&'static str),
    /// The runtime begins to suspend threads, with this reason.
    SuspendBegin(u32),
    /// All threads are suspended.
    SuspendEnd,
    /// All threads run again.
    RestartEnd,
    GcStart(u32),
    GcEnd(u32),
    /// A task is scheduled on the thread pool, with a stack.
    Schedule(u32, Vec<u64>),
    /// It starts to run.
    RunTask(u32),
    /// It ends.
    EndTask(u32),
    /// Bytes allocated since the last event.
    Allocate(u64),
    /// Any event of a provider: ID, version, payload and stack.
    Any(&'static str, u32, u32, Vec<u8>, Vec<u64>),
    /// The thread begins to wait for a contended lock.
    WaitForLock {
        /// ID of the lock.
        lock: u64,
        /// OS ID of the owner.
        owner: u64,
        /// Stack of the wait.
        stack: Vec<u64>,
    },
    /// The thread acquired the lock.
    HaveLock,
    /// The thread begins to wait on a handle or monitor.
    WaitForHandle {
        /// True for a monitor.
        is_monitor: bool,
        /// Stack of the wait.
        stack: Vec<u64>,
    },
    /// That wait ended.
    HandleSet,
    /// A worker starts; with the number of workers.
    WorkerStart(u32),
    /// The thread pool changes its target; with the number of workers and the reason code.
    AdjustPool(u32, u32),
    /// Throughput of the thread pool in work items per second.
    PoolThroughput(f64),
    /// A work item is enqueued.
    Enqueue,
    /// A work item is dequeued.
    Dequeue,
    /// A catch block begins, in a method with this name.
    Catch(&'static str),
    /// It ends.
    CaughtEnd,
    /// An exception of this type, with its flags and a stack.
    ThrowAt(&'static str, u16, Vec<u64>),
    /// The compilation of a method starts: ID, IL bytes, type and name.
    Compile(u64, u32, &'static str, &'static str),
    /// Its code is loaded: ID, bytes, flags, and whether it is a new version of the code.
    Compiled(u64, u32, u32, bool),
    /// An assembly is loaded.
    LoadAssembly(&'static str),
    /// The runtime reports its version and startup options.
    RuntimeStart,
}

/// Returns an event of the runtime: ID, version and payload.
pub fn runtime(event_id: u32, version: u32, payload: PayloadWriter) -> What {
    What::Any(RUNTIME, event_id, version, payload.finish(), Vec::new())
}

/// Time, thread and event.
pub type Happening = (i64, u64, What);

fn record(metadata_id: u32, provider: &str, event_id: u32, version: u32) -> MetadataRecord {
    MetadataRecord {
        metadata_id,
        provider: provider.to_owned(),
        event_id,
        version,
        level: 4,
        ..MetadataRecord::default()
    }
}

fn records() -> Vec<MetadataRecord> {
    let fields = vec![Field::new("sku", FieldType::Utf16String), Field::new("amount", FieldType::Int32)];
    vec![
        record(1, "Microsoft-DotNETCore-SampleProfiler", 0, 0),
        MetadataRecord { name: "OrderPlaced".to_owned(), fields, ..record(2, ORDERS, 7, 0) },
        record(3, RUNTIME, 80, 1),
        record(4, RUNTIME, 9, 1),
        record(5, RUNTIME, 8, 1),
        record(6, RUNTIME, 3, 1),
        record(7, RUNTIME, 1, 2),
        record(8, RUNTIME, 2, 1),
        record(9, RUNTIME, 143, 1),
        record(10, RUNTIME, 10, 3),
        record(11, TASKS, 7, 1),
        record(12, TASKS, 8, 1),
        record(13, TASKS, 9, 1),
        record(14, RUNTIME, 81, 2),
        record(15, RUNTIME, 91, 1),
        record(16, RUNTIME, 301, 0),
        record(17, RUNTIME, 302, 0),
        record(18, RUNTIME, 50, 0),
        record(19, RUNTIME, 55, 0),
        record(20, RUNTIME, 54, 0),
        record(21, RUNTIME, 61, 0),
        record(22, RUNTIME, 62, 0),
        record(23, RUNTIME, 250, 0),
        record(24, RUNTIME, 251, 0),
        record(25, RUNTIME, 145, 1),
        record(26, RUNTIME, 143, 2),
        record(27, RUNTIME, 154, 1),
        record(28, RUNTIME, 187, 0),
        record(29, RUNTIME, 152, 1),
    ]
}

/// Returns the payload for the code of a method: 16 bytes at its number × 0x1000.
pub fn method_load(method: u64, module: u64, type_name: &str, name: &str) -> Vec<u8> {
    let code = PayloadWriter::new().u64(method).u64(module).u64(method * 0x1000).u32(CODE_BYTES as u32).u32(0).u32(1);
    code.utf16(type_name).utf16(name).utf16("void  ()").u16(0).finish()
}

fn written(what: &What, others: &[MetadataRecord]) -> (u32, Vec<u8>) {
    let payload = PayloadWriter::new();
    match what {
        What::Any(provider, event_id, version, payload, _) => {
            let is_it = |one: &&MetadataRecord| {
                (one.provider.as_str(), one.event_id, one.version) == (*provider, *event_id, *version)
            };
            (others.iter().find(is_it).expect("its record").metadata_id, payload.clone())
        }
        What::Sample(managed, _) => (1, payload.u32(if *managed { 2 } else { 1 }).finish()),
        What::Order(sku, amount) | What::StackedOrder(sku, amount, _) => (2, payload.utf16(sku).i32(*amount).finish()),
        What::Throw(message) => {
            (3, payload.utf16("System.FormatException").utf16(message).u64(0).u32(0).u16(0).u16(0).finish())
        }
        What::SuspendBegin(reason) => (4, payload.u32(*reason).u32(0).u16(0).finish()),
        What::SuspendEnd => (5, payload.u16(0).finish()),
        What::RestartEnd => (6, payload.u16(0).finish()),
        What::GcStart(number) => (7, payload.u32(*number).u32(2).u32(1).u32(0).u16(0).u64(0).finish()),
        What::Schedule(task, _) => (11, payload.u32(1).u32(0).u32(*task).u32(0).u32(0).u32(1).finish()),
        What::RunTask(task) => (12, payload.u32(1).u32(0).u32(*task).finish()),
        What::EndTask(task) => (13, payload.u32(1).u32(0).u32(*task).bytes(&[0]).finish()),
        What::Allocate(bytes) => {
            (10, payload.u32(*bytes as u32).u32(0).u16(0).u64(*bytes).u64(0).utf16("System.String").u32(0).finish())
        }
        What::GcEnd(number) => (8, payload.u32(*number).u32(2).u16(0).finish()),
        What::WaitForLock { lock, owner, .. } => {
            (14, payload.bytes(&[0]).u16(0).u64(*lock).u64(0).u64(*owner).finish())
        }
        What::HaveLock => (15, payload.bytes(&[0]).u16(0).f64(0.0).finish()),
        What::WaitForHandle { is_monitor, .. } => (16, payload.bytes(&[u8::from(*is_monitor)]).u64(0).u16(0).finish()),
        What::HandleSet => (17, payload.u16(0).finish()),
        What::WorkerStart(active) => (18, payload.u32(*active).u32(0).u16(0).finish()),
        What::AdjustPool(workers, reason) => (19, payload.f64(0.0).u32(*workers).u32(*reason).u16(0).finish()),
        What::PoolThroughput(rate) => (20, payload.f64(*rate).u16(0).finish()),
        What::Enqueue => (21, payload.u64(0).u16(0).finish()),
        What::Dequeue => (22, payload.u64(0).u16(0).finish()),
        What::Catch(method) => (23, payload.u64(0).u64(0).utf16(method).u16(0).finish()),
        What::CaughtEnd => (24, payload.finish()),
        What::ThrowAt(name, flags, _) => (3, payload.utf16(name).utf16("no").u64(0).u32(0).u16(*flags).u16(0).finish()),
        What::Compile(method, il, namespace, name) => {
            let payload = payload.u64(*method).u64(1).u32(0).u32(*il);
            (25, payload.utf16(namespace).utf16(name).utf16("void  ()").u16(0).finish())
        }
        What::Compiled(method, size, flags, is_new) => {
            let payload = payload.u64(*method).u64(1).u64(0x9000_0000 + method * 0x1000).u32(*size).u32(0).u32(*flags);
            let payload = payload.utf16("Shop.Late").utf16("Compiled").utf16("void  ()").u16(0).finish();
            (if *is_new { 26 } else { 9 }, payload)
        }
        What::LoadAssembly(name) => (27, payload.u64(1).u64(1).u64(1).u32(0).utf16(name).u16(0).finish()),
        What::RuntimeStart => (28, payload.finish()),
    }
}

/// Returns the stack of an event, root first, if it has one.
fn stack_of(what: &What) -> Option<&[u64]> {
    match what {
        What::Sample(_, stack)
        | What::StackedOrder(_, _, stack)
        | What::Schedule(_, stack)
        | What::WaitForLock { stack, .. }
        | What::WaitForHandle { stack, .. }
        | What::Any(_, _, _, _, stack)
        | What::ThrowAt(_, _, stack) => Some(stack),
        _ => None,
    }
}

/// Returns the store of these events, which are in time order, and the bytes of the trace.
pub fn store_of(happenings: &[Happening]) -> (Store, Vec<u8>) {
    let names: Vec<String> = (1..10).map(|method| format!("M{method}")).collect();
    let methods: Vec<(&str, &str)> = names.iter().map(|name| ("Shop", name.as_str())).collect();
    store_with(&methods, &[], happenings)
}

/// Returns the store of samples with these stacks, root first, of methods 1, 2, … with these types and names.
pub fn store_of_methods(methods: &[(&str, &str)], stacks: &[&[u64]]) -> (Store, Vec<u8>) {
    let sample = |(at, stack): (i64, &&[u64])| (at, 5, What::Sample(true, stack.to_vec()));
    store_with(methods, &[], &(0..).zip(stacks).map(sample).collect::<Vec<Happening>>())
}

/// Returns the store of these events, which are in time order; methods 1, 2, … have these types and names. Types of
/// `System` and `Microsoft` belong to .NET, those of `dynamicClass` are dynamic, and all others belong to the app.
pub fn store_of_program(methods: &[(&str, &str)], happenings: &[Happening]) -> (Store, Vec<u8>) {
    let mut modules = vec![(1, "/app/Shop.dll"), (2, "/dotnet/System.Private.CoreLib.dll")];
    if methods.iter().any(|(type_name, _)| *type_name == "dynamicClass") {
        modules.push((3, "Anonymously Hosted DynamicMethods Assembly"));
    }
    store_with(methods, &modules, happenings)
}

fn store_with(methods: &[(&str, &str)], modules: &[(u64, &str)], happenings: &[Happening]) -> (Store, Vec<u8>) {
    let header = nettrace::Header { sync_ticks: 0, tick_frequency: 1_000_000_000, ..Format::Nettrace4.header() };
    let mut trace = TraceBuilder::with_header(Format::Nettrace4, &header);
    let mut all_records = records();
    for (_, _, what) in happenings {
        let What::Any(provider, event_id, version, _, _) = what else { continue };
        let other = record(all_records.len() as u32 + 1, provider, *event_id, *version);
        let is_known = |one: &MetadataRecord| {
            (one.provider.as_str(), one.event_id, one.version) == (*provider, *event_id, *version)
        };
        if !all_records.iter().any(is_known) {
            all_records.push(other);
        }
    }
    trace.metadata(&all_records);
    let mut stacks: Vec<Vec<u64>> = Vec::new();
    let mut events: Vec<Event> = Vec::new();
    let mut sequence = 0;
    let mut push = |timestamp: i64, thread: u64, stack_id: u32, metadata_id: u32, payload: Vec<u8>| {
        sequence += 1;
        events.push(Event {
            metadata_id,
            sequence,
            capture_thread: 1,
            thread,
            // Not recorded for thread 5.
            processor: if thread == 5 { u32::MAX } else { thread as u32 },
            stack_id,
            timestamp,
            is_sorted: true,
            payload,
            ..Event::default()
        });
    };
    let first = happenings.first().map_or(0, |happening| happening.0);
    for (module, path) in modules {
        let payload = PayloadWriter::new().u64(*module).u64(1).u32(0).u32(0).utf16(path).utf16("").u16(0);
        push(first - 10, 1, 0, 29, payload.finish());
    }
    for (method, (type_name, name)) in (1..).zip(methods) {
        let is_of = |starts: &[&str]| modules.len() > 1 && starts.iter().any(|start| type_name.starts_with(start));
        let module = match () {
            () if is_of(&["System.", "Microsoft."]) => 2,
            () if is_of(&["dynamicClass"]) => 3,
            () => 1,
        };
        push(first - 10 + method as i64, 1, 0, 9, method_load(method, module, type_name, name));
    }
    for (time, thread, what) in happenings {
        let mut stack_id = 0;
        if let Some(methods) = stack_of(what) {
            stacks.push(methods.iter().rev().map(|method| method * 0x1000 + 4).collect());
            stack_id = stacks.len() as u32;
        }
        let (metadata_id, payload) = written(what, &all_records);
        push(*time, *thread, stack_id, metadata_id, payload);
    }
    let borrowed: Vec<&[u64]> = stacks.iter().map(Vec::as_slice).collect();
    trace.stacks(1, &borrowed);
    trace.events(&events);
    let bytes = trace.finish();
    (read(&bytes), bytes)
}
