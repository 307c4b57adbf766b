//! Encoding of numbers, text and GUIDs in a trace.

pub(crate) mod byte_reader;
pub(crate) mod guid;
pub(crate) mod varint;
