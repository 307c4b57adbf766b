//! Headers of tracks beside the picture of a timeline.

use super::painter::SvgPainter;
use crate::draw::drawlist::{Align, CharacterWidths, Label, Painter, TextSize};
use crate::draw::palette::{Fill, Token};
use crate::draw::text_fit::fit;
use crate::draw::units::{CssPx, Rect};

/// Indentation per level.
const INDENT: CssPx = 12.0;
const PADDING: CssPx = 8.0;
/// Distance of a baseline from the middle of the text.
const TO_BASELINE: CssPx = 4.0;
/// Maximum height of a header whose name is in its middle.
const LOW: CssPx = 40.0;
/// Height of the first line of a taller header.
const FIRST_LINE: CssPx = 22.0;

/// Header of a track.
#[derive(Clone, PartialEq, Debug)]
pub struct Head {
    /// Top in the picture.
    pub top: CssPx,
    pub height: CssPx,
    /// Level in the tree, from 1.
    pub level: u8,
    /// True for the header of a group.
    pub is_heading: bool,
    pub name: String,
    /// ID that distinguishes tracks of the same name; may be empty.
    pub id: String,
    /// Figures; may be empty.
    pub figures: String,
    /// True if there is a note about the track.
    pub has_note: bool,
}

/// Draws headers in a column.
pub fn paint_heads(painter: &mut SvgPainter<'_>, heads: &[Head], width: CssPx, characters: CharacterWidths) {
    for head in heads {
        paint_head(painter, head, width, characters);
    }
}

fn paint_head(painter: &mut SvgPainter<'_>, head: &Head, width: CssPx, characters: CharacterWidths) {
    let ground = if head.is_heading { Token::App } else { Token::Panel };
    painter.rects(Fill::Solid(ground), &[Rect::new(0.0, head.top, width, head.height)]);
    let lines =
        [Rect::new(0.0, head.top + head.height - 1.0, width, 1.0), Rect::new(width - 1.0, head.top, 1.0, head.height)];
    painter.rects(Fill::Solid(Token::Line), &lines);
    let middle = if head.height < LOW { head.height / 2.0 } else { FIRST_LINE / 2.0 };
    let y = head.top + middle + TO_BASELINE;
    let x = PADDING + INDENT * CssPx::from(head.level.saturating_sub(1));
    let (character, right) = (characters.normal, width - PADDING);
    let long = |text: &str| text.chars().count() as CssPx * character;
    let (id, room) = (long(&head.id), right - x);
    let name = fit(&head.name, room - if head.id.is_empty() { 0.0 } else { id + character }, character);
    let end = x + long(&name) + character;
    let text = |x: CssPx, text: &str, ink, strong, align| Label {
        size: TextSize::Normal,
        strong,
        align,
        ..Label::small(x, y, text, ink)
    };
    painter.text(&text(x, &name, Token::Text, head.is_heading, Align::Start));
    if !head.id.is_empty() {
        painter.text(&text(end, &head.id, Token::Text3, false, Align::Start));
    }
    if head.has_note {
        let flag = [Rect::new(2.0, y - 9.0, 1.0, 11.0), Rect::new(2.0, y - 9.0, 6.0, 6.0)];
        painter.rects(Fill::Solid(Token::NeutralStrong), &flag);
    }
    // Half of a figure would be another one.
    let taken = end + if head.id.is_empty() { 0.0 } else { id + character };
    let mut figures = head.figures.as_str();
    while !figures.is_empty() && taken + long(figures) > right {
        figures = figures.rsplit_once(" · ").map_or("", |(first, _)| first);
    }
    if !figures.is_empty() {
        painter.text(&text(right, figures, Token::Text3, false, Align::End));
    }
}
