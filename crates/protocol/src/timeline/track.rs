//! Kinds of runtime tracks.

use serde::{Deserialize, Serialize};

/// Kind of a runtime track, in timeline order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum TrackKind {
    /// GCs.
    Gc,
    /// JIT compilations.
    Jit,
    /// Background compilation (tiering).
    Tiering,
    /// Exceptions.
    Exceptions,
    /// Lock contention.
    Contention,
    /// Incoming HTTP requests.
    IncomingRequests,
    /// Outgoing HTTP requests.
    OutgoingRequests,
    /// Other network operations: connections, handshakes, name resolution.
    Network,
    /// Spans of the app's own event sources.
    Spans,
    /// Activities across threads, with child activities below.
    Activities,
    /// Log messages.
    Logs,
    /// Loads of assemblies, modules and types.
    Loads,
    /// Lost events, in the time ranges of the losses.
    LostEvents,
    /// Values over time: index of the track in [`crate::tables::Series`].
    Series(u16),
}

impl TrackKind {
    /// Kinds with intervals, in order.
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

    /// Returns the name in URLs and element IDs. Links contain it, so slugs never change, even if a variant is renamed.
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

    /// Returns whether the marks are spans, which are computed together for all providers.
    pub fn is_spans(self) -> bool {
        matches!(self, Self::IncomingRequests | Self::OutgoingRequests | Self::Network | Self::Spans | Self::Activities)
    }
}
