//! The structure of a section of the file in words: parses it again, with a listener for its parts.

mod numbers;
mod structure_text;

use super::blocks::section_kind;
use crate::model::{Block, EventType, FileSection, FileSectionKind, Store};
use nettrace::structure::{self, PartValue, Role, Section, StructureQuery, Window};
use nettrace::{ByteSource, EventHeader, SourceError};
use protocol::base::ids::{EventId, TypeId};
pub use protocol::queries::Structure as Wanted;
use protocol::tables::{NO_NUMBER, Structure, part};
use structure_text::Words;

/// Maximum number of parts in an answer.
pub const MAX_PARTS: u32 = 4096;
/// Bytes read after a section, by which the parser may have found its end.
const CONTEXT_BYTES: u64 = 16 << 10;
/// Maximum bytes read of a section; no block is larger.
const MAX_BYTES: u64 = 65 << 20;

/// Maximum bytes covered by the leaves in an answer.
pub const MAX_LEAF_BYTES: u32 = 64 << 10;

/// Returns the structure of the section that contains a byte; `None` after the end of the file.
///
/// # Errors
/// If the file can't be read.
pub fn file_structure(
    store: &Store,
    source: &dyn ByteSource,
    wanted: Wanted,
) -> Result<Option<Structure>, SourceError> {
    let query = StructureQuery {
        window: wanted.item.map_or(Window::Outline, Window::Item),
        parts: wanted.first..wanted.first.saturating_add(wanted.count.min(MAX_PARTS).into()),
        offset: wanted.offset,
    };
    answer(store, source, &query)
}

/// Returns the leaves with bytes in a range, limited to the section of its first byte and to [`MAX_LEAF_BYTES`]; `None`
/// after the end of the file.
///
/// # Errors
/// If the file can't be read.
pub fn leaves(
    store: &Store,
    source: &dyn ByteSource,
    offset: u64,
    bytes: u32,
) -> Result<Option<Structure>, SourceError> {
    let window = Window::Leaves(offset, offset.saturating_add(bytes.min(MAX_LEAF_BYTES).into()));
    answer(store, source, &StructureQuery { window, parts: 0..u64::MAX, offset })
}

fn answer(store: &Store, source: &dyn ByteSource, query: &StructureQuery) -> Result<Option<Structure>, SourceError> {
    let Some(section) = store.blocks.section_at(query.offset, source.len()) else { return Ok(None) };
    let (data, found) = read_section(store, source, &section, query)?;
    let words = Words { store, block: section.block, data: &data, offset: section.offset };
    Ok(Some(table(&section, &found, &words)))
}

/// Returns the event that contains a byte; `None` if there is none, or if it has no row.
///
/// # Errors
/// If the file can't be read.
pub fn event_at(store: &Store, source: &dyn ByteSource, offset: u64) -> Result<Option<EventId>, SourceError> {
    let Some(section) = store.blocks.section_at(offset, source.len()) else { return Ok(None) };
    let read = |window| read_section(store, source, &section, &StructureQuery { window, parts: 0..1, offset });
    let Some(item) = read(Window::Outline)?.1.item_at_offset else { return Ok(None) };
    let (_, found) = read(Window::Item(item))?;
    let event = found.parts.first().and_then(|part| part.event);
    Ok(event.and_then(|event| row_of(store, event.timestamp, event.payload_offset)).map(|(row, _)| row))
}

/// Reads the bytes of a section, and their structure.
fn read_section(
    store: &Store,
    source: &dyn ByteSource,
    section: &FileSection<'_>,
    query: &StructureQuery,
) -> Result<(Vec<u8>, structure::Structure), SourceError> {
    let data = data_of(section, source)?;
    let kind = match section.kind {
        FileSectionKind::Header => structure::SectionKind::Header,
        FileSectionKind::Block(_) => structure::SectionKind::Block(&store.header),
        FileSectionKind::Damage => structure::SectionKind::Damage(section.error),
        FileSectionKind::BehindEnd | FileSectionKind::Unread => structure::SectionKind::AfterEnd,
    };
    let eof = section.offset + data.len() as u64 == source.len();
    let bytes = Section { kind, offset: section.offset, bytes: section.bytes, data: &data, eof };
    let layouts = |event: &EventHeader<'_>| {
        let place = (event.timestamp, event.payload_offset, event.metadata_id);
        type_of(store, section.block, place).map(|event_type| event_type.schema.fields.as_slice())
    };
    let found = structure::structure(&bytes, query, &layouts);
    Ok((data, found))
}

/// Reads the bytes of a section that have parts, and some that follow.
fn data_of(section: &FileSection<'_>, source: &dyn ByteSource) -> Result<Vec<u8>, SourceError> {
    let wanted = match section.kind {
        FileSectionKind::Header | FileSectionKind::Block(_) => section.bytes.min(MAX_BYTES) + CONTEXT_BYTES,
        // Only its beginning is displayed.
        _ => section.bytes.min(64),
    };
    let mut data = vec![0; wanted.min(source.len() - section.offset) as usize];
    source.read_at(section.offset, &mut data)?;
    Ok(data)
}

/// Returns the type of an event by time, payload offset and metadata ID.
fn type_of<'s>(store: &'s Store, block: Option<&Block>, event: (i64, u64, u32)) -> Option<&'s EventType> {
    let (timestamp, payload_offset, metadata_id) = event;
    let of_row = row_of(store, timestamp, payload_offset).and_then(|(_, event_type)| store.types.get(event_type));
    of_row.filter(|found| found.record.metadata_id == metadata_id).or_else(|| described(store, block, metadata_id))
}

/// Returns the row of an event by time and payload offset, with its type.
fn row_of(store: &Store, timestamp: i64, payload_offset: u64) -> Option<(EventId, TypeId)> {
    let ticks = timestamp.saturating_sub(store.header.sync_ticks);
    let events = &store.events;
    (events.lower_bound(ticks)..events.lower_bound(ticks.saturating_add(1)))
        .map(|row| (EventId(row as u32), events.row(EventId(row as u32))))
        .find(|(_, row)| row.payload_offset == payload_offset)
        .map(|(id, row)| (id, row.event_type))
}

fn described<'s>(store: &'s Store, block: Option<&Block>, metadata_id: u32) -> Option<&'s EventType> {
    let of_block = block.map(|block| store.blocks.types_of(block)).unwrap_or_default();
    let types = of_block.iter().filter_map(|count| store.types.get(TypeId(count.id)));
    types.filter(|found| found.record.metadata_id == metadata_id).max_by_key(|found| found.record.offset)
}

fn table(section: &FileSection<'_>, found: &structure::Structure, words: &Words<'_>) -> Structure {
    let mut table = Structure {
        section: vec![section.offset, section.bytes],
        kind: vec![section_kind(section.kind)],
        total: vec![found.total],
        items: vec![found.items],
        item_there: vec![found.item_at_offset.unwrap_or(NO_NUMBER)],
        row_there: found.row_at_offset.into_iter().collect(),
        document: [words.document()].into_iter().collect(),
        ..Structure::default()
    };
    let mut terms: Vec<u16> = Vec::new();
    for one in &found.parts {
        table.offset.push(one.offset);
        table.bytes.push(one.bytes);
        table.depth.push(one.depth.into());
        table.part.push(match (&one.reading, one.term.role) {
            (PartValue::Parts, _) => part::GROUP,
            (PartValue::Inherited(_), _) => part::INHERITED,
            (PartValue::Unreadable(_), _) | (_, Role::Damage) => part::DAMAGE,
            (_, Role::Unknown) => part::UNKNOWN,
            (PartValue::Field(..) | PartValue::Elements(..), _) => part::FIELD,
            _ => part::LEAF,
        });
        table.item.push(one.item.unwrap_or(NO_NUMBER));
        table.name.push(if one.field.is_empty() { one.term.name } else { &one.field });
        table.value.push(&words.value(one));
        let term = terms.iter().position(|number| *number == one.term.number).unwrap_or_else(|| {
            let (section, meaning) = structure::texts(one.term.number);
            table.term_section.push(section);
            table.term_meaning.push(meaning);
            terms.push(one.term.number);
            terms.len() - 1
        });
        table.term.push(term as u16);
        table.type_words.push(&words.type_words(one));
    }
    table
}

/// Helpers of tests.
#[cfg(test)]
pub(crate) mod testing {
    use super::*;
    use nettrace::structure::EventFacts;

    /// Returns all parts of a section of a file.
    pub fn everything(store: &Store, source: &dyn ByteSource, section: &FileSection<'_>) -> structure::Structure {
        let query = StructureQuery { window: Window::Everything, parts: 0..u64::MAX, offset: section.offset };
        read_section(store, source, section, &query).expect("bytes").1
    }

    /// Returns the type of an event in a structure.
    pub fn type_of_event<'s>(store: &'s Store, section: &FileSection<'_>, event: &EventFacts) -> Option<&'s EventType> {
        type_of(store, section.block, (event.timestamp, event.payload_offset, event.metadata_id))
    }
}
