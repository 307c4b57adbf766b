//! Tables of all compared values, by subject.

use super::changes::{open, open_buttons};
use crate::app::state::App;
use crate::widgets::grid::{self, Grid, GridModel, Layout, Sorting, sorted_records};
use crate::widgets::menu::{Menu, MenuEntry, OpenMenu};
use crate::widgets::save_file::save_records;
use crate::widgets::switch::Switch;
use leptos::prelude::*;
use protocol::compare::{CHANGE_COLUMNS, CHANGE_FACTS, Change, ChangeKind, Comparison, Form, Subject};
use protocol::format;
use protocol::table::column_with_key;
use std::sync::Arc;
use view::compare::groups::{Group, groups};
use view::grid::{GridColumn, Sorted};
use view::keys::keymap::{Command, Scope};

/// Maximum number of rows of a table that are visible at once.
const ROWS: usize = 12;
/// Height in rows of a table with more. Half a row shows that it scrolls.
const SCROLLED_ROWS: f64 = ROWS as f64 + 0.5;
/// Height of the headings in CSS pixels.
const HEAD_PX: usize = 25;

/// Tables by subject.
#[component]
pub fn Tables() -> impl IntoView {
    let app = expect_context::<App>();
    let tables = move || {
        let comparison = app.compare.comparison()?;
        let groups = groups(&comparison);
        Some(
            groups.into_iter().map(|group| view! { <ChangeTable comparison=comparison.clone() group/> }).collect_view(),
        )
    };
    view! { <div class="compare-tables" data-testid="compare-tables">{tables}</div> }
}

/// Table of a subject: its significant changes, and all values if the user wants them.
#[component]
fn ChangeTable(comparison: Arc<Comparison>, group: Group) -> impl IntoView {
    let Group { subject, significant, unchanged } = group;
    let note = match (significant.len() as u64, unchanged.len()) {
        (0, rest) => format!("no significant change in {}", format::counted(rest as u64, "value")),
        (number, 0) => format::counted(number, "significant change"),
        (number, rest) => {
            let values = format::counted(number + rest as u64, "value");
            format!("{} in {values}", format::counted(number, "significant change"))
        }
    };
    let (has_significant, rest) = (!significant.is_empty(), unchanged.len());
    // Most values don't change, so their rows are created when they are wanted.
    let is_all = RwSignal::new(false);
    let order = RwSignal::new(None::<Sorted>);
    let rows = Memo::new({
        let comparison = comparison.clone();
        move |_| {
            let places = significant.iter().chain(unchanged.iter().filter(|_| is_all.get()));
            let rows = places.filter_map(|place| comparison.changes.get(*place)).cloned();
            sorted_records(rows.collect(), &CHANGE_COLUMNS, order.get())
        }
    });
    let is_shown = move || has_significant || is_all.get();
    view! {
        <section data-testid=format!("compare-{}", subject.slug())>
            <h3>
                {subject.title()} <span class="n">{note}</span>
                {(rest > 0).then(|| view! {
                    <span class="sp">
                        <Switch on=is_all turn=Callback::new(move |()| is_all.update(|is_all| *is_all = !*is_all))
                            testid="all-changes" words="All values"/>
                    </span>
                })}
            </h3>
            {move || is_shown().then(|| view! { <ChangeRows subject per=comparison.per rows order/> })}
        </section>
    }
}

#[component]
fn ChangeRows(
    subject: Subject,
    per: protocol::compare::Per,
    rows: Memo<Arc<Vec<Change>>>,
    order: RwSignal<Option<Sorted>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let at = move |row: u64| rows.with(|rows| rows.get(row as usize).cloned());
    let menu = RwSignal::new(None);
    let mut model = GridModel::new(Signal::derive(move || rows.with(|rows| rows.len() as u64)), Callback::new(|_| {}));
    let act = move |command: Command, row: u64| match (command, untrack(|| at(row))) {
        (Command::OpenBefore | Command::OpenAfter, Some(change)) => {
            open(app, &change, command == Command::OpenBefore);
            true
        }
        _ => false,
    };
    model.on_menu = Some(Callback::new(move |(row, at_pointer)| {
        let entry = |command, testid| MenuEntry::of(Scope::Tables, command, testid, move || _ = act(command, row));
        let entries = vec![entry(Command::OpenBefore, "row-before"), entry(Command::OpenAfter, "row-after")];
        let label = untrack(|| at(row)).map(|change| change.name).unwrap_or_default();
        menu.set(Some(OpenMenu { at: at_pointer, label, entries }));
    }));
    model.actions = Some(Callback::new(move |row: Memo<Option<u64>>| {
        (move || row.get().and_then(at).map(|change| open_buttons(app, change))).into_any()
    }));
    model.save = Some(save_records(app, subject.slug(), (&CHANGE_COLUMNS, &CHANGE_FACTS), rows));
    let is_own = |command| matches!(command, Command::OpenBefore | Command::OpenAfter);
    app.actions.offer(
        Scope::Tables,
        move |command| is_own(command) && model.cursor.get_untracked().is_some(),
        move |command| model.cursor.get_untracked().is_some_and(|row| act(command, row)),
    );
    let cell = move |key: &str, row: Memo<Option<u64>>| {
        let Some(column) = column_with_key(&CHANGE_COLUMNS, key) else { return ().into_any() };
        let change = move || row.get().and_then(at);
        let words = move || change().map(|change| change.cell_words(column, per));
        let testid = format!("change-{key}");
        match key {
            "name" => view! {
                <span role="gridcell" data-testid=testid title=words>{words} " " <span class="n">{move || change().map(|change| measure(&change))}</span></span>
            }
            .into_any(),
            "size" => {
                let class = move || match change().map(|change| change.kind) {
                    Some(ChangeKind::Grew | ChangeKind::New) => "num grew",
                    Some(ChangeKind::Shrank | ChangeKind::Gone) => "num shrank",
                    Some(ChangeKind::Same) | None => "num",
                };
                view! { <span role="gridcell" class=class data-testid=testid>{words}</span> }.into_any()
            }
            "interval" => grid::cell("num dim", testid, words),
            _ => grid::cell("num", testid, words),
        }
    };
    let height = move || {
        let number = rows.with(|rows| rows.len());
        let visible = if number > ROWS { SCROLLED_ROWS } else { number as f64 };
        format!("calc({visible} * var(--h-table-row) + {HEAD_PX}px)")
    };
    let (layout, sorting) = (Layout::new(columns), Sorting::local(order));
    view! {
        <div class="change-rows" style:height=height>
            <Grid model label=subject.title() testid=subject.table_id() layout sorting cell/>
        </div>
        <Menu open=menu/>
    }
}

fn columns() -> Vec<GridColumn> {
    let [name, old, new, size, interval] = &CHANGE_COLUMNS;
    vec![
        GridColumn::of(name, 130.0, 1.0),
        GridColumn::of(old, 76.0, 0.0),
        GridColumn::of(new, 76.0, 0.0),
        GridColumn::of(size, 72.0, 0.0),
        GridColumn::of(interval, 128.0, 0.0).from(440.0),
    ]
}

/// Returns what the values of a change are, if its subject has several.
fn measure(change: &Change) -> String {
    match (change.percentile, change.subject.form()) {
        (Some(percentile), _) => format!("p{percentile}"),
        (None, Form::Duration) => "count".to_owned(),
        (None, _) => String::new(),
    }
}
