//! Buffers of the async profiler of .NET 11: a header and packed records of one thread, often written later by another
//! thread. Record IDs differ between builds, so a buffer is read only if all of its records are valid for a build.

use super::async_records::{AsyncManifest, AsyncStep, Build};
use super::cursor::Cursor;

/// Maximum size of a buffer in bytes; the runtime's are shorter than 64 KiB.
const MAX_BYTES: usize = 128 << 10;

/// The only known version of the layout.
const VERSION: u8 = 1;

/// Header of a buffer, and its records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AsyncBuffer<'d> {
    /// Version of the layout.
    pub version: u8,
    /// Size of the buffer in bytes, including the header.
    pub total_bytes: u32,
    /// ID of the thread within the profiler.
    pub context: u32,
    /// OS ID of the thread to which the records belong.
    pub os_thread: u64,
    pub records: u32,
    /// Timestamps of the first and the last record, in ticks of the trace's clock.
    pub start_ticks: u64,
    pub end_ticks: u64,
    pub bytes: &'d [u8],
}

impl<'d> AsyncBuffer<'d> {
    /// Reads the payload of an `AsyncEvents` event.
    pub fn read(payload: &'d [u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        let length = cursor.u32()? as usize;
        Self::of(payload.get(4..)?.get(..length)?)
    }

    /// Reads a buffer; `None` if it is too short, or if the version of its layout is unknown.
    pub fn of(buffer: &'d [u8]) -> Option<Self> {
        let mut cursor = Cursor::new(buffer, 8);
        let version = cursor.u8().filter(|version| *version == VERSION)?;
        let (total_bytes, context) = (cursor.u32()?, cursor.u32()?);
        let (os_thread, records) = (cursor.u64()?, cursor.u32()?);
        let (start_ticks, end_ticks) = (cursor.u64()?, cursor.u64()?);
        let header = buffer.len() - cursor.remaining();
        let bytes = buffer.get(header..buffer.len().min(total_bytes as usize)).unwrap_or_default();
        Some(Self { version, total_bytes, context, os_thread, records, start_ticks, end_ticks, bytes })
    }

    /// Returns the records in time order; `None` if no known build writes such records. `manifest` contains facts from
    /// the process's earlier buffers, and is updated.
    pub fn steps(&self, manifest: &mut AsyncManifest) -> Option<Vec<AsyncStep<'d>>> {
        // A process has one build, so other records that are valid for another build are valid by chance.
        let build = manifest.build;
        if build != Some(Build::ByKeyword) {
            let mut told = manifest.clone();
            if let Some(steps) = self.steps_of(Build::Release, &mut told) {
                told.build = build.or(Some(Build::Release).filter(|_| !steps.is_empty()));
                *manifest = told;
                return Some(steps);
            }
        }
        if build == Some(Build::Release) {
            return None;
        }
        let steps = self.steps_of(Build::ByKeyword, &mut AsyncManifest::by_keyword())?;
        manifest.build = Some(Build::ByKeyword);
        Some(steps)
    }

    fn steps_of(&self, build: Build, manifest: &mut AsyncManifest) -> Option<Vec<AsyncStep<'d>>> {
        if self.bytes.len() > MAX_BYTES {
            return None;
        }
        let mut cursor = Cursor::new(self.bytes, 8);
        let (mut ticks, mut steps) = (self.start_ticks, Vec::new());
        while cursor.remaining() > 0 {
            let id = cursor.u8()?;
            ticks = ticks.saturating_add(cursor.varint()?);
            let length = manifest.length(id, &mut cursor)?;
            let payload = Cursor::new(cursor.bytes(length)?, 8);
            steps.push(AsyncStep { ticks, what: build.read(id, payload, manifest)? });
        }
        (steps.len() == self.records as usize).then_some(steps)
    }

    /// Returns the header's fields with their names.
    pub fn fields(&self) -> [(&'static str, u64); 7] {
        [
            ("Version", self.version.into()),
            ("TotalSize", self.total_bytes.into()),
            ("AsyncThreadContextId", self.context.into()),
            ("OsThreadId", self.os_thread),
            ("EventCount", self.records.into()),
            ("StartTimestamp", self.start_ticks),
            ("EndTimestamp", self.end_ticks),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffer_decodes_header_and_records() {
        let header = [&[1][..], &39u32.to_le_bytes(), &7u32.to_le_bytes(), &500u64.to_le_bytes()].concat();
        let rest = [&2u32.to_le_bytes()[..], &10u64.to_le_bytes(), &30u64.to_le_bytes(), &[0xa, 0xb, 0xc]].concat();
        let buffer = [header, rest].concat();
        let payload = [&(buffer.len() as u32).to_le_bytes()[..], &buffer].concat();
        let read = AsyncBuffer::read(&payload).expect("a header");
        assert_eq!((read.os_thread, read.records, read.start_ticks, read.end_ticks), (500, 2, 10, 30));
        assert_eq!(read.bytes, [0xa, 0xb], "as many as the header says");
        assert_eq!(AsyncBuffer::read(&payload[..payload.len() - 1]), None);
        assert_eq!(AsyncBuffer::of(&buffer[..36]), None);
        assert_eq!(read.steps(&mut AsyncManifest::default()), None, "no such records");
        assert_eq!(AsyncBuffer::of(&[&[2][..], &buffer[1..]].concat()), None, "another layout");
    }

    #[test]
    fn process_has_one_build() {
        let of = |bytes: &'static [u8]| AsyncBuffer {
            version: VERSION,
            total_bytes: 37,
            context: 1,
            os_thread: 5,
            records: 1,
            start_ticks: 0,
            end_ticks: 9,
            bytes,
        };
        let (release, by_keyword) = (of(&[12, 1, 1, 7]), of(&[0, 1, 2, 0, 7]));
        let mut manifest = AsyncManifest::default();
        assert!(by_keyword.steps(&mut manifest.clone()).is_some());
        assert!(release.steps(&mut manifest).is_some());
        assert_eq!(by_keyword.steps(&mut manifest), None, "such records are of another build");
    }
}
