//! Call tree, heaviest children first, or inverted.

use super::find::{FindField, Finder};
use super::frame_rows::FrameRows;
use super::sum::{comparison, shown_columns};
use super::target::Target;
use super::when::{Times, WhenCell};
use super::{function_name, measure, query};
use crate::app::state::{App, StackView};
use crate::share::copy_view;
use crate::trace::live_query::{Trouble, follow, when_grown};
use crate::widgets::copy::copy_text;
use crate::widgets::grid::{self, Grid, GridModel, Layout, Sorting, TreeRow};
use leptos::prelude::*;
use protocol::base::ids::FunctionId;
use protocol::request::{TreeQuery, WhenOf};
use protocol::tables::folded_name;
use protocol::tables::frame_flag::{FRAMEWORK, UNRESOLVED};
use protocol::{Failure, queries, tables};
use view::format;
use view::stacks::clipboard::tree_text;
use view::stacks::tree_rows::{Row, TreeColumn, TreeRows, TreeSort, tree_columns};
use wasm_bindgen_futures::spawn_local;

/// Maximum depth of the initially expanded path.
const HOT_PATH_DEPTH: u16 = 17;
/// Approximate maximum number of rows expanded at once; the command can be repeated for the others.
const MAX_OPENED: u32 = 20_000;

#[component]
pub fn CallTree(
    /// True if it is visible.
    open: Memo<bool>,
    /// Direction.
    view: StackView,
    /// Receives the weight of all samples.
    total: RwSignal<Option<f64>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let rows = RwSignal::new(TreeRows::default());
    let asked = RwSignal::new(None::<TreeQuery>);
    let order = move || rows.with(|rows| rows.order);
    let is_compared = move || comparison(app).is_some();
    // The default order is by weight; in a comparison, by difference.
    let shown_order = Memo::new(move |_| order().or((!is_compared()).then(|| TreeSort::by(TreeColumn::Total))));
    // Function IDs change, so the visible rows can't be expanded any more.
    when_grown(app, move || asked.set(None));
    let top = follow(app, move || Some(queries::Children { query: query(app, open, view)?, path: Vec::new() }));
    Effect::new(move |_| {
        let Some(top) = top.value.get() else { return };
        let Some(query) = untrack(|| query(app, open, view)) else { return };
        let fresh = TreeRows::top(&top, rows.with_untracked(|rows| rows.order));
        total.set(Some(fresh.total));
        let is_known = asked.with_untracked(Option::is_some);
        let before = if is_known { rows.with_untracked(TreeRows::expanded) } else { Vec::new() };
        asked.set(Some(query.clone()));
        spawn_local(async move {
            let mut fresh = reopen(app, &query, fresh, before).await;
            if asked.try_get_untracked().flatten() == Some(query) {
                if let Some(order) = rows.with_untracked(|rows| rows.order).filter(|order| fresh.order != Some(*order))
                {
                    fresh.sort(order);
                }
                rows.set(fresh);
            }
        });
    });
    let toggle = move |index: usize| {
        let Some(row) = rows.with_untracked(|rows| rows.rows.get(index).cloned()) else { return };
        if !row.has_children {
            return;
        }
        if row.expanded {
            return rows.update(|rows| rows.collapse(index));
        }
        if let Some(query) = asked.get_untracked() {
            let frames = rows.with_untracked(|rows| rows.frames(index));
            spawn_local(async move {
                match children(app, query.clone(), &frames).await {
                    Ok(children) if asked.get_untracked() == Some(query) => {
                        rows.update(|rows| rows.expand(&frames, &children));
                    }
                    Ok(_) => {}
                    Err(failure) => top.failure.set(Some(failure)),
                }
            });
        }
    };
    let target =
        move |index: u64| rows.with_untracked(|rows| rows.rows.get(index as usize).map(|row| target_of(row, view)));
    let mut model = GridModel::of(
        move || rows.with(|rows| rows.rows.len() as u64),
        move |index| match target(index) {
            Some(target) if target.is_group() => toggle(index as usize),
            Some(target) => target.select(app),
            None => {}
        },
    );
    model.tree = Some(Callback::new(move |index: u64| {
        rows.with(|rows| rows.rows.get(index as usize).map(tree_row)).unwrap_or_default()
    }));
    model.on_toggle = Some(Callback::new(move |index: u64| toggle(index as usize)));
    model.on_step = Some(Callback::new(|_| {}));
    model.on_expand_all =
        Some(Callback::new(move |index: u64| expand_all(app, asked, rows, index as usize, top.failure)));
    let text = move || rows.with(|rows| tree_text(rows, measure(app)));
    model.on_copy = Some(Callback::new(move |()| copy_text(app.shell, untrack(text), "Tree")));
    copy_view::offer_table(app, open, text);
    let window = RwSignal::new((0, 0));
    model.on_window = Some(Callback::new(move |seen| window.set(seen)));
    let times = Times::follow(app, move || {
        let (first, end) = window.get();
        let (around, keys) = rows.with(|rows| rows.around(first as usize, end as usize));
        Some((asked.get()?, WhenOf::Rows(around), keys)).filter(|(.., keys)| !keys.is_empty() && open.get())
    });
    let cell = move |key: &str, row: Memo<Option<u64>>| {
        let read = move |read: fn(&Row) -> String| rows.with(|rows| rows.rows.get(row.get()? as usize).map(read));
        let number = move |read: fn(&Row) -> f64| {
            rows.with(|rows| rows.rows.get(row.get()? as usize).map(|row| (read(row), rows.total)))
        };
        // Columns of a comparison: current weight, baseline, difference.
        let of_baseline =
            move || number(|row| row.of_baseline.map_or(f64::NAN, |of| of.0)).filter(|(value, _)| !value.is_nan());
        let weight = move |read: fn(&Row) -> f64| number(read).map(|(value, _)| measure(app).number(value));
        let difference = move || Some(number(|row| row.inclusive)?.0 - of_baseline()?.0);
        match key {
            "name" => name_cell(rows, row, move |index| toggle(index as usize)),
            "module" => grid::cell("dim", "node-module", move || read(|row| row.module.clone())),
            "bar" => grid::bar_cell("k-managed", move || {
                let (value, total) = number(|row| row.inclusive)?;
                Some(if total > 0.0 { value / total * 100.0 } else { 0.0 })
            }),
            "when" => {
                let path = move || rows.with(|rows| rows.rows.get(row.get()? as usize).map(|row| row.path));
                view! { <WhenCell times key=path/> }.into_any()
            }
            "total" => grid::cell("num", "node-total", move || weight(|row| row.inclusive)),
            "share" => grid::cell("num dim", "node-share", move || match of_baseline() {
                Some((value, _)) => Some(measure(app).number(value)),
                None => number(|row| row.inclusive).map(|(value, total)| format::percent(value, total)),
            }),
            _ => {
                let words = move || match difference() {
                    Some(value) => Some(measure(app).difference_number(value)),
                    None => weight(|row| row.exclusive),
                };
                let grew = move || difference().is_some_and(|value| value > 0.0);
                let shrank = move || difference().is_some_and(|value| value < 0.0);
                view! { <span role="gridcell" class="num" class:grew=grew class:shrank=shrank data-testid="node-self">{words}</span> }
                    .into_any()
            }
        }
    };
    let (label, testid) = match view {
        StackView::BottomUp => ("Bottom-up", "bottom-up"),
        _ => ("Call tree", "tree"),
    };
    let layout = Layout::new(move || shown_columns(app, tree_columns(is_compared(), view == StackView::BottomUp)));
    let sorting = Sorting {
        by: Signal::derive(move || shown_order.get().map(TreeSort::sorted)),
        sort: Callback::new(move |sorted| {
            if let Some(order) = TreeSort::of(&sorted, untrack(is_compared)) {
                rows.update(|rows| rows.sort(order));
            }
        }),
    };
    let find = if view == StackView::BottomUp { "find-caller" } else { "find-node" };
    view! {
        <div class="trail">
            <span class="note">"* expands all · Right-click for more"</span>
            <FindField testid=find/>
        </div>
        <Trouble failure=top.failure/>
        <FrameRows model target open>
            <Grid model label testid layout sorting cell/>
        </FrameRows>
    }
}

/// Returns the cell with the name of a frame.
fn name_cell(
    rows: RwSignal<TreeRows>,
    row: Memo<Option<u64>>,
    toggle: impl Fn(u64) + Copy + Send + Sync + 'static,
) -> AnyView {
    let finder = expect_context::<Finder>();
    let is = move |is: fn(&Row) -> bool| {
        move || rows.with(|rows| Some(is(rows.rows.get(row.get()? as usize)?))) == Some(true)
    };
    let found =
        move || rows.with(|rows| Some(rows.rows.get(row.get()? as usize)?.function)).is_some_and(|id| finder.has(id));
    let name = move || {
        rows.with(|rows| {
            let row = rows.rows.get(row.get()? as usize)?;
            Some(function_name(&folded_name(&row.name, row.folded), row.flags))
        })
    };
    let content = view! {
        <span
            class="fname"
            class:dim=is(|row| row.flags & FRAMEWORK != 0)
            class:found=found
            title=move || rows.with(|rows| rows.rows.get(row.get()? as usize).map(row_title))
            data-testid="node-name"
        >
            {name}
        </span>
    };
    let level = move || rows.with(|rows| rows.rows.get(row.get()? as usize).map(|row| row.level));
    let toggle = move || row.get_untracked().into_iter().for_each(toggle);
    grid::tree_cell(level, is(|row| row.has_children), toggle, content.into_any())
}

/// Expands everything below a row, or the whole tree, up to a limit.
fn expand_all(
    app: App,
    asked: RwSignal<Option<TreeQuery>>,
    rows: RwSignal<TreeRows>,
    index: usize,
    failure: RwSignal<Option<Failure>>,
) {
    let Some(query) = asked.get_untracked() else { return };
    let frames = rows.with_untracked(|rows| rows.frames(index));
    let path = frames.iter().map(|frame| FunctionId(*frame)).collect();
    spawn_local(async move {
        let request = queries::Below { query: query.clone(), path, most: MAX_OPENED };
        match app.ask(request).await {
            Ok(below) if asked.get_untracked() == Some(query) => {
                let count = below.function.len();
                rows.update(|rows| rows.expand_all(&frames, &below));
                app.shell.announce.set(format!("Expanded {}.", format::counted(count as u64, "row")));
            }
            Ok(_) => {}
            Err(problem) => failure.set(Some(problem)),
        }
    });
}

fn target_of(row: &Row, view: StackView) -> Target {
    Target {
        function: row.function,
        name: row.name.clone(),
        module: row.module.clone(),
        family: row.family.clone(),
        flags: row.flags,
        path: (view == StackView::Tree).then_some(row.path),
    }
}

fn row_title(row: &Row) -> String {
    let folded = match row.family.as_str() {
        "" => "",
        _ if row.flags & UNRESOLVED != 0 => "unresolved addresses; press E to expand",
        _ => "includes framework callees",
    };
    let lines = [row.name.as_str(), &row.module, &row.tier, folded];
    lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

fn tree_row(row: &Row) -> TreeRow {
    TreeRow { level: row.level, expanded: row.has_children.then_some(row.expanded) }
}

async fn children(app: App, query: TreeQuery, frames: &[u32]) -> Result<tables::CallNodes, Failure> {
    let path = frames.iter().map(|frame| FunctionId(*frame)).collect();
    app.ask(queries::Children { query, path }).await
}

/// Expands the previously expanded rows that still exist; initially, the hot path.
async fn reopen(app: App, query: &TreeQuery, mut fresh: TreeRows, before: Vec<Vec<u32>>) -> TreeRows {
    let open = if before.is_empty() { hot_path(app, query).await } else { before };
    for frames in open {
        if fresh.position(&frames).is_none() {
            continue;
        }
        let Ok(children) = children(app, query.clone(), &frames).await else { break };
        fresh.expand(&frames, &children);
    }
    fresh
}

async fn hot_path(app: App, query: &TreeQuery) -> Vec<Vec<u32>> {
    let request = queries::HotPath { query: query.clone(), max_depth: HOT_PATH_DEPTH };
    let path = app.ask(request).await.unwrap_or_default().function;
    (1..=path.len()).filter_map(|length| path.get(..length)).map(<[u32]>::to_vec).collect()
}
