//! What is answered about the file itself: header, processes, losses, blocks.

use super::reply::{Diagnostic, NamedValue};
use serde::{Deserialize, Serialize};

/// The header and what belongs to the whole trace.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct HeaderDetail {
    /// Header fields.
    pub fields: Vec<NamedValue>,
    /// Process facts.
    pub process: Vec<NamedValue>,
    /// All processes, most events first.
    pub processes: Vec<ProcessLine>,
    /// Lost events: thread label, between which times, how many.
    pub losses: Vec<Loss>,
    /// How their number was found, and whether there may be more; empty if none are lost.
    pub loss_reasons: String,
    /// Problems found while reading.
    pub diagnostics: Vec<Diagnostic>,
    /// Bytes and counts by kind of block.
    pub blocks: Vec<BlockKindCount>,
}

/// A process.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ProcessLine {
    /// Operating system's process id.
    pub os_process: u32,
    /// Name; empty if unknown.
    pub name: String,
    /// ".NET 10.0.12" and the like; empty if unknown.
    pub runtime: String,
    /// Events of its threads.
    pub events: u64,
}

/// Lost events.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Loss {
    /// OS id of the capture thread.
    pub os_thread: u64,
    /// Not before.
    pub after: i64,
    /// Not after.
    pub before: i64,
    /// How many.
    pub count: u64,
}

/// Blocks of one kind.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct BlockKindCount {
    /// Kind.
    pub kind: String,
    /// Blocks.
    pub count: u64,
    /// Bytes with framing.
    pub bytes: u64,
}
