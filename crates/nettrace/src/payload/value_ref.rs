//! Borrowed values.

use super::text::Text;
use super::value::{Decimal, FieldError, Value};
use super::view::{ArrayRef, ObjectRef};
use crate::wire::guid::Guid;
use std::fmt;

/// Value of a field, borrowed from the payload. Reading it allocates nothing.
///
/// [`ValueRef::to_value`] converts it to a [`Value`]. `Display` formats it for display.
#[non_exhaustive]
#[derive(Clone, Copy, Debug)]
pub enum ValueRef<'a> {
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
    /// Address.
    Pointer(u64),
    /// Text.
    Text(Text<'a>),
    /// Array of bytes.
    Bytes(&'a [u8]),
    /// Array of other elements.
    Array(ArrayRef<'a>),
    /// Object: named fields.
    Object(ObjectRef<'a>),
    /// The field is unreadable.
    Error(FieldError),
}

impl<'a> ValueRef<'a> {
    /// Returns the value without borrowing.
    pub fn to_value(self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Boolean(value) => Value::Boolean(value),
            Self::OddBoolean(value) => Value::OddBoolean(value),
            Self::Char(unit) => Value::Char(unit),
            Self::Int(number, bits) => Value::Int(number, bits),
            Self::UInt(number, bits) => Value::UInt(number, bits),
            Self::Float32(number) => Value::Float32(number),
            Self::Float64(number) => Value::Float64(number),
            Self::Decimal(number) => Value::Decimal(number),
            Self::DateTime(time) => Value::DateTime(time),
            Self::Guid(guid) => Value::Guid(guid),
            Self::Pointer(address) => Value::Pointer(address),
            Self::Text(text) => text.to_value(),
            Self::Bytes(bytes) => Value::Bytes(bytes.to_vec()),
            Self::Array(array) => array.to_value(),
            Self::Object(object) => object.to_value(),
            Self::Error(error) => Value::Error(error),
        }
    }

    /// Returns the text, if the value is one.
    pub fn as_text(self) -> Option<Text<'a>> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the Boolean, if the value is one.
    pub fn as_bool(self) -> Option<bool> {
        match self {
            Self::Boolean(value) => Some(value),
            Self::OddBoolean(value) => Some(value & 0xFF != 0),
            _ => None,
        }
    }

    /// Returns the number or address, if the value is one that isn't negative.
    pub fn as_u64(self) -> Option<u64> {
        match self {
            Self::UInt(number, _) | Self::Pointer(number) => Some(number),
            Self::Int(number, _) => u64::try_from(number).ok(),
            _ => None,
        }
    }

    /// Returns the number, if the value is an integer that fits.
    pub fn as_i64(self) -> Option<i64> {
        match self {
            Self::Int(number, _) => Some(number),
            Self::UInt(number, _) => i64::try_from(number).ok(),
            _ => None,
        }
    }

    /// Returns the number, if the value is one. Large integers and decimals are rounded.
    pub fn as_f64(self) -> Option<f64> {
        match self {
            Self::Float32(number) => Some(number.into()),
            Self::Float64(number) => Some(number),
            Self::Int(number, _) => Some(number as f64),
            Self::UInt(number, _) => Some(number as f64),
            Self::Decimal(number) => Some(number.rounded()),
            _ => None,
        }
    }

    /// Returns the GUID, if the value is one.
    pub fn as_guid(self) -> Option<Guid> {
        match self {
            Self::Guid(guid) => Some(guid),
            _ => None,
        }
    }

    /// Returns the number as the length of a later array.
    pub(super) fn as_count(self) -> Option<u64> {
        match self {
            Self::Pointer(_) => None,
            other => other.as_u64(),
        }
    }
}

impl fmt::Display for ValueRef<'_> {
    /// Writes text unchanged, numbers in decimal, addresses and bytes in hexadecimal, dates in ISO 8601, arrays as `[1,
    /// 2]`, objects as `{name: value}`, unreadable fields as the cause in angle brackets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Boolean(value) => value.fmt(f),
            Self::OddBoolean(value) => (value & 0xFF != 0).fmt(f),
            Self::Char(unit) => char::from_u32((*unit).into()).unwrap_or(char::REPLACEMENT_CHARACTER).fmt(f),
            Self::Int(number, _) => number.fmt(f),
            Self::UInt(number, _) => number.fmt(f),
            Self::Float32(number) => number.fmt(f),
            Self::Float64(number) => number.fmt(f),
            Self::Decimal(number) => number.fmt(f),
            Self::DateTime(time) => write_date(*time, f),
            Self::Guid(guid) => guid.fmt(f),
            Self::Pointer(address) => write!(f, "{address:#x}"),
            Self::Text(text) => text.fmt(f),
            Self::Bytes(bytes) => bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
            Self::Array(array) => {
                f.write_str("[")?;
                for (index, value) in array.iter().enumerate() {
                    write!(f, "{}{value}", if index > 0 { ", " } else { "" })?;
                }
                f.write_str("]")
            }
            Self::Object(object) => {
                f.write_str("{")?;
                for (index, (name, value)) in object.iter().enumerate() {
                    write!(f, "{}{name}: {value}", if index > 0 { ", " } else { "" })?;
                }
                f.write_str("}")
            }
            Self::Error(error) => write!(f, "<{error}>"),
        }
    }
}

/// Writes a FILETIME in ISO 8601 with seven decimals.
fn write_date(time: i64, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    const PER_SECOND: i64 = 10_000_000;
    const PER_DAY: i64 = 86_400 * PER_SECOND;
    /// Days from 0000-03-01 to 1601-01-01 in the Gregorian calendar.
    const DAYS_BEFORE: i64 = 584_694;
    const DAYS_OF_400_YEARS: i64 = 146_097;
    let (days, in_day) = (time.div_euclid(PER_DAY), time.rem_euclid(PER_DAY));
    // Years begin in March here, so leap days come last.
    let since = days + DAYS_BEFORE;
    let (era, day_of_era) = (since.div_euclid(DAYS_OF_400_YEARS), since.rem_euclid(DAYS_OF_400_YEARS));
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = (shifted_month + 2) % 12 + 1;
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (seconds, fraction) = (in_day / PER_SECOND, in_day % PER_SECOND);
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    write!(f, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{fraction:07}Z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_written_in_iso_8601() {
        let written = |time| ValueRef::DateTime(time).to_string();
        assert_eq!(written(0), "1601-01-01T00:00:00.0000000Z");
        assert_eq!(written(116_444_736_000_000_000), "1970-01-01T00:00:00.0000000Z");
        assert_eq!(written(125_962_596_050_050_001), "2000-02-29T01:00:05.0050001Z");
        assert_eq!(written(-1), "1600-12-31T23:59:59.9999999Z");
    }

    #[test]
    fn values_convert_to_requested_type() {
        assert_eq!((ValueRef::Int(-1, 32).as_u64(), ValueRef::Int(-1, 32).as_i64()), (None, Some(-1)));
        assert_eq!((ValueRef::UInt(u64::MAX, 64).as_i64(), ValueRef::Pointer(7).as_u64()), (None, Some(7)));
        assert_eq!(
            (ValueRef::OddBoolean(0x100).as_bool(), ValueRef::OddBoolean(2).as_bool()),
            (Some(false), Some(true))
        );
        assert_eq!((ValueRef::Float32(0.5).as_f64(), ValueRef::Null.as_f64()), (Some(0.5), None));
        assert!(ValueRef::Null.as_text().is_none() && ValueRef::Null.as_guid().is_none());
    }

    #[test]
    fn values_have_readable_format() {
        let written = |value: ValueRef<'_>| value.to_string();
        assert_eq!(written(ValueRef::Char(0x41)), "A");
        assert_eq!(written(ValueRef::Char(0xD800)), "\u{FFFD}");
        assert_eq!(written(ValueRef::Pointer(0xABC)), "0xabc");
        assert_eq!(written(ValueRef::Bytes(&[0, 255])), "00ff");
        assert_eq!(written(ValueRef::Error(FieldError::TooShort)), "<the payload ends inside this field>");
    }
}
