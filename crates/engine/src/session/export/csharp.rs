//! Identifiers, literals and types in C# source code.

use nettrace::FieldType;
use std::collections::BTreeSet;
use std::fmt::Write;

/// Keywords, which need an `@` as identifiers. Includes contextual keywords, because an `@` is always allowed.
const KEYWORDS: &str = "
    abstract add alias and args as ascending async await base bool break by
    byte case catch char checked class const continue decimal default delegate descending do
    double dynamic else enum equals event explicit extern false field file finally fixed
    float for foreach from get global goto group if implicit in init int
    interface internal into is join let lock long nameof namespace new not notnull
    null object on operator or orderby out override params partial private protected public
    readonly record ref remove required return sbyte scoped sealed select set short sizeof
    stackalloc static string struct switch this throw true try typeof uint ulong unchecked
    unmanaged unsafe ushort using value var virtual void volatile when where while with
    yield";

/// Converts text to an identifier, replacing invalid characters with `_`.
pub(super) fn identifier(text: &str, if_empty: &str) -> String {
    let mut name: String = text.chars().map(|one| if is_valid_in_identifier(one) { one } else { '_' }).collect();
    if name.is_empty() {
        name.push_str(if_empty);
    }
    // Only ASCII letters are accepted at the start. Checking other scripts would need a table.
    if !name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        name.insert(0, '_');
    }
    name
}

/// Returns whether a character is valid inside an identifier. Circled letters aren't letters in C#, and characters
/// of two code units are invalid.
fn is_valid_in_identifier(character: char) -> bool {
    let is_other_letter = || character.is_alphabetic() && !('\u{24B6}'..='\u{24E9}').contains(&character);
    let is_short = u32::from(character) <= 0xFFFF;
    character.is_ascii_alphanumeric() || character == '_' || (!character.is_ascii() && is_short && is_other_letter())
}

/// Returns the identifier, with an @ if it is a keyword.
pub(super) fn escaped(name: &str) -> String {
    let is_keyword = KEYWORDS.split_whitespace().any(|word| word == name);
    if is_keyword { format!("@{name}") } else { name.to_owned() }
}

/// Returns a unique identifier, numbered if necessary, and marks it as taken.
pub(super) fn unique(name: String, taken: &mut BTreeSet<String>) -> String {
    let mut unique = name.clone();
    let mut number = 2;
    while !taken.insert(unique.clone()) {
        unique = format!("{name}_{number}");
        number += 1;
    }
    unique
}

pub(super) fn literal(text: &str) -> String {
    let mut quoted = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            // Unicode line separators end a line of C#, too.
            other if other.is_control() || "\u{2028}\u{2029}\u{85}".contains(other) => {
                // Writing to a string can't fail.
                let _ = write!(quoted, "\\u{:04X}", u32::from(other));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// Returns text for a single-line comment.
pub(super) fn comment(text: &str) -> String {
    text.chars().map(|one| if one.is_control() || "\u{2028}\u{2029}\u{85}".contains(one) { ' ' } else { one }).collect()
}

/// Type of a field in C#.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Type {
    /// Built-in type, or a type of the standard library.
    Known(String),
    /// Class to generate, with its fields.
    Made(Vec<(String, Type)>),
    ArrayOf(Box<Type>),
}

impl Type {
    /// Returns the type with which an event source writes a field.
    pub(super) fn of(field_type: &FieldType) -> Self {
        use FieldType as F;
        let known = |name: &str| Self::Known(name.to_owned());
        match field_type {
            F::Object(fields) => {
                Self::Made(fields.iter().map(|field| (field.name.clone(), Self::of(&field.field_type))).collect())
            }
            F::Boolean32 | F::Boolean8 => known("bool"),
            F::Char16 => known("char"),
            F::Int8 => known("sbyte"),
            F::UInt8 | F::Utf8CodeUnit => known("byte"),
            F::Int16 => known("short"),
            F::UInt16 => known("ushort"),
            F::Int32 => known("int"),
            F::UInt32 => known("uint"),
            F::Int64 | F::VarInt => known("long"),
            F::UInt64 | F::VarUInt => known("ulong"),
            F::Float32 => known("float"),
            F::Float64 => known("double"),
            F::Decimal => known("decimal"),
            F::DateTime => known("DateTime"),
            F::Guid => known("Guid"),
            F::Pointer => known("IntPtr"),
            F::Utf16String | F::Utf8String | F::CountedUtf8String => known("string"),
            F::Array(element)
            | F::FixedLengthArray(element, _)
            | F::RelLoc(element)
            | F::DataLoc(element)
            | F::CountedArray { element, .. } => match element.as_ref() {
                F::Utf8CodeUnit | F::Char16 => known("string"),
                other => Self::ArrayOf(Box::new(Self::of(other))),
            },
            // Unknown type.
            _ => known("object"),
        }
    }

    /// Returns whether a manifest can describe the type: structures, and arrays other than bytes, need self-describing
    /// events.
    pub(super) fn fits_manifest(&self) -> bool {
        match self {
            Self::Known(_) => true,
            Self::Made(_) => false,
            Self::ArrayOf(element) => **element == Self::Known("byte".to_owned()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_text_becomes_identifier() {
        let name = |text: &str| escaped(&identifier(text, "none"));
        assert_eq!(
            ["class", "Order", "a b", "1st", "", "☃"].map(name),
            ["@class", "Order", "a_b", "_1st", "none", "_"]
        );
        assert_eq!([name("größe"), name("über")], ["größe", "_über"]);
        assert_eq!(name("x\u{2460}\u{24B6}½"), "x___", "characters C# doesn't allow");
        let mut taken = BTreeSet::new();
        let names = ["a", "a", "a_2"].map(|text| unique(text.to_owned(), &mut taken));
        assert_eq!(names, ["a", "a_2", "a_2_2"]);
    }

    #[test]
    fn literals_and_comments_are_escaped() {
        assert_eq!(literal("a\"b\\c\n\u{1}\u{2028}é"), r#""a\"b\\c\n\u0001\u2028é""#);
        assert_eq!(comment("a\r\nb"), "a  b");
    }
}
