//! Times of a finding as bars on a strip.

use protocol::base::time::Span;

/// Narrowest bar, as a share of the strip.
const NARROWEST: f64 = 0.008;

/// Returns the bars of times within a domain, as left edges and widths in shares of the strip. Bars that would touch
/// are merged.
pub fn bars(times: &[Span], domain: Span) -> Vec<(f64, f64)> {
    let whole = domain.duration().max(1) as f64;
    let share = |at: i64| at.saturating_sub(domain.start.0) as f64 / whole;
    let mut bars: Vec<(f64, f64)> = Vec::new();
    for time in times.iter().filter(|time| time.start < domain.end && time.end >= domain.start) {
        let left = share(time.start.max(domain.start).0).min(1.0 - NARROWEST);
        let right = share(time.end.min(domain.end).0).max(left + NARROWEST);
        match bars.last_mut() {
            Some((before, width)) if left <= *before + *width => *width = width.max(right - *before),
            _ => bars.push((left, right - left)),
        }
    }
    bars
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_lie_within_domain() {
        let times = [Span::new(0, 99), Span::new(150, 200), Span::new(900, 2000), Span::new(1200, 1300)];
        let found = bars(&times, Span::new(100, 1100));
        let edges: Vec<_> = found.iter().map(|(left, width)| (format!("{left:.3}"), format!("{width:.3}"))).collect();
        let expected = [("0.050", "0.050"), ("0.800", "0.200")];
        assert_eq!(edges, expected.map(|(left, width)| (left.to_owned(), width.to_owned())));
    }

    #[test]
    fn short_times_are_visible_and_merged() {
        let times = [Span::new(500, 500), Span::new(501, 502), Span::new(999, 999)];
        let found = bars(&times, Span::new(0, 1000));
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|(left, width)| *width >= NARROWEST && left + width <= 1.0 + f64::EPSILON));
    }
}
