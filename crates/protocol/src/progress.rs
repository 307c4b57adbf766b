//! Progress of loading, and the traces of an archive.

use super::columns::ColumnMeta;
use serde::{Deserialize, Serialize};

/// Trace in an archive.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TraceEntry {
    /// Path; `!` separates the paths of nested archives.
    pub path: String,
    /// Decompressed size, if the archive declares it.
    pub bytes: Option<u64>,
    /// Compressed size.
    pub packed_bytes: u64,
}

/// Progress of loading.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Bytes read from the file.
    pub bytes: u64,
    /// Size of the file.
    pub total_bytes: u64,
    /// Bytes decompressed; 0 if the file isn't compressed.
    pub unpacked_bytes: u64,
    pub events: u64,
    /// Milliseconds since the start of loading.
    pub elapsed_ms: f64,
    /// Columns of the overview, which is in the body; empty if there is none.
    pub overview: Vec<ColumnMeta>,
}

impl Progress {
    /// Returns the share of the file that has been read, 0 to 1; 0 if its size is unknown.
    pub fn share(&self) -> f64 {
        if self.total_bytes == 0 { 0.0 } else { (self.bytes as f64 / self.total_bytes as f64).min(1.0) }
    }
}
