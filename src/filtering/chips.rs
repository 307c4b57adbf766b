//! Conditions of the filter as chips, which can be removed, inverted and edited.

use crate::app::state::App;
use leptos::prelude::*;
use protocol::base::ids::{ThreadId, TypeId};
use protocol::filter::{Condition, Name};
use protocol::request::{Filter, FrameName, Label};
use view::events::filter_text::{any_text, condition_text, joined, named, not_all, of_level, of_range, opposite};
use view::events::level::level_limit;

/// Condition with its text.
#[derive(Clone, PartialEq)]
pub struct Chip {
    /// Kind; empty for a part of the typed query.
    pub kind: String,
    pub value: String,
    /// Value in the file, if it differs from the text.
    pub raw: String,
    of: Part,
}

/// Condition of the filter.
#[derive(Clone, PartialEq)]
enum Part {
    Range,
    Process(u32),
    Thread(ThreadId),
    Provider(String),
    Type(TypeId),
    /// Part of the typed query, with its index among the parts.
    Typed(usize, String),
    Label(Label),
    Frame(FrameName),
    Level,
}

impl Chip {
    /// Returns a unique key.
    pub fn key(&self) -> String {
        match &self.of {
            Part::Range => "time".to_owned(),
            Part::Process(process) => format!("process-{process}"),
            Part::Thread(thread) => format!("thread-{}", thread.0),
            Part::Provider(provider) => format!("provider-{provider}"),
            Part::Type(event_type) => format!("type-{}", event_type.0),
            Part::Typed(place, _) => format!("typed-{place}"),
            Part::Label(label) => format!("label-{}", label.name()),
            Part::Frame(frame) => format!("stack-{}", frame.name),
            Part::Level => "level".to_owned(),
        }
    }

    /// Returns whether it is the time range, which other panels also show.
    pub fn is_range(&self) -> bool {
        self.of == Part::Range
    }

    /// Returns whether it excludes events.
    pub fn is_excluding(&self) -> bool {
        matches!(&self.of, Part::Typed(_, text) if text.starts_with('-'))
    }

    /// Removes the condition.
    pub fn remove(&self, app: App) {
        match &self.of {
            Part::Range => app.set_range(None),
            Part::Process(process) => app.toggle_process(*process),
            Part::Thread(thread) => app.toggle_thread(*thread),
            Part::Provider(provider) => app.toggle_provider(provider),
            Part::Type(event_type) => app.toggle_type(*event_type),
            Part::Typed(place, text) => app.set_query(&replaced(app, *place, text, None)),
            Part::Label(label) => app.toggle_label(label),
            Part::Frame(frame) => app.toggle_frame(frame),
            Part::Level => app.set_level(None),
        }
    }

    /// Inverts the condition.
    pub fn invert(&self, app: App) {
        match &self.of {
            Part::Typed(place, text) => app.set_query(&replaced(app, *place, text, Some(opposite(text)))),
            _ => {
                let text = self.condition(app).map(|condition| condition_text(condition, true)).unwrap_or_default();
                write_out(app, std::slice::from_ref(self), &text);
            }
        }
    }

    /// Moves the condition into the text field to edit it; returns the text.
    pub fn edit(&self, app: App) -> String {
        match &self.of {
            Part::Typed(_, text) => text.clone(),
            // Conditions of one kind are alternatives, so they are moved together.
            _ => {
                let all = chips(app, app.filter.get_untracked());
                let group: Vec<Chip> = all.into_iter().filter(|chip| chip.of.group() == self.of.group()).collect();
                let text = any_text(group.iter().filter_map(|chip| chip.condition(app)).collect());
                write_out(app, &group, &text);
                text
            }
        }
    }

    /// Returns the condition; `None` for a part of the typed query, and for a removed time range.
    fn condition(&self, app: App) -> Option<Condition> {
        Some(match &self.of {
            Part::Range => of_range(app.filter.with_untracked(|filter| filter.span)?),
            Part::Process(process) => named(Name::Process, &process.to_string()),
            Part::Thread(thread) => named(Name::Thread, &app.thread_label(*thread)),
            Part::Provider(provider) => named(Name::Provider, provider),
            Part::Type(event_type) => named(Name::Event, &app.type_label(*event_type).replace(" / ", "/")),
            Part::Label(label) => app.label_condition(label),
            Part::Frame(frame) => named(Name::Stack, &frame.name),
            Part::Level => of_level(app.filter.with_untracked(|filter| filter.level)?),
            Part::Typed(..) => return None,
        })
    }
}

impl Part {
    /// Returns the key of its group: one condition of each group must match.
    fn group(&self) -> String {
        match self {
            Self::Range => "time".to_owned(),
            Self::Process(_) => "process".to_owned(),
            Self::Thread(_) => "thread".to_owned(),
            Self::Provider(_) => "provider".to_owned(),
            Self::Type(_) => "type".to_owned(),
            Self::Label(label) => format!("label {}", label.name()),
            // All functions must be on the stack, and all typed conditions must match.
            Self::Frame(frame) => format!("stack {} {}", frame.module, frame.name),
            Self::Typed(place, _) => format!("typed {place}"),
            Self::Level => "level".to_owned(),
        }
    }

    fn remove_from(&self, filter: &mut Filter) {
        match self {
            Self::Range => filter.span = None,
            Self::Process(process) => filter.processes.retain(|one| one != process),
            Self::Thread(thread) => filter.threads.retain(|one| one != thread),
            Self::Provider(provider) => filter.providers.retain(|one| one != provider),
            Self::Type(event_type) => filter.types.retain(|one| one != event_type),
            Self::Label(label) => filter.labels.retain(|one| one != label),
            Self::Frame(frame) => filter.frames.retain(|one| one != frame),
            Self::Level => filter.level = None,
            Self::Typed(..) => {}
        }
    }
}

/// Replaces conditions with a part of the typed query, with a single history entry.
fn write_out(app: App, chips: &[Chip], text: &str) {
    if text.is_empty() {
        return;
    }
    app.refilter(|filter| {
        chips.iter().for_each(|chip| chip.of.remove_from(filter));
        filter.query = joined(&filter.query, text);
    });
}

/// Inverts the whole filter.
pub fn invert(app: App) {
    let mut groups: Vec<(String, Vec<Condition>)> = Vec::new();
    let mut parts: Vec<String> = Vec::new();
    for chip in chips(app, app.filter.get_untracked()) {
        let group = chip.of.group();
        match (&chip.of, chip.condition(app)) {
            (Part::Typed(_, text), _) => parts.push(text.clone()),
            (_, None) => {}
            (_, Some(condition)) => match groups.iter_mut().find(|(one, _)| *one == group) {
                Some((_, conditions)) => conditions.push(condition),
                None => groups.push((group, vec![condition])),
            },
        }
    }
    let groups = groups.into_iter().map(|(_, conditions)| any_text(conditions));
    let parts: Vec<String> = groups.chain(parts).collect();
    if !parts.is_empty() {
        let query = not_all(&parts);
        app.refilter(|filter| *filter = Filter { query, ..Filter::default() });
    }
}

/// Returns the typed query with one part replaced or removed.
fn replaced(app: App, place: usize, text: &str, by: Option<String>) -> String {
    let query = app.filter.with_untracked(|filter| filter.query.clone());
    let (of, parts) = app.filtering.query_parts.get_untracked();
    let mut parts = if of == query { parts } else { vec![query] };
    if parts.get(place).is_some_and(|part| part == text) {
        parts.splice(place..=place, by);
    }
    parts.join(" ")
}

/// Describes a filter.
pub fn filter_words(app: App, filter: &Filter) -> String {
    let all = chips(app, filter.clone());
    let words: Vec<String> = all.iter().map(|chip| format!("{} {}", chip.kind, chip.value).trim().to_owned()).collect();
    if words.is_empty() { "the whole trace".to_owned() } else { words.join(", ") }
}

/// Returns the conditions of a filter.
pub fn chips(app: App, filter: Filter) -> Vec<Chip> {
    let chip = |kind: &str, value: String, of| Chip { kind: kind.to_owned(), value, raw: String::new(), of };
    let mut chips = Vec::new();
    if let Some(span) = filter.span {
        chips.push(chip("Time", app.face().range(span.start.0, span.end.0), Part::Range));
    }
    for process in filter.processes {
        chips.push(chip("Process", app.process_label(process), Part::Process(process)));
    }
    for thread in filter.threads {
        chips.push(chip("Thread", app.thread_label(thread), Part::Thread(thread)));
    }
    for provider in filter.providers {
        chips.push(chip("Provider", provider.clone(), Part::Provider(provider)));
    }
    for event_type in filter.types {
        chips.push(chip("Event", app.type_label(event_type), Part::Type(event_type)));
    }
    for label in filter.labels {
        let value = app.label_value(&label);
        let raw = if value == label.value() { String::new() } else { label.value().to_owned() };
        chips.push(Chip { raw, ..chip(label.name(), value, Part::Label(label.clone())) });
    }
    for frame in filter.frames {
        chips.push(chip("Stack contains", frame.name.clone(), Part::Frame(frame)));
    }
    if let Some(level) = filter.level {
        chips.push(chip("Level", level_limit(level), Part::Level));
    }
    // A query whose parts aren't known yet is one condition.
    let (query, parts) = app.filtering.query_parts.get();
    let typed = if query == filter.query { parts } else { vec![filter.query] };
    for (place, text) in typed.into_iter().enumerate().filter(|(_, text)| !text.is_empty()) {
        chips.push(chip("", text.clone(), Part::Typed(place, text)));
    }
    chips
}
