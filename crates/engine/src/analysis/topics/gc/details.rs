//! Which collection the collector's notes are about.
//!
//! They have no number. What a blocking collection writes, it writes before its end; a background one writes on its own
//! thread, before its end or (from .NET 5 on) just after, while others may run.

use crate::analysis::intervals::gc_pauses::Gc;
use crate::clr::known::payload::{GC_STEPS, GcGlobalHistory, GcHeapHistory, GcHeapStats};
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, StackId, ThreadId};

const BACKGROUND: u8 = 1;

/// Something that the collector wrote down.
#[derive(Debug)]
pub struct GcEvents {
    pub event: EventId,
    pub thread: ThreadId,
    pub time: i64,
    pub step: Step,
}

/// Step that it wrote.
#[derive(Debug)]
pub enum Step {
    /// Someone needs a collection.
    Asked { reason: u32, stack: StackId },
    /// The heap that is left.
    Left(Box<GcHeapStats>),
    /// History of all heaps.
    Whole(GcGlobalHistory),
    /// History of a heap.
    Heap(Box<GcHeapHistory>),
    /// Bytes committed.
    Committed(u64),
}

/// Who asked for a collection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asker {
    /// The event that records it.
    pub event: EventId,
    pub thread: ThreadId,
    pub stack: StackId,
}

/// Someone asked for a collection.
#[derive(Clone, Copy, Debug)]
struct Asked {
    time: i64,
    reason: u32,
    by: Asker,
}

/// Facts on a GC beyond the timeline.
#[derive(Clone, Debug, Default)]
pub struct Detail {
    /// Bytes of generations 0, 1, 2, the large and the pinned object heap before it.
    pub before: Option<[u64; 5]>,
    /// Bytes that are free inside of these after it.
    pub free_after: Option<[u64; 5]>,
    /// How many heaps reported about it.
    pub histories: u32,
    /// Number of heaps.
    pub heaps: Option<u32>,
    pub is_compacting: Option<bool>,
    /// Microseconds of its steps and how many of them are recorded, as in [`GcGlobalHistory::steps`].
    pub steps: Option<([u32; GC_STEPS], usize)>,
    /// Bits of the generations that reasons led to, of all heaps together.
    pub reasons: u32,
    /// Bits of conditions, of all heaps together.
    pub conditions: u32,
    pub stats: Option<Box<GcHeapStats>>,
    pub committed: Option<u64>,
    pub asker: Option<Asker>,
}

impl Detail {
    /// Bytes of all generations before it.
    pub fn before_total(&self) -> Option<u64> {
        self.before.map(|sizes| sizes.iter().fold(0u64, |sum, size| sum.saturating_add(*size)))
    }

    fn add_heap(&mut self, heap: &GcHeapHistory) {
        self.histories += 1;
        self.reasons |= heap.reasons;
        self.conditions |= heap.conditions;
        let (before, free) = (self.before.get_or_insert_default(), self.free_after.get_or_insert_default());
        for (at, generation) in heap.generations.iter().enumerate() {
            before[at] = before[at].saturating_add(generation.before);
            free[at] = free[at].saturating_add(generation.free_after);
        }
    }
}

/// The collections of a process, and what is pending while its notes are gone through.
#[derive(Default)]
struct OfProcess {
    /// Positions among all collections, by start.
    gcs: Vec<usize>,
    asked: Vec<Asked>,
    /// The collection that each thread wrote of last.
    written: FastMap<ThreadId, usize>,
}

/// Returns what is known of each of the GCs, which are in the order of their starts. `events` are in order of time.
pub fn details(store: &Store, gcs: &[Gc], events: Vec<GcEvents>) -> Vec<Detail> {
    let process_of = |thread: ThreadId| store.threads().get(thread).map_or(0, |thread| thread.process.0);
    let mut details = vec![Detail::default(); gcs.len()];
    let mut processes: FastMap<u32, OfProcess> = FastMap::default();
    let mut by_stats: FastMap<u32, usize> = FastMap::default();
    for (at, one) in gcs.iter().enumerate() {
        processes.entry(process_of(ThreadId(one.thread))).or_default().gcs.push(at);
        by_stats.extend(one.heap.map(|heap| (heap.event, at)));
    }
    for GcEvents { event, thread, time, step } in events {
        let Some(process) = processes.get_mut(&process_of(thread)) else { continue };
        match step {
            Step::Asked { reason, stack } => {
                process.asked.push(Asked { time, reason, by: Asker { event, thread, stack } });
            }
            Step::Left(stats) => {
                if let Some(&at) = by_stats.get(&event.0) {
                    details[at].stats = Some(stats);
                }
            }
            Step::Whole(history) => {
                let Some(at) = process.of_history(gcs, time, history.is_concurrent()) else { continue };
                process.written.insert(thread, at);
                let detail = &mut details[at];
                (detail.heaps, detail.steps) = (Some(history.heaps), history.steps);
                detail.is_compacting = Some(history.is_compacting());
                detail.conditions |= history.conditions;
            }
            Step::Heap(heap) => {
                let written = process.written.get(&thread).copied();
                let of_heap = written.or_else(|| process.of_history(gcs, time, false));
                if let Some(at) = of_heap {
                    details[at].add_heap(&heap);
                }
            }
            Step::Committed(bytes) => {
                if let Some(at) = process.under_way(gcs, time) {
                    details[at].committed = Some(bytes);
                }
            }
        }
    }
    for process in processes.values_mut() {
        process.find_askers(store, gcs, &mut details);
    }
    details
}

impl OfProcess {
    /// Returns the GCs that had started, the last first.
    fn started<'p>(&'p self, gcs: &'p [Gc], time: i64) -> impl Iterator<Item = usize> + 'p {
        let started = self.gcs.partition_point(|&at| gcs[at].start <= time);
        self.gcs[..started].iter().rev().copied()
    }

    /// The last one that started and had not ended.
    fn under_way(&self, gcs: &[Gc], time: i64) -> Option<usize> {
        // A background collection is the oldest of those under way; more than a few never are.
        let is_open = |&at: &usize| gcs[at].end.is_none_or(|end| end >= time);
        self.started(gcs, time).take(MAX_INSIDE).find(is_open)
    }

    fn of_history(&self, gcs: &[Gc], time: i64, is_concurrent: bool) -> Option<usize> {
        if is_concurrent {
            return self.started(gcs, time).take(MAX_INSIDE).find(|&at| gcs[at].kind == BACKGROUND);
        }
        self.under_way(gcs, time).or_else(|| self.started(gcs, time).next())
    }

    /// The stack that asked for each collection: of the last who did on the thread that started it, else (the server's
    /// collector has threads of its own) of the last who did for this reason before the program was stopped; else of the start.
    fn find_askers(&mut self, store: &Store, gcs: &[Gc], details: &mut [Detail]) {
        let mut asked = self.asked.iter().peekable();
        let mut open: Vec<Asked> = Vec::new();
        for &at in &self.gcs {
            let one = &gcs[at];
            while let Some(next) = asked.next_if(|next| next.time <= one.start) {
                open.push(*next);
            }
            let itself = open.iter().rposition(|asked| asked.by.thread.0 == one.thread);
            let before = |until: i64| open.iter().rposition(|asked| asked.reason == one.reason && asked.time <= until);
            let found = itself.or_else(|| before(one.first_known())).or_else(|| before(one.start));
            details[at].asker = match found {
                Some(found) => {
                    let by = open[found].by;
                    open.drain(..=found);
                    Some(by)
                }
                None => {
                    let event = EventId(one.event);
                    let row = store.events().row(event);
                    let by = Asker { event, thread: row.thread, stack: row.stack };
                    (store.stacks().depth(row.stack) > 0).then_some(by)
                }
            };
            // Whoever asked long ago got their collection.
            open.drain(..open.len().saturating_sub(MAX_ASKED));
        }
    }
}

/// Collections that are looked through for one that has not ended.
const MAX_INSIDE: usize = 1024;
/// Wishes that are kept open: more threads hardly ask at once.
const MAX_ASKED: usize = 64;
