//! A range that a pointer draws along something with an axis of time.

use super::{CLICK_REACH, capture};
use leptos::prelude::*;
use view::draw::units::CssPx;
use wasm_bindgen::JsCast;
use web_sys::{Element, PointerEvent};

/// What a pointer did that was pressed and let go, in parts of the width of what it was pressed on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Drawn {
    /// It stayed where it was.
    Click(f64),
    /// It went from here to there.
    Range(f64, f64),
}

/// The pointer over one element. Copies are handles to the same.
#[derive(Clone, Copy, Default)]
pub struct RangeDrag(RwSignal<Option<Drag>>);

/// A pointer that is down: where it was pressed and where it is, as parts of the width.
#[derive(Clone, Copy, PartialEq)]
struct Drag {
    from: f64,
    to: f64,
    /// Whether it went far enough to draw a range.
    is_range: bool,
}

impl RangeDrag {
    /// The pointer is pressed.
    pub fn down(self, event: &PointerEvent) {
        if let Some((at, _)) = place_of(event).filter(|_| event.button() == 0) {
            capture(event);
            self.0.set(Some(Drag { from: at, to: at, is_range: false }));
        }
    }

    /// The pointer moves.
    pub fn moved(self, event: &PointerEvent) {
        let (Some(now), Some((at, width))) = (self.0.get_untracked(), place_of(event)) else { return };
        let is_range = now.is_range || (at - now.from).abs() * width >= CLICK_REACH;
        self.0.set(Some(Drag { to: at, is_range, ..now }));
    }

    /// The pointer is let go; none if it was not pressed here.
    pub fn up(self) -> Option<Drawn> {
        let Drag { from, to, is_range } = self.0.get_untracked()?;
        self.0.set(None);
        Some(if is_range { Drawn::Range(from, to) } else { Drawn::Click(to) })
    }

    /// The pointer is gone.
    pub fn cancel(self) {
        self.0.set(None);
    }

    /// The range while it is drawn, as parts of the width.
    pub fn drawing(self) -> Option<(f64, f64)> {
        self.0.get().filter(|drag| drag.is_range).map(|drag| (drag.from, drag.to))
    }

    /// The range while it is drawn, to be laid over the element.
    pub fn band(self) -> Option<impl IntoView> {
        let (from, to) = self.drawing()?;
        let (from, to) = (from.clamp(0.0, 1.0), to.clamp(0.0, 1.0));
        let place = format!("left: {:.3}%; width: {:.3}%", from.min(to) * 100.0, (to - from).abs() * 100.0);
        Some(view! { <i class="drawn" style=place aria-hidden="true"></i> })
    }
}

/// Where a pointer is on what it is handled by, as a part of its width, and that width.
fn place_of(event: &PointerEvent) -> Option<(f64, CssPx)> {
    let area = event.current_target()?.dyn_into::<Element>().ok()?.get_bounding_client_rect();
    (area.width() > 0.0).then(|| ((f64::from(event.client_x()) - area.left()) / area.width(), area.width()))
}
