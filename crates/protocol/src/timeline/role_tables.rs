//! Time of threads by role.

use crate::columns::Strings;
use crate::packed_table;

/// Categories of thread time: indices into a row of [`RoleTimes::nanos`].
pub mod spent {
    /// Managed code, including GC work.
    pub const MANAGED: usize = 0;
    /// Lock contention.
    pub const LOCK: usize = 1;
    /// Other waits: for a thread, a signal or a time.
    pub const WAITING: usize = 2;
    /// I/O and other system calls.
    pub const IO: usize = 3;
    /// Suspended by a GC.
    pub const STOPPED: usize = 4;
    /// Native code or waiting.
    pub const OUTSIDE: usize = 5;
    /// Idle pool worker.
    pub const IDLE: usize = 6;
    /// Number of categories.
    pub const COUNT: usize = 7;
}

packed_table!(
    /// Time of threads by role, most time first.
    RoleTimes {
        /// Thread role.
        role: Strings,
        /// Number of threads.
        threads: Vec<u32>,
        /// Row-major nanoseconds by [`spent`].
        nanos: Vec<i64>,
    }
);
