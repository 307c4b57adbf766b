//! From the runtime's suspensions and collections to collections with their pauses (field notes 4.4).
//!
//! The runtime stops all managed threads (suspend begin … suspend end), works, and lets them run again (restart end).
//! Several threads may have begun to stop the others, but only one succeeds at a time; the thread that restarts them
//! need not be the one that stopped them (a background collection is restarted by its own thread). The sampler and
//! debuggers stop threads too: such a suspension is no pause of a collection.

use std::collections::HashMap;

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
}

/// When and where it happened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GcEvent {
    /// Nanoseconds.
    pub time: i64,
    /// [`crate::model::ids::ThreadId`].
    pub thread: u32,
    /// [`crate::model::ids::EventId`].
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

/// A garbage collection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Collection {
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
    /// [`crate::model::ids::ThreadId`] of the start event.
    pub thread: u32,
    /// [`crate::model::ids::EventId`] of the start event.
    pub event: u32,
}

impl Collection {
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
pub fn collections(events: impl Iterator<Item = GcEvent>) -> Vec<Collection> {
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
    collection: Option<usize>,
}

#[derive(Default)]
struct Machine {
    collections: Vec<Collection>,
    /// Suspensions begun and not over, by thread.
    pending: HashMap<u32, Suspension>,
    /// The thread whose suspension has succeeded.
    holder: Option<u32>,
    /// Position of the background collection in progress.
    background: Option<usize>,
}

impl Machine {
    fn step(&mut self, event: GcEvent) {
        match event.step {
            GcStep::SuspendBegin { for_gc } => {
                let suspension = Suspension { start: event.time, suspended: None, for_gc, collection: None };
                self.pending.insert(event.thread, suspension);
            }
            GcStep::SuspendEnd => {
                if let Some(suspension) = self.pending.get_mut(&event.thread) {
                    suspension.suspended = Some(event.time);
                    self.holder = Some(event.thread);
                }
            }
            GcStep::RestartEnd => self.restart(event),
            GcStep::Start { number, generation, kind, reason } => {
                self.start(event, Collection {
                    number,
                    generation,
                    kind,
                    reason,
                    start: event.time,
                    end: None,
                    pauses: Vec::new(),
                    thread: event.thread,
                    event: event.event,
                });
            }
            GcStep::End { number } => self.end(event, number),
        }
    }

    fn start(&mut self, event: GcEvent, collection: Collection) {
        if self.collections.last().is_some_and(|last| last.number == collection.number) {
            return; // The runtime may tell of one start twice.
        }
        let position = self.collections.len();
        if collection.kind == BACKGROUND {
            self.background = Some(position);
        }
        self.collections.push(collection);
        let holder = self.holder.unwrap_or(event.thread);
        let suspension = self.pending.entry(holder).or_insert(Suspension {
            // The trace began inside the pause, or the collection follows another one in its pause.
            start: event.time,
            suspended: None,
            for_gc: true,
            collection: None,
        });
        // A background collection that begins with a foreground one owns the pause: it came first.
        suspension.collection.get_or_insert(position);
    }

    fn end(&mut self, event: GcEvent, number: u32) {
        let open = self.collections.iter_mut().rev().find(|collection| collection.number == number);
        if let Some(collection) = open.filter(|collection| collection.end.is_none()) {
            collection.end = Some(event.time);
        }
    }

    fn restart(&mut self, event: GcEvent) {
        let Some(thread) = self.holder.take().or_else(|| self.pending.contains_key(&event.thread).then_some(event.thread))
        else {
            return;
        };
        let Some(suspension) = self.pending.remove(&thread) else { return };
        let pause = Pause { start: suspension.start, suspended: suspension.suspended, end: event.time };
        let in_background = self.background.filter(|_| suspension.for_gc);
        if let Some(position) = suspension.collection.or(in_background) {
            self.collections[position].pauses.push(pause);
        }
    }

    fn finish(mut self) -> Vec<Collection> {
        for suspension in self.pending.values() {
            if let Some(collection) = suspension.collection.map(|position| &mut self.collections[position]) {
                let end = collection.last_known();
                collection.pauses.push(Pause { start: suspension.start, suspended: suspension.suspended, end });
            }
        }
        self.collections
    }
}
