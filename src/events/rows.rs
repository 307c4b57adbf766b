//! Cells of the event table.

use super::columns::field_text;
use crate::app::state::App;
use crate::trace::pages::{Paged, Pages};
use leptos::prelude::*;
use protocol::base::ids::{EventId, ThreadId};
use protocol::events::columns::{Cell, Column, EventColumn};
use protocol::queries;
use protocol::request::{EventOrder, Filter};
use protocol::tables::{EventFields, EventRows};
use view::events::level::level_name;
use view::format;

impl Paged for EventRows {
    type Of = (Filter, EventOrder);
    type Query = queries::Events;

    fn query((filter, order): Self::Of, first: u64, count: u32) -> queries::Events {
        queries::Events { filter, order, first, count }
    }

    fn total(&self) -> u64 {
        self.total.first().copied().unwrap_or(0)
    }
}

/// Facts about an event that distinguish it from others.
#[derive(Clone)]
pub struct RowFacts {
    /// Time in nanoseconds.
    pub time: i64,
    /// Thread.
    pub thread: ThreadId,
    /// Provider.
    pub provider: String,
    /// Event name.
    pub name: String,
    /// Level; smaller is more severe.
    pub level: u8,
}

impl Pages<EventRows> {
    /// Returns the event in a row, if its page is loaded.
    pub fn event_at(self, row: u64) -> Option<EventId> {
        self.row_untracked(row, |page, row| page.event.get(row).map(|event| EventId(*event))).flatten()
    }

    /// Returns the facts about the event in a row, if its page is loaded.
    pub fn facts_at(self, row: u64) -> Option<RowFacts> {
        let facts = |page: &EventRows, row: usize| {
            Some(RowFacts {
                time: *page.time.get(row)?,
                thread: ThreadId(*page.thread.get(row)?),
                provider: page.provider.get(row).to_owned(),
                name: page.name.get(row).to_owned(),
                level: *page.level.get(row)?,
            })
        };
        self.row_untracked(row, facts).flatten()
    }

    /// Returns the text of a cell other than a field's; empty until its page is loaded.
    fn text(self, app: App, row: Option<u64>, column: &EventColumn) -> String {
        let cell = Column::of(column).map(|column| column.cell);
        let text = |page: &EventRows, row: usize| match cell.map(|cell| cell(page, row)) {
            Some(Cell::Time(nanos)) => app.face().cell(nanos),
            Some(Cell::Duration(nanos)) => format::duration(nanos),
            Some(Cell::Level(level)) => level_name(level).to_owned(),
            Some(Cell::Number(number)) => number.to_string(),
            Some(Cell::Text(text) | Cell::Missing(text)) => text.to_owned(),
            None => String::new(),
        };
        row.and_then(|row| self.row(row, text)).unwrap_or_default()
    }
}

/// Returns the cells of a row, in the order of the columns.
pub fn cells(
    app: App,
    pages: Pages<EventRows>,
    fields: Pages<EventFields>,
    order: Memo<Vec<EventColumn>>,
    row: Memo<Option<u64>>,
) -> AnyView {
    let cell = move |column: EventColumn| {
        let (class, testid) = match &column {
            EventColumn::Time => {
                let time = move || {
                    let text = pages.text(app, row.get(), &EventColumn::Time);
                    let (seconds, fine) = text.split_at(text.len().saturating_sub(3));
                    view! { {seconds.to_owned()} <span class="fine">{fine.to_owned()}</span> }
                };
                return view! { <span role="gridcell" class="time" data-testid="event-time">{time}</span> }.into_any();
            }
            EventColumn::Field(name) => {
                let name = name.clone();
                let text = Memo::new(move |_| field_text(fields, row.get(), &name));
                return view! { <span role="gridcell" data-testid="event-field" title=text>{text}</span> }.into_any();
            }
            EventColumn::Thread => ("", "event-thread"),
            EventColumn::Provider => ("dim c-provider", "event-provider"),
            EventColumn::Name => ("", "event-name"),
            EventColumn::Level => ("dim c-level", "event-level"),
            EventColumn::Duration => ("num c-duration", "event-duration"),
            EventColumn::BelongsTo => ("dim c-labels", "event-belongs"),
            EventColumn::Payload => ("dim", "event-payload"),
            EventColumn::Property(_) => ("dim", "event-property"),
        };
        let text = move || pages.text(app, row.get(), &column);
        view! { <span role="gridcell" class=class data-testid=testid>{text}</span> }.into_any()
    };
    (move || order.get().into_iter().map(cell).collect_view()).into_any()
}
