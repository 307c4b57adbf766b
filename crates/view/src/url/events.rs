//! State of the Events tab in a URL.

use super::part::UrlPart;
use crate::events::columns::EventColumns;
use crate::events::{groups, sort};
use protocol::request::{EventOrder, GroupQuery};

/// State of the Events tab.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EventsView {
    /// Sort order.
    pub order: EventOrder,
    pub columns: EventColumns,
    pub groups: Option<GroupQuery>,
}

impl UrlPart for EventsView {
    fn encode(&self, push: &mut impl FnMut(&str, &str)) {
        let order = sort::encode(&self.order);
        if !order.is_empty() {
            push("sort", &order);
        }
        self.columns.encode(push);
        if let Some(query) = &self.groups {
            groups::encode(query, push);
        }
    }

    fn decode(&mut self, key: &str, value: &str) -> bool {
        if key == "sort" {
            self.order = sort::decode(value);
            return true;
        }
        self.columns.decode(key, value) || groups::decode(&mut self.groups, key, value)
    }

    /// Widths aren't steps.
    fn is_step_from(&self, before: &Self) -> bool {
        Self { columns: before.columns.with_widths_of(&self.columns), ..before.clone() } != *self
    }
}
