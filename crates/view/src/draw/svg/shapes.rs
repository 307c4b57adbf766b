//! Shapes and texts with their own style, for charts, which the page draws as SVG with a style sheet.

use super::markup::{Area, Escaped, Number, Paint, append};
use super::theme::Color;
use crate::draw::drawlist::Align;
use crate::draw::units::{CssPx, Rect};

#[derive(Clone, PartialEq, Debug, Default)]
pub struct ShapeStyle {
    /// Color of the area; transparent for lines.
    pub fill: Color,
    /// Color of the outline; transparent for areas.
    pub stroke: Color,
    pub width: CssPx,
    /// Lengths of dashes and gaps; empty for continuous lines.
    pub dashes: Vec<CssPx>,
}

/// Appends an element with the attributes of its geometry: names and values.
pub fn append_shape(out: &mut String, name: &str, geometry: &[(&str, String)], style: &ShapeStyle) {
    append!(out, "<{name}");
    for (name, value) in geometry {
        append!(out, r#" {name}="{}""#, Escaped(value));
    }
    match style.fill.alpha {
        0 => out.push_str(r#" fill="none""#),
        _ => append!(out, "{}", Paint("fill", style.fill)),
    }
    if style.stroke.alpha > 0 {
        append!(out, r#"{} stroke-width="{}""#, Paint("stroke", style.stroke), Number(style.width));
    }
    if !style.dashes.is_empty() {
        let lengths: Vec<String> = style.dashes.iter().map(|length| Number(*length).to_string()).collect();
        append!(out, r#" stroke-dasharray="{}""#, lengths.join(" "));
    }
    out.push_str("/>");
}

/// Appends shapes that are clipped at the edges of a box.
pub fn append_clipped(out: &mut String, area: Rect, draw: impl FnOnce(&mut String)) {
    // The length grows, so IDs differ.
    let id = out.len();
    append!(out, r#"<clipPath id="clip-{id}"><rect{}/></clipPath><g clip-path="url(#clip-{id})">"#, Area(area));
    draw(out);
    out.push_str("</g>");
}

/// Text with its own style.
#[derive(Clone, PartialEq, Debug)]
pub struct PlainText<'a> {
    pub text: &'a str,
    /// Horizontal position.
    pub x: CssPx,
    /// Baseline.
    pub y: CssPx,
    /// Font size.
    pub size: CssPx,
    /// Font weight.
    pub weight: u16,
    pub color: Color,
    /// Part of the text that is placed at `x`.
    pub align: Align,
}

impl PlainText<'_> {
    /// Appends the text.
    pub fn append(&self, out: &mut String) {
        let [x, y, size] = [self.x, self.y, self.size].map(Number);
        append!(out, r#"<text x="{x}" y="{y}" font-size="{size}" font-weight="{}""#, self.weight);
        append!(out, "{}{}>{}</text>", Paint("fill", self.color), self.align.anchor(), Escaped(self.text));
    }
}
