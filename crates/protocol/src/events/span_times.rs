//! Where the time of a span went, on all threads that worked on it.

use crate::base::ids::EventId;
use crate::base::time::Span;
use crate::timeline::thread_state::ThreadState;
use serde::{Deserialize, Serialize};

/// Answer to [`crate::queries::SpanTimes`].
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SpanTimes {
    /// Event that the query names.
    pub event: EventId,
    pub span: Span,
    /// Parts of its time, which add up to it; empty if its events have no activity.
    pub parts: Vec<TimePart>,
    /// Number of threads that worked on it.
    pub threads: u32,
    /// Parts of the span in order, each after the one that contains it.
    pub phases: Vec<Phase>,
    /// Number of shorter phases beyond the limit.
    pub phases_omitted: u32,
    /// What several events report about it, if it is a request.
    pub request: Option<RequestFacts>,
    /// Method that caught it, if it is an exception.
    pub caught_in: String,
}

/// Part of a span's time.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TimePart {
    pub name: String,
    pub kind: TimeKind,
    pub nanos: i64,
}

/// Time within a span: an outgoing request, a query, a wait.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Phase {
    pub name: String,
    pub kind: TimeKind,
    /// Nanoseconds.
    pub start: i64,
    /// Nanoseconds.
    pub end: i64,
    /// Number of phases that contain it.
    pub depth: u8,
    /// Its first event.
    pub event: EventId,
}

/// Facts about a request, joined from the events of several providers.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RequestFacts {
    /// True for an outgoing request, false for an incoming one.
    pub is_sent: bool,
    /// Response status, if an event reports it.
    pub status: Option<u16>,
    pub route: String,
    /// Condition that filters to the route of an incoming request; empty for an outgoing one.
    pub route_condition: String,
    /// Reason of its failure; empty without one.
    pub failure: String,
    /// Type of the last exception in it; empty without one.
    pub exception: String,
    /// Nanoseconds from the start of the outgoing request until the server began to process it, if both are in the
    /// trace.
    pub before_server: Option<i64>,
}

/// What a time was spent on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum TimeKind {
    State(ThreadState),
    /// No thread worked on it.
    Awaiting,
    Queued,
    Network,
    Request,
    Span,
    Exception,
    /// Anything else.
    Other,
}

impl TimeKind {
    /// Returns the machine-readable name, also used in style sheets.
    pub fn slug(self) -> &'static str {
        match self {
            Self::State(state) => state.slug(),
            Self::Awaiting => "awaiting",
            Self::Queued => "queued",
            Self::Network => "io",
            Self::Request => "out",
            Self::Span => "span",
            Self::Exception => "exception",
            Self::Other => "other",
        }
    }
}
