//! Layout of a payload, reported to a listener.

use super::decoder::{Build, Counts, Decoded, Decoder, ListState, Owned, Place};
use super::field::{Field, FieldType};
use super::value::Value;
use crate::listener::terms;
use crate::listener::terms::Term;
use crate::listener::{PartValue, Trace};

/// Reports the fields of a payload at this absolute offset.
pub(crate) fn report<T: Trace>(fields: &[Field], payload: &[u8], pointer_size: u8, offset: u64, trace: T) {
    let mut decoder = Decoder::new(Place::start(fields, payload, pointer_size), offset, trace);
    decoder.list::<Owned>(fields);
    decoder.references.sort_unstable();
    for (start, end) in std::mem::take(&mut decoder.references) {
        let start = decoder.at(start).max(trace.position());
        if start < decoder.at(end) {
            trace.leaf(terms::FIELD_DATA, start, (decoder.at(end) - start) as usize, || PartValue::Raw);
        }
    }
    let (rest, end) = (trace.position(), decoder.at(payload.len()));
    if rest < end {
        trace.leaf(terms::PAYLOAD_BYTES, rest, (end - rest) as usize, || PartValue::Raw);
    }
}

impl<'a, T: Trace> Decoder<'a, T> {
    /// Returns the absolute offset of a position in the payload.
    pub(super) fn at(&self, position: usize) -> u64 {
        self.offset + position as u64
    }

    /// Reports a number that isn't a field itself.
    pub(super) fn report_number(&self, term: &'static Term, bytes: usize, number: u64) {
        self.trace.leaf(term, self.at(self.position) - bytes as u64, bytes, || PartValue::Unsigned(number));
    }

    /// Reports array elements from `start` to the current position.
    pub(super) fn report_elements(&self, element: &FieldType, start: usize, value: impl FnOnce() -> Value) {
        if T::LISTENS && self.position > start {
            let reading = || PartValue::Elements(element.clone(), value());
            self.trace.leaf(terms::ELEMENTS, self.at(start), self.position - start, reading);
        }
    }

    /// Decodes and reports the value of a field.
    pub(super) fn reported_value<B: Build<'a>>(
        &mut self,
        name: &str,
        field_type: &'a FieldType,
        counts: &Counts,
    ) -> Decoded<B::Value> {
        let start = self.at(self.position);
        if has_parts(field_type) {
            let opened = self.trace.open_field(name, start, terms::FIELD_PARTS);
            let value = self.value::<B>(field_type, counts);
            self.trace.close(opened, self.at(self.position));
            return value;
        }
        let value = self.value::<B>(field_type, counts)?;
        let bytes = (self.at(self.position) - start) as usize;
        let reading = || PartValue::Field(field_type.clone(), B::owned(&value));
        self.trace.field(name, start, bytes, terms::FIELD, reading);
        Ok(value)
    }

    /// Reports a missing or unreadable field.
    pub(super) fn report_missing(&self, state: &ListState, field: &Field, value: &Value) {
        let end = if state.is_broken() { self.payload.len() } else { self.position };
        let start = self.trace.position();
        let bytes = self.at(end).saturating_sub(start) as usize;
        let reading = || PartValue::Field(field.field_type.clone(), value.clone());
        self.trace.field(&field.name, start, bytes, terms::FIELD, reading);
    }
}

/// Returns whether a field of this type consists of several parts.
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
