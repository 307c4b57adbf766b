//! Small trace with one item of each kind, in every format.

use crate::testing::{Event, Format, PayloadWriter, TraceBuilder};
use crate::{Field, FieldType, Guid, LabelList, LabelValue, MetadataRecord, ThreadRow};

/// Returns records of two event types.
pub fn records() -> Vec<MetadataRecord> {
    vec![
        MetadataRecord {
            metadata_id: 1,
            provider: "Shop".into(),
            event_id: 7,
            version: 2,
            name: "OrderStart".into(),
            level: 4,
            keywords: 0x8000_0000_0000_0001,
            fields: vec![Field::new("id", FieldType::Int32), Field::new("name", FieldType::Utf16String)],
            ..MetadataRecord::default()
        },
        MetadataRecord { metadata_id: 2, provider: "Microsoft-Windows-DotNETRuntime".into(), ..Default::default() },
    ]
}

/// Returns the payload of event `index`.
pub fn payload(index: u32) -> Vec<u8> {
    PayloadWriter::new().u32(index).utf16("käse").finish()
}

/// Returns events on two threads; the second thread's are earlier than the first one's.
pub fn events() -> Vec<Event> {
    let event = |index: u32| {
        let second = index >= 4;
        Event {
            metadata_id: 1 + index % 2,
            sequence: if second { 100 + index } else { 1 + index },
            capture_thread: if second { 0x1_0000_0002 } else { 17 },
            processor: if second { u32::MAX } else { 3 },
            thread: if index == 2 { 99 } else { 17 },
            stack_id: index % 3,
            timestamp: if second { 1_000_000 } else { 2_000_000 } + i64::from(index),
            activity_id: if index == 3 { Guid([9; 16]) } else { Guid::ZERO },
            related_activity_id: if index == 5 { Guid([8; 16]) } else { Guid::ZERO },
            label_list: index / 4,
            is_sorted: index == 0,
            payload: if index.is_multiple_of(2) { payload(index) } else { Vec::new() },
            stack: if index == 1 { vec![0x7F00_1234_5678, 0x42] } else { Vec::new() },
        }
    };
    (0..8).map(event).collect()
}

/// Returns the event as a format can represent it.
pub fn as_in(format: Format, event: &Event, file_offsets: &[(u32, u32)]) -> Event {
    let event = event.clone();
    match format {
        Format::Netperf1 | Format::Netperf2 | Format::Netperf3 => {
            let offset = file_offsets.iter().find(|(id, _)| *id == event.metadata_id);
            Event {
                metadata_id: offset.map_or(event.metadata_id, |&(_, offset)| offset),
                sequence: 0,
                capture_thread: event.thread,
                processor: u32::MAX,
                stack_id: 0,
                label_list: 0,
                is_sorted: true,
                ..event
            }
        }
        Format::Nettrace4 => Event { label_list: 0, stack: Vec::new(), ..event },
        Format::Nettrace6 => {
            Event { activity_id: Guid::ZERO, related_activity_id: Guid::ZERO, stack: Vec::new(), ..event }
        }
    }
}

/// Returns threads of version 6.
pub fn threads() -> Vec<ThreadRow> {
    vec![
        ThreadRow {
            index: 17,
            name: Some("main".into()),
            process_id: Some(5),
            thread_id: Some(6),
            attributes: vec![("colour".into(), "green".into())],
            partial: None,
        },
        ThreadRow { index: 0x1_0000_0002, ..ThreadRow::default() },
    ]
}

/// Returns labels of version 6.
pub fn labels() -> Vec<LabelList> {
    vec![
        LabelList {
            activity_id: Some(Guid([1; 16])),
            related_activity_id: Some(Guid([2; 16])),
            trace_id: Some([3; 16]),
            span_id: Some(4),
            opcode: Some(5),
            keywords: Some(6),
            level: Some(7),
            version: Some(8),
            pairs: vec![
                ("text".into(), LabelValue::Text("value".into())),
                ("number".into(), LabelValue::Number { by_document: -3, plain: 5 }),
            ],
        },
        LabelList { span_id: Some(9), ..LabelList::default() },
    ]
}

/// Builds the trace: metadata, two blocks of events, and the other blocks of the format.
pub fn trace(format: Format, compressed: bool) -> Vec<u8> {
    let mut builder = TraceBuilder::new(format);
    if !compressed {
        builder = builder.uncompressed();
    }
    let events = events();
    builder.metadata(&records());
    if format == Format::Nettrace6 {
        builder.threads(&threads()).labels(1, &labels());
    }
    if matches!(format, Format::Nettrace4 | Format::Nettrace6) {
        builder.stacks(1, &[&[0x1000, 0x2000], &[]]);
    }
    builder.events(&events[..5]);
    if matches!(format, Format::Nettrace4 | Format::Nettrace6) {
        builder.sequence_point(3_000_000, 0, &[(17, 4), (0x1_0000_0002, 104)]);
    }
    builder.events(&events[5..]);
    if format == Format::Nettrace6 {
        builder.removed_threads(&[(17, 4)]);
    }
    builder.finish()
}

/// Returns every format, with and without header compression if it is optional.
pub fn variants() -> Vec<(Format, bool)> {
    let mut variants: Vec<_> = Format::ALL.into_iter().map(|format| (format, true)).collect();
    variants.extend([(Format::Nettrace4, false), (Format::Nettrace6, false)]);
    variants
}

/// Random numbers that are the same in every run.
pub struct XorShift(pub u64);

impl XorShift {
    /// Returns the next number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % limit
    }
}
