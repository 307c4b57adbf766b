//! Tracks of intervals: compilations, lock contention, requests, log messages, lost events.

use super::interval_look::{Item, Look, Shape};
use super::table::TrackRow;
use super::track::{HeadWords, Place, RuntimeTrack, Subject, TrackContent};
use crate::draw::drawlist::DrawList;
use crate::draw::tooltip::{Tooltip, TooltipContext, fixed_names, open_ends};
use crate::draw::units::CssPx;
use crate::format;
use crate::timeline::hit::{REACH, Target};
use crate::timeline::paint::intervals::{IntervalRows, paint_collapsed, paint_intervals};
use crate::timeline::timescale::TimeScale;
use crate::timeline::track_key::RuntimeKey;
use crate::timeline::track_layout::TRACK_HEIGHT;
use protocol::base::ids::ThreadId;
use protocol::base::time::Span;
use protocol::tables::{Intervals, interval_flag, shade};

/// Track of intervals in a time range, at a resolution.
pub struct IntervalTrack {
    key: RuntimeKey,
    look: &'static Look,
    intervals: Intervals,
    span: Span,
    resolution: i64,
}

impl IntervalTrack {
    /// Creates a track of `intervals` that were requested for `span` at `resolution`; `None` for kinds without
    /// intervals.
    pub fn new(key: RuntimeKey, intervals: Intervals, span: Span, resolution: i64) -> Option<Self> {
        Some(Self { key, look: TrackRow::of(key.kind).look()?, intervals, span, resolution })
    }

    fn row(&self, target: &Target) -> Option<usize> {
        target.item_of(self.key, self.intervals.start.len())
    }

    fn target(&self, item: usize) -> Target {
        Target::Item { track: self.key, item }
    }

    fn rows(&self) -> IntervalRows {
        IntervalRows::of(&self.intervals, self.look)
    }

    /// Returns whether a track of a height shows only the number of concurrent intervals, because its rows don't fit.
    fn is_collapsed(&self, height: CssPx) -> bool {
        self.expanded_height().is_some_and(|expanded| height < expanded)
    }

    fn item(&self, row: usize) -> Item<'_> {
        Item { intervals: &self.intervals, look: self.look, row }
    }

    /// Returns the rank of an interval within a pixel: the most severe message, or the longest interval, is on top.
    fn rank(&self, item: usize) -> (u8, i64) {
        let severity = match (self.look.shape, self.intervals.shade[item]) {
            (Shape::Boxes, _) => 0,
            (Shape::Levels, shade::LEVEL_UNKNOWN) => u8::MAX,
            (Shape::Levels, level) => level,
        };
        (severity, -self.intervals.covered[item])
    }
}

impl TrackContent for IntervalTrack {
    fn paint(&self, list: &mut DrawList, place: &Place<'_>) {
        match self.is_collapsed(place.height) {
            true => paint_collapsed(list, &self.intervals, self.look, place),
            false => paint_intervals(list, &self.intervals, self.look, place),
        }
    }

    fn hit(&self, scale: &TimeScale, height: CssPx, x: CssPx, y: CssPx) -> Option<Target> {
        let intervals = &self.intervals;
        let (rows, is_collapsed) = (self.rows(), self.is_collapsed(height));
        let distance = |item: usize| {
            let (left, right) = scale.columns(intervals.start[item], intervals.end[item]);
            let top = rows.top(intervals.row[item]);
            // Low rows are hard to hit, so the nearest one counts. Without rows, the longest interval counts.
            let down =
                if is_collapsed { 0.0 } else { (top - y).max(y - top - rows.height_of(intervals.row[item])).max(0.0) };
            ((left - x).max(x - right).max(0.0), down)
        };
        let found = (0..intervals.start.len())
            .map(|item| (distance(item), item))
            .filter(|((across, down), _)| *across <= REACH && *down <= REACH)
            .min_by(|((across, down), one), ((other_across, other_down), other)| {
                let order = (across + down).total_cmp(&(other_across + other_down));
                order.then(self.rank(*one).cmp(&self.rank(*other)))
            });
        found.map(|(_, item)| self.target(item))
    }

    fn tooltip(&self, target: &Target, context: &TooltipContext<'_>) -> Option<Tooltip> {
        let (intervals, row, look) = (&self.intervals, self.row(target)?, self.look);
        let item = self.item(row);
        if let Some(tooltip) = look.tooltip {
            return Some(tooltip(&item, context));
        }
        let (count, flags, title) = (intervals.count[row], intervals.flags[row], (look.title)(item.name()));
        let mut lines = Vec::new();
        if count > 1 {
            let first = if look.shape == Shape::Levels { "First" } else { "Longest" };
            lines.push((first, title.clone()));
        }
        lines.extend((look.lines)(&item, context));
        let starts = context.moment(intervals.start[row]);
        let lasts = intervals.covered[row] > 0;
        let is_start_known = flags & interval_flag::OPEN_START == 0;
        if is_start_known && (lasts || count > 1) {
            lines.push(("Start", starts.clone()));
        }
        lines.push(("Thread", context.thread(ThreadId(intervals.thread[row]))));
        lines.extend(open_ends(flags));
        lines.retain(|(_, value)| !value.is_empty());
        Some(Tooltip {
            swatch: item.swatch(),
            title: if count > 1 { format::counted(count.into(), look.noun) } else { title },
            value: if lasts { format::duration(intervals.covered[row]) } else { starts },
            lines: fixed_names(lines),
        })
    }

    fn bounds(&self, target: &Target) -> Option<(i64, i64)> {
        let item = self.row(target)?;
        Some((self.intervals.start[item], self.intervals.end[item]))
    }

    fn row_of(&self, target: &Target, height: CssPx) -> Option<(CssPx, CssPx)> {
        let (rows, row) = (self.rows(), *self.intervals.row.get(self.row(target)?)?);
        (!self.is_collapsed(height)).then(|| (rows.top(row), rows.height_of(row)))
    }

    fn targets(&self) -> Vec<Target> {
        (0..self.intervals.start.len()).map(|item| self.target(item)).collect()
    }

    fn subject(&self, target: &Target) -> Option<Subject> {
        let event = self.intervals.event[self.row(target)?];
        (event != u32::MAX).then_some(Subject::Event(event))
    }
}

impl RuntimeTrack for IntervalTrack {
    fn key(&self) -> RuntimeKey {
        self.key
    }

    fn height(&self) -> CssPx {
        TRACK_HEIGHT
    }

    fn expanded_height(&self) -> Option<CssPx> {
        Some(self.rows().track_height()).filter(|height| *height > TRACK_HEIGHT)
    }

    fn words(&self, _whole: Span) -> HeadWords {
        let name = TrackRow::of(self.key.kind).name.to_owned();
        HeadWords { name, figures: (self.look.figures)(&self.intervals) }
    }

    fn find(&self, subject: Subject) -> Option<Target> {
        let Subject::Event(event) = subject else { return None };
        self.intervals.event.iter().position(|present| *present == event).map(|item| self.target(item))
    }

    fn neighbor(&self, _from: i64, _later: bool) -> Option<Target> {
        None
    }

    fn wants(&self, visible: Span, resolution: i64) -> bool {
        self.resolution != resolution || self.span.start > visible.start || self.span.end < visible.end
    }
}

#[cfg(test)]
pub(crate) mod samples {
    use super::*;

    /// Returns intervals `(start, end, row, count)` with names, on thread 1, with event IDs from 20.
    pub fn intervals(rows: &[(i64, i64, u16, u32)]) -> Intervals {
        let count = rows.len();
        Intervals {
            total: vec![rows.iter().map(|row| u64::from(row.3)).sum()],
            total_nanos: vec![rows.iter().map(|row| row.1 - row.0).sum()],
            rows: vec![rows.iter().map(|row| row.2 + 1).max().unwrap_or(0)],
            row: rows.iter().map(|row| row.2).collect(),
            shade: vec![0; count],
            start: rows.iter().map(|row| row.0).collect(),
            end: rows.iter().map(|row| row.1).collect(),
            count: rows.iter().map(|row| row.3).collect(),
            at_once: rows.iter().map(|row| u32::from(row.2) + 1).collect(),
            covered: rows.iter().map(|row| row.1 - row.0).collect(),
            thread: vec![1; count],
            event: (20..20 + count as u32).collect(),
            flags: vec![0; count],
            name: vec![0; count],
            note: vec![1; count],
            texts: ["0x7f28", "4001"].into_iter().collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::drawlist::{CharacterWidths, RecordingPainter};
    use crate::timeline::hit::samples::small;
    use crate::timeline::tracks::track::Chosen;
    use protocol::timeline::track::TrackKind;

    fn track() -> IntervalTrack {
        let intervals = samples::intervals(&[(100, 300, 0, 1), (150, 152, 1, 1), (400, 402, 0, 3), (600, 1000, 0, 1)]);
        IntervalTrack::new(RuntimeKey::only(TrackKind::Contention), intervals, Span::new(0, 1000), 1).unwrap()
    }

    #[test]
    fn long_intervals_are_boxes_and_shortest_is_visible() {
        let mut list = DrawList::default();
        let scale = TimeScale::new(Span::new(0, 1000), 500.0);
        let chosen = Chosen { event: Some(21), ..Chosen::default() };
        let characters = CharacterWidths::default();
        let height = TRACK_HEIGHT;
        track().paint(&mut list, &Place { scale: &scale, top: 10.0, height, limits: scale.span(), chosen, characters });
        let mut painter = RecordingPainter::default();
        list.paint_shapes(&mut painter);
        list.paint_outlines(&mut painter);
        assert_eq!(
            painter.text(),
            "Lock: 50,16 99x3; 300,16 199x3\nLock*4: 200,16 1x3; 75,20 1x3\noutline Text 2: 73,18 5x7"
        );
    }

    #[test]
    fn collapsed_track_shows_concurrent_count() {
        let intervals = samples::intervals(&[
            (0, 400, 0, 1),
            (200, 400, 1, 1),
            (300, 400, 2, 1),
            (300, 400, 3, 1),
            (800, 801, 0, 1),
        ]);
        let track = IntervalTrack::new(RuntimeKey::only(TrackKind::Spans), intervals, Span::new(0, 1000), 1).unwrap();
        assert_eq!((track.height(), track.expanded_height()), (20.0, Some(62.0)));
        let mut list = DrawList::default();
        let scale = TimeScale::new(Span::new(0, 1000), 100.0);
        let (chosen, characters) = (Chosen::default(), CharacterWidths::default());
        let place = Place { scale: &scale, top: 0.0, height: 20.0, limits: scale.span(), chosen, characters };
        track.paint(&mut list, &place);
        let mut painter = RecordingPainter::default();
        list.paint_shapes(&mut painter);
        assert_eq!(painter.text(), "Span: 0,14 20x4; 20,10 10x8; 30,3 10x15; 80,16 1x2");
        assert_eq!(track.hit(&scale, 20.0, 35.0, 3.0), Some(track.target(0)), "the longest");

        // Of an interval with several possible ends, only the start is known.
        let mut unsure = samples::intervals(&[(200, 400, 0, 1), (500, 700, 1, 1), (520, 700, 2, 1), (540, 700, 3, 1)]);
        unsure.flags.fill(interval_flag::OPEN_END | interval_flag::UNSURE_END);
        let track = IntervalTrack::new(RuntimeKey::only(TrackKind::Spans), unsure, Span::new(0, 1000), 1).unwrap();
        let mut list = DrawList::default();
        track.paint(&mut list, &place);
        let mut painter = RecordingPainter::default();
        list.paint_shapes(&mut painter);
        assert_eq!(painter.text(), "Span: 20,3 1x15; 50,3 1x15; 52,3 1x15; 54,3 1x15");
    }

    #[test]
    fn lock_wait_tooltip_has_owner() {
        let small = small();
        let track = track();
        let scale = TimeScale::new(Span::new(0, 1000), 500.0);
        let found =
            track.hit(&scale, TRACK_HEIGHT, 100.0, 8.0).and_then(|target| track.tooltip(&target, &small.context()));
        assert_eq!(
            found.map(|tooltip| tooltip.sentence()).as_deref(),
            Some("Waiting for lock 0x7f28, 200 ns; Held by Thread 1 (4001); Start 0.000000 s; Thread Thread 1 (4001)")
        );
        assert_eq!(track.hit(&scale, TRACK_HEIGHT, 250.0, 8.0), None);
        let several =
            track.hit(&scale, TRACK_HEIGHT, 200.0, 8.0).and_then(|target| track.tooltip(&target, &small.context()));
        assert_eq!(several.map(|tooltip| tooltip.title).as_deref(), Some("3 waits"));
        assert!(track.wants(Span::new(0, 1000), 2) && !track.wants(Span::new(5, 900), 1));
    }
}
