//! Trail of a zoomed flame graph, for zooming out.

use super::{Graph, ROOT_NAME};
use crate::widgets::icon::{Icon, RIGHT};
use leptos::prelude::*;

/// Path from the root to the visible frame.
#[component]
pub fn Trail(graph: Graph) -> impl IntoView {
    /// Maximum number of visible steps, at the end of the path.
    const SHOWN: usize = 6;
    let steps = move || {
        let zoom = graph.zoom.get();
        let count = zoom.len();
        let hidden = count.saturating_sub(SHOWN);
        zoom.into_iter()
            .enumerate()
            .skip(hidden)
            .map(|(index, step)| {
                let arrow = if index == hidden && hidden > 0 { Some("…") } else { None };
                let last = index + 1 == count;
                view! {
                    <Icon shape=RIGHT/>
                    {arrow}
                    {if last {
                        view! { <b title=step.name.clone()>{step.name.clone()}</b> }.into_any()
                    } else {
                        view! { <button title=step.name.clone() on:click=move |_| graph.zoom_back(index + 1)>{step.name.clone()}</button> }.into_any()
                    }}
                }
            })
            .collect_view()
    };
    let hidden = move || graph.zoom.with(Vec::is_empty);
    view! {
        <nav class="trail" aria-label="Zoom" hidden=hidden data-testid=graph.testid("trail")>
            <button data-testid=graph.testid("zoom-out") on:click=move |_| graph.zoom_back(0)>{ROOT_NAME}</button>
            {steps}
        </nav>
    }
}
