//! Events of all traces on the timeline in one table, by time, or grouped.

use super::cell_filter::CellFilter;
use super::columns::{TRACE, layout_of_all};
use super::groups::Groups;
use super::merged_groups::field_names_of_all;
use super::merged_rows::MergedRows;
use super::row_menu::RowActions;
use super::rows::{RowFacts, event_cell};
use super::selected::{self, SelectedCount, SelectedRows};
use super::table_text::EventTable;
use super::table_tools::TableTools;
use crate::app::state::{App, Selection, Tab};
use crate::compare::TraceLetter;
use crate::share::copy_view;
use crate::trace::live_query::Trouble;
use crate::widgets::grid::{Grid, GridModel};
use crate::widgets::menu::Menu;
use leptos::prelude::*;
use protocol::request::EventFormat;
use view::events::row_selection::RowSelection;
use view::format;
use view::traces::letter;

/// Events of all traces, instead of those of one.
#[component]
pub fn AllEvents() -> impl IntoView {
    let app = expect_context::<App>();
    let open = app.is_open(Tab::Events);
    move || open.get().then(|| view! { <Table open/> })
}

#[component]
fn Table(open: Memo<bool>) -> impl IntoView {
    let app = expect_context::<App>();
    let rows = MergedRows::follow(app);
    let table = EventTable::All(rows);
    let is_grouped = Memo::new(move |_| app.events.groups.with(Option::is_some));
    let single = Memo::new(move |_| open.get() && !is_grouped.get());
    let fields = field_names_of_all(app, rows.of);
    let layout = layout_of_all(app.traces.first().unwrap_or(app), fields);
    let (menu, selected) = (RwSignal::new(None), SelectedRows::new(app, table));
    let actions = RowActions { app, selected, menu };
    let choose = move |row: u64| {
        if let Some(RowFacts { app: trace, event, .. }) = rows.facts_at(row) {
            trace.select(Selection::Event(event));
        }
    };
    let total = Signal::derive(move || rows.total());
    let mut model = GridModel::new(total, Callback::new(choose));
    model.selected = Some(selected.rows);
    model.on_window = Some(Callback::new(move |seen| rows.show(seen)));
    model.on_copy = Some(Callback::new(move |()| selected.copy(EventFormat::Tsv)));
    model.on_menu = Some(Callback::new(move |(row, at)| actions.open(Some(row), at)));
    Effect::new(move |before: Option<()>| {
        rows.of.track();
        if before.is_some() {
            selected.rows.set(RowSelection::default());
        }
    });
    copy_view::offer(
        app,
        move || single.get_untracked(),
        move |format| selected::copy_first(app, table, format, untrack(|| rows.total())),
    );
    let on_key = actions.offer(single, model);
    let cells = CellFilter::default();
    let cell = move |key: &str, row: Memo<Option<u64>>| match key {
        TRACE => trace_cell(app, rows, row),
        key => event_cell(move |row, column| rows.text(row, column), key, row),
    };
    let counts = move || {
        let of = |(trace, total): (usize, u64)| format!("{} {}", letter(trace), format::count(total));
        rows.totals.with(|totals| totals.iter().copied().enumerate().map(of).collect::<Vec<_>>().join(" · "))
    };
    view! {
        <div class="vtable events" data-testid="all-events">
            <div class="tools">
                <span class="total" role="status">
                    <b data-testid="all-events-total">{move || rows.totals.with(|totals| !totals.is_empty()).then(|| format::count(rows.total()))}</b>
                    " events of all traces match, by time: " <b data-testid="all-events-counts">{counts}</b>
                </span>
                <Show when=move || !is_grouped.get()>
                    <SelectedCount selected menu=Callback::new(move |at| actions.open(None, at))/>
                </Show>
                <TableTools table total fields is_grouped layout menu/>
            </div>
            <Trouble failure=rows.wanted.failure/>
            <Show when=move || is_grouped.get()>
                <Groups open menu/>
            </Show>
            <div class="single" hidden=move || is_grouped.get() on:keydown=on_key
                on:mouseover=move |event| cells.over(&event) on:mouseleave=move |_| cells.hide() on:wheel=move |_| cells.hide()>
                <Grid model label="Events of all traces" testid="all-events" layout cell/>
                {cells.view(actions)}
            </div>
            <Menu open=menu/>
        </div>
    }
}

/// Returns the cell with the letter and the name of a row's trace.
fn trace_cell(app: App, rows: MergedRows, row: Memo<Option<u64>>) -> AnyView {
    let trace = Memo::new(move |_| rows.trace_of(row.get()?).map(|trace| app.traces.position(trace)));
    let name = move || {
        let trace = app.traces.all().get(trace.get()?).copied()?;
        Some(trace.trace_name())
    };
    view! {
        <span role="gridcell" data-testid="all-event-trace">
            {move || trace.get().map(|position| view! { <TraceLetter position/> })} " " {name}
        </span>
    }
    .into_any()
}
