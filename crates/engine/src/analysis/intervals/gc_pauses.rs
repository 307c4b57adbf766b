//! From the runtime's suspensions and collections to collections with their pauses (docs/format/runtime-events.md#gc).
//!
//! The runtime stops all managed threads (suspend begin … suspend end), works, and lets them run again (restart end).
//! Several threads may have begun to stop the others while one holds them, and a thread may tell late that it let them go:
//! so every thread's suspension is followed on its own. The sampler and debuggers stop threads too: such a suspension is
//! no pause of a collection.
//!
//! A pause that several collections share (a background one that begins with a foreground one) is divided where the next
//! one starts, so that the pauses of all collections add up to the time that the program stood still.

use protocol::base::hash::FastMap;
use std::collections::BTreeMap;

/// What happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GcStep {
    /// A thread begins to stop the others.
    SuspendBegin {
        /// Whether a collection is the reason.
        for_gc: bool,
    },
    /// All others are stopped.
    SuspendEnd,
    /// They run again.
    RestartEnd,
    /// A collection starts.
    Start {
        /// The runtime's number of it.
        number: u32,
        /// The oldest generation collected.
        generation: u8,
        /// 0 blocking, 1 background, 2 foreground inside a background one.
        kind: u8,
        /// The runtime's code of the reason.
        reason: u32,
    },
    /// A collection ends.
    End {
        /// The runtime's number of it.
        number: u32,
    },
    /// Sizes after a collection, told when it has ended.
    HeapStats {
        /// Bytes of generations 0, 1, 2, the large and the pinned object heap.
        sizes: [u64; 5],
    },
}

/// When and where it happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GcEvent {
    /// Nanoseconds.
    pub time: i64,
    /// [`protocol::base::ids::ThreadId`].
    pub thread: u32,
    /// [`protocol::base::ids::EventId`].
    pub event: u32,
    /// What.
    pub step: GcStep,
}

/// All managed threads stood still.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pause {
    /// Suspend begin.
    pub start: i64,
    /// Suspend end, if seen.
    pub suspended: Option<i64>,
    /// Restart end; without one the last event of the collection that is known.
    pub end: i64,
}

impl Pause {
    /// Nanoseconds.
    pub fn duration(&self) -> i64 {
        self.end.saturating_sub(self.start).max(0)
    }
}

/// The heap after a collection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HeapAfter {
    /// When it was told, nanoseconds.
    pub time: i64,
    /// Bytes of generations 0, 1, 2, the large and the pinned object heap.
    pub sizes: [u64; 5],
    /// [`protocol::base::ids::EventId`] of the event that told.
    pub event: u32,
}

/// A garbage collection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Gc {
    /// The runtime's number of it.
    pub number: u32,
    /// The oldest generation collected.
    pub generation: u8,
    /// 0 blocking, 1 background, 2 foreground inside a background one.
    pub kind: u8,
    /// The runtime's code of the reason.
    pub reason: u32,
    /// Its start event.
    pub start: i64,
    /// Its end event; none if the trace has none.
    pub end: Option<i64>,
    /// Its pauses in time order.
    pub pauses: Vec<Pause>,
    /// What it left; none if the trace does not tell.
    pub heap: Option<HeapAfter>,
    /// [`protocol::base::ids::ThreadId`] of the start event.
    pub thread: u32,
    /// [`protocol::base::ids::EventId`] of the start event.
    pub event: u32,
}

impl Gc {
    /// Sum of its pauses, nanoseconds.
    pub fn pause_total(&self) -> i64 {
        self.pauses.iter().map(Pause::duration).fold(0, i64::saturating_add)
    }

    /// The last moment that is known of it.
    pub fn last_known(&self) -> i64 {
        let pauses = self.pauses.iter().map(|pause| pause.end).max();
        self.end.into_iter().chain(pauses).fold(self.start, i64::max)
    }

    /// The first moment: of its first pause, or its start.
    pub fn first_known(&self) -> i64 {
        self.pauses.first().map_or(self.start, |pause| pause.start.min(self.start))
    }
}

const BACKGROUND: u8 = 1;

/// The collections of one process in the order of their starts. `events` are in time order.
pub fn gcs(events: impl Iterator<Item = GcEvent>) -> Vec<Gc> {
    let mut machine = Machine::default();
    events.for_each(|event| machine.step(event));
    machine.finish()
}

#[derive(Clone, Copy)]
struct Suspension {
    start: i64,
    suspended: Option<i64>,
    for_gc: bool,
    /// Position of the collection that it belongs to.
    gc: Option<usize>,
}

#[derive(Default)]
struct Machine {
    gcs: Vec<Gc>,
    /// Suspensions begun and not over, by thread.
    pending: BTreeMap<u32, Suspension>,
    /// Position of the background collection in progress.
    background: Option<usize>,
    /// Position of the last collection of each number.
    by_number: FastMap<u32, usize>,
    /// Positions of those of which no heap was told, as long as none has ended.
    untold: Vec<usize>,
    /// When the last one ended, and the positions of those that ended then.
    ended: Option<(i64, Vec<usize>)>,
}

impl Machine {
    fn step(&mut self, event: GcEvent) {
        match event.step {
            GcStep::SuspendBegin { for_gc } => {
                let suspension = Suspension { start: event.time, suspended: None, for_gc, gc: None };
                self.pending.insert(event.thread, suspension);
            }
            GcStep::SuspendEnd => {
                if let Some(suspension) = self.pending.get_mut(&event.thread) {
                    suspension.suspended = Some(event.time);
                }
            }
            GcStep::RestartEnd => self.restart(event),
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

    /// Sizes belong to the collection that ended last; before any end to the one under way.
    fn heap_stats(&mut self, heap: HeapAfter) {
        let told_of = match &mut self.ended {
            None => &mut self.untold,
            Some((_, positions)) => positions,
        };
        while let Some(position) = told_of.pop() {
            let one = &mut self.gcs[position];
            if one.heap.is_none() {
                one.heap = Some(heap);
                return;
            }
        }
    }

    fn start(&mut self, gc: Gc) {
        if self.gcs.last().is_some_and(|last| last.number == gc.number) {
            return; // The runtime may tell of one start twice.
        }
        let position = self.gcs.len();
        if gc.kind == BACKGROUND {
            self.background = Some(position);
        }
        let (start, thread) = (gc.start, self.holder(gc.thread));
        self.by_number.insert(gc.number, position);
        self.untold.push(position);
        self.gcs.push(gc);
        let held = self.pending.entry(thread).or_insert(Suspension {
            // The trace began inside the pause.
            start,
            suspended: None,
            for_gc: true,
            gc: None,
        });
        if let Some(earlier) = held.gc.replace(position) {
            self.gcs[earlier].pauses.push(Pause { start: held.start, suspended: held.suspended, end: start });
            (held.start, held.suspended) = (start, Some(start));
        }
    }

    /// The thread that stopped the others for a collection that starts on `thread`: itself, or (with collector threads of
    /// their own) the one that succeeded last.
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
        let pause = Pause { start: suspension.start, suspended: suspension.suspended, end: event.time };
        // Without a start inside it, it is a later pause of the background collection.
        let owner = suspension.gc.or(self.background.filter(|_| suspension.for_gc));
        if let Some(position) = owner {
            self.gcs[position].pauses.push(pause);
        }
    }

    fn finish(mut self) -> Vec<Gc> {
        for suspension in self.pending.values() {
            if let Some(gc) = suspension.gc.map(|position| &mut self.gcs[position]) {
                let end = gc.last_known();
                gc.pauses.push(Pause { start: suspension.start, suspended: suspension.suspended, end });
            }
        }
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

    /// Number, first moment, sum of pauses of every collection.
    fn pauses(events: &[(i64, u32, GcStep)]) -> Vec<(u32, i64, i64)> {
        let events = events.iter().map(|&(time, thread, step)| GcEvent { time, thread, event: 0, step });
        gcs(events).iter().map(|one| (one.number, one.first_known(), one.pause_total())).collect()
    }

    #[test]
    fn the_pause_lasts_from_suspend_begin_to_restart_end() {
        let events = [
            (10, 1, BEGIN),
            (12, 1, GcStep::SuspendEnd),
            (13, 1, start(7, 0)),
            (20, 1, GcStep::End { number: 7 }),
            (21, 1, GcStep::RestartEnd),
        ];
        assert_eq!(pauses(&events), [(7, 10, 11)]);
    }

    #[test]
    fn the_sampler_stops_threads_without_a_collection() {
        let sampler = GcStep::SuspendBegin { for_gc: false };
        let events = [(1, 9, sampler), (2, 9, GcStep::SuspendEnd), (3, 9, GcStep::RestartEnd)];
        assert_eq!(pauses(&events), []);
        // It tells of its restart only after a collection has begun on another thread.
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
    fn a_background_collection_pauses_again_and_a_foreground_one_inside_has_its_own_pause() {
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
        assert_eq!(pauses(&events), [(7, 10, 3 + 5), (8, 21, 8)]);
    }

    #[test]
    fn collections_that_share_a_pause_divide_it() {
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
    fn what_the_trace_cuts_off_ends_where_knowledge_ends() {
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
    fn sizes_belong_to_the_collection_that_ended_last() {
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
        let told: Vec<_> = gcs(events.into_iter()).iter().map(|one| one.heap.map(|heap| heap.sizes[0])).collect();
        assert_eq!(told, [Some(70), Some(80)]);
    }

    #[test]
    fn a_collector_thread_starts_what_another_thread_made_room_for() {
        let events = [(10, 1, BEGIN), (11, 1, GcStep::SuspendEnd), (12, 3, start(7, 0)), (15, 1, GcStep::RestartEnd)];
        assert_eq!(pauses(&events), [(7, 10, 5)]);
    }
}
