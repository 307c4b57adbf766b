//! Percent-encoding of text in URLs.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Characters that readers of query strings could misinterpret: all but the unreserved ones of RFC 3986.
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
const RESERVED_AND_DOTS: &AsciiSet = &RESERVED.add(b'.');

pub fn escape(text: &str, out: &mut String) {
    out.extend(utf8_percent_encode(text, RESERVED));
}

/// Escapes a text including its dots, for a part that is followed by others.
pub fn escape_dots(text: &str, out: &mut String) {
    out.extend(utf8_percent_encode(text, RESERVED_AND_DOTS));
}

/// Reverses [`escape`], and reads "+" as a space; `None` if the text isn't percent-encoded UTF-8.
pub fn unescape(text: &str) -> Option<String> {
    // The decoder would accept a "%" without two digits.
    let has_digits = |rest: &str| rest.bytes().take(2).filter(u8::is_ascii_hexdigit).count() == 2;
    if !text.split('%').skip(1).all(has_digits) {
        return None;
    }
    percent_decode_str(&text.replace('+', " ")).decode_utf8().ok().map(String::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_text_round_trips() {
        let mut text = String::new();
        escape_dots("a.b c=ä&%", &mut text);
        assert_eq!(text, "a%2Eb%20c%3D%C3%A4%26%25");
        assert_eq!(unescape(&text).as_deref(), Some("a.b c=ä&%"));
        assert_eq!((unescape("a+b"), unescape("a%2Bb")), (Some("a b".to_owned()), Some("a+b".to_owned())));
        for malformed in ["%", "%4", "%z1", "%%41", "%+1", "%ff"] {
            assert_eq!(unescape(malformed), None, "{malformed}");
        }
    }

    #[test]
    fn every_other_ascii_character_is_escaped() {
        let ascii: String = (0..128_u8).map(char::from).collect();
        let mut text = String::new();
        escape(&ascii, &mut text);
        let kept: String = text.split('%').skip(1).map(|part| &part[2..]).collect();
        assert_eq!(kept, "-.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz~");
        assert_eq!(unescape(&text), Some(ascii));
    }
}
