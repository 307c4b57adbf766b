//! Details of the selected event type: totals, schema, fields, values, other versions.

use super::facts::named_values;
use super::schema_compare::SideBySide;
use super::schema_values::FieldValuesPart;
use super::schemas::Index;
use crate::app::state::{App, Selection, Tab};
use crate::trace::live_query::{Trouble, follow};
use crate::widgets::exclude_button::ExcludeButton;
use crate::widgets::icon::{FILTER, Icon};
use leptos::prelude::*;
use protocol::base::ids::TypeId;
use protocol::queries;
use std::sync::Arc;
use view::file::schema_facts::{fixed_text, totals, wire_text};
use view::file::schema_index::{SchemaIndex, name_of};
use view::file::schema_rows::source_words;
use view::format;
use view::keys::keymap::{Command, Scope};

const INDENT_PX: u32 = 14;

/// Selected event type and its row.
type Chosen = Memo<Option<(TypeId, usize)>>;

/// Details of the selected event type.
#[component]
pub fn SchemaDetail(
    /// All event types.
    index: Index,
) -> impl IntoView {
    let app = expect_context::<App>();
    let chosen: Chosen = Memo::new(move |_| match app.selection.get() {
        Selection::Type(id) => Some((id, index.with(|index| index.as_ref()?.row_of(id.0))?)),
        _ => None,
    });
    let detail = follow(app, move || chosen.get().map(|(event_type, _)| queries::TypeDetail { event_type }));
    // Version beside the selected event type.
    let beside = RwSignal::new(None::<usize>);
    Effect::new(move |_| {
        chosen.track();
        beside.set(None);
    });
    offer(app, index, chosen, beside);
    let content = move || {
        let (index, (event_type, row)) = (index.get()?, chosen.get()?);
        let declaration = move || {
            let detail = detail.value.get()?;
            (event_type == detail.event_type).then(|| named_values(app, &detail.facts))
        };
        Some(kind_view(app, &index, (event_type, row), beside, declaration))
    };
    view! {
        <section class="pane detail" tabindex="0" aria-label="Selected schema" data-testid="schema-detail">
            <Trouble failure=detail.failure/>
            <p class="placeholder" hidden=move || chosen.get().is_some()>
                "Select an event type to see its fields, counts and values."
            </p>
            {content}
        </section>
    }
}

/// Offers the commands for the selected event type.
fn offer(app: App, index: Index, chosen: Chosen, beside: RwSignal<Option<usize>>) {
    let previous = move || {
        let (_, row) = chosen.get_untracked()?;
        index.with_untracked(|index| previous_version(index.as_ref()?, row))
    };
    let event_type = move || chosen.get_untracked().map(|(event_type, _)| event_type);
    let show = move || event_type().into_iter().for_each(|event_type| show_events(app, event_type));
    let compare = move || {
        app.tab.set(Tab::Metadata);
        beside.set(previous());
    };
    app.actions.on_if(Scope::Metadata, Command::ShowTheseEvents, move || event_type().is_some(), show);
    app.actions.on_if(Scope::Metadata, Command::CompareVersions, move || previous().is_some(), compare);
}

/// Returns the previous version; for the first one, the next version.
fn previous_version(index: &SchemaIndex, row: usize) -> Option<usize> {
    let rows = index.versions_of(row);
    let at = rows.iter().position(|one| *one == row)?;
    at.checked_sub(1).and_then(|before| rows.get(before)).or_else(|| rows.get(at + 1)).copied()
}

/// Filters to an event type as well, and shows the events.
fn show_events(app: App, event_type: TypeId) {
    app.refilter(|filter| filter.types = vec![event_type]);
    app.tab.set(Tab::Events);
}

fn kind_view<D, F>(
    app: App,
    index: &Arc<SchemaIndex>,
    (event_type, row): (TypeId, usize),
    beside: RwSignal<Option<usize>>,
    declaration: F,
) -> impl IntoView + use<D, F>
where
    D: IntoView + 'static,
    F: Fn() -> Option<D> + Copy + Send + 'static,
{
    let types = &index.set.types;
    let count = types.count.get(row).copied().unwrap_or(0);
    let sub = format!(
        "{} · ID {} · version {}",
        types.provider.get(row),
        types.event_id.get(row).copied().unwrap_or(0),
        types.version.get(row).copied().unwrap_or(0)
    );
    let numbers = {
        let index = index.clone();
        move || {
            let file_bytes = app.trace.with(|trace| trace.as_ref().map_or(0, |trace| trace.file_bytes));
            let line = |(name, value, meaning): (&'static str, String, String)| {
                view! { <dt>{name}</dt><dd title=meaning data-testid=format!("total-{name}")>{value}</dd> }
            };
            totals(&index, row, file_bytes, &app.face()).into_iter().map(line).collect_view()
        }
    };
    let description = [&index.set.schemas.description, &index.set.schemas.template, &index.set.schemas.fit]
        .map(|texts| texts.get(row).to_owned())
        .into_iter()
        .filter(|text| !text.is_empty())
        .map(|text| view! { <p>{text}</p> })
        .collect_view();
    let has_values = count > 0 && !index.set.schemas.fields_of(row).is_empty();
    view! {
        <header class="title">
            <h2 data-testid="schema-title">{name_of(&index.set, row)}</h2>
            <p class="sub">{sub}</p>
            {description}
            <div class="do">
                <button
                    class="btn line"
                    disabled=count == 0
                    data-testid="show-these-events"
                    data-command=Command::ShowTheseEvents.id()
                    on:click=move |_| show_events(app, event_type)
                >
                    <Icon shape=FILTER class="s"/>
                    {format!("Show {}", format::counted(count, "event"))}
                </button>
                <ExcludeButton words="Exclude this event type" testid="without-these-events" class="btn line icon" disabled=count == 0
                    run=move |()| app.exclude_type(event_type)/>
                {versions(index, row, beside)}
            </div>
        </header>
        {side_by_side(index, row, beside)}
        <div class="pair">
            <section><h3>"Totals"</h3><dl class="kv">{numbers}</dl></section>
            <section data-testid="schema-declaration"><h3>"Declaration"</h3>{declaration}</section>
        </div>
        <section class="wide">
            <h3>"Fields"<span class="n">{format!("schema: {}", source_words(index, row))}</span></h3>
            {field_table(index, row)}
        </section>
        {has_values.then(|| view! { <FieldValuesPart event_type/> })}
    }
}

/// Returns a list of the other versions, one of which can be put beside the selected one.
fn versions(index: &Arc<SchemaIndex>, row: usize, beside: RwSignal<Option<usize>>) -> impl IntoView + use<> {
    let others: Vec<usize> = index.versions_of(row).iter().copied().filter(|other| *other != row).collect();
    (!others.is_empty()).then(|| {
        let option = |other: &usize| {
            let version = index.set.types.version.get(*other).copied().unwrap_or(0);
            // The file may declare one version twice.
            let is_alone =
                others.iter().filter(|one| index.set.types.version.get(**one) == Some(&version)).count() == 1;
            let record = index.set.schemas.metadata_id.get(*other).copied().unwrap_or(0);
            let words =
                if is_alone { format!("version {version}") } else { format!("version {version}, record {record}") };
            view! { <option value=other.to_string()>{words}</option> }
        };
        view! {
            <label class="field">
                <span>"Compare with"</span>
                <select
                    data-testid="compare-version"
                    prop:value=move || beside.get().map_or_else(String::new, |row| row.to_string())
                    on:change:target=move |event| beside.set(event.target().value().parse().ok())
                >
                    <option value="">"none"</option>
                    {others.iter().map(option).collect_view()}
                </select>
            </label>
        }
    })
}

fn side_by_side(
    index: &Arc<SchemaIndex>,
    row: usize,
    beside: RwSignal<Option<usize>>,
) -> impl Fn() -> Option<AnyView> + use<> {
    let index = index.clone();
    move || {
        let before = beside.get()?;
        let version = |row: usize| format!("Version {}", index.set.types.version.get(row).copied().unwrap_or(0));
        let titles = (version(before), version(row));
        let (one, two) = (index.clone(), index.clone());
        Some(view! { <SideBySide before=one before_row=before after=two after_row=row titles/> }.into_any())
    }
}

fn field_table(index: &Arc<SchemaIndex>, row: usize) -> impl IntoView + use<> {
    let schemas = &index.set.schemas;
    if schemas.fields_of(row).is_empty() {
        return view! { <p class="muted">"No fields declared."</p> }.into_any();
    }
    let line = |field: usize| {
        let depth = schemas.field_depth.get(field).copied().unwrap_or(0);
        view! {
            <tr data-testid="schema-field">
                <th scope="row"><span style:padding-left=format!("{}px", depth * INDENT_PX)>{schemas.field_name.get(field).to_owned()}</span></th>
                <td>{schemas.field_type.get(field).to_owned()}</td>
                <td class="dim">{wire_text(&index.set, field)}</td>
                <td class="num dim">{fixed_text(&schemas.field_offset, field)}</td>
                <td class="num dim">{fixed_text(&schemas.field_bytes, field)}</td>
            </tr>
        }
    };
    view! {
        <table class="grid declared">
            <colgroup><col/><col class="c-type"/><col class="c-wire"/><col class="c-small"/><col class="c-small"/></colgroup>
            <thead>
                <tr>
                    <th scope="col">"Name"</th>
                    <th scope="col">"Type"</th>
                    <th scope="col">"As declared"</th>
                    <th scope="col" class="num" title="Payload offset, if fixed">"Offset"</th>
                    <th scope="col" class="num" title="Size in bytes, if fixed">"Bytes"</th>
                </tr>
            </thead>
            <tbody>{schemas.fields_of(row).map(line).collect_view()}</tbody>
        </table>
    }
    .into_any()
}
