//! Groups of events with counts and sums, instead of single events.

use super::merged_groups::GroupsOfAll;
use crate::app::state::App;
use crate::trace::live_query::{Trouble, follow};
use crate::trace::pages::{Pages, paged};
use crate::widgets::grid::{self, Grid, GridModel, Layout, Sorting};
use crate::widgets::menu::{MenuEntry, OpenMenu};
use crate::widgets::save_file::{save_pages, save_rows};
use leptos::prelude::*;
use protocol::events::group_columns::GROUP_COLUMNS;
use protocol::export::TableFormat;
use protocol::queries;
use protocol::request::{EventColumn, Filter, GroupColumn, GroupQuery};
use protocol::tables::{EventGroups, FieldNames};
use std::sync::Arc;
use view::events::groups::{cell, condition, counted_trace, group_columns, group_columns_of_all, group_name, sorted};
use view::format;
use view::grid::{GridColumn, Sorted};
use view::keys::keymap::{Command, Scope};

paged!(EventGroups, EventGroups { filter: Filter, query: GroupQuery }, groups);

/// Groups of a trace, or of all traces.
#[derive(Clone, Copy)]
enum Source {
    One(Pages<EventGroups>),
    All(GroupsOfAll),
}

impl Source {
    fn new(app: App, open: Memo<bool>) -> Self {
        if untrack(|| app.traces.are_all()) {
            return Self::All(GroupsOfAll::follow(app, open));
        }
        Self::One(Pages::new(app, move || {
            let query = app.events.groups.get().filter(|_| open.get())?;
            Some((app.filter.get(), query))
        }))
    }

    /// Calls a function with the page of a group and its row there; `None` until it is loaded.
    fn row<V>(self, row: u64, look: impl FnOnce(&EventGroups, usize) -> V) -> Option<V> {
        match self {
            Self::One(pages) => pages.row(row, look),
            Self::All(groups) => groups.with(|groups| look(&groups.table, row as usize)),
        }
    }

    /// Returns the number of groups, once it is known.
    fn total(self) -> Option<u64> {
        match self {
            Self::One(pages) => pages.is_known().then(|| pages.total.get()),
            Self::All(groups) => groups.with(|groups| groups.table.kind.len() as u64),
        }
    }

    fn show(self, first: u64, end: u64) {
        if let Self::One(pages) = self {
            pages.show(first, end);
        }
    }

    fn columns(self, query: &GroupQuery) -> Vec<GridColumn> {
        match self {
            Self::One(_) => group_columns(query),
            Self::All(groups) => group_columns_of_all(query, groups.traces()),
        }
    }
}

#[component]
pub fn Groups(
    /// True if it is visible.
    open: Memo<bool>,
    menu: RwSignal<Option<OpenMenu>>,
) -> impl IntoView {
    let app = expect_context::<App>();
    let groups = Source::new(app, open);
    let condition_of = move |row, is_excluded| {
        let query = app.events.groups.get_untracked()?;
        untrack(|| groups.row(row, |page, row| condition(page, row, &query, is_excluded))).flatten()
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
    let mut model = GridModel::new(Signal::derive(move || groups.total().unwrap_or(0)), Callback::new(narrow));
    model.on_menu = Some(Callback::new(move |(row, at)| {
        let Some(query) = app.events.groups.get_untracked() else { return };
        let label = untrack(|| groups.row(row, |page, row| group_name(page, row, &query))).unwrap_or_default();
        let entry = |command, testid| MenuEntry::of(Scope::Events, command, testid, move || _ = act(command, row));
        let entries = vec![
            entry(Command::OnlyGroup, "only-group").called(format!("Filter to {label}")),
            entry(Command::WithoutGroup, "without-group").called(format!("Exclude {label}")),
        ];
        menu.set(Some(OpenMenu { at, label, entries }));
    }));
    model.on_window = Some(Callback::new(move |(first, end)| groups.show(first, end)));
    // Times of all traces are those of the first one.
    let timed = match groups {
        Source::One(_) => app,
        Source::All(_) => app.traces.first().unwrap_or(app),
    };
    model.save = Some(match groups {
        Source::One(pages) => save_pages(app, "groups", (&GROUP_COLUMNS, &[]), pages, |page| page.kind.len()),
        Source::All(groups) => Callback::new(move |(format, keys): (TableFormat, Vec<String>)| {
            untrack(|| {
                groups.with(|groups| {
                    let rows = (0..groups.table.kind.len()).map(|row| (&groups.table, row));
                    save_rows(app, "groups", (&GROUP_COLUMNS, &[]), (format, &keys), rows);
                });
            });
        }),
    });
    let text = move |row: Option<u64>, column: GroupColumn| {
        let query = app.events.groups.get();
        let found = query
            .zip(row)
            .and_then(|(query, row)| groups.row(row, |page, row| cell(page, row, &query, column, timed.face())));
        found.unwrap_or_default()
    };
    let query = move || app.events.groups.get().unwrap_or_default();
    let layout = Layout::new(move || groups.columns(&query()));
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
        None => match (counted_trace(key), groups) {
            (Some(trace), Source::All(groups)) => {
                grid::cell("num", "group-of-trace", move || Some(format::count(groups.count(row.get()?, trace)?)))
            }
            _ => ().into_any(),
        },
    };
    let is_sampled = move || groups.row(0, |page, _| page.is_sampled.first() == Some(&1)).unwrap_or(false);
    let events = move || groups.row(0, |page, _| page.events.first().copied()).flatten();
    let failure = match groups {
        Source::One(pages) => pages.failure,
        Source::All(groups) => groups.failure,
    };
    view! {
        <div class="groups" data-testid="groups-panel">
            <p class="total" role="status">
                <b data-testid="groups-total">{move || groups.total().map(format::count)}</b>
                " groups of "
                <b data-testid="groups-events">{move || events().map(format::count)}</b>
                " events. Select a group to see its events."
                <Show when=is_sampled>" Percentiles are estimated from evenly spaced values."</Show>
            </p>
            <Trouble failure/>
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
