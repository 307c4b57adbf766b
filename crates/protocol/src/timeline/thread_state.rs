//! States of threads.

use serde::{Deserialize, Serialize};

/// State of a thread. A thread has exactly one at any time.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum ThreadState {
    /// Runs managed code.
    Managed = 1,
    /// Runs native code, or is on a CPU in code of an unknown kind. Without native stacks, it may also wait there.
    Native = 2,
    /// Compiles a method.
    Jit = 3,
    /// Ready to run but off CPU, because it was preempted or yielded its CPU. Only context switches show that: where
    /// they aren't recorded, running includes it.
    Ready = 4,
    /// Waits for a lock.
    Lock = 5,
    /// Waits for a task, a wait handle, a monitor, a thread or a process.
    Blocked = 6,
    /// Waits for I/O.
    Io = 7,
    /// Sleeps.
    Sleep = 8,
    /// Has no work: a pool worker without work items, a timer, a finalizer, an acceptor.
    Idle = 9,
    /// Ready to run but paused by the GC, or doing the GC's work.
    Gc = 10,
    /// Unknown, because there is no sample.
    NotSampled = 11,
}

/// Activity of a thread, by its state: whether it uses a CPU.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Activity {
    /// On a CPU, or ready to run.
    Running,
    /// Waits for something.
    Blocked,
    /// Without work.
    Idle,
}

impl ThreadState {
    /// All states, in display order.
    pub const ALL: [Self; 11] = [
        Self::Managed,
        Self::Native,
        Self::Jit,
        Self::Ready,
        Self::Lock,
        Self::Blocked,
        Self::Io,
        Self::Sleep,
        Self::Idle,
        Self::Gc,
        Self::NotSampled,
    ];

    /// Returns the state that a column contains.
    pub fn from_u8(value: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|state| *state as u8 == value)
    }

    /// Returns the display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Managed => "Running managed code",
            Self::Native => "Running native code",
            Self::Jit => "JIT compiling",
            Self::Ready => "Waiting for a CPU",
            Self::Lock => "Waiting for a lock",
            Self::Blocked => "Blocked on a task or handle",
            Self::Io => "Waiting for I/O",
            Self::Sleep => "Sleeping",
            Self::Idle => "Idle",
            Self::Gc => "Paused by the GC",
            Self::NotSampled => "Not sampled",
        }
    }

    /// Returns the machine-readable name, also used in style sheets.
    pub fn slug(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::Native => "native",
            Self::Jit => "jit",
            Self::Ready => "ready",
            Self::Lock => "lock",
            Self::Blocked => "blocked",
            Self::Io => "io",
            Self::Sleep => "sleep",
            Self::Idle => "idle",
            Self::Gc => "gc",
            Self::NotSampled => "not-sampled",
        }
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
