//! Tests requests about the file: blocks, sizes, structure, bytes.

use crate::session::{FileFacts, Loader, Progress, Session};
use nettrace::testing::{Event, Format, PayloadWriter, TraceBuilder};
use nettrace::{ByteSource, Field, FieldType, MetadataRecord, SourceError};
use protocol::base::ids::TypeId;
use protocol::file::section_columns::{SECTION_COLUMNS, SectionOrder};
use protocol::queries;
use protocol::request::SectionFilter;
use protocol::tables::{NO_NUMBER, NO_TIME, Sections, Structure, cost, part, section_kind};
use std::cell::Cell;
use std::rc::Rc;

fn session_of(bytes: &[u8], source: Box<dyn ByteSource>) -> Session {
    let mut loader = Loader::new();
    loader.append(bytes.len(), |space| space.copy_from_slice(bytes));
    while loader.advance(1 << 20).expect("a trace") == Progress::Paused {}
    let facts = FileFacts { bytes: bytes.len() as u64, ..FileFacts::default() };
    Session::new(loader.finish().expect("a trace"), source, facts).expect("a session")
}

fn session(bytes: &[u8]) -> Session {
    session_of(bytes, Box::new(bytes.to_vec()))
}

fn sections(session: &mut Session) -> Sections {
    session
        .ask(&queries::Sections {
            of: SectionFilter::default(),
            order: SectionOrder::default(),
            first: 0,
            count: u32::MAX,
        })
        .expect("pieces")
}

fn structure(session: &mut Session, offset: u64, item: Option<u32>) -> Structure {
    let request = queries::Structure { offset, item, first: 0, count: u32::MAX };
    session.ask(&request).expect("a structure")
}

/// Returns name, value and bytes of every part.
fn lines(table: &Structure) -> Vec<(&str, &str, u64)> {
    (0..table.offset.len()).map(|row| (table.name.get(row), table.value.get(row), table.bytes[row])).collect()
}

fn shop() -> MetadataRecord {
    MetadataRecord {
        metadata_id: 1,
        provider: "Shop".into(),
        event_id: 7,
        name: "Order".into(),
        level: 4,
        fields: vec![Field::new("Count", FieldType::Int32), Field::new("Sku", FieldType::Utf16String)],
        ..MetadataRecord::default()
    }
}

fn order(sequence: u32, timestamp: i64) -> Event {
    let payload = PayloadWriter::new().u32(sequence).utf16("tea").finish();
    Event { metadata_id: 1, thread: 17, capture_thread: 17, sequence, timestamp, payload, ..Event::default() }
}

fn trace(format: Format) -> Vec<u8> {
    trace_of(TraceBuilder::new(format), format)
}

fn trace_of(mut trace: TraceBuilder, format: Format) -> Vec<u8> {
    trace.metadata(&[shop()]);
    if matches!(format, Format::Nettrace4 | Format::Nettrace6) {
        trace.stacks(5, &[&[0x1000], &[0x2000, 0x3000]]);
    }
    trace.events(&[order(1, 1_000_000), order(2, 1_000_500), order(3, 1_001_000)]);
    if matches!(format, Format::Nettrace4 | Format::Nettrace6) {
        trace.sequence_point(1_002_000, 0, &[(17, 3)]);
    }
    trace.finish()
}

#[test]
fn blocks_are_contiguous_and_costs_add_up_in_every_format() {
    for format in Format::ALL {
        let mut bytes = trace(format);
        bytes.extend_from_slice(b"behind");
        let mut session = session(&bytes);
        let table = sections(&mut session);
        let mut at = 0;
        for row in 0..table.offset.len() {
            assert_eq!(table.offset[row], at, "{format:?}");
            at += table.bytes[row];
        }
        assert_eq!((at, table.total[0]), (bytes.len() as u64, table.offset.len() as u64), "{format:?}");
        assert_eq!(table.kind.first(), Some(&section_kind::HEADER));
        assert_eq!(table.kind.last(), Some(&section_kind::BEHIND_END), "{format:?}: {:?}", table.kind);
        let costs = session.ask(&queries::Costs).expect("costs");
        for of in [&[cost::PIECES][..], &[cost::PROVIDER, cost::REST], &[cost::EVENT_TYPE, cost::REST]] {
            let rows = (0..costs.of.len()).filter(|row| of.contains(&costs.of[*row]));
            assert_eq!(rows.map(|row| costs.bytes[row]).sum::<u64>(), at, "{format:?} {of:?}");
        }
        let sum = |of: &[u8], bytes: &[u64]| -> u64 {
            (0..costs.of.len()).filter(|row| of.contains(&costs.of[*row])).map(|row| bytes[row]).sum()
        };
        let descriptions = at - sum(&[cost::THREAD, cost::REST], &costs.bytes);
        let padding_behind_them = descriptions - sum(&[cost::PROVIDER], &costs.description_bytes);
        let is_padded = format == Format::Netperf3;
        assert_eq!(padding_behind_them > 0, is_padded, "{format:?}: {padding_behind_them}");
        assert!(padding_behind_them <= sum(&[cost::PROVIDER], &costs.padding_bytes), "{format:?}");
        let in_front_of_blocks = sum(&[cost::REST], &costs.padding_bytes);
        assert_eq!(in_front_of_blocks > 0, matches!(format, Format::Netperf3 | Format::Nettrace4), "{format:?}");
        let orders = (0..costs.of.len()).find(|row| costs.of[*row] == cost::EVENT_TYPE).expect("a type");
        assert_eq!((costs.count[orders], costs.payload_bytes[orders]), (3, 36), "{format:?}");
        assert!(costs.description_bytes[orders] > 20 && costs.header_bytes[orders] > 6, "{format:?}");
    }
}

#[test]
fn full_header_bytes_match_format() {
    for format in Format::ALL {
        let costs = |builder: TraceBuilder| {
            let mut session = session(&trace_of(builder, format));
            session.ask(&queries::Costs).expect("costs")
        };
        let (compressed, full) = (costs(TraceBuilder::new(format)), costs(TraceBuilder::new(format).uncompressed()));
        let [_, (_, header_bytes), ..] = full.shares();
        // A payload of 12 bytes needs no alignment.
        assert_eq!(header_bytes, 3 * full.full_header_bytes[0], "{format:?}");
        assert_eq!((full.compression(), &full.events_by_header[..]), (None, &[0, 3][..]), "{format:?}");
        let can = matches!(format, Format::Nettrace4 | Format::Nettrace6);
        assert_eq!(
            compressed.compression().is_some_and(|headers| headers.full_bytes == header_bytes),
            can,
            "{format:?}"
        );
    }
}

#[test]
fn blocks_have_times_counts_and_headers() {
    let mut session = session(&trace(Format::Nettrace4));
    let table = sections(&mut session);
    let of = |kind: u8| (0..table.kind.len()).find(|row| table.kind[*row] == kind).expect("a piece");
    let events = of(section_kind::EVENTS);
    // A tick is a millisecond; the clock begins at 1,000,000 ticks.
    assert_eq!((table.first[events], table.last[events]), (0, 1_000_000_000));
    assert_eq!((table.items[events], table.threads[events], table.types[events]), (3, 1, 1));
    let stacks = of(section_kind::STACKS);
    assert_eq!((table.first_number[stacks], table.items[stacks], table.first[stacks]), (5, 2, NO_TIME));
    let point = of(section_kind::SEQUENCE_POINT);
    assert_eq!((table.declared_first[point], table.items[point]), (2_000_000_000, 1));
    assert_eq!(session.threads_of_point(table.offset[point]).expect("threads"), [(17, 3)]);
    assert_eq!(session.threads_of_point(table.offset[events]).expect("none"), []);
}

#[test]
fn block_outline_items_expand() {
    let mut session = session(&trace(Format::Nettrace4));
    let table = sections(&mut session);
    let events = (0..table.kind.len()).find(|row| table.kind[*row] == section_kind::EVENTS).expect("a block");
    let middle = table.offset[events] + table.bytes[events] - 8;
    let outline = structure(&mut session, middle, None);
    assert_eq!((outline.items[0], outline.item_there[0]), (3, 2));
    let names: Vec<&str> = outline.name.iter().collect();
    assert_eq!(&names[..5], ["Begin object", "Type", "Begin object", "NullReference", "Version"]);
    assert_eq!(&names[names.len() - 4..], ["Event", "Event", "Event", "EndObject"]);
    assert!(names.contains(&"Min Timestamp"), "{names:?}");
    let last = structure(&mut session, middle, Some(2));
    assert_eq!(last.value.get(0), "Shop/Order at 1.000000000 s");
    let lines = lines(&last);
    let of = |name: &str| *lines.iter().find(|line| line.0 == name).expect(name);
    assert_eq!(of("TimeStamp"), ("TimeStamp", "+500 ticks: 1.000000000 s", 2));
    assert_eq!(of("MetadataId"), ("MetadataId", "1 (Shop/Order), inherited", 0));
    assert_eq!(of("Count"), ("Count", "3", 4));
    assert_eq!(of("Sku"), ("Sku", "tea", 8));
    let row = lines.iter().position(|line| line.0 == "Sku").expect("a row");
    assert_eq!(last.meaning(row), "Field of the payload. Type: string.");
    assert_eq!(last.section(row), "NetTrace 5, “Deserializing Payloads”");
    assert_eq!(last.part[row], part::FIELD);
    let bytes = session.ask(&queries::FileBytes { offset: last.offset[row], count: 8 });
    assert_eq!(bytes.expect("bytes").bytes, b"t\0e\0a\0\0\0");
}

#[test]
fn byte_leads_to_row_leaf_and_event() {
    for format in Format::ALL {
        let mut session = session(&trace(format));
        let file = session.file_bytes(0, u32::MAX).expect("bytes").bytes;
        let mut events = 0;
        for offset in 0..file.len() as u64 {
            let outline = structure(&mut session, offset, None);
            let whole = |table: &Structure| {
                let row = *table.row_there.first().expect("every byte is in a part") as usize;
                (row, table.offset[row]..table.offset[row] + table.bytes[row])
            };
            let (row, range) = whole(&outline);
            assert!(range.contains(&offset), "{format:?} {offset}: {range:?}");
            assert_eq!(outline.item[row], outline.item_there[0], "{format:?} {offset}");
            let request = queries::Leaves { offset, bytes: 3 };
            let leaves = session.ask(&request).expect("leaves");
            assert_eq!(leaves.row_there, [0], "{format:?} {offset}");
            let leaf = leaves.offset[0]..leaves.offset[0] + leaves.bytes[0];
            assert!(leaf.contains(&offset) && leaves.offset.len() <= 3, "{format:?} {offset}: {leaf:?}");
            let deepest = match outline.item_there[0] {
                NO_NUMBER => range,
                item => whole(&structure(&mut session, offset, Some(item))).1,
            };
            assert_eq!(deepest, leaf, "{format:?} {offset}: the same by both ways");
            let event = session.ask(&queries::EventAt { offset }).expect("an answer");
            events += u64::from(event.is_some());
        }
        let costs = session.costs();
        let orders = (0..costs.of.len()).find(|row| costs.of[*row] == cost::EVENT_TYPE).expect("a type");
        assert_eq!(events, costs.header_bytes[orders] + costs.payload_bytes[orders], "{format:?}");
    }
}

#[test]
fn field_costs_add_up_to_payloads() {
    for format in Format::ALL {
        let mut session = session(&trace(format));
        let costs = session.costs();
        let orders = (0..costs.of.len()).find(|row| costs.of[*row] == cost::EVENT_TYPE).expect("a type");
        let event_type = TypeId(costs.event_type[orders]);
        let request = queries::FieldCosts { event_type, first: 0 };
        let fields = session.ask(&request).expect("fields");
        assert_eq!((fields.events[0], fields.payload_bytes[0]), (3, costs.payload_bytes[orders]), "{format:?}");
        assert_eq!(fields.next, [0; 0], "{format:?}");
        assert_eq!(fields.bytes.iter().sum::<u64>(), fields.payload_bytes[0], "{format:?}");
        if format != Format::Netperf1 {
            let named: Vec<(&str, u64)> = fields.name.iter().zip(fields.bytes.iter().copied()).collect();
            assert_eq!(named, [("Count", 12), ("Sku", 24)], "{format:?}");
        }
    }
}

#[test]
fn runs_cover_file_and_blocks_are_filtered_by_problem() {
    let mut builder = TraceBuilder::new(Format::Nettrace4);
    builder.metadata(&[shop()]);
    for at in 0..50 {
        builder.events(&[order(at + 1, 1_000_000 + i64::from(at))]);
    }
    builder.raw(&[0xEE; 100]);
    builder.events(&[order(51, 1_000_100)]);
    let bytes = builder.finish();
    let mut session = session(&bytes);
    let table = sections(&mut session);
    for count in [1, 7, 5000] {
        let request = queries::SectionRuns { start: 0, end: u64::MAX, count };
        let runs = session.ask(&request).expect("runs");
        assert_eq!(runs.bytes.iter().sum::<u64>(), bytes.len() as u64, "{count}");
        assert_eq!(runs.sections.iter().map(|sections| u64::from(*sections)).sum::<u64>(), table.total[0], "{count}");
        assert_eq!(runs.problems.iter().sum::<u32>(), 1, "{count}");
        assert!(runs.offset.len() <= 2 * count as usize + 1, "{count}: {}", runs.offset.len());
        assert_eq!(
            runs.kinds.iter().fold(0, |all, kinds| all | kinds) & 1 << section_kind::DAMAGE,
            1 << section_kind::DAMAGE
        );
    }
    let of = SectionFilter { kinds: 0, only_problems: true };
    let request = queries::Sections { of, order: SectionOrder::default(), first: 0, count: 10 };
    let wrong = session.ask(&request).expect("pieces");
    assert_eq!((wrong.total[0], wrong.kind[0]), (1, section_kind::DAMAGE));
    let mut position = |of: SectionFilter, offset: u64| {
        session.ask(&queries::SectionPosition { of, order: SectionOrder::default(), offset }).expect("an answer")
    };
    assert_eq!(position(of, 0), Some(0), "the next one");
    assert_eq!(position(of, wrong.offset[0] + 1), Some(0));
    assert_eq!(position(of, wrong.offset[0] + 100), None);
    let events = SectionFilter { kinds: 1 << section_kind::EVENTS, only_problems: false };
    assert_eq!(position(events, wrong.offset[0]), Some(50));
}

#[test]
fn blocks_are_sorted_by_any_column() {
    let mut session = session(&trace(Format::Nettrace4));
    let all = sections(&mut session);
    for (column, declared) in (0_u8..).zip(&SECTION_COLUMNS) {
        for descending in [false, true] {
            let (of, order) = (SectionFilter::default(), SectionOrder { column: Some(column), descending });
            let sorted = session.ask(&queries::Sections { of, order, first: 0, count: u32::MAX }).expect("blocks");
            let (mut before, mut after) = (all.offset.clone(), sorted.offset.clone());
            let is_sorted = (1..after.len()).all(|row| {
                let order = declared.compare((&sorted, row - 1), (&sorted, row));
                if descending { order.is_ge() } else { order.is_le() }
            });
            assert!(is_sorted, "{}", declared.key);
            let request = queries::Sections { of, order, first: 1, count: 2 };
            assert_eq!(session.ask(&request).expect("a page").offset, after[1..3], "{}", declared.key);
            let request = queries::SectionPosition { of, order, offset: after[2] };
            assert_eq!(session.ask(&request).expect("a position"), Some(2), "{}", declared.key);
            before.sort_unstable();
            after.sort_unstable();
            assert_eq!(before, after, "{}", declared.key);
        }
    }
}

#[test]
fn metadata_parts_have_event_names() {
    // netperf 1 has no provider names.
    for format in [Format::Netperf2, Format::Netperf3, Format::Nettrace4, Format::Nettrace6] {
        let mut session = session(&trace(format));
        let table = sections(&mut session);
        // netperf writes them among the events.
        let row =
            (0..table.kind.len()).find(|row| matches!(table.kind[*row], section_kind::METADATA | section_kind::EVENTS));
        let outline = structure(&mut session, table.offset[row.expect("a block")], None);
        let described = (0..outline.item.len()).find(|row| outline.item[*row] == 0).expect("an item");
        assert_eq!(outline.value.get(described), "metadata for Shop/Order", "{format:?}");
    }
}

#[test]
fn damage_shows_expected_and_found_bytes() {
    let mut builder = TraceBuilder::new(Format::Nettrace4);
    builder.metadata(&[shop()]);
    builder.raw(&[0xEE; 100]);
    builder.events(&[order(1, 1_000_000)]);
    let mut session = session(&builder.finish());
    let table = sections(&mut session);
    let damage = (0..table.kind.len()).find(|row| table.kind[*row] == section_kind::DAMAGE).expect("damage");
    assert!(table.problem.get(damage).contains("Expected a block header"), "{}", table.problem.get(damage));
    let parts = structure(&mut session, table.offset[damage] + 5, None);
    assert_eq!((parts.part[0], parts.bytes[0], parts.name.get(0)), (part::DAMAGE, 100, "Damage"));
    assert!(parts.value.get(0).contains("Expected: 05 05 01"), "{}", parts.value.get(0));
    assert!(parts.value.get(0).contains("Found: ee ee ee"), "{}", parts.value.get(0));
}

/// Source that counts the bytes read.
struct Counted {
    bytes: Vec<u8>,
    read: Rc<Cell<u64>>,
}

impl ByteSource for Counted {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), SourceError> {
        self.read.set(self.read.get() + buffer.len() as u64);
        self.bytes.as_slice().read_at(offset, buffer)
    }
}

/// Reading a block costs its own bytes and a few pages, for a file of any size.
#[test]
fn opening_block_reads_little_more_than_the_block() {
    let mut builder = TraceBuilder::new(Format::Nettrace4);
    builder.metadata(&[shop()]);
    for block in 0..200_u32 {
        let events: Vec<Event> = (1..=1000).map(|at| order(block * 1000 + at, 1_000_000 + i64::from(at))).collect();
        builder.events(&events);
    }
    let bytes = builder.finish();
    let read = Rc::new(Cell::new(0));
    let mut session = session_of(&bytes, Box::new(Counted { bytes: bytes.clone(), read: read.clone() }));
    let table = sections(&mut session);
    assert_eq!(read.get(), 0, "the directory is in memory");
    let block = (0..table.kind.len()).filter(|row| table.kind[*row] == section_kind::EVENTS).nth(100).expect("a block");
    let page = queries::Structure { offset: table.offset[block], item: None, first: 500, count: 100 };
    let page = session.ask(&page).expect("a page");
    assert_eq!((page.offset.len(), page.items[0]), (100, 1000));
    assert!(page.item.iter().all(|item| *item != NO_NUMBER));
    assert!(read.get() < table.bytes[block] + (16 << 10) + 2 * (64 << 10), "{} bytes", read.get());
}
