//! State of the Stacks tab.

use crate::app::state::App;
use crate::app::state::page_state::{LinkedState, page_state, whole_state};
use leptos::prelude::*;
use protocol::request::Filter;
use view::url::stacks::StacksView;
use view::url::state::BaselineLink;

whole_state!(StacksView);

page_state! {
    /// Baseline for comparing stacks.
    Baseline {
        filter: Filter,
    }
}

impl LinkedState for Baseline {
    type Link = BaselineLink;

    fn to_url(self, app: App) -> BaselineLink {
        BaselineLink(app.with_names(|names| names.link_of_filter(self.filter.get())))
    }

    fn apply_url(self, app: App, link: BaselineLink) {
        self.filter.set(app.with_names(|names| names.filter_of(link.0)));
    }
}
