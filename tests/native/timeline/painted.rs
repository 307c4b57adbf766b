//! Painter that stores shapes.

use view::draw::drawlist::{CharacterWidths, DrawList, Label, Line, Painter, Stroke};
use view::draw::palette::{Fill, Token};
use view::draw::units::{CssPx, Rect};
use view::timeline::timescale::TimeScale;
use view::timeline::tracks::track::{Chosen, Place, RuntimeTrack};

/// Drawn boxes and triangles.
#[derive(Default)]
pub struct Painted {
    /// Boxes.
    pub rects: Vec<Rect>,
    /// Fill of each box.
    pub fills: Vec<Fill>,
    /// Bounding boxes of triangles.
    pub triangles: Vec<Rect>,
}

impl Painter for Painted {
    fn rects(&mut self, fill: Fill, rects: &[Rect]) {
        self.fills.extend(rects.iter().map(|_| fill));
        self.rects.extend(rects);
    }

    fn outlines(&mut self, _color: Token, _line_width: CssPx, _rects: &[Rect]) {}

    fn lines(&mut self, _color: Token, _stroke: Stroke, _lines: &[Line]) {}

    fn triangles(&mut self, _color: Token, boxes: &[Rect]) {
        self.triangles.extend(boxes);
    }

    fn area(&mut self, _fill: Fill, _baseline: CssPx, _points: &[(CssPx, CssPx)]) {}

    fn text(&mut self, _label: &Label) {}
}

/// Draws a track at the top left corner, `height` pixels high.
pub fn drawn(track: &dyn RuntimeTrack, scale: &TimeScale, height: CssPx) -> DrawList {
    let mut list = DrawList::default();
    let (chosen, characters) = (Chosen::default(), CharacterWidths::default());
    track.paint(&mut list, &Place { scale, top: 0.0, height, limits: scale.span(), chosen, characters });
    list
}

/// Returns the shapes of a draw list.
pub fn shapes(list: &DrawList) -> Painted {
    let mut painted = Painted::default();
    list.paint_shapes(&mut painted);
    painted
}

impl Painted {
    /// Returns whether something is drawn at `x`, with a tolerance of a pixel, and one more for the gap after a box.
    pub fn touches(&self, x: CssPx) -> bool {
        let mut all = self.rects.iter().chain(&self.triangles);
        all.any(|rect| rect.x - 1.0 <= x && x <= rect.right() + 2.0)
    }
}
