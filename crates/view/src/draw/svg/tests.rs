//! Tests of SVG files.

use super::brush::{Brush, SvgBrush};
use super::heads::{Head, paint_heads};
use super::legend::Swatch;
use super::painter::SvgPainter;
use super::shapes::{PlainText, ShapeStyle, append_clipped, append_shape};
use super::sheet::{Picture, Sheet};
use super::theme::{Color, Theme};
use crate::draw::drawlist::{
    Align, CharacterWidths, DrawList, Label, Line, Painter, RecordingPainter, Stroke, TextSize,
};
use crate::draw::palette::{Fill, Token};
use crate::draw::units::Rect;

/// Names that would change the markup if they weren't escaped.
const HOSTILE: &[&str] = &[
    "</text><script>alert(1)</script>",
    "\" onload=\"alert(1)",
    "' onload='alert(1)",
    "List<Int32>.Add(T) && a < b",
    "]]><!--",
    "&amp;&#60;script&#62;",
    "\0\u{1}\u{1b}[31m\u{fffe}\r\nnext",
    "<image href=\"https://example.com/a.png\"/>",
    "\u{202e}gnp.exe",
];

fn theme() -> Theme {
    Theme::new(CharacterWidths::default(), |token| match token {
        Token::Veil => Color { red: 1, green: 2, blue: 3, alpha: 128 },
        _ => Color { red: 16, green: 32, blue: *token as u8, alpha: 255 },
    })
}

fn picture(draw: impl FnOnce(&mut SvgPainter<'_>)) -> Picture {
    let theme = theme();
    let mut sheet = Sheet::new(&theme, 400.0, "Title", &["Fact".to_owned()]);
    sheet.part(0.0, (400.0, 100.0), draw);
    sheet.end_row(100.0);
    sheet.finish()
}

/// Element of a checked file.
#[derive(Debug)]
struct Element {
    name: String,
    attributes: Vec<(String, String)>,
}

/// Checks that a file is well-formed, and returns its elements and its texts.
fn parse(svg: &str) -> (Vec<Element>, Vec<String>) {
    let (mut elements, mut texts, mut open) = (Vec::new(), Vec::new(), Vec::new());
    let mut rest = svg.trim_end();
    while let Some(tag) = rest.strip_prefix('<') {
        let (inside, after) = tag.split_once('>').expect("a tag ends");
        rest = after;
        if let Some(name) = inside.strip_prefix('/') {
            assert_eq!(open.pop().as_deref(), Some(name), "in {svg}");
        } else {
            let is_empty = inside.ends_with('/');
            let inside = inside.trim_end_matches('/');
            let (name, mut attributes) = inside.split_once(' ').unwrap_or((inside, ""));
            assert!(name.chars().all(char::is_alphabetic), "{name}");
            let mut found: Vec<(String, String)> = Vec::new();
            while !attributes.is_empty() {
                let (key, value) = attributes.split_once("=\"").expect("an attribute has a value");
                let (value, next) = value.split_once('"').expect("a value ends");
                assert!(!value.contains('<'), "{value}");
                assert!(found.iter().all(|(known, _)| known != key.trim()), "{key} twice");
                found.push((key.trim().to_owned(), plain(value)));
                attributes = next.trim_start();
            }
            elements.push(Element { name: name.to_owned(), attributes: found });
            if !is_empty {
                open.push(name.to_owned());
            }
        }
        let end = rest.find('<').unwrap_or(rest.len());
        let text = &rest[..end];
        assert!(!text.contains(['>', '"', '\'']), "{text}");
        if !text.is_empty() {
            texts.push(plain(text));
        }
        rest = &rest[end..];
    }
    assert!(rest.is_empty() && open.is_empty(), "{rest} {open:?}");
    assert!(!svg.contains(|one: char| one.is_control() && one != '\n'), "a control character");
    (elements, texts)
}

/// Replaces the entities of a text, which must be the five known ones.
fn plain(text: &str) -> String {
    let mut parts = text.split('&');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (entity, rest) = part.split_once(';').expect("an entity ends");
        plain.push(match entity {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            "#39" => '\'',
            other => panic!("unknown entity {other}"),
        });
        plain.push_str(rest);
    }
    plain
}

fn count(elements: &[Element], name: &str) -> usize {
    elements.iter().filter(|element| element.name == name).count()
}

#[test]
fn hostile_texts_are_texts_only() {
    let harmless = picture(|painter| painter.text(&Label::small(1.0, 2.0, "x", Token::Text)));
    let expected: Vec<String> = parse(&harmless.svg).0.into_iter().map(|element| element.name).collect();
    for hostile in HOSTILE {
        let theme = theme();
        let mut sheet = Sheet::new(&theme, 4_000.0, hostile, &[(*hostile).to_owned()]);
        sheet.part(0.0, (400.0, 100.0), |painter| painter.text(&Label::small(1.0, 2.0, *hostile, Token::Text)));
        sheet.notes(&[(*hostile).to_owned()]);
        let (elements, texts) = parse(&sheet.finish().svg);
        let mut names: Vec<String> = elements.iter().map(|element| element.name.clone()).collect();
        assert_eq!(names.split_off(names.len() - 2), ["text", "text"], "the heading of notes, and a note");
        assert_eq!(names, expected, "{hostile:?}");
        assert!(elements.iter().flat_map(|element| &element.attributes).all(|(key, _)| !key.starts_with("on")));
        let shown = hostile.replace(['\0', '\u{1}', '\u{1b}', '\u{fffe}'], "\u{fffd}").replace(['\r', '\n'], " ");
        assert_eq!(texts[..5], [shown.as_str(); 5], "names of the file, its texts and the label");
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert_eq!((texts[5].as_str(), words(&texts[6])), ("Notes", words(&shown)));
    }
}

#[test]
fn hostile_texts_of_brushes_heads_and_charts_are_escaped() {
    for hostile in HOSTILE {
        let mut out = String::new();
        SvgBrush::new(&mut out, 5.0, &|_| Color::default()).fill_label(hostile, 0.0, 0.0);
        let color = Color::default();
        let chart = PlainText { text: hostile, x: 0.0, y: 0.0, size: 10.0, weight: 400, color, align: Align::Start };
        chart.append(&mut out);
        append_shape(&mut out, "path", &[("d", (*hostile).to_owned())], &ShapeStyle::default());
        let (elements, _) = parse(&out);
        assert_eq!((elements.len(), count(&elements, "text"), count(&elements, "path")), (3, 2, 1), "{hostile:?}");
    }
    let head = |name: &str| Head {
        top: 0.0,
        height: 22.0,
        level: 2,
        is_heading: false,
        name: name.to_owned(),
        id: name.to_owned(),
        figures: name.to_owned(),
        has_note: true,
    };
    let heads: Vec<Head> = HOSTILE.iter().map(|name| head(name)).collect();
    parse(&picture(|painter| paint_heads(painter, &heads, 400.0, CharacterWidths::default())).svg);
}

#[test]
fn frames_of_a_brush_are_in_the_file() {
    let mut out = String::new();
    let brush = SvgBrush::new(&mut out, 5.0, &|_| Color { red: 255, green: 0, blue: 0, alpha: 255 });
    brush.set_fill_style_str("--cat-managed");
    brush.fill_rect(0.0, 0.0, 100.0, 19.0);
    brush.set_global_alpha(0.5);
    brush.set_stroke_style_str("--cat-wait");
    brush.hatch(Rect::new(100.0, 0.0, 12.0, 19.0), 6.0);
    brush.stroke_rect(0.5, 0.5, 99.0, 18.0);
    brush.set_text_align("right");
    brush.fill_label("12.3 ms · 4%", 95.0, 10.0);
    let (elements, texts) = parse(&out);
    let names: Vec<&str> = elements.iter().map(|element| element.name.as_str()).collect();
    assert_eq!(names, ["rect", "clipPath", "rect", "path", "rect", "text"]);
    assert_eq!(texts, ["12.3 ms · 4%"]);
    assert!(out.contains(r##"stroke="#ff0000" stroke-opacity="0.5""##) && out.contains(r#"text-anchor="end""#));
}

/// Draws one call of each kind.
fn draw_everything(painter: &mut impl Painter) {
    let boxes = [Rect::new(0.0, 0.0, 10.0, 5.5), Rect::new(12.0, 0.0, 1.0, 5.0)];
    for fill in [
        Fill::Solid(Token::Managed),
        Fill::Shade(Token::Gen1, 2),
        Fill::Waiting,
        Fill::Blocked,
        Fill::LockWait,
        Fill::Unknown,
        Fill::BackgroundGc,
        Fill::Lost,
        Fill::Solid(Token::Veil),
    ] {
        painter.rects(fill, &boxes);
    }
    painter.outlines(Token::Accent, 2.0, &boxes);
    let lines = [Line::vertical(4.0, 0.0, 20.0), Line::vertical(8.0, 0.0, 20.0), Line::vertical(9.0, 0.0, 20.0)];
    painter.lines(Token::Line, Stroke::Continuous, &lines);
    painter.lines(Token::Line, Stroke::Dashed, &lines[..1]);
    painter.triangles(Token::Exception, &boxes);
    painter.area(Fill::Shade(Token::Io, 1), 20.0, &[(0.0, 3.0), (5.0, f64::NAN), (9.0, 7.126)]);
    let text = Label::small(3.0, 9.0, "Main", Token::Text);
    painter.text(&text);
    painter.text(&Label { size: TextSize::Normal, strong: true, align: Align::Middle, has_plate: true, ..text });
}

#[test]
fn every_shape_of_a_draw_list_is_in_the_file() {
    let before = parse(&picture(|_| {}).svg).0;
    let (elements, _) = parse(&picture(|painter| draw_everything(painter)).svg);
    let added = |name: &str| count(&elements, name) - count(&before, name);
    // The patterns of five fills have a ground.
    assert_eq!(added("rect"), 9 * 2 + 2 + 5 + 1, "boxes, outlines, and the plate of a text");
    assert_eq!((added("pattern"), added("line"), added("text")), (6, 4, 2));
    assert_eq!(added("path"), 2 + 1 + 5, "triangles, area, patterns of lines");
    assert_eq!(added("circle"), 2, "dots of a tile");
    let mut recorded = RecordingPainter::default();
    draw_everything(&mut recorded);
    let rects = recorded.calls.iter().filter(|call| call.contains("0,0 10x5.5")).count();
    assert_eq!(rects, 9 + 1 + 1, "the same calls reach both painters");
}

#[test]
fn file_is_self_contained() {
    let svg = picture(|painter| {
        draw_everything(painter);
        for x in [0.0, 10.0] {
            append_clipped(painter.markup(), Rect::new(x, 0.0, 9.0, 5.0), |out| {
                append_shape(out, "path", &[("d", "M0 0H90".to_owned())], &ShapeStyle::default());
            });
        }
    })
    .svg;
    let (elements, _) = parse(&svg);
    let ids: Vec<&String> =
        elements.iter().flat_map(|one| &one.attributes).filter(|one| one.0 == "id").map(|one| &one.1).collect();
    assert!(ids.iter().enumerate().all(|(at, id)| !ids[..at].contains(id)), "an ID twice: {ids:?}");
    for (key, value) in elements.iter().flat_map(|element| &element.attributes) {
        assert!(!key.contains("href") && key != "style" && key != "class", "{key}");
        assert!(key == "xmlns" || !value.contains("//"), "{value}");
        if let Some(id) = value.strip_prefix("url(#") {
            assert!(ids.iter().any(|known| **known == id.trim_end_matches(')')), "{value}");
        }
    }
    assert!(svg.contains(r##"fill="#010203" fill-opacity="0.5""##), "a transparent color");
    assert!(!svg.contains("NaN"));
}

#[test]
fn tracks_of_a_draw_list_keep_their_shapes() {
    let mut list = DrawList::default();
    list.boxes.push(Fill::Solid(Token::Managed), Rect::new(0.0, 4.0, 100.0, 14.0));
    list.boxes.push(Fill::Solid(Token::Io), Rect::new(120.0, 4.0, 30.0, 14.0));
    list.details.push_apart(Fill::Lost, Rect::new(3.0, 4.0, 1.0, 14.0));
    list.triangles.push((Token::Exception, Rect::new(8.0, 2.0, 8.0, 7.0)));
    list.labels.push(Label::small(4.0, 14.0, "Program.<Main>$", Token::ManagedOn));
    let (elements, texts) = parse(
        &picture(|painter| {
            list.paint_shapes(painter);
            list.paint_labels(painter);
            list.paint_outlines(painter);
        })
        .svg,
    );
    let before = parse(&picture(|_| {}).svg).0;
    assert_eq!(count(&elements, "rect") - count(&before, "rect"), 3 + 1);
    assert_eq!(texts.last().map(String::as_str), Some("Program.<Main>$"));
}

#[test]
fn sheet_has_title_facts_and_legend_within_its_size() {
    let theme = theme();
    let mut sheet = Sheet::new(&theme, 200.0, "a.nettrace", &["0–8.41 s".to_owned()]);
    let top = sheet.bottom();
    sheet.part(0.0, (200.0, 50.0), |_| {});
    sheet.end_row(50.0);
    sheet.frame(top);
    let entries = ["managed", "exc", "event", "wait", "external-soft", "nothing known"];
    let entries: Vec<_> = entries.iter().map(|class| (Swatch::of_class(class), (*class).to_owned())).collect();
    sheet.legend(&entries);
    sheet.notes(&["1.000 s: the pool has too few workers".to_owned(), "word ".repeat(20)]);
    let height = sheet.bottom();
    let picture = sheet.finish();
    assert_eq!((picture.width, picture.height), (232.0, height + 16.0));
    let (elements, texts) = parse(&picture.svg);
    assert_eq!(texts[2..4], ["a.nettrace", "0–8.41 s"]);
    assert_eq!(texts.len(), 2 + 2 + entries.len() + 5, "and the notes");
    assert_eq!(texts[texts.len() - 5..texts.len() - 3], ["Notes", "1.000 s: the pool has too few workers"]);
    let of = |name: &str| elements[0].attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    assert_eq!((of("width"), of("font-family")), (Some("232"), Some("system-ui, sans-serif")));
    assert!(
        elements
            .iter()
            .all(|one| one.attributes.iter().all(|(key, value)| key != "transform" || value.starts_with("translate(")))
    );
}

#[test]
fn swatches_have_the_colors_of_their_class() {
    assert_eq!(Swatch::of_class("jit"), Swatch::Fill(Fill::Solid(Token::Jit)));
    assert_eq!(Swatch::of_class("gc2"), Swatch::Fill(Fill::Solid(Token::Gen2)));
    assert_eq!(Swatch::of_class("blocked"), Swatch::Fill(Fill::Blocked));
    assert_eq!(Swatch::of_class("lock"), Swatch::Fill(Fill::LockWait));
    assert_eq!(Swatch::of_class("unknown"), Swatch::Fill(Fill::Unknown));
    assert_eq!(Swatch::of_class("new"), Swatch::Fill(Fill::Solid(Token::Neutral)));
}

#[test]
fn bitmaps_stay_within_the_limits_of_browsers() {
    let of = |width: f64, height: f64| Picture { svg: String::new(), width, height }.scale();
    assert_eq!(of(1440.0, 900.0), 2.0);
    assert!((of(4000.0, 4000.0) - 1.0).abs() < 0.01);
    assert!(20_000.0 * of(20_000.0, 10.0) <= 16_000.0);
}
