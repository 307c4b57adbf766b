//! Facts about an event type, and differences between event types, as lines of text.

use super::schema_index::{SchemaIndex, name_of};
use crate::format;
use crate::timeline::clock::ClockFace;
use protocol::file::schema_diff::{Change, KindPair, SchemaSet};
use protocol::table::Column;
use protocol::tables::NOT_FIXED;

/// Returns the counts, times and sizes of an event type in a file of `file_bytes`: name, value, meaning.
pub fn totals(
    index: &SchemaIndex,
    row: usize,
    file_bytes: u64,
    face: &ClockFace,
) -> Vec<(&'static str, String, String)> {
    let types = &index.set.types;
    let number = |column: &[u64]| column.get(row).copied().unwrap_or(0);
    let (count, bytes) = (number(&types.count), number(&types.file_bytes));
    let share = format!("{} of the file", format::percent(bytes as f64, file_bytes as f64));
    let mut lines = vec![
        ("Events", format::count(count), String::new()),
        ("Size in file", format!("{}, {share}", format::bytes(bytes)), "Headers, payloads and metadata.".to_owned()),
        ("Payloads", format::bytes(number(&types.payload_bytes)), String::new()),
    ];
    if count == 0 {
        return lines;
    }
    let [first, last] = [&types.first, &types.last].map(|column| column.get(row).copied().unwrap_or(0));
    if count > 1 && last > first {
        let rate = (count - 1) as f64 * 1e9 / (last - first) as f64;
        lines.push(("Rate", format::rate(rate), "Between the first and last event.".to_owned()));
    }
    let threads = types.threads.get(row).copied().unwrap_or(0);
    lines.push(("Threads", format::count(threads.into()), String::new()));
    lines.push(("With stacks", format::count(number(&types.with_stack)), String::new()));
    lines.push(("First", face.moment(first, 6), String::new()));
    lines.push(("Last", face.moment(last, 6), String::new()));
    lines
}

/// Returns the declared type of a field: "Int32 (9)".
pub fn wire_text(set: &SchemaSet, field: usize) -> String {
    let wire = set.schemas.field_wire.get(field);
    match set.schemas.field_code.get(field) {
        Some(0) | None => wire.to_owned(),
        Some(code) => format!("{wire} ({code})"),
    }
}

/// Returns the offset or size of a field if it is the same in all payloads.
pub fn fixed_text(column: &[u32], field: usize) -> String {
    column.get(field).filter(|number| **number != NOT_FIXED).map_or_else(|| "–".to_owned(), u32::to_string)
}

/// Event type that differs between two sides.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangedKind {
    /// Difference.
    pub pair: KindPair,
    pub provider: String,
    pub name: String,
    /// "ID 7, version 1".
    pub words: String,
}

/// Columns of the table of differing event types.
pub const CHANGED_COLUMNS: [Column<ChangedKind>; 4] = [
    Column::text("change", "Change", |kind, _| {
        format!("{} {}", kind.pair.change.sign(), kind.pair.change.word()).into()
    }),
    Column::text("name", "Event", |kind, _| kind.name.as_str().into()),
    Column::text("version", "ID, version", |kind, _| kind.words.as_str().into()),
    Column::text("provider", "Provider", |kind, _| kind.provider.as_str().into()),
];

/// Returns the differing event types: added, removed, then changed.
pub fn changed_kinds(before: &SchemaSet, after: &SchemaSet) -> Vec<ChangedKind> {
    let pairs = before.kind_pairs(after);
    let of = |change: Change| pairs.iter().filter(move |pair| pair.change == change);
    let kind = |pair: &KindPair| {
        let (set, row) = match (pair.before, pair.after) {
            (_, Some(row)) => (after, row),
            (row, None) => (before, row.unwrap_or(0)),
        };
        let number = |column: &[u32]| column.get(row).copied().unwrap_or(0);
        ChangedKind {
            pair: *pair,
            provider: set.types.provider.get(row).to_owned(),
            name: name_of(set, row),
            words: format!("ID {}, version {}", number(&set.types.event_id), number(&set.types.version)),
        }
    };
    [Change::Added, Change::Removed, Change::Changed].into_iter().flat_map(of).map(kind).collect()
}

/// Summarizes the differences: "12 added, 3 removed, 4 changed", and the unchanged rest.
pub fn change_words(kinds: &[ChangedKind], before: &SchemaSet, after: &SchemaSet) -> String {
    let count = |change: Change| kinds.iter().filter(|kind| kind.pair.change == change).count();
    let (added, removed, changed) = (count(Change::Added), count(Change::Removed), count(Change::Changed));
    let same = before.len().saturating_sub(removed + changed);
    debug_assert_eq!(same, after.len().saturating_sub(added + changed));
    format!("{added} added, {removed} removed, {changed} changed, {same} unchanged")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::schema_index::tests::index;

    #[test]
    fn totals_have_units_and_rate() {
        let mut index = index(&[("Shop", 1, 0, "Order", 3, &[])]);
        index.set.types.first.push(0);
        index.set.types.last.push(4_000_000_000);
        index.set.types.threads.push(2);
        let face = ClockFace::default();
        let lines = totals(&index, 0, 300, &face);
        let value = |name: &str| lines.iter().find(|line| line.0 == name).map(|line| line.1.as_str());
        assert_eq!(value("Size in file"), Some("30 B, 10% of the file"));
        assert_eq!(value("Rate"), Some("0.500/s"));
        assert_eq!(value("Last"), Some("4.000000 s"));
    }

    #[test]
    fn changed_types_are_sorted_by_difference() {
        let before = index(&[
            ("Shop", 1, 0, "Order", 1, &["id"]),
            ("Shop", 2, 0, "Paid", 1, &[]),
            ("Shop", 3, 0, "Sent", 1, &[]),
        ]);
        let after = index(&[
            ("Shop", 1, 0, "Order", 1, &["id", "customer"]),
            ("Shop", 3, 0, "Sent", 9, &[]),
            ("Shop", 4, 0, "", 1, &[]),
        ]);
        let kinds = changed_kinds(&before.set, &after.set);
        let lines: Vec<_> =
            kinds.iter().map(|one| format!("{} {} {}", one.pair.change.sign(), one.name, one.words)).collect();
        assert_eq!(lines, ["+ Event 4 ID 4, version 0", "− Paid ID 2, version 0", "≠ Order ID 1, version 0"]);
        assert_eq!(change_words(&kinds, &before.set, &after.set), "1 added, 1 removed, 1 changed, 1 unchanged");
    }
}
