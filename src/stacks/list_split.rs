//! Splitter between the graph and the list of functions.

use leptos::html;
use leptos::prelude::*;
use web_sys::{KeyboardEvent, PointerEvent};

/// Widths of the list, in percent.
const LEAST: f64 = 20.0;
const MAX: f64 = 75.0;
const USUAL: f64 = 33.0;
const STEP: f64 = 3.0;

/// Splitter: drag it, or move it with the arrow keys; a double click resets it.
#[component]
pub fn ListSplit(
    /// Width of the list in percent; `None` for the usual one.
    width: RwSignal<Option<f64>>,
) -> impl IntoView {
    let bar = NodeRef::<html::Div>::new();
    let dragging = StoredValue::new(false);
    let now = move || width.get().unwrap_or(USUAL);
    let set = move |percent: f64| width.set(Some(percent.clamp(LEAST, MAX)));
    let down = move |event: PointerEvent| {
        event.prevent_default();
        dragging.set_value(true);
        if let Some(bar) = bar.get_untracked() {
            // Without capture, the drag ends at the edge of the bar.
            let _ = bar.set_pointer_capture(event.pointer_id());
        }
    };
    let drag = move |event: PointerEvent| {
        let parent = bar.get_untracked().and_then(|bar| bar.parent_element()).filter(|_| dragging.get_value());
        if let Some(parent) = parent {
            let area = parent.get_bounding_client_rect();
            set((area.right() - f64::from(event.client_x())) / area.width().max(1.0) * 100.0);
        }
    };
    let key = move |event: KeyboardEvent| {
        match event.key().as_str() {
            "ArrowLeft" => set(untrack(now) + STEP),
            "ArrowRight" => set(untrack(now) - STEP),
            "Home" => set(MAX),
            "End" => set(LEAST),
            "Enter" => width.set(None),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    view! {
        <div
            class="list-split"
            role="separator"
            tabindex="0"
            aria-orientation="vertical"
            aria-label="Width of the function list"
            aria-valuemin=LEAST.to_string()
            aria-valuemax=MAX.to_string()
            aria-valuenow=move || format!("{:.0}", now())
            data-testid="list-splitter"
            node_ref=bar
            on:pointerdown=down
            on:pointermove=drag
            on:pointerup=move |_| dragging.set_value(false)
            on:pointercancel=move |_| dragging.set_value(false)
            on:dblclick=move |_| width.set(None)
            on:keydown=key
        ></div>
    }
}
