//! Sequence points (nettrace-v5.md "SequencePointBlock Object", nettrace-v6.md "SequencePointBlock").

use super::block::BlockInfo;
use super::error::{Error, ErrorKind, Result};
use super::reader::Reader;

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
    pub(crate) fn read_v4(info: BlockInfo, mut content: Reader<'_>) -> Result<Self> {
        let timestamp = content.i64()?;
        let count = content.u32()? as usize;
        if count > content.remaining() / 12 {
            return Err(Error::new(ErrorKind::OutOfBounds("list of threads"), content.offset()));
        }
        let threads = (0..count).map(|_| Ok((content.u64()?, content.u32()?))).collect::<Result<_>>()?;
        Ok(Self { info, timestamp, flags: 0, threads })
    }

    /// Reads the content of a sequence point of version 6.
    pub(crate) fn read_v6(info: BlockInfo, mut content: Reader<'_>) -> Result<Self> {
        let timestamp = content.i64()?;
        let flags = content.u32()?;
        let count = content.u32()? as usize;
        if count > content.remaining() / 2 {
            return Err(Error::new(ErrorKind::OutOfBounds("list of threads"), content.offset()));
        }
        let threads = (0..count).map(|_| Ok((content.var_u64()?, content.var_u32()?))).collect::<Result<_>>()?;
        Ok(Self { info, timestamp, flags, threads })
    }
}
