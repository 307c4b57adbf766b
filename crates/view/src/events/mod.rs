//! The events table, its filter and its groups.

pub mod columns;
pub mod filter_syntax;
pub mod filter_text;
pub mod groups;
pub mod histogram;
pub mod indexed_part_text;
pub mod level;
pub mod row_selection;
pub mod sort;
