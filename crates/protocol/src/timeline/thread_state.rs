//! States of threads.

use serde::{Deserialize, Serialize};

/// What a thread does. At any time exactly one holds.
#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum ThreadState {
    /// Runs managed code.
    Managed = 1,
    /// Runs native code, or is on a CPU and the kind of code is unknown; without native stacks it may also wait there.
    Native = 2,
    /// Compiles a method.
    Jit = 3,
    /// Waits for a lock.
    Lock = 4,
    /// Waits for a task, a wait handle, a monitor, another thread or process.
    Blocked = 5,
    /// Waits for I/O.
    Io = 6,
    /// Sleeps.
    Sleep = 7,
    /// Has nothing to do: a pool worker without work, a timer, a finalizer, an acceptor.
    Idle = 8,
    /// Would run, but is paused by the GC; or does the GC's work.
    Gc = 9,
    /// Unknown: the sampler took no sample.
    NotSampled = 10,
}

/// What states come to: whether a thread uses a CPU.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum Activity {
    /// On a CPU, or ready to run.
    Running,
    /// Cannot go on until something happens.
    Blocked,
    /// Nothing to do.
    Idle,
}

impl ThreadState {
    /// All of them, in the order in which they are shown.
    pub const ALL: [Self; 10] = [
        Self::Managed,
        Self::Native,
        Self::Jit,
        Self::Lock,
        Self::Blocked,
        Self::Io,
        Self::Sleep,
        Self::Idle,
        Self::Gc,
        Self::NotSampled,
    ];

    /// The state that a column contains.
    pub fn from_u8(value: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|state| *state as u8 == value)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Managed => "Running managed code",
            Self::Native => "Running native code",
            Self::Jit => "JIT compiling",
            Self::Lock => "Waiting for a lock",
            Self::Blocked => "Blocked on a task or handle",
            Self::Io => "Waiting for I/O",
            Self::Sleep => "Sleeping",
            Self::Idle => "Idle",
            Self::Gc => "Paused by the GC",
            Self::NotSampled => "Not sampled",
        }
    }

    /// Its name for programs and style sheets.
    pub fn slug(self) -> &'static str {
        match self {
            Self::Managed => "managed",
            Self::Native => "native",
            Self::Jit => "jit",
            Self::Lock => "lock",
            Self::Blocked => "blocked",
            Self::Io => "io",
            Self::Sleep => "sleep",
            Self::Idle => "idle",
            Self::Gc => "gc",
            Self::NotSampled => "not-sampled",
        }
    }

    /// Whether a thread in this state runs, is blocked or is idle; none of these while it is paused or not sampled.
    pub fn activity(self) -> Option<Activity> {
        match self {
            Self::Managed | Self::Native | Self::Jit => Some(Activity::Running),
            Self::Lock | Self::Blocked | Self::Io => Some(Activity::Blocked),
            Self::Sleep | Self::Idle => Some(Activity::Idle),
            Self::Gc | Self::NotSampled => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ThreadState;

    #[test]
    fn column_values_are_those_of_states() {
        for (value, state) in (1..).zip(ThreadState::ALL) {
            assert_eq!((ThreadState::from_u8(value), state as u8), (Some(state), value));
        }
        assert_eq!((ThreadState::from_u8(0), ThreadState::from_u8(11)), (None, None));
    }
}
