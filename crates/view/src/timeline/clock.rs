//! Formats of times: since the sync point, or as time of day.

use crate::format;
use protocol::base::time::civil_from_days;
use protocol::named;

/// Nanoseconds per day.
const DAY: i128 = 86_400_000_000_000;
/// Nanoseconds per second.
const SECOND: i128 = 1_000_000_000;
/// Nanoseconds per microsecond.
const MICROSECOND: i64 = 1_000;

/// Decimals of a second in a column.
const CELL_DECIMALS: usize = 6;

named! {
    /// Format of times. Declared in display order.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub enum Clock {
        /// Seconds since the trace's sync point.
        #[default]
        Relative: "relative";
        /// Time of day in UTC.
        Utc: "UTC";
        /// Local time of day.
        Local: "local";
    }
    /// Returns the display name.
    fn words;
}

/// Format of times, with the data to compute it.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct ClockFace {
    /// Format.
    pub clock: Clock,
    /// UTC time of time 0, in milliseconds since 1970; 0 if the file doesn't record it.
    pub start_unix_ms: f64,
    /// Minutes that local time is ahead of UTC at the time of recording.
    pub local_ahead_minutes: i32,
}

impl ClockFace {
    /// Returns the nanoseconds to add to a time so that round values are round on the clock.
    pub fn offset_nanos(&self) -> i64 {
        let ahead = match self.clock {
            Clock::Relative => return 0,
            Clock::Utc => 0,
            Clock::Local => i64::from(self.local_ahead_minutes) * 60_000_000_000,
        };
        // Only the time of day is displayed, so whole days can be ignored.
        let day_ms = (DAY / 1_000_000) as f64;
        (self.start_unix_ms.max(0.0).rem_euclid(day_ms) * 1e6).round() as i64 + ahead
    }

    /// Returns whether times of day are displayed, which requires a file with a start time.
    pub fn shows_time_of_day(&self) -> bool {
        self.clock != Clock::Relative && self.start_unix_ms > 0.0
    }

    /// Formats a time range with decimals that fit its length: "2.100–3.900 s", or "06:57:25.496–06:57:27.296".
    pub fn range(&self, start_nanos: i64, end_nanos: i64) -> String {
        if !self.shows_time_of_day() {
            return format::range(start_nanos, end_nanos);
        }
        let decimals = format::decimals_of_range(start_nanos, end_nanos);
        format!("{}–{}", self.moment(start_nanos, decimals), self.moment(end_nanos, decimals))
    }

    /// Formats a time for a column whose heading names the unit: "2.776000", or "06:57:26.172000".
    pub fn cell(&self, at_nanos: i64) -> String {
        // Truncated, as on the command line.
        let text = self.moment(at_nanos.div_euclid(MICROSECOND).saturating_mul(MICROSECOND), CELL_DECIMALS);
        text.strip_suffix(" s").map_or_else(|| text.clone(), |seconds| seconds.replace(',', ""))
    }

    /// Returns the date of time 0, such as "2026-11-21"; `None` if times of day aren't displayed.
    pub fn day(&self) -> Option<String> {
        let ahead_ms = if self.clock == Clock::Local { f64::from(self.local_ahead_minutes) * 60_000.0 } else { 0.0 };
        let day_ms = (DAY / 1_000_000) as f64;
        let days = ((self.start_unix_ms + ahead_ms) / day_ms).floor() as i64;
        self.shows_time_of_day().then(|| {
            let (year, month, day) = civil_from_days(days);
            format!("{year:04}-{month:02}-{day:02}")
        })
    }

    /// Formats a time in nanoseconds since the sync point, with a number of decimals of a second: "2.776 s", or
    /// "06:57:26.172".
    pub fn moment(&self, at_nanos: i64, decimals: usize) -> String {
        if !self.shows_time_of_day() {
            return format::seconds(at_nanos, decimals);
        }
        let decimals = decimals.min(9);
        let unit = 10_i128.pow(9 - decimals as u32);
        let on_clock = i128::from(self.offset_nanos()) + i128::from(at_nanos);
        let of_day = ((on_clock + unit / 2).div_euclid(unit) * unit).rem_euclid(DAY);
        let (seconds, rest) = (of_day / SECOND, of_day % SECOND);
        let clock = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
        match decimals {
            0 => clock,
            _ => format!("{clock}.{:0decimals$}", rest / unit),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_of_day_is_start_plus_elapsed() {
        // 2026-11-21 06:57:23.396 UTC.
        let face = ClockFace { clock: Clock::Utc, start_unix_ms: 1_795_244_243_396.0, local_ahead_minutes: 330 };
        assert_eq!(face.moment(2_776_000_000, 3), "06:57:26.172");
        assert_eq!(face.moment(603_999_999, 3), "06:57:24.000");
        assert_eq!(face.moment(604_000_000, 0), "06:57:24");
        assert_eq!(face.moment(-24_000_000_000_000, 1), "00:17:23.4", "before the sync point");
        let local = ClockFace { clock: Clock::Local, ..face };
        assert_eq!(local.moment(2_776_000_000, 3), "12:27:26.172");
        assert_eq!(face.range(2_776_000_000, 4_776_000_000), "06:57:26.172–06:57:28.172");
        assert_eq!(face.cell(2_776_000_001), "06:57:26.172000");
        assert_eq!(face.day().as_deref(), Some("2026-11-21"));
        let late = ClockFace { start_unix_ms: 1_795_290_000_000.0, ..local };
        assert_eq!(late.day().as_deref(), Some("2026-11-22"), "19:40 UTC, and another day already in India");
        let relative = ClockFace { clock: Clock::Relative, ..face };
        assert_eq!((relative.day(), ClockFace { clock: Clock::Utc, ..ClockFace::default() }.day()), (None, None));
        assert_eq!(relative.range(2_776_000_000, 4_776_000_000), "2.776–4.776 s");
        assert_eq!(relative.cell(1_002_776_000_999), "1002.776000", "cut, not rounded");
        assert_eq!(face.cell(2_776_000_999), "06:57:26.172000");
        assert_eq!(ClockFace { clock: Clock::Relative, ..face }.moment(2_776_000_000, 3), "2.776 s");
        assert_eq!(ClockFace { clock: Clock::Utc, ..ClockFace::default() }.moment(1_000_000_000, 1), "1.0 s");
    }
}
