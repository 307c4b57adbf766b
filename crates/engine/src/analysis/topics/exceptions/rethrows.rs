//! Groups events by exception: an `await` or a handler that rethrows writes another event for the same exception.
//!
//! Events don't identify exceptions. A rethrown exception is taken to be the latest with the same type, message and
//! HRESULT on its thread or in its activity; elsewhere only if all of these were thrown at the same place.

use super::throw_site::ThrowSite;
use protocol::base::hash::FastMap;
use protocol::base::ids::{ActivityId, ThreadId};

/// Maximum nanoseconds between a throw and its rethrow: later it is likely another exception with the same message. The
/// limit is much lower on the same thread without a common activity, because pool threads soon do other work.
const WITHIN: i64 = 1_000_000_000;
const WITHIN_ON_THREAD: i64 = 50_000_000;

/// Properties by which events identify an exception: positions of type and message, HRESULT.
pub type Identity = (u32, u32, u32);

/// An exception event.
#[derive(Clone, Copy, Debug)]
pub struct ThrowEvent {
    pub identity: Identity,
    pub time: i64,
    pub thread: ThreadId,
    pub activity: ActivityId,
    pub site: ThrowSite,
}

/// The latest exception with an identity: the position of its first event, and the time of its last throw.
#[derive(Clone, Copy, Debug)]
struct Latest {
    first: u32,
    time: i64,
}

/// Exceptions that can still be rethrown.
#[derive(Debug, Default)]
pub struct Rethrows {
    on_thread: FastMap<(Identity, ThreadId), Latest>,
    in_activity: FastMap<(Identity, ActivityId), Latest>,
    /// With the place where all of these were thrown, if they share one.
    anywhere: FastMap<Identity, (Latest, Option<ThrowSite>)>,
}

impl Rethrows {
    /// Adds the event at `position`; events come in time order. Returns the position of the exception's first event,
    /// which is `position` itself if the exception is new or its first event is unknown.
    pub fn add(&mut self, position: u32, event: &ThrowEvent) -> u32 {
        let first = if event.site.is_again { self.first_of(event) } else { None }.unwrap_or(position);
        let latest = Latest { first, time: event.time };
        self.on_thread.insert((event.identity, event.thread), latest);
        if event.activity != ActivityId(0) {
            self.in_activity.insert((event.identity, event.activity), latest);
        }
        let (anywhere, site) = self.anywhere.entry(event.identity).or_insert((latest, Some(event.site)));
        *anywhere = latest;
        if first == position && *site != Some(event.site) {
            *site = None;
        }
        first
    }

    fn first_of(&self, event: &ThrowEvent) -> Option<u32> {
        let since = |latest: &Latest| event.time.saturating_sub(latest.time);
        let is_near = |latest: &&Latest| since(latest) < WITHIN;
        let on_thread = self.on_thread.get(&(event.identity, event.thread));
        let on_thread = on_thread.filter(|latest| since(latest) < WITHIN_ON_THREAD);
        let in_activity = self.in_activity.get(&(event.identity, event.activity)).filter(is_near);
        let near = [on_thread, in_activity].into_iter().flatten().max_by_key(|latest| latest.time);
        let anywhere = self.anywhere.get(&event.identity).filter(|(_, site)| site.is_some()).map(|(latest, _)| latest);
        near.or_else(|| anywhere.filter(is_near)).map(|latest| latest.first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::base::ids::FunctionId;

    const SECOND: i64 = 1_000_000_000;

    /// Returns the first events of events given as message, time, thread, activity, whether rethrown, and throwing
    /// method.
    fn firsts(events: &[(u32, i64, u32, u32, bool, u32)]) -> Vec<u32> {
        let mut rethrows = Rethrows::default();
        let mut add = |(position, event): (u32, &(u32, i64, u32, u32, bool, u32))| {
            let &(message, time, thread, activity, is_again, method) = event;
            let site = ThrowSite { user: Some(FunctionId(method)), framework: None, is_again };
            let (thread, activity) = (ThreadId(thread), ActivityId(activity));
            rethrows.add(position, &ThrowEvent { identity: (1, message, 0), time, thread, activity, site })
        };
        (0..).zip(events).map(&mut add).collect()
    }

    #[test]
    fn rethrow_refers_to_latest_with_same_message() {
        let events = [(7, 0, 1, 0, false, 1), (8, 1, 1, 0, false, 1), (7, 2, 1, 0, true, 2), (7, 3, 1, 0, true, 3)];
        assert_eq!(firsts(&events), [0, 1, 0, 0]);
        assert_eq!(firsts(&[(7, 0, 1, 0, false, 1), (7, 2, 1, 0, false, 1)]), [0, 1], "two exceptions");
        assert_eq!(firsts(&[(7, 0, 1, 0, false, 1), (7, SECOND, 1, 0, true, 1)]), [0, 1], "long after it");
        let others = [(7, 0, 2, 0, false, 9), (7, 0, 1, 0, false, 1)];
        let again = |at: i64| firsts(&[others[0], others[1], (7, at, 1, 0, true, 1)])[2];
        assert_eq!([again(SECOND / 100), again(SECOND / 10)], [1, 2], "a thread soon does other work");
        assert_eq!(firsts(&[(7, 0, 1, 0, true, 1)]), [0], "its first event is not in the trace");
    }

    #[test]
    fn rethrow_on_other_thread_needs_same_activity_or_origin() {
        let two = [(7, 0, 1, 4, false, 1), (7, 1, 2, 5, false, 2)];
        let again = |activity| firsts(&[two[0], two[1], (7, 2, 3, activity, true, 3)])[2];
        assert_eq!([again(4), again(5), again(6)], [0, 1, 2], "of the unknown activity it can be either");
        assert_eq!(firsts(&[(7, 0, 1, 0, false, 1), (7, 1, 2, 0, false, 1), (7, 2, 3, 0, true, 3)]), [0, 1, 1]);
    }
}
