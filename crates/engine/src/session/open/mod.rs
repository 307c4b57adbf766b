//! Opening a trace: loading, previews, file types, symbols, failures.

pub(crate) mod failures;
pub(crate) mod file_kind;
pub(crate) mod header_scan;
pub(crate) mod loader;
pub(crate) mod previews;
pub(crate) mod row_limit;
pub(crate) mod symbols;
pub(crate) mod text_transfer;
pub mod warm_up;
