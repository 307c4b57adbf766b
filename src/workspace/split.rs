//! Splitter between timeline and tabs. Its position is remembered for each tab.

use crate::app::state::App;
use crate::widgets::resize::on_resize;
use crate::widgets::separator::{Separation, Separator};
use leptos::html;
use leptos::prelude::*;
use view::page::tab::TimelineHeights;

/// A maximized tab leaves no height to the timeline.
const SEPARATION: Separation = Separation {
    class: "split",
    label: "Height of the timeline",
    testid: "splitter",
    is_vertical: false,
    is_of_second: false,
    limits: TimelineHeights::LIMITS,
    least: 0.0,
    step: 4.0,
};
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
    let height = app.workspace.heights.with(|heights| heights.of(app.tab.get()));
    (!app.workspace.is_maximized.get()).then(|| height.lower_by(app.snapped()).css())
}

/// Splitter for the height of the timeline beside the open tab.
#[component]
pub fn Splitter() -> impl IntoView {
    let app = expect_context::<App>();
    let bar = NodeRef::<html::Div>::new();
    let area_height = RwSignal::new(0.0);
    bar.on_load(move |bar| {
        if let Some(area) = bar.parent_element() {
            on_resize(&area, move |_, height| area_height.set(height));
        }
    });
    let share = Signal::derive(move || match app.workspace.is_maximized.get() {
        true => 0.0,
        false => app.workspace.heights.with(|heights| heights.of(app.tab.get()).share_of(area_height.get())),
    });
    let change = move |change: &dyn Fn(&mut TimelineHeights)| {
        app.workspace.is_maximized.set(false);
        app.workspace.heights.update(|heights| change(heights));
    };
    view! {
        <Separator
            of=SEPARATION
            size=share
            set=move |percent: f64| change(&|heights| heights.set(app.tab.get_untracked(), percent))
            reset=move |()| change(&|heights| heights.reset(app.tab.get_untracked()))
            node_ref=bar
        />
    }
}
