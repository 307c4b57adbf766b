//! Statistics of groups of events: count, first and last event, and for a number: sum, extremes and percentiles.

/// Maximum count of numbers for percentiles. If there are more, evenly spaced ones are used.
const MAX_VALUES: usize = 1 << 21;

/// A group of events.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Group {
    /// Number of events.
    pub count: u64,
    /// Row of the first event in time order.
    pub first: u32,
    /// Row of the last event.
    pub last: u32,
    /// Number of events that have a number.
    pub measured: u64,
    pub sum: f64,
    /// The smallest number.
    pub min: f64,
    /// The largest number.
    pub max: f64,
    pub median: f64,
    /// 95th percentile of the numbers.
    pub percentile_95: f64,
}

impl Default for Group {
    fn default() -> Self {
        let none = f64::NAN;
        Self {
            count: 0,
            first: u32::MAX,
            last: 0,
            measured: 0,
            sum: 0.0,
            min: none,
            max: none,
            median: none,
            percentile_95: none,
        }
    }
}

/// Groups under construction.
#[derive(Debug, Default)]
pub struct GroupAccumulator {
    groups: Vec<Group>,
    /// Group and value of the numbers used for percentiles.
    values: Vec<(u32, f64)>,
    /// One in this many numbers is used, except among the first ones.
    stride: u64,
    /// Count of numbers so far.
    measured: u64,
}

impl GroupAccumulator {
    /// Adds the event of a row to a group, with its number if it has one.
    pub fn add(&mut self, group: u32, row: u32, value: Option<f64>) {
        let at = group as usize;
        if self.groups.len() <= at {
            self.groups.resize(at + 1, Group::default());
        }
        let Some(sums) = self.groups.get_mut(at) else { return };
        sums.count += 1;
        sums.first = sums.first.min(row);
        sums.last = sums.last.max(row);
        let Some(value) = value.filter(|value| !value.is_nan()) else { return };
        sums.measured += 1;
        sums.sum += value;
        // The minimum of a number and NaN is the number.
        sums.min = sums.min.min(value);
        sums.max = sums.max.max(value);
        self.keep(group, value);
    }

    fn keep(&mut self, group: u32, value: f64) {
        if self.values.len() >= MAX_VALUES {
            let mut is_kept = false;
            self.values.retain(|_| {
                is_kept = !is_kept;
                is_kept
            });
            self.stride = self.stride.max(1) * 2;
        }
        if self.measured.is_multiple_of(self.stride.max(1)) {
            self.values.push((group, value));
        }
        self.measured += 1;
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.groups.capacity() * size_of::<Group>() + self.values.capacity() * size_of::<(u32, f64)>()
    }

    /// Returns the groups with their percentiles, and whether these are of a sample.
    pub fn finish(mut self) -> (Vec<Group>, bool) {
        let mut ends = vec![0; self.groups.len()];
        self.values.iter().for_each(|(group, _)| ends[*group as usize] += 1);
        let mut end = 0;
        for place in &mut ends {
            end += *place;
            *place = end;
        }
        let mut starts = ends.clone();
        let mut sorted = vec![0.0; self.values.len()];
        for (group, value) in self.values.drain(..) {
            let place = &mut starts[group as usize];
            *place -= 1;
            sorted[*place] = value;
        }
        for (group, (start, end)) in self.groups.iter_mut().zip(starts.into_iter().zip(ends)) {
            let values = &mut sorted[start..end];
            group.median = percentile(values, 50);
            group.percentile_95 = percentile(values, 95);
        }
        (self.groups, self.stride > 1)
    }
}

/// Returns a percentile (nearest rank); `NaN` without numbers.
fn percentile(values: &mut [f64], percent: usize) -> f64 {
    let rank = (values.len() * percent).div_ceil(100);
    match rank.checked_sub(1) {
        Some(at) => *values.select_nth_unstable_by(at, f64::total_cmp).1,
        None => f64::NAN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: &[f64]) -> Group {
        let mut sums = GroupAccumulator::default();
        values.iter().enumerate().for_each(|(row, value)| sums.add(0, row as u32, Some(*value)));
        let (groups, is_sampled) = sums.finish();
        assert!(!is_sampled);
        groups[0]
    }

    #[test]
    fn percentile_is_an_existing_number() {
        let hundred: Vec<f64> = (1..=100).rev().map(f64::from).collect();
        let group = of(&hundred);
        assert_eq!(
            (group.median, group.percentile_95, group.min, group.max, group.sum),
            (50.0, 95.0, 1.0, 100.0, 5050.0)
        );
        let group = of(&[3.0, -1.0]);
        assert_eq!((group.median, group.percentile_95, group.min), (-1.0, 3.0, -1.0));
        assert_eq!((group.first, group.last, group.count), (0, 1, 2));
    }

    #[test]
    fn groups_count_events_without_a_number() {
        let mut sums = GroupAccumulator::default();
        sums.add(1, 7, Some(4.0));
        sums.add(0, 8, None);
        sums.add(1, 9, Some(f64::NAN));
        let (groups, _) = sums.finish();
        assert_eq!((groups[0].count, groups[0].measured), (1, 0));
        assert!(groups[0].median.is_nan() && groups[0].max.is_nan());
        assert_eq!((groups[1].count, groups[1].measured, groups[1].sum, groups[1].median), (2, 1, 4.0, 4.0));
    }

    #[test]
    fn percentile_of_many_numbers_uses_evenly_spaced_sample() {
        let mut sums = GroupAccumulator::default();
        let many = 3 * MAX_VALUES as u32;
        (0..many).for_each(|row| sums.add(0, row, Some(f64::from(row))));
        let (groups, is_sampled) = sums.finish();
        assert!(is_sampled && groups[0].measured == u64::from(many) && groups[0].max == f64::from(many - 1));
        assert!((groups[0].median / f64::from(many) - 0.5).abs() < 1e-4);
        assert!((groups[0].percentile_95 / f64::from(many) - 0.95).abs() < 1e-4);
    }
}
