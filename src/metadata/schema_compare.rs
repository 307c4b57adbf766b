//! Event types side by side: two versions, or those of two traces.

use super::schemas::INDENT_PX;
use super::schemas::Index;
use crate::app::state::{App, Tab};
use crate::commands::shortcuts;
use crate::trace::client::{Client, Source};
use crate::trace::live_query::Trouble;
use crate::widgets::grid::{Grid, GridModel, Layout, Sorting, cell, sorted_records};
use crate::widgets::icon::{CLOSE, Icon};
use leptos::html;
use leptos::prelude::*;
use protocol::file::schema_diff::{Change, FactPair, FieldPair, KindPair, SchemaSet};
use protocol::table::column_with_key;
use protocol::{Answer, Failure, FailureCode, queries};
use std::rc::Rc;
use std::sync::Arc;
use view::file::schema_facts::{CHANGED_COLUMNS, ChangedKind, change_words, changed_kinds, wire_text};
use view::file::schema_index::SchemaIndex;
use view::grid::{GridColumn, Sorted};
use view::keys::keymap::{Command, Scope};
use view::url::metadata::MetadataPart;
use wasm_bindgen_futures::spawn_local;
use web_sys::File;

/// Trace to compare with.
#[derive(Clone)]
pub struct OtherTrace {
    pub name: String,
    /// Event types.
    pub index: Arc<SchemaIndex>,
}

/// Button for choosing a trace to compare with.
#[component]
pub fn ChooseOther(
    /// Trace to compare with, after it is loaded.
    other: RwSignal<Option<OtherTrace>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let picker = NodeRef::<html::Input>::new();
    let busy = RwSignal::new(None::<String>);
    let failure = RwSignal::new(None::<Failure>);
    let choose = move || {
        if let Some(picker) = picker.get_untracked() {
            picker.click();
        }
    };
    app.actions.on(Scope::Metadata, Command::CompareSchemas, move || {
        app.tab.set(Tab::Metadata);
        app.metadata.update(|look| look.part = MetadataPart::Schemas);
        choose();
    });
    let on_change = move |_| {
        let Some(input) = picker.get_untracked() else { return };
        let Some(file) = input.files().and_then(|files| files.get(0)) else { return };
        // Allows choosing the same file again.
        input.set_value("");
        busy.set(Some(file.name()));
        failure.set(None);
        spawn_local(async move {
            let name = file.name();
            match schemas_of(file).await {
                Ok(set) => {
                    other.set(Some(OtherTrace { name, index: Arc::new(SchemaIndex::new(set)) }));
                }
                Err(problem) => failure.set(Some(problem)),
            }
            busy.set(None);
        });
    };
    view! {
        <>
            <button
                class="btn line"
                disabled=move || busy.with(Option::is_some)
                title=shortcuts::title(Scope::Metadata, Command::CompareSchemas)
                data-testid="compare-schemas"
                data-command=Command::CompareSchemas.id()
                on:click=move |_| choose()
            >
                "Compare with another trace…"
            </button>
            <input type="file" class="sr" tabindex="-1" aria-label="Other trace" data-testid="compare-file"
                node_ref=picker on:change=on_change/>
            <span role="status">{move || busy.get().map(|name| format!("Reading {name}…"))}</span>
            <Trouble failure/>
        </>
    }
}

/// Returns the event types of a file, read by a temporary worker.
async fn schemas_of(file: File) -> Result<SchemaSet, Failure> {
    let client = Client::start();
    let found = ask_schemas(&client, file).await;
    client.close();
    found
}

async fn ask_schemas(client: &Client, file: File) -> Result<SchemaSet, Failure> {
    match client.open(Source::File(file), None, Rc::new(|_| {})).await?.answer {
        Answer::Summary(_) => {}
        _ => {
            let message = "This file contains several traces. Extract one to compare with.";
            return Err(Failure::new(FailureCode::NotFound, message));
        }
    }
    Ok(SchemaSet { types: client.ask(queries::Types).await?, schemas: client.ask(queries::Schemas).await? })
}

/// Differences between the event types of the open trace and of another one.
#[component]
pub fn TraceComparison(
    /// Event types of the open trace.
    index: Index,
    other_trace: OtherTrace,
    /// Storage of the other trace; clearing it ends the comparison.
    other: RwSignal<Option<OtherTrace>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    app.actions.on(Scope::Metadata, Command::EndSchemaComparison, move || other.set(None));
    let after = other_trace.index;
    let order = RwSignal::new(None::<Sorted>);
    let kinds = Memo::new({
        let after = after.clone();
        move |_| {
            let kinds = index.with(|index| index.as_ref().map(|index| changed_kinds(&index.set, &after.set)));
            sorted_records(kinds.unwrap_or_default(), &CHANGED_COLUMNS, order.get())
        }
    });
    let chosen = RwSignal::new(None::<KindPair>);
    let kind_at = move |row: u64| kinds.with_untracked(|kinds| kinds.get(row as usize).map(|kind| kind.pair));
    let model = GridModel::of(move || kinds.with(|kinds| kinds.len() as u64), move |row| chosen.set(kind_at(row)));
    // The selected row moves when the rows are sorted.
    Effect::new(move |_| {
        let row = kinds.with(|kinds| kinds.iter().position(|kind| Some(kind.pair) == chosen.get_untracked()));
        model.point_at(row.map(|row| row as u64));
    });
    let columns = || {
        let [change, name, version, provider] = &CHANGED_COLUMNS;
        vec![
            GridColumn::of(change, 92.0, 0.0),
            GridColumn::of(name, 90.0, 1.0),
            GridColumn::of(version, 116.0, 0.0),
            GridColumn::of(provider, 72.0, 1.0),
        ]
    };
    let cell = move |key: &str, row: Memo<Option<u64>>| {
        let Some(column) = column_with_key(&CHANGED_COLUMNS, key) else { return ().into_any() };
        let words = move |kind: &ChangedKind| (column.cell)(kind, 0).words(column.kind);
        let (class, testid) = match key {
            "change" => ("change", "changed-kind"),
            "name" => ("", "changed-name"),
            "version" => ("dim", "changed-version"),
            _ => ("dim", "changed-provider"),
        };
        cell(class, testid, move || kinds.with(|kinds| kinds.get(row.get()? as usize).map(words)))
    };
    let here = app.trace.with(|trace| trace.as_ref().map(|trace| trace.file_name.clone())).unwrap_or_default();
    let title = format!("{here} → {}", other_trace.name);
    let words = {
        let after = after.clone();
        move || index.with(|index| Some(change_words(&kinds.get(), &index.as_ref()?.set, &after.set)))
    };
    let titles = (here, other_trace.name);
    let beside = move || {
        let (index, kind) = (index.get()?, chosen.get()?);
        match (kind.before, kind.after) {
            (Some(one), Some(two)) => {
                let titles = titles.clone();
                Some(
                    view! { <SideBySide before=index before_row=one after=after.clone() after_row=two titles/> }
                        .into_any(),
                )
            }
            (Some(row), None) => Some(one_sided(&index, row, "Only in this trace").into_any()),
            (_, row) => Some(one_sided(&after, row?, "Only in the other trace").into_any()),
        }
    };
    view! {
        <div class="split-pane" data-testid="schema-comparison">
            <section class="pane tall" aria-label="Changed schemas">
                <h2>
                    <span class="cut">{title}</span>
                    <button class="btn line sp" title=shortcuts::title(Scope::Metadata, Command::EndSchemaComparison) data-testid="end-comparison" data-command=Command::EndSchemaComparison.id()
                        on:click=move |_| other.set(None)>
                        <Icon shape=CLOSE class="s"/>"Stop comparing"
                    </button>
                </h2>
                <p data-testid="change-words">{words}</p>
                <Grid model label="Changed schemas" testid="changed-schemas" layout=Layout::new(columns) sorting=Sorting::local(order) cell/>
            </section>
            <section class="pane detail" tabindex="0" aria-label="Selected difference" data-testid="chosen-difference">
                <p class="placeholder" hidden=move || chosen.get().is_some()>"Select a schema to see the differences."</p>
                {beside}
            </section>
        </div>
    }
}

/// Returns the fields of an event type that is on one side only.
fn one_sided(index: &SchemaIndex, row: usize, words: &'static str) -> impl IntoView + use<> {
    let fields = index.set.schemas.fields_of(row);
    let line = |field: usize| {
        let depth = index.set.schemas.field_depth.get(field).copied().unwrap_or(0);
        view! { <li style:padding-left=format!("{}px", depth * INDENT_PX)>{index.set.field_text(field)}</li> }
    };
    view! { <section><h3>{words}</h3><ul class="plain-fields">{fields.map(line).collect_view()}</ul></section> }
}

/// Event type on both sides: facts, then fields, with those of the same name in one line.
#[component]
pub fn SideBySide(
    /// Index of the first side.
    before: Arc<SchemaIndex>,
    /// Row on the first side.
    before_row: usize,
    /// Index of the second side.
    after: Arc<SchemaIndex>,
    /// Row on the second side.
    after_row: usize,
    /// Titles of the sides.
    titles: (String, String),
) -> impl IntoView {
    let (one, two) = (&before.set, &after.set);
    let fact = |pair: &FactPair| {
        let change = if pair.differs() { Change::Changed } else { Change::Same };
        line(change, pair.name, pair.before.clone(), pair.after.clone())
    };
    let field = |pair: &FieldPair| {
        let text = |set: &SchemaSet, field: Option<usize>| {
            field.map_or(String::new(), |field| format!("{} · {}", set.field_text(field), wire_text(set, field)))
        };
        line(pair.change, "", text(one, pair.before), text(two, pair.after))
    };
    let facts = one.fact_pairs(before_row, two, after_row).iter().map(fact).collect_view();
    let fields = one.field_pairs(before_row, two, after_row).iter().map(field).collect_view();
    view! {
        <section class="wide">
            <h3>"Side by side"</h3>
            <table class="grid sides" data-testid="side-by-side">
                <colgroup><col class="c-change"/><col class="c-what"/><col/><col/></colgroup>
                <thead>
                    <tr>
                        <th scope="col"><span class="sr">"Change"</span></th>
                        <th scope="col">"Item"</th>
                        <th scope="col" title=titles.0.clone()>{titles.0.clone()}</th>
                        <th scope="col" title=titles.1.clone()>{titles.1.clone()}</th>
                    </tr>
                </thead>
                <tbody>{facts}{fields}</tbody>
            </table>
        </section>
    }
}

fn line(change: Change, what: &'static str, before: String, after: String) -> impl IntoView {
    let what = if what.is_empty() { "Field" } else { what };
    view! {
        <tr class=format!("is-{}", change.word()) data-testid="side">
            <td aria-label=change.word()>{change.sign()}</td>
            <th scope="row">{what}</th>
            <td>{before}</td>
            <td>{after}</td>
        </tr>
    }
}
