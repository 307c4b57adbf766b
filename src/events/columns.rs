//! Payload fields as columns of the event table.

use crate::app::state::App;
use crate::trace::pages::{Paged, Pages};
use leptos::prelude::*;
use protocol::queries;
use protocol::request::{EventOrder, Filter};
use protocol::tables::EventFields;

impl Paged for EventFields {
    type Of = (Filter, EventOrder, Vec<String>);
    type Query = queries::EventFields;

    fn query((filter, order, fields): Self::Of, first: u64, count: u32) -> queries::EventFields {
        queries::EventFields { filter, order, fields, first, count }
    }

    fn total(&self) -> u64 {
        self.total.first().copied().unwrap_or(0)
    }
}

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
