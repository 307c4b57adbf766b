//! Legend below a flame graph: the states of its frames.

use super::{Graph, GraphKind};
use leptos::prelude::*;

/// Legend of the graph of all stacks; the graphs of callers and callees have the same colors. Differences have a legend
/// of their own.
#[component]
pub fn Legend(graph: Graph) -> impl IntoView {
    let entry = |class: String, name: &'static str| {
        view! { <span><i class=class aria-hidden="true"></i>{name}</span> }
    };
    let entries = move || {
        let boxes = graph.boxes.get().filter(|boxes| boxes.table.base_inclusive.is_empty())?;
        let (states, has_framework) = boxes.legend();
        let states = states.into_iter().map(|state| entry(format!("sw part {}", state.slug()), state.name()));
        let framework = has_framework.then(|| entry("sw k-framework".to_owned(), "framework"));
        Some(states.chain(framework).collect_view())
    };
    let is_shown = graph.kind.testid == GraphKind::WHOLE.testid;
    is_shown.then(|| view! { <p class="legend flame-legend" data-testid="flame-legend">{entries}</p> })
}
