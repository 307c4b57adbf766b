//! Fields of payloads as columns of the table of events.

use super::pages::{Paged, Pages};
use crate::protocol::columns::ColumnError;
use crate::protocol::request::{EventOrder, Filter, SortKey};
use crate::protocol::tables::{EventFields, FieldNames};
use crate::protocol::{Packed, Request};
use crate::ui::events::head::head;
use crate::ui::state::App;
use crate::ui::widgets::icon::{CLOSE, Icon};
use leptos::prelude::*;
use std::sync::Arc;

impl Paged for EventFields {
    type Of = (Filter, EventOrder, Vec<String>);

    fn request((filter, order, fields): Self::Of, first: u64, count: u32) -> Request {
        Request::EventFields { filter, order, fields, first, count }
    }

    fn unpack(packed: &Packed) -> Result<Self, ColumnError> {
        Self::unpack(packed)
    }

    fn total(&self) -> u64 {
        self.total.first().copied().unwrap_or(0)
    }
}

/// The fields of the events that a table shows, while it is `open`.
pub fn fields_of(app: App, open: Memo<bool>) -> Pages<EventFields> {
    Pages::new(app, move || {
        let fields = app.event_columns.get();
        (open.get() && !fields.is_empty()).then(|| (app.filter.get(), app.order.get(), fields))
    })
}

/// The cells of a row.
pub fn cells(app: App, pages: Pages<EventFields>, row: Memo<Option<u64>>) -> impl IntoView {
    move || {
        let count = app.event_columns.with(Vec::len);
        let cell = |column: usize| {
            let text = move || {
                let value = |page: &EventFields, row: usize| page.value.get(row * count + column).to_owned();
                row.get().and_then(|row| pages.row(row, value)).unwrap_or_default()
            };
            view! { <span role="gridcell" data-testid="event-field" title=text>{text}</span> }
        };
        (0..count).map(cell).collect_view()
    }
}

/// The heads of the columns: each sorts, and can be taken away.
pub fn heads(app: App) -> impl IntoView {
    move || {
        let columns = app.event_columns.get().into_iter();
        let column = |name: String| {
            let (words, label) = (name.clone(), format!("Take the column {name} away"));
            let key = SortKey::Field(name.clone());
            let remove = move |_| app.event_columns.update(|columns| columns.retain(|column| *column != name));
            let remove = view! {
                <button class="remove" aria-label=label title="Take this column away" data-testid="remove-column" on:click=remove>
                    <Icon shape=CLOSE class="xs"/>
                </button>
            };
            head(app, key, words, "c-field", "sort-column", Some(remove.into_any()))
        };
        columns.map(column).collect_view()
    }
}

/// A list of the fields that can become columns.
#[component]
pub fn ColumnPick(
    /// Fields of the payloads of the events that the filter allows.
    fields: Signal<Option<Arc<FieldNames>>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let options = move || {
        let names = fields.get()?;
        let shown = app.event_columns.get();
        let others = names.name.iter().filter(|name| !shown.iter().any(|column| column == name));
        let options = others.map(|name| view! { <option value=name.to_owned()>{name.to_owned()}</option> });
        Some(options.collect_view())
    };
    view! {
        <select
            class="btn line"
            aria-label="Show a field of the payload as a column"
            data-testid="pick-column"
            prop:value=""
            on:change:target=move |event| {
                let name = event.target().value();
                if !name.is_empty() {
                    app.event_columns.update(|columns| columns.push(name));
                }
                event.target().set_value("");
            }
        >
            <option value="">"Add column…"</option>
            {options}
        </select>
    }
}
