//! Borrowed text.

use super::value::Value;
use std::borrow::Cow;
use std::fmt;

/// Text in a payload, undecoded: UTF-16 or UTF-8, not necessarily well-formed.
///
/// ```
/// use nettrace::{Field, FieldType, Payload};
///
/// let fields = [Field::new("name", FieldType::Utf16String)];
/// let payload = Payload::new(&fields, b"k\0\xE4\0s\0e\0\0\0", 8);
/// let name = payload.get(0).as_text().expect("text");
/// assert_eq!(name, "käse");
/// assert_eq!(name.to_string(), "käse");
/// ```
#[derive(Clone, Copy)]
pub struct Text<'a>(Encoded<'a>);

#[derive(Clone, Copy)]
enum Encoded<'a> {
    /// Little-endian UTF-16. An odd byte at the end is ignored.
    Utf16(&'a [u8]),
    Utf8(&'a [u8]),
}

/// Returns the code units of UTF-16 text.
fn units(bytes: &[u8]) -> impl Iterator<Item = u16> + Clone + '_ {
    bytes.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]]))
}

impl<'a> Text<'a> {
    /// Creates a text from UTF-16, little endian.
    pub(super) fn utf16(bytes: &'a [u8]) -> Self {
        Self(Encoded::Utf16(bytes))
    }

    /// Creates a text from UTF-8.
    pub(super) fn utf8(bytes: &'a [u8]) -> Self {
        Self(Encoded::Utf8(bytes))
    }

    /// Returns the characters. Lone surrogates and ill-formed bytes become U+FFFD.
    pub fn chars(self) -> impl Iterator<Item = char> + 'a {
        const ILL_FORMED: char = char::REPLACEMENT_CHARACTER;
        let (wide, narrow): (&[u8], &[u8]) = match self.0 {
            Encoded::Utf16(bytes) => (bytes, &[]),
            Encoded::Utf8(bytes) => (&[], bytes),
        };
        let wide = char::decode_utf16(units(wide)).map(|unit| unit.unwrap_or(ILL_FORMED));
        let narrow = narrow.utf8_chunks().flat_map(|chunk| {
            let ill_formed = (!chunk.invalid().is_empty()).then_some(ILL_FORMED);
            chunk.valid().chars().chain(ill_formed)
        });
        wide.chain(narrow)
    }

    /// Returns the text as a string, borrowed if it is well-formed UTF-8.
    pub fn to_str(self) -> Cow<'a, str> {
        match self.0 {
            Encoded::Utf16(_) => Cow::Owned(self.chars().collect()),
            Encoded::Utf8(bytes) => String::from_utf8_lossy(bytes),
        }
    }

    /// Returns whether the text is valid, so that [`Text::chars`] replaces nothing.
    pub fn is_well_formed(self) -> bool {
        match self.0 {
            Encoded::Utf16(bytes) => char::decode_utf16(units(bytes)).all(|unit| unit.is_ok()),
            Encoded::Utf8(bytes) => std::str::from_utf8(bytes).is_ok(),
        }
    }

    /// Returns whether the text has no characters.
    pub fn is_empty(self) -> bool {
        self.chars().next().is_none()
    }

    /// Returns whether the undecoded bytes are UTF-16, not UTF-8.
    pub fn is_utf16(self) -> bool {
        matches!(self.0, Encoded::Utf16(_))
    }

    /// Returns the undecoded bytes, without a terminating NUL. Equal bytes in the same field are equal text, so they
    /// can serve as a key.
    pub fn as_bytes(self) -> &'a [u8] {
        match self.0 {
            Encoded::Utf16(bytes) | Encoded::Utf8(bytes) => bytes,
        }
    }

    /// Returns the size of a code unit in bytes: 2 for UTF-16, 1 for UTF-8.
    pub fn unit_bytes(self) -> usize {
        match self.0 {
            Encoded::Utf16(_) => 2,
            Encoded::Utf8(_) => 1,
        }
    }

    /// Returns the text up to its first NUL.
    pub(super) fn until_nul(self) -> Self {
        match self.0 {
            Encoded::Utf16(bytes) => {
                let end = units(bytes).position(|unit| unit == 0).map_or(bytes.len(), |unit| 2 * unit);
                Self::utf16(bytes.get(..end).unwrap_or(bytes))
            }
            Encoded::Utf8(bytes) => {
                let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
                Self::utf8(bytes.get(..end).unwrap_or(bytes))
            }
        }
    }

    /// Returns the text as an owned value, which preserves lone surrogates.
    pub(super) fn to_value(self) -> Value {
        match self.0 {
            Encoded::Utf16(bytes) => match char::decode_utf16(units(bytes)).collect::<Result<String, _>>() {
                Ok(text) => Value::String(text),
                Err(_) => Value::Utf16(units(bytes).collect()),
            },
            Encoded::Utf8(_) => Value::String(self.to_str().into_owned()),
        }
    }
}

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.chars().try_for_each(|character| fmt::Write::write_char(f, character))
    }
}

impl fmt::Debug for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_str())
    }
}

impl PartialEq<str> for Text<'_> {
    fn eq(&self, other: &str) -> bool {
        self.chars().eq(other.chars())
    }
}

impl PartialEq<&str> for Text<'_> {
    fn eq(&self, other: &&str) -> bool {
        *self == **other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn valid_text_in_both_encodings_equals_string() {
        for text in ["", "käse 🧀", "a\0b"] {
            let wide = utf16(text);
            for found in [Text::utf16(&wide), Text::utf8(text.as_bytes())] {
                assert!(found.is_well_formed() && found == text && found.is_empty() == text.is_empty());
                assert_eq!((found.to_string().as_str(), &*found.to_str()), (text, text));
                assert_eq!(found.to_value(), Value::String(text.to_owned()));
            }
        }
        assert!(matches!(Text::utf8(b"abc").to_str(), Cow::Borrowed("abc")));
    }

    #[test]
    fn invalid_text_has_replacement_characters() {
        let lone = [0x41, 0, 0x3D, 0xD8, 0x42, 0];
        let text = Text::utf16(&lone);
        assert!(!text.is_well_formed());
        assert_eq!(text.to_string(), "A\u{FFFD}B");
        assert_eq!(text.to_value(), Value::Utf16(vec![0x41, 0xD83D, 0x42]));
        for bytes in [&b"a\xE2\x82b"[..], b"\xFF\xFE", b"a\xF0\x9F\xA7", b"\xC0\x80z"] {
            let text = Text::utf8(bytes);
            assert!(!text.is_well_formed());
            assert_eq!(text.to_string(), String::from_utf8_lossy(bytes));
        }
    }

    #[test]
    fn text_ends_at_first_nul() {
        assert_eq!(Text::utf8(b"ab\0c").until_nul(), "ab");
        assert_eq!(Text::utf8(b"abc").until_nul(), "abc");
        assert_eq!(Text::utf16(&utf16("\u{100}b\0c")).until_nul(), "\u{100}b");
        assert_eq!(Text::utf16(&[0x41, 0, 7]).until_nul(), "A");
    }
}
