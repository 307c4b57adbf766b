//! Payloads as lists of fields, and the arrays and objects in them.

use super::decoder::{Borrowed, Decoder, ListState, Owned, Place};
use super::field::{Field, FieldType};
use super::value::Value;
use super::value_ref::ValueRef;
use std::fmt;

/// Decodes all fields of a payload into owned values, one per field.
///
/// If a payload doesn't match its fields, every field still gets a value: [`Value::Null`] if the payload ends before
/// the field, [`Value::Error`] if the field is unreadable. `pointer_size` is that of the [`Header`](crate::Header).
///
/// ```
/// use nettrace::{Field, FieldType, Value, decode};
///
/// let fields = [Field::new("Count", FieldType::Int32), Field::new("Added later", FieldType::Utf16String)];
/// assert_eq!(decode(&fields, &[7, 0, 0, 0], 8), [Value::Int(7, 32), Value::Null]);
/// ```
pub fn decode(fields: &[Field], payload: &[u8], pointer_size: u8) -> Vec<Value> {
    Decoder::at_place(Place::start(fields, payload, pointer_size)).list::<Owned>(fields).0
}

/// Decodes one field of a payload into an owned value, skipping the fields before it. [`Value::Null`] if there is no field
/// `index`.
pub fn decode_field(fields: &[Field], payload: &[u8], pointer_size: u8, index: usize) -> Value {
    Decoder::at_place(Place::start(fields, payload, pointer_size)).one_of_list::<Owned>(fields, index)
}

/// Payload with its fields, decoded on demand without allocating.
///
/// ```
/// use nettrace::{Field, FieldType, Payload};
///
/// let fields = [Field::new("Count", FieldType::Int32), Field::new("Name", FieldType::Utf16String)];
/// let payload = Payload::new(&fields, &[7, 0, 0, 0, b'a', 0, b'b', 0, 0, 0], 8);
/// assert_eq!(payload.get(0).as_i64(), Some(7));
/// assert_eq!(payload.field("Name").and_then(|name| name.as_text()).expect("text"), "ab");
/// let written: Vec<_> = payload.iter().map(|(name, value)| format!("{name}={value}")).collect();
/// assert_eq!(written, ["Count=7", "Name=ab"]);
/// ```
#[derive(Clone, Copy)]
pub struct Payload<'a> {
    fields: &'a [Field],
    bytes: &'a [u8],
    pointer_size: u8,
}

impl<'a> Payload<'a> {
    /// Combines a payload with its fields. `pointer_size` is that of the [`Header`](crate::Header).
    pub fn new(fields: &'a [Field], bytes: &'a [u8], pointer_size: u8) -> Self {
        Self { fields, bytes, pointer_size }
    }

    /// Returns the fields.
    pub fn fields(&self) -> &'a [Field] {
        self.fields
    }

    /// Returns the bytes.
    pub fn as_bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// Decodes one field, skipping the fields before it. [`ValueRef::Null`] if there is no field `index`.
    pub fn get(&self, index: usize) -> ValueRef<'a> {
        Decoder::at_place(self.place()).one_of_list::<Borrowed>(self.fields, index)
    }

    /// Decodes the first field with this name; `None` if there is no such field.
    pub fn field(&self, name: &str) -> Option<ValueRef<'a>> {
        let index = self.fields.iter().position(|field| field.name == name)?;
        Some(self.get(index))
    }

    /// Decodes the fields in order.
    pub fn iter(&self) -> FieldValues<'a> {
        FieldValues::new(self.fields, self.place())
    }

    fn place(&self) -> Place<'a> {
        Place::start(self.fields, self.bytes, self.pointer_size)
    }
}

impl<'a> IntoIterator for Payload<'a> {
    type Item = (&'a str, ValueRef<'a>);
    type IntoIter = FieldValues<'a>;

    fn into_iter(self) -> FieldValues<'a> {
        self.iter()
    }
}

impl fmt::Debug for Payload<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

/// Iterator over the fields of a payload or object: the name and the value.
#[derive(Clone, Debug)]
pub struct FieldValues<'a> {
    fields: std::slice::Iter<'a, Field>,
    state: ListState,
    decoder: Decoder<'a>,
}

impl<'a> FieldValues<'a> {
    fn new(fields: &'a [Field], place: Place<'a>) -> Self {
        Self { fields: fields.iter(), state: ListState::new(fields, place), decoder: Decoder::at_place(place) }
    }
}

impl<'a> Iterator for FieldValues<'a> {
    type Item = (&'a str, ValueRef<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let field = self.fields.next()?;
        let value = self.decoder.next_field::<Borrowed>(&mut self.state, field);
        Some((&field.name, value))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.fields.size_hint()
    }
}

impl ExactSizeIterator for FieldValues<'_> {}

/// Array in a payload, decoded on demand. All elements are readable.
#[derive(Clone, Copy)]
pub struct ArrayRef<'a> {
    element: &'a FieldType,
    length: usize,
    place: Place<'a>,
}

impl<'a> ArrayRef<'a> {
    /// Creates an array with this number of elements, which begin at a place.
    pub(super) fn new(element: &'a FieldType, length: usize, place: Place<'a>) -> Self {
        Self { element, length, place }
    }

    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.length
    }

    /// Returns whether the array has no elements.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// Decodes the elements in order.
    pub fn iter(&self) -> ArrayValues<'a> {
        ArrayValues { element: self.element, indices: 0..self.length, decoder: Decoder::at_place(self.place) }
    }

    /// Returns the array as an owned value.
    #[inline(never)]
    pub(super) fn to_value(self) -> Value {
        Value::Array(self.iter().map(|value| value.to_value()).collect())
    }
}

impl<'a> IntoIterator for ArrayRef<'a> {
    type Item = ValueRef<'a>;
    type IntoIter = ArrayValues<'a>;

    fn into_iter(self) -> ArrayValues<'a> {
        self.iter()
    }
}

impl fmt::Debug for ArrayRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// Iterator over the elements of an [`ArrayRef`].
#[derive(Clone, Debug)]
pub struct ArrayValues<'a> {
    element: &'a FieldType,
    indices: std::ops::Range<usize>,
    decoder: Decoder<'a>,
}

impl<'a> Iterator for ArrayValues<'a> {
    type Item = ValueRef<'a>;

    fn next(&mut self) -> Option<Self::Item> {
        let index = self.indices.next()?;
        let value = self.decoder.element::<Borrowed>(index, self.element);
        Some(value.unwrap_or_else(ValueRef::Error))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.indices.size_hint()
    }
}

impl ExactSizeIterator for ArrayValues<'_> {}

/// Object in a payload: fields with names, decoded on demand.
#[derive(Clone, Copy)]
pub struct ObjectRef<'a> {
    fields: &'a [Field],
    place: Place<'a>,
}

impl<'a> ObjectRef<'a> {
    /// Creates an object with these fields, which begin at a place.
    pub(super) fn new(fields: &'a [Field], place: Place<'a>) -> Self {
        Self { fields, place }
    }

    /// Returns the fields.
    pub fn fields(&self) -> &'a [Field] {
        self.fields
    }

    /// Decodes the fields in order.
    pub fn iter(&self) -> FieldValues<'a> {
        FieldValues::new(self.fields, self.place)
    }

    /// Decodes the first field with this name; `None` if there is no such field.
    pub fn field(&self, name: &str) -> Option<ValueRef<'a>> {
        self.iter().find(|(found, _)| *found == name).map(|(_, value)| value)
    }

    /// Returns the object as an owned value.
    #[inline(never)]
    pub(super) fn to_value(self) -> Value {
        Value::Object(self.iter().map(|(name, value)| (name.to_owned(), value.to_value())).collect())
    }
}

impl<'a> IntoIterator for ObjectRef<'a> {
    type Item = (&'a str, ValueRef<'a>);
    type IntoIter = FieldValues<'a>;

    fn into_iter(self) -> FieldValues<'a> {
        self.iter()
    }
}

impl fmt::Debug for ObjectRef<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}
