//! Events tab: all matching events.

mod column_header_moves;
mod column_headers;
mod columns;
mod dropdowns;
mod groups;
mod histogram;
mod row_menu;
mod rows;
mod save;
mod selected;
pub(crate) mod state;

use super::widgets::menu::Menu;
use super::widgets::virtual_table::{TableModel, VirtualTable};
use crate::app::state::{App, Selection, Tab};
use crate::commands::shortcuts::meaning;
use crate::trace::pages::Pages;
use column_header_moves::HeadMoves;
use column_headers::{FieldPick, heads};
use dropdowns::{ColumnPick, LevelPick, ProviderPick, ThreadPick};
use groups::{GroupPick, Groups, field_names};
use histogram::EventHistogram;
use leptos::prelude::*;
use protocol::queries;
use protocol::request::{EventFormat, EventOrder, Filter};
use protocol::tables::EventRows;
use row_menu::RowActions;
use rows::cells;
use save::SaveEvents;
use selected::{SelectedCount, SelectedRows};
use view::events::row_selection::RowSelection;
use view::events::sort as event_sort;
use view::format;
use view::keys::keymap::{Command, Scope};
use wasm_bindgen_futures::spawn_local;
use web_sys::KeyboardEvent;

/// Events tab.
#[component]
pub fn Events() -> impl IntoView {
    let app = expect_context::<App>();
    let open = app.is_open(Tab::Events);
    let is_grouped = Memo::new(move |_| app.events.groups.with(Option::is_some));
    let single = Memo::new(move |_| open.get() && !is_grouped.get());
    let pages: Pages<EventRows> =
        Pages::new(app, move || single.get().then(|| (app.filter.get(), app.events.order.get())));
    let fields = field_names(app, open);
    let of_fields = columns::fields_of(app, single);
    let (menu, selected) = (RwSignal::new(None), SelectedRows::new(app));
    let actions = RowActions { app, pages, fields: of_fields, selected, menu };
    let mut model = TableModel::new(
        Signal::derive(move || pages.total.get()),
        Callback::new(move |row| {
            if let Some(event) = pages.event_at(row) {
                app.select(Selection::Event(event));
            }
        }),
    );
    model.selected = Some(selected.rows);
    model.on_window = Some(Callback::new(move |(first, end)| {
        pages.show(first, end);
        of_fields.show(first, end);
    }));
    model.on_copy = Some(Callback::new(move |()| selected.copy(EventFormat::Tsv)));
    model.on_menu = Some(Callback::new(move |(row, at)| actions.open(Some(row), at)));
    follow_selection(app, single, pages, model);
    // The table has already handled its own keys.
    let on_key = move |event: KeyboardEvent| {
        let command = meaning(Scope::Events, &event).filter(|command| *command != Command::CopyText);
        if let Some(command) = command.filter(|_| !event.default_prevented())
            && actions.act(command, model.cursor.get_untracked())
        {
            event.prevent_default();
        }
    };

    app.actions.offer(
        Scope::Events,
        move |command| single.get_untracked() && actions.can(command, model.cursor.get_untracked()),
        move |command| actions.act(command, model.cursor.get_untracked()),
    );

    let order = Memo::new(move |_| app.events.columns.with(|columns| columns.order().to_vec()));
    let row = move |row: Memo<Option<u64>>| cells(app, pages, of_fields, order, row);
    let head = heads(app, HeadMoves::new(app, menu), order);
    let tracks = move || app.events.columns.with(|columns| columns.grid_tracks());
    let least = move || app.events.columns.with(|columns| columns.least_width());
    let labelled = move || app.trace.with(|trace| trace.as_ref().is_some_and(|trace| trace.has_labels));
    let is_extended = move || app.events.columns.with(|columns| !columns.fields().is_empty());
    let nothing = move || pages.is_known() && pages.total.get() == 0;
    view! {
        <div class="vtable events" class:labelled=labelled class:extended=is_extended style:--columns=tracks style:--least=least
            hidden=move || !open.get() data-testid="events-panel">
            <div class="tools">
                <span class="total" role="status">
                    <b data-testid="events-total">{move || pages.is_known().then(|| format::count(pages.total.get()))}</b>
                    " events match" {move || (!is_grouped.get()).then(|| format!(", {}", app.events.order.with(event_sort::words)))}
                </span>
                <Show when=move || !is_grouped.get()>
                    <SelectedCount selected menu=Callback::new(move |at| actions.open(None, at))/>
                </Show>
                <LevelPick/>
                <GroupPick fields/>
                <Show when=move || !is_grouped.get()>
                    <ColumnPick fields/>
                    <FieldPick fields/>
                </Show>
                <ProviderPick/>
                <ThreadPick/>
                <button class="btn line" title="Show stacks of matching events"
                    data-testid="events-stacks" data-command=Command::StacksOfThese.id()
                    on:click=move |_| _ = actions.act(Command::StacksOfThese, None)>"Stacks"</button>
                <SaveEvents total=pages.total/>
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
            <div class="single" hidden=move || is_grouped.get() on:keydown=on_key>
                <VirtualTable model label="Events" testid="events" columns="events-columns" head row/>
            </div>
            <Menu open=menu/>
        </div>
    }
}

/// Scrolls to the selected event and marks it. Other selected rows stay until the table changes.
fn follow_selection(app: App, open: Memo<bool>, pages: Pages<EventRows>, model: TableModel) {
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
