//! Schemas part of the Metadata tab: tree of providers, events, versions and fields, with details of the selection.

use super::schema_compare::{ChooseOther, OtherTrace, TraceComparison};
use super::schema_detail::SchemaDetail;
use super::schema_files::{SaveSchemas, offer_files};
use crate::app::state::{App, Selection, Tab};
use crate::trace::live_query::{Trouble, follow};
use crate::widgets::grid::{Grid, GridModel, Layout, Sorting, TreeRow, bar_cell, cell, tree_cell};
use crate::widgets::icon::{Icon, SEARCH};
use leptos::html;
use leptos::prelude::*;
use protocol::file::schema_diff::SchemaSet;
use protocol::queries;
use protocol::table::column_with_key;
use std::sync::Arc;
use view::file::schema_index::SchemaIndex;
use view::file::schema_rows::{Row, SCHEMA_COLUMNS, SchemaTree, Subject};
use view::format;
use view::grid::{GridColumn, Sorted};
use view::keys::keymap::{Command, Scope};
use view::url::metadata::MetadataPart;

/// Indentation per level in CSS pixels.
pub const INDENT_PX: u32 = 16;

/// All event types of the open trace, after they are loaded.
pub type Index = Memo<Option<Arc<SchemaIndex>>>;

#[derive(Clone, Copy)]
struct Tree {
    app: App,
    state: RwSignal<SchemaTree>,
    index: Index,
    order: RwSignal<Option<Sorted>>,
    rows: Memo<Arc<Vec<Row>>>,
}

/// Tree, and details of the selection.
#[component]
pub fn Schemas(
    /// True if it is visible.
    open: Memo<bool>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let declared = follow(app, move || open.get().then_some(queries::Schemas));
    let index = Memo::new(move |_| {
        let (types, schemas) = (app.types.get()?, declared.value.get()?);
        // The two answers may cover different parts of the trace while it loads.
        let is_of_same = types.event_type.len() == schemas.fields_end.len();
        let set = || SchemaSet { types: (*types).clone(), schemas: (*schemas).clone() };
        is_of_same.then(|| Arc::new(SchemaIndex::new(set())))
    });
    let state = RwSignal::new(SchemaTree::default());
    let order = RwSignal::new(None::<Sorted>);
    let rows = Memo::new(move |_| {
        let rows = |index: &Arc<SchemaIndex>, state: &SchemaTree| match order.get() {
            Some(order) => state.sorted_rows(index, &order),
            None => state.rows(index),
        };
        let rows = index.with(|index| index.as_ref().map(|index| state.with(|state| rows(index, state))));
        Arc::new(rows.unwrap_or_default())
    });
    let tree = Tree { app, state, index, order, rows };
    // A link or another part of the page has selected an event type.
    Effect::new(move |_| {
        if let (Selection::Type(id), Some(index)) = (app.selection.get(), index.get()) {
            let mut opened = state.get_untracked();
            opened.reveal(&index, id.0);
            if opened != state.get_untracked() {
                state.set(opened);
            }
        }
    });
    let other = RwSignal::new(None::<OtherTrace>);
    offer_files(app);
    view! {
        <Trouble failure=declared.failure/>
        <div class="split-pane" hidden=move || other.with(Option::is_some)>
            <SchemaTreePane tree other/>
            <SchemaDetail index/>
        </div>
        {move || other.get().map(|other_trace| view! { <TraceComparison index other_trace other/> })}
    }
}

/// Tree with its search field.
#[component]
fn SchemaTreePane(
    tree: Tree,
    /// Trace to compare with.
    other: RwSignal<Option<OtherTrace>>,
) -> impl IntoView {
    let Tree { app, state, index, order, rows } = tree;
    let field = NodeRef::<html::Input>::new();
    app.actions.on(Scope::Metadata, Command::FindSchema, move || {
        app.tab.set(Tab::Metadata);
        app.metadata.update(|look| look.part = MetadataPart::Schemas);
        request_animation_frame(move || {
            if let Some(field) = field.get_untracked() {
                // A field that can't be focused is being removed.
                let _ = field.focus();
            }
        });
    });
    let file_bytes = Memo::new(move |_| app.trace.with(|trace| trace.as_ref().map_or(0, |trace| trace.file_bytes)));
    let mut model = GridModel::of(move || rows.with(|rows| rows.len() as u64), move |row| tree.choose(row as usize));
    model.tree = Some(Callback::new(move |row: u64| {
        let look = |row: &Row| TreeRow { level: row.level, expanded: row.expanded };
        rows.with(|rows| rows.get(row as usize).map(look)).unwrap_or_default()
    }));
    model.on_toggle = Some(Callback::new(move |row: u64| tree.toggle(row as usize)));
    model.on_step = Some(Callback::new(|_| {}));
    // A selection elsewhere selects the row.
    Effect::new(move |_| {
        let Selection::Type(id) = app.selection.get() else { return };
        let is_of = |row: &Row| row.subject.event_type() == Some(id.0);
        let cursor = model.cursor.get_untracked().map(|row| row as usize);
        let found = rows.with(|rows| match cursor.and_then(|row| rows.get(row)) {
            Some(row) if is_of(row) => None,
            _ => rows.iter().position(is_of),
        });
        if let Some(row) = found {
            model.cursor.set(Some(row as u64));
            model.reveal.set(Some(row as u64));
        }
    });
    let columns = || {
        let [name, events, bytes] = &SCHEMA_COLUMNS;
        vec![
            GridColumn::of(name, 160.0, 1.0),
            GridColumn::of(events, 76.0, 0.0),
            GridColumn::of(bytes, 76.0, 0.0).with_hint("Headers, payloads and metadata"),
            GridColumn::picture("bar", "Share of the file, as a bar", 52.0).from(480.0),
            GridColumn::number("share", "Share", 66.0).descending(),
        ]
    };
    let cell = move |key: &str, row: Memo<Option<u64>>| {
        let read = move |read: fn(&Row) -> String| move || rows.with(|rows| rows.get(row.get()? as usize).map(read));
        let bytes = move || rows.with(|rows| rows.get(row.get()? as usize)?.bytes);
        match key {
            "name" => {
                let content = view! {
                    <span data-testid="schema-name">{read(|row| row.name.clone())}</span>
                    <span class="ty">{read(|row| row.words.clone())}</span>
                };
                let level = move || rows.with(|rows| rows.get(row.get()? as usize).map(|row| row.level));
                let expands = move || rows.with(|rows| rows.get(row.get()? as usize)?.expanded).is_some();
                let toggle = move || row.get_untracked().into_iter().for_each(|row| tree.toggle(row as usize));
                tree_cell(level, expands, toggle, content.into_any())
            }
            "bar" => bar_cell("k-data", move || Some(bytes()? as f64 / file_bytes.get().max(1) as f64 * 100.0)),
            "share" => cell("num dim", "schema-share", move || {
                bytes().map(|bytes| format::percent(bytes as f64, file_bytes.get() as f64))
            }),
            key => {
                let Some(column) = column_with_key(&SCHEMA_COLUMNS, key) else { return ().into_any() };
                let class = if key == "events" { "num" } else { "num dim" };
                let words = move |shown: &Row| (column.cell)(shown, 0).words(column.kind);
                cell(class, format!("schema-{key}"), move || rows.with(|rows| rows.get(row.get()? as usize).map(words)))
            }
        }
    };
    let counts = move || {
        let (providers, kinds) = index.with(|index| index.as_ref().map(|index| index.counts()))?;
        Some(format!(
            "{}, {}",
            format::counted(providers as u64, "provider"),
            format::counted(kinds as u64, "event type")
        ))
    };
    view! {
        <section class="pane tall schemas" aria-label="Schemas">
            <h2>
                "Schemas"
                <span class="n" data-testid="schema-counts">{counts}</span>
                <label class="field">
                    <Icon shape=SEARCH class="s"/>
                    <span class="sr">"Search providers, events, fields, keywords and IDs"</span>
                    <input
                        type="search"
                        placeholder="Search"
                        data-testid="find-schema"
                        node_ref=field
                        on:input:target=move |event| {
                            let find = event.target().value().trim().to_lowercase();
                            state.update(|state| state.find = find);
                        }
                    />
                </label>
            </h2>
            <div class="do">
                <SaveSchemas/>
                <ChooseOther other/>
            </div>
            <Grid model label="Schemas" testid="schemas" layout=Layout::new(columns) sorting=Sorting::local(order) cell/>
        </section>
    }
}

impl Tree {
    fn subject(self, row: usize) -> Option<Subject> {
        self.rows.with_untracked(|rows| rows.get(row).map(|row| row.subject.clone()))
    }

    /// Selects event types and fields, and expands or collapses other rows.
    fn choose(self, row: usize) {
        let Some(subject) = self.subject(row) else { return };
        match subject.event_type() {
            Some(id) => self.app.select(Selection::Type(protocol::base::ids::TypeId(id))),
            None => self.toggle(row),
        }
    }

    fn toggle(self, row: usize) {
        let Some(subject) = self.subject(row) else { return };
        self.state.update(|state| {
            if !state.open.remove(&subject) {
                state.open.insert(subject);
            }
        });
    }
}
