//! The store: content of a trace in columns.
//!
//! It doesn't depend on a browser or a query; [`crate::analysis`] queries it. [`Ingest`] builds a [`Store`] from the
//! items of a parser.

pub(crate) mod code;
pub(crate) mod columns;
pub(crate) mod file;
mod ingest;
mod out_of_memory;
mod rows;
mod store;
pub(crate) mod threads;

pub use code::async_callers::AsyncCallers;
pub use code::frames::{Frame, Frames};
pub use code::functions::{Function, Functions};
pub use code::il_maps::IlMaps;
pub use code::methods::{Method, Methods};
pub use code::modules::{Module, Modules};
pub(crate) use code::ranges::code_space;
pub use code::stacks::Stacks;
pub use columns::activities::Activities;
pub use columns::allocated_types::{AllocatedType, AllocatedTypes};
pub use columns::allocation_amounts::AllocationAmounts;
pub use columns::copied_payloads::CopiedPayloads;
pub use columns::events::{CHUNK_ROWS, EventChunk, EventRow, Events};
pub use columns::narrow::{IdColumn, IdSet, OffsetColumn};
pub use columns::rare_rows::RareRows;
pub use columns::strings::Strings;
pub use columns::writers::{Writer, Writers};
pub use file::blocks::{Block, BlockCount, BlockDirectory, BlockHead};
pub use file::damages::{DamagedStretch, Damages};
pub use file::diagnostics::{Diagnostic, Diagnostics};
pub use file::fits::{Misfits, SchemaFit, inferred_words};
pub use file::losses::{Loss, Unreadable};
pub use file::reread_header::Origin;
pub use file::sections::{FileSection, FileSectionKind, Sections};
pub use file::types::{Edge, EventType, METRICS, SampleState, Schema, SchemaSource, Types};
pub(crate) use ingest::items_of;
pub use ingest::{Ingest, SharedWork, read_region};
pub use out_of_memory::OutOfMemory;
pub(crate) use out_of_memory::reserve_exact;
pub use rows::Rows;
pub use store::Store;
pub use threads::density::LiveDensity;
pub use threads::processes::{Process, Processes};
pub use threads::table::{Thread, ThreadRole, Threads};

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
