//! Track of GCs.

use super::table::TrackRow;
use super::track::{HeadWords, Place, RuntimeTrack, Subject, TrackContent};
use crate::draw::drawlist::DrawList;
use crate::draw::palette::Fill;
use crate::draw::tooltip::{Tooltip, TooltipContext, fixed_names};
use crate::draw::units::CssPx;
use crate::format;
use crate::timeline::hit::{REACH, Target};
use crate::timeline::paint::gc::{GcRows, generation_color, is_background, paint_collections};
use crate::timeline::timescale::TimeScale;
use crate::timeline::track_key::RuntimeKey;
use crate::url::selection::GcLink;
use protocol::base::ids::ThreadId;
use protocol::base::time::Span;
use protocol::tables::Gcs;
use protocol::timeline::track::TrackKind;
use std::sync::Arc;

/// Display names of the parts of the heap.
const HEAPS: [&str; 5] = ["Generation 0", "Generation 1", "Generation 2", "LOH", "POH"];

pub struct GcTrack {
    /// OS process ID; 0 if the trace has one process.
    pub process: u32,
    table: Arc<Gcs>,
    /// Time ranges of the GCs.
    spans: Vec<Span>,
}

impl GcTrack {
    /// Creates the track of these GCs.
    pub fn new(process: u32, table: Arc<Gcs>) -> Self {
        Self { process, spans: table.spans(), table }
    }

    fn row(&self, target: &Target) -> Option<usize> {
        target.item_of(self.key(), self.table.number.len())
    }

    fn target(&self, item: usize) -> Target {
        Target::Item { track: self.key(), item }
    }
}

impl TrackContent for GcTrack {
    fn paint(&self, list: &mut DrawList, place: &Place<'_>) {
        paint_collections(list, &self.table, place);
    }

    fn hit(&self, scale: &TimeScale, _height: CssPx, x: CssPx, y: CssPx) -> Option<Target> {
        let gcs = &self.table;
        let rows = GcRows::of(gcs);
        if rows.heap.is_some_and(|heap| y >= heap) {
            let at = scale.time(x).0;
            let nth = gcs.heap_time.partition_point(|time| *time <= at).checked_sub(1)?;
            return Some(self.target(gcs.heap_row[nth] as usize));
        }
        let stops =
            (0..gcs.stop_row.len()).map(|stop| (gcs.stop_start[stop], gcs.stop_end[stop], gcs.stop_row[stop] as usize));
        let bars =
            (0..gcs.number.len()).filter(|row| is_background(gcs, *row)).map(|row| (gcs.start[row], gcs.end[row], row));
        let in_bars = rows.background.is_some_and(|bar| y >= bar);
        // The longest of those that touch the pixel.
        let distance = |(start, end, row): (i64, i64, usize)| {
            let (left, right) = scale.columns(start, end);
            ((left - x).max(x - right).max(0.0), start.saturating_sub(end), row)
        };
        let nearest = |found: &mut dyn Iterator<Item = (i64, i64, usize)>| {
            let near = found.map(distance).filter(|(far, ..)| *far <= REACH);
            near.min_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)))
        };
        let found = if in_bars { nearest(&mut { bars }) } else { nearest(&mut { stops }) };
        found.map(|(.., row)| self.target(row))
    }

    fn tooltip(&self, target: &Target, context: &TooltipContext<'_>) -> Option<Tooltip> {
        let gcs = &self.table;
        let row = self.row(target)?;
        let generation = gcs.generation[row];
        let kind = match gcs.kind[row] {
            0 => "blocking",
            1 => "background",
            _ => "foreground, during a background GC",
        };
        let mut lines = vec![
            ("Kind", format!("generation {generation}, {kind}")),
            ("Reason", gcs.reason.get(row).to_owned()),
            ("GC start", context.moment(gcs.start[row])),
            ("Suspend time", format::duration(gcs.suspend_total(row))),
            ("GC work", format::duration(gcs.work_total(row))),
        ];
        lines.extend(gcs.resume_total(row).map(|nanos| ("Resume time", format::duration(nanos))));
        if is_background(gcs, row) {
            lines.push(("Duration", format::duration(gcs.end[row] - gcs.start[row])));
            lines.push(("Pauses", format::count(gcs.stops_of(row).count() as u64)));
        }
        if let Some(nth) = gcs.heap_row.iter().position(|of| *of as usize == row) {
            let sizes = &gcs.heap_sizes[nth * HEAPS.len()..(nth + 1) * HEAPS.len()];
            lines.push(("Heap after", format::bytes(sizes.iter().sum())));
            lines.extend(HEAPS.into_iter().zip(sizes).map(|(name, size)| (name, format::bytes(*size))));
        }
        lines.push(("GC thread", context.thread(ThreadId(gcs.thread[row]))));
        lines.retain(|(_, value)| !value.is_empty());
        Some(Tooltip {
            swatch: Fill::Solid(generation_color(generation)),
            title: format!("GC #{}", gcs.number[row]),
            value: format!("{} paused", format::duration(gcs.pause_total[row])),
            lines: fixed_names(lines),
        })
    }

    fn bounds(&self, target: &Target) -> Option<(i64, i64)> {
        let span = self.spans.get(self.row(target)?)?;
        Some((span.start.0, span.end.0))
    }

    fn targets(&self) -> Vec<Target> {
        (0..self.table.number.len()).map(|row| self.target(row)).collect()
    }

    fn subject(&self, target: &Target) -> Option<Subject> {
        GcLink::of(&self.table, self.row(target)?).map(Subject::Gc)
    }
}

impl RuntimeTrack for GcTrack {
    fn key(&self) -> RuntimeKey {
        RuntimeKey { process: self.process, kind: TrackKind::Gc }
    }

    fn height(&self) -> CssPx {
        GcRows::of(&self.table).height
    }

    fn words(&self, whole: Span) -> HeadWords {
        let paused: i64 = self.table.pause_total.iter().sum();
        let figures = format!(
            "{} · {} paused · {}",
            format::count(self.table.number.len() as u64),
            format::duration(paused),
            format::percent(paused as f64, whole.duration() as f64)
        );
        HeadWords { name: TrackRow::of(TrackKind::Gc).name.to_owned(), figures }
    }

    fn find(&self, subject: Subject) -> Option<Target> {
        let Subject::Gc(gc) = subject else { return None };
        gc.row(&self.table).map(|row| self.target(row))
    }

    fn neighbor(&self, from: i64, later: bool) -> Option<Target> {
        // GCs are sorted by their own starts, which may be after the starts of their pauses.
        let starts = self.spans.iter().map(|span| span.start.0).zip(0..);
        let found = match later {
            true => starts.filter(|(start, _)| *start > from).min(),
            false => starts.filter(|(start, _)| *start < from).max(),
        };
        found.map(|(_, row)| self.target(row))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timeline::hit::samples::small;

    #[test]
    fn gc_bounds_include_pauses() {
        let small = small();
        let track = GcTrack::new(0, small.gcs.clone());
        let bounds = |row: usize| track.bounds(&track.target(row));
        // Paused from 400 to 600, GC from 405 to 595. The last one is a background GC with several pauses.
        assert_eq!(bounds(1), Some((400, 601)));
        assert_eq!(bounds(2), Some((700, 961)));
        assert_eq!(track.neighbor(400, true), Some(track.target(2)));
        assert_eq!(track.neighbor(400, false), Some(track.target(0)));
        assert_eq!(track.neighbor(100, false), None);
    }

    #[test]
    fn gc_tooltip_has_reason() {
        let small = small();
        let tooltip = {
            let track = GcTrack::new(0, small.gcs.clone());
            track.tooltip(&track.target(1), &small.context())
        };
        assert_eq!(
            tooltip.map(|tooltip| tooltip.sentence()).as_deref(),
            Some(
                "GC #37, 200 ns paused; Kind generation 2, blocking; Reason induced; GC start 0.000000 s; \
                 Suspend time 3 ns; GC work 197 ns; Resume time 0 ns; Heap after 5 B; Generation 0 2 B; Generation 1 1 B; \
                 Generation 2 1 B; LOH 1 B; POH 0 B; GC thread Thread 1 (4001)"
            )
        );
    }
}
