//! Payloads whose encoding differs from their description.
//!
//! Some event sources describe a Boolean of four bytes but write one byte, or write the length of an array as a
//! separate field. Such an encoding is inferred only if the description contradicts the payload and the other encoding
//! fits exactly.

use super::decoder::{Borrowed, Decoder, Place};
use super::field::{Field, FieldType};

/// Interpretation of the ambiguous parts of a payload.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Reading {
    /// Four-byte Booleans have one byte.
    pub byte_booleans: bool,
    /// The length of an array is the field before it.
    pub counted_arrays: bool,
}

impl Reading {
    /// Returns the interpretation that fits a payload: as described, unless only another one fits.
    #[inline]
    pub fn of(fields: &[Field], payload: &[u8], pointer_size: u8) -> Self {
        let doubtful = Self::doubtful(fields);
        if doubtful == Self::default() { doubtful } else { doubtful.that_fits(fields, payload, pointer_size) }
    }

    /// Returns the ambiguous parts of a list of fields.
    fn doubtful(fields: &[Field]) -> Self {
        let mut doubtful = Self::default();
        let mut follows_number = false;
        for field in fields {
            match &field.field_type {
                FieldType::Boolean32 => doubtful.byte_booleans = true,
                FieldType::Array(_) => doubtful.counted_arrays |= follows_number,
                FieldType::Object(fields) => {
                    let inner = Self::doubtful(fields);
                    doubtful.byte_booleans |= inner.byte_booleans;
                    doubtful.counted_arrays |= inner.counted_arrays;
                }
                _ => {}
            }
            follows_number = is_integer(&field.field_type);
        }
        doubtful
    }

    fn that_fits(self, fields: &[Field], payload: &[u8], pointer_size: u8) -> Self {
        let described = Self::default();
        let mut decoder = Decoder::at_place(Place::start_with(described, payload, pointer_size));
        decoder.list::<Borrowed>(fields);
        let is_read = decoder.lost_at.is_none() && decoder.position.max(decoder.references_end) == payload.len();
        if is_read {
            return described;
        }
        let others = [
            Self { byte_booleans: self.byte_booleans, ..described },
            Self { counted_arrays: self.counted_arrays, ..described },
            self,
        ];
        let fits = |other: &Self| {
            let mut decoder = Decoder::at_place(Place::start_with(*other, payload, pointer_size));
            decoder.list::<Borrowed>(fields);
            decoder.lost_at.is_none() && !decoder.is_short && decoder.position == payload.len()
        };
        others.into_iter().filter(|other| *other != described).find(fits).unwrap_or(described)
    }
}

fn is_integer(field_type: &FieldType) -> bool {
    use FieldType::*;
    matches!(field_type, Int8 | UInt8 | Int16 | UInt16 | Int32 | UInt32 | Int64 | UInt64 | VarInt | VarUInt)
}
