//! Browser tests of the Events tab.

mod columns;
mod groups;
mod late_rows;
mod rows;
