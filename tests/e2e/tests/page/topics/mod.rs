//! Browser tests of analysis tabs.

mod tables;
