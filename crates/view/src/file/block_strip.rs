//! The file as a strip of blocks by position and kind, with problems and the selection.

use super::byte_scale::ByteScale;
use crate::draw::drawlist::{CharacterWidths, DrawList, Label};
use crate::draw::palette::{Fill, Token};
use crate::draw::text_fit::MIN_LABEL_WIDTH;
use crate::draw::units::{CssPx, Rect, whole_pixels};
use protocol::tables::{SectionRuns, section_kind};
use std::ops::Range;

/// Height of the mark of a problem.
const MARK: CssPx = 4.0;
/// Minimum width of boxes with a gap to the next one.
const LEAST_APART: CssPx = 4.0;
/// Distance of a label from the edge of its box.
const PADDING: CssPx = 5.0;

/// Returns the fill of a block kind.
pub fn kind_fill(kind: u8) -> Fill {
    match kind {
        section_kind::EVENTS => Fill::Solid(Token::NeutralSoft),
        section_kind::STACKS => Fill::Solid(Token::Neutral),
        section_kind::SEQUENCE_POINT | section_kind::END_OF_STREAM => Fill::Solid(Token::Text),
        section_kind::DAMAGE => Fill::Lost,
        section_kind::UNKNOWN | section_kind::BEHIND_END | section_kind::UNREAD => Fill::Unknown,
        _ => Fill::Solid(Token::NeutralStrong),
    }
}

/// Returns the class of a swatch of a block kind.
pub fn kind_class(kind: u8) -> &'static str {
    match kind {
        section_kind::EVENTS => "k-events",
        section_kind::STACKS => "k-stacks",
        section_kind::SEQUENCE_POINT | section_kind::END_OF_STREAM => "k-point",
        section_kind::DAMAGE => "k-damage",
        section_kind::UNKNOWN | section_kind::BEHIND_END | section_kind::UNREAD => "k-unknown",
        _ => "k-meta",
    }
}

/// Overlays of the strip.
#[derive(Clone, Debug, Default)]
pub struct StripMarks {
    pub selected: Option<Range<u64>>,
    /// Part that the strip below shows.
    pub window: Option<(f64, f64)>,
    /// True if boxes have labels.
    pub is_close: bool,
}

/// Draws a part of the file.
pub fn paint_strip(
    list: &mut DrawList,
    runs: &SectionRuns,
    scale: &ByteScale,
    height: CssPx,
    marks: &StripMarks,
    characters: CharacterWidths,
) {
    for row in 0..runs.offset.len() {
        let Some((x, width)) = place(runs, row, scale) else { continue };
        let gap = if width >= LEAST_APART { 1.0 } else { 0.0 };
        let area = Rect::new(x, 0.0, width - gap, height);
        list.boxes.push_apart(kind_fill(runs.kind[row]), area);
        // A sequence point among larger blocks gets a separate line, because it ends stack IDs.
        if runs.kinds[row] & 1 << section_kind::SEQUENCE_POINT != 0 {
            list.details.push_apart(Fill::Solid(Token::Text), Rect::new(x, 0.0, 1.0, height));
        }
        if runs.problems[row] > 0 {
            list.details.push_apart(Fill::Solid(Token::Danger), Rect::new(x, 0.0, width.max(2.0), MARK));
        }
        if marks.is_close && width > MIN_LABEL_WIDTH && runs.sections[row] == 1 {
            label(list, runs.kind[row], area, characters);
        }
    }
    if let Some(selected) = &marks.selected
        && let Some((x, width)) =
            whole_pixels(scale.x(selected.start as f64), scale.x(selected.end as f64), scale.width)
    {
        list.outlines.push((Token::AccentLine, 1.5, Rect::new(x, 0.0, width.max(3.0), height)));
    }
    if let Some((start, end)) = marks.window
        && let Some((x, width)) = whole_pixels(scale.x(start), scale.x(end), scale.width)
    {
        list.outlines.push((Token::AccentLine, 1.5, Rect::new(x, 0.0, width.max(4.0), height)));
    }
}

fn label(list: &mut DrawList, kind: u8, area: Rect, characters: CharacterWidths) {
    let ink = match kind_fill(kind) {
        Fill::Solid(Token::NeutralSoft | Token::Neutral) | Fill::Lost | Fill::Unknown => Token::Text,
        _ => Token::Panel,
    };
    let text = section_kind::name(kind);
    // Labels are drawn in full or not at all: a prefix that all boxes share isn't informative.
    if text.len() as f64 * characters.small <= area.width - 2.0 * PADDING {
        let mut label = Label::small(area.x + PADDING, area.height / 2.0 + 4.0, text, ink);
        label.has_plate = matches!(kind_fill(kind), Fill::Solid(Token::Neutral) | Fill::Lost | Fill::Unknown);
        list.labels.push(label);
    }
}

/// Returns the left edge and width of a run; `None` if it isn't visible.
fn place(runs: &SectionRuns, row: usize, scale: &ByteScale) -> Option<(CssPx, CssPx)> {
    let (offset, bytes) = (*runs.offset.get(row)?, *runs.bytes.get(row)?);
    whole_pixels(scale.x(offset as f64), scale.x((offset + bytes) as f64), scale.width)
}

/// Returns the run at a position.
pub fn run_at(runs: &SectionRuns, scale: &ByteScale, x: CssPx) -> Option<usize> {
    let offset = scale.offset(x).max(0.0) as u64;
    let after = runs.offset.partition_point(|start| *start <= offset);
    let row = after.checked_sub(1)?;
    (offset - runs.offset[row] < runs.bytes[row]).then_some(row)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::drawlist::RecordingPainter;

    fn runs() -> SectionRuns {
        SectionRuns {
            offset: vec![0, 100, 500, 900],
            bytes: vec![100, 400, 400, 100],
            sections: vec![1, 1, 7, 1],
            kind: vec![section_kind::HEADER, section_kind::EVENTS, section_kind::STACKS, section_kind::DAMAGE],
            kinds: vec![
                1,
                1 << section_kind::EVENTS,
                1 << section_kind::STACKS | 1 << section_kind::SEQUENCE_POINT,
                1 << section_kind::DAMAGE,
            ],
            problems: vec![0, 0, 0, 1],
        }
    }

    fn picture(marks: &StripMarks) -> String {
        let (mut list, mut painter) = (DrawList::default(), RecordingPainter::default());
        paint_strip(&mut list, &runs(), &ByteScale::whole(1000, 200.0), 30.0, marks, CharacterWidths::default());
        list.paint_shapes(&mut painter);
        list.paint_labels(&mut painter);
        list.paint_outlines(&mut painter);
        painter.text()
    }

    #[test]
    fn blocks_are_drawn_at_offsets_with_problem_marks() {
        let far = picture(&StripMarks { window: Some((100.0, 500.0)), ..StripMarks::default() });
        assert_eq!(
            far,
            "NeutralStrong: 0,0 19x30\nNeutralSoft: 20,0 79x30\nNeutral: 100,0 79x30\nLost: 180,0 19x30\n\
             Text: 100,0 1x30\nDanger: 180,0 20x4\noutline AccentLine 1.5: 20,0 80x30"
        );
        let close = picture(&StripMarks { selected: Some(100..500), is_close: true, window: None });
        assert!(close.contains("text Text 25,19: Events"), "{close}");
        assert!(!close.contains("Stacks") && !close.contains("text Text 181"), "{close}");
    }

    #[test]
    fn run_is_found_at_position() {
        let (runs, scale) = (runs(), ByteScale::whole(1000, 200.0));
        assert_eq!([0.0, 19.9, 20.0, 199.0].map(|x| run_at(&runs, &scale, x)), [Some(0), Some(0), Some(1), Some(3)]);
        assert_eq!(run_at(&runs, &scale, 201.0), None);
    }
}
