//! Queries about the file: blocks, sizes, bytes, event types and their schemas.

use crate::base::ids::TypeId;
use crate::file::schema_tables::SchemaFormat;
use crate::file::section_columns::SectionOrder;
use crate::request::{Filter, SectionFilter};
use serde::{Deserialize, Serialize};

/// Event types with counts and bytes in the whole file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Types;

/// Details of an event type with its fields.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TypeDetail {
    pub event_type: TypeId,
}

/// Schemas of all event types, in the rows of [`Types`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Schemas;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SchemaFile {
    pub format: SchemaFormat,
    /// Provider; empty for all.
    pub provider: String,
}

/// Values of the fields of an event type.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FieldValues {
    /// Filter of the events of the type.
    pub filter: Filter,
    pub event_type: TypeId,
}

/// Blocks of the file, including the header and damaged ranges.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Sections {
    pub of: SectionFilter,
    pub order: SectionOrder,
    /// Index of the first block among the matching ones.
    pub first: u64,
    /// Number of blocks.
    pub count: u32,
}

/// Index among the matching blocks of the block that contains a byte, or of the next one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SectionPosition {
    pub of: SectionFilter,
    pub order: SectionOrder,
    /// Offset of any byte of the block.
    pub offset: u64,
}

/// Part of the file as runs of adjacent blocks, for drawing.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SectionRuns {
    /// Offset of the first byte.
    pub start: u64,
    /// Offset after the last byte.
    pub end: u64,
    /// Approximate maximum number of runs; short blocks are merged.
    pub count: u32,
}

/// Bytes of the file by purpose.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Costs;

/// Bytes of the payload fields of an event type, in steps.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FieldCosts {
    pub event_type: TypeId,
    /// First row of the step: 0, then [`crate::tables::FieldCosts::next`] of the previous answer.
    pub first: u64,
}

/// Parts of a block.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Structure {
    /// Offset of any byte of the block.
    pub offset: u64,
    /// Item of the block (event, metadata record, stack, …), with all its parts; `None` for the outline of the block,
    /// with one part per item.
    pub item: Option<u32>,
    /// Index of the first part.
    pub first: u64,
    /// Number of parts.
    pub count: u32,
}

/// Leaf parts of a byte range in one block.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Leaves {
    /// Offset of the first byte, which determines the block.
    pub offset: u64,
    /// Number of bytes.
    pub bytes: u32,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FileBytes {
    /// Offset of the first byte.
    pub offset: u64,
    /// Maximum number of bytes.
    pub count: u32,
}

/// Event that contains a byte.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EventAt {
    /// Offset of any byte of the header or payload.
    pub offset: u64,
}
