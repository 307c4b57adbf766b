//! GCs: pauses by generation, background GCs, and the bands of pauses across all threads.

use super::free_place::Covered;
use super::heap::paint_heap;
use crate::draw::drawlist::{Align, Batches, CharacterWidths, DrawList, Label, Line, Painter, Stroke, TextSize};
use crate::draw::palette::{Fill, Token};
use crate::draw::units::{CssPx, Rect, whole_pixels};
use crate::format;
use crate::timeline::timescale::TimeScale;
use crate::timeline::track_layout::TRACK_HEIGHT;
use crate::timeline::tracks::track::Place;
use crate::url::selection::GcLink;
use protocol::base::time::Span;
use protocol::tables::Gcs;

/// Bottom of the pauses, from the top of the track.
const BASELINE: CssPx = 15.0;
/// Baseline of labels beside pauses, from the top of the track.
const LABEL_BASELINE: CssPx = 13.0;
/// Space on both sides of the label of the heap's axis.
const HEAP_LABEL_MARGIN: CssPx = 4.0;
/// Heights of pauses by generation: older generations are taller.
const PAUSE_HEIGHTS: [CssPx; 3] = [6.0, 9.0, 13.0];
/// Bar of a background GC: top, height.
const BACKGROUND_BAR: (CssPx, CssPx) = (16.0, 4.0);
/// Minimum width of a background GC with a label, which is also the width of the label.
const BACKGROUND_LABEL_WIDTH: CssPx = 90.0;
/// Minimum width of a background GC with an outline.
const CONTOURED_BAR_WIDTH: CssPx = 4.0;

/// Minimum width of a pause whose band has edges.
const EDGED_BAND_WIDTH: CssPx = 6.0;
/// Minimum width of a band with a label.
const LABELED_BAND_WIDTH: CssPx = 90.0;
/// Opacity of pauses that fill their pixels, in parts of [`SHARES`]. Narrower ones have their share of it.
const FULL_PAUSE: f64 = 28.0;
/// Minimum opacity of a single narrow pause, which would be invisible otherwise.
const LEAST_PAUSE: f64 = 14.0;
/// Pauses are dense if one of as many pixels has one. Then each pixel shows the mean of those within a distance.
const DENSE_PAUSES: usize = 3;
const MEAN_REACH: usize = 12;
/// Height of a track with background GCs or heap sizes.
const TALL_HEIGHT: CssPx = 32.0;
/// Top of the heap sizes, without and with background GCs.
const HEAP_TOPS: (CssPx, CssPx) = (17.0, 21.0);
/// Mark below induced GCs: minimum width, height.
const INDUCED_FOOT: (CssPx, CssPx) = (4.0, 2.0);
/// `kind` of a background GC.
const BACKGROUND: u8 = 1;

/// Returns whether a GC is a background GC.
pub fn is_background(gcs: &Gcs, row: usize) -> bool {
    gcs.kind[row] == BACKGROUND
}

pub fn generation_color(generation: u8) -> Token {
    match generation {
        0 => Token::Gen0,
        1 => Token::Gen1,
        _ => Token::Gen2,
    }
}

/// Returns the pixels of a pause; `None` if it isn't visible.
fn stop_pixels(gcs: &Gcs, stop: usize, scale: &TimeScale) -> Option<(CssPx, CssPx)> {
    let start = gcs.stop_start[stop];
    let (left, right) = (scale.x(start), scale.x(gcs.stop_end[stop].max(start)));
    // A pause that ended before the first pixel would reach into it with the minimum width.
    let is_over = right < 0.0;
    whole_pixels(left, right.max(left + 1.0), scale.width()).filter(|_| !is_over)
}

/// Returns the pauses that may overlap a time range, by start.
fn stops_in(gcs: &Gcs, span: Span) -> impl Iterator<Item = usize> + '_ {
    let until = gcs.stop_start.partition_point(|start| *start <= span.end.0);
    let ends = gcs.stop_end.iter().take(until).enumerate();
    ends.filter(move |(_, end)| **end >= span.start.0).map(|(stop, _)| stop)
}

/// Positions of the parts of the track; `None` for parts without data.
pub struct GcRows {
    /// Top of the bar of background GCs.
    pub background: Option<CssPx>,
    /// Top of the heap size graph.
    pub heap: Option<CssPx>,
    /// Height of the track.
    pub height: CssPx,
}

impl GcRows {
    /// Returns the positions of the parts that the GCs need.
    pub fn of(gcs: &Gcs) -> Self {
        let has_background = (0..gcs.number.len()).any(|row| is_background(gcs, row));
        let has_heap = gcs.heap_time.len() > 1;
        Self {
            background: has_background.then_some(BACKGROUND_BAR.0),
            heap: has_heap.then_some(if has_background { HEAP_TOPS.1 } else { HEAP_TOPS.0 }),
            height: if has_heap || has_background { TALL_HEIGHT } else { TRACK_HEIGHT },
        }
    }
}

/// Draws the GC track, with an outline around the selected GC.
pub fn paint_collections(list: &mut DrawList, gcs: &Gcs, place: &Place<'_>) {
    let (scale, top) = (place.scale, place.top);
    let rows = GcRows::of(gcs);
    let heap = rows.heap.map(|heap| paint_heap(list, gcs, place, (top + heap, place.height - heap - 1.0)));
    paint_background_bars(list, gcs, scale, top);
    let mut covered = Covered::new(scale.width());
    let mut drawn_until = [f64::MIN; 3];
    let mut longest: Option<(usize, i64, CssPx, CssPx)> = None;
    for stop in stops_in(gcs, scale.span()) {
        let row = gcs.stop_row[stop] as usize;
        let Some((x, width)) = stop_pixels(gcs, stop, scale) else { continue };
        let level = usize::from(gcs.generation[row].min(2));
        let area = Rect::new(x, top + BASELINE - PAUSE_HEIGHTS[level], width.max(2.0), PAUSE_HEIGHTS[level]);
        if place.chosen.gc.is_some_and(|chosen| Some(chosen) == GcLink::of(gcs, row)) {
            list.outlines.push((Token::Text, 2.0, area.grown(2.0)));
        }
        covered.cover((x, area.right()), (0.0, BASELINE));
        let length = gcs.pause(stop);
        if longest.is_none_or(|(_, best, _, _)| best < length) {
            longest = Some((stop, length, x, area.width));
        }
        if area.right() > drawn_until[level] {
            drawn_until[level] = area.right();
            let color = generation_color(gcs.generation[row]);
            list.boxes.push(Fill::Solid(color), area);
            // The suspend time isn't the GC's own work.
            let suspended = gcs.stop_start[stop].saturating_add(gcs.stop_suspension[stop]);
            let width = (scale.x(suspended).min(area.right()) - area.x).round();
            if width >= 1.0 && area.width >= 3.0 {
                list.details.push_apart(Fill::Solid(Token::Panel), Rect { width, height: area.height - 3.0, ..area });
                list.details.push_apart(Fill::Shade(color, 2), Rect { width, height: area.height - 3.0, ..area });
            }
            if gcs.induced[row] != 0 {
                let foot = Rect::new(x, top + BASELINE + 1.0, area.width.max(INDUCED_FOOT.0), INDUCED_FOOT.1);
                list.details.push(Fill::Solid(Token::Text2), foot);
            }
        }
    }
    if let Some((stop, _, x, width)) = longest {
        covered.cover(label_longest(list, gcs, stop, (x, width), place), (0.0, BASELINE));
    }
    if let Some(heap) = heap {
        label_heap(list, heap, &covered, place);
    }
}

/// Labels the heap's axis in the last place without pauses, above the sizes. Without such a place, it has no label.
fn label_heap(list: &mut DrawList, most: u64, covered: &Covered, place: &Place<'_>) {
    let text = format!("heap max {}", format::bytes(most));
    let length = text.chars().count() as CssPx * place.characters.small + 2.0 * HEAP_LABEL_MARGIN;
    if let Some(right) = covered.last_place(length, (0.0, BASELINE)) {
        let label = Label::small(right - HEAP_LABEL_MARGIN, place.top + LABEL_BASELINE, text, Token::BackgroundInk);
        list.labels.push(Label { align: Align::End, has_plate: true, ..label });
    }
}

/// Draws the bars of background GCs, merging those that end at the same pixel.
fn paint_background_bars(list: &mut DrawList, gcs: &Gcs, scale: &TimeScale, top: CssPx) {
    let mut drawn_until = f64::MIN;
    for row in (0..gcs.number.len()).filter(|row| is_background(gcs, *row)) {
        let (left, right) = (scale.x(gcs.start[row]), scale.x(gcs.end[row]));
        let Some((x, width)) = whole_pixels(left, right, scale.width()) else { continue };
        let bar = Rect::new(x, top + BACKGROUND_BAR.0, width.max(2.0), BACKGROUND_BAR.1);
        if bar.right() <= drawn_until {
            continue;
        }
        let free_from = std::mem::replace(&mut drawn_until, bar.right()).max(0.0);
        list.boxes.push(Fill::BackgroundGc, bar);
        if width >= CONTOURED_BAR_WIDTH {
            list.outlines.push((Token::Background, 1.0, bar));
        }
        if width >= BACKGROUND_LABEL_WIDTH && x >= free_from + BACKGROUND_LABEL_WIDTH {
            let text = format!("#{} background", gcs.number[row]);
            let label = Label::small(x - 6.0, bar.bottom(), text, Token::BackgroundInk);
            list.labels.push(Label { align: Align::End, has_plate: true, ..label });
        }
    }
}

/// Labels the longest visible pause with number, generation and duration: on the left, else on the right, unless other
/// pauses are on both sides. Returns the ends of the label.
fn label_longest(
    list: &mut DrawList,
    gcs: &Gcs,
    stop: usize,
    (x, width): (CssPx, CssPx),
    place: &Place<'_>,
) -> (CssPx, CssPx) {
    let (row, scale) = (gcs.stop_row[stop] as usize, place.scale);
    let text = format!(
        "#{} gen {}{} · {}",
        gcs.number[row],
        gcs.generation[row],
        if gcs.induced[row] == 0 { "" } else { " induced" },
        format::duration(gcs.pause(stop))
    );
    let length = text.chars().count() as CssPx * place.characters.normal + 12.0;
    let is_free = |left: CssPx, right: CssPx| {
        let pause = |other| stop_pixels(gcs, other, scale).filter(|_| other != stop);
        let stands_there = |(x, width): (CssPx, CssPx)| x < right && x + width.max(2.0) > left;
        // A pause is at least two pixels wide, and begins at a whole pixel.
        let near = Span { start: scale.time(left - 3.0), end: scale.time(right + 3.0) };
        left >= 0.0 && right <= scale.width() && !stops_in(gcs, near).filter_map(pause).any(stands_there)
    };
    let (ends, x, align) = if is_free(x - length, x) {
        ((x - length, x), x - 6.0, Align::End)
    } else if is_free(x + width, x + width + length) {
        ((x + width, x + width + length), x + width + 6.0, Align::Start)
    } else {
        return (x, x);
    };
    let label = Label::small(x, place.top + LABEL_BASELINE, text, Token::Gen2Ink);
    list.labels.push(Label { size: TextSize::Normal, strong: true, align, has_plate: true, ..label });
    ends
}

/// Replaces shares of paused time with a running mean if most pixels have pauses: stripes would hide the threads. Returns
/// whether they do.
fn smooth_dense(shares: &mut [CssPx]) -> bool {
    if shares.iter().filter(|share| **share > 0.0).count() < shares.len() / DENSE_PAUSES {
        return false;
    }
    let mut sums = vec![0.0];
    for share in shares.iter() {
        sums.push(sums.last().copied().unwrap_or_default() + share);
    }
    for (column, share) in shares.iter_mut().enumerate() {
        let (first, end) = (column.saturating_sub(MEAN_REACH), (column + MEAN_REACH + 1).min(sums.len() - 1));
        *share = (sums[end] - sums[first]) / (end - first) as CssPx;
    }
    true
}

/// Returns the fill of a pixel that pauses partly cover.
fn narrow_pause(share: CssPx, is_dense: bool) -> Fill {
    let least = if is_dense { 1.0 } else { LEAST_PAUSE };
    Fill::Share(Token::Gen1, (share * FULL_PAUSE).round().clamp(least, FULL_PAUSE) as u8)
}

/// Draws bands of pauses across the threads between `top` and `bottom`, which are all paused. Returns the labels of
/// wide ones, which start at `baseline`.
pub fn paint_bands(
    painter: &mut impl Painter,
    gcs: &Gcs,
    scale: &TimeScale,
    (top, bottom): (CssPx, CssPx),
    (baseline, characters): (CssPx, CharacterWidths),
) -> Vec<Label> {
    let mut labels = Vec::new();
    if bottom <= top {
        return labels;
    }
    let mut bands = Batches::default();
    let mut edges = Vec::new();
    // For pauses narrower than a pixel, the opacity shows the share of the pixel.
    let mut shares = vec![0.0; scale.width().max(0.0).ceil() as usize];
    let mut drawn_until = f64::MIN;
    for stop in stops_in(gcs, scale.span()) {
        let Some((x, width)) = stop_pixels(gcs, stop, scale) else { continue };
        let exact = scale.x(gcs.stop_end[stop]) - scale.x(gcs.stop_start[stop]);
        if exact < 1.0 {
            if let Some(share) = shares.get_mut(x as usize) {
                *share += exact;
            }
        } else if x + width > drawn_until {
            let right = x + width;
            let x = x.max(drawn_until);
            let width = right - x;
            drawn_until = right;
            let is_wide = width >= EDGED_BAND_WIDTH;
            bands.push(Fill::Solid(Token::PauseBand), Rect::new(x, top, width, bottom - top));
            if is_wide {
                edges.push(Line::vertical(x, top, bottom));
                edges.push(Line::vertical(x + width - 1.0, top, bottom));
            }
            let row = gcs.stop_row[stop] as usize;
            let text = format!("#{} GC pause · {}", gcs.number[row], format::duration(gcs.pause(stop)));
            let length = text.chars().count() as CssPx * characters.small;
            if width >= LABELED_BAND_WIDTH.max(length + 12.0) {
                labels.push(Label { has_plate: true, ..Label::small(x + 6.0, baseline, text, Token::Gen2Ink) });
            }
        }
    }
    let is_dense = smooth_dense(&mut shares);
    for (column, share) in shares.iter().enumerate().filter(|(_, share)| **share > 0.0) {
        bands.push(narrow_pause(*share, is_dense), Rect::new(column as CssPx, top, 1.0, bottom - top));
    }
    bands.paint(painter);
    if !edges.is_empty() {
        painter.lines(Token::Gen1, Stroke::Dashed, &edges);
    }
    labels
}

#[cfg(test)]
pub(crate) mod samples {
    use super::*;

    /// Returns three GCs: a short one, a long blocking one, a background one.
    pub fn gcs() -> Gcs {
        Gcs {
            process: vec![0; 3],
            number: vec![36, 37, 41],
            generation: vec![0, 2, 2],
            kind: vec![0, 0, BACKGROUND],
            start: vec![105, 405, 700],
            end: vec![108, 595, 960],
            induced: vec![0, 1, 0],
            pause_total: vec![10, 200, 9],
            stop_row: vec![0, 1, 2, 2],
            stop_start: vec![100, 400, 700, 900],
            stop_end: vec![110, 600, 704, 905],
            stop_counted: vec![110, 600, 704, 905],
            stop_suspension: vec![2, 3, 1, 1],
            stop_resume: vec![1, 0, 2, -1],
            heap_row: vec![0, 1],
            heap_time: vec![108, 596],
            heap_sizes: vec![6, 2, 1, 1, 0, 2, 1, 1, 1, 0],
            reason: ["allocation", "induced", "allocation"].into_iter().collect(),
            thread: vec![1, 1, 2],
            event: vec![5, 6, 7],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::drawlist::RecordingPainter;
    use crate::timeline::tracks::track::Chosen;

    fn painted(gcs: &Gcs, width: CssPx, end: i64, top: CssPx, chosen: Option<u32>) -> DrawList {
        let mut list = DrawList::default();
        let scale = TimeScale::new(Span::new(0, end), width);
        let chosen = chosen.map(|number| GcLink { process: 0, number });
        let chosen = Chosen { gc: chosen, ..Chosen::default() };
        let characters = CharacterWidths::default();
        paint_collections(
            &mut list,
            gcs,
            &Place { scale: &scale, top, height: TALL_HEIGHT, limits: scale.span(), chosen, characters },
        );
        list
    }

    #[test]
    fn pauses_of_older_generations_are_taller_and_longest_is_labeled() {
        let list = painted(&samples::gcs(), 500.0, 1000, 22.0, Some(36));
        let mut painter = RecordingPainter::default();
        list.paint_shapes(&mut painter);
        list.paint_labels(&mut painter);
        list.paint_outlines(&mut painter);
        assert_eq!(
            painter.text(),
            "Gen0*2: 54,43 244x5; 298,48 202x1\n\
             Gen1*2: 54,48 244x2; 298,49 202x1\n\
             Gen2*2: 54,50 446x1\n\
             External*2: 54,51 446x2\n\
             External*3: 54,52 446x1\n\
             BackgroundGc: 350,38 130x4\n\
             Gen0: 50,31 5x6\n\
             Gen2: 200,24 100x13; 350,24 2x13; 450,24 3x13\n\
             Gen1: 54,43 244x1; 298,43 1x6; 299,48 201x1\n\
             Panel: 50,31 1x3; 200,24 2x10; 450,24 1x10\n\
             Gen0*2: 50,31 1x3\n\
             Gen2*2: 200,24 2x10; 450,24 1x10\n\
             Text2: 200,38 100x2\n\
             text BackgroundInk 344,42: #41 background\n\
             text BackgroundInk 446,35: heap max 10 B\n\
             outline Background 1: 350,38 130x4\n\
             outline Text 2: 48,29 9x10"
        );
    }

    #[test]
    fn pause_before_first_pixel_is_invisible() {
        let gcs = Gcs { stop_start: vec![94, 100], stop_end: vec![94, 100], ..Gcs::default() };
        let scale = TimeScale::new(Span::new(100, 200), 10.0);
        assert_eq!(stop_pixels(&gcs, 0, &scale), None);
        assert_eq!(stop_pixels(&gcs, 1, &scale), Some((0.0, 1.0)));
    }

    #[test]
    fn longest_pause_label_avoids_other_pauses() {
        // Labels are 167 pixels long. Other pauses are at 100, 700 and 900, the longest from 400 to 600 of 1,000.
        let text = |width: CssPx| {
            let list = painted(&samples::gcs(), width, 1000, 0.0, None);
            list.labels.iter().map(|label| (label.text.clone(), label.x)).find(|(text, _)| text.contains("gen 2"))
        };
        assert_eq!(text(800.0), Some(("#37 gen 2 induced · 200 ns".to_owned(), 314.0)), "on the left");
        assert_eq!(text(300.0), None, "the left has 87 pixels, the right 30");
        assert_eq!(text(100.0), None);
    }

    #[test]
    fn pause_bands_cross_threads_without_overlap() {
        let scale = TimeScale::new(Span::new(0, 1000), 100.0);
        let mut painter = RecordingPainter::default();
        let text = (60.0, CharacterWidths::default());
        let labels = paint_bands(&mut painter, &samples::gcs(), &scale, (44.0, 144.0), text);
        assert!(labels.is_empty(), "too narrow");
        let wide = TimeScale::new(Span::new(0, 1000), 1000.0);
        let labels = paint_bands(&mut RecordingPainter::default(), &samples::gcs(), &wide, (44.0, 144.0), text);
        let labels: Vec<_> = labels.iter().map(|label| (label.text.as_str(), label.x, label.y)).collect();
        assert_eq!(labels, [("#37 GC pause · 200 ns", 406.0, 60.0)]);
        assert_eq!(
            painter.text(),
            "PauseBand: 10,44 1x100; 40,44 20x100\n\
             Gen1*14/64: 70,44 1x100; 90,44 1x100\n\
             Dashed Gen1: 40.5,44→40.5,144; 59.5,44→59.5,144"
        );
    }

    #[test]
    fn dense_pauses_are_one_band() {
        let mut sparse = [0.0, 0.9, 0.0, 0.0, 0.0, 0.0];
        smooth_dense(&mut sparse);
        assert_eq!(sparse, [0.0, 0.9, 0.0, 0.0, 0.0, 0.0]);
        let mut dense = [0.4, 0.0, 0.0, 0.4, 0.0, 0.0];
        smooth_dense(&mut dense);
        assert!(dense.iter().all(|share| (share - 0.8 / 6.0).abs() < 1e-9), "{dense:?}");
    }

    #[test]
    fn dense_pauses_are_as_opaque_as_their_share() {
        let opacity =
            |share, is_dense| narrow_pause(share, is_dense).plain().map_or(0.0, |(_, opacity)| opacity * 64.0);
        assert_eq!([0.01, 0.2, 0.5, 1.0].map(|share| opacity(share, true)), [1.0, 6.0, 14.0, 28.0]);
        assert_eq!([0.01, 0.5, 0.75].map(|share| opacity(share, false)), [14.0, 14.0, 21.0], "a single one is visible");
    }

    #[test]
    fn only_pauses_of_span_are_visited() {
        let table = Gcs { stop_start: vec![0, 10, 20, 30, 40], stop_end: vec![5, 25, 21, 31, 41], ..Gcs::default() };
        let stops = |start, end| stops_in(&table, Span::new(start, end)).collect::<Vec<_>>();
        assert_eq!(stops(22, 30), [1, 3]);
        assert!(stops(6, 9).is_empty());
        assert_eq!(stops(0, 100), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn thousands_of_pauses_are_merged_to_few_boxes() {
        let count = 10_000;
        let many = Gcs {
            number: (0..count).collect(),
            generation: vec![0; count as usize],
            kind: vec![0; count as usize],
            induced: vec![1; count as usize],
            stop_row: (0..count).collect(),
            stop_start: (0..i64::from(count)).collect(),
            stop_end: (1..=i64::from(count)).collect(),
            stop_suspension: vec![0; count as usize],
            ..Gcs::default()
        };
        let list = painted(&many, 300.0, i64::from(count), 0.0, None);
        assert!(list.boxes.len() <= 300 && list.details.len() <= 300, "{}", list.boxes.len());
        let background = Gcs {
            kind: vec![BACKGROUND; count as usize],
            start: (0..i64::from(count)).collect(),
            end: (1..=i64::from(count)).collect(),
            ..many
        };
        let list = painted(&background, 300.0, i64::from(count), 0.0, None);
        assert!(list.boxes.len() <= 600 && list.outlines.is_empty(), "{}", list.boxes.len());
    }
}
