//! The facts at the start of a trace.

use crate::error::{Error, ErrorKind, Result};
use crate::trace::Trace;
use crate::trace::terms;
use crate::wire::byte_reader::Reader;

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
    /// see [`crate::MetadataRecord::has_v5_tags`].
    pub version: u32,
    /// The minor format version (version 6 and later, else 0).
    pub minor_version: u32,
    /// The wall-clock time at [`Header::sync_ticks`].
    pub sync_time_utc: SystemTime,
    /// The tick of [`Header::sync_time_utc`]; time stamps of events count on the same clock.
    pub sync_ticks: i64,
    /// Ticks per second. If that is not positive, which is one of the doubts, ticks count as nanoseconds.
    pub tick_frequency: i64,
    /// Bytes of an address in the traced process: 4 or 8.
    pub pointer_size: u8,
    /// The traced process, 0 if unknown.
    pub process_id: u32,
    /// Hardware threads of the machine as the file says, 0 if it does not. See [`Header::known_processor_count`].
    pub processor_count: u32,
    /// Nanoseconds between two CPU samples as configured, 0 if unknown. Real intervals differ.
    pub expected_sampling_rate_nanos: u32,
    /// Further facts as key and value, in file order (version 6).
    pub pairs: Vec<(String, String)>,
    /// What cannot be and was read around.
    pub doubts: Vec<String>,
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
    /// Whether there is such a date and time.
    fn exists(&self) -> bool {
        let leap = self.year.is_multiple_of(4) && (!self.year.is_multiple_of(100) || self.year.is_multiple_of(400));
        let days = match self.month {
            2 => 28 + u16::from(leap),
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        let is_date = (1..=12).contains(&self.month) && (1..=days).contains(&self.day);
        is_date && self.hour < 24 && self.minute < 60 && self.second < 60 && self.millisecond < 1000
    }

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

    pub(crate) fn read<T: Trace>(reader: &mut Reader<'_, T>) -> Result<Self> {
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

impl Header {
    /// Bytes of the `Trace` object's content in versions 3 to 5.
    pub(crate) const TRACE_OBJECT_BYTES: usize = 48;

    /// Bytes of the header of an event that is not compressed, with its own size (nettrace-v5.md, nettrace-v6.md and netperf.md,
    /// on events). A compressed one is shorter; netperf has none.
    pub fn full_event_header_bytes(&self) -> u64 {
        match (self.container, self.version) {
            (Container::Netperf, _) => 60,
            (Container::Nettrace, ..6) => 80,
            (Container::Nettrace, _) => 52,
        }
    }

    /// Hardware threads of the machine, if they are told: Native AOT writes a number that stands for none.
    pub fn known_processor_count(&self) -> Option<u32> {
        const NOT_ASKED: u32 = u16::MAX as u32;
        Some(self.processor_count).filter(|count| *count > 0 && *count < NOT_ASKED)
    }

    /// Reads what the headers of all versions begin with: the time and the clock.
    fn begin<T: Trace>(container: Container, version: u32, reader: &mut Reader<'_, T>) -> Result<Self> {
        let [ticks, frequency] = match version {
            ..6 => [terms::SYNC_TICKS, terms::TICK_FREQUENCY],
            _ => [terms::TRACE_TICKS, terms::TRACE_FREQUENCY],
        };
        Ok(Self {
            container,
            version,
            minor_version: 0,
            sync_time_utc: SystemTime::read(reader)?,
            sync_ticks: reader.i64(ticks)?,
            tick_frequency: reader.i64(frequency)?,
            pointer_size: 0,
            process_id: 0,
            processor_count: 0,
            expected_sampling_rate_nanos: 0,
            pairs: Vec::new(),
            doubts: Vec::new(),
        })
    }

    /// Reads the content of the `Trace` object of versions 3 to 5 (nettrace-v5.md, "The First Object").
    pub(crate) fn read_trace_object<T: Trace>(
        container: Container,
        version: u32,
        reader: &mut Reader<'_, T>,
    ) -> Result<Self> {
        let header = Self::begin(container, version, reader)?;
        let pointer_size = reader.u32(terms::POINTER_SIZE)?;
        Ok(Self {
            process_id: reader.u32(terms::PROCESS_ID)?,
            processor_count: reader.u32(terms::PROCESSORS)?,
            expected_sampling_rate_nanos: reader.u32(terms::SAMPLING_RATE)?,
            ..header.checked(pointer_size)
        })
    }

    /// Bytes of the header of netperf 1 and 2.
    pub(crate) const EVENT_PIPE_FILE_BYTES: usize = 36;

    /// Reads the header of netperf 1 and 2: the number of a forward reference, the time and the clock. Such files
    /// exist only of 64-bit processes.
    pub(crate) fn read_event_pipe_file<T: Trace>(version: u32, reader: &mut Reader<'_, T>) -> Result<Self> {
        reader.u32(terms::FORWARD_REFERENCE)?;
        let header = Self::begin(Container::Netperf, version, reader)?;
        Ok(Self { processor_count: 1, ..header.checked(8) })
    }

    /// Reads the content of the first block of version 6 (nettrace-v6.md "TraceBlock").
    pub(crate) fn read_trace_block<T: Trace>(minor_version: u32, reader: &mut Reader<'_, T>) -> Result<Self> {
        let offset = reader.offset();
        Self::read_pairs_too(minor_version, reader)
            .map_err(|error| if error.is_truncation() { damaged("its block is too short", offset) } else { error })
    }

    /// The header of a version 6 file that does not begin with its trace block: ticks count as nanoseconds since 1970.
    pub fn assumed(minor_version: u32) -> Self {
        let none =
            SystemTime { year: 1970, month: 1, day_of_week: 4, day: 1, hour: 0, minute: 0, second: 0, millisecond: 0 };
        let doubt = "The file does not begin with the block that describes the trace: when it was recorded and how fast \
                     its clock ticks is not known. Ticks count as nanoseconds.";
        Self {
            container: Container::Nettrace,
            version: 6,
            minor_version,
            sync_time_utc: none,
            sync_ticks: 0,
            tick_frequency: 1_000_000_000,
            pointer_size: 8,
            process_id: 0,
            processor_count: 0,
            expected_sampling_rate_nanos: 0,
            pairs: Vec::new(),
            doubts: vec![doubt.to_owned()],
        }
    }

    fn read_pairs_too<T: Trace>(minor_version: u32, reader: &mut Reader<'_, T>) -> Result<Self> {
        let mut header = Self { minor_version, ..Self::begin(Container::Nettrace, 6, reader)? };
        let pointer_size = reader.u32(terms::TRACE_POINTER_SIZE)?;
        for _ in 0..reader.u32(terms::PAIR_COUNT)? {
            let key = reader.utf8_name(terms::KEY)?;
            header.pairs.push((key, reader.utf8_name(terms::VALUE)?));
        }
        header.process_id = header.number("ProcessId");
        header.processor_count = header.number("HardwareThreadCount");
        header.expected_sampling_rate_nanos = header.number("ExpectedCPUSamplingRate");
        Ok(header.checked(pointer_size))
    }

    /// The value of the last pair with this key, 0 if there is none or it is no number.
    fn number(&self, key: &str) -> u32 {
        let value = self.pairs.iter().rev().find(|(found, _)| found == key);
        value.and_then(|(_, value)| value.parse().ok()).unwrap_or(0)
    }

    /// Notes what cannot be, and takes what real files have instead.
    fn checked(mut self, pointer_size: u32) -> Self {
        if self.tick_frequency <= 0 {
            let doubt =
                "The header says that the number of clock ticks per second is not positive; they count as nanoseconds.";
            self.doubts.push(doubt.to_owned());
        }
        self.pointer_size = if pointer_size == 4 { 4 } else { 8 };
        if u32::from(self.pointer_size) != pointer_size {
            let doubt = "The header says that the size of an address is neither 4 nor 8 bytes; 8 are assumed.";
            self.doubts.push(doubt.to_owned());
        }
        let time = &self.sync_time_utc;
        if !time.exists() {
            let SystemTime { year, month, day, hour, minute, second, millisecond, .. } = time;
            self.doubts.push(format!(
                "The header's time {year}-{month}-{day} {hour}:{minute}:{second}.{millisecond} does not exist: dates are wrong."
            ));
        }
        self
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
    fn a_number_of_processors_that_stands_for_none_is_none() {
        let known = |processor_count| {
            let header = Header { processor_count, ..crate::testing::Format::Nettrace4.header() };
            header.known_processor_count()
        };
        assert_eq!([known(0), known(65_535), known(2), known(512)], [None, None, Some(2), Some(512)]);
    }

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
