//! Histogram of events over time, as bars and in words.

use crate::draw::units::CssPx;
use crate::format;
use crate::timeline::clock::ClockFace;
use crate::timeline::ticks::{Tick, Ticks};
use crate::timeline::timescale::TimeScale;
use protocol::base::time::Span;
use protocol::tables::Overview;
use std::fmt::Write;

/// Height of the picture in units; its width is the number of bars.
const HEIGHT: u64 = 24;
/// Minimum distance of labels on the axis.
const LABEL_DISTANCE: CssPx = 90.0;
/// Minimum distance of a label's middle from the ends of the axis.
const LABEL_MARGIN: CssPx = 22.0;

/// Bars of equal width over a time range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Histogram {
    start: i64,
    end: i64,
    bars: Vec<u64>,
}

impl Histogram {
    /// Returns the histogram of an event density.
    pub fn new(density: &Overview) -> Self {
        let bound = |at: usize| density.bounds.get(at).copied().unwrap_or(0);
        Self { start: bound(0), end: bound(1), bars: density.events.iter().map(|count| u64::from(*count)).collect() }
    }

    /// Returns the SVG view box.
    pub fn view_box(&self) -> String {
        format!("0 0 {} {HEIGHT}", self.bars.len().max(1))
    }

    /// Returns the outline of the bars as an SVG path. Every bar with events is visible.
    pub fn outline(&self) -> String {
        let most = self.bars.iter().copied().max().unwrap_or(0).max(1);
        outline(self.bars.iter().map(|count| (count * HEIGHT).div_ceil(most)), HEIGHT)
    }

    /// Returns the labels of the time axis of an area, with their positions in percent of its width.
    pub fn axis(&self, face: &ClockFace, width: CssPx) -> Vec<(f64, String)> {
        let scale = TimeScale::new(Span::new(self.start, self.end), width);
        let ticks = Ticks::with_distance(&scale, face, LABEL_DISTANCE);
        let fits = |tick: &&Tick| tick.major && tick.x >= LABEL_MARGIN && tick.x <= width - LABEL_MARGIN;
        let label = |tick: &Tick| (tick.x / width * 100.0, ticks.label(tick, face));
        ticks.ticks.iter().filter(fits).map(label).collect()
    }

    /// Returns the number of events in the tallest bar, and the time that a bar covers.
    pub fn peak(&self) -> (u64, i64) {
        let most = self.bars.iter().copied().max().unwrap_or(0);
        (most, self.end.saturating_sub(self.start) / self.bars.len().max(1) as i64)
    }

    /// Returns the time between two positions, given as shares of the width; `None` if it is empty.
    pub fn between(&self, one: f64, other: f64) -> Option<Span> {
        let span = Span::new(self.moment(one.min(other)), self.moment(one.max(other)));
        (span.duration() > 0).then_some(span)
    }

    /// Returns the time from the start of the bar at a position to the end.
    pub fn from_bar(&self, place: f64) -> Span {
        let last = self.bars.len().saturating_sub(1);
        let bar = (place.clamp(0.0, 1.0) * self.bars.len() as f64) as usize;
        Span::new(self.edge(bar.min(last)), self.end)
    }

    fn moment(&self, place: f64) -> i64 {
        let length = self.end.saturating_sub(self.start) as f64;
        self.start.saturating_add((place.clamp(0.0, 1.0) * length).round() as i64)
    }

    /// Returns the start of a bar.
    fn edge(&self, bar: usize) -> i64 {
        let part = i128::from(self.end.saturating_sub(self.start)) * bar as i128 / self.bars.len().max(1) as i128;
        self.start.saturating_add(part as i64)
    }

    /// Returns a description in words, for screen readers.
    pub fn words(&self, face: ClockFace) -> String {
        let Some((at, most)) = self.bars.iter().enumerate().max_by_key(|(at, count)| (**count, usize::MAX - at)) else {
            return "No events".to_owned();
        };
        if *most == 0 {
            return "No events".to_owned();
        }
        let range = face.range(self.edge(at), self.edge(at + 1));
        format!("Events over {}: peak {} in {range}", face.range(self.start, self.end), format::count(*most))
    }
}

/// Returns the outline of bars of these heights, one unit wide each, on a baseline at `height` below the top.
pub fn outline(bars: impl Iterator<Item = u64>, height: u64) -> String {
    let mut path = format!("M0 {height}");
    for (at, bar) in bars.enumerate() {
        // Writing to a string can't fail.
        let _ = write!(path, "V{}H{}", height.saturating_sub(bar), at + 1);
    }
    path + &format!("V{height}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(events: Vec<u32>) -> Histogram {
        Histogram::new(&Overview { bounds: vec![0, 3_000_000_000], events, ..Overview::default() })
    }

    #[test]
    fn bars_begin_at_baseline_and_few_events_are_visible() {
        assert_eq!(of(vec![0, 1000, 1]).outline(), "M0 24V24H1V0H2V23H3V24Z");
        assert_eq!(of(vec![0, 1000, 1]).view_box(), "0 0 3 24");
    }

    #[test]
    fn positions_are_times() {
        let histogram = of(vec![1, 0, 5]);
        assert_eq!(histogram.between(0.75, 0.25), Some(Span::new(750_000_000, 2_250_000_000)));
        assert_eq!(histogram.between(-1.0, 2.0), Some(Span::new(0, 3_000_000_000)), "beyond the edges is at them");
        assert_eq!(histogram.between(0.5, 0.5), None);
        assert_eq!(histogram.from_bar(0.5), Span::new(1_000_000_000, 3_000_000_000));
        assert_eq!(histogram.from_bar(1.0), Span::new(2_000_000_000, 3_000_000_000));
    }

    #[test]
    fn axis_has_round_times_within_its_ends() {
        let histogram = of(vec![2, 1000, 1]);
        let axis = histogram.axis(&ClockFace::default(), 300.0);
        assert_eq!(axis.iter().map(|(at, _)| at.round()).collect::<Vec<_>>(), [33.0, 67.0]);
        assert!(axis[0].1.starts_with('1') && axis[1].1.starts_with('2'), "{axis:?}");
        assert!(histogram.axis(&ClockFace::default(), 30.0).is_empty(), "no room for labels");
        assert_eq!(histogram.peak(), (1000, 1_000_000_000));
    }

    #[test]
    fn words_name_tallest_bar() {
        let words = of(vec![2, 1000, 1]).words(ClockFace::default());
        assert!(words.starts_with("Events over ") && words.contains("peak 1,000 in 1"), "{words}");
        assert_eq!(of(vec![0, 0]).words(ClockFace::default()), "No events");
        assert_eq!(of(Vec::new()).words(ClockFace::default()), "No events");
    }
}
