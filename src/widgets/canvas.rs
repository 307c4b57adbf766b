//! Canvases: device pixels, colors of the style sheet, and painting of draw lists.

use crate::app::shell::Shell;
use crate::widgets::resize::device_pixel_ratio;
use gloo::events::EventListener;
use js_sys::JsString;
use leptos::prelude::*;
use view::draw::drawlist::{Align, CharacterWidths, Label, Line, PLATE_OPACITY, Painter, Stroke, TextSize};
use view::draw::hairlines::lines_of;
use view::draw::palette::{Fill, Mark, Pattern, Token, outline};
use view::draw::units::{CssPx, Rect};
use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{CanvasPattern, CanvasRenderingContext2d, CssStyleDeclaration, HtmlCanvasElement, HtmlElement};

/// Fallback for a color that is missing in the style sheet, visible on any background.
const MISSING_COLOR: &str = "#808080";
/// Characters for measuring the average width.
const MEASURED: &str = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.<>0123456789";

/// Maximum number of boxes for which a search for hairlines isn't worthwhile.
const FEW_BOXES: usize = 8;
/// Number of boxes with a pattern that are filled together.
const BOXES_AT_ONCE: usize = 64;

#[wasm_bindgen]
extern "C" {
    /// Context whose colors are JavaScript strings: Rust strings would be converted in every call.
    #[wasm_bindgen(extends = CanvasRenderingContext2d)]
    type Brush;

    #[wasm_bindgen(method, setter, js_name = fillStyle)]
    fn set_fill(this: &Brush, color: &JsString);
    #[wasm_bindgen(method, setter, js_name = strokeStyle)]
    fn set_stroke(this: &Brush, color: &JsString);
}

/// Colors of the current theme, from the custom properties of the page.
pub struct Colors(Option<CssStyleDeclaration>);

impl Colors {
    /// Reads the current colors. Must be called again after a change of theme.
    pub fn read() -> Self {
        let root = document().document_element();
        Self(root.and_then(|root| window().get_computed_style(&root).ok().flatten()))
    }

    /// Returns the value of a custom property, or a gray that is visible on any background.
    pub fn get(&self, property: &str) -> String {
        let value = self.0.as_ref().and_then(|style| style.get_property_value(property).ok());
        value
            .map(|value| value.trim().to_owned())
            .filter(|value| !value.is_empty())
            .unwrap_or_else(|| MISSING_COLOR.to_owned())
    }
}

/// Returns a counter that is raised when the theme of the page or the system changes, so that pictures must be redrawn.
pub fn colors_changed(shell: Shell) -> RwSignal<u32> {
    let changed = RwSignal::new(0);
    let raise = move || changed.update(|times| *times += 1);
    Effect::new(move |_| {
        shell.theme.track();
        raise();
    });
    let queries = ["(prefers-color-scheme: dark)", "(prefers-contrast: more)", "(forced-colors: active)"];
    let media = queries.into_iter().filter_map(|query| window().match_media(query).ok().flatten());
    let listeners: Vec<EventListener> =
        media.map(|media| EventListener::new(&media, "change", move |_| raise())).collect();
    let kept = StoredValue::new_local(listeners);
    on_cleanup(move || kept.dispose());
    changed
}

/// Sizes a canvas in CSS pixels at full resolution, clears it, and returns a context in CSS pixels.
pub fn prepare(canvas: &HtmlCanvasElement, width: CssPx, height: CssPx) -> Option<CanvasRenderingContext2d> {
    let ratio = device_pixel_ratio();
    let (device_width, device_height) = ((width * ratio).round() as u32, (height * ratio).round() as u32);
    if canvas.width() != device_width || canvas.height() != device_height {
        canvas.set_width(device_width);
        canvas.set_height(device_height);
    }
    let context = canvas.get_context("2d").ok()??.dyn_into::<CanvasRenderingContext2d>().ok()?;
    context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0).ok()?;
    context.clear_rect(0.0, 0.0, width, height);
    Some(context)
}

/// Sets the height of a canvas element, regardless of its content.
pub fn set_height(canvas: &HtmlCanvasElement, height: CssPx) {
    // Setting a valid property of an own element can't fail.
    let _ = HtmlElement::style(canvas).set_property("height", &format!("{height}px"));
}

/// Colors, fonts and hatches of the current theme at a device pixel ratio.
pub struct Palette {
    colors: Vec<JsString>,
    missing: JsString,
    font: String,
    ratio: f64,
    patterns: Vec<(Fill, CanvasPattern)>,
    characters: CharacterWidths,
}

impl Palette {
    /// Reads the current values. Must be called again after a change of theme or pixel ratio.
    pub fn read() -> Self {
        let style = Colors::read();
        let colors = Token::ALL.iter().map(|token| style.get(token.property()).into()).collect();
        let mut palette = Self {
            colors,
            missing: MISSING_COLOR.into(),
            font: style.get("--font-ui"),
            ratio: device_pixel_ratio(),
            patterns: Vec::new(),
            characters: CharacterWidths::default(),
        };
        let patterns = Fill::PATTERNS.into_iter().filter_map(|fill| Some((fill, palette.pattern(fill)?)));
        palette.patterns = patterns.collect();
        palette.characters = palette.measure().unwrap_or_default();
        palette
    }

    /// Returns the device pixels per CSS pixel.
    pub fn ratio(&self) -> f64 {
        self.ratio
    }

    /// Returns the average widths of characters.
    pub fn characters(&self) -> CharacterWidths {
        self.characters
    }

    fn color(&self, token: Token) -> &JsString {
        self.colors.get(token as usize).unwrap_or(&self.missing)
    }

    fn font(&self, size: TextSize, strong: bool) -> String {
        let weight = if strong { 500 } else { 400 };
        format!("{weight} {}px {}", size.pixels(), self.font)
    }

    fn measure(&self) -> Option<CharacterWidths> {
        let (_, context) = new_canvas(1)?;
        let average = |size| {
            context.set_font(&self.font(size, false));
            Some(context.measure_text(MEASURED).ok()?.width() / MEASURED.chars().count() as f64)
        };
        Some(CharacterWidths { small: average(TextSize::Small)?, normal: average(TextSize::Normal)? })
    }

    /// Returns the pattern of a fill, drawn at full resolution.
    fn pattern(&self, fill: Fill) -> Option<CanvasPattern> {
        let pattern = fill.pattern()?;
        let side = (pattern.side() * self.ratio).round().max(2.0);
        let (canvas, context) = new_canvas(side as u32)?;
        if let Some(ground) = pattern.ground {
            context.set_fill(self.color(ground));
            context.fill_rect(0.0, 0.0, side, side);
        }
        match pattern.mark {
            Mark::Line(width) => {
                context.set_stroke(self.color(pattern.color));
                context.set_line_width((width * self.ratio).max(1.0));
                context.begin_path();
                for offset in [-1.0, 0.0, 1.0] {
                    context.move_to(offset * side - 1.0, side + 1.0);
                    context.line_to(offset * side + side + 1.0, -1.0);
                }
                context.stroke();
            }
            Mark::Dots(radius) => {
                context.set_fill(self.color(pattern.color));
                for center in Pattern::centers(side) {
                    context.begin_path();
                    context.arc(center, center, radius * self.ratio, 0.0, std::f64::consts::TAU).ok()?;
                    context.fill();
                }
            }
        }
        context.create_pattern_with_html_canvas_element(&canvas, "repeat").ok().flatten()
    }
}

fn new_canvas(side: u32) -> Option<(HtmlCanvasElement, Brush)> {
    let canvas = document().create_element("canvas").ok()?.dyn_into::<HtmlCanvasElement>().ok()?;
    canvas.set_width(side);
    canvas.set_height(side);
    let context = canvas.get_context("2d").ok()??.dyn_into::<CanvasRenderingContext2d>().ok()?;
    Some((canvas, context.unchecked_into()))
}

pub struct CanvasPainter<'a> {
    context: Brush,
    palette: &'a Palette,
    font: Option<(TextSize, bool)>,
}

impl<'a> CanvasPainter<'a> {
    /// Sizes `canvas` in CSS pixels at full resolution, clears it, and returns a painter.
    pub fn new(canvas: &HtmlCanvasElement, width: CssPx, height: CssPx, palette: &'a Palette) -> Option<Self> {
        let context = prepare(canvas, width, height)?.unchecked_into();
        Some(Self { context, palette, font: None })
    }

    fn in_device_pixels(&self, paint: impl FnOnce(&Brush)) {
        self.context.save();
        if self.context.set_transform(1.0, 0.0, 0.0, 1.0, 0.0, 0.0).is_ok() {
            paint(&self.context);
        }
        self.context.restore();
    }

    /// Fills boxes with the current color, which is `color`.
    fn fill_plain(&self, color: Token, rects: &[Rect]) {
        if self.palette.ratio != 1.0 || rects.len() < FEW_BOXES {
            rects.iter().for_each(|rect| self.fill_box(*rect));
            return;
        }
        self.context.set_stroke(self.palette.color(color));
        self.context.set_line_width(1.0);
        self.context.begin_path();
        for rect in rects {
            match lines_of(*rect) {
                Some(lines) => self.add_lines(lines),
                None => self.fill_box(*rect),
            }
        }
        self.context.stroke();
    }

    fn fill_box(&self, area: Rect) {
        self.context.fill_rect(area.x, area.y, area.width, area.height);
    }

    fn add_lines(&self, lines: impl Iterator<Item = Line>) {
        for line in lines {
            self.context.move_to(line.x1, line.y1);
            self.context.line_to(line.x2, line.y2);
        }
    }

    /// Fills an upward triangle in a box, enlarged by a number of pixels on every side.
    fn fill_triangle(&self, area: Rect, grown: CssPx) {
        let (half, tip) = (area.width / 2.0, grown * (1.0 + (2.0 * area.height / area.width).powi(2)).sqrt());
        let (middle, foot) = (area.x + half, area.bottom() + grown);
        let reach = half * (area.height + tip + grown) / area.height;
        self.context.begin_path();
        self.context.move_to(middle, area.y - tip);
        self.context.line_to(middle + reach, foot);
        self.context.line_to(middle - reach, foot);
        self.context.fill();
    }

    /// Fills boxes with a pattern, in device pixels, because patterns are tiles of device pixels.
    fn fill_pattern(&self, fill: Fill, rects: &[Rect]) {
        let Some((_, pattern)) = self.palette.patterns.iter().find(|(of, _)| *of == fill) else { return };
        let ratio = self.palette.ratio;
        self.in_device_pixels(|context| {
            context.set_fill_style_canvas_pattern(pattern);
            // A path of all boxes would be slow if many are adjacent; a fill per box would prepare the pattern each
            // time.
            for some in rects.chunks(BOXES_AT_ONCE) {
                context.begin_path();
                for rect in some {
                    context.rect(rect.x * ratio, rect.y * ratio, rect.width * ratio, rect.height * ratio);
                }
                context.fill();
            }
        });
    }

    fn with_fill(&self, fill: Fill, paint: impl FnOnce(&Brush)) {
        let Some((token, opacity)) = fill.plain() else { return paint(&self.context) };
        self.context.set_fill(self.palette.color(token));
        if opacity < 1.0 {
            self.context.set_global_alpha(opacity);
        }
        paint(&self.context);
        if opacity < 1.0 {
            self.context.set_global_alpha(1.0);
        }
    }
}

impl Painter for CanvasPainter<'_> {
    fn rects(&mut self, fill: Fill, rects: &[Rect]) {
        match fill {
            Fill::Solid(color) | Fill::Shade(color, _) | Fill::Share(color, _) => {
                self.with_fill(fill, |_| self.fill_plain(color, rects));
            }
            _ => self.fill_pattern(fill, rects),
        }
        if let Some(strong) = outline(fill, |pale| self.palette.color(pale) == self.palette.color(Token::Panel)) {
            // Narrower boxes would consist of the outline only.
            let wide: Vec<Rect> = rects.iter().filter(|area| area.width >= 3.0).copied().collect();
            self.outlines(strong, 1.0, &wide);
        }
    }

    fn outlines(&mut self, color: Token, line_width: CssPx, rects: &[Rect]) {
        self.context.set_stroke(self.palette.color(color));
        self.context.set_line_width(line_width);
        for rect in rects {
            let (width, height) = ((rect.width - line_width).max(0.5), (rect.height - line_width).max(0.5));
            self.context.stroke_rect(rect.x + line_width / 2.0, rect.y + line_width / 2.0, width, height);
        }
    }

    fn lines(&mut self, color: Token, stroke: Stroke, lines: &[Line]) {
        self.context.set_stroke(self.palette.color(color));
        self.context.set_line_width(1.0);
        if stroke == Stroke::Dashed {
            self.set_dashes(&[3.0, 2.0]);
        }
        self.context.begin_path();
        self.add_lines(lines.iter().copied());
        self.context.stroke();
        if stroke == Stroke::Dashed {
            self.set_dashes(&[]);
        }
    }

    fn triangles(&mut self, color: Token, boxes: &[Rect]) {
        // Larger triangles below make the outline, several times as fast as a stroke.
        for (color, grown) in [(Token::Panel, 1.0), (color, 0.0)] {
            self.context.set_fill(self.palette.color(color));
            boxes.iter().for_each(|area| self.fill_triangle(*area, grown));
        }
    }

    fn area(&mut self, fill: Fill, baseline: CssPx, points: &[(CssPx, CssPx)]) {
        let (Some(first), Some(last)) = (points.first(), points.last()) else { return };
        self.context.begin_path();
        self.context.move_to(first.0, baseline);
        for (x, y) in points {
            self.context.line_to(*x, *y);
        }
        self.context.line_to(last.0, baseline);
        self.context.close_path();
        self.with_fill(fill, |context| context.fill());
    }

    fn text(&mut self, label: &Label) {
        if self.font != Some((label.size, label.strong)) {
            self.font = Some((label.size, label.strong));
            self.context.set_font(&self.palette.font(label.size, label.strong));
        }
        self.context.set_text_align(match label.align {
            Align::Start => "left",
            Align::Middle => "center",
            Align::End => "right",
        });
        // If drawing the text fails, the tooltip still contains it.
        if label.has_plate {
            self.plate(label);
        }
        self.context.set_fill(self.palette.color(label.ink));
        let _ = self.context.fill_text(&label.text, label.x, label.y);
    }
}

impl CanvasPainter<'_> {
    /// Fills the background of a label, so that shapes behind it don't cross its letters.
    fn plate(&mut self, label: &Label) {
        // A label that can't be measured has no background.
        let Ok(measured) = self.context.measure_text(&label.text) else { return };
        let Rect { x, y, width, height } = label.plate(measured.width());
        self.context.set_fill(self.palette.color(Token::Panel));
        self.context.set_global_alpha(PLATE_OPACITY);
        self.context.fill_rect(x, y, width, height);
        self.context.set_global_alpha(1.0);
    }

    fn set_dashes(&self, lengths: &[f64]) {
        let list: js_sys::Array = lengths.iter().map(|length| JsValue::from_f64(*length)).collect();
        // If dashes aren't supported, lines are continuous.
        let _ = self.context.set_line_dash(&list);
    }
}
