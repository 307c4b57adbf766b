//! Samples of all threads, collected once from the event columns.
//!
//! Two kinds of events are samples: those of the runtime's sampler, whose type contains the thread's state, and the CPU
//! samples of machine-wide traces, whose leaf shows it (managed code or not).

use super::durations::median_period;
use super::rounds::{RoundSearch, Rounds};
use super::runs::StateRun;
use super::thread_samples::ThreadSamples;
use crate::analysis::scan::rows::TypeSet;
use crate::analysis::timeline::thread_states::ThreadStates;
use crate::clr::KnownEvent;
use crate::model::{EventType, Loss, OutOfMemory, SampleState, Store, reserve_exact};
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::{EventId, FrameId, ProcessId, StackId, ThreadId};
use protocol::base::time::Span;

/// Returns whether events of this type are samples of a thread's stack.
pub fn is_sample(event_type: &EventType) -> bool {
    event_type.sample_state.is_some() || event_type.known == KnownEvent::CpuSample
}

/// The samples of every thread.
#[derive(Clone, Debug, Default)]
pub struct SampleIndex {
    threads: Vec<ThreadSamples>,
    none: ThreadSamples,
    /// Fraction of its values.
    pub fraction: Fraction,
    /// Times in which the sampler of a process was silent.
    silences: FastMap<ProcessId, Vec<Span>>,
}

/// Fractions in which values are counted, because weights are integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Fraction {
    /// No fractions.
    #[default]
    None,
    Millionths,
}

impl Fraction {
    /// Returns the number of fractions in one.
    pub fn per_one(self) -> u64 {
        match self {
            Self::None => 1,
            Self::Millionths => 1_000_000,
        }
    }
}

impl SampleIndex {
    /// Collects the samples of a store: one pass over the columns of types and threads to count, and one to collect.
    ///
    /// # Errors
    /// If there isn't enough memory.
    pub fn build(store: &Store) -> Result<Self, OutOfMemory> {
        let kinds: Vec<Option<Kind>> = store.types.iter().map(Kind::of).collect();
        let kind_of = |event_type: u32| kinds.get(event_type as usize).copied().flatten();
        let has_leaves = kinds.contains(&Some(Kind::Leaf));
        let is_managed = |frame: FrameId| store.function_of(frame).is_some_and(|function| function.is_managed);
        let samples = TypeSet::new(store, is_sample);
        let mut counts = vec![0; store.threads.len()];
        samples.for_each_row(store, 0..store.events.len(), |chunk, row| {
            if let Some(count) = counts.get_mut(chunk.thread(row).index()) {
                *count += 1;
            }
        });
        let threads: Result<Vec<_>, _> = counts.into_iter().map(ThreadSamples::with_room).collect();
        let mut threads = threads?;
        let clock = store.clock;
        samples.for_each_row(store, 0..store.events.len(), |chunk, row| {
            let Some(kind) = kind_of(chunk.event_type(row).0) else { return };
            let Some(thread) = threads.get_mut(chunk.thread(row).index()) else { return };
            let stack = chunk.stack(row);
            let managed = match kind {
                Kind::State(state) => state == SampleState::Managed,
                Kind::Leaf => store.stacks.frame(stack).is_some_and(is_managed),
            };
            thread.push(clock.nanos(chunk.ticks(row)).0, stack, chunk.event_id(row), managed);
        });
        let mut silences = FastMap::default();
        if has_leaves {
            let period = processor_period(store, &threads);
            threads.iter_mut().for_each(|thread| thread.seal_processor(period));
        } else {
            let Numbered { rounds, numbers } = rounds_of(store, &samples, &threads)?;
            let (lost, none) = (losses(store, &samples), Rounds::default());
            for (id, (thread, numbers)) in (0u32..).map(ThreadId).zip(threads.iter_mut().zip(&numbers)) {
                let rounds = process_of(store, id).and_then(|process| rounds.get(&process)).unwrap_or(&none);
                thread.seal(rounds, numbers, &lost, |one, other| is_same_place(store, one, other));
            }
            silences = rounds.into_iter().map(|(process, rounds)| (process, rounds.silences())).collect();
        }
        Ok(Self { threads, silences, ..Self::default() })
    }

    /// Collects other events: all of these types, or only those with a stack.
    pub fn of_events(store: &Store, types: &TypeSet, with_stack: bool) -> Self {
        let mut threads = vec![ThreadSamples::default(); store.threads.len()];
        let clock = store.clock;
        types.for_each_row(store, 0..store.events.len(), |chunk, row| {
            let Some(thread) = threads.get_mut(chunk.thread(row).index()) else { return };
            if with_stack && chunk.stack(row) == StackId(0) {
                return;
            }
            thread.push(clock.nanos(chunk.ticks(row)).0, chunk.stack(row), chunk.event_id(row), true);
        });
        threads.iter_mut().for_each(ThreadSamples::seal_events);
        Self { threads, ..Self::default() }
    }

    /// Returns all time within a span of the threads for which `wanted` is true; see [`ThreadSamples::timed`].
    pub fn timed(&self, states: &ThreadStates, wanted: &dyn Fn(ThreadId) -> bool, span: Span) -> Self {
        let threads = (0u32..).map(ThreadId).zip(&self.threads).map(|(thread, samples)| {
            let of_thread = states.thread(thread).filter(|_| wanted(thread));
            of_thread
                .map_or_else(ThreadSamples::default, |of| samples.timed(&of.states, &of.recorded, of.is_on_cpu, span))
        });
        Self { threads: threads.collect(), ..Self::default() }
    }

    /// Returns the same samples with other stacks, for one thread or for all.
    pub fn with_stacks(&self, only: Option<ThreadId>, stack_of: impl Fn(ThreadId, usize) -> StackId) -> Self {
        let threads = (0..).map(ThreadId).zip(&self.threads).map(|(id, thread)| {
            let is_wanted = only.is_none_or(|only| only == id);
            if is_wanted { thread.with_stacks(|index| stack_of(id, index)) } else { ThreadSamples::default() }
        });
        Self { threads: threads.collect(), fraction: self.fraction, ..Self::default() }
    }

    /// Returns the times in which no thread of a process was sampled, in order.
    pub fn silences(&self, process: ProcessId) -> &[Span] {
        self.silences.get(&process).map_or(&[], Vec::as_slice)
    }

    /// Sets the value of each sample, in this fraction.
    pub fn give_values(&mut self, fraction: Fraction, value_of: impl Fn(EventId) -> u64) {
        self.fraction = fraction;
        self.threads.iter_mut().for_each(|thread| thread.give_values(&value_of));
    }

    pub fn thread(&self, thread: ThreadId) -> &ThreadSamples {
        self.threads.get(thread.index()).unwrap_or(&self.none)
    }

    pub fn iter(&self) -> impl Iterator<Item = (ThreadId, &ThreadSamples)> {
        (0u32..).map(ThreadId).zip(&self.threads).filter(|(_, samples)| !samples.is_empty())
    }

    /// Sets the states of threads; see [`ThreadSamples::give_states`].
    pub fn give_states<'r>(&mut self, states_of: impl Fn(ThreadId) -> &'r [StateRun]) {
        for (thread, samples) in
            (0u32..).map(ThreadId).zip(&mut self.threads).filter(|(_, samples)| !samples.is_empty())
        {
            samples.give_states(states_of(thread));
        }
    }

    /// Returns the number of samples.
    pub fn count(&self) -> u64 {
        self.threads.iter().map(|samples| samples.len() as u64).sum()
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.threads.iter().map(ThreadSamples::bytes).sum()
    }
}

fn process_of(store: &Store, thread: ThreadId) -> Option<ProcessId> {
    store.threads.get(thread).map(|thread| thread.process)
}

/// Samples with the rounds of the sampler.
struct Numbered {
    rounds: FastMap<ProcessId, Rounds>,
    /// By thread: the round of each sample.
    numbers: Vec<Vec<u32>>,
}

fn rounds_of(store: &Store, samples: &TypeSet, threads: &[ThreadSamples]) -> Result<Numbered, OutOfMemory> {
    let mut most: FastMap<ProcessId, &ThreadSamples> = FastMap::default();
    let mut numbers: Vec<Vec<u32>> = Vec::with_capacity(threads.len());
    for (id, thread) in (0u32..).map(ThreadId).zip(threads) {
        if let Some(process) = process_of(store, id).filter(|_| !thread.is_empty()) {
            let known = most.entry(process).or_insert(thread);
            *known = if thread.len() > known.len() { thread } else { known };
        }
        let mut of_thread = Vec::new();
        reserve_exact(&mut of_thread, thread.len())?;
        numbers.push(of_thread);
    }
    let mut searches: FastMap<ProcessId, RoundSearch> =
        most.into_iter().map(|(process, thread)| (process, RoundSearch::new(&thread.times))).collect();
    let clock = store.clock;
    samples.for_each_row(store, 0..store.events.len(), |chunk, row| {
        let thread = chunk.thread(row);
        let search = process_of(store, thread).and_then(|process| searches.get_mut(&process));
        if let Some((search, numbers)) = search.zip(numbers.get_mut(thread.index())) {
            numbers.push(search.number(clock.nanos(chunk.ticks(row)).0, numbers.last().copied()));
        }
    });
    let rounds = searches.into_iter().map(|(process, search)| (process, search.finish())).collect();
    Ok(Numbered { rounds, numbers })
}

/// Returns the times in which samplers lost events, in order and without overlaps.
fn losses(store: &Store, samples: &TypeSet) -> Vec<Span> {
    if store.losses.is_empty() {
        return Vec::new();
    }
    let mut samplers: FastSet<u64> = FastSet::default();
    let mut writers: FastSet<u32> = FastSet::default();
    samples.for_each_row(store, 0..store.events.len(), |chunk, row| {
        let writer = chunk.writer(row);
        if writers.insert(writer) {
            samplers.extend(store.writers.get(writer).capture_thread);
        }
    });
    let (first, clock) = (store.full_span.start, store.clock);
    let lost = store.losses.iter().filter(|loss| loss.count > 0 && samplers.contains(&loss.os_thread));
    let time = |loss: &Loss| Span {
        start: loss.after_ticks.map_or(first, |ticks| clock.nanos(ticks)),
        end: clock.nanos(loss.before_ticks),
    };
    Span::joined(lost.map(time).collect())
}

/// Returns whether two stacks consist of the same functions.
fn is_same_place(store: &Store, one: StackId, other: StackId) -> bool {
    let (stacks, frames) = (&store.stacks, &store.frames);
    if one == other {
        return true;
    }
    let functions = |stack| stacks.leaf_to_root(stack).map(|frame| frames.function(frame));
    stacks.depth(one) == stacks.depth(other) && functions(one).eq(functions(other))
}

/// Source of the information whether a sample is in managed code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// The event type.
    State(SampleState),
    Leaf,
}

impl Kind {
    fn of(event_type: &EventType) -> Option<Self> {
        match event_type.sample_state {
            Some(state) => Some(Self::State(state)),
            None => is_sample(event_type).then_some(Self::Leaf),
        }
    }
}

/// Returns the nanoseconds between CPU samples: from the header, else the shortest period of any thread.
fn processor_period(store: &Store, threads: &[ThreadSamples]) -> i64 {
    match store.header.expected_sampling_rate_nanos {
        0 => threads.iter().map(|thread| median_period(&thread.times)).filter(|&period| period > 0).min().unwrap_or(0),
        nanos => nanos.into(),
    }
}
