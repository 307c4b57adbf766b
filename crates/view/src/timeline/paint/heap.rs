//! Graph of the heap sizes after GCs, stacked by generation.

use super::series::{StepStyle, paint_steps};
use crate::draw::drawlist::DrawList;
use crate::draw::palette::{Fill, Token};
use crate::draw::units::{CssPx, Rect};
use crate::timeline::timescale::TimeScale;
use crate::timeline::tracks::track::Place;
use protocol::base::time::Span;
use protocol::tables::Gcs;
use std::ops::Range;

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

/// Draws the heap sizes after GCs, stacked by generation, in an area with this top and height. Returns the largest size,
/// at the top of the area.
pub fn paint_heap(list: &mut DrawList, gcs: &Gcs, place: &Place<'_>, area: (CssPx, CssPx)) -> u64 {
    let sizes = || gcs.heap_sizes.chunks_exact(GENERATIONS);
    let most = sizes().map(|sizes| sizes.iter().sum::<u64>()).max().unwrap_or(0);
    let seen = heap_in(gcs, place.scale.span());
    let points = || gcs.heap_time.iter().zip(sizes()).take(seen.end).skip(seen.start);
    let style = StepStyle { end: place.limits.end.0, axis: (0.0, most as f64), area, line: Token::Gen1, ground: None };
    paint_layers(list, points(), &style, place.scale);
    paint_steps(list, points().map(|(time, sizes)| (*time, sizes.iter().sum::<u64>() as f64)), &style, place.scale);
    most
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
