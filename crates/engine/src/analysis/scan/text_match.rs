//! Case-insensitive search for a text.

/// Text to find.
#[derive(Clone, Debug)]
pub struct Needle {
    pub lower: String,
    /// Position of the character in `lower` to search first, if `lower` is ASCII.
    rarest: usize,
}

impl Needle {
    /// Prepares the search for `text`; `None` if it is empty, which means no condition.
    pub fn new(text: &str) -> Option<Self> {
        let lower: String = text.chars().map(lower_case).collect();
        (!lower.is_empty()).then(|| Self { rarest: rarest_letter(lower.as_bytes()), lower })
    }

    /// Returns whether it occurs in `text`.
    pub fn is_in(&self, text: &str) -> bool {
        if !self.lower.is_ascii() {
            return text.chars().map(lower_case).collect::<String>().contains(&self.lower);
        }
        let needle = self.lower.as_bytes();
        let (first, rest) = (needle[0], &needle[1..]);
        let candidates = text.as_bytes().windows(needle.len());
        candidates
            .into_iter()
            .any(|window| window[0].to_ascii_lowercase() == first && window[1..].eq_ignore_ascii_case(rest))
    }

    /// Returns whether it equals `text`.
    pub fn is_all_of(&self, text: &str) -> bool {
        let mut lower = text.chars().map(lower_case);
        self.lower.chars().all(|wanted| lower.next() == Some(wanted)) && lower.next().is_none()
    }

    /// Returns whether it could be part of a formatted number, Boolean, GUID, address or date.
    pub fn may_be_in_a_number(&self) -> bool {
        let is_number_like = self.lower.bytes().all(|byte| byte.is_ascii_hexdigit() || b"-+.:,xtz[] ".contains(&byte));
        is_number_like || ["true", "false", "nan", "infinity"].iter().any(|word| word.contains(&self.lower))
    }

    /// Returns whether a payload could contain it as 8-bit text or as UTF-16. False is always right.
    pub fn may_be_in_bytes(&self, payload: &[u8]) -> bool {
        if !self.lower.is_ascii() {
            return true;
        }
        let needle = self.lower.as_bytes();
        let is_at = |start: usize, step: usize| {
            let bytes = payload.get(start..).unwrap_or_default().iter().step_by(step);
            bytes.take(needle.len()).map(u8::to_ascii_lowercase).eq(needle.iter().copied())
        };
        let letter = needle[self.rarest];
        let mut from = 0;
        while let Some(at) = next_letter(payload, from, letter) {
            let begins = |step: usize| at.checked_sub(step * self.rarest).is_some_and(|start| is_at(start, step));
            if begins(1) || begins(2) {
                return true;
            }
            from = at + 1;
        }
        false
    }
}

/// Returns the next position of a lowercase letter in either case, eight bytes at a time.
fn next_letter(bytes: &[u8], mut from: usize, letter: u8) -> Option<usize> {
    const LOW: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // Setting this bit converts A to Z to lower case, and other bytes to candidates that are checked below.
    const CASE: u64 = LOW * 0x20;
    let pattern = LOW * u64::from(letter | 0x20);
    while let Some(eight) = bytes.get(from..).and_then(|rest| rest.first_chunk()) {
        let differing = (u64::from_le_bytes(*eight) | CASE) ^ pattern;
        // The lowest marked byte is zero; those above it may be marked by a borrow.
        let zeros = differing.wrapping_sub(LOW) & !differing & HIGH;
        if zeros != 0 {
            let at = from + zeros.trailing_zeros() as usize / 8;
            if bytes[at].to_ascii_lowercase() == letter {
                return Some(at);
            }
            from = at + 1;
        } else {
            from += 8;
        }
    }
    let rest = bytes.get(from..)?;
    Some(from + rest.iter().position(|byte| byte.to_ascii_lowercase() == letter)?)
}

/// Returns the character of an ASCII text that is rarest in payloads: zeros and spaces are everywhere, most letters in
/// names.
fn rarest_letter(text: &[u8]) -> usize {
    const FREQUENT: &[u8] = b"\0 etaoinsrmclydpu";
    let frequency =
        |byte: &u8| FREQUENT.iter().position(|frequent| frequent == byte).map_or(0, |at| FREQUENT.len() - at);
    (0..text.len()).min_by_key(|&at| frequency(&text[at])).unwrap_or(0)
}

/// Converts capitals of the Latin, Greek and Cyrillic alphabets to lower case; other characters are unchanged. Every
/// visitor would download the tables of all alphabets.
fn lower_case(character: char) -> char {
    let code = character as u32;
    let lower = match code {
        0x41..=0x5A | 0xC0..=0xD6 | 0xD8..=0xDE | 0x391..=0x3A1 | 0x3A3..=0x3AB | 0x410..=0x42F => code + 32,
        0x400..=0x40F => code + 80,
        // Pairs of a capital and its small letter.
        0x100..=0x12F | 0x132..=0x137 | 0x14A..=0x177 | 0x460..=0x481 | 0x1E00..=0x1E95 => code | 1,
        0x139..=0x148 | 0x179..=0x17E => code + code % 2,
        _ => code,
    };
    char::from_u32(lower).unwrap_or(character)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn utf16(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn search_is_case_insensitive_beyond_ascii() {
        assert!(Needle::new("http").unwrap().is_in("System.Net.HTTP"));
        assert!(Needle::new("STRAßE").unwrap().is_in("straße 5"));
        assert!(Needle::new("ÄÖ").unwrap().is_in("xäöx"));
        assert!(!Needle::new("https").unwrap().is_in("http"));
        assert!(Needle::new("").is_none());
    }

    #[test]
    fn bytes_are_searched_in_both_encodings() {
        let needle = Needle::new("Stock").unwrap();
        assert!(needle.may_be_in_bytes(&utf16("/stock/7")));
        assert!(needle.may_be_in_bytes(b"/sTOCK/7"));
        assert!(!needle.may_be_in_bytes(&utf16("/stop/7")));
        assert!(!needle.may_be_in_bytes(b"/stoc"));
    }

    proptest! {
        #[test]
        fn bytes_containing_text_are_never_missed(before in "[a-z0@`@\u{0}-\u{7f}]{0,20}", text in "[a-zA-Z0-9@. ]{1,6}", after in ".{0,9}") {
            let whole = format!("{before}{text}{after}");
            let needle = Needle::new(&text).expect("a text");
            prop_assert!(needle.may_be_in_bytes(whole.as_bytes()));
            prop_assert!(needle.may_be_in_bytes(&utf16(&whole)));
            if whole.is_ascii() {
                let others: String = whole.chars().filter(|char| !text.contains(char.to_ascii_lowercase()) && !text.contains(char.to_ascii_uppercase())).collect();
                prop_assert!(!needle.may_be_in_bytes(others.as_bytes()));
            }
        }
    }

    #[test]
    fn numbers_are_distinguished_from_words() {
        for text in ["12", "0x7f", "-1.5", "tru", "2024-01-01T"] {
            assert!(Needle::new(text).unwrap().may_be_in_a_number(), "{text}");
        }
        assert!(!Needle::new("stock").unwrap().may_be_in_a_number());
    }

    #[test]
    fn european_capitals_convert_to_lower_case() {
        let all = (0..0x250).chain(0x386..0x482).chain(0x1E00..0x1E96).filter_map(char::from_u32);
        for capital in all {
            let lower = lower_case(capital);
            let expected: Vec<char> = capital.to_lowercase().collect();
            assert!(lower == capital || [lower] == expected[..], "{capital} is {expected:?}, not {lower}");
        }
        let text = "ÄÖÜ ÉÈŁŽŚ ΑΒΓΣΩ ЖЫЁ ẞ";
        let lower: String = text.chars().map(lower_case).collect();
        assert_eq!(lower, "äöü éèłžś αβγσω жыё ẞ");
    }
}
