//! Memory use of the store by part.

/// Memory use by part, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Memory {
    /// Event columns.
    pub columns: u64,
    /// Interned strings.
    pub strings: u64,
    /// Stacks, frames, functions, methods, modules.
    pub stacks: u64,
    /// Types, threads, activities, side tables, losses, diagnostics.
    pub summaries: u64,
    /// The block directory.
    pub directory: u64,
    /// Payloads and allocation amounts in memory for analyses.
    pub kept_payloads: u64,
}

impl Memory {
    pub fn total(&self) -> u64 {
        self.columns + self.strings + self.stacks + self.summaries + self.directory + self.kept_payloads
    }
}
