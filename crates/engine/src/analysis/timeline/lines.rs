//! Lines of values over time, grouped into tracks.

use super::series_source::SeriesPayloads;
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::scan::selection::Selection;
use crate::model::Store;
use nettrace::ByteSource;
use protocol::base::hash::FastMap;
use protocol::base::sort::sort_by;
use protocol::tables::Series;
use protocol::timeline::track::TrackKind;

/// Maximum number of values of one line: more than a screen has pixels. Beyond it, the lowest and the highest of every
/// four remain.
const MAX_VALUES: usize = 65_536;

/// Rows that series include.
pub struct SeriesRows<'s> {
    /// Rows that the filter selects.
    pub selected: &'s Selection,
    /// Rows that [`super::series::of_processes`] selects, because any thread may report values of its process.
    pub of_processes: &'s Selection,
    /// True if these are more.
    pub is_wider: bool,
}

/// Data from which the values of a track are computed.
pub struct ValueSources<'s> {
    pub store: &'s Store,
    /// Bytes of the trace.
    pub source: &'s dyn ByteSource,
    /// Payloads in memory.
    pub payloads: &'s SeriesPayloads,
    pub samples: &'s SampleIndex,
    /// Rows to include.
    pub rows: &'s SeriesRows<'s>,
    /// Values of counters and meters.
    pub counters: &'s Lines,
}

/// Identity of a line.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct LineKey {
    /// Its track; `None` for counters and meters.
    pub track: Option<TrackKind>,
    /// Provider, meter or event that reports it.
    pub source: String,
    /// Name of the counter or meter, whose lines share a track; empty for other tracks.
    pub lane: String,
    /// Its name within the track; empty for the only line.
    pub name: String,
    /// Unit; may be empty.
    pub unit: String,
}

impl LineKey {
    /// Returns the identity of a line of one of the runtime's own tracks.
    pub fn of_track(track: TrackKind, source: &str, name: &str, unit: &str) -> Self {
        let [source, name, unit] = [source, name, unit].map(str::to_owned);
        Self { track: Some(track), source, lane: String::new(), name, unit }
    }

    /// Returns the part that all lines of a track share.
    fn of_table(&self) -> (Option<TrackKind>, &str, &str, &str) {
        (self.track, &self.lane, &self.source, &self.unit)
    }
}

/// Nanoseconds, value, and position of a note. A value that isn't finite is a gap.
pub type Point = (i64, f64, u32);

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
    /// Tracks that show a problem.
    urgent: Vec<TrackKind>,
    /// Tracks to which every filter applies.
    exact: Vec<TrackKind>,
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

    /// Marks a track that shows a problem, so that it isn't overlooked.
    pub fn mark_urgent(&mut self, track: TrackKind) {
        if !self.urgent.contains(&track) {
            self.urgent.push(track);
        }
    }

    /// Marks a track whose values are of threads, so that every filter applies to it.
    pub fn mark_exact(&mut self, track: TrackKind) {
        self.exact.push(track);
    }

    /// Sorts lines by source and name.
    pub fn sort(&mut self) {
        sort_by(&mut self.lines, |one, other| one.key.cmp(&other.key));
    }

    /// Returns the lines of a counter or meter of the runtime.
    pub fn of_runtime(&self, instrument: &str) -> impl Iterator<Item = &[Point]> {
        let is_it = move |line: &&Line| line.key.source == "System.Runtime" && line.key.lane == instrument;
        self.lines.iter().filter(is_it).map(|line| line.points.as_slice())
    }

    /// Repeats a counter's values on one of the runtime's own tracks that would otherwise be empty.
    pub fn borrow(&mut self, track: TrackKind, counters: &Self, names: &[&str]) {
        let is_it = |line: &&Line| line.key.source == "System.Runtime" && names.contains(&line.key.lane.as_str());
        if self.lines.iter().any(|line| line.key.track == Some(track)) {
            return;
        }
        if let Some(line) = counters.lines.iter().find(is_it) {
            let key = LineKey { track: Some(track), lane: String::new(), ..line.key.clone() };
            for &(time, value, _) in &line.points {
                if value.is_finite() { self.push(&key, time, value, "") } else { self.push_gap(&key, time) }
            }
        }
    }

    /// Appends lines to a table, grouped by track.
    pub fn write(&self, table: &mut Series, is_wider: bool) {
        let mut tracks = Vec::new();
        for line in &self.lines {
            let track = line.key.of_table();
            if !tracks.contains(&track) {
                tracks.push(track);
            }
        }
        for track in tracks {
            let (kind, lane, ..) = track;
            let is_among = |kinds: &[TrackKind]| kind.is_some_and(|kind| kinds.contains(&kind));
            let number = table.lane_name.push(lane) as u16;
            table.lane_kind.push(kind.map_or(u8::MAX, TrackKind::number));
            table.lane_is_wider.push(u8::from(is_wider && !is_among(&self.exact)));
            table.lane_is_urgent.push(u8::from(is_among(&self.urgent)));
            for line in self.lines.iter().filter(|line| line.key.of_table() == track) {
                table.source.push(&line.key.source);
                table.name.push(&line.key.name);
                table.unit.push(&line.key.unit);
                table.lane.push(number);
                for &(time, value, note) in &line.points {
                    if let Some(words) = self.notes.get((note as usize).wrapping_sub(1)) {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn key(lane: &str, name: &str) -> LineKey {
        LineKey { lane: lane.to_owned(), name: name.to_owned(), ..LineKey::default() }
    }

    fn of_track(track: TrackKind, name: &str) -> LineKey {
        LineKey::of_track(track, "", name, "")
    }

    #[test]
    fn lines_of_track_are_adjacent_and_keep_notes() {
        let mut lines = Lines::default();
        lines.push(&of_track(TrackKind::ThreadPool, "Active"), 1, 4.0, "");
        lines.push(&of_track(TrackKind::QueueLength, ""), 2, 9.0, "");
        lines.push(&of_track(TrackKind::ThreadPool, "Target"), 3, 5.0, "starvation");
        lines.push(&of_track(TrackKind::ThreadPool, "Target"), 4, f64::NAN, "never");
        lines.mark_urgent(TrackKind::ThreadPool);
        lines.mark_exact(TrackKind::QueueLength);
        let mut table = Series::default();
        lines.write(&mut table, true);
        assert_eq!(table.name.iter().collect::<Vec<_>>(), ["Active", "Target", ""]);
        assert_eq!(table.lane_kind, [TrackKind::ThreadPool, TrackKind::QueueLength].map(TrackKind::number));
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
