//! Identities inside one trace: small integers that index the store's tables.
//!
//! They are stable for one loading of one file. What must survive a reload (a link) is named by
//! time, thread and event name instead (see the `view` crate).

use serde::{Deserialize, Serialize};

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The position in the table that this identity indexes.
            pub fn index(self) -> usize {
                self.0 as usize
            }
        }
    };
}

id!(
    /// One opened trace. The page may hold several; each lives in a worker of its own.
    TraceId
);
id!(
    /// A row of the event columns, in the trace's total order (time, capture thread, sequence, file position).
    EventId
);
id!(
    /// A thread: (process, operating system's thread id, incarnation).
    ThreadId
);
id!(
    /// A process of the trace.
    ProcessId
);
id!(
    /// An event type: one metadata record of the file.
    TypeId
);
id!(
    /// A stack: its leaf node in the tree of stacks. 0 is "no stack".
    StackId
);
id!(
    /// A frame: a code address, with the method that occupied it when it was sampled.
    FrameId
);
id!(
    /// A function: what frames of the same method and module have in common, whatever their address or tier.
    FunctionId
);
id!(
    /// An interned string. 0 is the empty string.
    StringId
);
id!(
    /// A node of a call tree: a path of functions from the root. 0 is the root.
    CallNodeId
);
id!(
    /// An activity id (GUID) interned. 0 is "no activity".
    ActivityId
);

/// From here on, numbers of threads are not those of the operating system.
pub const NO_OS_ID: u64 = 1 << 63;

/// The number of a thread that the file gives an index and no id of the operating system (version 6).
pub fn thread_of_index(index: u64) -> u64 {
    (u64::MAX - index).max(NO_OS_ID)
}

/// The number of a thread as people read it: the operating system's id, or "#10", the file's index.
pub fn thread_number(os_thread: u64) -> String {
    if os_thread < NO_OS_ID { os_thread.to_string() } else { format!("#{}", u64::MAX - os_thread) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_not_taken_for_an_id_of_the_operating_system() {
        assert_eq!([9009, thread_of_index(10), thread_of_index(0)].map(thread_number), ["9009", "#10", "#0"]);
        assert!(thread_of_index(u64::MAX) >= NO_OS_ID);
    }
}
