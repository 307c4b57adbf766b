//! Menus in the column headings of the event table: filters, and payload fields to sort by.

use super::row_menu::types_of;
use crate::app::state::App;
use crate::widgets::grid::HeadTool;
use crate::widgets::icon::{FILTER, SORT};
use crate::widgets::menu::MenuEntry;
use leptos::prelude::*;
use protocol::base::hash::FastMap;
use protocol::base::ids::ThreadId;
use protocol::base::sort::sort_by_key;
use protocol::request::EventColumn;
use protocol::tables::FieldNames;
use std::cmp::Reverse;
use std::sync::Arc;
use view::draw::tooltip::thread_name;
use view::events::level::{LIMITS, level_limit};
use view::events::sort::clicked;
use view::format;
use view::keys::keymap::{Command, Scope};

/// Maximum number of lines in a menu, those with most events.
const MAX_LINES: usize = 400;
/// Durations that a filter can require, and their conditions.
const DURATIONS: [(&str, &str); 5] = [
    ("At least 100 µs", "dur>=100us"),
    ("At least 1 ms", "dur>=1ms"),
    ("At least 10 ms", "dur>=10ms"),
    ("At least 100 ms", "dur>=100ms"),
    ("At least 1 s", "dur>=1s"),
];

/// Returns the buttons in the headings. The `fields` are those of the matching events.
pub fn head_tools(app: App, fields: Signal<Option<Arc<FieldNames>>>) -> Callback<String, Option<HeadTool>> {
    Callback::new(move |key: String| {
        let filter = |label, testid, is_on: Signal<bool>, entries: fn(App) -> Vec<MenuEntry>| HeadTool {
            label,
            testid,
            icon: FILTER,
            is_on,
            entries: Callback::new(move |()| entries(app)),
        };
        let has = move |is_set: fn(&protocol::request::Filter) -> bool| Signal::derive(move || app.filter.with(is_set));
        Some(match key.as_str() {
            "thread" => filter("Filter by thread", "pick-thread", has(|filter| !filter.threads.is_empty()), threads),
            "provider" => {
                filter("Filter by provider", "pick-provider", has(|filter| !filter.providers.is_empty()), providers)
            }
            "event" => filter("Filter by event type", "pick-event", has(|filter| !filter.types.is_empty()), types),
            "level" => filter("Filter by level", "pick-level", has(|filter| filter.level.is_some()), levels),
            "duration" => filter("Filter by duration", "pick-duration", Signal::stored(false), durations),
            "payload" => HeadTool {
                label: "Sort by payload field",
                testid: "sort-by-field",
                icon: SORT,
                is_on: Signal::derive(move || {
                    app.events.order.with(|order| matches!(order.key, EventColumn::Field(_)))
                }),
                entries: Callback::new(move |()| fields_to_sort_by(app, fields.get())),
            },
            _ => return None,
        })
    })
}

fn line(command: Command, words: String, act: impl Fn() + Send + Sync + 'static) -> MenuEntry {
    MenuEntry::of(Scope::Events, command, "head-choice", act).called(words)
}

fn with_count(name: &str, count: u64) -> String {
    format!("{name} ({})", format::count(count))
}

fn threads(app: App) -> Vec<MenuEntry> {
    let Some(threads) = app.threads.get() else { return Vec::new() };
    let mut rows: Vec<(Reverse<u64>, u32)> =
        threads.events.iter().zip(&threads.thread).map(|(events, thread)| (Reverse(*events), *thread)).collect();
    sort_by_key(&mut rows, |row| *row);
    let entry = |(Reverse(events), thread): (Reverse<u64>, u32)| {
        let thread = ThreadId(thread);
        let is_on = Signal::derive(move || app.filter.with(|filter| filter.threads.contains(&thread)));
        let words = with_count(&thread_name(&threads, thread), events);
        line(Command::OnlyThread, words, move || app.toggle_thread(thread)).checked(is_on)
    };
    rows.into_iter().take(MAX_LINES).map(entry).collect()
}

fn providers(app: App) -> Vec<MenuEntry> {
    let Some(trace) = app.trace.get() else { return Vec::new() };
    let entry = |provider: &protocol::reply::ProviderCount| {
        let name = StoredValue::new(provider.name.clone());
        let is_on = move || name.with_value(|name| app.filter.with(|filter| filter.providers.contains(name)));
        let act = move || name.with_value(|name| app.toggle_provider(name));
        let words = with_count(&provider.name, provider.events);
        line(Command::OnlyProvider, words, act).checked(Signal::derive(is_on))
    };
    trace.providers.iter().take(MAX_LINES).map(entry).collect()
}

fn types(app: App) -> Vec<MenuEntry> {
    let Some(types) = app.types.get() else { return Vec::new() };
    // A type may have several versions.
    let mut counts: FastMap<(&str, &str), u64> = FastMap::default();
    for (row, count) in types.count.iter().enumerate().filter(|(_, count)| **count > 0) {
        *counts.entry((types.provider.get(row), types.name.get(row))).or_default() += count;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    sort_by_key(&mut counts, |(name, count)| (Reverse(*count), *name));
    let entry = |((provider, name), count): ((&str, &str), u64)| {
        let versions = StoredValue::new(types_of(app, provider, name));
        let is_on = move || {
            versions
                .with_value(|versions| app.filter.with(|filter| versions.iter().any(|id| filter.types.contains(id))))
        };
        let act = move || {
            let was_on = untrack(is_on);
            app.refilter(|filter| {
                versions.with_value(|versions| {
                    filter.types.retain(|id| !versions.contains(id));
                    filter.types.extend(versions.iter().copied().filter(|_| !was_on));
                });
            });
        };
        line(Command::OnlyEvent, with_count(name, count), act).checked(Signal::derive(is_on))
    };
    counts.into_iter().take(MAX_LINES).map(entry).collect()
}

fn levels(app: App) -> Vec<MenuEntry> {
    let now = app.filter.with(|filter| filter.level);
    let all = std::iter::once((None, "All levels".to_owned()))
        .chain(LIMITS.iter().map(|level| (Some(*level), level_limit(*level))));
    let entry = |(level, words): (Option<u8>, String)| {
        line(Command::OnlyLevel, words, move || app.set_level(level)).chosen(now == level)
    };
    all.map(entry).collect()
}

fn durations(app: App) -> Vec<MenuEntry> {
    let entry = |(words, condition): (&str, &'static str)| {
        line(Command::LongerThan, words.to_owned(), move || app.add_condition(condition))
    };
    DURATIONS.into_iter().map(entry).collect()
}

fn fields_to_sort_by(app: App, fields: Option<Arc<FieldNames>>) -> Vec<MenuEntry> {
    let now = app.events.order.with(|order| order.key.clone());
    let mut names: Vec<String> = fields.iter().flat_map(|fields| fields.name.iter()).map(str::to_owned).collect();
    if let EventColumn::Field(name) = &now
        && !names.contains(name)
    {
        // A field from the URL stays visible, even if no event has it.
        names.insert(0, name.clone());
    }
    let entry = |name: String| {
        let key = EventColumn::Field(name.clone());
        let is_now = now == key;
        line(Command::SortByField, name, move || {
            app.events.order.update(|order| *order = clicked(order, &key));
        })
        .chosen(is_now)
    };
    names.into_iter().map(entry).collect()
}
