//! Splitter between timeline and tabs.

use leptos::html;
use leptos::prelude::*;
use web_sys::{KeyboardEvent, PointerEvent};

const LEAST: f64 = 8.0;
const MAX: f64 = 88.0;
const STEP: f64 = 4.0;

/// Splitter: drag it, or move it with the arrow keys; a double click resets it.
#[component]
pub fn Splitter(
    /// Height of the upper part, in percent.
    share: Signal<f64>,
    /// Sets it.
    set: Callback<f64>,
    /// Resets it.
    reset: Callback<()>,
) -> impl IntoView {
    let bar = NodeRef::<html::Div>::new();
    let dragging = StoredValue::new(false);
    let set = move |value: f64| set.run(value.clamp(LEAST, MAX));
    let down = move |event: PointerEvent| {
        event.prevent_default();
        dragging.set_value(true);
        if let Some(bar) = bar.get_untracked() {
            // Without capture, the drag ends at the edge of the bar.
            let _ = bar.set_pointer_capture(event.pointer_id());
        }
    };
    let drag = move |event: PointerEvent| {
        if !dragging.get_value() {
            return;
        }
        if let Some(parent) = bar.get_untracked().and_then(|bar| bar.parent_element()) {
            let area = parent.get_bounding_client_rect();
            set((f64::from(event.client_y()) - area.top()) / area.height().max(1.0) * 100.0);
        }
    };
    let key = move |event: KeyboardEvent| {
        match event.key().as_str() {
            "ArrowUp" => set(share.get_untracked() - STEP),
            "ArrowDown" => set(share.get_untracked() + STEP),
            "Home" => set(LEAST),
            "End" => set(MAX),
            "Enter" => reset.run(()),
            _ => return,
        }
        event.prevent_default();
    };
    view! {
        <div
            class="split"
            role="separator"
            tabindex="0"
            aria-orientation="horizontal"
            aria-label="Height of the timeline"
            aria-valuemin=LEAST.to_string()
            aria-valuemax=MAX.to_string()
            aria-valuenow=move || format!("{:.0}", share.get())
            data-testid="splitter"
            node_ref=bar
            on:pointerdown=down
            on:pointermove=drag
            on:pointerup=move |_| dragging.set_value(false)
            on:pointercancel=move |_| dragging.set_value(false)
            on:dblclick=move |_| reset.run(())
            on:keydown=key
        ></div>
    }
}
