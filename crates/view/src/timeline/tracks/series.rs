//! Tracks of values over time: allocation rate, thread pool, counters, meters. Related values share a track.

use super::table::{Content, TrackRow};
use super::track::{HeadWords, Place, RuntimeTrack, Subject, TrackContent};
use crate::draw::drawlist::{Align, DrawList, Label};
use crate::draw::palette::{Fill, Token};
use crate::draw::text_fit::fit;
use crate::draw::tooltip::{Tooltip, TooltipContext, shorten};
use crate::draw::units::{CssPx, Rect};
use crate::format;
use crate::timeline::hit::Target;
use crate::timeline::paint::free_place::Covered;
use crate::timeline::paint::series::{StepStyle, paint_steps};
use crate::timeline::timescale::TimeScale;
use crate::timeline::track_key::RuntimeKey;
use crate::timeline::track_layout::TRACK_HEIGHT;
use protocol::base::time::Span;
use protocol::tables::Series;
use protocol::timeline::track::TrackKind;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

/// Distance of the graph from the top and bottom of a collapsed and of an expanded track.
const MARGINS: (CssPx, CssPx) = (3.0, 4.0);
/// Height of an expanded track with one line, and with several.
const EXPANDED_HEIGHTS: (CssPx, CssPx) = (30.0, 44.0);
/// Colors of the lines of a track, repeated for further lines.
const INKS: [Token; 4] = [Token::Text2, Token::Neutral, Token::Text, Token::LineStrong];
/// Maximum share of the width for names of lines: a meter's tags are long.
const NAMES_SHARE: f64 = 0.2;
/// Minimum width for names of lines.
const MIN_NAME_WIDTH: CssPx = 96.0;
/// Space on both sides of the label of the axis, and above and below a line.
const LABEL_MARGIN: CssPx = 4.0;
const LINE_ROOM: CssPx = 1.0;
/// Height of letters above the baseline, and their depth below it.
const X_HEIGHT: CssPx = 8.0;
const DESCENDERS: CssPx = 3.0;
/// Triangle at a value with a note: width, height, distance.
const NOTE: (CssPx, CssPx, CssPx) = (6.0, 5.0, 4.0);
/// Maximum number of other lines in a tooltip.
const MAX_OTHERS: usize = 8;

/// Values over time of one track.
pub struct SeriesTrack {
    process: u32,
    table: Arc<Series>,
    /// Index among the table's tracks.
    lane: u16,
    /// Indices of its lines in the table, with the rows of their values.
    lines: Vec<(usize, Range<usize>)>,
    max: f64,
    min: f64,
}

impl SeriesTrack {
    /// Returns the tracks with values of a process: those of the runtime, and those of counters and meters.
    pub fn all(process: u32, table: Series) -> (Vec<Self>, Vec<Self>) {
        let table = Arc::new(table);
        let mut tracks: Vec<Self> = Vec::new();
        let mut from = 0;
        for (line, &until) in table.until.iter().enumerate() {
            let rows = from..(until as usize).min(table.time.len());
            from = until as usize;
            let Some(values) = table.value.get(rows.clone()).filter(|values| !values.is_empty()) else { continue };
            let lane = table.lane[line];
            if tracks.last().is_none_or(|last| last.lane != lane) {
                let table = table.clone();
                tracks.push(Self { process, table, lane, lines: Vec::new(), max: f64::MIN, min: f64::MAX });
            }
            if let Some(track) = tracks.last_mut() {
                track.max = values.iter().copied().fold(track.max, f64::max);
                track.min = values.iter().copied().fold(track.min, f64::min);
                track.lines.push((line, rows));
            }
        }
        tracks.into_iter().partition(|track| !matches!(track.key().kind, TrackKind::Series(_)))
    }

    /// Returns the identity by number, which counters and meters have. Links of older versions also use it for others.
    pub fn numbered_key(&self) -> RuntimeKey {
        RuntimeKey { process: self.process, kind: TrackKind::Series(self.lane) }
    }

    fn unit(&self) -> &str {
        self.lines.first().map_or("", |(line, _)| self.table.unit.get(*line))
    }

    fn with_unit(&self, value: f64) -> String {
        if value.is_finite() { format::measured(value, self.unit()) } else { "not a number".to_owned() }
    }

    fn name(&self) -> &str {
        match TrackRow::of(self.key().kind).name {
            "" => self.table.lane_name.get(self.lane.into()),
            name => name,
        }
    }

    /// Returns the name of a line in a tooltip.
    fn line_name(&self, line: usize) -> &str {
        match self.table.name.get(line) {
            "" => self.name(),
            name => name,
        }
    }

    /// Returns the figures of the header for some rows of each line; `None` without values.
    fn figures(&self, rows_of: impl Fn(&Range<usize>) -> Range<usize>) -> Option<String> {
        let ends = |rows: &Range<usize>| {
            let values = self.table.value.get(rows_of(rows))?.iter().copied().filter(|value| value.is_finite());
            values.map(|value| (value, value)).reduce(joined)
        };
        let lines = || self.lines.iter().filter_map(|(line, rows)| Some((*line, ends(rows)?)));
        let range = match self.are_lines_different() {
            true => {
                let named = |(line, ends): (usize, (f64, f64))| {
                    let name = self.line_name(line).to_lowercase();
                    format!("{name} {}", range(ends, |value| format::measured(value, "")))
                };
                Some(lines().map(named).collect::<Vec<_>>().join(", ")).filter(|range| !range.is_empty())?
            }
            false => range(lines().map(|(_, ends)| ends).reduce(joined)?, |value| self.with_unit(value)),
        };
        Some(if self.is_wider() { format!("{range} · whole process") } else { range })
    }

    /// Returns whether the lines mean different things, so that they have no common range: the pool's target isn't a
    /// number of threads.
    fn are_lines_different(&self) -> bool {
        self.key().kind == TrackKind::ThreadPool && self.lines.len() > 1
    }

    /// Returns the label of the axis: its largest value, and the name of that line if others mean something else.
    fn axis_label(&self) -> String {
        let max = format!("max {}", self.with_unit(self.max));
        let has_max =
            |rows: &Range<usize>| self.table.value.get(rows.clone()).is_some_and(|all| all.contains(&self.max));
        match self.lines.iter().find(|(_, rows)| has_max(rows)).filter(|_| self.are_lines_different()) {
            Some((line, _)) => {
                format!("{} max {}", self.line_name(*line).to_lowercase(), format::measured(self.max, ""))
            }
            None => max,
        }
    }

    fn is_wider(&self) -> bool {
        self.table.lane_is_wider.get(usize::from(self.lane)) == Some(&1)
    }

    /// Returns the axis, which begins at 0, or at the lowest value below.
    fn axis(&self) -> (f64, f64) {
        let top = match TrackRow::of(self.key().kind).content {
            Content::Values(top) => top.unwrap_or_default(),
            _ => 0.0,
        };
        (self.min.min(0.0), self.max.max(top))
    }

    /// Returns the style of a line in a track with this top and height, until `end`.
    fn style(&self, (top, height): (CssPx, CssPx), end: i64, order: usize) -> StepStyle {
        // Filled areas of several lines would hide each other.
        let ground = (self.lines.len() == 1).then_some(Token::LineFaint);
        let (axis, line) = (self.axis(), INKS[order % INKS.len()]);
        StepStyle { end, axis, area: (top + margin(height), graph(height)), line, ground }
    }

    /// Returns the position of a value in a track of a height, from its top.
    fn y_of(&self, value: f64, height: CssPx) -> CssPx {
        self.style((0.0, height), 0, 0).y_of(value)
    }

    /// Returns the row of a line's value at a time.
    fn row_at(&self, rows: &Range<usize>, at: i64) -> Option<usize> {
        let before = self.table.time.get(rows.clone())?.partition_point(|time| *time <= at).checked_sub(1)?;
        Some(rows.start + before)
    }

    /// Returns the rows of a line for a time range: from the last value before it to the first after it.
    fn rows_in(&self, rows: &Range<usize>, span: Span) -> Range<usize> {
        let first = self.row_at(rows, span.start.0).unwrap_or(rows.start);
        let after = self.row_at(rows, span.end.0).map_or(rows.start, |row| row + 1);
        first..(after + 1).min(rows.end)
    }

    fn note(&self, row: usize) -> Option<&str> {
        let at = self.table.note_row.binary_search(&u32::try_from(row).ok()?).ok()?;
        Some(self.table.note.get(at))
    }

    /// Draws triangles at values with a note, merging close ones.
    fn paint_notes(&self, list: &mut DrawList, place: &Place<'_>, rows: &Range<usize>, ink: Token) {
        let mut last = f64::MIN;
        let first = self.table.note_row.partition_point(|row| (*row as usize) < rows.start);
        for &row in &self.table.note_row[first..] {
            if row as usize >= rows.end {
                return;
            }
            let (time, value) = (self.table.time[row as usize], self.table.value[row as usize]);
            let x = place.scale.x(time).floor();
            if x - last < NOTE.2 || x < 0.0 || x > place.scale.width() {
                continue;
            }
            last = x;
            let y = place.top + self.y_of(value, place.height) + 1.0;
            list.triangles.push((ink, Rect::new(x - NOTE.0 / 2.0, y, NOTE.0, NOTE.1)));
        }
    }

    /// Returns the height below a line that belongs to it, with its notes.
    fn room_below(&self) -> CssPx {
        if self.table.note_row.is_empty() { LINE_ROOM } else { LINE_ROOM + NOTE.1 }
    }

    /// Returns the places that lines and their notes cover.
    fn covered(&self, place: &Place<'_>) -> Covered {
        let (scale, end) = (place.scale, place.limits.end.0);
        let below_line = self.room_below();
        let is_filled = self.lines.len() == 1;
        let mut covered = Covered::new(scale.width());
        for (_, rows) in &self.lines {
            let rows = self.rows_in(rows, scale.span());
            let ends = self.table.time[rows.clone()].iter().skip(1).copied().chain([end]);
            for (row, until) in rows.zip(ends) {
                let value = self.table.value[row];
                if value.is_finite() {
                    let y = self.y_of(value, place.height);
                    let foot = if is_filled { place.height } else { y + below_line };
                    covered.cover((scale.x(self.table.time[row]), scale.x(until) + 1.0), (y - LINE_ROOM, foot));
                }
            }
        }
        covered
    }

    /// Returns a place for the label of the axis beside the lines: its right end, and its baseline from the top of the
    /// track; `None` without such a place.
    fn axis_label_place(covered: &Covered, height: CssPx, length: CssPx) -> Option<(CssPx, CssPx)> {
        let (above, below) = (margin(height) + X_HEIGHT, bottom(height));
        let at = |baseline: CssPx| Some((covered.last_place(length, (baseline - X_HEIGHT, baseline))?, baseline));
        let (above, below) = (at(above), at(below));
        // Nearest to the right edge.
        let is_right = |below: &(CssPx, CssPx)| above.is_none_or(|above| below.0 > above.0);
        below.filter(is_right).or(above)
    }

    /// Draws names of lines above or below their last values, where they cover neither lines nor other labels.
    fn paint_names(&self, list: &mut DrawList, place: &Place<'_>, covered: &mut Covered) {
        let longest = (place.scale.width() * NAMES_SHARE).max(MIN_NAME_WIDTH);
        let (top, bottom) = (margin(place.height), bottom(place.height));
        for (order, (line, rows)) in self.lines.iter().enumerate() {
            let at = place.scale.span().end.0.min(place.limits.end.0);
            let Some(row) = self.row_at(rows, at).filter(|row| self.table.value[*row].is_finite()) else { continue };
            let name = self.table.name.get(*line);
            if name.is_empty() {
                continue;
            }
            let name = fit(name, longest, place.characters.small);
            let length = length(&name, place);
            let y = self.y_of(self.table.value[row], place.height);
            // Farther left, the line has other values.
            let last = place.scale.x(self.table.time[row]).max(place.scale.width() - 2.0 * longest);
            let at = |baseline: CssPx| {
                let right = covered.last_place(length, (baseline - X_HEIGHT, baseline))?;
                (baseline - X_HEIGHT >= top && baseline <= bottom && right > last).then_some((right, baseline))
            };
            let Some((right, y)) = at(y - DESCENDERS).or_else(|| at(y + self.room_below() + X_HEIGHT + LINE_ROOM))
            else {
                continue;
            };
            covered.cover((right - length, right), (y - X_HEIGHT, y));
            let ink = if order == 0 { Token::Text2 } else { Token::Text3 };
            let label = Label::small(right - LABEL_MARGIN, place.top + y, name, ink);
            list.labels.push(Label { align: Align::End, has_plate: true, ..label });
        }
    }
}

/// Returns the width of a label with the space on both sides.
fn length(text: &str, place: &Place<'_>) -> CssPx {
    text.chars().count() as CssPx * place.characters.small + 2.0 * LABEL_MARGIN
}

/// Returns a range that contains two others.
fn joined(one: (f64, f64), other: (f64, f64)) -> (f64, f64) {
    (one.0.min(other.0), one.1.max(other.1))
}

/// Formats a range of values: "0–4 MB".
fn range((lowest, highest): (f64, f64), format: impl Fn(f64) -> String) -> String {
    let (min, max) = (format(lowest), format(highest));
    match lowest {
        _ if min == max => max,
        0.0 => format!("0–{max}"),
        _ => format::between(&min, &max),
    }
}

/// Returns the distance of the graph from the top and bottom of a track of a height.
fn margin(height: CssPx) -> CssPx {
    if height > TRACK_HEIGHT { MARGINS.1 } else { MARGINS.0 }
}

/// Returns the height of the graph in a track of a height.
fn graph(height: CssPx) -> CssPx {
    height - 2.0 * margin(height)
}

/// Returns the bottom of the graph in a track of a height, from the top of the track.
fn bottom(height: CssPx) -> CssPx {
    height - margin(height)
}

impl TrackContent for SeriesTrack {
    fn paint(&self, list: &mut DrawList, place: &Place<'_>) {
        let table = &self.table;
        for (order, (_, rows)) in self.lines.iter().enumerate() {
            let style = self.style((place.top, place.height), place.limits.end.0, order);
            let rows = self.rows_in(rows, place.scale.span());
            let steps = table.time[rows.clone()].iter().copied().zip(table.value[rows.clone()].iter().copied());
            paint_steps(list, steps, &style, place.scale);
            self.paint_notes(list, place, &rows, style.line);
        }
        let text = self.axis_label();
        let length = length(&text, place);
        let mut covered = self.covered(place);
        let is_flat = self.min == 0.0 && self.max == 0.0;
        let label = Self::axis_label_place(&covered, place.height, length).filter(|_| !is_flat);
        if let Some((right, y)) = label {
            covered.cover((right - length, right), (y - X_HEIGHT, y));
            let label = Label::small(right - LABEL_MARGIN, place.top + y, text, Token::Text3);
            list.labels.push(Label { align: Align::End, has_plate: true, ..label });
        }
        if place.height > TRACK_HEIGHT {
            self.paint_names(list, place, &mut covered);
        }
    }

    fn hit(&self, scale: &TimeScale, height: CssPx, x: CssPx, y: CssPx) -> Option<Target> {
        let at = scale.time(x).0;
        let found = self.lines.iter().filter_map(|(_, rows)| self.row_at(rows, at));
        // A gap is farther than any line.
        let distance = |row: &usize| match self.table.value[*row] {
            value if value.is_finite() => (self.y_of(value, height) - y).abs(),
            _ => CssPx::INFINITY,
        };
        let item = found.min_by(|one, other| distance(one).total_cmp(&distance(other)))?;
        Some(Target::Item { track: self.key(), item })
    }

    fn tooltip(&self, target: &Target, context: &TooltipContext<'_>) -> Option<Tooltip> {
        let row = target.item_of(self.key(), self.table.time.len())?;
        let (line, _) = self.lines.iter().find(|(_, rows)| rows.contains(&row))?;
        let time = self.table.time[row];
        let mut lines: Vec<(Cow<'static, str>, String)> = Vec::new();
        if let Some(note) = self.note(row) {
            lines.push(("Reason".into(), note.to_owned()));
        }
        for (other, rows) in self.lines.iter().filter(|(other, _)| other != line).take(MAX_OTHERS) {
            if let Some(value) = self.row_at(rows, time).map(|row| self.table.value[row]) {
                lines.push((shorten(self.line_name(*other)).into(), self.with_unit(value)));
            }
        }
        lines.push(("Source".into(), self.table.source.get(*line).to_owned()));
        lines.push(("Time".into(), context.moment(time)));
        if self.is_wider() {
            lines.push(("Scope".into(), "whole process (this filter doesn't apply)".to_owned()));
        }
        let title = match self.table.name.get(*line) {
            "" => self.name().to_owned(),
            name => format!("{}: {}", self.name(), shorten(name)),
        };
        let swatch = Fill::Solid(Token::Text2);
        Some(Tooltip { swatch, title, value: self.with_unit(self.table.value[row]), lines })
    }

    fn bounds(&self, target: &Target) -> Option<(i64, i64)> {
        let row = target.item_of(self.key(), self.table.time.len())?;
        let (_, rows) = self.lines.iter().find(|(_, rows)| rows.contains(&row))?;
        let start = self.table.time[row];
        let next = Some(row + 1).filter(|next| rows.contains(next));
        Some((start, next.map_or(start, |next| self.table.time[next])))
    }

    fn targets(&self) -> Vec<Target> {
        let rows = self.lines.iter().flat_map(|(_, rows)| rows.clone());
        rows.map(|item| Target::Item { track: self.key(), item }).collect()
    }

    fn subject(&self, _target: &Target) -> Option<Subject> {
        None
    }
}

impl RuntimeTrack for SeriesTrack {
    fn key(&self) -> RuntimeKey {
        let number = self.table.lane_kind.get(usize::from(self.lane)).copied().unwrap_or(u8::MAX);
        let numbered = self.numbered_key();
        TrackKind::from_number(number).map_or(numbered, |kind| RuntimeKey { kind, ..numbered })
    }

    fn height(&self) -> CssPx {
        TRACK_HEIGHT
    }

    fn expanded_height(&self) -> Option<CssPx> {
        Some(if self.lines.len() > 1 { EXPANDED_HEIGHTS.1 } else { EXPANDED_HEIGHTS.0 })
    }

    fn is_urgent(&self) -> bool {
        self.table.lane_is_urgent.get(usize::from(self.lane)) == Some(&1)
    }

    fn words(&self, _whole: Span) -> HeadWords {
        HeadWords { name: self.name().to_owned(), figures: self.figures(Clone::clone).unwrap_or_default() }
    }

    fn figures_in(&self, span: Span) -> Option<String> {
        self.figures(|rows| {
            let until = self.row_at(rows, span.end.0).map_or(rows.start, |row| row + 1);
            self.row_at(rows, span.start.0).unwrap_or(rows.start)..until
        })
    }

    fn find(&self, _subject: Subject) -> Option<Target> {
        None
    }

    fn neighbor(&self, _from: i64, _later: bool) -> Option<Target> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::drawlist::{CharacterWidths, RecordingPainter};
    use crate::timeline::hit::samples::small;
    use crate::timeline::tracks::track::Chosen;

    fn tracks() -> (Vec<SeriesTrack>, Vec<SeriesTrack>) {
        SeriesTrack::all(
            0,
            Series {
                lane_kind: vec![TrackKind::ThreadPool.number(), u8::MAX, u8::MAX],
                lane_name: ["", "Working Set", "never reported"].into_iter().collect(),
                lane_is_wider: vec![1, 0, 0],
                lane_is_urgent: vec![1, 0, 0],
                lane: vec![0, 0, 1, 2],
                source: ["Runtime", "Runtime", "System.Runtime", "Shop"].into_iter().collect(),
                name: ["Active", "Target", "", ""].into_iter().collect(),
                unit: ["workers", "workers", "MB", ""].into_iter().collect(),
                until: vec![2, 3, 6, 6],
                time: vec![100, 500, 600, 0, 200, 800],
                value: vec![2.0, 4.0, 3.0, 110.5, 55.25, 110.5],
                note_row: vec![2],
                note: ["starvation"].into_iter().collect(),
            },
        )
    }

    fn drawn(track: &SeriesTrack) -> String {
        let mut list = DrawList::default();
        let scale = TimeScale::new(Span::new(0, 1000), 500.0);
        let (chosen, characters) = (Chosen::default(), CharacterWidths::default());
        let height = track.expanded_height().unwrap();
        track.paint(&mut list, &Place { scale: &scale, top: 10.0, height, limits: scale.span(), chosen, characters });
        let mut painter = RecordingPainter::default();
        list.paint_shapes(&mut painter);
        list.paint_labels(&mut painter);
        painter.text()
    }

    #[test]
    fn series_is_drawn_in_steps_with_axis_maximum() {
        let (own, counters) = tracks();
        assert_eq!((own.len(), counters.len()), (1, 1), "what has no value has no track");
        assert_eq!(
            drawn(&counters[0]),
            "LineFaint: 0,14 100x22; 100,25 300x11; 400,14 100x22\n\
             Text2: 0,14 100x1; 100,14 1x12; 101,25 299x1; 400,14 1x12; 401,14 99x1\n\
             text Text3 396,22: max 110 MB"
        );
    }

    #[test]
    fn axis_of_percentages_ends_at_100() {
        let table = Series {
            lane_kind: vec![TrackKind::CpuUsage.number()],
            lane_name: [""].into_iter().collect(),
            lane: vec![0],
            until: vec![2],
            source: ["cpu-usage counter of System.Runtime"].into_iter().collect(),
            name: [""].into_iter().collect(),
            unit: ["%"].into_iter().collect(),
            time: vec![0, 500],
            value: vec![25.0, 50.0],
            ..Series::default()
        };
        let (own, _) = SeriesTrack::all(0, table);
        let text = drawn(&own[0]);
        assert!(text.starts_with("LineFaint: 0,30 250x6; 250,25 250x11\n"), "a quarter and half of the height: {text}");
        assert!(text.contains("max 50%"), "{text}");
        let words = own[0].words(Span::default());
        assert_eq!((words.name.as_str(), words.figures.as_str()), ("CPU usage", "25–50%"));
        let target = own[0].hit(&TimeScale::new(Span::new(0, 1000), 500.0), 30.0, 300.0, 10.0).unwrap();
        assert_eq!(
            own[0].tooltip(&target, &small().context()).unwrap().sentence(),
            "CPU usage, 50%; Source cpu-usage counter of System.Runtime; Time 0.000001 s"
        );
    }

    #[test]
    fn axis_label_avoids_line_and_is_omitted_for_empty_line() {
        let labels = |values: [f64; 2]| {
            let table = Series {
                lane_name: ["Queue"].into_iter().collect(),
                lane: vec![0],
                until: vec![2],
                name: [""].into_iter().collect(),
                unit: ["items"].into_iter().collect(),
                time: vec![0, 500],
                value: values.to_vec(),
                ..Series::default()
            };
            let (_, tracks) = SeriesTrack::all(0, table);
            let text = drawn(&tracks[0]);
            text.lines().filter(|line| line.starts_with("text")).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(labels([4.0, 0.0]), ["text Text3 496,22: max 4 items"], "above");
        assert_eq!(labels([0.0, 4.0]), ["text Text3 246,22: max 4 items"], "above, farther left");
        assert!(labels([4.0, 3.0]).is_empty(), "there is no space beside the line");
        assert!(labels([0.0, 0.0]).is_empty());
    }

    #[test]
    fn related_lines_share_track_and_have_notes() {
        let (own, _) = tracks();
        let text = drawn(&own[0]);
        assert!(text.contains("Neutral: 300,23 200x1"), "the second line: {text}");
        assert!(text.contains("triangles Neutral: 297,24 6x5"), "{text}");
        assert!(text.contains("Text3 423,38: Target") && text.contains("active max 4"), "{text}");
        let scale = TimeScale::new(Span::new(0, 1000), 500.0);
        let at = |y: f64| own[0].hit(&scale, own[0].expanded_height().unwrap(), 350.0, y).unwrap();
        assert_eq!((at(4.0), at(14.0)), (at(0.0), at(40.0)), "the nearest line");
        let tooltip = own[0].tooltip(&at(14.0), &small().context()).unwrap();
        assert_eq!(
            tooltip.sentence(),
            "Thread pool: Target, 3 workers; Reason starvation; Active 4 workers; Source Runtime; \
             Time 0.000001 s; Scope whole process (this filter doesn't apply)"
        );
        assert_eq!(own[0].words(Span::default()).figures, "active 2–4, target 3 · whole process");
    }

    #[test]
    fn gap_is_not_drawn_and_has_tooltip() {
        let table = Series {
            lane_name: ["Queue"].into_iter().collect(),
            lane: vec![0],
            until: vec![3],
            source: ["Shop"].into_iter().collect(),
            name: ["p95"].into_iter().collect(),
            unit: ["items"].into_iter().collect(),
            time: vec![0, 500, 800],
            value: vec![4.0, f64::NAN, 2.0],
            ..Series::default()
        };
        let (_, tracks) = SeriesTrack::all(0, table);
        let text = drawn(&tracks[0]);
        assert!(!text.contains("NaN") && text.contains("max 4 items"), "{text}");
        let scale = TimeScale::new(Span::new(0, 1000), 500.0);
        let target = tracks[0].hit(&scale, 30.0, 300.0, 10.0).expect("a target");
        let tooltip = tracks[0].tooltip(&target, &small().context()).expect("a tooltip");
        assert_eq!(tooltip.value, "not a number");
        assert_eq!(tracks[0].words(Span::default()).figures, "2–4 items");
    }

    #[test]
    fn invisible_values_are_not_visited() {
        let (_, counters) = tracks();
        let rows = |start, end| counters[0].rows_in(&(3..6), Span::new(start, end));
        assert_eq!(rows(-10, 1000), 3..6);
        assert_eq!(rows(-10, -5), 3..4, "the first after it says that there is none in it");
        assert_eq!(rows(300, 400), 4..6, "the value that holds, and until when");
        assert_eq!(rows(900, 1000), 5..6);
    }

    #[test]
    fn tooltip_has_value_under_pointer_with_unit() {
        let ((_, counters), small) = (tracks(), small());
        let scale = TimeScale::new(Span::new(0, 1000), 500.0);
        let target = counters[0].hit(&scale, 30.0, 300.0, 10.0).unwrap();
        let tooltip = counters[0].tooltip(&target, &small.context()).unwrap();
        assert_eq!(tooltip.sentence(), "Working Set, 55.2 MB; Source System.Runtime; Time 0.000000 s");
        assert_eq!(counters[0].bounds(&target), Some((200, 800)));
        assert_eq!(counters[0].words(Span::default()).figures, "55.2–110 MB");
        let figures = |start, end| counters[0].figures_in(Span::new(start, end));
        assert_eq!(figures(300, 700).as_deref(), Some("55.2 MB"), "the value that holds in the range");
        assert_eq!(figures(300, 800).as_deref(), Some("55.2–110 MB"));
        assert_eq!(figures(-9, -5), None, "before the first value");
    }
}
