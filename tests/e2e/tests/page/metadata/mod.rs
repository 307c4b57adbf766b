//! Browser tests of the Metadata tab.

mod bytes;
mod schemas;
