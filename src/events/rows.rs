//! Cells of the event table.

use crate::app::state::App;
use crate::trace::pages::{Pages, paged};
use leptos::prelude::*;
use protocol::base::ids::{EventId, ThreadId};
use protocol::events::columns::{Column, EventColumn};
use protocol::events::payload::{pairs, plain};
use protocol::request::{EventOrder, Filter};
use protocol::table::Cell;
use protocol::tables::EventRows;
use view::events::columns::column_of;
use view::events::level::level_name;

paged!(EventRows, Events { filter: Filter, order: EventOrder }, total);

/// Facts about an event that distinguish it from others.
#[derive(Clone)]
pub struct RowFacts {
    pub app: App,
    pub event: EventId,
    /// Time in nanoseconds.
    pub time: i64,
    pub thread: ThreadId,
    pub provider: String,
    pub name: String,
    /// Level; smaller is more severe.
    pub level: u8,
}

impl Pages<EventRows> {
    /// Returns the event in a row, if its page is loaded.
    pub fn event_at(self, row: u64) -> Option<EventId> {
        self.row_untracked(row, |page, row| page.event.get(row).map(|event| EventId(*event))).flatten()
    }

    /// Returns the text of a cell other than a field's; empty until its page is loaded.
    pub fn text(self, app: App, row: Option<u64>, column: &EventColumn) -> String {
        let text = |page: &EventRows, row: usize| row_text(page, row, column, |nanos| app.face().cell(nanos));
        row.and_then(|row| self.row(row, text)).unwrap_or_default()
    }
}

impl RowFacts {
    /// Returns the facts about the event in a row of a table.
    pub fn new(app: App, page: &EventRows, row: usize) -> Option<Self> {
        Some(Self {
            app,
            event: EventId(*page.event.get(row)?),
            time: *page.time.get(row)?,
            thread: ThreadId(*page.thread.get(row)?),
            provider: page.provider.get(row).to_owned(),
            name: page.name.get(row).to_owned(),
            level: *page.level.get(row)?,
        })
    }
}

/// Returns the text of a cell other than a field's. `time` formats times.
pub fn row_text(page: &EventRows, row: usize, column: &EventColumn, time: impl FnOnce(i64) -> String) -> String {
    match Column::of(column).map(|known| ((known.cell)(page, row), known)) {
        Some((Cell::Integer(nanos), known)) if known.more.column == EventColumn::Time => time(nanos),
        Some((Cell::Integer(level), known)) if known.more.column == EventColumn::Level => {
            level_name(level as u8).to_owned()
        }
        Some((cell, known)) => cell.words(known.kind),
        None => String::new(),
    }
}

/// Returns the cell of a column in a row, with its text.
pub fn event_cell(
    text: impl Fn(Option<u64>, &EventColumn) -> String + Copy + Send + Sync + 'static,
    key: &str,
    row: Memo<Option<u64>>,
) -> AnyView {
    let Some(column) = column_of(key) else { return ().into_any() };
    let (class, testid) = match &column {
        EventColumn::Time => {
            let time = move || {
                let text = text(row.get(), &EventColumn::Time);
                let (seconds, fine) = text.split_at(text.len().saturating_sub(3));
                view! { {seconds.to_owned()} <span class="fine">{fine.to_owned()}</span> }
            };
            return view! { <span role="gridcell" class="time" data-testid="event-time">{time}</span> }.into_any();
        }
        EventColumn::Field(_) => {
            let text = Memo::new(move |_| text(row.get(), &column));
            return view! { <span role="gridcell" data-testid="event-field" title=text>{text}</span> }.into_any();
        }
        EventColumn::Payload => return payload_cell(Memo::new(move |_| text(row.get(), &EventColumn::Payload))),
        EventColumn::Thread => ("", "event-thread"),
        EventColumn::Provider => ("dim", "event-provider"),
        EventColumn::Name => ("", "event-name"),
        EventColumn::Level => ("dim", "event-level"),
        EventColumn::Duration => ("num", "event-duration"),
        EventColumn::BelongsTo => ("dim", "event-belongs"),
        EventColumn::Property(_) => ("dim", "event-property"),
    };
    let text = move || text(row.get(), &column);
    view! { <span role="gridcell" class=class data-testid=testid>{text}</span> }.into_any()
}

/// Returns the cell of the payload: names of fields, and their values in a stronger color.
fn payload_cell(line: Memo<String>) -> AnyView {
    let parts = move || {
        // The same text as in exports and copied rows.
        let part = |(at, (name, value)): (usize, (&str, &str))| {
            let name = (!name.is_empty()).then(|| format!("{name}="));
            view! { {(at > 0).then_some(", ")} {name} <b>{value.to_owned()}</b> }
        };
        line.with(|line| pairs(line).enumerate().map(part).collect_view())
    };
    view! {
        <span role="gridcell" class="pairs" title=move || line.with(|line| plain(line)) data-testid="event-payload">{parts}</span>
    }
    .into_any()
}
