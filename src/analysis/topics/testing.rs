//! Reports of traces in memory, and what is in their tables, for tests.

use super::report::Report;
use super::table::Table;
use super::{Facts, Known, Scope};
use crate::analysis::filter::select;
use crate::analysis::gc::garbage_collections;
use crate::analysis::payload_pieces::Step;
use crate::analysis::payload_walk::PayloadWalk;
use crate::analysis::rows::TypeSet;
use crate::analysis::samples::SampleIndex;
use crate::analysis::tracks::TrackIndex;
use crate::model::Store;
use crate::nettrace::ByteSource;
use crate::protocol::report::{CellKind, ReportRows};
use crate::protocol::request::Filter;

/// What a topic comes to for a filter; `facts` have read nothing yet, and need nothing but their own events.
pub fn report(mut facts: impl Facts, store: &Store, source: &dyn ByteSource, filter: &Filter) -> Report {
    let types = TypeSet::new(store, |one| facts.wants(one));
    let mut walk = PayloadWalk::new(store, types, |_| true);
    let mut read = |chunk: &_, row, payload: &[u8]| facts.read(store, chunk, row, payload);
    while walk.step(store, source, false, &mut read).expect("payloads") != Step::Done {}
    let collections = garbage_collections(store, source).expect("payloads");
    let (samples, tracks) = (SampleIndex::default(), TrackIndex::default());
    let known = Known { store, collections: &collections, samples: &samples, spans: None, tracks: &tracks };
    facts.finish(&known);
    let selection = select(store, source, filter).expect("a filter");
    let span = filter.span.unwrap_or_else(|| store.user_span());
    facts.report(&known, &Scope { filter, selection: &selection, span })
}

/// A number of a report.
pub fn figure(report: &Report, key: &str) -> Option<f64> {
    report.figures.iter().find(|figure| figure.key == key).map(|figure| figure.value)
}

/// A table of a report.
pub fn table<'r>(report: &'r Report, key: &str) -> &'r Table {
    report.tables.iter().find(|table| table.head().key == key).expect("the table")
}

/// All rows of a table.
fn rows(table: &Table) -> ReportRows {
    table.rows(&(0..table.len() as u32).collect::<Vec<_>>())
}

fn column(table: &Table, key: &str) -> (usize, CellKind) {
    let columns = table.head().columns;
    let at = columns.iter().position(|column| column.key == key).expect("the column");
    (at, columns[at].kind)
}

/// The numbers of a column; none where there is nothing.
pub fn numbers(table: &Table, key: &str) -> Vec<Option<f64>> {
    let (at, page, columns) = (column(table, key).0, rows(table), table.head().columns.len());
    let cells = page.cells.chunks(columns).map(|row| row[at]);
    cells.map(|cell| cell.is_finite().then_some(cell)).collect()
}

/// The words of a column.
pub fn words(table: &Table, key: &str) -> Vec<String> {
    let ((at, kind), page, columns) = (column(table, key), rows(table), table.head().columns.len());
    assert_eq!(kind, CellKind::Text, "{key}");
    let cells = page.cells.chunks(columns).map(|row| row[at]);
    cells.map(|cell| page.texts.get(cell as usize).to_owned()).collect()
}
