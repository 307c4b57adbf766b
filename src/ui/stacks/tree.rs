//! The call tree: who calls whom, heaviest first.

use super::{function_name, measure, query};
use crate::model::ids::{CallNodeId, FunctionId};
use crate::protocol::request::TreeQuery;
use crate::protocol::{Failure, Request, tables};
use crate::ui::follow::{Trouble, follow, table, when_grown};
use crate::ui::state::{App, Selection, mismatch};
use crate::ui::widgets::icon::{Icon, RIGHT};
use crate::ui::widgets::virtual_table::{TableModel, TreeRow, VirtualTable};
use crate::view::format;
use crate::view::keymap::Command;
use crate::view::tree_rows::{Row, TreeRows};
use leptos::prelude::*;
use wasm_bindgen_futures::spawn_local;

/// The path that is open at first is not followed deeper than this.
const HOT_PATH_DEPTH: u16 = 17;
const INDENT_PX: u32 = 14;
/// Bit of `flags`: framework code.
const FRAMEWORK: u8 = 2;

/// The call tree.
#[component]
pub fn CallTree(
    /// Whether it is seen.
    open: Memo<bool>,
    /// The weight of all samples is told here.
    total: RwSignal<Option<f64>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let rows = RwSignal::new(TreeRows::default());
    let asked = RwSignal::new(None::<TreeQuery>);
    // Call nodes are numbered anew: what is shown cannot be asked about any more.
    when_grown(app, move || asked.set(None));
    let top = follow(
        app,
        move || Some(Request::Children { query: query(app, open)?, node: CallNodeId(0) }),
        table(tables::CallNodes::unpack),
    );
    Effect::new(move |_| {
        let Some(top) = top.value.get() else { return };
        let Some(query) = untrack(|| query(app, open)) else { return };
        let fresh = TreeRows::top(&top);
        total.set(Some(fresh.total));
        let is_known = asked.with_untracked(Option::is_some);
        let before = if is_known { rows.with_untracked(TreeRows::expanded) } else { Vec::new() };
        asked.set(Some(query.clone()));
        spawn_local(async move {
            let fresh = reopen(app, &query, fresh, before).await;
            if asked.try_get_untracked().flatten() == Some(query) {
                rows.set(fresh);
            }
        });
    });
    let toggle = move |index: usize, wanted: Option<bool>| {
        let Some(row) = rows.with_untracked(|rows| rows.rows.get(index).cloned()) else { return };
        if !row.has_children || wanted == Some(row.expanded) {
            return;
        }
        if row.expanded {
            return rows.update(|rows| rows.collapse(row.node));
        }
        if let Some(query) = asked.get_untracked() {
            spawn_local(async move {
                match children(app, query.clone(), row.node).await {
                    Ok(children) if asked.get_untracked() == Some(query) => {
                        rows.update(|rows| rows.expand(row.node, &children));
                    }
                    Ok(_) => {}
                    Err(failure) => top.failure.set(Some(failure)),
                }
            });
        }
    };
    let mut model = TableModel::new(
        Signal::derive(move || rows.with(|rows| rows.rows.len() as u64)),
        Callback::new(move |index| {
            let function = rows.with_untracked(|rows| rows.rows.get(index as usize).map(|row| row.function));
            if let Some(function) = function {
                app.select(Selection::Function(FunctionId(function)));
            }
        }),
    );
    model.tree = Some(Callback::new(move |index: u64| {
        rows.with(|rows| rows.rows.get(index as usize).map(tree_row)).unwrap_or_default()
    }));
    model.on_expand = Some(Callback::new(move |(index, command): (u64, Command)| {
        let index = index as usize;
        let row = rows.with_untracked(|rows| rows.rows.get(index).map(|row| (row.expanded, row.has_children)));
        match (command, row) {
            (Command::Expand, Some((true, _))) => model.cursor.set(Some(index as u64 + 1)),
            (Command::Expand, _) => toggle(index, Some(true)),
            (Command::Collapse, Some((false, _))) => {
                if let Some(parent) = rows.with_untracked(|rows| rows.parent(index)) {
                    model.cursor.set(Some(parent as u64));
                }
            }
            (Command::Collapse, _) => toggle(index, Some(false)),
            _ => toggle(index, None),
        }
    }));
    let row = move |row: Memo<Option<u64>>| {
        let get =
            move |read: fn(&Row) -> String| move || rows.with(|rows| rows.rows.get(row.get()? as usize).map(read));
        let level = move || rows.with(|rows| rows.rows.get(row.get()? as usize).map(|row| row.level));
        let number = move |read: fn(&Row) -> f64| {
            rows.with(|rows| rows.rows.get(row.get()? as usize).map(|row| (read(row), rows.total)))
        };
        let has_children =
            move || rows.with(|rows| Some(rows.rows.get(row.get()? as usize)?.has_children)) == Some(true);
        let framework =
            move || rows.with(|rows| Some(rows.rows.get(row.get()? as usize)?.flags & FRAMEWORK != 0)) == Some(true);
        let weight = move |read: fn(&Row) -> f64| number(read).map(|(value, _)| measure(app).number(value));
        let share = move || number(|row| row.inclusive).map(|(value, total)| format::percent(value, total));
        let on_twist = move |event: web_sys::MouseEvent| {
            event.stop_propagation();
            if let Some(row) = row.get_untracked() {
                toggle(row as usize, None);
            }
        };
        view! {
            <span role="gridcell" class="ind" style:padding-left=move || level().map(|level| format!("{}px", (level - 1) * INDENT_PX))>
                <button class="twist" tabindex="-1" aria-label="Expand or collapse" hidden=move || !has_children() on:click=on_twist>
                    <Icon shape=RIGHT/>
                </button>
                <span class="twist" hidden=has_children></span>
                <span
                    class="fname"
                    class:dim=framework
                    title=get(|row| format!("{}\n{}", row.name, row.module))
                    data-testid="node-name"
                >
                    {move || rows.with(|rows| rows.rows.get(row.get()? as usize).map(|row| function_name(&row.name)))}
                </span>
            </span>
            <span role="gridcell" class="dim c-module">{get(|row| row.module.clone())}</span>
            <span role="gridcell" class="c-bar">
                <span class="bar" aria-hidden="true">
                    <i
                        class="k-managed"
                        style:width=move || number(|row| row.inclusive)
                            .map(|(value, total)| format!("{:.2}%", if total > 0.0 { value / total * 100.0 } else { 0.0 }))
                    ></i>
                </span>
            </span>
            <span role="gridcell" class="num" data-testid="node-total">{move || weight(|row| row.inclusive)}</span>
            <span role="gridcell" class="num dim">{share}</span>
            <span role="gridcell" class="num" data-testid="node-self">{move || weight(|row| row.exclusive)}</span>
        }
        .into_any()
    };
    let head = view! {
        <span role="columnheader">"Function"</span>
        <span role="columnheader" class="c-module">"Module"</span>
        <span role="columnheader" class="c-bar"></span>
        <span role="columnheader" class="num" aria-sort="descending">"Total"</span>
        <span role="columnheader" class="num">"Share"</span>
        <span role="columnheader" class="num">"Self"</span>
    }
    .into_any();
    view! {
        <Trouble failure=top.failure/>
        <VirtualTable model label="Call tree" testid="tree" columns="call-columns" head row/>
    }
}

fn tree_row(row: &Row) -> TreeRow {
    TreeRow { level: row.level, expanded: row.has_children.then_some(row.expanded) }
}

async fn children(app: App, query: TreeQuery, node: u32) -> Result<tables::CallNodes, Failure> {
    let packed = app.ask_packed(Request::Children { query, node: CallNodeId(node) }).await?;
    tables::CallNodes::unpack(&packed).map_err(mismatch)
}

/// Opens what was open before – call nodes are the same whatever the filter –, at first the path of heaviest children.
async fn reopen(app: App, query: &TreeQuery, mut fresh: TreeRows, before: Vec<u32>) -> TreeRows {
    let open = if before.is_empty() { hot_path(app, query).await } else { before };
    for node in open {
        if fresh.position(node).is_none() {
            continue;
        }
        let Ok(children) = children(app, query.clone(), node).await else { break };
        fresh.expand(node, &children);
    }
    fresh
}

async fn hot_path(app: App, query: &TreeQuery) -> Vec<u32> {
    let request = Request::HotPath { query: query.clone(), max_depth: HOT_PATH_DEPTH };
    let packed = app.ask_packed(request).await.ok();
    packed.and_then(|packed| tables::CallNodes::unpack(&packed).ok()).map(|path| path.node).unwrap_or_default()
}
