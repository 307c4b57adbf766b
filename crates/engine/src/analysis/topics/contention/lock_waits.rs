//! Waits for locks with their causes: the waiting thread's call site, and the owner's code during the wait.

use crate::analysis::intervals::contention::lock_owner;
use crate::analysis::intervals::interval_set::IntervalSet;
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::samples::thread_samples::ThreadSamples;
use crate::analysis::topics::shared::call_site::{Site, Sites};
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, ProcessId, ThreadId};
use protocol::base::time::Span;
use protocol::tables::interval_flag;

/// Maximum number of the owner's samples examined per wait, spread evenly over it.
const MAX_SAMPLES: usize = 64;

/// A wait for a lock whose start is in the trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LockWait {
    /// The event that started the wait.
    pub event: EventId,
    /// Nanoseconds.
    pub start: i64,
    /// Nanoseconds; the end of the trace if the wait is still running then.
    pub end: i64,
    /// The waiting thread.
    pub thread: ThreadId,
    /// Owner of the lock at the wait's start, if the runtime records it.
    pub owner: Option<ThreadId>,
    /// Position of the lock's name in the texts of the intervals; the empty text if the runtime doesn't record it.
    pub lock: u32,
    /// Call site of the wait.
    pub site: Site,
    /// The owner's most frequent call site during the wait.
    pub owner_site: Site,
    /// True if the trace contains the wait's end.
    pub is_whole: bool,
}

impl LockWait {
    /// Returns the duration in nanoseconds.
    pub fn duration(&self) -> i64 {
        self.end.saturating_sub(self.start)
    }
}

/// Returns the waits for locks by start. `set` has the intervals of the contention track.
pub fn lock_waits(store: &Store, set: &IntervalSet, samples: &SampleIndex, mut sites: Sites<'_>) -> Vec<LockWait> {
    let mut owners = Owners::new(store);
    let begun = set.intervals().iter().filter(|interval| interval.flags & interval_flag::OPEN_START == 0);
    let waits = begun.map(|interval| {
        let owner = set.text(interval.note).parse().ok().and_then(|os_thread| owners.of(store, interval, os_thread));
        let seen = owner.map(|owner| (owner, samples.thread(owner)));
        LockWait {
            event: interval.event,
            start: interval.start,
            end: interval.end,
            thread: interval.thread,
            owner,
            lock: interval.name,
            site: sites.of_event(interval.event),
            owner_site: seen
                .map(|seen| most_often(seen, Span::new(interval.start, interval.end), &mut sites))
                .unwrap_or_default(),
            is_whole: interval.is_whole(),
        }
    });
    waits.collect()
}

/// Returns the most frequent call site of a thread in a span.
fn most_often((thread, samples): (ThreadId, &ThreadSamples), span: Span, sites: &mut Sites<'_>) -> Site {
    let inside = samples.inside(span);
    let step = inside.len().div_ceil(MAX_SAMPLES).max(1);
    let mut seen: Vec<(Site, u32)> = Vec::new();
    for index in inside.step_by(step) {
        let site = sites.of_thread(thread, samples.time(index), samples.stack(index));
        if site.is_none() {
            continue;
        }
        match seen.iter_mut().find(|(one, _)| *one == site) {
            Some((_, count)) => *count += 1,
            None => seen.push((site, 1)),
        }
    }
    // If several are equally frequent, take the first.
    seen.into_iter().rev().max_by_key(|(_, count)| *count).map(|(site, _)| site).unwrap_or_default()
}

/// Threads by their operating system ID.
struct Owners {
    /// `None` for an ID that several threads used in succession.
    by_number: FastMap<(ProcessId, u64), Option<ThreadId>>,
}

impl Owners {
    fn new(store: &Store) -> Self {
        let mut by_number = FastMap::default();
        for thread in store.threads.iter() {
            let known = by_number.entry((thread.process, thread.os_thread)).or_insert(Some(thread.id));
            *known = known.filter(|one| *one == thread.id);
        }
        Self { by_number }
    }

    fn of(
        &mut self,
        store: &Store,
        wait: &crate::analysis::intervals::interval_set::Interval,
        os_thread: u64,
    ) -> Option<ThreadId> {
        let process = store.threads.get(wait.thread)?.process;
        let known = self.by_number.get(&(process, os_thread))?;
        known.or_else(|| lock_owner(store, wait, os_thread))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::intervals::contention::contentions;
    use crate::analysis::testing::{What, store_of};
    use crate::analysis::topics::shared::call_site::SiteNames;

    #[test]
    fn lock_wait_has_site_and_site_of_owner() {
        let (store, bytes) = store_of(&[
            (10, 5, What::Sample(true, vec![1])),
            (20, 6, What::WaitForLock { lock: 0x70, owner: 5, stack: vec![1, 2] }),
            (30, 5, What::Sample(true, vec![1, 3])),
            (40, 5, What::Sample(true, vec![1, 3])),
            (50, 5, What::Sample(true, vec![1, 4])),
            (60, 6, What::HaveLock),
            (70, 5, What::WaitForLock { lock: 0x71, owner: 99, stack: vec![] }),
        ]);
        let set = contentions(&store, &bytes).unwrap();
        let waits = lock_waits(&store, &set, &SampleIndex::build(&store).expect("memory"), Sites::new(&store, None));
        let name = |site: Site| SiteNames::new(&store, None).name(site);
        let found: Vec<_> = waits
            .iter()
            .map(|wait| {
                (wait.duration(), set.text(wait.lock), name(wait.site), name(wait.owner_site), wait.owner.is_some())
            })
            .collect();
        assert_eq!(found[0], (40, "0x70", "Shop.M2()".to_owned(), "Shop.M3()".to_owned(), true));
        assert_eq!(found[1], (1, "0x71", String::new(), String::new(), false));
        assert_eq!([waits[0].is_whole, waits[1].is_whole], [true, false]);
    }
}
