//! Threads that read regions and write chunks, while the owner of the store adds the regions in file order.

use super::chunks::ChunkParts;
use super::job::RegionJob;
use super::rows::RegionRows;
use super::{Scratch, SharedWork};
use crate::model::columns::events::EventChunk;
use crate::model::file::totals::Totals;
use crate::model::out_of_memory::OutOfMemory;
use nettrace::Item;
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// Region up to its sequence point, and how to read it; `None` if only the owner of the store can.
pub(super) type Job<'j, 'd> = (&'j [Item<'d>], Option<RegionJob>);

/// Chunk with the counts of its rows.
pub(super) type Written = Result<(EventChunk, Totals), OutOfMemory>;

/// Threads with the jobs that they share.
pub(super) struct Team<'j, 'd> {
    jobs: &'j [Job<'j, 'd>],
    work: Mutex<Work>,
    /// Signals new work, a result, or the end.
    news: Condvar,
}

#[derive(Default)]
struct Work {
    /// Next region to read.
    next: usize,
    /// Results, by region.
    rows: Vec<Option<Option<RegionRows>>>,
    chunks: VecDeque<(usize, ChunkParts, Arc<[bool]>)>,
    /// Results in the order of the chunks, without those that were taken.
    written: VecDeque<Option<Written>>,
    /// Number of results that were taken.
    taken: usize,
    scratches: Vec<Scratch>,
    time: SharedWork,
    is_over: bool,
}

enum Task {
    Region(usize),
    Chunk(usize, ChunkParts, Arc<[bool]>),
}

impl Work {
    fn task(&mut self) -> Option<(Task, Scratch)> {
        let next = self.next;
        let task = match self.chunks.pop_front() {
            Some((number, parts, is_sample)) => Task::Chunk(number, parts, is_sample),
            None if next < self.rows.len() => {
                self.next += 1;
                Task::Region(next)
            }
            None => return None,
        };
        Some((task, self.scratches.pop().unwrap_or_default()))
    }

    fn take_written(&mut self) -> Option<Written> {
        let written = self.written.front_mut()?.take()?;
        self.written.pop_front();
        self.taken += 1;
        Some(written)
    }
}

/// Ends the work of all threads, even if one of them panics.
struct End<'t, 'j, 'd>(&'t Team<'j, 'd>);

impl Drop for End<'_, '_, '_> {
    fn drop(&mut self) {
        self.0.lock().is_over = true;
        self.0.news.notify_all();
    }
}

impl<'j, 'd> Team<'j, 'd> {
    /// Creates a team for these regions, with the memory of earlier teams.
    pub fn new(jobs: &'j [Job<'j, 'd>], scratches: Vec<Scratch>) -> Self {
        let rows = jobs.iter().map(|_| None).collect();
        Self { jobs, work: Mutex::new(Work { rows, scratches, ..Work::default() }), news: Condvar::new() }
    }

    /// Does the owner's work, while other threads do tasks.
    pub fn assist<R>(&self, threads: usize, own: impl FnOnce() -> R) -> R {
        std::thread::scope(|scope| {
            let _end = End(self);
            (1..threads).for_each(|_| {
                // If the system starts no thread, the others do its work.
                let _ = std::thread::Builder::new().spawn_scoped(scope, || {
                    let _end = End(self);
                    self.wait_for(|work| work.is_over.then_some(()));
                });
            });
            own()
        })
    }

    /// Returns the rows of a region; `None` if only the owner of the store can read it. Meanwhile does other tasks.
    pub fn rows(&self, region: usize) -> Option<RegionRows> {
        self.aside(|| self.wait_for(|work| work.rows.get_mut(region)?.take()))?
    }

    /// Adds chunks to write.
    pub fn write(&self, chunks: Vec<ChunkParts>, is_sample: &Arc<[bool]>) {
        let mut work = self.lock();
        for parts in chunks {
            let number = work.taken + work.written.len();
            work.written.push_back(None);
            work.chunks.push_back((number, parts, is_sample.clone()));
        }
        drop(work);
        self.news.notify_all();
    }

    /// Returns the next chunk if it is written, otherwise `None`.
    pub fn written(&self) -> Option<Written> {
        self.lock().take_written()
    }

    /// Returns the next chunk, after doing tasks until it is written; `None` if there are no more.
    pub fn wait_for_written(&self) -> Option<Written> {
        self.aside(|| {
            self.wait_for(|work| if work.written.is_empty() { Some(None) } else { work.take_written().map(Some) })
        })
        .flatten()
    }

    /// Returns the memory for later teams, and the time of the work.
    pub fn finish(self) -> (Vec<Scratch>, SharedWork) {
        let work = self.work.into_inner().unwrap_or_else(PoisonError::into_inner);
        (work.scratches, work.time)
    }

    fn lock(&self) -> MutexGuard<'_, Work> {
        // What a lock protects is always complete.
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Measures what the owner does instead of its own work.
    fn aside<R>(&self, what: impl FnOnce() -> R) -> R {
        let started = Instant::now();
        let result = what();
        self.lock().time.aside += started.elapsed();
        result
    }

    /// Does tasks until there is a result; `None` if the work ends without it.
    fn wait_for<R>(&self, mut result: impl FnMut(&mut Work) -> Option<R>) -> Option<R> {
        let mut work = self.lock();
        loop {
            if let Some(result) = result(&mut work) {
                return Some(result);
            }
            work = match work.task() {
                _ if work.is_over => return None,
                Some((task, scratch)) => {
                    drop(work);
                    self.work_on(task, scratch)
                }
                None => self.news.wait(work).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    fn work_on(&self, task: Task, mut scratch: Scratch) -> MutexGuard<'_, Work> {
        let started = Instant::now();
        let mut work = match task {
            Task::Region(number) => {
                let rows = self.jobs.get(number).and_then(|(region, job)| {
                    let (_, items) = region.split_last()?;
                    job.as_ref()?.read(items, &mut scratch.region)
                });
                let mut work = self.lock();
                if let Some(result) = work.rows.get_mut(number) {
                    *result = Some(rows);
                }
                work
            }
            Task::Chunk(number, parts, is_sample) => {
                let written = parts.write(&is_sample, &mut scratch.counted);
                // Frees the regions that it was the last to need.
                drop(parts);
                let mut work = self.lock();
                let at = number - work.taken;
                if let Some(result) = work.written.get_mut(at) {
                    *result = Some(written);
                }
                work
            }
        };
        work.scratches.push(scratch);
        work.time.done += started.elapsed();
        self.news.notify_all();
        work
    }
}
