//! Texts for the parts of a structure.

use super::numbers::{Names, number_words};
use super::{described, type_of};
use crate::analysis::values::value_text::{exact_seconds, type_text, value_text};
use crate::model::{Block, BlockHead, EventType, Store};
use nettrace::structure::{Part, PartValue, Role};
use nettrace::{Container, Error};
use protocol::base::ids::thread_number;
use protocol::format;

/// Maximum number of a stack's addresses printed.
const MAX_ADDRESSES: usize = 16;
/// Maximum number of unreadable bytes printed.
const MAX_FOUND: usize = 16;

/// The data that texts depend on.
pub(super) struct Words<'s> {
    pub store: &'s Store,
    pub block: Option<&'s Block>,
    /// The bytes starting at `offset`.
    pub data: &'s [u8],
    pub offset: u64,
}

impl Names for Words<'_> {
    fn time(&self, raw_ticks: i128) -> String {
        let ticks = raw_ticks - i128::from(self.store.header.sync_ticks);
        let ticks = ticks.clamp(i64::MIN.into(), i64::MAX.into()) as i64;
        exact_seconds(self.store.clock.nanos(ticks).0) + " s"
    }

    fn event(&self, metadata_id: u32) -> Option<String> {
        described(self.store, self.block, metadata_id).map(event_name)
    }

    fn thread(&self, index: u64) -> Option<String> {
        let thread = self.store.threads.get(self.store.thread_with_index(index)?)?;
        Some(format!("thread {}", thread_number(thread.os_thread)))
    }
}

/// Returns `Provider/Name`.
fn event_name(event_type: &EventType) -> String {
    format!("{}/{}", event_type.provider, event_type.display_name)
}

impl Words<'_> {
    pub fn value(&self, part: &Part) -> String {
        let number = |value: i128| number_words(part.term.role, value, part.result, self);
        match &part.reading {
            PartValue::Parts => self.group(part),
            PartValue::Unsigned(value) | PartValue::Varint(value) => number((*value).into()),
            PartValue::Signed(value) => number((*value).into()),
            PartValue::Inherited(value) => match part.term.role {
                Role::SequenceDelta => format!("{value}, previous + 1"),
                _ => format!("{}, inherited", number(*value)),
            },
            PartValue::Guid(guid) => guid.to_string(),
            PartValue::Utf8(text) | PartValue::Utf16(text) => text.clone(),
            PartValue::Field(_, value) | PartValue::Elements(_, value) => value_text(value),
            PartValue::Raw if part.term.role == Role::Address => self.addresses(part),
            PartValue::Raw if part.term.role == Role::Plain && part.bytes == 1 => "1 byte".to_owned(),
            PartValue::Raw if part.term.role == Role::Plain => format!("{} bytes", format::count(part.bytes)),
            PartValue::Unreadable(error) => self.unreadable(part, error),
            _ => format!("{} bytes: {}", format::count(part.bytes), self.found(part)),
        }
    }

    /// Returns the document that describes the file's format.
    pub fn document(&self) -> &'static str {
        let header = &self.store.header;
        match (header.container, header.version) {
            (Container::Netperf, _) => "NetPerf",
            (Container::Nettrace, ..6) => "NetTrace 5",
            (Container::Nettrace, _) => "NetTrace 6",
        }
    }

    /// Returns a sentence with the type of a payload field; empty for other parts.
    pub fn type_words(&self, part: &Part) -> String {
        match &part.reading {
            PartValue::Field(field_type, _) => format!("Type: {}.", type_text(field_type)),
            PartValue::Elements(element, _) => format!("Element type: {}.", type_text(element)),
            _ => String::new(),
        }
    }

    /// Returns the name of a group: its event or stack.
    fn group(&self, part: &Part) -> String {
        let number = |first: u32| first.wrapping_add(part.item.unwrap_or(0)).to_string();
        match (part.term.role, &part.event, self.block.map(|block| block.head)) {
            (Role::Event, Some(event), _) if event.metadata_id == 0 => self.description(event.payload_offset),
            // The record follows its size.
            (Role::Description, ..) => self.description(part.offset + 2),
            (Role::Event, Some(event), _) => {
                let place = (event.timestamp, event.payload_offset, event.metadata_id);
                let name = type_of(self.store, self.block, place).map(event_name);
                let name = name.unwrap_or_else(|| format!("MetadataId {}", event.metadata_id));
                format!("{name} at {}", self.time(event.timestamp.into()))
            }
            (Role::Stack | Role::LabelList, _, Some(BlockHead::First(first))) => number(first),
            _ => String::new(),
        }
    }

    /// Returns the name of the event described by the metadata record at an offset. Repeated records aren't
    /// distinguished.
    fn description(&self, offset: u64) -> String {
        let described = self.store.types.iter().find(|event_type| event_type.record.offset == offset);
        described.map_or_else(|| "metadata".to_owned(), |found| format!("metadata for {}", event_name(found)))
    }

    fn bytes_of(&self, part: &Part) -> &[u8] {
        let start = part.offset.saturating_sub(self.offset) as usize;
        let end = start.saturating_add(part.bytes as usize).min(self.data.len());
        self.data.get(start..end).unwrap_or_default()
    }

    fn addresses(&self, part: &Part) -> String {
        let width = usize::from(self.store.header.pointer_size);
        let bytes = self.bytes_of(part);
        let address =
            |bytes: &[u8]| format!("{:#x}", bytes.iter().rev().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte)));
        let shown: Vec<String> = bytes.chunks_exact(width).take(MAX_ADDRESSES).map(address).collect();
        let more = if bytes.len() / width > MAX_ADDRESSES { ", …" } else { "" };
        format!("{} addresses: {}{more}", bytes.len() / width, shown.join(", "))
    }

    /// Returns the first bytes of a part.
    fn found(&self, part: &Part) -> String {
        let bytes = self.bytes_of(part);
        let shown: Vec<String> = bytes.iter().take(MAX_FOUND).map(|byte| format!("{byte:02x}")).collect();
        let more = if part.bytes > MAX_FOUND as u64 { " …" } else { "" };
        format!("{}{more}", shown.join(" "))
    }

    fn unreadable(&self, part: &Part, error: &Error) -> String {
        let expected = match part.term.role {
            Role::Damage if part.depth == 0 => format!(" Expected: {}.", self.expected()),
            _ => String::new(),
        };
        format!("{}.{expected} Found: {}", error.kind(), self.found(part))
    }

    /// Returns the expected start of a block.
    fn expected(&self) -> &'static str {
        let header = &self.store.header;
        match (header.container, header.version) {
            (Container::Netperf, 1 | 2) => "an event whose size equals its header, payload and stack",
            (Container::Netperf, _) => "04 04 01 (begins an object) or 01 (ends the file)",
            (Container::Nettrace, ..6) => "05 05 01 (begins an object) or 01 (ends the file)",
            (Container::Nettrace, _) => "the size and type of a block, followed by another block",
        }
    }
}
