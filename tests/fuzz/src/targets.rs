//! Fuzz targets. Each takes any bytes, and asserts that errors don't happen.

use super::mutation::Random;
use super::reading::{read, read_in_chunks};
use engine::session::export::digest;
use engine::session::export::stacks::StackFormat;
use engine::session::{FileFacts, Loader, Progress, Session};
use nettrace::{Field, FieldError, FieldType, Payload, Symbols, TraceReader, Value, decode, decode_field};
use protocol::base::ids::{EventId, ThreadId, TypeId};
use protocol::file::schema_tables::SchemaFormat;
use protocol::file::section_columns::SectionOrder;
use protocol::redaction::Redaction;
use protocol::request::{Filter, SampleChoice, SectionFilter, StackSource, TreeQuery, Weight};
use protocol::stacks::shape::{Grouping, Roots, Shape};
use protocol::tables::{cost, part};
use protocol::{Request, queries};
use std::hash::{DefaultHasher, Hash, Hasher};

/// Reads a trace and everything in it.
pub fn parse(data: &[u8]) {
    // Failing is a valid result.
    let _ = read(data);
}

/// Checks that the same bytes result in the same items, for any chunks.
pub fn parse_chunked(data: &[u8]) {
    let mut random = Random::new(data.iter().fold(7, |sum, &byte| sum.rotate_left(5) ^ u64::from(byte)));
    let largest = 1 << random.below(12);
    let whole = read(data);
    let chunked = read_in_chunks(data, || 1 + random.below(largest));
    match (whole, chunked) {
        (Ok(whole), Ok(chunked)) => assert_eq!(chunked, whole, "chunks change what is read"),
        (whole, chunked) => assert_eq!(whole.is_err(), chunked.is_err(), "chunks change whether anything is read"),
    }
}

/// Source that returns bytes in random chunks.
struct Chunks<'a>(&'a [u8], Random);

impl std::io::Read for Chunks<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let length = (1 + self.1.below(5_000)).min(buffer.len()).min(self.0.len());
        let (head, rest) = self.0.split_at(length);
        buffer[..length].copy_from_slice(head);
        self.0 = rest;
        Ok(length)
    }
}

/// Returns a digest of each event of a reader, including everything that it refers to, and the values of its fields.
fn resolved_events<R: std::io::Read>(mut reader: TraceReader<R>) -> Vec<u64> {
    let (mut symbols, mut digests) = (Symbols::new(), Vec::new());
    while let Some(event) = reader.next_event().expect("a source that doesn't fail") {
        symbols.add(&event);
        let mut hasher = DefaultHasher::new();
        (event.timestamp(), event.raw_header().sequence, event.payload_bytes()).hash(&mut hasher);
        event.stack().for_each(|address| address.hash(&mut hasher));
        event.fields().for_each(|(name, value)| (name, value.to_string()).hash(&mut hasher));
        let refers_to = (event.event_type(), event.thread(), event.capture_thread(), event.labels());
        format!("{refers_to:?}").hash(&mut hasher);
        if let Some(leaf) = event.stack().next() {
            symbols.name(event.process_id(), leaf);
        }
        digests.push(hasher.finish());
    }
    digests
}

/// Checks resolved events: all events of the parser, the same for any chunks, and the same when sorted.
pub fn events(data: &[u8]) {
    let Ok(reader) = TraceReader::new(data) else { return };
    let events = resolved_events(reader);
    let parsed = read(data).expect("a trace");
    assert_eq!(events.len(), parsed.iter().map(|part| part.events.len()).sum::<usize>(), "events are missing");
    let chunks = Chunks(data, Random::new(data.len() as u64));
    let chunked = TraceReader::new(chunks).map(resolved_events).expect("a trace");
    assert_eq!(chunked, events, "chunks change what is read");
    let sorted = TraceReader::new(data).map(|reader| resolved_events(reader.sorted())).expect("a trace");
    let ordered = |mut digests: Vec<u64>| {
        digests.sort_unstable();
        digests
    };
    assert_eq!(ordered(sorted), ordered(events), "sorting changes the events");
}

/// Decodes a payload with a metadata record: the first half of the bytes is the record, the second half the payload.
pub fn payload(data: &[u8]) {
    let (description, payload) = data.split_at(data.len() / 2);
    let mut rest = description.iter().copied();
    let pointer_size = if rest.next().unwrap_or(0) & 1 == 0 { 8 } else { 4 };
    let fields = fields(&mut rest, 0);
    let together = decode(&fields, payload, pointer_size);
    assert_eq!(together.len(), fields.len(), "every field has a value");
    let borrowed: Vec<_> =
        Payload::new(&fields, payload, pointer_size).iter().map(|(_, value)| value.to_value()).collect();
    // Compared as text, because NaN doesn't equal itself.
    assert_eq!(format!("{borrowed:?}"), format!("{together:?}"), "borrowed values of {fields:?}");
    for (index, together) in together.iter().enumerate() {
        let alone = decode_field(&fields, payload, pointer_size, index);
        // The limit on the number of values applies to all fields together, so a single field may be decoded further.
        if !is_bounded(together) && !is_bounded(&alone) {
            // Compared as text, because NaN doesn't equal itself.
            assert_eq!(format!("{alone:?}"), format!("{together:?}"), "field {index} of {fields:?} alone");
        }
    }
}

/// Returns whether decoding stopped because of a limit, here or before.
fn is_bounded(value: &Value) -> bool {
    match value {
        Value::Error(error) => matches!(error, FieldError::TooComplex | FieldError::FollowsUnreadable),
        Value::Array(values) => values.iter().any(is_bounded),
        Value::Object(members) => members.iter().any(|(_, value)| is_bounded(value)),
        _ => false,
    }
}

fn fields(description: &mut impl Iterator<Item = u8>, depth: usize) -> Vec<Field> {
    let count = description.next().unwrap_or(0) % 8;
    (0..count).map(|index| Field::new(format!("field{index}"), field_type(description, depth))).collect()
}

fn field_type(description: &mut impl Iterator<Item = u8>, depth: usize) -> FieldType {
    let code = description.next().unwrap_or(9) % 32;
    let deeper = depth < 6;
    let mut element = || Box::new(field_type(description, depth + 1));
    match code {
        0 | 1 if deeper => FieldType::Object(fields(description, depth + 1)),
        2 if deeper => FieldType::Array(element()),
        3 if deeper => FieldType::RelLoc(element()),
        4 if deeper => FieldType::DataLoc(element()),
        5 if deeper => {
            let element = element();
            FieldType::FixedLengthArray(element, u16::from(description.next().unwrap_or(0)))
        }
        6 if deeper => {
            let element = element();
            FieldType::CountedArray { count_field: u16::from(description.next().unwrap_or(0)) % 8, element }
        }
        7 => FieldType::Boolean32,
        8 => FieldType::Boolean8,
        9 => FieldType::Char16,
        10 => FieldType::Int8,
        11 => FieldType::UInt8,
        12 => FieldType::Int16,
        13 => FieldType::UInt16,
        14 => FieldType::Int32,
        15 => FieldType::UInt32,
        16 => FieldType::Int64,
        17 => FieldType::UInt64,
        18 => FieldType::Float32,
        19 => FieldType::Float64,
        20 => FieldType::Decimal,
        21 => FieldType::DateTime,
        22 => FieldType::Guid,
        23 | 24 => FieldType::Utf16String,
        25 => FieldType::VarInt,
        26 => FieldType::VarUInt,
        27 => FieldType::Utf8CodeUnit,
        28 => FieldType::Pointer,
        29 => FieldType::Utf8String,
        _ => FieldType::CountedUtf8String,
    }
}

/// Loads a trace as the page does, resolves its stacks, and sends requests.
pub fn ingest(data: &[u8]) {
    if let Some(mut session) = load(data) {
        ask(&mut session);
    }
}

/// Checks that every byte of a trace belongs to exactly one part, and that bytes by purpose add up.
pub fn explain(data: &[u8]) {
    let Some(session) = load(data) else { return };
    let file_bytes = data.len() as u64;
    let mut at = 0;
    let parts = session.parts_in(0..file_bytes, |page, row| {
        if page.part[row] != part::GROUP && page.bytes[row] > 0 {
            assert_eq!(page.offset[row], at, "{}: {}", page.name.get(row), page.value.get(row));
            at += page.bytes[row];
        }
    });
    assert_eq!((parts.map_err(|failure| failure.message), at), (Ok(()), file_bytes));
    let costs = session.costs();
    for of in [&[cost::PIECES][..], &[cost::PROVIDER, cost::REST], &[cost::EVENT_TYPE, cost::REST]] {
        let rows = (0..costs.of.len()).filter(|row| of.contains(&costs.of[*row]));
        assert_eq!(rows.map(|row| costs.bytes[row]).sum::<u64>(), file_bytes, "{of:?}");
    }
}

/// Checks that an excerpt of all readable events has the same events.
pub fn excerpt(data: &[u8]) {
    let Some(mut session) = load(data) else { return };
    let (mut part, mut from) = (Vec::new(), 0);
    loop {
        let next = session
            .ask(&queries::Excerpt { filter: Filter::default(), from, redaction: Redaction::default() })
            .expect("the next part");
        part.extend_from_slice(&next.bytes);
        from = next.next[0];
        if next.is_done[0] != 0 {
            break;
        }
    }
    let again = load(&part).expect("a trace");
    assert_eq!(again.store().events.len(), session.store().events.len());
    assert_eq!(digest(again.store(), again.source()).ok(), digest(session.store(), session.source()).ok());
}

/// Loads a trace in pieces; `None` if it isn't one.
pub fn load(data: &[u8]) -> Option<Session> {
    let mut loader = Loader::new();
    for piece in data.chunks(4_099) {
        loader.append(piece.len(), |space| space.copy_from_slice(piece));
        while loader.advance(usize::MAX).ok()? == Progress::Paused {}
    }
    let store = loader.finish().ok()?;
    let facts = FileFacts { name: "fuzzed.nettrace".to_owned(), bytes: data.len() as u64, ..FileFacts::default() };
    Session::new(store, Box::new(data.to_vec()), facts).ok()
}

/// Number of events, types and threads with individual requests.
const ASKED: u32 = 6;

/// Returns some sources of stacks, with all their weights.
fn asked_sources(session: &mut Session) -> impl Iterator<Item = (StackSource, Weight)> + use<> {
    let table = session.ask(&queries::StackSources).unwrap_or_default();
    let weights = table.weight_source.iter().take_while(|source| **source < ASKED);
    let asked: Vec<_> = (0..weights.count()).filter_map(|weight| table.weighed(weight)).collect();
    asked.into_iter()
}

/// Sends all requests that the page sends when it opens. Failing is valid, panicking isn't.
pub fn ask(session: &mut Session) {
    let span = session.store().full_span;
    let threads: Vec<_> = (0..ASKED).map(ThreadId).collect();
    let query = TreeQuery::default();
    let shape = Shape { just_my_code: true, grouping: Grouping::Namespaces, inverted: true, ..Shape::default() };
    let woven = Shape {
        roots: Roots::Work,
        stitched: true,
        awaits: true,
        unresolved: true,
        just_my_code: true,
        without_recursion: true,
        ..Shape::default()
    };
    let woven = TreeQuery { shape: woven, ..TreeQuery::default() };
    let text = Filter { query: "a".to_owned(), ..Filter::default() };
    let problems = SectionFilter { kinds: 0, only_problems: true };
    let by_kind = SectionOrder { column: Some(1), descending: true };
    let mut requests: Vec<Request> = vec![
        queries::Summary.into(),
        queries::Header.into(),
        queries::Types.into(),
        queries::Schemas.into(),
        queries::SchemaFile { format: SchemaFormat::Json, provider: String::new() }.into(),
        queries::SchemaFile { format: SchemaFormat::CSharp, provider: String::new() }.into(),
        queries::Costs.into(),
        queries::Sections { of: SectionFilter::default(), order: by_kind, first: 0, count: 100 }.into(),
        queries::Sections { of: problems, order: by_kind, first: 0, count: 100 }.into(),
        queries::SectionRuns { start: 0, end: u64::MAX, count: 100 }.into(),
        queries::Memory.into(),
        queries::Overview { span: None, buckets: 64 }.into(),
        queries::Threads { filter: Filter::default() }.into(),
        queries::Lanes { threads, span, resolution: 1 << 20, max_depth: 64, spans: true }.into(),
        queries::SpanRows.into(),
        queries::Gcs { filter: Filter::default() }.into(),
        queries::Exceptions { filter: Filter::default(), limit: 10 }.into(),
        queries::Events { filter: text, order: Default::default(), first: 0, count: 50 }.into(),
        queries::Flame { query: query.clone(), path: Vec::new(), min_share: 0.0, max_depth: 64 }.into(),
        queries::HotPath { query, max_depth: 64 }.into(),
        queries::StackSources.into(),
        queries::UnresolvedCode { query: TreeQuery::default() }.into(),
        queries::Functions { query: woven.clone(), order: Default::default(), limit: 50 }.into(),
        queries::TimeOrder { query: woven, thread: ThreadId(0), span, resolution: 1 << 20, max_depth: 64 }.into(),
        queries::HotPath { query: TreeQuery { shape, ..TreeQuery::default() }, max_depth: 64 }.into(),
    ];
    requests.extend(asked_sources(session).map(|(source, weight)| {
        let query = TreeQuery { source, weight, ..TreeQuery::default() };
        queries::HotPath { query, max_depth: 64 }.into()
    }));
    requests.extend((0..ASKED).map(|event| queries::Connections { event: EventId(event) }.into()));
    requests.extend((0..ASKED).map(|event| queries::EventDetail { event: EventId(event) }.into()));
    let file_bytes = session.source().len();
    let offsets = (0..u64::from(ASKED)).map(|at| at * file_bytes / u64::from(ASKED));
    requests.extend(offsets.flat_map(|offset| -> [Request; 2] {
        [queries::Leaves { offset, bytes: 500 }.into(), queries::EventAt { offset }.into()]
    }));
    let of_type = |event_type| queries::FieldCosts { event_type: TypeId(event_type), first: 0 }.into();
    requests.extend((0..ASKED).map(of_type));
    requests.extend((0..ASKED).map(|event_type| queries::TypeDetail { event_type: TypeId(event_type) }.into()));
    requests.extend((0..ASKED).map(|event_type| {
        let event_type = TypeId(event_type);
        queries::FieldValues { filter: Filter { types: vec![event_type], ..Filter::default() }, event_type }.into()
    }));
    for request in &requests {
        drop(session.answer(request));
    }
    let mut export = |format: StackFormat, samples| {
        let mut file = Vec::new();
        let export = session.stack_export(&TreeQuery { samples, ..TreeQuery::default() }, format);
        export.map_or(0, |export| export.write(&mut file).map_or(0, |()| file.len()))
    };
    for format in StackFormat::ALL {
        export(format, SampleChoice::All);
    }
    assert!(export(StackFormat::Folded, SampleChoice::All) >= export(StackFormat::Folded, SampleChoice::Managed));
}
