//! Thread pool starvation: work items wait because the existing workers make no progress.

use protocol::base::ids::EventId;
use protocol::base::time::Span;

/// Minimum number of workers that the pool adds during starvation.
pub const MANY_ADDED: u32 = 3;
/// Maximum nanoseconds between two adjustments of one episode. A starving pool adds a worker at least every half
/// second.
pub const LONGEST_BREAK: i64 = 700_000_000;
/// Minimum nanoseconds for which work items wait in the queue without interruption.
const LONG_QUEUE: i64 = 500_000_000;

/// A change of the number of workers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Adjustment {
    pub event: EventId,
    /// Nanoseconds.
    pub time: i64,
    /// Number of target workers.
    pub workers: u32,
    /// Code of the reason.
    pub reason: u32,
    /// True if the reason is that workers were blocked.
    pub is_for_stuck_workers: bool,
    /// Work items per second, as measured by the pool.
    pub throughput: f64,
}

/// A potential starvation episode.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Starvation {
    /// From its first to its last sign.
    pub span: Span,
    /// Number of active or target workers at the start.
    pub from: u32,
    /// Their maximum at the end.
    pub to: u32,
    /// Number of times the pool added workers because others were blocked; 0 if only the queue shows starvation.
    pub added: u64,
    /// Code of the last such reason; 0 if only the queue shows starvation.
    pub reason: u32,
    /// Maximum queue length; `None` if not recorded.
    pub longest_queue: Option<i32>,
    /// The event of its start.
    pub event: EventId,
}

/// Returns the episodes in which the pool repeatedly added workers because others were blocked. Adjustments are in time
/// order.
pub fn by_adjustments(adjustments: &[Adjustment]) -> Vec<Starvation> {
    let mut found: Vec<Starvation> = Vec::new();
    let mut open: Option<Starvation> = None;
    let mut before = None;
    let is_many = |one: &Starvation| one.to >= one.from.saturating_add(MANY_ADDED);
    for one in adjustments {
        let from = before.replace(one.workers).unwrap_or_else(|| one.workers.saturating_sub(1));
        if !one.is_for_stuck_workers {
            continue;
        }
        let goes_on = |open: &Starvation| one.time.saturating_sub(open.span.end.0) <= LONGEST_BREAK;
        if let Some(starvation) = open.as_mut().filter(|open| goes_on(open)) {
            starvation.span.end.0 = one.time;
            starvation.to = starvation.to.max(one.workers);
            starvation.added += u64::from(one.workers > from);
            starvation.reason = one.reason;
            // All blocked workers continued before there were many.
            if one.workers <= starvation.from && !is_many(starvation) {
                open = None;
            }
            continue;
        }
        found.extend(open.take().filter(is_many));
        open = (one.workers > from).then(|| Starvation {
            span: Span::new(one.time, one.time),
            from,
            to: one.workers,
            added: 1,
            reason: one.reason,
            longest_queue: None,
            event: one.event,
        });
    }
    found.extend(open.filter(is_many));
    found
}

/// Returns the episodes in which work items always waited, from queue lengths in time order (event, time, length).
/// `workers_at` returns the number of workers at a time.
pub fn by_queue(lengths: &[(EventId, i64, i32)], workers_at: impl Fn(i64) -> u32) -> Vec<Starvation> {
    let mut found = Vec::new();
    let mut open: Option<(EventId, i64, i32)> = None;
    for (event, time, length) in lengths {
        match open {
            Some((_, _, longest)) if *length > 0 => {
                open = open.map(|(event, start, _)| (event, start, longest.max(*length)))
            }
            Some((first, start, longest)) => {
                let workers = workers_at(start);
                let is_long = time.saturating_sub(start) >= LONG_QUEUE;
                // A busy pool normally has as many queued work items as workers.
                if is_long && i64::from(longest) > i64::from(workers) {
                    found.push(Starvation {
                        span: Span::new(start, *time),
                        from: workers,
                        to: workers_at(*time),
                        added: 0,
                        reason: 0,
                        longest_queue: Some(longest),
                        event: first,
                    });
                }
                open = None;
            }
            None if *length > 0 => open = Some((*event, *time, *length)),
            None => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn adjusted((at, &(millis, workers, is_for_stuck_workers)): (u32, &(i64, u32, bool))) -> Adjustment {
        let reason = if is_for_stuck_workers { 6 } else { 3 };
        let time = millis * 1_000_000;
        Adjustment { event: EventId(at), time, workers, reason, is_for_stuck_workers, throughput: 0.0 }
    }

    fn of(adjustments: &[(i64, u32, bool)]) -> Vec<(i64, i64, u32, u32, u64)> {
        let found = by_adjustments(&(0..).zip(adjustments).map(adjusted).collect::<Vec<_>>());
        let numbers =
            |one: &Starvation| (one.span.start.0 / 1_000_000, one.span.end.0 / 1_000_000, one.from, one.to, one.added);
        found.iter().map(numbers).collect()
    }

    #[test]
    fn pool_adding_workers_repeatedly_is_starved() {
        let growing =
            [(0, 4, false), (100, 5, true), (600, 6, true), (1100, 7, true), (1600, 8, true), (9000, 4, false)];
        assert_eq!(of(&growing), [(100, 1600, 4, 8, 4)]);
    }

    #[test]
    fn occasional_worker_is_not_starvation() {
        assert_eq!(of(&[(0, 2, false), (100, 3, true), (101, 2, true)]), []);
        assert_eq!(of(&[(0, 2, false), (100, 3, true), (5000, 4, true), (10_000, 5, true)]), []);
        let to_and_fro =
            [(0, 2, false), (100, 3, true), (200, 2, true), (300, 3, true), (400, 2, true), (500, 4, true)];
        assert_eq!(of(&to_and_fro), []);
        assert_eq!(of(&[(0, 2, false), (100, 9, false), (200, 30, false)]), [], "it climbs since that helps");
    }

    #[test]
    fn permanent_queue_is_starvation() {
        let at = |(event, millis, length): (u32, i64, i32)| (EventId(event), millis * 1_000_000, length);
        let lengths = [(0, 0, 1), (1, 5, 0), (2, 10, 3), (3, 200, 9), (4, 700, 0), (5, 800, 2), (6, 2000, 0)].map(at);
        let found = by_queue(&lengths, |_| 4);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].longest_queue, found[0].event, found[0].span.duration()),
            (Some(9), EventId(2), 690_000_000)
        );
        assert!(by_queue(&lengths, |_| 9).is_empty(), "as many workers as work");
    }
}
