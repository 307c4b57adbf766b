//! Blocks of a trace and the rows in them.

mod event_encoder;
mod event_header;
mod event_reader;
mod events;
mod info;
mod item;
mod labels;
mod metadata;
mod sequence_point;
mod stacks;
mod threads;

pub(crate) use event_encoder::EventEncoder;
pub use event_header::EventHeader;
pub(crate) use event_reader::SavedEvents;
pub use events::{EventBlock, Events};
pub use info::{BlockInfo, BlockKind, Damage, UnknownBlock};
pub use item::Item;
pub use labels::{LabelBlock, LabelList, LabelLists, LabelValue};
pub use metadata::{MetadataBlock, MetadataRecords};
pub use sequence_point::SequencePoint;
pub use stacks::{StackBlock, Stacks};
pub use threads::{RemovedThreads, ThreadBlock, ThreadRow, ThreadRows};
