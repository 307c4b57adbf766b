//! Browser tests of links and restored views.

mod files;
mod views;
