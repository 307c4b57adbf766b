//! The page before there is a trace.

mod offline;
mod policy;
mod requests;
