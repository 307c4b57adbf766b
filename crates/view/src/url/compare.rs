//! Comparison with another trace in a URL.
//!
//! The other trace has the keys of the trace itself, for a second time: `url=` twice names two traces. Decoding renames
//! the second ones (`OtherKeys`). After `how=add` they are those of a trace on the timeline (`added`).

use super::part::{self, UrlPart};
use super::trace::TraceLink;
use protocol::base::time::Span;
use protocol::compare::Per;

/// Prefix of the other trace's keys while a URL is decoded.
const OTHER: &str = "other-";
/// Prefix of the keys of added traces while a URL is decoded.
pub(super) const ADDED: &str = "added-";

/// Keys of a trace; the first ones name its source.
pub(super) const SOURCES: [&str; 3] = ["sample", "url", "file"];
const DETAILS: [&str; 3] = ["print", "entry", "offset"];

/// Comparison of the open trace with another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CompareView {
    /// The other trace; without a source if there is none.
    pub other: TraceLink,
    /// True if the open trace is the old one.
    pub is_open_old: bool,
    /// What sums are divided by.
    pub per: Per,
    /// Time ranges of the open and of the other trace, in the filter syntax; empty for the whole trace.
    pub ranges: [String; 2],
}

impl Default for CompareView {
    fn default() -> Self {
        Self { other: TraceLink::default(), is_open_old: true, per: Per::default(), ranges: Default::default() }
    }
}

/// Keys of the traces in a URL, in order.
#[derive(Default)]
pub(super) struct OtherKeys {
    /// Whether there was a trace.
    has_trace: bool,
    is_adding: bool,
    /// Prefix of the keys of the last trace; empty for the first one.
    prefix: &'static str,
}

impl OtherKeys {
    /// Returns the key by which a part reads a value, if the value is about another trace than the first one.
    pub(super) fn key(&mut self, key: &str, value: &str) -> Option<String> {
        if key == "how" {
            self.is_adding = value == "add";
        }
        let is_source = SOURCES.contains(&key);
        if is_source && self.has_trace {
            self.prefix = if self.is_adding { ADDED } else { OTHER };
        }
        self.has_trace |= is_source;
        let is_of_trace = is_source || DETAILS.contains(&key);
        (is_of_trace && !self.prefix.is_empty()).then(|| format!("{}{key}", self.prefix))
    }
}

impl UrlPart for CompareView {
    fn encode(&self, push: &mut impl FnMut(&str, &str)) {
        if self.other.source.is_none() {
            return;
        }
        self.other.encode(push);
        let [current, old] = &self.ranges;
        let per = part::unless_default(self.per, Per::name);
        let open = if self.is_open_old { "" } else { "new" };
        part::push_texts(push, &[("cmp", open), ("per", per), ("cr", current), ("or", old)]);
    }

    fn decode(&mut self, key: &str, value: &str) -> bool {
        match key {
            "cmp" => self.is_open_old = value != "new",
            "per" => self.per = Per::from_name(value).unwrap_or_default(),
            "cr" => value.clone_into(&mut self.ranges[0]),
            "or" => value.clone_into(&mut self.ranges[1]),
            key => return key.strip_prefix(OTHER).is_some_and(|key| self.other.decode(key, value)),
        }
        true
    }

    fn fit(&mut self, _: Span) {
        self.ranges[0].clear();
    }

    fn is_step_from(&self, before: &Self) -> bool {
        // The fingerprint of a file is known some time after the file is open.
        let without_other = |view: &Self| Self { other: TraceLink::default(), ..view.clone() };
        without_other(self) != without_other(before) || !self.other.is(&before.other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::url::state::{SourceLink, UrlState};

    #[test]
    fn second_trace_has_the_keys_of_the_first() {
        let hash = "#/compare?v=1&url=https%3A%2F%2Fa%2F1.nettrace&url=https%3A%2F%2Fb%2F2.nettrace&cmp=new&per=request&cr=2s..";
        let state = UrlState::decode(hash);
        let url = |text: &str| Some(SourceLink::Url(text.to_owned()));
        assert_eq!(state.trace.source, url("https://a/1.nettrace"));
        assert_eq!(state.compare.other.source, url("https://b/2.nettrace"));
        assert_eq!((state.compare.per, state.compare.is_open_old), (Per::Request, false));
        assert_eq!(state.compare.ranges, ["2s..", ""]);
        assert_eq!(UrlState::decode(&state.encode()), state);
    }

    #[test]
    fn files_keep_their_fingerprints_and_entries() {
        let hash = "#/compare?v=1&file=a.zip&print=7.85944171f73967e8&entry=x%2Fa.nettrace&file=b.nettrace&print=8.85944171f73967e9";
        let state = UrlState::decode(hash);
        let file = |trace: &TraceLink| match &trace.source {
            Some(SourceLink::File(file)) => (file.name.clone(), file.print.map(|print| print.bytes)),
            _ => Default::default(),
        };
        assert_eq!(file(&state.trace), ("a.zip".to_owned(), Some(7)));
        assert_eq!(state.trace.entry.as_deref(), Some("x/a.nettrace"));
        assert_eq!(
            (file(&state.compare.other), state.compare.other.entry.clone()),
            (("b.nettrace".to_owned(), Some(8)), None)
        );
        assert_eq!(UrlState::decode(&state.encode()), state);
    }
}
