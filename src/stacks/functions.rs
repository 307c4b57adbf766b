//! Table of functions by weight.

use super::find::{FindField, Finder};
use super::frame_rows::FrameRows;
use super::sum::shown_columns;
use super::target::Target;
use super::transforms::act;
use super::when::{Times, WhenCell};
use super::{function_name, measure, query};
use crate::app::state::{App, Selection, StackView};
use crate::share::copy_view;
use crate::trace::live_query::{Trouble, follow};
use crate::widgets::copy::copy_text;
use crate::widgets::grid::{Grid, GridModel, Layout, Sorting};
use leptos::prelude::*;
use protocol::base::ids::FunctionId;
use protocol::request::{FunctionOrder, WhenOf};
use protocol::stacks::function_columns::FUNCTION_COLUMNS;
use protocol::table::{CellKind, Column, column_with_key};
use protocol::tables::frame_flag::{FRAMEWORK, LINK, ROOT};
use protocol::timeline::thread_state::ThreadState;
use protocol::{queries, tables};
use std::sync::Arc;
use view::format;
use view::grid::Sorted;
use view::keys::keymap::Command;
use view::stacks::function_columns::{function_columns, function_words, functions_text};

/// All functions are requested at once: there are as many as sampled methods, not as events.
const ALL: u32 = u32::MAX;

#[component]
pub fn FunctionTable(
    /// True if it is visible.
    open: Memo<bool>,
    /// Receives the weight of all samples.
    total: RwSignal<Option<f64>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let order = RwSignal::new(Sorted { key: "self".to_owned(), descending: true });
    let finder = expect_context::<Finder>();
    let functions = follow(app, move || {
        let query = query(app, open, StackView::Functions)?;
        Some(queries::Functions { query, order: FunctionOrder::Exclusive, limit: ALL })
    });
    Effect::new(move |_| {
        if let Some(functions) = functions.value.get() {
            total.set(functions.total.first().copied());
        }
    });
    // Visible rows in order: all, or those that match the search.
    let shown = Memo::new(move |_| {
        let Some(functions) = functions.value.get() else { return Arc::default() };
        let found = finder.found.get();
        let is_shown = |row: &u32| {
            let function = functions.function.get(*row as usize);
            found.as_ref().is_none_or(|found| function.is_some_and(|function| found.contains(function)))
        };
        let mut rows: Vec<u32> = (0..functions.function.len() as u32).filter(is_shown).collect();
        let Sorted { key, descending } = order.get();
        if let Some(column) = declared(&key) {
            column.sort(&functions, &mut rows, descending);
        }
        Arc::new(rows)
    });
    let at = move |row: Option<u64>| {
        let row = shown.with(|shown: &Arc<Vec<u32>>| shown.get(row? as usize).copied())?;
        Some((functions.value.get()?, row as usize))
    };
    let target = move |row: u64| at(Some(row)).and_then(|(functions, row)| target_of(&functions, row));
    let mut model = GridModel::of(
        move || shown.with(|shown| shown.len() as u64),
        move |row| {
            let Some(target) = untrack(|| target(row)) else { return };
            if !target.is_group() {
                target.select(app);
            }
            // In the sandwich view, selecting a function shows it.
            if app.stacks.with_untracked(|look| look.view == StackView::Sandwich) {
                act(app, Command::Pivot, Some(target));
            }
        },
    );
    // The sandwich view needs a function: the hottest one, until another one is selected.
    Effect::new(move |_| {
        let needs_one = open.get() && app.stacks.with(|look| look.view == StackView::Sandwich && look.pivot.is_none());
        if needs_one && let Some(functions) = functions.value.get() {
            let hottest = functions.hottest().and_then(|row| target_of(&functions, row));
            act(app, Command::Pivot, hottest);
        }
    });
    Effect::new(move |_| {
        let pivot = app.stacks.with(|look| look.pivot.clone().filter(|_| look.view == StackView::Sandwich));
        let selected = app.selection.get();
        let is_chosen = |functions: &tables::Functions, row: usize| match (selected, &pivot) {
            (Selection::Function(function), _) => functions.function.get(row) == Some(&function.0),
            (_, Some(pivot)) => functions.name.get(row) == pivot.name && functions.module.get(row) == pivot.module,
            _ => false,
        };
        let chosen = functions.value.get().and_then(|functions| {
            shown.with(|shown| shown.iter().position(|row| is_chosen(&functions, *row as usize)))
        });
        model.cursor.set(chosen.map(|row| row as u64));
    });

    let window = RwSignal::new((0, 0));
    model.on_window = Some(Callback::new(move |seen| window.set(seen)));
    let times = Times::follow(app, move || {
        let functions = functions.value.get()?;
        let (first, end) = window.get();
        let rows = shown.get();
        let seen = rows.get(first as usize..(end as usize).min(rows.len())).filter(|seen| !seen.is_empty())?;
        let of = |row: &u32| functions.function.get(*row as usize).copied().map(FunctionId);
        let seen: Vec<FunctionId> = seen.iter().filter_map(of).collect();
        let keys = seen.iter().map(|function| u64::from(function.0)).collect();
        Some((query(app, open, StackView::Functions)?, WhenOf::Functions(seen), keys))
    });
    let text = move || {
        let functions = functions.value.get();
        functions.map(|functions| functions_text(&functions, &shown.get(), measure(app))).unwrap_or_default()
    };
    model.on_copy = Some(Callback::new(move |()| copy_text(app.shell, untrack(text), "Table")));
    copy_view::offer_table(app, open, text);
    // Bars are relative to the longest one: shares of the total would be too short to compare.
    let longest = Memo::new(move |_| {
        let column = bar_column(&order.get());
        functions.value.with(|functions| {
            let rows = |functions: &Arc<tables::Functions>| (0..functions.function.len()).collect::<Vec<_>>();
            let weight = |functions: &Arc<tables::Functions>, row| weight_of(column, functions, row).abs();
            functions.as_ref().map_or(0.0, |functions| {
                rows(functions).into_iter().map(|row| weight(functions, row)).fold(0.0, f64::max)
            })
        })
    });
    let cell = move |key: &str, row: Memo<Option<u64>>| {
        let function =
            move || at(row.get()).and_then(|(functions, row)| functions.function.get(row).map(|id| u64::from(*id)));
        match (key, declared(key)) {
            ("bar", _) => bar_cell(row, at, order, longest),
            ("when", _) => view! { <WhenCell times key=function/> }.into_any(),
            ("name", _) => name_cell(row, at),
            (_, Some(column)) => value_cell(app, row, at, column),
            _ => ().into_any(),
        }
    };
    let layout = Layout::new(move || shown_columns(app, function_columns()));
    let sorting =
        Sorting { by: Signal::derive(move || Some(order.get())), sort: Callback::new(move |sorted| order.set(sorted)) };
    let count = move || functions.value.get().and_then(|functions| functions.count.first().copied());
    view! {
        <div class="trail">
            <span><b data-testid="function-count">{move || count().map(|count| format::count(u64::from(count)))}</b>" functions"</span>
            <FindField testid="find-function"/>
        </div>
        <Trouble failure=functions.failure/>
        <FrameRows model target open>
            <Grid model label="Functions" testid="functions" layout sorting cell/>
        </FrameRows>
    }
}

fn declared(key: &str) -> Option<&'static Column<tables::Functions>> {
    column_with_key(&FUNCTION_COLUMNS, key)
}

/// Function in a row: the table with its row.
type Place = (Arc<tables::Functions>, usize);

fn name_cell(
    row: Memo<Option<u64>>,
    at: impl Fn(Option<u64>) -> Option<Place> + Copy + Send + Sync + 'static,
) -> AnyView {
    let read = move |read: fn(&tables::Functions, usize) -> String| at(row.get()).map(|(table, row)| read(&table, row));
    let flags = move || at(row.get()).and_then(|(table, row)| table.flags.get(row).copied()).unwrap_or(0);
    let class = move || at(row.get()).map(|(table, row)| format!("sw {}", swatch_class(&table, row)));
    view! {
        <span
            role="gridcell"
            class="fname"
            class:dim=move || flags() & FRAMEWORK != 0
            title=move || read(|table, row| format!("{}\n{}", table.name.get(row), table.module.get(row)))
            data-testid="function-name"
        >
            <i class=class aria-hidden="true"></i>
            {move || read(|table, row| table.name.get(row).to_owned()).map(|name| function_name(&name, flags()))}
        </span>
    }
    .into_any()
}

/// Returns the column whose weights are bars: the one that the table is sorted by, if it has weights.
fn bar_column(order: &Sorted) -> Option<&'static Column<tables::Functions>> {
    declared(if order.key == "total" { "total" } else { "self" })
}

/// Returns a weight; 0 if there is none.
fn weight_of(column: Option<&Column<tables::Functions>>, table: &tables::Functions, row: usize) -> f64 {
    column.and_then(|column| (column.cell)(table, row).number()).unwrap_or(0.0)
}

/// Returns a bar with the weight that the table is sorted by; its color is that of the state, or says whether it grew.
fn bar_cell(
    row: Memo<Option<u64>>,
    at: impl Fn(Option<u64>) -> Option<Place> + Copy + Send + Sync + 'static,
    order: RwSignal<Sorted>,
    longest: Memo<f64>,
) -> AnyView {
    let weight = move || {
        let (table, row) = at(row.get())?;
        Some((weight_of(order.with(bar_column), &table, row), !table.base_total.is_empty()))
    };
    let width = move || {
        let (weight, longest) = (weight()?.0.abs(), longest.get());
        Some(format!("{:.2}%", if longest > 0.0 { (weight / longest * 100.0).min(100.0) } else { 0.0 }))
    };
    let class = move || at(row.get()).map(|(table, row)| swatch_class(&table, row));
    let grew = move || weight().is_some_and(|(weight, is_compared)| is_compared && weight > 0.0);
    let shrank = move || weight().is_some_and(|(weight, is_compared)| is_compared && weight < 0.0);
    view! {
        <span role="gridcell">
            <span class="bar" aria-hidden="true">
                <i class=class class:grew=grew class:shrank=shrank style:width=width></i>
            </span>
        </span>
    }
    .into_any()
}

/// Returns the classes of a function's color, the same as that of its frames.
fn swatch_class(table: &tables::Functions, row: usize) -> String {
    let flags = table.flags.get(row).copied().unwrap_or(0);
    let state = table.state.get(row).and_then(|state| ThreadState::from_u8(*state)).unwrap_or(ThreadState::Managed);
    match flags {
        _ if flags & (ROOT | LINK) != 0 => "merged".to_owned(),
        _ if flags & FRAMEWORK != 0 && state == ThreadState::Managed => "k-framework".to_owned(),
        _ => format!("part {}", state.slug()),
    }
}

/// Returns a cell with the value of a column; its tooltip has more digits, or both weights of a comparison.
fn value_cell(
    app: App,
    row: Memo<Option<u64>>,
    at: impl Fn(Option<u64>) -> Option<Place> + Copy + Send + Sync + 'static,
    column: &'static Column<tables::Functions>,
) -> AnyView {
    let words = move |decimals| {
        let (table, row) = at(row.get())?;
        let weights = (measure(app), !table.base_exclusive.is_empty());
        Some(function_words(column.kind, &(column.cell)(&table, row), weights, (app.face(), decimals)))
    };
    let title = move || {
        let (table, row) = at(row.get())?;
        let (now, before) = match column.key {
            "self" => (&table.exclusive, &table.base_exclusive),
            "total" => (&table.inclusive, &table.base_inclusive),
            "stacks" => return None,
            _ => return words(9),
        };
        let measure = measure(app);
        Some(format!("now {}, baseline {}", measure.words(*now.get(row)?), measure.words(*before.get(row)?)))
    };
    let class = match (column.kind, column.key) {
        (CellKind::Text, _) => "dim",
        (_, "self") => "num",
        _ => "num dim",
    };
    view! {
        <span role="gridcell" class=class title=title data-testid=format!("function-{}", column.key)>
            {move || words(3)}
        </span>
    }
    .into_any()
}

fn target_of(functions: &tables::Functions, row: usize) -> Option<Target> {
    Some(Target {
        function: *functions.function.get(row)?,
        name: functions.name.get(row).to_owned(),
        module: functions.module.get(row).to_owned(),
        family: functions.family.get(row).to_owned(),
        flags: functions.flags.get(row).copied().unwrap_or(0),
        path: None,
    })
}
