//! Lock convoys: threads that queue for one lock, so that parallel work runs one after the other.

use super::lock_waits::LockWait;
use crate::analysis::topics::shared::call_site::Site;
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::{EventId, ThreadId};
use protocol::base::sort::{sort_by, sort_by_key};
use protocol::base::time::Span;

/// Minimum number of threads that wait for a lock at the same time in a convoy.
pub const MANY_AT_ONCE: usize = 3;
/// Minimum number of hand-overs between waiting threads in a convoy of fewer threads.
pub const MANY_HAND_OVERS: u64 = 10;
/// Maximum nanoseconds between a thread getting the lock and the next thread waiting for it. After a longer break, no
/// thread is queuing.
const LONGEST_BREAK: i64 = 1_000_000;

/// A period in which threads queue for a lock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Convoy {
    /// Position of the lock's name in the texts of the interval set.
    pub lock: u32,
    /// Call site of most of the waits.
    pub site: Site,
    /// From the first wait's start to the last wait's end.
    pub span: Span,
    pub waits: u64,
    /// Number of threads that waited.
    pub threads: u64,
    /// Maximum number of simultaneous waits.
    pub most_at_once: u64,
    /// Number of times the lock passed from one thread to the next while others waited.
    pub hand_overs: u64,
    /// Wait time in nanoseconds, summed over threads.
    pub waited: i64,
    /// Event of the longest wait.
    pub longest: EventId,
}

/// Identity of a lock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
enum Lock {
    Named(u32),
    /// All waits at one call site, for runtimes that don't name locks.
    At(Site),
}

/// Returns the convoys among waits that are ordered by start, by total wait time in descending order. `is_unnamed` is
/// true for the text of unnamed locks.
pub fn convoys(waits: &[LockWait], is_unnamed: impl Fn(u32) -> bool) -> Vec<Convoy> {
    let mut by_lock: FastMap<Lock, Vec<&LockWait>> = FastMap::default();
    for wait in waits {
        let lock = if is_unnamed(wait.lock) { wait.site.known().map(Lock::At) } else { Some(Lock::Named(wait.lock)) };
        if let Some(lock) = lock {
            by_lock.entry(lock).or_default().push(wait);
        }
    }
    let mut convoys: Vec<(Lock, Convoy)> = Vec::new();
    for (lock, waits) in by_lock {
        convoys.extend(queues(&waits).filter_map(|queue| Some((lock, convoy(queue)?))));
    }
    sort_by(&mut convoys, |(lock, one), (other_lock, other)| {
        (other.waited, one.span.start, lock).cmp(&(one.waited, other.span.start, other_lock))
    });
    convoys.into_iter().map(|(_, convoy)| convoy).collect()
}

/// Splits the waits for one lock into periods in which some thread always waits, or the next thread waits for the one
/// that waited before.
fn queues<'w>(waits: &'w [&'w LockWait]) -> impl Iterator<Item = &'w [&'w LockWait]> {
    let mut bounds = vec![0];
    let mut last: Option<(i64, ThreadId)> = None;
    for (at, wait) in waits.iter().enumerate() {
        let goes_on = last.is_none_or(|(end, thread)| {
            wait.start <= end || (wait.start - end <= LONGEST_BREAK && wait.owner == Some(thread))
        });
        if !goes_on {
            bounds.push(at);
        }
        if !goes_on || last.is_none_or(|(end, _)| wait.end > end) {
            last = Some((wait.end, wait.thread));
        }
    }
    bounds.push(waits.len());
    (1..bounds.len()).filter_map(move |at| waits.get(bounds[at - 1]..bounds[at]))
}

/// Returns the convoy of a queue, if it is one.
fn convoy(queue: &[&LockWait]) -> Option<Convoy> {
    let (first, hand_overs) = (*queue.first()?, queue.len() as u64 - 1);
    let most_at_once = most_at_once(queue);
    if most_at_once < MANY_AT_ONCE && hand_overs < MANY_HAND_OVERS {
        return None;
    }
    let longest = queue.iter().rev().max_by_key(|wait| wait.duration())?;
    let mut sites: FastMap<Site, u64> = FastMap::default();
    queue.iter().filter_map(|wait| wait.site.known()).for_each(|site| *sites.entry(site).or_default() += 1);
    let site = sites.into_iter().max_by_key(|&(site, count)| (count, std::cmp::Reverse(site)));
    Some(Convoy {
        lock: first.lock,
        site: site.map(|(site, _)| site).unwrap_or_default(),
        span: Span::new(first.start, queue.iter().map(|wait| wait.end).max()?),
        waits: queue.len() as u64,
        threads: queue.iter().map(|wait| wait.thread).collect::<FastSet<_>>().len() as u64,
        most_at_once: most_at_once as u64,
        hand_overs,
        waited: queue.iter().map(|wait| wait.duration()).fold(0, i64::saturating_add),
        longest: longest.event,
    })
}

fn most_at_once(queue: &[&LockWait]) -> usize {
    let mut ends: Vec<i64> = queue.iter().map(|wait| wait.end).collect();
    sort_by_key(&mut ends, |end| *end);
    let (mut over, mut most) = (0, 0);
    for (begun, wait) in (1..).zip(queue) {
        while ends.get(over).is_some_and(|end| *end <= wait.start) {
            over += 1;
        }
        most = most.max(begun - over);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::base::ids::FunctionId;

    fn wait((at, (start, end, thread, owner)): (u32, &(i64, i64, u32, u32))) -> LockWait {
        LockWait {
            event: EventId(at),
            start: *start,
            end: *end,
            thread: ThreadId(*thread),
            owner: Some(ThreadId(*owner)),
            lock: 7,
            site: Site::method(FunctionId(3)),
            owner_site: Site::default(),
            is_whole: true,
        }
    }

    fn of(waits: &[(i64, i64, u32, u32)]) -> Vec<Convoy> {
        convoys(&(0..).zip(waits).map(wait).collect::<Vec<_>>(), |_| false)
    }

    #[test]
    fn convoy_needs_three_simultaneous_waiters() {
        assert_eq!(of(&[(0, 10, 1, 9), (5, 20, 2, 9), (10, 15, 3, 9)]), []);
        let found = of(&[(0, 11, 1, 9), (5, 20, 2, 9), (10, 15, 3, 9), (500, 600, 1, 9)]);
        assert_eq!(found.len(), 1);
        let one = &found[0];
        assert_eq!((one.most_at_once, one.threads, one.waits, one.hand_overs, one.waited), (3, 3, 3, 2, 31));
        assert_eq!((one.span, one.longest, one.site), (Span::new(0, 20), EventId(1), Site::method(FunctionId(3))));
    }

    #[test]
    fn lock_alternating_between_two_threads_is_a_convoy() {
        let turns = |count: i64, owner_is_other: bool| -> Vec<(i64, i64, u32, u32)> {
            let turn = |at: i64| {
                let thread = (at % 2) as u32;
                (at * 100, at * 100 + 90, thread, if owner_is_other { 1 - thread } else { 9 })
            };
            (0..count).map(turn).collect()
        };
        assert_eq!(of(&turns(10, true)), []);
        let found = of(&turns(11, true));
        assert_eq!((found.len(), found[0].hand_overs, found[0].threads, found[0].most_at_once), (1, 10, 2, 1));
        assert_eq!(of(&turns(40, false)), [], "they wait for somebody else each time, and nobody queues");
    }

    #[test]
    fn unnamed_lock_waits_are_grouped_by_site() {
        let mut waits: Vec<LockWait> = (0..).zip(&[(0, 30, 1, 9), (1, 30, 2, 9), (2, 30, 3, 9)]).map(wait).collect();
        assert_eq!(convoys(&waits, |_| true).len(), 1);
        waits[1].site = Site::method(FunctionId(4));
        assert_eq!(convoys(&waits, |_| true), []);
        waits[1].site = Site::default();
        assert_eq!(convoys(&waits, |_| true), []);
    }
}
