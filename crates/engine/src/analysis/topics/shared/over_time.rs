//! Amounts over time, for charts: a few hundred points of a span.

use protocol::base::time::Span;
use protocol::topics::report::{Chart, ChartAxis, ChartSeries, Hue, Unit};

/// Number of points of a chart.
const MOMENTS: usize = 240;

/// Sums of amounts in equal parts of a span.
#[derive(Debug)]
pub struct OverTime {
    span: Span,
    /// Nanoseconds per part, never 0.
    step: i64,
    sums: Vec<f64>,
    /// Amounts to add to a part and to all following parts.
    from_here_on: Vec<f64>,
}

impl OverTime {
    /// Returns empty sums.
    pub fn new(span: Span) -> Self {
        let step = (span.duration() / MOMENTS as i64).max(1);
        Self { span, step, sums: vec![0.0; MOMENTS], from_here_on: vec![0.0; MOMENTS + 1] }
    }

    /// Adds an amount at a time; ignored outside the span.
    pub fn add(&mut self, time: i64, value: f64) {
        let at = time.saturating_sub(self.span.start.0).div_euclid(self.step);
        if let Some(sum) = usize::try_from(at).ok().and_then(|at| self.sums.get_mut(at)) {
            *sum += value;
        }
    }

    /// Adds an interval.
    pub fn cover(&mut self, start: i64, end: i64) {
        let whole = self.step.saturating_mul(MOMENTS as i64);
        let [start, end] = [start, end].map(|time| time.saturating_sub(self.span.start.0).clamp(0, whole));
        let (first, last) = ((start / self.step) as usize, (end / self.step) as usize);
        if start >= end {
            return;
        }
        // Add full parts at both ends, then subtract the excess.
        self.from_here_on[first.min(MOMENTS)] += self.step as f64;
        self.from_here_on[last.min(MOMENTS)] -= self.step as f64;
        if let Some(sum) = self.sums.get_mut(first) {
            *sum -= (start % self.step) as f64;
        }
        if let Some(sum) = self.sums.get_mut(last) {
            *sum += (end % self.step) as f64;
        }
    }

    /// Returns the average number of simultaneous intervals in each part.
    pub fn at_once(&self) -> Vec<f64> {
        let mut running = 0.0;
        let parts = self.sums.iter().zip(&self.from_here_on);
        parts
            .map(|(sum, change)| {
                running += change;
                ((running + sum) / self.step as f64).max(0.0)
            })
            .collect()
    }

    /// Returns the rate per second in each part.
    pub fn per_second(&self) -> Vec<f64> {
        self.sums.iter().map(|sum| sum * 1e9 / self.step as f64).collect()
    }

    /// Returns the maximum of each part, for values in time order that hold until the next one; NaN before the first.
    pub fn highest(&self, values: &[(i64, f64)]) -> Vec<f64> {
        let mut at = 0;
        let mut held = f64::NAN;
        let of = |part: usize| {
            let end = self.moment(part + 1);
            let mut highest = held;
            while let Some((_, value)) = values.get(at).filter(|(time, _)| *time < end) {
                highest = highest.max(*value);
                (held, at) = (*value, at + 1);
            }
            highest
        };
        (0..MOMENTS).map(of).collect()
    }

    fn moment(&self, part: usize) -> i64 {
        self.span.start.0.saturating_add(self.step.saturating_mul(part as i64))
    }

    /// Returns a chart of series over the parts of this span.
    pub fn chart(&self, title: &str, unit: Unit, series: Vec<(&str, Hue, Vec<f64>)>) -> Chart {
        let of = |(name, hue, values): (&str, Hue, Vec<f64>)| ChartSeries { name: name.to_owned(), hue, values };
        Chart {
            title: title.to_owned(),
            axis: ChartAxis::Moments((0..MOMENTS).map(|part| self.moment(part)).collect()),
            unit,
            is_stacked: true,
            series: series.into_iter().map(of).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interval_counts_in_every_part_by_share() {
        let mut times = OverTime::new(Span::new(100, 100 + 10 * MOMENTS as i64));
        times.cover(105, 122);
        times.cover(0, 110);
        times.cover(121, 123);
        let at_once = times.at_once();
        assert_eq!(at_once[..4], [1.5, 1.0, 0.4, 0.0]);
        times.cover(0, i64::MAX);
        assert!(times.at_once().iter().all(|value| *value >= 1.0));
    }

    #[test]
    fn instants_count_per_second() {
        let mut times = OverTime::new(Span::new(0, 1_000_000_000 * MOMENTS as i64));
        for time in [-5, 10, 20, 1_500_000_000, i64::MAX] {
            times.add(time, 1.0);
        }
        assert_eq!(times.per_second()[..3], [2.0, 1.0, 0.0]);
        let highest = times.highest(&[(5, 2.0), (6, 9.0), (7, 3.0), (2_000_000_000, 1.0)]);
        assert_eq!(highest[..4], [9.0, 3.0, 3.0, 1.0]);
        assert!(times.highest(&[(1_500_000_000, 1.0)])[0].is_nan());
        let chart = times.chart("Rate", Unit::PerSecond, vec![("all", Hue::Failure, times.per_second())]);
        assert_eq!(chart.series[0].values.len(), MOMENTS);
        assert!(matches!(chart.axis, ChartAxis::Moments(moments) if moments[1] == 1_000_000_000));
    }
}
