//! Separator between two parts of an area: drag it, or move it with the arrow keys; a double click resets it.

use super::capture;
use leptos::html;
use leptos::prelude::*;
use web_sys::{KeyboardEvent, PointerEvent};

/// What a separator looks like, and which size it sets.
#[derive(Clone, Copy)]
pub struct Separation {
    pub class: &'static str,
    /// Accessible name: the size that it sets.
    pub label: &'static str,
    pub testid: &'static str,
    /// True if the parts are side by side.
    pub is_vertical: bool,
    /// True if it sets the size of the second part.
    pub is_of_second: bool,
    /// Smallest and largest size, in percent of the area.
    pub limits: (f64, f64),
    /// Smallest size by other means.
    pub least: f64,
    /// Change by an arrow key.
    pub step: f64,
}

/// Separator in the area that is its parent element.
#[component]
pub fn Separator(
    of: Separation,
    /// Size in percent.
    #[prop(into)]
    size: Signal<f64>,
    /// Sets the size in percent, which may be outside the limits.
    #[prop(into)]
    set: Callback<f64>,
    #[prop(into)] reset: Callback<()>,
    node_ref: NodeRef<html::Div>,
) -> impl IntoView {
    let Separation { class, label, testid, is_vertical, is_of_second, limits: (least, most), step, .. } = of;
    let dragging = StoredValue::new(false);
    let down = move |event: PointerEvent| {
        event.prevent_default();
        dragging.set_value(true);
        capture(&event);
    };
    let drag = move |event: PointerEvent| {
        let area = node_ref.get_untracked().and_then(|bar| bar.parent_element()).filter(|_| dragging.get_value());
        let Some(area) = area.map(|area| area.get_bounding_client_rect()) else { return };
        let (at, length) = match is_vertical {
            true => (f64::from(event.client_x()) - area.left(), area.width()),
            false => (f64::from(event.client_y()) - area.top(), area.height()),
        };
        let first = at / length.max(1.0) * 100.0;
        set.run(if is_of_second { 100.0 - first } else { first });
    };
    let (back, forth) = if is_vertical { ("ArrowLeft", "ArrowRight") } else { ("ArrowUp", "ArrowDown") };
    let key = move |event: KeyboardEvent| {
        let towards_end = if is_of_second { -step } else { step };
        match event.key().as_str() {
            key if key == back => set.run(size.get_untracked() - towards_end),
            key if key == forth => set.run(size.get_untracked() + towards_end),
            "Home" => set.run(if is_of_second { most } else { least }),
            "End" => set.run(if is_of_second { least } else { most }),
            "Enter" => reset.run(()),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    view! {
        <div
            class=class
            role="separator"
            tabindex="0"
            aria-orientation=if is_vertical { "vertical" } else { "horizontal" }
            aria-label=label
            aria-valuemin=of.least.to_string()
            aria-valuemax=most.to_string()
            aria-valuenow=move || format!("{:.0}", size.get())
            data-testid=testid
            node_ref=node_ref
            on:pointerdown=down
            on:pointermove=drag
            on:pointerup=move |_| dragging.set_value(false)
            on:pointercancel=move |_| dragging.set_value(false)
            on:dblclick=move |_| reset.run(())
            on:keydown=key
        ></div>
    }
}
