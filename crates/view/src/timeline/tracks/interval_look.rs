//! Look of a track of intervals: colors, height, and its own part of headers and tooltips.

use crate::draw::palette::{Fill, Token};
use crate::draw::tooltip::{Tooltip, TooltipContext, shorten};
use crate::draw::units::CssPx;
use crate::format;
use protocol::tables::Intervals;

/// Style of narrow intervals, or of all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// Boxes; narrow ones become density.
    Boxes,
    /// Log messages: one shape per level.
    Levels,
}

/// Lines of a tooltip: labels and values.
pub type Lines = Vec<(&'static str, String)>;

/// Look of a track of intervals.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    /// Noun for an interval, singular.
    pub noun: &'static str,
    /// Height of a row, if all rows fit.
    pub row_height: CssPx,
    /// Style of narrow intervals.
    pub shape: Shape,
    /// By shade: color of an edge or a narrow interval, and background of a wide box. The last entry applies to all
    /// further shades.
    pub colors: &'static [(Fill, Fill)],
    /// Returns the title of an interval from its name.
    pub title: fn(&str) -> String,
    /// Returns the lines of the tooltip that only this track has. Empty values are omitted.
    pub lines: fn(&Item<'_>, &TooltipContext<'_>) -> Lines,
    /// Returns the whole tooltip, if the track doesn't use that of all intervals.
    pub tooltip: Option<fn(&Item<'_>, &TooltipContext<'_>) -> Tooltip>,
    /// Returns the figures of the header.
    pub figures: fn(&Intervals) -> String,
}

impl Look {
    /// Returns a look with these colors and a source in tooltips.
    pub const fn new(noun: &'static str, row_height: CssPx, colors: &'static [(Fill, Fill)]) -> Self {
        Self {
            noun,
            row_height,
            shape: Shape::Boxes,
            colors,
            title: shorten,
            lines: |item, _| vec![("Source", item.note().to_owned())],
            tooltip: None,
            figures: count_and_duration,
        }
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

/// Returns the colors of a solid edge and background.
pub const fn solid(edge: Token, background: Token) -> (Fill, Fill) {
    (Fill::Solid(edge), Fill::Solid(background))
}

/// Row of a track's table, with the track's colors.
#[derive(Clone, Copy)]
pub struct Item<'a> {
    /// Intervals of the track.
    pub intervals: &'a Intervals,
    /// Look of the track.
    pub look: &'a Look,
    /// Row of the table.
    pub row: usize,
}

impl Item<'_> {
    pub fn name(&self) -> &str {
        self.intervals.texts.get(self.intervals.name[self.row] as usize)
    }

    pub fn note(&self) -> &str {
        self.intervals.texts.get(self.intervals.note[self.row] as usize)
    }

    /// Returns the color.
    pub fn swatch(&self) -> Fill {
        self.look.colors(self.intervals.shade[self.row]).0
    }
}

/// Returns the number of intervals in a trace.
pub fn total(intervals: &Intervals) -> u64 {
    intervals.total.first().copied().unwrap_or_default()
}

fn count_and_duration(intervals: &Intervals) -> String {
    match intervals.total_nanos.first().copied().unwrap_or_default() {
        0 => format::count(total(intervals)),
        nanos => format!("{} · {}", format::count(total(intervals)), format::duration(nanos)),
    }
}
