//! Draws intervals: wide ones as boxes, narrow ones as density, log messages by level.

use super::free_place::Covered;
use super::strip::each_pixel;
use crate::draw::drawlist::{Align, DrawList, Label};
use crate::draw::palette::{Fill, Token};
use crate::draw::text_fit::{MIN_LABEL_WIDTH, fit};
use crate::draw::units::{CssPx, Rect};
use crate::timeline::timescale::TimeScale;
use crate::timeline::track_layout::TRACK_HEIGHT;
use crate::timeline::tracks::interval_look::{Look, Shape};
use crate::timeline::tracks::track::Place;
use protocol::base::time::Span;
use protocol::tables::{Intervals, interval_flag, shade};

/// Minimum width of a box with an edge; narrower intervals become density.
const BOX_WIDTH: CssPx = 3.0;
/// Space above the first and below the last row.
const MARGIN: CssPx = 3.0;
/// Maximum height of all rows, enough for sixty with names. More rows are lower.
const MAX_ROWS_HEIGHT: CssPx = 840.0;
/// Width of the hatch at an open end.
const OPEN_WIDTH: CssPx = 8.0;
/// Minimum share of a pixel that a narrow interval covers, so that it is visible.
const LEAST_SHADE: f64 = 0.6;
/// Height of a single interval in the graph of a collapsed track.
const LOWEST_BAR: CssPx = 2.0;
/// Label of the graph of a collapsed track: baseline from the top of the track, space on both sides.
const GRAPH_LABEL: (CssPx, CssPx) = (11.0, 4.0);
/// Minimum height of a row with labels.
const LABEL_HEIGHT: CssPx = 12.0;
/// Half of the width of a message's triangle; closer triangles are merged.
const TRIANGLE_REACH: CssPx = 4.0;

/// Positions of the rows of a track of intervals.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct IntervalRows {
    /// Number of rows.
    pub count: usize,
    /// Height of the first rows, including the gap below.
    pub height: CssPx,
    /// Top of the first row, from the top of the track.
    pub first: CssPx,
    /// Number of rows of full height.
    pub named: u16,
    /// Height of the other rows, including the gap below.
    pub low: CssPx,
}

impl IntervalRows {
    /// Returns the positions for a table.
    pub fn of(intervals: &Intervals, look: &Look) -> Self {
        let count = intervals.rows.first().map_or(1, |rows| usize::from((*rows).max(1)));
        let height = look.row_height.min((MAX_ROWS_HEIGHT / count as CssPx).floor()).max(2.0);
        let used = height * count as CssPx;
        let rows = Self { count, height, first: 0.0, named: u16::MAX, low: height };
        Self { first: ((rows.track_height() - used) / 2.0).floor(), ..rows }
    }

    /// Returns the height of a track that shows all rows. A single row fits into any track.
    pub fn track_height(self) -> CssPx {
        let rows = if self.count > 1 { self.height * self.count as CssPx + 2.0 * MARGIN } else { 0.0 };
        rows.max(TRACK_HEIGHT)
    }

    /// Returns the top of a row, from the top of the track. Few rows are centered.
    pub fn top(self, row: u16) -> CssPx {
        let (high, low) = (row.min(self.named), row.saturating_sub(self.named));
        self.first + self.height * CssPx::from(high) + self.low * CssPx::from(low)
    }

    /// Returns the height of a row, including the gap below.
    pub fn height_of(self, row: u16) -> CssPx {
        if row < self.named { self.height } else { self.low }
    }
}

/// Share of each pixel that intervals cover.
struct Density {
    covered: Vec<f32>,
}

impl Density {
    fn new(scale: &TimeScale) -> Self {
        Self { covered: vec![0.0; scale.width().ceil() as usize] }
    }

    /// Adds an interval. Even the shortest remains visible.
    fn add(&mut self, intervals: &Intervals, item: usize, scale: &TimeScale) {
        let (left, right) = (scale.x(intervals.start[item]), scale.x(intervals.end[item]));
        let share = intervals.covered[item] as f32 / (intervals.end[item] - intervals.start[item]).max(1) as f32;
        each_pixel(left, right.max(left + 0.05), self.covered.len(), |pixel, part| {
            self.covered[pixel] += part * share + 1e-6;
        });
    }

    /// Adds only the start of an interval with an unknown end.
    fn add_start(&mut self, intervals: &Intervals, item: usize, scale: &TimeScale) {
        let left = scale.x(intervals.start[item]);
        each_pixel(left, left + 1.0, self.covered.len(), |pixel, part| self.covered[pixel] += part);
    }

    /// Returns the pixels with intervals.
    fn pixels(&self) -> impl Iterator<Item = (CssPx, f32)> + '_ {
        let found = self.covered.iter().enumerate().filter(|(_, share)| **share > 0.0);
        found.map(|(pixel, share)| (pixel as CssPx, *share))
    }
}

/// Draws the average number of concurrent intervals in each pixel.
pub fn paint_collapsed(list: &mut DrawList, intervals: &Intervals, look: &Look, place: &Place<'_>) {
    let mut at_once = Density::new(place.scale);
    for item in 0..intervals.start.len() {
        match intervals.flags[item] & interval_flag::UNSURE_END {
            0 => at_once.add(intervals, item, place.scale),
            _ => at_once.add_start(intervals, item, place.scale),
        }
    }
    let most = at_once.covered.iter().copied().fold(1.0, f32::max);
    let (edge, ground) = look.colors(0);
    // Lost events are hatched at any width.
    let fill = if ground == Fill::Lost { ground } else { edge };
    let (base, room) = (place.top + place.height - 2.0, place.height - 5.0);
    let mut covered = Covered::new(place.scale.width());
    for (x, count) in at_once.pixels() {
        let height = (f64::from(count / most) * room).round().max(LOWEST_BAR);
        list.boxes.push(fill, Rect::new(x, base - height, 1.0, height));
        covered.cover((x, x + 1.0), (base - height, base));
    }
    let most = most_at_once(intervals, place.scale.span());
    if most > 1 && ground != Fill::Lost {
        label_most(list, most, &covered, place);
    }
}

/// Returns the maximum number of concurrent intervals in a time range, which is reached at its start or at the start of
/// an interval.
fn most_at_once(intervals: &Intervals, span: Span) -> u32 {
    let mut at_start = 0;
    let mut most = 0;
    for item in 0..intervals.start.len() {
        match intervals.start[item] {
            start if start >= span.end.0 => break,
            start if start >= span.start.0 => most = most.max(intervals.at_once[item]),
            _ if intervals.end[item] > span.start.0 => at_start += intervals.count[item],
            _ => {}
        }
    }
    most.max(at_start)
}

/// Names the maximum in the last place beside the graph.
fn label_most(list: &mut DrawList, most: u32, covered: &Covered, place: &Place<'_>) {
    let text = format!("max {most} at once");
    let length = text.chars().count() as CssPx * place.characters.small + 2.0 * GRAPH_LABEL.1;
    let (top, bottom) = (place.top, place.top + GRAPH_LABEL.0 + 1.0);
    if let Some(right) = covered.last_place(length, (top, bottom)) {
        let label = Label::small(right - GRAPH_LABEL.1, place.top + GRAPH_LABEL.0, text, Token::Text3);
        list.labels.push(Label { align: Align::End, has_plate: true, ..label });
    }
}

/// Draws all rows, with an outline around the selected interval.
pub fn paint_intervals(list: &mut DrawList, intervals: &Intervals, look: &Look, place: &Place<'_>) {
    let rows = IntervalRows::of(intervals, look);
    match look.shape {
        Shape::Boxes => paint_boxes(list, intervals, look, rows, place),
        Shape::Levels => paint_levels(list, intervals, look, rows, place),
    }
    paint_chosen(list, intervals, rows, place);
}

/// Draws intervals as boxes in rows at any position of a track, with an outline around the selected one.
pub fn paint_rows(list: &mut DrawList, intervals: &Intervals, look: &Look, rows: IntervalRows, place: &Place<'_>) {
    paint_boxes(list, intervals, look, rows, place);
    paint_chosen(list, intervals, rows, place);
}

fn paint_chosen(list: &mut DrawList, intervals: &Intervals, rows: IntervalRows, place: &Place<'_>) {
    if let Some(item) = place.chosen.event.and_then(|event| intervals.event.iter().position(|one| *one == event)) {
        let (left, right) = place.scale.columns(intervals.start[item], intervals.end[item]);
        let y = place.top + rows.top(intervals.row[item]);
        let area = Rect::new(left - 2.0, y - 2.0, right - left + 4.0, rows.height_of(intervals.row[item]) + 3.0);
        list.outlines.push((Token::Text, 2.0, area));
    }
}

fn paint_boxes(list: &mut DrawList, intervals: &Intervals, look: &Look, rows: IntervalRows, place: &Place<'_>) {
    let (scale, shades) = (place.scale, look.shades());
    let mut density: Vec<Option<Density>> = (0..rows.count * shades).map(|_| None).collect();
    for item in 0..intervals.start.len() {
        let (left, right) = (scale.x(intervals.start[item]), scale.x(intervals.end[item]));
        if right < 0.0 || left >= scale.width() {
            continue;
        }
        if intervals.flags[item] & interval_flag::UNKNOWN != 0 {
            paint_unknown(list, intervals, item, place);
            continue;
        }
        let (y, height) = (place.top + rows.top(intervals.row[item]), rows.height_of(intervals.row[item]));
        if !list.shows(y, height) {
            continue;
        }
        // Merged intervals with gaps have no edges.
        let is_merged =
            intervals.count[item] > 1 && intervals.covered[item] < intervals.end[item] - intervals.start[item];
        if right - left < BOX_WIDTH || is_merged {
            let at = usize::from(intervals.row[item]) * shades + usize::from(intervals.shade[item]).min(shades - 1);
            let Some(slot) = density.get_mut(at) else { continue };
            slot.get_or_insert_with(|| Density::new(scale)).add(intervals, item, scale);
            continue;
        }
        let x = left.max(0.0).round();
        let area = Rect::new(x, y, (right.min(scale.width()).round() - x - 1.0).max(2.0), height - 1.0);
        let (edge, ground) = look.colors(intervals.shade[item]);
        let is_open = |flag: u8| intervals.flags[item] & flag != 0 && ground != Fill::Lost;
        list.boxes.push_apart(if height < LABEL_HEIGHT { edge } else { ground }, area);
        // With several possible ends, none of it is known.
        let is_unsure = intervals.flags[item] & interval_flag::UNSURE_END != 0;
        let hatch = if is_unsure { area.width } else { OPEN_WIDTH.min(area.width) };
        if is_open(interval_flag::OPEN_END) {
            list.details.push_apart(Fill::Unknown, Rect { x: area.right() - hatch, width: hatch, ..area });
        }
        if is_open(interval_flag::OPEN_START) {
            list.details.push_apart(Fill::Unknown, Rect { width: hatch, ..area });
        } else if height >= LABEL_HEIGHT {
            list.details.push_apart(edge, Rect { width: 2.0, ..area });
        }
        if height < LABEL_HEIGHT {
            continue;
        }
        if area.width >= MIN_LABEL_WIDTH {
            let name = intervals.texts.get(intervals.name[item] as usize);
            let text = fit(name, area.width - 7.0, place.characters.small);
            let has_plate = ground == Fill::Lost;
            let label = Label::small(x + 6.0, area.y + height - 4.0, text, Token::Text);
            list.labels.push(Label { has_plate, ..label });
        }
    }
    for (at, density) in density.iter().enumerate() {
        let Some(density) = density else { continue };
        let (edge, _) = look.colors((at % shades) as u8);
        let row = (at / shades) as u16;
        let (y, height) = (place.top + rows.top(row), rows.height_of(row));
        for (x, share) in density.pixels() {
            list.boxes.push(narrow(edge, share), Rect::new(x, y, 1.0, height - 1.0));
        }
    }
}

/// Returns the fill of a pixel that narrow intervals partly cover.
fn narrow(edge: Fill, share: f32) -> Fill {
    match edge {
        Fill::Solid(token) => Fill::density(token, f64::from(share).max(LEAST_SHADE)).unwrap_or(edge),
        pale => pale,
    }
}

/// Draws a hatch over the whole track, and a sentence.
fn paint_unknown(list: &mut DrawList, intervals: &Intervals, item: usize, place: &Place<'_>) {
    let (left, right) = (place.scale.x(intervals.start[item]).max(0.0), place.scale.x(intervals.end[item]));
    let width = right.min(place.scale.width()) - left;
    let area = Rect::new(left, place.top + MARGIN, width, place.height - 2.0 * MARGIN);
    list.boxes.push_apart(Fill::Unknown, area);
    let name = intervals.texts.get(intervals.name[item] as usize);
    let text = fit(name, width - 12.0, place.characters.small);
    let label = Label::small(left + 8.0, area.bottom() - 3.0, text, Token::Text2);
    list.labels.push(Label { has_plate: true, ..label });
}

/// Draws the marks of log levels: a short tick for details, a longer one for information, a triangle for warnings, a
/// bar for errors, a taller and wider bar for critical errors. Shapes distinguish levels without colors.
fn paint_levels(list: &mut DrawList, intervals: &Intervals, look: &Look, rows: IntervalRows, place: &Place<'_>) {
    let (top, base) = (place.top + rows.top(0), place.top + rows.top(0) + rows.height);
    let pixels = place.scale.width().ceil() as usize;
    // The most severe level is drawn last, on top of the others.
    for level in (0..=shade::LEVEL_TRACE).rev() {
        let (color, _) = look.colors(level);
        let mut free_from = f64::MIN;
        let of_level = (0..intervals.start.len()).filter(|item| intervals.shade[*item] == level);
        for item in of_level {
            // A merged interval may begin before the visible range.
            let is_before = place.scale.x(intervals.end[item]) < 0.0;
            let x = place.scale.x(intervals.start[item]).floor().max(0.0);
            if is_before || x >= pixels as CssPx || x < free_from {
                continue;
            }
            let mut bar = |width: CssPx, height: CssPx| {
                free_from = x + width;
                list.boxes.push(color, Rect::new(x, base - height, width, height));
            };
            match (level, color) {
                (shade::LEVEL_CRITICAL, _) => bar(4.0, base - top),
                (shade::LEVEL_ERROR, _) => bar(3.0, base - top - 4.0),
                (shade::LEVEL_WARNING, Fill::Solid(token)) => {
                    free_from = x + TRIANGLE_REACH;
                    list.triangles.push((token, Rect::new(x - TRIANGLE_REACH, base - 9.0, 2.0 * TRIANGLE_REACH, 8.0)));
                }
                (shade::LEVEL_INFORMATION, _) => bar(1.0, 7.0),
                _ => bar(1.0, 3.0),
            }
        }
    }
}
