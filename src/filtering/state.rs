//! State of the filter.

use crate::address::{filter_of, link_of_filter};
use crate::app::state::App;
use crate::app::state::page_state::{LinkedState, PageState, page_state};
use leptos::prelude::*;
use protocol::request::Filter;
use view::url::state::FilterLink;

impl PageState for RwSignal<Filter> {
    fn reset(self) {
        self.set(Filter::default());
    }
}

impl LinkedState for RwSignal<Filter> {
    type Link = FilterLink;

    fn to_url(self, app: App) -> FilterLink {
        link_of_filter(app, self.get())
    }

    fn apply_url(self, app: App, link: FilterLink) {
        app.refilter(|filter| *filter = filter_of(app, link));
    }
}

page_state! {
    /// What is known about the filter. It lags behind it.
    FilteringState {
        /// Query of the filter, and its conditions that must all match.
        query_parts: (String, Vec<String>),
        /// Number of matching events; `None` while it is unknown.
        matches: Option<u64>,
    }
}
