//! Column headings, which sort the event table, and the choice of a payload field to sort by.

use super::column_header_moves::HeadMoves;
use crate::app::state::App;
use crate::widgets::icon::{CLOSE, DOWN, Icon, UP};
use leptos::prelude::*;
use protocol::events::columns::{Column, EventColumn};
use protocol::request::SortKey;
use protocol::tables::FieldNames;
use std::sync::Arc;
use view::events::columns::style_name;
use view::events::sort::{aria_sort, clicked, key_of};
use web_sys::MouseEvent;

/// Returns the headings of the columns, in order.
pub fn heads(app: App, moves: HeadMoves, order: Memo<Vec<EventColumn>>) -> AnyView {
    view! {
        <For each=move || order.get() key=Clone::clone let:column>{head(app, moves, column)}</For>
    }
    .into_any()
}

/// Returns the text of a heading.
pub fn words(app: App, column: &EventColumn) -> String {
    match column {
        EventColumn::Time => match app.face().shows_time_of_day() {
            true => format!("Time, {}", app.timeline.clock.get().words()),
            false => "Time, s".to_owned(),
        },
        EventColumn::Field(name) => name.clone(),
        EventColumn::Payload => match payload_key(app) {
            Some(SortKey::Field(name)) => format!("Payload, by {name}"),
            _ => "Payload".to_owned(),
        },
        known => Column::of(known).map_or_else(String::new, |column| column.title.to_owned()),
    }
}

/// Returns the sort key of the payload column: a field without a column of its own.
fn payload_key(app: App) -> Option<SortKey> {
    app.events.order.with(|order| match &order.key {
        SortKey::Field(name) if !app.events.columns.with(|columns| columns.has_field(name)) => Some(order.key.clone()),
        _ => None,
    })
}

/// Returns the sort key of a column; `None` if it isn't sortable.
pub fn sort_key(app: App, column: &EventColumn) -> Option<SortKey> {
    match column {
        EventColumn::Payload => payload_key(app),
        column => key_of(column),
    }
}

/// Returns a heading, which sorts, can be moved, and has a menu.
fn head(app: App, moves: HeadMoves, column: EventColumn) -> impl IntoView {
    let testid = match &column {
        EventColumn::Field(_) => "sort-column".to_owned(),
        EventColumn::Payload => "sort-field".to_owned(),
        known if known.is_sortable() => format!("sort-{}", style_name(known)),
        known => format!("head-{}", style_name(known)),
    };
    let remove = match &column {
        EventColumn::Field(name) => {
            let (name, label) = (name.clone(), format!("Hide column {name}"));
            let remove =
                move |_| app.events.columns.update(|columns| columns.remove(&EventColumn::Field(name.clone())));
            Some(view! {
                <button class="remove" aria-label=label title="Hide column" data-testid="remove-column" on:click=remove>
                    <Icon shape=CLOSE class="xs"/>
                </button>
            })
        }
        _ => None,
    };
    let (class, id) = (format!("head-cell c-{}", style_name(&column)), moves.id_of(&column));
    let column = StoredValue::new(column);
    let key = move || column.with_value(|column| sort_key(app, column));
    let sorted = move || key().map(|key| app.events.order.with(|order| aria_sort(order, &key)));
    let arrow = move || match sorted() {
        Some("ascending") => Some(view! { <Icon shape=UP class="xs"/> }.into_any()),
        Some("descending") => Some(view! { <Icon shape=DOWN class="xs"/> }.into_any()),
        _ => None,
    };
    let on_click = move |event: MouseEvent| {
        if moves.was_dragged() {
            return;
        }
        match untrack(key) {
            Some(key) => app.events.order.update(|order| *order = clicked(order, &key)),
            None => column
                .with_value(|column| moves.open_menu(column, Some((event.client_x().into(), event.client_y().into())))),
        }
    };
    view! {
        <span role="columnheader" class=class id=id aria-sort=sorted
            class:drop-here=move || column.with_value(|column| moves.is_target(column))
            on:pointerdown=move |event| column.with_value(|column| moves.down(&event, column))
            on:pointermove=move |event| moves.moved(&event)
            on:pointerup=move |_| moves.up()
            on:pointercancel=move |_| moves.cancel()
            on:keydown=move |event| column.with_value(|column| moves.key(&event, column))
            on:contextmenu=move |event: MouseEvent| {
                event.prevent_default();
                column.with_value(|column| moves.open_menu(column, Some((event.client_x().into(), event.client_y().into()))));
            }
        >
            <button data-testid=testid aria-haspopup=move || key().is_none().then_some("menu") on:click=on_click>
                {move || column.with_value(|column| words(app, column))} {arrow}
            </button>
            {remove}
            <span class="grip" aria-hidden="true" title="Drag to resize column" data-testid="column-grip"
                on:pointerdown=move |event| column.with_value(|column| moves.grip_down(&event, column))
                on:pointermove=move |event| moves.grip_moved(&event)
                on:pointerup=move |_| moves.grip_up()
                on:pointercancel=move |_| moves.grip_up()
                on:dblclick=move |_| column.with_value(|column| moves.forget_width(column))
            ></span>
        </span>
    }
}

/// Dropdown of payload fields to sort by.
#[component]
pub fn FieldPick(
    /// Payload fields of the matching events.
    fields: Signal<Option<Arc<FieldNames>>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let chosen = move || {
        app.events.order.with(|order| match &order.key {
            SortKey::Field(name) => name.clone(),
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
                let key = if name.is_empty() { SortKey::Time } else { SortKey::Field(name) };
                app.events.order.update(|order| *order = clicked(order, &key));
            }
        >
            <option value="" selected=move || chosen().is_empty()>"Sort…"</option>
            {options}
        </select>
    }
}
