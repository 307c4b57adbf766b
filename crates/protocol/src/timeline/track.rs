//! The kinds of the runtime's tracks.

use serde::{Deserialize, Serialize};

/// What one of the runtime's tracks is about; in the order in which they stand on the timeline.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum TrackKind {
    /// Garbage collections.
    Collections,
    /// Methods while they are compiled.
    Compilations,
    /// The background thread while it compiles better code.
    TierUps,
    /// Exceptions thrown.
    Exceptions,
    /// Waiting for locks.
    Contentions,
    /// HTTP requests that the program answers.
    RequestsServed,
    /// HTTP requests that the program sends.
    RequestsSent,
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
    Losses,
    /// Values over time that share a track: its position among the lanes of [`crate::tables::Series`].
    Series(u16),
}

impl TrackKind {
    /// The kinds that consist of things with a start and an end, in order.
    pub const MARKS: [Self; 11] = [
        Self::Compilations,
        Self::TierUps,
        Self::Contentions,
        Self::RequestsServed,
        Self::RequestsSent,
        Self::Network,
        Self::Spans,
        Self::Activities,
        Self::Logs,
        Self::Loads,
        Self::Losses,
    ];

    /// Whether its marks are spans of any provider, which are put together at once.
    pub fn is_spans(self) -> bool {
        matches!(self, Self::RequestsServed | Self::RequestsSent | Self::Network | Self::Spans | Self::Activities)
    }
}
