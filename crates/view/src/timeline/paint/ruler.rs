//! The ruler: ticks, the selected range with its duration, and the time under the pointer.

use super::flags::{Flag, PlacedFlag, paint_flags, placed_flags};
use crate::draw::drawlist::{Align, CharacterWidths, Label, Line, Painter, Stroke};
use crate::draw::palette::{Fill, Token};
use crate::draw::units::{CssPx, Rect};
use crate::format;
use crate::timeline::clock::ClockFace;
use crate::timeline::ticks::Ticks;
use crate::timeline::timescale::TimeScale;
use protocol::base::time::Span;
use protocol::tables::Overview;

/// Height of the tick of a match.
const MATCH_HEIGHT: CssPx = 5.0;

/// Marks on the ruler.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct RulerMarks<'a> {
    /// Selected time range, or the one that is being dragged.
    pub range: Option<Span>,
    /// Time under the pointer, in nanoseconds.
    pub hover: Option<i64>,
    /// Flags, in order of time.
    pub flags: &'a [Flag<'a>],
    /// Density of the events that match the search.
    pub matches: Option<&'a Overview>,
    /// Format of times.
    pub face: ClockFace,
}

/// Draws the ruler from 0 to `height`.
pub fn paint_ruler(
    painter: &mut impl Painter,
    scale: &TimeScale,
    ticks: &Ticks,
    marks: RulerMarks<'_>,
    height: CssPx,
    characters: CharacterWidths,
) {
    let flags = placed_flags(scale, marks.flags, characters);
    let pills = pills(scale, ticks, marks, &flags, characters);
    let lines: Vec<Line> =
        ticks.ticks.iter().map(|tick| Line::vertical(tick.x, if tick.major { 11.0 } else { 17.0 }, height)).collect();
    painter.lines(Token::LineStrong, Stroke::Continuous, &lines);
    for tick in ticks.ticks.iter().filter(|tick| tick.major) {
        let text = ticks.label(tick, &marks.face);
        let (left, right) = (tick.x + 4.0, tick.x + 4.0 + text.chars().count() as CssPx * characters.small);
        let is_covered = |pill: &&Pill| left < pill.area.right() + 4.0 && right > pill.area.x - 4.0;
        if right < scale.width() && !pills.iter().any(|pill| is_covered(&pill)) {
            painter.text(&Label::small(left, 14.0, text, Token::Text3));
        }
    }
    if let Some(matches) = marks.matches {
        paint_matches(painter, scale, matches, height);
    }
    paint_flags(painter, flags, height);
    if let Some(range) = marks.range {
        paint_range(painter, scale, range, height);
    }
    for pill in &pills {
        painter.rects(Fill::Solid(pill.ground), &[pill.area]);
        let label = Label::small(pill.area.x + pill.area.width / 2.0, 13.0, pill.text.as_str(), pill.ink);
        painter.text(&Label { strong: true, align: Align::Middle, ..label });
    }
}

/// Draws a tick for every pixel with matching events.
fn paint_matches(painter: &mut impl Painter, scale: &TimeScale, matches: &Overview, height: CssPx) {
    let [start, end] = matches.bounds[..] else { return };
    let width = end.saturating_sub(start) as f64 / matches.events.len().max(1) as f64;
    let mut last = CssPx::NEG_INFINITY;
    let mut parts = Vec::new();
    for (bucket, _) in matches.events.iter().enumerate().filter(|(_, count)| **count > 0) {
        let x = scale.x(start.saturating_add(((bucket as f64 + 0.5) * width) as i64)).floor();
        if x > last && (0.0..scale.width()).contains(&x) {
            last = x;
            parts.push(Rect::new(x - 1.0, height - MATCH_HEIGHT, 2.0, MATCH_HEIGHT));
        }
    }
    if !parts.is_empty() {
        painter.rects(Fill::Solid(Token::Warning), &parts);
    }
}

fn paint_range(painter: &mut impl Painter, scale: &TimeScale, range: Span, height: CssPx) {
    let (start, end) = (scale.x(range.start.0).round(), scale.x(range.end.0).round());
    let (left, right) = (start.clamp(0.0, scale.width()), end.clamp(0.0, scale.width()));
    let mut parts = Vec::new();
    if right > left {
        parts.push(Rect::new(left, height - 4.0, right - left, 4.0));
    }
    for edge in [start, end] {
        if (0.0..=scale.width()).contains(&edge) {
            parts.push(Rect::new(edge - 1.0, 3.0, 2.0, height - 3.0));
        }
    }
    if !parts.is_empty() {
        painter.rects(Fill::Solid(Token::Accent), &parts);
    }
}

/// Short text on a colored background.
struct Pill {
    area: Rect,
    text: String,
    ground: Token,
    ink: Token,
}

fn pills(
    scale: &TimeScale,
    ticks: &Ticks,
    marks: RulerMarks<'_>,
    flags: &[PlacedFlag],
    characters: CharacterWidths,
) -> Vec<Pill> {
    let pill = |middle: CssPx, text: String, ground, ink| {
        let width = (text.chars().count() as CssPx * characters.small + 14.0).round();
        let x = (middle - width / 2.0).clamp(0.0, (scale.width() - width).max(0.0)).round();
        Pill { area: Rect::new(x, 2.0, width, 15.0), text, ground, ink }
    };
    let mut pills = Vec::new();
    if let Some(range) = marks.range {
        let left = scale.x(range.start.0).clamp(0.0, scale.width());
        let right = scale.x(range.end.0).clamp(0.0, scale.width());
        let text = format::duration(range.duration());
        let mut pill = pill((left + right) / 2.0, text, Token::Accent, Token::AccentOn);
        for flag in flags {
            step_aside(&mut pill.area, flag.area, scale.width());
        }
        pills.push(pill);
    }
    if let Some(at) = marks.hover {
        // Two more decimals than the ticks: roughly the resolution of a pixel.
        let decimals = (format::decimals_for(ticks.step) + 2).min(9);
        let hover = pill(scale.x(at), marks.face.moment(at, decimals), Token::Text, Token::Panel);
        for other in &mut pills {
            step_aside(&mut other.area, hover.area, scale.width());
        }
        pills.push(hover);
    }
    pills
}

/// Moves a pill that overlaps another one to the side with more space.
fn step_aside(area: &mut Rect, taken: Rect, width: CssPx) {
    if area.x >= taken.right() || area.right() <= taken.x {
        return;
    }
    let right = taken.right() + 2.0;
    area.x = if right + area.width <= width { right } else { taken.x - 2.0 - area.width };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::drawlist::RecordingPainter;
    use crate::timeline::paint::flags::{Flagged, flag_at, flags};
    use crate::timeline::saved_range::SavedRange;

    #[test]
    fn range_shows_duration_and_hides_labels() {
        let scale = TimeScale::new(Span::new(0, 1_000_000_000), 600.0);
        let saved_range =
            SavedRange { span: Span::new(700_000_000, 800_000_000), name: "v2".to_owned(), note: String::new() };
        let matches = Overview {
            bounds: vec![0, 1_000_000_000],
            events: (0..600).map(|bucket| if bucket == 90 || bucket == 91 { 3 } else { 0 }).collect(),
            ..Overview::default()
        };
        let flags = flags(std::slice::from_ref(&saved_range), &[]);
        let marks = RulerMarks {
            range: Some(Span::new(300_000_000, 500_000_000)),
            hover: Some(900_000_000),
            flags: &flags,
            matches: Some(&matches),
            face: ClockFace::default(),
        };
        assert_eq!(flag_at(&flags, &scale, 425.0), Some(Flagged::SavedRange(0)));
        assert_eq!(flag_at(&flags, &scale, 410.0), None);
        let mut painter = RecordingPainter::default();
        paint_ruler(&mut painter, &scale, &Ticks::new(&scale), marks, 22.0, CharacterWidths::default());
        let texts: Vec<&str> = painter.calls[1..].iter().map(String::as_str).collect();
        assert_eq!(
            texts,
            [
                "text Text3 4,14: 0.0 s",
                "text Text3 124,14: 0.2 s",
                "text Text3 364,14: 0.6 s",
                "Warning: 89,17 2x5; 90,17 2x5",
                "AccentSoft: 420,2 19x13",
                "Accent: 420,2 1x20; 420,2 2x13",
                "text Text 425,12: v2",
                "Accent: 180,18 120x4; 179,3 2x19; 299,3 2x19",
                "Accent: 217,2 46x15",
                "text AccentOn 240,13: 200 ms",
                "Text: 514,2 52x15",
                "text Panel 540,13: 0.900 s",
            ]
        );
    }

    #[test]
    fn range_duration_avoids_flags() {
        let scale = TimeScale::new(Span::new(0, 1_000), 600.0);
        let saved = SavedRange { span: Span::new(400, 600), name: "before the fix".to_owned(), note: String::new() };
        let flags = flags(std::slice::from_ref(&saved), &[]);
        let marks = RulerMarks { range: Some(saved.span), flags: &flags, ..RulerMarks::default() };
        let placed = placed_flags(&scale, marks.flags, CharacterWidths::default());
        let pills = pills(&scale, &Ticks::new(&scale), marks, &placed, CharacterWidths::default());
        assert_eq!((placed[0].area.right(), pills[0].area.x), (324.0, 326.0));
    }

    #[test]
    fn range_duration_avoids_pointer() {
        let mut area = Rect::new(100.0, 2.0, 50.0, 15.0);
        step_aside(&mut area, Rect::new(120.0, 2.0, 40.0, 15.0), 600.0);
        assert_eq!(area.x, 162.0);
        step_aside(&mut area, Rect::new(190.0, 2.0, 20.0, 15.0), 230.0);
        assert_eq!(area.x, 138.0);
        step_aside(&mut area, Rect::new(300.0, 2.0, 20.0, 15.0), 600.0);
        assert_eq!(area.x, 138.0);
    }
}
