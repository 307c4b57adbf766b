//! Buttons of the grouping key and of the number to aggregate.

use crate::app::state::App;
use crate::commands::shortcuts::title;
use crate::widgets::icon::{DOWN, Icon};
use crate::widgets::menu::{MenuEntry, OpenMenu, below};
use leptos::html;
use leptos::prelude::*;
use protocol::events::columns::Column;
use protocol::request::{EventColumn, GroupColumn, GroupQuery, Measure};
use protocol::tables::FieldNames;
use std::sync::Arc;
use view::events::columns::key_of;
use view::events::groups::{decode_measure, encode_measure, grouped_by};
use view::events::sort::decode_key;
use view::keys::keymap::{Command, Scope};

/// Key, and its name.
type Choice = (String, String);

/// Buttons that open the menus of the grouping key and of the number to aggregate.
#[component]
pub fn GroupMenus(
    /// Payload fields of the matching events.
    fields: Signal<Option<Arc<FieldNames>>>,
    menu: RwSignal<Option<OpenMenu>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let by = move || app.events.groups.with(|query| query.as_ref().map(|query| key_of(&query.by)).unwrap_or_default());
    let measure = move || {
        let measure = app.events.groups.with(|query| query.as_ref().and_then(|query| query.measure.clone()));
        measure.map(|measure| encode_measure(&measure)).unwrap_or_default()
    };
    let named = move |is_wanted: fn(&FieldNames, usize) -> bool| {
        fields.with(|fields| {
            let fields = fields.as_ref()?;
            let wanted = (0..fields.name.len()).filter(|at| is_wanted(fields, *at));
            Some(wanted.map(|at| fields.name.get(at).to_owned()).collect::<Vec<_>>())
        })
    };
    let keys = move || {
        let (events, others): (Vec<_>, Vec<_>) =
            Column::groupable().partition(|column| column.more.column == EventColumn::Name);
        let known = events.into_iter().chain(others).map(|column| (column.key.to_owned(), column.title.to_owned()));
        let fields = named(|_, _| true).unwrap_or_default().into_iter();
        let fields = fields.map(|name| (key_of(&EventColumn::Field(name.clone())), name));
        with_chosen(
            std::iter::once((String::new(), "No groups".to_owned())).chain(known).chain(fields).collect(),
            &by(),
        )
    };
    let measures = move || {
        let fields = named(|fields, at| fields.is_number.get(at) == Some(&1)).unwrap_or_default().into_iter();
        let fields = fields.map(|name| (encode_measure(&Measure::Field(name.clone())), name));
        let first =
            [(String::new(), "Count only".to_owned()), (encode_measure(&Measure::Duration), "Duration".to_owned())];
        with_chosen(first.into_iter().chain(fields).collect(), &measure())
    };
    let regroup = Callback::new(move |value: String| {
        let before = app.events.groups.get_untracked();
        let measure = before.and_then(|query| query.measure);
        app.events.groups.set(decode_key(&value).map(|by| grouped_by(by, measure)));
    });
    let remeasure = Callback::new(move |value: String| {
        app.events.groups.update(|query| {
            if let Some(query) = query {
                let column = if value.is_empty() { GroupColumn::Count } else { GroupColumn::Sum };
                *query = GroupQuery { measure: decode_measure(&value), column, descending: true, ..query.clone() };
            }
        });
    });
    let is_grouped = move || app.events.groups.with(Option::is_some);
    let of = move |command, label, choices: Vec<Choice>, chosen: String, pick: Callback<String>| {
        let entry = move |(value, words): Choice| {
            let is_chosen = value == chosen;
            MenuEntry::of(Scope::Events, command, "group-choice", move || pick.run(value.clone()))
                .called(words)
                .chosen(is_chosen)
        };
        move |at| menu.set(Some(OpenMenu { at, label, entries: choices.into_iter().map(entry).collect() }))
    };
    let group_button = NodeRef::<html::Button>::new();
    let open_groups = move || {
        let open = untrack(|| of(Command::GroupEvents, "Group events by".to_owned(), keys(), by(), regroup));
        open(below(group_button.get_untracked().as_deref()));
    };
    let measure_button = NodeRef::<html::Button>::new();
    let open_measures = move || {
        let label = "Aggregate a numeric field".to_owned();
        let open = untrack(|| of(Command::MeasureGroups, label, measures(), measure(), remeasure));
        open(below(measure_button.get_untracked().as_deref()));
    };
    let is_open = app.is_open(crate::app::state::Tab::Events);
    app.actions.on_if(Scope::Events, Command::GroupEvents, move || is_open.get_untracked(), open_groups);
    let can_measure = move || is_open.get_untracked() && untrack(is_grouped);
    app.actions.on_if(Scope::Events, Command::MeasureGroups, can_measure, open_measures);
    let words = move |all: Vec<Choice>, chosen: String| {
        let name = all.into_iter().find(|(value, _)| !value.is_empty() && *value == chosen);
        name.map(|(_, words)| view! { <b>{words}</b> })
    };
    view! {
        <button class="btn line" class:chosen=is_grouped aria-haspopup="menu" title=title(Scope::Events, Command::GroupEvents)
            data-testid="pick-group" data-command=Command::GroupEvents.id() node_ref=group_button on:click=move |_| open_groups()>
            "Group" {move || words(keys(), by())} <Icon shape=DOWN class="xs"/>
        </button>
        <Show when=is_grouped>
            <button class="btn line" aria-haspopup="menu" title=title(Scope::Events, Command::MeasureGroups) data-testid="pick-measure"
                data-command=Command::MeasureGroups.id() node_ref=measure_button on:click=move |_| open_measures()>
                "Aggregate" {move || words(measures(), measure())} <Icon shape=DOWN class="xs"/>
            </button>
        </Show>
    }
}

/// Adds the chosen value if it is missing, so that a value from the URL stays visible.
fn with_chosen(mut all: Vec<Choice>, chosen: &str) -> Vec<Choice> {
    if all.iter().all(|(value, _)| value != chosen) {
        let words = chosen.trim_start_matches("field.").to_owned();
        all.push((chosen.to_owned(), words));
    }
    all
}
