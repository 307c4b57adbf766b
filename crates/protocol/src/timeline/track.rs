//! Kinds of runtime tracks.

use serde::{Deserialize, Serialize};

/// What one of the runtime's tracks is about; in the order in which they stand on the timeline.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum TrackKind {
    /// Garbage collections.
    Gc,
    /// Methods while they are compiled.
    Jit,
    /// The background thread while it compiles better code.
    Tiering,
    /// Exceptions thrown.
    Exceptions,
    /// Waiting for locks.
    Contention,
    /// HTTP requests that the program answers.
    IncomingRequests,
    /// HTTP requests that the program sends.
    OutgoingRequests,
    /// Other starts and stops of networking: connections, handshakes, name resolution.
    Network,
    /// Starts and stops of the program's own event sources.
    Spans,
    /// Activities that go from thread to thread, with their parts below them.
    Activities,
    /// Messages of loggers.
    Logs,
    /// Assemblies, modules and types that were loaded.
    Loads,
    /// Events that were lost, between the times between which they were lost.
    LostEvents,
    /// Values over time that share a track: its position among the lanes of [`crate::tables::Series`].
    Series(u16),
}

impl TrackKind {
    /// The kinds that consist of things with a start and an end, in order.
    pub const MARKS: [Self; 11] = [
        Self::Jit,
        Self::Tiering,
        Self::Contention,
        Self::IncomingRequests,
        Self::OutgoingRequests,
        Self::Network,
        Self::Spans,
        Self::Activities,
        Self::Logs,
        Self::Loads,
        Self::LostEvents,
    ];

    /// Its name in URLs and element ids. Links contain it, so a slug never changes, whatever the variant is called.
    pub fn slug(self) -> String {
        match self {
            Self::Gc => "collections",
            Self::Jit => "compilations",
            Self::Tiering => "tierups",
            Self::Exceptions => "exceptions",
            Self::Contention => "contentions",
            Self::IncomingRequests => "requestsserved",
            Self::OutgoingRequests => "requestssent",
            Self::Network => "network",
            Self::Spans => "spans",
            Self::Activities => "activities",
            Self::Logs => "logs",
            Self::Loads => "loads",
            Self::LostEvents => "losses",
            Self::Series(position) => return format!("series.{position}"),
        }
        .to_owned()
    }

    /// Whether its marks are spans of any provider, which are put together at once.
    pub fn is_spans(self) -> bool {
        matches!(self, Self::IncomingRequests | Self::OutgoingRequests | Self::Network | Self::Spans | Self::Activities)
    }
}
