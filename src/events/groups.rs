//! Groups of events with counts and sums, instead of single events.

use crate::app::state::App;
use crate::trace::live_query::{Trouble, follow};
use crate::trace::pages::{Paged, Pages};
use crate::widgets::grid::{self, Grid, GridModel, Layout, Sorting};
use crate::widgets::menu::{MenuEntry, OpenMenu};
use crate::widgets::save_file::save_pages;
use leptos::prelude::*;
use protocol::events::group_columns::GROUP_COLUMNS;
use protocol::queries;
use protocol::request::{EventColumn, Filter, GroupColumn, GroupQuery};
use protocol::tables::{EventGroups, FieldNames};
use std::sync::Arc;
use view::events::groups::{cell, condition, group_columns, group_name, sorted};
use view::format;
use view::grid::Sorted;
use view::keys::keymap::{Command, Scope};

impl Paged for EventGroups {
    type Of = (Filter, GroupQuery);
    type Query = queries::EventGroups;

    fn query((filter, query): Self::Of, first: u64, count: u32) -> queries::EventGroups {
        queries::EventGroups { filter, query, first, count }
    }

    fn total(&self) -> u64 {
        self.groups.first().copied().unwrap_or(0)
    }
}

/// Table of groups.
#[component]
pub fn Groups(
    /// True if it is visible.
    open: Memo<bool>,
    /// Menu of a group.
    menu: RwSignal<Option<OpenMenu>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let pages: Pages<EventGroups> = Pages::new(app, move || {
        let query = app.events.groups.get().filter(|_| open.get())?;
        Some((app.filter.get(), query))
    });
    let condition_of = move |row, is_excluded| {
        let query = app.events.groups.get_untracked()?;
        pages.row_untracked(row, |page: &EventGroups, row| condition(page, row, &query, is_excluded)).flatten()
    };
    // The remaining events stay grouped.
    let act = move |command, row| match command {
        Command::OnlyGroup => condition_of(row, false).is_some_and(|text| {
            app.events.groups.set(None);
            app.add_condition(&text);
            true
        }),
        Command::WithoutGroup => condition_of(row, true).is_some_and(|text| {
            app.add_condition(&text);
            true
        }),
        _ => false,
    };
    let narrow = move |row| _ = act(Command::OnlyGroup, row);
    let mut model = GridModel::new(Signal::derive(move || pages.total.get()), Callback::new(narrow));
    model.on_menu = Some(Callback::new(move |(row, at)| {
        let Some(query) = app.events.groups.get_untracked() else { return };
        let label = pages.row_untracked(row, |page, row| group_name(page, row, &query)).unwrap_or_default();
        let entry = |command, testid| MenuEntry::of(Scope::Events, command, testid, move || _ = act(command, row));
        let entries = vec![
            entry(Command::OnlyGroup, "only-group").called(format!("Filter to {label}")),
            entry(Command::WithoutGroup, "without-group").called(format!("Exclude {label}")),
        ];
        menu.set(Some(OpenMenu { at, label, entries }));
    }));
    model.on_window = Some(Callback::new(move |(first, end)| pages.show(first, end)));
    model.save = Some(save_pages(app, "groups", (&GROUP_COLUMNS, &[]), pages, |page| page.kind.len()));
    let text = move |row: Option<u64>, column: GroupColumn| {
        let query = app.events.groups.get();
        let found = query
            .zip(row)
            .and_then(|(query, row)| pages.row(row, |page, row| cell(page, row, &query, column, app.face())));
        found.unwrap_or_default()
    };
    let query = move || app.events.groups.get().unwrap_or_default();
    let layout = Layout::new(move || group_columns(&query()));
    let sorting = Sorting {
        by: Signal::derive(move || Some(sorted(&query()))),
        sort: Callback::new(move |Sorted { key, descending }: Sorted| {
            if let Some(column) = GroupColumn::with_key(&key) {
                app.events.groups.set(Some(GroupQuery { column, descending, ..untrack(query) }));
            }
        }),
    };
    let cell = move |key: &str, row: Memo<Option<u64>>| match GroupColumn::with_key(key) {
        Some(GroupColumn::Name) => {
            let name = move || text(row.get(), GroupColumn::Name);
            view! { <span role="gridcell" class="fname" title=name data-testid="group-name">{move || name_of_group(app, &name())}</span> }
                .into_any()
        }
        Some(column) => grid::cell("num", "group-number", move || Some(text(row.get(), column))),
        None => ().into_any(),
    };
    let is_sampled = move || pages.row(0, |page, _| page.is_sampled.first() == Some(&1)).unwrap_or(false);
    let events = move || pages.row(0, |page, _| page.events.first().copied()).flatten();
    view! {
        <div class="groups" data-testid="groups-panel">
            <p class="total" role="status">
                <b data-testid="groups-total">{move || pages.is_known().then(|| format::count(pages.total.get()))}</b>
                " groups of "
                <b data-testid="groups-events">{move || events().map(format::count)}</b>
                " events. Select a group to see its events."
                <Show when=is_sampled>" Percentiles are estimated from evenly spaced values."</Show>
            </p>
            <Trouble failure=pages.failure/>
            <Grid model label="Event groups" testid="groups" layout sorting cell/>
        </div>
    }
}

/// Returns the name of a group. If it doesn't fit, the provider is cut before the name of the event.
fn name_of_group(app: App, name: &str) -> impl IntoView + use<> {
    let is_event = app.events.groups.with(|query| query.as_ref().is_some_and(|query| query.by == EventColumn::Name));
    let provider_bytes = name.find('/').filter(|_| is_event).map_or(0, |slash| slash + 1);
    let (provider, own) = name.split_at(provider_bytes);
    view! { <span class="namespace">{provider.to_owned()}</span><span class="rest">{own.to_owned()}</span> }
}

/// Returns the payload fields of the matching events.
pub fn field_names(app: App, open: Memo<bool>) -> Signal<Option<Arc<FieldNames>>> {
    let names = follow(app, move || open.get().then(|| queries::FieldNames { filter: app.filter.get() }));
    names.value.into()
}
