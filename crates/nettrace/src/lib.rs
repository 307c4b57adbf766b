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
mod limits;
mod metadata;
mod parser;
mod payload;
mod recovery;
mod source;
pub mod structure;
mod trace;
mod wire;

pub use block::event_header::EventHeader;
pub use block::events::{EventBlock, Events};
pub use block::labels::{LabelBlock, LabelList, LabelLists, LabelValue};
pub use block::metadata::{MOST_SKIPPED, MetadataBlock, MetadataRecord, MetadataRecords, Skipped, Unrecorded};
pub use block::sequence_point::SequencePoint;
pub use block::stacks::{StackBlock, Stacks};
pub use block::threads::{RemovedThreads, ThreadBlock, ThreadRow, ThreadRows};
pub use block::{BlockInfo, BlockKind, Damage, Item, UnknownBlock};
pub use container::header::{Container, Header, SystemTime};
pub use container::tail::latest_timestamp;
pub use error::{Error, ErrorKind, Result};
pub use excerpt::{Excerpt, ExcerptTotals};
pub use parser::{Parser, Step};
pub use payload::field::{Field, FieldType};
pub use payload::value::{Decimal, FieldError, Value};
pub use payload::{decode, decode_field};
pub use source::{ByteSource, SourceError};
pub use wire::guid::Guid;

#[cfg(any(test, feature = "testing"))]
pub mod testing;

#[cfg(test)]
mod tests;
