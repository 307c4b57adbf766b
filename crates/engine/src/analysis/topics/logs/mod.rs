//! Log messages by category, by template, and individually.

#[cfg(test)]
mod reference_tests;
mod tables;
#[cfg(test)]
mod tests;

use super::recorded_topics::{Role, Trace};
use super::shared::interned_texts::InternedTexts;
use super::shared::report::Report;
use super::{Analysis, Facts, Known, Needs, Scope};
use crate::analysis::intervals::logs::{LogKinds, is_of_loggers, message};
use crate::analysis::intervals::spans::index::SpanIndex;
use crate::analysis::values::log_details::{Details, details};
use crate::clr::source_names::LOGGERS;
use crate::model::{EventChunk, EventType, Store};
use nettrace::decode;
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, ThreadId};
use protocol::format::{count, counted, duration};
use protocol::tables::shade;
use protocol::topics::report::{Chart, ChartAxis, ChartSeries, Hue, Unit};
use tables::{Groups, LEVELS};

/// Events that add details to a message or a scope and aren't counted.
const DETAILS: [&str; 2] = ["MessageJson", "Message"];
const SCOPES: [&str; 2] = ["ActivityJsonStart", "ActivityStart"];
/// Maximum number of enclosing scopes examined.
const MAX_ABOVE: usize = 24;
/// Number of points of the chart over time.
const MOMENTS: i64 = 120;

/// The log messages of a trace.
#[derive(Debug, Default)]
pub struct LogFacts {
    kinds: LogKinds,
    messages: Vec<Message>,
    /// By thread: the message to which following events may add details.
    latest: FastMap<ThreadId, usize>,
    /// Scopes by their start event: position of their text.
    scopes: Vec<(EventId, u32)>,
    texts: InternedTexts,
}

/// A log message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Message {
    event: EventId,
    thread: ThreadId,
    time: i64,
    /// Log level, one of [`shade`].
    level: u8,
    /// Positions of texts.
    category: u32,
    words: u32,
    /// Empty if not recorded.
    template: u32,
    /// Type and message of its exception; empty without one.
    exception: u32,
    scope: u32,
}

impl LogFacts {
    fn describe(&mut self, at: usize, details: &Details) {
        let Some(message) = self.messages.get_mut(at) else { return };
        if let Some(template) = &details.template {
            message.template = self.texts.position(template);
        }
        if let Some((type_name, text)) = &details.exception {
            message.exception = self.texts.position(&format!("{type_name}: {text}"));
        }
    }
}

fn is_of(event_type: &EventType, names: &[&str]) -> bool {
    event_type.provider == LOGGERS && names.contains(&event_type.display_name.as_str())
}

impl Analysis for LogFacts {
    const HAS_FINDINGS: bool = false;
    const NEEDS: Needs = Needs { spans: true, ..Needs::NONE };

    fn new(store: &Store) -> Self {
        Self { kinds: LogKinds::new(store), ..Self::default() }
    }

    fn role(event_type: &EventType, trace: &Trace) -> Option<Role> {
        match trace.logs.is_message(event_type) {
            true => Some(Role::Counted),
            false => (event_type.provider == LOGGERS).then_some(Role::Related),
        }
    }
}

impl Facts for LogFacts {
    fn wants(&self, event_type: &EventType) -> bool {
        self.kinds.is_message(event_type) || is_of(event_type, &DETAILS) || is_of(event_type, &SCOPES)
    }

    fn read(&mut self, store: &Store, chunk: &EventChunk, row: usize, payload: &[u8]) {
        let Some(event_type) = store.types.get(chunk.event_type(row)) else { return };
        let (event, thread) = (chunk.event_id(row), chunk.thread(row));
        let values = decode(&event_type.schema.fields, payload, store.header.pointer_size);
        if is_of(event_type, &SCOPES) {
            let words = self.texts.position(&details(event_type, &values).words());
            self.scopes.push((event, words));
            return;
        }
        if !self.kinds.is_message(event_type) {
            // The event repeats the thread's previous message, with more details.
            if let Some(at) = self.latest.remove(&thread) {
                self.latest.insert(thread, at);
                self.describe(at, &details(event_type, &values));
            }
            return;
        }
        let log = message(event_type, &values);
        let [category, words, none] = [&log.who, &log.words, ""].map(|text: &str| self.texts.position(text));
        let time = store.clock.nanos(chunk.ticks(row)).0;
        let template = log.template.as_deref().map_or(none, |template| self.texts.position(template));
        let at = self.messages.len();
        self.messages.push(Message {
            event,
            thread,
            time,
            level: log.level,
            category,
            words,
            template,
            exception: none,
            scope: none,
        });
        if is_of_loggers(event_type, &event_type.display_name) {
            self.describe(at, &details(event_type, &values));
            self.latest.insert(thread, at);
        }
    }

    fn finish(&mut self, known: &Known<'_>) {
        self.latest = FastMap::default();
        let scopes: FastMap<EventId, u32> = std::mem::take(&mut self.scopes).into_iter().collect();
        let Some(spans) = known.spans.filter(|_| !scopes.is_empty()) else { return };
        let mut by_span: FastMap<u32, u32> = FastMap::default();
        for message in &mut self.messages {
            let activity = known.store.events.row(message.event).activity;
            let Some(span) = spans.begun_in_activity(activity, message.time).next() else { continue };
            let texts = &mut self.texts;
            message.scope = *by_span.entry(span).or_insert_with(|| {
                let words = scope_words(spans, span, &scopes, texts);
                texts.position(&words)
            });
        }
    }

    fn report(&self, known: &Known<'_>, scope: &Scope<'_>) -> Report {
        let messages: Vec<&Message> = self.messages.iter().filter(|one| scope.has(one.event)).collect();
        let groups = Groups::new(&self.texts, &messages);
        let mut report = Report::default();
        self.judge(scope, &messages, &groups, &mut report);
        report.charts.extend(over_time(scope, &messages));
        report.tables.push(self.categories_table(known.store, &groups));
        report.tables.push(self.templates_table(known.store, &groups));
        report.tables.push(self.messages_table(known.store, &messages));
        if let Some(event_type) = messages.first().and_then(|one| {
            let event_type = known.store.events.row(one.event).event_type;
            known.store.types.get(event_type)
        }) {
            report.view_stacks("View logging stacks", &event_type.provider, &event_type.display_name);
        }
        report
    }

    fn bytes(&self) -> usize {
        self.messages.len() * size_of::<Message>() + self.scopes.len() * 8 + self.texts.bytes()
    }
}

impl LogFacts {
    fn judge(&self, scope: &Scope<'_>, messages: &[&Message], groups: &Groups, report: &mut Report) {
        let number = messages.len() as u64;
        if number == 0 {
            report.verdict = "No messages logged.".to_owned();
        } else {
            let of = counted(groups.categories.len() as u64, "logger");
            let level = |level: u8| messages.iter().filter(|one| one.level == level).count() as u64;
            let errors = level(shade::LEVEL_ERROR) + level(shade::LEVEL_CRITICAL);
            let urgent = match (errors, level(shade::LEVEL_WARNING)) {
                (0, 0) => "no errors or warnings".to_owned(),
                (errors, warnings) => {
                    format!("including {} and {}", counted(errors, "error"), counted(warnings, "warning"))
                }
            };
            let time = duration(scope.span.duration());
            report.verdict = format!("{} from {of} in {time}, {urgent}.", counted(number, "message"));
            report.explanation = self.explanation(messages, groups);
        }
        report.figure("messages", "Messages", number as f64, Unit::Count, "");
        for (level, key, name) in LEVELS {
            let of_level = messages.iter().filter(|one| one.level == level).count();
            if of_level > 0 || [shade::LEVEL_ERROR, shade::LEVEL_WARNING].contains(&level) {
                report.figure(key, name, of_level as f64, Unit::Count, "");
            }
        }
        report.figure("categories", "Loggers", groups.categories.len() as f64, Unit::Count, "");
        report.figure("templates", "Message templates", groups.templates.len() as f64, Unit::Count, "");
        let empty = |one: &&&Message| !self.texts.get(one.exception).is_empty();
        let with_exception = messages.iter().filter(empty).count();
        report.figure("withException", "With exception", with_exception as f64, Unit::Count, "");
    }

    /// Returns the most frequent message among the errors, or else among all messages.
    fn explanation(&self, messages: &[&Message], groups: &Groups) -> String {
        let is_error = |level: u8| [shade::LEVEL_ERROR, shade::LEVEL_CRITICAL].contains(&level);
        let worst = groups.templates.iter().find(|group| is_error(group.level));
        let (words, of) = match worst {
            Some(_) => ("Most frequent error", messages.iter().filter(|one| is_error(one.level)).count()),
            None => ("Most frequent", messages.len()),
        };
        worst.or(groups.templates.first()).map_or_else(String::new, |group| {
            let times = format!("{} of {}", count(group.count), count(of as u64));
            format!("{words} ({times}): “{}” from {}.", group.words, self.texts.get(group.category))
        })
    }
}

/// Returns the scopes around a span, the outermost first.
fn scope_words(spans: &SpanIndex, span: u32, scopes: &FastMap<EventId, u32>, texts: &InternedTexts) -> String {
    let around = std::iter::once(span).chain(spans.above(span).take(MAX_ABOVE));
    let events = around.filter_map(|at| spans.spans().get(at as usize)).map(|one| one.interval.event);
    let mut words: Vec<&str> = events.filter_map(|event| scopes.get(&event)).map(|words| texts.get(*words)).collect();
    words.reverse();
    words.join(" → ")
}

/// Returns the chart of messages over time, by level.
fn over_time(scope: &Scope<'_>, messages: &[&Message]) -> Option<Chart> {
    let (start, length) = (scope.span.start.0, scope.span.duration().max(1));
    let step = (length / MOMENTS).max(1);
    let moments = (length / step + 1) as usize;
    let mut lines = [vec![0.0; moments], vec![0.0; moments], vec![0.0; moments]];
    for one in messages {
        let line = match one.level {
            shade::LEVEL_ERROR | shade::LEVEL_CRITICAL => 0,
            shade::LEVEL_WARNING => 1,
            _ => 2,
        };
        let at = (one.time.saturating_sub(start).max(0) / step) as usize;
        if let Some(value) = lines[line].get_mut(at) {
            *value += 1e9 / step as f64;
        }
    }
    let names = [("Errors", Hue::Failure), ("Warnings", Hue::Lock), ("Others", Hue::Neutral)];
    let series = names.into_iter().zip(lines);
    let series = series.map(|((name, hue), values)| ChartSeries { name: name.to_owned(), hue, values });
    let series: Vec<ChartSeries> = series.filter(|one| one.values.iter().any(|value| *value > 0.0)).collect();
    (!series.is_empty()).then(|| Chart {
        title: "Messages over time".to_owned(),
        axis: ChartAxis::Moments((0..moments as i64).map(|at| start + at * step).collect()),
        unit: Unit::PerSecond,
        is_stacked: false,
        series,
    })
}
