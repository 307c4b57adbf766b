//! Context menu of the item under the pointer, by right-click or long press.

use super::filtering::FilterTarget;
use crate::notes::subject::Subject;
use crate::timeline::stage::Stage;
use crate::timeline::track_headers::menu::entry_of_timeline;
use crate::timeline::{Handle, notes, with};
use crate::widgets::menu::{MenuEntry, OpenMenu};
use leptos::prelude::*;
use protocol::base::time::Span;
use std::rc::Rc;
use view::draw::units::CssPx;
use view::keys::keymap::{Command, Scope};
use view::notes::Place;

/// Opens the menu of the item at a position of the pane, at a position of the window. The item isn't selected: its
/// details would move the timeline below the menu.
pub fn open(handle: Handle, stage: &Rc<Stage>, (x, y): (CssPx, CssPx), at: (CssPx, CssPx)) {
    let app = stage.app;
    let (moment, limits, track, target, span) = {
        let state = stage.state.borrow();
        let (target, track) = (state.scene().hit(x, state.below_top(y)), state.layout.at(state.below_top(y)));
        let span = state.scene().span_of(&target);
        (state.viewport.scale().time(x), state.viewport.limits(), track.map(|track| track.key), target, span)
    };
    // Keys apply to this track from now on.
    if let Some(track) = track {
        stage.signals.focused.set(track);
    }
    let range = app.filter.with_untracked(|filter| filter.span);
    let choose = move |span: Span| move || with(handle, |stage| stage.app.choose_range(Some(span)));
    let mut entries = Vec::new();
    if let Some(span) = span {
        let zoom = move || with(handle, |stage| stage.show_around(span));
        let entry = MenuEntry::of(Scope::Timeline, Command::FitSelection, "lane-zoom", zoom);
        entries.push(entry.called("Zoom to this"));
        entries.push(MenuEntry::of(Scope::Timeline, Command::RangeOfSelection, "lane-range", choose(span)));
    }
    let item = notes::place_of_item(stage, &target);
    let words = if item.is_some() { "Add note…" } else { "Add note here…" };
    let subject = Subject::at(app, item.unwrap_or(Place::Moment(moment.0)));
    let note = move || with(handle, |stage| notes::edit(stage, subject.clone()));
    entries.push(MenuEntry::of(Scope::Timeline, Command::AddNote, "lane-note", note).called(words));
    if let Some(range) = range.filter(|range| range.start.0 <= moment.0 && moment.0 <= range.end.0) {
        let note = move || with(handle, |stage| notes::edit(stage, Subject::Range(range)));
        let entry = MenuEntry::of(Scope::Timeline, Command::AddNote, "lane-note-range", note);
        entries.push(entry.called("Add note to this range…"));
    }
    let around = range.unwrap_or(limits);
    if moment.0 < around.end.0 {
        let act = choose(Span::new(moment.0, around.end.0));
        entries.push(MenuEntry::of(Scope::Events, Command::FromHere, "lane-from", act));
    }
    if moment.0 > around.start.0 {
        let act = choose(Span::new(around.start.0, moment.0));
        entries.push(MenuEntry::of(Scope::Events, Command::UntilHere, "lane-until", act));
    }
    if range.is_some() {
        entries.push(entry_of_timeline(handle, Command::ZoomToRange, "lane-zoom-range"));
        entries.push(entry_of_timeline(handle, Command::MarkRange, "lane-keep"));
        // The shortcut clears the selection first.
        let clear = move || with(handle, |stage| stage.app.choose_range(None));
        entries.push(MenuEntry::of(Scope::Timeline, Command::Clear, "lane-no-range", clear).called("Clear range"));
    }
    if let Some(narrowing) = track.and_then(FilterTarget::of) {
        let words = untrack(|| narrowing.words(app));
        let narrow = move || narrowing.toggle(app);
        entries.push(MenuEntry::of(Scope::Tracks, Command::FilterTo, "lane-narrow", narrow).called(words));
        let without = MenuEntry::of(Scope::Tracks, Command::ExcludeRow, "lane-without", move || narrowing.exclude(app));
        entries.push(without.called(narrowing.words_without()));
    }
    entries.push(entry_of_timeline(handle, Command::Fit, "lane-fit"));
    stage.signals.menu.set(Some(OpenMenu { at, label: "Timeline menu".to_owned(), entries }));
}
