//! The facts at the start of a trace.

use super::error::{Error, ErrorKind, Result};
use super::reader::Reader;

/// The two families of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// `.nettrace`, versions 4 and later: .NET Core 3.0 and newer.
    Nettrace,
    /// `.netperf`, versions 1 to 3: .NET Core 2.x.
    Netperf,
}

/// What a trace says about itself before the first event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// The family of the file.
    pub container: Container,
    /// The format version. What is called version 5 is 4 here, because the file says 4:
    /// see [`super::MetadataRecord::has_v5_tags`].
    pub version: u32,
    /// The minor format version (version 6 and later, else 0).
    pub minor_version: u32,
    /// The wall-clock time at [`Header::sync_ticks`].
    pub sync_time_utc: SystemTime,
    /// The tick of [`Header::sync_time_utc`]; time stamps of events count on the same clock.
    pub sync_ticks: i64,
    /// Ticks per second, positive.
    pub tick_frequency: i64,
    /// Bytes of an address in the traced process: 4 or 8.
    pub pointer_size: u8,
    /// The traced process, 0 if unknown.
    pub process_id: u32,
    /// Hardware threads of the machine, 0 if unknown.
    pub processor_count: u32,
    /// Nanoseconds between two CPU samples as configured, 0 if unknown. Real intervals differ.
    pub expected_sampling_rate_nanos: u32,
    /// Further facts as key and value, in file order (version 6).
    pub pairs: Vec<(String, String)>,
}

/// A date and time in UTC, as the eight numbers of the Windows structure SYSTEMTIME. Not checked for validity.
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
    /// Milliseconds since 1970-01-01 00:00 UTC.
    pub fn unix_ms(&self) -> i64 {
        let seconds = i64::from(self.hour) * 3600 + i64::from(self.minute) * 60 + i64::from(self.second);
        (self.days_since_1970() * 86_400 + seconds) * 1000 + i64::from(self.millisecond)
    }

    /// Days in the Gregorian calendar, counted in years that begin in March so that leap days come last.
    fn days_since_1970(&self) -> i64 {
        let month = i64::from(self.month);
        let year = i64::from(self.year) - i64::from(month <= 2);
        let months_since_march = (month + 9) % 12;
        let day_of_year = (153 * months_since_march + 2) / 5 + i64::from(self.day) - 1;
        year * 365 + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400) + day_of_year - 719_468
    }

    pub(crate) fn read(reader: &mut Reader<'_>) -> Result<Self> {
        Ok(Self {
            year: reader.u16()?,
            month: reader.u16()?,
            day_of_week: reader.u16()?,
            day: reader.u16()?,
            hour: reader.u16()?,
            minute: reader.u16()?,
            second: reader.u16()?,
            millisecond: reader.u16()?,
        })
    }
}

impl Header {
    /// Bytes of the `Trace` object's content in versions 3 to 5.
    pub(crate) const TRACE_OBJECT_BYTES: usize = 48;

    /// Reads the content of the `Trace` object of versions 3 to 5 (nettrace-v5.md, "The First Object").
    pub(crate) fn read_trace_object(container: Container, version: u32, reader: &mut Reader<'_>) -> Result<Self> {
        let offset = reader.offset();
        let header = Self {
            container,
            version,
            minor_version: 0,
            sync_time_utc: SystemTime::read(reader)?,
            sync_ticks: reader.i64()?,
            tick_frequency: reader.i64()?,
            pointer_size: pointer_size(reader)?,
            process_id: reader.u32()?,
            processor_count: reader.u32()?,
            expected_sampling_rate_nanos: reader.u32()?,
            pairs: Vec::new(),
        };
        header.checked(offset)
    }

    /// Bytes of the header of netperf 1 and 2.
    pub(crate) const EVENT_PIPE_FILE_BYTES: usize = 36;

    /// Reads the header of netperf 1 and 2: the number of a forward reference, the time and the clock. Such files
    /// exist only of 64-bit processes.
    pub(crate) fn read_event_pipe_file(version: u32, reader: &mut Reader<'_>) -> Result<Self> {
        let offset = reader.offset();
        reader.u32()?;
        let header = Self {
            container: Container::Netperf,
            version,
            minor_version: 0,
            sync_time_utc: SystemTime::read(reader)?,
            sync_ticks: reader.i64()?,
            tick_frequency: reader.i64()?,
            pointer_size: 8,
            process_id: 0,
            processor_count: 1,
            expected_sampling_rate_nanos: 0,
            pairs: Vec::new(),
        };
        header.checked(offset)
    }

    /// Reads the content of the first block of version 6 (nettrace-v6.md "TraceBlock").
    pub(crate) fn read_trace_block(minor_version: u32, reader: &mut Reader<'_>) -> Result<Self> {
        let offset = reader.offset();
        Self::read_pairs_too(minor_version, reader)
            .map_err(|error| if error.is_truncation() { damaged("its block is too short", offset) } else { error })?
            .checked(offset)
    }

    fn read_pairs_too(minor_version: u32, reader: &mut Reader<'_>) -> Result<Self> {
        let mut header = Self {
            container: Container::Nettrace,
            version: 6,
            minor_version,
            sync_time_utc: SystemTime::read(reader)?,
            sync_ticks: reader.i64()?,
            tick_frequency: reader.i64()?,
            pointer_size: pointer_size(reader)?,
            process_id: 0,
            processor_count: 0,
            expected_sampling_rate_nanos: 0,
            pairs: Vec::new(),
        };
        for _ in 0..reader.u32()? {
            header.pairs.push((reader.utf8_name()?, reader.utf8_name()?));
        }
        header.process_id = header.number("ProcessId");
        header.processor_count = header.number("HardwareThreadCount");
        header.expected_sampling_rate_nanos = header.number("ExpectedCPUSamplingRate");
        Ok(header)
    }

    /// The value of the last pair with this key, 0 if there is none or it is no number.
    fn number(&self, key: &str) -> u32 {
        let value = self.pairs.iter().rev().find(|(found, _)| found == key);
        value.and_then(|(_, value)| value.parse().ok()).unwrap_or(0)
    }

    /// Refuses a header no time or address could be read with.
    pub(crate) fn checked(self, offset: u64) -> Result<Self> {
        if self.tick_frequency <= 0 {
            return Err(damaged("the number of clock ticks per second is not positive", offset));
        }
        Ok(self)
    }
}

/// Reads the size of an address.
pub(crate) fn pointer_size(reader: &mut Reader<'_>) -> Result<u8> {
    let offset = reader.offset();
    match reader.u32()? {
        4 => Ok(4),
        8 => Ok(8),
        _ => Err(damaged("the size of an address is neither 4 nor 8 bytes", offset)),
    }
}

#[cold]
fn damaged(what: &'static str, offset: u64) -> Error {
    Error::new(ErrorKind::DamagedHeader(what), offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_calendar_knows_leap_years() {
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
