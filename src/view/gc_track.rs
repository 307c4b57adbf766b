//! The track of the garbage collections.

use super::drawlist::DrawList;
use super::format;
use super::gc_paint::{generation_color, is_background, paint_collections};
use super::hit::{REACH, Target};
use super::palette::Fill;
use super::timescale::TimeScale;
use super::tooltip::{DECIMALS, Tooltip, thread_name};
use super::track::{HeadWords, Place, RuntimeTrack, Subject, TrackContent};
use super::track_layout::TRACK_HEIGHT;
use super::units::CssPx;
use crate::model::ids::ThreadId;
use crate::model::time::Span;
use crate::protocol::tables::{Collections, Threads};
use crate::protocol::track::TrackKind;
use std::sync::Arc;

/// Collections with a row for background ones.
const TALL_HEIGHT: CssPx = 30.0;

/// The track of the collections.
pub struct CollectionsTrack(pub Arc<Collections>);

impl CollectionsTrack {
    fn row(&self, target: &Target) -> Option<usize> {
        match *target {
            Target::Item { kind: TrackKind::Collections, item } if item < self.0.number.len() => Some(item),
            _ => None,
        }
    }
}

fn target(item: usize) -> Target {
    Target::Item { kind: TrackKind::Collections, item }
}

impl TrackContent for CollectionsTrack {
    fn paint(&self, list: &mut DrawList, place: &Place<'_>) {
        paint_collections(list, &self.0, place.scale, place.top, place.chosen.collection, place.characters);
    }

    fn hit(&self, scale: &TimeScale, x: CssPx, _y: CssPx) -> Option<Target> {
        let collections = &self.0;
        let mut best: Option<(CssPx, usize)> = None;
        for row in 0..collections.number.len() {
            let (mut left, mut right) = (scale.x(collections.pause_start[row]), scale.x(collections.pause_end[row]));
            if is_background(collections, row) {
                left = left.min(scale.x(collections.start[row]));
                right = right.max(scale.x(collections.end[row]));
            }
            let distance = (left - x).max(x - right).max(0.0);
            if distance <= REACH && best.is_none_or(|(nearest, _)| distance < nearest) {
                best = Some((distance, row));
            }
        }
        best.map(|(_, row)| target(row))
    }

    fn tooltip(&self, target: &Target, threads: &Threads) -> Option<Tooltip> {
        let collections = &self.0;
        let row = self.row(target)?;
        let generation = collections.generation[row];
        let kind = match collections.kind[row] {
            0 => "blocking",
            1 => "background",
            _ => "during a background one",
        };
        let mut lines = vec![
            ("Kind", format!("generation {generation}, {kind}")),
            ("Why", collections.reason.get(row).to_owned()),
            ("Starts", format::seconds(collections.start[row], DECIMALS)),
            ("Suspending", format::duration(collections.suspension[row])),
        ];
        if is_background(collections, row) {
            lines.push(("Runs for", format::duration(collections.end[row] - collections.start[row])));
        }
        lines.push(("Started by", thread_name(threads, ThreadId(collections.thread[row]))));
        lines.retain(|(_, value)| !value.is_empty());
        Some(Tooltip {
            swatch: Fill::Solid(generation_color(generation)),
            title: format!("Collection #{}", collections.number[row]),
            value: format!("{} paused", format::duration(collections.pause_total[row])),
            lines,
        })
    }

    fn bounds(&self, target: &Target) -> Option<(i64, i64)> {
        let row = self.row(target)?;
        Some((self.0.start[row], self.0.end[row]))
    }

    fn subject(&self, target: &Target) -> Option<Subject> {
        Some(Subject::Collection(self.0.number[self.row(target)?]))
    }
}

impl RuntimeTrack for CollectionsTrack {
    fn kind(&self) -> TrackKind {
        TrackKind::Collections
    }

    fn height(&self) -> CssPx {
        if (0..self.0.number.len()).any(|row| is_background(&self.0, row)) { TALL_HEIGHT } else { TRACK_HEIGHT }
    }

    fn words(&self, whole: Span) -> HeadWords {
        let paused: i64 = self.0.pause_total.iter().sum();
        let figures = format!(
            "{} · {} paused · {}",
            format::count(self.0.number.len() as u64),
            format::duration(paused),
            format::percent(paused as f64, whole.duration() as f64)
        );
        HeadWords { name: "GC".to_owned(), figures }
    }

    fn find(&self, subject: Subject) -> Option<Target> {
        let Subject::Collection(number) = subject else { return None };
        self.0.number.iter().position(|present| *present == number).map(target)
    }

    fn neighbour(&self, from: i64, later: bool) -> Option<Target> {
        let starts = &self.0.start;
        let row = match later {
            true => Some(starts.partition_point(|start| *start <= from)).filter(|row| *row < starts.len()),
            false => starts.partition_point(|start| *start < from).checked_sub(1),
        };
        row.map(target)
    }
}

#[cfg(test)]
mod tests {
    use super::super::hit::samples::small;
    use super::*;

    #[test]
    fn a_collection_is_told_with_its_reason() {
        let small = small();
        let tooltip = CollectionsTrack(small.collections.clone()).tooltip(&target(1), &small.threads);
        assert_eq!(
            tooltip.map(|tooltip| tooltip.sentence()).as_deref(),
            Some(
                "Collection #37, 200 ns paused; Kind generation 2, blocking; Why induced; Starts 0.000000 s; \
                 Suspending 3 ns; Started by Thread 1 (4001)"
            )
        );
    }
}
