//! Saved time ranges with a name and a note.

use crate::notes::MAX_TEXT;
use crate::url::percent::{escape_dots, unescape};
use protocol::base::time::Span;
use std::borrow::Cow;

/// Saved time range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SavedRange {
    /// The range.
    pub span: Span,
    pub name: String,
    /// Note; may be empty.
    pub note: String,
}

impl SavedRange {
    /// Returns the text on its flag.
    pub fn flag(&self) -> Cow<'_, str> {
        match self.note.is_empty() {
            true => Cow::Borrowed(&self.name),
            false => Cow::Owned(format!("{}: {}", self.name, self.note)),
        }
    }

    /// Returns the range as part of a URL.
    pub fn encode(&self) -> String {
        let mut text = format!("{}.{}.", self.span.start.0, self.span.end.0);
        escape_dots(&self.name, &mut text);
        text.push('.');
        text.push_str(&self.note);
        text
    }

    /// Reads a range from part of a URL; `None` if it is empty.
    pub fn decode(text: &str) -> Option<Self> {
        let mut parts = text.splitn(4, '.');
        let (start, end) = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        let short = |text: &str| text.chars().take(MAX_TEXT).collect();
        let (name, note) = (short(&unescape(parts.next()?)?), short(parts.next()?));
        (start < end).then(|| Self { span: Span::new(start, end), name, note })
    }
}

/// Returns an unused name for the next saved range.
pub fn next_name(saved_ranges: &[SavedRange]) -> String {
    let names = (1..).map(|number| format!("Range {number}"));
    let is_free = |name: &String| saved_ranges.iter().all(|saved_range| saved_range.name != *name);
    names.take(saved_ranges.len() + 1).find(is_free).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn saved_range_is_readable_in_url() {
        let saved_range =
            SavedRange { span: Span::new(-5, 1_000), name: "v1.2 slow".to_owned(), note: "why? a.b".to_owned() };
        assert_eq!(saved_range.encode(), "-5.1000.v1%2E2%20slow.why? a.b");
        assert_eq!(SavedRange::decode(&saved_range.encode()), Some(saved_range));
        for text in ["", "1.2", "1.2.x", "2.1.x.y", "a.2.x.y"] {
            assert_eq!(SavedRange::decode(text), None, "{text}");
        }
    }

    #[test]
    fn next_name_is_unused() {
        let of = |name: &str| SavedRange { span: Span::new(0, 1), name: name.to_owned(), note: String::new() };
        assert_eq!(next_name(&[]), "Range 1");
        assert_eq!(next_name(&[of("Range 2"), of("Range 1")]), "Range 3");
        assert_eq!(next_name(&[of("Range 2"), of("lunch")]), "Range 1");
    }
}
