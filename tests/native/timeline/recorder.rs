//! Generates machine-wide traces of several apps.

use nettrace::testing::{Event, Format, PayloadWriter, TraceBuilder};
use nettrace::{Field, FieldType, Header, LabelList, MetadataRecord, ThreadRow};
use std::collections::BTreeMap;
use std::path::Path;

const RUNTIME: &str = "Microsoft-Windows-DotNETRuntime";
const SYSTEM: &str = "Universal.System";
const MICROSECOND: i64 = 1_000;
/// Nanoseconds per millisecond.
pub const MILLISECOND: i64 = 1_000_000;

/// Metadata IDs.
pub mod kind {
    pub const PROCESS: u32 = 1;
    pub const MAPPING: u32 = 2;
    pub const SYMBOL: u32 = 3;
    pub const CPU: u32 = 4;
    pub const GC_START: u32 = 5;
    pub const GC_END: u32 = 6;
    pub const SUSPEND_BEGIN: u32 = 7;
    pub const SUSPEND_END: u32 = 8;
    pub const RESTART_END: u32 = 9;
    pub const HEAP: u32 = 10;
    pub const THROWN: u32 = 11;
    pub const LOCK_START: u32 = 12;
    pub const LOCK_STOP: u32 = 13;
    pub const SERVED_START: u32 = 14;
    pub const SERVED_STOP: u32 = 15;
    pub const SENT_START: u32 = 16;
    pub const SENT_STOP: u32 = 17;
    pub const RESERVE_START: u32 = 18;
    pub const RESERVE_STOP: u32 = 19;
    pub const RESERVED: u32 = 20;
}

fn record(metadata_id: u32, provider: &str, event_id: u32, version: u32, name: &str) -> MetadataRecord {
    let (provider, name) = (provider.to_owned(), name.to_owned());
    MetadataRecord { metadata_id, provider, event_id, version, name, level: 4, ..MetadataRecord::default() }
}

fn records() -> Vec<MetadataRecord> {
    const KESTREL: &str = "Microsoft-AspNetCore-Server-Kestrel";
    let texts =
        |names: &[&str]| -> Vec<Field> { names.iter().map(|name| Field::new(*name, FieldType::Utf16String)).collect() };
    let served = texts(&["connectionId", "requestId", "httpVersion", "path", "method"]);
    let with = |record: MetadataRecord, opcode, fields| MetadataRecord { opcode: Some(opcode), fields, ..record };
    vec![
        record(kind::PROCESS, SYSTEM, 0, 0, "ExistingProcess"),
        record(kind::MAPPING, SYSTEM, 3, 0, "ProcessMapping"),
        record(kind::SYMBOL, SYSTEM, 4, 0, "ProcessSymbol"),
        record(kind::CPU, "Universal.Events", 1, 0, "cpu"),
        record(kind::GC_START, RUNTIME, 1, 2, ""),
        record(kind::GC_END, RUNTIME, 2, 1, ""),
        record(kind::SUSPEND_BEGIN, RUNTIME, 9, 1, ""),
        record(kind::SUSPEND_END, RUNTIME, 8, 1, ""),
        record(kind::RESTART_END, RUNTIME, 3, 1, ""),
        record(kind::HEAP, RUNTIME, 4, 2, ""),
        record(kind::THROWN, RUNTIME, 80, 1, ""),
        record(kind::LOCK_START, RUNTIME, 81, 2, ""),
        record(kind::LOCK_STOP, RUNTIME, 91, 1, ""),
        with(record(kind::SERVED_START, KESTREL, 3, 0, "RequestStart"), 1, served.clone()),
        with(record(kind::SERVED_STOP, KESTREL, 4, 0, "RequestStop"), 2, served),
        with(record(kind::SENT_START, "System.Net.Http", 1, 0, "RequestStart"), 1, texts(&["host", "pathAndQuery"])),
        with(record(kind::SENT_STOP, "System.Net.Http", 2, 0, "RequestStop"), 2, Vec::new()),
        with(record(kind::RESERVE_START, "Stock", 1, 0, "ReserveStart"), 1, texts(&["sku"])),
        with(record(kind::RESERVE_STOP, "Stock", 2, 0, "ReserveStop"), 2, Vec::new()),
        MetadataRecord {
            fields: texts(&["sku"]),
            message_template: Some("Reserved {sku} in {{stock}}".to_owned()),
            ..record(kind::RESERVED, "Stock", 3, 0, "Reserved")
        },
    ]
}

/// Appends a text as in machine-wide traces.
pub fn text(payload: PayloadWriter, text: &str) -> PayloadWriter {
    payload.u16(text.len() as u16).bytes(text.as_bytes())
}

/// Returns a thread of a process; the one without a name is its main thread.
pub fn row(index: u64, process: u32, name: &str) -> ThreadRow {
    ThreadRow {
        index,
        name: (!name.is_empty()).then(|| name.to_owned()),
        process_id: Some(process.into()),
        thread_id: Some(if name.is_empty() { process.into() } else { 9000 + index }),
        ..ThreadRow::default()
    }
}

/// Writer of events in any order, which the file contains by time.
#[derive(Default)]
pub struct Recorder {
    events: Vec<Event>,
    lists: Vec<LabelList>,
}

impl Recorder {
    /// Adds an event and returns it.
    pub fn push(&mut self, timestamp: i64, thread: u64, metadata_id: u32, payload: PayloadWriter) -> &mut Event {
        let event =
            Event { timestamp, thread, metadata_id, payload: payload.finish(), is_sorted: true, ..Event::default() };
        self.events.push(event);
        self.events.last_mut().expect("the one that was put")
    }

    /// Returns the number of a label list.
    pub fn labels(&mut self, list: LabelList) -> u32 {
        self.lists.push(list);
        self.lists.len() as u32
    }

    /// Adds the name of a thread's process.
    pub fn process(&mut self, thread: u64, name: &str) {
        let process = text(text(PayloadWriter::new().var_u64(0), name), "Unknown");
        self.push(0, thread, kind::PROCESS, process);
    }

    /// Adds an exception and returns it.
    pub fn thrown(&mut self, at: i64, thread: u64, type_name: &str, message: &str) -> &mut Event {
        let thrown = PayloadWriter::new().utf16(type_name).utf16(message);
        self.push(at, thread, kind::THROWN, thrown.u64(0).u32(0).u16(0).u16(0))
    }

    /// Adds samples of a thread, one per millisecond.
    pub fn samples(&mut self, thread: u64, from: i64, until: i64, stack_id: u32) {
        for at in (from..until).step_by(MILLISECOND as usize) {
            self.push(at, thread, kind::CPU, PayloadWriter::new().u8(1)).stack_id = stack_id;
        }
    }

    /// Adds a GC that pauses all threads.
    pub fn gc(&mut self, thread: u64, at: i64, number: u32, generation: u32) {
        let length = [2, 5, 14][generation as usize] * MILLISECOND;
        let none = PayloadWriter::new;
        self.push(at, thread, kind::SUSPEND_BEGIN, none().u32(1).u32(number).u16(0));
        self.push(at + 200 * MICROSECOND, thread, kind::SUSPEND_END, none().u16(0));
        let start = none().u32(number).u32(generation).u32(0).u32(0).u16(0).u64(0);
        self.push(at + 250 * MICROSECOND, thread, kind::GC_START, start);
        self.push(at + length - 100 * MICROSECOND, thread, kind::GC_END, none().u32(number).u32(generation).u16(0));
        let size = u64::from(number % 4 + 2) << 20;
        let mut heap = none();
        for size in [size / 8, size / 4, size, size / 2] {
            heap = heap.u64(size).u64(0);
        }
        self.push(at + length - 50 * MICROSECOND, thread, kind::HEAP, heap.u64(0).u64(0).u32(0).u32(0).u32(0).u16(0));
        self.push(at + length, thread, kind::RESTART_END, none().u16(0));
    }

    /// Returns the file with these threads, and stacks from 1 on. A sequence point at the end contains the number of
    /// events that these threads tried to write.
    pub fn finish(mut self, rows: &[ThreadRow], stacks: &[Vec<u64>], attempts: &[(u64, u32)]) -> Vec<u8> {
        let header =
            Header { sync_ticks: 0, tick_frequency: 1_000_000_000, process_id: 0, ..Format::Nettrace6.header() };
        let mut trace = TraceBuilder::with_header(Format::Nettrace6, &header);
        trace.metadata(&records());
        trace.threads(rows);
        let stacks: Vec<&[u64]> = stacks.iter().map(Vec::as_slice).collect();
        trace.stacks(1, &stacks);
        trace.labels(1, &self.lists);
        self.events.sort_by_key(|event| event.timestamp);
        let mut sequences: BTreeMap<u64, u32> = BTreeMap::new();
        for event in &mut self.events {
            let sequence = sequences.entry(event.thread).or_default();
            *sequence += 1;
            (event.sequence, event.capture_thread) = (*sequence, event.thread);
        }
        self.events.chunks(500).for_each(|events| {
            trace.events(events);
        });
        if !attempts.is_empty() {
            let last = self.events.last().map_or(0, |event| event.timestamp);
            trace.sequence_point(last, 0, attempts);
        }
        trace.finish()
    }
}

/// Checks that the committed file is identical to the bytes.
pub fn check_committed(name: &str, bytes: &[u8]) {
    let packed = format!("tests/fixtures/{name}.nettrace.gz");
    let place = crate::common::root().join(&packed);
    if super::recorded::unpacked(&packed).as_deref() != Some(bytes) {
        let new = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.nettrace"));
        std::fs::write(&new, bytes).expect("room for a trace");
        panic!("put {}, compressed with gzip -9n, in the place of {}", new.display(), place.display());
    }
}
