//! Owns a store and the bytes it was made from, and answers requests about it.
//!
//! The same session runs behind the page (in a worker) and behind the command line.

mod answer;
pub mod container;
mod event_text;
mod excerpt;
pub mod export;
mod failures;
mod file_kind;
mod file_structure;
mod function_table;
mod groups;
mod loader;
mod needs;
mod pages;
mod previews;
mod queue;
mod recent;
mod report_text;
mod reports;
mod row_limit;
mod schemas;
mod state;
mod symbols;
mod time_order;
mod trees;
pub mod warm_up;
mod weighing;
mod work;
mod yardstick;

pub use crate::analysis::payload_pieces::Step;
pub use failures::{broken_off, out_of_memory, unreachable_address, unreadable_source};
pub use file_kind::FileKind;
pub use loader::{Loader, Progress};
pub use pages::PagedSource;
pub use previews::PreviewSchedule;
pub use queue::Queue;
pub use row_limit::RowLimit;
pub use state::{BUILD, FileFacts, Session, hello};
pub use yardstick::HeaderScan;

#[cfg(test)]
mod agreement_tests;
#[cfg(test)]
mod file_structure_tests;
#[cfg(test)]
mod journey_requests;
#[cfg(test)]
mod journey_tests;
#[cfg(test)]
mod parts_tests;
#[cfg(test)]
mod preview_tests;
#[cfg(test)]
mod schemas_tests;
#[cfg(test)]
mod told_tests;
