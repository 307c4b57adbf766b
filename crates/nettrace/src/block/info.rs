//! Block kinds and locations, unknown blocks, and damage.

use crate::error::Error;

/// Kind of a block.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BlockKind {
    /// Events.
    Events,
    /// Metadata: descriptions of event types.
    Metadata,
    /// Call stacks.
    Stacks,
    /// Sequence point.
    SequencePoint,
    /// Threads (version 6).
    Threads,
    /// Threads that ended (version 6).
    RemovedThreads,
    /// Label lists (version 6).
    Labels,
    /// Unknown to this crate.
    Unknown,
    /// End-of-stream marker.
    EndOfStream,
}

/// Kind and location of a block.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockInfo {
    /// Content of the block.
    pub kind: BlockKind,
    /// Absolute offset of the block header.
    pub offset: u64,
    /// Size in the file, including the block header. 0 for metadata in a netperf event block, whose bytes count as
    /// events.
    pub bytes: u64,
    /// Padding bytes that align the content to four bytes (versions 3 to 5). Part of `bytes`.
    pub padding_bytes: u8,
}

/// Block of an unknown kind, or of a version that requires a newer reader. The parser skips it.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownBlock {
    /// Location of the block in the file.
    pub info: BlockInfo,
    /// Type name of the object; in version 6, the number of the block kind.
    pub name: String,
    /// Version of the object's type; `None` in version 6.
    pub version: Option<u32>,
    /// Bytes of the content, without the block header.
    pub content_bytes: u64,
}

/// Bytes of the file that can't be read.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Absolute offset of the first skipped byte.
    pub offset: u64,
    /// Number of skipped bytes. 0 if no bytes are lost, such as for a missing end-of-stream marker.
    pub bytes: u64,
    /// Cause.
    pub error: Error,
    /// True if this continues the previous damage. Long damage is reported in parts, to bound memory.
    pub continued: bool,
}
