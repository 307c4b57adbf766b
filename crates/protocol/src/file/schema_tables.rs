//! Tables about kinds of events: what the file declares of them, and what values their fields have.

use crate::columns::Strings;
use crate::packed_table;
use serde::{Deserialize, Serialize};

/// How schemas are written as a file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum SchemaFormat {
    /// Everything that is known of them.
    #[default]
    Json,
    /// The source of event sources that would write such events.
    CSharp,
}

/// Bits of [`Schemas::flags`].
pub mod schema_flag {
    /// The file says the opcode.
    pub const OPCODE: u8 = 1;
    /// The file does not say the level.
    pub const NO_LEVEL: u8 = 2;
    /// The file does not say the keywords.
    pub const NO_KEYWORDS: u8 = 4;
    /// The file does not say the version.
    pub const NO_VERSION: u8 = 8;
    /// The fields come from the second list, a tag that replaces the first one.
    pub const SECOND_LIST: u8 = 16;
    /// The description cannot be read to its end.
    pub const INCOMPLETE: u8 = 32;
    /// The file declares other fields than those that payloads are read by.
    pub const OVERRIDDEN: u8 = 64;
}

/// The offset or size of what has no fixed one.
pub const NOT_FIXED: u32 = u32::MAX;

packed_table!(
    /// What is declared of each kind of event: row by row the same kinds as in [`crate::tables::Types`], which has their totals.
    Schemas {
        /// Name in the file; empty if there is none.
        metadata_name: Strings,
        /// The number that events refer to it by.
        metadata_id: Vec<u32>,
        /// Where its description stands in the file.
        offset: Vec<u64>,
        /// Bits of [`schema_flag`].
        flags: Vec<u8>,
        /// Names of the keywords, with " | " between them.
        keywords: Strings,
        /// Name of the opcode, or its number.
        opcode: Strings,
        /// What the event is a part of, if its name says that; else empty.
        task: Strings,
        /// GUID of the provider; empty if it has none.
        guid: Strings,
        /// Its message with places for values; empty if it has none.
        template: Strings,
        /// What its provider says about it; empty if nothing.
        description: Strings,
        /// Where its fields end in the columns below; they begin where those of the row before end.
        fields_end: Vec<u32>,
        /// How many fields it is inside of.
        field_depth: Vec<u32>,
        /// Its name.
        field_name: Strings,
        /// Its type as in C#.
        field_type: Strings,
        /// Its type by the name that the format gives it.
        field_wire: Strings,
        /// The number that the format gives that type; 0 if it has none.
        field_code: Vec<u8>,
        /// Bytes from the start of the payload; or [`NOT_FIXED`].
        field_offset: Vec<u32>,
        /// Bytes of it; or [`NOT_FIXED`].
        field_bytes: Vec<u32>,
    }
);

impl Schemas {
    /// The rows of the fields of a kind of event, in the columns of fields.
    pub fn fields_of(&self, row: usize) -> std::ops::Range<usize> {
        let end = |row: usize| self.fields_end.get(row).copied().unwrap_or(0) as usize;
        let start = row.checked_sub(1).map_or(0, end);
        start..end(row).max(start)
    }
}

packed_table!(
    /// What values the fields of a kind of event have. A row a field that is not made of others.
    FieldValues {
        /// Events that the filter wants: one value.
        events: Vec<u64>,
        /// How many of them were looked at: one value.
        looked_at: Vec<u64>,
        /// The field's row among the fields of its kind of event, as in [`Schemas`].
        field: Vec<u32>,
        /// Its name, with those of the fields that it is inside of.
        name: Strings,
        /// Events that have a value in it.
        with_value: Vec<u64>,
        /// Values that differ.
        distinct: Vec<u64>,
        /// 1 if there may be more: there was no room to tell all apart.
        is_cut: Vec<u8>,
        /// The smallest value of a number; empty for what is none.
        smallest: Strings,
        /// The largest.
        largest: Strings,
        /// Where its values end in the columns below; they begin where those of the row before end.
        values_end: Vec<u32>,
        /// A value as it is shown, most frequent first.
        value: Strings,
        /// How many events have it.
        value_events: Vec<u64>,
    }
);

impl FieldValues {
    /// The rows of the values of a field, in the columns of values.
    pub fn values_of(&self, row: usize) -> std::ops::Range<usize> {
        let end = |row: usize| self.values_end.get(row).copied().unwrap_or(0) as usize;
        let start = row.checked_sub(1).map_or(0, end);
        start..end(row).max(start)
    }
}
