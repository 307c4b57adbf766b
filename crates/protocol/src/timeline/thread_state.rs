//! States of threads.

use crate::named;
use serde::{Deserialize, Serialize};

named! {
    /// State of a thread. A thread has exactly one at any time. Declared in display order.
    #[repr(u8)]
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
    pub enum ThreadState {
        /// Runs managed code.
        Managed = 1: "Running managed code", "managed";
        /// Runs native code, or is on a CPU in code of an unknown kind. Without native stacks, it may also wait there.
        Native = 2: "Running native code", "native";
        Jit = 3: "JIT compiling", "jit";
        /// Ready to run but off CPU, because it was preempted or yielded its CPU. Only context switches show that:
        /// where they aren't recorded, running includes it.
        Ready = 4: "Waiting for a CPU", "ready";
        Lock = 5: "Waiting for a lock", "lock";
        /// Waits for a task, a wait handle, a monitor, a thread or a process.
        Blocked = 6: "Blocked on a task or handle", "blocked";
        Io = 7: "Waiting for I/O", "io";
        Sleep = 8: "Sleeping", "sleep";
        /// Has no work: a pool worker without work items, a timer, a finalizer, an acceptor.
        Idle = 9: "Idle", "idle";
        /// Ready to run but paused by the GC, or doing the GC's work.
        Gc = 10: "Paused by the GC", "gc";
        /// No sample shows the state.
        NotSampled = 11: "Not sampled", "not-sampled";
    }
    /// Returns the display name.
    fn name;
    /// Returns the machine-readable name, also used in style sheets.
    fn slug;
}

named! {
    /// Activity of a thread, by its state: whether it uses a CPU.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
    pub enum Activity {
        /// On a CPU, or ready to run.
        Running: " running";
        /// Waits for something.
        Blocked: " blocked";
        /// Without work.
        Idle: " idle";
    }
    /// Returns the words after an amount of time.
    fn words;
}

impl ThreadState {
    /// Returns the state that a column contains.
    pub fn from_u8(value: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|state| *state as u8 == value)
    }

    /// Returns the activity of a thread in this state; `None` while it waits for a CPU, is paused or not sampled.
    pub fn activity(self) -> Option<Activity> {
        match self {
            Self::Managed | Self::Native | Self::Jit => Some(Activity::Running),
            Self::Lock | Self::Blocked | Self::Io => Some(Activity::Blocked),
            Self::Sleep | Self::Idle => Some(Activity::Idle),
            Self::Ready | Self::Gc | Self::NotSampled => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ThreadState;

    #[test]
    fn column_values_round_trip() {
        for (value, state) in (1..).zip(ThreadState::ALL) {
            assert_eq!((ThreadState::from_u8(value), state as u8), (Some(state), value));
        }
        assert_eq!((ThreadState::from_u8(0), ThreadState::from_u8(12)), (None, None));
    }
}
