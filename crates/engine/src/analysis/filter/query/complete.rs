//! Completions of a filter while the user types, with names from the trace.

use super::matcher::full_name;
use crate::analysis::scan::text_match::Needle;
use crate::analysis::values::labels::value_of_label;
use crate::analysis::values::property::property_values;
use crate::analysis::values::sort_value::field_names;
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::sort::sort_by_key;
use protocol::events::columns::Property;
use protocol::events::query_help::{Mistake, QueryHelp, Suggestion, TextRange};
use protocol::filter::{Context, Typing, context, keys, parse, parts, word};
use protocol::format;
use std::cmp::Reverse;
use std::ops::Range;

/// Maximum number of suggestions.
const MAX: usize = 40;
/// Maximum number of functions found before the search stops.
const MAX_FUNCTIONS: usize = 400;
/// Minimum number of letters to suggest names where any condition can follow.
const MANY_LETTERS: usize = 2;

/// Returns help for a filter that is being typed, with the cursor at a position in bytes; without one, nothing is
/// suggested.
pub fn query_help(store: &Store, text: &str, cursor: Option<u32>) -> QueryHelp {
    let mistake = parse(text).err().map(|error| Mistake { at: range(error.at), message: error.message });
    let parts = parts(text).into_iter().map(range).collect();
    let Some(cursor) = cursor else { return QueryHelp { parts, mistake, ..QueryHelp::default() } };
    let context = context(text, cursor as usize);
    let (needle, typed) = (Needle::new(&context.typed), context.typed.to_ascii_lowercase());
    let mut suggestions = Suggestions { needle, typed, found: Vec::new() };
    suggestions.add_for(store, &context);
    QueryHelp { parts, mistake, suggestions: suggestions.finish(), replaces: range(context.replaces) }
}

fn range(range: Range<usize>) -> TextRange {
    (range.start as u32, range.end as u32)
}

/// Suggestions so far, with ranks.
struct Suggestions {
    needle: Option<Needle>,
    typed: String,
    found: Vec<(Rank, Suggestion)>,
}

/// Keys first, then names that begin with the typed text, then by count.
type Rank = (bool, bool, Reverse<u64>);

impl Suggestions {
    fn add_for(&mut self, store: &Store, context: &Context) {
        match &context.typing {
            Typing::Start => {
                self.add_keys(&context.typed);
                if context.typed.chars().count() >= MANY_LETTERS {
                    self.add_values(store, "provider", "provider=");
                    self.add_values(store, "event", "event=");
                    self.add_values(store, "thread", "thread=");
                }
            }
            Typing::Field { of_label: true } => self.add_labels(store),
            Typing::Field { of_label: false } => self.add_fields(store),
            Typing::Value { key } => match key.strip_prefix("label.") {
                Some(label) => self.add_label_values(store, label),
                None => self.add_values(store, key, ""),
            },
        }
    }

    fn add_keys(&mut self, typed: &str) {
        for (index, (key, sign, meaning)) in keys().enumerate().filter(|(_, (key, ..))| key.starts_with(typed)) {
            let suggestion = Suggestion { text: format!("{key}{sign}"), note: meaning.to_owned() };
            self.found.push(((false, false, Reverse(u64::MAX - index as u64)), suggestion));
        }
    }

    /// Adds a name that contains the typed text.
    fn add(&mut self, before: &str, name: &str, count: u64, note: String) {
        if self.needle.as_ref().is_none_or(|needle| needle.is_in(name)) {
            let begins = name.to_ascii_lowercase().starts_with(&self.typed);
            let suggestion = Suggestion { text: format!("{before}{}", word(name)), note };
            self.found.push(((true, !begins, Reverse(count)), suggestion));
        }
    }

    fn add_values(&mut self, store: &Store, key: &str, before: &str) {
        let events = |count: u64| format::counted(count, "event");
        let types = || store.types().iter().filter(|kind| kind.count > 0);
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
                let threads = store.threads().iter().filter(|thread| thread.events > 0);
                threads.for_each(|thread| {
                    self.add(before, &thread.numbered_label(), thread.events, events(thread.events))
                });
            }
            "process" => {
                let processes = store.processes().iter();
                processes.for_each(|process| self.add(before, &process.numbered_label(), 0, String::new()));
            }
            "stack" => {
                let names = store.functions().iter().map(|function| store.strings().get(function.name));
                let fits = |name: &&str| self.needle.as_ref().is_none_or(|needle| needle.is_in(name));
                let names: Vec<&str> = names.filter(fits).take(MAX_FUNCTIONS).collect();
                // Shorter names are closer to the typed text.
                names.into_iter().for_each(|name| self.add(before, name, u64::MAX - name.len() as u64, String::new()));
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

    fn add_fields(&mut self, store: &Store) {
        let types = || store.types().iter().filter(|kind| kind.count > 0);
        let names = field_names(types().map(|kind| kind.schema.fields.as_slice()));
        for name in names.name.iter() {
            let has = |kind: &&crate::model::EventType| kind.schema.fields.iter().any(|field| field.name == name);
            let count = types().filter(has).map(|kind| kind.count).sum();
            self.add("", name, count, format::counted(count, "event"));
        }
    }

    fn add_labels(&mut self, store: &Store) {
        let mut counts: FastMap<&str, u64> = FastMap::default();
        let pairs = store.label_lists().iter().flat_map(|list| &list.pairs);
        pairs.for_each(|(name, _)| *counts.entry(name).or_default() += 1);
        counts.into_iter().for_each(|(name, count)| self.add("", name, count, String::new()));
    }

    fn add_label_values(&mut self, store: &Store, label: &str) {
        let mut counts: FastMap<String, u64> = FastMap::default();
        let pairs = store.label_lists().iter().flat_map(|list| &list.pairs).filter(|(name, _)| name == label);
        pairs.for_each(|(_, value)| *counts.entry(value_of_label(value)).or_default() += 1);
        counts.into_iter().for_each(|(value, count)| self.add("", &value, count, String::new()));
    }

    fn finish(mut self) -> Vec<Suggestion> {
        sort_by_key(&mut self.found, |(rank, suggestion)| (*rank, suggestion.text.clone()));
        self.found.truncate(MAX);
        self.found.into_iter().map(|(_, suggestion)| suggestion).collect()
    }
}
