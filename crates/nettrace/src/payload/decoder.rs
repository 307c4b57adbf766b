//! Decoding payloads by the types of their fields.
//!
//! A payload that does not fit its description still gives every field a value: what is missing at the end is
//! [`Value::Null`], what cannot be read is [`Value::Error`]. Work and memory are bounded whatever the payload says.

use crate::limits::MAX_VALUES_PER_PAYLOAD;
use crate::payload::field::{Field, FieldType};
use crate::payload::value::{Decimal, FieldError, Value};
use crate::trace::{Off, Trace};
use crate::trace::{Reading, terms};
use crate::wire::guid::Guid;
use crate::wire::varint;

/// Decodes all fields of a payload; the result has one value per field.
///
/// ```
/// use nettrace::{Field, FieldType, Value, decode};
///
/// let fields = [Field::new("Count", FieldType::Int32), Field::new("Added later", FieldType::Utf16String)];
/// assert_eq!(decode(&fields, &[7, 0, 0, 0], 8), [Value::Int(7, 32), Value::Null]);
/// ```
pub fn decode(fields: &[Field], payload: &[u8], pointer_size: u8) -> Vec<Value> {
    Decoder::new(payload, pointer_size, 0, Off).list(fields)
}

/// Decodes one field of a payload, skipping those before it. [`Value::Null`] if there is no field `index`.
pub fn decode_field(fields: &[Field], payload: &[u8], pointer_size: u8, index: usize) -> Value {
    Decoder::new(payload, pointer_size, 0, Off).one_of_list(fields, index)
}

pub(super) type Decoded<T> = Result<T, FieldError>;

/// The values of fields that hold the lengths of later arrays. Empty in lists without such arrays.
pub(super) type Counts = Vec<Option<u64>>;

pub(super) struct Decoder<'d, T: Trace> {
    pub(super) payload: &'d [u8],
    /// Where in the file the payload begins.
    pub(super) offset: u64,
    /// Who is told what lies where.
    pub(super) trace: T,
    /// Where the data lies that is not in the fields themselves. Only for who listens.
    pub(super) references: Vec<(usize, usize)>,
    pub(super) position: usize,
    pointer_size: u8,
    /// How many more values may be decoded.
    budget: usize,
    /// Whether the current value is an element of an array, where nothing may be missing.
    in_array: bool,
    /// Whether something inside of the last value was unreadable, so that where it ends is unknown.
    lost: bool,
}

impl<'d, T: Trace> Decoder<'d, T> {
    pub(super) fn new(payload: &'d [u8], pointer_size: u8, offset: u64, trace: T) -> Self {
        Self {
            payload,
            offset,
            trace,
            references: Vec::new(),
            position: 0,
            pointer_size,
            budget: MAX_VALUES_PER_PAYLOAD,
            in_array: false,
            lost: false,
        }
    }

    fn remaining(&self) -> usize {
        self.payload.len() - self.position
    }

    /// Whether the payload ends before the next field, as that of an older version of the event does.
    fn nothing_left(&self) -> bool {
        self.remaining() == 0 && !self.in_array
    }

    pub(super) fn list(&mut self, fields: &[Field]) -> Vec<Value> {
        let keeps_counts = has_counted_arrays(fields);
        let mut counts = Counts::new();
        let mut values = Vec::with_capacity(fields.len());
        let mut broken = false;
        for field in fields {
            let value = if broken {
                Value::Error(FieldError::FollowsUnreadable)
            } else if self.nothing_left() {
                Value::Null
            } else {
                let start = self.position;
                let value = match T::LISTENS {
                    true => self.told_value(&field.name, &field.field_type, &counts),
                    false => self.value(&field.field_type, &counts),
                };
                broken = (value.is_err() || self.lost) && !self.move_behind(start, &field.field_type);
                value.unwrap_or_else(Value::Error)
            };
            if T::LISTENS && matches!(value, Value::Error(_) | Value::Null) {
                self.tell_missing(field, &value, if broken { self.payload.len() } else { self.position });
            }
            if keeps_counts {
                counts.push(as_count(&value));
            }
            values.push(value);
        }
        self.lost = broken;
        values
    }

    /// Moves behind a value that cannot be read; whether its type alone says where that is.
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

    fn one_of_list(&mut self, fields: &[Field], index: usize) -> Value {
        let Some((field, before)) = fields.get(..=index).and_then(<[Field]>::split_last) else { return Value::Null };
        if matches!(field.field_type, FieldType::CountedArray { .. }) || has_counted_arrays(before) {
            return self.list(fields.get(..=index).unwrap_or_default()).pop().unwrap_or(Value::Null);
        }
        for field in before {
            if self.nothing_left() {
                return Value::Null;
            }
            if self.skip(&field.field_type).is_err() {
                return Value::Error(FieldError::FollowsUnreadable);
            }
        }
        if self.nothing_left() {
            return Value::Null;
        }
        self.value(&field.field_type, &Counts::new()).unwrap_or_else(Value::Error)
    }

    fn take(&mut self, count: usize) -> Decoded<&'d [u8]> {
        let end = self.position.checked_add(count).ok_or(FieldError::TooShort)?;
        let bytes = self.payload.get(self.position..end).ok_or(FieldError::TooShort)?;
        self.position = end;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Decoded<[u8; N]> {
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
            1 => u64::from(u8::from_le_bytes(self.array()?)),
            2 => u64::from(u16::from_le_bytes(self.array()?)),
            4 => u64::from(u32::from_le_bytes(self.array()?)),
            _ => u64::from_le_bytes(self.array()?),
        })
    }

    fn spend(&mut self) -> Decoded<()> {
        self.budget = self.budget.checked_sub(1).ok_or(FieldError::TooComplex)?;
        Ok(())
    }

    pub(super) fn value(&mut self, field_type: &FieldType, counts: &Counts) -> Decoded<Value> {
        self.spend()?;
        Ok(match field_type {
            FieldType::Object(fields) => return self.object(fields),
            FieldType::Boolean32 => match self.unsigned(4)? as u32 {
                plain @ 0..=1 => Value::Boolean(plain == 1),
                odd => Value::OddBoolean(odd),
            },
            FieldType::Boolean8 => Value::Boolean(self.unsigned(1)? != 0),
            FieldType::Char16 => Value::Char(self.unsigned(2)? as u16),
            FieldType::Utf8CodeUnit => Value::Char(self.unsigned(1)? as u16),
            FieldType::Int8 => Value::Int(i64::from(self.unsigned(1)? as i8), 8),
            FieldType::Int16 => Value::Int(i64::from(self.unsigned(2)? as i16), 16),
            FieldType::Int32 => Value::Int(i64::from(self.unsigned(4)? as i32), 32),
            FieldType::Int64 => Value::Int(self.unsigned(8)? as i64, 64),
            FieldType::UInt8 => Value::UInt(self.unsigned(1)?, 8),
            FieldType::UInt16 => Value::UInt(self.unsigned(2)?, 16),
            FieldType::UInt32 => Value::UInt(self.unsigned(4)?, 32),
            FieldType::UInt64 => Value::UInt(self.unsigned(8)?, 64),
            FieldType::Float32 => Value::Float32(f32::from_le_bytes(self.array()?)),
            FieldType::Float64 => Value::Float64(f64::from_le_bytes(self.array()?)),
            FieldType::Decimal => Value::Decimal(Decimal::from_bytes(self.array()?)),
            FieldType::DateTime => Value::DateTime(i64::from_le_bytes(self.array()?)),
            FieldType::Guid => Value::Guid(Guid(self.array()?)),
            FieldType::Pointer => Value::Pointer(self.unsigned(self.pointer_size)?),
            FieldType::VarInt => Value::Int(varint::zig_zag(self.var_u64()?), 64),
            FieldType::VarUInt => Value::UInt(self.var_u64()?, 64),
            FieldType::Utf16String => utf16_text(self.utf16_string()?),
            FieldType::Utf8String => utf8_text(self.utf8_string()?),
            FieldType::CountedUtf8String => {
                let bytes = self.unsigned(2)?;
                self.tell_number(terms::FIELD_LENGTH, 2, bytes);
                self.elements(&FieldType::Utf8CodeUnit, bytes)?
            }
            FieldType::Array(element) => {
                let count = self.unsigned(2)?;
                self.tell_number(terms::ARRAY_COUNT, 2, count);
                self.elements(element, count)?
            }
            FieldType::FixedLengthArray(element, count) => cut_at_nul(self.elements(element, u64::from(*count))?),
            FieldType::CountedArray { count_field, element } => {
                let count = self.count(*count_field, counts)?;
                self.elements(element, count)?
            }
            FieldType::RelLoc(element) => {
                let location = self.unsigned(4)? as usize;
                cut_at_nul(self.referenced(element, location, self.position)?)
            }
            FieldType::DataLoc(element) => {
                let location = self.unsigned(4)? as usize;
                cut_at_nul(self.referenced(element, location, 0)?)
            }
        })
    }

    fn object(&mut self, fields: &[Field]) -> Decoded<Value> {
        let values = self.list(fields);
        let unreadable = values.iter().find_map(|value| match value {
            Value::Error(error @ (FieldError::TooShort | FieldError::TooComplex)) => Some(*error),
            _ => None,
        });
        match unreadable {
            Some(error) if self.in_array => Err(error),
            _ => Ok(Value::Object(fields.iter().map(|field| field.name.clone()).zip(values).collect())),
        }
    }

    fn utf16_string(&mut self) -> Decoded<&'d [u8]> {
        let rest = self.payload.get(self.position..).unwrap_or_default();
        let units = rest.chunks_exact(2).position(|unit| unit == [0, 0]).ok_or(FieldError::TooShort)?;
        let text = self.take(2 * units)?;
        self.take(2)?;
        Ok(text)
    }

    fn utf8_string(&mut self) -> Decoded<&'d [u8]> {
        let rest = self.payload.get(self.position..).unwrap_or_default();
        let length = rest.iter().position(|&byte| byte == 0).ok_or(FieldError::TooShort)?;
        let text = self.take(length)?;
        self.take(1)?;
        Ok(text)
    }

    fn count(&self, count_field: u16, counts: &Counts) -> Decoded<u64> {
        counts.get(usize::from(count_field)).copied().flatten().ok_or(FieldError::NoCount)
    }

    /// The elements of an array that is at the current position.
    fn elements(&mut self, element: &FieldType, count: u64) -> Decoded<Value> {
        let count = usize::try_from(count).map_err(|_| FieldError::TooShort)?;
        if let Some(bytes) = element.fixed_bytes(self.pointer_size) {
            if count.checked_mul(bytes).is_none_or(|bytes| bytes > self.remaining()) {
                return Err(FieldError::TooShort);
            }
        } else if count > self.remaining() {
            return Err(FieldError::TooShort);
        }
        let start = self.position;
        let value = match element {
            FieldType::UInt8 => Value::Bytes(self.take(count)?.to_vec()),
            FieldType::Utf8CodeUnit => utf8_text(self.take(count)?),
            FieldType::Char16 => utf16_text(self.take(2 * count)?),
            _ => {
                let outer = std::mem::replace(&mut self.in_array, true);
                let no_counts = Counts::new();
                let values = (0..count).map(|index| self.element(index, element, &no_counts));
                let values = values.collect::<Decoded<Vec<_>>>();
                self.in_array = outer;
                return values.map(Value::Array);
            }
        };
        if T::LISTENS && self.position > start {
            let reading = || Reading::Elements(element.clone(), value.clone());
            self.trace.leaf(terms::ELEMENTS, self.at(start), self.position - start, reading);
        }
        Ok(value)
    }

    /// One element of an array: unlike a field, it is nothing if where it ends is unknown.
    fn element(&mut self, index: usize, element: &FieldType, no_counts: &Counts) -> Decoded<Value> {
        let start = self.position;
        let value = match T::LISTENS {
            true => self.told_value(&format!("[{index}]"), element, no_counts)?,
            false => self.value(element, no_counts)?,
        };
        if self.lost && !self.move_behind(start, element) {
            self.lost = false;
            return Err(FieldError::FollowsUnreadable);
        }
        Ok(value)
    }

    /// The elements of an array that is elsewhere in the payload: `base` is what the location counts from.
    fn referenced(&mut self, element: &FieldType, location: usize, base: usize) -> Decoded<Value> {
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
        let value = trace.silently(|| self.elements(element, (bytes / element_bytes) as u64));
        if T::LISTENS && bytes > 0 {
            self.references.push((start, start + bytes));
        }
        self.position = back;
        self.lost = false;
        value.map_err(|_| FieldError::OutOfBounds)
    }

    /// Moves behind a value without decoding it. The list it is in has no arrays with a count elsewhere.
    fn skip(&mut self, field_type: &FieldType) -> Decoded<()> {
        if let Some(bytes) = field_type.fixed_bytes(self.pointer_size) {
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
                self.value(field_type, &Counts::new())?;
                if self.lost { Err(FieldError::FollowsUnreadable) } else { Ok(()) }
            }
        }
    }
}

fn has_counted_arrays(fields: &[Field]) -> bool {
    fields.iter().any(|field| matches!(field.field_type, FieldType::CountedArray { .. }))
}

fn as_count(value: &Value) -> Option<u64> {
    match value {
        Value::UInt(number, _) => Some(*number),
        Value::Int(number, _) => u64::try_from(*number).ok(),
        _ => None,
    }
}

fn utf16_text(bytes: &[u8]) -> Value {
    let units = bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]));
    match char::decode_utf16(units.clone()).collect::<Result<String, _>>() {
        Ok(text) => Value::String(text),
        Err(_) => Value::Utf16(units.collect()),
    }
}

fn utf8_text(bytes: &[u8]) -> Value {
    Value::String(String::from_utf8_lossy(bytes).into_owned())
}

/// Text in a buffer of fixed size ends at its first NUL.
fn cut_at_nul(value: Value) -> Value {
    match value {
        Value::String(mut text) => {
            text.truncate(text.find('\0').unwrap_or(text.len()));
            Value::String(text)
        }
        Value::Utf16(mut units) => {
            units.truncate(units.iter().position(|&unit| unit == 0).unwrap_or(units.len()));
            Value::Utf16(units)
        }
        other => other,
    }
}
