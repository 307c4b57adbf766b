//! Assigns the GC's detail events to GCs.
//!
//! These events have no GC number. A blocking GC writes its events before its end; a background GC writes on its own
//! thread, before its end or (from .NET 5 on) just after, while other GCs may run.

use crate::analysis::intervals::gc_pauses::Gc;
use crate::clr::known::payload::{GC_STEPS, GcGlobalHistory, GcHeapHistory, GcHeapStats};
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, StackId, ThreadId};

/// A detail event of the GC.
#[derive(Debug)]
pub struct GcEvents {
    pub event: EventId,
    pub thread: ThreadId,
    pub time: i64,
    pub step: Step,
}

/// Content of a detail event.
#[derive(Debug)]
pub enum Step {
    /// A GC was triggered.
    Asked {
        reason: u32,
        stack: StackId,
    },
    /// Heap sizes after the GC.
    Left(Box<GcHeapStats>),
    /// History of all heaps.
    Whole(GcGlobalHistory),
    Heap(Box<GcHeapHistory>),
    /// Bytes committed.
    Committed(u64),
}

/// The origin of a GC trigger.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Asker {
    /// The event that records the trigger.
    pub event: EventId,
    pub thread: ThreadId,
    pub stack: StackId,
}

/// A trigger whose GC hasn't started.
#[derive(Clone, Copy, Debug)]
struct Asked {
    time: i64,
    reason: u32,
    by: Asker,
}

/// Facts about a GC that the timeline doesn't need.
#[derive(Clone, Debug, Default)]
pub struct Detail {
    /// Bytes of generations 0, 1, 2, LOH and POH before the GC.
    pub before: Option<[u64; 5]>,
    /// Free bytes inside these after the GC.
    pub free_after: Option<[u64; 5]>,
    /// Number of heaps with a history event.
    pub histories: u32,
    pub heaps: Option<u32>,
    pub is_compacting: Option<bool>,
    /// Microseconds of its steps, and how many steps are recorded, as in [`GcGlobalHistory::steps`].
    pub steps: Option<([u32; GC_STEPS], usize)>,
    /// Bits of the generations that the reasons led to, combined over all heaps.
    pub reasons: u32,
    /// Bits of the conditions, combined over all heaps.
    pub conditions: u32,
    pub stats: Option<Box<GcHeapStats>>,
    pub committed: Option<u64>,
    pub asker: Option<Asker>,
}

impl Detail {
    /// Returns the bytes of all generations before the GC.
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

/// The GCs of a process, and the state needed while its events are read.
#[derive(Default)]
struct OfProcess {
    /// Positions in the list of all GCs, by start.
    gcs: Vec<usize>,
    asked: Vec<Asked>,
    /// The GC about which each thread wrote last.
    written: FastMap<ThreadId, usize>,
}

/// Returns the details of each GC. `gcs` are ordered by start, `events` by time.
pub fn details(store: &Store, gcs: &[Gc], events: Vec<GcEvents>) -> Vec<Detail> {
    let process_of = |thread: ThreadId| store.threads.get(thread).map_or(0, |thread| thread.process.0);
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
    /// Returns the GCs that have started, the latest first.
    fn started<'p>(&'p self, gcs: &'p [Gc], time: i64) -> impl Iterator<Item = usize> + 'p {
        let started = self.gcs.partition_point(|&at| gcs[at].start <= time);
        self.gcs[..started].iter().rev().copied()
    }

    /// Returns the latest GC that has started and not ended.
    fn under_way(&self, gcs: &[Gc], time: i64) -> Option<usize> {
        // A background GC is the oldest of those in progress, and only a few ever are.
        let is_open = |&at: &usize| gcs[at].end.is_none_or(|end| end >= time);
        self.started(gcs, time).take(MAX_INSIDE).find(is_open)
    }

    fn of_history(&self, gcs: &[Gc], time: i64, is_concurrent: bool) -> Option<usize> {
        if is_concurrent {
            return self.started(gcs, time).take(MAX_INSIDE).find(|&at| gcs[at].is_background());
        }
        self.under_way(gcs, time).or_else(|| self.started(gcs, time).next())
    }

    /// Finds the stack that triggered each GC: the latest trigger on the thread that started it; else (server GC has
    /// its own threads) the latest trigger with this reason before the suspension; else the GC's start.
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
                    let row = store.events.row(event);
                    let by = Asker { event, thread: row.thread, stack: row.stack };
                    (store.stacks.depth(row.stack) > 0).then_some(by)
                }
            };
            // Older triggers already got their GC.
            open.drain(..open.len().saturating_sub(MAX_ASKED));
        }
    }
}

/// Maximum number of GCs searched for one that hasn't ended.
const MAX_INSIDE: usize = 1024;
/// Maximum number of pending triggers: hardly more threads trigger a GC at once.
const MAX_ASKED: usize = 64;
