//! Range and resolution of requests, and when to send a new one.

use super::timescale::TimeScale;
use protocol::base::time::Span;

/// Returns the largest power of two that isn't more than the nanoseconds per pixel, at least 1.
///
/// Powers of two make answers reusable: the resolution stays the same over a factor of two of zooming.
pub fn resolution(scale: &TimeScale) -> i64 {
    let nanos = scale.nanos_per_px();
    let mut resolution: i64 = 1;
    while resolution < 1 << 60 && (resolution * 2) as f64 <= nanos {
        resolution *= 2;
    }
    resolution
}

/// Returns the visible range with its length added before and after, on multiples of the resolution, inside `limits`.
pub fn request_span(scale: &TimeScale, limits: Span) -> Span {
    let step = resolution(scale);
    let visible = scale.span();
    let length = visible.duration();
    let start = visible.start.0.saturating_sub(length).max(limits.start.0);
    let end = visible.end.0.saturating_add(length).min(limits.end.0);
    let start = start.div_euclid(step).saturating_mul(step);
    let end = end.saturating_add(step - 1).div_euclid(step).saturating_mul(step);
    Span::new(start, end.max(start))
}

/// Returns the part of the visible range that can have data.
pub fn visible_inside(scale: &TimeScale, limits: Span) -> Span {
    scale.span().intersect(limits).unwrap_or(Span { start: limits.start, end: limits.start })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resolution_is_power_of_two_below_pixel() {
        let of = |duration| resolution(&TimeScale::new(Span::new(0, duration), 1000.0));
        assert_eq!(of(10), 1);
        assert_eq!(of(1_999), 1);
        assert_eq!(of(2_000), 2);
        assert_eq!(of(8_400_000_000), 8_388_608);
    }

    #[test]
    fn small_moves_need_no_new_request() {
        let limits = Span::new(0, 1_000_000_000);
        let scale = TimeScale::new(Span::new(400_000_000, 500_000_000), 1000.0);
        let asked = request_span(&scale, limits);
        assert!(asked.start.0 <= 300_000_000 && asked.end.0 >= 600_000_000);
        assert_eq!(asked.start.0 % resolution(&scale), 0);
        let moved = TimeScale::new(Span::new(480_000_000, 580_000_000), 1000.0);
        assert_eq!(asked.intersect(moved.span()), Some(moved.span()));
        assert_eq!(resolution(&scale), resolution(&moved));
    }

    #[test]
    fn request_span_stays_within_limits() {
        let limits = Span::new(0, 1_000);
        let scale = TimeScale::new(Span::new(-10, 1_010), 100.0);
        assert_eq!(request_span(&scale, limits), Span::new(0, 1_000));
        assert_eq!(visible_inside(&scale, limits), limits);
    }
}
