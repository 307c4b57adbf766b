//! Items: the units that the parser returns.

use super::events::EventBlock;
use super::info::{BlockInfo, Damage, UnknownBlock};
use super::labels::LabelBlock;
use super::metadata::MetadataBlock;
use super::sequence_point::SequencePoint;
use super::stacks::StackBlock;
use super::threads::{RemovedThreads, ThreadBlock};
use crate::container::Header;

/// Part of a trace.
///
/// Rows of a block are decoded only when they are iterated over.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub enum Item<'d> {
    /// Header. Always the first item, and never repeated.
    Header(Header),
    /// Events. In netperf files, excludes metadata records among the events, which are in the previous item.
    Events(EventBlock<'d>),
    /// Metadata: descriptions of event types.
    Metadata(MetadataBlock<'d>),
    /// Call stacks, referenced by ID from later events.
    Stacks(StackBlock<'d>),
    /// Sequence point: separates all earlier events from all later ones.
    SequencePoint(SequencePoint),
    /// Threads, referenced by index from later events (version 6).
    Threads(ThreadBlock<'d>),
    /// Threads that no later event references (version 6).
    RemovedThreads(RemovedThreads),
    /// Label lists, referenced by index from later events (version 6).
    Labels(LabelBlock<'d>),
    /// Block of an unknown kind, skipped.
    Unknown(UnknownBlock),
    /// Unreadable bytes. Reading continues after them.
    Damage(Damage),
    /// End-of-stream marker of a complete trace.
    EndOfStream(BlockInfo),
}

impl Item<'_> {
    /// Sets the bytes of a block with rows. Other items are unchanged.
    pub(crate) fn set_bytes(&mut self, bytes: u64) {
        match self {
            Item::Events(EventBlock { info, .. })
            | Item::Metadata(MetadataBlock { info, .. })
            | Item::Stacks(StackBlock { info, .. }) => info.bytes = bytes,
            _ => {}
        }
    }
}
