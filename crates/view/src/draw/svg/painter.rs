//! Painter that writes a draw list as SVG.

use super::brush::SvgBrush;
use super::markup::{Area, Escaped, Number, Paint, Point, append};
use super::theme::{Color, Theme};
use super::widths::estimated_width;
use crate::draw::drawlist::{Align, Label, Line, PLATE_OPACITY, Painter, Stroke, TextSize};
use crate::draw::palette::{Fill, Mark, Pattern, Token, outline};
use crate::draw::units::{CssPx, Rect};

/// Painter that writes SVG. Shapes of a call are a group, so that they can be edited together.
pub struct SvgPainter<'a> {
    /// Markup.
    pub(super) out: &'a mut String,
    pub(super) theme: &'a Theme,
    /// Used patterns.
    pub(super) patterns: &'a mut Vec<Fill>,
}

impl SvgPainter<'_> {
    /// Returns the markup, for shapes that aren't in draw lists.
    pub fn markup(&mut self) -> &mut String {
        self.out
    }

    /// Returns a brush for shapes that aren't in draw lists; `resolve` returns the value of a color of the style sheet.
    pub fn brush<'a>(&'a mut self, resolve: &'a dyn Fn(&str) -> Color) -> SvgBrush<'a> {
        SvgBrush::new(self.out, self.theme.characters.normal, resolve)
    }

    fn fill_attribute(&mut self, fill: Fill) -> String {
        if let Some((token, opacity)) = fill.plain() {
            return Paint("fill", self.theme.color(token).faded(opacity)).to_string();
        }
        if !self.patterns.contains(&fill) {
            self.patterns.push(fill);
        }
        format!(r#" fill="url(#{})""#, pattern_id(fill))
    }

    fn color(&self, token: Token) -> Color {
        self.theme.color(token)
    }
}

fn pattern_id(fill: Fill) -> String {
    format!("pattern-{fill:?}").to_lowercase()
}

/// Appends the definition of a pattern.
pub(super) fn define(out: &mut String, theme: &Theme, fill: Fill) {
    let Some(pattern) = fill.pattern() else { return };
    let (side, color) = (pattern.side(), theme.color(pattern.color));
    let size = Number(side);
    append!(out, r#"<pattern id="{}" width="{size}" height="{size}" patternUnits="userSpaceOnUse">"#, pattern_id(fill));
    if let Some(ground) = pattern.ground {
        append!(out, "<rect{}{}/>", Area(Rect::new(0.0, 0.0, side, side)), Paint("fill", theme.color(ground)));
    }
    match pattern.mark {
        Mark::Line(width) => {
            append!(out, r#"<path fill="none"{} stroke-width="{width}" d=""#, Paint("stroke", color));
            for offset in [-1.0, 0.0, 1.0] {
                let from = offset * side - 1.0;
                append!(out, "M{}L{}", Point(from, side + 1.0), Point(from + side + 2.0, -1.0));
            }
            out.push_str(r#""/>"#);
        }
        Mark::Dots(radius) => {
            for center in Pattern::centers(side).map(Number) {
                append!(out, r#"<circle cx="{center}" cy="{center}" r="{radius}"{}/>"#, Paint("fill", color));
            }
        }
    }
    out.push_str("</pattern>");
}

impl Painter for SvgPainter<'_> {
    fn rects(&mut self, fill: Fill, rects: &[Rect]) {
        let attribute = self.fill_attribute(fill);
        append!(self.out, "<g{attribute}>");
        for rect in rects {
            append!(self.out, "<rect{}/>", Area(*rect));
        }
        self.out.push_str("</g>");
        if let Some(strong) = outline(fill, |pale| self.color(pale) == self.color(Token::Panel)) {
            let wide: Vec<Rect> = rects.iter().filter(|area| area.width >= 3.0).copied().collect();
            self.outlines(strong, 1.0, &wide);
        }
    }

    fn outlines(&mut self, color: Token, line_width: CssPx, rects: &[Rect]) {
        let color = Paint("stroke", self.color(color));
        append!(self.out, r#"<g fill="none"{color} stroke-width="{}">"#, Number(line_width));
        for Rect { x, y, width, height } in rects {
            let (width, height) = ((width - line_width).max(0.5), (height - line_width).max(0.5));
            append!(self.out, "<rect{}/>", Area(Rect::new(x + line_width / 2.0, y + line_width / 2.0, width, height)));
        }
        self.out.push_str("</g>");
    }

    fn lines(&mut self, color: Token, stroke: Stroke, lines: &[Line]) {
        let color = Paint("stroke", self.color(color));
        let dashes = if stroke == Stroke::Dashed { r#" stroke-dasharray="3 2""# } else { "" };
        append!(self.out, "<g{color}{dashes}>");
        for line in lines {
            let [x1, y1, x2, y2] = [line.x1, line.y1, line.x2, line.y2].map(Number);
            append!(self.out, r#"<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"/>"#);
        }
        self.out.push_str("</g>");
    }

    fn triangles(&mut self, color: Token, boxes: &[Rect]) {
        let (fill, edge) = (Paint("fill", self.color(color)), Paint("stroke", self.color(Token::Panel)));
        append!(self.out, r#"<g{fill}{edge} stroke-width="2" paint-order="stroke">"#);
        for area in boxes {
            let (tip, foot) = (Point(area.x + area.width / 2.0, area.y), area.bottom());
            append!(self.out, r#"<path d="M{tip}L{}L{}Z"/>"#, Point(area.right(), foot), Point(area.x, foot));
        }
        self.out.push_str("</g>");
    }

    fn area(&mut self, fill: Fill, baseline: CssPx, points: &[(CssPx, CssPx)]) {
        let (Some(first), Some(last)) = (points.first(), points.last()) else { return };
        let attribute = self.fill_attribute(fill);
        append!(self.out, r#"<path{attribute} d="M{}"#, Point(first.0, baseline));
        for (x, y) in points {
            append!(self.out, "L{}", Point(*x, *y));
        }
        append!(self.out, r#"L{}Z"/>"#, Point(last.0, baseline));
    }

    fn text(&mut self, label: &Label) {
        if label.has_plate {
            let characters = self.theme.characters;
            let character = if label.size == TextSize::Small { characters.small } else { characters.normal };
            let plate = Area(label.plate(estimated_width(&label.text, character)));
            append!(self.out, "<rect{plate}{}/>", Paint("fill", self.color(Token::Panel).faded(PLATE_OPACITY)));
        }
        let ink = Paint("fill", self.color(label.ink));
        append!(self.out, r#"<text x="{}" y="{}"{ink}"#, Number(label.x), Number(label.y));
        append!(self.out, r#" font-size="{}""#, label.size.pixels());
        if label.strong {
            self.out.push_str(r#" font-weight="500""#);
        }
        append!(self.out, "{}>{}</text>", label.align.anchor(), Escaped(&label.text));
    }
}

impl Align {
    /// Returns the attribute of a text.
    pub(super) fn anchor(self) -> &'static str {
        match self {
            Self::Start => "",
            Self::Middle => r#" text-anchor="middle""#,
            Self::End => r#" text-anchor="end""#,
        }
    }
}
