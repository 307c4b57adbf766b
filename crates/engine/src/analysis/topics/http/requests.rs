//! Requests, their parts, and the connections they use.

use crate::analysis::topics::Scope;
use protocol::base::ids::{EventId, ThreadId};

/// Maximum number of parts stored, over all requests.
pub(super) const MAX_PARTS: usize = 1_000_000;
/// Name of the phase in which a request waits for a connection.
pub(super) const QUEUED: &str = "Queued for a connection";
/// Marks the absence of a text or request.
pub(super) const NONE: u32 = u32::MAX;

/// An incoming or outgoing request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Request {
    /// The start event (or the stop event, if the start isn't in the trace).
    pub event: EventId,
    pub thread: ThreadId,
    pub start: i64,
    pub end: i64,
    /// True if start and end are in the trace.
    pub is_whole: bool,
    /// True if it has ended, but several stop events could be its own, because events have no activity IDs.
    pub has_unsure_end: bool,
    /// True for an outgoing request, false for an incoming one.
    pub is_sent: bool,
    /// Positions of texts.
    pub method: u32,
    pub target: u32,
    pub route: u32,
    pub host: u32,
    /// ID of its connection, position of a text; empty if unknown.
    pub connection: u32,
    /// 0 without a response, or if unknown.
    pub status: u16,
    /// Nanoseconds that it was queued for a connection; negative if unknown.
    pub queued: i64,
    /// Reason of its failure, position of a text, or [`NONE`].
    pub failure: u32,
    /// Type of the last exception thrown in it, position of a text, or [`NONE`].
    pub exception: u32,
    /// Position of the request that contains or sent it, or [`NONE`].
    pub parent: u32,
    /// Nanoseconds from sending it until the server started to process it; negative unless both are in the trace.
    pub before_server: i64,
    /// JIT time in nanoseconds while it waited.
    pub compiling: i64,
}

impl Request {
    pub fn counts(&self, scope: &Scope<'_>) -> bool {
        scope.covers(self.event, self.start, self.end)
    }

    /// Returns its duration in nanoseconds, if start and end are in the trace.
    pub fn duration(&self) -> Option<i64> {
        self.is_whole.then_some(self.end.saturating_sub(self.start))
    }

    /// Returns the nanoseconds from sending it until the server started to process it, if both are in the trace.
    pub fn before_server(&self) -> Option<i64> {
        (self.before_server >= 0).then_some(self.before_server)
    }

    /// Returns whether the server failed, or if no response arrived.
    pub fn is_failed(&self) -> bool {
        self.status >= 500 || self.failure != NONE
    }

    /// Returns whether the status is 4xx.
    pub fn is_client_error(&self) -> bool {
        (400..500).contains(&self.status)
    }
}

/// Kind of a part of a request.
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

/// Kind of a step before a request can be sent.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum StepKind {
    Lookup,
    Connect,
    Handshake,
}

impl Step {
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

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Connection {
    pub event: EventId,
    pub is_sent: bool,
    /// Positions of texts.
    pub peer: u32,
    pub version: u32,
    pub start: i64,
    /// `None` if it was still open at the end.
    pub end: Option<i64>,
    pub requests: u64,
    /// Position of the request for which it was opened, or [`NONE`].
    pub request: u32,
}

/// Requests with everything assigned to them.
#[derive(Debug, Default)]
pub(super) struct Joined {
    pub requests: Vec<Request>,
    /// Ordered by request and start.
    pub parts: Vec<Part>,
    /// Number of parts beyond the limit.
    pub parts_omitted: u64,
    pub steps: Vec<Step>,
    pub connections: Vec<Connection>,
}

impl Joined {
    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.requests.len() * size_of::<Request>()
            + self.parts.len() * size_of::<Part>()
            + self.steps.len() * size_of::<Step>()
            + self.connections.len() * size_of::<Connection>()
    }
}
