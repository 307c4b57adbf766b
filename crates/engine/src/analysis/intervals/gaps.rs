//! Times in which threads lost events.

use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::ThreadId;

/// A time in which a thread lost events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Gap {
    /// Nanoseconds of the thread's last event before it.
    pub start: i64,
    /// Nanoseconds of the event or sequence point that revealed it.
    pub end: i64,
}

#[derive(Debug, Default)]
pub struct Gaps(FastMap<ThreadId, Vec<Gap>>);

impl Gaps {
    /// Returns the gaps of a trace.
    pub fn of(store: &Store) -> Self {
        let mut by_thread: FastMap<ThreadId, Vec<Gap>> = FastMap::default();
        if store.losses.is_empty() {
            return Self(by_thread);
        }
        let mut by_number: FastMap<u64, Vec<ThreadId>> = FastMap::default();
        for thread in store.threads.iter() {
            by_number.entry(thread.os_thread).or_default().push(thread.id);
        }
        let first = store.full_span.start.0;
        for loss in store.losses.iter().filter(|loss| loss.count > 0) {
            let start = loss.after_ticks.map_or(first, |ticks| store.clock.nanos(ticks).0);
            let gap = Gap { start, end: store.clock.nanos(loss.before_ticks).0 };
            for thread in by_number.get(&loss.os_thread).into_iter().flatten() {
                by_thread.entry(*thread).or_default().push(gap);
            }
        }
        by_thread.values_mut().for_each(|gaps| gaps.sort_unstable_by_key(|gap| (gap.end, gap.start)));
        Self(by_thread)
    }

    /// Returns a thread's last gap after an event and before another one.
    pub fn last_between(&self, thread: ThreadId, start: i64, end: i64) -> Option<Gap> {
        let gaps = self.0.get(&thread)?;
        let before = gaps.partition_point(|gap| gap.end <= end);
        gaps.get(..before)?.last().copied().filter(|gap| gap.end > start)
    }
}
