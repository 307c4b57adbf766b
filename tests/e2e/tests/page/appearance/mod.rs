//! Browser tests of themes and sizes.

mod sizes;
mod themes;
