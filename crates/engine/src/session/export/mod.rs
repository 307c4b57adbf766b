//! Exports for other programs, with the conventions of other readers of the format.

mod checksums;
mod csharp;
mod derived;
mod event_sources;
mod inventory;
pub mod payload;
mod schema_json;
pub mod stacks;

pub use checksums::{Digest, StackHashes, digest, fnv};
pub use derived::{DerivedFields, NamedValues};
pub use event_sources::event_sources;
pub use inventory::{ThreadTotals, TypeTotals, threads, types};
pub use schema_json::{rate, schema_json, source_word};
