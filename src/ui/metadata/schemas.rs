//! Provider ▸ event ▸ fields, as declared, with what they cost.

use crate::model::ids::TypeId;
use crate::protocol::{Answer, Request};
use crate::ui::state::{App, Selection};
use crate::ui::widgets::icon::{Icon, RIGHT, SEARCH};
use crate::ui::widgets::virtual_table::{TableModel, TreeRow, VirtualTable};
use crate::view::format;
use crate::view::keymap::Command;
use crate::view::schema_rows::{Row, SchemaTree, Subject};
use leptos::prelude::*;
use std::sync::Arc;
use wasm_bindgen_futures::spawn_local;

const INDENT_PX: u32 = 16;

#[derive(Clone, Copy)]
struct Tree {
    app: App,
    state: RwSignal<SchemaTree>,
    rows: Memo<Arc<Vec<Row>>>,
}

/// The tree of schemas.
#[component]
pub fn Schemas(
    /// Whether it is seen.
    open: Memo<bool>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let state = RwSignal::new(SchemaTree::default());
    let rows = Memo::new(move |_| {
        let types = app.types.get().filter(|_| open.get());
        Arc::new(types.map_or_else(Vec::new, |types| state.with(|state| state.rows(&types))))
    });
    let tree = Tree { app, state, rows };
    let payload = Memo::new(move |_| app.types.get().map_or(0, |types| types.payload_bytes.iter().sum::<u64>()));
    let mut model = TableModel::new(
        Signal::derive(move || rows.with(|rows| rows.len() as u64)),
        Callback::new(move |row| tree.choose(row as usize)),
    );
    model.tree = Some(Callback::new(move |row: u64| {
        let look = |row: &Row| TreeRow { level: row.level, expanded: row.expanded };
        rows.with(|rows| rows.get(row as usize).map(look)).unwrap_or_default()
    }));
    model.on_expand = Some(Callback::new(move |(row, command): (u64, Command)| {
        let row = row as usize;
        let expanded = rows.with_untracked(|rows| rows.get(row).and_then(|row| row.expanded));
        match (command, expanded) {
            (Command::Expand, Some(true)) => model.cursor.set(Some(row as u64 + 1)),
            (Command::Collapse, Some(true)) | (Command::Expand, Some(false)) => tree.toggle(row),
            (Command::ToggleExpanded, Some(_)) => tree.toggle(row),
            (Command::Collapse, _) => {
                if let Some(parent) = tree.parent(row) {
                    model.cursor.set(Some(parent as u64));
                }
            }
            _ => {}
        }
    }));
    let row = move |row: Memo<Option<u64>>| {
        let read = move |read: fn(&Row) -> String| move || rows.with(|rows| rows.get(row.get()? as usize).map(read));
        let indent = move || {
            let level = rows.with(|rows| rows.get(row.get()? as usize).map(|row| row.level))?;
            Some(format!("{}px", (level - 1) * INDENT_PX))
        };
        let expands = move || rows.with(|rows| rows.get(row.get()? as usize)?.expanded).is_some();
        let bytes = move || rows.with(|rows| rows.get(row.get()? as usize)?.payload_bytes);
        let share = move || bytes().map(|bytes| format::percent(bytes as f64, payload.get() as f64));
        let width = move || {
            let whole = payload.get().max(1);
            Some(format!("{:.2}%", bytes()? as f64 / whole as f64 * 100.0))
        };
        let on_twist = move |event: web_sys::MouseEvent| {
            event.stop_propagation();
            if let Some(row) = row.get_untracked() {
                tree.toggle(row as usize);
            }
        };
        view! {
            <span role="gridcell" class="ind" style:padding-left=indent>
                <button class="twist" tabindex="-1" aria-label="Expand or collapse" hidden=move || !expands() on:click=on_twist>
                    <Icon shape=RIGHT/>
                </button>
                <span class="twist" hidden=expands></span>
                <span data-testid="schema-name">{read(|row| row.name.clone())}</span>
                <span class="ty">{read(|row| row.words.clone())}</span>
            </span>
            <span role="gridcell" class="num" data-testid="schema-events">
                {read(|row| row.events.map(format::count).unwrap_or_default())}
            </span>
            <span role="gridcell" class="num dim" data-testid="schema-bytes">
                {read(|row| row.payload_bytes.map(format::bytes).unwrap_or_default())}
            </span>
            <span role="gridcell" class="c-bar" hidden=move || bytes().is_none()>
                <span class="bar" aria-hidden="true"><i class="k-data" style:width=width></i></span>
            </span>
            <span role="gridcell" class="num dim c-share">{share}</span>
        }
        .into_any()
    };
    let head = view! {
        <span role="columnheader">"Provider, event, field"</span>
        <span role="columnheader" class="num">"Events"</span>
        <span role="columnheader" class="num">"Payload"</span>
        <span role="columnheader" class="c-bar"><span class="sr">"Share, drawn"</span></span>
        <span role="columnheader" class="num c-share">"Share"</span>
    }
    .into_any();
    let counts = move || {
        let types = app.types.get()?;
        let providers: std::collections::HashSet<&str> = types.provider.iter().collect();
        Some(format!(
            "{}, {}",
            format::counted(providers.len() as u64, "provider"),
            format::counted(types.event_type.len() as u64, "event type")
        ))
    };
    view! {
        <section class="pane tall schemas" aria-label="Schemas">
            <h2>
                "Schemas"
                <span class="n" data-testid="schema-counts">{counts}</span>
                <label class="field">
                    <Icon shape=SEARCH class="s"/>
                    <span class="sr">"Find an event or a provider"</span>
                    <input
                        type="search"
                        placeholder="Find"
                        data-testid="find-schema"
                        on:input:target=move |event| {
                            let find = event.target().value().to_lowercase();
                            state.update(|state| state.find = find);
                        }
                    />
                </label>
            </h2>
            <VirtualTable model label="Schemas" testid="schemas" columns="schema-columns" head row/>
        </section>
    }
}

impl Tree {
    fn subject(self, row: usize) -> Option<Subject> {
        self.rows.with_untracked(|rows| rows.get(row).map(|row| row.subject.clone()))
    }

    fn parent(self, row: usize) -> Option<usize> {
        self.rows.with_untracked(|rows| {
            let level = rows.get(row)?.level;
            rows.get(..row)?.iter().rposition(|row| row.level < level)
        })
    }

    /// Events open the details drawer; providers open in place.
    fn choose(self, row: usize) {
        match self.subject(row) {
            Some(Subject::Provider(_)) => self.toggle(row),
            Some(Subject::Type(id) | Subject::Field(id, _) | Subject::Note(id)) => {
                self.app.select(Selection::Type(TypeId(id)));
            }
            None => {}
        }
    }

    fn toggle(self, row: usize) {
        let Some(subject) = self.subject(row) else { return };
        if let Subject::Type(id) = subject {
            self.fetch(id);
        }
        self.state.update(|state| {
            if !state.open.remove(&subject) {
                state.open.insert(subject);
            }
        });
    }

    fn fetch(self, id: u32) {
        if self.state.with_untracked(|state| state.details.contains_key(&id)) {
            return;
        }
        spawn_local(async move {
            let answer = self.app.ask(Request::TypeDetail { event_type: TypeId(id) }).await;
            if let Ok(Answer::Type(detail)) = answer.map(|reply| reply.answer) {
                self.state.update(|state| drop(state.details.insert(id, *detail)));
            }
        });
    }
}
