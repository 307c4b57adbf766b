//! Where the time of threads went.

use crate::columns::Strings;
use crate::packed_table;

packed_table!(
    /// Where the time of threads went, by what they are for; most time first.
    RoleTimes {
        /// What threads of the role are called.
        role: Strings,
        /// How many there are.
        threads: Vec<u32>,
        /// Row-major: nanoseconds by [`crate::tables::state`], [`crate::tables::state::COUNT`] a role.
        nanos: Vec<i64>,
    }
);
