//! States of threads over time: from samples, corrected by exact events.
//!
//! A sample represents the time of its weight (docs/decisions/sample-weights.md); its stack determines the state
//! ([`StackStates`]). Events record some things more exactly: lock contention and WaitHandle waits, compilations, GC
//! pauses (docs/format/runtime-events.md#gc), when workers and finalizers have work, and context switches
//! (docs/format/symbols.md#machine-wide-traces).
//!
//! Timeline, summary, stacks and the command line all use these states.

use super::absences::{absent_times, recorded_work};
use crate::analysis::intervals::gc_pauses::Gc;
use crate::analysis::intervals::tracks::TrackIndex;
use crate::analysis::intervals::waits::ThreadWaits;
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::samples::runs::StateRun;
use crate::analysis::samples::stack_states::{StackStates, serves};
use crate::analysis::samples::thread_samples::{Sampling, ThreadSamples};
use crate::analysis::samples::thread_time::RecordedTime;
use crate::analysis::scan::payload_batches::Step;
use crate::analysis::scan::payload_scan::PayloadScan;
use crate::analysis::scan::rows::TypeSet;
use crate::clr::KnownEvent;
use crate::clr::known::payload::MachineSample;
use crate::model::{Store, ThreadRole};
use nettrace::{ByteSource, SourceError};
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, ProcessId, StackId, ThreadId};
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::tables::state;
use protocol::timeline::track::TrackKind;

/// A time whose state is recorded by events.
type Time = StateRun;

/// States of all threads that are sampled, or have recorded context switches.
#[derive(Clone, Debug, Default)]
pub struct ThreadStates {
    threads: FastMap<ThreadId, OfThread>,
    /// True if context switches record off-CPU time.
    pub has_switches: bool,
}

/// States of one thread.
#[derive(Clone, Debug, Default)]
pub struct OfThread {
    /// In time order, without overlaps.
    pub states: Vec<StateRun>,
    /// Times among them that no sample represents, in time order.
    pub recorded: Vec<RecordedTime>,
    /// True if its time on CPUs is known, from CPU samples or context switches.
    pub is_on_cpu: bool,
}

/// A context switch.
#[derive(Clone, Copy, Debug)]
struct Switch {
    /// Nanoseconds.
    time: i64,
    /// Nanoseconds off all CPUs.
    nanos: i64,
    stack: StackId,
    event: EventId,
}

/// Reads the events about states of threads, step by step.
#[derive(Debug)]
pub struct StateSearch {
    walk: PayloadScan,
    switches: FastMap<ThreadId, Vec<Switch>>,
}

impl StateSearch {
    /// Returns a search that has read nothing.
    pub fn new(store: &Store) -> Self {
        let switches = TypeSet::of_known(store, &[KnownEvent::ContextSwitch]);
        Self { walk: PayloadScan::new(store, switches, |_| true), switches: FastMap::default() }
    }

    /// Continues to read. Waits for bytes that a source has to fetch if `may_wait`.
    ///
    /// # Errors
    /// If a payload can't be read from the file.
    pub fn step(&mut self, store: &Store, source: &dyn ByteSource, may_wait: bool) -> Result<Step, SourceError> {
        let found = &mut self.switches;
        self.walk.step(store, source, may_wait, |chunk, row, payload| {
            let time = store.clock.nanos(chunk.ticks(row)).0;
            let nanos = MachineSample::read(payload).map_or(0, |switch| i64::try_from(switch.value).unwrap_or(0));
            found.entry(chunk.thread(row)).or_default().push(Switch {
                time,
                nanos,
                stack: chunk.stack(row),
                event: chunk.event_id(row),
            });
        })
    }

    /// Computes the states of all threads.
    ///
    /// # Errors
    /// If a payload can't be read from the file.
    pub fn finish(
        self,
        store: &Store,
        source: &dyn ByteSource,
        samples: &SampleIndex,
        gcs: &[Gc],
        tracks: &mut TrackIndex,
    ) -> Result<ThreadStates, SourceError> {
        let mut compiling: FastMap<ThreadId, Vec<RecordedTime>> = FastMap::default();
        for interval in
            tracks.intervals(store, source, TrackKind::Jit)?.intervals().iter().filter(|interval| interval.is_whole())
        {
            let (start, end, event) = (interval.start, interval.end, interval.event);
            let stack = store.events.row(event).stack;
            let time = RecordedTime { start, end, state: state::JIT, stack, event };
            compiling.entry(interval.thread).or_default().push(time);
        }
        let work = recorded_work(store, samples, tracks.intervals(store, source, TrackKind::Finalizers)?);
        let waits = tracks.waits(store, source)?;
        let follows_event = follows_event(&self.switches, samples);
        let pauses = pauses(store, gcs);
        let mut stacks = StackStates::new(store);
        let mut threads = FastMap::default();
        for (thread, role, process) in store.threads.iter().map(|thread| (thread.id, thread.role, thread.process)) {
            let of_thread = samples.thread(thread);
            let switches = self.switches.get(&thread).map_or(&[][..], Vec::as_slice);
            if of_thread.is_empty() && switches.is_empty() {
                continue;
            }
            let is_on_cpu = of_thread.kind == Sampling::Processor || !switches.is_empty();
            let sampled = sampled_states(of_thread, is_on_cpu, role, &mut stacks);
            let (states, recorded) = if is_on_cpu {
                let off =
                    switches.iter().map(|switch| switch.off_cpu(follows_event, stacks.of_wait(switch.stack, role)));
                let (off, longest) = (apart(off.collect()), of_thread.longest);
                let states = on_and_off(&sampled, &runs_of(&off), if longest > 0 { longest } else { i64::MAX });
                let first_sample = if of_thread.is_empty() { i64::MAX } else { of_thread.time(0) };
                let mut recorded = with_unsampled(&states, off, first_sample);
                // Off CPU, context switches show the state; without them, events of the runtime may.
                let waits = waits_of(store, waits, thread);
                let switched = reaching(states, &waits);
                let compiling = apart(compiling.remove(&thread).unwrap_or_default());
                let states =
                    laid_over(&laid_over(&switched, &runs_of(&waits), is_gap), &runs_of(&compiling), is_running);
                recorded.extend(in_gaps(&switched, &states, &waits));
                sort_by_key(&mut recorded, |one| one.start);
                (states, recorded)
            } else {
                let pauses = pauses.get(&process).map_or(&[][..], Vec::as_slice);
                let compiling = apart(compiling.remove(&thread).unwrap_or_default());
                let waits = waits_of(store, waits, thread);
                let mut absent = Vec::new();
                if role == ThreadRole::PoolWorker || serves(role) {
                    let state_at =
                        |index| stacks.of_sample(of_thread.stack(index), of_thread.is_managed(index), role) as u8;
                    absent = absent_times(of_thread, work.get(&thread), state_at);
                }
                let runs = laid_over(&sampled, &runs_of(&absent), is_absent);
                let runs = laid_over(&runs, &runs_of(&waits), is_not_idle_or_lock);
                let runs = laid_over(&runs, &runs_of(&compiling), is_running_or_idle);
                let states = laid_over(&runs, pauses, is_running);
                let recorded = in_gaps(&sampled, &states, &with_others(with_others(absent, &compiling), &waits));
                (states, recorded)
            };
            threads.insert(thread, OfThread { states, recorded, is_on_cpu });
        }
        Ok(ThreadStates { threads, has_switches: !self.switches.is_empty() })
    }
}

impl Switch {
    fn off_cpu(&self, follows_event: bool, state: protocol::timeline::thread_state::ThreadState) -> RecordedTime {
        let (start, end) = match follows_event {
            true => (self.time, self.time.saturating_add(self.nanos)),
            false => (self.time.saturating_sub(self.nanos), self.time),
        };
        RecordedTime { start, end, state: state as u8, stack: self.stack, event: self.event }
    }
}

/// Returns whether the off-CPU time follows its event, as the writer intends, or precedes it, as the reference reads
/// it. CPU samples can't lie within off-CPU time.
fn follows_event(switches: &FastMap<ThreadId, Vec<Switch>>, samples: &SampleIndex) -> bool {
    let inside = |before: bool| -> usize {
        let of = |(thread, switches): (&ThreadId, &Vec<Switch>)| -> usize {
            let samples = samples.thread(*thread);
            let count = |&Switch { time, nanos, .. }: &Switch| {
                let start = if before { time.saturating_sub(nanos) } else { time };
                samples.inside(Span::new(start, start.saturating_add(nanos))).len()
            };
            switches.iter().map(count).sum()
        };
        switches.iter().map(of).sum()
    };
    inside(false) <= inside(true)
}

/// Returns GC pauses by process, by start, without overlaps.
fn pauses(store: &Store, gcs: &[Gc]) -> FastMap<ProcessId, Vec<Time>> {
    let mut by_process: FastMap<ProcessId, Vec<Time>> = FastMap::default();
    for gc in gcs {
        let Some(process) = store.threads.get(ThreadId(gc.thread)).map(|thread| thread.process) else { continue };
        let pauses = gc.pauses.iter().map(|one| Time { start: one.start, end: one.end, state: state::GC });
        by_process.entry(process).or_default().extend(pauses);
    }
    by_process.into_iter().map(|(process, pauses)| (process, apart(pauses))).collect()
}

fn waits_of(store: &Store, waits: &ThreadWaits, thread: ThreadId) -> Vec<RecordedTime> {
    let of_wait = |(start, end, state, event)| {
        let stack = store.events.row(event).stack;
        RecordedTime { start, end, state, stack, event }
    };
    waits.of_thread(thread, Span::new(i64::MIN, i64::MAX)).map(of_wait).collect()
}

fn runs_of(recorded: &[RecordedTime]) -> Vec<Time> {
    recorded.iter().map(|one| Time { start: one.start, end: one.end, state: one.state }).collect()
}

/// Returns times with others, which replace the parts that they cover. Both are in order and don't overlap.
fn with_others(times: Vec<RecordedTime>, others: &[RecordedTime]) -> Vec<RecordedTime> {
    let (mut all, mut next) = (others.to_vec(), 0);
    for time in times {
        next += others[next..].partition_point(|other| other.end <= time.start);
        let mut from = time.start;
        for other in others[next..].iter().take_while(|other| other.start < time.end) {
            all.extend(time.within(Span::new(from, other.start)));
            from = other.end;
        }
        all.extend(time.within(Span::new(from, time.end)));
    }
    sort_by_key(&mut all, |time| time.start);
    all
}

/// Returns the parts of recorded times in which no sample was taken, with the thread's states there.
fn in_gaps(sampled: &[StateRun], states: &[StateRun], recorded: &[RecordedTime]) -> Vec<RecordedTime> {
    let (mut found, mut next, mut next_state) = (Vec::new(), 0, 0);
    for gap in sampled.iter().filter(|run| run.state == state::NOT_SAMPLED) {
        next += recorded[next..].partition_point(|one| one.end <= gap.start);
        for one in recorded[next..].iter().take_while(|one| one.start < gap.end) {
            let Some(one) = one.within(Span::new(gap.start, gap.end)) else { continue };
            next_state += states[next_state..].partition_point(|run| run.end <= one.start);
            let runs = states[next_state..].iter().take_while(|run| run.start < one.end);
            let known = runs.filter(|run| run.state != state::NOT_SAMPLED);
            found.extend(known.filter_map(|run| {
                Some(RecordedTime { state: run.state, ..one.within(Span::new(run.start, run.end))? })
            }));
        }
    }
    found
}

/// Adds the time until the first state and from the last one to waits, as gaps.
fn reaching(states: Vec<StateRun>, waits: &[RecordedTime]) -> Vec<StateRun> {
    let ends = states.first().zip(states.last()).map(|(first, last)| (first.start, last.end));
    let (Some((first, last)), Some(from), Some(to)) = (ends, waits.first(), waits.last()) else { return states };
    let mut runs = Runs::default();
    runs.push(from.start, first, state::NOT_SAMPLED);
    states.iter().for_each(|run| runs.push(run.start, run.end, run.state));
    runs.push(last, to.end, state::NOT_SAMPLED);
    runs.0
}

/// Returns the off-CPU times, and the on-CPU times before the first sample, whose stack isn't recorded.
fn with_unsampled(states: &[StateRun], off: Vec<RecordedTime>, first_sample: i64) -> Vec<RecordedTime> {
    let before = states.iter().take_while(|run| run.start < first_sample).filter(|run| is_running(run.state, 0));
    let unsampled = before.filter_map(|run| {
        let at = off.partition_point(|one| one.end <= run.start);
        let event = off.get(at.saturating_sub(1)).map(|one| one.event)?;
        let end = run.end.min(first_sample);
        Some(RecordedTime { start: run.start, end, state: run.state, stack: StackId(0), event })
    });
    let mut recorded: Vec<RecordedTime> = unsampled.collect();
    recorded.extend(off);
    sort_by_key(&mut recorded, |one| one.start);
    recorded
}

/// Returns whether a thread in a state would use a CPU.
fn is_running(below: u8, _: u8) -> bool {
    matches!(below, state::MANAGED | state::NATIVE | state::JIT)
}

/// Returns whether the state of a thread is unknown.
fn is_gap(below: u8, _: u8) -> bool {
    below == state::NOT_SAMPLED
}

/// Returns whether a thread in a state may compile: a worker without managed frames, too.
fn is_running_or_idle(below: u8, _: u8) -> bool {
    below == state::IDLE || is_running(below, 0)
}

/// Returns whether a time without managed frames counts: in gaps between samples, and after the last event of a run.
fn is_absent(below: u8, above: u8) -> bool {
    below == state::NOT_SAMPLED || (above == state::IDLE && is_running(below, 0))
}

/// Returns whether a wait counts. Service threads always wait for handles, which isn't a wait of the app; waits for
/// locks always count.
fn is_not_idle_or_lock(below: u8, above: u8) -> bool {
    above == state::LOCK || !matches!(below, state::IDLE | state::SLEEP | state::IO)
}

/// An item with a start and an end.
trait Timed {
    /// Returns start and end.
    fn bounds(&self) -> (i64, i64);
    fn start_at(&mut self, start: i64);
}

impl Timed for Time {
    fn bounds(&self) -> (i64, i64) {
        (self.start, self.end)
    }

    fn start_at(&mut self, start: i64) {
        self.start = start;
    }
}

impl Timed for RecordedTime {
    fn bounds(&self) -> (i64, i64) {
        (self.start, self.end)
    }

    fn start_at(&mut self, start: i64) {
        self.start = start;
    }
}

/// Sorts items, shortens those that begin before an earlier one ends, and removes empty ones.
fn apart<T: Timed>(mut times: Vec<T>) -> Vec<T> {
    sort_by_key(&mut times, T::bounds);
    let mut known_until = i64::MIN;
    times.retain_mut(|time| {
        let (start, end) = time.bounds();
        let start = start.max(known_until);
        time.start_at(start);
        known_until = known_until.max(end);
        end > start
    });
    times
}

impl ThreadStates {
    /// Returns the states of a thread; `None` if it has neither samples nor context switches.
    pub fn thread(&self, thread: ThreadId) -> Option<&OfThread> {
        self.threads.get(&thread)
    }

    /// Returns the states of a thread in time order, without overlaps; empty if it has neither samples nor context
    /// switches.
    pub fn of(&self, thread: ThreadId) -> &[StateRun] {
        self.thread(thread).map_or(&[][..], |one| &one.states)
    }

    /// Returns whether context switches or CPU samples record on-CPU time.
    pub fn is_on_cpu(&self) -> bool {
        self.threads.values().any(|one| one.is_on_cpu)
    }

    /// Returns the nanoseconds that threads spent in a state within these times, which are ordered and don't overlap.
    /// `counts` selects the threads.
    pub fn time_in(&self, state: u8, times: &[Span], counts: impl Fn(ThreadId) -> bool) -> i64 {
        let mut total = 0i64;
        for (_, thread) in self.threads.iter().filter(|(id, _)| counts(**id)) {
            let mut next = 0;
            for run in thread.states.iter().filter(|run| run.state == state) {
                next += times[next..].partition_point(|time| time.end.0 <= run.start);
                let touching = times[next..].iter().take_while(|time| time.start.0 < run.end);
                let parts = touching.filter_map(|time| time.intersect(Span::new(run.start, run.end)));
                total = parts.map(|part| part.duration()).fold(total, i64::saturating_add);
            }
        }
        total
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.threads.values().map(|one| size_of_val(&*one.states) + size_of_val(&*one.recorded)).sum()
    }
}

/// Merges consecutive runs of one state.
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

/// Returns the states from samples; gaps are unknown.
fn sampled_states(
    samples: &ThreadSamples,
    is_on_cpu: bool,
    role: ThreadRole,
    stacks: &mut StackStates<'_>,
) -> Vec<StateRun> {
    states_of(samples, |index| match (is_on_cpu, samples.is_managed(index)) {
        (true, true) => state::MANAGED,
        (true, false) => state::NATIVE,
        (false, is_managed) => stacks.of_sample(samples.stack(index), is_managed, role) as u8,
    })
}

/// Returns the states of a store, without GCs.
#[cfg(test)]
pub(crate) fn thread_states(store: &Store, bytes: &dyn ByteSource, samples: &SampleIndex) -> ThreadStates {
    let mut search = StateSearch::new(store);
    while search.step(store, bytes, false).expect("payloads") != Step::Done {}
    search.finish(store, bytes, samples, &[], &mut TrackIndex::default()).expect("payloads")
}

/// Returns the time of all threads of a store, without GCs.
#[cfg(test)]
pub(crate) fn thread_time(store: &Store, bytes: &dyn ByteSource) -> crate::analysis::samples::thread_time::ThreadTime {
    use crate::analysis::scan::selection::Selection;
    let samples = SampleIndex::build(store).expect("memory");
    let states = thread_states(store, bytes, &samples);
    let (stacks, rows) = (samples.timed(&states, &|_| true, Span::new(i64::MIN, i64::MAX)), store.events.len());
    crate::analysis::samples::thread_time::ThreadTime {
        stacks: stacks.into(),
        selection: Selection::of_range(0..rows, rows).into(),
    }
}

/// Returns the states by the sampler's flag alone.
#[cfg(test)]
pub(crate) fn states_by_flag(samples: &ThreadSamples) -> Vec<StateRun> {
    states_of(samples, |index| if samples.is_managed(index) { state::MANAGED } else { state::NATIVE })
}

/// Returns the states by any function of samples.
fn states_of(samples: &ThreadSamples, mut state_of: impl FnMut(usize) -> u8) -> Vec<StateRun> {
    let mut runs = Runs::default();
    for index in 0..samples.len() {
        let (start, kind) = (samples.time(index), state_of(index));
        if let Some(last_end) = runs.0.last().map(|last| last.end) {
            runs.push(last_end, start, state::NOT_SAMPLED);
        }
        runs.push(start, start.saturating_add(samples.weight(index)), kind);
        // The last sample has no weight, so it is a separate state only if it is alone.
        if runs.0.is_empty() {
            runs.0.push(StateRun { start, end: start, state: kind });
        }
    }
    runs.0
}

/// Replaces states with those of `above` where `replaces` is true for the state below and the one above.
fn laid_over(below: &[StateRun], above: &[Time], replaces: fn(u8, u8) -> bool) -> Vec<StateRun> {
    let mut runs = Runs::default();
    let mut next = 0;
    for run in below {
        next += above[next..].partition_point(|time| time.end <= run.start);
        let mut from = run.start;
        for time in above[next..].iter().take_while(|time| time.start < run.end) {
            if replaces(run.state, time.state) {
                let (start, end) = (time.start.max(from), time.end.min(run.end));
                runs.push(from, start, run.state);
                runs.push(start, end, time.state);
                from = end;
            }
        }
        if run.start == run.end {
            runs.0.push(*run);
        }
        runs.push(from, run.end, run.state);
    }
    runs.0
}

/// Replaces states with off-CPU times. Between two of these the thread ran, sampled or not. If it would have run longer
/// than `longest` without a sample, a switch is missing and its state is unknown.
fn on_and_off(sampled: &[StateRun], off: &[Time], longest: i64) -> Vec<StateRun> {
    let (Some(first), Some(last)) = (off.first(), off.last()) else { return sampled.to_vec() };
    let mut runs = Runs::default();
    let on = |runs: &mut Runs, from: i64, to: i64, next: &mut usize| {
        let mut from = from;
        // On a CPU without a sample: the kind of code is unknown.
        let unsampled = |runs: &mut Runs, start: i64, end: i64| {
            runs.push(start, end, if end.saturating_sub(start) > longest { state::NOT_SAMPLED } else { state::NATIVE });
        };
        while let Some(run) = sampled.get(*next).filter(|run| run.start < to) {
            unsampled(runs, from, run.start.max(from));
            let (start, end) = (run.start.max(from), run.end.min(to));
            match run.state {
                state::NOT_SAMPLED => unsampled(runs, start, end),
                known => runs.push(start, end, known),
            }
            from = run.end.clamp(from, to);
            if run.end > to {
                break;
            }
            *next += 1;
        }
        unsampled(runs, from, to);
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
    runs.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::samples::thread_samples::tests::samples_of;
    use proptest::prelude::*;

    fn run(start: i64, end: i64, state: u8) -> StateRun {
        StateRun { start, end, state }
    }

    fn listed(runs: &[StateRun]) -> Vec<(i64, i64, u8)> {
        runs.iter().map(|run| (run.start, run.end, run.state)).collect()
    }

    fn off(start: i64, end: i64) -> Time {
        Time { start, end, state: state::BLOCKED }
    }

    #[test]
    fn gap_between_samples_is_unknown_and_single_sample_is_a_mark() {
        let samples = samples_of(&[(0, 1, true), (10, 1, true), (20, 1, false), (200, 1, true), (210, 1, true)]);
        assert_eq!(
            listed(&states_by_flag(&samples)),
            [
                (0, 20, state::MANAGED),
                (20, 70, state::NATIVE),
                (70, 200, state::NOT_SAMPLED),
                (200, 210, state::MANAGED)
            ]
        );
        assert_eq!(listed(&states_by_flag(&samples_of(&[(7, 1, false)]))), [(7, 7, state::NATIVE)]);
    }

    #[test]
    fn gc_pauses_only_running_states() {
        let sampled = [
            run(0, 100, state::MANAGED),
            run(100, 200, state::NOT_SAMPLED),
            run(200, 300, state::NATIVE),
            run(300, 400, state::IDLE),
            run(400, 500, state::LOCK),
        ];
        let pause = |start, end| run(start, end, state::GC);
        assert_eq!(
            listed(&laid_over(&sampled, &[pause(90, 150), pause(250, 310), pause(390, 600)], is_running)),
            [
                (0, 90, state::MANAGED),
                (90, 100, state::GC),
                (100, 200, state::NOT_SAMPLED),
                (200, 250, state::NATIVE),
                (250, 300, state::GC),
                (300, 400, state::IDLE),
                (400, 500, state::LOCK),
            ]
        );
    }

    #[test]
    fn handle_waits_exclude_idle_threads() {
        let sampled = [run(0, 100, state::IDLE), run(100, 200, state::NATIVE)];
        let waits = [run(50, 60, state::LOCK), run(70, 150, state::BLOCKED)];
        assert_eq!(
            listed(&laid_over(&sampled, &waits, is_not_idle_or_lock)),
            [
                (0, 50, state::IDLE),
                (50, 60, state::LOCK),
                (60, 100, state::IDLE),
                (100, 150, state::BLOCKED),
                (150, 200, state::NATIVE)
            ]
        );
    }

    #[test]
    fn thread_runs_between_switches_without_samples() {
        let sampled = [run(0, 30, state::MANAGED), run(30, 60, state::NOT_SAMPLED), run(60, 90, state::NATIVE)];
        assert_eq!(
            listed(&on_and_off(&sampled, &[off(20, 25), off(50, 70), off(95, 99)], i64::MAX)),
            [
                (0, 20, state::MANAGED),
                (20, 25, state::BLOCKED),
                (25, 30, state::MANAGED),
                (30, 50, state::NATIVE),
                (50, 70, state::BLOCKED),
                (70, 95, state::NATIVE),
                (95, 99, state::BLOCKED),
            ]
        );
        assert_eq!(
            listed(&on_and_off(&[], &[off(5, 8), off(10, 11), off(31, 32), off(53, 54)], 20)),
            [
                (5, 8, state::BLOCKED),
                (8, 10, state::NATIVE),
                (10, 11, state::BLOCKED),
                (11, 31, state::NATIVE),
                (31, 32, state::BLOCKED),
                (32, 53, state::NOT_SAMPLED),
                (53, 54, state::BLOCKED),
            ]
        );
    }

    /// Returns consecutive times from pairs of gap and length.
    fn times(steps: &[(i64, i64)], state: u8) -> Vec<Time> {
        let mut end = 0;
        let mut time = |&(distance, length): &(i64, i64)| {
            let start = end + distance;
            end = start + length;
            Time { start, end, state }
        };
        steps.iter().map(&mut time).collect()
    }

    fn total(runs: &[StateRun], wanted: impl Fn(u8) -> bool) -> i64 {
        runs.iter().filter(|run| wanted(run.state)).map(|run| run.end - run.start).sum()
    }

    proptest! {
        #[test]
        fn states_have_no_gaps(
            sampled in proptest::collection::vec((0i64..1, 1i64..40), 1..20),
            switches in proptest::collection::vec((0i64..30, 1i64..30), 1..20),
        ) {
            let kinds = [state::MANAGED, state::NOT_SAMPLED, state::NATIVE];
            let sampled: Vec<StateRun> = times(&sampled, 0).iter().enumerate()
                .map(|(index, time)| run(time.start, time.end, kinds[index % 3])).collect();
            let off = times(&switches, state::BLOCKED);
            let states = on_and_off(&sampled, &off, i64::MAX);
            prop_assert!(states.iter().all(|run| run.start < run.end));
            prop_assert!(states.windows(2).all(|pair| pair[0].end == pair[1].start || pair[0].end < off[0].start || pair[0].end >= off[off.len() - 1].end));
            prop_assert_eq!(total(&states, |one| one == state::BLOCKED), off.iter().map(|time| time.end - time.start).sum::<i64>());
        }

        #[test]
        fn states_from_events_keep_the_total_time(
            sampled in proptest::collection::vec((0i64..10, 1i64..40), 1..20),
            waits in proptest::collection::vec((0i64..30, 1i64..30), 1..20),
            pauses in proptest::collection::vec((0i64..30, 1i64..30), 1..20),
        ) {
            let sampled: Vec<StateRun> = times(&sampled, 0).iter().enumerate()
                .map(|(index, time)| run(time.start, time.end, (index % state::COUNT) as u8)).collect();
            let runs = laid_over(&sampled, &times(&waits, state::LOCK), is_not_idle_or_lock);
            let runs = laid_over(&runs, &times(&pauses, state::GC), is_running);
            prop_assert_eq!(total(&runs, |_| true), total(&sampled, |_| true));
            prop_assert!(runs.windows(2).all(|pair| pair[0].end <= pair[1].start));
        }
    }
}
