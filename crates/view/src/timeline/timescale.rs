//! Time scale of the timeline: converts between nanoseconds and pixels, zooms and pans.

use crate::draw::units::CssPx;
use protocol::base::time::{Nanos, Span};

/// Minimum duration of the visible range in nanoseconds.
pub const MIN_DURATION_NANOS: f64 = 10.0;
/// Minimum distance from the edge of an item that is scrolled into view, as a share of the width.
const ROOM: f64 = 0.1;

/// Visible range of a pane. Positions are f64 nanoseconds, exact to 1 ns for 100 days, so that many small zoom steps
/// don't drift.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct TimeScale {
    start: f64,
    duration: f64,
    width: CssPx,
}

impl TimeScale {
    /// Returns the scale of a pane of `width` that shows `span`.
    pub fn new(span: Span, width: CssPx) -> Self {
        Self {
            start: span.start.0 as f64,
            duration: (span.duration() as f64).max(MIN_DURATION_NANOS),
            width: width.max(1.0),
        }
    }

    /// Returns the width of the pane.
    pub fn width(&self) -> CssPx {
        self.width
    }

    /// Returns the visible range, rounded outwards to whole nanoseconds.
    pub fn span(&self) -> Span {
        Span::new(self.start.floor() as i64, (self.start + self.duration).ceil() as i64)
    }

    /// Returns the position of a time, which may be outside the pane.
    pub fn x(&self, at_nanos: i64) -> CssPx {
        (at_nanos as f64 - self.start) / self.duration * self.width
    }

    /// Returns the pixel columns of the time from `start` to `end`: the left edge of the first and the right edge of
    /// the last, at least one column.
    pub fn columns(&self, start: i64, end: i64) -> (CssPx, CssPx) {
        let left = self.x(start).floor();
        (left, self.x(end).ceil().max(left + 1.0))
    }

    /// Returns the time at a position.
    pub fn time(&self, x: CssPx) -> Nanos {
        Nanos((self.start + x / self.width * self.duration).round() as i64)
    }

    /// Returns the nanoseconds per pixel.
    pub fn nanos_per_px(&self) -> f64 {
        self.duration / self.width
    }
}

/// Time scale that stays within limits.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Viewport {
    limits: Span,
    scale: TimeScale,
}

impl Viewport {
    /// Returns a viewport that shows all of `limits`.
    pub fn new(limits: Span, width: CssPx) -> Self {
        let mut viewport = Self { limits, scale: TimeScale::new(limits, width) };
        viewport.fit();
        viewport
    }

    /// Returns the current scale.
    pub fn scale(&self) -> TimeScale {
        self.scale
    }

    /// Returns the limits of the visible range.
    pub fn limits(&self) -> Span {
        self.limits
    }

    /// Shows the whole trace, from edge to edge, as the minimap, charts and time strips do.
    pub fn fit(&mut self) {
        self.show(self.limits);
    }

    /// Sets the limits of the visible range.
    pub fn set_limits(&mut self, limits: Span) {
        self.limits = limits;
        self.clamp();
    }

    /// Sets the width of the pane, and keeps the visible range.
    pub fn set_width(&mut self, width: CssPx) {
        self.scale.width = width.max(1.0);
    }

    /// Shows exactly `span`, within the limits.
    pub fn show(&mut self, span: Span) {
        self.scale = TimeScale::new(span, self.scale.width);
        self.clamp();
    }

    /// Shows `span` with a margin of an eighth of its length at both ends.
    pub fn show_around(&mut self, span: Span) {
        let room = (span.duration() / 8).max(1);
        self.show(Span::new(span.start.0.saturating_sub(room), span.end.0.saturating_add(room)));
    }

    /// Scrolls to `at` without changing the zoom; centers it if it was outside.
    pub fn reveal(&mut self, at: Nanos) {
        let x = self.scale.x(at.0);
        if x < 0.0 || x >= self.scale.width {
            self.pan(x - self.scale.width / 2.0);
        }
    }

    /// Brings two times into view: unchanged if both are visible, panned if they fit, otherwise zoomed out.
    pub fn reveal_both(&mut self, one: Nanos, other: Nanos) {
        let (first, last) = (one.min(other), one.max(other));
        let (left, right) = (self.scale.x(first.0), self.scale.x(last.0));
        if left >= 0.0 && right < self.scale.width {
            return;
        }
        let room = self.scale.width * ROOM;
        if right - left + 2.0 * room <= self.scale.width {
            let outside = if left < room { left - room } else { right + room - self.scale.width };
            self.pan(outside);
        } else {
            self.show_around(Span { start: first, end: last });
        }
    }

    /// Multiplies the visible range by `factor` (below 1 zooms in), keeping the time at `x`.
    pub fn zoom_at(&mut self, x: CssPx, factor: f64) {
        if !factor.is_finite() || factor <= 0.0 {
            return;
        }
        let longest = self.longest();
        let duration = (self.scale.duration * factor).clamp(MIN_DURATION_NANOS.min(longest), longest);
        self.scale.start += x / self.scale.width * (self.scale.duration - duration);
        self.scale.duration = duration;
        self.clamp();
    }

    /// Pans by a number of pixels; positive: later.
    pub fn pan(&mut self, pixels: CssPx) {
        self.scale.start += pixels * self.scale.nanos_per_px();
        self.clamp();
    }

    fn longest(&self) -> f64 {
        (self.limits.duration() as f64).max(MIN_DURATION_NANOS)
    }

    fn clamp(&mut self) {
        self.scale.duration = self.scale.duration.clamp(MIN_DURATION_NANOS, self.longest());
        let first = self.limits.start.0 as f64;
        let last = self.limits.end.0 as f64 - self.scale.duration;
        self.scale.start = if last < first { (first + last) / 2.0 } else { self.scale.start.clamp(first, last) };
    }
}

/// Returns the zoom factor of a wheel movement by `delta_pixels` (see [`Viewport::zoom_at`]). Ten clicks of a common
/// mouse are a factor of about ten; a pinch moves in many small steps, and counts ten times as much.
pub fn wheel_zoom_factor(delta_pixels: f64, pinch: bool) -> f64 {
    let strength = if pinch { 0.01 } else { 0.0023 };
    (delta_pixels * strength).clamp(-1.0, 1.0).exp()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;

    fn viewport() -> Viewport {
        Viewport::new(Span::new(0, 10 * SECOND), 1000.0)
    }

    #[test]
    fn whole_trace_fills_width_as_in_minimap() {
        let scale = viewport().scale();
        assert_eq!(scale, TimeScale::new(Span::new(0, 10 * SECOND), 1000.0));
        assert_eq!([scale.x(0), scale.x(10 * SECOND)], [0.0, 1000.0]);
    }

    #[test]
    fn zooming_keeps_time_under_pointer() {
        let mut viewport = viewport();
        let before = viewport.scale().time(333.0);
        for _ in 0..200 {
            viewport.zoom_at(333.0, 0.97);
        }
        assert!((viewport.scale().time(333.0).0 - before.0).abs() <= 1);
        assert!(viewport.scale().span().duration() < SECOND / 10);
    }

    #[test]
    fn zooming_stops_at_ten_nanoseconds_and_reverses() {
        let mut viewport = viewport();
        for _ in 0..2000 {
            viewport.zoom_at(500.0, 0.9);
        }
        assert_eq!(viewport.scale().nanos_per_px(), 0.01);
        for _ in 0..2000 {
            viewport.zoom_at(500.0, 1.02);
        }
        assert!(viewport.scale().span().duration() >= 10 * SECOND);
    }

    #[test]
    fn panning_stops_at_ends() {
        let mut viewport = viewport();
        viewport.show(Span::new(4 * SECOND, 5 * SECOND));
        viewport.pan(1e9);
        let scale = viewport.scale();
        assert!((scale.x(10 * SECOND) - 1000.0).abs() < 0.01, "{}", scale.x(10 * SECOND));
        viewport.pan(-1e9);
        assert!(viewport.scale().x(0).abs() < 0.01);
        viewport.zoom_at(0.0, 1e9);
        assert_eq!(viewport.scale(), self::viewport().scale());
    }

    #[test]
    fn empty_trace_has_scale() {
        let mut viewport = Viewport::new(Span::new(5, 5), 100.0);
        viewport.zoom_at(50.0, 0.5);
        viewport.pan(10.0);
        assert!(viewport.scale().x(5).is_finite());
    }

    #[test]
    fn reveal_centers_outside_times_and_keeps_others() {
        let mut viewport = viewport();
        viewport.show(Span::new(SECOND, 2 * SECOND));
        let before = viewport;
        viewport.reveal(Nanos(SECOND + SECOND / 2));
        assert_eq!(viewport, before);
        viewport.reveal(Nanos(7 * SECOND));
        assert!((viewport.scale().x(7 * SECOND) - 500.0).abs() < 0.01);
    }

    #[test]
    fn reveal_both_moves_as_little_as_necessary() {
        let shown = |from: i64, to: i64, one: i64, other: i64| {
            let mut viewport = viewport();
            viewport.show(Span::new(from, to));
            let before = viewport;
            viewport.reveal_both(Nanos(one), Nanos(other));
            let seen = |at: i64| (0.0..=1000.0).contains(&viewport.scale().x(at));
            assert!(seen(one) && seen(other), "{one} and {other} of {from}..{to}");
            let length = |viewport: &Viewport| viewport.scale().span().duration();
            (viewport == before, length(&viewport) == length(&before))
        };
        let unmoved = (true, true);
        assert_eq!(shown(SECOND, 2 * SECOND, SECOND + 1, 2 * SECOND - 1), unmoved);
        let moved = (false, true);
        assert_eq!(shown(SECOND, 2 * SECOND, 1_900_000_000, 2_100_000_000), moved);
        assert_eq!(shown(SECOND, 2 * SECOND, 1_100_000_000, 900_000_000), moved, "the later one may come first");
        assert_eq!(shown(SECOND, 2 * SECOND, 7 * SECOND, 7 * SECOND), moved);
        let widened = (false, false);
        assert_eq!(shown(SECOND, 2 * SECOND, 1_500_000_000, 4 * SECOND), widened);
        assert_eq!(shown(SECOND, SECOND + 1000, 0, 10 * SECOND), widened);
    }

    #[test]
    fn wheel_and_pinch_zoom_symmetrically() {
        let closer = wheel_zoom_factor(-100.0, false);
        let farther = wheel_zoom_factor(100.0, false);
        assert!(closer < 0.85 && (closer * farther - 1.0).abs() < 1e-12);
        assert!(wheel_zoom_factor(-5.0, true) < wheel_zoom_factor(-5.0, false));
        assert!(wheel_zoom_factor(1e9, true) < 3.0);
    }
}
