//! Telling where the fields of a payload lie.

use super::decoder::{Counts, Decoded, Decoder};
use crate::payload::field::{Field, FieldType};
use crate::payload::value::Value;
use crate::trace::Reading;
use crate::trace::Trace;
use crate::trace::terms::{self, Term};

/// Tells where the fields of a payload lie that begins at this offset of the file.
pub(crate) fn tell<T: Trace>(fields: &[Field], payload: &[u8], pointer_size: u8, offset: u64, trace: T) {
    let mut decoder = Decoder::new(payload, pointer_size, offset, trace);
    decoder.list(fields);
    decoder.references.sort_unstable();
    for (start, end) in std::mem::take(&mut decoder.references) {
        let start = decoder.at(start).max(trace.position());
        if start < decoder.at(end) {
            trace.leaf(terms::FIELD_DATA, start, (decoder.at(end) - start) as usize, || Reading::Raw);
        }
    }
    let (rest, end) = (trace.position(), decoder.at(payload.len()));
    if rest < end {
        trace.leaf(terms::PAYLOAD_BYTES, rest, (end - rest) as usize, || Reading::Raw);
    }
}

impl<T: Trace> Decoder<'_, T> {
    /// The place in the file of a position in the payload.
    pub(super) fn at(&self, position: usize) -> u64 {
        self.offset + position as u64
    }

    /// Tells of a number that is no field itself.
    pub(super) fn tell_number(&self, term: &'static Term, bytes: usize, number: u64) {
        self.trace.leaf(term, self.at(self.position) - bytes as u64, bytes, || Reading::Unsigned(number));
    }

    /// The value of a field, telling what lies where.
    pub(super) fn told_value(&mut self, name: &str, field_type: &FieldType, counts: &Counts) -> Decoded<Value> {
        let start = self.at(self.position);
        if has_parts(field_type) {
            let opened = self.trace.open_field(name, start, terms::FIELD_PARTS);
            let value = self.value(field_type, counts);
            self.trace.close(opened, self.at(self.position));
            return value;
        }
        let value = self.value(field_type, counts)?;
        let bytes = (self.at(self.position) - start) as usize;
        self.trace.field(name, start, bytes, terms::FIELD, || Reading::Field(field_type.clone(), value.clone()));
        Ok(value)
    }

    /// Tells of a field that is not there, or cannot be read: up to here.
    pub(super) fn tell_missing(&self, field: &Field, value: &Value, end: usize) {
        let start = self.trace.position();
        let bytes = self.at(end).saturating_sub(start) as usize;
        let reading = || Reading::Field(field.field_type.clone(), value.clone());
        self.trace.field(&field.name, start, bytes, terms::FIELD, reading);
    }
}

/// Whether a field of this type consists of several things in the file.
fn has_parts(field_type: &FieldType) -> bool {
    matches!(
        field_type,
        FieldType::Object(_)
            | FieldType::Array(_)
            | FieldType::FixedLengthArray(..)
            | FieldType::CountedArray { .. }
            | FieldType::CountedUtf8String
    )
}
