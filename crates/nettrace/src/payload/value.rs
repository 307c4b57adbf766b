//! Owned values.

use crate::wire::guid::Guid;
use std::fmt;

/// Value of a field.
///
/// [`ValueRef`](crate::ValueRef) is the borrowed counterpart.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// The payload ends before this field: an older version of the event doesn't have it.
    Null,
    /// Boolean.
    Boolean(bool),
    /// Boolean of four bytes with a value other than 0 and 1. As in the runtime, only the lowest byte counts.
    OddBoolean(u32),
    /// UTF-16 or UTF-8 code unit.
    Char(u16),
    /// Signed number and its size in bits; 64 for variable-length numbers.
    Int(i64, u8),
    /// Unsigned number and its size in bits; 64 for variable-length numbers.
    UInt(u64, u8),
    /// Single-precision number.
    Float32(f32),
    /// Double-precision number.
    Float64(f64),
    /// Decimal number.
    Decimal(Decimal),
    /// FILETIME: 100 ns units since 1601-01-01 in UTC.
    DateTime(i64),
    /// GUID.
    Guid(Guid),
    /// Text.
    String(String),
    /// UTF-16 text with lone surrogates.
    Utf16(Vec<u16>),
    /// Array of bytes.
    Bytes(Vec<u8>),
    /// Array of other elements.
    Array(Vec<Value>),
    /// Object: named fields.
    Object(Vec<(String, Value)>),
    /// Address.
    Pointer(u64),
    /// The field is unreadable.
    Error(FieldError),
}

/// Cause that makes a field unreadable. `Display` is a short phrase for the user.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldError {
    /// The payload ends inside the field.
    TooShort,
    /// A field before this one is unreadable, so the start of this one is unknown.
    FollowsUnreadable,
    /// A reference points outside of the payload.
    OutOfBounds,
    /// The size of an array isn't a multiple of the size of its elements.
    UnevenSize,
    /// A variable-length number is longer than possible.
    VarintOverflow,
    /// The field with the array's length isn't a number.
    NoCount,
    /// The payload has more values than any writer produces.
    TooComplex,
}

impl FieldError {
    /// All causes.
    pub const ALL: [Self; 7] = [
        Self::TooShort,
        Self::FollowsUnreadable,
        Self::OutOfBounds,
        Self::UnevenSize,
        Self::VarintOverflow,
        Self::NoCount,
        Self::TooComplex,
    ];
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooShort => "the payload ends inside this field",
            Self::FollowsUnreadable => "a field before this one is unreadable",
            Self::OutOfBounds => "refers to bytes outside the payload",
            Self::UnevenSize => "the size isn't a multiple of the element size",
            Self::VarintOverflow => "invalid varint: too many bytes",
            Self::NoCount => "unknown array length",
            Self::TooComplex => "too many values",
        })
    }
}

/// `System.Decimal`: a 96-bit integer divided by a power of ten. `Display` writes all digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// Digits.
    pub mantissa: u128,
    /// Number of digits after the decimal point.
    pub scale: u8,
    /// True if the number is negative.
    pub negative: bool,
}

impl Decimal {
    /// Returns the nearest `f64`.
    pub fn rounded(self) -> f64 {
        let size = self.mantissa as f64 / 10_f64.powi(self.scale.into());
        if self.negative { -size } else { size }
    }

    /// Reads the four words of `System.Decimal` as in memory: flags, high, low, middle.
    pub(crate) fn from_bytes(bytes: [u8; 16]) -> Self {
        let [flags, high, low, middle] =
            [0, 4, 8, 12].map(|at| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]));
        Self {
            mantissa: u128::from(high) << 64 | u128::from(middle) << 32 | u128::from(low),
            scale: (flags >> 16) as u8,
            negative: flags >> 31 != 0,
        }
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scale = usize::from(self.scale);
        let digits = format!("{:0>width$}", self.mantissa, width = scale + 1);
        let (whole, fraction) = digits.split_at(digits.len() - scale);
        let sign = if self.negative { "-" } else { "" };
        let point = if scale > 0 { "." } else { "" };
        write!(f, "{sign}{whole}{point}{fraction}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_print_all_digits() {
        let decimal = |mantissa, scale, negative| Decimal { mantissa, scale, negative }.to_string();
        assert_eq!(decimal(123_450, 4, false), "12.3450");
        assert_eq!(decimal(5, 3, true), "-0.005");
        assert_eq!(decimal(7, 0, false), "7");
        let mut bytes = [0; 16];
        bytes[2] = 2;
        bytes[3] = 0x80;
        bytes[8] = 101;
        bytes[12] = 1;
        assert_eq!(Decimal::from_bytes(bytes).to_string(), "-42949673.97");
    }
}
