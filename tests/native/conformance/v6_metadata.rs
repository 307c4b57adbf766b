//! Metadata and values of version 6: S172 to S204.

use super::support::*;
use nettrace::testing::{Event, Format, PayloadWriter, TraceBuilder};
use nettrace::{ErrorKind, Field, FieldError, FieldType, Guid, MetadataRecord, Value, decode};
use protocol::base::ids::TypeId;

/// Returns a row of a metadata block: ID 1, its fields, its optional part, and extra bytes.
fn row(fields: &[Vec<u8>], optional: &[u8], slack: &[u8]) -> Vec<u8> {
    let start =
        PayloadWriter::new().var_u64(1).short_utf8("Shop").var_u64(0).short_utf8("Order").u16(fields.len() as u16);
    let with_fields = fields.iter().fold(start, |row, field| row.u16(field.len() as u16).bytes(field));
    with_fields.u16(optional.len() as u16).bytes(optional).bytes(slack).finish()
}

fn field(name: &str, field_type: &[u8]) -> Vec<u8> {
    PayloadWriter::new().short_utf8(name).bytes(field_type).finish()
}

/// Returns a trace with a block of these rows, whose header has a number of bytes, and an event of metadata ID 1.
fn with_rows(header_bytes: u16, rows: &[Vec<u8>], payload: &[u8]) -> Vec<u8> {
    let block = PayloadWriter::new().u16(header_bytes).bytes(&vec![0xEE; usize::from(header_bytes)]);
    let block = rows.iter().fold(block, |block, row| block.u16(row.len() as u16).bytes(row));
    let mut builder = TraceBuilder::new(Format::Nettrace6);
    builder.block("", 3, &block.finish()).threads(&[thread(7)]);
    builder.events(&[Event { payload: payload.to_vec(), ..event(1, 1, 10) }]);
    builder.finish()
}

/// Returns the value of a payload with the type in these bytes.
fn value_of(field_type: &[u8], payload: &[u8]) -> Value {
    let bytes = with_rows(0, &[row(&[field("a", field_type)], &[], &[])], payload);
    let record = records(&bytes).remove(0);
    assert_eq!(record.partial, None, "{field_type:?}");
    decode(&record.fields, payload, 8).remove(0)
}

fn text(text: &str) -> Value {
    Value::String(text.into())
}

fn ints(values: &[i64]) -> Value {
    Value::Array(values.iter().map(|&value| Value::Int(value, 32)).collect())
}

/// S172, S173, S174, S176, R1.41: sizes of block header, rows and fields allow skipping unknown content.
#[test]
fn unknown_bytes_are_skipped() {
    let fields =
        [field("a", &[9, 0xEE, 0xEE, 0xEE, 0xEE]), field("b", &[26, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE, 0xEE])];
    let optional = PayloadWriter::new().u8(5).short_utf8("Food!").finish();
    let first = row(&fields, &optional, &[0xEE; 4]);
    let second =
        PayloadWriter::new().var_u64(2).short_utf8("Shop").var_u64(3).short_utf8("Refund").u16(0).u16(0).finish();
    let bytes = with_rows(17, &[first, second], &[]);
    let found = records(&bytes);
    assert_eq!(found[0].fields, [Field::new("a", FieldType::Int32), Field::new("b", FieldType::Boolean8)]);
    assert_eq!(found[0].description.as_deref(), Some("Food!"));
    assert_eq!((found[1].name.as_str(), found[1].event_id), ("Refund", 3));
    assert!(open(&bytes).is_clean());
}

/// S175: events without an ID are distinguished by their metadata.
#[test]
fn events_without_an_id_are_distinguished() {
    let mut builder = TraceBuilder::new(Format::Nettrace6);
    let named = |id, name: &str| MetadataRecord { event_id: 0, ..record(id, name) };
    builder.metadata(&[named(1, "Order"), named(2, "Refund")]).threads(&[thread(7)]);
    builder.events(&[event(1, 1, 10), event(2, 2, 11)]);
    let mut opened = open(&builder.finish());
    let names: Vec<_> = opened.details().into_iter().map(|detail| detail.name).collect();
    assert_eq!(names, ["Order", "Refund"]);
    assert_eq!(opened.store().types.len(), 2);
}

/// S177, S178, R1.37, R1.39: types are recursive.
#[test]
fn types_are_recursive() {
    let inner = PayloadWriter::new().u16(5).short_utf8("on").u8(26).u8(0xEE).u16(4).short_utf8("no").u8(9).finish();
    let object = PayloadWriter::new().u8(1).u16(2).bytes(&inner).finish();
    let listed = [&[19][..], &object].concat();
    let payload = PayloadWriter::new().u16(1).u8(1).i32(184).finish();
    let member = vec![("on".to_owned(), Value::Boolean(true)), ("no".to_owned(), Value::Int(184, 32))];
    assert_eq!(value_of(&listed, &payload), Value::Array(vec![Value::Object(member)]));
}

/// S179, S180, S181, S182, S183, S184, S186, S187, S189, S190, S192, S195, R1.26, R1.27, R1.38, R1.42: every primitive
/// type.
#[test]
fn primitive_types_are_decoded() {
    let plain = |code: u8, payload: &[u8]| value_of(&[code], payload);
    assert_eq!(plain(3, &[1, 0, 0, 0]), Value::Boolean(true));
    for (odd, shown) in [([2, 0, 0, 0], "true (2)"), ([0, 1, 0, 0], "false (256)")] {
        let bytes = with_rows(0, &[row(&[field("a", &[3])], &[], &[])], &odd);
        assert_eq!(open(&bytes).values(0), [shown]);
    }
    assert_eq!(plain(4, &[0x41, 0]), Value::Char(0x41));
    assert_eq!((plain(5, &[0x80]), plain(6, &[0x80])), (Value::Int(-128, 8), Value::UInt(128, 8)));
    assert_eq!((plain(7, &[0, 0x80]), plain(8, &[0, 0x80])), (Value::Int(-32_768, 16), Value::UInt(32_768, 16)));
    assert_eq!(
        (plain(9, &[0xFF; 4]), plain(10, &[0xFF; 4])),
        (Value::Int(-1, 32), Value::UInt(u64::from(u32::MAX), 32))
    );
    assert_eq!((plain(11, &[0xFF; 8]), plain(12, &[0xFF; 8])), (Value::Int(-1, 64), Value::UInt(u64::MAX, 64)));
    assert_eq!(plain(13, &f32::INFINITY.to_le_bytes()), Value::Float32(f32::INFINITY));
    assert!(matches!(plain(14, &f64::NAN.to_le_bytes()), Value::Float64(value) if value.is_nan()));
    assert_eq!(plain(17, &[3; 16]), Value::Guid(Guid([3; 16])));
    assert_eq!(plain(18, &PayloadWriter::new().utf16("käse").finish()), text("käse"));
    for value in [i64::MIN, i64::MAX, 0, -17_982] {
        assert_eq!(plain(20, &PayloadWriter::new().var_i64(value).finish()), Value::Int(value, 64));
    }
    assert_eq!(plain(21, &PayloadWriter::new().var_u64(u64::MAX).finish()), Value::UInt(u64::MAX, 64));
    assert_eq!(plain(23, b"A"), Value::Char(0x41));
    assert_eq!((plain(26, &[1]), plain(26, &[0])), (Value::Boolean(true), Value::Boolean(false)));
}

/// S180, S181, S188, S192, R1.28: arrays have a count; those of code units are text, those of bytes are bytes.
#[test]
fn arrays_have_counts() {
    assert_eq!(value_of(&[19, 9], &PayloadWriter::new().u16(3).i32(10).i32(20).i32(30).finish()), ints(&[10, 20, 30]));
    assert_eq!(value_of(&[19, 23], "\u{4}\0käs".as_bytes()), text("käs"));
    assert_eq!(value_of(&[19, 4], &PayloadWriter::new().u16(3).u16(0x78).u16(0x79).u16(0x7A).finish()), text("xyz"));
    assert_eq!(value_of(&[19, 6], &[2, 0, 7, 8]), Value::Bytes(vec![7, 8]));
    let texts = PayloadWriter::new().u16(2).u16(2).u16(0x48).u16(0x69).u16(3).u16(0x42).u16(0x79).u16(0x65).finish();
    assert_eq!(value_of(&[19, 19, 4], &texts), Value::Array(vec![text("Hi"), text("Bye")]));
    let many = [&40_000u16.to_le_bytes()[..], &[1; 40_000]].concat();
    assert!(matches!(value_of(&[19, 6], &many), Value::Bytes(bytes) if bytes.len() == 40_000), "the count is unsigned");
}

/// S191, R1.29: arrays whose length is in the metadata.
#[test]
fn arrays_of_fixed_length_are_decoded() {
    assert_eq!(value_of(&[22, 9, 3, 0], &PayloadWriter::new().i32(1).i32(2).i32(3).finish()), ints(&[1, 2, 3]));
    assert_eq!(value_of(&[22, 23, 3, 0], b"ABC"), text("ABC"));
    let strings = PayloadWriter::new().u16(1).u16(0x41).u16(2).u16(0x42).u16(0x43).finish();
    assert_eq!(value_of(&[22, 19, 4, 2, 0], &strings), Value::Array(vec![text("A"), text("BC")]));
}

/// S193, S194, R1.30: values elsewhere in the payload, relative to the end of the reference or to the start.
#[test]
fn referenced_values_are_decoded() {
    let relative = PayloadWriter::new().u32(12 << 16 | 4).u32(99).i32(1).i32(2).i32(3).finish();
    assert_eq!(value_of(&[24, 9], &relative), ints(&[1, 2, 3]));
    let absolute = PayloadWriter::new().u32(8 << 16 | 4).i32(10).i32(20).finish();
    assert_eq!(value_of(&[25, 9], &absolute), ints(&[10, 20]));
    let world = PayloadWriter::new().u32(10 << 16 | 4).bytes(b"W\0o\0r\0l\0d\0").finish();
    assert_eq!(value_of(&[25, 4], &world), text("World"));
    let hello = PayloadWriter::new().u32(5 << 16).bytes(b"Hello").finish();
    assert_eq!(value_of(&[24, 23], &hello), text("Hello"));
}

/// S193, S196, R1.31: a reference outside the payload, or with an invalid size, is an error of its field; the event is
/// kept.
#[test]
fn references_outside_payload_are_field_errors() {
    let cases = [
        (25, 4 << 16 | 100, FieldError::OutOfBounds),
        (25, 3 << 16 | 4, FieldError::UnevenSize),
        (24, 4 << 16 | 100, FieldError::OutOfBounds),
        (24, 3 << 16, FieldError::UnevenSize),
    ];
    for (code, location, error) in cases {
        let payload = PayloadWriter::new().u32(location).i32(42).finish();
        let fields = [field("place", &[code, 9]), field("number", &[9])];
        let mut opened = open(&with_rows(0, &[row(&fields, &[], &[])], &payload));
        let detail = opened.detail(0);
        assert_eq!(
            (detail.fields[0].error.as_str(), detail.fields[1].value.as_str()),
            (error.to_string().as_str(), "42")
        );
    }
}

/// R1.32, R1.33, R1.34: truncated values are errors of their field; the event is kept.
#[test]
fn truncated_values_are_field_errors() {
    for (field_type, payload) in [(&[19, 23][..], &[5][..]), (&[19, 9], &[5]), (&[19, 19, 4], &[3, 0, 1, 2, 3])] {
        let mut opened = open(&with_rows(0, &[row(&[field("a", field_type)], &[], &[])], payload));
        assert_eq!(opened.detail(0).fields[0].error, FieldError::TooShort.to_string(), "{field_type:?}");
    }
}

/// S196, R1.35, R1.36: referenced elements must have a fixed size; other metadata is partial.
#[test]
fn referenced_elements_need_fixed_size() {
    for field_type in [&[24, 19, 23][..], &[25, 19, 4], &[24, 18], &[25, 20]] {
        let bytes = with_rows(0, &[row(&[field("a", field_type)], &[], &[])], &[1]);
        assert!(records(&bytes)[0].fields.is_empty());
        let opened = open(&bytes);
        assert!(opened.says("RelLoc or DataLoc with elements of variable size"), "{:?}", opened.messages());
        assert_eq!(opened.store().events.len(), 1);
    }
}

/// S197: an unknown type keeps the previous fields; the rest is bytes, and the reason is reported.
#[test]
fn unknown_type_keeps_previous_fields() {
    let fields = [field("a", &[9]), field("b", &[40]), field("c", &[9])];
    let mut opened = open(&with_rows(0, &[row(&fields, &[], &[])], &[1, 0, 0, 0, 9]));
    assert_eq!(opened.values(0), ["1", "09"]);
    assert_eq!(opened.detail(0).bytes, [1, 0, 0, 0, 9]);
    assert!(opened.says("field type 40"), "{:?}", opened.messages());
}

/// S198, S199, S200, S201, S202, S203, R1.40: the optional part: opcode, keywords, level, version, texts, pairs, GUID.
#[test]
fn optional_part_is_read() {
    let optional = PayloadWriter::new().u8(1).u8(20).u8(3).u64(0x00FF_00FF_00FF_00FF).u8(8).u8(4).u8(9).u8(22);
    let optional = optional.u8(4).short_utf8("{a} of them").u8(5).short_utf8("What it is");
    let optional = optional.u8(6).short_utf8("Animal").short_utf8("Pony").u8(6).short_utf8("Colour").short_utf8("Red");
    let optional = optional.u8(7).bytes(&[0xCA; 16]).finish();
    let bytes = with_rows(0, &[row(&[field("a", &[9])], &optional, &[])], &[1, 0, 0, 0]);
    let found = &records(&bytes)[0];
    assert_eq!((found.opcode, found.keywords, found.level, found.version), (Some(20), 0x00FF_00FF_00FF_00FF, 4, 22));
    assert_eq!(found.provider_guid, Some(Guid([0xCA; 16])));
    let detail = open(&bytes).type_detail(TypeId(0));
    let fact = |name: &str| {
        detail.facts.iter().find(|fact| fact.name == name).unwrap_or_else(|| panic!("{name}")).value.clone()
    };
    assert_eq!((fact("Message"), fact("Description")), ("{a} of them".to_owned(), "What it is".to_owned()));
    assert_eq!((fact("Animal"), fact("Colour")), ("Pony".to_owned(), "Red".to_owned()));
    assert_eq!(fact("Provider GUID"), "cacacaca-caca-caca-caca-cacacacacaca");
    let meaning = detail.facts.iter().find(|fact| fact.name == "Provider GUID").map(|fact| fact.meaning.as_str());
    assert_eq!(meaning, Some("Declared in the file."));
    let shown = open(&bytes).detail(0);
    assert_eq!((shown.message.as_str(), shown.description.as_str()), ("1 of them", "What it is"));
    assert_eq!(open(&bytes).table().payload.get(0), "1 of them");
}

/// S199, S203: missing values are marked, and the GUID is derived from the name.
#[test]
fn missing_optional_part_is_marked() {
    let bytes = with_rows(0, &[row(&[field("a", &[9])], &[], &[])], &[1, 0, 0, 0]);
    let mut opened = open(&bytes);
    let facts = opened.type_detail(TypeId(0)).facts;
    let of_type = |name: &str| facts.iter().find(|fact| fact.name == name).unwrap_or_else(|| panic!("{name}"));
    let event = opened.detail(0);
    for name in ["Level", "Keywords"] {
        assert_eq!((of_type(name).value.as_str(), fact(&event, name).as_str()), ("not recorded", "not recorded"));
    }
    assert_eq!(of_type("Version").value, "not recorded");
    assert_eq!(of_type("Provider GUID").meaning, "Derived from the name, assuming an EventSource.");
}

/// S176: unknown bytes of a field or row are counted.
#[test]
fn unknown_bytes_are_counted() {
    let long = field("a", &[9, 0xEE, 0xEE]);
    let bytes = with_rows(0, &[row(&[long], &[], &[0xEE; 5])], &[1, 0, 0, 0]);
    let facts = open(&bytes).type_detail(TypeId(0)).facts;
    let said: Vec<_> = facts.iter().filter(|fact| fact.name == "Skipped").map(|fact| fact.value.as_str()).collect();
    assert_eq!(said, ["2 bytes after the field “a”", "5 bytes after the optional part"]);
}

/// S204: an unknown item of the optional part ends that part only.
#[test]
fn unknown_optional_item_ends_its_part() {
    for kind in [2, 10, 200] {
        let optional = PayloadWriter::new().u8(1).u8(20).u8(kind).u64(1).finish();
        let second =
            PayloadWriter::new().var_u64(2).short_utf8("Shop").var_u64(3).short_utf8("Refund").u16(0).u16(0).finish();
        let bytes = with_rows(0, &[row(&[field("a", &[9])], &optional, &[1, 2]), second], &[5, 0, 0, 0]);
        let found = records(&bytes);
        assert_eq!((found[0].opcode, found[0].fields.len(), found.len()), (Some(20), 1, 2), "{kind}");
        assert_eq!(
            found[0].partial.as_ref().map(|error| error.kind().clone()),
            Some(ErrorKind::UnknownOptionalKind(kind))
        );
        let mut opened = open(&bytes);
        assert_eq!(opened.values(0), ["5"]);
        assert!(opened.says(&format!("Unknown optional field (kind {kind})")), "{:?}", opened.messages());
    }
}
