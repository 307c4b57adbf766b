//! Rows for activities that continue across threads: an activity with its child activities below it. Activities of one
//! trace ID are adjacent, even across processes.

use super::interval_set::Interval;
use super::spans::index::SpanOf;
use protocol::base::hash::FastMap;

/// Maximum number of rows for all activities; the last ones hold those without a free row.
const MAX_ROWS: usize = 64;
/// Maximum number of rows of one activity with its children.
const MAX_ROWS_A_TREE: usize = 16;

/// Returns the spans of every activity that continues on another thread, with their rows.
pub(crate) fn activity_lanes(spans: &[SpanOf]) -> Vec<Interval> {
    let mut roots: Vec<u32> = Vec::with_capacity(spans.len());
    // By trace ID: its first span.
    let mut by_trace: FastMap<u32, u32> = FastMap::default();
    let mut hops = vec![false; spans.len()];
    for (position, span) in spans.iter().enumerate() {
        // A parent comes before its children.
        let of_parent = span.parent.and_then(|parent| roots.get(parent as usize).copied());
        let root = of_parent.unwrap_or_else(|| match span.trace {
            0 => position as u32,
            trace => *by_trace.entry(trace).or_insert(position as u32),
        });
        roots.push(root);
        let at_root = spans.get(root as usize).map(|root| root.interval.thread);
        let interval = &span.interval;
        hops[root as usize] |=
            interval.thread != interval.last_thread && interval.is_whole() || at_root != Some(interval.thread);
    }
    let mut trees: Vec<Vec<u32>> = vec![Vec::new(); spans.len()];
    for (position, span) in spans.iter().enumerate().filter(|(_, span)| span.activity.0 != 0 || span.trace != 0) {
        let root = roots[position] as usize;
        if hops[root] && (span.interval.is_whole() || root == position) {
            trees[root].push(position as u32);
        }
    }
    let mut lanes = Vec::new();
    let mut free_from: Vec<i64> = Vec::new();
    let mut row_of = vec![0u16; spans.len()];
    for members in trees.iter().filter(|members| !members.is_empty()) {
        let (rows, end) = tree_rows(spans, members, &mut row_of);
        let start = spans[members[0] as usize].interval.start;
        let top = place(&mut free_from, rows, start, end);
        for &member in members {
            let row = (top + usize::from(row_of[member as usize])).min(MAX_ROWS - 1) as u16;
            lanes.push(Interval { row, ..spans[member as usize].interval });
        }
    }
    lanes
}

/// Assigns every member of a tree a free row below its parent's. Returns the number of rows and the end of the last
/// member.
fn tree_rows(spans: &[SpanOf], members: &[u32], row_of: &mut [u16]) -> (usize, i64) {
    let mut free_from: Vec<i64> = Vec::new();
    let mut last = i64::MIN;
    for &member in members {
        let span = &spans[member as usize];
        let above = span.parent.filter(|parent| members.binary_search(parent).is_ok());
        let first = above.map_or(0, |parent| usize::from(row_of[parent as usize]) + 1).min(MAX_ROWS_A_TREE - 1);
        let free = (first..free_from.len()).find(|&row| free_from[row] <= span.interval.start);
        let row = free.unwrap_or_else(|| free_from.len().max(first).min(MAX_ROWS_A_TREE - 1));
        if free_from.len() <= row {
            free_from.resize(row + 1, i64::MIN);
        }
        free_from[row] = free_from[row].max(span.interval.end);
        row_of[member as usize] = row as u16;
        last = last.max(span.interval.end);
    }
    (free_from.len(), last)
}

/// Returns the first of `rows` adjacent rows that are all free at a time.
fn place(free_from: &mut Vec<i64>, rows: usize, start: i64, end: i64) -> usize {
    let mut free = 0;
    let mut top = None;
    for (row, &until) in free_from.iter().enumerate() {
        free = if until <= start { free + 1 } else { 0 };
        if free == rows {
            top = Some(row + 1 - rows);
            break;
        }
    }
    let top = top.unwrap_or_else(|| (free_from.len() - free).min(MAX_ROWS.saturating_sub(rows)));
    if free_from.len() < top + rows {
        free_from.resize(top + rows, i64::MIN);
    }
    for until in &mut free_from[top..top + rows] {
        *until = (*until).max(end);
    }
    top
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::base::ids::{ActivityId, EventId, ThreadId};

    /// Start, end, first thread, last thread, parent.
    type Line = (i64, i64, u32, u32, Option<u32>);

    fn rows(lines: &[Line]) -> Vec<(u32, u16)> {
        let span = |(number, &(start, end, thread, last, parent)): (u32, &Line)| {
            let (thread, last_thread) = (ThreadId(thread), ThreadId(last));
            let (event, last_event) = (EventId(number), EventId(number + 100));
            let interval = Interval { start, end, thread, last_thread, event, last_event, ..Interval::default() };
            SpanOf { interval, activity: ActivityId(number + 1), trace: 0, track: None, parent }
        };
        let spans: Vec<SpanOf> = (0u32..).zip(lines).map(span).collect();
        activity_lanes(&spans).iter().map(|interval| (interval.event.0, interval.row)).collect()
    }

    #[test]
    fn activity_on_one_thread_has_no_row_and_children_are_below() {
        let found = rows(&[
            (0, 100, 1, 2, None),
            (5, 90, 1, 1, None),
            (10, 50, 2, 3, Some(0)),
            (20, 30, 3, 3, Some(2)),
            (40, 80, 2, 2, Some(0)),
            (60, 200, 4, 5, None),
            (100, 120, 1, 2, None),
        ]);
        assert_eq!(found, [(0, 0), (2, 1), (3, 2), (4, 2), (5, 3), (6, 0)]);
    }

    #[test]
    fn activities_of_one_trace_are_adjacent() {
        let span = |(number, (start, end, thread, trace)): (u32, (i64, i64, u32, u32))| {
            let (thread, event) = (ThreadId(thread), EventId(number));
            let (last_thread, last_event) = (thread, EventId(number + 100));
            let interval = Interval { start, end, thread, last_thread, event, last_event, ..Interval::default() };
            SpanOf { interval, activity: ActivityId(0), trace, track: None, parent: None }
        };
        // Trace 1 goes from thread 1 to thread 5, trace 2 stays on its thread, and the last has no trace ID.
        let lines = [(0, 100, 1, 1), (5, 60, 3, 2), (10, 50, 5, 1), (20, 30, 5, 1), (40, 80, 1, 0)];
        let spans: Vec<SpanOf> = (0u32..).zip(lines).map(span).collect();
        let found: Vec<_> = activity_lanes(&spans).iter().map(|interval| (interval.event.0, interval.row)).collect();
        assert_eq!(found, [(0, 0), (2, 1), (3, 2)]);
    }

    #[test]
    fn activity_tree_has_adjacent_rows_up_to_limit() {
        let many: Vec<Line> = (0..200).map(|at| (at, 1000, 1, 2, None)).collect();
        assert_eq!(rows(&many).iter().map(|row| row.1).max(), Some(MAX_ROWS as u16 - 1));
        let deep: Vec<Line> = (0..100).map(|at| (at, 1000, 1, 2, (at as u32).checked_sub(1))).collect();
        assert_eq!(rows(&deep).iter().map(|row| row.1).max(), Some(MAX_ROWS_A_TREE as u16 - 1));
    }
}
