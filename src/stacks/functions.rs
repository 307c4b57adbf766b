//! Table of functions by weight.

use super::find::{FindField, Finder};
use super::frame_rows::FrameRows;
use super::target::Target;
use super::transforms::act;
use super::when::{Times, WhenCell, WhenHead};
use super::{function_name, measure, query};
use crate::app::state::{App, Selection, StackView};
use crate::trace::live_query::{Trouble, follow};
use crate::widgets::copy::copy_text;
use crate::widgets::icon::{DOWN, Icon, UP};
use crate::widgets::virtual_table::{TableModel, VirtualTable};
use leptos::prelude::*;
use protocol::base::ids::FunctionId;
use protocol::request::{FunctionOrder, WhenOf};
use protocol::tables::frame_flag::FRAMEWORK;
use protocol::{queries, tables};
use std::sync::Arc;
use view::format;
use view::keys::keymap::Command;
use view::stacks::clipboard::functions_text;
use view::stacks::function_order::{FunctionColumn, FunctionSort};

/// All functions are requested at once: there are as many as sampled methods, not as events.
const ALL: u32 = u32::MAX;

/// Table of functions.
#[component]
pub fn FunctionTable(
    /// True if it is visible.
    open: Memo<bool>,
    /// Receives the weight of all samples.
    total: RwSignal<Option<f64>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let order = RwSignal::new(FunctionSort::default());
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
        order.get().sort(&functions, &mut rows);
        Arc::new(rows)
    });
    let at = move |row: Option<u64>| {
        let row = shown.with(|shown: &Arc<Vec<u32>>| shown.get(row? as usize).copied())?;
        Some((functions.value.get()?, row as usize))
    };
    let target = move |row: u64| at(Some(row)).and_then(|(functions, row)| target_of(&functions, row));
    let mut model = TableModel::new(
        Signal::derive(move || shown.with(|shown| shown.len() as u64)),
        Callback::new(move |row| {
            let Some(target) = untrack(|| target(row)) else { return };
            if !target.is_group() {
                app.select(Selection::Function(FunctionId(target.function)));
            }
            // In the sandwich view, selecting a function shows it.
            if app.stacks.with_untracked(|look| look.view == StackView::Sandwich) {
                act(app, Command::Pivot, Some(target));
            }
        }),
    );
    Effect::new(move |_| {
        let chosen = match app.selection.get() {
            Selection::Function(function) => functions.value.get().and_then(|functions| {
                shown.with(|shown| {
                    shown.iter().position(|row| functions.function.get(*row as usize) == Some(&function.0))
                })
            }),
            _ => None,
        };
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
    model.on_copy = Some(Callback::new(move |()| {
        let text = untrack(|| Some(functions_text(&*functions.value.get()?, &shown.get(), measure(app))));
        copy_text(app.shell, text.unwrap_or_default(), "Table");
    }));
    let row = move |row: Memo<Option<u64>>| {
        let key =
            move || at(row.get()).and_then(|(functions, row)| functions.function.get(row).map(|id| u64::from(*id)));
        let value = move |column: fn(&tables::Functions) -> &Vec<f64>| {
            at(row.get()).and_then(|(functions, row)| column(&functions).get(row).copied())
        };
        // Difference from the baseline.
        let difference = move |column: Column, of_baseline: Column| Some(value(column)? - value(of_baseline)?);
        let words = move |column: Column, of_baseline: Column| match difference(column, of_baseline) {
            Some(value) => Some(measure(app).difference_number(value)),
            None => value(column).map(|value| measure(app).number(value)),
        };
        let both = move |column: Column, of_baseline: Column| {
            let (now, of_baseline) = (value(column)?, value(of_baseline)?);
            let measure = measure(app);
            Some(format!("now {}, baseline {}", measure.words(now), measure.words(of_baseline)))
        };
        let sorted_by = move || -> (Column, Column) {
            match order.get().column {
                FunctionColumn::Total => (inclusive, base_inclusive),
                _ => (exclusive, base_exclusive),
            }
        };
        let changed = move || {
            let (column, of_baseline) = sorted_by();
            difference(column, of_baseline)
        };
        let grew = move || changed().is_some_and(|value| value > 0.0);
        let shrank = move || changed().is_some_and(|value| value < 0.0);
        let share = move || {
            let total = functions.value.get()?.total.first().copied()?;
            let weight = changed().map_or_else(|| value(sorted_by().0), |value| Some(value.abs()))?;
            Some(if total > 0.0 { (weight / total * 100.0).min(100.0) } else { 0.0 })
        };
        let stacks = move || {
            at(row.get()).and_then(|(functions, row)| functions.stacks.get(row).map(|count| format::count(*count)))
        };
        let time = move |column: fn(&tables::Functions) -> &Vec<i64>| {
            let (functions, row) = at(row.get())?;
            let is_there = functions.stacks.get(row).is_some_and(|stacks| *stacks > 0);
            column(&functions).get(row).filter(|_| is_there).copied()
        };
        let name = move || at(row.get()).map(|(functions, row)| functions.name.get(row).to_owned());
        let module = move || at(row.get()).map(|(functions, row)| functions.module.get(row).to_owned());
        let tier = move || at(row.get()).map(|(functions, row)| functions.tier.get(row).to_owned());
        let flags = move || at(row.get()).and_then(|(functions, row)| functions.flags.get(row).copied()).unwrap_or(0);
        let framework = move || flags() & FRAMEWORK != 0;
        view! {
            <span
                role="gridcell"
                class="fname"
                class:dim=framework
                title=move || name().zip(module()).map(|(name, module)| format!("{name}\n{module}"))
                data-testid="function-name"
            >
                {move || name().map(|name| function_name(&name, flags()))}
            </span>
            <span role="gridcell" class="dim c-module">{module}</span>
            <span role="gridcell" class="dim c-tier" title=tier data-testid="function-tier">{tier}</span>
            <span role="gridcell" class="c-bar">
                <span class="bar" aria-hidden="true">
                    <i class="k-managed" class:grew=grew class:shrank=shrank style:width=move || share().map(|share| format!("{share:.2}%"))></i>
                </span>
            </span>
            <WhenCell times key/>
            <span role="gridcell" class="num" title=move || both(exclusive, base_exclusive) data-testid="function-self">
                {move || words(exclusive, base_exclusive)}
            </span>
            <span role="gridcell" class="num dim c-total" title=move || both(inclusive, base_inclusive) data-testid="function-total">
                {move || words(inclusive, base_inclusive)}
            </span>
            <span role="gridcell" class="num dim c-count" data-testid="function-stacks">{stacks}</span>
            <TimeCell at=Signal::derive(move || time(|functions| &functions.first)) testid="function-first"/>
            <TimeCell at=Signal::derive(move || time(|functions| &functions.last)) testid="function-last"/>
        }
        .into_any()
    };
    let sorted = move |column| {
        let order = order.get();
        match (order.column == column, order.descending) {
            (false, _) => "none",
            (true, true) => "descending",
            (true, false) => "ascending",
        }
    };
    let column_head = move |column, class: &'static str, words: &'static str, testid: &'static str| {
        let arrow = move || match sorted(column) {
            "descending" => Some(view! { <Icon shape=DOWN class="xs"/> }),
            "ascending" => Some(view! { <Icon shape=UP class="xs"/> }),
            _ => None,
        };
        view! {
            <span role="columnheader" class=class aria-sort=move || sorted(column)>
                <button data-testid=testid on:click=move |_| order.update(|order| *order = order.chosen(column))>
                    {words} {arrow}
                </button>
            </span>
        }
    };
    let head = view! {
        {column_head(FunctionColumn::Name, "", "Function", "sort-name")}
        {column_head(FunctionColumn::Module, "c-module", "Module", "sort-module")}
        {column_head(FunctionColumn::Tier, "c-tier", "Tier", "sort-tier")}
        <span role="columnheader" class="c-bar"><span class="sr">"Share, drawn"</span></span>
        <WhenHead/>
        {column_head(FunctionColumn::Own, "num", "Self", "sort-self")}
        {column_head(FunctionColumn::Total, "num c-total", "Total", "sort-total")}
        {column_head(FunctionColumn::Stacks, "num c-count", "Stacks", "sort-stacks")}
        {column_head(FunctionColumn::First, "num c-moment", "First", "sort-first")}
        {column_head(FunctionColumn::Last, "num c-moment", "Last", "sort-last")}
    }
    .into_any();
    let count = move || functions.value.get().and_then(|functions| functions.count.first().copied());
    view! {
        <div class="trail">
            <span><b data-testid="function-count">{move || count().map(|count| format::count(u64::from(count)))}</b>" functions"</span>
            <FindField testid="find-function"/>
        </div>
        <Trouble failure=functions.failure/>
        <FrameRows model target open>
            <VirtualTable model label="Functions" testid="functions" columns="function-columns" head row/>
        </FrameRows>
    }
}

/// Cell with the time of a stack.
#[component]
fn TimeCell(
    /// Time; `None` for a function without stacks.
    #[prop(into)]
    at: Signal<Option<i64>>,
    /// Test ID.
    testid: &'static str,
) -> impl IntoView {
    let app = expect_context::<App>();
    let words = move |decimals| at.get().map(|at| app.face().moment(at, decimals));
    view! {
        <span role="gridcell" class="num dim c-moment" title=move || words(9) data-testid=testid>{move || words(3)}</span>
    }
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

/// Column of weights.
type Column = fn(&tables::Functions) -> &Vec<f64>;

fn base_exclusive(functions: &tables::Functions) -> &Vec<f64> {
    &functions.base_exclusive
}

fn base_inclusive(functions: &tables::Functions) -> &Vec<f64> {
    &functions.base_inclusive
}

fn exclusive(functions: &tables::Functions) -> &Vec<f64> {
    &functions.exclusive
}

fn inclusive(functions: &tables::Functions) -> &Vec<f64> {
    &functions.inclusive
}
