//! Builds GCs with their pauses from suspension and GC events (docs/format/runtime-events.md#gc).
//!
//! The runtime suspends all managed threads (suspend begin to suspend end), works, and resumes them (restart begin). It
//! writes restart end when the resuming thread gets a CPU again, which may be much later and isn't part of the pause.
//! Several threads may begin to suspend the others while one already has, so each thread's suspension is tracked
//! separately. Suspensions by the sampler or a debugger aren't GC pauses.
//!
//! `GC.GetTotalPauseDuration` stops its clock before the runtime writes GC end: [`Pause::counted_until`].
//!
//! If several GCs share a pause (a background GC that begins with an ephemeral one), it is split where the next one
//! starts, so that the pauses of all GCs add up.

use protocol::base::hash::FastMap;
use std::collections::BTreeMap;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GcStep {
    /// A thread begins to suspend the others.
    SuspendBegin {
        /// True if a GC is the reason.
        for_gc: bool,
    },
    /// All others are suspended.
    SuspendEnd,
    /// Events of this thread were lost.
    Gap,
    /// They may run again.
    RestartBegin,
    /// The thread that resumed them continues itself.
    RestartEnd,
    /// Histories and heap segments, which the GC writes when its work is done, just before the pause clock stops.
    WorkDone,
    Start {
        /// The runtime's number of the GC.
        number: u32,
        /// Oldest generation collected.
        generation: u8,
        /// 0 blocking, 1 background, 2 foreground during a background GC.
        kind: u8,
        /// The runtime's reason code.
        reason: u32,
    },
    End {
        /// The runtime's number of the GC.
        number: u32,
    },
    /// Sizes after a GC, reported once it has ended.
    HeapStats {
        /// Bytes of generations 0, 1, 2, LOH and POH.
        sizes: [u64; 5],
    },
}

/// A step with its time and thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GcEvent {
    /// Nanoseconds.
    pub time: i64,
    /// [`protocol::base::ids::ThreadId`].
    pub thread: u32,
    /// [`protocol::base::ids::EventId`].
    pub event: u32,
    pub step: GcStep,
}

/// A time in which all managed threads were suspended for a GC, or were being suspended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pause {
    /// Suspend begin.
    pub start: i64,
    /// Suspend end, if seen.
    pub suspended: Option<i64>,
    /// Restart begin, after which threads run. Without one, restart end, or the GC's last known event.
    pub end: i64,
    /// End of the time that `GC.GetTotalPauseDuration` counts. Not after `end`.
    pub counted_until: i64,
    /// Restart end, if seen.
    pub restarted: Option<i64>,
}

impl Pause {
    /// Returns the nanoseconds that `GC.GetTotalPauseDuration` counts.
    pub fn duration(&self) -> i64 {
        self.counted_until.saturating_sub(self.start).max(0)
    }

    /// Returns the nanoseconds until all threads were suspended; 0 if unknown.
    pub fn suspend_duration(&self) -> i64 {
        self.suspended.map_or(0, |at| at.saturating_sub(self.start).max(0))
    }

    /// Returns the nanoseconds from the end of the GC's work until threads were resumed and the GC's thread ran again,
    /// if recorded.
    pub fn resume_duration(&self) -> Option<i64> {
        self.restarted.map(|at| at.saturating_sub(self.counted_until).max(0))
    }

    /// Returns the nanoseconds of GC work: the counted time after all threads were suspended.
    pub fn work_duration(&self) -> i64 {
        self.duration().saturating_sub(self.suspend_duration()).max(0)
    }

    /// Returns the nanoseconds in which no managed thread ran.
    pub fn stopped_duration(&self) -> i64 {
        self.end.saturating_sub(self.start).max(0)
    }
}

/// Heap sizes after a GC.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeapAfter {
    /// Time of the report in nanoseconds.
    pub time: i64,
    /// Bytes of generations 0, 1, 2, LOH and POH.
    pub sizes: [u64; 5],
    /// [`protocol::base::ids::EventId`] of the reporting event.
    pub event: u32,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gc {
    /// The runtime's number.
    pub number: u32,
    /// Oldest generation collected.
    pub generation: u8,
    /// 0 blocking, 1 background, 2 foreground during a background GC.
    pub kind: u8,
    /// The runtime's reason code.
    pub reason: u32,
    /// Time of its start event.
    pub start: i64,
    /// Time of its end event; `None` if the trace has none.
    pub end: Option<i64>,
    /// Its pauses in time order.
    pub pauses: Vec<Pause>,
    /// Heap sizes after it; `None` if not recorded.
    pub heap: Option<HeapAfter>,
    /// [`protocol::base::ids::ThreadId`] of the start event.
    pub thread: u32,
    /// [`protocol::base::ids::EventId`] of the start event.
    pub event: u32,
}

impl Gc {
    /// Returns whether it runs while threads run.
    pub fn is_background(&self) -> bool {
        self.kind == BACKGROUND
    }

    /// Returns the sum of its pauses in nanoseconds, as `GC.GetTotalPauseDuration` counts them.
    pub fn pause_total(&self) -> i64 {
        self.sum(Pause::duration)
    }

    /// Returns the sum of a duration over its pauses in nanoseconds.
    pub fn sum(&self, duration: impl Fn(&Pause) -> i64) -> i64 {
        self.pauses.iter().map(duration).fold(0, i64::saturating_add)
    }

    /// Returns the last known time.
    pub fn last_known(&self) -> i64 {
        let pauses = self.pauses.iter().map(|pause| pause.end).max();
        self.end.into_iter().chain(pauses).fold(self.start, i64::max)
    }

    /// Returns the first time: of its first pause, or its start.
    pub fn first_known(&self) -> i64 {
        self.pauses.first().map_or(self.start, |pause| pause.start.min(self.start))
    }
}

const BACKGROUND: u8 = 1;
/// If GC end follows the GC's last event about its work within this many nanoseconds, the pause clock stopped halfway
/// between them. Otherwise the thread lost its CPU in between, after the clock had stopped.
const CLOSE: i64 = 200_000;

/// Returns the GCs of one process in the order of their starts. `events` are in time order.
pub fn gcs(events: impl Iterator<Item = GcEvent>) -> Vec<Gc> {
    let mut machine = Machine::default();
    events.for_each(|event| machine.step(event));
    machine.finish()
}

#[derive(Clone, Copy)]
struct Suspension {
    start: i64,
    suspended: Option<i64>,
    /// Restart begin.
    end: Option<i64>,
    for_gc: bool,
    /// Position of the GC that it belongs to.
    gc: Option<usize>,
    /// Time at which the pause clock stopped, if a single blocking GC ended inside.
    clock_stop: Option<i64>,
    /// True if more than one GC started inside.
    is_shared: bool,
}

impl Suspension {
    fn new(start: i64, for_gc: bool) -> Self {
        Self { start, suspended: None, end: None, for_gc, gc: None, clock_stop: None, is_shared: false }
    }

    fn pause(&self, restarted: Option<i64>, last_known: i64) -> Pause {
        let end = self.end.or(restarted).unwrap_or(last_known).max(self.start);
        let counted_until = self.clock_stop.filter(|_| !self.is_shared).map_or(end, |stop| stop.clamp(self.start, end));
        Pause { start: self.start, suspended: self.suspended, end, counted_until, restarted }
    }
}

#[derive(Default)]
struct Machine {
    gcs: Vec<Gc>,
    /// Suspensions begun and not over, by thread.
    pending: BTreeMap<u32, Suspension>,
    /// Position of the background GC in progress.
    background: Option<usize>,
    /// Position of the latest GC of each number.
    by_number: FastMap<u32, usize>,
    /// Positions of GCs whose heap sizes weren't reported, as long as no GC has ended.
    without_heap: Vec<usize>,
    /// Time at which the latest GC ended, and the positions of those that ended then.
    ended: Option<(i64, Vec<usize>)>,
    /// Time of the latest event about finished GC work.
    work_done: Option<i64>,
}

impl Machine {
    fn step(&mut self, event: GcEvent) {
        match event.step {
            GcStep::SuspendBegin { for_gc } => {
                self.pending.insert(event.thread, Suspension::new(event.time, for_gc));
            }
            GcStep::SuspendEnd => {
                if let Some(suspension) = self.pending.get_mut(&event.thread) {
                    suspension.suspended = Some(event.time);
                }
            }
            GcStep::RestartBegin => {
                if let Some(suspension) = self.pending.get_mut(&event.thread) {
                    suspension.end = Some(event.time);
                }
            }
            GcStep::RestartEnd => self.restart(event),
            GcStep::Gap => self.lose(event.thread),
            GcStep::WorkDone => self.work_done = Some(event.time),
            GcStep::Start { number, generation, kind, reason } => {
                let (start, thread, event) = (event.time, event.thread, event.event);
                let pauses = Vec::new();
                let (end, heap) = (None, None);
                self.start(Gc { number, generation, kind, reason, start, end, pauses, heap, thread, event });
            }
            GcStep::End { number } => self.end(event, number),
            GcStep::HeapStats { sizes } => self.heap_stats(HeapAfter { time: event.time, sizes, event: event.event }),
        }
    }

    /// Assigns sizes to the GC that ended last; before any end, to the GC in progress.
    fn heap_stats(&mut self, heap: HeapAfter) {
        let positions = match &mut self.ended {
            None => &mut self.without_heap,
            Some((_, positions)) => positions,
        };
        while let Some(position) = positions.pop() {
            let one = &mut self.gcs[position];
            if one.heap.is_none() {
                one.heap = Some(heap);
                return;
            }
        }
    }

    fn start(&mut self, gc: Gc) {
        if self.gcs.last().is_some_and(|last| last.number == gc.number) {
            return; // The runtime may report one start twice.
        }
        let position = self.gcs.len();
        if gc.is_background() {
            self.background = Some(position);
        }
        let (start, thread) = (gc.start, self.holder(gc.thread));
        self.by_number.insert(gc.number, position);
        self.without_heap.push(position);
        self.gcs.push(gc);
        // Without one, the trace began inside the pause.
        let held = self.pending.entry(thread).or_insert(Suspension::new(start, true));
        if let Some(earlier) = held.gc.replace(position) {
            let (from, suspended) = (held.start, held.suspended);
            self.gcs[earlier].pauses.push(Pause {
                start: from,
                suspended,
                end: start,
                counted_until: start,
                restarted: None,
            });
            (held.start, held.suspended, held.is_shared) = (start, Some(start), true);
        }
    }

    /// Returns the thread that suspended the others for a GC that starts on `thread`: itself, or (with separate GC
    /// threads) the latest that succeeded.
    fn holder(&self, thread: u32) -> u32 {
        let is_for_gc = |suspension: &Suspension| suspension.for_gc;
        if self.pending.get(&thread).is_some_and(is_for_gc) {
            return thread;
        }
        let others = self.pending.iter().filter(|(_, suspension)| is_for_gc(suspension));
        others
            .max_by_key(|(_, suspension)| (suspension.suspended, suspension.start))
            .map_or(thread, |(&holder, _)| holder)
    }

    fn end(&mut self, event: GcEvent, number: u32) {
        let open = self.by_number.get(&number).copied();
        let Some(position) = open.filter(|&position| self.gcs[position].end.is_none()) else { return };
        self.gcs[position].end = Some(event.time);
        if let Some(held) = self.pending.values_mut().find(|suspension| suspension.gc == Some(position)) {
            let work_done = self.work_done.filter(|at| *at > held.suspended.unwrap_or(held.start));
            held.clock_stop = Some(match work_done {
                Some(at) if event.time - at >= CLOSE => at,
                Some(at) => at + (event.time - at) / 2,
                None => event.time,
            });
        }
        match &mut self.ended {
            Some((last, _)) if *last > event.time => {}
            Some((last, positions)) if *last == event.time => {
                let at = positions.partition_point(|&other| other < position);
                positions.insert(at, position);
            }
            ended => *ended = Some((event.time, vec![position])),
        }
        if self.background == Some(position) {
            self.background = None;
        }
    }

    fn restart(&mut self, event: GcEvent) {
        let Some(suspension) = self.pending.remove(&event.thread) else { return };
        let pause = suspension.pause(Some(event.time), event.time);
        // Without a start inside it, it is a later pause of the background GC.
        let owner = suspension.gc.or(self.background.filter(|_| suspension.for_gc));
        if let Some(position) = owner {
            self.gcs[position].pauses.push(pause);
        }
    }

    /// Ends a thread's suspension where it is last known: the lost events may have been its end, and the begin of
    /// another one.
    fn lose(&mut self, thread: u32) {
        let Some(suspension) = self.pending.remove(&thread) else { return };
        if let Some(gc) = suspension.gc.map(|position| &mut self.gcs[position]) {
            let last_known = gc.last_known();
            gc.pauses.push(suspension.pause(None, last_known));
        }
    }

    fn finish(mut self) -> Vec<Gc> {
        let open: Vec<u32> = self.pending.keys().copied().collect();
        open.into_iter().for_each(|thread| self.lose(thread));
        self.gcs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGIN: GcStep = GcStep::SuspendBegin { for_gc: true };

    fn start(number: u32, kind: u8) -> GcStep {
        GcStep::Start { number, generation: 2, kind, reason: 0 }
    }

    /// Returns number, first time and total pause of every GC.
    fn pauses(events: &[(i64, u32, GcStep)]) -> Vec<(u32, i64, i64)> {
        let events = events.iter().map(|&(time, thread, step)| GcEvent { time, thread, event: 0, step });
        gcs(events).iter().map(|one| (one.number, one.first_known(), one.pause_total())).collect()
    }

    fn only_pause(events: &[(i64, u32, GcStep)]) -> Pause {
        let events = events.iter().map(|&(time, thread, step)| GcEvent { time, thread, event: 0, step });
        match gcs(events).as_slice() {
            [Gc { pauses, .. }] if pauses.len() == 1 => pauses[0],
            other => panic!("one GC with one pause, not {other:?}"),
        }
    }

    #[test]
    fn pause_does_not_continue_across_lost_events() {
        let events = [
            (10, 1, BEGIN),
            (12, 1, GcStep::SuspendEnd),
            (13, 1, start(7, 0)),
            (20, 1, GcStep::End { number: 7 }),
            (900, 1, GcStep::Gap),
            (900, 1, GcStep::RestartEnd),
        ];
        assert_eq!(pauses(&events), [(7, 10, 10)]);
        assert_eq!(pauses(&events[..3]), [(7, 10, 3)], "the start is the last that is known");
    }

    #[test]
    fn pause_counts_until_work_is_done_and_ends_at_restart_begin() {
        let mut events = vec![
            (10, 1, BEGIN),
            (12, 1, GcStep::SuspendEnd),
            (13, 1, start(7, 0)),
            (17, 1, GcStep::WorkDone),
            (18, 1, GcStep::WorkDone),
            (20, 1, GcStep::End { number: 7 }),
            (21, 1, GcStep::RestartBegin),
            (5000, 1, GcStep::RestartEnd),
        ];
        let pause = only_pause(&events);
        let expected = Pause { start: 10, suspended: Some(12), end: 21, counted_until: 19, restarted: Some(5000) };
        assert_eq!(pause, expected);
        let durations = (pause.duration(), pause.suspend_duration(), pause.work_duration(), pause.stopped_duration());
        assert_eq!((durations, pause.resume_duration()), ((9, 2, 7, 11), Some(4981)));
        // The thread lost its CPU after the clock had stopped.
        events[5].0 = 18 + CLOSE;
        events[6].0 = 19 + CLOSE;
        events[7].0 = 20 + CLOSE;
        assert_eq!(only_pause(&events).counted_until, 18);
        // No event reports the GC work.
        events.retain(|(.., step)| *step != GcStep::WorkDone);
        assert_eq!(only_pause(&events).counted_until, 18 + CLOSE);
    }

    #[test]
    fn background_gc_pause_counts_until_threads_run() {
        let events = [
            (10, 1, BEGIN),
            (11, 1, GcStep::SuspendEnd),
            (12, 1, start(7, 1)),
            (15, 1, GcStep::RestartBegin),
            (18, 1, GcStep::RestartEnd),
            (30, 5, GcStep::End { number: 7 }),
        ];
        assert_eq!((only_pause(&events).counted_until, only_pause(&events).end), (15, 15));
    }

    #[test]
    fn pause_without_restart_begin_lasts_until_restart_end() {
        let events = [(10, 1, BEGIN), (12, 1, GcStep::SuspendEnd), (13, 1, start(7, 0)), (21, 1, GcStep::RestartEnd)];
        assert_eq!(pauses(&events), [(7, 10, 11)]);
    }

    #[test]
    fn suspension_by_sampler_is_not_a_gc_pause() {
        let sampler = GcStep::SuspendBegin { for_gc: false };
        let events = [(1, 9, sampler), (2, 9, GcStep::SuspendEnd), (3, 9, GcStep::RestartEnd)];
        assert_eq!(pauses(&events), []);
        // It reports its restart only after a GC has begun on another thread.
        let late = [
            (1, 9, sampler),
            (2, 9, GcStep::SuspendEnd),
            (3, 1, BEGIN),
            (4, 1, GcStep::SuspendEnd),
            (5, 1, start(7, 0)),
            (6, 9, GcStep::RestartEnd),
            (9, 1, GcStep::RestartEnd),
        ];
        assert_eq!(pauses(&late), [(7, 3, 6)]);
    }

    #[test]
    fn foreground_gc_inside_background_gc_has_own_pause() {
        let events = [
            (10, 1, BEGIN),
            (11, 1, GcStep::SuspendEnd),
            (12, 1, start(7, 1)),
            (13, 1, GcStep::RestartEnd),
            (20, 5, BEGIN),
            (21, 2, BEGIN),
            (22, 5, GcStep::SuspendEnd),
            (25, 5, GcStep::RestartEnd),
            (26, 2, GcStep::SuspendEnd),
            (27, 2, start(8, 2)),
            (28, 2, GcStep::End { number: 8 }),
            (29, 2, GcStep::RestartEnd),
            (30, 5, GcStep::End { number: 7 }),
            (40, 1, BEGIN),
            (41, 1, GcStep::SuspendEnd),
            (42, 1, GcStep::RestartEnd),
        ];
        assert_eq!(pauses(&events), [(7, 10, 3 + 5), (8, 21, 7)]);
    }

    #[test]
    fn gcs_sharing_a_pause_split_it() {
        let events = [
            (10, 1, BEGIN),
            (11, 1, GcStep::SuspendEnd),
            (12, 1, start(7, 1)),
            (14, 1, start(8, 0)),
            (20, 1, GcStep::RestartEnd),
        ];
        assert_eq!(pauses(&events), [(7, 10, 4), (8, 14, 6)]);
    }

    #[test]
    fn gc_cut_by_trace_ends_at_last_known_event() {
        assert_eq!(pauses(&[(5, 1, start(7, 0)), (9, 1, GcStep::RestartEnd)]), [(7, 5, 4)]);
        assert_eq!(
            pauses(&[
                (1, 1, BEGIN),
                (2, 1, GcStep::SuspendEnd),
                (5, 1, start(7, 0)),
                (9, 1, GcStep::End { number: 7 })
            ]),
            [(7, 1, 8)]
        );
    }

    #[test]
    fn heap_sizes_belong_to_latest_ended_gc() {
        let sizes = |size| GcStep::HeapStats { sizes: [size, 0, 0, 0, 0] };
        let events = [
            (12, 1, start(7, 1)),
            (21, 2, start(8, 2)),
            (22, 2, GcStep::End { number: 8 }),
            (23, 2, sizes(80)),
            (30, 5, GcStep::End { number: 7 }),
            (31, 5, sizes(70)),
            (32, 5, sizes(1)),
        ];
        let events = events.map(|(time, thread, step)| GcEvent { time, thread, event: 0, step });
        let heaps: Vec<_> = gcs(events.into_iter()).iter().map(|one| one.heap.map(|heap| heap.sizes[0])).collect();
        assert_eq!(heaps, [Some(70), Some(80)]);
    }

    #[test]
    fn gc_thread_starts_gc_after_suspension_by_another_thread() {
        let events = [(10, 1, BEGIN), (11, 1, GcStep::SuspendEnd), (12, 3, start(7, 0)), (15, 1, GcStep::RestartEnd)];
        assert_eq!(pauses(&events), [(7, 10, 5)]);
    }
}
