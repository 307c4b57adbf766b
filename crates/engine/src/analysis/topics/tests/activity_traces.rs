//! Builds traces of event sources with activities, for tests. One tick is one nanosecond.

use crate::analysis::testing::{RUNTIME, method_load};
use crate::clr::source_names::SAMPLE_PROFILER;
use crate::model::Store;
use crate::model::testing::read;
use nettrace::testing::{Event, Format, PayloadWriter, TraceBuilder};
use nettrace::{Field, FieldType, Guid, Header, MetadataRecord};

#[derive(Clone, Copy)]
pub enum FieldValue<'v> {
    Text(&'v str),
    Int(i32),
    Long(i64),
    Byte(u8),
    Double(f64),
    /// Names and values, as DiagnosticSource has them.
    Pairs(&'v [(&'v str, &'v str)]),
}

impl FieldValue<'_> {
    fn field_type(self) -> FieldType {
        let pair = || ["Key", "Value"].map(|name| Field::new(name, FieldType::Utf16String)).to_vec();
        match self {
            Self::Text(_) => FieldType::Utf16String,
            Self::Int(_) => FieldType::Int32,
            Self::Long(_) => FieldType::Int64,
            Self::Byte(_) => FieldType::UInt8,
            Self::Double(_) => FieldType::Float64,
            Self::Pairs(_) => FieldType::Array(Box::new(FieldType::Object(pair()))),
        }
    }

    fn write(self, payload: PayloadWriter) -> PayloadWriter {
        match self {
            Self::Text(text) => payload.utf16(text),
            Self::Int(value) => payload.i32(value),
            Self::Long(value) => payload.i64(value),
            Self::Byte(value) => payload.u8(value),
            Self::Double(value) => payload.f64(value),
            Self::Pairs(pairs) => pairs
                .iter()
                .fold(payload.u16(pairs.len() as u16), |payload, (key, value)| payload.utf16(key).utf16(value)),
        }
    }
}

/// A trace under construction, with events in time order.
#[derive(Default)]
pub struct ActivityTrace {
    records: Vec<MetadataRecord>,
    events: Vec<Event>,
    stacks: Vec<Vec<u64>>,
}

impl ActivityTrace {
    /// Adds an event of a provider with its fields, in the activity with this path ("1/2/1"; "" for none).
    pub fn event(
        &mut self,
        time: i64,
        thread: u64,
        activity: &str,
        (provider, name): (&str, &str),
        fields: &[(&str, FieldValue<'_>)],
    ) -> &mut Self {
        let fields_of = || fields.iter().map(|(name, value)| Field::new(*name, value.field_type())).collect();
        let payload = fields.iter().fold(PayloadWriter::new(), |payload, (_, value)| value.write(payload)).finish();
        let (number, fields) = (self.records.len() as u32 + 1, fields_of());
        self.push(time, thread, activity, payload, |records| {
            let known = records.iter().find(|one| one.provider == provider && one.name == name);
            known.map(|one| one.metadata_id).unwrap_or_else(|| {
                let (provider, name) = (provider.to_owned(), name.to_owned());
                let record = MetadataRecord {
                    metadata_id: number,
                    provider,
                    name,
                    event_id: number,
                    fields,
                    level: 4,
                    ..MetadataRecord::default()
                };
                records.push(record);
                number
            })
        })
    }

    /// Adds an event of a provider whose metadata has a name but no fields. IDs are assigned in order.
    pub fn event_without_fields(
        &mut self,
        time: i64,
        thread: u64,
        activity: &str,
        (provider, name): (&str, &str),
        payload: Vec<u8>,
    ) -> &mut Self {
        let number = self.records.len() as u32 + 1;
        self.push(time, thread, activity, payload, |records| {
            let known = records.iter().find(|one| one.provider == provider && one.name == name);
            known.map(|one| one.metadata_id).unwrap_or_else(|| {
                let (provider, name) = (provider.to_owned(), name.to_owned());
                let (metadata_id, event_id) = (number, 160 + number);
                records.push(MetadataRecord { metadata_id, provider, name, event_id, ..MetadataRecord::default() });
                number
            })
        })
    }

    /// Adds an event of the runtime or the task library, whose layout follows from its ID.
    pub fn event_by_id(
        &mut self,
        time: i64,
        thread: u64,
        activity: &str,
        (provider, id, version): (&str, u32, u32),
        payload: Vec<u8>,
    ) -> &mut Self {
        let number = self.records.len() as u32 + 1;
        self.push(time, thread, activity, payload, |records| {
            let known =
                records.iter().find(|one| one.provider == provider && one.event_id == id && one.name.is_empty());
            known.map(|one| one.metadata_id).unwrap_or_else(|| {
                let provider = provider.to_owned();
                let record = MetadataRecord {
                    metadata_id: number,
                    provider,
                    event_id: id,
                    version,
                    level: 4,
                    ..MetadataRecord::default()
                };
                records.push(record);
                number
            })
        })
    }

    /// Adds the methods 1, 2, … with these types and names; those of types of `System` belong to .NET.
    pub fn methods(&mut self, time: i64, methods: &[(&str, &str)]) -> &mut Self {
        for (module, path) in [(1, "/app/Shop.dll"), (2, "/dotnet/System.Private.CoreLib.dll")] {
            let payload = PayloadWriter::new().u64(module).u64(1).u32(0).u32(0).utf16(path).utf16("").u16(0);
            self.event_by_id(time, 1, "", (RUNTIME, 152, 1), payload.finish());
        }
        for (method, (type_name, name)) in (1..).zip(methods) {
            let module = if type_name.starts_with("System.") { 2 } else { 1 };
            self.event_by_id(time, 1, "", (RUNTIME, 143, 1), method_load(method, module, type_name, name));
        }
        self
    }

    /// Sets the stack of the last event to these methods, root first.
    pub fn with_stack(&mut self, stack: &[u64]) -> &mut Self {
        self.stacks.push(stack.iter().rev().map(|method| method * 0x1000 + 4).collect());
        if let Some(event) = self.events.last_mut() {
            event.stack_id = self.stacks.len() as u32;
        }
        self
    }

    /// Adds a sample of a thread with a stack of these methods, root first.
    pub fn sample(&mut self, time: i64, thread: u64, stack: &[u64]) -> &mut Self {
        let payload = PayloadWriter::new().u32(1).finish();
        self.event_by_id(time, thread, "", (SAMPLE_PROFILER, 0, 0), payload).with_stack(stack)
    }

    /// Compiles a method on a thread in an activity, from one time to another.
    pub fn compile(&mut self, (start, end): (i64, i64), thread: u64, activity: &str, method: u64) -> &mut Self {
        let names = |payload: PayloadWriter| payload.utf16("Shop.Cart").utf16("Total").utf16("void  ()").u16(0);
        let started = names(PayloadWriter::new().u64(method).u64(1).u32(0).u32(16));
        self.event_by_id(start, thread, activity, (RUNTIME, 145, 1), started.finish());
        let code = PayloadWriter::new().u64(method).u64(1).u64(0x9000_0000 + method * 0x1000).u32(16).u32(0).u32(1);
        self.event_by_id(end, thread, activity, (RUNTIME, 143, 1), names(code).finish())
    }

    fn push(
        &mut self,
        timestamp: i64,
        thread: u64,
        activity: &str,
        payload: Vec<u8>,
        record: impl FnOnce(&mut Vec<MetadataRecord>) -> u32,
    ) -> &mut Self {
        let metadata_id = record(&mut self.records);
        let sequence = self.events.len() as u32 + 1;
        let activity_id = path_id(activity);
        self.events.push(Event {
            metadata_id,
            sequence,
            capture_thread: 1,
            thread,
            timestamp,
            activity_id,
            is_sorted: true,
            payload,
            ..Event::default()
        });
        self
    }

    /// Returns the trace.
    pub fn finish(&self) -> (Store, Vec<u8>) {
        self.finish_with(Format::Nettrace4.header())
    }

    /// Returns the trace with the clock and the process of a header.
    pub fn finish_with(&self, header: Header) -> (Store, Vec<u8>) {
        let header = Header { sync_ticks: 0, tick_frequency: 1_000_000_000, ..header };
        let mut trace = TraceBuilder::with_header(Format::Nettrace4, &header);
        trace.metadata(&self.records);
        let stacks: Vec<&[u64]> = self.stacks.iter().map(Vec::as_slice).collect();
        if !stacks.is_empty() {
            trace.stacks(1, &stacks);
        }
        trace.events(&self.events);
        let bytes = trace.finish();
        (read(&bytes), bytes)
    }
}

/// Returns the activity ID in process 1 for a path of numbers, each at most ten.
fn path_id(path: &str) -> Guid {
    const CHECKSUM: u32 = 0x599D_99AD;
    let mut bytes = [0u8; 16];
    if path.is_empty() {
        return Guid(bytes);
    }
    for (at, number) in path.split('/').enumerate() {
        let number: u8 = number.parse().expect("a number");
        bytes[at / 2] |= if at % 2 == 0 { number << 4 } else { number };
    }
    let word = |index: usize| u32::from_le_bytes([0, 1, 2, 3].map(|byte| bytes[index * 4 + byte]));
    let sum = word(0).wrapping_add(word(1)).wrapping_add(word(2)).wrapping_add(CHECKSUM);
    bytes[12..].copy_from_slice(&(sum ^ 1).to_le_bytes());
    Guid(bytes)
}
