//! IDs inside one trace: small integers that index the store's tables.
//!
//! IDs are valid until the trace is loaded again. Links use time, thread and event name instead (see the `view` crate).

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// Returns the ID as an index into its table.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<$name> for u32 {
            fn from(id: $name) -> Self {
                id.0
            }
        }
    };
}

id!(
    /// Open trace. Each trace has its own worker.
    TraceId
);
id!(
    /// Row of the event columns, in the total order of the trace (time, capture thread, sequence, file position).
    EventId
);
id!(
    /// Thread: process, OS thread ID, incarnation.
    ThreadId
);
id!(ProcessId);
id!(
    /// Event type: one metadata record of the file.
    TypeId
);
id!(
    /// Stack: its leaf node in the tree of stacks. 0 is "no stack".
    StackId
);
id!(
    /// Frame: a code address, with the method that occupied it at the time of the sample.
    FrameId
);
id!(
    /// Function: all frames of the same method and module, at any address or tier.
    FunctionId
);
id!(
    /// Interned string. 0 is the empty string.
    StringId
);
id!(
    /// Node of a call tree: a path of functions from the root. 0 is the root.
    CallNodeId
);
id!(
    /// Interned activity ID (GUID). 0 is "no activity".
    ActivityId
);

/// Smallest thread number that isn't an OS thread ID.
pub const NO_OS_ID: u64 = 1 << 63;

/// Returns the number of a thread with an index in the file and without an OS thread ID (version 6).
pub fn thread_of_index(index: u64) -> u64 {
    (u64::MAX - index).max(NO_OS_ID)
}

/// Returns a thread number for display: the OS thread ID, or the index in the file as "#10".
pub fn thread_number(os_thread: u64) -> String {
    if os_thread < NO_OS_ID { os_thread.to_string() } else { format!("#{}", u64::MAX - os_thread) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_index_is_not_an_os_id() {
        assert_eq!([9009, thread_of_index(10), thread_of_index(0)].map(thread_number), ["9009", "#10", "#0"]);
        assert!(thread_of_index(u64::MAX) >= NO_OS_ID);
    }
}
