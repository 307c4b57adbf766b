//! Parses offsets in the file.

/// Parses an offset: decimal, with or without separators, or hexadecimal after "0x" or before "h".
pub fn parse_offset(text: &str) -> Option<u64> {
    let plain: String = text.chars().filter(|c| !matches!(c, ',' | '_' | ' ' | '\u{2009}' | '\u{a0}')).collect();
    let lower = plain.to_ascii_lowercase();
    if let Some(hex) = lower.strip_prefix("0x").or_else(|| lower.strip_suffix('h')) {
        return u64::from_str_radix(hex, 16).ok();
    }
    lower.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offset_text_parses() {
        for offset in [0, 20_838_932, 10_000_000_000] {
            assert_eq!(parse_offset(&protocol::format::offset(offset)), Some(offset));
        }
        let typed = ["20,838,932", " 20838932", "0x13DFA14", "13dfa14h", "0X013dfa14"];
        assert!(typed.into_iter().all(|text| parse_offset(text) == Some(20_838_932)));
        assert!(
            ["", "0x", "-1", "12.5", "fa", "0x1_0000_0000_0000_0000"]
                .into_iter()
                .all(|text| parse_offset(text).is_none())
        );
    }
}
