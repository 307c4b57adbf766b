//! Owns a store and the bytes it was made from, and answers requests about it.
//!
//! The same session runs behind the page (in a worker) and behind the command line.

pub(crate) mod answers;
pub mod container;
pub(crate) mod db;
pub mod export;
pub mod open;
#[cfg(test)]
mod tests;

pub use crate::analysis::scan::payload_batches::Step;
pub use db::pages::PagedSource;
pub use db::queue::Queue;
pub use db::state::{BUILD, FileFacts, Session, hello};
pub use open::failures::{broken_off, out_of_memory, unreachable_address, unreadable_source};
pub use open::file_kind::FileKind;
pub use open::header_scan::HeaderScan;
pub use open::loader::{Loader, Progress};
pub use open::previews::PreviewSchedule;
pub use open::row_limit::RowLimit;
