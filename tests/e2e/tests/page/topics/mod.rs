//! Browser tests of analysis tabs.

mod charts;
mod tables;
