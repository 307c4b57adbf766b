//! Pointer input of lanes and ruler: hover, click, time range, pan, wheel.

use super::follow_link::follow_link_to_end;
use super::range::snapped;
use super::{lane_menu, touch};
use crate::app::state::Selection;
use crate::notes::subject::Subject;
use crate::timeline::drawing::link_at;
use crate::timeline::stage::Stage;
use crate::timeline::state::Drag;
use crate::timeline::{Handle, notes};
use crate::widgets::{CLICK_REACH, capture};
use leptos::prelude::*;
use protocol::base::time::Span;
use std::rc::Rc;
use view::draw::units::CssPx;
use view::timeline::hit::Target;
use view::timeline::paint::flags::{Flagged, flag_at, flags};
use view::timeline::timescale::wheel_zoom_factor;
use view::timeline::track_key::TrackKey;
use wasm_bindgen::JsCast;
use web_sys::{Element, MouseEvent, PointerEvent, WheelEvent};

/// Pixels per line of a wheel that reports lines.
const LINE_PIXELS: f64 = 16.0;
const PAGE_PIXELS: f64 = 400.0;
/// Maximum step of a pinch in pixels, which is reported with the control key. Wheels report larger steps.
const LARGEST_PINCH_STEP: f64 = 40.0;

/// Part of the timeline under the pointer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Zone {
    /// Lanes.
    Lanes,
    /// Ruler: like lanes, but without items.
    Ruler,
}

/// Returns the position of an event in the listening element.
pub fn position(event: &MouseEvent) -> (CssPx, CssPx) {
    let element = event.current_target().and_then(|target| target.dyn_into::<Element>().ok());
    let corner = element.map_or((0.0, 0.0), |element| {
        let area = element.get_bounding_client_rect();
        (area.left(), area.top())
    });
    (f64::from(event.client_x()) - corner.0, f64::from(event.client_y()) - corner.1)
}

fn is_finger(event: &PointerEvent) -> bool {
    event.pointer_type() == "touch"
}

pub fn down(handle: Handle, stage: &Rc<Stage>, event: &PointerEvent, zone: Zone) {
    if event.button() > 1 {
        return;
    }
    capture(event);
    if is_finger(event) {
        return touch::down(handle, stage, event, zone);
    }
    let (x, y) = position(event);
    stage.state.borrow_mut().drag = Drag::Pressed { x, y, pans: event.shift_key() || event.button() == 1 };
    stage.request_frame();
}

pub fn moved(stage: &Rc<Stage>, event: &PointerEvent, zone: Zone) {
    if stage.state.borrow().drag == Drag::Pinch {
        return touch::moved(stage, event);
    }
    let (x, y) = position(event);
    let scroll = {
        let mut state = stage.state.borrow_mut();
        state.pointer = Some((x, (zone == Zone::Lanes).then_some(y)));
        if let Drag::Pressed { x: from_x, y: from_y, pans } = state.drag
            && (x - from_x).hypot(y - from_y) >= CLICK_REACH
        {
            let row = (zone == Zone::Lanes && !event.alt_key()).then_some(from_y);
            let anchor = snapped(&state, from_x, row);
            state.drag = if pans { Drag::Pan { x: from_x, y: from_y } } else { Drag::Range { anchor } };
        }
        match state.drag {
            Drag::Range { anchor } => {
                let row = (zone == Zone::Lanes && !event.alt_key()).then_some(y);
                let at = snapped(&state, x, row);
                let span = Span { start: anchor.min(at), end: anchor.max(at) };
                state.dragged = span.intersect(state.viewport.limits());
                0.0
            }
            Drag::Pan { x: last_x, y: last_y } => {
                state.viewport.pan(last_x - x);
                state.drag = Drag::Pan { x, y };
                last_y - y
            }
            _ => 0.0,
        }
    };
    let at = stage.state.borrow().viewport.scale().time(x).0;
    stage.point_at(Some(at));
    if let Some(elements) = stage.elements().filter(|_| scroll != 0.0 && zone == Zone::Lanes) {
        elements.scroller.set_scroll_top(elements.scroller.scroll_top() + scroll.round() as i32);
    }
    stage.request_frame();
}

pub fn up(stage: &Rc<Stage>, event: &PointerEvent, zone: Zone) {
    touch::lift(stage, event);
    let (x, y) = position(event);
    let (drag, dragged) = {
        let mut state = stage.state.borrow_mut();
        // The remaining finger continues to pan.
        if state.drag == Drag::Pinch && state.fingers.count() > 0 {
            return;
        }
        // No tooltip about what happens to be below the end of a drag.
        if matches!(state.drag, Drag::Range { .. } | Drag::Pan { .. }) {
            state.pointer = state.pointer.map(|(x, _)| (x, None));
        }
        (std::mem::take(&mut state.drag), state.dragged.take())
    };
    match drag {
        // A short touch that could pan is a click.
        Drag::Pressed { pans, .. } if pans && !is_finger(event) => {}
        Drag::Pressed { .. } if zone == Zone::Lanes => click(stage, x, y),
        Drag::Pressed { .. } => click_flag(stage, x),
        Drag::Range { .. } => {
            if let Some(span) = dragged.filter(|span| span.duration() > 0) {
                stage.app.choose_range(Some(span));
            }
        }
        _ => {}
    }
    stage.request_frame();
}

/// Handles a pointer that left, or that the browser took over.
pub fn left(stage: &Rc<Stage>) {
    {
        let mut state = stage.state.borrow_mut();
        if matches!(state.drag, Drag::Range { .. } | Drag::Pan { .. }) {
            return;
        }
        state.pointer = None;
        state.drag = Drag::None;
    }
    stage.point_at(None);
    stage.request_frame();
}

/// Handles a canceled pointer, for example because the browser scrolls.
pub fn taken(stage: &Rc<Stage>, event: &PointerEvent) {
    touch::lift(stage, event);
    cancel(stage);
}

pub fn cancel(stage: &Rc<Stage>) {
    {
        let mut state = stage.state.borrow_mut();
        state.drag = Drag::None;
        state.dragged = None;
    }
    stage.request_frame();
}

/// Follows the arrow at a position of the pane, or selects the item there.
pub fn click(stage: &Rc<Stage>, x: CssPx, y: CssPx) {
    if let Some(link) = link_at(stage, x, y) {
        return follow_link_to_end(stage, &link, 1);
    }
    let (target, track) = {
        let state = stage.state.borrow();
        let y = state.below_top(y);
        (state.scene().hit(x, y), state.layout.at(y).map(|track| track.key))
    };
    // Keys apply to this track from now on.
    if let Some(track) = track {
        stage.signals.focused.set(track);
    }
    let thread = match track {
        Some(TrackKey::Thread(thread)) => Some(thread),
        _ => None,
    };
    match (target, thread) {
        (Target::Nothing, Some(thread)) => stage.app.selection.set(Selection::Thread(thread)),
        (target, _) => stage.select(target),
    }
}

/// Shows the saved range, or opens the note, whose flag is clicked.
fn click_flag(stage: &Rc<Stage>, x: CssPx) {
    let scale = stage.state.borrow().viewport.scale();
    let (saved_ranges, notes) = (stage.app.timeline.saved_ranges.get_untracked(), stage.signals.notes.get_untracked());
    match flag_at(&flags(&saved_ranges, &notes), &scale, x) {
        Some(Flagged::SavedRange(index)) => {
            let span = saved_ranges[index].span;
            stage.app.choose_range(Some(span));
            stage.show_around(span);
        }
        Some(Flagged::Note(index)) => notes::edit(stage, Subject::Existing(index)),
        None => {}
    }
}

/// Zooms to the item under the pointer.
pub fn double_click(stage: &Rc<Stage>, event: &MouseEvent) {
    let (x, y) = position(event);
    let span = {
        let state = stage.state.borrow();
        let scene = state.scene();
        scene.span_of(&scene.hit(x, state.below_top(y)))
    };
    if let Some(span) = span {
        stage.show_around(span);
    }
}

pub fn menu(handle: Handle, stage: &Rc<Stage>, event: &MouseEvent) {
    event.prevent_default();
    cancel(stage);
    let at = (f64::from(event.client_x()), f64::from(event.client_y()));
    lane_menu::open(handle, stage, position(event), at);
}

/// Handles the wheel: with Control it zooms, with Shift or sideways it pans, otherwise it scrolls the tracks.
pub fn wheel(stage: &Rc<Stage>, event: &WheelEvent) {
    let unit = match event.delta_mode() {
        WheelEvent::DOM_DELTA_LINE => LINE_PIXELS,
        WheelEvent::DOM_DELTA_PAGE => PAGE_PIXELS,
        _ => 1.0,
    };
    let (across, down) = (event.delta_x() * unit, event.delta_y() * unit);
    let (x, _) = position(event);
    if event.ctrl_key() || event.meta_key() {
        let is_pinch =
            event.ctrl_key() && event.delta_mode() == WheelEvent::DOM_DELTA_PIXEL && down.abs() < LARGEST_PINCH_STEP;
        stage.state.borrow_mut().viewport.zoom_at(x, wheel_zoom_factor(down, is_pinch));
    } else if event.shift_key() || across.abs() > down.abs() {
        let pixels = if across == 0.0 { down } else { across };
        stage.state.borrow_mut().viewport.pan(pixels);
    } else {
        return;
    }
    event.prevent_default();
    stage.request_frame();
}
