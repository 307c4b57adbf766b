//! Traces of event sources with activities, and reports on them, for tests. One tick is one nanosecond.

use super::report::Report;
use super::table::Table;
use super::{Facts, Known, Scope, facts_of};
use crate::analysis::filter::select;
use crate::analysis::gc::garbage_collections;
use crate::analysis::payload_pieces::Step;
use crate::analysis::payload_walk::PayloadWalk;
use crate::analysis::rows::TypeSet;
use crate::analysis::samples::SampleIndex;
use crate::analysis::span_search::SpanSearch;
use crate::analysis::tracks::TrackIndex;
use crate::model::testing::read;
use crate::model::{EventChunk, Store};
use crate::nettrace::testing::{Event, Format, PayloadWriter, TraceBuilder};
use crate::nettrace::{ByteSource, Field, FieldType, Guid, Header, MetadataRecord};
use crate::protocol::finding::Finding;
use crate::protocol::report::CellKind;
use crate::protocol::request::Filter;
use crate::protocol::topic::Topic;

/// A value of a field.
#[derive(Clone, Copy)]
pub enum Told<'v> {
    Text(&'v str),
    Int(i32),
    Long(i64),
    Byte(u8),
    Double(f64),
    /// Names and values, as DiagnosticSource has them.
    Pairs(&'v [(&'v str, &'v str)]),
}

impl Told<'_> {
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

/// A trace in the making; events in time order.
#[derive(Default)]
pub struct Telling {
    records: Vec<MetadataRecord>,
    events: Vec<Event>,
}

impl Telling {
    /// Adds an event of a provider with its fields, in the activity with this path ("1/2/1"; "" for none).
    pub fn tell(
        &mut self,
        time: i64,
        thread: u64,
        activity: &str,
        (provider, name): (&str, &str),
        fields: &[(&str, Told<'_>)],
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

    /// Adds an event of the runtime, or of the task library, whose layout is known by its number.
    pub fn tell_known(
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

    /// The trace.
    pub fn finish(&self) -> (Store, Vec<u8>) {
        let header = Header { sync_ticks: 0, tick_frequency: 1_000_000_000, ..Format::Nettrace4.header() };
        let mut trace = TraceBuilder::with_header(Format::Nettrace4, &header);
        trace.metadata(&self.records);
        trace.events(&self.events);
        let bytes = trace.finish();
        (read(&bytes), bytes)
    }
}

/// The id of an activity whose path has these numbers, each at most ten, in process 1.
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

/// The report on a topic for a filter in the language of filters.
pub fn report(topic: Topic, store: &Store, source: &dyn ByteSource, query: &str) -> Report {
    with_facts(topic, store, source, query, |facts, known, scope| facts.report(known, scope))
}

/// What a topic finds wrong in the whole trace.
pub fn findings(topic: Topic, store: &Store, source: &dyn ByteSource) -> Vec<Finding> {
    with_facts(topic, store, source, "", |facts, known, scope| facts.findings(known, scope))
}

/// Reads what a topic needs.
fn with_facts<T>(
    topic: Topic,
    store: &Store,
    source: &dyn ByteSource,
    query: &str,
    ask: impl FnOnce(&dyn Facts, &Known<'_>, &Scope<'_>) -> T,
) -> T {
    let mut facts = facts_of(topic, store).expect("a topic");
    let (mut tracks, mut search) = (TrackIndex::default(), SpanSearch::new(store));
    while search.step(store, source, false).expect("payloads") != Step::Done {}
    let spans = search.finish(store, source, &mut tracks).expect("payloads");
    for kind in facts.needs().tracks {
        tracks.marks(store, source, *kind).expect("payloads");
    }
    tracks.handle_waits(store, source).expect("payloads");
    let collections = garbage_collections(store, source).expect("payloads");
    let samples = SampleIndex::build(store);
    let mut walk = PayloadWalk::new(store, TypeSet::new(store, |one| facts.wants(one)), |_| true);
    let mut read = |chunk: &EventChunk, row: usize, payload: &[u8]| facts.read(store, chunk, row, payload);
    while walk.step(store, source, false, &mut read).expect("payloads") != Step::Done {}
    let known = Known { store, collections: &collections, samples: &samples, spans: Some(&spans), tracks: &tracks };
    facts.finish(&known);
    let filter = Filter { query: query.to_owned(), ..Filter::default() };
    let selection = select(store, source, &filter).expect("a filter");
    let span = store.user_span();
    ask(&*facts, &known, &Scope { filter: &filter, selection: &selection, span })
}

/// The value of a figure.
pub fn figure(report: &Report, key: &str) -> f64 {
    let figure = report.figures.iter().find(|one| one.key == key);
    figure.unwrap_or_else(|| panic!("no figure {key}")).value
}

/// A table of a report.
pub fn table<'r>(report: &'r Report, key: &str) -> &'r Table {
    report.tables.iter().find(|one| one.head().key == key).unwrap_or_else(|| panic!("no table {key}"))
}

/// The rows of a table, in its order: of each the cells of these columns as text; numbers as they are, "" for nothing.
pub fn rows(table: &Table, columns: &[&str]) -> Vec<Vec<String>> {
    let head = table.head();
    let positions: Vec<u32> = (0..table.len() as u32).collect();
    let page = table.rows(&positions);
    let place =
        |key: &&str| head.columns.iter().position(|one| one.key == **key).unwrap_or_else(|| panic!("no column {key}"));
    let places: Vec<usize> = columns.iter().map(place).collect();
    let cell = |row: usize, column: usize| {
        let value = page.cells[row * head.columns.len() + column];
        match head.columns[column].kind {
            _ if !value.is_finite() => String::new(),
            CellKind::Text => page.texts.get(value as usize).to_owned(),
            CellKind::Number(_) => value.to_string(),
        }
    };
    (0..table.len()).map(|row| places.iter().map(|column| cell(row, *column)).collect()).collect()
}
