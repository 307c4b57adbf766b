//! Tests stacks and their code: addresses and stack IDs are reused.

use super::*;
use protocol::base::ids::FrameId;

const CODE: u64 = 0x1000;

/// Returns the payload of a method event for the method `Shop.M<method>`.
fn method(method: u64, start: u64, size: u32) -> Vec<u8> {
    let code = PayloadWriter::new().u64(method).u64(1).u64(start).u32(size).u32(0).u32(8);
    code.utf16("Shop").utf16(&format!("M{method}")).utf16("void  ()").u16(0).finish()
}

const SAMPLE: u32 = 1;
const LOAD: u32 = 2;
const UNLOAD: u32 = 3;
const PRESENT: u32 = 4;
const IL_MAP: u32 = 5;
const ENTRY_POINT: u32 = 6;

struct Writer {
    trace: TraceBuilder,
    events: Vec<Event>,
}

impl Writer {
    fn new() -> Self {
        let mut trace = trace(Format::Nettrace4);
        trace.metadata(&[
            record(SAMPLE, SAMPLER, 0, 0),
            record(LOAD, RUNTIME, 143, 1),
            record(UNLOAD, RUNTIME, 144, 1),
            record(PRESENT, RUNDOWN, 144, 1),
            record(IL_MAP, RUNTIME, 190, 1),
            record(ENTRY_POINT, RUNTIME, 159, 0),
        ]);
        Self { trace, events: Vec::new() }
    }

    fn push(&mut self, timestamp: i64, metadata_id: u32, stack_id: u32, payload: Vec<u8>) {
        let sequence = self.events.len() as u32 + 1;
        let (thread, capture_thread) = (1, 1);
        let place = Event { metadata_id, sequence, thread, capture_thread, ..Event::default() };
        self.events.push(Event { stack_id, timestamp, payload, ..place });
    }

    fn sample(&mut self, timestamp: i64, stack_id: u32) {
        self.push(timestamp, SAMPLE, stack_id, vec![2, 0, 0, 0]);
    }

    /// Returns the stacks of the samples, by time.
    fn stacks(mut self) -> Vec<Vec<String>> {
        self.trace.events(&self.events);
        let store = read(&self.trace.finish());
        let samples = rows(&store).into_iter().filter(|row| row.payload_length == 4);
        let names = |stack| raw_names(&store, stack).into_iter().map(short).collect();
        samples.map(|row| names(row.stack)).collect()
    }
}

/// Shortens a raw name: `M1` for `ManagedModule!Shop.M1()`.
fn short(name: &str) -> String {
    let name = name.strip_prefix("ManagedModule!Shop.").unwrap_or(name);
    name.strip_suffix("()").unwrap_or(name).to_owned()
}

#[test]
fn frame_resolves_to_code_loaded_at_sample_time() {
    let mut writer = Writer::new();
    writer.trace.stacks(1, &[&[CODE + 4, 0x9004], &[0x9004]]);
    writer.push(1, LOAD, 0, method(9, 0x9000, 16));
    writer.sample(5, 1);
    writer.push(10, LOAD, 0, method(1, CODE, 16));
    writer.sample(20, 1);
    writer.push(50, UNLOAD, 0, method(1, CODE, 16));
    writer.sample(50, 1);
    writer.sample(55, 2);
    writer.push(60, LOAD, 0, method(2, CODE, 32));
    writer.sample(60, 1);
    writer.push(90, PRESENT, 0, method(2, CODE, 32));
    writer.push(91, PRESENT, 0, method(9, 0x9000, 16));
    // A load may be recorded after the method has started to run, so the first one is valid from the beginning.
    let expected =
        [vec!["M9", "M1"], vec!["M9", "M1"], vec!["M9", "?!0x1004"], vec!["M9"], vec!["M9", "M2"]].map(|stack| stack);
    assert_eq!(writer.stacks(), expected);
}

#[test]
fn unloaded_code_yields_to_newer_code() {
    let mut writer = Writer::new();
    writer.trace.stacks(1, &[&[CODE + 4]]);
    writer.sample(10, 1);
    writer.push(30, UNLOAD, 0, method(1, CODE, 16));
    writer.sample(30, 1);
    writer.push(90, PRESENT, 0, method(2, CODE, 16));
    assert_eq!(writer.stacks(), [["M1"], ["M2"]]);
}

#[test]
fn newer_code_covers_overlapping_older_code() {
    let mut writer = Writer::new();
    writer.trace.stacks(1, &[&[CODE + 4], &[CODE + 0x84], &[CODE + 0x104]]);
    writer.push(1, LOAD, 0, method(1, CODE, 0x100));
    writer.push(20, LOAD, 0, method(2, CODE + 0x80, 0x100));
    for (at, stack) in [(10, 1), (11, 2), (30, 1), (31, 2), (32, 3)] {
        writer.sample(at, stack);
    }
    assert_eq!(writer.stacks(), [["M1"], ["M1"], ["M1"], ["M2"], ["M2"]]);
}

#[test]
fn same_method_at_same_address_is_one_function() {
    let mut writer = Writer::new();
    writer.trace.stacks(1, &[&[CODE + 4]]);
    for at in [10, 40] {
        writer.push(at, LOAD, 0, method(1, CODE, 16));
        writer.sample(at + 5, 1);
        writer.push(at + 10, UNLOAD, 0, method(1, CODE, 16));
        writer.sample(at + 15, 1);
    }
    assert_eq!(writer.stacks(), [["M1"], ["?!0x1004"], ["M1"], ["?!0x1004"]]);
}

/// Returns the payload of an event with the IL offset (first) of each section of code (second).
fn il_map(method: u64, code_version: u64, offsets: &[(u32, u32)]) -> Vec<u8> {
    let head = PayloadWriter::new().u64(method).u64(code_version).u8(0).u16(offsets.len() as u16);
    let il = offsets.iter().fold(head, |payload, (il, _)| payload.u32(*il));
    offsets.iter().fold(il, |payload, (_, native)| payload.u32(*native)).u16(0).finish()
}

/// Frames are return addresses; each compilation of a method has its own map.
#[test]
fn frames_have_il_offsets() {
    let mut writer = Writer::new();
    writer.trace.stacks(1, &[&[CODE + 8, CODE + 8]]);
    writer.push(1, LOAD, 0, [method(1, CODE, 32), 3_u64.to_le_bytes().to_vec()].concat());
    writer.push(2, IL_MAP, 0, il_map(1, 0, &[(70, 0)]));
    writer.push(3, IL_MAP, 0, il_map(1, 3, &[(u32::MAX - 1, 0), (7, 8), (5, 2), (u32::MAX, 16)]));
    writer.push(4, IL_MAP, 0, il_map(2, 3, &[(80, 0)]));
    writer.sample(9, 1);
    writer.trace.events(&writer.events);
    let store = read(&writer.trace.finish());
    assert_eq!(store.il_offset(FrameId(0)), Some(5), "the call is made of what stands before");
    let in_code = |offset| store.methods.get(0).and_then(|method| store.il_maps.il_offset(method.il_map?, offset));
    assert_eq!([0, 2, 7, 8, 20].map(in_code), [None, Some(5), Some(5), Some(7), None]);
    assert_eq!(store.il_maps.len(), 1, "those of methods that no stack shows are not kept");
}

#[test]
fn stack_ids_are_valid_until_sequence_point() {
    let mut trace = trace(Format::Nettrace4);
    trace.metadata(&[record(SAMPLE, SAMPLER, 0, 0)]);
    let sample = |sequence, timestamp, stack_id| Event {
        metadata_id: SAMPLE,
        sequence,
        capture_thread: 1,
        thread: 1,
        timestamp,
        stack_id,
        payload: vec![2, 0, 0, 0],
        ..Event::default()
    };
    trace.stacks(1, &[&[0x10, 0x20], &[0x30, 0x20]]);
    trace.events(&[sample(1, 10, 1), sample(2, 20, 2)]);
    trace.sequence_point(20, 0, &[(1, 2)]);
    // The same IDs for other stacks, one of which is known; and one ID that no longer exists.
    trace.stacks(1, &[&[0x30, 0x20]]);
    trace.events(&[sample(3, 30, 1), sample(4, 40, 2)]);
    let store = read(&trace.finish());
    let stacks: Vec<_> = rows(&store).iter().map(|row| row.stack).collect();
    assert_eq!(raw_names(&store, stacks[0]), ["?!0x20", "?!0x10"]);
    assert_eq!(raw_names(&store, stacks[1]), ["?!0x20", "?!0x30"]);
    assert_eq!((stacks[2], stacks[3]), (stacks[1], StackId(0)), "equal stacks are one, whatever their ids");
    assert_eq!(store.stacks.len(), 4, "the caller that two stacks share, each of the two, and none");
    let problems: Vec<_> = store.diagnostics.examples.iter().map(|one| (one.count, one.message.as_str())).collect();
    assert_eq!(problems, [(1, "An event uses undefined stack ID 2.")]);
}

#[test]
fn entry_point_names_only_its_address() {
    let (store, _) = crate::model::testing::case("r2r-only");
    let samples = rows(&store).into_iter().filter(|row| row.stack.0 != 0).take(3);
    let names: Vec<Vec<&str>> = samples.map(|row| raw_names(&store, row.stack)).collect();
    assert_eq!(
        names,
        [vec!["?!0x70000230", "?!0x70000040"], vec!["ManagedModule!App.Startup.Configure()"], vec!["?!0x6fffffff"]]
    );
    let is_named = |function: &&crate::model::Function| !function.is_unresolved && function.is_managed;
    let named: Vec<&str> =
        store.functions.iter().filter(is_named).map(|function| store.strings.get(function.name)).collect();
    assert_eq!(named, ["App.Startup.Configure()"]);
}

#[test]
fn method_code_takes_precedence_over_entry_point() {
    let entry = |method: u64, address: u64| {
        let names = PayloadWriter::new().u64(method).utf16("Shop").utf16(&format!("E{method}")).utf16("void  ()");
        names.u64(address).u16(0).finish()
    };
    let mut writer = Writer::new();
    writer.trace.stacks(1, &[&[CODE], &[CODE + 4], &[0x9000], &[0x9004]]);
    writer.push(1, LOAD, 0, method(1, CODE, 16));
    writer.push(2, ENTRY_POINT, 0, entry(1, CODE));
    // Event for the same method again, with another name.
    writer.push(3, ENTRY_POINT, 0, entry(2, 0x9000));
    writer.push(4, ENTRY_POINT, 0, entry(3, 0x9000));
    for stack in 1..=4 {
        writer.sample(10 + i64::from(stack), stack);
    }
    assert_eq!(writer.stacks(), [["M1"], ["M1"], ["E2"], ["?!0x9004"]]);
}
