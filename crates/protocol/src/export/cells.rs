//! Cells of declared columns as members of JSON objects.

use super::json::Json;
use crate::table::{Cell, Column};

/// Largest integer up to which every number is exact.
const EXACT: f64 = (1_u64 << 53) as f64;

/// Writes the cells of a row. Omits those without a value, and columns without a key in JSON.
pub fn write_cells<'c, T: 'c, M: 'c>(
    json: &mut Json,
    columns: impl IntoIterator<Item = &'c Column<T, M>>,
    table: &T,
    row: usize,
) {
    for column in columns.into_iter().filter(|column| !column.json.is_empty()) {
        write_cell(json, column.json, (column.cell)(table, row));
    }
}

/// Writes records as objects.
pub fn write_records<T>(json: &mut Json, columns: &[Column<T>], records: &[T]) {
    records.iter().for_each(|record| json.object(|json| write_cells(json, columns, record, 0)));
}

/// Writes a cell, unless it has no value.
pub fn write_cell(json: &mut Json, key: &str, cell: Cell<'_>) {
    match cell {
        Cell::Missing(_) => {}
        Cell::Text(text) => json.key(key).string(&text),
        Cell::Integer(number) => json.key(key).integer(number),
        Cell::Number(number) if number.fract() == 0.0 && number.abs() < EXACT => json.key(key).integer(number as i64),
        Cell::Number(number) => json.key(key).float(number),
        Cell::Range(start, end) => json.key(key).array(|json| [start, end].into_iter().for_each(|at| json.integer(at))),
    }
}
