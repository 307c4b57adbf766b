//! What each thread lost, for whoever prints it.

use crate::model::time::Nanos;
use crate::session::Session;
use std::collections::BTreeMap;

/// What a thread lost.
pub(super) struct ThreadLoss {
    /// The operating system's id of the thread that wrote.
    pub os_thread: u64,
    /// Events.
    pub count: u64,
    /// In how many places.
    pub gaps: u64,
    /// Before this nothing was lost; none if that is not known.
    pub first: Option<Nanos>,
    /// After this nothing was lost.
    pub last: Nanos,
}

/// Lost events by thread, in the order of the threads' numbers.
pub(super) fn by_thread(session: &Session) -> Vec<ThreadLoss> {
    let clock = session.store().clock();
    let mut threads: BTreeMap<u64, ThreadLoss> = BTreeMap::new();
    for loss in session.store().losses() {
        let first = loss.after_ticks.map(|ticks| clock.nanos(ticks));
        let last = clock.nanos(loss.before_ticks);
        let sum = threads.entry(loss.os_thread).or_insert(ThreadLoss {
            os_thread: loss.os_thread,
            count: 0,
            gaps: 0,
            first,
            last,
        });
        sum.count += loss.count;
        sum.gaps += 1;
        // Not known is earlier than any time.
        sum.first = sum.first.min(first);
        sum.last = sum.last.max(last);
    }
    threads.into_values().collect()
}
