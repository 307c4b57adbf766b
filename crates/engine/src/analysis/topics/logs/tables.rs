//! Tables of log messages.

use super::{LogFacts, Message};
use crate::analysis::topics::shared::interned_texts::InternedTexts;
use crate::analysis::topics::shared::table::{RowTarget, Table};
use crate::clr::source_names::LOGGERS;
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::EventId;
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::filter::word;
use protocol::tables::shade;
use protocol::topics::report::Unit;
use std::cmp::Reverse;

/// Levels with their keys and names for users, the most severe first.
pub(super) const LEVELS: [(u8, &str, &str); 7] = [
    (shade::LEVEL_CRITICAL, "critical", "Critical"),
    (shade::LEVEL_ERROR, "errors", "Errors"),
    (shade::LEVEL_WARNING, "warnings", "Warnings"),
    (shade::LEVEL_INFORMATION, "information", "Information"),
    (shade::LEVEL_DEBUG, "debug", "Debug"),
    (shade::LEVEL_TRACE, "trace", "Trace"),
    (shade::LEVEL_UNKNOWN, "otherLevels", "Other levels"),
];

/// Messages of one logger.
pub(super) struct Category {
    pub category: u32,
    pub count: u64,
    /// By level, in the order of [`LEVELS`].
    levels: [u64; LEVELS.len()],
    first: i64,
    last: i64,
    event: EventId,
}

/// Messages with the same logger, level and template.
pub(super) struct Alike {
    pub category: u32,
    pub level: u8,
    /// The template; without one, the message with `{n}` for numbers.
    pub words: String,
    pub count: u64,
    with_exception: u64,
    first: i64,
    last: i64,
    /// Position of the first message.
    example: u32,
    event: EventId,
}

/// Groups of messages.
pub(super) struct Groups {
    /// By count, in descending order.
    pub categories: Vec<Category>,
    /// By count, in descending order.
    pub templates: Vec<Alike>,
}

impl Groups {
    pub fn new(texts: &InternedTexts, messages: &[&Message]) -> Self {
        let mut categories: FastMap<u32, Category> = FastMap::default();
        let mut templates: FastMap<(u32, u8, u32), Alike> = FastMap::default();
        // Groups messages without a template by text, so that each text is examined once.
        let mut alike: FastMap<String, u32> = FastMap::default();
        let mut of_words: FastMap<u32, u32> = FastMap::default();
        for one in messages {
            let category = categories.entry(one.category).or_insert_with(|| Category {
                category: one.category,
                count: 0,
                levels: [0; LEVELS.len()],
                first: one.time,
                last: one.time,
                event: one.event,
            });
            category.count += 1;
            category.last = one.time;
            if let Some(at) = LEVELS.iter().position(|level| level.0 == one.level) {
                category.levels[at] += 1;
            }
            let has_template = !texts.get(one.template).is_empty();
            let key = match has_template {
                true => one.template,
                false => *of_words
                    .entry(one.words)
                    .or_insert_with(|| *alike.entry(without_numbers(texts.get(one.words))).or_insert(one.words)),
            };
            let group = templates.entry((one.category, one.level, key)).or_insert_with(|| Alike {
                category: one.category,
                level: one.level,
                words: match has_template {
                    true => texts.get(key).to_owned(),
                    false => without_numbers(texts.get(key)),
                },
                count: 0,
                with_exception: 0,
                first: one.time,
                last: one.time,
                example: one.words,
                event: one.event,
            });
            group.count += 1;
            group.with_exception += u64::from(!texts.get(one.exception).is_empty());
            group.last = one.time;
        }
        let mut categories: Vec<Category> = categories.into_values().collect();
        sort_by_key(&mut categories, |one| (Reverse(one.count), one.event));
        let mut templates: Vec<Alike> = templates.into_values().collect();
        sort_by_key(&mut templates, |one| (Reverse(one.count), one.event));
        Self { categories, templates }
    }
}

/// Returns a message with `{n}` for its numbers.
fn without_numbers(words: &str) -> String {
    let mut text = String::with_capacity(words.len());
    let mut is_number = false;
    for character in words.chars() {
        let is_digit = character.is_ascii_digit();
        match (is_digit, is_number) {
            (true, false) => text.push_str("{n}"),
            (true, true) => {}
            (false, _) => text.push(character),
        }
        is_number = is_digit;
    }
    text
}

impl LogFacts {
    /// Returns a condition for a logger's messages; for a provider, for its events.
    fn category_condition(&self, store: &Store, category: u32, event: EventId) -> String {
        let event_type = store.types.get(store.events.row(event).event_type);
        let name = word(self.texts.get(category));
        match event_type.is_some_and(|one| one.provider == LOGGERS) {
            true => format!("payload.LoggerName={name}"),
            false => format!("provider={name}"),
        }
    }

    pub(super) fn categories_table(&self, store: &Store, groups: &Groups) -> Table {
        let mut columns = Table::of("categories", "By logger", &groups.categories)
            .words("category", "Logger", |one| self.texts.get(one.category))
            .bars("count", "Messages", Unit::Count, |one| one.count);
        for (at, (_, key, name)) in LEVELS.into_iter().enumerate() {
            columns = columns.numbers(key, name, Unit::Count, |one| one.levels[at]);
        }
        columns
            .numbers("firstNs", "First", Unit::Moment, |one| one.first)
            .numbers("lastNs", "Last", Unit::Moment, |one| one.last)
            .target(|one| {
                let condition = self.category_condition(store, one.category, one.event);
                RowTarget::of(one.event).over(Span::new(one.first, one.last + 1)).filtered(condition)
            })
    }

    pub(super) fn templates_table(&self, store: &Store, groups: &Groups) -> Table {
        Table::of("templates", "By template", &groups.templates)
            .words("template", "Template", |one| one.words.as_str())
            .words("category", "Logger", |one| self.texts.get(one.category))
            .words("level", "Level", |one| shade::level_words(one.level))
            .bars("count", "Messages", Unit::Count, |one| one.count)
            .numbers("withException", "With exception", Unit::Count, |one| one.with_exception)
            .numbers("firstNs", "First", Unit::Moment, |one| one.first)
            .numbers("lastNs", "Last", Unit::Moment, |one| one.last)
            .words("example", "First message", |one| self.texts.get(one.example))
            .target(|one| {
                let condition = self.category_condition(store, one.category, one.event);
                RowTarget::of(one.event).over(Span::new(one.first, one.last + 1)).filtered(condition)
            })
    }

    pub(super) fn messages_table(&self, store: &Store, messages: &[&Message]) -> Table {
        Table::of("messages", "All messages", messages)
            .numbers("timeNs", "Time", Unit::Moment, |one| one.time)
            .words("level", "Level", |one| shade::level_words(one.level))
            .words("category", "Logger", |one| self.texts.get(one.category))
            .words("message", "Message", |one| self.texts.get(one.words))
            .words("exception", "Exception", |one| self.texts.get(one.exception))
            .words("scope", "Scope", |one| self.texts.get(one.scope))
            .threads("thread", "Thread", store, |one| one.thread)
            .target(|one| RowTarget::of(one.event).over(Span::new(one.time, one.time + 1)))
    }
}
