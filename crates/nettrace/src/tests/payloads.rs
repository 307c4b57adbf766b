//! Tests that payloads are decoded by field types, and values that don't fit are errors of their field.

use crate::testing::PayloadWriter;
use crate::{Field, FieldError, FieldType, Fit, Payload, Value, ValueRef, decode, decode_field};

fn array(element: FieldType) -> FieldType {
    FieldType::Array(Box::new(element))
}

fn fields(types: impl IntoIterator<Item = FieldType>) -> Vec<Field> {
    types.into_iter().enumerate().map(|(index, field_type)| Field::new(format!("field{index}"), field_type)).collect()
}

/// Decodes fields together and individually, owned and borrowed; the results must agree.
fn values(types: impl IntoIterator<Item = FieldType>, payload: PayloadWriter) -> Vec<Value> {
    let (fields, payload) = (fields(types), payload.finish());
    let values = decode(&fields, &payload, 8);
    for (index, value) in values.iter().enumerate() {
        assert_eq!(decode_field(&fields, &payload, 8, index), *value, "field {index} alone");
    }
    let borrowed = Payload::new(&fields, &payload, 8);
    assert_eq!(borrowed.iter().map(|(_, value)| value.to_value()).collect::<Vec<_>>(), values, "borrowed");
    for (index, value) in values.iter().enumerate() {
        assert_eq!(borrowed.get(index).to_value(), *value, "field {index} borrowed alone");
    }
    values
}

fn text(text: &str) -> Value {
    Value::String(text.into())
}

#[test]
fn numbers_have_full_range() {
    let types = [
        FieldType::Int8,
        FieldType::UInt8,
        FieldType::Int16,
        FieldType::UInt64,
        FieldType::VarInt,
        FieldType::VarUInt,
        FieldType::VarInt,
        FieldType::Boolean32,
        FieldType::Boolean8,
        FieldType::Char16,
        FieldType::Float64,
        FieldType::DateTime,
    ];
    let payload = PayloadWriter::new()
        .u8(0x80)
        .u8(0xFF)
        .u16(0x8000)
        .u64(u64::MAX)
        .var_i64(i64::MIN)
        .var_u64(u64::MAX)
        .var_i64(-17_982)
        .u32(0x100)
        .u8(2)
        .u16(0xD800)
        .f64(-0.5)
        .i64(-1);
    let expected = [
        Value::Int(-128, 8),
        Value::UInt(255, 8),
        Value::Int(-32_768, 16),
        Value::UInt(u64::MAX, 64),
        Value::Int(i64::MIN, 64),
        Value::UInt(u64::MAX, 64),
        Value::Int(-17_982, 64),
        // Only the lowest byte of a long Boolean counts.
        Value::OddBoolean(256),
        Value::Boolean(true),
        Value::Char(0xD800),
        Value::Float64(-0.5),
        Value::DateTime(-1),
    ];
    assert_eq!(values(types, payload), expected);
}

#[test]
fn texts_keep_lone_surrogates() {
    let payload = PayloadWriter::new().utf16("käse 🧀").u16(0x41).u16(0xD83D).u16(0).utf16("").utf8("ü");
    let types = [FieldType::Utf16String, FieldType::Utf16String, FieldType::Utf16String, FieldType::Utf8String];
    assert_eq!(values(types, payload), [text("käse 🧀"), Value::Utf16(vec![0x41, 0xD83D]), text(""), text("ü")]);
}

#[test]
fn code_unit_arrays_are_text_and_byte_arrays_are_bytes() {
    let payload = PayloadWriter::new().u16(3).bytes("aä".as_bytes()).u16(2).u16(0x78).u16(0x79).u16(2).u8(1).u8(2);
    let payload = payload.u16(2).u16(1).u16(0x48).u16(1).u16(0x49).u16(0);
    let types = [
        array(FieldType::Utf8CodeUnit),
        array(FieldType::Char16),
        array(FieldType::UInt8),
        array(array(FieldType::Char16)),
        array(FieldType::Int32),
    ];
    let expected = [
        text("aä"),
        text("xy"),
        Value::Bytes(vec![1, 2]),
        Value::Array(vec![text("H"), text("I")]),
        Value::Array(vec![]),
    ];
    assert_eq!(values(types, payload), expected);
}

#[test]
fn fixed_length_buffers_end_at_nul() {
    let types = [
        FieldType::FixedLengthArray(Box::new(FieldType::Int16), 2),
        FieldType::FixedLengthArray(Box::new(FieldType::Utf8CodeUnit), 4),
    ];
    let payload = PayloadWriter::new().u16(1).u16(2).bytes(b"AB\0C");
    assert_eq!(values(types, payload), [Value::Array(vec![Value::Int(1, 16), Value::Int(2, 16)]), text("AB")]);
}

#[test]
fn count_above_signed_range_is_valid() {
    let payload = PayloadWriter::new().u16(40_000).bytes(&[7; 40_000]);
    let [Value::Bytes(bytes)] = &values([array(FieldType::UInt8)], payload)[..] else { panic!("no bytes") };
    assert_eq!(bytes.len(), 40_000);
}

#[test]
fn references_may_point_anywhere_in_payload() {
    let relative = FieldType::RelLoc(Box::new(FieldType::Int32));
    let absolute = FieldType::DataLoc(Box::new(FieldType::Char16));
    let payload = PayloadWriter::new().u32(8 << 16 | 8).u32(10 << 16 | 20).u32(99).i32(1).i32(-2);
    let payload = payload.bytes(b"W\0o\0r\0\0\0d\0");
    let expected = [Value::Array(vec![Value::Int(1, 32), Value::Int(-2, 32)]), text("Wor"), Value::UInt(99, 32)];
    assert_eq!(values([relative, absolute, FieldType::UInt32], payload), expected);
}

#[test]
fn invalid_reference_affects_only_its_field() {
    for (location, error) in [
        (4 << 16 | 100, FieldError::OutOfBounds),
        (3 << 16, FieldError::UnevenSize),
        (0xFFFF_FFFF, FieldError::OutOfBounds),
    ] {
        for kind in [FieldType::DataLoc, FieldType::RelLoc] {
            let payload = PayloadWriter::new().u32(location).i32(42);
            let found = values([kind(Box::new(FieldType::Int32)), FieldType::Int32], payload);
            assert_eq!(found, [Value::Error(error), Value::Int(42, 32)]);
        }
    }
}

#[test]
fn field_after_unreadable_object_is_found_if_sizes_are_known() {
    let place = FieldType::RelLoc(Box::new(FieldType::Int32));
    let places = FieldType::FixedLengthArray(Box::new(place), 2);
    let fixed = FieldType::Object(fields([places.clone(), FieldType::UInt8]));
    let payload = || PayloadWriter::new().u32(u32::MAX).u32(u32::MAX).u8(7).u16(99);
    let found = values([fixed, FieldType::UInt16], payload());
    assert_eq!(found[1], Value::UInt(99, 16));
    let text = FieldType::Object(fields([array(FieldType::Utf16String), FieldType::UInt8]));
    let found = values([text, FieldType::UInt16], PayloadWriter::new().u16(2).u16(0x41).u16(0).u16(0x42));
    assert_eq!(found[1], Value::Error(FieldError::FollowsUnreadable), "the end of the text is unknown");
}

#[test]
fn fields_missing_in_older_event_are_null() {
    let types = [FieldType::Int32, FieldType::Utf16String, array(FieldType::Int32)];
    assert_eq!(values(types, PayloadWriter::new().i32(1)), [Value::Int(1, 32), Value::Null, Value::Null]);
}

#[test]
fn fields_after_unreadable_field_are_unreadable() {
    let short = Value::Error(FieldError::TooShort);
    let follows = Value::Error(FieldError::FollowsUnreadable);
    let types = || [FieldType::Int32, FieldType::Int32];
    assert_eq!(values(types(), PayloadWriter::new().u8(1)), [short.clone(), follows.clone()]);
    let types = || [array(FieldType::Utf16String), FieldType::Int32];
    assert_eq!(values(types(), PayloadWriter::new().u16(3).utf16("a")), [short.clone(), follows.clone()]);
    assert_eq!(values(types(), PayloadWriter::new().u8(3)), [short.clone(), follows]);
    let endless = PayloadWriter::new().bytes(&[0xFF; 11]);
    assert_eq!(values([FieldType::VarUInt], endless), [Value::Error(FieldError::VarintOverflow)]);
    let no_nul = PayloadWriter::new().u16(0x41);
    assert_eq!(values([FieldType::Utf16String], no_nul), [short]);
}

#[test]
fn nested_objects_may_end_early() {
    let inner = FieldType::Object(fields([FieldType::Int32, FieldType::Utf16String]));
    let found = values([inner.clone(), FieldType::Boolean8], PayloadWriter::new().i32(3).utf16("x").u8(1));
    let object = |second: Value| Value::Object(vec![("field0".into(), Value::Int(3, 32)), ("field1".into(), second)]);
    assert_eq!(found, [object(text("x")), Value::Boolean(true)]);
    let found = values([inner.clone(), FieldType::Boolean8], PayloadWriter::new().i32(3));
    assert_eq!(found, [object(Value::Null), Value::Null]);
    let found = values([array(inner)], PayloadWriter::new().u16(1).i32(3));
    assert_eq!(found, [Value::Error(FieldError::TooShort)], "an element cannot be incomplete");
}

#[test]
fn counted_array_length_comes_from_earlier_field() {
    let counted = |count_field, element| FieldType::CountedArray { count_field, element: Box::new(element) };
    let pair = FieldType::Object(fields([FieldType::Pointer, FieldType::UInt8]));
    let types = || [FieldType::UInt32, FieldType::UInt16, counted(0, pair.clone()), FieldType::UInt8];
    let payload = PayloadWriter::new().u32(2).u16(9).u64(0x1000).u8(1).u64(0x2000).u8(2).u8(77);
    let found = values(types(), payload);
    let Value::Array(pairs) = &found[2] else { panic!("no array: {found:?}") };
    assert_eq!((pairs.len(), &found[3]), (2, &Value::UInt(77, 8)));
    let short = values(types(), PayloadWriter::new().u32(u32::MAX).u16(9).u64(0x1000));
    assert_eq!(short[2], Value::Error(FieldError::TooShort));
    let no_count = values([FieldType::Float32, counted(0, FieldType::UInt8)], PayloadWriter::new().u32(2).u8(1));
    assert_eq!(no_count[1], Value::Error(FieldError::NoCount));
    assert_eq!(
        values([counted(7, FieldType::UInt8)], PayloadWriter::new().u8(1))[0],
        Value::Error(FieldError::NoCount)
    );
}

#[test]
fn addresses_have_pointer_size_of_process() {
    let fields = fields([FieldType::Pointer, FieldType::UInt16]);
    let payload = PayloadWriter::new().pointer(0xFFFF_0000, 4).u16(5).finish();
    assert_eq!(decode(&fields, &payload, 4), [Value::Pointer(0xFFFF_0000), Value::UInt(5, 16)]);
}

#[test]
fn any_schema_decodes_within_limits() {
    let mut nothing = FieldType::Object(Vec::new());
    for _ in 0..4 {
        nothing = FieldType::FixedLengthArray(Box::new(nothing), u16::MAX);
    }
    assert_eq!(decode(&fields([nothing]), &[1], 8), [Value::Error(FieldError::TooComplex)]);
    let mut knot = FieldType::UInt32;
    for _ in 0..20 {
        knot = FieldType::DataLoc(Box::new(knot));
    }
    let payload = (0..256).fold(PayloadWriter::new(), |payload, _| payload.u32(1024 << 16)).finish();
    assert_eq!(decode(&fields([knot]), &payload, 8).len(), 1);
}

#[test]
fn nested_value_is_read_without_decoding_others() {
    let pair =
        FieldType::Object(vec![Field::new("key", FieldType::Utf16String), Field::new("value", FieldType::Int32)]);
    let fields = [Field::new("", FieldType::Object(vec![Field::new("pairs", array(pair))]))];
    let payload = PayloadWriter::new().u16(2).utf16("a").i32(1).utf16("b").i32(-2).finish();
    let payload = Payload::new(&fields, &payload, 8);
    let ValueRef::Object(outer) = payload.get(0) else { panic!("{payload:?}") };
    let Some(ValueRef::Array(pairs)) = outer.field("pairs") else { panic!("{outer:?}") };
    assert_eq!((pairs.len(), pairs.is_empty(), outer.fields().len()), (2, false, 1));
    let values: Vec<_> = pairs
        .iter()
        .map(|pair| match pair {
            ValueRef::Object(pair) => pair.field("value").and_then(ValueRef::as_i64),
            _ => None,
        })
        .collect();
    assert_eq!(values, [Some(1), Some(-2)]);
    assert_eq!(payload.get(0).to_string(), "{pairs: [{key: a, value: 1}, {key: b, value: -2}]}");
    assert_eq!(
        format!("{payload:?}"),
        "{\"\": Object({\"pairs\": Array([Object({\"key\": Text(\"a\"), \"value\": Int(1, 32)}), Object({\"key\": Text(\"b\"), \"value\": Int(-2, 32)})])})}"
    );
    assert!(matches!(payload.get(1), ValueRef::Null));
    assert!(outer.field("other").is_none() && payload.field("pairs").is_none());
}

#[test]
fn buffer_text_ends_before_nul() {
    let types = [FieldType::FixedLengthArray(Box::new(FieldType::Char16), 4)];
    let payload = PayloadWriter::new().u16(0x41).u16(0).u16(0xD800).u16(0x42);
    assert_eq!(values(types, payload), [text("A")]);
}

proptest::proptest! {
    /// Borrowed and owned values agree for any types and bytes.
    #[test]
    fn borrowed_values_match_owned_ones(
        description in proptest::collection::vec(0_u8..=255, 0..40),
        bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..200),
    ) {
        let mut description = description.into_iter();
        let fields: Vec<_> = (0..5).map(|at| Field::new(format!("f{at}"), any_type(&mut description, 0))).collect();
        let owned = decode(&fields, &bytes, 4);
        let borrowed: Vec<_> = Payload::new(&fields, &bytes, 4).iter().map(|(_, value)| value.to_value()).collect();
        // Compared as text, because NaN doesn't equal itself.
        assert_eq!(format!("{borrowed:?}"), format!("{owned:?}"));
    }
}

/// Returns a type made of the next bytes of a description.
fn any_type(description: &mut impl Iterator<Item = u8>, depth: usize) -> FieldType {
    let code = description.next().unwrap_or(9) % 20;
    if depth > 4 && code < 6 {
        return FieldType::UInt8;
    }
    match code {
        0 => {
            let fields = (0..3).map(|at| Field::new(format!("o{at}"), any_type(description, depth + 1)));
            FieldType::Object(fields.collect())
        }
        1 => FieldType::Array(Box::new(any_type(description, depth + 1))),
        2 => FieldType::FixedLengthArray(Box::new(any_type(description, depth + 1)), 3),
        3 => FieldType::RelLoc(Box::new(any_type(description, depth + 1))),
        4 => FieldType::DataLoc(Box::new(any_type(description, depth + 1))),
        5 => FieldType::CountedArray { count_field: 0, element: Box::new(any_type(description, depth + 1)) },
        6 => FieldType::Utf16String,
        7 => FieldType::Utf8String,
        8 => FieldType::CountedUtf8String,
        9 => FieldType::VarUInt,
        10 => FieldType::VarInt,
        11 => FieldType::Boolean32,
        12 => FieldType::Char16,
        13 => FieldType::Utf8CodeUnit,
        14 => FieldType::Guid,
        15 => FieldType::Float64,
        16 => FieldType::Pointer,
        17 => FieldType::UInt16,
        18 => FieldType::Decimal,
        _ => FieldType::UInt8,
    }
}

fn fit(types: impl IntoIterator<Item = FieldType>, payload: PayloadWriter) -> Fit {
    Fit::of(&fields(types), &payload.finish(), 8)
}

#[test]
fn bytes_after_last_field_are_counted() {
    let longer = fit([FieldType::Int32], PayloadWriter::new().i32(7).i32(8));
    assert_eq!(longer, Fit { difference: 4, unread: 4..8, ..Fit::default() });
    let exact = fit([FieldType::Int32, FieldType::Utf16String], PayloadWriter::new().i32(7).utf16("a"));
    assert!(exact.is_exact() && exact == Fit::default(), "{exact:?}");
    assert_eq!(Fit::of(&[], &[1, 2, 3], 8), Fit::default(), "nothing is described");
    // Data that a field refers to belongs to that field.
    let referring = [FieldType::DataLoc(Box::new(FieldType::UInt8))];
    assert!(fit(referring.clone(), PayloadWriter::new().u32(4 | 2 << 16).u16(1)).is_exact());
    let longer = fit(referring, PayloadWriter::new().u32(4 | 2 << 16).u16(1).u8(9));
    assert_eq!((longer.difference, longer.unread), (1, 6..7));
}

#[test]
fn missing_bytes_are_counted() {
    let types = [FieldType::Int32, FieldType::Utf16String, FieldType::Guid];
    let older = fit(types.clone(), PayloadWriter::new().i32(7));
    assert_eq!(older, Fit { difference: -18, missing_fields: 2, ..Fit::default() });
    let cut = fit(types, PayloadWriter::new().i32(7).utf16("a").u32(1));
    assert_eq!((cut.difference, cut.unread.clone(), cut.missing_fields), (-12, 8..12, 0));
    let claimed = fit([array(FieldType::Int64)], PayloadWriter::new().u16(3).i64(1));
    assert_eq!((claimed.difference, claimed.unread), (-16, 0..10));
}

#[test]
fn one_byte_boolean_is_read_where_four_are_declared() {
    let types = [FieldType::Utf16String, FieldType::Boolean32];
    let payload = || PayloadWriter::new().utf16("x").u8(1);
    assert_eq!(values(types.clone(), payload()), [text("x"), Value::Boolean(true)]);
    let found = fit(types.clone(), payload());
    assert_eq!(found, Fit { difference: -3, inferred: vec![1], ..Fit::default() });
    // Also before other fields, if all fields fit only so.
    let types = [FieldType::Boolean32, FieldType::Boolean32, FieldType::Utf16String];
    let payload = || PayloadWriter::new().u8(0).u8(1).utf16("x");
    assert_eq!(values(types.clone(), payload()), [Value::Boolean(false), Value::Boolean(true), text("x")]);
    assert_eq!(fit(types.clone(), payload()), Fit { difference: -6, inferred: vec![0, 1], ..Fit::default() });
    // Four bytes stay four bytes, and a byte that is neither 0 nor 1 isn't a Boolean.
    let described = || PayloadWriter::new().u32(1).u32(0).utf16("x");
    assert_eq!(values(types.clone(), described()), [Value::Boolean(true), Value::Boolean(false), text("x")]);
    assert!(fit(types, described()).is_exact());
    let odd = || PayloadWriter::new().u8(7);
    assert_eq!(values([FieldType::Boolean32], odd()), [Value::Error(FieldError::TooShort)]);
    assert_eq!(fit([FieldType::Boolean32], odd()), Fit { difference: -3, unread: 0..1, ..Fit::default() });
}

#[test]
fn field_before_array_is_length_only_if_nothing_else_fits() {
    let types = [FieldType::UInt32, array(FieldType::Int64)];
    let numbers = Value::Array([20, 24, 28].map(|number| Value::Int(number, 64)).to_vec());
    let payload = || PayloadWriter::new().u32(3).i64(20).i64(24).i64(28);
    assert_eq!(values(types.clone(), payload()), [Value::UInt(3, 32), numbers.clone()]);
    assert_eq!(fit(types.clone(), payload()), Fit { difference: -2, inferred: vec![1], ..Fit::default() });
    // A length in front of the elements is what is described.
    let described = || PayloadWriter::new().u32(3).u16(3).i64(20).i64(24).i64(28);
    assert_eq!(values(types.clone(), described()), [Value::UInt(3, 32), numbers.clone()]);
    assert!(fit(types.clone(), described()).is_exact());
    // One extra byte: no interpretation fits, and nothing is inferred.
    let neither = || payload().u8(1);
    let error = Value::Error(FieldError::TooShort);
    assert_eq!(values(types.clone(), neither()), [Value::UInt(3, 32), error]);
    assert_eq!(fit(types, neither()).unread, 4..29);
    // In the middle, together with a Boolean of one byte, and inside of a structure.
    let inner = ["on", "count", "ids", "name"].into_iter().zip([
        FieldType::Boolean32,
        FieldType::UInt32,
        array(FieldType::Int64),
        FieldType::Utf16String,
    ]);
    let inner = inner.map(|(name, field_type)| Field::new(name, field_type)).collect();
    let payload = || PayloadWriter::new().u8(1).u32(3).i64(20).i64(24).i64(28).utf16("x");
    let expected = [("on", Value::Boolean(true)), ("count", Value::UInt(3, 32)), ("ids", numbers), ("name", text("x"))];
    let expected = Value::Object(expected.map(|(name, value)| (name.to_owned(), value)).to_vec());
    assert_eq!(values([FieldType::Object(inner)], payload()), [expected]);
}

#[test]
fn unfitting_lengths_end_quickly() {
    let endless = FieldType::FixedLengthArray(Box::new(FieldType::UInt8), 0);
    let types = [FieldType::UInt64, array(endless), FieldType::Boolean32];
    let payload = || PayloadWriter::new().u64(u64::MAX).u16(u16::MAX).u8(3);
    let found = fit(types.clone(), payload());
    assert!(found.inferred.is_empty() && found.difference < 0, "{found:?}");
    assert_eq!(values(types, payload()).len(), 3);
}
