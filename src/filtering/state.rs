//! State of the filter.

use crate::app::state::App;
use crate::app::state::page_state::{LinkedState, PageState, page_state};
use leptos::prelude::*;
use protocol::reply::ItemCounts;
use protocol::request::{Filter, SampleChoice, StackSource, Weight};
use protocol::tables::{Threads, Types};
use view::url::names::Names;
use view::url::state::FilterLink;

impl App {
    /// Passes the names of threads and types in URLs to `read`.
    pub fn with_names<T>(self, read: impl FnOnce(Names<'_>) -> T) -> T {
        let (no_threads, no_types) = (Threads::default(), Types::default());
        self.threads.with(|threads| {
            self.types.with(|types| {
                let (threads, types) = (threads.as_deref(), types.as_deref());
                read(Names { threads: threads.unwrap_or(&no_threads), types: types.unwrap_or(&no_types) })
            })
        })
    }
}

impl PageState for RwSignal<Filter> {
    fn reset(self) {
        self.set(Filter::default());
    }
}

impl LinkedState for RwSignal<Filter> {
    type Link = FilterLink;

    fn to_url(self, app: App) -> FilterLink {
        app.with_names(|names| names.link_of_filter(self.get()))
    }

    fn apply_url(self, app: App, link: FilterLink) {
        app.refilter(|filter| *filter = app.with_names(|names| names.filter_of(link)));
    }
}

/// Source, samples and weight of stacks.
pub type ChosenStacks = (StackSource, SampleChoice, Weight);

/// Stacks before a link, and those that it chose.
pub type LinkedStacks = (ChosenStacks, ChosenStacks);

impl App {
    /// Chooses stacks for the filter of a link. Clearing the filter restores the others.
    pub fn link_stacks(self, (source, samples, weight): ChosenStacks) {
        let before = self.chosen_stacks();
        let chosen = (source.clone(), samples, weight.clone());
        self.stacks.update(|look| (look.source, look.samples, look.weight) = (source, samples, weight));
        self.filtering.linked_stacks.update(|linked| {
            // After several links, those before the first one.
            let first = linked.take().filter(|(_, after)| *after == before).map(|(first, _)| first);
            *linked = Some((first.unwrap_or(before), chosen));
        });
    }

    /// Restores the stacks from before a link, unless others were chosen since.
    pub(super) fn unlink_stacks(self) {
        let linked = self.filtering.linked_stacks.try_update(Option::take).flatten();
        if let Some((before, _)) = linked.filter(|(_, after)| *after == self.chosen_stacks()) {
            self.stacks.update(|look| (look.source, look.samples, look.weight) = before);
        }
    }

    fn chosen_stacks(self) -> ChosenStacks {
        self.stacks.with_untracked(|look| (look.source.clone(), look.samples, look.weight.clone()))
    }
}

page_state! {
    /// What is known about the filter. It lags behind it.
    FilteringState {
        /// Query of the filter, and its conditions that must all match.
        query_parts: (String, Vec<String>),
        /// Number of matching events; `None` while it is unknown.
        matches: Option<u64>,
        /// Filter whose matching events are being searched.
        searched: Option<Filter>,
        /// Searched share of the trace, once it is known that the search takes a while.
        progress: Option<f64>,
        /// Stacks before a link chose others for its filter, and those that it chose: source, samples, weight.
        linked_stacks: Option<LinkedStacks>,
        /// Numbers of matching items of analyses and tracks; empty while they are unknown, and without a filter.
        item_counts: ItemCounts,
    }
}
