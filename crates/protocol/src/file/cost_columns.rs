//! Columns of tables of sizes.

use super::tables::Costs;
use crate::table::{Column, Unit};

/// Sizes of a part of the file.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Sizes {
    /// Number of events or blocks; `None` for other parts.
    pub count: Option<u64>,
    pub header_bytes: u64,
    pub payload_bytes: u64,
    /// Bytes of metadata.
    pub description_bytes: u64,
    pub padding_bytes: u64,
    /// Total bytes.
    pub bytes: u64,
}

/// Columns after the name, in default order.
pub const COST_COLUMNS: [Column<Sizes>; 6] = [
    Column::number("count", "Count", Unit::Count, |sizes, _| sizes.count.into()),
    Column::number("headers", "Headers", Unit::Count, |sizes: &Sizes, _| sizes.header_bytes.into()).json("headerBytes"),
    Column::number("payloads", "Payloads", Unit::Count, |sizes: &Sizes, _| sizes.payload_bytes.into())
        .json("payloadBytes"),
    Column::number("metadata", "Metadata", Unit::Count, |sizes: &Sizes, _| sizes.description_bytes.into())
        .json("descriptionBytes"),
    Column::number("padding", "Padding", Unit::Count, |sizes: &Sizes, _| sizes.padding_bytes.into())
        .json("paddingBytes"),
    Column::number("bytes", "Bytes", Unit::Count, |sizes, _| sizes.bytes.into()),
];

impl Costs {
    pub fn sizes(&self, row: usize) -> Sizes {
        let of = |column: &[u64]| column.get(row).copied().unwrap_or(0);
        Sizes {
            count: self.count.get(row).copied(),
            header_bytes: of(&self.header_bytes),
            payload_bytes: of(&self.payload_bytes),
            description_bytes: of(&self.description_bytes),
            padding_bytes: of(&self.padding_bytes),
            bytes: of(&self.bytes),
        }
    }
}
