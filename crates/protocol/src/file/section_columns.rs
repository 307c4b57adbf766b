//! Columns of the table of blocks.

use super::tables::{NO_NUMBER, NO_TIME, Sections, compression, section_kind};
use crate::format;
use crate::table::{Cell, Column, Unit};
use serde::{Deserialize, Serialize};

/// Order of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct SectionOrder {
    /// Index in [`SECTION_COLUMNS`]; `None` for the order in the file.
    pub column: Option<u8>,
    /// True to sort in descending order.
    pub descending: bool,
}

/// Columns of the table of blocks, in default order.
pub const SECTION_COLUMNS: [Column<Sections>; 10] = [
    Column::number("offset", "Offset", Unit::Offset, |table: &Sections, row| table.offset.get(row).copied().into())
        .ascending(),
    Column::text("kind", "Kind", |table, row| table.kind.get(row).map(|kind| section_kind::name(*kind)).into()),
    Column::number("bytes", "Bytes", Unit::Count, |table, row| table.bytes.get(row).copied().into()),
    Column::number("items", "Items", Unit::Count, |table: &Sections, row| some(&table.items, row)).json(""),
    Column::text("headers", "Headers", |table: &Sections, row| match table.compression.get(row) {
        Some(&compression::COMPRESSED) => "compressed".into(),
        Some(&compression::FIXED) => "full".into(),
        _ => Cell::Missing(""),
    })
    .json(""),
    times("times", "Event times", |table, row| range(&table.first, &table.last, row)),
    times("declared", "Declared times", |table, row| range(&table.declared_first, &table.declared_last, row)),
    Column::number("threads", "Threads", Unit::Count, |table: &Sections, row| some(&table.threads, row)).json(""),
    Column::number("types", "Event types", Unit::Count, |table, row| some(&table.types, row)),
    Column::text("note", "IDs, problem", |table: &Sections, row| note(table, row)).json(""),
];

/// Further columns of JSON.
pub const SECTION_FACTS: [Column<Sections>; 7] = [
    Column::number("items", "", Unit::Count, |table, row| table.items.get(row).copied().into()),
    Column::number("firstNs", "", Unit::Moment, |table, row| time(&table.first, row).into()),
    Column::number("lastNs", "", Unit::Moment, |table, row| time(&table.last, row).into()),
    Column::number("declaredFirstNs", "", Unit::Moment, |table, row| time(&table.declared_first, row).into()),
    Column::number("declaredLastNs", "", Unit::Moment, |table, row| time(&table.declared_last, row).into()),
    Column::number("firstNumber", "", Unit::Identity, |table, row| first_number(table, row).into()),
    Column::text("problem", "", |table, row| match table.problem.get(row) {
        "" => Cell::Missing(""),
        problem => problem.into(),
    }),
];

const fn times(key: &'static str, title: &'static str, cell: fn(&Sections, usize) -> Cell<'_>) -> Column<Sections> {
    Column::number(key, title, Unit::Moment, cell).ascending().json("")
}

fn some(numbers: &[u32], row: usize) -> Cell<'static> {
    numbers.get(row).copied().filter(|number| *number > 0).into()
}

fn time(times: &[i64], row: usize) -> Option<i64> {
    times.get(row).copied().filter(|at| *at != NO_TIME)
}

fn range(first: &[i64], last: &[i64], row: usize) -> Cell<'static> {
    match (time(first, row), time(last, row)) {
        (Some(first), Some(last)) => Cell::Range(first, last),
        (first, _) => first.into(),
    }
}

fn first_number(table: &Sections, row: usize) -> Option<u32> {
    table.first_number.get(row).copied().filter(|number| *number != NO_NUMBER)
}

/// Returns the problem of a block, or the IDs of its items.
fn note(table: &Sections, row: usize) -> Cell<'_> {
    let items = table.items.get(row).copied().unwrap_or(0);
    match (table.problem.get(row), first_number(table, row)) {
        ("", None) => Cell::Missing(""),
        ("", Some(first)) if items <= 1 => format!("ID {}", format::count(first.into())).into(),
        ("", Some(first)) => {
            let last = u64::from(first) + u64::from(items) - 1;
            format!("IDs {}–{}", format::count(first.into()), format::count(last)).into()
        }
        (problem, _) => problem.into(),
    }
}
