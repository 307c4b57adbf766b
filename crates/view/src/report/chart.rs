//! Layout of charts in reports: bars, lines and labels.

use crate::draw::units::{CssPx, Rect};
use crate::timeline::clock::ClockFace;
use crate::timeline::ticks::Ticks;
use crate::timeline::timescale::TimeScale;
use protocol::base::time::Span;
use protocol::topics::report::{Chart, ChartAxis, ChartSeries, Hue, Unit};
use std::fmt::Write;

/// Margins: above for the numbers of bars and for labels in the area, above for half a label beside it, below for
/// labels, and on the right.
const ABOVE: CssPx = 16.0;
const ABOVE_LINES: CssPx = 6.0;
const BELOW: CssPx = 18.0;
const RIGHT: CssPx = 12.0;
/// Approximate width of a character in labels.
const CHARACTER: CssPx = 6.0;
/// Maximum distance of the lanes' right edge from a frame of the same width: their scroll bar is narrower than the
/// frame's margin.
const LANES_REACH: CssPx = 12.0;
/// Minimum distance of labeled levels.
const LEVEL_DISTANCE: CssPx = 34.0;
/// Minimum distance of labeled times.
const MOMENT_DISTANCE: CssPx = 72.0;
/// Gap between bars.
const GAP: CssPx = 2.0;
/// Maximum width of a bar.
const WIDEST_BAR: CssPx = 40.0;
/// Maximum number of bars with values above them.
const FEW_BARS: usize = 10;
/// Minimum height of a bar with a value other than 0.
const LEAST_BAR: CssPx = 1.0;

/// Style of a series.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ShapeKind {
    Bars,
    /// Area below a line.
    Area,
    Line,
}

/// Shape of a series.
#[derive(Clone, PartialEq, Debug)]
pub struct ChartShape {
    /// Style.
    pub kind: ShapeKind,
    /// Name of its color.
    pub hue: &'static str,
    /// Number of previous series with the same color, which dashes distinguish.
    pub nth: usize,
    pub path: String,
}

/// Label, centered at a position.
#[derive(Clone, PartialEq, Debug)]
pub struct ChartLabel {
    /// Horizontal position.
    pub x: CssPx,
    /// Vertical position.
    pub y: CssPx,
    pub words: String,
}

impl ChartLabel {
    /// Moves the label as little as necessary to fit into a frame of a width.
    fn keep_inside(&mut self, width: CssPx) {
        let half = self.words.chars().count() as f64 * CHARACTER / 2.0 + 2.0;
        self.x = self.x.min(width - half).max(half);
    }
}

/// Chart laid out in a frame.
#[derive(Clone, PartialEq, Debug)]
pub struct ChartPlot {
    /// Area of the values.
    pub area: Rect,
    /// Labels of levels: to the left of the area, or in it.
    pub levels: Vec<ChartLabel>,
    /// True if the labels of levels begin at their position, above the line, because the area has no space beside it.
    pub has_levels_inside: bool,
    /// Labels below the area.
    pub labels: Vec<ChartLabel>,
    /// Numbers above bars.
    pub tops: Vec<ChartLabel>,
    /// Shapes, lowest first.
    pub shapes: Vec<ChartShape>,
    across: Across,
}

/// Horizontal axis.
#[derive(Clone, PartialEq, Debug)]
enum Across {
    /// Number of bars, and distance between their starts.
    Bars {
        count: usize,
        slot: CssPx,
    },
    Moments {
        scale: TimeScale,
        at: Vec<i64>,
    },
}

/// Lanes of the timeline, with which a chart of the same width is aligned.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Lanes {
    /// Left edge, from that of the chart's frame.
    pub left: CssPx,
    /// Visible range.
    pub scale: TimeScale,
}

impl Lanes {
    /// Returns whether a frame of a width contains the lanes.
    fn are_inside(&self, width: CssPx) -> bool {
        self.left >= 0.0 && self.left + self.scale.width() <= width + LANES_REACH
    }
}

impl ChartPlot {
    /// Lays out a chart in a frame. `span` is the time range of charts over time, unless they are as wide as the
    /// `lanes`.
    pub fn new(
        chart: &Chart,
        span: Span,
        face: &ClockFace,
        (width, height): (CssPx, CssPx),
        lanes: Option<Lanes>,
    ) -> Self {
        let highest = highest(chart);
        let step = step_for(highest / ((height - ABOVE - BELOW) / LEVEL_DISTANCE).max(1.0), chart.unit);
        let top = (highest / step).ceil().max(1.0) * step;
        let values: Vec<f64> = (0..=(top / step).round() as usize).map(|at| at as f64 * step).collect();
        let words: Vec<String> = values.iter().map(|value| level_words(*value, chart.unit)).collect();
        let widest = words.iter().map(|words| words.chars().count()).max().unwrap_or(0) as f64 * CHARACTER;
        let lanes = lanes.filter(|lanes| chart.is_over_time() && lanes.are_inside(width));
        let (left, right) = match lanes {
            Some(lanes) => (lanes.left, lanes.left + lanes.scale.width()),
            None => (widest + 8.0, width - RIGHT),
        };
        let has_levels_inside = left < widest + 8.0;
        let above = if chart.is_over_time() && !has_levels_inside { ABOVE_LINES } else { ABOVE };
        let area = Rect::new(left, above, (right - left).max(1.0), (height - above - BELOW).max(1.0));
        let vertical = Vertical { area, top };
        let beside = if has_levels_inside { 4.0 } else { -4.0 };
        let levels = values.iter().zip(words);
        let levels = levels.map(|(value, words)| ChartLabel { x: left + beside, y: vertical.y(*value), words });
        let levels = levels.collect();
        let across = match &chart.axis {
            ChartAxis::Ranges { bounds, .. } => {
                let count = bounds.len().saturating_sub(1);
                let beside = if chart.is_stacked { 1 } else { chart.series.len().max(1) };
                let widest = WIDEST_BAR * beside as CssPx + GAP;
                Across::Bars { count, slot: (area.width / count.max(1) as CssPx).min(widest) }
            }
            ChartAxis::Moments(at) if lanes.is_some() => {
                let scale = lanes.map_or_else(|| TimeScale::new(span, area.width), |lanes| lanes.scale);
                Across::Moments { scale, at: at.clone() }
            }
            ChartAxis::Moments(at) => {
                let ends = at.first().zip(at.last()).map_or(span, |(first, last)| Span::new(*first, *last));
                let span = Span::new(span.start.0.min(ends.start.0), span.end.0.max(ends.end.0));
                Across::Moments { scale: TimeScale::new(span, area.width), at: at.clone() }
            }
        };
        let (labels, tops, shapes) = (Vec::new(), Vec::new(), Vec::new());
        let mut plot = Self { area, levels, has_levels_inside, labels, tops, shapes, across };
        plot.labels = plot.labels_below(chart, face, height);
        plot.labels.iter_mut().for_each(|label| label.keep_inside(width));
        match plot.across {
            Across::Bars { .. } => plot.draw_bars(chart, vertical),
            Across::Moments { .. } => plot.draw_lines(chart, vertical),
        }
        plot
    }

    /// Returns the index of the bar or time at a position.
    pub fn index_at(&self, x: CssPx) -> Option<usize> {
        let inside = x - self.area.x;
        match &self.across {
            Across::Bars { count, slot } => {
                let bar = (inside / slot).floor();
                (bar >= 0.0 && bar < *count as f64).then_some(bar as usize)
            }
            Across::Moments { scale, at } => {
                let time = scale.time(inside).0;
                let after = at.partition_point(|moment| *moment < time);
                let near = [after.checked_sub(1), Some(after)].into_iter().flatten().filter(|place| *place < at.len());
                near.min_by_key(|place| at[*place].abs_diff(time))
            }
        }
    }

    /// Returns the center of a bar or time.
    pub fn x_of(&self, index: usize) -> CssPx {
        let inside = match &self.across {
            Across::Bars { slot, .. } => (index as f64 + 0.5) * slot,
            Across::Moments { scale, at } => at.get(index).map_or(0.0, |at| scale.x(*at)),
        };
        self.area.x + inside
    }

    /// Returns the time between two positions; `None` for charts that aren't over time.
    pub fn span_between(&self, one: CssPx, other: CssPx) -> Option<Span> {
        let Across::Moments { scale, .. } = &self.across else { return None };
        let at = |x: CssPx| scale.time((x - self.area.x).clamp(0.0, self.area.width)).0;
        let span = Span::new(at(one.min(other)), at(one.max(other)));
        (span.duration() > 0).then_some(span)
    }

    /// Returns the position and width of a time range; `None` if it isn't visible, or the chart isn't over time.
    pub fn band(&self, span: Span) -> Option<(CssPx, CssPx)> {
        let Across::Moments { scale, .. } = &self.across else { return None };
        let shown = span.intersect(scale.span())?;
        let (left, right) = (scale.x(shown.start.0).max(0.0), scale.x(shown.end.0).min(self.area.width));
        Some((self.area.x + left, (right - left).max(2.0)))
    }

    /// Returns the visible time; `None` for charts that aren't over time.
    pub fn span(&self) -> Option<Span> {
        match &self.across {
            Across::Bars { .. } => None,
            Across::Moments { scale, .. } => Some(scale.span()),
        }
    }

    /// Returns the position of a time; `None` if it isn't visible, or the chart isn't over time.
    pub fn x_of_moment(&self, at: i64) -> Option<CssPx> {
        let Across::Moments { scale, .. } = &self.across else { return None };
        let x = scale.x(at);
        (0.0..=self.area.width).contains(&x).then_some(self.area.x + x)
    }

    /// Returns the time at a position inside the area; `None` for charts that aren't over time.
    pub fn moment_at(&self, x: CssPx) -> Option<i64> {
        let Across::Moments { scale, .. } = &self.across else { return None };
        let inside = x - self.area.x;
        (0.0..=self.area.width).contains(&inside).then(|| scale.time(inside).0)
    }

    fn labels_below(&self, chart: &Chart, face: &ClockFace, height: CssPx) -> Vec<ChartLabel> {
        let y = height - 4.0;
        match (&self.across, &chart.axis) {
            (Across::Moments { scale, .. }, _) => {
                let ticks = Ticks::with_distance(scale, face, MOMENT_DISTANCE);
                let label = |words: String, x: CssPx| ChartLabel { x: self.area.x + x, y, words };
                ticks
                    .ticks
                    .iter()
                    .filter(|tick| tick.major)
                    .map(|tick| label(ticks.label(tick, face), tick.x))
                    .collect()
            }
            (Across::Bars { slot: bar, .. }, ChartAxis::Ranges { bounds, unit }) => {
                let words: Vec<String> = bounds.iter().map(|bound| level_words(*bound, *unit)).collect();
                let widest =
                    words.iter().map(|words| words.chars().count()).max().unwrap_or(0) as f64 * CHARACTER + 8.0;
                let every = (widest / bar).ceil().max(1.0) as usize;
                let label = |(at, words): (usize, String)| ChartLabel { x: self.area.x + at as f64 * bar, y, words };
                words.into_iter().enumerate().step_by(every).map(label).collect()
            }
            _ => Vec::new(),
        }
    }

    fn draw_bars(&mut self, chart: &Chart, vertical: Vertical) {
        let Across::Bars { count, slot } = self.across else { return };
        let gap = GAP.min(slot / 4.0);
        let beside = if chart.is_stacked { 1.0 } else { chart.series.len().max(1) as f64 };
        let width = (slot - gap) / beside;
        let mut base = vec![0.0; count];
        let mut shapes = Vec::new();
        for (place, series) in chart.series.iter().enumerate() {
            let mut path = String::new();
            let shift = if chart.is_stacked { 0.0 } else { place as f64 * width };
            for (bar, base) in base.iter_mut().enumerate() {
                let value = value_at(series, bar).unwrap_or(0.0).max(0.0);
                if value == 0.0 {
                    continue;
                }
                let (left, bottom) = (self.area.x + bar as f64 * slot + gap / 2.0 + shift, vertical.y(*base));
                let top = vertical.y(*base + value).min(bottom - LEAST_BAR);
                // Writing to a string can't fail.
                let _ = write!(path, "M{left:.1} {bottom:.1}V{top:.1}H{:.1}V{bottom:.1}Z", left + width);
                if chart.is_stacked {
                    *base += value;
                }
            }
            shapes.push(ChartShape { path, ..shape(chart, place, ShapeKind::Bars) });
        }
        self.shapes = shapes;
        let is_wide = |words: &str| words.chars().count() as f64 * CHARACTER <= slot;
        if chart.is_stacked && count <= FEW_BARS {
            let tops = base.iter().enumerate().filter(|(_, value)| **value > 0.0);
            let label = |(bar, value): (usize, &f64)| ChartLabel {
                x: self.x_of(bar),
                y: vertical.y(*value) - 4.0,
                words: chart.unit.words(*value),
            };
            self.tops = tops.map(label).filter(|label| is_wide(&label.words)).collect();
        }
    }

    fn draw_lines(&mut self, chart: &Chart, vertical: Vertical) {
        let Across::Moments { scale, at } = &self.across else { return };
        let xs: Vec<CssPx> = at.iter().map(|at| self.area.x + scale.x(*at)).collect();
        let mut base = vec![0.0; xs.len()];
        let (mut areas, mut lines) = (Vec::new(), Vec::new());
        for (place, series) in chart.series.iter().enumerate() {
            let value = |index: usize| value_at(series, index);
            let line = if chart.is_stacked {
                let upper: Vec<f64> =
                    base.iter().enumerate().map(|(at, base)| base + value(at).unwrap_or(0.0)).collect();
                let ys = |values: &[f64]| values.iter().map(|value| vertical.y(*value)).collect::<Vec<_>>();
                let path = area_path(&xs, &ys(&upper), &ys(&base));
                areas.push(ChartShape { path, ..shape(chart, place, ShapeKind::Area) });
                base.clone_from(&upper);
                line_path(&xs, |index| upper.get(index).copied(), vertical)
            } else {
                line_path(&xs, value, vertical)
            };
            lines.push(ChartShape { path: line, ..shape(chart, place, ShapeKind::Line) });
        }
        if chart.is_stacked {
            // Of overlapping lines, the lowest is visible: those above add nothing there.
            lines.reverse();
        }
        self.shapes = areas.into_iter().chain(lines).collect();
    }
}

/// Converter between values and vertical positions.
#[derive(Clone, Copy)]
struct Vertical {
    area: Rect,
    top: f64,
}

impl Vertical {
    fn y(self, value: f64) -> CssPx {
        self.area.y + self.area.height * (1.0 - (value / self.top).clamp(0.0, 1.0))
    }
}

fn shape(chart: &Chart, place: usize, kind: ShapeKind) -> ChartShape {
    let hue = chart.series.get(place).map_or(Hue::Neutral, |series| series.hue);
    let nth = chart.series.iter().take(place).filter(|series| series.hue == hue).count();
    ChartShape { kind, hue: hue.slug(), nth, path: String::new() }
}

/// Returns charts in their order on the page, and whether each has a legend. A chart over time has the place of the
/// timeline's lanes, so the histogram before it has that of the tracks' heads, with the same legend if it suffices.
pub fn in_order(charts: &[Chart]) -> Vec<(&Chart, bool)> {
    let (over_time, histograms): (Vec<&Chart>, Vec<&Chart>) = charts.iter().partition(|chart| chart.is_over_time());
    let mut ordered = Vec::new();
    for row in 0..over_time.len().max(histograms.len()) {
        let (histogram, beside) = (histograms.get(row), over_time.get(row));
        let is_explained = |chart: &&&Chart| beside.is_some_and(|beside| explains(beside, chart));
        ordered.extend(histogram.map(|chart| (*chart, !is_explained(&chart))));
        ordered.extend(beside.map(|chart| (*chart, true)));
    }
    ordered
}

/// Returns whether the legend of one chart explains all series of another.
fn explains(legend: &Chart, other: &Chart) -> bool {
    let has = |wanted: &ChartSeries| {
        legend.series.iter().any(|series| (&series.name, series.hue) == (&wanted.name, wanted.hue))
    };
    other.series.iter().all(has)
}

/// Returns the entries of the legend: name and shape of each series.
pub fn legend(chart: &Chart) -> Vec<(String, ChartShape)> {
    let kind = match (&chart.axis, chart.is_stacked) {
        (ChartAxis::Ranges { .. }, _) => ShapeKind::Bars,
        (_, true) => ShapeKind::Area,
        (_, false) => ShapeKind::Line,
    };
    let one = |(place, series): (usize, &ChartSeries)| (series.name.clone(), shape(chart, place, kind));
    chart.series.iter().enumerate().map(one).collect()
}

fn value_at(series: &ChartSeries, index: usize) -> Option<f64> {
    series.values.get(index).copied().filter(|value| value.is_finite())
}

/// Returns the largest drawn value.
fn highest(chart: &Chart) -> f64 {
    let count = chart.series.iter().map(|series| series.values.len()).max().unwrap_or(0);
    let at = |index: usize| {
        let values = chart.series.iter().filter_map(|series| value_at(series, index));
        if chart.is_stacked { values.sum::<f64>() } else { values.fold(0.0, f64::max) }
    };
    (0..count).map(at).fold(0.0, f64::max)
}

/// Returns the smallest step of the 1-2-5 series that is at least `least`; at least one for counts.
fn step_for(least: f64, unit: Unit) -> f64 {
    let least = if unit == Unit::Count { least.max(1.0) } else { least };
    if !(least.is_finite() && least > 0.0) {
        return 1.0;
    }
    let power = 10f64.powf(least.log10().floor());
    let digit = [1.0, 2.0, 5.0, 10.0].into_iter().find(|digit| digit * power >= least * 0.999_999).unwrap_or(10.0);
    digit * power
}

/// Formats a round number without redundant digits: "2 ms", not "2.00 ms".
fn level_words(value: f64, unit: Unit) -> String {
    let words = match unit {
        // Same unit as the levels above: "5 M" below "10 M".
        Unit::Plain if (1e6..1e7).contains(&value) => format!("{:.1} M", value / 1e6),
        Unit::PerSecond if (1e6..1e7).contains(&value) => format!("{:.1} M/s", value / 1e6),
        _ => unit.words(value),
    };
    let (number, rest) = words.split_at(words.find([' ', '%']).unwrap_or(words.len()));
    let number = match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.'),
        false => number,
    };
    format!("{number}{rest}")
}

fn line_path(xs: &[CssPx], value: impl Fn(usize) -> Option<f64>, vertical: Vertical) -> String {
    let mut path = String::new();
    let mut is_down = false;
    for (index, x) in xs.iter().enumerate() {
        let Some(value) = value(index) else {
            is_down = false;
            continue;
        };
        let _ = write!(path, "{}{x:.1} {:.1}", if is_down { 'L' } else { 'M' }, vertical.y(value));
        is_down = true;
    }
    path
}

fn area_path(xs: &[CssPx], upper: &[CssPx], lower: &[CssPx]) -> String {
    let mut path = String::new();
    for (index, (x, y)) in xs.iter().zip(upper).enumerate() {
        let _ = write!(path, "{}{x:.1} {y:.1}", if index == 0 { 'M' } else { 'L' });
    }
    for (x, y) in xs.iter().zip(lower).rev() {
        let _ = write!(path, "L{x:.1} {y:.1}");
    }
    if !path.is_empty() {
        path.push('Z');
    }
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(name: &str, hue: Hue, values: &[f64]) -> ChartSeries {
        ChartSeries { name: name.to_owned(), hue, values: values.to_vec() }
    }

    fn bars() -> Chart {
        Chart {
            title: "GCs by pause".to_owned(),
            axis: ChartAxis::Ranges { bounds: vec![1e6, 2e6, 4e6], unit: Unit::Duration },
            unit: Unit::Count,
            is_stacked: true,
            series: vec![
                series("gen 0", Hue::Generation0, &[30.0, 7.0]),
                series("gen 2", Hue::Generation2, &[0.0, 3.0]),
            ],
        }
    }

    fn lines(is_stacked: bool) -> Chart {
        Chart {
            title: "Heap".to_owned(),
            axis: ChartAxis::Moments(vec![0, 1_000_000_000, 2_000_000_000]),
            unit: Unit::Bytes,
            is_stacked,
            series: vec![
                series("one", Hue::Neutral, &[100e6, f64::NAN, 200e6]),
                series("other", Hue::Neutral, &[50e6, 100e6, 100e6]),
            ],
        }
    }

    fn plot(chart: &Chart) -> ChartPlot {
        ChartPlot::new(chart, Span::new(0, 4_000_000_000), &ClockFace::default(), (300.0, 134.0), None)
    }

    fn words(labels: &[ChartLabel]) -> Vec<&str> {
        labels.iter().map(|label| label.words.as_str()).collect()
    }

    #[test]
    fn stacked_bars_have_sum_labels() {
        let plot = plot(&bars());
        assert_eq!(words(&plot.levels), ["0", "20", "40"]);
        assert_eq!(words(&plot.labels), ["1 ms", "2 ms", "4 ms"]);
        assert_eq!(words(&plot.tops), ["30", "10"]);
        assert_eq!(plot.area, Rect::new(20.0, 16.0, 268.0, 100.0));
        // 7 of 40 below, 3 of 40 on top.
        assert_eq!(plot.shapes[0].path, "M21.0 116.0V41.0H61.0V116.0ZM63.0 116.0V98.5H103.0V116.0Z");
        assert_eq!(plot.shapes[1].path, "M63.0 98.5V91.0H103.0V98.5Z");
        assert_eq!((plot.index_at(22.0), plot.index_at(100.0)), (Some(0), Some(1)));
        assert_eq!((plot.index_at(5.0), plot.index_at(120.0)), (None, None), "beside the bars");
        assert_eq!((plot.span(), plot.span_between(30.0, 90.0), plot.band(Span::new(0, 9))), (None, None, None));
    }

    #[test]
    fn lines_have_gaps_and_cover_time_range() {
        let plot = plot(&lines(false));
        assert_eq!(words(&plot.levels), ["0 B", "100 MB", "200 MB"]);
        assert_eq!(plot.shapes.len(), 2);
        assert_eq!(plot.shapes[0].path.matches('M').count(), 2, "{}", plot.shapes[0].path);
        assert_eq!((plot.shapes[0].nth, plot.shapes[1].nth), (0, 1), "the same colour, other dashes");
        assert_eq!(plot.span(), Some(Span::new(0, 4_000_000_000)));
        let middle = plot.area.x + plot.area.width / 2.0;
        assert_eq!(plot.index_at(middle), Some(2));
        assert_eq!(plot.index_at(plot.area.x + plot.area.width), Some(2), "the last one is the nearest");
        let half = plot.span_between(middle, plot.area.x - 50.0).expect("a range");
        assert_eq!(half, Span::new(0, 2_000_000_000));
        let (left, width) = plot.band(Span::new(-5, 2_000_000_000)).expect("a band");
        assert!((left - plot.area.x).abs() < 0.01 && (width - plot.area.width / 2.0).abs() < 0.01);
        assert_eq!(plot.band(Span::new(5_000_000_000, 6_000_000_000)), None);
    }

    #[test]
    fn many_bars_have_no_values_above() {
        let bounds = (0..=11).map(f64::from).collect();
        let series = vec![series("all", Hue::Neutral, &[1.0; 11])];
        let many = Chart { axis: ChartAxis::Ranges { bounds, unit: Unit::Count }, series, ..bars() };
        assert!(plot(&many).tops.is_empty());
    }

    #[test]
    fn wide_chart_is_aligned_with_lanes() {
        let lanes = Lanes { left: 60.0, scale: TimeScale::new(Span::new(1_000_000_000, 3_000_000_000), 240.0) };
        let plot = |chart: &Chart, width: CssPx| {
            ChartPlot::new(chart, Span::new(0, 4_000_000_000), &ClockFace::default(), (width, 134.0), Some(lanes))
        };
        let aligned = plot(&lines(false), 300.0);
        assert_eq!((aligned.area.x, aligned.area.width), (60.0, 240.0));
        assert_eq!(aligned.span(), Some(lanes.scale.span()));
        assert_eq!((aligned.x_of_moment(2_000_000_000), aligned.moment_at(180.0)), (Some(180.0), Some(2_000_000_000)));
        assert_eq!((aligned.x_of_moment(0), aligned.moment_at(40.0)), (None, None), "outside");
        assert!(!aligned.has_levels_inside);
        let close = Lanes { left: 10.0, ..lanes };
        let inside = ChartPlot::new(&lines(false), Span::default(), &ClockFace::default(), (250.0, 134.0), Some(close));
        assert_eq!((inside.area.x, inside.levels[0].x, inside.has_levels_inside), (10.0, 14.0, true));
        let narrow = plot(&lines(false), 200.0);
        assert_eq!(narrow.span(), Some(Span::new(0, 4_000_000_000)), "the lanes are wider");
        assert_eq!(plot(&bars(), 300.0).area.x, 20.0, "not over time");
    }

    #[test]
    fn histograms_are_before_charts_over_time() {
        let (bars, lines) = (bars(), lines(false));
        let order = |charts: &[Chart]| -> Vec<(bool, bool)> {
            in_order(charts).iter().map(|(chart, has_legend)| (chart.is_over_time(), *has_legend)).collect()
        };
        assert_eq!(order(&[lines.clone(), bars.clone()]), [(false, true), (true, true)], "other series");
        assert_eq!(order(&[bars.clone(), lines.clone()]), [(false, true), (true, true)]);
        let half = Chart { series: lines.series[..1].to_vec(), ..bars };
        let expected = [(false, false), (true, true), (true, true)];
        assert_eq!(order(&[lines.clone(), lines, half]), expected, "one legend for both");
    }

    #[test]
    fn areas_are_stacked() {
        let plot = plot(&lines(true));
        assert_eq!(words(&plot.levels), ["0 B", "200 MB", "400 MB"]);
        let kinds: Vec<ShapeKind> = plot.shapes.iter().map(|shape| shape.kind).collect();
        assert_eq!(kinds, [ShapeKind::Area, ShapeKind::Area, ShapeKind::Line, ShapeKind::Line]);
        assert!(plot.shapes.iter().all(|shape| !shape.path.is_empty()));
    }

    #[test]
    fn empty_chart_has_no_shapes() {
        let empty = Chart { series: Vec::new(), axis: ChartAxis::Moments(Vec::new()), ..lines(false) };
        let plot = plot(&empty);
        assert_eq!((plot.shapes.len(), plot.index_at(50.0)), (0, None));
        assert_eq!(level_words(0.05, Unit::Share), "5%");
        assert_eq!([0.0, 5e5, 5e6, 1e7].map(|value| level_words(value, Unit::Plain)), ["0", "500,000", "5 M", "10 M"]);
    }
}
