//! Flags on the ruler: saved ranges, and notes with a time.

use crate::draw::drawlist::{CharacterWidths, Label, Painter};
use crate::draw::palette::{Fill, Token};
use crate::draw::text_fit::fit;
use crate::draw::units::{CssPx, Rect};
use crate::notes::placed::PlacedNote;
use crate::timeline::saved_range::SavedRange;
use crate::timeline::timescale::TimeScale;
use protocol::base::sort::sort_by_key;
use std::borrow::Cow;

/// Maximum width of a text on a flag.
const LONGEST: CssPx = 160.0;
/// Distance from the pole to the text, and from the text to the end of the flag.
const MARGINS: (CssPx, CssPx) = (5.0, 3.0);
/// Width of a flag without room for its text.
const SHORTEST: CssPx = 6.0;
/// Distance before and after its pole at which a flag is hit.
const REACH: (CssPx, CssPx) = (3.0, 24.0);

/// Subject of a flag.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flagged {
    /// Saved range, by its index.
    SavedRange(usize),
    /// Note, by its index.
    Note(usize),
}

/// Flag on the ruler.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Flag<'a> {
    /// Time of its pole.
    pub time: i64,
    /// Text.
    pub text: Cow<'a, str>,
    /// Subject.
    pub of: Flagged,
}

/// Returns the flags of saved ranges and notes, in order of time.
pub fn flags<'a>(saved_ranges: &'a [SavedRange], notes: &'a [PlacedNote]) -> Vec<Flag<'a>> {
    let range = |(index, range): (usize, &'a SavedRange)| Flag {
        time: range.span.start.0,
        text: range.flag(),
        of: Flagged::SavedRange(index),
    };
    let note = |(index, note): (usize, &'a PlacedNote)| {
        let (time, text) = (note.time?.start.0, Cow::Borrowed(note.text.as_str()));
        Some(Flag { time, text, of: Flagged::Note(index) })
    };
    let mut flags: Vec<Flag<'a>> = saved_ranges.iter().enumerate().map(range).collect();
    flags.extend(notes.iter().enumerate().filter_map(note));
    sort_by_key(&mut flags, |flag| flag.time);
    flags
}

/// Visible flag.
pub struct PlacedFlag {
    /// Area of the flag, which begins at its pole.
    pub area: Rect,
    /// Text that fits; empty if none does.
    text: String,
    of: Flagged,
}

/// Returns the visible flags. Texts end before the next flag.
pub fn placed_flags(scale: &TimeScale, flags: &[Flag<'_>], characters: CharacterWidths) -> Vec<PlacedFlag> {
    let x_of = |flag: &Flag<'_>| scale.x(flag.time).round();
    let placed = flags.iter().enumerate().map(|(index, flag)| {
        let x = x_of(flag);
        let next = flags.get(index + 1).map_or(CssPx::INFINITY, |next| x_of(next) - x - 1.0);
        let text = fit(&flag.text, LONGEST.min(next - MARGINS.0 - MARGINS.1), characters.small);
        let needed = text.chars().count() as CssPx * characters.small + MARGINS.0 + MARGINS.1;
        let width = if text.is_empty() { SHORTEST } else { needed.round() };
        PlacedFlag { area: Rect::new(x, 2.0, width, 13.0), text: text.into_owned(), of: flag.of }
    });
    placed.filter(|flag| (0.0..scale.width()).contains(&flag.area.x)).collect()
}

/// Draws a pole with a flag and its text for each flag.
pub fn paint_flags(painter: &mut impl Painter, flags: Vec<PlacedFlag>, height: CssPx) {
    for PlacedFlag { area, text, of } in flags {
        let (ground, pole) = match of {
            Flagged::SavedRange(_) => (Token::AccentSoft, Token::Accent),
            Flagged::Note(_) => (Token::NeutralSoft, Token::NeutralStrong),
        };
        let x = area.x;
        let parts = [Rect::new(x, 2.0, 1.0, height - 2.0), area];
        painter.rects(Fill::Solid(ground), &parts[1..]);
        painter.rects(Fill::Solid(pole), &[parts[0], Rect { width: 2.0, ..parts[1] }]);
        if !text.is_empty() {
            painter.text(&Label::small(x + MARGINS.0, 12.0, text, Token::Text));
        }
    }
}

/// Returns the subject of the flag at `x`.
pub fn flag_at(flags: &[Flag<'_>], scale: &TimeScale, x: CssPx) -> Option<Flagged> {
    let distance = |flag: &&Flag<'_>| x - scale.x(flag.time);
    let is_near = |flag: &&Flag<'_>| (-REACH.0..REACH.1).contains(&distance(flag));
    let near = flags.iter().filter(is_near);
    near.min_by(|one, other| distance(one).abs().total_cmp(&distance(other).abs())).map(|flag| flag.of)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::drawlist::RecordingPainter;
    use protocol::base::time::Span;

    #[test]
    fn flags_end_before_the_next_one() {
        let scale = TimeScale::new(Span::new(0, 1_000), 1_000.0);
        let note =
            |at: i64, text: &str| PlacedNote { track: None, time: Some(Span::new(at, at)), text: text.to_owned() };
        let range = |name: &str, note: &str| SavedRange {
            span: Span::new(200, 300),
            name: name.to_owned(),
            note: note.to_owned(),
        };
        let of_track = PlacedNote { time: None, ..note(0, "a thread has no time") };
        let notes = [note(204, "covered"), of_track, note(600, &"long ".repeat(40)), note(160, "before the range")];
        let ranges = [range("Range 1", "slow")];
        let flags = flags(&ranges, &notes);
        let mut painter = RecordingPainter::default();
        paint_flags(&mut painter, placed_flags(&scale, &flags, CharacterWidths::default()), 22.0);
        assert_eq!(
            painter.text(),
            "NeutralSoft: 160,2 35x13\n\
             NeutralStrong: 160,2 1x20; 160,2 2x13\n\
             text Text 165,12: befo…\n\
             AccentSoft: 200,2 6x13\n\
             Accent: 200,2 1x20; 200,2 2x13\n\
             NeutralSoft: 204,2 46x13\n\
             NeutralStrong: 204,2 1x20; 204,2 2x13\n\
             text Text 209,12: covered\n\
             NeutralSoft: 600,2 165x13\n\
             NeutralStrong: 600,2 1x20; 600,2 2x13\n\
             text Text 605,12: long long long long long lon…"
        );
        assert_eq!(flag_at(&flags, &scale, 201.0), Some(Flagged::SavedRange(0)));
        assert_eq!(flag_at(&flags, &scale, 212.0), Some(Flagged::Note(0)));
        assert_eq!(flag_at(&flags, &scale, 400.0), None);
        assert_eq!(flags[1].text, "Range 1: slow");
    }
}
