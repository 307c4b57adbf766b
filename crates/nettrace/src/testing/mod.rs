//! Builders of small traces in every format, for tests (feature `testing`).
//!
//! ```
//! # #[cfg(feature = "testing")] {
//! use nettrace::testing::{Event, Format, TraceBuilder};
//! use nettrace::MetadataRecord;
//!
//! let mut trace = TraceBuilder::new(Format::Nettrace4);
//! trace.metadata(&[MetadataRecord { metadata_id: 1, provider: "Shop".into(), event_id: 7, ..Default::default() }]);
//! trace.events(&[Event { metadata_id: 1, thread: 42, timestamp: 1000, ..Event::default() }]);
//! let bytes = trace.finish();
//! assert!(bytes.starts_with(b"Nettrace"));
//! # }
//! ```

mod event_writer;
mod metadata_writer;
mod payload_writer;
mod reading;
mod structure_check;

use crate::container::object::STREAM_HEADER;
use crate::{Container, Guid, Header, LabelList, LabelValue, MetadataRecord, SystemTime, ThreadRow};

pub use event_writer::Event;
pub use payload_writer::PayloadWriter;
pub use reading::read_in_chunks;
pub use structure_check::check_parts;

/// Format of a trace to build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// netperf version 1: providers have GUIDs only.
    Netperf1,
    /// netperf version 2.
    Netperf2,
    /// netperf version 3.
    Netperf3,
    /// nettrace version 4; with the tags of "version 5" if the metadata needs them.
    Nettrace4,
    /// nettrace version 6.
    Nettrace6,
}

impl Format {
    /// All formats.
    pub const ALL: [Self; 5] = [Self::Netperf1, Self::Netperf2, Self::Netperf3, Self::Nettrace4, Self::Nettrace6];

    /// Returns whether objects begin with the tags of netperf.
    fn is_netperf(self) -> bool {
        matches!(self, Self::Netperf1 | Self::Netperf2 | Self::Netperf3)
    }

    /// Returns whether the file has neither blocks nor metadata IDs: netperf 1 and 2.
    fn is_unframed(self) -> bool {
        matches!(self, Self::Netperf1 | Self::Netperf2)
    }

    /// Returns a header with memorable values: 2025-02-03 04:05:06 UTC at tick 1,000,000, 1,000 ticks per second, process 1.
    pub fn header(self) -> Header {
        let version = match self {
            Self::Netperf1 => 1,
            Self::Netperf2 => 2,
            Self::Netperf3 => 3,
            Self::Nettrace4 => 4,
            Self::Nettrace6 => 6,
        };
        let unframed = self.is_unframed();
        Header {
            container: if self.is_netperf() { Container::Netperf } else { Container::Nettrace },
            version,
            minor_version: 0,
            sync_time_utc: SystemTime {
                year: 2025,
                month: 2,
                day_of_week: 1,
                day: 3,
                hour: 4,
                minute: 5,
                second: 6,
                millisecond: 0,
            },
            sync_ticks: 1_000_000,
            tick_frequency: 1_000,
            pointer_size: 8,
            process_id: u32::from(!unframed),
            processor_count: if unframed { 1 } else { 4 },
            expected_sampling_rate_nanos: if unframed { 0 } else { 1_000_000 },
            pairs: Vec::new(),
            warnings: Vec::new(),
        }
    }
}

/// Writes a trace block by block.
#[derive(Clone, Debug)]
pub struct TraceBuilder {
    format: Format,
    pointer_size: u8,
    compressed: bool,
    bytes: Vec<u8>,
    /// netperf 1 and 2: metadata IDs and the offsets of their records.
    metadata_offsets: Vec<(u32, u32)>,
}

impl TraceBuilder {
    /// Begins a trace with the header [`Format::header`]. Event headers are compressed if the format supports it.
    pub fn new(format: Format) -> Self {
        Self::with_header(format, &format.header())
    }

    /// Begins a trace with this header. Omits values that the format can't express.
    pub fn with_header(format: Format, header: &Header) -> Self {
        let pointer_size = header.pointer_size;
        let mut builder =
            Self { format, pointer_size, compressed: true, bytes: Vec::new(), metadata_offsets: Vec::new() };
        match format {
            Format::Nettrace6 => builder.write_v6_header(header),
            Format::Netperf1 | Format::Netperf2 => builder.write_unframed_header(header),
            Format::Netperf3 | Format::Nettrace4 => builder.write_object_header(header),
        }
        builder
    }

    /// Writes the headers of all later events without compression.
    pub fn uncompressed(mut self) -> Self {
        self.compressed = false;
        self
    }

    /// Returns the bytes written so far.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Writes a metadata block; in netperf, an event block with only metadata.
    pub fn metadata(&mut self, records: &[MetadataRecord]) -> &mut Self {
        match self.format {
            Format::Netperf1 | Format::Netperf2 => {
                for record in records {
                    let offset = self.bytes.len() as u32;
                    self.metadata_offsets.push((record.metadata_id, offset));
                    let payload = metadata_writer::unframed_payload(record, self.format == Format::Netperf1);
                    event_writer::netperf(&mut self.bytes, &Event { payload, ..Event::default() }, 8, false);
                }
                self
            }
            Format::Nettrace6 => self.block("", 3, &metadata_writer::v6_block(records)),
            Format::Netperf3 | Format::Nettrace4 => {
                let events: Vec<_> = records
                    .iter()
                    .map(|record| Event { payload: metadata_writer::v5_payload(record), ..Event::default() })
                    .collect();
                let content = self.event_content(&events);
                let name = if self.format == Format::Netperf3 { "EventBlock" } else { "MetadataBlock" };
                self.block(name, 3, &content)
            }
        }
    }

    /// Writes an event block. In netperf 1 and 2, metadata IDs must be those of records written before.
    pub fn events(&mut self, events: &[Event]) -> &mut Self {
        if self.format.is_unframed() {
            for event in events {
                let offset = self.metadata_offsets.iter().rev().find(|(id, _)| *id == event.metadata_id);
                let metadata_id = offset.map_or(event.metadata_id, |&(_, offset)| offset);
                let event = Event { metadata_id, ..event.clone() };
                event_writer::netperf(&mut self.bytes, &event, self.pointer_size, false);
            }
            return self;
        }
        let content = self.event_content(events);
        self.block("EventBlock", 2, &content)
    }

    fn event_content(&self, events: &[Event]) -> Vec<u8> {
        match self.format {
            Format::Nettrace4 => event_writer::v4_block(events, self.compressed),
            Format::Nettrace6 => event_writer::v6_block(events, self.compressed),
            _ => {
                let mut content = Vec::new();
                events.iter().for_each(|event| event_writer::netperf(&mut content, event, self.pointer_size, true));
                content
            }
        }
    }

    /// Writes a stack block; each stack is a list of addresses, leaf first. Not in netperf, whose events contain their stacks.
    pub fn stacks(&mut self, first_id: u32, stacks: &[&[u64]]) -> &mut Self {
        let mut content = PayloadWriter::new().u32(first_id).u32(stacks.len() as u32);
        for stack in stacks {
            content = content.u32(stack.len() as u32 * u32::from(self.pointer_size));
            for &address in *stack {
                content = content.pointer(address, self.pointer_size);
            }
        }
        self.block("StackBlock", 5, &content.finish())
    }

    /// Writes a sequence point with the sequence number of the last event of each capture thread. `flags` is for version 6.
    pub fn sequence_point(&mut self, timestamp: i64, flags: u32, threads: &[(u64, u32)]) -> &mut Self {
        let mut content = PayloadWriter::new().i64(timestamp);
        if self.format == Format::Nettrace6 {
            content = content.u32(flags).u32(threads.len() as u32);
            for &(thread, sequence) in threads {
                content = content.var_u64(thread).var_u64(u64::from(sequence));
            }
        } else {
            content = content.u32(threads.len() as u32);
            for &(thread, sequence) in threads {
                content = content.u64(thread).u32(sequence);
            }
        }
        self.block("SPBlock", 4, &content.finish())
    }

    /// Writes a thread block (version 6).
    pub fn threads(&mut self, rows: &[ThreadRow]) -> &mut Self {
        let mut content = PayloadWriter::new();
        for row in rows {
            let mut writer = PayloadWriter::new().var_u64(row.index);
            if let Some(name) = &row.name {
                writer = writer.u8(1).short_utf8(name);
            }
            if let Some(id) = row.process_id {
                writer = writer.u8(2).var_u64(id);
            }
            if let Some(id) = row.thread_id {
                writer = writer.u8(3).var_u64(id);
            }
            for (key, value) in &row.attributes {
                writer = writer.u8(4).short_utf8(key).short_utf8(value);
            }
            let row = writer.finish();
            content = content.u16(row.len() as u16).bytes(&row);
        }
        self.block("", 6, &content.finish())
    }

    /// Writes a block of removed threads, each with the sequence number of its last event (version 6).
    pub fn removed_threads(&mut self, threads: &[(u64, u32)]) -> &mut Self {
        let mut content = PayloadWriter::new();
        for &(thread, sequence) in threads {
            content = content.var_u64(thread).var_u64(u64::from(sequence));
        }
        self.block("", 7, &content.finish())
    }

    /// Writes a block of label lists, none of them empty (version 6). Numbers are written as their `plain` value.
    pub fn labels(&mut self, first_index: u32, lists: &[LabelList]) -> &mut Self {
        let mut content = PayloadWriter::new().u32(first_index).u32(lists.len() as u32);
        for list in lists {
            let mut labels = label_bytes(list);
            if let Some(last) = labels.last_mut() {
                last[0] |= 0x80;
            }
            content = content.bytes(&labels.concat());
        }
        self.block("", 8, &content.finish())
    }

    /// Writes any block: with this name up to version 5, with this kind in version 6.
    pub fn block(&mut self, name: &str, kind: u8, content: &[u8]) -> &mut Self {
        if self.format == Format::Nettrace6 {
            let header = u32::from(kind) << 24 | content.len() as u32;
            self.bytes.extend_from_slice(&header.to_le_bytes());
            self.bytes.extend_from_slice(content);
            return self;
        }
        let version = if self.format == Format::Nettrace4 { 2 } else { 1 };
        self.begin_object(name, version, version);
        self.bytes.extend_from_slice(&(content.len() as u32).to_le_bytes());
        while !self.bytes.len().is_multiple_of(4) {
            self.bytes.push(0);
        }
        self.bytes.extend_from_slice(content);
        self.bytes.push(6);
        self
    }

    /// Writes raw bytes, for example to damage the trace.
    pub fn raw(&mut self, bytes: &[u8]) -> &mut Self {
        self.bytes.extend_from_slice(bytes);
        self
    }

    /// Completes the trace with the end-of-stream marker and returns its bytes.
    pub fn finish(mut self) -> Vec<u8> {
        match self.format {
            Format::Nettrace6 => self.bytes.extend_from_slice(&[0; 4]),
            Format::Nettrace4 | Format::Netperf3 => self.bytes.push(1),
            Format::Netperf1 | Format::Netperf2 => {
                let label = self.bytes.len() as u32;
                self.bytes.push(6);
                for number in [1, label, label + 1, label + 9] {
                    self.bytes.extend_from_slice(&u32::to_le_bytes(number));
                }
            }
        }
        self.bytes
    }

    /// Returns the bytes of the incomplete trace, as if its process had crashed.
    pub fn abort(self) -> Vec<u8> {
        self.bytes
    }

    fn begin_object(&mut self, name: &str, version: u32, oldest_reader: u32) {
        let tag = if self.format.is_netperf() { 4 } else { 5 };
        self.bytes.extend_from_slice(&[tag, tag, 1]);
        for number in [version, oldest_reader, name.len() as u32] {
            self.bytes.extend_from_slice(&number.to_le_bytes());
        }
        self.bytes.extend_from_slice(name.as_bytes());
        self.bytes.push(6);
    }

    fn write_object_header(&mut self, header: &Header) {
        let oldest_reader = if self.format == Format::Nettrace4 { 4 } else { 0 };
        if self.format == Format::Nettrace4 {
            self.bytes.extend_from_slice(b"Nettrace");
        }
        self.bytes.extend_from_slice(STREAM_HEADER);
        self.begin_object("Trace", header.version, oldest_reader);
        let content = clock(header)
            .u32(u32::from(header.pointer_size))
            .u32(header.process_id)
            .u32(header.processor_count)
            .u32(header.expected_sampling_rate_nanos)
            .u8(6);
        self.bytes.extend_from_slice(&content.finish());
    }

    fn write_unframed_header(&mut self, header: &Header) {
        self.bytes.extend_from_slice(STREAM_HEADER);
        self.begin_object("Microsoft.DotNet.Runtime.EventPipeFile", header.version, 0);
        self.bytes.extend_from_slice(&[0; 4]);
        self.bytes.extend_from_slice(&clock(header).finish());
    }

    fn write_v6_header(&mut self, header: &Header) {
        self.bytes.extend_from_slice(b"Nettrace");
        for number in [0, header.version, header.minor_version] {
            self.bytes.extend_from_slice(&number.to_le_bytes());
        }
        let mut pairs = Vec::new();
        for (key, value) in [
            ("ProcessId", header.process_id),
            ("HardwareThreadCount", header.processor_count),
            ("ExpectedCPUSamplingRate", header.expected_sampling_rate_nanos),
        ] {
            pairs.push((key.to_owned(), value.to_string()));
        }
        pairs.extend_from_slice(&header.pairs);
        let mut content = clock(header).u32(u32::from(header.pointer_size)).u32(pairs.len() as u32);
        for (key, value) in &pairs {
            content = content.short_utf8(key).short_utf8(value);
        }
        self.block("", 1, &content.finish());
    }
}

/// Writes the sync time and clock, the same in all versions.
fn clock(header: &Header) -> PayloadWriter {
    let time = &header.sync_time_utc;
    [time.year, time.month, time.day_of_week, time.day, time.hour, time.minute, time.second, time.millisecond]
        .into_iter()
        .fold(PayloadWriter::new(), PayloadWriter::u16)
        .i64(header.sync_ticks)
        .i64(header.tick_frequency)
}

/// Returns the bytes of each label of a list, which begin with its kind.
fn label_bytes(list: &LabelList) -> Vec<Vec<u8>> {
    let label = |kind: u8| PayloadWriter::new().u8(kind);
    let mut labels = Vec::new();
    labels.extend(list.activity_id.map(|Guid(id)| label(1).bytes(&id)));
    labels.extend(list.related_activity_id.map(|Guid(id)| label(2).bytes(&id)));
    labels.extend(list.trace_id.map(|id| label(3).bytes(&id)));
    labels.extend(list.span_id.map(|id| label(4).u64(id)));
    for (key, value) in &list.pairs {
        labels.push(match value {
            LabelValue::Text(text) => label(5).short_utf8(key).short_utf8(text),
            LabelValue::Number { plain, .. } => label(6).short_utf8(key).var_u64(*plain),
        });
    }
    labels.extend(list.opcode.map(|opcode| label(7).u8(opcode)));
    labels.extend(list.keywords.map(|keywords| label(8).u64(keywords)));
    labels.extend(list.level.map(|level| label(9).u8(level)));
    labels.extend(list.version.map(|version| label(10).u8(version)));
    labels.into_iter().map(PayloadWriter::finish).collect()
}
