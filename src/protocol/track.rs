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
}

impl TrackKind {
    /// All kinds, in order.
    pub const ALL: [Self; 4] = [Self::Collections, Self::Compilations, Self::Exceptions, Self::Contentions];
}
