//! The samples of one thread, in time order.

use super::durations::{CAP_PERIODS, longest_interval, median_period};
use super::runs::StateRun;
use crate::model::{OutOfMemory, reserve_exact};
use protocol::base::ids::{EventId, StackId};
use protocol::base::time::Span;
use protocol::tables::state;
use protocol::timeline::thread_state::{Activity, ThreadState};
use std::ops::Range;

/// The samples of one thread, as columns.
#[derive(Clone, Debug, Default)]
pub struct ThreadSamples {
    times: Vec<i64>,
    stacks: Vec<StackId>,
    events: Vec<EventId>,
    managed: Vec<bool>,
    values: Vec<u64>,
    period: i64,
    /// Longer intervals between samples are gaps.
    longest: i64,
    kind: Sampling,
    /// What the thread did at the sample, or for most of its time; empty until [`Self::give_states`].
    states: Vec<u8>,
    /// Parts of the time of samples in which the thread did something else, by sample.
    other_states: Vec<OtherState>,
}

/// A part of the time of a sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct OtherState {
    sample: u32,
    /// One of [`protocol::tables::state`].
    state: u8,
    nanos: i64,
}

/// What a sample stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sampling {
    /// The thread was there, running or not, until its next sample.
    #[default]
    WallClock,
    /// The thread was on a processor for one period of the sampler.
    Processor,
    /// It is no sample, but another event: the value that was given to it, as long as that is a time.
    Event,
}

impl ThreadSamples {
    /// Room for `count` samples.
    ///
    /// # Errors
    /// If memory for them cannot be had.
    pub fn with_room(count: usize) -> Result<Self, OutOfMemory> {
        let mut samples = Self::default();
        reserve_exact(&mut samples.times, count)?;
        reserve_exact(&mut samples.stacks, count)?;
        reserve_exact(&mut samples.events, count)?;
        reserve_exact(&mut samples.managed, count)?;
        Ok(samples)
    }

    /// Appends a sample, not earlier than the last one.
    pub fn push(&mut self, time: i64, stack: StackId, event: EventId, managed: bool) {
        self.times.push(time);
        self.stacks.push(stack);
        self.events.push(event);
        self.managed.push(managed);
    }

    /// After the last [`Self::push`] of samples that stand for wall-clock time: their period is their median interval.
    pub fn seal(&mut self) {
        self.period = median_period(&self.times);
        self.longest = longest_interval(&self.times, self.period);
    }

    /// After the last [`Self::push`] of samples of a processor: a thread that sleeps has none, so that its intervals do
    /// not show the `period`.
    pub fn seal_processor(&mut self, period: i64) {
        self.period = period.max(0);
        self.longest = self.period.saturating_mul(CAP_PERIODS);
        self.kind = Sampling::Processor;
    }

    /// After the last [`Self::push`] of events that are no samples.
    pub fn seal_events(&mut self) {
        self.kind = Sampling::Event;
    }

    /// The same samples with other stacks.
    pub fn with_stacks(&self, stack_of: impl Fn(usize) -> StackId) -> Self {
        Self { stacks: (0..self.len()).map(stack_of).collect(), ..self.clone() }
    }

    /// Gives each sample a value.
    pub fn give_values(&mut self, value_of: impl Fn(EventId) -> u64) {
        self.values = self.events.iter().map(|&event| value_of(event)).collect();
    }

    /// How many samples.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Median interval between samples, nanoseconds; 0 if unknown.
    pub fn period(&self) -> i64 {
        self.period
    }

    /// The interval that one sample in twenty is late by, nanoseconds; `None` if late samples are rare.
    pub fn late_interval(&self) -> Option<i64> {
        (self.longest > self.period.saturating_mul(CAP_PERIODS)).then_some(self.longest / 2)
    }

    /// The longest interval between samples that is not a gap, nanoseconds; 0 if unknown.
    pub fn longest(&self) -> i64 {
        self.longest
    }

    /// What each stands for.
    pub fn kind(&self) -> Sampling {
        self.kind
    }

    /// When, nanoseconds.
    #[inline]
    pub fn time(&self, index: usize) -> i64 {
        self.times[index]
    }

    /// Where.
    #[inline]
    pub fn stack(&self, index: usize) -> StackId {
        self.stacks[index]
    }

    /// The event.
    #[inline]
    pub fn event(&self, index: usize) -> EventId {
        self.events[index]
    }

    /// Whether it found the thread in managed code.
    #[inline]
    pub fn is_managed(&self, index: usize) -> bool {
        self.managed[index]
    }

    /// The value that was given to it; 0 if none was.
    #[inline]
    pub fn value(&self, index: usize) -> u64 {
        self.values.get(index).copied().unwrap_or(0)
    }

    /// Nanoseconds to the next sample, without a cap; 0 for the last. What the reference sums.
    #[inline]
    pub fn interval(&self, index: usize) -> i64 {
        self.times.get(index + 1).map_or(0, |next| next.saturating_sub(self.times[index]))
    }

    /// Nanoseconds that the sample stands for: its interval, at most [`Self::longest`]; of a processor one period,
    /// or the interval to the sample that follows directly.
    #[inline]
    pub fn weight(&self, index: usize) -> i64 {
        let interval = self.interval(index);
        match self.kind {
            Sampling::WallClock => interval.min(self.longest),
            Sampling::Processor if index + 1 < self.len() && interval <= self.period + self.period / 2 => interval,
            Sampling::Processor => self.period,
            Sampling::Event => i64::try_from(self.value(index)).unwrap_or(i64::MAX),
        }
    }

    /// Takes the states of the thread, which cover the time of every sample.
    pub fn give_states(&mut self, runs: &[StateRun]) {
        self.states = vec![0; self.len()];
        self.other_states.clear();
        let mut first = 0;
        for index in 0..self.len() {
            let (start, end) = (self.times[index], self.times[index].saturating_add(self.weight(index)));
            first += runs[first..].partition_point(|run| run.end <= start && run.start < start);
            let mut nanos = [0i64; state::COUNT];
            for run in runs[first..].iter().take_while(|run| run.start < end.max(start.saturating_add(1))) {
                let part = run.end.min(end).saturating_sub(run.start.max(start)).max(0);
                // A sample without weight still has a state.
                if let Some(sum) = nanos.get_mut(usize::from(run.state)) {
                    *sum = sum.saturating_add(part).max(i64::from(end == start));
                }
            }
            let longest = (0u8..).zip(nanos).max_by_key(|(state, nanos)| (*nanos, u8::MAX - state));
            let main = longest.filter(|(_, nanos)| *nanos > 0).map_or(state::NOT_SAMPLED, |(state, _)| state);
            self.states[index] = main;
            let others = (0u8..).zip(nanos).filter(|(state, nanos)| *state != main && *nanos > 0);
            let other = |(state, nanos)| OtherState { sample: index as u32, state, nanos };
            self.other_states.extend(others.map(other));
        }
    }

    /// What the thread did for most of the time of a sample; none before [`Self::give_states`].
    #[inline]
    pub fn activity(&self, index: usize) -> Option<Activity> {
        activity_of(*self.states.get(index)?)
    }

    /// What the thread did for most of the time of a sample; of a part of its time, if only that counts. None before
    /// [`Self::give_states`].
    #[inline]
    pub fn state(&self, index: usize, of: Option<Activity>) -> Option<ThreadState> {
        let main = ThreadState::from_u8(*self.states.get(index)?);
        let Some(activity) = of.filter(|_| main.and_then(ThreadState::activity) != of) else { return main };
        let first = self.other_states.partition_point(|other| (other.sample as usize) < index);
        let others = self.other_states[first..].iter().take_while(|other| other.sample as usize == index);
        let wanted = others.filter(|other| activity_of(other.state) == Some(activity));
        let longest = wanted.max_by_key(|other| (other.nanos, u8::MAX - other.state));
        longest.and_then(|other| ThreadState::from_u8(other.state)).or(main)
    }

    /// Nanoseconds of a sample in which the thread ran, was blocked or idle.
    #[inline]
    pub fn nanos_of(&self, index: usize, activity: Activity) -> i64 {
        let first = self.other_states.partition_point(|other| (other.sample as usize) < index);
        let others = self.other_states[first..].iter().take_while(|other| other.sample as usize == index);
        let (mut inside, mut all) = (0i64, 0i64);
        for other in others {
            all = all.saturating_add(other.nanos);
            if activity_of(other.state) == Some(activity) {
                inside = inside.saturating_add(other.nanos);
            }
        }
        if self.activity(index) == Some(activity) {
            inside = inside.saturating_add(self.weight(index).saturating_sub(all));
        }
        inside
    }

    /// The samples inside a span.
    pub fn inside(&self, span: Span) -> Range<usize> {
        let start = self.times.partition_point(|&time| time < span.start.0);
        let end = self.times.partition_point(|&time| time < span.end.0);
        start..end.max(start)
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let states = self.states.len() + size_of_val(self.other_states.as_slice());
        self.times.len() * 17 + self.values.len() * 8 + states
    }
}

fn activity_of(state: u8) -> Option<Activity> {
    ThreadState::from_u8(state)?.activity()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Samples at the given times with stack and state.
    pub fn samples_of(samples: &[(i64, u32, bool)]) -> ThreadSamples {
        let mut thread = ThreadSamples::default();
        for (index, &(time, stack, managed)) in samples.iter().enumerate() {
            thread.push(time, StackId(stack), EventId(index as u32), managed);
        }
        thread.seal();
        thread
    }

    #[test]
    fn a_sample_weighs_the_time_to_the_next_at_most_five_periods_and_the_last_nothing() {
        let samples = samples_of(&[(0, 1, true), (10, 1, true), (20, 1, false), (30, 1, true), (1_000, 1, true)]);
        assert_eq!(samples.period(), 10);
        assert_eq!((0..5).map(|index| samples.weight(index)).collect::<Vec<_>>(), [10, 10, 10, 50, 0]);
        assert_eq!((0..5).map(|index| samples.interval(index)).collect::<Vec<_>>(), [10, 10, 10, 970, 0]);
    }

    #[test]
    fn a_sample_of_a_processor_weighs_one_period_and_never_the_sleep_after_it() {
        let mut samples = samples_of(&[(0, 1, true), (10, 1, true), (21, 1, true), (500, 1, true)]);
        samples.seal_processor(10);
        assert_eq!((0..4).map(|index| samples.weight(index)).collect::<Vec<_>>(), [10, 11, 10, 10]);
    }

    #[test]
    fn time_of_a_sample_is_divided_among_the_states_in_it() {
        let mut samples = samples_of(&[(0, 1, true), (10, 1, true), (20, 1, false), (30, 1, true)]);
        let run = |start, end, state| StateRun { start, end, state };
        samples.give_states(&[
            run(0, 12, state::MANAGED),
            run(12, 18, state::GC),
            run(18, 25, state::LOCK),
            run(25, 30, state::IDLE),
        ]);
        let of = |activity| (0..4).map(|index| samples.nanos_of(index, activity)).collect::<Vec<_>>();
        assert_eq!(of(Activity::Running), [10, 2, 0, 0]);
        assert_eq!(of(Activity::Blocked), [0, 2, 5, 0]);
        assert_eq!(of(Activity::Idle), [0, 0, 5, 0]);
        let of = |activity| (0..4).map(|index| samples.state(index, activity)).collect::<Vec<_>>();
        use ThreadState::{Gc, Idle, Lock, Managed, NotSampled};
        assert_eq!(of(None), [Some(Managed), Some(Gc), Some(Lock), Some(NotSampled)]);
        assert_eq!(of(Some(Activity::Running))[1], Some(Managed), "the part of it in which it ran");
        assert_eq!(of(Some(Activity::Idle))[2], Some(Idle));
        let main: Vec<_> = (0..4).map(|index| samples.activity(index)).collect();
        assert_eq!(main, [Some(Activity::Running), None, Some(Activity::Blocked), None]);
    }

    #[test]
    fn a_span_contains_its_start_and_not_its_end() {
        let samples = samples_of(&[(0, 1, true), (10, 1, true), (20, 1, true)]);
        assert_eq!(samples.inside(Span::new(10, 20)), 1..2);
        assert_eq!(samples.inside(Span::new(30, 5)), 3..3);
    }
}
