//! Reads traces of .NET programs, as recorded by `dotnet-trace`, `dotnet-monitor` or EventPipe.
//!
//! # Where to start
//!
//! - [`TraceReader`] reads events from a file or any other [`std::io::Read`], with name, fields, thread, labels and call
//!   stack. Most programs need this one.
//! - [`Symbols`] names the addresses in call stacks.
//! - [`Parser`] is the incremental parser below: bytes in, blocks out, without input and output. Use it to parse bytes as
//!   they arrive, or to store only some of the data.
//! - [`Payload`] and [`decode`] read the fields of a payload, borrowed or owned.
//! - [`Excerpt`] writes a part of a trace as a trace. [`structure`](mod@structure) explains every byte of a file.
//!
//! ```no_run
//! use nettrace::TraceReader;
//!
//! let mut reader = TraceReader::open("app.nettrace")?;
//! while let Some(event) = reader.next_event()? {
//!     println!("{:>12} ns  {}  {:?}", event.nanos(), event.event_type(), event.payload());
//! }
//! # Ok::<(), nettrace::ReadError>(())
//! ```
//!
//! # Formats
//!
//! | Format | Written by |
//! |---|---|
//! | netperf 1 to 3 | .NET Core 2.0 and 2.1 |
//! | nettrace 4 | .NET Core 3.0 and later; with additional metadata tags it is called "version 5" |
//! | nettrace 6 | machine-wide traces (`dotnet-trace collect-linux`, `record-trace`) |
//!
//! Newer minor versions are read; newer major versions are an error. Compressed files have to be decompressed first.
//!
//! # Guarantees
//!
//! - No input makes the crate panic. It contains no `unsafe` code and has no dependencies.
//! - Damage doesn't stop the reader: it is skipped, and reading continues with the next block. Every byte of a file is either
//!   read or reported as damage.
//! - Errors have the offset in the (decompressed) file.
//! - The same bytes give the same items and events, however they are divided into reads.
//! - Memory is bounded. [`Parser`] stores no bytes; it asks for at most one block, whose accepted size is 64 MiB, although
//!   writers produce about 100 KB. [`TraceReader`] also stores the tables of the trace: event types, threads, and the stacks and
//!   label lists between two sequence points. Decoding a payload creates at most a million values.
//!
//! # Features
//!
//! `testing` adds [builders](https://docs.rs/nettrace/latest/nettrace/testing/) of small traces in every format, for your
//! tests.

#![deny(missing_docs)]

mod block;
pub mod clr;
mod container;
mod error;
mod excerpt;
mod framing;
mod limits;
mod listener;
mod metadata;
mod parser;
mod payload;
mod reader;
mod recovery;
mod source;
pub mod structure;
mod symbols;
mod wire;

pub use block::{
    BlockInfo, BlockKind, Damage, EventBlock, EventHeader, Events, Item, LabelBlock, LabelList, LabelLists, LabelValue,
    MetadataBlock, MetadataRecords, RemovedThreads, SequencePoint, StackBlock, Stacks, ThreadBlock, ThreadRow,
    ThreadRows, UnknownBlock,
};
pub use container::{Container, Header, SystemTime, latest_timestamp};
pub use error::{Error, ErrorKind, Result};
pub use excerpt::{Excerpt, ExcerptTotals, Rewrite};
pub use framing::Step;
pub use metadata::{MAX_SKIPPED, MetadataRecord, Skipped, Unrecorded};
pub use parser::Parser;
pub use payload::{
    ArrayRef, ArrayValues, Decimal, Field, FieldError, FieldType, FieldValues, Fit, ObjectRef, Payload, Text, Value,
    ValueRef, decode, decode_field,
};
pub use reader::{Event, EventType, Issue, IssueKind, ReadError, Stack, Thread, TraceReader};
pub use source::{ByteSource, SourceError};
pub use symbols::{Symbol, Symbols};
pub use wire::guid::Guid;
pub use wire::varint::write as write_varint;

#[cfg(any(test, feature = "testing"))]
pub mod testing;

#[cfg(test)]
mod tests;

/// The examples of the README are tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
