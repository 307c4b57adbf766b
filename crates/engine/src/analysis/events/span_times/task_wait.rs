//! Waits for tasks without stop events, which the task library writes only at level Verbose.

use crate::analysis::intervals::interval_set::Interval;
use crate::analysis::samples::runs::StateRun;
use crate::clr::KnownEvent;
use crate::model::Store;
use protocol::base::time::Span;
use protocol::tables::{interval_flag, state};

/// Maximum time in nanoseconds from the start event until a sample shows that the thread is blocked.
const UNTIL_SEEN: i64 = 50_000_000;

/// Returns whether a span is a wait for a task.
pub fn is_task_wait(store: &Store, interval: &Interval) -> bool {
    let event_type = store.types.get(store.events.row(interval.event).event_type);
    event_type.is_some_and(|event_type| event_type.known == KnownEvent::TaskWaitBegin)
}

/// Returns the time of a wait for a task: until its stop event, or else while its thread's samples show that it is
/// blocked. `None` if they don't.
pub fn time_of(wait: &Interval, runs: &[StateRun]) -> Option<Span> {
    if wait.is_whole() {
        return Some(Span::new(wait.start, wait.end));
    }
    if wait.flags & interval_flag::OPEN_START != 0 {
        return None;
    }
    let seen_at_latest = wait.start.saturating_add(UNTIL_SEEN);
    let first = runs.partition_point(|run| run.end <= wait.start);
    let mut after = runs.get(first..)?.iter().skip_while(|run| is_before_wait(run.state)).peekable();
    after.peek().filter(|run| run.start <= seen_at_latest)?;
    let blocked = after.take_while(|run| run.state == state::BLOCKED);
    blocked.last().map(|last| Span::new(wait.start, last.end))
}

/// Returns whether a thread in a state may be about to block.
fn is_before_wait(state: u8) -> bool {
    matches!(state, state::MANAGED | state::NATIVE | state::JIT | state::GC | state::NOT_SAMPLED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::timeline::thread_state::ThreadState;

    #[test]
    fn wait_without_stop_event_lasts_while_thread_is_blocked() {
        const MS: i64 = 1_000_000;
        let run = |start, end, state: ThreadState| StateRun { start: start * MS, end: end * MS, state: state as u8 };
        let runs = [
            run(0, 100, ThreadState::Idle),
            run(100, 112, ThreadState::Managed),
            run(112, 900, ThreadState::Blocked),
            run(900, 950, ThreadState::Managed),
            run(1100, 1200, ThreadState::Blocked),
        ];
        let end_of = |start: i64, flags| {
            let wait = Interval { start: start * MS, end: 5000 * MS, flags, ..Interval::default() };
            time_of(&wait, &runs).map(|span| span.end.0 / MS)
        };
        assert_eq!(end_of(110, 0), Some(5000), "its stop event");
        assert_eq!(end_of(110, interval_flag::OPEN_END), Some(900), "blocked at the next sample");
        assert_eq!(end_of(120, interval_flag::OPEN_END), Some(900), "blocked already");
        assert_eq!(end_of(20, interval_flag::OPEN_END), None, "idle first");
        assert_eq!(end_of(905, interval_flag::OPEN_END), None, "blocked too late");
        assert_eq!(end_of(1300, interval_flag::OPEN_END), None, "not sampled");
        assert_eq!(end_of(110, interval_flag::OPEN_START), None);
    }
}
