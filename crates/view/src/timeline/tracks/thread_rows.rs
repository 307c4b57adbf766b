//! Layout of a thread's track: strip, stack, spans, ticks.

use crate::draw::units::CssPx;
use crate::timeline::paint::intervals::IntervalRows;
use std::collections::BTreeSet;

/// Height of a row of the stack.
const SLICE_HEIGHT: CssPx = 14.0;
/// Height of a folded row of the stack.
const FOLDED_SLICE_HEIGHT: CssPx = 3.0;
/// State strip of a collapsed thread: distance from the top of the track, height.
const TALL_STRIP: (CssPx, CssPx) = (3.0, 14.0);
/// State strip of an expanded thread.
const FLAT_STRIP: (CssPx, CssPx) = (3.0, 8.0);
/// First row of the stack, from the top of the track.
const STACK_TOP: CssPx = 13.0;
/// Height of a row of spans with names.
const SPAN_HEIGHT: CssPx = 13.0;
/// Number of span rows with names. Spans in further rows are nested, or have no end.
const NAMED_SPAN_ROWS: u16 = 8;
/// Number of span rows with names while everything of a thread is visible.
const NAMED_SPAN_ROWS_IN_FULL: u16 = 24;
/// Height of a span row without names.
const LOW_SPAN_HEIGHT: CssPx = 3.0;
/// Height of event ticks at the bottom of a collapsed and of an expanded thread.
const TICK_HEIGHTS: (CssPx, CssPx) = (2.0, 4.0);
/// Maximum number of rows drawn for a run of folded rows.
const FOLDED_ROWS_SHOWN: usize = 2;
/// Maximum number of full rows, and of all rows, of a brief stack.
const BRIEF_ROWS: usize = 4;
const MAX_BRIEF_ROWS: usize = 8;
/// Number of full rows if no level with your code is known.
const ROWS_WITHOUT_USER_CODE: u16 = 8;

/// Visible part of a thread's stack.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StackView {
    /// State strip only.
    #[default]
    Collapsed,
    /// Like [`Self::Folded`], but only the first rows.
    Brief,
    /// Rows with your code in full, the others folded.
    Folded,
    /// All rows.
    Full,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct StackRow {
    /// Level; 0 is the root.
    pub depth: u16,
    /// Top, from the top of the track.
    pub y: CssPx,
    /// Height, including the gap below.
    pub height: CssPx,
}

/// Positions of the spans of a thread.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SpanPlace {
    /// Top of the first row, from the top of the track.
    pub top: CssPx,
    /// Number of rows.
    pub rows: u16,
    /// Number of rows with names.
    pub named: u16,
}

impl SpanPlace {
    fn new(view: StackView, top: CssPx, rows: u16) -> Self {
        let named = if view == StackView::Full { NAMED_SPAN_ROWS_IN_FULL } else { NAMED_SPAN_ROWS };
        Self { top, rows, named }
    }

    /// Returns the rows for drawing.
    pub fn interval_rows(&self) -> IntervalRows {
        let Self { top: first, rows, named } = *self;
        IntervalRows { count: rows.into(), height: SPAN_HEIGHT, first, named, low: LOW_SPAN_HEIGHT }
    }

    /// Returns the bottom of the last row, from the top of the track.
    pub fn bottom(&self) -> CssPx {
        self.interval_rows().top(self.rows)
    }

    /// Returns the row at a height from the top of the track.
    pub fn row_at(&self, y: CssPx) -> Option<u16> {
        let rows = self.interval_rows();
        (0..self.rows).find(|row| (rows.top(*row)..rows.top(row + 1)).contains(&y))
    }
}

/// Positions of the parts of a thread's track, from its top.
#[derive(Clone, PartialEq, Debug)]
pub struct ThreadRows {
    /// State strip: top, height.
    pub strip: (CssPx, CssPx),
    /// Rows of the stack.
    pub stack: Vec<StackRow>,
    /// Spans, if visible.
    pub spans: Option<SpanPlace>,
    /// Event ticks: top, height. Without a strip, they replace it.
    pub ticks: (CssPx, CssPx),
    /// True if there are samples for a strip.
    pub has_strip: bool,
}

impl ThreadRows {
    /// Returns the parts of a thread with stacks of `max_depth` levels, of which `user_levels` have your code.
    pub fn new(view: StackView, max_depth: u16, user_levels: Option<&BTreeSet<u16>>, span_rows: Option<u16>) -> Self {
        if view == StackView::Collapsed {
            let ticks = (TALL_STRIP.0 + TALL_STRIP.1 + 1.0, TICK_HEIGHTS.0);
            return Self { strip: TALL_STRIP, stack: Vec::new(), spans: None, ticks, has_strip: true };
        }
        let in_full = |depth: u16| match user_levels {
            _ if view == StackView::Full => true,
            Some(levels) if !levels.is_empty() => levels.contains(&depth),
            _ => depth < ROWS_WITHOUT_USER_CODE,
        };
        let mut stack = Vec::new();
        let mut y = STACK_TOP;
        let (mut folded, mut full) = (0, 0);
        for depth in 0..max_depth {
            folded = if in_full(depth) { 0 } else { folded + 1 };
            if folded > FOLDED_ROWS_SHOWN {
                continue;
            }
            full += usize::from(folded == 0);
            if view == StackView::Brief && (full > BRIEF_ROWS || stack.len() >= MAX_BRIEF_ROWS) {
                break;
            }
            let height = if folded == 0 { SLICE_HEIGHT } else { FOLDED_SLICE_HEIGHT };
            stack.push(StackRow { depth, y, height });
            y += height;
        }
        let spans = span_rows.map(|rows| SpanPlace::new(view, y + 2.0, rows));
        let y = spans.map_or(y, |spans| spans.bottom());
        Self { strip: FLAT_STRIP, stack, spans, ticks: (y + 2.0, TICK_HEIGHTS.1), has_strip: true }
    }

    /// Returns the parts of a thread without samples, whose events replace the strip.
    pub fn without_strip(view: StackView, span_rows: Option<u16>) -> Self {
        let spans = span_rows.map(|rows| SpanPlace::new(view, TALL_STRIP.0 + TALL_STRIP.1 + 2.0, rows));
        Self { strip: TALL_STRIP, stack: Vec::new(), spans, ticks: TALL_STRIP, has_strip: false }
    }

    /// Returns the parts of stacks only, with rows of a height.
    pub fn stack_alone(levels: u16, height: CssPx) -> Self {
        let stack: Vec<StackRow> =
            (0..levels).map(|depth| StackRow { depth, y: CssPx::from(depth) * height, height }).collect();
        let bottom = CssPx::from(levels) * height;
        Self { strip: (0.0, 0.0), stack, spans: None, ticks: (bottom + 1.0, 0.0), has_strip: true }
    }

    /// Returns the bottom of the last part.
    pub fn bottom(&self) -> CssPx {
        self.spans.map_or(0.0, |spans| spans.bottom()).max(self.ticks.0 + self.ticks.1)
    }

    /// Returns the number of levels needed for drawing: one more than the deepest row.
    pub fn max_depth(&self) -> u16 {
        self.stack.iter().map(|row| row.depth + 1).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn first_span_rows_have_names() {
        let place = SpanPlace::new(StackView::Folded, 10.0, 30);
        assert_eq!(place.bottom(), 10.0 + 8.0 * 13.0 + 22.0 * 3.0);
        let found: Vec<Option<u16>> =
            [9.9, 10.0, 22.9, 23.0, 113.9, 114.0, 117.0, 179.9, 180.0].map(|y| place.row_at(y)).to_vec();
        assert_eq!(found, [None, Some(0), Some(0), Some(1), Some(7), Some(8), Some(9), Some(29), None]);
        let place = SpanPlace::new(StackView::Full, 10.0, 30);
        assert_eq!(place.bottom(), 10.0 + 24.0 * 13.0 + 6.0 * 3.0, "more of them in full");
        assert_eq!([321.9, 322.0].map(|y| place.row_at(y)), [Some(23), Some(24)]);
    }

    #[test]
    fn rows_without_user_code_are_folded_to_at_most_two() {
        let levels = BTreeSet::from([4, 5, 9]);
        let rows = ThreadRows::new(StackView::Folded, 11, Some(&levels), None);
        let shown: Vec<(u16, f64)> = rows.stack.iter().map(|row| (row.depth, row.height)).collect();
        assert_eq!(shown, [(0, 3.0), (1, 3.0), (4, 14.0), (5, 14.0), (6, 3.0), (7, 3.0), (9, 14.0), (10, 3.0)]);
        assert_eq!(rows.max_depth(), 11);
        assert_eq!(ThreadRows::new(StackView::Full, 11, Some(&levels), None).stack.len(), 11);
        let brief = |levels: Option<&BTreeSet<u16>>| {
            let rows = ThreadRows::new(StackView::Brief, 50, levels, None);
            rows.stack.iter().map(|row| row.depth).collect::<Vec<_>>()
        };
        assert_eq!(brief(None), [0, 1, 2, 3]);
        assert_eq!(brief(Some(&BTreeSet::from([2, 3, 4, 5, 6]))), [0, 1, 2, 3, 4, 5]);
        assert_eq!(brief(Some(&levels)), [0, 1, 4, 5, 6, 7, 9, 10]);
    }
}
