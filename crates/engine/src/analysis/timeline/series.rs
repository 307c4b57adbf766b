//! Tracks of values over time: allocation rate, thread pool, counters and meters.

use super::allocation_rate::allocation_rate;
use super::counters::counters;
use super::series_source::{SeriesPayloads, SeriesSource};
use super::thread_pool::pool;
use crate::analysis::scan::selection::Selection;
use crate::model::Store;
use nettrace::{ByteSource, SourceError};
use protocol::base::hash::FastMap;
use protocol::base::sort::{sort_by, sort_by_key};
use protocol::request::Filter;
use protocol::tables::Series;

/// Maximum number of values of one line: more than a screen has pixels. Beyond it, the lowest and the highest of every
/// four remain.
const MAX_VALUES: usize = 65_536;

/// Rows that series include.
pub struct SeriesRows<'s> {
    /// Rows that the filter selects.
    pub selected: &'s Selection,
    /// Rows that [`of_processes`] selects, because any thread may report values of its process.
    pub of_processes: &'s Selection,
    /// True if these are more.
    pub is_wider: bool,
}

/// Returns a filter for values of processes instead of threads: all threads of the processes of the filter's threads,
/// without conditions on texts and labels, which such events don't have.
pub fn of_processes(store: &Store, filter: &Filter) -> Filter {
    let of_filter = |of: u32| {
        let mut threads = filter.threads.iter().filter_map(|thread| store.threads().get(*thread));
        threads.any(|thread| thread.process.0 == of)
    };
    let mut threads = filter.threads.clone();
    if !threads.is_empty() {
        let all = store.threads().iter().filter(|thread| of_filter(thread.process.0));
        threads.extend(all.map(|thread| thread.id));
        sort_by_key(&mut threads, |thread| *thread);
        threads.dedup();
    }
    Filter { threads, query: String::new(), labels: Vec::new(), frames: Vec::new(), ..filter.clone() }
}

/// Identity of a line.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct LineKey {
    /// Provider, meter or event that reports it.
    pub source: String,
    /// Its track, shared with other lines.
    pub lane: String,
    /// Its name within the track; empty for the only line.
    pub name: String,
    /// Unit; may be empty.
    pub unit: String,
}

/// Nanoseconds, value, and position of a note. A value that isn't finite is a gap.
type Point = (i64, f64, u32);

/// A value over time.
#[derive(Clone, Default)]
struct Line {
    key: LineKey,
    points: Vec<Point>,
}

/// Lines in the order of their first values.
#[derive(Default)]
pub struct Lines {
    by_key: FastMap<LineKey, usize>,
    lines: Vec<Line>,
    /// The first one is empty.
    notes: Vec<String>,
    /// Lanes that show a problem.
    urgent: Vec<String>,
}

impl Lines {
    /// Adds a value with a note, which may be empty. Values come in time order.
    pub fn push(&mut self, key: &LineKey, time: i64, value: f64, note: &str) {
        if !value.is_finite() {
            return;
        }
        let note = self.number_of(note);
        let at = match self.by_key.get(key) {
            Some(&at) => at,
            None => {
                self.by_key.insert(key.clone(), self.lines.len());
                self.lines.push(Line { key: key.clone(), points: Vec::new() });
                self.lines.len() - 1
            }
        };
        self.add(at, (time, value, note));
    }

    /// Adds a gap to a line where the next value isn't a number. Ignored before the line's first value.
    pub fn push_gap(&mut self, key: &LineKey, time: i64) {
        let Some(&at) = self.by_key.get(key) else { return };
        if self.lines[at].points.last().is_some_and(|last| last.1.is_finite()) {
            self.add(at, (time, f64::NAN, 0));
        }
    }

    fn add(&mut self, line: usize, point: Point) {
        let points = &mut self.lines[line].points;
        points.push(point);
        if points.len() >= MAX_VALUES {
            thin(points);
        }
    }

    /// Returns the number of a note: 0 for an empty one, else its position plus 1.
    fn number_of(&mut self, note: &str) -> u32 {
        if note.is_empty() {
            return 0;
        }
        let known = self.notes.iter().position(|known| known == note).unwrap_or_else(|| {
            self.notes.push(note.to_owned());
            self.notes.len() - 1
        });
        known as u32 + 1
    }

    /// Returns all values with their lanes and times, without gaps.
    #[cfg(test)]
    pub fn points(&self) -> impl Iterator<Item = (&str, i64, f64)> {
        let of_line = |line: &Line| line.points.iter().copied().filter(|point| point.1.is_finite()).collect::<Vec<_>>();
        self.lines.iter().flat_map(move |line| {
            of_line(line).into_iter().map(|(time, value, _)| (line.key.lane.as_str(), time, value))
        })
    }

    /// Marks a lane that shows a problem, so that it isn't overlooked.
    pub fn mark_urgent(&mut self, lane: &str) {
        if !self.urgent.iter().any(|urgent| urgent == lane) {
            self.urgent.push(lane.to_owned());
        }
    }

    /// Returns whether a lane has a line.
    fn has(&self, lane: &str) -> bool {
        self.lines.iter().any(|line| line.key.lane == lane)
    }

    /// Repeats a counter's values on one of the runtime's own lanes that would otherwise be empty.
    fn borrow(&mut self, lane: &str, from: &Lines, names: &[&str]) {
        let is_it = |line: &&Line| line.key.source == "System.Runtime" && names.contains(&line.key.lane.as_str());
        if self.has(lane) {
            return;
        }
        if let Some(line) = from.lines.iter().find(is_it) {
            let key = LineKey { lane: lane.to_owned(), ..line.key.clone() };
            for &(time, value, _) in &line.points {
                if value.is_finite() { self.push(&key, time, value, "") } else { self.push_gap(&key, time) }
            }
        }
    }
}

/// Keeps of every four values the lowest and the highest, and one gap, in their order.
fn thin(points: &mut Vec<Point>) {
    let mut kept = Vec::with_capacity(points.len() / 2 + 2);
    for four in points.chunks(4) {
        let values = || four.iter().enumerate().filter(|(_, point)| point.1.is_finite());
        let lowest = values().min_by(|one, other| one.1.1.total_cmp(&other.1.1)).map(|(at, _)| at);
        let highest = values().max_by(|one, other| one.1.1.total_cmp(&other.1.1)).map(|(at, _)| at);
        let gap = four.iter().position(|point| !point.1.is_finite());
        let is_kept = |at: usize| [lowest, highest, gap].contains(&Some(at));
        kept.extend(four.iter().enumerate().filter(|(at, _)| is_kept(*at)).map(|(_, point)| *point));
    }
    *points = kept;
}

/// Track of the allocation rate.
pub const ALLOCATION_LANE: &str = "Allocation rate";
/// Track of the thread pool's workers.
pub const WORKERS_LANE: &str = "Thread pool";
/// Track of the thread pool's queue length.
pub const QUEUE_LANE: &str = "Queue length";

/// Returns all series: those of the runtime first, then counters and meters by provider and name.
///
/// # Errors
/// If a payload can't be read from the file.
pub fn series(
    store: &Store,
    source: &dyn ByteSource,
    payloads: &SeriesPayloads,
    rows: &SeriesRows<'_>,
) -> Result<Series, SourceError> {
    let (mut own, mut of_counters) = (Lines::default(), Lines::default());
    allocation_rate(store, payloads, rows.selected, &mut own);
    let is_by_thread = own.has(ALLOCATION_LANE);
    pool(store, source, rows.of_processes, &mut own)?;
    counters(store, &SeriesSource { payloads, source }, rows.of_processes, &mut of_counters)?;
    own.borrow(ALLOCATION_LANE, &of_counters, &["Allocation Rate"]);
    own.borrow(QUEUE_LANE, &of_counters, &["ThreadPool Queue Length", "dotnet.thread_pool.queue.length"]);
    sort_by(&mut of_counters.lines, |one, other| one.key.cmp(&other.key));
    let mut table = Series::default();
    write(&mut table, &own, rows.is_wider, is_by_thread.then_some(ALLOCATION_LANE));
    table.own_lanes.push(table.lane_name.len() as u32);
    write(&mut table, &of_counters, rows.is_wider, None);
    Ok(table)
}

/// Appends lines, grouped by lane. `exact` is the lane to which every filter applies.
fn write(table: &mut Series, lines: &Lines, is_wider: bool, exact: Option<&str>) {
    let mut lanes: Vec<(&str, &str, &str)> = Vec::new();
    for line in &lines.lines {
        let lane = (line.key.lane.as_str(), line.key.source.as_str(), line.key.unit.as_str());
        if !lanes.contains(&lane) {
            lanes.push(lane);
        }
    }
    for lane in lanes {
        let number = table.lane_name.push(lane.0) as u16;
        table.lane_is_wider.push(u8::from(is_wider && exact != Some(lane.0)));
        table.lane_is_urgent.push(u8::from(lines.urgent.iter().any(|urgent| urgent == lane.0)));
        let is_of_lane =
            |line: &&Line| (line.key.lane.as_str(), line.key.source.as_str(), line.key.unit.as_str()) == lane;
        for line in lines.lines.iter().filter(is_of_lane) {
            table.source.push(&line.key.source);
            table.name.push(&line.key.name);
            table.unit.push(&line.key.unit);
            table.lane.push(number);
            for &(time, value, note) in &line.points {
                if let Some(words) = lines.notes.get((note as usize).wrapping_sub(1)) {
                    table.note_row.push(table.time.len() as u32);
                    table.note.push(words);
                }
                table.time.push(time);
                table.value.push(value);
            }
            table.until.push(table.time.len() as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(lane: &str, name: &str) -> LineKey {
        LineKey { lane: lane.to_owned(), name: name.to_owned(), ..LineKey::default() }
    }

    #[test]
    fn lines_of_lane_are_adjacent_and_keep_notes() {
        let mut lines = Lines::default();
        lines.push(&key("Pool", "Workers"), 1, 4.0, "");
        lines.push(&key("Queue", ""), 2, 9.0, "");
        lines.push(&key("Pool", "Target"), 3, 5.0, "starvation");
        lines.push(&key("Pool", "Target"), 4, f64::NAN, "never");
        lines.mark_urgent("Pool");
        let mut table = Series::default();
        write(&mut table, &lines, true, Some("Queue"));
        assert_eq!(table.name.iter().collect::<Vec<_>>(), ["Workers", "Target", ""]);
        assert_eq!((table.lane, table.until, table.time), (vec![0, 0, 1], vec![1, 2, 3], vec![1, 3, 2]));
        assert_eq!((table.note_row, table.note.get(0)), (vec![1], "starvation"));
        assert_eq!((table.lane_is_wider, table.lane_is_urgent), (vec![1, 0], vec![1, 0]));
    }

    #[test]
    fn many_values_keep_extremes() {
        let mut lines = Lines::default();
        for at in 0..200_000 {
            lines.push(&key("a", ""), at, if at == 77_777 { 5.0 } else { 1.0 }, "");
        }
        let points = &lines.lines[0].points;
        assert!(points.len() < MAX_VALUES && points.iter().any(|point| point.1 == 5.0));
        assert!(points.is_sorted_by_key(|point| point.0) && points[0].0 < 8 && points.last().unwrap().0 > 199_900);
    }

    #[test]
    fn gap_ends_value_and_never_begins_line() {
        let (mut lines, key) = (Lines::default(), key("a", ""));
        lines.push_gap(&key, 0);
        assert!(lines.lines.is_empty());
        lines.push(&key, 1, 5.0, "");
        for at in [2, 3] {
            lines.push_gap(&key, at);
        }
        lines.push(&key, 4, 6.0, "");
        let points: Vec<(i64, Option<f64>)> = lines.lines[0]
            .points
            .iter()
            .map(|point| (point.0, Some(point.1).filter(|value| value.is_finite())))
            .collect();
        assert_eq!(points, [(1, Some(5.0)), (2, None), (4, Some(6.0))], "one gap after the other is one");
        for at in 5..300_000 {
            lines.push(&key, at * 2, at as f64, "");
            lines.push_gap(&key, at * 2 + 1);
        }
        let points = &lines.lines[0].points;
        assert!(points.len() < MAX_VALUES && points.iter().any(|point| !point.1.is_finite()));
    }
}
