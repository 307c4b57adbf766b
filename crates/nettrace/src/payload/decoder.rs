//! Decoder of payloads.
//!
//! The same decoder produces owned and borrowed values through [`Build`]. If a payload doesn't match its fields, every
//! field still gets a value: `Null` for missing fields at the end, `Error` for unreadable ones. Work and memory are
//! bounded for any payload.

use super::field::{Field, FieldType};
use super::reading::Reading;
use super::text::Text;
use super::value::{Decimal, FieldError, Value};
use super::value_ref::ValueRef;
use super::view::{ArrayRef, ObjectRef};
use crate::limits::MAX_VALUES_PER_PAYLOAD;
use crate::listener::{Off, Trace, terms};
use crate::wire::guid::Guid;
use crate::wire::varint;

/// Result of reading a value.
pub(super) type Decoded<T> = Result<T, FieldError>;

/// Values without parts, the same for both kinds of values.
///
/// These are constructors and not a conversion, because converting each value would add a fifth to the decoding time.
pub(super) trait Leaf: Sized {
    fn null() -> Self;
    fn error(error: FieldError) -> Self;
    fn boolean(value: bool) -> Self;
    fn odd_boolean(value: u32) -> Self;
    fn char(unit: u16) -> Self;
    fn int(number: i64, bits: u8) -> Self;
    fn uint(number: u64, bits: u8) -> Self;
    fn float32(number: f32) -> Self;
    fn float64(number: f64) -> Self;
    fn decimal(number: Decimal) -> Self;
    fn date_time(time: i64) -> Self;
    fn guid(guid: Guid) -> Self;
    fn pointer(address: u64) -> Self;
}

macro_rules! leaf {
    ($name:ident, $($type:tt)*) => {
        impl Leaf for $($type)* {
            fn null() -> Self { $name::Null }
            fn error(error: FieldError) -> Self { $name::Error(error) }
            fn boolean(value: bool) -> Self { $name::Boolean(value) }
            fn odd_boolean(value: u32) -> Self { $name::OddBoolean(value) }
            fn char(unit: u16) -> Self { $name::Char(unit) }
            fn int(number: i64, bits: u8) -> Self { $name::Int(number, bits) }
            fn uint(number: u64, bits: u8) -> Self { $name::UInt(number, bits) }
            fn float32(number: f32) -> Self { $name::Float32(number) }
            fn float64(number: f64) -> Self { $name::Float64(number) }
            fn decimal(number: Decimal) -> Self { $name::Decimal(number) }
            fn date_time(time: i64) -> Self { $name::DateTime(time) }
            fn guid(guid: Guid) -> Self { $name::Guid(guid) }
            fn pointer(address: u64) -> Self { $name::Pointer(address) }
        }
    };
}

leaf!(Value, Value);
leaf!(ValueRef, ValueRef<'_>);

/// Builder of values.
pub(super) trait Build<'a> {
    /// Value of a field.
    type Value: Leaf;
    /// Values of an array or object while they are read.
    type List;

    /// Builds a text.
    fn text(text: Text<'a>) -> Self::Value;
    /// Builds an array of bytes.
    fn bytes(bytes: &'a [u8]) -> Self::Value;
    /// Creates a list for about this number of values.
    fn list(length: usize) -> Self::List;
    /// Appends to a list.
    fn push(list: &mut Self::List, value: Self::Value);
    /// Builds an array with these elements.
    fn array(elements: Self::List, array: ArrayRef<'a>) -> Self::Value;
    /// Builds an object with the values of these fields.
    fn object(values: Self::List, object: ObjectRef<'a>) -> Self::Value;
    /// Returns the value as the length of a later array.
    fn count(value: &Self::Value) -> Option<u64>;
    /// Returns an owned copy for reports.
    fn owned(value: &Self::Value) -> Value;
}

/// Builds owned values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Owned;

impl<'a> Build<'a> for Owned {
    type Value = Value;
    type List = Vec<Value>;

    fn text(text: Text<'a>) -> Value {
        text.to_value()
    }

    fn bytes(bytes: &'a [u8]) -> Value {
        Value::Bytes(bytes.to_vec())
    }

    fn list(length: usize) -> Vec<Value> {
        Vec::with_capacity(length)
    }

    fn push(list: &mut Vec<Value>, value: Value) {
        list.push(value);
    }

    fn array(elements: Vec<Value>, _: ArrayRef<'a>) -> Value {
        Value::Array(elements)
    }

    fn object(values: Vec<Value>, object: ObjectRef<'a>) -> Value {
        Value::Object(object.fields().iter().map(|field| field.name.clone()).zip(values).collect())
    }

    fn count(value: &Value) -> Option<u64> {
        match value {
            Value::UInt(number, _) => Some(*number),
            Value::Int(number, _) => u64::try_from(*number).ok(),
            _ => None,
        }
    }

    fn owned(value: &Value) -> Value {
        value.clone()
    }
}

/// Builds borrowed values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Borrowed;

impl<'a> Build<'a> for Borrowed {
    type Value = ValueRef<'a>;
    type List = ();

    fn text(text: Text<'a>) -> ValueRef<'a> {
        ValueRef::Text(text)
    }

    fn bytes(bytes: &'a [u8]) -> ValueRef<'a> {
        ValueRef::Bytes(bytes)
    }

    fn list(_: usize) {}

    fn push((): &mut (), _: ValueRef<'a>) {}

    fn array((): (), array: ArrayRef<'a>) -> ValueRef<'a> {
        ValueRef::Array(array)
    }

    fn object((): (), object: ObjectRef<'a>) -> ValueRef<'a> {
        ValueRef::Object(object)
    }

    fn count(value: &ValueRef<'a>) -> Option<u64> {
        value.as_count()
    }

    fn owned(value: &ValueRef<'a>) -> Value {
        value.to_value()
    }
}

/// Values of fields that are lengths of later arrays. Empty in lists without such arrays.
pub(super) type Counts = Vec<Option<u64>>;

/// Progress in a list of fields.
#[derive(Clone, Debug)]
pub(super) struct ListState {
    keeps_counts: bool,
    counts: Counts,
    /// True if the position of the next field is unknown.
    broken: bool,
    /// First error that makes an array element with this list unreadable.
    unreadable: Option<FieldError>,
}

impl ListState {
    /// Returns whether the position of the next field is unknown.
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    /// Returns the state before the first of these fields.
    pub fn new(fields: &[Field], place: Place<'_>) -> Self {
        let keeps_counts = place.reading.counted_arrays || has_counted_arrays(fields);
        Self { keeps_counts, counts: Counts::new(), broken: false, unreadable: None }
    }
}

/// Position of a value in a payload, from which a decoder can continue.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    payload: &'a [u8],
    position: usize,
    pointer_size: u8,
    budget: usize,
    in_array: bool,
    reading: Reading,
}

impl<'a> Place<'a> {
    /// Returns the start of a payload with these fields.
    pub fn start(fields: &'a [Field], payload: &'a [u8], pointer_size: u8) -> Self {
        let reading = Reading::of(fields, payload, pointer_size);
        Self::start_with(reading, payload, pointer_size)
    }

    /// Returns the start of a payload with an interpretation.
    pub fn start_with(reading: Reading, payload: &'a [u8], pointer_size: u8) -> Self {
        Self { payload, position: 0, pointer_size, budget: MAX_VALUES_PER_PAYLOAD, in_array: false, reading }
    }
}

/// Decoder of one payload.
#[derive(Clone, Debug)]
pub(super) struct Decoder<'a, T: Trace = Off> {
    pub payload: &'a [u8],
    /// Absolute offset of the payload.
    pub offset: u64,
    /// Listener.
    pub trace: T,
    /// Ranges of data outside of the fields that refer to it. Only for listeners.
    pub references: Vec<(usize, usize)>,
    pub position: usize,
    pointer_size: u8,
    /// Number of values that may still be decoded.
    budget: usize,
    /// True if the current value is an array element, which must be complete.
    in_array: bool,
    /// True if a part of the last value was unreadable, so that its end is unknown.
    lost: bool,
    /// Interpretation of ambiguous parts.
    reading: Reading,
    /// Start of the first field whose end is unknown.
    pub lost_at: Option<usize>,
    /// End of the data that fields refer to.
    pub references_end: usize,
    /// Number of bytes that the fields so far should have but that the payload omits.
    pub omitted: usize,
    /// True if the payload ends before a field, or a one-byte Boolean is neither 0 nor 1.
    pub is_short: bool,
}

impl<'a> Decoder<'a> {
    /// Creates a decoder at a place.
    pub fn at_place(place: Place<'a>) -> Self {
        Self::new(place, 0, Off)
    }
}

impl<'a, T: Trace> Decoder<'a, T> {
    /// Creates a decoder at a place of the payload at this absolute offset, with a listener.
    pub fn new(place: Place<'a>, offset: u64, trace: T) -> Self {
        let Place { payload, position, pointer_size, budget, in_array, reading } = place;
        Self {
            payload,
            offset,
            trace,
            references: Vec::new(),
            position,
            pointer_size,
            budget,
            in_array,
            lost: false,
            reading,
            lost_at: None,
            references_end: 0,
            omitted: 0,
            is_short: false,
        }
    }

    fn place(&self) -> Place<'a> {
        Place {
            payload: self.payload,
            position: self.position,
            pointer_size: self.pointer_size,
            budget: self.budget,
            in_array: self.in_array,
            reading: self.reading,
        }
    }

    /// Returns the state before the first field of a list.
    pub fn list_state(&self, fields: &[Field]) -> ListState {
        ListState::new(fields, self.place())
    }

    fn remaining(&self) -> usize {
        self.payload.len() - self.position
    }

    /// Returns whether the payload ends before the next field, as in an older version of the event.
    pub fn nothing_left(&self) -> bool {
        self.remaining() == 0 && !self.in_array
    }

    /// Decodes all fields of a list. Also returns the first error that makes an array element unreadable.
    pub fn list<B: Build<'a>>(&mut self, fields: &'a [Field]) -> (B::List, Option<FieldError>) {
        let mut state = self.list_state(fields);
        let mut values = B::list(fields.len());
        for field in fields {
            B::push(&mut values, self.next_field::<B>(&mut state, field));
        }
        self.lost = state.broken;
        (values, state.unreadable)
    }

    /// Decodes the next field of a list.
    #[inline]
    pub fn next_field<B: Build<'a>>(&mut self, state: &mut ListState, field: &'a Field) -> B::Value {
        let is_there = !state.broken && !self.nothing_left();
        let value = match is_there {
            true => self.field::<B>(state, field),
            false if state.broken => B::Value::error(FieldError::FollowsUnreadable),
            false => {
                self.is_short = true;
                B::Value::null()
            }
        };
        if T::LISTENS && !is_there {
            self.report_missing(state, field, &B::owned(&value));
        }
        if state.keeps_counts {
            state.counts.push(B::count(&value));
        }
        value
    }

    /// Decodes a field at the current position.
    #[inline]
    fn field<B: Build<'a>>(&mut self, state: &mut ListState, field: &'a Field) -> B::Value {
        let start = self.position;
        let value = match T::LISTENS {
            true => self.reported_value::<B>(&field.name, &field.field_type, &state.counts),
            false => self.value::<B>(&field.field_type, &state.counts),
        };
        match value {
            Ok(value) => {
                if self.lost {
                    self.skip_unreadable(state, start, field);
                }
                value
            }
            Err(error) => {
                self.skip_unreadable(state, start, field);
                if matches!(error, FieldError::TooShort | FieldError::TooComplex) {
                    state.unreadable = state.unreadable.or(Some(error));
                }
                if T::LISTENS {
                    self.report_missing(state, field, &Value::Error(error));
                }
                B::Value::error(error)
            }
        }
    }

    /// Moves past an unreadable field, or records that its end is unknown.
    #[cold]
    fn skip_unreadable(&mut self, state: &mut ListState, start: usize, field: &Field) {
        state.broken = !self.move_behind(start, &field.field_type);
        if state.broken {
            self.lost_at.get_or_insert(start);
        }
    }

    /// Moves past an unreadable value. Returns whether its type determines its end.
    fn move_behind(&mut self, start: usize, field_type: &FieldType) -> bool {
        let bytes = field_type.fixed_bytes(self.pointer_size);
        let Some(end) = bytes.and_then(|bytes| start.checked_add(bytes)).filter(|end| *end <= self.payload.len())
        else {
            return false;
        };
        self.position = end;
        self.lost = false;
        true
    }

    /// Decodes one field of a list, skipping those before it. `Null` if the list has no such field.
    pub fn one_of_list<B: Build<'a>>(&mut self, fields: &'a [Field], index: usize) -> B::Value {
        let null = B::Value::null;
        let Some((field, before)) = fields.get(..=index).and_then(<[Field]>::split_last) else { return null() };
        let needs_counts = || matches!(field.field_type, FieldType::CountedArray { .. }) || has_counted_arrays(before);
        if self.reading != Reading::default() || needs_counts() {
            let mut state = self.list_state(fields);
            for field in before {
                self.next_field::<Borrowed>(&mut state, field);
            }
            return self.next_field::<B>(&mut state, field);
        }
        for field in before {
            if self.nothing_left() {
                return null();
            }
            if self.skip(&field.field_type).is_err() {
                return B::Value::error(FieldError::FollowsUnreadable);
            }
        }
        if self.nothing_left() {
            return null();
        }
        let value = self.value::<B>(&field.field_type, &Counts::new());
        value.unwrap_or_else(B::Value::error)
    }

    fn take(&mut self, count: usize) -> Decoded<&'a [u8]> {
        let end = self.position.checked_add(count).ok_or(FieldError::TooShort)?;
        let bytes = self.payload.get(self.position..end).ok_or(FieldError::TooShort)?;
        self.position = end;
        Ok(bytes)
    }

    fn bytes<const N: usize>(&mut self) -> Decoded<[u8; N]> {
        let bytes = self.payload.get(self.position..).and_then(<[u8]>::first_chunk).ok_or(FieldError::TooShort)?;
        self.position += N;
        Ok(*bytes)
    }

    fn var_u64(&mut self) -> Decoded<u64> {
        let rest = self.payload.get(self.position..).unwrap_or_default();
        let cut_or_endless = if varint::is_cut(rest, 10) { FieldError::TooShort } else { FieldError::VarintOverflow };
        let (value, length) = varint::read_u64(rest).ok_or(cut_or_endless)?;
        self.position += length;
        Ok(value)
    }

    fn unsigned(&mut self, bytes: u8) -> Decoded<u64> {
        Ok(match bytes {
            1 => u64::from(u8::from_le_bytes(self.bytes()?)),
            2 => u64::from(u16::from_le_bytes(self.bytes()?)),
            4 => u64::from(u32::from_le_bytes(self.bytes()?)),
            _ => u64::from_le_bytes(self.bytes()?),
        })
    }

    fn spend(&mut self) -> Decoded<()> {
        self.budget = self.budget.checked_sub(1).ok_or(FieldError::TooComplex)?;
        Ok(())
    }

    /// Decodes a value.
    pub fn value<B: Build<'a>>(&mut self, field_type: &'a FieldType, counts: &Counts) -> Decoded<B::Value> {
        self.spend()?;
        Ok(match field_type {
            FieldType::Object(fields) => return self.object::<B>(fields),
            FieldType::CountedUtf8String => {
                let bytes = self.unsigned(2)?;
                self.report_number(terms::FIELD_LENGTH, 2, bytes);
                return self.elements::<B>(&FieldType::Utf8CodeUnit, bytes, false);
            }
            FieldType::Array(element) => {
                let count = match counts.last() {
                    Some(Some(count)) if self.reading.counted_arrays && !self.in_array => {
                        self.omitted += 2;
                        *count
                    }
                    _ => {
                        let count = self.unsigned(2)?;
                        self.report_number(terms::ARRAY_COUNT, 2, count);
                        count
                    }
                };
                return self.elements::<B>(element, count, false);
            }
            FieldType::FixedLengthArray(element, count) => {
                return self.elements::<B>(element, u64::from(*count), true);
            }
            FieldType::CountedArray { count_field, element } => {
                let count = counts.get(usize::from(*count_field)).copied().flatten().ok_or(FieldError::NoCount)?;
                return self.elements::<B>(element, count, false);
            }
            FieldType::RelLoc(element) => {
                let location = self.unsigned(4)? as usize;
                return self.referenced::<B>(element, location, self.position);
            }
            FieldType::DataLoc(element) => {
                let location = self.unsigned(4)? as usize;
                return self.referenced::<B>(element, location, 0);
            }
            FieldType::Boolean32 if self.remaining() == 1 || self.reading.byte_booleans => {
                return self.byte_boolean::<B>();
            }
            FieldType::Boolean32 => Self::boolean32::<B>(self.unsigned(4)?),
            FieldType::Boolean8 => B::Value::boolean(self.unsigned(1)? != 0),
            FieldType::Char16 => B::Value::char(self.unsigned(2)? as u16),
            FieldType::Utf8CodeUnit => B::Value::char(self.unsigned(1)? as u16),
            FieldType::Int8 => B::Value::int(i64::from(self.unsigned(1)? as i8), 8),
            FieldType::Int16 => B::Value::int(i64::from(self.unsigned(2)? as i16), 16),
            FieldType::Int32 => B::Value::int(i64::from(self.unsigned(4)? as i32), 32),
            FieldType::Int64 => B::Value::int(self.unsigned(8)? as i64, 64),
            FieldType::UInt8 => B::Value::uint(self.unsigned(1)?, 8),
            FieldType::UInt16 => B::Value::uint(self.unsigned(2)?, 16),
            FieldType::UInt32 => B::Value::uint(self.unsigned(4)?, 32),
            FieldType::UInt64 => B::Value::uint(self.unsigned(8)?, 64),
            FieldType::Float32 => B::Value::float32(f32::from_le_bytes(self.bytes()?)),
            FieldType::Float64 => B::Value::float64(f64::from_le_bytes(self.bytes()?)),
            FieldType::Decimal => B::Value::decimal(Decimal::from_bytes(self.bytes()?)),
            FieldType::DateTime => B::Value::date_time(i64::from_le_bytes(self.bytes()?)),
            FieldType::Guid => B::Value::guid(Guid(self.bytes()?)),
            FieldType::Pointer => B::Value::pointer(self.unsigned(self.pointer_size)?),
            FieldType::VarInt => B::Value::int(varint::zig_zag(self.var_u64()?), 64),
            FieldType::VarUInt => B::Value::uint(self.var_u64()?, 64),
            FieldType::Utf16String => B::text(Text::utf16(self.utf16_string()?)),
            FieldType::Utf8String => B::text(Text::utf8(self.utf8_string()?)),
        })
    }

    fn boolean32<B: Build<'a>>(value: u64) -> B::Value {
        match value as u32 {
            plain @ 0..=1 => B::Value::boolean(plain == 1),
            odd => B::Value::odd_boolean(odd),
        }
    }

    /// Decodes a Boolean that is described with four bytes, where the payload has only one.
    #[cold]
    fn byte_boolean<B: Build<'a>>(&mut self) -> Decoded<B::Value> {
        match self.payload.get(self.position) {
            Some(&byte @ 0..=1) if !self.in_array => {
                self.position += 1;
                self.omitted += 3;
                Ok(B::Value::boolean(byte == 1))
            }
            _ if self.in_array => Ok(Self::boolean32::<B>(self.unsigned(4)?)),
            _ => {
                self.is_short = true;
                Err(FieldError::TooShort)
            }
        }
    }

    fn object<B: Build<'a>>(&mut self, fields: &'a [Field]) -> Decoded<B::Value> {
        let object = ObjectRef::new(fields, self.place());
        match self.list::<B>(fields) {
            (_, Some(error)) if self.in_array => Err(error),
            (values, _) => Ok(B::object(values, object)),
        }
    }

    fn utf16_string(&mut self) -> Decoded<&'a [u8]> {
        let rest = self.payload.get(self.position..).unwrap_or_default();
        let units = rest.chunks_exact(2).position(|unit| unit == [0, 0]).ok_or(FieldError::TooShort)?;
        let text = self.take(2 * units)?;
        self.take(2)?;
        Ok(text)
    }

    fn utf8_string(&mut self) -> Decoded<&'a [u8]> {
        let rest = self.payload.get(self.position..).unwrap_or_default();
        let length = rest.iter().position(|&byte| byte == 0).ok_or(FieldError::TooShort)?;
        let text = self.take(length)?;
        self.take(1)?;
        Ok(text)
    }

    /// Decodes the elements of an array at the current position. `is_buffer` means that text ends at its first NUL.
    fn elements<B: Build<'a>>(&mut self, element: &'a FieldType, count: u64, is_buffer: bool) -> Decoded<B::Value> {
        let count = usize::try_from(count).map_err(|_| FieldError::TooShort)?;
        if let Some(bytes) = element.fixed_bytes(self.pointer_size) {
            if count.checked_mul(bytes).is_none_or(|bytes| bytes > self.remaining()) {
                return Err(FieldError::TooShort);
            }
        } else if count > self.remaining() {
            return Err(FieldError::TooShort);
        }
        let start = self.position;
        let text = match element {
            FieldType::UInt8 => {
                let value = B::bytes(self.take(count)?);
                self.report_elements(element, start, || B::owned(&value));
                return Ok(value);
            }
            FieldType::Utf8CodeUnit => Text::utf8(self.take(count)?),
            FieldType::Char16 => Text::utf16(self.take(2 * count)?),
            _ => return self.array::<B>(element, count),
        };
        self.report_elements(element, start, || text.to_value());
        Ok(B::text(if is_buffer { text.until_nul() } else { text }))
    }

    fn array<B: Build<'a>>(&mut self, element: &'a FieldType, count: usize) -> Decoded<B::Value> {
        let outer = std::mem::replace(&mut self.in_array, true);
        let array = ArrayRef::new(element, count, self.place());
        // The count may far exceed the budget, so no memory is reserved for it.
        let mut values = B::list(0);
        let outcome = (0..count).try_for_each(|index| {
            B::push(&mut values, self.element::<B>(index, element)?);
            Ok(())
        });
        self.in_array = outer;
        outcome.map(|()| B::array(values, array))
    }

    /// Decodes an array element. Unlike a field, it is an error if its end is unknown.
    pub fn element<B: Build<'a>>(&mut self, index: usize, element: &'a FieldType) -> Decoded<B::Value> {
        let start = self.position;
        let value = match T::LISTENS {
            true => self.reported_value::<B>(&format!("[{index}]"), element, &Counts::new())?,
            false => self.value::<B>(element, &Counts::new())?,
        };
        if self.lost && !self.move_behind(start, element) {
            self.lost = false;
            return Err(FieldError::FollowsUnreadable);
        }
        Ok(value)
    }

    /// Decodes the elements of an array elsewhere in the payload, `location` bytes after `base`.
    fn referenced<B: Build<'a>>(&mut self, element: &'a FieldType, location: usize, base: usize) -> Decoded<B::Value> {
        let (start, bytes) = (base + (location & 0xFFFF), location >> 16);
        if start + bytes > self.payload.len() {
            return Err(FieldError::OutOfBounds);
        }
        let element_bytes = element.fixed_bytes(self.pointer_size).unwrap_or(0);
        if element_bytes == 0 || bytes % element_bytes != 0 {
            return Err(FieldError::UnevenSize);
        }
        let back = std::mem::replace(&mut self.position, start);
        let trace = self.trace;
        let value = trace.silently(|| self.elements::<B>(element, (bytes / element_bytes) as u64, true));
        self.references_end = self.references_end.max(start + bytes);
        if T::LISTENS && bytes > 0 {
            self.references.push((start, start + bytes));
        }
        self.position = back;
        self.lost = false;
        value.map_err(|_| FieldError::OutOfBounds)
    }

    /// Moves past a value without decoding it. Its list has no arrays with a count in another field.
    fn skip(&mut self, field_type: &'a FieldType) -> Decoded<()> {
        if let Some(bytes) = field_type.fixed_bytes(self.pointer_size).filter(|bytes| *bytes <= self.remaining()) {
            return self.take(bytes).map(|_| ());
        }
        match field_type {
            FieldType::Utf16String => self.utf16_string().map(|_| ()),
            FieldType::Utf8String => self.utf8_string().map(|_| ()),
            FieldType::VarInt | FieldType::VarUInt => self.var_u64().map(|_| ()),
            FieldType::CountedUtf8String => {
                let bytes = self.unsigned(2)? as usize;
                self.take(bytes).map(|_| ())
            }
            FieldType::Array(element) if element.fixed_bytes(self.pointer_size).is_some() => {
                let count = self.unsigned(2)? as usize;
                self.take(count * element.fixed_bytes(self.pointer_size).unwrap_or(0)).map(|_| ())
            }
            _ => {
                self.value::<Borrowed>(field_type, &Counts::new())?;
                if self.lost { Err(FieldError::FollowsUnreadable) } else { Ok(()) }
            }
        }
    }
}

fn has_counted_arrays(fields: &[Field]) -> bool {
    fields.iter().any(|field| matches!(field.field_type, FieldType::CountedArray { .. }))
}
