//! Commands for rows of the event table, in menus and as shortcuts.

use super::rows::RowFacts;
use super::selected::SelectedRows;
use crate::app::state::App;
use crate::commands::shortcuts::meaning;
use crate::stacks::show_stacks_of;
use crate::trace::join::join;
use crate::widgets::grid::GridModel;
use crate::widgets::menu::{MenuEntry, OpenMenu};
use leptos::prelude::*;
use protocol::base::ids::TypeId;
use protocol::base::time::Span;
use protocol::filter::{Comparison, Condition, Name, Pattern};
use protocol::request::{EventColumn, EventFormat, Filter, GroupColumn, GroupQuery};
use protocol::{Failure, queries};
use std::collections::BTreeSet;
use view::events::filter_text::{condition_text, named};
use view::events::level::level_limit;
use view::events::row_selection::RowSelection;
use view::format;
use view::keys::keymap::{Command, Scope};
use wasm_bindgen_futures::spawn_local;
use web_sys::KeyboardEvent;

/// Maximum number of event types that are checked for stacks, those with most events.
const MAX_KINDS: u32 = 256;

/// Maximum number of field columns with lines in the menu.
const MAX_FIELDS: usize = 3;
/// Maximum length of a value in the menu, in bytes.
const LONGEST_VALUE: usize = 64;

/// Commands of a row, with test IDs.
const OF_ROW: [(Command, &str); 10] = [
    (Command::OnlyEvent, "only-event"),
    (Command::WithoutEvent, "without-event"),
    (Command::OnlyThread, "only-thread"),
    (Command::WithoutThread, "without-thread"),
    (Command::OnlyProvider, "only-provider"),
    (Command::WithoutProvider, "without-provider"),
    (Command::OnlyLevel, "only-level"),
    (Command::FromHere, "from-here"),
    (Command::UntilHere, "until-here"),
    (Command::ShowBytes, "bytes-of-row"),
];

const OF_SELECTED: [(Command, &str); 6] = [
    (Command::StacksOfThese, "stacks-of-these"),
    (Command::ShowOnTimeline, "show-on-timeline"),
    (Command::RangeOfSelection, "range-of-rows"),
    (Command::CopyText, "copy-tsv"),
    (Command::CopyCsv, "copy-csv"),
    (Command::CopyJsonLines, "copy-jsonl"),
];

/// Actions on rows. Copies are handles to the same state.
#[derive(Clone, Copy)]
pub struct RowActions {
    pub app: App,
    /// Selected rows, with their table.
    pub selected: SelectedRows,
    pub menu: RwSignal<Option<OpenMenu>>,
}

impl RowActions {
    /// Offers the commands for the row at the cursor while the table is visible. Returns the handler of its keys.
    pub fn offer(self, is_visible: Memo<bool>, model: GridModel) -> impl Fn(KeyboardEvent) {
        let at_cursor = move || model.cursor.get_untracked();
        self.app.actions.offer(
            Scope::Events,
            move |command| is_visible.get_untracked() && self.can(command, at_cursor()),
            move |command| self.act(command, at_cursor()),
        );
        move |event| {
            // The table has already handled its own keys, and copies text itself.
            let command = meaning(Scope::Events, &event).filter(|command| *command != Command::CopyText);
            if let Some(command) = command.filter(|_| !event.default_prevented())
                && self.act(command, at_cursor())
            {
                event.prevent_default();
            }
        }
    }

    fn facts_at(self, row: Option<u64>) -> Option<RowFacts> {
        self.selected.table.facts_at(self.app, row?)
    }

    /// Returns whether a command can run now, on a row if it needs one.
    pub fn can(self, command: Command, row: Option<u64>) -> bool {
        let is_one_of = |commands: &[(Command, &str)]| commands.iter().any(|(known, _)| *known == command);
        match command {
            Command::StacksOfThese => true,
            _ if is_one_of(&OF_SELECTED) => self.selected.rows.with_untracked(|rows| rows.count() > 0),
            _ => is_one_of(&OF_ROW) && self.facts_at(row).is_some(),
        }
    }

    /// Runs a command, on a row if it needs one; returns whether it did.
    pub fn act(self, command: Command, row: Option<u64>) -> bool {
        let app = self.app;
        match command {
            Command::Clear => {
                let is_several = self.selected.rows.with_untracked(|rows| rows.count() > 1);
                if is_several {
                    self.selected.rows.set(row.map(RowSelection::only).unwrap_or_default());
                }
                return is_several;
            }
            Command::StacksOfThese => show_stacks(app),
            Command::ShowOnTimeline => self.selected.with_span(App::show_on_timeline),
            Command::RangeOfSelection => self.selected.with_span(|of, span| of.set_range(Some(span))),
            Command::CopyText => self.selected.copy(EventFormat::Tsv),
            Command::CopyCsv => self.selected.copy(EventFormat::Csv),
            Command::CopyJsonLines => self.selected.copy(EventFormat::JsonLines),
            command => match self.facts_at(row) {
                Some(facts) if command == Command::ShowBytes => show_bytes(&facts),
                Some(facts) => return narrow(command, &facts),
                None => return false,
            },
        }
        true
    }

    /// Opens the menu of a row, or of the selected rows, at a position in the window.
    pub fn open(self, row: Option<u64>, at: (f64, f64)) {
        let entry = |(command, testid): (Command, &'static str)| {
            MenuEntry::of(Scope::Events, command, testid, move || _ = self.act(command, row))
        };
        let facts = self.facts_at(row);
        let count = self.selected.rows.with_untracked(RowSelection::count);
        let mut entries: Vec<MenuEntry> = Vec::new();
        if let Some(facts) = &facts {
            entries.extend(OF_ROW.into_iter().map(|of| match of.0 {
                Command::OnlyEvent => entry(of).called(format!("Filter to {}", facts.name)),
                Command::WithoutEvent => entry(of).called(format!("Exclude {}", facts.name)),
                Command::OnlyLevel => entry(of).called(format!("Filter to {}", level_limit(facts.level))),
                _ => entry(of),
            }));
        }
        entries.extend(row.into_iter().flat_map(|row| self.of_values(row)));
        entries.extend(OF_SELECTED.into_iter().map(entry));
        let label = match (facts, count) {
            (Some(facts), 0 | 1) => facts.name,
            _ => format!("{} selected", format::counted(count, "event")),
        };
        self.menu.set(Some(OpenMenu { at, label, entries }));
    }
}

impl RowActions {
    /// Returns menu lines that filter to the values of a row in field columns, or exclude them.
    fn of_values(self, row: u64) -> Vec<MenuEntry> {
        let app = self.app;
        let fields = app.events.columns.with_untracked(|columns| columns.fields());
        let entry = |field: &String, value: &str, command: Command, testid: &'static str| {
            let is_excluded = command == Command::WithoutValue;
            let is_value = Comparison::Is(Pattern::Text(value.to_owned()));
            let text = condition_text(Condition::Payload(field.clone(), is_value), is_excluded);
            let words = format!("{} {field} {value}", if is_excluded { "Exclude" } else { "Filter to" });
            MenuEntry::of(Scope::Events, command, testid, move || app.add_condition(&text)).called(words)
        };
        let of_field = |field: &String| {
            let value = self.selected.table.field_text(row, field);
            let is_readable = !value.is_empty() && value.len() <= LONGEST_VALUE;
            is_readable.then(|| {
                [(Command::OnlyValue, "only-value"), (Command::WithoutValue, "without-value")]
                    .map(|(command, testid)| entry(field, &value, command, testid))
            })
        };
        fields.iter().take(MAX_FIELDS).filter_map(of_field).flatten().collect()
    }
}

/// Filters to events like a row's, or excludes them; returns whether the command does so. If the page is about all
/// traces, so are the conditions, which therefore consist of names.
fn narrow(command: Command, facts: &RowFacts) -> bool {
    let app = facts.app;
    let whole = app.trace.with_untracked(|trace| trace.as_ref().map(|trace| trace.full_span)).unwrap_or_default();
    let range = move |filter: &Filter| filter.span.unwrap_or(whole);
    let are_all = untrack(|| app.traces.are_all());
    let only = |name: Name, text: &str| app.add_condition(&condition_text(named(name, text), false));
    match command {
        Command::OnlyEvent if are_all => only(Name::Event, &format!("{}/{}", facts.provider, facts.name)),
        Command::OnlyEvent => {
            let types = types_of(app, &facts.provider, &facts.name);
            app.refilter(|filter| filter.types = types);
        }
        Command::OnlyThread if are_all => only(Name::Thread, &untrack(|| app.thread_label(facts.thread))),
        Command::OnlyThread => app.refilter(|filter| filter.threads = vec![facts.thread]),
        Command::OnlyLevel => app.set_level(Some(facts.level)),
        Command::OnlyProvider => app.refilter(|filter| filter.providers = vec![facts.provider.clone()]),
        Command::WithoutEvent => app.exclude(Name::Event, &format!("{}/{}", facts.provider, facts.name)),
        Command::WithoutThread => app.exclude_thread(facts.thread),
        Command::WithoutProvider => app.exclude(Name::Provider, &facts.provider),
        Command::FromHere => app.refilter(|filter| {
            filter.span = Some(Span::new(facts.time, range(filter).end.0));
        }),
        Command::UntilHere => app.refilter(|filter| {
            filter.span = Some(Span::new(range(filter).start.0, facts.time.saturating_add(1)));
        }),
        _ => return false,
    }
    true
}

/// Returns all event types with a name, which may have several versions.
pub fn types_of(app: App, provider: &str, name: &str) -> Vec<TypeId> {
    app.types.with_untracked(|types| {
        let Some(types) = types else { return Vec::new() };
        let is_like = |row: &usize| types.provider.get(*row) == provider && types.name.get(*row) == name;
        let rows = (0..types.event_type.len()).filter(is_like);
        rows.filter(|row| types.count.get(*row).is_some_and(|count| *count > 0))
            .filter_map(|row| types.event_type.get(row).map(|id| TypeId(*id)))
            .collect()
    })
}

/// Shows the stacks of the matching events, or a message if they have none.
fn show_stacks(app: App) {
    spawn_local(async move {
        match kinds_of(app).await {
            Ok(names) => show_stacks_of(app, names),
            Err(failure) => app.shell.say(failure.to_string()),
        }
    });
}

fn show_bytes(&RowFacts { app, event, .. }: &RowFacts) {
    app.traces.show(app);
    spawn_local(async move {
        match app.ask(queries::EventDetail { event }).await {
            Ok(detail) => app.show_byte(detail.byte()),
            Err(failure) => app.shell.say(failure.to_string()),
        }
    });
}

/// Returns the types of the matching events with most events.
async fn kinds_of(app: App) -> Result<Vec<String>, Failure> {
    let of_trace = |app: App| {
        let query = GroupQuery { by: EventColumn::Name, measure: None, column: GroupColumn::Count, descending: true };
        app.ask(queries::EventGroups { filter: app.filter.get_untracked(), query, first: 0, count: MAX_KINDS })
    };
    let kinds = join(untrack(|| app.traces.beside(app)).into_iter().map(of_trace)).await?;
    let names: BTreeSet<&str> = kinds.iter().flat_map(|kinds| kinds.name.iter()).collect();
    Ok(names.into_iter().map(str::to_owned).collect())
}
