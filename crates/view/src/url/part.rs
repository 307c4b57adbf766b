//! Parts of the page's state in a URL. Each folder of the page has one.

use protocol::base::time::Span;

/// Part of the page's state in a URL. Its keys are its own.
pub trait UrlPart: Clone + PartialEq + Default {
    /// Writes the values that differ from [`Default`].
    fn encode(&self, push: &mut impl FnMut(&str, &str));

    /// Reads a value, and returns whether its key belongs to this part. Malformed values have no effect.
    fn decode(&mut self, key: &str, value: &str) -> bool;

    /// Completes the part after the last value.
    fn finish(&mut self) {}

    /// Removes what can't apply to another trace, with this time range.
    fn fit(&mut self, _whole: Span) {}

    /// Returns whether the change from `before` is a step of the history. Other changes only update the URL.
    fn is_step_from(&self, before: &Self) -> bool {
        self != before
    }
}

/// Reads the start or the end of a time range. The start comes first in a URL; [`completed`] removes a range without
/// an end.
pub fn decode_bound(range: &mut Option<Span>, is_end: bool, value: &str) {
    let bound = value.parse::<i64>().ok();
    *range = match is_end {
        false => bound.map(|start| Span::new(start, start)),
        true => range.zip(bound).map(|(range, end)| Span::new(range.start.0, end)),
    };
}

/// Returns the range after the last value; `None` if it is empty.
pub fn completed(range: Option<Span>) -> Option<Span> {
    range.filter(|range| range.start < range.end)
}

/// Returns the part of a range that is inside a trace.
pub fn fitted(range: Option<Span>, whole: Span) -> Option<Span> {
    range.and_then(|range| range.intersect(whole))
}

/// Writes the texts that aren't empty.
pub fn push_texts(push: &mut impl FnMut(&str, &str), texts: &[(&str, &str)]) {
    texts.iter().filter(|(_, text)| !text.is_empty()).for_each(|(key, text)| push(key, text));
}

/// Returns the name of a value; empty for the default, which isn't written.
pub fn unless_default<T: Copy + Default + PartialEq>(value: T, name: fn(T) -> &'static str) -> &'static str {
    if value == T::default() { "" } else { name(value) }
}

/// Returns the value with a name, else the current value.
pub fn named_or<T: Copy>(all: impl IntoIterator<Item = T>, name: fn(T) -> &'static str, text: &str, current: T) -> T {
    all.into_iter().find(|value| name(*value) == text).unwrap_or(current)
}
