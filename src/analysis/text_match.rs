//! Finding a text in texts, ignoring case.

/// What is looked for.
#[derive(Clone, Debug)]
pub struct Needle {
    lower: String,
}

impl Needle {
    /// Looks for `text`; none if it is empty, so that there is no condition.
    pub fn new(text: &str) -> Option<Self> {
        let lower = text.to_lowercase();
        (!lower.is_empty()).then_some(Self { lower })
    }

    /// Whether it occurs in `text`.
    pub fn is_in(&self, text: &str) -> bool {
        if !self.lower.is_ascii() {
            return text.to_lowercase().contains(&self.lower);
        }
        let needle = self.lower.as_bytes();
        let (first, rest) = (needle[0], &needle[1..]);
        let candidates = text.as_bytes().windows(needle.len());
        candidates
            .into_iter()
            .any(|window| window[0].to_ascii_lowercase() == first && window[1..].eq_ignore_ascii_case(rest))
    }

    /// Whether it could be part of a number, a truth value, a GUID, an address or a date as they are written.
    pub fn may_be_in_a_number(&self) -> bool {
        let is_number_like = self.lower.bytes().all(|byte| byte.is_ascii_hexdigit() || b"-+.:,xtz[] ".contains(&byte));
        is_number_like || ["true", "false", "nan", "infinity"].iter().any(|word| word.contains(&self.lower))
    }

    /// Whether a payload could hold it as 8-bit text or as UTF-16. Never says no wrongly.
    pub fn may_be_in_bytes(&self, payload: &[u8]) -> bool {
        if !self.lower.is_ascii() {
            return true;
        }
        let needle = self.lower.as_bytes();
        let is_at = |start: usize, step: usize| {
            payload[start..]
                .iter()
                .step_by(step)
                .take(needle.len())
                .map(u8::to_ascii_lowercase)
                .eq(needle.iter().copied())
        };
        let first = needle[0];
        let starts = (0..payload.len()).filter(|&start| payload[start].to_ascii_lowercase() == first);
        starts.into_iter().any(|start| is_at(start, 1) || is_at(start, 2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf16(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    #[test]
    fn case_is_ignored_also_beyond_ascii() {
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

    #[test]
    fn numbers_are_told_from_words() {
        for text in ["12", "0x7f", "-1.5", "tru", "2024-01-01T"] {
            assert!(Needle::new(text).unwrap().may_be_in_a_number(), "{text}");
        }
        assert!(!Needle::new("stock").unwrap().may_be_in_a_number());
    }
}
