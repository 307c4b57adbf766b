//! Events of all traces on the timeline in one table, by time, or grouped.

use super::columns::{TRACE, layout_of_all};
use super::groups::Groups;
use super::merged_groups::field_names_of_all;
use super::merged_rows::MergedRows;
use super::rows::event_cell;
use super::selected::{self, SelectedCount, SelectedRows};
use super::table_text::EventTable;
use super::table_tools::TableTools;
use crate::app::state::{App, Selection, Tab};
use crate::commands::shortcuts::meaning;
use crate::compare::TraceLetter;
use crate::share::copy_view;
use crate::trace::live_query::Trouble;
use crate::widgets::grid::{Grid, GridModel};
use crate::widgets::menu::{Menu, MenuEntry, OpenMenu};
use leptos::prelude::*;
use protocol::request::EventFormat;
use view::events::row_selection::RowSelection;
use view::format;
use view::keys::keymap::{Command, Scope};
use view::traces::letter;
use web_sys::KeyboardEvent;

/// Commands of the selected rows, with test IDs.
const OF_SELECTED: [(Command, &str, EventFormat); 3] = [
    (Command::CopyText, "copy-tsv", EventFormat::Tsv),
    (Command::CopyCsv, "copy-csv", EventFormat::Csv),
    (Command::CopyJsonLines, "copy-jsonl", EventFormat::JsonLines),
];

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
    let fields = field_names_of_all(app, rows.of);
    let layout = layout_of_all(app.traces.first().unwrap_or(app), fields);
    let (menu, selected) = (RwSignal::new(None), SelectedRows::new(app, table));
    let choose = move |row: u64| {
        if let Some((trace, event)) = rows.event_at(row) {
            trace.select(Selection::Event(event));
        }
    };
    let total = Signal::derive(move || rows.total());
    let mut model = GridModel::new(total, Callback::new(choose));
    model.selected = Some(selected.rows);
    model.on_window = Some(Callback::new(move |seen| rows.show(seen)));
    model.on_copy = Some(Callback::new(move |()| selected.copy(EventFormat::Tsv)));
    let open_menu = Callback::new(move |at| menu.set(Some(menu_of(selected, at))));
    model.on_menu = Some(Callback::new(move |(_, at)| open_menu.run(at)));
    Effect::new(move |before: Option<()>| {
        rows.of.track();
        if before.is_some() {
            selected.rows.set(RowSelection::default());
        }
    });
    let single = move || !is_grouped.get_untracked();
    copy_view::offer(app, single, move |format| {
        selected::copy_first(app, table, format, untrack(|| rows.total()));
    });
    let can = move |_| single() && selected.rows.with_untracked(|rows| rows.count() > 0);
    let act = move |command| copy(selected, command);
    app.actions.offer(Scope::Events, move |command| format_of(command).is_some() && can(command), act);
    let on_key = move |event: KeyboardEvent| {
        // The table copies text itself.
        let command = meaning(Scope::Events, &event).filter(|command| *command != Command::CopyText);
        if let Some(command) = command.filter(|_| !event.default_prevented())
            && copy(selected, command)
        {
            event.prevent_default();
        }
    };
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
                    <SelectedCount selected menu=open_menu/>
                </Show>
                <TableTools table total fields is_grouped layout menu/>
            </div>
            <Trouble failure=rows.failure/>
            <Show when=move || is_grouped.get()>
                <Groups open menu/>
            </Show>
            <div class="single" hidden=move || is_grouped.get() on:keydown=on_key>
                <Grid model label="Events of all traces" testid="all-events" layout cell/>
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

fn format_of(command: Command) -> Option<EventFormat> {
    OF_SELECTED.into_iter().find(|(known, ..)| *known == command).map(|(_, _, format)| format)
}

/// Copies the selected rows if a command does so; returns whether it does.
fn copy(selected: SelectedRows, command: Command) -> bool {
    let format = format_of(command);
    format.into_iter().for_each(|format| selected.copy(format));
    format.is_some()
}

fn menu_of(selected: SelectedRows, at: (f64, f64)) -> OpenMenu {
    let entry = |(command, testid, _): (Command, &'static str, EventFormat)| {
        MenuEntry::of(Scope::Events, command, testid, move || _ = copy(selected, command))
    };
    let count = selected.rows.with_untracked(RowSelection::count);
    let label = format!("{} selected", format::counted(count, "event"));
    OpenMenu { at, label, entries: OF_SELECTED.into_iter().map(entry).collect() }
}
