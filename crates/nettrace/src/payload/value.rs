//! Decoded payload values.

use std::fmt;

use crate::wire::guid::Guid;

/// The value of one field.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// The payload ends before this field: an older version of the event did not have it.
    Null,
    /// True or false.
    Boolean(bool),
    /// A Boolean of four bytes that are neither 0 nor 1. Only the first of them counts, as for the runtime.
    OddBoolean(u32),
    /// One UTF-16 code unit, or one UTF-8 code unit.
    Char(u16),
    /// A signed number and its size in bits; 64 for variable-length ones.
    Int(i64, u8),
    /// An unsigned number and its size in bits; 64 for variable-length ones.
    UInt(u64, u8),
    /// A number with about 7 digits.
    Float32(f32),
    /// A number with about 16 digits.
    Float64(f64),
    /// A decimal number.
    Decimal(Decimal),
    /// 100 ns since 1601-01-01 in UTC (FILETIME).
    DateTime(i64),
    /// A GUID.
    Guid(Guid),
    /// Text.
    String(String),
    /// Text that is not valid UTF-16: it has lone surrogates.
    Utf16(Vec<u16>),
    /// An array of bytes.
    Bytes(Vec<u8>),
    /// An array of anything else.
    Array(Vec<Value>),
    /// Fields with their names.
    Object(Vec<(String, Value)>),
    /// An address.
    Pointer(u64),
    /// The field cannot be read.
    Error(FieldError),
}

/// Why a field cannot be read. `Display` is a short phrase for the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldError {
    /// The payload ends inside the field.
    TooShort,
    /// A field before this one cannot be read, so where this one begins is unknown.
    FollowsUnreadable,
    /// A reference to another place of the payload leads out of it.
    OutOfBounds,
    /// The size of an array is not a multiple of the size of its elements.
    UnevenSize,
    /// A variable-length number is longer than it can be.
    VarintOverflow,
    /// The array takes its length from a field that holds no number.
    NoCount,
    /// There are more values, or they nest deeper, than any writer produces.
    TooComplex,
}

impl fmt::Display for FieldError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooShort => "the payload ends inside this field",
            Self::FollowsUnreadable => "a field before this one is unreadable",
            Self::OutOfBounds => "refers to a place outside of the payload",
            Self::UnevenSize => "the size does not fit the type of the elements",
            Self::VarintOverflow => "a variable-length number is too long",
            Self::NoCount => "the length of the array is unknown",
            Self::TooComplex => "too many values",
        })
    }
}

/// A System.Decimal: a 96-bit integer divided by a power of ten. `Display` writes all its digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decimal {
    /// The digits.
    pub mantissa: u128,
    /// How many of the digits come after the point.
    pub scale: u8,
    /// Whether the number is negative.
    pub negative: bool,
}

impl Decimal {
    /// The nearest number that can be calculated with.
    pub fn rounded(self) -> f64 {
        let size = self.mantissa as f64 / 10_f64.powi(self.scale.into());
        if self.negative { -size } else { size }
    }

    /// Reads the four words of System.Decimal as they are in memory: flags, high, low, middle.
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
