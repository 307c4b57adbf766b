//! Draw lists: shapes and texts batched by color, and the painters that draw them.

#[cfg(any(test, feature = "testing"))]
mod testing;
#[cfg(any(test, feature = "testing"))]
pub use testing::RecordingPainter;

use super::palette::{Fill, Token};
use super::units::{CssPx, Rect};

/// Straight line, one pixel wide.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Line {
    /// Horizontal position of the start.
    pub x1: CssPx,
    /// Vertical position of the start.
    pub y1: CssPx,
    /// Horizontal position of the end.
    pub x2: CssPx,
    /// Vertical position of the end.
    pub y2: CssPx,
}

impl Line {
    /// Returns a line from top to bottom through the middle of a pixel column.
    pub fn vertical(x: CssPx, top: CssPx, bottom: CssPx) -> Self {
        let x = x.floor() + 0.5;
        Self { x1: x, y1: top, x2: x, y2: bottom }
    }
}

/// Style of lines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stroke {
    /// Without gaps.
    Continuous,
    /// With gaps.
    Dashed,
}

/// Size of text on a canvas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TextSize {
    /// 10.5 px: ticks, labels in slices.
    Small,
    /// 11 px: labels beside marks, in flame boxes.
    Normal,
}

impl TextSize {
    /// Returns the font size.
    pub fn pixels(self) -> CssPx {
        match self {
            Self::Small => 10.5,
            Self::Normal => 11.0,
        }
    }
}

/// Part of a text that is placed at its x.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Align {
    Start,
    Middle,
    End,
}

/// One line of text.
#[derive(Clone, PartialEq, Debug)]
pub struct Label {
    /// Horizontal position (see `align`).
    pub x: CssPx,
    /// Baseline.
    pub y: CssPx,
    pub text: String,
    /// Color.
    pub ink: Token,
    pub size: TextSize,
    /// True if the weight is medium instead of regular.
    pub strong: bool,
    /// Part of the text that is placed at `x`.
    pub align: Align,
    /// True if the text has a plate (a filled box behind it) in the panel's color, for text on lines.
    pub has_plate: bool,
}

pub const PLATE_OPACITY: f64 = 0.94;

impl Label {
    /// Returns a small text of regular weight that starts at `x`.
    pub fn small(x: CssPx, y: CssPx, text: impl Into<String>, ink: Token) -> Self {
        let (size, align) = (TextSize::Small, Align::Start);
        Self { x, y, text: text.into(), ink, size, strong: false, align, has_plate: false }
    }

    /// Returns the plate behind the text, whose width is known, so that shapes don't cross its letters.
    pub fn plate(&self, width: CssPx) -> Rect {
        const MARGIN: CssPx = 3.0;
        const HEIGHTS: (CssPx, CssPx) = (10.0, 3.0);
        let left = match self.align {
            Align::Start => self.x,
            Align::Middle => self.x - width / 2.0,
            Align::End => self.x - width,
        };
        Rect::new(left - MARGIN, self.y - HEIGHTS.0, width + 2.0 * MARGIN, HEIGHTS.0 + HEIGHTS.1)
    }
}

/// Average widths of a character, measured once by the painter.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct CharacterWidths {
    /// At [`TextSize::Small`].
    pub small: CssPx,
    /// At [`TextSize::Normal`].
    pub normal: CssPx,
}

impl Default for CharacterWidths {
    fn default() -> Self {
        Self { small: 5.4, normal: 5.9 }
    }
}

/// Target of a draw list: a canvas, or a recording one in tests.
pub trait Painter {
    /// Fills boxes.
    fn rects(&mut self, fill: Fill, rects: &[Rect]);
    /// Draws the outlines of boxes, inside their edges.
    fn outlines(&mut self, color: Token, line_width: CssPx, rects: &[Rect]);
    /// Draws lines.
    fn lines(&mut self, color: Token, stroke: Stroke, lines: &[Line]);
    /// Draws triangles in boxes, tip up, with a thin outline in the panel's color.
    fn triangles(&mut self, color: Token, boxes: &[Rect]);
    /// Fills the area between a line through points and a baseline.
    fn area(&mut self, fill: Fill, baseline: CssPx, points: &[(CssPx, CssPx)]);
    /// Draws a text.
    fn text(&mut self, label: &Label);
}

/// Vertical range of a picture that is visible. Shapes outside it aren't collected.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Seen {
    /// Upper end.
    pub top: CssPx,
    /// Lower end.
    pub bottom: CssPx,
}

impl Default for Seen {
    /// Returns the range that contains everything.
    fn default() -> Self {
        Self { top: f64::NEG_INFINITY, bottom: f64::INFINITY }
    }
}

impl Seen {
    /// Returns whether something of a height at `top` is partly visible.
    pub fn shows(self, top: CssPx, height: CssPx) -> bool {
        top < self.bottom && top + height > self.top
    }
}

/// Visible boxes by fill, in order of the first box of each fill. Adjacent boxes of equal height are joined.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Batches {
    fills: Vec<(Fill, Vec<Rect>)>,
    /// Index of the last box's fill, which the next box usually shares.
    latest: usize,
    seen: Seen,
}

impl Batches {
    /// Adds a box. Merges it with the last one of its fill if it begins in that one or at its end.
    pub fn push(&mut self, fill: Fill, rect: Rect) {
        if !self.seen.shows(rect.y, rect.height) {
            return;
        }
        let rects = self.rects_of(fill);
        if let Some(last) = rects.last_mut()
            && last.y == rect.y
            && last.height == rect.height
            && (last.x..=last.right()).contains(&rect.x)
        {
            last.width = last.width.max(rect.right() - last.x);
            return;
        }
        rects.push(rect);
    }

    /// Adds a box without merging it.
    pub fn push_apart(&mut self, fill: Fill, rect: Rect) {
        if self.seen.shows(rect.y, rect.height) {
            self.rects_of(fill).push(rect);
        }
    }

    fn rects_of(&mut self, fill: Fill) -> &mut Vec<Rect> {
        if self.fills.get(self.latest).is_none_or(|(present, _)| *present != fill) {
            self.latest = self.fills.iter().position(|(present, _)| *present == fill).unwrap_or(self.fills.len());
            if self.latest == self.fills.len() {
                self.fills.push((fill, Vec::new()));
            }
        }
        &mut self.fills[self.latest].1
    }

    /// Returns the number of boxes.
    pub fn len(&self) -> usize {
        self.fills.iter().map(|(_, rects)| rects.len()).sum()
    }

    /// Returns whether there are no boxes.
    pub fn is_empty(&self) -> bool {
        self.fills.is_empty()
    }

    /// Draws the boxes.
    pub fn paint(&self, painter: &mut impl Painter) {
        for (fill, rects) in &self.fills {
            painter.rects(*fill, rects);
        }
    }
}

/// Picture in layers, in which the shapes of many tracks are painted color by color.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DrawList {
    /// Boxes, the lowest layer.
    pub boxes: Batches,
    /// Details on boxes: edges, ticks.
    pub details: Batches,
    pub outlines: Vec<(Token, CssPx, Rect)>,
    pub triangles: Vec<(Token, Rect)>,
    pub labels: Vec<Label>,
}

impl DrawList {
    /// Returns an empty list that collects what is visible.
    pub fn of(seen: Seen) -> Self {
        let batches = || Batches { seen, ..Batches::default() };
        Self { boxes: batches(), details: batches(), ..Self::default() }
    }

    /// Returns whether something of a height at `top` is partly visible. The contents of other rows can be skipped.
    pub fn shows(&self, top: CssPx, height: CssPx) -> bool {
        self.boxes.seen.shows(top, height)
    }

    /// Draws boxes, details and triangles.
    pub fn paint_shapes(&self, painter: &mut impl Painter) {
        self.boxes.paint(painter);
        self.details.paint(painter);
        for group in self.triangles.chunk_by(|one, other| one.0 == other.0) {
            let boxes: Vec<Rect> = group.iter().map(|(_, rect)| *rect).collect();
            painter.triangles(group[0].0, &boxes);
        }
    }

    /// Draws the labels.
    pub fn paint_labels(&self, painter: &mut impl Painter) {
        for label in &self.labels {
            painter.text(label);
        }
    }

    /// Draws the outlines.
    pub fn paint_outlines(&self, painter: &mut impl Painter) {
        for group in self.outlines.chunk_by(|one, other| one.0 == other.0 && one.1 == other.1) {
            let rects: Vec<Rect> = group.iter().map(|(_, _, rect)| *rect).collect();
            painter.outlines(group[0].0, group[0].1, &rects);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boxes_are_painted_by_color_and_adjacent_ones_joined() {
        let mut batches = Batches::default();
        batches.push(Fill::Solid(Token::Managed), Rect::new(0.0, 4.0, 1.0, 14.0));
        batches.push(Fill::Waiting, Rect::new(1.0, 15.0, 1.0, 3.0));
        batches.push(Fill::Solid(Token::Managed), Rect::new(1.0, 4.0, 1.0, 14.0));
        batches.push(Fill::Solid(Token::Managed), Rect::new(2.0, 9.0, 1.0, 9.0));
        batches.push_apart(Fill::Waiting, Rect::new(2.0, 15.0, 1.0, 3.0));
        let mut painter = RecordingPainter::default();
        batches.paint(&mut painter);
        assert_eq!(painter.text(), "Managed: 0,4 2x14; 2,9 1x9\nWaiting: 1,15 1x3; 2,15 1x3");
    }

    #[test]
    fn overlapping_boxes_are_merged_and_invisible_ones_skipped() {
        let mut list = DrawList::of(Seen { top: 10.0, bottom: 20.0 });
        for (x, width) in [(0.0, 5.0), (3.0, 1.0), (4.0, 3.0), (8.0, 1.0)] {
            list.boxes.push(Fill::Waiting, Rect::new(x, 15.0, width, 3.0));
        }
        for (top, is_seen) in [(4.0, false), (5.0, true), (19.0, true), (20.0, false)] {
            assert_eq!(list.shows(top, 6.0), is_seen, "{top}");
            list.details.push(Fill::Lost, Rect::new(0.0, top, 1.0, 6.0));
            list.details.push_apart(Fill::Lost, Rect::new(0.0, top, 1.0, 6.0));
        }
        let mut painter = RecordingPainter::default();
        list.paint_shapes(&mut painter);
        assert_eq!(painter.text(), "Waiting: 0,15 7x3; 8,15 1x3\nLost: 0,5 1x6; 0,5 1x6; 0,19 1x6; 0,19 1x6");
    }
}
