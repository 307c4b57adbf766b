//! Stacks of all traces on the timeline: those of the other traces are added to those of the shown one, by name.

use crate::app::state::App;
use crate::app::state::page_state::page_state;
use leptos::prelude::*;
use protocol::queries::{AddedStacks, MAX_ADDED_STACKS, TraceStacks};
use protocol::request::{Baseline, BaselineOf, Filter, TreeQuery};
use protocol::{EncodedRequest, Failure, FailureCode};
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

/// Returns a query of a trace about the stacks of all traces, if the page is about all; `None` until they are known.
/// Requests them if needed.
pub fn with_other_traces(app: App, query: TreeQuery) -> Option<TreeQuery> {
    if !app.traces.are_all() {
        return Some(query);
    }
    let mut others = app.traces.all_open();
    others.retain(|other| other.number != app.number);
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
    let mut stacks = Vec::new();
    for (other, (_, filter, _)) in others.iter().zip(of) {
        let asked = EncodedRequest::new(&TraceStacks { query: TreeQuery { filter: filter.clone(), ..query.clone() } });
        let client = other.client();
        // They only pass through the page, so they aren't unpacked here.
        stacks.push(client.ask_as(client.next_id(), asked).await?.packed()?);
    }
    app.ask(AddedStacks { stacks }).await
}
