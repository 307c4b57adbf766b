//! Names of field types, as in the format documents.

use nettrace::{Field, FieldType};

/// Returns the type of a field as the file declares it: "Int32", "Array<Object{Id:Int32}>".
pub fn wire_type(field_type: &FieldType) -> String {
    written(field_type, true)
}

/// Returns the type without the fields of objects: `Array<Object>`.
pub fn outer_wire_type(field_type: &FieldType) -> String {
    written(field_type, false)
}

fn written(field_type: &FieldType, is_whole: bool) -> String {
    let inner = |element: &FieldType| written(element, is_whole);
    match field_type {
        FieldType::Object(_) if !is_whole => "Object".to_owned(),
        FieldType::Object(fields) => {
            let field = |field: &Field| format!("{}:{}", field.name, inner(&field.field_type));
            format!("Object{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(","))
        }
        FieldType::Array(element) => format!("Array<{}>", inner(element)),
        FieldType::FixedLengthArray(element, count) => format!("FixedLengthArray<{},{count}>", inner(element)),
        FieldType::CountedArray { element, count_field } => {
            format!("Array<{}> counted by field {}", inner(element), count_field)
        }
        FieldType::RelLoc(element) => format!("RelLoc<{}>", inner(element)),
        FieldType::DataLoc(element) => format!("DataLoc<{}>", inner(element)),
        FieldType::Char16 => "UTF16CodeUnit".to_owned(),
        FieldType::Utf8CodeUnit => "UTF8CodeUnit".to_owned(),
        FieldType::Int8 => "SByte".to_owned(),
        FieldType::UInt8 => "Byte".to_owned(),
        FieldType::Float32 => "Single".to_owned(),
        FieldType::Float64 => "Double".to_owned(),
        FieldType::Utf16String => "String".to_owned(),
        other => format!("{other:?}"),
    }
}

/// Returns the code that a file of this version uses for the type; 0 for types that only the built-in manifest has.
pub fn type_code(field_type: &FieldType, format_version: u32) -> u8 {
    match field_type {
        // Up to version 5, both have the same code.
        FieldType::Boolean8 if format_version < 6 => FieldType::Boolean32.code(),
        other => other.code(),
    }
}
