//! How far loading is, and what a file holds that has to be chosen from.

use super::columns::ColumnMeta;
use serde::{Deserialize, Serialize};

/// A trace in an archive.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct TraceEntry {
    /// Its path; through archives inside of archives with `!` in between.
    pub path: String,
    /// Bytes when unpacked, if the archive says so.
    pub bytes: Option<u64>,
    /// Bytes as packed.
    pub packed_bytes: u64,
}

/// How far loading is.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Bytes of the file that were read.
    pub bytes: u64,
    /// Bytes of the file.
    pub total_bytes: u64,
    /// Bytes that came out of a file that is packed; 0 for others.
    pub unpacked_bytes: u64,
    /// Events found.
    pub events: u64,
    /// Milliseconds since the start of loading.
    pub elapsed_ms: f64,
    /// Where the body's overview has its columns, if it has one.
    pub overview: Vec<ColumnMeta>,
}

impl Progress {
    /// How much of the file was read, 0 to 1; 0 while its size is not known.
    pub fn share(&self) -> f64 {
        if self.total_bytes == 0 { 0.0 } else { (self.bytes as f64 / self.total_bytes as f64).min(1.0) }
    }
}
