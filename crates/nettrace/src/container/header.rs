//! Header of a trace.

use super::system_time::SystemTime;
use crate::error::{Error, ErrorKind, Result};
use crate::listener::{Trace, terms};
use crate::wire::byte_reader::ByteReader;

/// Family of file formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// `.nettrace`, versions 4 and later: .NET Core 3.0 and newer.
    Nettrace,
    /// `.netperf`, versions 1 to 3: .NET Core 2.x.
    Netperf,
}

/// Header of a trace.
#[cfg_attr(not(feature = "testing"), non_exhaustive)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Family of the format.
    pub container: Container,
    /// Format version. "Version 5" is 4 here, as in the file;
    /// see [`MetadataRecord::has_v5_tags`](crate::MetadataRecord::has_v5_tags).
    pub version: u32,
    /// Minor format version (version 6 and later, else 0).
    pub minor_version: u32,
    /// Sync time: wall-clock time at [`Header::sync_ticks`].
    pub sync_time_utc: SystemTime,
    /// Sync timestamp: ticks at [`Header::sync_time_utc`], on the clock of the events' timestamps.
    pub sync_ticks: i64,
    /// Ticks per second. If it isn't positive, ticks count as nanoseconds, and a warning says so.
    pub tick_frequency: i64,
    /// Size of an address in bytes: 4 or 8.
    pub pointer_size: u8,
    /// OS process ID of the traced process; 0 if unknown.
    pub process_id: u32,
    /// Recorded number of CPUs of the machine; 0 if unknown. See [`Header::known_processor_count`].
    pub processor_count: u32,
    /// Configured nanoseconds between two CPU samples; 0 if unknown. Real intervals differ.
    pub expected_sampling_rate_nanos: u32,
    /// Header key/value pairs, in file order (version 6).
    pub pairs: Vec<(String, String)>,
    /// Warnings about impossible values in the header, one sentence each.
    pub warnings: Vec<String>,
}

impl Header {
    /// Size of the `Trace` object's content in versions 3 to 5.
    pub(crate) const TRACE_OBJECT_BYTES: usize = 48;

    /// Converts a timestamp from ticks to nanoseconds since the sync time, rounded down.
    pub fn nanos_since_sync(&self, timestamp: i64) -> i64 {
        const PER_SECOND: i128 = 1_000_000_000;
        let ticks = i128::from(timestamp) - i128::from(self.sync_ticks);
        let nanos = match self.tick_frequency {
            ..=0 => ticks,
            frequency => (ticks * PER_SECOND).div_euclid(frequency.into()),
        };
        nanos.clamp(i64::MIN.into(), i64::MAX.into()) as i64
    }

    /// Converts a timestamp from ticks to wall-clock time; `None` if it is out of range.
    pub fn system_time(&self, timestamp: i64) -> Option<std::time::SystemTime> {
        use std::time::{Duration, UNIX_EPOCH};
        let add = |time: std::time::SystemTime, amount: i64, unit: fn(u64) -> Duration| match amount {
            0.. => time.checked_add(unit(amount.unsigned_abs())),
            _ => time.checked_sub(unit(amount.unsigned_abs())),
        };
        let sync = add(UNIX_EPOCH, self.sync_time_utc.unix_ms(), Duration::from_millis)?;
        add(sync, self.nanos_since_sync(timestamp), Duration::from_nanos)
    }

    /// Returns the size of an uncompressed event header, the only kind in netperf. Includes its size field.
    pub fn full_event_header_bytes(&self) -> u64 {
        match (self.container, self.version) {
            (Container::Netperf, _) => 60,
            (Container::Nettrace, ..6) => 80,
            (Container::Nettrace, _) => 52,
        }
    }

    /// Returns the number of CPUs of the machine; `None` if unknown. Native AOT records a placeholder.
    pub fn known_processor_count(&self) -> Option<u32> {
        const NOT_ASKED: u32 = u16::MAX as u32;
        Some(self.processor_count).filter(|count| *count > 0 && *count < NOT_ASKED)
    }

    /// Reads the common start of all headers: the sync time and the clock.
    fn begin<T: Trace>(container: Container, version: u32, reader: &mut ByteReader<'_, T>) -> Result<Self> {
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
            warnings: Vec::new(),
        })
    }

    /// Reads the content of the `Trace` object of versions 3 to 5 (NetTraceFormat_v5, "The First Object").
    pub(crate) fn read_trace_object<T: Trace>(
        container: Container,
        version: u32,
        reader: &mut ByteReader<'_, T>,
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

    /// Reads the header of netperf 1 and 2: a forward reference, the sync time and the clock. Only 64-bit processes wrote
    /// such files.
    pub(crate) fn read_event_pipe_file<T: Trace>(version: u32, reader: &mut ByteReader<'_, T>) -> Result<Self> {
        reader.u32(terms::FORWARD_REFERENCE)?;
        let header = Self::begin(Container::Netperf, version, reader)?;
        Ok(Self { processor_count: 1, ..header.checked(8) })
    }

    /// Reads the content of the first block of version 6 (NetTraceFormat "TraceBlock").
    pub(crate) fn read_trace_block<T: Trace>(minor_version: u32, reader: &mut ByteReader<'_, T>) -> Result<Self> {
        let offset = reader.offset();
        Self::read_with_pairs(minor_version, reader)
            .map_err(|error| if error.is_truncation() { damaged("the block is too short", offset) } else { error })
    }

    /// Returns the header for a version 6 file without a trace block: ticks count as nanoseconds since 1970.
    pub fn assumed(minor_version: u32) -> Self {
        let none =
            SystemTime { year: 1970, month: 1, day_of_week: 4, day: 1, hour: 0, minute: 0, second: 0, millisecond: 0 };
        let warning = "The file doesn't begin with a trace block, so its start time and clock frequency are unknown. Ticks \
                       are read as nanoseconds.";
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
            warnings: vec![warning.to_owned()],
        }
    }

    fn read_with_pairs<T: Trace>(minor_version: u32, reader: &mut ByteReader<'_, T>) -> Result<Self> {
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

    /// Returns the value of the last pair with this key; 0 if there is none or it isn't a number.
    fn number(&self, key: &str) -> u32 {
        let value = self.pairs.iter().rev().find(|(found, _)| found == key);
        value.and_then(|(_, value)| value.parse().ok()).unwrap_or(0)
    }

    /// Replaces impossible values, and adds a warning for each.
    fn checked(mut self, pointer_size: u32) -> Self {
        if self.tick_frequency <= 0 {
            let warning = "Invalid clock frequency in the header (not positive); ticks are read as nanoseconds.";
            self.warnings.push(warning.to_owned());
        }
        self.pointer_size = if pointer_size == 4 { 4 } else { 8 };
        if u32::from(self.pointer_size) != pointer_size {
            let warning = "Invalid pointer size in the header (neither 4 nor 8 bytes); 8 bytes are assumed.";
            self.warnings.push(warning.to_owned());
        }
        let time = &self.sync_time_utc;
        if !time.exists() {
            let SystemTime { year, month, day, hour, minute, second, millisecond, .. } = time;
            self.warnings.push(format!(
                "Invalid sync time in the header: {year}-{month}-{day} {hour}:{minute}:{second}.{millisecond}."
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
    fn processor_count_placeholder_is_unknown() {
        let known = |processor_count| {
            let header = Header { processor_count, ..crate::testing::Format::Nettrace4.header() };
            header.known_processor_count()
        };
        assert_eq!([known(0), known(65_535), known(2), known(512)], [None, None, Some(2), Some(512)]);
    }

    #[test]
    fn timestamps_convert_to_nanoseconds_and_wall_clock_time() {
        let mut header = crate::testing::Format::Nettrace4.header();
        assert_eq!((header.nanos_since_sync(1_000_007), header.nanos_since_sync(999_999)), (7_000_000, -1_000_000));
        let sync = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_738_555_506);
        assert_eq!(header.system_time(1_000_007), Some(sync + std::time::Duration::from_millis(7)));
        assert_eq!(header.system_time(999_999), Some(sync - std::time::Duration::from_millis(1)));
        (header.tick_frequency, header.sync_ticks) = (3, 0);
        assert_eq!((header.nanos_since_sync(1), header.nanos_since_sync(-1)), (333_333_333, -333_333_334));
        (header.tick_frequency, header.sync_ticks) = (0, i64::MIN);
        assert_eq!((header.nanos_since_sync(i64::MAX), header.nanos_since_sync(i64::MIN + 5)), (i64::MAX, 5));
    }
}
