//! Deduplicated texts of a topic, with limits on their length and number.

use crate::analysis::intervals::interval_set::Texts;
use crate::analysis::values::payload_text::cut;

/// Maximum characters of a text.
const MAX_CHARS: usize = 240;
/// Maximum bytes of all texts; later ones are replaced.
const MAX_BYTES: usize = 16 << 20;
/// Replaces texts beyond the limit.
const REPLACEMENT: &str = "…";

/// Texts by position.
#[derive(Debug, Default)]
pub struct InternedTexts {
    texts: Texts,
    bytes: usize,
}

impl InternedTexts {
    /// Returns the position of a text, and adds it if needed.
    pub fn position(&mut self, text: &str) -> u32 {
        let is_plain = text.len() <= MAX_CHARS && !text.contains(char::is_control);
        if is_plain { self.keep(text) } else { self.keep(&cut(text, MAX_CHARS)) }
    }

    fn keep(&mut self, text: &str) -> u32 {
        if let Some(known) = self.texts.find(text) {
            return known;
        }
        if self.bytes > MAX_BYTES {
            return self.texts.position(REPLACEMENT);
        }
        self.bytes += text.len();
        self.texts.position(text)
    }

    /// Returns the text at a position.
    pub fn get(&self, position: u32) -> &str {
        self.texts.get(position)
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.texts.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_and_number_is_limited() {
        let mut texts = InternedTexts::default();
        let long = texts.position(&"x".repeat(1000));
        assert_eq!(texts.get(long).chars().count(), MAX_CHARS);
        assert_eq!(texts.position("one\ntwo"), texts.position("one two"));
        for number in 0..MAX_BYTES / 200 + 2 {
            texts.position(&format!("{number:0>200}"));
        }
        let late = texts.position("late");
        assert_eq!(texts.get(late), REPLACEMENT);
        assert_eq!(texts.position("one two"), 1);
    }
}
