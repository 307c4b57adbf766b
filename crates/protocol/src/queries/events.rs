//! Queries about events.

use crate::base::ids::EventId;
use crate::events::columns::EventColumn;
use crate::redaction::{Mask, Redaction};
use crate::request::{EventFormat, EventOrder, Filter, GroupQuery};
use serde::{Deserialize, Serialize};

/// Connections of an event: the other end of its span, and links to other threads and requests.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Connections {
    pub event: EventId,
}

/// Where the time of the span went that an event starts or stops, on all its threads; for an exception, the time until it
/// was caught. `None` without a span, or if it has neither activities nor phases.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SpanTimes {
    pub event: EventId,
}

/// Number of matching events, and a page of them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Events {
    pub filter: Filter,
    pub order: EventOrder,
    /// Index of the first row among the matching events.
    pub first: u64,
    /// Number of rows.
    pub count: u32,
}

/// Payload fields of a page of [`Events`].
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EventFields {
    pub filter: Filter,
    pub order: EventOrder,
    pub fields: Vec<String>,
    /// Index of the first row among the matching events.
    pub first: u64,
    /// Number of rows.
    pub count: u32,
}

/// Rows of the event table as text.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EventText {
    pub filter: Filter,
    pub order: EventOrder,
    /// Columns, in order.
    pub columns: Vec<EventColumn>,
    pub format: EventFormat,
    /// True to write a header line, if the format has one.
    pub with_head: bool,
    /// Index of the first row among the matching events.
    pub first: u64,
    /// Number of rows.
    pub count: u32,
    /// The trace, for a table with the events of several traces.
    pub of: Option<TextOfTrace>,
}

/// What the text of an event table says about its trace.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TextOfTrace {
    /// Name, which is the first column.
    pub name: String,
    /// Nanoseconds to add to times.
    pub shift: i64,
}

/// Next part of an excerpt: matching events with their metadata, methods and threads. Each query processes a few
/// megabytes of the file.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Excerpt {
    pub filter: Filter,
    /// 0 for the first query, then [`crate::tables::ExcerptPart::next`] of the previous answer.
    pub from: u64,
    /// Texts to mask.
    pub redaction: Redaction,
}

/// Texts in matching events that may be private, and those outside of events.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PrivateTexts {
    pub filter: Filter,
    /// How examples are masked.
    pub mask: Mask,
    /// Secret from which random words are made.
    pub key: u64,
}

/// Groups of matching events.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EventGroups {
    pub filter: Filter,
    pub query: GroupQuery,
    /// Index of the first group.
    pub first: u64,
    /// Number of groups.
    pub count: u32,
}

/// Names of the payload fields that events can be sorted by.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FieldNames {
    pub filter: Filter,
}

/// Position of an event among the matching events.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EventPosition {
    pub filter: Filter,
    pub order: EventOrder,
    pub event: EventId,
}

/// Position of the first matching event at or after a time, in the order of time.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TimePosition {
    pub filter: Filter,
    /// Time in nanoseconds.
    pub at: i64,
    /// Whether the latest event is first; the position is then that of the first event at or before the time.
    pub descending: bool,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct EventDetail {
    pub event: EventId,
}

/// First event with the time, thread and type of a link.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FindEvent {
    /// Nanoseconds since the sync point.
    pub at: i64,
    /// OS thread ID; 0 for any.
    pub os_thread: u64,
    /// Provider name; empty for any provider and event ID.
    pub provider: String,
    /// Event ID within the provider.
    pub event_id: u32,
}

/// Examined share of the events, while a filter's matching events are being searched; `None` if no search is in progress.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SearchProgress {
    pub filter: Filter,
}
