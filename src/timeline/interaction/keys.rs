//! Keyboard input of the timeline.

use super::follow_link::follow;
use super::navigation;
use super::navigation::span_of_selection;
use super::pointer;
use super::range::{change_length, keep};
use crate::app::state::Selection;
use crate::commands::shortcuts::meaning;
use crate::timeline::notes;
use crate::timeline::stage::Stage;
use crate::timeline::state::Drag;
use crate::timeline::tools::CLOCKS;
use crate::timeline::track_headers::menu::act_on_all;
use leptos::prelude::*;
use protocol::base::time::Span;
use std::rc::Rc;
use view::keys::keymap::{Command, KeyPress, Scope, command_for};
use view::timeline::motion::Direction;
use web_sys::KeyboardEvent;

/// Scroll distance of an arrow key in pixels.
const SCROLL_STEP: i32 = 44;

pub fn down(stage: &Rc<Stage>, event: &KeyboardEvent) {
    let Some(command) = meaning(Scope::Timeline, event) else { return };
    if carry_out(stage, command) {
        event.prevent_default();
        event.stop_propagation();
    }
}

/// Handles a released key. Its movement ends regardless of modifiers.
pub fn up(stage: &Rc<Stage>, event: &KeyboardEvent) {
    let (code, key) = (event.code(), event.key());
    let press = KeyPress { code: &code, key: &key, ..KeyPress::default() };
    let Some(direction) = command_for(Scope::Timeline, &press).and_then(direction_of) else { return };
    let step = stage.state.borrow_mut().motion.release(direction);
    if let Some(step) = step {
        stage.move_by(step);
    }
    stage.request_frame();
}

/// Releases all keys when the focus moves.
pub fn stop(stage: &Rc<Stage>) {
    stage.state.borrow_mut().motion.stop();
}

fn direction_of(command: Command) -> Option<Direction> {
    Some(match command {
        Command::ZoomIn => Direction::ZoomIn,
        Command::ZoomOut => Direction::ZoomOut,
        Command::PanEarlier => Direction::Earlier,
        Command::PanLater => Direction::Later,
        _ => return None,
    })
}

/// Returns whether a command can run now.
pub fn can(stage: &Rc<Stage>, command: Command) -> bool {
    let (has_range, has_query) =
        stage.app.filter.with_untracked(|filter| (filter.span.is_some(), !filter.query.is_empty()));
    match command {
        Command::ZoomToRange => has_range,
        Command::NextMatch | Command::PreviousMatch => has_query,
        Command::RangeOfSelection => span_of_selection(stage).is_some(),
        Command::FollowForward | Command::FollowBack => {
            matches!(stage.app.selection.get_untracked(), Selection::Event(_))
        }
        Command::SaveSvg | Command::SavePng | Command::CopyPicture => false,
        Command::ShowHiddenTracks => !stage.state.borrow().choices.hidden.is_empty(),
        _ => true,
    }
}

/// Runs a command; returns whether it did.
pub fn carry_out(stage: &Rc<Stage>, command: Command) -> bool {
    if let Some(direction) = direction_of(command) {
        stage.state.borrow_mut().motion.press(direction);
        stage.request_frame();
        return true;
    }
    let range = stage.app.filter.with_untracked(|filter| filter.span);
    match command {
        Command::ScrollUp => scroll(stage, -SCROLL_STEP),
        Command::ScrollDown => scroll(stage, SCROLL_STEP),
        Command::Fit => stage.fit(),
        Command::FitSelection => fit_selection(stage),
        Command::ZoomToRange => match range {
            Some(range) => stage.show_around(range),
            None => return false,
        },
        Command::MarkRange => match range {
            Some(range) => keep(stage, range),
            None => {
                let shown = {
                    let state = stage.state.borrow();
                    state.viewport.scale().span().intersect(state.viewport.limits())
                };
                stage.app.choose_range(shown);
            }
        },
        Command::RangeOfSelection => match span_of_selection(stage) {
            Some(span) => stage.app.choose_range(Some(span)),
            None => return false,
        },
        Command::RangeLonger => change_length(stage, true),
        Command::RangeShorter => change_length(stage, false),
        Command::AddNote => notes::edit(stage, notes::subject_now(stage)),
        Command::Bookmarks => stage.signals.saved_ranges.set(true),
        Command::NextMatch | Command::PreviousMatch => {
            if stage.app.filter.with_untracked(|filter| filter.query.is_empty()) {
                return false;
            }
            navigation::step_match(stage, command == Command::NextMatch);
        }
        Command::NextMoment => navigation::step(stage, true),
        Command::PreviousMoment => navigation::step(stage, false),
        Command::FollowForward => follow(stage, true),
        Command::FollowBack => follow(stage, false),
        Command::Clear => return clear(stage, range),
        command => match CLOCKS.into_iter().find(|(known, _)| *known == command) {
            Some((_, clock)) => stage.app.timeline.clock.set(clock),
            None => return act_on_all(stage, command),
        },
    }
    true
}

/// Zooms to the selected item; if it is already zoomed to, to everything.
fn fit_selection(stage: &Rc<Stage>) {
    let before = stage.state.borrow().viewport.scale();
    if let Some(span) = span_of_selection(stage) {
        stage.show_around(span);
    }
    if stage.state.borrow().viewport.scale() == before {
        stage.fit();
    }
}

fn scroll(stage: &Rc<Stage>, pixels: i32) {
    if let Some(elements) = stage.elements() {
        elements.scroller.set_scroll_top(elements.scroller.scroll_top() + pixels);
    }
}

/// Clears the drag, the selection or the time range, the first that exists.
fn clear(stage: &Rc<Stage>, range: Option<Span>) -> bool {
    let is_dragging = stage.state.borrow().drag != Drag::None;
    if is_dragging {
        pointer::cancel(stage);
    } else if stage.app.selection.get_untracked() != Selection::None {
        stage.app.selection.set(Selection::None);
        stage.request_frame();
    } else if range.is_some() {
        stage.app.choose_range(None);
    } else {
        return false;
    }
    true
}
