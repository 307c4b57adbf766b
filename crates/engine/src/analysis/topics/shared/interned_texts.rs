//! Texts of a topic that are kept: each once, not longer than people read in a table, and only so many.

use crate::analysis::intervals::interval_set::Texts;
use crate::analysis::values::payload_text::cut;

/// Characters of a text.
const MAX_CHARS: usize = 240;
/// Bytes of all texts; what comes later is not kept.
const MAX_BYTES: usize = 16 << 20;
/// Stands for what is not kept.
const NOT_KEPT: &str = "…";

/// Texts with positions.
#[derive(Debug, Default)]
pub struct InternedTexts {
    texts: Texts,
    bytes: usize,
}

impl InternedTexts {
    /// The position of a text.
    pub fn position(&mut self, text: &str) -> u32 {
        let is_plain = text.len() <= MAX_CHARS && !text.contains(char::is_control);
        if is_plain { self.keep(text) } else { self.keep(&cut(text, MAX_CHARS)) }
    }

    fn keep(&mut self, text: &str) -> u32 {
        if let Some(known) = self.texts.find(text) {
            return known;
        }
        if self.bytes > MAX_BYTES {
            return self.texts.position(NOT_KEPT);
        }
        self.bytes += text.len();
        self.texts.position(text)
    }

    /// A text.
    pub fn get(&self, position: u32) -> &str {
        self.texts.get(position)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.texts.bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_and_too_many_are_not_kept() {
        let mut texts = InternedTexts::default();
        let long = texts.position(&"x".repeat(1000));
        assert_eq!(texts.get(long).chars().count(), MAX_CHARS);
        assert_eq!(texts.position("one\ntwo"), texts.position("one two"));
        for number in 0..MAX_BYTES / 200 + 2 {
            texts.position(&format!("{number:0>200}"));
        }
        let late = texts.position("late");
        assert_eq!(texts.get(late), NOT_KEPT);
        assert_eq!(texts.position("one two"), 1);
    }
}
