//! Picture of a report's charts. They are SVG on the page, with colors of the style sheet.

use super::{Colors, range_of, sheet};
use crate::app::state::App;
use crate::widgets::canvas::Palette;
use leptos::prelude::*;
use protocol::topics::topic::Topic;
use view::draw::drawlist::Align;
use view::draw::svg::shapes::{PlainText, ShapeStyle, append_clipped, append_shape};
use view::draw::svg::sheet::Picture;
use view::draw::units::{CssPx, Rect};
use wasm_bindgen::JsCast;
use web_sys::{CssStyleDeclaration, Element};

/// Geometry attributes of shapes and nested `<svg>` elements.
const GEOMETRY: [&str; 12] = ["d", "x", "y", "width", "height", "x1", "y1", "x2", "y2", "cx", "cy", "r"];

/// Draws the charts of the open report; `None` if there are none on the page.
pub fn draw(app: App, topic: Topic) -> Option<Picture> {
    let figures = all(&document().document_element()?, &format!(".topic.of-{} .chart", topic.slug()));
    let plots: Vec<(Element, Element)> = figures
        .into_iter()
        .filter_map(|figure| figure.query_selector("svg[role=img]").ok().flatten().map(|plot| (figure, plot)))
        .collect();
    let width = plots.iter().map(|(_, plot)| plot.get_bounding_client_rect().width()).reduce(f64::max)?;
    let colors = Colors::new();
    let theme = colors.theme(Palette::read().characters());
    let mut sheet = sheet(app, &theme, width, topic.title(), range_of(app), &[]);
    for (figure, plot) in plots {
        let title = figure.query_selector("h3").ok().flatten().and_then(|title| title.text_content());
        sheet.heading(&title.unwrap_or_default());
        let keys = all(&figure, ".legend > span");
        if !keys.is_empty() {
            let left = figure.get_bounding_client_rect().left();
            let first = keys.first().map_or(left, |key| key.get_bounding_client_rect().left());
            sheet.part(0.0, (width, 18.0), |painter| {
                for key in &keys {
                    let x = key.get_bounding_client_rect().left() - first;
                    append_key(painter.markup(), &colors, key, x);
                }
            });
            sheet.end_row(18.0);
        }
        let area = plot.get_bounding_client_rect();
        sheet.part(0.0, (area.width(), area.height()), |painter| append_children(painter.markup(), &colors, &plot));
        sheet.end_row(area.height());
        sheet.space();
    }
    Some(sheet.finish())
}

fn all(within: &Element, selector: &str) -> Vec<Element> {
    let found = within.query_selector_all(selector);
    let found = found.map(|found| (0..found.length()).filter_map(move |at| found.item(at)));
    found.into_iter().flatten().filter_map(|node| node.dyn_into().ok()).collect()
}

/// Appends an entry of a legend: the swatch of its series, and its name.
fn append_key(out: &mut String, colors: &Colors, key: &Element, x: CssPx) {
    out.push_str(&format!(r#"<g transform="translate({x:.1} 4)">"#));
    if let Ok(Some(swatch)) = key.query_selector("svg") {
        append_children(out, colors, &swatch);
    }
    let text = key.text_content().unwrap_or_default();
    let color = style_of(key).map_or_else(Default::default, |style| colors.resolve(&value(&style, "color")));
    let (x, y, size, weight) = (24.0, 9.0, 11.0, 400);
    PlainText { text: text.trim(), x, y, size, weight, color, align: Align::Start }.append(out);
    out.push_str("</g>");
}

fn style_of(element: &Element) -> Option<CssStyleDeclaration> {
    window().get_computed_style(element).ok().flatten()
}

fn value(style: &CssStyleDeclaration, property: &str) -> String {
    style.get_property_value(property).unwrap_or_default()
}

fn number(style: &CssStyleDeclaration, property: &str) -> f64 {
    value(style, property).trim_end_matches("px").parse().unwrap_or(0.0)
}

/// Returns a number of the geometry; 0 if it is missing.
fn at(geometry: &[(&str, String)], name: &str) -> CssPx {
    geometry.iter().find(|(known, _)| *known == name).and_then(|(_, at)| at.parse().ok()).unwrap_or(0.0)
}

fn append_children(out: &mut String, colors: &Colors, parent: &Element) {
    let children = parent.children();
    for child in (0..children.length()).filter_map(|at| children.item(at)) {
        append_element(out, colors, &child);
    }
}

fn append_element(out: &mut String, colors: &Colors, element: &Element) {
    let Some(style) = style_of(element).filter(|style| value(style, "display") != "none") else { return };
    let opacity = number(&style, "opacity");
    let color = |paint: &str| {
        let of_paint = number(&style, &format!("{paint}-opacity"));
        match value(&style, paint).as_str() {
            "none" => Default::default(),
            color => colors.resolve(color).faded(opacity * of_paint),
        }
    };
    let geometry = GEOMETRY.into_iter().filter_map(|name| Some((name, element.get_attribute(name)?)));
    let geometry: Vec<(&str, String)> = geometry.collect();
    match element.tag_name().as_str() {
        name @ ("path" | "rect" | "line" | "circle") => {
            let lengths = value(&style, "stroke-dasharray");
            let lengths = lengths.split([',', ' ']).filter_map(|length| length.trim_end_matches("px").parse().ok());
            let style = ShapeStyle {
                fill: color("fill"),
                stroke: color("stroke"),
                width: number(&style, "stroke-width"),
                dashes: lengths.collect(),
            };
            append_shape(out, name, &geometry, &style);
        }
        "text" => {
            let align = match value(&style, "text-anchor").as_str() {
                "middle" => Align::Middle,
                "end" => Align::End,
                _ => Align::Start,
            };
            let text = element.text_content().unwrap_or_default();
            let (x, y) = (at(&geometry, "x"), at(&geometry, "y"));
            let (size, weight) = (number(&style, "font-size"), number(&style, "font-weight") as u16);
            PlainText { text: &text, x, y, size, weight, color: color("fill"), align }.append(out);
        }
        // On the page, a nested SVG clips its shapes.
        "svg" => {
            let [x, y, width, height] = ["x", "y", "width", "height"].map(|name| at(&geometry, name));
            append_clipped(out, Rect::new(x, y, width, height), |out| append_children(out, colors, element));
        }
        _ => append_children(out, colors, element),
    }
}
