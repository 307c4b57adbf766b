//! Requests, their parts, and the connections that they go over.

use crate::analysis::topics::Scope;
use protocol::base::ids::{EventId, ThreadId};

/// Parts that are kept, of all requests together.
pub(super) const MAX_PARTS: usize = 1_000_000;
/// No text.
pub(super) const NONE: u32 = u32::MAX;

/// A request that was answered or sent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Request {
    /// The event that it begins with (or ends, if its start is not in the trace).
    pub event: EventId,
    pub thread: ThreadId,
    pub start: i64,
    pub end: i64,
    /// Whether start and end are in the trace.
    pub is_whole: bool,
    /// Whether it has ended, but which of several ends is its own isn't known: its events have no activity IDs.
    pub has_unsure_end: bool,
    /// Whether it was sent; else the program answered it.
    pub is_sent: bool,
    /// Positions of texts.
    pub method: u32,
    pub target: u32,
    pub route: u32,
    pub host: u32,
    /// Who it comes over, position of a text; empty if not known.
    pub connection: u32,
    /// 0 if there was no answer, or none is known.
    pub status: u16,
    /// How long it waited for a connection, nanoseconds; negative if not known.
    pub queued: i64,
    /// Why it failed, position of a text, or [`NONE`].
    pub failure: u32,
    /// The exception that was thrown in it last, position of a text, or [`NONE`].
    pub exception: u32,
    /// The request that it is a part of, or that asked for it: position, or [`NONE`].
    pub asked_by: u32,
    /// How long it was from sending it until the server began to answer, nanoseconds; negative unless both are in the trace.
    pub before_server: i64,
    /// How long methods were compiled in it while it waited, nanoseconds.
    pub compiling: i64,
}

impl Request {
    /// Whether it counts.
    pub fn counts(&self, scope: &Scope<'_>) -> bool {
        scope.covers(self.event, self.start, self.end)
    }

    /// How long it took, if that is in the trace.
    pub fn duration(&self) -> Option<i64> {
        self.is_whole.then_some(self.end.saturating_sub(self.start))
    }

    /// How long it was from sending it until the server began to answer, if both are in the trace.
    pub fn before_server(&self) -> Option<i64> {
        (self.before_server >= 0).then_some(self.before_server)
    }

    /// Whether the program could not answer, or had no answer.
    pub fn is_failed(&self) -> bool {
        self.status >= 500 || self.failure != NONE
    }

    /// Whether it was the asking side's mistake.
    pub fn is_client_error(&self) -> bool {
        (400..500).contains(&self.status)
    }
}

/// What a part of a request is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum PartKind {
    Phase,
    Request,
    Span,
    Log,
    Exception,
    Wait,
}

impl PartKind {
    pub fn words(self) -> &'static str {
        match self {
            Self::Phase => "Phase",
            Self::Request => "Request",
            Self::Span => "Span",
            Self::Log => "Log",
            Self::Exception => "Exception",
            Self::Wait => "Wait",
        }
    }
}

/// A part of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    pub request: u32,
    pub kind: PartKind,
    /// Position of a text.
    pub name: u32,
    pub start: i64,
    pub end: i64,
    pub event: EventId,
    pub thread: ThreadId,
}

/// DNS lookup, connect or TLS handshake.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Step {
    pub event: EventId,
    pub kind: StepKind,
    /// Position of a text.
    pub name: u32,
    pub start: i64,
    pub end: i64,
    pub is_whole: bool,
    /// Position of a text, or [`NONE`].
    pub failure: u32,
    /// Position, or [`NONE`].
    pub request: u32,
}

/// What is done before a request can be sent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum StepKind {
    Lookup,
    Connect,
    Handshake,
}

impl Step {
    /// Whether it counts.
    pub fn counts(&self, scope: &Scope<'_>) -> bool {
        scope.covers(self.event, self.start, self.end)
    }
}

impl StepKind {
    pub fn words(self) -> &'static str {
        match self {
            Self::Lookup => "DNS lookup",
            Self::Connect => "Connect",
            Self::Handshake => "TLS handshake",
        }
    }
}

/// A connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Connection {
    pub event: EventId,
    pub is_sent: bool,
    /// Positions of texts.
    pub peer: u32,
    pub version: u32,
    pub start: i64,
    /// None if it was still open at the end.
    pub end: Option<i64>,
    pub requests: u64,
    /// The request that it was opened for: position, or [`NONE`].
    pub request: u32,
}

/// All that belongs together.
#[derive(Debug, Default)]
pub(super) struct Joined {
    pub requests: Vec<Request>,
    /// By request and start.
    pub parts: Vec<Part>,
    /// Parts that were not kept.
    pub parts_left_out: u64,
    pub steps: Vec<Step>,
    pub connections: Vec<Connection>,
}

impl Joined {
    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.requests.len() * size_of::<Request>()
            + self.parts.len() * size_of::<Part>()
            + self.steps.len() * size_of::<Step>()
            + self.connections.len() * size_of::<Connection>()
    }
}
