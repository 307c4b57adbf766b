//! Parts of tracks that match the filter; the rest is dimmed.

use super::timescale::TimeScale;
use super::track_key::TrackKey;
use super::track_layout::Track;
use crate::draw::drawlist::Batches;
use crate::draw::palette::{Fill, SHARES, Token};
use crate::draw::units::{CssPx, Rect};
use protocol::base::time::Span;
use protocol::tables::{self, match_bit};

/// Number of levels of dimming, from none to that of a time without matches.
const LEVELS: u8 = 4;

/// Parts of some tracks that match a filter.
#[derive(Clone, PartialEq, Debug)]
pub struct TrackMatches {
    /// Tracks in the order of the rows.
    tracks: Vec<TrackKey>,
    table: tables::TrackMatches,
}

/// Part of a track with its own matches.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// States and stack of a thread.
    Stack,
    /// Spans of a thread.
    Spans,
    /// Events of a thread, or any other track.
    Items,
}

impl TrackMatches {
    /// Combines an answer with the tracks in the order of its rows.
    pub fn new(tracks: Vec<TrackKey>, table: tables::TrackMatches) -> Self {
        Self { tracks, table }
    }

    /// Returns whether the answer is about all tracks in a time range, with buckets of at most `nanos`.
    pub fn serves(&self, mut tracks: impl Iterator<Item = TrackKey>, span: Span, nanos: f64) -> bool {
        let Some((bounds, count)) = self.bounds() else { return false };
        let is_fine = bounds.duration() as f64 <= nanos * count as f64 * 1.01;
        is_fine && bounds.intersect(span) == Some(span) && tracks.all(|track| self.tracks.contains(&track))
    }

    fn bounds(&self) -> Option<(Span, usize)> {
        let [start, end] = self.table.bounds[..] else { return None };
        let count = *self.table.buckets.first()? as usize;
        (end > start && count > 0).then(|| (Span::new(start, end), count))
    }

    fn row(&self, track: TrackKey) -> Option<&[u8]> {
        let (_, count) = self.bounds()?;
        let row = self.tracks.iter().position(|one| *one == track)?;
        self.table.matched.get(row * count..(row + 1) * count)
    }

    /// Dims the parts of a track without matches between two positions. `top` is the top of the track in the pane.
    pub fn dim(&self, veils: &mut Batches, track: &Track, scale: &TimeScale, top: CssPx, within: (CssPx, CssPx)) {
        let (Some((bounds, count)), Some(row)) = (self.bounds(), self.row(track.key)) else { return };
        let nanos = bounds.duration() as f64 / count as f64;
        let bucket = |x: CssPx| (scale.time(x).0.saturating_sub(bounds.start.0)) as f64 / nanos;
        let height = track.height - 1.0;
        let mut areas = [(Part::Items, 0.0, height), (Part::Spans, 0.0, 0.0), (Part::Stack, 0.0, 0.0)];
        if let Some(parts) = track.parts.as_ref().filter(|parts| parts.has_strip) {
            let spans = parts.spans.map_or(parts.ticks.0, |spans| spans.top);
            areas = [
                (Part::Items, parts.ticks.0, height - parts.ticks.0),
                (Part::Spans, spans, parts.ticks.0 - spans),
                (Part::Stack, 0.0, spans),
            ];
        }
        let bits_at = |x: CssPx| {
            let (first, last) = (bucket(x).floor(), bucket(x + 1.0).ceil());
            let first = Some(first as usize).filter(|_| first >= 0.0 && first < count as f64)?;
            let touched = &row[first..(last.max(0.0) as usize).clamp(first + 1, count)];
            let bits = touched.iter().fold(0, |all, bits| all | bits & !match_bit::SHARE);
            let share = touched.iter().map(|bits| bits & match_bit::SHARE).max().unwrap_or(0);
            Some(bits | share)
        };
        let left = within.0.max(0.0).floor();
        let pixels = (within.1.min(scale.width()) - left).max(0.0).ceil() as usize;
        let bits: Vec<Option<u8>> = (0..pixels).map(|pixel| bits_at(left + pixel as CssPx)).collect();
        for (part, y, height) in areas.into_iter().filter(|(_, _, height)| *height > 0.0) {
            for (pixel, bits) in bits.iter().enumerate() {
                if let Some(fill) = bits.and_then(|bits| veil(level_of(part, bits))) {
                    veils.push(fill, Rect::new(left + pixel as CssPx, top + y, 1.0, height));
                }
            }
        }
    }
}

/// Returns the level of dimming: 0 for a match.
fn level_of(part: Part, bits: u8) -> u8 {
    let share = bits & match_bit::SHARE;
    match part {
        Part::Items if bits & match_bit::EVENT != 0 => 0,
        Part::Spans | Part::Stack if bits & (match_bit::EVENT | match_bit::SPAN) != 0 => 0,
        Part::Stack if share > 0 => LEVELS - 1 - share / (match_bit::SHARE / LEVELS + 1),
        _ => LEVELS,
    }
}

fn veil(level: u8) -> Option<Fill> {
    match level {
        0 => None,
        LEVELS => Some(Fill::Solid(Token::Veil)),
        level => Some(Fill::Share(Token::Veil, level * (SHARES / LEVELS))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::drawlist::RecordingPainter;
    use crate::timeline::hit::samples::small;

    const EVENT: u8 = match_bit::EVENT;

    fn matches(track: TrackKey, matched: &[u8]) -> TrackMatches {
        let (bounds, buckets) = (vec![0, 1000], vec![matched.len() as u32]);
        TrackMatches::new(vec![track], tables::TrackMatches { bounds, buckets, matched: matched.to_vec() })
    }

    fn dimmed(matches: &TrackMatches, track: &Track, width: CssPx, within: (CssPx, CssPx)) -> String {
        let (mut veils, scale) = (Batches::default(), TimeScale::new(Span::new(0, 1000), width));
        matches.dim(&mut veils, track, &scale, 100.0, within);
        let mut painter = RecordingPainter::default();
        veils.paint(&mut painter);
        painter.text()
    }

    #[test]
    fn time_without_matches_is_dimmed_by_share() {
        let small = small();
        let layout = small.scene(500.0).layout;
        let thread =
            layout.tracks.iter().find(|track| track.parts.as_ref().is_some_and(|parts| !parts.stack.is_empty()));
        let thread = thread.expect("a thread with a stack");
        let ticks = thread.parts.as_ref().map_or(0.0, |parts| parts.ticks.0);
        let found = dimmed(&matches(thread.key, &[0, 10, 63, EVENT]), thread, 40.0, (0.0, 40.0));
        let below = thread.height - 1.0 - ticks;
        assert_eq!(
            found,
            format!("Veil: 0,{} 30x{below}; 0,100 10x{ticks}\nVeil*48/64: 10,100 10x{ticks}", 100.0 + ticks),
            "the third quarter matches, and an event of the fourth"
        );
        let half = dimmed(&matches(thread.key, &[0, 0]), thread, 40.0, (10.0, 20.0));
        assert_eq!(half, format!("Veil: 10,{} 10x{below}; 10,100 10x{ticks}", 100.0 + ticks));
        assert_eq!(dimmed(&matches(TrackKey::Threads(0), &[0, 0]), thread, 40.0, (0.0, 40.0)), "", "not requested");
    }

    #[test]
    fn answer_serves_its_tracks_range_and_resolution() {
        let (known, other) = (TrackKey::Threads(0), TrackKey::Threads(1));
        let matches = matches(known, &[0; 100]);
        let serves = |track, start, end, nanos| matches.serves([track].into_iter(), Span::new(start, end), nanos);
        assert!(serves(known, 0, 1000, 10.0) && serves(known, 300, 400, 20.0));
        assert!(!serves(other, 0, 1000, 10.0) && !serves(known, -1, 1000, 10.0) && !serves(known, 0, 100, 5.0));
    }

    #[test]
    fn larger_share_is_dimmed_less() {
        let levels = [0, 1, 15, 16, 32, 48, 63].map(|share| level_of(Part::Stack, share));
        assert_eq!(levels, [4, 3, 3, 2, 1, 0, 0]);
        assert_eq!((level_of(Part::Items, 63), level_of(Part::Items, EVENT)), (4, 0));
        assert_eq!((level_of(Part::Spans, 63), level_of(Part::Spans, match_bit::SPAN)), (4, 0));
    }
}
