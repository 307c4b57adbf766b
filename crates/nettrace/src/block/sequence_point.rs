//! Sequence points (nettrace-v5.md "SequencePointBlock Object", nettrace-v6.md "SequencePointBlock").

use crate::block::BlockInfo;
use crate::error::{Error, ErrorKind, Result};
use crate::trace::Trace;
use crate::trace::terms;
use crate::wire::byte_reader::Reader;

/// A point that separates all events before it in the file from all after it. Stack and label ids end here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SequencePoint {
    /// Where the block is.
    pub info: BlockInfo,
    /// Raw clock ticks. Version 6 writers may put the largest number here.
    pub timestamp: i64,
    /// [`SequencePoint::FLUSH_THREADS`] and [`SequencePoint::FLUSH_METADATA`] (version 6, else 0).
    pub flags: u32,
    /// For each capture thread, the number of the last event it tried to write: what did not arrive was lost.
    pub threads: Vec<(u64, u32)>,
}

impl SequencePoint {
    /// Thread indices end here too, after their numbers were compared.
    pub const FLUSH_THREADS: u32 = 1;
    /// Metadata ids end here too.
    pub const FLUSH_METADATA: u32 = 2;

    /// Reads the content of a sequence point of versions 4 and 5.
    pub(crate) fn read_v4<T: Trace>(info: BlockInfo, mut content: Reader<'_, T>) -> Result<Self> {
        let timestamp = content.i64(terms::POINT_TIME)?;
        let count = content.u32(terms::POINT_THREADS)? as usize;
        if count > content.remaining() / 12 {
            return Err(Error::new(ErrorKind::OutOfBounds("list of threads"), content.offset()));
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
    pub(crate) fn read_v6<T: Trace>(info: BlockInfo, mut content: Reader<'_, T>) -> Result<Self> {
        let timestamp = content.i64(terms::POINT_TIME)?;
        let flags = content.u32(terms::POINT_FLAGS)?;
        let count = content.u32(terms::POINT_THREADS)? as usize;
        if count > content.remaining() / 2 {
            return Err(Error::new(ErrorKind::OutOfBounds("list of threads"), content.offset()));
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
