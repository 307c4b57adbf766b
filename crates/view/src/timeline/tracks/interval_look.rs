//! Styles and names of the kinds of intervals.

use crate::draw::palette::{Fill, Token};
use crate::draw::units::CssPx;
use protocol::timeline::track::TrackKind;

/// Style of narrow intervals, or of all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Boxes; narrow ones become density.
    Boxes,
    /// Log messages: one shape per level.
    Levels,
}

/// Style and names of a kind of intervals.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Look {
    /// Name of the track.
    pub name: &'static str,
    /// Noun, singular.
    pub noun: &'static str,
    /// Content of the note.
    pub note: &'static str,
    /// Height of a row, if all rows fit.
    pub row_height: CssPx,
    /// Style of narrow intervals.
    pub shape: Shape,
    /// By shade: color of an edge or a narrow interval, and background of a wide box. The last entry applies to all
    /// further shades.
    colors: &'static [(Fill, Fill)],
}

const fn solid(token: Token) -> Fill {
    Fill::Solid(token)
}

const IO: &[(Fill, Fill)] = &[(solid(Token::Io), solid(Token::IoSoft))];
const SPAN: &[(Fill, Fill)] = &[(solid(Token::Span), solid(Token::SpanSoft))];
/// The app's own spans, I/O, JIT, GC, tasks, exception handlers.
const EVERY_SPAN: &[(Fill, Fill)] = &[
    (solid(Token::Span), solid(Token::SpanSoft)),
    (solid(Token::Io), solid(Token::IoSoft)),
    (solid(Token::Jit), solid(Token::JitSoft)),
    (solid(Token::Gen1), solid(Token::BackgroundSoft)),
    (solid(Token::External), solid(Token::ExternalSoft)),
    (solid(Token::Exception), solid(Token::ExceptionSoft)),
];
const LOCK: &[(Fill, Fill)] = &[(solid(Token::Lock), solid(Token::LockSoft))];
const LOADER: &[(Fill, Fill)] = &[(solid(Token::External), solid(Token::ExternalSoft))];
/// Quickly compiled code, optimized code.
const CODE: &[(Fill, Fill)] =
    &[(Fill::Shade(Token::Jit, 2), solid(Token::JitSoft)), (solid(Token::Jit), solid(Token::JitSoft))];
/// Unknown, Critical, Error, Warning, Information, Debug, Trace.
const SEVERITY: &[(Fill, Fill)] = &[
    (solid(Token::Text3), solid(Token::Text3)),
    (solid(Token::Danger), solid(Token::Danger)),
    (solid(Token::Danger), solid(Token::Danger)),
    (solid(Token::Warning), solid(Token::Warning)),
    (solid(Token::Neutral), solid(Token::Neutral)),
    (solid(Token::Text3), solid(Token::Text3)),
];
const LOST: &[(Fill, Fill)] = &[(solid(Token::Lost), Fill::Lost)];

impl Look {
    /// Returns the style of a kind; `None` if its track has no intervals.
    pub fn of(kind: TrackKind) -> Option<Self> {
        let look = |name, noun, note, row_height, colors| {
            Some(Self { name, noun, note, row_height, shape: Shape::Boxes, colors })
        };
        match kind {
            TrackKind::Jit => look("JIT", "method", "Tier", 7.0, CODE),
            TrackKind::Tiering => look("Tier-up", "batch", "Methods", 7.0, CODE),
            TrackKind::Contention => look("Lock waits", "wait", "Held by", 4.0, LOCK),
            TrackKind::IncomingRequests => look("Incoming requests", "request", "Source", 14.0, IO),
            TrackKind::OutgoingRequests => look("Outgoing requests", "request", "Source", 14.0, IO),
            TrackKind::Network => look("Network", "operation", "Source", 7.0, IO),
            TrackKind::Spans => look("Spans", "span", "Source", 14.0, SPAN),
            TrackKind::Activities => Some(Self { name: "Activities", noun: "activity", ..Self::of_spans() }),
            TrackKind::Logs => {
                let look = look("Log", "message", "Logger", 16.0, SEVERITY)?;
                Some(Self { shape: Shape::Levels, ..look })
            }
            TrackKind::Loads => look("Loader", "load", "Kind", 5.0, LOADER),
            TrackKind::LostEvents => look("Lost events", "event", "Source", 14.0, LOST),
            TrackKind::Gc | TrackKind::Exceptions | TrackKind::Series(_) => None,
        }
    }

    /// Returns the style of spans of threads, by [`protocol::tables::span_shade`].
    pub fn of_spans() -> Self {
        let (shape, colors) = (Shape::Boxes, EVERY_SPAN);
        Self { name: "Spans", noun: "span", note: "Source", row_height: 13.0, shape, colors }
    }

    /// Returns the color of an edge or a narrow interval, and the background of a wide box.
    pub fn colors(&self, shade: u8) -> (Fill, Fill) {
        let known = self.colors.get(usize::from(shade)).or(self.colors.last());
        known.copied().unwrap_or((Fill::Unknown, Fill::Unknown))
    }

    /// Returns the number of distinct shades.
    pub fn shades(&self) -> usize {
        self.colors.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_interval_kind_has_look_and_last_color_repeats() {
        for kind in TrackKind::MARKS {
            let look = Look::of(kind).unwrap();
            assert!(look.shades() > 0 && !look.name.is_empty(), "{kind:?}");
            assert_eq!(look.colors(200), look.colors(look.shades() as u8 - 1));
        }
        assert_eq!(Look::of(TrackKind::Series(3)), None);
    }
}
