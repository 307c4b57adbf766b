//! Types of fields by the names that the format documents give them.

use crate::nettrace::{Field, FieldType};

/// The type of a field as the file declares it: "Int32", "Array<Object{Id:Int32}>".
pub fn wire_type(field_type: &FieldType) -> String {
    match field_type {
        FieldType::Object(fields) => {
            let field = |field: &Field| format!("{}:{}", field.name, wire_type(&field.field_type));
            format!("Object{{{}}}", fields.iter().map(field).collect::<Vec<_>>().join(","))
        }
        FieldType::Array(element) => format!("Array<{}>", wire_type(element)),
        FieldType::FixedLengthArray(element, count) => format!("FixedLengthArray<{},{count}>", wire_type(element)),
        FieldType::CountedArray { element, count_field } => {
            format!("Array<{}> counted by field {}", wire_type(element), count_field)
        }
        FieldType::RelLoc(element) => format!("RelLoc<{}>", wire_type(element)),
        FieldType::DataLoc(element) => format!("DataLoc<{}>", wire_type(element)),
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
