//! Size part of the Metadata tab: bytes of the file by purpose, as a treemap and a table.

use super::treemap::CostMap;
use crate::app::state::App;
use crate::trace::live_query::{Trouble, follow, when_grown};
use crate::widgets::exclude_button::ExcludeButton;
use crate::widgets::icon::{FILTER, Icon, RIGHT};
use crate::widgets::radio_group::Choice;
use crate::widgets::virtual_table::{TableModel, TreeRow, VirtualTable};
use leptos::prelude::*;
use protocol::base::ids::TypeId;
use protocol::filter::Name;
use protocol::queries;
use protocol::tables::Costs;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use view::draw::unbroken::unbroken;
use view::file::cost_tree::{CostBy, CostNode, CostSubject, CostTree, FieldSums};
use view::file::treemap::NodePlace;
use view::format;
use view::keys::keymap::Command;
use wasm_bindgen_futures::spawn_local;

const INDENT_PX: u32 = 16;

/// State of the view. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct CostView {
    /// The page.
    pub app: App,
    /// Cost tree of the file.
    pub tree: Memo<Arc<CostTree>>,
    /// Expanded nodes in the table.
    pub open: RwSignal<HashSet<CostSubject>>,
    /// Selected node.
    pub chosen: RwSignal<Option<CostSubject>>,
    /// Counted bytes of payload fields.
    fields: RwSignal<HashMap<u32, FieldSums>>,
}

impl CostView {
    /// Returns the index of the selected node, and that of its part.
    pub fn place(self) -> Option<NodePlace> {
        let chosen = self.chosen.get()?;
        self.tree.with(|tree| {
            tree.nodes.iter().enumerate().find_map(|(at, node)| {
                if node.subject == chosen {
                    return Some((at, None));
                }
                let part = node.parts.iter().position(|part| part.subject == chosen)?;
                Some((at, Some(part)))
            })
        })
    }

    /// Selects a node, and shows it in the table.
    pub fn choose(self, (node, part): NodePlace) {
        self.tree.with_untracked(|tree| {
            let Some(node) = tree.nodes.get(node) else { return };
            match part.and_then(|part| node.parts.get(part)) {
                Some(part) => {
                    self.open.update(|open| _ = open.insert(node.subject.clone()));
                    self.chosen.set(Some(part.subject.clone()));
                }
                None => self.chosen.set(Some(node.subject.clone())),
            }
        });
    }

    /// Expands or collapses a node. The fields of an event type are counted when they are first shown.
    fn toggle(self, subject: CostSubject) {
        if let CostSubject::EventType(id) = subject {
            self.count_fields(id);
        }
        self.open.update(|open| {
            if !open.remove(&subject) {
                open.insert(subject);
            }
        });
    }

    fn count_fields(self, id: u32) {
        if self.fields.with_untracked(|fields| fields.contains_key(&id)) {
            return;
        }
        self.fields.update(|fields| _ = fields.insert(id, FieldSums::default()));
        spawn_local(async move {
            let mut next = Some(0);
            while let Some(first) = next {
                let step = self.app.ask(queries::FieldCosts { event_type: TypeId(id), first }).await;
                let Ok(step) = step else { return };
                // The page may have been removed, or show another trace.
                let go_on = self.fields.try_update(|fields| {
                    let sums = fields.get_mut(&id)?;
                    sums.add(&step);
                    sums.next
                });
                next = go_on.flatten();
            }
        });
    }

    /// Returns the selected node.
    fn node(self) -> Option<CostNode> {
        let (node, part) = self.place()?;
        self.tree.with(|tree| {
            let node = tree.nodes.get(node)?;
            Some(part.and_then(|part| node.parts.get(part)).unwrap_or(node).clone())
        })
    }
}

/// Bytes of the file by purpose.
#[component]
pub fn CostPane(
    /// True if it is visible.
    open: Memo<bool>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let costs = follow(app, move || open.get().then_some(queries::Costs));
    let by = RwSignal::new(CostBy::default());
    let tree = Memo::new(move |_| {
        Arc::new(costs.value.get().map(|costs| CostTree::new(&costs, by.get())).unwrap_or_default())
    });
    let (opened, chosen, fields) = (RwSignal::default(), RwSignal::new(None), RwSignal::default());
    let shown = CostView { app, tree, open: opened, chosen, fields };
    when_grown(app, move || fields.update(HashMap::clear));
    let sum = move || {
        let (sum, file) = tree.with(|tree| (tree.sum(), tree.file_bytes));
        (file > 0).then(|| match sum == file {
            true => format!("{} bytes, the whole file", format::count(file)),
            false => format!("{} of {} bytes in the file", format::count(sum), format::count(file)),
        })
    };
    view! {
        <section class="pane tall cost" aria-label="Size breakdown">
            <h2>
                "Size breakdown"
                <span class="n" data-testid="cost-sum">{sum}</span>
                <span class="sp">
                    <Choice label="Break down by" value=by choose=Callback::new(move |chosen| by.set(chosen))
                        options=vec![
                            (CostBy::Provider, "Providers and events", "cost-by-provider"),
                            (CostBy::Kind, "Block kinds", "cost-by-kind"),
                            (CostBy::Thread, "Threads", "cost-by-thread"),
                        ]/>
                </span>
            </h2>
            <Trouble failure=costs.failure/>
            {move || costs.value.get().map(|costs| shares(&costs))}
            <div class="both">
                <div class="map"><CostMap shown open/></div>
                <div class="rows"><CostTable shown/></div>
            </div>
            <p class="why" role="status" data-testid="cost-words">{move || about(shown)}</p>
        </section>
    }
}

/// Returns the shares of the file, and the savings of compression.
fn shares(costs: &Costs) -> impl IntoView + use<> {
    let file = costs.file_bytes.first().copied().unwrap_or(0);
    let share = |(name, bytes): (&'static str, u64)| {
        view! { <span title=format::counted(bytes, "byte")>{name}" "<b>{format::percent(bytes as f64, file as f64)}</b></span> }
    };
    let shares = costs.shares().into_iter().filter(|(_, bytes)| *bytes > 0).map(share).collect_view();
    view! { <p class="shares" data-testid="cost-shares">{shares} <span>{costs.compression_words().map(|words| unbroken(&words))}</span></p> }
}

/// Returns the description of the selected node.
fn about(shown: CostView) -> Option<AnyView> {
    let file = shown.tree.with(|tree| tree.file_bytes);
    let Some(node) = shown.node() else {
        if let Some(CostSubject::Other(of, name)) = shown.chosen.get() {
            return Some(
                view! { <b>{name}</b> <span>{format!("Part of the {of} payloads; see its row for the size.")}</span> }
                    .into_any(),
            );
        }
        return (file > 0).then(|| {
            view! { <span>"Select a box or row to see how much smaller the file would be without it."</span> }
                .into_any()
        });
    };
    let share = format::percent(node.bytes as f64, file as f64);
    let what = match &node.subject {
        CostSubject::Provider(_) | CostSubject::EventType(_) => {
            format!("Removing it would shrink the file by {share} ({}).", format::counted(node.bytes, "byte"))
        }
        _ => format!("{share} of the file: {}.", format::counted(node.bytes, "byte")),
    };
    let events = node.count.filter(|count| *count > 0 && node.payload_bytes + node.header_bytes > 0).map(|count| {
        let an_event = |bytes: u64| format::quantity(bytes as f64 / count as f64);
        format!(
            "Average per event: {} payload bytes and {} header bytes.",
            an_event(node.payload_bytes),
            an_event(node.header_bytes)
        )
    });
    let app = shown.app;
    let show = match node.subject.clone() {
        CostSubject::Provider(name) => {
            let excluded = name.clone();
            Some((
                Callback::new(move |()| app.toggle_provider(&name)),
                Callback::new(move |()| app.exclude(Name::Provider, &excluded)),
            ))
        }
        CostSubject::EventType(id) => Some((
            Callback::new(move |()| app.toggle_type(TypeId(id))),
            Callback::new(move |()| app.exclude_type(TypeId(id))),
        )),
        _ => None,
    };
    let show = show.map(|(show, exclude): (Callback<()>, Callback<()>)| view! {
        <button class="btn line" data-testid="cost-filter" on:click=move |_| show.run(())><Icon shape=FILTER class="s"/>"Filter to these events"</button>
        <ExcludeButton words="Exclude these events" testid="cost-without" class="btn line icon" run=exclude/>
    });
    Some(view! { <b>{node.name}</b> <span>{what}</span> <span>{events}</span> {show} }.into_any())
}

#[component]
fn CostTable(shown: CostView) -> impl IntoView {
    // Index, level and position of each row.
    let rows = Memo::new(move |_| {
        let tree = shown.tree.get();
        Arc::new(shown.open.with(|open| shown.fields.with(|fields| tree.rows(open, fields))))
    });
    let at = move |row: u64| rows.with(|rows| rows.get(row as usize).cloned());
    let toggle = move |subject: CostSubject| shown.toggle(subject);
    let choose = move |row: u64| {
        if let Some((_, node)) = untrack(|| at(row)) {
            shown.chosen.set(Some(node.subject));
        }
    };
    let mut model = TableModel::new(Signal::derive(move || rows.with(|rows| rows.len() as u64)), Callback::new(choose));
    model.tree = Some(Callback::new(move |row| {
        at(row).map_or(TreeRow { level: 1, expanded: None }, |(level, node)| TreeRow {
            level,
            expanded: node.is_expandable().then(|| shown.open.with(|open| open.contains(&node.subject))),
        })
    }));
    model.on_expand = Some(Callback::new(move |(row, command): (u64, Command)| {
        let Some((level, node)) = untrack(|| at(row)) else { return };
        let is_open = node.is_expandable().then(|| shown.open.with_untracked(|open| open.contains(&node.subject)));
        match (command, is_open) {
            (Command::Expand, Some(true)) => choose(row + 1),
            (Command::Expand, Some(false)) | (Command::Collapse, Some(true)) | (Command::ToggleExpanded, Some(_)) => {
                toggle(node.subject);
            }
            (Command::Collapse, _) if level > 1 => {
                let parent = (0..row).rev().find(|row| untrack(|| at(*row)).is_some_and(|(other, _)| other < level));
                parent.into_iter().for_each(choose);
            }
            _ => {}
        }
    }));
    Effect::new(move |_| {
        let chosen = shown.chosen.get();
        let row = rows.with(|rows| rows.iter().position(|(_, node)| Some(&node.subject) == chosen.as_ref()));
        let row = row.map(|row| row as u64);
        if model.cursor.get_untracked() != row {
            model.cursor.set(row);
            model.reveal.set(row);
        }
    });
    let row = move |row: Memo<Option<u64>>| {
        let node = Memo::new(move |_| at(row.get()?));
        let text =
            move |read: fn(&CostNode) -> String| move || node.with(|node| node.as_ref().map(|(_, node)| read(node)));
        let indent = move || node.with(|node| node.as_ref().map(|(level, _)| format!("{}px", (level - 1) * INDENT_PX)));
        let expands = move || node.with(|node| node.as_ref().is_some_and(|(_, node)| node.is_expandable()));
        let share = move || {
            let (bytes, file) =
                (node.with(|node| node.as_ref().map(|(_, node)| node.bytes))?, shown.tree.with(|tree| tree.file_bytes));
            Some(format::percent(bytes as f64, file as f64))
        };
        let width = move || {
            let (bytes, file) = (
                node.with(|node| node.as_ref().map(|(_, node)| node.bytes))?,
                shown.tree.with(|tree| tree.file_bytes.max(1)),
            );
            Some(format!("{:.2}%", bytes as f64 / file as f64 * 100.0))
        };
        let on_twist = move |event: web_sys::MouseEvent| {
            event.stop_propagation();
            if let Some((_, node)) = node.get_untracked() {
                toggle(node.subject);
            }
        };
        view! {
            <span role="gridcell" class="ind" style:padding-left=indent>
                <button class="twist" tabindex="-1" aria-label="Expand or collapse" hidden=move || !expands() on:click=on_twist>
                    <Icon shape=RIGHT/>
                </button>
                <span class="twist" hidden=expands></span>
                <span data-testid="cost-name">{text(|node| node.name.clone())}</span>
            </span>
            <span role="gridcell" class="num dim" data-testid="cost-count">{text(|node| node.count.map(format::count).unwrap_or_default())}</span>
            <span role="gridcell" class="num dim c-headers">{text(|node| some(node.header_bytes))}</span>
            <span role="gridcell" class="num dim c-payloads">{text(|node| some(node.payload_bytes))}</span>
            <span role="gridcell" class="num dim c-described">{text(|node| some(node.description_bytes))}</span>
            <span role="gridcell" class="num dim c-padding">{text(|node| some(node.padding_bytes))}</span>
            <span role="gridcell" class="num" data-testid="cost-bytes">{text(|node| format::count(node.bytes))}</span>
            <span role="gridcell" class="c-bar"><span class="bar" aria-hidden="true"><i class="k-data" style:width=width></i></span></span>
            <span role="gridcell" class="num dim">{share}</span>
        }
        .into_any()
    };
    let head = view! {
        <span role="columnheader">"Item"</span>
        <span role="columnheader" class="num">"Count"</span>
        <span role="columnheader" class="num c-headers">"Headers"</span>
        <span role="columnheader" class="num c-payloads">"Payloads"</span>
        <span role="columnheader" class="num c-described">"Metadata"</span>
        <span role="columnheader" class="num c-padding">"Padding"</span>
        <span role="columnheader" class="num">"Bytes"</span>
        <span role="columnheader" class="c-bar"><span class="sr">"Share, drawn"</span></span>
        <span role="columnheader" class="num">"Share of file"</span>
    }
    .into_any();
    view! { <VirtualTable model label="Size breakdown" testid="costs" columns="cost-columns" head row/> }
}

fn some(bytes: u64) -> String {
    if bytes == 0 { String::new() } else { format::count(bytes) }
}
