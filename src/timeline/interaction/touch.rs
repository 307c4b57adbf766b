//! Touch input of lanes and ruler: one finger pans or selects a range on the ruler, two zoom, a long press opens the
//! menu.

use super::lane_menu;
use super::pointer::{Zone, position};
use crate::timeline::stage::Stage;
use crate::timeline::state::Drag;
use crate::timeline::{Handle, with};
use gloo::timers::callback::Timeout;
use std::rc::Rc;
use web_sys::PointerEvent;

/// Duration of a long press in milliseconds.
const LONG_PRESS_MS: u32 = 500;

pub fn down(handle: Handle, stage: &Rc<Stage>, event: &PointerEvent, zone: Zone) {
    let (x, y) = position(event);
    let is_first = {
        let mut state = stage.state.borrow_mut();
        state.fingers.put(event.pointer_id(), x, y);
        let is_first = state.fingers.count() == 1;
        state.drag = if is_first { Drag::Pressed { x, y, pans: zone == Zone::Lanes } } else { Drag::Pinch };
        state.dragged = None;
        is_first
    };
    let at = (f64::from(event.client_x()), f64::from(event.client_y()));
    let wait = (is_first && zone == Zone::Lanes).then(|| {
        Timeout::new(LONG_PRESS_MS, move || {
            with(handle, |stage| {
                let stayed = matches!(stage.state.borrow().drag, Drag::Pressed { .. });
                if stayed {
                    stage.state.borrow_mut().drag = Drag::None;
                    lane_menu::open(handle, stage, (x, y), at);
                }
            });
        })
    });
    // Replacing the timer cancels the previous one.
    stage.long_press.replace(wait);
    stage.request_frame();
}

/// Handles a movement while two fingers are, or were, down.
pub fn moved(stage: &Rc<Stage>, event: &PointerEvent) {
    let (x, y) = position(event);
    {
        let mut state = stage.state.borrow_mut();
        state.pointer = None;
        if let Some(moved) = state.fingers.moved(event.pointer_id(), x, y) {
            state.viewport.pan(moved.pan);
            state.viewport.zoom_at(moved.at, moved.factor);
        }
    }
    stage.request_frame();
}

/// Handles a finger that was lifted or that the browser took over.
pub fn lift(stage: &Rc<Stage>, event: &PointerEvent) {
    stage.long_press.take();
    stage.state.borrow_mut().fingers.lift(event.pointer_id());
}
