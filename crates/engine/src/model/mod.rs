//! The store: what a trace contains, in columns.
//!
//! Nothing here knows a browser or a question; [`crate::analysis`] asks the questions. [`Ingest`] builds a [`Store`]
//! from the items of a parser.

mod activities;
mod allocated_types;
mod amounts;
mod blocks;
mod code_ranges;
mod columns;
mod damages;
mod density;
mod diagnostics;
mod events;
mod finish;
mod frames;
mod function_names;
mod functions;
mod il_maps;
mod ingest;
mod kept;
mod losses;
mod memory;
mod methods;
mod modules;
mod named_code;
mod open_chunk;
mod origin;
mod out_of_memory;
mod pieces;
mod processes;
mod rare_rows;
mod resolve;
mod roles;
mod side_table;
mod stacks;
mod store;
mod strings;
mod threads;
mod totals;
mod types;

pub use activities::Activities;
pub use allocated_types::{AllocatedType, AllocatedTypes};
pub use amounts::AllocationAmounts;
pub use blocks::{Block, BlockCount, BlockDirectory, BlockHead};
pub use columns::{IdColumn, IdSet, OffsetColumn};
pub use damages::{DamagedStretch, Damages};
pub use density::LiveDensity;
pub use diagnostics::{Diagnostic, Diagnostics};
pub use events::{CHUNK_ROWS, EventChunk, EventRow, Events};
pub use frames::{Frame, Frames};
pub use functions::{Function, Functions};
pub use il_maps::IlMaps;
pub use ingest::Ingest;
pub use kept::KeptPayloads;
pub use losses::Loss;
pub use memory::Memory;
pub use methods::{Method, Methods};
pub use modules::{Module, Modules};
pub use origin::Origin;
pub use out_of_memory::OutOfMemory;
pub(crate) use out_of_memory::reserve_exact;
pub use pieces::{FilePiece, PieceKind, Pieces};
pub use processes::{Process, Processes};
pub use rare_rows::RareRows;
pub use stacks::Stacks;
pub use store::Store;
pub use strings::Strings;
pub use threads::{Thread, ThreadRole, Threads};
pub use types::{Edge, EventType, METRICS, SampleState, Schema, SchemaSource, Types};

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
