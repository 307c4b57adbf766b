//! Date and time in headers.

use crate::error::Result;
use crate::listener::{Trace, terms};
use crate::wire::byte_reader::ByteReader;

/// Date and time in UTC, as a Windows SYSTEMTIME. May be invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SystemTime {
    /// Year, for example 2026.
    pub year: u16,
    /// 1 to 12.
    pub month: u16,
    /// 0 (Sunday) to 6.
    pub day_of_week: u16,
    /// 1 to 31.
    pub day: u16,
    /// 0 to 23.
    pub hour: u16,
    /// 0 to 59.
    pub minute: u16,
    /// 0 to 59.
    pub second: u16,
    /// 0 to 999.
    pub millisecond: u16,
}

impl SystemTime {
    /// Returns whether the date and time are valid.
    pub(super) fn exists(&self) -> bool {
        let leap = self.year.is_multiple_of(4) && (!self.year.is_multiple_of(100) || self.year.is_multiple_of(400));
        let days = match self.month {
            2 => 28 + u16::from(leap),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        let is_date = (1..=12).contains(&self.month) && (1..=days).contains(&self.day);
        is_date && self.hour < 24 && self.minute < 60 && self.second < 60 && self.millisecond < 1000
    }

    /// Returns the milliseconds since 1970-01-01 00:00 UTC.
    pub fn unix_ms(&self) -> i64 {
        let seconds = i64::from(self.hour) * 3600 + i64::from(self.minute) * 60 + i64::from(self.second);
        (self.days_since_1970() * 86_400 + seconds) * 1000 + i64::from(self.millisecond)
    }

    /// Returns the days in the Gregorian calendar, counted in years that begin in March so that leap days come last.
    fn days_since_1970(&self) -> i64 {
        let month = i64::from(self.month);
        let year = i64::from(self.year) - i64::from(month <= 2);
        let months_since_march = (month + 9) % 12;
        let day_of_year = (153 * months_since_march + 2) / 5 + i64::from(self.day) - 1;
        year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468
    }

    /// Reads the eight numbers.
    pub(super) fn read<T: Trace>(reader: &mut ByteReader<'_, T>) -> Result<Self> {
        let opened = reader.open(terms::SYNC_TIME);
        let time = Self {
            year: reader.u16(terms::YEAR)?,
            month: reader.u16(terms::MONTH)?,
            day_of_week: reader.u16(terms::DAY_OF_WEEK)?,
            day: reader.u16(terms::DAY)?,
            hour: reader.u16(terms::HOUR)?,
            minute: reader.u16(terms::MINUTE)?,
            second: reader.u16(terms::SECOND)?,
            millisecond: reader.u16(terms::MILLISECOND)?,
        };
        reader.close(opened);
        Ok(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unix_ms_counts_leap_days() {
        let time = |year, month, day, hour, millisecond| SystemTime {
            year,
            month,
            day_of_week: 0,
            day,
            hour,
            minute: 0,
            second: 0,
            millisecond,
        };
        assert_eq!(time(1970, 1, 1, 0, 0).unix_ms(), 0);
        assert_eq!(time(2000, 2, 29, 1, 5).unix_ms(), 951_786_000_005);
        assert_eq!(time(2026, 11, 20, 0, 0).unix_ms(), 1_795_132_800_000);
        assert_eq!(time(1601, 1, 1, 0, 0).unix_ms(), -11_644_473_600_000);
    }
}
