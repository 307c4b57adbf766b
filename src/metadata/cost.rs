//! Size part of the Metadata tab: bytes of the file by purpose, as a treemap and a table.

use super::treemap::CostMap;
use crate::app::state::App;
use crate::trace::live_query::{Trouble, follow, when_grown};
use crate::widgets::exclude_button::ExcludeButton;
use crate::widgets::grid::{Grid, GridModel, Layout, Sorting, TreeRow, bar_cell, cell, tree_cell};
use crate::widgets::icon::{FILTER, Icon};
use crate::widgets::radio_group::Choice;
use leptos::prelude::*;
use protocol::base::ids::TypeId;
use protocol::file::cost_columns::COST_COLUMNS;
use protocol::filter::Name;
use protocol::queries;
use protocol::table::column_with_key;
use protocol::tables::Costs;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use view::draw::unbroken::unbroken;
use view::file::cost_tree::{CostBy, CostNode, CostSubject, CostTree, FieldSums, sort_rows};
use view::file::treemap::NodePlace;
use view::format;
use view::grid::{GridColumn, Sorted};
use wasm_bindgen_futures::spawn_local;

/// State of the view. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct CostView {
    pub app: App,
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
    let share = format::percent(node.sizes.bytes as f64, file as f64);
    let what = match &node.subject {
        CostSubject::Provider(_) | CostSubject::EventType(_) => {
            format!("Removing it would shrink the file by {share} ({}).", format::counted(node.sizes.bytes, "byte"))
        }
        _ => format!("{share} of the file: {}.", format::counted(node.sizes.bytes, "byte")),
    };
    let events =
        node.sizes.count.filter(|count| *count > 0 && node.sizes.payload_bytes + node.sizes.header_bytes > 0).map(
            |count| {
                let an_event = |bytes: u64| format::quantity(bytes as f64 / count as f64);
                format!(
                    "Average per event: {} payload bytes and {} header bytes.",
                    an_event(node.sizes.payload_bytes),
                    an_event(node.sizes.header_bytes)
                )
            },
        );
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
    let order = RwSignal::new(Some(Sorted::by("bytes", true)));
    let rows = Memo::new(move |_| {
        let tree = shown.tree.get();
        let rows = shown.open.with(|open| shown.fields.with(|fields| tree.rows(open, fields)));
        Arc::new(order.with(|order| match order {
            Some(order) => sort_rows(rows, order),
            None => rows,
        }))
    });
    let at = move |row: u64| rows.with(|rows| rows.get(row as usize).cloned());
    let choose = move |row: u64| {
        if let Some((_, node)) = untrack(|| at(row)) {
            shown.chosen.set(Some(node.subject));
        }
    };
    let mut model = GridModel::new(Signal::derive(move || rows.with(|rows| rows.len() as u64)), Callback::new(choose));
    model.tree = Some(Callback::new(move |row| {
        at(row).map_or(TreeRow { level: 1, expanded: None }, |(level, node)| TreeRow {
            level,
            expanded: node.is_expandable().then(|| shown.open.with(|open| open.contains(&node.subject))),
        })
    }));
    let toggle = move |row: u64| {
        if let Some((_, node)) = untrack(|| at(row)).filter(|(_, node)| node.is_expandable()) {
            shown.toggle(node.subject);
        }
    };
    model.on_toggle = Some(Callback::new(toggle));
    Effect::new(move |_| {
        let chosen = shown.chosen.get();
        let row = rows.with(|rows| rows.iter().position(|(_, node)| Some(&node.subject) == chosen.as_ref()));
        model.point_at(row.map(|row| row as u64));
    });
    let columns = || {
        let [count, headers, payloads, metadata, padding, bytes] = &COST_COLUMNS;
        vec![
            GridColumn::text("name", "Item", 140.0, 1.0).ascending(),
            GridColumn::of(count, 62.0, 0.0),
            GridColumn::of(headers, 76.0, 0.0).from(720.0),
            GridColumn::of(payloads, 84.0, 0.0).from(720.0),
            GridColumn::of(metadata, 86.0, 0.0).from(720.0),
            GridColumn::of(padding, 76.0, 0.0).from(720.0),
            GridColumn::of(bytes, 90.0, 0.0),
            GridColumn::picture("bar", "Share, as a bar", 40.0).from(480.0),
            GridColumn::number("share", "Share of file", 90.0).descending(),
        ]
    };
    let cell = move |key: &str, row: Memo<Option<u64>>| {
        let node = move || at(row.get()?).map(|(_, node)| node);
        let file = move || shown.tree.with(|tree| tree.file_bytes) as f64;
        match key {
            "name" => {
                let content = view! { <span data-testid="cost-name">{move || node().map(|node| node.name)}</span> };
                let level = move || at(row.get()?).map(|(level, _)| level);
                let expands = move || node().is_some_and(|node| node.is_expandable());
                tree_cell(level, expands, move || row.get_untracked().into_iter().for_each(toggle), content.into_any())
            }
            "bar" => bar_cell("k-data", move || Some(node()?.sizes.bytes as f64 / file().max(1.0) * 100.0)),
            "share" => cell("num dim", "cost-share", move || Some(format::percent(node()?.sizes.bytes as f64, file()))),
            key => {
                let Some(column) = column_with_key(&COST_COLUMNS, key) else { return ().into_any() };
                let class = if key == "bytes" { "num" } else { "num dim" };
                let words = move || Some((column.cell)(&node()?.sizes, 0).words(column.kind));
                cell(class, format!("cost-{key}"), words)
            }
        }
    };
    view! { <Grid model label="Size breakdown" testid="costs" layout=Layout::new(columns) sorting=Sorting::local(order) cell/> }
}
