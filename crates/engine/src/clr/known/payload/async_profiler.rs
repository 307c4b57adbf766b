//! Buffers of the async profiler of .NET 11: a header and packed records, collected on one thread and written later,
//! often by another one. Record IDs differ between builds, so records are read only if all of a buffer are valid for a
//! build.

use super::cursor::Cursor;

/// Header of a buffer.
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
    /// Number of records.
    pub records: u32,
    /// Timestamps of the first and the last record, in ticks of the trace's clock.
    pub start_ticks: u64,
    pub end_ticks: u64,
    /// Records.
    pub bytes: &'d [u8],
}

/// Record of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AsyncStep {
    /// Ticks of the trace's clock.
    pub ticks: u64,
    /// Kind.
    pub what: AsyncStepKind,
}

/// Change of the running chain of async methods on a thread. The methods of a chain await one another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AsyncStepKind {
    /// A chain waits for the first time; `parent` was running, 0 for none.
    Create {
        /// Chain that was running.
        parent: u64,
        /// New chain.
        chain: u64,
    },
    /// The thread begins to run a chain.
    Resume {
        /// Chain.
        chain: u64,
    },
    /// The running chain waits.
    Suspend,
    /// The running chain is complete.
    Complete,
    /// The running chain is unknown from now on.
    Reset,
    /// Any other record.
    Other,
}

/// ID of an unknown record.
const UNKNOWN: u8 = u8::MAX;

/// Record IDs of a build: first those of runtime async methods, then those of compiler-generated state machines.
struct Build {
    /// By record ID: size of the length before its payload in bytes; 0 for records without a payload.
    widths: [u8; 25],
    creates: [u8; 2],
    resumes: [u8; 2],
    suspends: [u8; 2],
    completes: [u8; 2],
    reset: Option<u8>,
    /// Record with the sizes of the lengths.
    metadata: Option<u8>,
}

impl Build {
    const RELEASE: Self = Self {
        widths: [UNKNOWN, 1, 1, 0, 0, 1, 2, 2, 2, 0, 0, 1, 1, 0, 0, 1, 2, 0, 0, 2, 0, 0, 2, 1, 1],
        creates: [1, 11],
        resumes: [2, 12],
        suspends: [3, 13],
        completes: [4, 14],
        reset: Some(20),
        metadata: Some(22),
    };
    /// A build whose record IDs are the bit numbers of their keywords. State machines don't report waits.
    const BY_KEYWORD: Self = {
        let mut widths = [UNKNOWN; 25];
        let mut id = 0;
        while id <= 16 {
            // Call stacks have a longer length.
            widths[id] = if matches!(id, 5..=7 | 14) { 2 } else { 1 };
            id += 1;
        }
        let (creates, resumes, completes) = ([0, 10], [1, 11], [3, 12]);
        Self { widths, creates, resumes, suspends: [2, 2], completes, reset: None, metadata: None }
    };
}

/// Reads the sizes of the lengths of records. A record with an unknown size makes the rest unreadable.
fn read_widths(mut payload: Cursor<'_>, widths: &mut [u8; 25]) -> Option<()> {
    let (_frequency, _sync_ticks, _sync_time) = (payload.varint()?, payload.varint()?, payload.varint()?);
    let (_buffer_bytes, _wrappers, count) = (payload.varint()?, payload.u8()?, payload.u8()?);
    for _ in 0..count {
        let (id, _version, width) = (payload.u8()?, payload.u8()?, payload.u8()?);
        if let Some(known) = widths.get_mut(usize::from(id)) {
            *known = width;
        }
    }
    Some(())
}

impl<'d> AsyncBuffer<'d> {
    /// Reads the payload of an `AsyncEvents` event.
    pub fn read(payload: &'d [u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        let length = cursor.u32()? as usize;
        Self::of(payload.get(4..)?.get(..length)?)
    }

    /// Reads a buffer.
    pub fn of(buffer: &'d [u8]) -> Option<Self> {
        let mut cursor = Cursor::new(buffer, 8);
        let (version, total_bytes, context) = (cursor.u8()?, cursor.u32()?, cursor.u32()?);
        let (os_thread, records) = (cursor.u64()?, cursor.u32()?);
        let (start_ticks, end_ticks) = (cursor.u64()?, cursor.u64()?);
        let header = buffer.len() - cursor.remaining();
        let bytes = buffer.get(header..buffer.len().min(total_bytes as usize)).unwrap_or_default();
        Some(Self { version, total_bytes, context, os_thread, records, start_ticks, end_ticks, bytes })
    }

    /// Returns the records in order of time; `None` if no known build writes such records.
    pub fn steps(&self) -> Option<Vec<AsyncStep>> {
        [Build::RELEASE, Build::BY_KEYWORD].iter().find_map(|build| self.steps_of(build))
    }

    fn steps_of(&self, build: &Build) -> Option<Vec<AsyncStep>> {
        let mut widths = build.widths;
        let mut cursor = Cursor::new(self.bytes, 8);
        let (mut ticks, mut steps) = (self.start_ticks, Vec::new());
        while cursor.remaining() > 0 {
            let id = cursor.u8()?;
            ticks = ticks.saturating_add(cursor.varint()?);
            let length = match widths.get(usize::from(id)).copied().unwrap_or(UNKNOWN) {
                0 => 0,
                1 => usize::from(cursor.u8()?),
                2 => usize::from(cursor.u16()?),
                _ => return None,
            };
            let mut payload = Cursor::new(cursor.bytes(length)?, 8);
            let what = match id {
                _ if build.creates.contains(&id) => {
                    AsyncStepKind::Create { parent: payload.varint()?, chain: payload.varint()? }
                }
                _ if build.resumes.contains(&id) => AsyncStepKind::Resume { chain: payload.varint()? },
                _ if build.suspends.contains(&id) => AsyncStepKind::Suspend,
                _ if build.completes.contains(&id) => AsyncStepKind::Complete,
                _ if build.reset == Some(id) => AsyncStepKind::Reset,
                _ if build.metadata == Some(id) => {
                    read_widths(payload, &mut widths)?;
                    AsyncStepKind::Other
                }
                _ => AsyncStepKind::Other,
            };
            steps.push(AsyncStep { ticks, what });
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
        assert_eq!(read.steps(), None, "no such records");
    }

    /// Returns the records of a buffer that begins at time 10.
    fn steps(records: u32, bytes: &[u8]) -> Option<Vec<(u64, AsyncStepKind)>> {
        let (start_ticks, end_ticks) = (10, 99);
        let total_bytes = bytes.len() as u32 + 37;
        let buffer =
            AsyncBuffer { version: 1, total_bytes, context: 1, os_thread: 5, records, start_ticks, end_ticks, bytes };
        Some(buffer.steps()?.into_iter().map(|step| (step.ticks, step.what)).collect())
    }

    #[test]
    fn records_decode_as_chain_steps() {
        use AsyncStepKind::{Complete, Create, Other, Resume, Suspend};
        let bytes = [11, 1, 2, 0, 7, 12, 0x80, 1, 1, 7, 13, 2, 16, 0, 3, 0, 0, 0, 0, 12, 1, 2, 7, 99, 14, 1];
        let expected = [
            (11, Create { parent: 0, chain: 7 }),
            (139, Resume { chain: 7 }),
            (141, Suspend),
            (141, Other),
            (142, Resume { chain: 7 }),
            (143, Complete),
        ];
        assert_eq!(steps(6, &bytes).expect("records"), expected, "bytes behind known ones belong to newer builds");
        assert_eq!(steps(5, &bytes), None, "as many as the header says");
        assert_eq!(steps(6, &bytes[..bytes.len() - 1]), None);
        assert_eq!(steps(1, &[24, 0, 1]), None);
        let by_keyword = [10, 1, 2, 0, 7, 11, 1, 1, 7, 12, 1, 0];
        let expected = [(11, Create { parent: 0, chain: 7 }), (12, Resume { chain: 7 }), (13, Complete)];
        assert_eq!(steps(3, &by_keyword).expect("records"), expected);
        // A record without a payload has one in another build, according to the metadata.
        let metadata = [22, 0, 9, 0, 1, 1, 1, 1, 32, 1, 13, 1, 1];
        assert_eq!(steps(2, &[&metadata[..], &[13, 1, 1, 0]].concat()), Some(vec![(10, Other), (11, Suspend)]));
    }
}
