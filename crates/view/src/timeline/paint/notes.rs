//! Notes on the lanes: lines at moments, brackets with a flag above items.

use crate::draw::drawlist::{Line, Painter, Stroke};
use crate::draw::palette::{Fill, Token};
use crate::draw::units::{CssPx, Rect};
use crate::notes::placed::PlacedNote;
use crate::timeline::evidence::extent;
use crate::timeline::timescale::TimeScale;
use crate::timeline::track_layout::Track;

/// Height of a bracket.
const BRACKET: CssPx = 2.0;
/// Size of the flag on a bracket.
const FLAG: (CssPx, CssPx) = (7.0, 7.0);

/// Draws the notes on visible tracks, in a pane with a scroll position and a height.
pub fn paint_notes(
    painter: &mut impl Painter,
    notes: &[PlacedNote],
    tracks: &[Track],
    scale: &TimeScale,
    (scroll_top, height): (CssPx, CssPx),
) {
    let (mut lines, mut parts) = (Vec::new(), Vec::new());
    for note in notes {
        let Some((time, (left, right))) = note.time.and_then(|time| Some((time, extent(time, scale)?))) else {
            continue;
        };
        match note.track {
            None if time.duration() == 0 => lines.push(Line::vertical(left, 0.0, height)),
            None => {}
            Some(key) => {
                if let Some(track) = tracks.iter().find(|track| track.key == key) {
                    let top = track.top - scroll_top;
                    parts.push(Rect::new(left, top, right - left, BRACKET));
                    parts.push(Rect::new(left, top, FLAG.0, FLAG.1));
                }
            }
        }
    }
    if !lines.is_empty() {
        painter.lines(Token::Text2, Stroke::Dashed, &lines);
    }
    if !parts.is_empty() {
        painter.rects(Fill::Solid(Token::Text), &parts);
    }
}
