//! Columns of the event table, with those of payload fields.

use crate::app::state::App;
use crate::trace::pages::{Pages, paged};
use crate::widgets::grid::{Layout, Sorting};
use leptos::prelude::*;
use protocol::events::columns::EventColumn;
use protocol::request::{EventOrder, Filter};
use protocol::tables::{EventFields, FieldNames};
use std::sync::Arc;
use view::events::columns::{column_of, event_columns, key_of};
use view::grid::{Arrangement, GridColumn, Sorted};

/// Key of the column with the trace.
pub const TRACE: &str = "trace";
/// Width of times of day in CSS pixels.
const TIME_WIDTH: f64 = 150.0;

/// Returns the columns of the event table. The `fields` of the matching events can become columns.
pub fn layout(app: App, fields: Signal<Option<Arc<FieldNames>>>) -> Layout {
    let all = Memo::new(move |_| {
        let mut names = app.events.columns.with(|columns| columns.fields());
        let offered = fields.get();
        let offered = offered.iter().flat_map(|fields| fields.name.iter());
        names.extend(offered.map(str::to_owned));
        protocol::base::sort::sort_by_key(&mut names, Clone::clone);
        names.dedup();
        let mut all = event_columns(&names);
        all.iter_mut().for_each(|column| of_trace(app, column));
        all
    });
    let arrangement = Signal::derive(move || app.events.columns.with(|columns| columns.arrangement.clone()));
    let change = Callback::new(move |changed: Arrangement| {
        app.events.columns.update(|columns| columns.arrangement = changed);
    });
    Layout { all, arrangement, change }
}

/// Completes a column with what depends on the trace and the order.
fn of_trace(app: App, column: &mut GridColumn) {
    match column.key.as_str() {
        "time" => {
            column.title = match app.face().shows_time_of_day() {
                true => format!("Time, {}", app.timeline.clock.get().words()),
                false => "Time, s".to_owned(),
            };
        }
        "labels" if !has_labels(app) => column.from = f64::INFINITY,
        "payload" if !app.traces.are_all() => {
            if let Some(EventColumn::Field(name)) = payload_key(app) {
                column.title = format!("Payload, by {name}");
                column.sort = Some(false);
            }
        }
        _ => {}
    }
}

fn has_labels(app: App) -> bool {
    let has = |app: App| app.trace.with(|trace| trace.as_ref().is_some_and(|trace| trace.has_labels));
    app.traces.beside(app).into_iter().any(has)
}

/// Returns the columns of the events of all traces, in the order of time. The first one is the trace.
pub fn layout_of_all(app: App, fields: Signal<Option<Arc<FieldNames>>>) -> Layout {
    let own = layout(app, fields);
    let all = Memo::new(move |_| {
        let mut all = own.all.get();
        for column in &mut all {
            column.sort = None;
            if column.key == "time" {
                column.least = TIME_WIDTH;
            }
        }
        all.insert(0, GridColumn::text(TRACE, "Trace", 90.0, 0.6));
        all
    });
    let arrangement = Signal::derive(move || {
        let mut arrangement = own.arrangement.get();
        if !arrangement.shown.is_empty() {
            arrangement.shown.insert(0, TRACE.to_owned());
        }
        arrangement
    });
    let change = Callback::new(move |mut changed: Arrangement| {
        changed.shown.retain(|key| key != TRACE);
        own.change.run(changed);
    });
    Layout { all, arrangement, change }
}

/// Returns the sort key of the payload column: a field without a column of its own.
fn payload_key(app: App) -> Option<EventColumn> {
    app.events.order.with(|order| match &order.key {
        EventColumn::Field(name) if !app.events.columns.with(|columns| columns.has_field(name)) => {
            Some(order.key.clone())
        }
        _ => None,
    })
}

/// Returns the order of the event table.
pub fn sorting(app: App) -> Sorting {
    let by = Signal::derive(move || {
        let EventOrder { key, descending } = app.events.order.get();
        let key = if payload_key(app).is_some() { "payload".to_owned() } else { key_of(&key) };
        Some(Sorted { key, descending })
    });
    let sort = Callback::new(move |Sorted { key, descending }: Sorted| {
        let key = if key == "payload" { untrack(|| payload_key(app)) } else { column_of(&key) };
        if let Some(key) = key {
            app.events.order.set(EventOrder { key, descending });
        }
    });
    Sorting { by, sort }
}

paged!(EventFields, EventFields { filter: Filter, order: EventOrder, fields: Vec<String> }, total);

/// Returns the fields of the events in a table, while it is `open`. The positions of their columns don't matter.
pub fn fields_of(app: App, open: Memo<bool>) -> Pages<EventFields> {
    let fields = Memo::new(move |_| {
        let mut fields = app.events.columns.with(|columns| columns.fields());
        protocol::base::sort::sort_by_key(&mut fields, Clone::clone);
        fields
    });
    Pages::new(app, move || {
        let fields = fields.get();
        (open.get() && !fields.is_empty()).then(|| (app.filter.get(), app.events.order.get(), fields))
    })
}

/// Returns the value of a field in a row; empty until it is loaded.
pub fn field_text(pages: Pages<EventFields>, row: Option<u64>, name: &str) -> String {
    let place = pages.shown(|(_, _, fields)| Some((fields.iter().position(|field| field == name)?, fields.len())));
    let text = row.zip(place.flatten()).and_then(|(row, (at, count))| {
        pages.row(row, |page: &EventFields, row| page.value.get(row * count + at).to_owned())
    });
    text.unwrap_or_default()
}
