//! Memory use of an open trace.

use serde::{Deserialize, Serialize};

/// Memory use by part, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct MemoryUse {
    pub columns: u64,
    /// Interned strings.
    pub strings: u64,
    /// Stacks, frames, methods.
    pub stacks: u64,
    pub summaries: u64,
    pub directory: u64,
    /// Payloads in memory for analyses.
    pub kept_payloads: u64,
    /// Cached file pages.
    pub page_cache: u64,
}

impl MemoryUse {
    /// Returns the parts with their names.
    pub fn parts(&self) -> [(&'static str, u64); 7] {
        [
            ("event columns", self.columns),
            ("strings", self.strings),
            ("stacks", self.stacks),
            ("summaries", self.summaries),
            ("block directory", self.directory),
            ("payloads for analyses", self.kept_payloads),
            ("page cache", self.page_cache),
        ]
    }

    /// Returns the sum of all parts.
    pub fn total(&self) -> u64 {
        self.parts().iter().map(|(_, bytes)| bytes).sum()
    }
}
