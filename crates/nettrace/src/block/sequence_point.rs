//! Sequence points (NetTraceFormat_v5 "SequencePointBlock Object", NetTraceFormat "SequencePointBlock").

use super::info::BlockInfo;
use crate::error::{Error, ErrorKind, Result};
use crate::listener::{Trace, terms};
use crate::wire::byte_reader::ByteReader;

/// Point of the file that separates all earlier events from all later ones. Stack IDs and label list indices become
/// invalid here.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequencePoint {
    /// Location of the block in the file.
    pub info: BlockInfo,
    /// Raw timestamp in ticks. Writers of version 6 may write `i64::MAX`.
    pub timestamp: i64,
    /// [`SequencePoint::FLUSH_THREADS`] and [`SequencePoint::FLUSH_METADATA`] (version 6, else 0).
    pub flags: u32,
    /// For each capture thread, the sequence number of the last event that it tried to write. Events up to this number
    /// that aren't in the file were lost.
    pub threads: Vec<(u64, u32)>,
}

impl SequencePoint {
    /// Flag: thread indices become invalid, too. Their sequence numbers still apply.
    pub const FLUSH_THREADS: u32 = 1;
    /// Flag: metadata IDs become invalid, too.
    pub const FLUSH_METADATA: u32 = 2;

    /// Reads the content of a sequence point of versions 4 and 5.
    pub(crate) fn read_v4<T: Trace>(info: BlockInfo, mut content: ByteReader<'_, T>) -> Result<Self> {
        let timestamp = content.i64(terms::POINT_TIME)?;
        let count = content.u32(terms::POINT_THREADS)? as usize;
        if count > content.remaining() / 12 {
            return Err(Error::new(ErrorKind::OutOfBounds("thread list"), content.offset()));
        }
        let mut read_thread = || {
            let opened = content.open(terms::POINT_THREAD);
            let thread = (content.u64(terms::POINT_THREAD_ID)?, content.u32(terms::POINT_SEQUENCE)?);
            content.close(opened);
            Ok::<_, Error>(thread)
        };
        let threads = (0..count).map(|_| read_thread()).collect::<Result<_>>()?;
        Ok(Self { info, timestamp, flags: 0, threads })
    }

    /// Reads the content of a sequence point of version 6.
    pub(crate) fn read_v6<T: Trace>(info: BlockInfo, mut content: ByteReader<'_, T>) -> Result<Self> {
        let timestamp = content.i64(terms::POINT_TIME)?;
        let flags = content.u32(terms::POINT_FLAGS)?;
        let count = content.u32(terms::POINT_THREADS)? as usize;
        if count > content.remaining() / 2 {
            return Err(Error::new(ErrorKind::OutOfBounds("thread list"), content.offset()));
        }
        let mut read_thread = || {
            let opened = content.open(terms::POINT_THREAD);
            let thread = (content.var_u64(terms::POINT_THREAD_INDEX)?, content.var_u32(terms::POINT_SEQUENCE)?);
            content.close(opened);
            Ok::<_, Error>(thread)
        };
        let threads = (0..count).map(|_| read_thread()).collect::<Result<_>>()?;
        Ok(Self { info, timestamp, flags, threads })
    }
}
