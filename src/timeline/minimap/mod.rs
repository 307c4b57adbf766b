//! Pointer input of the minimap: moves and resizes the window, or draws a new one.

pub(crate) mod backdrop;
pub(crate) mod brushes;

use super::drawing::minimap_scale;
use super::interaction::pointer::position;
use super::stage::Stage;
use crate::widgets::{CLICK_REACH, capture};
use leptos::prelude::*;
use protocol::base::time::{Nanos, Span};
use std::rc::Rc;
use view::draw::units::CssPx;
use view::timeline::paint::minimap::MinimapGrip;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, PointerEvent};

/// Drag on the minimap.
#[derive(Clone, Copy)]
pub struct MinimapDrag {
    grip: MinimapGrip,
    from_x: CssPx,
    from_span: Span,
}

pub fn down(stage: &Rc<Stage>, event: &PointerEvent, drag: StoredValue<Option<MinimapDrag>>) {
    if event.button() != 0 {
        return;
    }
    capture(event);
    let (x, _) = position(event);
    let state = stage.state.borrow();
    let visible = state.viewport.scale().span();
    let grip = MinimapGrip::at(x, &minimap_scale(&state), visible);
    drag.set_value(Some(MinimapDrag { grip, from_x: x, from_span: visible }));
}

pub fn moved(stage: &Rc<Stage>, event: &PointerEvent, drag: StoredValue<Option<MinimapDrag>>) {
    let (x, _) = position(event);
    {
        let mut state = stage.state.borrow_mut();
        let scale = minimap_scale(&state);
        let Some(MinimapDrag { grip, from_x, from_span }) = drag.get_value() else {
            show_cursor(event, MinimapGrip::at(x, &scale, state.viewport.scale().span()));
            return;
        };
        let at = scale.time(x);
        let moved_by = at.0 - scale.time(from_x).0;
        let span = match grip {
            MinimapGrip::Start => ordered(at, from_span.end),
            MinimapGrip::End => ordered(from_span.start, at),
            MinimapGrip::Window => Span::new(from_span.start.0 + moved_by, from_span.end.0 + moved_by),
            MinimapGrip::Outside if (x - from_x).abs() < CLICK_REACH => return,
            MinimapGrip::Outside => ordered(scale.time(from_x), at),
        };
        state.viewport.show(span);
    }
    stage.request_frame();
}

pub fn up(stage: &Rc<Stage>, event: &PointerEvent, drag: StoredValue<Option<MinimapDrag>>) {
    let (x, _) = position(event);
    let Some(MinimapDrag { grip, from_x, from_span }) = drag.get_value() else { return };
    drag.set_value(None);
    if grip == MinimapGrip::Outside && (x - from_x).abs() < CLICK_REACH {
        let mut state = stage.state.borrow_mut();
        let at = minimap_scale(&state).time(x);
        let half = from_span.duration() / 2;
        state.viewport.show(Span::new(at.0.saturating_sub(half), at.0.saturating_add(half)));
        drop(state);
        stage.request_frame();
    }
}

fn ordered(one: Nanos, other: Nanos) -> Span {
    Span { start: one.min(other), end: one.max(other) }
}

fn show_cursor(event: &PointerEvent, grip: MinimapGrip) {
    let element = event.current_target().and_then(|target| target.dyn_into::<HtmlElement>().ok());
    let cursor = match grip {
        MinimapGrip::Start | MinimapGrip::End => "ew-resize",
        MinimapGrip::Window => "grab",
        MinimapGrip::Outside => "crosshair",
    };
    if let Some(element) = element {
        // If the cursor can't be changed, only a hint is missing.
        let _ = element.style().set_property("cursor", cursor);
    }
}
