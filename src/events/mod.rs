//! Events tab: all matching events.

mod all;
mod cell_filter;
mod columns;
mod group_menu;
mod groups;
mod head_filters;
mod histogram;
mod merged_groups;
mod merged_rows;
mod row_menu;
mod rows;
mod save;
mod selected;
pub(crate) mod state;
mod table_text;
mod table_tools;
mod top_row;

use super::widgets::grid::{Grid, GridModel};
use super::widgets::menu::Menu;
use crate::app::state::{App, Selection, Tab};
use crate::share::copy_view;
use crate::trace::pages::Pages;
use crate::workspace::matches::progress_words;
use all::AllEvents;
use cell_filter::CellFilter;
use columns::field_text;
use groups::{Groups, field_names};
use head_filters::head_tools;
use histogram::EventHistogram;
use leptos::prelude::*;
use protocol::queries;
use protocol::request::{EventColumn, EventFormat, EventOrder, Filter};
use protocol::tables::EventRows;
use row_menu::RowActions;
use rows::event_cell;
use selected::{SelectedCount, SelectedRows};
use table_text::EventTable;
use table_tools::TableTools;
use view::events::row_selection::RowSelection;
use view::events::sort as event_sort;
use view::format;
use wasm_bindgen_futures::spawn_local;

/// Events tab.
#[component]
pub fn Events() -> impl IntoView {
    let app = expect_context::<App>();
    let are_all = Memo::new(move |_| app.traces.are_all());
    move || match are_all.get() {
        true => view! { <AllEvents/> }.into_any(),
        false => view! { <EventsOfTrace/> }.into_any(),
    }
}

#[component]
fn EventsOfTrace() -> impl IntoView {
    let app = expect_context::<App>();
    let open = app.is_open(Tab::Events);
    let is_grouped = Memo::new(move |_| app.events.groups.with(Option::is_some));
    let single = Memo::new(move |_| open.get() && !is_grouped.get());
    let pages: Pages<EventRows> =
        Pages::new(app, move || single.get().then(|| (app.filter.get(), app.events.order.get())));
    let fields = field_names(app, open);
    let of_fields = columns::fields_of(app, single);
    let table = EventTable::One(pages, of_fields);
    let (menu, selected) = (RwSignal::new(None), SelectedRows::new(app, table));
    let actions = RowActions { app, selected, menu };
    let mut model = GridModel::of(
        move || pages.total.get(),
        move |row| {
            if let Some(event) = pages.event_at(row) {
                app.select(Selection::Event(event));
            }
        },
    );
    model.selected = Some(selected.rows);
    let top = StoredValue::new(0);
    model.on_window = Some(Callback::new(move |(first, end)| {
        top.set_value(first);
        pages.show(first, end);
        of_fields.show(first, end);
    }));
    model.on_copy = Some(Callback::new(move |()| selected.copy(EventFormat::Tsv)));
    copy_view::offer(
        app,
        move || single.get_untracked(),
        move |format| selected::copy_first(app, table, format, pages.total.get_untracked()),
    );
    model.on_menu = Some(Callback::new(move |(row, at)| actions.open(Some(row), at)));
    model.head_tools = Some(head_tools(app, fields));
    follow_selection(app, single, pages, model);
    top_row::keep_time(app, single, pages, model, top);
    let on_key = actions.offer(single, model);
    let (layout, sorting) = (columns::layout(app, fields), columns::sorting(app));
    let text = move |row: Option<u64>, column: &EventColumn| match column {
        EventColumn::Field(name) => field_text(of_fields, row, name),
        column => pages.text(app, row, column),
    };
    let cell = move |key: &str, row: Memo<Option<u64>>| event_cell(text, key, row);
    let is_behind = move || pages.are_behind();
    let order_words = move || (!is_grouped.get()).then(|| format!(", {}", app.events.order.with(event_sort::words)));
    let cells = CellFilter::default();
    let nothing = move || pages.is_known() && pages.total.get() == 0;
    view! {
        <div class="vtable events" hidden=move || !open.get() data-testid="events-panel">
            <div class="tools">
                <span class="total" class:behind=is_behind role="status">
                    <b data-testid="events-total">{move || pages.is_known().then(|| format::count(pages.total.get()))}</b>
                    " events match" {order_words}
                    <span class="searching" aria-hidden="true">{move || progress_words(app)}</span>
                </span>
                <Show when=move || !is_grouped.get()>
                    <SelectedCount selected menu=Callback::new(move |at| actions.open(None, at))/>
                </Show>
                <TableTools table total=pages.total fields is_grouped layout menu/>
            </div>
            <EventHistogram open/>
            <crate::trace::live_query::Trouble failure=pages.failure/>
            <Show when=move || is_grouped.get()>
                <Groups open menu/>
            </Show>
            <Show when=nothing>
                <div class="blank">
                    <h2>"No matching events"</h2>
                    <p>"Remove a filter above to see more."</p>
                </div>
            </Show>
            <div class="single" class:behind=is_behind hidden=move || is_grouped.get() on:keydown=on_key
                on:mouseover=move |event| cells.over(&event) on:mouseleave=move |_| cells.hide() on:wheel=move |_| cells.hide()>
                <Grid model label="Events" testid="events" layout sorting cell/>
                {cells.view(actions)}
            </div>
            <Menu open=menu/>
        </div>
    }
}

/// Scrolls to the selected event and marks it. Other selected rows stay until the table changes.
fn follow_selection(app: App, open: Memo<bool>, pages: Pages<EventRows>, model: GridModel) {
    let asked = StoredValue::new(0_u32);
    let select_rows = move |rows: RowSelection| {
        if let Some(selected) = model.selected {
            selected.set(rows);
        }
    };
    Effect::new(move |before: Option<(Filter, EventOrder, u32)>| {
        let now = (app.filter.get(), app.events.order.get(), app.revision.get());
        if before.is_some_and(|before| before != now) {
            select_rows(RowSelection::default());
        }
        now
    });
    Effect::new(move |_| {
        let (open, selection, filter, order) =
            (open.get(), app.selection.get(), app.filter.get(), app.events.order.get());
        app.revision.track();
        // The position of a previously requested event is no longer needed.
        let this = asked.get_value().wrapping_add(1);
        asked.set_value(this);
        let Selection::Event(event) = selection else {
            if selection == Selection::None {
                select_rows(RowSelection::default());
            }
            return model.cursor.set(None);
        };
        let is_there = |row| pages.are_current() && pages.event_at(row) == Some(event);
        if !open || model.cursor.get_untracked().is_some_and(is_there) {
            return;
        }
        model.cursor.set(None);
        spawn_local(async move {
            let answer = app.ask(queries::EventPosition { filter, order, event }).await;
            let Ok(Some(position)) = answer else { return };
            if asked.try_get_value() == Some(this) {
                model.cursor.set(Some(position));
                model.reveal.set(Some(position));
                select_rows(RowSelection::only(position));
            }
        });
    });
}
