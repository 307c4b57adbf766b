//! Samples of one thread, in time order.

use super::durations::CAP_PERIODS;
use super::rounds::Rounds;
use super::runs::StateRun;
use super::thread_time::RecordedTime;
use crate::model::{OutOfMemory, reserve_exact};
use protocol::base::ids::{EventId, StackId};
use protocol::base::time::Span;
use protocol::tables::state;
use protocol::timeline::thread_state::{Activity, ThreadState};
use std::ops::Range;

/// The samples of one thread, as columns.
#[derive(Clone, Debug, Default)]
pub struct ThreadSamples {
    /// In nanoseconds.
    pub times: Vec<i64>,
    stacks: Vec<StackId>,
    events: Vec<EventId>,
    managed: Vec<bool>,
    values: Vec<u64>,
    /// Median interval between samples in nanoseconds; 0 if unknown.
    pub period: i64,
    /// Maximum nanoseconds between samples that aren't a gap.
    pub longest: i64,
    /// The interval that one round in twenty exceeds, if late rounds are common.
    pub late: Option<i64>,
    /// Wall-clock samples that don't represent the whole time until the next one, in order, and their nanoseconds.
    shortened: Vec<(u32, i64)>,
    /// Times without a managed frame, in order.
    pub absences: Vec<Absence>,
    /// Meaning of the samples.
    pub kind: Sampling,
    /// State at each sample, or for most of its time; empty until [`Self::give_states`].
    states: Vec<u8>,
    /// Parts of samples' time in other states, by sample.
    other_states: Vec<OtherState>,
    /// Nanoseconds that each sample represents, and its end on a timeline; empty unless events record other time
    /// ([`Self::timed`]).
    totals: Vec<Total>,
}

/// Time of a sample, or of an event without one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Total {
    nanos: i64,
    /// The displayed time, until the next one at most.
    shown: i64,
    /// True if it isn't a sample.
    is_recorded: bool,
}

/// A time in which other threads of the process were sampled and this one wasn't: it ran no managed code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Absence {
    pub time: Span,
    /// The thread's last sample before it.
    pub after: u32,
    /// Nanoseconds of the last round without the thread.
    pub last_round: i64,
}

/// A part of a sample's time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct OtherState {
    sample: u32,
    /// One of [`protocol::tables::state`].
    state: u8,
    nanos: i64,
}

/// Meaning of a sample.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Sampling {
    /// The thread was there, running or not, until its next sample.
    #[default]
    WallClock,
    /// The thread was on a CPU for one period of the sampler.
    Processor,
    /// Not a sample, but another event with a value, which may be a time.
    Event,
}

impl ThreadSamples {
    /// Returns an empty list with room for `count` samples.
    ///
    /// # Errors
    /// If there isn't enough memory.
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

    /// Ends wall-clock samples, after the last [`Self::push`]. `numbers` are the rounds of the samples. In the times of
    /// `lost`, which are ordered and don't overlap, samples may be missing. `agree` is true for stacks at the same place.
    pub fn seal(
        &mut self,
        rounds: &Rounds,
        numbers: &[u32],
        lost: &[Span],
        mut agree: impl FnMut(StackId, StackId) -> bool,
    ) {
        (self.period, self.longest, self.late) = (rounds.period, rounds.longest, rounds.late);
        for index in 0..self.len().saturating_sub(1) {
            let (Some(&number), Some(&next_number)) = (numbers.get(index), numbers.get(index + 1)) else { return };
            let (start, next) = (self.times[index], self.times[index + 1]);
            let is_late = self.interval(index) > self.longest;
            // Without one round: if the sampler is interrupted within a round, it looks like two.
            let is_there = next_number <= number + 2;
            let until = if is_there { next } else { rounds.start(number + 1).unwrap_or(next).clamp(start, next) };
            let known = until.saturating_sub(start);
            let mut stays =
                || self.managed[index] == self.managed[index + 1] && agree(self.stacks[index], self.stacks[index + 1]);
            let is_continued = is_late && is_there && known <= rounds.latest() && stays();
            let weight = if is_continued { known } else { known.min(self.longest) };
            if weight < self.interval(index) {
                self.shortened.push((index as u32, weight));
            }
            let absence = Span::new(until, next);
            let next_loss = lost.partition_point(|lost| lost.end <= absence.start);
            if !is_there && lost.get(next_loss).is_none_or(|lost| lost.start >= absence.end) {
                let (after, last_round) = (index as u32, rounds.start(next_number - 1).unwrap_or(until));
                let heard = rounds.heard(absence).into_iter();
                self.absences.extend(heard.map(|time| Absence { time, after, last_round }));
            }
        }
    }

    /// Ends CPU samples, after the last [`Self::push`]. A sleeping thread has no samples, so the intervals don't show
    /// the `period`.
    pub fn seal_processor(&mut self, period: i64) {
        self.period = period.max(0);
        self.longest = self.period.saturating_mul(CAP_PERIODS);
        self.kind = Sampling::Processor;
    }

    /// Ends events that aren't samples, after the last [`Self::push`].
    pub fn seal_events(&mut self) {
        self.kind = Sampling::Event;
    }

    /// Returns the same samples with other stacks.
    pub fn with_stacks(&self, stack_of: impl Fn(usize) -> StackId) -> Self {
        Self { stacks: (0..self.len()).map(stack_of).collect(), ..self.clone() }
    }

    /// Sets the value of each sample.
    pub fn give_values(&mut self, value_of: impl Fn(EventId) -> u64) {
        self.values = self.events.iter().map(|&event| value_of(event)).collect();
    }

    /// Returns the number of samples.
    pub fn len(&self) -> usize {
        self.times.len()
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.times.is_empty()
    }

    /// Returns the time in nanoseconds.
    #[inline]
    pub fn time(&self, index: usize) -> i64 {
        self.times[index]
    }

    #[inline]
    pub fn stack(&self, index: usize) -> StackId {
        self.stacks[index]
    }

    #[inline]
    pub fn event(&self, index: usize) -> EventId {
        self.events[index]
    }

    /// Returns whether the thread was in managed code.
    #[inline]
    pub fn is_managed(&self, index: usize) -> bool {
        self.managed[index]
    }

    /// Returns the value; 0 if not set.
    #[inline]
    pub fn value(&self, index: usize) -> u64 {
        self.values.get(index).copied().unwrap_or(0)
    }

    /// Returns the nanoseconds to the next sample, without a cap, as the reference sums; 0 for the last.
    #[inline]
    pub fn interval(&self, index: usize) -> i64 {
        self.times.get(index + 1).map_or(0, |next| next.saturating_sub(self.times[index]))
    }

    /// Returns the nanoseconds that the sample represents: the interval to the next round, at most [`Self::longest`]
    /// unless the thread stays at the same place; for a CPU sample one period, or the interval to the next sample if
    /// that follows directly. If events record other time, the displayed time.
    #[inline]
    pub fn weight(&self, index: usize) -> i64 {
        if let Some(total) = self.totals.get(index) {
            return total.shown;
        }
        let interval = self.interval(index);
        match self.kind {
            Sampling::WallClock => match self.shortened.binary_search_by_key(&(index as u32), |(sample, _)| *sample) {
                Ok(at) => self.shortened[at].1,
                Err(_) => interval,
            },
            Sampling::Processor if index + 1 < self.len() && interval <= self.period + self.period / 2 => interval,
            Sampling::Processor => self.period,
            Sampling::Event => i64::try_from(self.value(index)).unwrap_or(i64::MAX),
        }
    }

    /// Returns the nanoseconds of thread time that the sample represents.
    #[inline]
    pub fn total(&self, index: usize) -> i64 {
        self.totals.get(index).map_or_else(|| self.weight(index), |total| total.nanos)
    }

    /// Returns whether it isn't a sample, but an event that records time without one.
    #[inline]
    pub fn is_recorded(&self, index: usize) -> bool {
        self.totals.get(index).is_some_and(|total| total.is_recorded)
    }

    /// Sets the states of the thread, which cover the time of every sample.
    pub fn give_states(&mut self, runs: &[StateRun]) {
        self.states = Vec::with_capacity(self.len());
        self.other_states.clear();
        let mut first = 0;
        for index in 0..self.len() {
            let (start, end) = (self.times[index], self.times[index].saturating_add(self.weight(index)));
            let mut nanos = nanos_between(runs, &mut first, start, end);
            if start == end {
                // A sample without weight still has a state.
                let at = runs[first..].first().filter(|run| run.start <= start);
                if let Some(sum) = at.and_then(|run| nanos.get_mut(usize::from(run.state))) {
                    *sum = 1;
                }
            }
            self.push_state(&nanos);
        }
    }

    /// Returns all time of the thread within a span: that of its samples, and recorded times without samples. `runs`
    /// are its states. If its time on CPUs is known (`is_on_cpu`), a sample represents the time that the thread ran
    /// until the next sample, even if it left the CPU in between.
    pub fn timed(&self, runs: &[StateRun], recorded: &[RecordedTime], is_on_cpu: bool, span: Span) -> Self {
        let kind = if is_on_cpu { Sampling::Processor } else { self.kind };
        let mut timed = Self { kind, period: self.period, longest: self.longest, late: self.late, ..Self::default() };
        let mut recorded = recorded.iter().filter_map(|one| one.within(span)).peekable();
        let mut first = 0;
        for index in 0..self.len() {
            let start = self.times[index];
            let end = match (kind, self.times.get(index + 1)) {
                (Sampling::Processor, None) => i64::MAX,
                (Sampling::Processor, Some(next)) => *next,
                _ => start.saturating_add(self.weight(index)),
            };
            let part = (start.max(span.start.0), end.min(span.end.0));
            if part.1 < part.0 || part.0 >= span.end.0 || (part.0 == part.1 && start < span.start.0) {
                continue;
            }
            let mut nanos = nanos_between(runs, &mut first, part.0, part.1);
            if kind == Sampling::Processor {
                (0u8..).zip(&mut nanos).filter(|(state, _)| !is_running(*state)).for_each(|(_, nanos)| *nanos = 0);
            }
            while let Some(one) = recorded.next_if(|one| one.start < start) {
                timed.push_recorded(&one);
            }
            timed.push(part.0, self.stacks[index], self.events[index], self.managed[index]);
            timed.push_total(nanos.iter().copied().fold(0, i64::saturating_add), false);
            timed.push_state(&nanos);
        }
        recorded.for_each(|one| timed.push_recorded(&one));
        for index in 0..timed.len().saturating_sub(1) {
            let interval = timed.interval(index);
            let total = &mut timed.totals[index];
            total.shown = total.shown.min(interval);
        }
        timed
    }

    fn push_recorded(&mut self, one: &RecordedTime) {
        self.push(one.start, one.stack, one.event, false);
        let nanos = one.end.saturating_sub(one.start);
        self.push_total(nanos, true);
        self.states.push(one.state);
    }

    fn push_total(&mut self, nanos: i64, is_recorded: bool) {
        self.totals.push(Total { nanos, shown: nanos, is_recorded });
    }

    /// Adds the next sample's state: the longest, and the others.
    fn push_state(&mut self, nanos: &[i64; state::COUNT]) {
        let sample = self.states.len() as u32;
        let longest = (0u8..).zip(*nanos).max_by_key(|(state, nanos)| (*nanos, u8::MAX - state));
        let main = longest.filter(|(_, nanos)| *nanos > 0).map_or(state::NOT_SAMPLED, |(state, _)| state);
        self.states.push(main);
        let others = (0u8..).zip(*nanos).filter(|(state, nanos)| *state != main && *nanos > 0);
        self.other_states.extend(others.map(|(state, nanos)| OtherState { sample, state, nanos }));
    }

    /// Calls `visit` with the states of the time of a sample, and nanoseconds of each.
    pub fn for_each_state(&self, index: usize, mut visit: impl FnMut(u8, i64)) {
        let first = self.other_states.partition_point(|other| (other.sample as usize) < index);
        let others = self.other_states[first..].iter().take_while(|other| other.sample as usize == index);
        let mut rest = self.total(index);
        for other in others {
            rest = rest.saturating_sub(other.nanos);
            visit(other.state, other.nanos);
        }
        if let Some(main) = self.states.get(index).filter(|_| rest > 0) {
            visit(*main, rest);
        }
    }

    /// Returns the activity for most of a sample's time; `None` before [`Self::give_states`].
    #[inline]
    pub fn activity(&self, index: usize) -> Option<Activity> {
        activity_of(*self.states.get(index)?)
    }

    /// Returns the state for most of a sample's time, or for most of the part spent in `of`. `None` before
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

    /// Returns the nanoseconds of a sample in which the thread ran, was blocked or idle.
    #[inline]
    pub fn nanos_of(&self, index: usize, activity: Activity) -> i64 {
        let mut inside = 0i64;
        self.for_each_state(index, |state, nanos| {
            if activity_of(state) == Some(activity) {
                inside = inside.saturating_add(nanos);
            }
        });
        inside
    }

    /// Returns the samples inside a span.
    pub fn inside(&self, span: Span) -> Range<usize> {
        let start = self.times.partition_point(|&time| time < span.start.0);
        let end = self.times.partition_point(|&time| time < span.end.0);
        start..end.max(start)
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        let states = self.states.len() + size_of_val(self.other_states.as_slice());
        let totals = size_of_val(self.totals.as_slice()) + size_of_val(self.shortened.as_slice());
        let totals = totals + size_of_val(self.absences.as_slice());
        self.times.len() * 17 + self.values.len() * 8 + states + totals
    }
}

/// Returns the nanoseconds by state between two times. `first` is the first run that may overlap them, and is advanced
/// for later times.
fn nanos_between(runs: &[StateRun], first: &mut usize, start: i64, end: i64) -> [i64; state::COUNT] {
    *first += runs[*first..].partition_point(|run| run.end <= start && run.start < start);
    let mut nanos = [0i64; state::COUNT];
    for run in runs[*first..].iter().take_while(|run| run.start < end) {
        let part = run.end.min(end).saturating_sub(run.start.max(start)).max(0);
        if let Some(sum) = nanos.get_mut(usize::from(run.state)) {
            *sum = sum.saturating_add(part);
        }
    }
    nanos
}

fn is_running(state: u8) -> bool {
    activity_of(state) == Some(Activity::Running)
}

fn activity_of(state: u8) -> Option<Activity> {
    ThreadState::from_u8(state)?.activity()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Returns samples at the given times, with stack and state.
    pub fn samples_of(samples: &[(i64, u32, bool)]) -> ThreadSamples {
        samples_where(samples, |_, _| false)
    }

    /// Returns the same; `agree` is true for stacks at the same place.
    fn samples_where(samples: &[(i64, u32, bool)], agree: impl FnMut(StackId, StackId) -> bool) -> ThreadSamples {
        let mut thread = ThreadSamples::default();
        for (index, &(time, stack, managed)) in samples.iter().enumerate() {
            thread.push(time, StackId(stack), EventId(index as u32), managed);
        }
        let rounds = Rounds::new(thread.times.clone());
        let numbers: Vec<u32> = (0..samples.len() as u32).collect();
        thread.seal(&rounds, &numbers, &[], agree);
        thread
    }

    #[test]
    fn sample_weight_is_interval_up_to_five_periods() {
        let samples = samples_of(&[(0, 1, true), (10, 1, true), (20, 1, false), (30, 1, true), (1_000, 1, true)]);
        assert_eq!(samples.period, 10);
        assert_eq!((0..5).map(|index| samples.weight(index)).collect::<Vec<_>>(), [10, 10, 10, 50, 0]);
        assert_eq!((0..5).map(|index| samples.interval(index)).collect::<Vec<_>>(), [10, 10, 10, 970, 0]);
    }

    #[test]
    fn cpu_sample_weight_is_one_period_without_later_sleep() {
        let mut samples = samples_of(&[(0, 1, true), (10, 1, true), (21, 1, true), (500, 1, true)]);
        samples.seal_processor(10);
        assert_eq!((0..4).map(|index| samples.weight(index)).collect::<Vec<_>>(), [10, 11, 10, 10]);
    }

    #[test]
    fn sample_time_is_split_by_state() {
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

    /// Returns samples every 10 ns with a late one after the tenth, on both sides of which the stacks are equal or not.
    fn with_a_late_sample(late: i64, stacks: (u32, u32), managed: bool) -> ThreadSamples {
        let mut rows: Vec<(i64, u32, bool)> = (0..10).map(|at| (at * 10, stacks.0, true)).collect();
        rows.extend((0..10).map(|at| (90 + late + at * 10, stacks.1, managed)));
        samples_where(&rows, |one, other| one == other)
    }

    #[test]
    fn sample_weight_includes_late_interval_at_same_place() {
        let total = |samples: &ThreadSamples| (0..samples.len()).map(|index| samples.weight(index)).sum::<i64>();
        let agreed = with_a_late_sample(120, (7, 7), true);
        assert_eq!((agreed.weight(9), total(&agreed)), (120, 300), "as long as the clock on the wall says");
        assert_eq!(with_a_late_sample(120, (7, 8), true).weight(9), 50, "the thread is elsewhere");
        assert_eq!(with_a_late_sample(120, (7, 7), false).weight(9), 50, "it left managed code");
        assert_eq!(with_a_late_sample(220, (7, 7), true).weight(9), 50, "the sampler paused");
    }

    #[test]
    fn thread_without_sample_in_round_is_absent() {
        let mut thread = ThreadSamples::default();
        let numbers = [0, 1, 3, 9, 10, 40];
        for (number, stack) in numbers.into_iter().zip([1, 1, 1, 2, 3, 3]) {
            thread.push(i64::from(number) * 10 + 1, StackId(stack), EventId(number), false);
        }
        // 41 rounds every 10 ns, of which the last one is late.
        let rounds = Rounds::new((0..40).map(|number| number * 10).chain([530]).collect());
        let seal = |lost: &[Span]| {
            let mut thread = thread.clone();
            thread.times[5] = 531;
            thread.seal(&rounds, &numbers, lost, |one, other| one == other);
            thread
        };
        let sealed = seal(&[]);
        let weights: Vec<i64> = (0..6).map(|index| sealed.weight(index)).collect();
        assert_eq!(weights, [10, 20, 9, 10, 9, 0], "a single round without it is ignored");
        let absence = |start, end, after, last_round| Absence { time: Span::new(start, end), after, last_round };
        assert_eq!(sealed.absences, [absence(40, 91, 2, 80), absence(110, 531, 4, 390)]);
        assert_eq!(seal(&[Span::new(50, 60)]).absences, [absence(110, 531, 4, 390)], "samples may be lost");
    }

    #[test]
    fn span_includes_start_and_excludes_end() {
        let samples = samples_of(&[(0, 1, true), (10, 1, true), (20, 1, true)]);
        assert_eq!(samples.inside(Span::new(10, 20)), 1..2);
        assert_eq!(samples.inside(Span::new(30, 5)), 3..3);
    }
}
