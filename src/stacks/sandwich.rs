//! Sandwich view: a function with its callers above and its callees below.

use super::compared;
use super::flame::{FlameGraph, GraphKind};
use super::sum::with_other_traces;
use crate::app::state::App;
use leptos::prelude::*;

/// Callers grow upwards from the function, which is the root of the callees.
const CALLERS: GraphKind = GraphKind {
    testid: "callers",
    label: "Callers",
    hidden_levels: 2,
    upwards: true,
    nothing: "No callers: this is a root frame.",
};
const CALLEES: GraphKind =
    GraphKind { testid: "callees", label: "Callees", hidden_levels: 1, upwards: false, nothing: "" };

/// Callers and callees of the selected function.
#[component]
pub fn Sandwich(
    /// True if it is visible.
    open: Memo<bool>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let pivot = Memo::new(move |_| app.stacks.with(|look| look.pivot.clone()));
    let callers = Signal::derive(move || {
        let pivot = pivot.get().filter(|_| open.get())?;
        with_other_traces(app, app.stacks.with(|look| look.callers_query(compared(app), &pivot)))
    });
    let callees = Signal::derive(move || {
        let pivot = pivot.get().filter(|_| open.get())?;
        with_other_traces(app, app.stacks.with(|look| look.callees_query(compared(app), &pivot)))
    });
    let is_chosen = move || pivot.with(Option::is_some);
    let name = move || pivot.get().map(|pivot| pivot.name);
    view! {
        <div class="blank" hidden=is_chosen data-testid="sandwich-empty">
            <h2>"Select a function"</h2>
            <p>"Callers appear above, callees below."</p>
        </div>
        <div class="sandwich" hidden=move || !is_chosen()>
            <section aria-label="Callers"><FlameGraph query=callers kind=CALLERS/></section>
            <h3 class="trail" data-testid="pivot">"▲ callers of " <b>{name}</b> " · callees ▼"</h3>
            <section aria-label="Callees"><FlameGraph query=callees kind=CALLEES/></section>
        </div>
    }
}
