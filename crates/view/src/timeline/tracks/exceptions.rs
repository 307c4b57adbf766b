//! Track of exceptions: triangles over time, with labels if there are few; a rate if they are dense.

use super::table::TrackRow;
use super::track::{HeadWords, Place, RuntimeTrack, Subject, TrackContent};
use crate::draw::drawlist::{DrawList, Label, TextSize};
use crate::draw::palette::{Fill, Token};
use crate::draw::text_fit::fit;
use crate::draw::tooltip::{Tooltip, TooltipContext, fixed_names, shorten};
use crate::draw::units::{CssPx, Rect};
use crate::format;
use crate::timeline::hit::{TRIANGLE_REACH, Target};
use crate::timeline::timescale::TimeScale;
use crate::timeline::track_key::RuntimeKey;
use crate::timeline::track_layout::TRACK_HEIGHT;
use protocol::base::ids::ThreadId;
use protocol::base::time::Span;
use protocol::tables::Exceptions;
use protocol::timeline::track::TrackKind;

/// Triangle: width, height.
const TRIANGLE: (CssPx, CssPx) = (10.0, 9.0);
/// Minimum distance of triangles: half of their width. A closer exception is inside the previous triangle.
const MIN_DISTANCE: CssPx = TRIANGLE.0 / 2.0;
/// Average distance below which exceptions are drawn as a rate.
const DENSE: CssPx = 20.0;
/// Bar of the rate: width, distance from the start of one bar to that of the next, minimum height.
const BAR: (CssPx, CssPx, CssPx) = (4.0, 8.0, 3.0);
/// Space above the highest bar and below all bars.
const BAR_MARGIN: CssPx = 3.0;
/// Maximum number of visible triangles with labels.
const LABELLED: usize = 20;

pub struct ExceptionsTrack {
    /// OS process ID; 0 if the trace has one process.
    pub process: u32,
    pub table: Exceptions,
}

impl ExceptionsTrack {
    /// Returns the number of all exceptions, including those without a row in the table.
    fn total(&self) -> u64 {
        self.table.total.first().copied().unwrap_or_default()
    }

    /// Hatches the time after the last exception of the table if there are more.
    fn paint_rest(&self, list: &mut DrawList, place: &Place<'_>) {
        let rest = self.total().saturating_sub(self.table.time.len() as u64);
        let Some(last) = self.table.time.last().filter(|_| rest > 0) else { return };
        let left = place.scale.x(*last).max(0.0);
        let right = place.scale.x(place.limits.end.0).min(place.scale.width());
        if right <= left {
            return;
        }
        list.boxes.push_apart(Fill::Unknown, Rect::new(left, place.top + 4.0, right - left, place.height - 8.0));
        let text = format!("{} more", format::count(rest));
        let text = fit(&text, right - left - 12.0, place.characters.small).into_owned();
        let label = Label::small(left + 8.0, baseline(place), text, Token::Text2);
        list.labels.push(Label { has_plate: true, ..label });
    }

    fn row(&self, target: &Target) -> Option<usize> {
        target.item_of(self.key(), self.table.time.len())
    }

    fn target(&self, item: usize) -> Target {
        Target::Item { track: self.key(), item }
    }
}

impl TrackContent for ExceptionsTrack {
    fn paint(&self, list: &mut DrawList, place: &Place<'_>) {
        self.paint_rest(list, place);
        paint_exceptions(list, &self.table, place);
    }

    fn hit(&self, scale: &TimeScale, _height: CssPx, x: CssPx, _y: CssPx) -> Option<Target> {
        let times = &self.table.time;
        let distance = |row: usize| (scale.x(times[row]) - x).abs();
        let next = times.partition_point(|time| scale.x(*time) < x);
        let row = (next.saturating_sub(1)..(next + 1).min(times.len()))
            .min_by(|one, other| distance(*one).total_cmp(&distance(*other)))?;
        (distance(row) <= TRIANGLE_REACH).then(|| self.target(row))
    }

    fn tooltip(&self, target: &Target, context: &TooltipContext<'_>) -> Option<Tooltip> {
        let row = self.row(target)?;
        let mut lines = vec![
            ("Message", shorten(self.table.message.get(row))),
            ("Thread", context.thread(ThreadId(self.table.thread[row]))),
        ];
        lines.retain(|(_, value)| !value.is_empty());
        Some(Tooltip {
            swatch: Fill::Solid(Token::Exception),
            title: self.table.type_name.get(row).to_owned(),
            value: context.moment(self.table.time[row]),
            lines: fixed_names(lines),
        })
    }

    fn bounds(&self, target: &Target) -> Option<(i64, i64)> {
        let time = self.table.time[self.row(target)?];
        Some((time, time))
    }

    fn targets(&self) -> Vec<Target> {
        (0..self.table.time.len()).map(|row| self.target(row)).collect()
    }

    fn subject(&self, target: &Target) -> Option<Subject> {
        Some(Subject::Event(self.table.event[self.row(target)?]))
    }
}

impl RuntimeTrack for ExceptionsTrack {
    fn key(&self) -> RuntimeKey {
        RuntimeKey { process: self.process, kind: TrackKind::Exceptions }
    }

    fn height(&self) -> CssPx {
        TRACK_HEIGHT
    }

    fn words(&self, whole: Span) -> HeadWords {
        let total = self.total();
        let seconds = whole.duration() as f64 / 1e9;
        let rate = (seconds > 0.0).then(|| format!(" · {}", format::rate(total as f64 / seconds)));
        HeadWords {
            name: TrackRow::of(TrackKind::Exceptions).name.to_owned(),
            figures: format::count(total) + rate.as_deref().unwrap_or(""),
        }
    }

    fn find(&self, subject: Subject) -> Option<Target> {
        let Subject::Event(event) = subject else { return None };
        self.table.event.iter().position(|present| *present == event).map(|row| self.target(row))
    }

    fn neighbor(&self, from: i64, later: bool) -> Option<Target> {
        let times = &self.table.time;
        let row = match later {
            true => Some(times.partition_point(|time| *time <= from)).filter(|row| *row < times.len()),
            false => times.partition_point(|time| *time < from).checked_sub(1),
        };
        row.map(|row| self.target(row))
    }
}

/// Returns the baseline of a label in the middle of the track.
fn baseline(place: &Place<'_>) -> CssPx {
    place.top + ((place.height + 8.0) / 2.0).floor()
}

/// Draws the number of exceptions over time as bars, with an outline around that of the selected one. The bars are at
/// multiples of their duration, so that they don't change while the range moves.
fn paint_rate(list: &mut DrawList, exceptions: &Exceptions, rows: std::ops::Range<usize>, place: &Place<'_>) {
    let scale = place.scale;
    let pitch = ((BAR.1 * scale.nanos_per_px()) as i64).max(1);
    let bar_of = |row: usize| exceptions.time[row].div_euclid(pitch);
    let mut bars: Vec<(i64, u32, bool)> = Vec::new();
    for row in rows {
        let (bar, is_selected) = (bar_of(row), place.chosen.event == Some(exceptions.event[row]));
        match bars.last_mut().filter(|last| last.0 == bar) {
            Some(last) => (last.1, last.2) = (last.1 + 1, last.2 || is_selected),
            None => bars.push((bar, 1, is_selected)),
        }
    }
    let most = bars.iter().map(|bar| bar.1).max().unwrap_or(1);
    let (room, foot) = (place.height - 2.0 * BAR_MARGIN, place.top + place.height - BAR_MARGIN);
    for (bar, count, is_selected) in bars {
        // Square roots, so that a burst doesn't flatten the rest.
        let height = ((f64::from(count) / f64::from(most)).sqrt() * room).round().max(BAR.2);
        let x = scale.x(bar.saturating_mul(pitch)).round() + (BAR.1 - BAR.0) / 2.0;
        let area = Rect::new(x, foot - height, BAR.0, height);
        list.boxes.push(Fill::Solid(Token::Exception), area);
        if is_selected {
            list.outlines.push((Token::Text, 2.0, area.grown(2.0)));
        }
    }
}

/// Draws triangles, with an outline around the selected one; or a rate.
fn paint_exceptions(list: &mut DrawList, exceptions: &Exceptions, place: &Place<'_>) {
    let (scale, selected) = (place.scale, place.chosen.event);
    let span = scale.span();
    let first = exceptions.time.partition_point(|time| *time < span.start.0);
    let end = exceptions.time.partition_point(|time| *time <= span.end.0);
    if (end - first) as CssPx * DENSE > scale.width() && end - first >= LABELLED {
        return paint_rate(list, exceptions, first..end, place);
    }
    let top = place.top + ((place.height - TRIANGLE.1) / 2.0).floor();
    let mut last_x = f64::MIN;
    for row in first..end {
        let x = scale.x(exceptions.time[row]).round();
        let area = Rect::new(x - TRIANGLE.0 / 2.0, top, TRIANGLE.0, TRIANGLE.1);
        if selected == Some(exceptions.event[row]) {
            list.outlines.push((Token::Text, 2.0, area.grown(3.0)));
        } else if x - last_x < MIN_DISTANCE {
            continue;
        }
        last_x = x;
        list.triangles.push((Token::Exception, area));
    }
    if (1..LABELLED).contains(&(end - first)) {
        label(list, exceptions, first..end, last_x + 12.0, place);
    }
}

fn label(list: &mut DrawList, exceptions: &Exceptions, rows: std::ops::Range<usize>, x: CssPx, place: &Place<'_>) {
    let name = exceptions.type_name.get(rows.start);
    let same = rows.clone().all(|row| exceptions.type_name.get(row) == name);
    let short = name.rsplit('.').next().unwrap_or(name);
    let text = match (rows.len(), same) {
        (1, _) => short.to_owned(),
        (count, true) => format!("{count} × {short}"),
        (count, false) => format::counted(count as u64, "exception"),
    };
    let text = fit(&text, place.scale.width() - x - 6.0, place.characters.normal).into_owned();
    if !text.is_empty() {
        let label = Label::small(x, baseline(place), text, Token::ExceptionInk);
        list.labels.push(Label { size: TextSize::Normal, has_plate: true, ..label });
    }
}

#[cfg(test)]
pub(crate) mod samples {
    use super::*;

    /// Returns exceptions of one type at these times, with event IDs from 100.
    pub fn exceptions(times: &[i64]) -> Exceptions {
        Exceptions {
            total: vec![times.len() as u64],
            time: times.to_vec(),
            thread: vec![1; times.len()],
            event: (100..100 + times.len() as u32).collect(),
            type_name: times.iter().map(|_| "System.Net.Http.HttpRequestException").collect(),
            message: times.iter().map(|_| "Connection refused").collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::drawlist::{CharacterWidths, RecordingPainter};
    use crate::timeline::tracks::track::Chosen;

    #[test]
    fn close_exceptions_are_merged_and_few_are_labeled() {
        let mut list = DrawList::default();
        let scale = TimeScale::new(Span::new(0, 1000), 500.0);
        let exceptions = samples::exceptions(&[100, 104, 300]);
        let place = Place {
            scale: &scale,
            top: 0.0,
            height: TRACK_HEIGHT,
            limits: scale.span(),
            chosen: Chosen::default(),
            characters: CharacterWidths::default(),
        };
        ExceptionsTrack { process: 0, table: exceptions }.paint(&mut list, &place);
        let mut painter = RecordingPainter::default();
        list.paint_shapes(&mut painter);
        list.paint_labels(&mut painter);
        assert_eq!(
            painter.text(),
            "triangles Exception: 45,5 10x9; 145,5 10x9\ntext ExceptionInk 162,14: 3 × HttpRequestException"
        );
    }

    #[test]
    fn dense_exceptions_become_rate() {
        let (scale, mut list) = (TimeScale::new(Span::new(0, 100), 100.0), DrawList::default());
        // Thirty in a hundred pixels: two of them in the first bar, two or three in each further one.
        let times: Vec<i64> = [2, 3].into_iter().chain((0..28).map(|at| 8 + at * 3)).collect();
        let chosen = Chosen { event: Some(101), ..Chosen::default() };
        let (limits, characters) = (scale.span(), CharacterWidths::default());
        let track = ExceptionsTrack { process: 0, table: samples::exceptions(&times) };
        track.paint(&mut list, &Place { scale: &scale, top: 10.0, height: 20.0, limits, chosen, characters });
        let mut painter = RecordingPainter::default();
        list.paint_shapes(&mut painter);
        list.paint_outlines(&mut painter);
        let text = painter.text();
        assert!(text.starts_with("Exception: 2,16 4x11; 10,13 4x14; "), "{text}");
        assert!(text.ends_with("outline Text 2: 0,14 8x15"), "{text}");
        assert!(list.labels.is_empty() && list.triangles.is_empty());
    }

    #[test]
    fn exceptions_beyond_limit_are_counted_and_hatched() {
        let mut exceptions = samples::exceptions(&[100, 300]);
        exceptions.total = vec![1_002];
        let track = ExceptionsTrack { process: 0, table: exceptions };
        assert_eq!(track.words(Span::new(0, 2_000_000_000)).figures, "1,002 · 501/s");
        let (scale, mut list) = (TimeScale::new(Span::new(0, 1000), 500.0), DrawList::default());
        let (limits, chosen, characters) = (scale.span(), Chosen::default(), CharacterWidths::default());
        track.paint(&mut list, &Place { scale: &scale, top: 0.0, height: TRACK_HEIGHT, limits, chosen, characters });
        let mut painter = RecordingPainter::default();
        list.paint_shapes(&mut painter);
        assert!(painter.text().starts_with("Unknown: 150,4 350x12"), "{}", painter.text());
        assert_eq!(list.labels[0].text, "1,000 more");
    }
}
