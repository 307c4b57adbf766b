//! What a trace is made of, as the parser hands it out.

use crate::block::events::EventBlock;
use crate::block::labels::LabelBlock;
use crate::block::metadata::MetadataBlock;
use crate::block::sequence_point::SequencePoint;
use crate::block::stacks::StackBlock;
use crate::block::threads::{RemovedThreads, ThreadBlock};
use crate::container::header::Header;
use crate::error::Error;
use crate::trace::{Off, Trace};

/// One part of the file.
#[derive(Clone, Debug)]
pub enum Item<'d, T: Trace = Off> {
    /// The first item of every trace, and only the first.
    Header(Header),
    /// Events. In netperf files the records that describe events are left out here: they come as
    /// [`Item::Metadata`] just before.
    Events(EventBlock<'d, T>),
    /// Descriptions of kinds of events.
    Metadata(MetadataBlock<'d, T>),
    /// Call stacks that later events refer to by id.
    Stacks(StackBlock<'d, T>),
    /// A point that separates everything before from everything after it.
    SequencePoint(SequencePoint),
    /// Threads that later events refer to by index (version 6).
    Threads(ThreadBlock<'d, T>),
    /// Threads that no later event refers to (version 6).
    RemovedThreads(RemovedThreads),
    /// Lists of labels that later events refer to by index (version 6).
    Labels(LabelBlock<'d, T>),
    /// A block of a kind this program does not know, skipped whole.
    Unknown(UnknownBlock),
    /// Bytes that could not be read. Reading goes on after them.
    Damage(Damage),
    /// The mark that ends a complete trace. Nothing follows.
    EndOfStream(BlockInfo),
}

impl<T: Trace> Item<'_, T> {
    /// Says how many bytes the block has. Items that are not blocks of rows have none to set.
    pub(crate) fn set_bytes(&mut self, bytes: u64) {
        match self {
            Item::Events(EventBlock { info, .. })
            | Item::Metadata(MetadataBlock { info, .. })
            | Item::Stacks(StackBlock { info, .. }) => info.bytes = bytes,
            _ => {}
        }
    }
}

/// Where in the file a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BlockInfo {
    /// What the block holds.
    pub kind: BlockKind,
    /// Absolute offset of the first byte of its framing.
    pub offset: u64,
    /// Its bytes in the file, framing included. 0 for the metadata of a netperf block, whose bytes belong to the
    /// events around it.
    pub bytes: u64,
    /// Those of them that only bring the content to a multiple of four (versions 3 to 5).
    pub padding_bytes: u8,
}

/// A block of a kind that is not known, or that only newer readers may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownBlock {
    /// Where it is.
    pub info: BlockInfo,
    /// What the file calls it: the type of the object, in version 6 the number of the kind.
    pub name: String,
    /// The version of its type (none in version 6).
    pub version: Option<u32>,
    /// Bytes of its content, without framing.
    pub content_bytes: u64,
}

/// The kinds of blocks, over all format versions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum BlockKind {
    /// Events.
    Events,
    /// Descriptions of kinds of events.
    Metadata,
    /// Call stacks.
    Stacks,
    /// Separates everything before from everything after.
    SequencePoint,
    /// Descriptions of threads (version 6).
    Threads,
    /// Threads that are gone (version 6).
    RemovedThreads,
    /// Lists of labels that events refer to (version 6).
    Labels,
    /// Not known to this program.
    Unknown,
    /// The end mark.
    EndOfStream,
}

/// Bytes of the file that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Damage {
    /// Absolute offset of the first byte that was skipped.
    pub offset: u64,
    /// How many bytes were skipped. 0 if something is wrong but nothing is lost.
    pub bytes: u64,
    /// Why.
    pub error: Error,
    /// Whether this goes on where the damage just before ended: one stretch, reported in pieces so that memory stays
    /// bounded.
    pub continued: bool,
}
