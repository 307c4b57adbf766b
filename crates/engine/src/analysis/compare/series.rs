//! Values of one measure in all traces of a side.

use std::borrow::Cow;

/// Maximum number of slices that depend on each other.
const MAX_DEPENDENCE: usize = 5;

/// Values by slice; the slices of several traces follow each other. Durations are in ascending order.
#[derive(Default)]
pub(super) struct Series {
    pub values: Vec<(usize, f64)>,
    pub slices: usize,
}

/// Statistic of a series to compare.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Statistic {
    /// Sum, divided.
    Sum,
    /// Number of operations, divided.
    Count,
    Percentile(u8),
    Mean,
}

impl Statistic {
    pub fn percentile(self) -> Option<u8> {
        match self {
            Self::Percentile(percentile) => Some(percentile),
            _ => None,
        }
    }
}

/// Values prepared so that a resample costs little.
pub(super) enum Prepared<'d> {
    /// Amounts by slice, and what they are divided by.
    Ratio(Vec<f64>, Cow<'d, [f64]>),
    /// Values in ascending order with their slices, and the share of them that isn't above the percentile.
    Sorted(&'d [(usize, f64)], f64),
}

impl Series {
    /// Returns the number of values by slice.
    pub fn counts(&self) -> Vec<f64> {
        let mut counts = vec![0.0; self.slices];
        self.values.iter().for_each(|(slice, _)| counts[*slice] += 1.0);
        counts
    }

    fn sums(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.slices];
        self.values.iter().for_each(|(slice, value)| sums[*slice] += value);
        sums
    }

    /// Returns the number of slices in a row that depend on each other, estimated from the correlation of neighbors: a
    /// burst that lasts for several slices is one observation.
    pub fn dependence(&self) -> usize {
        let sums = self.sums();
        let mean = sums.iter().sum::<f64>() / sums.len().max(1) as f64;
        let variance: f64 = sums.iter().map(|sum| (sum - mean).powi(2)).sum();
        let covariance: f64 = sums.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
        if variance <= 0.0 {
            return 1;
        }
        let correlation = (covariance / variance).clamp(0.0, 0.99);
        (((1.0 + correlation) / (1.0 - correlation)).ceil() as usize).clamp(1, MAX_DEPENDENCE)
    }

    pub fn prepared<'d>(&'d self, statistic: Statistic, divisors: &'d [f64]) -> Prepared<'d> {
        match statistic {
            Statistic::Sum => Prepared::Ratio(self.sums(), Cow::Borrowed(divisors)),
            Statistic::Count => Prepared::Ratio(self.counts(), Cow::Borrowed(divisors)),
            Statistic::Mean => Prepared::Ratio(self.sums(), Cow::Owned(self.counts())),
            Statistic::Percentile(percentile) => Prepared::Sorted(&self.values, f64::from(percentile) / 100.0),
        }
    }
}

impl Prepared<'_> {
    /// Returns the statistic of a resample, in which each slice occurs this often.
    pub fn value(&self, occurrences: impl Fn(usize) -> f64) -> f64 {
        match self {
            Self::Ratio(amounts, divisors) => {
                let sum = |of: &[f64]| of.iter().enumerate().map(|(slice, one)| one * occurrences(slice)).sum::<f64>();
                let divisor = sum(divisors);
                if divisor > 0.0 { sum(amounts) / divisor } else { 0.0 }
            }
            Self::Sorted(sorted, share) => {
                let total: f64 = sorted.iter().map(|(slice, _)| occurrences(*slice)).sum();
                let mut left = total * (1.0 - share);
                // From the largest value down, because high percentiles are near it.
                for (slice, value) in sorted.iter().rev() {
                    left -= occurrences(*slice);
                    if left < 0.0 {
                        return *value;
                    }
                }
                sorted.first().map_or(0.0, |(_, value)| *value)
            }
        }
    }

    /// Returns the number of blocks of `dependence` slices with a value.
    pub fn occupied_blocks(&self, dependence: usize) -> usize {
        let mut blocks: Vec<usize> = match self {
            Self::Ratio(amounts, _) => {
                (0..amounts.len()).filter(|slice| amounts[*slice] != 0.0).map(|slice| slice / dependence).collect()
            }
            Self::Sorted(sorted, _) => sorted.iter().map(|(slice, _)| slice / dependence).collect(),
        };
        blocks.sort_unstable();
        blocks.dedup();
        blocks.len()
    }
}
