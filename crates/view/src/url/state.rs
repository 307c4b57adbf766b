//! State of the page in the URL: enough to restore a view of a trace on any machine.
//!
//! Nothing here depends on how a file was loaded: events are named by time, thread and type, threads by OS thread ID,
//! functions by name. Unreadable parts are ignored, without an effect on the others.

use super::added::AddedView;
use super::compare::{CompareView, OtherKeys};
use super::events::EventsView;
pub use super::filter::{BaselineLink, FilterLink, ThreadLink, TypeLink};
use super::hash::{Hash, VERSION};
use super::metadata::MetadataView;
use super::notes::NotesView;
use super::part::UrlPart;
use super::percent::unescape;
use super::report::ReportView;
use super::selection::SelectionLink;
use super::stacks::StacksView;
use super::timeline::{TimelineView, VisibleRange};
pub use super::trace::{SourceLink, TraceLink};
pub use crate::page::tab::Tab;
use protocol::base::time::Span;

/// Declares the state of the page and everything that concerns all of its parts.
macro_rules! url_state {
    ($($(#[$doc:meta])* $part:ident: $type:ty,)*) => {
        /// State of the page.
        #[derive(Clone, PartialEq, Eq, Debug, Default)]
        pub struct UrlState {
            pub tab: Tab,
            $($(#[$doc])* pub $part: $type,)*
        }

        impl UrlState {
            fn encode_parts(&self, push: &mut impl FnMut(&str, &str)) {
                $(self.$part.encode(push);)*
            }

            fn decode_part(&mut self, key: &str, value: &str) {
                let _ = $(self.$part.decode(key, value))||*;
            }

            fn finish(&mut self) {
                $(self.$part.finish();)*
            }

            /// Returns the state for another trace with this time range, without what can't apply to it. Threads, types
            /// and other names are resolved when the state is applied.
            pub fn fitted(mut self, whole: Span) -> Self {
                $(self.$part.fit(whole);)*
                self
            }

            /// Returns whether the change from `before` is a step of the history. Other changes only update the URL.
            pub fn is_step_from(&self, before: &Self) -> bool {
                self.tab != before.tab $(|| self.$part.is_step_from(&before.$part))*
            }
        }
    };
}

// In the order of the URL.
url_state! {
    trace: TraceLink,
    /// Comparison with another trace.
    compare: CompareView,
    /// Traces that were added to the timeline.
    added: AddedView,
    visible: VisibleRange,
    filter: FilterLink,
    /// Filter of the baseline, if stacks are compared.
    baseline: BaselineLink,
    selection: Option<SelectionLink>,
    /// State of the Events tab.
    events: EventsView,
    /// State of the Stacks tab.
    stacks: StacksView,
    /// State of the Metadata tab.
    metadata: MetadataView,
    /// State of the open analysis's report.
    report: ReportView,
    /// Choices about the timeline.
    timeline: TimelineView,
    notes: NotesView,
}

impl UrlState {
    /// Returns the state as a URL hash: `#/events?v=1&…`.
    pub fn encode(&self) -> String {
        let mut hash = Hash::new(self.tab);
        self.encode_parts(&mut |key, value| hash.push(key, value));
        hash.0
    }

    /// Reads the state from a URL hash. Missing or malformed parts are as in [`Default`].
    pub fn decode(hash: &str) -> Self {
        let hash = hash.trim_start_matches('#').trim_start_matches('/');
        let (tab, query) = hash.split_once('?').unwrap_or((hash, ""));
        let mut state = Self { tab: Tab::from_slug(tab).unwrap_or_default(), ..Self::default() };
        let mut keys = OtherKeys::default();
        for (key, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
            if let Some(value) = unescape(value) {
                let other = keys.key(key, &value);
                state.decode_part(other.as_deref().unwrap_or(key), &value);
            }
        }
        state.finish();
        state
    }

    /// Returns whether a newer version wrote the hash, so it may contain unknown parts.
    pub fn is_newer(hash: &str) -> bool {
        let parts = hash.split_once('?').map_or("", |(_, parts)| parts).split('&');
        let version = parts.filter_map(|part| part.strip_prefix("v=")).next();
        version.and_then(|version| version.parse::<u32>().ok()).is_some_and(|version| version > VERSION)
    }
}

#[cfg(test)]
#[path = "url_state_tests.rs"]
mod tests;
