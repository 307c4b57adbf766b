//! Fixes that findings of several topics suggest.

/// Against more runnable threads than CPUs, whether they are threads, tasks or parallel loops.
pub const LIMIT_THREADS: &str = "Run one CPU-bound thread per CPU.";
/// Against throw statements in the app.
pub const OWN_THROW: &str = "Return a result instead of throwing.";
/// Against lock contention.
pub const SHORTER_LOCK: &str = "Do less inside the lock, or split it.";
/// Against the cost of recorded events.
pub const FEWER_EVENTS: &str = "Record with fewer keywords or a lower level.";
