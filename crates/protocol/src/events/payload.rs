//! Payload of an event in one line, as names and values that can be told apart.

/// Separates a field from the next one, and text before the fields from the first one.
pub const FIELD_END: char = '\u{1e}';
/// Separates the name of a field from its value.
pub const NAME_END: char = '\u{1f}';

/// Returns the parts of a payload line: names of fields with their values, and text with an empty name.
pub fn pairs(line: &str) -> impl Iterator<Item = (&str, &str)> {
    let parts = line.split(FIELD_END).filter(|part| !part.is_empty());
    parts.map(|part| part.split_once(NAME_END).unwrap_or(("", part)))
}

/// Returns a payload line as readable text: `name=value, name=value …`.
pub fn plain(line: &str) -> String {
    line.replace(NAME_END, "=").replace(FIELD_END, ", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_has_names_values_and_text() {
        let line = "(1 byte unread)\u{1e}Path\u{1f}/a b\u{1e}Count\u{1f}3";
        let found: Vec<_> = pairs(line).collect();
        assert_eq!(found, [("", "(1 byte unread)"), ("Path", "/a b"), ("Count", "3")]);
        assert_eq!(plain(line), "(1 byte unread), Path=/a b, Count=3");
        assert_eq!(pairs("").count(), 0);
        assert_eq!(pairs("cut\u{1e}Name…").last(), Some(("", "Name…")), "a name without its value is text");
    }
}
