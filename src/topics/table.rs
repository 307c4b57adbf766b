//! Tables of a report, one at a time, and commands for all their rows.

use super::report::ShownReport;
use super::row_filter::RowFilter;
use super::rows::Rows;
use crate::app::state::App;
use crate::commands::shortcuts::name;
use crate::widgets::copy::copy_text;
use crate::widgets::grid::{ColumnChooser, Layout};
use crate::widgets::icon::{COPY, DROP, Icon, TABLE};
use crate::widgets::radio_group::stepped;
use crate::widgets::save_file;
use crate::widgets::switch::Switch;
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;
use protocol::base::time::Span;
use protocol::request::RowOrder;
use protocol::topics::report::{ColumnHead, TableHead};
use protocol::{Failure, queries, tables};
use view::format;
use view::keys::keymap::{Command, Scope};
use view::report::columns::grid_columns;
use view::url::report::ReportView;
use wasm_bindgen_futures::spawn_local;

/// Maximum number of rows to copy; more must be saved as a file.
const MAX_COPIED: u64 = 100_000;

/// Returns the visible table and its order.
fn order_of(app: App, report: ShownReport) -> Option<RowOrder> {
    let look = app.look_of(report.topic);
    report.with(|head| look.order(&head.tables)).flatten()
}

#[component]
pub fn ReportTables(
    report: ShownReport,
    /// True if it is visible.
    open: Memo<bool>,
    /// Receives the time range of the selected row.
    marked: RwSignal<Option<Span>>,
    /// True if charts are shown as tables.
    as_tables: RwSignal<bool>,
    /// Toggles `as_tables`.
    turn_charts: Callback<()>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let shown = Memo::new(move |_| {
        let look = app.look_of(report.topic);
        report.with(|head| head.tables.get(look.table_of(&head.tables)).cloned()).flatten()
    });
    let columns =
        Memo::new(move |_| shown.with(|table| table.as_ref().map(|table| table.columns.clone())).unwrap_or_default());
    let layout = Layout {
        all: Memo::new(move |_| columns.with(|columns| grid_columns(columns, app.look_of(report.topic).all_columns))),
        arrangement: Signal::derive(move || app.look_of(report.topic).arrangement),
        change: Callback::new(move |arrangement| {
            let look = ReportView { arrangement, ..untrack(|| app.look_of(report.topic)) };
            app.reports.update(|looks| _ = looks.insert(report.topic, look));
        }),
    };
    // The list is recreated for another table.
    let shape =
        Memo::new(move |_| shown.with(|table| table.as_ref().map(|table| (table.key.clone(), table.columns.clone()))));
    let has_more = Memo::new(move |_| {
        shown.with(|table| table.as_ref().is_some_and(|table| ReportView::has_more(&table.columns)))
    });
    let has_all = Memo::new(move |_| app.look_of(report.topic).all_columns);
    let turn_columns = move || {
        let look = untrack(|| app.look_of(report.topic)).with_all_columns(!has_all.get_untracked());
        app.reports.update(|looks| _ = looks.insert(report.topic, look));
    };
    // Number of matching rows during a search.
    let found = RwSignal::new(None::<u64>);
    let rows = move |(_, columns): (String, Vec<ColumnHead>)| {
        view! { <Rows report open marked found columns layout/> }
    };
    let total = move || shown.with(|table| table.as_ref().map_or(0, |table| table.rows));
    let has_charts = move || report.with(|head| !head.charts.is_empty()) == Some(true);
    let name_of = |command| name(Scope::Topics, command);
    let act = move |command| {
        match command {
            Command::SaveTable => save(app, report),
            Command::CopyText => copy(app, report, found.get_untracked().unwrap_or_else(|| untrack(total))),
            Command::AllColumns => turn_columns(),
            _ => return false,
        }
        true
    };
    app.actions.offer(
        Scope::Topics,
        move |command| {
            let can = match command {
                Command::SaveTable | Command::CopyText => shown.with_untracked(Option::is_some),
                Command::AllColumns => has_more.get_untracked(),
                _ => false,
            };
            can && open.get_untracked()
        },
        act,
    );
    view! {
        <div class="tools" hidden=move || shown.with(Option::is_none)>
            <TablePick report/>
            <span class="total" class:found=move || found.with(Option::is_some) role="status">
                <b data-testid="topic-rows">{move || format::count(found.get().unwrap_or_else(total))}</b>
                {move || rows_words(found.get(), total())}
            </span>
            <RowFilter report/>
            <Show when=move || has_more.get()>
                <Switch on=has_all turn=Callback::new(move |()| turn_columns()) testid="all-columns" words="All columns"/>
            </Show>
            <span class="more of-all">
                <Show when=has_charts>
                    <button class="btn icon" aria-label=name_of(Command::ChartsAsTables) title=name_of(Command::ChartsAsTables) aria-pressed=move || as_tables.get().to_string()
                        data-testid="charts-as-tables" data-command=Command::ChartsAsTables.id() on:click=move |_| turn_charts.run(())>
                        <Icon shape=TABLE class="s"/>
                    </button>
                </Show>
                <ColumnChooser layout testid="pick-report-column"/>
                <button class="btn icon" aria-label=name_of(Command::CopyText) title=name_of(Command::CopyText) data-testid="copy-table"
                    data-command=Command::CopyText.id() on:click=move |_| _ = act(Command::CopyText)><Icon shape=COPY class="s"/></button>
                <button class="btn icon" aria-label=name_of(Command::SaveTable) title=name_of(Command::SaveTable) data-testid="save-table"
                    data-command=Command::SaveTable.id() on:click=move |_| _ = act(Command::SaveTable)><Icon shape=DROP class="s"/></button>
            </span>
        </div>
        {move || shape.get().map(rows)}
    }
}

/// Returns the text after the number of visible rows.
fn rows_words(found: Option<u64>, total: u64) -> String {
    let noun = if total == 1 { "row" } else { "rows" };
    found.map_or_else(|| format!(" {noun}"), |_| format!(" of {} {noun}", format::count(total)))
}

/// Buttons of the report's tables, with their numbers of rows.
#[component]
fn TablePick(report: ShownReport) -> impl IntoView {
    let app = expect_context::<App>();
    let group = NodeRef::<html::Div>::new();
    let tables = Memo::new(move |_| report.with(|head| head.tables.clone()).unwrap_or_default());
    let at = Memo::new(move |_| tables.with(|tables| app.look_of(report.topic).table_of(tables)));
    let choose = move |place: usize| {
        let look = tables.with_untracked(|tables| tables.get(place).map(ReportView::with_table));
        if let Some(look) = look.filter(|_| at.get_untracked() != place) {
            app.reports.update(|looks| _ = looks.insert(report.topic, look));
        }
    };
    let on_key = move |event: KeyboardEvent| {
        let count = tables.with_untracked(Vec::len);
        let Some(next) = stepped(&event, at.get_untracked(), count) else { return };
        choose(next);
        if let Some(group) = group.get_untracked() {
            crate::widgets::focus_child(&group, next as u32);
        }
    };
    let option = move |(place, table): (usize, TableHead)| {
        let is_chosen = move || at.get() == place;
        view! {
            <button role="radio" aria-checked=move || is_chosen().to_string() tabindex=move || if is_chosen() { "0" } else { "-1" }
                data-testid=format!("table-{}", table.key) on:click=move |_| choose(place)>
                {table.title} " " <span class="n">{format::count(table.rows)}</span>
            </button>
        }
    };
    view! {
        <div class="seg" role="radiogroup" aria-label="Table" node_ref=group on:keydown=on_key hidden=move || tables.with(|tables| tables.len() < 2)>
            {move || tables.get().into_iter().enumerate().map(option).collect_view()}
        </div>
    }
}

/// Returns all rows of the visible table, in the visible order.
async fn file(app: App, report: ShownReport) -> Result<tables::ExportedFile, Failure> {
    let order = untrack(|| order_of(app, report)).unwrap_or_default();
    let filter =
        report.latest.with_untracked(|latest| latest.as_ref().map(|latest| latest.filter.clone())).unwrap_or_default();
    app.ask(queries::ReportFile { topic: report.topic, order, filter }).await
}

fn save(app: App, report: ShownReport) {
    spawn_local(async move {
        match file(app, report).await.and_then(|file| save_file::save(&file)) {
            Ok(name) => app.shell.announce.set(format!("Saved {name}.")),
            Err(failure) => app.shell.say(failure.to_string()),
        }
    });
}

/// Copies all rows of the visible table.
fn copy(app: App, report: ShownReport, rows: u64) {
    if rows > MAX_COPIED {
        let (most, rows) = (format::count(MAX_COPIED), format::count(rows));
        return app.shell.say(format!("Too many rows to copy ({rows}; limit {most}). Export it as CSV instead."));
    }
    spawn_local(async move {
        match file(app, report).await {
            Ok(content) => copy_text(app.shell, String::from_utf8_lossy(&content.bytes).into_owned(), "Table"),
            Err(failure) => app.shell.say(failure.to_string()),
        }
    });
}

/// Returns the query of the rows; `None` while there is no report.
pub fn question(app: App, report: ShownReport) -> Option<super::rows::ReportRowsQuery> {
    let filter = report.latest.with(|latest| latest.as_ref().map(|latest| latest.filter.clone()))?;
    Some((report.topic, filter, order_of(app, report)?))
}
