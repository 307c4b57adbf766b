//! Splitter between timeline and tabs. Its position is remembered for each tab.

use crate::app::state::App;
use crate::widgets::resize::on_resize;
use leptos::html;
use leptos::prelude::*;
use view::draw::units::CssPx;
use view::page::tab::TimelineHeights;
use web_sys::{Element, KeyboardEvent, PointerEvent};

const STEP: f64 = 4.0;
/// Name of the heights in the browser's storage.
const KEY: &str = "traceglass.timeline-heights";

fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

/// Restores the heights of the last visit, and saves later ones.
pub fn remember_heights(app: App) {
    let heights = app.workspace.heights;
    let stored = storage().and_then(|storage| storage.get_item(KEY).ok().flatten());
    if let Some(stored) = stored {
        heights.set(TimelineHeights::decode(&stored));
    }
    Effect::new(move |before: Option<String>| {
        let text = heights.with(TimelineHeights::encode);
        if let Some(storage) = storage().filter(|_| before.is_some_and(|before| before != text)) {
            // Without storage, the heights are those of this visit.
            let _ = if text.is_empty() { storage.remove_item(KEY) } else { storage.set_item(KEY, &text) };
        }
        text
    });
}

/// Returns the height of the timeline beside the open tab in a style sheet; `None` if the tab is maximized.
pub fn timeline_height(app: App) -> Option<String> {
    let height = app.workspace.heights.with(|heights| heights.of(app.tab.get()).css());
    (!app.workspace.is_maximized.get()).then_some(height)
}

/// Splitter: drag it, or move it with the arrow keys; a double click resets it.
#[component]
pub fn Splitter() -> impl IntoView {
    let app = expect_context::<App>();
    let bar = NodeRef::<html::Div>::new();
    let (dragging, area_height) = (StoredValue::new(false), RwSignal::new(0.0));
    let area = move || bar.get_untracked().and_then(|bar| bar.parent_element());
    bar.on_load(move |bar| {
        if let Some(area) = bar.parent_element() {
            on_resize(&area, move |_, height| area_height.set(height));
        }
    });
    let share = move || match app.workspace.is_maximized.get() {
        true => 0.0,
        false => app.workspace.heights.with(|heights| heights.of(app.tab.get()).share_of(area_height.get())),
    };
    let change = move |change: &dyn Fn(&mut TimelineHeights)| {
        app.workspace.is_maximized.set(false);
        app.workspace.heights.update(|heights| change(heights));
    };
    let set = move |percent: f64| change(&|heights| heights.set(app.tab.get_untracked(), percent));
    let reset = move || change(&|heights| heights.reset(app.tab.get_untracked()));
    let down = move |event: PointerEvent| {
        event.prevent_default();
        dragging.set_value(true);
        if let Some(bar) = bar.get_untracked() {
            // Without capture, the drag ends at the edge of the bar.
            let _ = bar.set_pointer_capture(event.pointer_id());
        }
    };
    let drag = move |event: PointerEvent| {
        if let Some(area) = area().filter(|_| dragging.get_value()) {
            set(percent_at(&area, f64::from(event.client_y())));
        }
    };
    let (least, most) = TimelineHeights::LIMITS;
    let key = move |event: KeyboardEvent| {
        match event.key().as_str() {
            "ArrowUp" => set(untrack(share) - STEP),
            "ArrowDown" => set(untrack(share) + STEP),
            "Home" => set(least),
            "End" => set(most),
            "Enter" => reset(),
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
            aria-valuemin="0"
            aria-valuemax=most.to_string()
            aria-valuenow=move || format!("{:.0}", share())
            data-testid="splitter"
            node_ref=bar
            on:pointerdown=down
            on:pointermove=drag
            on:pointerup=move |_| dragging.set_value(false)
            on:pointercancel=move |_| dragging.set_value(false)
            on:dblclick=move |_| reset()
            on:keydown=key
        ></div>
    }
}

/// Returns the share of an area above a position in the window, in percent.
fn percent_at(area: &Element, y: CssPx) -> f64 {
    let area = area.get_bounding_client_rect();
    (y - area.top()) / area.height().max(1.0) * 100.0
}
