//! Overlays of the tracks of one trace: tooltip, note at the time range, failure, table, menu, lists.

mod finder;
mod saved_ranges;
mod table;
mod tip;

use crate::app::state::App;
use crate::notes::NoteEditor;
use crate::timeline::state::Signals;
use crate::timeline::{Handle, signals_size, with};
use crate::widgets::menu::Menu;
use crate::widgets::tip::Tip;
use finder::Finder;
use leptos::prelude::*;
use saved_ranges::Bookmarks;
use table::TrackTable;

/// Overlays on the lanes.
#[component]
pub fn Floating(
    /// The timeline.
    handle: Handle,
    /// Signals of the timeline.
    signals: Signals,
) -> impl IntoView {
    let place = move || Some(signals.pane_top.get()).filter(|top| *top > 0.0).map(|top| format!("translateY({top}px)"));
    view! {
        <div class="tip-area" style:transform=place>
            <RangeNote signals/>
            <Tip about=signals.tooltip size=move || signals_size(handle)/>
            <NoteEditor closed=Callback::new(move |()| with(handle, |stage| stage.focus_lanes()))/>
        </div>
        <Trouble signals/>
    }
}

/// Table, menu and lists.
#[component]
pub fn Dialogs(
    /// The timeline.
    handle: Handle,
    /// Signals of the timeline.
    signals: Signals,
) -> impl IntoView {
    view! {
        <TrackTable handle signals/>
        <Menu open=signals.menu/>
        <Finder handle/>
        <Bookmarks handle signals/>
    }
}

/// Note at the end of the time range with its content. With several traces, it is about that of the panels.
#[component]
fn RangeNote(signals: Signals) -> impl IntoView {
    let app = expect_context::<App>();
    let left = move || signals.note.with(|note| note.as_ref().map_or(0.0, |note| note.0));
    let text = Memo::new(move |_| {
        let text = signals.note.with(|note| note.as_ref().map(|note| note.1.clone()));
        text.filter(|_| app.traces.is_shown(app))
    });
    move || {
        text.get().map(|text| {
            view! { <p class="range-note" style:left=move || format!("{:.0}px", left()) data-testid="range-note">{text}</p> }
        })
    }
}

#[component]
fn Trouble(signals: Signals) -> impl IntoView {
    move || {
        signals.failure.get().map(|failure| {
            let again = move |_| signals.failure.set(None);
            view! {
                <p class="trouble" role="alert">
                    {failure.to_string()} <button class="btn line" on:click=again>"Try again"</button>
                </p>
            }
        })
    }
}
