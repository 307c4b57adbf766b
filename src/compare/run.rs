//! Runs the comparison in the workers of both traces.

use super::state::{Inputs, OtherStatus, Run};
use crate::app::state::App;
use crate::trace::client::Client;
use leptos::prelude::*;
use protocol::compare::{Comparison, TraceChanges, TraceMeasures};
use protocol::request::Filter;
use protocol::{EncodedRequest, Failure, FailureCode, Query, Reply};
use std::sync::Arc;
use wasm_bindgen_futures::spawn_local;

/// Returns the clients of the old and of the new trace.
fn clients(app: App) -> Option<[Client; 2]> {
    let other = app.compare.other.get_untracked()?.client;
    let is_open_old = app.compare.view.with_untracked(|view| view.is_open_old);
    Some(if is_open_old { [app.client(), other] } else { [other, app.client()] })
}

/// Returns the filter of a time range in the filter syntax; empty for the whole trace.
pub fn range_filter(range: &str) -> Filter {
    let query = if range.is_empty() { String::new() } else { format!("time:{range}") };
    Filter { query, ..Filter::default() }
}

/// Returns what the comparison depends on, once both traces are open.
fn inputs(app: App) -> Option<Inputs> {
    let is_open = app.compare.status.with(|status| matches!(status, OtherStatus::Open(_)));
    let is_partial = app.trace.with(|trace| trace.as_ref().is_none_or(|trace| trace.is_partial));
    let revision = app.revision.get();
    let view = app.compare.view.get();
    if !is_open || is_partial {
        return None;
    }
    let workers = clients(app)?.map(|client| client.id());
    let [of_open, of_other] = view.ranges;
    let ranges = if view.is_open_old { [of_open, of_other] } else { [of_other, of_open] };
    Some(Inputs { workers, ranges, per: view.per, revision })
}

/// Compares the traces whenever the inputs change while the tab is open.
pub fn follow_inputs(app: App, open: Memo<bool>) {
    let wanted = Memo::new(move |_| open.get().then(|| inputs(app)).flatten());
    Effect::new(move |_| {
        let Some(inputs) = wanted.get() else { return };
        let is_known = app.compare.run.with_untracked(|(of, _)| {
            // The number of the revision belongs to the open trace, which may have been the other one.
            of.as_ref().is_some_and(|of| Inputs { revision: inputs.revision, ..of.clone() } == inputs)
        });
        if !is_known {
            run(app, inputs);
        }
    });
    // More of the open trace has been read, or another part of it.
    crate::trace::live_query::when_grown(app, move || {
        if let Some(inputs) = untrack(|| wanted.get()) {
            run(app, inputs);
        }
    });
}

/// Compares again.
pub fn restart(app: App) {
    if let Some(inputs) = untrack(|| inputs(app)) {
        run(app, inputs);
    }
}

/// Cancels the comparison.
pub fn cancel(app: App) {
    app.compare.run.update(|(_, run)| *run = Run::Canceled);
    if let Some((client, id)) = app.compare.request.get_value() {
        client.cancel(id);
    }
}

fn run(app: App, inputs: Inputs) {
    let state = app.compare;
    let Some(clients) = clients(app) else { return };
    if let Some((client, id)) = state.request.get_value() {
        client.cancel(id);
    }
    state.run.set((Some(inputs.clone()), Run::Running("Measuring trace A…")));
    spawn_local(async move {
        let is_current =
            || state.run.with_untracked(|(of, run)| of.as_ref() == Some(&inputs) && matches!(run, Run::Running(_)));
        let set = |run: Run| {
            if is_current() {
                state.run.update(|(_, of)| *of = run);
            }
        };
        let compared = compared(app, clients, &inputs, || set(Run::Running("Measuring trace B and comparing…")));
        match compared.await {
            Ok(comparison) => set(Run::Done(Arc::new(comparison))),
            Err(failure) if failure.code == FailureCode::Cancelled => set(Run::Canceled),
            Err(failure) => set(Run::Failed(failure)),
        }
    });
}

async fn compared(
    app: App,
    [old, new]: [Client; 2],
    inputs: &Inputs,
    on_half: impl Fn(),
) -> Result<Comparison, Failure> {
    let [of_old, of_new] = inputs.ranges.each_ref().map(|range| range_filter(range));
    // The measures only pass through the page, so they aren't unpacked here.
    let measures = ask(app, &old, &TraceMeasures { filter: of_old }).await?.packed()?;
    on_half();
    let changes = TraceChanges { old: measures, filter: of_new, per: inputs.per };
    TraceChanges::output(ask(app, &new, &changes).await?)
}

async fn ask<Q: Query>(app: App, client: &Client, query: &Q) -> Result<Reply, Failure> {
    let id = client.next_id();
    app.compare.request.set_value(Some((client.clone(), id)));
    client.ask_as(id, EncodedRequest::new(query)).await
}
