//! What stands in a row of the table of events.

use super::pages::{Paged, Pages};
use crate::model::ids::EventId;
use crate::protocol::columns::ColumnError;
use crate::protocol::request::{EventOrder, Filter};
use crate::protocol::tables::EventRows;
use crate::protocol::{Packed, Request};
use crate::ui::state::App;
use crate::view::level::level_name;

/// A column of the table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Cell {
    /// Seconds with microseconds.
    Time,
    /// Thread's label.
    Thread,
    /// Provider.
    Provider,
    /// Event name.
    Name,
    /// Level.
    Level,
    /// Activity and labels.
    BelongsTo,
    /// Payload in a line.
    Payload,
}

impl Paged for EventRows {
    type Of = (Filter, EventOrder);

    fn request((filter, order): Self::Of, first: u64, count: u32) -> Request {
        Request::Events { filter, order, first, count }
    }

    fn unpack(packed: &Packed) -> Result<Self, ColumnError> {
        Self::unpack(packed)
    }

    fn total(&self) -> u64 {
        self.total.first().copied().unwrap_or(0)
    }
}

impl Pages<EventRows> {
    /// The event in a row, if its page is here.
    pub fn event_at(self, row: u64) -> Option<EventId> {
        self.row_untracked(row, |page, row| page.event.get(row).map(|event| EventId(*event))).flatten()
    }

    /// What a cell says; empty until its page is here.
    pub fn text(self, app: App, row: Option<u64>, cell: Cell) -> String {
        let text = |page: &EventRows, row: usize| match cell {
            Cell::Time => page.time.get(row).map(|time| app.face().cell(*time)).unwrap_or_default(),
            Cell::Thread => page.thread_label.get(row).to_owned(),
            Cell::Provider => page.provider.get(row).to_owned(),
            Cell::Name => page.name.get(row).to_owned(),
            Cell::Level => page.level.get(row).map(|level| level_name(*level).to_owned()).unwrap_or_default(),
            Cell::BelongsTo => page.belongs_to.get(row).to_owned(),
            Cell::Payload => page.payload.get(row).to_owned(),
        };
        row.and_then(|row| self.row(row, text)).unwrap_or_default()
    }
}
