//! Start page.

mod offline;
mod policy;
mod requests;
