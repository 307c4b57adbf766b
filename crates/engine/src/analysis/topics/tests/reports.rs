//! Helpers that compute reports on traces in memory, for tests.

use crate::analysis::filter::select::select;
use crate::analysis::intervals::gc::gcs_of;
use crate::analysis::intervals::spans::search::SpanSearch;
use crate::analysis::intervals::tracks::TrackIndex;
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::scan::payload_batches::Step;
use crate::analysis::scan::payload_scan::PayloadScan;
use crate::analysis::scan::rows::TypeSet;
use crate::analysis::timeline::thread_states::thread_time;
use crate::analysis::topics::recording_findings::{SampledTime, recording_findings};
use crate::analysis::topics::shared::call_site::has_unnamed_code;
use crate::analysis::topics::shared::report::Report;
use crate::analysis::topics::shared::table::Table;
use crate::analysis::topics::{Facts, Known, Scope, facts_of, needs_of, with_findings};
use crate::model::{EventChunk, Store};
use nettrace::ByteSource;
use protocol::filter::parse;
use protocol::request::Filter;
use protocol::topics::finding::Finding;
use protocol::topics::topic::Topic;
use std::rc::Rc;

/// Returns the report on a topic for a filter text.
pub fn report(topic: Topic, store: &Store, source: &dyn ByteSource, query: &str) -> Report {
    report_within(topic, store, source, &Filter { query: query.to_owned(), ..Filter::default() })
}

/// Returns the report on a topic for a filter.
pub fn report_within(topic: Topic, store: &Store, source: &dyn ByteSource, filter: &Filter) -> Report {
    with_facts(topic, store, source, filter, |facts, known, scope| facts.report(known, scope))
}

/// Returns a topic's findings in the whole trace.
pub fn findings(topic: Topic, store: &Store, source: &dyn ByteSource) -> Vec<Finding> {
    assert!(with_findings().contains(&topic), "{topic:?} is never asked");
    with_facts(topic, store, source, &Filter::default(), |facts, known, scope| {
        let mut found = facts.findings(known, scope);
        found.extend(facts.effects(known, scope, &found));
        found
    })
}

/// Returns the findings about the recording of the whole trace.
pub fn recording_findings_of(store: &Store, source: &dyn ByteSource) -> Vec<Finding> {
    with_facts(Topic::Gc, store, source, &Filter::default(), |_, known, scope| {
        recording_findings(known, scope, &SampledTime::default())
    })
}

/// Reads only the data that a topic needs.
fn with_facts<T>(
    topic: Topic,
    store: &Store,
    source: &dyn ByteSource,
    filter: &Filter,
    ask: impl FnOnce(&dyn Facts, &Known<'_>, &Scope<'_>) -> T,
) -> T {
    let mut facts = facts_of(topic, store);
    let (needs, mut tracks) = (needs_of(topic), TrackIndex::default());
    let spans = (needs.spans || needs.requests && has_unnamed_code(store)).then(|| {
        let mut search = SpanSearch::new(store);
        while search.step(store, source, false).expect("payloads") != Step::Done {}
        search.finish(store, source, &mut tracks).expect("payloads")
    });
    for kind in needs.tracks {
        tracks.intervals(store, source, *kind).expect("payloads");
    }
    if needs.handle_waits {
        tracks.handle_waits(store, source).expect("payloads");
    }
    let types = TypeSet::new(store, |one| facts.wants(one));
    let mut walk = PayloadScan::new(store, types, |one| facts.wants_payload(one));
    let mut read = |chunk: &EventChunk, row: usize, payload: &[u8]| facts.read(store, chunk, row, payload);
    while walk.step(store, source, false, &mut read).expect("payloads") != Step::Done {}
    let gcs = gcs_of(store, source).expect("payloads");
    let samples = SampleIndex::build(store).expect("memory");
    let known =
        Known { store, is_partial: false, gcs: &gcs, samples: &samples, spans: spans.as_ref(), tracks: &tracks };
    facts.finish(&known);
    let selection = select(store, source, filter).expect("a filter");
    let query = parse(&filter.query).expect("a query");
    let span = query.span_within(store.indexed_span(filter.span));
    let of_any_time = filter.without_range().map(|filter| select(store, source, &filter).expect("a filter"));
    let time = thread_time(store, source);
    let scope = Scope {
        filter,
        selection: selection.into(),
        span,
        time: Some(time.into()),
        states: None,
        of_any_time: of_any_time.map(Rc::new),
    };
    ask(&*facts, &known, &scope)
}

/// Returns the value of a figure that must exist.
pub fn figure(report: &Report, key: &str) -> f64 {
    figure_if_any(report, key).unwrap_or_else(|| panic!("no figure {key}"))
}

/// Returns the value of a figure, if it exists.
pub fn figure_if_any(report: &Report, key: &str) -> Option<f64> {
    report.figures.iter().find(|figure| figure.key == key).map(|figure| figure.value)
}

pub fn table<'r>(report: &'r Report, key: &str) -> &'r Table {
    report.tables.iter().find(|table| table.head().key == key).unwrap_or_else(|| panic!("no table {key}"))
}

/// Returns the rows of a table in order, with the cells of these columns as text: numbers unformatted, "" for empty
/// cells.
pub fn rows(table: &Table, columns: &[&str]) -> Vec<Vec<String>> {
    let columns: Vec<Vec<String>> = columns.iter().map(|key| column(table, key)).collect();
    (0..table.len()).map(|row| columns.iter().map(|cells| cells[row].clone()).collect()).collect()
}

/// Returns the requests of the HTTP report, incoming and outgoing ones in the order of their numbers, like [`rows`];
/// "side" is the direction, and a column that only the other direction has is empty.
pub fn requests(report: &Report, columns: &[&str]) -> Vec<Vec<String>> {
    let mut all: Vec<(u64, Vec<String>)> = Vec::new();
    for side in ["incoming", "outgoing"] {
        let table = table(report, side);
        let head = table.head();
        let of = |key: &&str| match *key {
            "side" => vec![side.to_owned(); table.len()],
            key if head.columns.iter().any(|column| column.key == key) => column(table, key),
            _ => vec![String::new(); table.len()],
        };
        let cells: Vec<Vec<String>> = columns.iter().map(of).collect();
        let numbers = column(table, "number");
        let numbered = numbers.iter().enumerate().map(|(row, number)| {
            (number.parse().expect("a number"), cells.iter().map(|cells| cells[row].clone()).collect())
        });
        all.extend(numbered);
    }
    all.sort();
    all.into_iter().map(|(_, row)| row).collect()
}

/// Returns a column of all rows of a table as text: numbers unformatted, "" for empty cells.
pub fn column(table: &Table, key: &str) -> Vec<String> {
    let head = table.head();
    let (at, cells) = cells(table, key);
    let page = table.rows(&table.order(None, false));
    (0..cells.len()).map(|row| page.cell(row, at, head.columns[at].kind).plain().into_owned()).collect()
}

/// Returns the numbers of a column; `None` for empty cells.
pub fn numbers(table: &Table, key: &str) -> Vec<Option<f64>> {
    cells(table, key).1.into_iter().map(|cell| cell.is_finite().then_some(cell)).collect()
}

/// Returns the position of a column, and its cells.
fn cells(table: &Table, key: &str) -> (usize, Vec<f64>) {
    let columns = table.head().columns;
    let at = columns.iter().position(|one| one.key == key).unwrap_or_else(|| panic!("no column {key}"));
    let page = table.rows(&table.order(None, false));
    (at, page.cells.iter().copied().skip(at).step_by(columns.len()).collect())
}
