//! State of the page in the URL: enough to restore a view of a trace on any machine.
//!
//! Nothing here depends on how a file was loaded: events are named by time, thread and type, threads by OS thread ID,
//! functions by name. Unreadable parts are ignored, without an effect on the others.

use super::file::{FileLink, Fingerprint};
pub use super::filter::{FilterLink, ThreadLink, TypeLink};
use super::metadata::MetadataView;
use super::percent::{escape, unescape};
use super::report::ReportView;
use super::selection::SelectionLink;
use super::stacks::StacksView;
use super::tracks::TrackChoice;
use crate::events::columns::EventColumns;
use crate::events::groups as event_groups;
use crate::events::sort as event_sort;
pub use crate::page::tab::Tab;
use crate::timeline::clock::Clock;
use crate::timeline::saved_range::SavedRange;
use protocol::base::time::Span;
use protocol::request::{EventOrder, GroupQuery};

/// Version of the URL format, raised when older versions of the page can't read it.
const VERSION: u32 = 1;
/// Prefix of the keys of the baseline's filter.
const BASELINE: &str = "vs-";

/// Source of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SourceLink {
    /// Bundled trace.
    Sample(String),
    /// URL to download.
    Url(String),
    /// Local file, which only the user can open again.
    File(FileLink),
}

impl SourceLink {
    /// Returns whether both are the same trace, as far as is known.
    pub fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File(file), Self::File(other)) => file.is(other),
            _ => self == other,
        }
    }
}

/// State of the page.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UrlState {
    /// Open tab.
    pub tab: Tab,
    /// Source of the trace.
    pub source: Option<SourceLink>,
    /// Path of the trace in an archive.
    pub entry: Option<String>,
    /// Visible range of the timeline.
    pub visible: Option<Span>,
    /// Filter.
    pub filter: FilterLink,
    /// Filter of the baseline, if stacks are compared.
    pub baseline: FilterLink,
    /// Selected item.
    pub selection: Option<SelectionLink>,
    /// Sort order of the event table.
    pub order: EventOrder,
    /// Columns of the event table.
    pub columns: EventColumns,
    /// Grouping of events.
    pub groups: Option<GroupQuery>,
    /// State of the Stacks tab.
    pub stacks: StacksView,
    /// State of the Metadata tab.
    pub metadata: MetadataView,
    /// State of the open analysis's report.
    pub report: ReportView,
    /// Choices about the tracks.
    pub tracks: Vec<TrackChoice>,
    /// Format of times.
    pub clock: Clock,
    /// Saved ranges.
    pub saved_ranges: Vec<SavedRange>,
}

impl UrlState {
    /// Returns the state as a URL hash: `#/events?v=1&…`.
    pub fn encode(&self) -> String {
        let mut hash = format!("#/{}?v={VERSION}", self.tab.slug());
        let mut push = |key: &str, value: &str| {
            hash.push('&');
            hash.push_str(key);
            hash.push('=');
            escape(value, &mut hash);
        };
        match &self.source {
            Some(SourceLink::Sample(name)) => push("sample", name),
            Some(SourceLink::Url(url)) => push("url", url),
            Some(SourceLink::File(file)) => {
                push("file", &file.name);
                if let Some(print) = file.print {
                    push("print", &print.encode());
                }
            }
            None => {}
        }
        if let Some(entry) = &self.entry {
            push("entry", entry);
        }
        if let Some(span) = self.visible {
            push("t0", &span.start.0.to_string());
            push("t1", &span.end.0.to_string());
        }
        self.filter.encode("", &mut push);
        self.baseline.encode(BASELINE, &mut push);
        if let Some(selection) = &self.selection {
            push("sel", &selection.encode());
        }
        let order = event_sort::encode(&self.order);
        if !order.is_empty() {
            push("sort", &order);
        }
        self.columns.encode(&mut push);
        if let Some(groups) = &self.groups {
            event_groups::encode(groups, &mut push);
        }
        self.stacks.encode(&mut push);
        self.metadata.encode(&mut push);
        self.report.encode(&mut push);
        self.tracks.iter().for_each(|choice| push("tk", &choice.encode()));
        match self.clock {
            Clock::Relative => {}
            Clock::Utc => push("clock", "utc"),
            Clock::Local => push("clock", "local"),
        }
        self.saved_ranges.iter().for_each(|saved_range| push("b", &saved_range.encode()));
        hash
    }

    /// Reads the state from a URL hash. Missing or malformed parts are as in [`Default`].
    pub fn decode(hash: &str) -> Self {
        let hash = hash.trim_start_matches('#').trim_start_matches('/');
        let (tab, query) = hash.split_once('?').unwrap_or((hash, ""));
        let mut state = Self { tab: Tab::from_slug(tab).unwrap_or_default(), ..Self::default() };
        let mut bounds = [None::<i64>; 2];
        let mut print = None;
        for pair in query.split('&') {
            let Some((key, value)) = pair.split_once('=') else { continue };
            let Some(value) = unescape(value) else { continue };
            match key {
                "sample" => state.source = Some(SourceLink::Sample(value)),
                "url" => state.source = Some(SourceLink::Url(value)),
                "file" => state.source = Some(SourceLink::File(FileLink { name: value, print: None })),
                "print" => print = Fingerprint::decode(&value),
                "entry" => state.entry = Some(value),
                "t0" => bounds[0] = value.parse().ok(),
                "t1" => bounds[1] = value.parse().ok(),
                "sel" => state.selection = SelectionLink::decode(&value),
                "sort" => state.order = event_sort::decode(&value),
                "tk" => state.tracks.extend(TrackChoice::decode(&value)),
                "clock" if value == "utc" => state.clock = Clock::Utc,
                "clock" if value == "local" => state.clock = Clock::Local,
                "b" => state.saved_ranges.extend(SavedRange::decode(&value)),
                other => match other.strip_prefix(BASELINE) {
                    Some(other) => _ = state.baseline.decode(other, &value),
                    None if state.filter.decode(other, &value) => {}
                    None if state.columns.decode(other, &value) => {}
                    None if state.metadata.decode(other, &value) => {}
                    None if state.report.decode(other, &value) => {}
                    None if event_groups::decode(&mut state.groups, other, &value) => {}
                    None => state.stacks.decode(other, &value),
                },
            }
        }
        if let Some(SourceLink::File(file)) = &mut state.source {
            file.print = print;
        }
        state.visible = span(bounds[0], bounds[1]);
        state.filter.finish();
        state.baseline.finish();
        state
    }

    /// Returns whether a newer version wrote the hash, so it may contain unknown parts.
    pub fn is_newer(hash: &str) -> bool {
        let parts = hash.split_once('?').map_or("", |(_, parts)| parts).split('&');
        let version = parts.filter_map(|part| part.strip_prefix("v=")).next();
        version.and_then(|version| version.parse::<u32>().ok()).is_some_and(|version| version > VERSION)
    }

    /// Returns the state for another trace with this time range, without times outside it. Threads, types and other
    /// names are resolved when the state is applied.
    pub fn fitted(self, whole: Span) -> Self {
        let fitted = |span: Option<Span>| span.and_then(|span| span.intersect(whole));
        let metadata = MetadataView { byte: None, ..self.metadata };
        let mut state = Self { visible: fitted(self.visible), selection: None, metadata, ..self };
        state.filter.range = fitted(state.filter.range);
        state.baseline.range = fitted(state.baseline.range);
        state.saved_ranges.retain(|saved_range| saved_range.span.intersect(whole) == Some(saved_range.span));
        state
    }
}

fn span(start: Option<i64>, end: Option<i64>) -> Option<Span> {
    let span = Span::new(start?, end?);
    (span.start < span.end).then_some(span)
}

#[cfg(test)]
#[path = "url_state_tests.rs"]
mod tests;
