//! Stacks of all traces on the timeline: those of the other traces are added to those of the shown one, by name. The rest
//! of the tab asks here what a sum has: not the numbers and views that only one trace can have.

use crate::app::state::page_state::page_state;
use crate::app::state::{App, Selection, StackView};
use crate::details::find::find;
use crate::trace::join::join;
use leptos::prelude::*;
use protocol::base::ids::FunctionId;
use protocol::queries::{AddedStacks, FunctionDetail, MAX_ADDED_STACKS, TraceStacks};
use protocol::request::{Baseline, BaselineOf, Filter, FrameName, TreeQuery};
use protocol::{EncodedRequest, Failure, FailureCode};
use view::grid::GridColumn;
use view::url::selection::SelectionLink;
use view::url::stacks::Comparison;
use wasm_bindgen_futures::spawn_local;

/// What the stacks of the other traces depend on: number, filter and revision of each, and the query without a filter.
/// The revision of the shown trace, whose worker keeps them, is last.
type Key = (Vec<(u32, Filter, u32)>, TreeQuery, u32);

page_state! {
    /// Stacks that are added to those of a trace.
    SumState {
        /// Their numbers, from [`AddedStacks`], oldest first.
        known: Vec<(Key, u64)>,
        /// Those that are being requested.
        requested: Vec<Key>,
        /// Failure of the last request.
        failure: Option<Failure>,
    }
}

/// Columns that a sum doesn't have.
const OF_ONE_TRACE: [&str; 4] = ["when", "stacks", "first", "last"];

/// Returns whether the stacks are those of one trace.
pub fn are_of_one(app: App) -> bool {
    !app.traces.are_all()
}

/// Returns whether a view can be shown.
pub fn has_view(app: App, view: StackView) -> bool {
    are_of_one(app) || view != StackView::TimeOrder
}

/// Returns the columns that can be shown.
pub fn shown_columns(app: App, mut columns: Vec<GridColumn>) -> Vec<GridColumn> {
    columns.retain(|column| are_of_one(app) || !OF_ONE_TRACE.contains(&column.key.as_str()));
    columns
}

/// Returns the comparison, if it is shown.
pub fn comparison(app: App) -> Option<Comparison> {
    app.stacks.with(|look| look.comparison).filter(|_| are_of_one(app))
}

/// Selects the function of a frame in the shown trace, or in the first one that has it. IDs of functions that only other
/// traces have mean nothing outside of the sum.
pub fn select_function(app: App, function: FunctionId, frame: FrameName) {
    if untrack(|| are_of_one(app)) {
        return app.select(Selection::Function(function));
    }
    spawn_local(async move {
        if app.ask(FunctionDetail { function }).await.is_ok() {
            return app.select(Selection::Function(function));
        }
        let link = SelectionLink::Function { module: frame.module, name: frame.name };
        for other in untrack(|| app.traces.beside(app)).into_iter().skip(1) {
            if let Some(found) = find(other, link.clone()).await {
                return other.select(found);
            }
        }
    });
}

/// Returns a query of a trace about the stacks of all traces, if the page is about all; `None` until they are known.
/// Requests them if needed.
pub fn with_other_traces(app: App, query: TreeQuery) -> Option<TreeQuery> {
    if are_of_one(app) {
        return Some(query);
    }
    let others = app.traces.beside(app).split_off(1);
    let of = others.iter().map(|other| (other.number, other.filter.get(), other.revision.get())).collect();
    let mut plain = TreeQuery { baseline: None, filter: Filter::default(), ..query.clone() };
    plain.shape.inverted = false;
    let key = (of, plain, app.revision.get());
    let known = app.sums.known.with(|known| known.iter().find(|(of, _)| *of == key).map(|(_, stacks)| *stacks));
    let Some(stacks) = known else {
        request(app, others, key);
        return None;
    };
    Some(TreeQuery { baseline: Some(Baseline { of: BaselineOf::Sum { stacks }, is_scaled: false }), ..query })
}

fn request(app: App, others: Vec<App>, key: Key) {
    let sums = app.sums;
    if sums.requested.with_untracked(|requested| requested.contains(&key)) {
        return;
    }
    sums.requested.update_untracked(|requested| requested.push(key.clone()));
    spawn_local(async move {
        let stacks = passed(app, &others, &key).await;
        sums.requested.update_untracked(|requested| requested.retain(|one| *one != key));
        match stacks {
            Ok(stacks) => {
                sums.failure.set(None);
                sums.known.update(|known| {
                    if known.len() == MAX_ADDED_STACKS {
                        known.remove(0);
                    }
                    known.push((key, stacks));
                });
            }
            Err(failure) if failure.code == FailureCode::Cancelled => {}
            Err(failure) => sums.failure.set(Some(failure)),
        }
    });
}

/// Passes the stacks of the other traces to the worker of the shown one, and returns their number there.
async fn passed(app: App, others: &[App], (of, query, _): &Key) -> Result<u64, Failure> {
    let of_trace = async |(other, (_, filter, _)): (&App, &(u32, Filter, u32))| {
        let asked = EncodedRequest::new(&TraceStacks { query: TreeQuery { filter: filter.clone(), ..query.clone() } });
        let client = other.client();
        // They only pass through the page, so they aren't unpacked here.
        client.ask_as(client.next_id(), asked).await?.packed()
    };
    let stacks = join(others.iter().zip(of).map(of_trace)).await?;
    app.ask(AddedStacks { stacks }).await
}
