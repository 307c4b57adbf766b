//! Intervals of a track: the complete set, and those of a window at a level of detail.

use crate::analysis::samples::level_of_detail::bucket_of;
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, ThreadId};
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::columns::Strings;
use protocol::tables::{Intervals, interval_flag};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::rc::Rc;

/// Maximum number of rows of a track; the last one holds those without a free row.
const MAX_ROWS: usize = 60;

/// Represents an event that isn't in the trace.
pub const NO_EVENT: EventId = EventId(u32::MAX);

/// An interval with a start and an end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Interval {
    /// Nanoseconds; the start of the trace if the start isn't in it.
    pub start: i64,
    /// Nanoseconds; the end of the trace if the end isn't in it.
    pub end: i64,
    /// The thread of its start, or of its end if the start isn't in the trace.
    pub thread: ThreadId,
    /// The start event, or the stop event if the start isn't in the trace.
    pub event: EventId,
    /// The thread of its end, if that is in the trace.
    pub last_thread: ThreadId,
    /// The stop event; [`NO_EVENT`] if it isn't in the trace.
    pub last_event: EventId,
    pub row: u16,
    /// Bits of [`interval_flag`].
    pub flags: u8,
    /// Variant within its track's kind.
    pub shade: u8,
    /// Name: position in the set's texts.
    pub name: u32,
    /// Note: position in the set's texts.
    pub note: u32,
    /// Number of further intervals that it represents.
    pub more: u32,
}

impl Interval {
    /// Returns the duration in nanoseconds.
    pub fn duration(&self) -> i64 {
        self.end.saturating_sub(self.start)
    }

    /// Returns whether it has ended, but several stop events could be its own.
    pub fn has_unsure_end(&self) -> bool {
        self.flags & interval_flag::UNSURE_END != 0
    }

    /// Returns whether the end is in the trace.
    pub fn has_end(&self) -> bool {
        self.flags & interval_flag::OPEN_END == 0
    }

    /// Returns the end, or else the start if the end isn't in the trace.
    pub fn last_known(&self) -> i64 {
        if self.has_end() { self.end } else { self.start }
    }

    /// Returns whether start and end are in the trace.
    pub fn is_whole(&self) -> bool {
        self.flags & (interval_flag::OPEN_START | interval_flag::OPEN_END) == 0
    }
}

/// Deduplicated texts.
#[derive(Debug, Default)]
pub struct Texts {
    texts: Strings,
    known: FastMap<String, u32>,
}

impl Texts {
    /// Returns all texts.
    pub fn finish(self) -> Rc<Strings> {
        Rc::new(self.texts)
    }

    /// Returns the text at a position.
    pub fn get(&self, position: u32) -> &str {
        self.texts.get(position as usize)
    }

    /// Returns all texts, in the order of their positions.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.texts.iter()
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        // Each text is stored twice: by position, and as a key.
        self.texts.iter().map(|text| 2 * text.len() + size_of::<(String, u32)>()).sum()
    }

    /// Returns the position of a text, if present.
    pub fn find(&self, text: &str) -> Option<u32> {
        self.known.get(text).copied()
    }

    /// Returns the position of a text, and adds it if needed.
    pub fn position(&mut self, text: &str) -> u32 {
        if let Some(position) = self.find(text) {
            return position;
        }
        let position = self.texts.push(text);
        self.known.insert(text.to_owned(), position);
        position
    }
}

/// All intervals of a track.
#[derive(Debug, Default)]
pub struct IntervalSet {
    /// By start.
    intervals: Vec<Interval>,
    texts: Rc<Strings>,
    pub rows: u16,
    /// True if rows only separate overlapping intervals: rows without selected intervals are then omitted.
    rows_only_separate: bool,
}

impl IntervalSet {
    /// Creates a set of intervals with their texts, in any order.
    pub fn new(intervals: Vec<Interval>, texts: Texts) -> Self {
        Self::sharing(intervals, &texts.finish())
    }

    /// Creates a set with texts that other sets share.
    pub fn sharing(mut intervals: Vec<Interval>, texts: &Rc<Strings>) -> Self {
        sort_by_key(&mut intervals, |interval| (interval.start, interval.event));
        let rows = intervals.iter().map(|interval| interval.row + 1).max().unwrap_or(0);
        Self { intervals, texts: texts.clone(), rows, rows_only_separate: false }
    }

    /// Assigns every interval a row that is free at its time, if there are enough rows: nested intervals below the
    /// outer one, open-ended ones below all others.
    pub fn packed(mut self) -> Self {
        let mut free_from: Vec<i64> = Vec::new();
        for is_whole in [true, false] {
            let first = if is_whole { 0 } else { free_from.len().min(MAX_ROWS - 1) };
            for interval in self.intervals.iter_mut().filter(|interval| interval.is_whole() == is_whole) {
                let free = free_from.get(first..).and_then(|rows| rows.iter().position(|&free| free <= interval.start));
                let row = match free {
                    Some(row) => first + row,
                    None if free_from.len() < MAX_ROWS => {
                        free_from.push(i64::MIN);
                        free_from.len() - 1
                    }
                    None => MAX_ROWS - 1,
                };
                free_from[row] = free_from[row].max(interval.end);
                interval.row = row as u16;
            }
        }
        self.rows = free_from.len() as u16;
        self.rows_only_separate = true;
        self
    }

    /// Declares that rows only separate overlapping intervals.
    pub fn with_rows_only_to_separate(self) -> Self {
        Self { rows_only_separate: true, ..self }
    }

    /// Returns the texts of its intervals.
    pub fn texts(&self) -> &Strings {
        &self.texts
    }

    /// Returns all intervals, by start.
    pub fn intervals(&self) -> &[Interval] {
        &self.intervals
    }

    /// Returns a text of an interval.
    pub fn text(&self, position: u32) -> &str {
        self.texts.get(position as usize)
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.intervals.len() * size_of::<Interval>() + self.texts.iter().map(|text| text.len() + 4).sum::<usize>()
    }

    /// Returns the intervals in `window` for which `is_selected` is true. Those shorter than `resolution` are merged
    /// per bucket, row and shade into one that is named after the longest.
    pub fn window(&self, is_selected: &dyn Fn(&Interval) -> bool, window: Span, resolution: i64) -> Intervals {
        let mut table = Intervals::default();
        let (mut total, mut total_nanos) = (0u64, 0i64);
        let mut names = FastMap::default();
        let mut open: FastMap<(u16, u8), OpenBucket> = FastMap::default();
        let mut is_used = vec![false; usize::from(self.rows)];
        // Ends of the intervals that are in progress.
        let mut ends: BinaryHeap<Reverse<i64>> = BinaryHeap::new();
        for interval in &self.intervals {
            if !is_selected(interval) {
                continue;
            }
            if let Some(used) = is_used.get_mut(usize::from(interval.row)) {
                *used = true;
            }
            let count = interval.more.saturating_add(1);
            // The latest possible end isn't its end.
            let known = if interval.has_unsure_end() { 0 } else { interval.duration() };
            (total, total_nanos) = (total + u64::from(count), total_nanos.saturating_add(known));
            while ends.peek().is_some_and(|end| end.0 <= interval.start) {
                ends.pop();
            }
            let at_once = count.saturating_add(ends.len() as u32);
            if known > 0 {
                ends.push(Reverse(interval.end));
            }
            if interval.start >= window.end.0 || interval.end < window.start.0 {
                continue;
            }
            let (length, bucket) = (interval.duration(), bucket_of(interval.start, resolution));
            let key = (interval.row, interval.shade);
            let bucket_of_row = open.get_mut(&key).filter(|open| open.bucket == bucket && length < resolution);
            if let Some(open) = bucket_of_row {
                let at = open.at;
                table.count[at] = table.count[at].saturating_add(count);
                table.at_once[at] = table.at_once[at].max(at_once);
                table.covered[at] = table.covered[at].saturating_add(length);
                table.end[at] = table.end[at].max(interval.end);
                if length > open.longest {
                    open.longest = length;
                    self.describe(&mut table, &mut names, at, interval);
                }
                continue;
            }
            let at = table.start.len();
            if length < resolution {
                open.insert(key, OpenBucket { bucket, longest: length, at });
            }
            table.row.push(interval.row);
            table.shade.push(interval.shade);
            table.start.push(interval.start);
            table.end.push(interval.end);
            table.count.push(count);
            table.at_once.push(at_once);
            table.covered.push(length);
            for column in [&mut table.thread, &mut table.event, &mut table.name, &mut table.note] {
                column.push(0);
            }
            table.flags.push(0);
            self.describe(&mut table, &mut names, at, interval);
        }
        table.rows = vec![self.rows];
        if self.rows_only_separate {
            remove_unused_rows(&mut table, &is_used);
        }
        (table.total, table.total_nanos) = (vec![total], vec![total_nanos]);
        table
    }

    /// Fills a row of the table with an interval.
    fn describe(&self, table: &mut Intervals, sent: &mut FastMap<u32, u32>, at: usize, interval: &Interval) {
        let mut send = |texts: &mut Strings, position: u32| {
            *sent.entry(position).or_insert_with(|| texts.push(self.text(position)))
        };
        table.thread[at] = interval.thread.0;
        table.event[at] = interval.event.0;
        table.flags[at] = interval.flags;
        table.name[at] = send(&mut table.texts, interval.name);
        table.note[at] = send(&mut table.texts, interval.note);
    }
}

/// Closes gaps between rows in use.
fn remove_unused_rows(table: &mut Intervals, is_used: &[bool]) {
    let mut next = 0;
    let places: Vec<u16> = is_used
        .iter()
        .map(|used| {
            let place = next;
            next += u16::from(*used);
            place
        })
        .collect();
    for row in &mut table.row {
        *row = places.get(usize::from(*row)).copied().unwrap_or_default();
    }
    table.rows = vec![next];
}

struct OpenBucket {
    bucket: i64,
    longest: i64,
    at: usize,
}

#[cfg(test)]
pub(crate) mod samples {
    use super::*;

    /// Returns intervals `(start, end, row)` of events numbered from 0.
    pub fn intervals(rows: &[(i64, i64, u16)]) -> IntervalSet {
        let mut texts = Texts::default();
        let intervals = (0u32..).zip(rows).map(|(number, &(start, end, row))| {
            let name = texts.position(&format!("interval {number}"));
            Interval { start, end, row, event: EventId(number), name, note: texts.position(""), ..Interval::default() }
        });
        IntervalSet::new(intervals.collect(), texts)
    }
}

#[cfg(test)]
mod tests {
    use super::samples::intervals;
    use super::*;

    #[test]
    fn simultaneous_marks_without_resolution_stay_separate() {
        let set = intervals(&[(5, 5, 0), (5, 5, 0), (5, 6, 0)]);
        assert_eq!(set.window(&|_| true, Span::new(0, 60), 0).event, [0, 1, 2]);
        assert_eq!(set.window(&|_| true, Span::new(0, 60), 1).event, [0, 2]);
    }

    #[test]
    fn short_marks_are_merged_per_bucket_and_named_after_longest() {
        let set = intervals(&[(0, 3, 0), (10, 500, 0), (12, 17, 0), (14, 16, 1), (70, 71, 0)]);
        let table = set.window(&|_| true, Span::new(0, 60), 64);
        let texts: Vec<&str> = table.name.iter().map(|name| table.texts.get(*name as usize)).collect();
        assert_eq!(texts, ["interval 2", "interval 1", "interval 3"]);
        assert_eq!((table.count, table.covered), (vec![2, 1, 1], vec![8, 490, 2]));
        assert_eq!((table.start, table.end), (vec![0, 10, 14], vec![17, 500, 16]));
        assert_eq!(table.at_once, [2, 1, 3], "at 12, 10 and 14");
        assert_eq!((table.total, table.total_nanos, table.rows), (vec![5], vec![501], vec![2]));
    }

    #[test]
    fn packed_marks_of_a_row_do_not_overlap() {
        let set = intervals(&[(0, 10, 0), (2, 4, 0), (3, 9, 0), (4, 8, 0), (10, 12, 0)]).packed();
        assert_eq!(set.intervals().iter().map(|interval| interval.row).collect::<Vec<_>>(), [0, 1, 2, 1, 0]);
        assert_eq!(set.rows, 3);
        let selected = set.window(&|interval| interval.row != 1, Span::new(0, 60), 0);
        assert_eq!((selected.row, selected.rows), (vec![0, 1, 0], vec![2]), "no room for what is not selected");
        let many: Vec<_> = (0..100).map(|at| (at, 1000, 0)).collect();
        assert_eq!(intervals(&many).packed().rows as usize, MAX_ROWS);
    }
}
