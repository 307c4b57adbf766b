//! Tables of event types: schemas and field values.

use crate::columns::Strings;
use crate::packed_table;
use serde::{Deserialize, Serialize};

/// File format of schemas.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum SchemaFormat {
    /// All facts.
    #[default]
    Json,
    /// C# source code of EventSource classes that would write the events.
    CSharp,
}

/// Bits of [`Schemas::flags`].
pub mod schema_flag {
    /// The file declares the opcode.
    pub const OPCODE: u8 = 1;
    /// The file doesn't declare the level.
    pub const NO_LEVEL: u8 = 2;
    /// The file doesn't declare the keywords.
    pub const NO_KEYWORDS: u8 = 4;
    /// The file doesn't declare the version.
    pub const NO_VERSION: u8 = 8;
    /// The fields come from the second list, a tag that replaces the first one.
    pub const SECOND_LIST: u8 = 16;
    /// The metadata record is only partially readable.
    pub const INCOMPLETE: u8 = 32;
    /// Payloads are decoded with fields other than those declared in the file.
    pub const OVERRIDDEN: u8 = 64;
}

/// Marks an offset or size that isn't fixed.
pub const NOT_FIXED: u32 = u32::MAX;

packed_table!(
    /// Schemas of event types, in the rows of [`crate::tables::Types`], which has the totals.
    Schemas {
        /// Name in the file; empty if there is none.
        metadata_name: Strings,
        /// Number by which events refer to the metadata record.
        metadata_id: Vec<u32>,
        /// Offset of the metadata record in the file.
        offset: Vec<u64>,
        /// Bits of [`schema_flag`].
        flags: Vec<u8>,
        /// Names of the keywords, separated by " | ".
        keywords: Strings,
        /// Name of the opcode, or its number.
        opcode: Strings,
        /// Task, inferred from the event name; empty if there is none.
        task: Strings,
        /// GUID of the provider; empty if there is none.
        guid: Strings,
        /// Message template; empty if there is none.
        template: Strings,
        /// Description by the provider; empty if there is none.
        description: Strings,
        /// Differences between payloads and the schema's fields; empty if there are none.
        fit: Strings,
        /// End of the row's fields in the columns below. They begin at the end of the previous row.
        fields_end: Vec<u32>,
        /// Nesting depth of the field.
        field_depth: Vec<u32>,
        field_name: Strings,
        /// Type in C# syntax.
        field_type: Strings,
        /// Type name in the format documents.
        field_wire: Strings,
        /// Type code in the format; 0 if there is none.
        field_code: Vec<u8>,
        /// Offset in the payload, or [`NOT_FIXED`].
        field_offset: Vec<u32>,
        /// Size in bytes, or [`NOT_FIXED`].
        field_bytes: Vec<u32>,
    }
);

impl Schemas {
    /// Returns the rows of the fields of an event type, in the columns of fields.
    pub fn fields_of(&self, row: usize) -> std::ops::Range<usize> {
        let end = |row: usize| self.fields_end.get(row).copied().unwrap_or(0) as usize;
        let start = row.checked_sub(1).map_or(0, end);
        start..end(row).max(start)
    }
}

packed_table!(
    /// Values of the fields of an event type, with one row per field without nested fields.
    FieldValues {
        /// Number of matching events: one value.
        events: Vec<u64>,
        /// Number of sampled events: one value.
        looked_at: Vec<u64>,
        /// Row of the field in the event type, as in [`Schemas`].
        field: Vec<u32>,
        /// Name, including the names of enclosing fields.
        name: Strings,
        /// Number of events with a value.
        with_value: Vec<u64>,
        /// Number of distinct values.
        distinct: Vec<u64>,
        /// 1 if the number of distinct values is a minimum.
        is_cut: Vec<u8>,
        /// Minimum of a number; empty for other values.
        smallest: Strings,
        /// Maximum of a number; empty for other values.
        largest: Strings,
        /// End of the row's values in the columns below. They begin at the end of the previous row.
        values_end: Vec<u32>,
        /// Displayed value, most frequent first.
        value: Strings,
        value_events: Vec<u64>,
    }
);

impl FieldValues {
    /// Returns the rows of the values of a field, in the columns of values.
    pub fn values_of(&self, row: usize) -> std::ops::Range<usize> {
        let end = |row: usize| self.values_end.get(row).copied().unwrap_or(0) as usize;
        let start = row.checked_sub(1).map_or(0, end);
        start..end(row).max(start)
    }
}
