//! The kinds of the runtime's tracks.

use serde::{Deserialize, Serialize};

/// What one of the runtime's tracks is about; in the order in which they stand on the timeline.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum TrackKind {
    /// Garbage collections.
    Collections,
    /// Methods while they are compiled.
    Compilations,
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
    /// A value over time: its position among [`super::tables::Series`].
    Series(u16),
}

impl TrackKind {
    /// The kinds that consist of things with a start and an end, in order.
    pub const MARKS: [Self; 6] =
        [Self::Compilations, Self::Contentions, Self::RequestsServed, Self::RequestsSent, Self::Network, Self::Spans];
}
