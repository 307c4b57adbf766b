//! The kinds of the runtime's tracks.

use serde::{Deserialize, Serialize};

/// What one of the runtime's tracks is about; in the order in which they stand on the timeline.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum TrackKind {
    /// Garbage collections.
    Collections,
    /// Exceptions thrown.
    Exceptions,
}
