//! Graph of the heap sizes after GCs, stacked by generation.

use super::series::{StepStyle, paint_steps};
use crate::draw::drawlist::{Align, DrawList, Label};
use crate::draw::palette::{Fill, Token};
use crate::draw::units::{CssPx, Rect};
use crate::format;
use crate::timeline::timescale::TimeScale;
use crate::timeline::tracks::track::Place;
use protocol::base::time::Span;
use protocol::tables::Gcs;
use std::ops::Range;

/// Horizontal margin of the label, and its baseline from the top of the graph.
const LABEL_MARGIN: CssPx = 4.0;
const LABEL_BASELINE: CssPx = 8.0;
/// Layers from top to bottom: generation 0 changes most.
const HEAP_LAYERS: [Fill; GENERATIONS] = [
    Fill::Shade(Token::Gen0, 2),
    Fill::Shade(Token::Gen1, 2),
    Fill::Shade(Token::Gen2, 2),
    Fill::Shade(Token::External, 2),
    Fill::Shade(Token::External, 3),
];
/// Number of sizes per GC.
const GENERATIONS: usize = 5;

/// Returns the heap sizes for a time range: from the last before it to the first after it.
fn heap_in(gcs: &Gcs, span: Span) -> Range<usize> {
    let times = &gcs.heap_time;
    let first = times.partition_point(|time| *time <= span.start.0).saturating_sub(1);
    first..(times.partition_point(|time| *time <= span.end.0) + 1).min(times.len())
}

/// Draws the heap sizes after GCs, stacked by generation, with the maximum at the right edge, in an area with this
/// top and height.
pub fn paint_heap(list: &mut DrawList, gcs: &Gcs, place: &Place<'_>, area: (CssPx, CssPx)) {
    let sizes = || gcs.heap_sizes.chunks_exact(GENERATIONS);
    let most = sizes().map(|sizes| sizes.iter().sum::<u64>()).max().unwrap_or(0);
    let seen = heap_in(gcs, place.scale.span());
    let points = || gcs.heap_time.iter().zip(sizes()).take(seen.end).skip(seen.start);
    let style = StepStyle { end: place.limits.end.0, axis: (0.0, most as f64), area, line: Token::Gen1, ground: None };
    paint_layers(list, points(), &style, place.scale);
    paint_steps(list, points().map(|(time, sizes)| (*time, sizes.iter().sum::<u64>() as f64)), &style, place.scale);
    let text = format!("max {} after GC", format::bytes(most));
    // Above a heap that is low along the text, beside the data. Without such a place, the axis isn't named.
    let length = text.chars().count() as CssPx * place.characters.small + 2.0 * LABEL_MARGIN;
    let totals = points().map(|(time, sizes)| (*time, sizes.iter().sum::<u64>()));
    if let Some(right) = low_place(totals, most / 2, place, length) {
        let label = Label::small((right - LABEL_MARGIN).floor(), area.0 + LABEL_BASELINE, text, Token::BackgroundInk);
        list.labels.push(Label { align: Align::End, halo: true, ..label });
    }
}

/// Returns the right end of the last place of a length along which no size is above `limit`.
fn low_place(totals: impl Iterator<Item = (i64, u64)>, limit: u64, place: &Place<'_>, length: CssPx) -> Option<CssPx> {
    let width = place.scale.width();
    let (mut free_from, mut is_high, mut found) = (0.0, false, None);
    let last = (place.limits.end.0.max(place.scale.span().end.0), u64::MAX);
    for (time, total) in totals.chain([last]) {
        let x = place.scale.x(time).clamp(0.0, width);
        match (is_high, total > limit) {
            (false, true) if x - free_from >= length => found = Some(x),
            (true, false) => free_from = x,
            _ => {}
        }
        is_high = total > limit;
    }
    found
}

/// Draws the layers of the generations. Each pixel shows the sizes after the last GC before its right edge.
fn paint_layers<'c>(
    list: &mut DrawList,
    points: impl Iterator<Item = (&'c i64, &'c [u64])>,
    style: &StepStyle,
    scale: &TimeScale,
) {
    let mut last: Option<(CssPx, &[u64])> = None;
    let mut draw_to = |last: Option<(CssPx, &[u64])>, until: CssPx| {
        let Some((from, sizes)) = last.filter(|(from, _)| until > *from) else { return };
        let mut rest: u64 = sizes.iter().sum();
        for (size, layer) in sizes.iter().zip(HEAP_LAYERS) {
            let upper = style.y_of(rest as f64);
            rest -= size;
            let lower = if rest == 0 { style.area.0 + style.area.1 } else { style.y_of(rest as f64) };
            if lower > upper {
                list.boxes.push(layer, Rect::new(from, upper, until - from, lower - upper));
            }
        }
    };
    for (time, sizes) in points {
        let x = scale.x(*time).clamp(0.0, scale.width()).floor();
        draw_to(last, x);
        last = Some((x, sizes));
    }
    draw_to(last, scale.x(style.end).clamp(0.0, scale.width()).floor());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_heap_sizes_of_span_are_visited() {
        let table = Gcs { heap_time: vec![5, 15, 25, 35], ..Gcs::default() };
        let heap = |start, end| heap_in(&table, Span::new(start, end));
        assert_eq!(heap(16, 20), 1..3);
        assert_eq!(heap(0, 3), 0..1);
        assert_eq!(heap(15, 25), 1..4);
        assert_eq!(heap(40, 50), 3..4);
        assert_eq!(heap_in(&Gcs::default(), Span::new(0, 1)), 0..0);
    }
}
