//! Parses the fields of one version of an event from the table's text.

use nettrace::{Field, FieldType};

/// Returns the fields of `version`, from the lines of all versions. Empty if the version is older than those in the
/// table.
pub(super) fn fields(versions: &str, version: u32) -> Vec<Field> {
    let mut fields = Vec::new();
    for line in versions.lines() {
        let Some((sign, number, text)) = version_line(line) else { continue };
        if number > version {
            break;
        }
        if sign == '=' {
            fields.clear();
        }
        for declaration in split_declarations(text) {
            match field(declaration, &fields) {
                Some(field) => fields.push(field),
                None => return fields,
            }
        }
    }
    fields
}

/// Returns the newest version in the lines.
pub(super) fn newest_version(versions: &str) -> u32 {
    versions.lines().filter_map(version_line).map(|(_, number, _)| number).max().unwrap_or(0)
}

/// Returns the newest version whose fields have fixed sizes with this total.
pub(super) fn version_of_length(versions: &str, pointer_size: u8, length: usize) -> Option<u32> {
    let numbers: Vec<u32> = versions.lines().filter_map(version_line).map(|(_, number, _)| number).collect();
    let fits = |version: &u32| FieldType::Object(fields(versions, *version)).fixed_bytes(pointer_size) == Some(length);
    numbers.into_iter().rev().find(fits)
}

/// Returns the named values (an `enum` or `flags` of the table) of a field, if any version declares them.
pub(super) fn values_of<'t>(versions: &'t str, field: &str) -> Option<&'t str> {
    let words = versions.split([' ', ',', '{', '}', '\n']);
    let mut named = words.filter_map(|word| word.split_once(':'));
    named.find(|(name, _)| name.split('@').next() == Some(field)).map(|(_, values)| values)
}

/// Parses a line of a version, `v0 …`, `+1 …` or `=1 …`, into sign, version and fields.
fn version_line(line: &str) -> Option<(char, u32, &str)> {
    let line = line.trim_start();
    let mut characters = line.chars();
    let sign = characters.next()?;
    let (number, text) = characters.as_str().split_once(' ').unwrap_or((characters.as_str(), ""));
    Some((sign, number.parse().ok()?, text))
}

/// Splits at commas outside braces.
fn split_declarations(text: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    text.split(move |character| {
        depth += i32::from(character == '{') - i32::from(character == '}');
        character == ',' && depth == 0
    })
    .map(str::trim)
    .filter(|declaration| !declaration.is_empty())
}

/// Parses a declaration: `TYPE NAME` or `TYPE NAME:VALUES`, optionally marked for a generated reader.
fn field(declaration: &str, earlier: &[Field]) -> Option<Field> {
    let (type_text, name) = declaration.rsplit_once(' ')?;
    let name = name.split([':', '@']).next()?;
    Some(Field { name: name.to_owned(), field_type: field_type(type_text, earlier)? })
}

fn field_type(text: &str, earlier: &[Field]) -> Option<FieldType> {
    if let Some((element, count)) = text.strip_suffix(']').and_then(|text| text.rsplit_once('[')) {
        if count.is_empty() {
            return Some(FieldType::Array(Box::new(field_type(element, &[])?)));
        }
        let count_field = earlier.iter().position(|field| field.name == count)?;
        let element = Box::new(field_type(element, &[])?);
        return Some(FieldType::CountedArray { count_field: u16::try_from(count_field).ok()?, element });
    }
    if let Some(members) = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
        return structure(members);
    }
    Some(match text {
        "u8" => FieldType::UInt8,
        "u16" => FieldType::UInt16,
        "u32" => FieldType::UInt32,
        "u64" => FieldType::UInt64,
        "i32" => FieldType::Int32,
        "i64" => FieldType::Int64,
        "f64" => FieldType::Float64,
        "ptr" => FieldType::Pointer,
        "bool32" => FieldType::Boolean32,
        "guid" => FieldType::Guid,
        "wstr" => FieldType::Utf16String,
        "astr" => FieldType::Utf8String,
        "varu" => FieldType::VarUInt,
        "s16" => FieldType::CountedUtf8String,
        _ => return None,
    })
}

fn structure(members: &str) -> Option<FieldType> {
    let mut fields = Vec::new();
    for declaration in split_declarations(members) {
        let next = field(declaration, &fields)?;
        fields.push(next);
    }
    Some(FieldType::Object(fields))
}

#[cfg(test)]
mod tests {
    use super::super::table;
    use super::*;

    #[test]
    fn every_table_declaration_parses() {
        for event in table::all_events() {
            let mut declared = 0;
            for line in event.versions.lines() {
                let (sign, version, text) = version_line(line).expect(line);
                assert!("v+=".contains(sign), "{line}");
                declared = split_declarations(text).count() + if sign == '=' { 0 } else { declared };
                assert_eq!(fields(event.versions, version).len(), declared, "event {} {line}", event.id);
            }
        }
    }

    #[test]
    fn field_values_exist_in_table() {
        let layouts = table::all_events().iter().flat_map(|event| event.versions.split([' ', ',', '{', '}', '\n']));
        let named: Vec<&str> = layouts.filter_map(|word| word.split_once(':')).map(|(_, values)| values).collect();
        assert!(named.len() > 50);
        assert_eq!(named.into_iter().find(|name| table::values(name).is_none()), None);
    }
}
