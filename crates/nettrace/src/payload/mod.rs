//! Payloads: field types, values and the decoder.

mod decoder;
pub(crate) mod field;
mod trace;
pub(crate) mod value;

pub use decoder::{decode, decode_field};
pub(crate) use trace::tell;
