//! The menus of the tracks: that of one, and that of all beside the ruler.

use super::heads::element_id;
use super::narrowing::Narrowing;
use super::{Handle, with};
use crate::ui::widgets::menu::{MenuEntry, OpenMenu};
use crate::view::track_choices::ThreadOrder;
use crate::view::track_key::TrackKey;
use leptos::prelude::*;

/// Makes entries of a menu.
pub fn entry(
    words: impl Into<String>,
    keys: &'static str,
    testid: &'static str,
    act: impl Fn() + Send + Sync + 'static,
) -> MenuEntry {
    MenuEntry { words: words.into(), keys, chosen: None, refused: None, testid, act: Callback::new(move |()| act()) }
}

/// Opens the menu of a track, at a place in the window, else at its head.
pub fn open_menu_of(handle: Handle, key: TrackKey, at: Option<(f64, f64)>) {
    let Some(stage) = handle.get() else { return };
    let head = document().get_element_by_id(&element_id(key));
    let corner = head.map(|head| head.get_bounding_client_rect()).map(|area| (area.left() + 24.0, area.bottom()));
    let Some(at) = at.or(corner) else { return };
    let signals = stage.signals;
    let Some(track) = signals.layout.with_untracked(|layout| layout.find(key).cloned()) else { return };
    let is_pinned = stage.state.borrow().choices.pinned.contains(&key);
    let change = move |act: fn(&mut crate::view::track_choices::TrackChoices, TrackKey)| {
        move || with(handle, |stage| stage.choose_tracks(|choices| act(choices, key)))
    };
    let move_to =
        move |place: usize| move || with(handle, |stage| stage.choose_tracks(|choices| choices.place(key, place)));
    let mut entries = Vec::new();
    if let Some(expanded) = track.expanded {
        let words = if expanded { "Collapse" } else { "Expand" };
        entries.push(entry(words, "Space", "menu-expand", change(|choices, key| choices.toggle(key))));
    }
    if !key.is_heading() {
        let words = if is_pinned { "No longer keep in view" } else { "Keep in view" };
        entries.push(entry(words, "P", "menu-pin", change(|choices, key| choices.toggle_pinned(key))));
        entries.push(entry("Show as a table", "V", "menu-table", move || signals.table.set(Some(key))));
    }
    if let Some(narrowing) = Narrowing::of(key) {
        let app = stage.app;
        let words = untrack(|| narrowing.words(app));
        entries.push(entry(words, "T", "menu-filter", move || narrowing.toggle(app)));
    }
    if track.position > 1 {
        entries.push(entry("Move up", "Alt ↑", "menu-up", move_to(track.position - 2)));
    }
    if track.position < track.siblings {
        entries.push(entry("Move down", "Alt ↓", "menu-down", move_to(track.position)));
    }
    let hide = move || with(handle, |stage| stage.hide(key));
    entries.push(entry("Leave out", "H", "menu-hide", hide));
    if matches!(key, TrackKey::Threads(_) | TrackKey::Process(_) | TrackKey::Quiet(_) | TrackKey::Thread(_)) {
        entries.extend(orders(handle));
    }
    let label = "What can be done with the track".to_owned();
    signals.menu.set(Some(OpenMenu { at, label, entries }));
}

/// Opens the menu that concerns all tracks.
pub fn open_menu_of_all(handle: Handle, at: (f64, f64)) {
    let Some(stage) = handle.get() else { return };
    let app = stage.app;
    let mut entries = vec![entry("Find a track…", "Ctrl P", "menu-find", move || app.timeline.finder.set(true))];
    let hidden = stage.state.borrow().choices.hidden.len();
    if hidden > 0 {
        let words = crate::view::format::counted(hidden as u64, "track");
        let show = move || with(handle, |stage| stage.choose_tracks(|choices| choices.hidden.clear()));
        entries.push(entry(format!("Show {words} that were left out"), "", "menu-show-hidden", show));
    }
    entries.extend(orders(handle));
    let at_first = move || with(handle, |stage| stage.take_on_choices(&[]));
    entries.push(entry("As it was at first", "", "menu-reset", at_first));
    stage.signals.menu.set(Some(OpenMenu { at, label: "Tracks".to_owned(), entries }));
}

fn orders(handle: Handle) -> impl Iterator<Item = MenuEntry> {
    let chosen = handle.get().map(|stage| stage.state.borrow().choices.order);
    ThreadOrder::ALL.into_iter().map(move |order| {
        let sort = move || with(handle, |stage| stage.choose_tracks(|choices| choices.sort_threads(order)));
        let testid = match order {
            ThreadOrder::Activity => "menu-by-activity",
            ThreadOrder::Name => "menu-by-name",
            ThreadOrder::Number => "menu-by-id",
            ThreadOrder::FirstSeen => "menu-by-first",
        };
        MenuEntry {
            chosen: Some(chosen == Some(order)),
            ..entry(format!("Threads by {}", order.words()), "", testid, sort)
        }
    })
}
