//! The heads of the table's columns, which sort it, and the choice of a payload field to sort by.

use super::columns;
use crate::protocol::request::SortKey;
use crate::protocol::tables::FieldNames;
use crate::ui::state::App;
use crate::ui::widgets::icon::{DOWN, Icon, UP};
use crate::view::event_sort::{aria_sort, clicked};
use leptos::prelude::*;
use std::sync::Arc;

/// The heads of the columns.
pub fn heads(app: App) -> AnyView {
    let payload = move || {
        app.order.with(|order| match &order.key {
            // One that has a column of its own is sorted there.
            SortKey::Field(name) if !app.event_columns.with(|columns| columns.contains(name)) => {
                Some(SortKey::Field(name.clone()))
            }
            _ => None,
        })
    };
    view! {
        {move || {
            let words = match app.face().tells_the_time_of_day() {
                true => format!("Time, {}", app.timeline.clock.get().words()),
                false => "Time, s".to_owned(),
            };
            head(app, SortKey::Time, words, "", "sort-time", None)
        }}
        {head(app, SortKey::Thread, "Thread", "", "sort-thread", None)}
        {head(app, SortKey::Provider, "Provider", "c-provider", "sort-provider", None)}
        {head(app, SortKey::Name, "Event", "", "sort-event", None)}
        {head(app, SortKey::Level, "Level", "c-level", "sort-level", None)}
        <span role="columnheader" class="c-belongs">"Activity, labels"</span>
        {columns::heads(app)}
        {move || match payload() {
            Some(key) => {
                let SortKey::Field(name) = &key else { return ().into_any() };
                let words = format!("Payload, by {name}");
                head(app, key, words, "", "sort-field", None).into_any()
            }
            None => view! { <span role="columnheader">"Payload"</span> }.into_any(),
        }}
    }
    .into_any()
}

/// A head that sorts by `key`, with something beside that.
pub fn head(
    app: App,
    key: SortKey,
    words: impl Into<String>,
    class: &'static str,
    testid: &'static str,
    beside: Option<AnyView>,
) -> impl IntoView {
    let words = words.into();
    let key = StoredValue::new(key);
    let sorted = move || key.with_value(|key| app.order.with(|order| aria_sort(order, key)));
    let arrow = move || match sorted() {
        "ascending" => Some(view! { <Icon shape=UP class="xs"/> }.into_any()),
        "descending" => Some(view! { <Icon shape=DOWN class="xs"/> }.into_any()),
        _ => None,
    };
    view! {
        <span role="columnheader" class=class aria-sort=sorted>
            <button
                data-testid=testid
                on:click=move |_| key.with_value(|key| app.order.update(|order| *order = clicked(order, key)))
            >
                {words}
                {arrow}
            </button>
            {beside}
        </span>
    }
}

/// A list of the payload fields to sort by.
#[component]
pub fn FieldPick(
    /// Fields of the payloads of the events that the filter allows.
    fields: Signal<Option<Arc<FieldNames>>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let chosen = move || {
        app.order.with(|order| match &order.key {
            SortKey::Field(name) => name.clone(),
            _ => String::new(),
        })
    };
    let options = move || {
        let names = fields.get()?;
        let chosen = chosen();
        // What an address names stays to be seen, also if no event has it.
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
            aria-label="Sort by a field of the payload"
            data-testid="sort-by-field"
            on:change:target=move |event| {
                let name = event.target().value();
                let key = if name.is_empty() { SortKey::Time } else { SortKey::Field(name) };
                app.order.update(|order| *order = clicked(order, &key));
            }
        >
            <option value="" selected=move || chosen().is_empty()>"Sort by field…"</option>
            {options}
        </select>
    }
}
