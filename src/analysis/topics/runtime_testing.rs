//! Reports of topics that need more than their own events, for tests.

use super::report::Report;
use super::table::Table;
use super::testing;
use super::{Known, Scope, facts_of};
use crate::analysis::filter::select;
use crate::analysis::gc::garbage_collections;
use crate::analysis::payload_pieces::Step;
use crate::analysis::rows::TypeSet;
use crate::analysis::samples::SampleIndex;
use crate::analysis::span_search::SpanSearch;
use crate::analysis::tracks::TrackIndex;
use crate::model::Store;
use crate::nettrace::ByteSource;
use crate::protocol::report::CellKind;
use crate::protocol::request::Filter;
use crate::protocol::topic::Topic;

/// What a topic comes to in a trace.
pub fn report_of(store: &Store, bytes: &dyn ByteSource, topic: Topic, query: &str) -> Report {
    let mut facts = facts_of(topic, store).expect("a topic that is told about");
    let needs = facts.needs();
    let mut tracks = TrackIndex::default();
    let spans = needs.spans.then(|| {
        let mut search = SpanSearch::new(store);
        while search.step(store, bytes, false).expect("payloads") != Step::Done {}
        search.finish(store, bytes, &mut tracks).expect("payloads")
    });
    for kind in needs.tracks {
        tracks.marks(store, bytes, *kind).expect("payloads");
    }
    if needs.handle_waits {
        tracks.handle_waits(store, bytes).expect("payloads");
    }
    let wanted = TypeSet::new(store, |one| facts.wants(one));
    let read = wanted.try_for_each_row(store, |chunk, row| {
        let payload = store.payload(chunk.event_id(row), bytes)?;
        facts.read(store, chunk, row, &payload);
        Ok(())
    });
    read.expect("payloads");
    let (samples, collections) = (SampleIndex::build(store), garbage_collections(store, bytes).expect("payloads"));
    let known = Known { store, collections: &collections, samples: &samples, spans: spans.as_ref(), tracks: &tracks };
    facts.finish(&known);
    let filter = Filter { query: query.to_owned(), ..Filter::default() };
    let selection = select(store, bytes, &filter).expect("a filter");
    facts.report(&known, &Scope { filter: &filter, selection: &selection, span: store.user_span() })
}

/// A figure of a report that has it.
pub fn figure(report: &Report, key: &str) -> f64 {
    testing::figure(report, key).unwrap_or_else(|| panic!("figure {key}"))
}

/// A column of all rows of a table, as words; whole numbers without a point, nothing as "".
pub fn column(table: &Table, key: &str) -> Vec<String> {
    let head = table.head();
    let at = head.columns.iter().position(|one| one.key == key).unwrap_or_else(|| panic!("column {key}"));
    let page = table.rows(&table.order(None, false));
    let cells = page.cells.iter().skip(at).step_by(head.columns.len());
    let words = |cell: &f64| match head.columns[at].kind {
        _ if !cell.is_finite() => String::new(),
        CellKind::Text => page.texts.get(*cell as usize).to_owned(),
        CellKind::Number(_) => cell.to_string(),
    };
    cells.map(words).collect()
}
