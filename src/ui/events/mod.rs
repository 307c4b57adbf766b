//! Every event that matches, however many there are.

mod columns;
mod groups;
mod head;
mod histogram;
mod pages;
mod rows;
mod save;

use super::state::{App, Selection, Tab};
use super::widgets::virtual_table::{TableModel, VirtualTable};
use super::workspace::is_open;
use crate::model::ids::ThreadId;
use crate::protocol::tables::EventRows;
use crate::protocol::{Answer, Request};
use crate::view::level::{LIMITS, level_limit};
use crate::view::tooltip::thread_name;
use crate::view::{event_sort, format};
use columns::ColumnPick;
use groups::{GroupPick, Groups, field_names};
use head::{FieldPick, heads};
use histogram::EventHistogram;
use leptos::prelude::*;
use pages::Pages;
use rows::Cell;
use save::SaveEvents;
use wasm_bindgen_futures::spawn_local;

/// The tab with every event that matches.
#[component]
pub fn Events() -> impl IntoView {
    let app = expect_context::<App>();
    let open = is_open(app, Tab::Events);
    let is_grouped = Memo::new(move |_| app.groups.with(Option::is_some));
    let single = Memo::new(move |_| open.get() && !is_grouped.get());
    let pages: Pages<EventRows> = Pages::new(app, move || single.get().then(|| (app.filter.get(), app.order.get())));
    let fields = field_names(app, open);
    let more = columns::fields_of(app, single);
    let mut model = TableModel::new(
        Signal::derive(move || pages.total.get()),
        Callback::new(move |row| {
            if let Some(event) = pages.event_at(row) {
                app.select(Selection::Event(event));
            }
        }),
    );
    model.on_window = Some(Callback::new(move |(first, end)| {
        pages.show(first, end);
        more.show(first, end);
    }));
    follow_selection(app, single, pages, model);

    let cell = move |row: Memo<Option<u64>>, cell: Cell| move || pages.text(app, row.get(), cell);
    let row = move |row: Memo<Option<u64>>| {
        let time = move || {
            let text = pages.text(app, row.get(), Cell::Time);
            let (seconds, fine) = text.split_at(text.len().saturating_sub(3));
            view! { {seconds.to_owned()} <span class="fine">{fine.to_owned()}</span> }
        };
        view! {
            <span role="gridcell" class="time" data-testid="event-time">{time}</span>
            <span role="gridcell">{cell(row, Cell::Thread)}</span>
            <span role="gridcell" class="dim c-provider">{cell(row, Cell::Provider)}</span>
            <span role="gridcell" data-testid="event-name">{cell(row, Cell::Name)}</span>
            <span role="gridcell" class="dim c-level">{cell(row, Cell::Level)}</span>
            <span role="gridcell" class="dim c-belongs" data-testid="event-belongs">{cell(row, Cell::BelongsTo)}</span>
            {columns::cells(app, more, row)}
            <span role="gridcell" class="dim" data-testid="event-payload">{cell(row, Cell::Payload)}</span>
        }
        .into_any()
    };
    let head = heads(app);
    let labelled = move || app.trace.with(|trace| trace.as_ref().is_some_and(|trace| trace.has_labels));
    let count = move || app.event_columns.with(Vec::len).to_string();
    let is_extended = move || app.event_columns.with(|columns| !columns.is_empty());
    let nothing = move || pages.is_known() && pages.total.get() == 0;
    view! {
        <div class="vtable" class:labelled=labelled class:extended=is_extended style:--more=count hidden=move || !open.get() data-testid="events-panel">
            <div class="tools">
                <span class="total" role="status">
                    <b data-testid="events-total">{move || pages.is_known().then(|| format::count(pages.total.get()))}</b>
                    " events match" {move || (!is_grouped.get()).then(|| format!(", {}", app.order.with(event_sort::words)))}
                </span>
                <LevelPick/>
                <GroupPick fields/>
                <Show when=move || !is_grouped.get()>
                    <ColumnPick fields/>
                    <FieldPick fields/>
                </Show>
                <ProviderPick/>
                <ThreadPick/>
                <SaveEvents total=pages.total/>
            </div>
            <EventHistogram open/>
            <super::follow::Trouble failure=pages.failure/>
            <Show when=move || is_grouped.get()>
                <Groups open/>
            </Show>
            <Show when=nothing>
                <div class="blank">
                    <h2>"No event matches"</h2>
                    <p>"Remove a filter to see more: each has a × at the top of the window."</p>
                </div>
            </Show>
            <div class="single" hidden=move || is_grouped.get()>
                <VirtualTable model label="Events" testid="events" columns="events-columns" head row/>
            </div>
        </div>
    }
}

/// The event that is selected anywhere on the page is brought into view and marked.
fn follow_selection(app: App, open: Memo<bool>, pages: Pages<EventRows>, model: TableModel) {
    let asked = StoredValue::new(0_u32);
    Effect::new(move |_| {
        let (open, selection, filter, order) = (open.get(), app.selection.get(), app.filter.get(), app.order.get());
        app.revision.track();
        let Selection::Event(event) = selection else {
            return model.cursor.set(None);
        };
        let is_there = |row| pages.are_current() && pages.event_at(row) == Some(event);
        if !open || model.cursor.get_untracked().is_some_and(is_there) {
            return;
        }
        let this = asked.get_value().wrapping_add(1);
        asked.set_value(this);
        model.cursor.set(None);
        spawn_local(async move {
            let answer = app.ask(Request::EventPosition { filter, order, event }).await.map(|reply| reply.answer);
            let Ok(Answer::Position { position: Some(position) }) = answer else { return };
            if asked.try_get_value() == Some(this) {
                model.cursor.set(Some(position));
                model.reveal.set(Some(position));
            }
        });
    });
}

/// A list that narrows to events that are severe enough.
#[component]
fn LevelPick() -> impl IntoView {
    let app = expect_context::<App>();
    let options = LIMITS.map(|level| view! { <option value=level.to_string()>{level_limit(level)}</option> });
    view! {
        <select
            class="btn line sp"
            aria-label="Show only events that are severe enough"
            data-testid="pick-level"
            prop:value=""
            on:change:target=move |event| {
                app.set_level(event.target().value().parse().ok());
                event.target().set_value("");
            }
        >
            <option value="">"Level…"</option>
            {options.collect_view()}
        </select>
    }
}

/// A list that narrows to a provider.
#[component]
fn ProviderPick() -> impl IntoView {
    let app = expect_context::<App>();
    let options = move || {
        let trace = app.trace.get()?;
        let options = trace.providers.iter().map(|provider| {
            let words = format!("{} ({})", provider.name, format::count(provider.events));
            view! { <option value=provider.name.clone()>{words}</option> }
        });
        Some(options.collect_view())
    };
    view! {
        <select
            class="btn line"
            aria-label="Show only a provider"
            data-testid="pick-provider"
            prop:value=""
            on:change:target=move |event| {
                app.toggle_provider(&event.target().value());
                event.target().set_value("");
            }
        >
            <option value="">"Provider…"</option>
            {options}
        </select>
    }
}

/// A list that narrows to a thread.
#[component]
fn ThreadPick() -> impl IntoView {
    let app = expect_context::<App>();
    let options = move || {
        let threads = app.threads.get()?;
        let options = (0..threads.thread.len()).map(|row| {
            let id = threads.thread.get(row).copied().unwrap_or_default();
            let words = thread_name(&threads, ThreadId(id));
            view! { <option value=id.to_string()>{words}</option> }
        });
        Some(options.collect_view())
    };
    view! {
        <select
            class="btn line"
            aria-label="Show only a thread"
            data-testid="pick-thread"
            prop:value=""
            on:change:target=move |event| {
                if let Ok(id) = event.target().value().parse() {
                    app.toggle_thread(ThreadId(id));
                }
                event.target().set_value("");
            }
        >
            <option value="">"Thread…"</option>
            {options}
        </select>
    }
}
