//! Values of parts of a file.

use crate::error::Error;
use crate::payload::{FieldType, Value};
use crate::wire::guid::Guid;

/// Value of a part of a file.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub enum PartValue {
    /// No value: the part consists of other parts.
    Parts,
    /// Unsigned number, little endian, as wide as the part.
    Unsigned(u64),
    /// Signed number, little endian, as wide as the part.
    Signed(i64),
    /// LEB128 number, before zig-zag decoding and before adding the previous number.
    Varint(u64),
    /// GUID, 16 bytes.
    Guid(Guid),
    /// UTF-8 text.
    Utf8(String),
    /// UTF-16 text, including the NUL at its end.
    Utf16(String),
    /// Raw bytes.
    Raw,
    /// Payload field with its type.
    Field(FieldType, Value),
    /// Unreadable bytes with the cause.
    Unreadable(Error),
    /// Array elements of this type.
    Elements(FieldType, Value),
    /// Inherited value: the file omits it because it equals the previous one.
    Inherited(i128),
}
