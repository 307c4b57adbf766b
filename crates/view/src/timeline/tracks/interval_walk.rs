//! Keyboard navigation between the intervals of a track.

use protocol::tables::Intervals;

/// Returns the row after the interval that starts at `from` (nanoseconds) with the event `selected`, or the row before
/// it. Intervals with the same start are sorted by event; without a selected event, all at `from` are skipped.
pub fn neighbor(intervals: &Intervals, from: i64, selected: Option<u32>, later: bool) -> Option<usize> {
    let place = |row: &usize| (intervals.start[*row], intervals.event[*row]);
    let rows = 0..intervals.start.len().min(intervals.event.len());
    match later {
        true => rows.filter(|row| place(row) > (from, selected.unwrap_or(u32::MAX))).min_by_key(place),
        false => rows.filter(|row| place(row) < (from, selected.unwrap_or(0))).max_by_key(place),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn simultaneous_intervals_are_visited_separately() {
        let intervals =
            Intervals { start: vec![5, 10, 10, 10, 30], event: vec![0, 7, 3, 9, 11], ..Intervals::default() };
        let walk = |from: i64, selected: Option<u32>, later: bool| {
            let (mut at, mut events) = ((from, selected), Vec::new());
            while let Some(row) = neighbor(&intervals, at.0, at.1, later) {
                at = (intervals.start[row], Some(intervals.event[row]));
                events.push(intervals.event[row]);
            }
            events
        };
        assert_eq!(walk(0, None, true), [0, 3, 7, 9, 11]);
        assert_eq!(walk(40, None, false), [11, 9, 7, 3, 0]);
        assert_eq!(walk(10, None, true), [11]);
        assert_eq!(walk(10, None, false), [0]);
        assert_eq!(walk(10, Some(7), false), [3, 0]);
    }
}
