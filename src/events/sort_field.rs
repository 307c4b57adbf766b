//! Choice of a payload field to sort by.

use crate::app::state::App;
use leptos::prelude::*;
use protocol::request::EventColumn;
use protocol::tables::FieldNames;
use std::sync::Arc;
use view::events::sort::clicked;

/// Dropdown of payload fields to sort by.
#[component]
pub fn FieldPick(
    /// Payload fields of the matching events.
    fields: Signal<Option<Arc<FieldNames>>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let chosen = move || {
        app.events.order.with(|order| match &order.key {
            EventColumn::Field(name) => name.clone(),
            _ => String::new(),
        })
    };
    let options = move || {
        let names = fields.get()?;
        let chosen = chosen();
        // A field from the URL stays visible, even if no event has it.
        let other = (!chosen.is_empty() && names.name.iter().all(|name| name != chosen)).then(|| chosen.clone());
        let all = other.into_iter().chain(names.name.iter().map(str::to_owned));
        Some(
            all.map(|name| {
                let is_chosen = name == chosen;
                view! { <option value=name.clone() selected=is_chosen>{name.clone()}</option> }
            })
            .collect_view(),
        )
    };
    view! {
        <select
            class="btn line"
            aria-label="Sort by payload field"
            data-testid="sort-by-field"
            on:change:target=move |event| {
                let name = event.target().value();
                let key = if name.is_empty() { EventColumn::Time } else { EventColumn::Field(name) };
                app.events.order.update(|order| *order = clicked(order, &key));
            }
        >
            <option value="" selected=move || chosen().is_empty()>"Sort…"</option>
            {options}
        </select>
    }
}
