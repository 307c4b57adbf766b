//! A painter that keeps what it has to draw.

use view::draw::drawlist::{CharacterWidths, DrawList, Label, Line, Painter, Stroke};
use view::draw::palette::{Fill, Token};
use view::draw::units::{CssPx, Rect};
use view::timeline::timescale::TimeScale;
use view::timeline::tracks::track::{Chosen, Place, RuntimeTrack};

/// The boxes and triangles that were drawn.
#[derive(Default)]
pub struct Painted {
    /// Boxes.
    pub rects: Vec<Rect>,
    /// How each of them is filled.
    pub fills: Vec<Fill>,
    /// Boxes around triangles.
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

/// What a track draws at its top left corner, `height` pixels high.
pub fn drawn(track: &dyn RuntimeTrack, scale: &TimeScale, height: CssPx) -> DrawList {
    let mut list = DrawList::default();
    let (chosen, characters) = (Chosen::default(), CharacterWidths::default());
    track.paint(&mut list, &Place { scale, top: 0.0, height, limits: scale.span(), chosen, characters });
    list
}

/// The shapes of a picture.
pub fn shapes(list: &DrawList) -> Painted {
    let mut painted = Painted::default();
    list.paint_shapes(&mut painted);
    painted
}

impl Painted {
    /// Whether something is drawn at `x`: a pixel beside it, and one more for the gap after a box.
    pub fn touches(&self, x: CssPx) -> bool {
        let mut all = self.rects.iter().chain(&self.triangles);
        all.any(|rect| rect.x - 1.0 <= x && x <= rect.right() + 2.0)
    }
}
