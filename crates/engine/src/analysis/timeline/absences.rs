//! Times in which the sampler saw no managed frame of a thread.
//!
//! Before .NET 6, idle workers of the thread pool have no managed frames, and the finalizer thread never has any while
//! it waits. Such a thread is idle then. Events show more exactly when it began and ceased to wait: wait events of
//! workers, and the runs of the finalizer thread.

use crate::analysis::intervals::interval_set::IntervalSet;
use crate::analysis::samples::index::{SampleIndex, is_sample};
use crate::analysis::samples::thread_samples::ThreadSamples;
use crate::analysis::samples::thread_time::RecordedTime;
use crate::analysis::scan::rows::TypeSet;
use crate::clr::KnownEvent;
use crate::model::{Store, ThreadRole};
use protocol::base::hash::FastMap;
use protocol::base::ids::{StackId, ThreadId};
use protocol::base::time::Span;
use protocol::tables::state;

/// Recorded work of a thread that waits for work most of the time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Times in which it had no work, in order.
    idle: Vec<Span>,
    /// Times in which it worked, in order; empty if only [`Self::idle`] is known.
    busy: Vec<RecordedTime>,
}

/// Returns the recorded work of threads that the sampler doesn't always see.
pub fn recorded_work(store: &Store, samples: &SampleIndex, finalizers: &IntervalSet) -> FastMap<ThreadId, Work> {
    let mut work = pool_work(store, samples);
    for run in finalizers.intervals().iter().filter(|run| run.is_whole()) {
        let of_thread = work.entry(run.thread).or_default();
        let stack = store.events.row(run.event).stack;
        let last_end = of_thread.busy.last().map_or(i64::MIN, |last| last.end);
        let start = run.start.max(last_end);
        of_thread.idle.extend((last_end < start).then(|| Span::new(last_end, start)));
        if start < run.end {
            of_thread.busy.push(RecordedTime { start, end: run.end, state: state::MANAGED, stack, event: run.event });
        }
    }
    for of_thread in work.values_mut() {
        let last_end = of_thread.busy.last().map(|last| last.end);
        of_thread.idle.extend(last_end.map(|end| Span::new(end, i64::MAX)));
    }
    work
}

/// Returns the times in which workers of the thread pool waited for work: from a wait event to the thread's next other
/// event.
fn pool_work(store: &Store, samples: &SampleIndex) -> FastMap<ThreadId, Work> {
    let mut work: FastMap<ThreadId, Work> = FastMap::default();
    let waits = TypeSet::of_known(store, &[KnownEvent::ThreadPoolWorkerWait]);
    let is_absent = |id| !samples.thread(id).absences.is_empty();
    let workers = store.threads.iter().map(|one| one.role == ThreadRole::PoolWorker && is_absent(one.id));
    let workers: Vec<bool> = workers.collect();
    if waits.is_empty() || !workers.contains(&true) {
        return work;
    }
    let (clock, sampled) = (store.clock, TypeSet::new(store, is_sample));
    let (mut since, mut found): (FastMap<ThreadId, i64>, _) = (FastMap::default(), Vec::new());
    for (chunk, inside) in store.events.chunks_in(0..store.events.len()) {
        found.clear();
        chunk.threads.rows_where(inside, &workers, &mut found);
        for &row in &found {
            let row = row as usize;
            let (kind, thread) = (chunk.event_type(row).0, chunk.thread(row));
            if waits.contains(kind) {
                since.entry(thread).or_insert(clock.nanos(chunk.ticks(row)).0);
            } else if !sampled.contains(kind)
                && let Some(start) = since.remove(&thread)
            {
                let time = Span::new(start, clock.nanos(chunk.ticks(row)).0);
                work.entry(thread).or_default().idle.push(time);
            }
        }
    }
    for (thread, start) in since {
        work.entry(thread).or_default().idle.push(Span::new(start, i64::MAX));
    }
    work
}

/// Returns the times of a thread without managed frames, and until they began: idle, except where events show that it
/// worked. `state_of` returns the state at a sample.
pub fn absent_times(
    samples: &ThreadSamples,
    work: Option<&Work>,
    mut state_of: impl FnMut(usize) -> u8,
) -> Vec<RecordedTime> {
    let none = Work::default();
    let work = work.unwrap_or(&none);
    let mut times: Vec<RecordedTime> = Vec::new();
    for absence in &samples.absences {
        let (after, next) = (absence.after as usize, absence.after as usize + 1);
        let (start, end) = (absence.time.start.0, absence.time.end.0);
        // It waits since the event that says so, even if the next round was late.
        let first = work.idle.partition_point(|idle| idle.start.0 < samples.time(after));
        let waits = work.idle.get(first).map(|idle| idle.start.0).filter(|waits| *waits < start);
        let known_until = times.last().map_or(i64::MIN, |last| last.end);
        let mut from = waits.unwrap_or(start).max(known_until);
        let idle = |from: i64, to: i64| {
            let one = RecordedTime {
                start: from,
                end: to,
                state: state::IDLE,
                stack: StackId(0),
                event: samples.event(after),
            };
            (from < to).then_some(one)
        };
        let first = work.busy.partition_point(|busy| busy.end <= start);
        let busy = work.busy.get(first..).unwrap_or_default().iter().take_while(|busy| busy.start < end);
        for busy in busy.filter_map(|busy| busy.within(absence.time)) {
            times.extend(idle(from, busy.start));
            times.push(busy);
            from = busy.end;
        }
        // What the next sample shows began with the thread's first event.
        let last = work.idle.partition_point(|idle| idle.end.0 < end).checked_sub(1);
        let resumed = last.and_then(|last| work.idle.get(last)).map(|idle| idle.end.0);
        let resumed = resumed.filter(|resumed| *resumed > absence.last_round.max(from) && work.busy.is_empty());
        let resumed = resumed.filter(|_| next < samples.len() && samples.time(next) == end);
        times.extend(idle(from, resumed.unwrap_or(end)));
        times.extend(resumed.map(|start| {
            let (stack, event) = (samples.stack(next), samples.event(next));
            RecordedTime { start, end, state: state_of(next), stack, event }
        }));
    }
    times
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{Happening, RUNTIME, What, runtime, store_of};
    use crate::analysis::timeline::thread_states::{thread_states, thread_time};
    use crate::analysis::topics::role_times::times_of;
    use nettrace::testing::PayloadWriter;
    use protocol::tables::state;

    const THREAD: u64 = 7;

    /// Returns rounds every 10 ns until 400 in which the main thread is sampled, the thread only in some, and these
    /// events of the thread.
    fn with_absences(seen: &[i64], events: &[(i64, What)]) -> Vec<Happening> {
        let mut happenings: Vec<Happening> = Vec::new();
        for round in 0..=40 {
            happenings.push((round * 10, 5, What::Sample(true, vec![1])));
            if seen.contains(&(round * 10)) {
                happenings.push((round * 10 + 1, THREAD, What::Sample(true, vec![2])));
            }
        }
        happenings.extend(events.iter().map(|(time, what)| (*time, THREAD, what.clone())));
        happenings.sort_by_key(|(time, _, _)| *time);
        happenings
    }

    fn states(happenings: &[Happening]) -> Vec<(i64, i64, u8)> {
        let (store, bytes) = store_of(happenings);
        let states = thread_states(&store, &bytes, &SampleIndex::build(&store).expect("memory"));
        let thread = store.threads.iter().find(|thread| thread.os_thread == THREAD).expect("a thread").id;
        let time = thread_time(&store, &bytes);
        let known = times_of(states.of(thread), Span::new(0, 1_000)).iter().sum::<i64>();
        let known = known - times_of(states.of(thread), Span::new(0, 1_000))[usize::from(state::NOT_SAMPLED)];
        let stacks = time.stacks.thread(thread);
        let total: i64 = (0..stacks.len()).map(|index| stacks.total(index)).sum();
        assert_eq!(total, known, "stacks have the same total");
        states.of(thread).iter().map(|run| (run.start, run.end, run.state)).collect()
    }

    fn worker_waits() -> What {
        runtime(57, 0, PayloadWriter::new().u32(1).u32(0).u16(0))
    }

    #[test]
    fn pool_worker_is_idle_without_managed_frame() {
        let (idle, ran) = (state::IDLE, state::MANAGED);
        let seen = [10, 20, 200, 210, 390, 400];
        let worker = [(0, What::WorkerStart(1))];
        assert_eq!(
            states(&with_absences(&seen, &worker)),
            [(11, 30, ran), (30, 201, idle), (201, 220, ran), (220, 391, idle), (391, 401, ran)]
        );
        let events = [
            (0, What::WorkerStart(1)),
            (25, worker_waits()),
            (60, worker_waits()),
            (198, What::Order("first", 1)),
            (215, What::Order("last", 1)),
            (350, What::Order("unseen", 1)),
        ];
        assert_eq!(
            states(&with_absences(&seen, &events)),
            [(11, 25, ran), (25, 198, idle), (198, 220, ran), (220, 391, idle), (391, 401, ran)],
            "from the first wait to the first event that a sample confirms"
        );
    }

    #[test]
    fn other_thread_without_managed_frame_is_unknown() {
        let ran = state::MANAGED;
        assert_eq!(
            states(&with_absences(&[10, 20, 200, 210], &[])),
            [(11, 30, ran), (30, 201, state::NOT_SAMPLED), (201, 211, ran)]
        );
    }

    #[test]
    fn finalizer_thread_works_during_recorded_runs() {
        let begin = || What::Any(RUNTIME, 14, 1, PayloadWriter::new().u16(0).finish(), Vec::new());
        let end = || What::Any(RUNTIME, 13, 1, PayloadWriter::new().u32(3).u16(0).finish(), Vec::new());
        let events = [(9, begin()), (14, end()), (100, begin()), (105, end()), (395, begin()), (405, end())];
        let (idle, ran) = (state::IDLE, state::MANAGED);
        assert_eq!(
            states(&with_absences(&[10, 400], &events)),
            [(11, 14, ran), (14, 100, idle), (100, 105, ran), (105, 395, idle), (395, 401, ran)]
        );
    }
}
