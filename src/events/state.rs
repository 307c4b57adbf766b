//! State of the Events tab.

use crate::app::state::page_state::page_state;
use leptos::prelude::*;
use protocol::request::{EventOrder, GroupQuery};
use view::events::columns::EventColumns;
use view::url::events::EventsView;

page_state! {
    EventsState: EventsView {
        /// Sort order.
        order: EventOrder,
        columns: EventColumns,
        groups: Option<GroupQuery>,
    } {}
}
