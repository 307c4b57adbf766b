//! Times: ticks of the trace's clock, and nanoseconds since the sync point.

use super::sort::sort_by_key;
use serde::{Deserialize, Serialize};

/// Nanoseconds since the header's sync point; negative before it. Used in answers, links and views.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Nanos(pub i64);

/// Half-open time range.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Span {
    /// Inclusive.
    pub start: Nanos,
    /// Exclusive.
    pub end: Nanos,
}

impl Span {
    /// Creates a range from nanoseconds.
    pub fn new(start: i64, end: i64) -> Self {
        Self { start: Nanos(start), end: Nanos(end) }
    }

    /// Returns the length in nanoseconds, at least 0.
    pub fn duration(self) -> i64 {
        self.end.0.saturating_sub(self.start.0).max(0)
    }

    /// Returns whether a time is inside the range.
    pub fn contains(self, at: Nanos) -> bool {
        self.start <= at && at < self.end
    }

    /// Returns the intersection of two ranges; `None` if it is empty.
    pub fn intersect(self, other: Span) -> Option<Span> {
        let span = Span { start: self.start.max(other.start), end: self.end.min(other.end) };
        (span.start < span.end).then_some(span)
    }

    /// Returns the range that begins and ends later by a number of nanoseconds.
    pub fn shifted(self, nanos: i64) -> Self {
        Self::new(self.start.0.saturating_add(nanos), self.end.0.saturating_add(nanos))
    }

    /// Sorts ranges, and joins those that touch.
    pub fn joined(mut ranges: Vec<Self>) -> Vec<Self> {
        sort_by_key(&mut ranges, |range| (range.start, range.end));
        Self::join_near(&mut ranges, 0);
        ranges
    }

    /// Joins ordered ranges that are at most `distance` nanoseconds apart.
    pub fn join_near(ranges: &mut Vec<Self>, distance: i64) {
        ranges.dedup_by(|next, before| {
            let is_near = next.start.0 <= before.end.0.saturating_add(distance);
            if is_near {
                before.end = before.end.max(next.end);
            }
            is_near
        });
    }
}

/// Converter between ticks relative to the header's sync ticks and [`Nanos`].
///
/// `floor(ticks · 10⁹ / frequency)`, exact for every i64 whose result fits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Clock {
    frequency: i64,
}

impl Clock {
    /// Creates a clock with a frequency in ticks per second. A frequency that isn't positive means 1 GHz.
    pub fn new(frequency: i64) -> Self {
        Self { frequency: if frequency > 0 { frequency } else { 1_000_000_000 } }
    }

    /// Returns the ticks per second.
    pub fn frequency(self) -> i64 {
        self.frequency
    }

    /// Converts ticks since the sync point to nanoseconds, rounded down.
    #[inline]
    pub fn nanos(self, ticks: i64) -> Nanos {
        if self.frequency == 1_000_000_000 {
            return Nanos(ticks);
        }
        let whole = ticks.div_euclid(self.frequency);
        let rest = ticks.rem_euclid(self.frequency);
        let part = if self.frequency <= 9_000_000_000 {
            rest * 1_000_000_000 / self.frequency
        } else {
            (i128::from(rest) * 1_000_000_000 / i128::from(self.frequency)) as i64
        };
        Nanos(whole.saturating_mul(1_000_000_000).saturating_add(part))
    }

    /// Returns the first tick that isn't before a time.
    pub fn ticks_at_or_after(self, at: Nanos) -> i64 {
        if self.frequency == 1_000_000_000 {
            return at.0;
        }
        let exact = i128::from(at.0) * i128::from(self.frequency);
        let ticks = exact.div_euclid(1_000_000_000) + i128::from(exact.rem_euclid(1_000_000_000) != 0);
        ticks.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
    }
}

/// Returns year, month and day of the Gregorian calendar for a number of days since 1970-01-01. Computes in eras of 400
/// years that begin in March.
pub fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days.saturating_add(719_468);
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_match_calendar() {
        // 1970, a leap day, the end of a leap year, a recent day, the day before March of a century, a day before 1970.
        let days = [0, 11_016, 20_088, 20_818, -25_509, -1];
        let dates = [(1970, 1, 1), (2000, 2, 29), (2024, 12, 31), (2026, 12, 31), (1900, 2, 28), (1969, 12, 31)];
        assert_eq!(days.map(civil_from_days), dates);
    }

    #[test]
    fn ticks_round_down_before_and_after_sync_point() {
        let clock = Clock::new(3_000_000);
        assert_eq!(clock.nanos(1), Nanos(333));
        assert_eq!(clock.nanos(-1), Nanos(-334));
        assert_eq!(clock.nanos(3_000_000), Nanos(1_000_000_000));
    }

    #[test]
    fn nanosecond_range_selects_exact_ticks() {
        let clock = Clock::new(2_533_315);
        for ticks in [-5_000_001, -1, 0, 1, 77, 2_533_315, 9_999_999_999] {
            let nanos = clock.nanos(ticks);
            assert_eq!(clock.ticks_at_or_after(nanos), ticks, "{ticks}");
            assert!(clock.ticks_at_or_after(Nanos(nanos.0 + 1)) > ticks);
        }
    }
}
