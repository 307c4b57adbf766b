//! Separate canvas for the static part of the minimap, which is drawn only when it changes.

use crate::timeline::drawing::{MINIMAP_HEIGHT, minimap_scale};
use crate::timeline::state::State;
use crate::widgets::canvas::{CanvasPainter, Palette};
use protocol::base::time::Span;
use protocol::tables::Overview;
use std::sync::Arc;
use view::draw::units::CssPx;
use view::timeline::paint::minimap::paint_overview;
use view::traces::joined;
use web_sys::HtmlCanvasElement;

/// Content of the canvas. It doesn't include colors: clearing those also clears this.
#[derive(Clone)]
pub struct Backdrop {
    overview: Option<Arc<Overview>>,
    /// Densities of the other traces, with the nanoseconds to add to their times.
    others: Vec<(Arc<Overview>, i64)>,
    limits: Span,
    width: CssPx,
    ratio: f64,
}

impl Backdrop {
    /// Returns the current content.
    fn of(state: &State, others: Vec<(Arc<Overview>, i64)>, palette: &Palette) -> Self {
        let (overview, limits) = (state.overview.clone(), state.viewport.limits());
        Self { overview, others, limits, width: state.size.0, ratio: palette.ratio() }
    }

    fn is_same(&self, other: &Self) -> bool {
        let overview = |one: &Self| one.overview.as_ref().map(Arc::as_ptr);
        let others = |one: &Self| one.others.iter().map(|(of, nanos)| (Arc::as_ptr(of), *nanos)).collect::<Vec<_>>();
        (self.limits, self.width, self.ratio) == (other.limits, other.width, other.ratio)
            && overview(self) == overview(other)
            && others(self) == others(other)
    }
}

/// Draws the content unless it is already drawn.
pub fn draw_backdrop(
    canvas: &HtmlCanvasElement,
    drawn: &mut Option<Backdrop>,
    (state, others): (&State, Vec<(Arc<Overview>, i64)>),
    palette: &Palette,
) {
    let wanted = Backdrop::of(state, others, palette);
    if drawn.as_ref().is_some_and(|drawn| drawn.is_same(&wanted)) {
        return;
    }
    let Some(mut painter) = CanvasPainter::new(canvas, wanted.width, MINIMAP_HEIGHT, palette) else { return };
    if let Some(overview) = &wanted.overview {
        let whole = joined(overview, wanted.others.iter().map(|(other, nanos)| (&**other, *nanos)));
        paint_overview(&mut painter, &whole, &minimap_scale(state), MINIMAP_HEIGHT);
    }
    *drawn = Some(wanted);
}
