//! Where the time of threads went.

use crate::columns::Strings;
use crate::packed_table;

/// What time of threads is spent on: positions in a row of [`RoleTimes::nanos`].
pub mod spent {
    /// Managed code, collecting garbage included.
    pub const MANAGED: usize = 0;
    /// Waiting for a lock.
    pub const LOCK: usize = 1;
    /// Waiting for something else: another thread, a signal, a time.
    pub const WAITING: usize = 2;
    /// Input and output, and other calls of the system.
    pub const IO: usize = 3;
    /// Stopped by a garbage collection.
    pub const STOPPED: usize = 4;
    /// Outside managed code, nobody knows in what.
    pub const OUTSIDE: usize = 5;
    /// A worker of the thread pool without work.
    pub const IDLE: usize = 6;
    /// How many there are.
    pub const COUNT: usize = 7;
}

packed_table!(
    /// Where the time of threads went, by what they are for; most time first.
    RoleTimes {
        /// What threads of the role are called.
        role: Strings,
        /// How many there are.
        threads: Vec<u32>,
        /// Row-major: nanoseconds by [`spent`].
        nanos: Vec<i64>,
    }
);
