//! Separate canvas for the static part of the minimap, which is drawn only when it changes.

use crate::timeline::draw::{MINIMAP_HEIGHT, minimap_scale};
use crate::timeline::state::State;
use crate::widgets::canvas::{CanvasPainter, Palette};
use protocol::base::time::Span;
use protocol::tables::Overview;
use std::sync::Arc;
use view::draw::units::CssPx;
use view::timeline::paint::minimap::paint_overview;
use web_sys::HtmlCanvasElement;

/// Content of the canvas. It doesn't include colors: clearing those also clears this.
#[derive(Clone)]
pub struct Backdrop {
    overview: Option<Arc<Overview>>,
    limits: Span,
    width: CssPx,
    ratio: f64,
}

impl Backdrop {
    /// Returns the current content.
    fn of(state: &State, palette: &Palette) -> Self {
        let (overview, limits) = (state.overview.clone(), state.viewport.limits());
        Self { overview, limits, width: state.size.0, ratio: palette.ratio() }
    }

    fn is_same(&self, other: &Self) -> bool {
        let overview = |one: &Self| one.overview.as_ref().map(Arc::as_ptr);
        (self.limits, self.width, self.ratio) == (other.limits, other.width, other.ratio)
            && overview(self) == overview(other)
    }
}

/// Draws the content unless it is already drawn.
pub fn draw_backdrop(canvas: &HtmlCanvasElement, drawn: &mut Option<Backdrop>, state: &State, palette: &Palette) {
    let wanted = Backdrop::of(state, palette);
    if drawn.as_ref().is_some_and(|drawn| drawn.is_same(&wanted)) {
        return;
    }
    let Some(mut painter) = CanvasPainter::new(canvas, wanted.width, MINIMAP_HEIGHT, palette) else { return };
    if let Some(overview) = &wanted.overview {
        paint_overview(&mut painter, overview, &minimap_scale(state), MINIMAP_HEIGHT);
    }
    *drawn = Some(wanted);
}
