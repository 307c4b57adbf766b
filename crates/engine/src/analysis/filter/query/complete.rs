//! Completions of a filter while the user types, with names from the trace.

use super::matcher::full_name;
use super::possible::wanted_types;
use crate::analysis::names::function_counts::FunctionCounts;
use crate::analysis::names::functions::functions;
use crate::analysis::names::items::matching;
use crate::analysis::scan::text_match::Needle;
use crate::analysis::values::labels::value_of_label;
use crate::analysis::values::property::property_values;
use crate::analysis::values::sort_value::field_names;
use crate::model::{EventType, Store};
use protocol::base::hash::FastMap;
use protocol::base::sort::sort_by_key;
use protocol::events::columns::Property;
use protocol::events::query_help::{Mistake, QueryHelp, Suggestion, TextRange};
use protocol::filter::{Context, Query, Typing, context, keys, parse, parts, word};
use protocol::format;
use protocol::names::FoundName;
use std::cmp::Reverse;
use std::ops::Range;
use std::rc::Rc;

/// Maximum number of suggestions.
const MAX: usize = 40;
/// Maximum number of suggestions of one kind where any condition can follow.
const MAX_OF_KIND: usize = 8;
/// Minimum number of letters to suggest names where any condition can follow.
const MANY_LETTERS: usize = 2;

/// Names of the trace besides those in the store.
#[derive(Default)]
pub struct Names {
    /// Events by function; without them, no functions are suggested.
    pub counts: Option<Rc<FunctionCounts>>,
    /// Items of analyses: routes and types.
    pub items: Vec<Rc<[FoundName]>>,
}

/// Returns whether suggestions at a position in bytes need [`Names`].
pub fn suggests_names(text: &str, cursor: u32) -> bool {
    let context = context(text, cursor as usize);
    match &context.typing {
        Typing::Start => has_many_letters(&context),
        Typing::Value { key } => key == "stack" || key == "route",
        Typing::Field { .. } => false,
    }
}

fn has_many_letters(context: &Context) -> bool {
    context.typed.chars().count() >= MANY_LETTERS
}

/// Returns help for a filter that is being typed, with the cursor at a position in bytes; without one, nothing is
/// suggested.
pub fn query_help(store: &Store, text: &str, cursor: Option<u32>, names: &Names) -> QueryHelp {
    let mistake = parse(text).err().map(|error| Mistake { at: range(error.at), message: error.message });
    let parts = parts(text);
    let ranges = parts.iter().cloned().map(range).collect();
    let Some(cursor) = cursor else { return QueryHelp { parts: ranges, mistake, ..QueryHelp::default() } };
    let context = context(text, cursor as usize);
    let typed = context.typed.to_ascii_lowercase();
    let needle = Needle::new(&context.typed);
    let types = types_of_others(store, text, &parts, cursor as usize);
    let mut suggestions = Suggestions { names, types, needle, typed, found: Vec::new() };
    suggestions.add_for(store, &context);
    QueryHelp { parts: ranges, mistake, suggestions: suggestions.finish(), replaces: range(context.replaces) }
}

fn range(range: Range<usize>) -> TextRange {
    (range.start as u32, range.end as u32)
}

/// Returns, by type ID, whether the other conditions of a text allow the type; `None` if they allow all types.
fn types_of_others(store: &Store, text: &str, parts: &[Range<usize>], cursor: usize) -> Option<Vec<bool>> {
    let others = parts.iter().filter(|part| cursor < part.start || part.end < cursor);
    let others = others.filter_map(|part| parse(text.get(part.clone())?).ok()).collect();
    Some(wanted_types(store, &Query::All(others))).filter(|wanted| wanted.contains(&false))
}

/// Suggestions so far, with ranks.
struct Suggestions<'n> {
    names: &'n Names,
    types: Option<Vec<bool>>,
    needle: Option<Needle>,
    typed: String,
    found: Vec<(Rank, Suggestion)>,
}

/// By class, then names that begin with the typed text, then by count.
type Rank = (Class, bool, Reverse<u64>);

/// Classes of suggestions, in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Class {
    Key,
    /// Field of the event types that the other conditions allow.
    AllowedField,
    Name,
    /// Last, because more events have a function on the stack than a name.
    Function,
}

impl Suggestions<'_> {
    fn add_for(&mut self, store: &Store, context: &Context) {
        match &context.typing {
            Typing::Start => {
                self.add_keys(&context.typed);
                self.add_corrected(&context.typed);
                if has_many_letters(context) {
                    for key in ["provider", "event", "thread", "stack"] {
                        self.add_some(|all| all.add_values(store, key, &format!("{key}=")));
                    }
                    self.add_some(|all| all.add_fields(store, "payload."));
                    self.add_some(Self::add_items);
                }
            }
            Typing::Field { of_label: true } => self.add_labels(store),
            Typing::Field { of_label: false } => self.add_fields(store, ""),
            Typing::Value { key } => match key.strip_prefix("label.") {
                Some(label) => self.add_label_values(store, label),
                None => self.add_values(store, key, ""),
            },
        }
    }

    /// Adds the best suggestions of one kind.
    fn add_some(&mut self, add: impl FnOnce(&mut Self)) {
        let others = std::mem::take(&mut self.found);
        add(self);
        self.keep_best(MAX_OF_KIND);
        self.found.extend(others);
    }

    fn keep_best(&mut self, most: usize) {
        sort_by_key(&mut self.found, |(rank, suggestion)| (*rank, suggestion.text.clone()));
        self.found.truncate(most);
    }

    fn add_keys(&mut self, typed: &str) {
        for (index, (key, sign, meaning)) in keys().enumerate().filter(|(_, (key, ..))| key.starts_with(typed)) {
            let rank = (Class::Key, false, Reverse(u64::MAX - index as u64));
            self.push(rank, format!("{key}{sign}"), String::new(), meaning.to_owned());
        }
    }

    fn push(&mut self, rank: Rank, text: String, label: String, note: String) {
        self.found.push((rank, Suggestion { text, label, note }));
    }

    /// Adds a name that contains the typed text.
    fn add(&mut self, before: &str, name: &str, count: u64, note: String) {
        self.add_as(Class::Name, before, name, count, note);
    }

    fn add_as(&mut self, class: Class, before: &str, name: &str, count: u64, note: String) {
        if self.needle.as_ref().is_none_or(|needle| needle.is_in(name)) {
            let begins = name.to_ascii_lowercase().starts_with(&self.typed);
            self.push((class, !begins, Reverse(count)), format!("{before}{}", word(name)), String::new(), note);
        }
    }

    /// Adds the conditions that may be meant by one with an unknown key: "route:/orders" for "rout:/orders".
    fn add_corrected(&mut self, typed: &str) {
        let Some(at) = typed.find([':', '=', '<', '>', '~']) else { return };
        // A field's name follows a dot.
        let at = typed.find('.').map_or(at, |dot| at.min(dot + 1));
        let (mistyped, rest) = (typed[..at].to_ascii_lowercase(), &typed[at..]);
        for (key, _, meaning) in keys().filter(|(key, ..)| is_almost(key, &mistyped)) {
            let corrected = format!("{key}{rest}");
            if parse(&corrected).is_ok() {
                self.push((Class::Key, false, Reverse(0)), corrected, String::new(), meaning.to_owned());
            }
        }
    }

    fn add_values(&mut self, store: &Store, key: &str, before: &str) {
        let events = |count: u64| format::counted(count, "event");
        let types = || store.types.iter().filter(|kind| kind.count > 0);
        match key {
            "provider" => {
                let mut counts: FastMap<&str, u64> = FastMap::default();
                types().for_each(|kind| *counts.entry(&kind.provider).or_default() += kind.count);
                counts.into_iter().for_each(|(name, count)| self.add(before, name, count, events(count)));
            }
            "event" => {
                let mut counts: FastMap<String, u64> = FastMap::default();
                types().for_each(|kind| *counts.entry(full_name(kind)).or_default() += kind.count);
                counts.into_iter().for_each(|(name, count)| self.add(before, &name, count, events(count)));
            }
            "thread" => {
                let threads = store.threads.iter().filter(|thread| thread.events > 0);
                threads.for_each(|thread| {
                    self.add(before, &thread.numbered_label(), thread.events, events(thread.events))
                });
            }
            "process" => {
                let processes = store.processes.iter();
                processes.for_each(|process| self.add(before, &process.numbered_label(), 0, String::new()));
            }
            "stack" => self.add_functions(store, before),
            "route" => {
                let names = self.names;
                let items = names.items.iter().flat_map(|items| items.iter());
                for route in items.filter(|item| item.condition.starts_with("route=")) {
                    self.add(before, &route.name, route.count, route.note.clone());
                }
            }
            "level" => {
                let levels = ["critical", "error", "warning", "informational", "verbose"];
                let mut rank = u64::MAX;
                levels.into_iter().for_each(|level| {
                    rank -= 1;
                    self.add(before, level, rank, String::new());
                });
            }
            _ => {
                let property = Property::with_key(key).into_iter();
                let mut values: Vec<_> = property.flat_map(|one| property_values(store, one)).flatten().collect();
                sort_by_key(&mut values, Clone::clone);
                values.dedup();
                for (value, rank) in values.iter().zip((0..u64::MAX).rev()) {
                    self.add(before, &value.text, rank, String::new());
                }
            }
        }
    }

    fn add_functions(&mut self, store: &Store, before: &str) {
        let Some(counts) = self.names.counts.clone() else { return };
        let found = functions(store, &counts, &self.typed, MAX);
        for (at, one) in found.into_iter().enumerate() {
            // They are in order.
            let rank = (Class::Function, false, Reverse(u64::MAX - at as u64));
            self.push(rank, format!("{before}{}", word(&one.name)), String::new(), one.note);
        }
    }

    /// Adds routes and types.
    fn add_items(&mut self) {
        let names = self.names;
        for items in &names.items {
            for one in matching(items, &self.typed, MAX_OF_KIND) {
                let begins = one.name.to_ascii_lowercase().starts_with(&self.typed);
                let rank = (Class::Name, !begins, Reverse(one.count));
                self.push(rank, one.condition.clone(), one.name.clone(), one.note.clone());
            }
        }
    }

    /// Adds payload fields, first those of the event types that the other conditions allow, with the number of these
    /// events.
    fn add_fields(&mut self, store: &Store, before: &str) {
        let types = || store.types.iter().filter(|kind| kind.count > 0);
        let names = field_names(types().map(|kind| kind.schema.fields.as_slice()));
        let allowed = self.types.take();
        let is_allowed =
            |kind: &EventType| allowed.as_ref().is_some_and(|allowed| allowed.get(kind.id.index()) == Some(&true));
        for name in names.name.iter() {
            let has = |kind: &&EventType| kind.schema.fields.iter().any(|field| field.name == name);
            let of_allowed: u64 = types().filter(has).filter(|kind| is_allowed(kind)).map(|kind| kind.count).sum();
            let (class, count) = match of_allowed {
                0 => (Class::Name, types().filter(has).map(|kind| kind.count).sum()),
                _ => (Class::AllowedField, of_allowed),
            };
            self.add_as(class, before, name, count, format::counted(count, "event"));
        }
        self.types = allowed;
    }

    fn add_labels(&mut self, store: &Store) {
        let mut counts: FastMap<&str, u64> = FastMap::default();
        let pairs = store.label_lists.iter().flat_map(|list| &list.pairs);
        pairs.for_each(|(name, _)| *counts.entry(name).or_default() += 1);
        counts.into_iter().for_each(|(name, count)| self.add("", name, count, String::new()));
    }

    fn add_label_values(&mut self, store: &Store, label: &str) {
        let mut counts: FastMap<String, u64> = FastMap::default();
        let pairs = store.label_lists.iter().flat_map(|list| &list.pairs).filter(|(name, _)| name == label);
        pairs.for_each(|(_, value)| *counts.entry(value_of_label(value)).or_default() += 1);
        counts.into_iter().for_each(|(value, count)| self.add("", &value, count, String::new()));
    }

    fn finish(mut self) -> Vec<Suggestion> {
        self.keep_best(MAX);
        self.found.into_iter().map(|(_, suggestion)| suggestion).collect()
    }
}

/// Returns whether two words differ by one letter or two swapped ones, or the second is the start of the first.
fn is_almost(word: &str, typed: &str) -> bool {
    let (long, short) = (word.as_bytes(), typed.as_bytes());
    let start = long.iter().zip(short).take_while(|(one, other)| one == other).count();
    let (long, short) = (&long[start..], &short[start..]);
    let end = long.iter().rev().zip(short.iter().rev()).take_while(|(one, other)| one == other).count();
    match (&long[..long.len() - end], &short[..short.len() - end]) {
        ([first, second], [other, another]) => (first, second) == (another, other),
        (long, short) => long.len().max(short.len()) <= 1 || short.is_empty() && end == 0 && start > 2,
    }
}
