//! What the address bar holds.

/// A view of the filtered events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Tab {
    /// What is in the trace.
    #[default]
    Summary,
    /// Where the time went, by call stack.
    Stacks,
    /// Every event.
    Events,
    /// What the file declares.
    Metadata,
}
