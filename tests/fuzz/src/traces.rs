//! Small traces of all versions, with all event types that affect the store.

use nettrace::testing::{Event, Format, PayloadWriter, TraceBuilder};
use nettrace::{Field, FieldType, Guid, LabelList, LabelValue, MetadataRecord, ThreadRow};

/// Versions in file names. Version 5 is 4 with more metadata.
pub const VERSIONS: [u32; 6] = [1, 2, 3, 4, 5, 6];

const RUNTIME: &str = "Microsoft-Windows-DotNETRuntime";
const SAMPLER: &str = "Microsoft-DotNETCore-SampleProfiler";
/// GUIDs of these two providers, which version 1 contains instead of names.
const RUNTIME_GUID: Guid =
    Guid([0x23, 0x0D, 0x3C, 0xE1, 0xBC, 0xCC, 0x12, 0x4E, 0x93, 0x1B, 0xD9, 0xCC, 0x2E, 0xEE, 0x27, 0xE4]);
const SAMPLER_GUID: Guid =
    Guid([0x44, 0x0D, 0x53, 0x3C, 0xAE, 0x97, 0x3A, 0x51, 0x1E, 0x6D, 0x78, 0x3E, 0x8F, 0x8E, 0x03, 0xA9]);

/// Size of a method's code; method `n` begins at `n * CODE`.
const CODE: u64 = 0x1000;
fn format(version: u32) -> Format {
    match version {
        1 => Format::Netperf1,
        2 => Format::Netperf2,
        3 => Format::Netperf3,
        4 | 5 => Format::Nettrace4,
        _ => Format::Nettrace6,
    }
}

/// Returns a trace of a version, with a number of rounds of 14 events. Event headers are compressed if `compressed` and
/// the version supports it.
pub fn trace(version: u32, compressed: bool, rounds: u64) -> Vec<u8> {
    let format = format(version);
    let mut builder = TraceBuilder::new(format);
    if !compressed {
        builder = builder.uncompressed();
    }
    builder.metadata(&records(version));
    for round in 0..rounds {
        if version == 6 {
            builder.threads(&threads()).labels(1, &labels());
        }
        let stacks: Vec<Vec<u64>> = (0..4).map(|leaf| addresses(leaf, round)).collect();
        if version >= 4 {
            builder.stacks(1, &stacks.iter().map(Vec::as_slice).collect::<Vec<_>>());
        }
        let events = events(version, round, &stacks);
        let (first, second) = events.split_at(events.len() / 2);
        builder.events(first).events(second);
        if version >= 4 {
            let flags = if version == 6 && round % 2 == 1 { 1 } else { 0 };
            builder.sequence_point(ticks(round + 1), flags, &[(10, 1 + sequence(round + 1))]);
        }
    }
    if version == 6 {
        builder.threads(&threads()).removed_threads(&[(11, 0)]);
    }
    builder.finish()
}

fn ticks(round: u64) -> i64 {
    1_000_000 + 100 * round as i64
}

/// Returns the sequence number before a round, minus one: one event was lost before the first.
fn sequence(round: u64) -> u32 {
    round as u32 * KINDS
}

/// Number of events per round.
const KINDS: u32 = 14;

/// Returns the addresses of a stack, leaf first.
fn addresses(leaf: u64, round: u64) -> Vec<u64> {
    let mut addresses = vec![(1 + leaf) * CODE + 3, 2 * CODE + round, CODE + 5];
    addresses.truncate(1 + leaf as usize);
    addresses
}

fn record(metadata_id: u32, provider: &str, event_id: u32, version: u32) -> MetadataRecord {
    MetadataRecord {
        metadata_id,
        provider: provider.to_owned(),
        provider_guid: None,
        event_id,
        version,
        level: 4,
        keywords: 0x10,
        ..MetadataRecord::default()
    }
}

fn records(version: u32) -> Vec<MetadataRecord> {
    let plain = vec![
        Field::new("id", FieldType::Int32),
        Field::new("name", FieldType::Utf16String),
        Field::new("when", FieldType::DateTime),
        Field::new("inner", FieldType::Object(vec![Field::new("on", FieldType::Boolean8)])),
    ];
    let listed = |element| FieldType::Array(Box::new(element));
    let arrays = vec![
        Field::new("numbers", listed(FieldType::Int32)),
        Field::new("texts", listed(listed(FieldType::Char16))),
        Field::new("bytes", listed(FieldType::UInt8)),
    ];
    let universal = vec![Field::new("Value", FieldType::VarUInt)];
    let mut records = vec![
        record(1, RUNTIME, 143, 1),
        record(2, SAMPLER, 0, 0),
        record(3, RUNTIME, 80, 1),
        record(4, RUNTIME, 9, 1),
        record(5, RUNTIME, 3, 1),
        record(6, RUNTIME, 1, 2),
        record(7, RUNTIME, 2, 1),
        record(8, RUNTIME, 152, 2),
        MetadataRecord { name: "OrderStart".into(), fields: plain, ..record(9, "Shop", 7, 0) },
        record(10, RUNTIME, 85, 0),
    ];
    if version >= 5 {
        let opcode = (version == 5).then_some(1);
        let tags = version == 5;
        let arrays = MetadataRecord { name: "Lists".into(), fields: arrays, opcode, ..record(11, "Shop", 8, 0) };
        records.push(MetadataRecord { has_v5_tags: tags, ..arrays });
    }
    if version == 6 {
        records.push(record(12, "Universal.System", 3, 0));
        records.push(record(13, "Universal.System", 4, 0));
        let cpu = MetadataRecord { name: "cpu".into(), fields: universal, ..record(14, "Universal.Events", 14, 0) };
        records.push(MetadataRecord {
            message_template: Some("{Value} at a time".into()),
            description: Some("A sample".into()),
            attributes: vec![("Animal".into(), "Pony".into())],
            opcode: Some(10),
            ..cpu
        });
    }
    if version == 1 {
        for record in &mut records {
            let guid = match record.provider.as_str() {
                RUNTIME => RUNTIME_GUID,
                SAMPLER => SAMPLER_GUID,
                _ => Guid([7; 16]),
            };
            record.provider_guid = Some(guid);
            record.provider.clear();
        }
    }
    records
}

fn payload(metadata_id: u32, round: u64) -> Vec<u8> {
    let payload = PayloadWriter::new();
    let number = round as u32;
    match metadata_id {
        1 => {
            let method = 1 + round;
            let code = payload.u64(method).u64(99).u64(method * CODE).u32(0x100).u32(0x600_0000 + number).u32(0x200);
            code.utf16("Shop.Orders`1").utf16(&format!("Place{round}")).utf16("void  (int32)").u16(0)
        }
        2 => payload.u32(1 + number % 2),
        3 => payload.utf16("System.FormatException").utf16("Käse 🧀").u64(CODE).u32(0x8013_1537).u16(0).u16(0),
        4 => payload.u32(1).u32(number).u16(0),
        5 => payload.u16(0),
        6 => payload.u32(number).u32(2).u32(1).u32(0).u16(0).u64(0),
        7 => payload.u32(number).u32(2).u16(0),
        8 => payload.u64(99).u64(5).u32(0).u32(0).utf16("/app/Shop.dll").utf16("").u16(0),
        9 => payload.u32(number).utf16("käse").i64(133_000_000_000_000_000).u8(1),
        10 => payload.u64(7).u64(1).u32(1).u32(2).u32(100 + number).u16(0),
        11 => payload.u16(2).u32(1).u32(2).u16(1).u16(2).u16(0x48).u16(0x49).u16(3).bytes(&[1, 2, 3]),
        12 => payload.var_u64(1).var_u64(CODE).var_u64(20 * CODE).var_u64(0).u16(7).bytes(b"libc.so").var_u64(0),
        13 => payload.var_u64(round).var_u64(1).var_u64(2 * CODE).var_u64(2 * CODE + 0xFF).u16(4).bytes(b"read"),
        _ => payload.var_u64(1_000_000),
    }
    .finish()
}

fn events(version: u32, round: u64, stacks: &[Vec<u64>]) -> Vec<Event> {
    let kinds = records(version).len() as u32;
    (0..KINDS)
        .map(|index| {
            let metadata_id = 1 + index % kinds;
            let stack = u64::from(index) % 5;
            Event {
                metadata_id,
                sequence: 2 + sequence(round) + index,
                capture_thread: 10,
                processor: if round == 0 { u32::MAX } else { index % 4 },
                thread: 10 + u64::from(index % 2),
                stack_id: stack as u32,
                timestamp: ticks(round) + i64::from(index),
                activity_id: Guid([index as u8; 16]),
                related_activity_id: if index == 3 { Guid([9; 16]) } else { Guid::ZERO },
                label_list: index % 3,
                is_sorted: index % 4 == 0,
                payload: payload(metadata_id, round),
                stack: stack.checked_sub(1).map_or(Vec::new(), |stack| stacks[stack as usize].clone()),
            }
        })
        .collect()
}

fn threads() -> Vec<ThreadRow> {
    let row = |index, thread_id| ThreadRow {
        index,
        process_id: Some(5),
        thread_id: Some(thread_id),
        name: Some(format!("thread {index}")),
        attributes: vec![("colour".into(), "green".into())],
        ..ThreadRow::default()
    };
    vec![row(10, 700), row(11, 701)]
}

fn labels() -> Vec<LabelList> {
    vec![
        LabelList {
            activity_id: Some(Guid([1; 16])),
            related_activity_id: Some(Guid([2; 16])),
            trace_id: Some([3; 16]),
            span_id: Some(4),
            opcode: Some(5),
            keywords: Some(6),
            level: Some(2),
            version: Some(1),
            pairs: vec![
                ("text".into(), LabelValue::Text("value".into())),
                ("number".into(), LabelValue::Number { by_document: -3, plain: 5 }),
            ],
        },
        LabelList { span_id: Some(9), ..LabelList::default() },
    ]
}
