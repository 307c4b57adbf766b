//! Wire formats: from bytes to blocks, event headers, metadata and typed payload values.
//!
//! Reads every EventPipe container that ever shipped: netperf 1–3, nettrace 4 (with the "version 5" metadata tags) and
//! nettrace 6. Knows nothing about providers, time zones or stores, depends on the standard library only, and never
//! panics on any input.
//!
//! ```
//! use nettrace::{Item, Parser, Step};
//!
//! /// Counts the events of a trace that is completely in memory.
//! fn count(trace: &[u8]) -> nettrace::Result<u64> {
//!     let mut parser = Parser::new();
//!     let mut rest = trace;
//!     let mut events = 0;
//!     while let Step::Parsed { consumed, item } = parser.parse(rest, true)? {
//!         if let Item::Events(block) = item {
//!             let mut headers = block.events();
//!             while let Some(Ok(_header)) = headers.next() {
//!                 events += 1;
//!             }
//!         }
//!         rest = &rest[consumed..];
//!     }
//!     Ok(events)
//! }
//! # assert!(count(b"not a trace").is_err());
//! ```

mod block;
mod container;
mod error;
mod excerpt;
mod framing;
mod limits;
mod metadata;
mod parser;
mod payload;
mod recovery;
mod source;
pub mod structure;
mod trace;
mod wire;

pub use block::{
    BlockInfo, BlockKind, Damage, EventBlock, EventHeader, Events, Item, LabelBlock, LabelList, LabelLists, LabelValue,
    MetadataBlock, MetadataRecords, RemovedThreads, SequencePoint, StackBlock, Stacks, ThreadBlock, ThreadRow,
    ThreadRows, UnknownBlock,
};
pub use container::{Container, Header, SystemTime, latest_timestamp};
pub use error::{Error, ErrorKind, Result};
pub use excerpt::{Excerpt, ExcerptTotals};
pub use framing::Step;
pub use metadata::{MAX_SKIPPED, MetadataRecord, Skipped, Unrecorded};
pub use parser::Parser;
pub use payload::{
    ArrayRef, ArrayValues, Decimal, Field, FieldError, FieldType, FieldValues, ObjectRef, Payload, Text, Value,
    ValueRef, decode, decode_field,
};
pub use source::{ByteSource, SourceError};
pub use wire::guid::Guid;

#[cfg(any(test, feature = "testing"))]
pub mod testing;

#[cfg(test)]
mod tests;
