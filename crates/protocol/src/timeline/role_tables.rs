//! Time of threads by role.

use crate::columns::Strings;
use crate::packed_table;

packed_table!(
    /// Time of threads by role, most time first.
    RoleTimes {
        /// Thread role.
        role: Strings,
        /// Number of threads.
        threads: Vec<u32>,
        /// Row-major: nanoseconds by [`crate::tables::state`], [`crate::tables::state::COUNT`] a role.
        nanos: Vec<i64>,
    }
);
