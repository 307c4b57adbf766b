//! Streaming JSON writer.

use crate::format::needs_escape;
use std::fmt::{Display, LowerExp, Write};

/// JSON writer that inserts commas.
#[derive(Default)]
pub struct Json {
    text: String,
    needs_comma: bool,
}

/// Largest integer that every JSON parser reads exactly. Larger ones are written as strings.
const EXACT: u64 = 1 << 53;

impl Json {
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Writes the text so far to `output`, and continues after it.
    ///
    /// # Errors
    /// Fails if `output` can't be written.
    pub fn drain_into(&mut self, output: &mut dyn std::io::Write) -> std::io::Result<()> {
        output.write_all(self.text.as_bytes())?;
        self.text.clear();
        Ok(())
    }

    /// Clears the text, keeping the memory.
    pub fn clear(&mut self) {
        self.text.clear();
        self.needs_comma = false;
    }

    /// Ends a line of JSON Lines.
    pub fn line(&mut self) {
        self.text.push('\n');
        self.needs_comma = false;
    }

    /// Writes an object, whose members `fill` writes.
    pub fn object(&mut self, fill: impl FnOnce(&mut Self)) {
        self.nest('{', '}', fill);
    }

    /// Writes an array, whose elements `fill` writes.
    pub fn array(&mut self, fill: impl FnOnce(&mut Self)) {
        self.nest('[', ']', fill);
    }

    /// Writes the name of the next value.
    pub fn key(&mut self, name: &str) -> &mut Self {
        self.comma();
        self.quoted(name);
        self.text.push(':');
        self.needs_comma = false;
        self
    }

    /// Writes a string.
    pub fn string(&mut self, value: &str) {
        self.comma();
        self.quoted(value);
    }

    /// Writes a string with escaped HTML characters, for files that may be embedded in a page.
    pub fn markup_safe(&mut self, value: &str) {
        self.comma();
        self.text.push('"');
        for character in value.chars() {
            match character {
                '<' | '>' | '&' => self.escape(character as u16),
                other => self.character(other),
            }
        }
        self.text.push('"');
    }

    /// Writes a string of UTF-16 code units, including lone surrogates.
    pub fn utf16(&mut self, units: &[u16]) {
        self.comma();
        self.text.push('"');
        for unit in char::decode_utf16(units.iter().copied()) {
            match unit {
                Ok(character) => self.character(character),
                Err(lone) => self.escape(lone.unpaired_surrogate()),
            }
        }
        self.text.push('"');
    }

    /// Writes a value as a string without escaping its text.
    pub fn plain(&mut self, value: impl Display) {
        self.comma();
        // Writing to a string can't fail, here and below.
        let _ = write!(self.text, "\"{value}\"");
    }

    /// Writes an integer; beyond 2⁵³ as a string of digits.
    pub fn integer(&mut self, value: impl Into<i128>) {
        let value = value.into();
        if value.unsigned_abs() <= u128::from(EXACT) {
            self.comma();
            let _ = write!(self.text, "{value}");
        } else {
            self.plain(value);
        }
    }

    /// Writes a number in the shortest form that parses to the same value. NaN and infinities are strings.
    pub fn float(&mut self, value: f64) {
        self.real(value, value);
    }

    /// Writes a single-precision number like [`Self::float`].
    pub fn single(&mut self, value: f32) {
        self.real(f64::from(value), value);
    }

    /// Writes `value` in decimal or exponential notation, depending on the size of `wide`.
    fn real(&mut self, wide: f64, value: impl Display + LowerExp) {
        if wide.is_nan() {
            self.plain("NaN");
        } else if wide.is_infinite() {
            self.plain(if wide > 0.0 { "Infinity" } else { "-Infinity" });
        } else {
            self.comma();
            let is_plain = wide == 0.0 || (1e-5..1e15).contains(&wide.abs());
            let _ = if is_plain { write!(self.text, "{value}") } else { write!(self.text, "{value:e}") };
        }
    }

    /// Writes a Boolean.
    pub fn boolean(&mut self, value: bool) {
        self.raw(if value { "true" } else { "false" });
    }

    /// Writes null.
    pub fn null(&mut self) {
        self.raw("null");
    }

    /// Writes a value that is already JSON.
    pub fn verbatim(&mut self, text: &str) {
        self.raw(text);
    }

    fn raw(&mut self, text: &str) {
        self.comma();
        self.text.push_str(text);
    }

    fn nest(&mut self, open: char, close: char, fill: impl FnOnce(&mut Self)) {
        self.comma();
        self.text.push(open);
        self.needs_comma = false;
        fill(self);
        self.text.push(close);
        self.needs_comma = true;
    }

    fn comma(&mut self) {
        if self.needs_comma {
            self.text.push(',');
        }
        self.needs_comma = true;
    }

    fn quoted(&mut self, value: &str) {
        self.text.push('"');
        if value.bytes().all(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\') {
            self.text.push_str(value);
        } else {
            value.chars().for_each(|character| self.character(character));
        }
        self.text.push('"');
    }

    fn character(&mut self, character: char) {
        match character {
            '"' => self.text.push_str("\\\""),
            '\\' => self.text.push_str("\\\\"),
            '\n' => self.text.push_str("\\n"),
            '\r' => self.text.push_str("\\r"),
            '\t' => self.text.push_str("\\t"),
            // Includes characters that a terminal would interpret. All of them have one code unit.
            control if needs_escape(control) => self.escape(control as u16),
            other => self.text.push(other),
        }
    }

    fn escape(&mut self, unit: u16) {
        let _ = write!(self.text, "\\u{unit:04x}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_round_trips() {
        let mut json = Json::default();
        json.object(|json| {
            json.key("text").string("a \"quoted\"\\\n\u{1}ü");
            json.key("large").integer(u64::MAX);
            json.key("small").integer(-5);
            json.key("list").array(|json| {
                json.float(0.1);
                json.float(1e300);
                json.single(0.1);
                json.single(1e-9);
                json.float(f64::NAN);
                json.single(f32::NEG_INFINITY);
                json.boolean(true);
                json.null();
            });
            json.key("empty").object(|_| {});
        });
        let expected = serde_json::json!({
            "text": "a \"quoted\"\\\n\u{1}ü", "large": "18446744073709551615", "small": -5,
            "list": [0.1, 1e300, 0.1, 1e-9, "NaN", "-Infinity", true, null], "empty": {}
        });
        assert_eq!(serde_json::from_str::<serde_json::Value>(json.as_str()).unwrap(), expected);
    }

    /// R6.7: backslashes and the characters of markup are escaped, others are not.
    #[test]
    fn names_are_safe_in_markup() {
        let escaped = |text: &str| {
            let mut json = Json::default();
            json.markup_safe(text);
            json.as_str().to_owned()
        };
        for (text, expected) in [("\\", r"\\"), (">", r"\u003e"), ("&", r"\u0026"), ("<", r"\u003c"), ("M(T)", "M(T)")]
        {
            assert_eq!(escaped(text), format!("\"{expected}\""));
            assert_eq!(serde_json::from_str::<String>(&escaped(text)).unwrap(), text);
        }
    }

    #[test]
    fn lone_surrogates_are_escaped() {
        let mut json = Json::default();
        json.utf16(&[0x61, 0xd800, 0xd83d, 0xde00]);
        assert_eq!(json.as_str(), "\"a\\ud800😀\"");
    }
}
