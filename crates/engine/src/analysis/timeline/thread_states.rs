//! What a thread was in: what its samples show, corrected by what events tell exactly.
//!
//! A sample stands for the time that it weighs (docs/decisions/sample-weights.md). Two things are known better than samples can tell:
//! while a collection holds managed threads, none runs managed code (docs/format/runtime-events.md#gc), and a context switch says when a
//! thread was off its processor (docs/format/symbols.md#machine-wide-traces).

use crate::analysis::intervals::gc_pauses::Gc;
use crate::analysis::samples::durations::CAP_PERIODS;
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::samples::runs::StateRun;
use crate::analysis::samples::thread_samples::{Sampling, ThreadSamples};
use crate::analysis::scan::payload_batches::Step;
use crate::analysis::scan::payload_scan::PayloadScan;
use crate::analysis::scan::rows::TypeSet;
use crate::clr::KnownEvent;
use crate::clr::known::payload::MachineSample;
use crate::model::Store;
use nettrace::{ByteSource, SourceError};
use protocol::base::hash::FastMap;
use protocol::base::ids::{ProcessId, ThreadId};
use protocol::base::sort::sort_by_key;
use protocol::tables::state;

/// A time in which a thread cannot have run managed code, nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Still {
    start: i64,
    end: i64,
    /// One of [`state`] that a thread is in meanwhile.
    state: u8,
}

/// What events tell of the states of all threads.
#[derive(Clone, Debug, Default)]
pub struct ThreadStates {
    /// Pauses of collections by process, by start, none overlapping another; with the thread that collects.
    pauses: FastMap<ProcessId, Vec<(Still, ThreadId)>>,
    /// Times off a processor by thread, by start, none overlapping another.
    off_processor: FastMap<ThreadId, Vec<Still>>,
}

/// Reads what events tell of the states of threads, step by step.
#[derive(Debug)]
pub struct StateSearch {
    walk: PayloadScan,
    /// Switches by thread: when, and for how long, nanoseconds.
    found: FastMap<ThreadId, Vec<(i64, i64)>>,
}

impl StateSearch {
    /// Nothing read yet.
    pub fn new(store: &Store) -> Self {
        let switches = TypeSet::of_known(store, &[KnownEvent::ContextSwitch]);
        Self { walk: PayloadScan::new(store, switches, |_| true), found: FastMap::default() }
    }

    /// Reads on. What a source has to fetch first is waited for, if `may_wait`.
    ///
    /// # Errors
    /// If a payload cannot be read from the file.
    pub fn step(&mut self, store: &Store, source: &dyn ByteSource, may_wait: bool) -> Result<Step, SourceError> {
        let found = &mut self.found;
        self.walk.step(store, source, may_wait, |chunk, row, payload| {
            let time = store.clock().nanos(chunk.ticks(row)).0;
            let nanos = MachineSample::read(payload).map_or(0, |switch| i64::try_from(switch.value).unwrap_or(0));
            found.entry(chunk.thread(row)).or_default().push((time, nanos));
        })
    }

    /// What was found.
    pub fn finish(self, store: &Store, samples: &SampleIndex, gcs: &[Gc]) -> ThreadStates {
        let lies_after = lies_after(&self.found, samples);
        let off_processor = self.found.into_iter().map(|(thread, switches)| {
            let still = |(time, nanos): (i64, i64)| {
                let (start, end) =
                    if lies_after { (time, time.saturating_add(nanos)) } else { (time.saturating_sub(nanos), time) };
                Still { start, end, state: state::OFF_PROCESSOR }
            };
            (thread, apart(switches.into_iter().map(still).collect()))
        });
        ThreadStates { pauses: pauses(store, gcs), off_processor: off_processor.collect() }
    }
}

/// Whether the time off the processor lies after the time of the event, as the writer means it, or before it, as the
/// reference reads it: samples of the processor cannot lie inside.
fn lies_after(switches: &FastMap<ThreadId, Vec<(i64, i64)>>, samples: &SampleIndex) -> bool {
    let inside = |before: bool| -> usize {
        let of = |(thread, switches): (&ThreadId, &Vec<(i64, i64)>)| -> usize {
            let samples = samples.thread(*thread);
            let count = |&(time, nanos): &(i64, i64)| {
                let start = if before { time.saturating_sub(nanos) } else { time };
                samples.inside(protocol::base::time::Span::new(start, start.saturating_add(nanos))).len()
            };
            switches.iter().map(count).sum()
        };
        switches.iter().map(of).sum()
    };
    inside(false) <= inside(true)
}

fn pauses(store: &Store, gcs: &[Gc]) -> FastMap<ProcessId, Vec<(Still, ThreadId)>> {
    let mut by_process: FastMap<ProcessId, Vec<(Still, ThreadId)>> = FastMap::default();
    for gc in gcs {
        let thread = ThreadId(gc.thread);
        let Some(process) = store.threads().get(thread).map(|thread| thread.process) else { continue };
        let pause = |start, end| (Still { start, end, state: state::SUSPENDED }, thread);
        let pauses = gc.pauses.iter().map(|one| pause(one.start, one.end));
        by_process.entry(process).or_default().extend(pauses);
    }
    for pauses in by_process.values_mut() {
        sort_by_key(pauses, |(pause, _)| (pause.start, pause.end));
        keep_apart(pauses, |(pause, _)| pause);
    }
    by_process
}

fn apart(mut times: Vec<Still>) -> Vec<Still> {
    sort_by_key(&mut times, |time| (time.start, time.end));
    keep_apart(&mut times, |time| time);
    times
}

/// Shortens what begins before something earlier ends; what has no length goes.
fn keep_apart<T>(times: &mut Vec<T>, of: impl Fn(&mut T) -> &mut Still) {
    let mut known_until = i64::MIN;
    times.retain_mut(|time| {
        let time = of(time);
        time.start = time.start.max(known_until);
        known_until = known_until.max(time.end);
        time.end > time.start
    });
}

impl ThreadStates {
    /// The states of a thread in time order, none overlapping another.
    pub fn states(&self, store: &Store, thread: ThreadId, samples: &ThreadSamples) -> Vec<StateRun> {
        let off = self.off_processor.get(&thread).map_or(&[][..], Vec::as_slice);
        let sampled = sampled_states(samples);
        if samples.kind() == Sampling::Processor || !off.is_empty() {
            let longest = samples.period().saturating_mul(CAP_PERIODS);
            return on_and_off(&sampled, off, if longest > 0 { longest } else { i64::MAX });
        }
        let process = store.threads().get(thread).map(|thread| thread.process).unwrap_or_default();
        match self.pauses.get(&process) {
            Some(pauses) => with_pauses(&sampled, pauses, thread),
            None => sampled,
        }
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let pauses: usize = self.pauses.values().map(|pauses| pauses.len() * size_of::<(Still, ThreadId)>()).sum();
        pauses + self.off_processor.values().map(|times| times.len() * size_of::<Still>()).sum::<usize>()
    }
}

/// Puts runs of one state together.
#[derive(Default)]
struct Runs(Vec<StateRun>);

impl Runs {
    fn push(&mut self, start: i64, end: i64, state: u8) {
        match self.0.last_mut() {
            Some(last) if last.end == start && last.state == state => last.end = end,
            _ if start < end => self.0.push(StateRun { start, end, state }),
            _ => {}
        }
    }
}

/// What the samples show; where they leave a gap, nothing is known.
pub(crate) fn sampled_states(samples: &ThreadSamples) -> Vec<StateRun> {
    let mut runs = Runs::default();
    let outside = if samples.kind() == Sampling::Processor { state::NATIVE } else { state::EXTERNAL };
    for index in 0..samples.len() {
        let start = samples.time(index);
        let kind = if samples.is_managed(index) { state::MANAGED } else { outside };
        if let Some(last_end) = runs.0.last().map(|last| last.end) {
            runs.push(last_end, start, state::NOT_SAMPLED);
        }
        runs.push(start, start.saturating_add(samples.weight(index)), kind);
        // The last sample weighs nothing: it is a state of its own only if it is alone.
        if runs.0.is_empty() {
            runs.0.push(StateRun { start, end: start, state: kind });
        }
    }
    runs.0
}

/// Lays pauses over a thread that was last seen in managed code: it stands still, or collects.
fn with_pauses(sampled: &[StateRun], pauses: &[(Still, ThreadId)], thread: ThreadId) -> Vec<StateRun> {
    let mut runs = Runs::default();
    let mut was_managed = false;
    let mut next = 0;
    for run in sampled {
        if run.state != state::NOT_SAMPLED {
            was_managed = run.state == state::MANAGED;
        }
        next += pauses[next..].partition_point(|(pause, _)| pause.end <= run.start);
        let mut from = run.start;
        for (pause, collector) in pauses[next..].iter().take_while(|(pause, _)| was_managed && pause.start < run.end) {
            let (start, end) = (pause.start.max(from), pause.end.min(run.end));
            let meanwhile = if *collector == thread { state::COLLECTING } else { pause.state };
            runs.push(from, start, run.state);
            runs.push(start, end, meanwhile);
            from = end;
        }
        if run.start == run.end {
            runs.0.push(*run);
        }
        runs.push(from, run.end, run.state);
    }
    runs.0
}

/// Lays the times off a processor over what the samples show; between two of them the thread ran, sampled or not. What
/// would have run for longer than `longest` without a sample did not: a switch is missing, and nothing is known.
fn on_and_off(sampled: &[StateRun], off: &[Still], longest: i64) -> Vec<StateRun> {
    let (Some(first), Some(last)) = (off.first(), off.last()) else { return sampled.to_vec() };
    let mut runs = Runs::default();
    let on = |runs: &mut Runs, from: i64, to: i64, next: &mut usize| {
        let mut from = from;
        while let Some(run) = sampled.get(*next).filter(|run| run.start < to) {
            runs.push(from, run.start.max(from), state::RUNNING);
            let known = if run.state == state::NOT_SAMPLED { state::RUNNING } else { run.state };
            runs.push(run.start.max(from), run.end.min(to), known);
            from = run.end.clamp(from, to);
            if run.end > to {
                break;
            }
            *next += 1;
        }
        runs.push(from, to, state::RUNNING);
    };
    let mut next = sampled.partition_point(|run| run.end <= first.start);
    for run in sampled.get(..next).unwrap_or(&[]) {
        runs.push(run.start, run.end, run.state);
    }
    if let Some(run) = sampled.get(next).filter(|run| run.start < first.start) {
        runs.push(run.start, first.start, run.state);
    }
    let mut from = first.start;
    for time in off {
        on(&mut runs, from, time.start, &mut next);
        runs.push(time.start, time.end, time.state);
        from = time.end;
    }
    for run in sampled.get(next..).unwrap_or(&[]) {
        runs.push(run.start.max(last.end), run.end, run.state);
    }
    for run in runs.0.iter_mut().filter(|run| run.state == state::RUNNING && run.end - run.start > longest) {
        run.state = state::NOT_SAMPLED;
    }
    runs.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::samples::thread_samples::tests::samples_of;
    use proptest::prelude::*;

    fn told(runs: &[StateRun]) -> Vec<(i64, i64, u8)> {
        runs.iter().map(|run| (run.start, run.end, run.state)).collect()
    }

    fn run(start: i64, end: i64, state: u8) -> StateRun {
        StateRun { start, end, state }
    }

    fn still(start: i64, end: i64) -> Still {
        Still { start, end, state: state::OFF_PROCESSOR }
    }

    #[test]
    fn a_gap_between_samples_is_not_known_and_one_sample_alone_is_a_mark() {
        let samples = samples_of(&[(0, 1, true), (10, 1, true), (20, 1, false), (200, 1, true), (210, 1, true)]);
        assert_eq!(
            told(&sampled_states(&samples)),
            [
                (0, 20, state::MANAGED),
                (20, 70, state::EXTERNAL),
                (70, 200, state::NOT_SAMPLED),
                (200, 210, state::MANAGED)
            ]
        );
        assert_eq!(told(&sampled_states(&samples_of(&[(7, 1, false)]))), [(7, 7, state::EXTERNAL)]);
    }

    #[test]
    fn a_pause_stops_managed_code_and_nothing_else() {
        let sampled = [
            run(0, 100, state::MANAGED),
            run(100, 200, state::NOT_SAMPLED),
            run(200, 300, state::EXTERNAL),
            run(300, 400, state::MANAGED),
        ];
        let pause = |start, end, thread| (Still { state: state::SUSPENDED, ..still(start, end) }, ThreadId(thread));
        let pauses = [pause(90, 150, 2), pause(250, 310, 2), pause(320, 330, 1), pause(390, 500, 2)];
        assert_eq!(
            told(&with_pauses(&sampled, &pauses, ThreadId(1))),
            [
                (0, 90, state::MANAGED),
                (90, 150, state::SUSPENDED),
                (150, 200, state::NOT_SAMPLED),
                (200, 300, state::EXTERNAL),
                (300, 310, state::SUSPENDED),
                (310, 320, state::MANAGED),
                (320, 330, state::COLLECTING),
                (330, 390, state::MANAGED),
                (390, 400, state::SUSPENDED),
            ]
        );
    }

    #[test]
    fn between_two_switches_a_thread_runs_whether_it_is_sampled_or_not() {
        let sampled = [run(0, 30, state::MANAGED), run(30, 60, state::NOT_SAMPLED), run(60, 90, state::NATIVE)];
        assert_eq!(
            told(&on_and_off(&sampled, &[still(20, 25), still(50, 70), still(95, 99)], i64::MAX)),
            [
                (0, 20, state::MANAGED),
                (20, 25, state::OFF_PROCESSOR),
                (25, 30, state::MANAGED),
                (30, 50, state::RUNNING),
                (50, 70, state::OFF_PROCESSOR),
                (70, 90, state::NATIVE),
                (90, 95, state::RUNNING),
                (95, 99, state::OFF_PROCESSOR),
            ]
        );
        assert_eq!(
            told(&on_and_off(&[], &[still(5, 8), still(10, 11), still(31, 32), still(53, 54)], 20)),
            [
                (5, 8, state::OFF_PROCESSOR),
                (8, 10, state::RUNNING),
                (10, 11, state::OFF_PROCESSOR),
                (11, 31, state::RUNNING),
                (31, 32, state::OFF_PROCESSOR),
                (32, 53, state::NOT_SAMPLED),
                (53, 54, state::OFF_PROCESSOR),
            ]
        );
    }

    /// Times `(distance from the last, length)` one after the other.
    fn times(steps: &[(i64, i64)]) -> Vec<Still> {
        let mut end = 0;
        let mut time = |&(distance, length): &(i64, i64)| {
            let start = end + distance;
            end = start + length;
            still(start, end)
        };
        steps.iter().map(&mut time).collect()
    }

    proptest! {
        #[test]
        fn states_follow_each_other_without_a_gap(
            sampled in proptest::collection::vec((0i64..1, 1i64..40), 1..20),
            off in proptest::collection::vec((0i64..30, 1i64..30), 1..20),
        ) {
            let kinds = [state::MANAGED, state::NOT_SAMPLED, state::NATIVE];
            let sampled: Vec<StateRun> = times(&sampled).iter().enumerate()
                .map(|(index, time)| run(time.start, time.end, kinds[index % 3])).collect();
            let off = times(&off);
            let states = on_and_off(&sampled, &off, i64::MAX);
            prop_assert!(states.iter().all(|run| run.start < run.end));
            prop_assert!(states.windows(2).all(|pair| pair[0].end == pair[1].start || pair[0].end < off[0].start || pair[0].end >= off[off.len() - 1].end));
            let of = |wanted: u8| states.iter().filter(|run| run.state == wanted).map(|run| run.end - run.start).sum::<i64>();
            prop_assert_eq!(of(state::OFF_PROCESSOR), off.iter().map(|time| time.end - time.start).sum::<i64>());
        }
    }
}
