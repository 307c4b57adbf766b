//! Comparison of a payload with its declared fields.

use super::decoder::{Borrowed, Decoder, Place};
use super::field::{Field, FieldType};
use std::ops::Range;

/// Comparison of a payload with the fields that describe it.
///
/// ```
/// use nettrace::{Field, FieldType, Fit};
///
/// let fields = [Field::new("Count", FieldType::Int32)];
/// let fit = Fit::of(&fields, &[7, 0, 0, 0, 8, 0], 8);
/// assert_eq!((fit.difference, fit.unread), (2, 4..6));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fit {
    /// Number of bytes by which the payload is longer than described; shorter if negative. Missing strings and arrays
    /// count with their minimum size.
    pub difference: i64,
    /// Part of the payload that belongs to no field, or to unreadable fields.
    pub unread: Range<usize>,
    /// Number of missing fields at the end of the list. If everything else fits, the event has an older version.
    pub missing_fields: usize,
    /// Indices of fields whose values were inferred because the payload contradicts their types: one-byte Booleans that
    /// are described with four bytes, and arrays whose length is the previous field.
    pub inferred: Vec<usize>,
}

impl Fit {
    /// Compares a payload with its fields. Without fields, every payload fits. `pointer_size` is that of the
    /// [`Header`](crate::Header).
    pub fn of(fields: &[Field], payload: &[u8], pointer_size: u8) -> Self {
        let mut fit = Self::default();
        if fields.is_empty() {
            return fit;
        }
        let mut decoder = Decoder::at_place(Place::start(fields, payload, pointer_size));
        let mut state = decoder.list_state(fields);
        let least = |fields: &[Field]| least_of_list(fields, pointer_size);
        let mut is_at_end = false;
        for (index, field) in fields.iter().enumerate() {
            let (start, omitted) = (decoder.position, decoder.omitted);
            let rest = fields.get(index..).unwrap_or_default();
            // Adds up the rest at once, because many fields may have no bytes.
            if decoder.nothing_left() && !is_at_end {
                is_at_end = true;
                let missing = least(rest);
                if missing > 0 {
                    fit.missing_fields = rest.len();
                    fit.difference = -(missing + decoder.omitted as i64);
                    return fit;
                }
            }
            decoder.next_field::<Borrowed>(&mut state, field);
            if decoder.omitted > omitted {
                fit.inferred.push(index);
            }
            if state.is_broken() {
                let there = (payload.len() - start) as i64;
                let described = least(rest).max(claimed_bytes(&field.field_type, payload, start, pointer_size));
                fit.difference = (there - described).min(0);
                fit.unread = decoder.lost_at.unwrap_or(start)..payload.len();
                return fit;
            }
        }
        let end = decoder.position.max(decoder.references_end);
        fit.unread = end..payload.len();
        fit.difference = fit.unread.len() as i64 - decoder.omitted as i64;
        if fit.unread.is_empty() {
            fit.unread = 0..0;
        }
        fit
    }

    /// Returns whether the payload is exactly as described.
    pub fn is_exact(&self) -> bool {
        self.difference == 0 && self.unread.is_empty()
    }
}

/// Upper limit of sizes. No payload is as large.
const MAX: i64 = 1 << 40;

fn least_of_list(fields: &[Field], pointer_size: u8) -> i64 {
    fields.iter().fold(0, |sum, field| (sum + least_bytes(&field.field_type, pointer_size)).min(MAX))
}

/// Returns the minimum size of a value in bytes.
fn least_bytes(field_type: &FieldType, pointer_size: u8) -> i64 {
    if let Some(bytes) = field_type.fixed_bytes(pointer_size) {
        return i64::try_from(bytes).unwrap_or(MAX).min(MAX);
    }
    match field_type {
        FieldType::Object(fields) => least_of_list(fields, pointer_size),
        FieldType::FixedLengthArray(element, count) => {
            least_bytes(element, pointer_size).saturating_mul((*count).into()).min(MAX)
        }
        FieldType::Utf16String | FieldType::Array(_) | FieldType::CountedUtf8String => 2,
        FieldType::Utf8String | FieldType::VarInt | FieldType::VarUInt => 1,
        _ => 0,
    }
}

/// Returns the bytes of an array according to the length before it.
fn claimed_bytes(field_type: &FieldType, payload: &[u8], start: usize, pointer_size: u8) -> i64 {
    let FieldType::Array(element) = field_type else { return 0 };
    let count = payload.get(start..).and_then(<[u8]>::first_chunk).map_or(0, |bytes| u16::from_le_bytes(*bytes));
    least_bytes(element, pointer_size).saturating_mul(count.into()).saturating_add(2).min(MAX)
}
