//! Menu of a track, and the menu of all tracks.

use super::element_id;
use crate::pictures;
use crate::timeline::interaction::filtering::FilterTarget;
use crate::timeline::interaction::keys::carry_out;
use crate::timeline::stage::Stage;
use crate::timeline::{Handle, notes, with};
use crate::widgets::menu::{MenuEntry, OpenMenu};
use leptos::prelude::*;
use std::rc::Rc;
use view::keys::keymap::{Command, Scope};
use view::timeline::track_choices::ThreadOrder;
use view::timeline::track_key::TrackKey;

/// Opens the menu of a track, at a position in the window or at its header.
pub fn open_menu_of(handle: Handle, key: TrackKey, at: Option<(f64, f64)>) {
    let Some(stage) = handle.get() else { return };
    let head = document().get_element_by_id(&element_id(stage.app.number, key));
    let corner = head.map(|head| head.get_bounding_client_rect()).map(|area| (area.left() + 24.0, area.bottom()));
    let Some(at) = at.or(corner) else { return };
    let signals = stage.signals;
    let Some(track) = signals.layout.with_untracked(|layout| layout.find(key).cloned()) else { return };
    let is_pinned = stage.state.borrow().choices.pinned.contains(&key);
    let change = move |act: fn(&mut view::timeline::track_choices::TrackChoices, TrackKey)| {
        move || with(handle, |stage| stage.choose_tracks(|choices| act(choices, key)))
    };
    let move_to =
        move |place: usize| move || with(handle, |stage| stage.choose_tracks(|choices| choices.place(key, place)));
    let mut entries = Vec::new();
    if let Some(expanded) = track.expanded {
        let words = if expanded { "Collapse" } else { "Expand" };
        entries.push(
            entry(Command::ToggleExpanded, "menu-expand", change(|choices, key| choices.toggle(key))).called(words),
        );
    }
    let more = signals.layout.with_untracked(|layout| layout.more.get(&track.process).copied());
    if let (TrackKey::Runtime(process), Some(more)) = (key, more) {
        let toggle =
            move || with(handle, |stage| stage.choose_tracks(|choices| choices.toggle(TrackKey::MoreRuntime(process))));
        entries.push(entry(Command::MoreTracks, "menu-more", toggle).called(more.title()));
    }
    if !key.is_heading() {
        let words = if is_pinned { "Unpin track" } else { "Pin track" };
        let pin = change(|choices, key| choices.toggle_pinned(key));
        entries.push(entry(Command::PinTrack, "menu-pin", pin).called(words));
        entries.push(entry(Command::ShowTable, "menu-table", move || signals.table.set(Some(key))));
        let note = move || with(handle, |stage| notes::edit(stage, notes::subject_of_track(stage, key)));
        entries.push(entry(Command::AddNote, "menu-note", note).called("Add note…"));
    }
    if let Some(narrowing) = FilterTarget::of(key) {
        let app = stage.app;
        let words = untrack(|| narrowing.words(app));
        entries.push(entry(Command::FilterTo, "menu-filter", move || narrowing.toggle(app)).called(words));
        let without = entry(Command::ExcludeRow, "menu-without", move || narrowing.exclude(app));
        entries.push(without.called(narrowing.words_without()));
    }
    if track.position > 1 {
        entries.push(entry(Command::MoveUp, "menu-up", move_to(track.position - 2)));
    }
    if track.position < track.siblings {
        entries.push(entry(Command::MoveDown, "menu-down", move_to(track.position)));
    }
    let hide = move || with(handle, |stage| stage.hide(key));
    entries.push(entry(Command::HideTrack, "menu-hide", hide));
    if matches!(key, TrackKey::Threads(_) | TrackKey::Process(_) | TrackKey::Quiet(_) | TrackKey::Thread(_)) {
        entries.extend(orders(handle));
    }
    let label = "Track menu".to_owned();
    signals.menu.set(Some(OpenMenu { at, label, entries }));
}

/// Returns a line of a track's menu.
fn entry(command: Command, testid: &'static str, act: impl Fn() + Send + Sync + 'static) -> MenuEntry {
    MenuEntry::of(Scope::Tracks, command, testid, act)
}

/// Returns a menu line for a command of the timeline.
pub fn entry_of_timeline(handle: Handle, command: Command, testid: &'static str) -> MenuEntry {
    MenuEntry::of(Scope::Timeline, command, testid, move || with(handle, |stage| _ = carry_out(stage, command)))
}

/// Opens the menu of all tracks.
pub fn open_menu_of_all(handle: Handle, at: (f64, f64)) {
    let Some(stage) = handle.get() else { return };
    let app = stage.app;
    let find = move || app.timeline.finder.set(true);
    let mut entries = vec![MenuEntry::of(Scope::Everywhere, Command::FindTrack, "menu-find", find)];
    let hidden = stage.state.borrow().choices.hidden.len();
    if hidden > 0 {
        let words = view::format::counted(hidden as u64, "track");
        let show = entry_of_timeline(handle, Command::ShowHiddenTracks, "menu-show-hidden");
        entries.push(show.called(format!("Show {words}")));
    }
    entries.extend(orders(handle));
    entries.push(entry_of_timeline(handle, Command::ResetTracks, "menu-reset"));
    entries.extend(pictures::entries(app, Scope::Timeline));
    stage.signals.menu.set(Some(OpenMenu { at, label: "Tracks".to_owned(), entries }));
}

fn orders(handle: Handle) -> impl Iterator<Item = MenuEntry> {
    let chosen = handle.get().map(|stage| stage.state.borrow().choices.order);
    ThreadOrder::ALL.into_iter().map(move |order| {
        let (command, testid) = match order {
            ThreadOrder::Activity => (Command::ThreadsByActivity, "menu-by-activity"),
            ThreadOrder::Name => (Command::ThreadsByName, "menu-by-name"),
            ThreadOrder::Number => (Command::ThreadsByNumber, "menu-by-id"),
            ThreadOrder::FirstSeen => (Command::ThreadsByFirstSeen, "menu-by-first"),
        };
        entry_of_timeline(handle, command, testid).chosen(chosen == Some(order))
    })
}

/// Runs a command about all tracks; returns whether it is one.
pub fn act_on_all(stage: &Rc<Stage>, command: Command) -> bool {
    let order = match command {
        Command::ThreadsByActivity => ThreadOrder::Activity,
        Command::ThreadsByName => ThreadOrder::Name,
        Command::ThreadsByNumber => ThreadOrder::Number,
        Command::ThreadsByFirstSeen => ThreadOrder::FirstSeen,
        Command::ShowHiddenTracks => {
            stage.choose_tracks(|choices| choices.hidden.clear());
            return true;
        }
        Command::ResetTracks => {
            stage.take_on_choices(&[]);
            return true;
        }
        _ => return false,
    };
    stage.choose_tracks(|choices| choices.sort_threads(order));
    true
}
