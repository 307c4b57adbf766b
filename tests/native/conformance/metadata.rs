//! Metadata of versions 3 to 5: S54 to S69.

use super::support::*;
use nettrace::testing::{Event, Format, PayloadWriter};
use nettrace::{ErrorKind, Field, FieldType, MetadataRecord, Value, decode};
use protocol::base::ids::TypeId;

/// Returns the seven fixed parts of a record, and the rest.
fn payload(rest: PayloadWriter) -> Vec<u8> {
    let fixed =
        PayloadWriter::new().u32(1).utf16("Shop").u32(7).utf16("Order").u64(0x8000_0000_0000_0003).u32(2).u32(5);
    fixed.bytes(&rest.finish()).finish()
}

/// Returns a trace with one metadata block with this payload, and an event with these bytes.
fn with_payload(metadata: &[u8], event_payload: &[u8]) -> Vec<u8> {
    let row = PayloadWriter::new().u8(0x80).u8(0).var_u64(metadata.len() as u64).bytes(metadata);
    let mut builder = nettrace::testing::TraceBuilder::new(Format::Nettrace4);
    builder.block("MetadataBlock", 3, &event_block(1, row));
    builder.events(&[Event { payload: event_payload.to_vec(), ..event(1, 1, 1_000_000) }]);
    builder.finish()
}

fn read(rest: PayloadWriter) -> MetadataRecord {
    records(&with_payload(&payload(rest), &[])).remove(0)
}

/// Returns a tag: its size without size and kind, its kind, its content.
fn tag(kind: u8, content: &[u8]) -> Vec<u8> {
    PayloadWriter::new().u32(content.len() as u32).u8(kind).bytes(content).finish()
}

/// Returns a field of the second list: its size including itself, its name, its type.
fn v2_field(name: &str, field_type: PayloadWriter) -> Vec<u8> {
    let content = PayloadWriter::new().utf16(name).bytes(&field_type.finish()).finish();
    PayloadWriter::new().u32(content.len() as u32 + 4).bytes(&content).finish()
}

/// S54, S56, S57: the seven parts of a record, with names of level and keywords.
#[test]
fn record_has_seven_parts() {
    let rest = || PayloadWriter::new().u32(0);
    let found = read(rest());
    assert_eq!((found.metadata_id, found.provider.as_str(), found.event_id), (1, "Shop", 7));
    assert_eq!(
        (found.name.as_str(), found.keywords, found.version, found.level),
        ("Order", 0x8000_0000_0000_0003, 2, 5)
    );
    let detail = open(&with_payload(&payload(rest()), &[])).type_detail(TypeId(0));
    let fact = |name: &str| {
        detail.facts.iter().find(|fact| fact.name == name).map(|fact| (fact.value.clone(), fact.raw.clone()))
    };
    assert_eq!(fact("Level"), Some(("Verbose".to_owned(), "5".to_owned())));
    assert_eq!(fact("Keywords"), Some(("0x1 | 0x2 | 0x8000000000000000".to_owned(), "0x8000000000000003".to_owned())));
    assert_eq!((fact("Event ID").unwrap().0, fact("Version").unwrap().0), ("7".to_owned(), "2".to_owned()));
}

/// S55: text ends at a zero unit; without one, the record is partial and reported.
#[test]
fn unterminated_text_is_reported() {
    let endless = PayloadWriter::new().u32(1).u32(9).u16(0x41).u16(0x42);
    let bytes = with_payload(&payload(endless), &[]);
    assert!(records(&bytes)[0].partial.is_some());
    let opened = open(&bytes);
    assert!(opened.says("Event metadata is only partly readable"), "{:?}", opened.messages());
    assert_eq!(opened.store().events.len(), 1);
}

/// S58, S68, S107, S108: fields of the first list have a type, then a name; values are packed and little-endian.
#[test]
fn fields_of_first_list_have_type_then_name() {
    let codes = [
        (3, FieldType::Boolean32),
        (4, FieldType::Char16),
        (5, FieldType::Int8),
        (6, FieldType::UInt8),
        (7, FieldType::Int16),
        (8, FieldType::UInt16),
        (9, FieldType::Int32),
        (10, FieldType::UInt32),
        (11, FieldType::Int64),
        (12, FieldType::UInt64),
        (13, FieldType::Float32),
        (14, FieldType::Float64),
        (15, FieldType::Decimal),
        (16, FieldType::DateTime),
        (17, FieldType::Guid),
        (18, FieldType::Utf16String),
    ];
    let mut rest = PayloadWriter::new().u32(codes.len() as u32);
    for (code, _) in &codes {
        rest = rest.u32(*code).utf16(&format!("field{code}"));
    }
    let found = read(rest).fields;
    let expected: Vec<_> = codes.into_iter().map(|(code, kind)| Field::new(format!("field{code}"), kind)).collect();
    assert_eq!(found, expected);
    let values =
        PayloadWriter::new().u32(1).u16(0x41).u8(0xFF).u8(0xFF).u16(0xFFFF).u16(0xFFFF).u32(u32::MAX).u32(u32::MAX);
    let values = values
        .u64(u64::MAX)
        .u64(u64::MAX)
        .bytes(&1.5f32.to_le_bytes())
        .f64(2.5)
        .bytes(&[0; 16])
        .i64(7)
        .bytes(&[8; 16])
        .utf16("käse");
    let values = decode(&found, &values.finish(), 8);
    assert_eq!(values[..4], [Value::Boolean(true), Value::Char(0x41), Value::Int(-1, 8), Value::UInt(255, 8)]);
    assert_eq!(
        values[4..8],
        [Value::Int(-1, 16), Value::UInt(0xFFFF, 16), Value::Int(-1, 32), Value::UInt(u64::from(u32::MAX), 32)]
    );
    assert_eq!(
        values[8..12],
        [Value::Int(-1, 64), Value::UInt(u64::MAX, 64), Value::Float32(1.5), Value::Float64(2.5)]
    );
    assert_eq!((&values[13], &values[15]), (&Value::DateTime(7), &Value::String("käse".into())));
}

/// S59: objects can be nested up to a limit, beyond which they are an error.
#[test]
fn nested_objects_are_limited() {
    let nested = PayloadWriter::new()
        .u32(1)
        .u32(1)
        .u32(2)
        .u32(9)
        .utf16("a")
        .u32(1)
        .u32(1)
        .u32(3)
        .utf16("on")
        .utf16("c")
        .utf16("o");
    let inner = FieldType::Object(vec![Field::new("on", FieldType::Boolean8)]);
    let outer = FieldType::Object(vec![Field::new("a", FieldType::Int32), Field::new("c", inner)]);
    assert_eq!(read(nested).fields, [Field::new("o", outer)]);
    let bottomless = PayloadWriter::new().bytes(&[1, 0, 0, 0].repeat(20_000));
    let error = read(bottomless).partial.unwrap();
    assert_eq!(error.kind(), &ErrorKind::LimitExceeded("levels of nested fields"));
}

/// S60, S61, S66, S97: tags follow until the end of the record; opcodes are named; a tag is shown with the format.
#[test]
fn opcode_is_read_from_tag() {
    let bytes = with_payload(&payload(PayloadWriter::new().u32(0).bytes(&tag(1, &[1]))), &[]);
    let mut opened = open(&bytes);
    assert_eq!(fact(&opened.detail(0), "Opcode"), "Start");
    assert_eq!(opened.summary().format, "nettrace 4 (+V5 metadata)");
    let without = open(&with_payload(&payload(PayloadWriter::new().u32(0)), &[]));
    assert_eq!(without.summary().format, "nettrace 4");
    assert!(without.is_clean(), "a record without tags is complete");
}

/// S62, S64, R1.19: fields of the second list have a size, a name and a type, which may be an array.
#[test]
fn second_field_list_has_arrays() {
    let array = |element: PayloadWriter| PayloadWriter::new().u32(19).bytes(&element.finish());
    let fields = [
        v2_field("a", PayloadWriter::new().u32(9).bytes(&[0xEE; 8])),
        v2_field("b", array(PayloadWriter::new().u32(9))),
        v2_field("c", array(array(PayloadWriter::new().u32(4)))),
    ];
    let content = PayloadWriter::new().u32(3).bytes(&fields.concat()).finish();
    let rest = PayloadWriter::new().u32(0).bytes(&tag(2, &content));
    let values = PayloadWriter::new().i32(12).u16(2).i32(1).i32(-2).u16(1).u16(2).u16(0x48).u16(0x69).finish();
    let bytes = with_payload(&payload(rest), &values);
    let listed = |element| FieldType::Array(Box::new(element));
    let expected = [
        Field::new("a", FieldType::Int32),
        Field::new("b", listed(FieldType::Int32)),
        Field::new("c", listed(listed(FieldType::Char16))),
    ];
    assert_eq!(records(&bytes)[0].fields, expected);
    let mut opened = open(&bytes);
    let detail = opened.detail(0);
    let names: Vec<_> =
        detail.fields.iter().filter(|field| field.depth == 0).map(|field| field.type_name.clone()).collect();
    assert_eq!(names, ["int", "int[]", "string[]"]);
    assert_eq!(detail.fields[0].value, "12");
}

/// S63: if both lists have fields, the second one counts, and the conflict is reported.
#[test]
fn second_field_list_takes_precedence() {
    let content = PayloadWriter::new().u32(1).bytes(&v2_field("second", PayloadWriter::new().u32(9))).finish();
    let rest = PayloadWriter::new().u32(1).u32(7).utf16("first").bytes(&tag(2, &content));
    let bytes = with_payload(&payload(rest), &[]);
    assert_eq!(records(&bytes)[0].fields, [Field::new("second", FieldType::Int32)]);
    let opened = open(&bytes);
    assert!(opened.says("two field lists"), "{:?}", opened.messages());
}

/// S65, R1.18: unknown tags and extra bytes of known ones are skipped.
#[test]
fn unknown_tags_are_skipped() {
    let content =
        PayloadWriter::new().u32(1).bytes(&v2_field("a", PayloadWriter::new().u32(9))).bytes(&[0xEE; 4]).finish();
    let rest = PayloadWriter::new()
        .u32(0)
        .bytes(&tag(3, &[0xEE; 8]))
        .bytes(&tag(1, &[24, 0xEE, 0xEE]))
        .bytes(&tag(2, &content));
    let bytes = with_payload(&payload(rest), &[]);
    let found = &records(&bytes)[0];
    assert_eq!((found.opcode, found.fields.len(), found.partial.clone()), (Some(24), 1, None));
    let mut opened = open(&bytes);
    assert!(opened.is_clean());
    let facts = opened.type_detail(TypeId(0)).facts;
    let said = |name: &str| -> Vec<String> {
        facts.iter().filter(|fact| fact.name == name).map(|fact| fact.value.clone()).collect()
    };
    assert_eq!(said("Fields from"), ["the V2Params tag, which replaces the first field list"]);
    let expected = [
        "8 bytes in the unknown tag 3",
        "2 bytes after the opcode in its tag",
        "4 bytes after the fields in their tag",
    ];
    assert_eq!(said("Skipped"), expected);
}

/// S67: an unknown type ends the fields of its record only; previous fields are decoded, and the reason is reported.
#[test]
fn unknown_type_ends_only_its_record() {
    let rest = PayloadWriter::new().u32(2).u32(9).utf16("a").u32(77).utf16("b");
    let bytes = with_payload(&payload(rest), &PayloadWriter::new().i32(5).u32(6).finish());
    let mut opened = open(&bytes);
    // Bytes without a field are shown as bytes.
    assert_eq!(opened.values(0), ["5", "06000000"]);
    assert!(opened.says("field type 77"), "{:?}", opened.messages());
}

/// S69, R1.13: the built-in manifest has the name and fields of a record without any, if its provider is known.
#[test]
fn manifest_fills_in_missing_schema() {
    let runtime = MetadataRecord {
        provider: "Microsoft-Windows-DotNETRuntime".into(),
        event_id: 1,
        version: 2,
        name: String::new(),
        ..record(2, "")
    };
    let unknown = MetadataRecord { event_id: 3, name: String::new(), ..record(3, "") };
    for format in Format::ALL {
        if format == Format::Netperf1 {
            continue;
        }
        let payload = PayloadWriter::new().u32(5).u32(2).u32(1).u32(0).u16(9).u64(0).finish();
        let mut opened = open(&trace(format, |builder| {
            builder.metadata(&[runtime.clone(), unknown.clone()]);
            builder.events(&[
                Event { payload: payload.clone(), ..event(2, 1, 1_000_000) },
                Event { payload: vec![1], ..event(3, 2, 1_000_001) },
            ]);
        }));
        let detail = opened.detail(0);
        assert_eq!(
            (detail.name.as_str(), detail.schema_source.as_str()),
            ("GC/Start", "the built-in manifest"),
            "{format:?}"
        );
        assert_eq!(detail.fields.iter().map(|field| field.name.as_str()).collect::<Vec<_>>()[..2], ["Count", "Depth"]);
        let detail = opened.detail(1);
        assert_eq!((detail.schema_source.as_str(), &detail.bytes[..]), ("none", &[1u8][..]));
    }
}
