//! Numbers, text and identifiers as they are encoded in a trace.

pub(crate) mod byte_reader;
pub(crate) mod guid;
pub(crate) mod varint;
