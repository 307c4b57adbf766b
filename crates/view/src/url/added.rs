//! Traces that were added to the timeline, in a URL.
//!
//! Each has the keys of the trace itself, after `how=add`: `url=…&how=add&url=…&offset=1500.37` names two traces.
//! `trace=all` after them is the same as `trace:all` in the filter.

use super::part::UrlPart;
use super::trace::TraceLink;
use protocol::base::time::Span;

/// Maximum number of added traces in a URL. Each needs a worker.
const MAX_TRACES: usize = 8;
/// Key of the trace that filter and events are about.
const SHOWN: &str = "trace";
/// Value of [`SHOWN`] for all traces.
const ALL: &str = "all";

/// Trace on the timeline.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AddedLink {
    pub trace: TraceLink,
    /// Nanoseconds to add to its times, if the user set them.
    pub offset: Option<i64>,
}

/// Traces that were added to the timeline of the first one, in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AddedView {
    pub traces: Vec<AddedLink>,
    /// True if filter and events are about all traces.
    pub are_all: bool,
}

impl UrlPart for AddedView {
    fn encode(&self, push: &mut impl FnMut(&str, &str)) {
        for one in &self.traces {
            push("how", "add");
            one.trace.encode(push);
            if let Some(nanos) = one.offset {
                push("offset", &(nanos as f64 / 1e6).to_string());
            }
        }
        if self.are_all && !self.traces.is_empty() {
            push(SHOWN, ALL);
        }
    }

    fn decode(&mut self, key: &str, value: &str) -> bool {
        if key == SHOWN {
            self.are_all = value == ALL;
            return true;
        }
        let Some(key) = key.strip_prefix(super::compare::ADDED) else { return false };
        if super::compare::SOURCES.contains(&key) {
            if self.traces.len() == MAX_TRACES {
                return true;
            }
            self.traces.push(AddedLink::default());
        }
        let Some(last) = self.traces.last_mut() else { return true };
        match key {
            "offset" => {
                let millis = value.parse::<f64>().ok().filter(|millis| millis.is_finite());
                last.offset = millis.map(|millis| (millis * 1e6).round() as i64);
                true
            }
            key => last.trace.decode(key, value),
        }
    }

    fn fit(&mut self, _: Span) {
        *self = Self::default();
    }

    /// Fingerprints of files are known some time after the files are open, and offsets are dragged.
    fn is_step_from(&self, before: &Self) -> bool {
        let mut pairs = self.traces.iter().zip(&before.traces);
        self.are_all != before.are_all
            || self.traces.len() != before.traces.len()
            || !pairs.all(|(one, other)| one.trace.is(&other.trace))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::url::state::{SourceLink, UrlState};

    fn url(text: &str) -> TraceLink {
        TraceLink::of(SourceLink::Url(text.to_owned()))
    }

    #[test]
    fn added_traces_have_the_keys_of_the_first() {
        let hash = "#/events?v=1&url=https%3A%2F%2Fa%2F1.nettrace&how=add&url=https%3A%2F%2Fb%2F2.nettrace&offset=1500.37&how=add&file=c.zip&entry=x";
        let state = UrlState::decode(hash);
        assert_eq!(state.trace, url("https://a/1.nettrace"));
        let [one, other] = state.added.traces.as_slice() else { panic!("{state:?}") };
        assert_eq!(*one, AddedLink { trace: url("https://b/2.nettrace"), offset: Some(1_500_370_000) });
        assert_eq!((other.trace.entry.as_deref(), other.offset), (Some("x"), None));
        assert_eq!(state.compare.other.source, None);
        assert_eq!(state.encode(), hash);
    }

    #[test]
    fn all_traces_round_trip_and_old_links_are_about_one() {
        let old = "#/events?v=1&sample=a&how=add&sample=b";
        assert!(!UrlState::decode(old).added.are_all);
        let hash = format!("{old}&trace=all");
        let state = UrlState::decode(&hash);
        assert!(state.added.are_all && state.is_step_from(&UrlState::decode(old)));
        assert_eq!(state.encode(), hash);
        let alone = UrlState { added: AddedView { traces: Vec::new(), are_all: true }, ..state };
        assert_eq!(alone.encode(), "#/events?v=1&sample=a");
        assert!(!UrlState::decode("#/events?v=1&sample=a&trace=b").added.are_all);
    }

    #[test]
    fn compared_and_added_traces_are_different() {
        let hash = "#/compare?v=1&sample=a&sample=b&how=add&sample=c&how=compare&sample=d";
        let state = UrlState::decode(hash);
        let sample = |name: &str| TraceLink::of(SourceLink::Sample(name.to_owned()));
        assert_eq!((state.trace, state.compare.other), (sample("a"), sample("d")));
        assert_eq!(state.added.traces, [AddedLink { trace: sample("c"), offset: None }]);
        let many = format!("#/?v=1&sample=a{}", "&how=add&sample=b&offset=nan".repeat(99));
        assert_eq!(UrlState::decode(&many).added.traces.len(), MAX_TRACES);
    }
}
