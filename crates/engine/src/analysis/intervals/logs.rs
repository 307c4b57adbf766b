//! Log messages: those of `ILogger` (provider `Microsoft-Extensions-Logging`, docs/format/runtime-events.md#logs), and
//! events whose metadata has a message template (version 6).

use super::interval_search::IntervalSearch;
use super::interval_set::{Interval, IntervalSet, Texts};
use super::pairs::End;
use crate::analysis::scan::payload_batches::Step;
use crate::analysis::scan::payload_scan::PayloadScan;
use crate::analysis::scan::rows::TypeSet;
use crate::analysis::values::fields::{text, whole};
use crate::analysis::values::log_details::{details, filled_by};
use crate::analysis::values::message::filled;
use crate::analysis::values::payload_text::{Owner, cut};
use crate::clr::provider::Provider;
use crate::clr::source_names::LOGGERS;
use crate::model::{EventType, Store};
use nettrace::{ByteSource, Field, SourceError, Value, decode};
use protocol::tables::shade;

/// Events with a message as text, as JSON, or as fields. A session may record several of them for each message; only
/// the first of these in the trace is used.
const MESSAGE_EVENTS: [&str; 3] = ["FormattedMessage", "MessageJson", "Message"];
/// Maximum characters of a stored message.
const MESSAGE_CHARS: usize = 160;
/// Maximum bytes of stored messages; later ones have the name of their logger instead.
const MAX_TEXT: usize = 16 << 20;

/// Event types of a trace that are messages.
#[derive(Debug, Default)]
pub(crate) struct LogKinds {
    event: &'static str,
}

impl LogKinds {
    /// Selects the first event type in the trace among those with the same messages.
    pub fn new(store: &Store) -> Self {
        let has = |name: &str| store.types.iter().any(|one| is_of_loggers(one, name) && one.count > 0);
        Self { event: MESSAGE_EVENTS.into_iter().find(|name| has(name)).unwrap_or_default() }
    }

    pub fn is_message(&self, one: &EventType) -> bool {
        let is_templated = one.record.message_template.is_some() && !one.is_of(Provider::Runtime);
        is_templated || is_of_loggers(one, self.event)
    }
}

/// Finds all messages with their level. The name is the text, the note the logger or provider.
#[derive(Debug)]
pub struct LogSearch {
    walk: PayloadScan,
    intervals: Vec<Interval>,
    texts: Texts,
    kept_bytes: usize,
}

impl LogSearch {
    /// Returns a search that has read nothing.
    pub fn new(store: &Store) -> Self {
        let kinds = LogKinds::new(store);
        let wanted = TypeSet::new(store, |one| kinds.is_message(one));
        let walk = PayloadScan::new(store, wanted, |_| true);
        Self { walk, intervals: Vec::new(), texts: Texts::default(), kept_bytes: 0 }
    }
}

impl IntervalSearch for LogSearch {
    fn step(&mut self, store: &Store, source: &dyn ByteSource, may_wait: bool) -> Result<Step, SourceError> {
        let Self { walk, intervals, texts, kept_bytes } = self;
        walk.step(store, source, may_wait, |chunk, row, payload| {
            let Some(event_type) = store.types.get(chunk.event_type(row)) else { return };
            let end = End::of(store, chunk, row);
            let log = message(event_type, &decode(&event_type.schema.fields, payload, store.header.pointer_size));
            let (note, words) = (texts.position(&log.who), cut(&log.words, MESSAGE_CHARS));
            let name = if *kept_bytes < MAX_TEXT { texts.position(&words) } else { note };
            *kept_bytes += words.len();
            let (start, event, thread) = (end.time, end.event, end.thread);
            intervals.push(Interval {
                start,
                end: start,
                thread,
                event,
                shade: log.level,
                name,
                note,
                ..Interval::default()
            });
        })
    }

    fn finish(self: Box<Self>) -> IntervalSet {
        IntervalSet::new(self.intervals, self.texts)
    }
}

/// Returns whether it is the event of this name from the logger provider.
pub(crate) fn is_of_loggers(event_type: &EventType, name: &str) -> bool {
    event_type.provider == LOGGERS && event_type.display_name == name
}

/// Message with its logger and level.
pub(crate) struct Message {
    /// Log level, one of [`shade`].
    pub level: u8,
    pub words: String,
    /// The logger, or the provider.
    pub who: String,
    /// The template of the text; `None` if the event doesn't have it.
    pub template: Option<String>,
}

/// Reads a message.
pub(crate) fn message(event_type: &EventType, values: &[Value]) -> Message {
    let fields = &event_type.schema.fields;
    if let Some(template) = &event_type.record.message_template {
        let owner = Owner { provider: &event_type.provider, event_id: event_type.record.event_id };
        return Message {
            level: of_event_level(event_type.record.level),
            words: filled(template, owner, fields, values),
            who: event_type.provider.clone(),
            template: Some(template.clone()),
        };
    }
    let details = details(event_type, values);
    let fields: Vec<(&Field, Value)> = fields.iter().zip(values.iter().cloned()).collect();
    let from_template = details.template.as_deref().map(|template| filled_by(template, &details.arguments));
    let words = [text(&fields, "FormattedMessage"), from_template.as_deref().unwrap_or(""), text(&fields, "EventName")];
    Message {
        level: of_log_level(whole(&fields, "Level")),
        words: words.into_iter().find(|text| !text.is_empty()).unwrap_or_default().to_owned(),
        who: text(&fields, "LoggerName").to_owned(),
        template: details.template,
    }
}

/// Returns the shade for a level in an event's metadata (`EventLevel`).
fn of_event_level(level: u8) -> u8 {
    match level {
        1 => shade::LEVEL_CRITICAL,
        2 => shade::LEVEL_ERROR,
        3 => shade::LEVEL_WARNING,
        4 => shade::LEVEL_INFORMATION,
        5 => shade::LEVEL_DEBUG,
        _ => shade::LEVEL_UNKNOWN,
    }
}

/// Returns the shade for a logger's level (`LogLevel`), which counts in the opposite direction.
fn of_log_level(level: Option<i64>) -> u8 {
    match level {
        Some(0) => shade::LEVEL_TRACE,
        Some(1) => shade::LEVEL_DEBUG,
        Some(2) => shade::LEVEL_INFORMATION,
        Some(3) => shade::LEVEL_WARNING,
        Some(4) => shade::LEVEL_ERROR,
        Some(5) => shade::LEVEL_CRITICAL,
        _ => shade::LEVEL_UNKNOWN,
    }
}
