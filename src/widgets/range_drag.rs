//! Selection of a range by dragging along a time axis.

use super::{CLICK_REACH, capture};
use leptos::prelude::*;
use view::draw::units::CssPx;
use wasm_bindgen::JsCast;
use web_sys::{Element, PointerEvent};

/// Result of a press and release, as shares of the element's width.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Drawn {
    /// Click at a position.
    Click(f64),
    /// Range between two positions.
    Range(f64, f64),
}

/// Pointer over one element. Copies are handles to the same state.
#[derive(Clone, Copy, Default)]
pub struct RangeDrag(RwSignal<Option<Drag>>);

/// Pressed pointer: start and current position, as shares of the width.
#[derive(Clone, Copy, PartialEq)]
struct Drag {
    from: f64,
    to: f64,
    /// True if it has moved far enough for a range.
    is_range: bool,
}

impl RangeDrag {
    /// Handles a press.
    pub fn down(self, event: &PointerEvent) {
        if let Some((at, _)) = place_of(event).filter(|_| event.button() == 0) {
            capture(event);
            self.0.set(Some(Drag { from: at, to: at, is_range: false }));
        }
    }

    /// Handles a pointer movement.
    pub fn moved(self, event: &PointerEvent) {
        let (Some(now), Some((at, width))) = (self.0.get_untracked(), place_of(event)) else { return };
        let is_range = now.is_range || (at - now.from).abs() * width >= CLICK_REACH;
        self.0.set(Some(Drag { to: at, is_range, ..now }));
    }

    /// Handles a release; returns `None` without a press on this element.
    pub fn up(self) -> Option<Drawn> {
        let Drag { from, to, is_range } = self.0.get_untracked()?;
        self.0.set(None);
        Some(if is_range { Drawn::Range(from, to) } else { Drawn::Click(to) })
    }

    /// Handles a canceled pointer.
    pub fn cancel(self) {
        self.0.set(None);
    }

    /// Returns the range while it is drawn, as shares of the width.
    pub fn drawing(self) -> Option<(f64, f64)> {
        self.0.get().filter(|drag| drag.is_range).map(|drag| (drag.from, drag.to))
    }

    /// Returns an overlay with the range while it is drawn.
    pub fn band(self) -> Option<impl IntoView> {
        let (from, to) = self.drawing()?;
        let (from, to) = (from.clamp(0.0, 1.0), to.clamp(0.0, 1.0));
        let place = format!("left: {:.3}%; width: {:.3}%", from.min(to) * 100.0, (to - from).abs() * 100.0);
        Some(view! { <i class="drawn" style=place aria-hidden="true"></i> })
    }
}

/// Returns the position of the pointer as a share of the element's width, and that width.
fn place_of(event: &PointerEvent) -> Option<(f64, CssPx)> {
    let area = event.current_target()?.dyn_into::<Element>().ok()?.get_bounding_client_rect();
    (area.width() > 0.0).then(|| ((f64::from(event.client_x()) - area.left()) / area.width(), area.width()))
}
