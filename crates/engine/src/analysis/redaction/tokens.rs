//! Replaces the words of a text with others of the same length.
//!
//! Punctuation stays, so that paths keep their segments and JSON stays JSON.

use protocol::redaction::Mask;
use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};

/// Maximum number of words that are remembered. Further words may get a token that another word has.
const MAX_WORDS: usize = 200_000;
/// Attempts to find a token that no other word has.
const ATTEMPTS: u64 = 16;
/// Words that JSON needs.
const LITERALS: [&str; 3] = ["true", "false", "null"];
const HEX: &[u8; 16] = b"0123456789abcdef";

/// Tokens of words. A word has the same token wherever it occurs.
pub(super) struct Tokens {
    mask: Mask,
    key: u64,
    tokens: HashMap<Vec<u16>, Vec<u8>>,
    taken: HashSet<Vec<u8>>,
}

impl Tokens {
    pub fn new(mask: Mask, key: u64) -> Self {
        Self { mask, key, tokens: HashMap::new(), taken: HashSet::new() }
    }

    /// Replaces the words of a text with code units of this size in bytes.
    pub fn mask(&mut self, text: &mut [u8], unit_bytes: usize, is_json: bool) {
        let units: Vec<u16> = match unit_bytes {
            2 => text.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect(),
            _ => text.iter().map(|byte| u16::from(*byte)).collect(),
        };
        let mut put = |at: usize, letter: u8| {
            if let Some(place) = text.get_mut(at * unit_bytes..(at + 1) * unit_bytes) {
                place.fill(0);
                place[0] = letter;
            }
        };
        let mut at = 0;
        let mut word: Vec<(usize, u16)> = Vec::new();
        while at < units.len() {
            let (unit, length) = match is_json && units[at] == u16::from(b'\\') {
                true => escaped(&units[at..]),
                false => (Some(units[at]), 1),
            };
            let part = unit.filter(|unit| is_of_word(*unit)).map(|unit| (at, unit));
            word.extend(part);
            at += length;
            if word.is_empty() || part.is_some() && at < units.len() {
                continue;
            }
            let read: Vec<u16> = word.iter().map(|(_, unit)| *unit).collect();
            if !(is_json && is_literal(&read)) {
                for ((place, _), letter) in word.iter().zip(self.token(&read)) {
                    match is_json && units[*place] == u16::from(b'\\') {
                        // "\u0061"
                        true => (0..4).for_each(|digit| {
                            put(place + 2 + digit, HEX[usize::from(letter) >> (4 * (3 - digit)) & 15])
                        }),
                        false => put(*place, letter),
                    }
                }
            }
            word.clear();
        }
    }

    fn token(&mut self, word: &[u16]) -> Vec<u8> {
        if self.mask == Mask::Blank {
            return word.iter().map(|unit| if is_digit(*unit) { b'0' } else { b'x' }).collect();
        }
        if let Some(token) = self.tokens.get(word) {
            return token.clone();
        }
        let mut token = self.attempt(word, 0);
        let remembers = self.tokens.len() < MAX_WORDS;
        for attempt in 1..ATTEMPTS {
            if !self.taken.contains(&token) {
                break;
            }
            token = self.attempt(word, attempt);
        }
        if remembers {
            self.taken.insert(token.clone());
            self.tokens.insert(word.to_vec(), token.clone());
        }
        token
    }

    fn attempt(&self, word: &[u16], attempt: u64) -> Vec<u8> {
        let mut state = DefaultHasher::new();
        (self.key, word, attempt).hash(&mut state);
        let mut random = state.finish();
        let mut letter = |unit: u16| {
            // A linear congruential generator; the upper bits are the random ones.
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let draw = (random >> 33) as u32;
            match is_digit(unit) {
                // A number of JSON doesn't begin with 0.
                true => b'1' + (draw % 9) as u8,
                false => b'a' + (draw % 26) as u8,
            }
        };
        word.iter().map(|unit| letter(*unit)).collect()
    }
}

fn is_digit(unit: u16) -> bool {
    (u16::from(b'0')..=u16::from(b'9')).contains(&unit)
}

/// Returns whether a code unit belongs to a word: letters, digits, and everything outside of ASCII.
fn is_of_word(unit: u16) -> bool {
    u8::try_from(unit).map_or(true, |byte| byte.is_ascii_alphanumeric() || !byte.is_ascii())
}

fn is_literal(word: &[u16]) -> bool {
    LITERALS.iter().any(|literal| literal.encode_utf16().eq(word.iter().copied()))
}

/// Returns the code unit that a JSON escape at the start stands for, if it is `\u0041`, and the length of the escape.
fn escaped(units: &[u16]) -> (Option<u16>, usize) {
    let digit = |unit: &u16| char::from_u32(u32::from(*unit)).and_then(|letter| letter.to_digit(16));
    match units {
        [_, u, digits @ ..] if *u == u16::from(b'u') => {
            let value = digits
                .get(..4)
                .and_then(|digits| digits.iter().try_fold(0, |value, unit| Some(value * 16 + digit(unit)?)));
            // What doesn't stand for anything is read as letters.
            value.map_or((None, 1), |value| (u16::try_from(value).ok(), 6))
        }
        _ => (None, 2),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(tokens: &mut Tokens, text: &str, is_json: bool) -> String {
        let mut wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
        let mut narrow = text.as_bytes().to_vec();
        tokens.mask(&mut wide, 2, is_json);
        tokens.mask(&mut narrow, 1, is_json);
        let narrow = String::from_utf8(narrow).expect("UTF-8");
        if text.is_ascii() {
            let units: Vec<u16> = wide.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect();
            assert_eq!(String::from_utf16(&units).ok().as_deref(), Some(narrow.as_str()));
        }
        assert_eq!(narrow.len(), text.len());
        narrow
    }

    #[test]
    fn same_words_have_same_tokens() {
        let mut tokens = Tokens::new(Mask::Tokens, 7);
        let first = masked(&mut tokens, "/orders/1234?user=ann", false);
        let second = masked(&mut tokens, "/orders/9876?user=ann", false);
        let parts = |text: &str| text.split(['/', '?', '=']).map(str::to_owned).collect::<Vec<_>>();
        let (first, second) = (parts(&first), parts(&second));
        assert_eq!(first.len(), 5);
        assert_eq!((&first[1], &first[3], &first[4]), (&second[1], &second[3], &second[4]));
        assert_ne!(first[2], second[2]);
        assert!(first[2].bytes().all(|byte| byte.is_ascii_digit()), "{first:?}");
        assert!(!first.contains(&"orders".to_owned()) && !first.contains(&"ann".to_owned()));
        let other_key = masked(&mut Tokens::new(Mask::Tokens, 8), "orders", false);
        assert_ne!(other_key, first[1]);
    }

    #[test]
    fn blank_mask_keeps_only_the_shape() {
        let mut tokens = Tokens::new(Mask::Blank, 0);
        assert_eq!(masked(&mut tokens, "C:\\Users\\ann 12", false), "x:\\xxxxx\\xxx 00");
        assert_eq!(masked(&mut tokens, "käse", false), "xxxxx");
    }

    #[test]
    fn masked_json_is_json() {
        let mut tokens = Tokens::new(Mask::Tokens, 3);
        let text = r#"{"Name":"line\nbreak \u00e9","Amount":1050,"Ok":true,"None":null,"Path":"C:\\tmp"}"#;
        let masked = masked(&mut tokens, text, true);
        assert!(masked.contains(r"\n") && masked.contains(":true,") && masked.contains(":null,"), "{masked}");
        assert!(!masked.contains("Amount") && !masked.contains("1050") && !masked.contains("tmp"), "{masked}");
        assert_eq!(masked.matches('"').count(), text.matches('"').count());
    }

    #[test]
    fn letters_that_json_escapes_are_masked_as_others() {
        let mut tokens = Tokens::new(Mask::Blank, 0);
        let text = r#"{"\u0410\u043d\u043D":"a\u0026b\\u0031","x":"\u00"}"#;
        let expected = r#"{"\u0078\u0078\u0078":"x\u0026x\\x0000","x":"\x00"}"#;
        assert_eq!(masked(&mut tokens, text, true), expected);
        // The word is the same as in a text.
        let mut tokens = Tokens::new(Mask::Tokens, 5);
        let plain = masked(&mut tokens, "ab", false);
        let letters = plain.bytes().map(|letter| format!("\\u{letter:04x}")).collect::<String>();
        assert_eq!(masked(&mut tokens, r"\u0061\u0062", true), letters);
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_keep_their_length(text: Vec<u8>, wide: bool, is_json: bool) {
            let mut bytes = text.clone();
            Tokens::new(Mask::Tokens, 1).mask(&mut bytes, if wide { 2 } else { 1 }, is_json);
            proptest::prop_assert_eq!(bytes.len(), text.len());
        }
    }
}
