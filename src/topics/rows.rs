//! Rows of a report's table of any length.

use super::report::ShownReport;
use super::row_actions::RowActions;
use super::table::question;
use crate::app::state::{App, Selection};
use crate::commands::shortcuts::{meaning, name, title};
use crate::share::copy_view;
use crate::trace::live_query::Trouble;
use crate::trace::pages::{Pages, paged};
use crate::widgets::grid::{Grid, GridModel, Layout, Sorting};
use crate::widgets::icon::{FILTER, Icon, MORE, TARGET};
use crate::widgets::menu::{Menu, below_button};
use leptos::prelude::*;
use protocol::base::ids::EventId;
use protocol::base::time::Span;
use protocol::request::{Filter, RowOrder};
use protocol::topics::report::{Bar, CellKind, ColumnHead, ReportRows};
use protocol::topics::topic::Topic;
use view::grid::{DECIMALS, cell_words};
use view::keys::keymap::{Command, Scope};
use view::report::columns::{bar_hue, bar_percents};
use web_sys::{KeyboardEvent, MouseEvent};

/// Query for rows: analysis and filter of the report, table and order.
pub type ReportRowsQuery = (Topic, Filter, RowOrder);

/// Number of rows in which the selected event is searched.
const SEARCHED: u64 = 256;

paged!(ReportRows, ReportRows { topic: Topic, filter: Filter, order: RowOrder }, total);

/// Rows of the visible table.
#[component]
pub fn Rows(
    report: ShownReport,
    /// True if it is visible.
    open: Memo<bool>,
    /// Receives the time range of the selected row.
    marked: RwSignal<Option<Span>>,
    /// Receives the number of matching rows during a search.
    found: RwSignal<Option<u64>>,
    columns: Vec<ColumnHead>,
    /// Arrangement of the columns.
    layout: Layout,
) -> impl IntoView {
    let app = expect_context::<App>();
    let pages: Pages<ReportRows> = Pages::new(app, move || open.get().then(|| question(app, report)).flatten());
    let is_finding = Memo::new(move |_| pages.shown(|(_, _, order)| !order.find.is_empty()).unwrap_or(false));
    Effect::new(move |_| found.set(is_finding.get().then(|| pages.total.get())));
    let menu = RwSignal::new(None);
    let actions = RowActions { app, topic: report.topic, pages, columns: StoredValue::new(columns), layout, menu };
    let choose = move |row| {
        if let Some(selection) = untrack(|| actions.selection(row)) {
            app.select(selection);
        }
    };
    let mut model = GridModel::new(pages.total.into(), Callback::new(choose));
    model.on_window = Some(Callback::new(move |(first, end)| pages.show(first, end)));
    model.on_copy = Some(Callback::new(move |()| _ = app.actions.run(Scope::Topics, Command::CopyText)));
    model.on_menu = Some(Callback::new(move |(row, at)| actions.open(row, at)));
    copy_view::offer(
        app,
        move || open.get_untracked(),
        move |format| {
            if let Some(question) = untrack(|| question(app, report)) {
                actions.copy_first(question, format);
            }
        },
    );
    model.actions = Some(Callback::new(move |row| buttons(actions, row)));
    mark(marked, actions, model);
    follow_selection(app, open, actions, model);
    // The table has already handled its own keys.
    let on_key = move |event: KeyboardEvent| {
        let Some(command) = meaning(Scope::Topics, &event).filter(|_| !event.default_prevented()) else { return };
        let is_done = match command {
            Command::StacksOfThese => app.actions.run(Scope::Topics, command),
            command => actions.act(command, model.cursor.get_untracked()),
        };
        if is_done {
            event.prevent_default();
        }
    };
    app.actions.offer(
        Scope::Topics,
        move |command| open.get_untracked() && actions.can(command, model.cursor.get_untracked()),
        move |command| actions.act(command, model.cursor.get_untracked()),
    );
    let sorting = Sorting {
        by: Signal::derive(move || app.look_of(report.topic).sorted()),
        sort: Callback::new(move |sorted| {
            let look = untrack(|| app.look_of(report.topic)).with_order(sorted);
            app.reports.update(|looks| _ = looks.insert(report.topic, look));
        }),
    };
    let cell = move |key: &str, row: Memo<Option<u64>>| report_cell(actions, key, row);
    let nothing = move || pages.is_known() && pages.total.get() == 0;
    view! {
        <div class="report-rows" aria-busy=move || pages.are_behind().to_string() on:keydown=on_key>
            <Trouble failure=pages.failure/>
            <p class="nothing" hidden=move || !nothing()>
                {move || if is_finding.get() { "No matching rows" } else { "No rows match the current filters." }}
            </p>
            <Grid model label="Report rows" testid="report" class="report" layout sorting cell/>
            <Menu open=menu/>
        </div>
    }
}

/// Sets `marked` to the time range of the selected row, for the charts; clears it when the rows change.
fn mark(marked: RwSignal<Option<Span>>, actions: RowActions, model: GridModel) {
    let question = Memo::new(move |_| actions.pages.shown(Clone::clone));
    Effect::new(move |before: Option<Option<ReportRowsQuery>>| {
        let now = question.get();
        if before.is_some_and(|before| before.is_some() && before != now) {
            model.cursor.set(None);
        }
        now
    });
    Effect::new(move |_| {
        let span = model.cursor.get().and_then(|row| actions.target(row)).and_then(|target| target.span);
        marked.set(span);
    });
    on_cleanup(move || _ = marked.try_set(None));
}

/// Marks the row of the selected item, if it is among the first ones.
fn follow_selection(app: App, open: Memo<bool>, actions: RowActions, model: GridModel) {
    Effect::new(move |_| {
        let (total, selection) = (actions.pages.total.get(), app.selection.get());
        if !matches!(selection, Selection::Event(_) | Selection::Gc(_)) {
            return;
        }
        let is_it = |row: u64| actions.selection(row) == Some(selection);
        if !open.get() || model.cursor.get_untracked().is_some_and(|row| untrack(|| is_it(row))) {
            return;
        }
        let found = (0..total.min(SEARCHED)).find(|row| is_it(*row));
        model.cursor.set(found);
        if found.is_some() {
            model.reveal.set(found);
        }
    });
}

/// Returns the cell of a column in a row.
fn report_cell(actions: RowActions, key: &str, row: Memo<Option<u64>>) -> AnyView {
    let RowActions { app, pages, .. } = actions;
    let Some((at, column)) = actions.column(key) else { return ().into_any() };
    let (kind, drawn, testid) = (column.kind, column.bar, format!("cell-{}", column.key));
    let text = Memo::new(move |_| {
        let words = |page: &ReportRows, row: usize| cell_words(kind, &page.cell(row, at, kind), &app.face(), DECIMALS);
        row.get().and_then(|row| pages.row(row, words)).unwrap_or_default()
    });
    if kind == CellKind::Text {
        return view! { <span role="gridcell" title=text data-testid=testid>{text}</span> }.into_any();
    }
    let (has_bar, is_place) = (drawn != Bar::None, drawn == Bar::Place);
    let bar = has_bar.then(|| {
        let percents = Memo::new(move |_| {
            let percents = |page: &ReportRows, row: usize| bar_percents(page, row, at, drawn);
            row.get().and_then(|row| pages.row(row, percents)).unwrap_or_default()
        });
        let from = move || is_place.then(|| format!("{:.1}%", percents.get()[0]));
        let width = move || format!("{:.1}%", percents.get()[1]);
        let hue = move || {
            let hue = |page: &ReportRows, row: usize| bar_hue(page, row, drawn);
            row.get().and_then(|row| pages.row(row, hue)).flatten().map(|hue| format!("h-{hue}"))
        };
        view! { <span class="bar" aria-hidden="true"><i class=hue style:margin-left=from style:width=width></i></span> }
    });
    view! { <span role="gridcell" class="num" class:with-bar=has_bar class:place=is_place>{bar}<span data-testid=testid>{text}</span></span> }
        .into_any()
}

fn buttons(actions: RowActions, row: Memo<Option<u64>>) -> AnyView {
    let button = |command: Command, shape: &'static str, testid: &'static str| {
        let is_there = move || row.get().is_some_and(|row| actions.could(command, row));
        let act = move |event: MouseEvent| {
            event.stop_propagation();
            _ = actions.act(command, row.get_untracked());
        };
        view! {
            <button class="btn icon" tabindex="-1" aria-label=name(Scope::Topics, command) title=title(Scope::Topics, command) data-testid=testid
                hidden=move || !is_there() on:click=act><Icon shape=shape class="s"/></button>
        }
    };
    let open_menu = move |event: MouseEvent| {
        event.stop_propagation();
        if let Some(row) = row.get_untracked() {
            actions.open(row, below_button(&event));
        }
    };
    view! {
        {button(Command::ShowOnTimeline, TARGET, "row-to-timeline")}
        {button(Command::FilterTo, FILTER, "row-to-filter")}
        <button class="btn icon" tabindex="-1" aria-haspopup="menu" aria-label="Row menu" title="Row menu" data-testid="row-menu"
            on:click=open_menu><Icon shape=MORE class="s"/></button>
    }
    .into_any()
}

/// Returns the event of a row, if it has one.
pub fn event_of(id: u32) -> Option<EventId> {
    (id != protocol::topics::report::NO_ROW_EVENT).then_some(EventId(id))
}
