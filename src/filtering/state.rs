//! State of the filter.

use crate::app::state::App;
use crate::app::state::page_state::{LinkedState, PageState, page_state};
use leptos::prelude::*;
use protocol::reply::ItemCounts;
use protocol::request::Filter;
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
        /// Numbers of matching items of analyses and tracks; empty while they are unknown, and without a filter.
        item_counts: ItemCounts,
    }
}
