//! Functions by weight.

use super::frame_rows::FrameRows;
use super::target::Target;
use super::transforms::act;
use super::{function_name, measure, query};
use crate::model::ids::FunctionId;
use crate::protocol::request::FunctionOrder;
use crate::protocol::tables::frame_flag::FRAMEWORK;
use crate::protocol::{Request, tables};
use crate::ui::follow::{Trouble, follow, table};
use crate::ui::state::{App, Selection, StackView};
use crate::ui::widgets::icon::{DOWN, Icon, SEARCH};
use crate::ui::widgets::virtual_table::{TableModel, VirtualTable};
use crate::view::format;
use crate::view::keymap::Command;
use leptos::prelude::*;
use std::sync::Arc;

/// All functions come at once: there are as many as methods that were ever sampled, not as events.
const ALL: u32 = u32::MAX;

/// A table of functions.
#[component]
pub fn FunctionTable(
    /// Whether it is seen.
    open: Memo<bool>,
    /// The weight of all samples is told here.
    total: RwSignal<Option<f64>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let order = RwSignal::new(FunctionOrder::default());
    let find = RwSignal::new(String::new());
    let functions = follow(
        app,
        move || {
            Some(Request::Functions { query: query(app, open, StackView::Functions)?, order: order.get(), limit: ALL })
        },
        table(tables::Functions::unpack),
    );
    Effect::new(move |_| {
        if let Some(functions) = functions.value.get() {
            total.set(functions.total.first().copied());
        }
    });
    // Which rows of the table are shown, in order: all, or those that contain the text.
    let shown = Memo::new(move |_| {
        let find = find.get().to_lowercase();
        functions.value.get().map_or_else(Default::default, |functions| Arc::new(matching(&functions, &find)))
    });
    let at = move |row: Option<u64>| {
        let row = shown.with(|shown: &Arc<Vec<u32>>| shown.get(row? as usize).copied())?;
        Some((functions.value.get()?, row as usize))
    };
    let target = move |row: u64| at(Some(row)).and_then(|(functions, row)| target_of(&functions, row));
    let model = TableModel::new(
        Signal::derive(move || shown.with(|shown| shown.len() as u64)),
        Callback::new(move |row| {
            let Some(target) = untrack(|| target(row)) else { return };
            if !target.is_group() {
                app.select(Selection::Function(FunctionId(target.function)));
            }
            // Between callers and callees the chosen function is the one that is shown.
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

    let row = move |row: Memo<Option<u64>>| {
        let value = move |column: fn(&tables::Functions) -> &Vec<f64>| {
            at(row.get()).and_then(|(functions, row)| column(&functions).get(row).copied())
        };
        // In a comparison: how much more or less than in the baseline.
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
            match order.get() {
                FunctionOrder::Exclusive => (exclusive, base_exclusive),
                FunctionOrder::Inclusive => (inclusive, base_inclusive),
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
        let name = move || at(row.get()).map(|(functions, row)| functions.name.get(row).to_owned());
        let module = move || at(row.get()).map(|(functions, row)| functions.module.get(row).to_owned());
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
            <span role="gridcell" class="c-bar">
                <span class="bar" aria-hidden="true">
                    <i class="k-managed" class:grew=grew class:shrank=shrank style:width=move || share().map(|share| format!("{share:.2}%"))></i>
                </span>
            </span>
            <span role="gridcell" class="num" title=move || both(exclusive, base_exclusive) data-testid="function-self">
                {move || words(exclusive, base_exclusive)}
            </span>
            <span role="gridcell" class="num dim c-total" title=move || both(inclusive, base_inclusive) data-testid="function-total">
                {move || words(inclusive, base_inclusive)}
            </span>
            <span role="gridcell" class="num dim c-count" data-testid="function-stacks">{stacks}</span>
        }
        .into_any()
    };
    let sorted = move |by| if order.get() == by { "descending" } else { "none" };
    let sort_button = move |by, words: &'static str, testid: &'static str| {
        view! {
            <button data-testid=testid on:click=move |_| order.set(by)>
                {words}
                {move || (order.get() == by).then(|| view! { <Icon shape=DOWN class="xs"/> })}
            </button>
        }
    };
    let head = view! {
        <span role="columnheader">"Function"</span>
        <span role="columnheader" class="c-module">"Module"</span>
        <span role="columnheader" class="c-bar"></span>
        <span role="columnheader" class="num" aria-sort=move || sorted(FunctionOrder::Exclusive)>
            {sort_button(FunctionOrder::Exclusive, "Self", "sort-self")}
        </span>
        <span role="columnheader" class="num c-total" aria-sort=move || sorted(FunctionOrder::Inclusive)>
            {sort_button(FunctionOrder::Inclusive, "Total", "sort-total")}
        </span>
        <span role="columnheader" class="num c-count">"Stacks"</span>
    }
    .into_any();
    let count = move || functions.value.get().and_then(|functions| functions.count.first().copied());
    view! {
        <div class="trail">
            <span><b data-testid="function-count">{move || count().map(|count| format::count(u64::from(count)))}</b>" functions"</span>
            <label class="field small sp">
                <Icon shape=SEARCH class="xs"/>
                <span class="sr">"Find a function"</span>
                <input
                    type="search"
                    placeholder="Find"
                    data-testid="find-function"
                    on:input:target=move |event| find.set(event.target().value())
                />
            </label>
        </div>
        <Trouble failure=functions.failure/>
        <FrameRows model target>
            <VirtualTable model label="Functions" testid="functions" columns="function-columns" head row/>
        </FrameRows>
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

/// A column of weights.
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

/// Rows whose name or module contains `find`, which is in lower case.
fn matching(functions: &tables::Functions, find: &str) -> Vec<u32> {
    let rows = 0..functions.function.len() as u32;
    if find.is_empty() {
        return rows.collect();
    }
    let contains = |row: &u32| {
        let row = *row as usize;
        [functions.name.get(row), functions.module.get(row)].iter().any(|text| text.to_lowercase().contains(find))
    };
    rows.filter(contains).collect()
}
