//! Keyboard input of the track headers.

use super::element_id;
use super::menu::open_menu_of;
use crate::app::state::Selection;
use crate::commands::shortcuts::meaning;
use crate::timeline::Handle;
use crate::timeline::interaction::filtering::FilterTarget;
use crate::timeline::interaction::{follow_link, navigation};
use crate::timeline::notes;
use crate::timeline::state::Signals;
use leptos::prelude::*;
use view::keys::keymap::{Command, Scope};
use view::timeline::track_key::TrackKey;
use view::timeline::track_layout::TrackLayout;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

pub fn on_key(handle: Handle, signals: Signals, event: &KeyboardEvent) {
    if meaning(Scope::Tracks, event).is_some_and(|command| act(handle, signals, command)) {
        event.prevent_default();
        event.stop_propagation();
    }
}

/// Returns whether a command applies to the focused track, or to the last focused one.
pub fn can(handle: Handle, signals: Signals, command: Command) -> bool {
    let (Some(stage), key) = (handle.get(), signals.focused.get_untracked()) else { return false };
    let Some(track) = signals.layout.with_untracked(|layout| layout.find(key).cloned()) else { return false };
    match command {
        Command::ToggleExpanded => track.expanded.is_some(),
        Command::ToggleFullStack => matches!(key, TrackKey::Thread(_)) && track.expanded.is_some(),
        Command::FilterTo | Command::ExcludeRow => FilterTarget::of(key).is_some(),
        Command::PinTrack | Command::ShowTable | Command::AddNote => !key.is_heading(),
        Command::MoreTracks => signals.layout.with_untracked(|layout| layout.more.contains_key(&track.process)),
        Command::MoveUp => track.position > 1,
        Command::MoveDown => track.position < track.siblings,
        Command::FollowForward | Command::FollowBack => {
            matches!(stage.app.selection.get_untracked(), Selection::Event(_))
        }
        Command::HideTrack | Command::NextMoment | Command::PreviousMoment => true,
        _ => false,
    }
}

/// Runs a command on the focused track, or on the last focused one; returns whether it applies.
pub fn act(handle: Handle, signals: Signals, command: Command) -> bool {
    let Some(stage) = handle.get() else { return false };
    let focused = signals.focused;
    let key = focused.get_untracked();
    let layout = signals.layout.get_untracked();
    let Some(index) = layout.tracks.iter().position(|track| track.key == key) else { return false };
    let last = layout.tracks.len() - 1;
    let go_to = |index: usize| {
        let key = layout.tracks[index].key;
        stage.scroll_to(key);
        focused.set(key);
        focus_later(stage.app.number, key);
    };
    let toggle = || {
        stage.choose_tracks(|choices| choices.toggle(key));
        stage.scroll_to(key);
    };
    let expanded = layout.tracks[index].expanded;
    match (command, key) {
        (Command::NextRow, _) => go_to((index + 1).min(last)),
        (Command::PreviousRow, _) => go_to(index.saturating_sub(1)),
        (Command::FirstRow, _) => go_to(0),
        (Command::LastRow, _) => go_to(last),
        (Command::Expand, _) if expanded == Some(false) => toggle(),
        (Command::Expand, _)
            if layout.tracks.get(index + 1).is_some_and(|next| next.level > layout.tracks[index].level) =>
        {
            go_to(index + 1);
        }
        (Command::Collapse, _) if expanded == Some(true) => toggle(),
        (Command::Collapse, _) => go_to(parent_of(&layout, index)),
        (Command::ToggleExpanded, _) if expanded.is_some() => toggle(),
        (Command::ToggleFullStack, TrackKey::Thread(thread)) if expanded.is_some() => {
            stage.choose_tracks(|choices| choices.toggle_full(thread));
        }
        (Command::PinTrack, _) if !key.is_heading() => {
            stage.choose_tracks(|choices| choices.toggle_pinned(key));
            focus_later(stage.app.number, key);
        }
        (Command::MoreTracks, _) => {
            let more = TrackKey::MoreRuntime(layout.tracks[index].process);
            stage.choose_tracks(|choices| choices.toggle(more));
        }
        (Command::HideTrack, _) => {
            go_to(if index < last { index + 1 } else { index.saturating_sub(1) });
            stage.hide(key);
        }
        (Command::MoveUp, _) => {
            let place = layout.tracks[index].position.saturating_sub(2);
            stage.choose_tracks(|choices| choices.place(key, place));
            stage.scroll_to(key);
            focus_later(stage.app.number, key);
        }
        (Command::MoveDown, _) => {
            let place = layout.tracks[index].position;
            stage.choose_tracks(|choices| choices.place(key, place));
            stage.scroll_to(key);
            focus_later(stage.app.number, key);
        }
        (Command::NextMoment, _) => navigation::step(&stage, true),
        (Command::PreviousMoment, _) => navigation::step(&stage, false),
        (Command::FollowForward, _) => follow_link::follow(&stage, true),
        (Command::FollowBack, _) => follow_link::follow(&stage, false),
        (Command::AddNote, _) if !key.is_heading() => notes::edit(&stage, notes::subject_of_track(&stage, key)),
        (Command::ShowTable, _) if !key.is_heading() => signals.table.set(Some(key)),
        (Command::Choose, TrackKey::Thread(thread)) => stage.app.selection.set(Selection::Thread(thread)),
        (Command::FilterTo, TrackKey::Thread(_) | TrackKey::Process(_)) => {
            FilterTarget::of(key).into_iter().for_each(|narrowing| narrowing.toggle(stage.app));
        }
        (Command::ExcludeRow, TrackKey::Thread(_) | TrackKey::Process(_)) => {
            FilterTarget::of(key).into_iter().for_each(|narrowing| narrowing.exclude(stage.app));
        }
        (
            Command::Expand
            | Command::ToggleExpanded
            | Command::ToggleFullStack
            | Command::Choose
            | Command::FilterTo
            | Command::ExcludeRow
            | Command::PinTrack
            | Command::AddNote
            | Command::ShowTable,
            _,
        ) => {}
        // The browser converts the key to a context menu event without a position.
        (Command::Menu, _) => open_menu_of(handle, key, None),
        _ => return false,
    }
    true
}

fn parent_of(layout: &TrackLayout, index: usize) -> usize {
    let level = layout.tracks[index].level;
    layout.tracks[..index].iter().rposition(|track| track.level < level).unwrap_or(index)
}

/// Focuses a track after its element has been created.
pub fn focus_later(number: u32, key: TrackKey) {
    request_animation_frame(move || {
        let element = document().get_element_by_id(&element_id(number, key));
        if let Some(element) = element.and_then(|element| element.dyn_into::<HtmlElement>().ok()) {
            let options = web_sys::FocusOptions::new();
            options.set_prevent_scroll(true);
            // A track that was scrolled away isn't focused; the next key finds it again.
            let _ = element.focus_with_options(&options);
        }
    });
}
