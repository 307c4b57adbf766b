//! Splitter between the graph and the list of functions.

use crate::widgets::separator::{Separation, Separator};
use leptos::prelude::*;

/// Widths of the list, in percent.
const LIMITS: (f64, f64) = (20.0, 75.0);
const USUAL: f64 = 33.0;

const SEPARATION: Separation = Separation {
    class: "list-split",
    label: "Width of the function list",
    testid: "list-splitter",
    is_vertical: true,
    is_of_second: true,
    limits: LIMITS,
    least: LIMITS.0,
    step: 3.0,
};

/// Splitter for the width of the list.
#[component]
pub fn ListSplit(
    /// Width of the list in percent; `None` for the usual one.
    width: RwSignal<Option<f64>>,
) -> impl IntoView {
    view! {
        <Separator
            of=SEPARATION
            size=Signal::derive(move || width.get().unwrap_or(USUAL))
            set=move |percent: f64| width.set(Some(percent.clamp(LIMITS.0, LIMITS.1)))
            reset=move |()| width.set(None)
            node_ref=NodeRef::new()
        />
    }
}
