//! When which thread worked on an activity.

use crate::analysis::values::activity_path::path_of;
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::{ActivityId, ThreadId};
use protocol::base::time::Span;

/// Maximum number of rows examined.
const MAX_ROWS: usize = 2_000_000;

/// Time in which a thread worked on an activity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    pub thread: ThreadId,
    /// Nanoseconds.
    pub start: i64,
    /// Nanoseconds.
    pub end: i64,
}

/// Returns when which thread worked on an activity and those within it, in order and without overlaps: from the
/// activity's first event on a thread until its next one on another thread, or an event of other work on this one.
/// `None` without an activity, or if the time has too many events.
pub fn segments(store: &Store, activity: ActivityId, span: Span) -> Option<Vec<Segment>> {
    let (events, clock) = (&store.events, store.clock);
    // The event at the end belongs to it.
    let rows = events.range(clock, Span::new(span.start.0, span.end.0.saturating_add(1)));
    if activity.0 == 0 || rows.len() > MAX_ROWS {
        return None;
    }
    let path = path_of(store, activity);
    let mut own: FastMap<ActivityId, bool> = FastMap::default();
    let mut is_own = |of: ActivityId| {
        let is_within = || !path.is_empty() && path_of(store, of).starts_with(&path);
        *own.entry(of).or_insert_with(|| of == activity || is_within())
    };
    let mut segments: Vec<Segment> = Vec::new();
    let mut current: Option<(ThreadId, i64)> = None;
    let mut close = |(thread, start): (ThreadId, i64), end: i64| {
        if start < end {
            segments.push(Segment { thread, start, end });
        }
    };
    for (chunk, rows) in events.chunks_in(rows) {
        for row in rows {
            let of = chunk.activity(row);
            if of.0 == 0 {
                continue;
            }
            let thread = chunk.thread(row);
            let is_on = current.is_some_and(|(on, _)| on == thread);
            let is_own = is_own(of);
            if is_own == is_on || !is_own && !is_on {
                continue;
            }
            let time = clock.nanos(chunk.ticks(row)).0.clamp(span.start.0, span.end.0);
            if let Some(before) = current.take() {
                close(before, time);
            }
            current = is_own.then_some((thread, time));
        }
    }
    if let Some(last) = current {
        close(last, span.end.0);
    }
    Some(segments)
}
