//! The menu of what lies under the pointer: by its second button, or by a finger that stays.

use super::head_menu::entry;
use super::narrowing::Narrowing;
use super::pointer::click;
use super::range::{choose_range, keep};
use super::stage::Stage;
use super::walk::span_of_selection;
use super::{Handle, with};
use crate::model::time::Span;
use crate::ui::widgets::menu::OpenMenu;
use crate::view::units::CssPx;
use leptos::prelude::*;
use std::rc::Rc;

/// Selects what lies at a place of the pane and opens its menu at a place of the window.
pub fn open(handle: Handle, stage: &Rc<Stage>, (x, y): (CssPx, CssPx), at: (CssPx, CssPx)) {
    click(stage, x, y);
    let app = stage.app;
    let (moment, limits, track) = {
        let state = stage.state.borrow();
        let track = state.layout.at(state.below_top(y)).map(|track| track.key);
        (state.viewport.scale().time(x), state.viewport.limits(), track)
    };
    let range = app.filter.with_untracked(|filter| filter.span);
    let choose = move |span: Span| move || with(handle, |stage| choose_range(stage, Some(span)));
    let mut entries = Vec::new();
    if let Some(span) = span_of_selection(stage) {
        let zoom = move || with(handle, |stage| stage.show_around(span));
        entries.push(entry("Zoom to it", "F", "lane-zoom", zoom));
        entries.push(entry("Make its time the range", "R", "lane-range", choose(span)));
    }
    let around = range.unwrap_or(limits);
    if moment.0 < around.end.0 {
        entries.push(entry("Range from here on", "", "lane-from", choose(Span::new(moment.0, around.end.0))));
    }
    if moment.0 > around.start.0 {
        entries.push(entry("Range until here", "", "lane-until", choose(Span::new(around.start.0, moment.0))));
    }
    if let Some(range) = range {
        entries.push(entry("Zoom to the range", "Z", "lane-zoom-range", move || {
            with(handle, |stage| stage.show_around(range));
        }));
        entries.push(entry("Keep the range", "M", "lane-keep", move || with(handle, |stage| keep(stage, range))));
        let clear = move || with(handle, |stage| choose_range(stage, None));
        entries.push(entry("No range", "Esc", "lane-no-range", clear));
    }
    if let Some(narrowing) = track.and_then(Narrowing::of) {
        let words = untrack(|| narrowing.words(app));
        entries.push(entry(words, "T", "lane-narrow", move || narrowing.toggle(app)));
    }
    entries.push(entry("Show the whole trace", "0", "lane-fit", move || with(handle, Stage::fit)));
    stage.signals.menu.set(Some(OpenMenu { at, label: "What can be done here".to_owned(), entries }));
}
