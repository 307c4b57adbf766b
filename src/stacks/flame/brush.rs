//! Brush on a canvas.

use view::draw::svg::brush::Brush;
use view::draw::units::{CssPx, Rect};
use web_sys::CanvasRenderingContext2d;

const FONT: &str = "11px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

pub struct CanvasBrush<'a> {
    context: &'a CanvasRenderingContext2d,
    character: CssPx,
}

impl<'a> CanvasBrush<'a> {
    /// Prepares a context for labels.
    pub fn new(context: &'a CanvasRenderingContext2d) -> Self {
        context.set_font(FONT);
        context.set_text_baseline("middle");
        let measured = context.measure_text("abcdefghijklmnopqrstuvwxyzABCDEF.");
        Self { context, character: measured.map_or(6.0, |size| size.width() / 33.0) }
    }
}

impl Brush for CanvasBrush<'_> {
    fn set_fill_style_str(&self, color: &str) {
        self.context.set_fill_style_str(color);
    }

    fn set_stroke_style_str(&self, color: &str) {
        self.context.set_stroke_style_str(color);
    }

    fn set_line_width(&self, width: CssPx) {
        self.context.set_line_width(width);
    }

    fn set_global_alpha(&self, opacity: f64) {
        self.context.set_global_alpha(opacity);
    }

    fn set_text_align(&self, align: &str) {
        self.context.set_text_align(align);
    }

    fn fill_rect(&self, x: CssPx, y: CssPx, width: CssPx, height: CssPx) {
        self.context.fill_rect(x, y, width, height);
    }

    fn stroke_rect(&self, x: CssPx, y: CssPx, width: CssPx, height: CssPx) {
        self.context.stroke_rect(x, y, width, height);
    }

    fn fill_label(&self, text: &str, x: CssPx, y: CssPx) {
        // If drawing the text fails, the tooltip still contains it.
        let _ = self.context.fill_text(text, x, y);
    }

    fn hatch(&self, area: Rect, step: CssPx) {
        let context = self.context;
        context.save();
        context.begin_path();
        context.rect(area.x, area.y, area.width, area.height);
        context.clip();
        context.begin_path();
        let mut x = area.x - area.height;
        while x < area.right() {
            context.move_to(x, area.bottom());
            context.line_to(x + area.height, area.y);
            x += step;
        }
        context.stroke();
        context.restore();
    }

    fn character(&self) -> CssPx {
        self.character
    }
}
