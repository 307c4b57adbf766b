//! What the address bar holds: enough to come back to a view of a trace, on any machine.
//!
//! Nothing here is an index into one loading of a file: events are named by time, thread and type,
//! threads by the operating system's number, functions by name. A part that cannot be read is left
//! out without harm to the others.

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

/// How addresses are written; a program that writes what older ones do not understand has the next number.
const VERSION: u32 = 1;
/// Before keys of the baseline's filter.
const BASELINE: &str = "vs-";

/// Which trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SourceLink {
    /// A sample that comes with the page.
    Sample(String),
    /// An address that can be fetched.
    Url(String),
    /// A file of the user's: only the user can open it again.
    File(FileLink),
}

impl SourceLink {
    /// Whether both are the same trace, as far as is known.
    pub fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File(file), Self::File(other)) => file.is(other),
            _ => self == other,
        }
    }
}

/// Everything that an address says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct UrlState {
    /// The open tab.
    pub tab: Tab,
    /// Which trace.
    pub source: Option<SourceLink>,
    /// Which trace of it, if it is an archive: its path in there.
    pub entry: Option<String>,
    /// What the timeline shows.
    pub visible: Option<Span>,
    /// Which events count.
    pub filter: FilterLink,
    /// Which events stacks are compared with, if they are.
    pub baseline: FilterLink,
    /// What is selected.
    pub selection: Option<SelectionLink>,
    /// How the table of events is sorted.
    pub order: EventOrder,
    /// The columns of the table of events.
    pub columns: EventColumns,
    /// How events are grouped, if they are.
    pub groups: Option<GroupQuery>,
    /// How stacks are looked at.
    pub stacks: StacksView,
    /// Active Metadata view.
    pub metadata: MetadataView,
    /// How the report of the open topic is looked at.
    pub report: ReportView,
    /// What was chosen about the tracks.
    pub tracks: Vec<TrackChoice>,
    /// How moments are written.
    pub clock: Clock,
    /// Ranges that were kept.
    pub saved_ranges: Vec<SavedRange>,
}

impl UrlState {
    /// As a hash: `#/events?v=1&…`.
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

    /// From a hash; what is missing or malformed is as in [`Default`].
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

    /// Whether a hash may say more than this program understands: a newer one wrote it.
    pub fn is_newer(hash: &str) -> bool {
        let parts = hash.split_once('?').map_or("", |(_, parts)| parts).split('&');
        let version = parts.filter_map(|part| part.strip_prefix("v=")).next();
        version.and_then(|version| version.parse::<u32>().ok()).is_some_and(|version| version > VERSION)
    }

    /// What of a view of another trace can be shown of one with this range: times outside of it are left out. Threads,
    /// types and what else is named are looked for where the view is taken on.
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
