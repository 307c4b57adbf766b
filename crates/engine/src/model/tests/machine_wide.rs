//! Tests machine-wide traces of version 6: processes, mapped files, symbols, runtime events
//! (docs/format/symbols.md#machine-wide-traces).

use super::*;
use nettrace::{LabelList, LabelValue, ThreadRow, Unrecorded};

const SYSTEM: &str = "Universal.System";
const EVENTS: &str = "Universal.Events";

fn text(payload: PayloadWriter, text: &str) -> PayloadWriter {
    payload.u16(text.len() as u16).bytes(text.as_bytes())
}

fn process(name: &str) -> Vec<u8> {
    text(text(PayloadWriter::new().var_u64(0), name), "Unknown").finish()
}

fn mapping(id: u64, start: u64, end: u64, path: &str) -> Vec<u8> {
    text(PayloadWriter::new().var_u64(id).var_u64(start).var_u64(end).var_u64(0), path).var_u64(0).finish()
}

fn symbol(mapping: u64, start: u64, last: u64, name: &str) -> Vec<u8> {
    text(PayloadWriter::new().var_u64(0).var_u64(mapping).var_u64(start).var_u64(last), name).finish()
}

const PROCESS: u32 = 1;
const MAPPING: u32 = 2;
const SYMBOL: u32 = 3;
const CPU: u32 = 4;

/// Writer of a trace with three threads: index 1 in process 100, 2 in process 200, 3 in the machine itself.
struct Machine {
    trace: TraceBuilder,
    events: Vec<Event>,
}

impl Machine {
    fn new() -> Self {
        let mut trace = trace(Format::Nettrace6);
        let named = |metadata_id, provider, event_id, name: &str| MetadataRecord {
            name: name.to_owned(),
            ..record(metadata_id, provider, event_id, 0)
        };
        trace.metadata(&[
            named(PROCESS, SYSTEM, 0, "ExistingProcess"),
            named(MAPPING, SYSTEM, 3, "ProcessMapping"),
            named(SYMBOL, SYSTEM, 4, "ProcessSymbol"),
            named(CPU, EVENTS, 77, "cpu"),
        ]);
        let row = |index, process, thread| ThreadRow {
            index,
            process_id: Some(process),
            thread_id: Some(thread),
            ..ThreadRow::default()
        };
        trace.threads(&[row(1, 100, 101), row(2, 200, 201), row(3, 0, 0)]);
        Self { trace, events: Vec::new() }
    }

    fn push(&mut self, thread: u64, metadata_id: u32, stack_id: u32, payload: Vec<u8>) {
        let sequence = self.events.len() as u32 + 1;
        let timestamp = i64::from(sequence);
        self.events.push(Event { metadata_id, sequence, thread, timestamp, stack_id, payload, ..Event::default() });
    }

    fn store(mut self) -> Store {
        self.trace.events(&self.events);
        read(&self.trace.finish())
    }

    /// Returns the stacks of the samples.
    fn stacks(self) -> Vec<Vec<String>> {
        let store = self.store();
        let is_sample = |row: &crate::model::EventRow| {
            store.types.get(row.event_type).is_some_and(|event_type| event_type.record.name == "cpu")
        };
        let names = |stack| raw_names(&store, stack).into_iter().map(str::to_owned).collect();
        rows(&store).iter().filter(|row| is_sample(row)).map(|row| names(row.stack)).collect()
    }
}

const KERNEL: u64 = 0xFFFF_FFFF_8100_0000;

#[test]
fn processes_have_own_code_and_share_kernel() {
    let mut machine = Machine::new();
    machine.trace.stacks(1, &[&[KERNEL + 8, 0x1010]]);
    machine.push(1, PROCESS, 0, process("shop"));
    machine.push(2, PROCESS, 0, process("bank"));
    machine.push(1, MAPPING, 0, mapping(1, 0x1000, 0x2000, "/usr/bin/shop"));
    machine.push(2, MAPPING, 0, mapping(2, 0x1000, 0x2000, "/usr/bin/bank"));
    machine.push(3, MAPPING, 0, mapping(3, KERNEL, KERNEL + 0x1000, "vmlinux"));
    machine.push(1, SYMBOL, 0, symbol(1, 0x1000, 0x101F, "sell"));
    machine.push(3, SYMBOL, 0, symbol(3, KERNEL, KERNEL + 0xF, "do_nap"));
    machine.push(1, CPU, 1, vec![1]);
    machine.push(2, CPU, 1, vec![1]);
    let expected = [["shop!sell", "vmlinux!do_nap"], ["bank!0x10", "vmlinux!do_nap"]];
    let store = machine.store();
    let names: Vec<_> = store.processes.iter().map(|one| (one.os_process, one.name.as_str())).collect();
    assert!(names.contains(&(100, "shop")) && names.contains(&(200, "bank")), "{names:?}");
    let stacks: Vec<_> = rows(&store).iter().filter(|row| row.stack.0 != 0).map(|row| row.stack).collect();
    assert_eq!(stacks.iter().map(|&stack| raw_names(&store, stack)).collect::<Vec<_>>(), expected);
    let is_managed = |stack| store.stacks.frame(stack).and_then(|frame| store.function_of(frame)).map(|f| f.is_managed);
    assert_eq!(is_managed(stacks[0]), Some(false));
}

#[test]
fn machine_wide_main_process_is_busiest() {
    for (header_names, expected) in [(0, 200), (100, 100)] {
        let header = Header { process_id: header_names, ..Format::Nettrace6.header() };
        let mut trace = TraceBuilder::with_header(Format::Nettrace6, &header);
        trace.metadata(&[record(1, EVENTS, 1, 0)]);
        let row = |index, process, thread| ThreadRow {
            index,
            process_id: Some(process),
            thread_id: Some(thread),
            ..ThreadRow::default()
        };
        trace.threads(&[row(1, 100, 101), row(2, 200, 201), row(3, 300, 0)]);
        let event = |(sequence, thread)| Event { metadata_id: 1, sequence, thread, ..Event::default() };
        // Events about the whole process 300 aren't written by it.
        trace.events(&(1..).zip([1, 2, 2, 3, 3, 3]).map(event).collect::<Vec<_>>());
        let store = read(&trace.finish());
        assert_eq!(store.processes.main().map(|process| process.os_process), Some(expected));
    }
}

#[test]
fn roles_are_assigned_in_runtime_process() {
    let mut trace = trace(Format::Nettrace6);
    trace.metadata(&[record(1, RUNTIME, 85, 0)]);
    let row =
        |index, process| ThreadRow { index, process_id: Some(process), thread_id: Some(7), ..ThreadRow::default() };
    trace.threads(&[row(1, 100), row(2, 200)]);
    let finalizer = PayloadWriter::new().u64(1).u64(0).u32(2).u32(0).u32(7).u16(0).finish();
    trace.events(&[Event { metadata_id: 1, sequence: 1, thread: 2, payload: finalizer, ..Event::default() }]);
    let store = read(&trace.finish());
    let labels: Vec<_> = store.threads.iter().map(|thread| thread.label()).collect();
    assert_eq!(labels, ["Thread", "Finalizer"], "not the thread of another process with the same id");
}

#[test]
fn symbol_includes_last_byte_and_has_first_name() {
    let mut machine = Machine::new();
    machine.trace.stacks(1, &[&[0x1010], &[0x101F], &[0x1020], &[0x1030], &[u64::MAX]]);
    machine.push(1, MAPPING, 0, mapping(1, 0x1000, 0x2000, "/lib/libc.so.6"));
    machine.push(3, MAPPING, 0, mapping(2, KERNEL, u64::MAX, "vmlinux"));
    machine.push(1, SYMBOL, 0, symbol(1, 0x1010, 0x100F, "empty"));
    machine.push(1, SYMBOL, 0, symbol(1, 0x1010, 0x101F, "__clone3"));
    machine.push(1, SYMBOL, 0, symbol(1, 0x1010, 0x101F, "clone3@@GLIBC_2.34"));
    machine.push(1, SYMBOL, 0, symbol(1, 0x1030, 0x1030, "one_byte"));
    machine.push(3, SYMBOL, 0, symbol(2, u64::MAX - 1, u64::MAX, "last"));
    for stack in 1..=5 {
        machine.push(1, CPU, stack, vec![1]);
    }
    let expected = ["libc.so.6!__clone3", "libc.so.6!__clone3", "libc.so.6!0x20", "libc.so.6!one_byte", "vmlinux!last"];
    assert_eq!(machine.stacks().concat(), expected);
}

#[test]
fn jitted_code_at_any_address_has_assembly_name() {
    let mut machine = Machine::new();
    machine.trace.stacks(1, &[&[0x1000], &[0x2000], &[0x3000], &[0x4000], &[0x1800], &[0x5008]]);
    let method = "instance void [Shop.Core] Shop.Basket::Add(int32)";
    for (id, start, path) in [(1, 0x1000, "/memfd:doublemapper (deleted)"), (2, 0x2000, "//anon"), (3, 0x3000, "")] {
        machine.push(1, MAPPING, 0, mapping(id, start, start + 0x1000, path));
        machine.push(1, SYMBOL, 0, symbol(id, start, start + 0xF, &format!("{method}[OptimizedTier1]")));
    }
    machine.push(1, MAPPING, 0, mapping(4, 0x4000, 0x5000, "/memfd:doublemapper"));
    machine.push(1, SYMBOL, 0, symbol(4, 0x4000, 0x400F, "stub Link<InstantiatingStub>"));
    machine.push(1, MAPPING, 0, mapping(5, 0x5000, 0x6000, "/app/Shop.Core.dll"));
    for stack in 1..=6 {
        machine.push(1, CPU, stack, vec![1]);
    }
    let store = machine.store();
    let leaves: Vec<_> = rows(&store)
        .iter()
        .filter_map(|row| store.function_of(store.stacks.frame(row.stack)?))
        .map(|function| (store.strings.get(function.raw_name), store.strings.get(function.name), function.is_managed))
        .collect();
    let jitted = ("Shop.Core!Shop.Basket::Add(int32)", "Shop.Basket.Add(int)", true);
    let stub = ("unknown!stub Link<InstantiatingStub>", "stub Link<InstantiatingStub>", false);
    let elsewhere = ("?!0x1800", "?!0x1800", false);
    assert_eq!(leaves, [jitted, jitted, jitted, stub, elsewhere, ("Shop.Core!0x8", "Shop.Core!0x8", true)]);
    assert_eq!(store.modules.len(), 3, "memory for jitted code isn't a module");
    let tiers: Vec<_> = store.methods.iter().map(|method| method.tier.words()).collect();
    assert_eq!(tiers, ["Tier 1", "Tier 1", "Tier 1", ""]);
}

#[test]
fn overlapped_mapping_keeps_both_ends() {
    let mut machine = Machine::new();
    machine.trace.stacks(1, &[&[0x1100], &[0x3100], &[0x5100], &[0x9100]]);
    machine.push(1, MAPPING, 0, mapping(1, 0x1000, 0x9000, "/lib/outer.so"));
    machine.push(1, MAPPING, 0, mapping(2, 0x3000, 0x4000, "/lib/inner.so"));
    for stack in 1..=4 {
        machine.push(1, CPU, stack, vec![1]);
    }
    assert_eq!(machine.stacks().concat(), ["outer.so!0x100", "inner.so!0x100", "outer.so!0x4100", "?!0x9100"]);
}

#[test]
fn labels_set_version_and_opcode_of_runtime_events() {
    let mut trace = trace(Format::Nettrace6);
    // As record-trace describes runtime events: with provider and ID, without version and fields.
    let unrecorded = Unrecorded { version: true, ..Unrecorded::default() };
    trace.metadata(&[record(1, RUNTIME, 1, 0), MetadataRecord { unrecorded, ..record(2, RUNTIME, 1, 0) }]);
    let number = |name: &str, plain| (name.to_owned(), LabelValue::Number { by_document: 0, plain });
    trace.labels(
        1,
        &[
            LabelList { pairs: vec![number("Version", 2), number("OpCode", 1)], ..LabelList::default() },
            LabelList { version: Some(2), opcode: Some(1), ..LabelList::default() },
            LabelList { level: Some(4), keywords: Some(1), ..LabelList::default() },
        ],
    );
    let payload = PayloadWriter::new().u32(9).u32(2).u32(1).u32(0).u16(0).u64(77).finish();
    let event = |sequence, label_list| Event {
        metadata_id: if sequence == 6 { 2 } else { 1 },
        sequence,
        timestamp: i64::from(sequence),
        label_list,
        payload: payload.clone(),
        ..Event::default()
    };
    trace.events(&[event(1, 0), event(2, 1), event(3, 2), event(4, 3), event(5, 1), event(6, 0)]);
    let bytes = trace.finish();
    let store = read(&bytes);
    let types: Vec<_> = rows(&store).iter().map(|row| row.event_type).collect();
    let found: Vec<_> = types
        .iter()
        .filter_map(|&id| store.types.get(id))
        .map(|found| (found.record.version, found.record.opcode, found.record.level, found.record.keywords))
        .collect();
    let second = (2, Some(1), 0, 0);
    // Without a declared version, the payload length and the newest version determine the version.
    assert_eq!(found, [(2, None, 0, 0), second, second, (2, None, 4, 1), second, (2, None, 0, 0)]);
    assert_eq!([types[1], types[1]], [types[2], types[4]], "what says the same is the same type");
    let fields = |event| {
        let values = store.decode(EventId(event), &bytes).expect("a payload");
        values.iter().map(|(field, value)| format!("{}={value:?}", field.name)).collect::<Vec<_>>()
    };
    assert_eq!([fields(0).len(), fields(1).len(), fields(5).len()], [6; 3]);
    assert!(fields(1).iter().any(|field| field.contains("77")), "{:?}", fields(1));
}
