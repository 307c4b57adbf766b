//! The part of a canvas's drawing context that flame graphs use, and its recording as SVG.

use super::markup::{Area, Escaped, Number, Paint, append};
use super::theme::Color;
use crate::draw::units::{CssPx, Rect};
use std::cell::{Cell, RefCell};

/// Drawing context. The methods are named as those of a canvas, whose context is one.
pub trait Brush {
    /// Sets the color of areas and texts, as in the style sheet.
    fn set_fill_style_str(&self, color: &str);
    /// Sets the color of lines, as in the style sheet.
    fn set_stroke_style_str(&self, color: &str);
    /// Sets the width of lines.
    fn set_line_width(&self, width: CssPx);
    /// Sets the opacity of what follows.
    fn set_global_alpha(&self, opacity: f64);
    /// Sets which part of a text is placed at its position: "left" or "right".
    fn set_text_align(&self, align: &str);
    /// Fills a box.
    fn fill_rect(&self, x: CssPx, y: CssPx, width: CssPx, height: CssPx);
    /// Draws the outline of a box.
    fn stroke_rect(&self, x: CssPx, y: CssPx, width: CssPx, height: CssPx);
    /// Draws a text whose middle is at `y`.
    fn fill_label(&self, text: &str, x: CssPx, y: CssPx);
    /// Draws diagonal lines across a box.
    fn hatch(&self, area: Rect, step: CssPx);
    /// Returns the average width of a character.
    fn character(&self) -> CssPx;
}

/// Distance from the middle of small letters to the baseline.
const MIDDLE_TO_BASELINE: CssPx = 3.8;
/// Font size of the texts.
const FONT_PX: CssPx = 11.0;

/// Brush that writes SVG.
pub struct SvgBrush<'a> {
    out: RefCell<&'a mut String>,
    resolve: &'a dyn Fn(&str) -> Color,
    character: CssPx,
    fill: Cell<Color>,
    stroke: Cell<Color>,
    width: Cell<CssPx>,
    opacity: Cell<f64>,
    is_at_end: Cell<bool>,
    clips: Cell<usize>,
}

impl<'a> SvgBrush<'a> {
    /// Creates a brush; `resolve` returns the value of a color of the style sheet.
    pub(super) fn new(out: &'a mut String, character: CssPx, resolve: &'a dyn Fn(&str) -> Color) -> Self {
        Self {
            out: RefCell::new(out),
            resolve,
            character,
            fill: Cell::default(),
            stroke: Cell::default(),
            width: Cell::new(1.0),
            opacity: Cell::new(1.0),
            is_at_end: Cell::default(),
            clips: Cell::default(),
        }
    }

    fn fill_attribute(&self) -> Paint {
        Paint("fill", self.fill.get().faded(self.opacity.get()))
    }

    fn stroke_attribute(&self) -> String {
        let color = Paint("stroke", self.stroke.get().faded(self.opacity.get()));
        format!(r#" fill="none"{color} stroke-width="{}""#, Number(self.width.get()))
    }
}

impl Brush for SvgBrush<'_> {
    fn set_fill_style_str(&self, color: &str) {
        self.fill.set((self.resolve)(color));
    }

    fn set_stroke_style_str(&self, color: &str) {
        self.stroke.set((self.resolve)(color));
    }

    fn set_line_width(&self, width: CssPx) {
        self.width.set(width);
    }

    fn set_global_alpha(&self, opacity: f64) {
        self.opacity.set(opacity);
    }

    fn set_text_align(&self, align: &str) {
        self.is_at_end.set(align == "right");
    }

    fn fill_rect(&self, x: CssPx, y: CssPx, width: CssPx, height: CssPx) {
        let area = Area(Rect::new(x, y, width, height));
        append!(&mut **self.out.borrow_mut(), "<rect{area}{}/>", self.fill_attribute());
    }

    fn stroke_rect(&self, x: CssPx, y: CssPx, width: CssPx, height: CssPx) {
        let area = Area(Rect::new(x, y, width, height));
        append!(&mut **self.out.borrow_mut(), "<rect{area}{}/>", self.stroke_attribute());
    }

    fn fill_label(&self, text: &str, x: CssPx, y: CssPx) {
        let (x, y, text) = (Number(x), Number(y + MIDDLE_TO_BASELINE), Escaped(text));
        let anchor = if self.is_at_end.get() { r#" text-anchor="end""# } else { "" };
        let color = self.fill_attribute();
        append!(
            &mut **self.out.borrow_mut(),
            r#"<text x="{x}" y="{y}" font-size="{FONT_PX}"{color}{anchor}>{text}</text>"#
        );
    }

    fn hatch(&self, area: Rect, step: CssPx) {
        let id = self.clips.get() + 1;
        self.clips.set(id);
        let stroke = self.stroke_attribute();
        let mut out = self.out.borrow_mut();
        append!(&mut **out, r#"<clipPath id="box-{id}"><rect{}/></clipPath>"#, Area(area));
        append!(&mut **out, r#"<path{stroke} clip-path="url(#box-{id})" d=""#);
        let mut x = area.x - area.height;
        while step > 0.0 && x < area.right() {
            let [from, to, top, bottom] = [x, x + area.height, area.y, area.bottom()].map(Number);
            append!(&mut **out, "M{from} {bottom}L{to} {top}");
            x += step;
        }
        out.push_str(r#""/>"#);
    }

    fn character(&self) -> CssPx {
        self.character
    }
}
