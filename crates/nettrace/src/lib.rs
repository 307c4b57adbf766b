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
mod blocks;
mod error;
mod event_block;
mod event_encoder;
mod event_header;
mod excerpt;
mod field;
mod guid;
mod header;
mod labels;
mod limits;
mod metadata;
mod metadata_v1;
mod metadata_v5;
mod metadata_v6;
mod object;
mod objects;
mod parser;
mod partial;
mod payload;
mod reader;
mod records;
mod recovery;
mod sequence_point;
mod source;
mod stack_block;
mod start;
pub mod structure;
mod tail;
mod threads;
mod trace;
mod value;
mod varint;

pub use block::{BlockInfo, BlockKind, Damage, Item, UnknownBlock};
pub use error::{Error, ErrorKind, Result};
pub use event_block::{EventBlock, Events};
pub use event_header::EventHeader;
pub use excerpt::{Excerpt, ExcerptTotals};
pub use field::{Field, FieldType};
pub use guid::Guid;
pub use header::{Container, Header, SystemTime};
pub use labels::{LabelBlock, LabelList, LabelLists, LabelValue};
pub use metadata::{MOST_SKIPPED, MetadataBlock, MetadataRecord, MetadataRecords, Skipped, Unrecorded};
pub use parser::{Parser, Step};
pub use payload::{decode, decode_field};
pub use sequence_point::SequencePoint;
pub use source::{ByteSource, SourceError};
pub use stack_block::{StackBlock, Stacks};
pub use tail::latest_timestamp;
pub use threads::{RemovedThreads, ThreadBlock, ThreadRow, ThreadRows};
pub use value::{Decimal, FieldError, Value};

#[cfg(any(test, feature = "testing"))]
pub mod testing;

#[cfg(test)]
mod tests;
