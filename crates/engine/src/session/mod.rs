//! Session: a store with the bytes of its file, which answers queries.
//!
//! The page (in a worker) and the command-line tool use the same session.

pub(crate) mod answers;
pub mod container;
pub(crate) mod db;
pub mod export;
pub mod open;
#[cfg(test)]
mod tests;

pub use crate::model::read_region;
pub use answers::Run;
pub use db::interrupt::{Answered, Interrupt};
pub use db::pages::PagedSource;
pub use db::queue::Queue;
pub use db::state::{BUILD, FileFacts, Session, hello};
pub use export::stacks::StackExport;
pub use open::failures::{broken_off, out_of_memory, unreachable_address, unreadable_source};
pub use open::file_kind::FileKind;
pub use open::header_scan::HeaderScan;
pub use open::loader::{Loader, Progress, Shared};
pub use open::previews::PreviewSchedule;
pub use open::row_limit::RowLimit;
