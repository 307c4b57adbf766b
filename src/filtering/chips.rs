//! The conditions of the filter as chips: each can be taken away, turned round, and changed by hand.

use crate::app::state::App;
use leptos::prelude::*;
use protocol::base::ids::{ThreadId, TypeId};
use protocol::filter::{Condition, Name};
use protocol::request::{Filter, FrameName, Label};
use view::events::filter_text::{any_text, condition_text, joined, named, not_all, of_level, of_range, opposite};
use view::events::level::level_limit;

/// A condition.
#[derive(Clone, PartialEq)]
pub struct Chip {
    /// What it is about; empty for a part of what was typed.
    pub kind: String,
    /// Its words.
    pub value: String,
    /// What the file has in place of the words, if that is something else.
    pub raw: String,
    of: Part,
}

/// Which condition of the filter.
#[derive(Clone, PartialEq)]
enum Part {
    Range,
    Process(u32),
    Thread(ThreadId),
    Provider(String),
    Type(TypeId),
    /// A part of what was typed, and its place among the parts.
    Typed(usize, String),
    Label(Label),
    Frame(FrameName),
    Level,
}

impl Chip {
    /// Distinguishes it from the others.
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

    /// Whether it is the range of time, which panels show too.
    pub fn is_range(&self) -> bool {
        self.of == Part::Range
    }

    /// Whether it leaves out what is like it.
    pub fn is_excluding(&self) -> bool {
        matches!(&self.of, Part::Typed(_, text) if text.starts_with('-'))
    }

    /// Takes it away.
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

    /// Leaves out what it wanted, or the other way round.
    pub fn turn_round(&self, app: App) {
        match &self.of {
            Part::Typed(place, text) => app.set_query(&replaced(app, *place, text, Some(opposite(text)))),
            _ => {
                let text = self.condition(app).map(|condition| condition_text(condition, true)).unwrap_or_default();
                write_out(app, std::slice::from_ref(self), &text);
            }
        }
    }

    /// Puts it into the field as text, to be changed there; where it stands then.
    pub fn edit(&self, app: App) -> String {
        match &self.of {
            Part::Typed(_, text) => text.clone(),
            // Conditions of one kind are alternatives: which they are can only be said of all of them.
            _ => {
                let all = chips(app, app.filter.get_untracked());
                let group: Vec<Chip> = all.into_iter().filter(|chip| chip.of.group() == self.of.group()).collect();
                let text = any_text(group.iter().filter_map(|chip| chip.condition(app)).collect());
                write_out(app, &group, &text);
                text
            }
        }
    }

    /// None for what was typed, and for a range that was taken away meanwhile.
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
    /// What it is an alternative to, as any will do of a group, and one of each group is needed.
    fn group(&self) -> String {
        match self {
            Self::Range => "time".to_owned(),
            Self::Process(_) => "process".to_owned(),
            Self::Thread(_) => "thread".to_owned(),
            Self::Provider(_) => "provider".to_owned(),
            Self::Type(_) => "type".to_owned(),
            Self::Label(label) => format!("label {}", label.name()),
            // All of the functions are wanted on the stack, and all that was typed.
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

/// From conditions of their own to a part of what was typed, in one step of the history.
fn write_out(app: App, chips: &[Chip], text: &str) {
    if text.is_empty() {
        return;
    }
    app.refilter(|filter| {
        chips.iter().for_each(|chip| chip.of.remove_from(filter));
        filter.query = joined(&filter.query, text);
    });
}

/// Turns the whole filter round: what it left out is shown, and nothing else.
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

/// What was typed, with one part replaced or left out.
fn replaced(app: App, place: usize, text: &str, by: Option<String>) -> String {
    let query = app.filter.with_untracked(|filter| filter.query.clone());
    let (of, parts) = app.query_parts.get_untracked();
    let mut parts = if of == query { parts } else { vec![query] };
    if parts.get(place).is_some_and(|part| part == text) {
        parts.splice(place..=place, by);
    }
    parts.join(" ")
}

/// What a filter says, in words.
pub fn filter_words(app: App, filter: &Filter) -> String {
    let all = chips(app, filter.clone());
    let words: Vec<String> = all.iter().map(|chip| format!("{} {}", chip.kind, chip.value).trim().to_owned()).collect();
    if words.is_empty() { "the whole trace".to_owned() } else { words.join(", ") }
}

/// The conditions of a filter.
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
    // Of a query whose parts are not known the whole is one.
    let (query, parts) = app.query_parts.get();
    let typed = if query == filter.query { parts } else { vec![filter.query] };
    for (place, text) in typed.into_iter().enumerate().filter(|(_, text)| !text.is_empty()) {
        chips.push(chip("", text.clone(), Part::Typed(place, text)));
    }
    chips
}
