//! The events table: pages, order, groups, details.

pub mod connections;
pub mod detail;
pub mod excerpt;
pub mod field_values;
pub mod groups;
pub mod header_values;
pub mod order;
pub mod page;
pub mod rank_order;
pub(crate) mod shared_labels;
pub mod span_times;
pub mod value_order;
