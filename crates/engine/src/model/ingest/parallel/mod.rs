//! Reads the regions between sequence points in parallel.
//!
//! Regions are ordered in time one after another, and references to stacks don't cross them. So threads read whole
//! regions with numbers of their own ([`reader`]); the owner of the store maps these to the numbers of the trace, region
//! by region in file order ([`merge`]); then threads write the columns, chunk by chunk ([`chunks`]). What a region job
//! gets and returns is plain data, which workers without shared memory exchange as one buffer ([`transfer`]).
//!
//! The result is the same as without threads. Whatever is rare (damage, undefined types, labels, reused threads, windows,
//! version 6) is left to the owner, which then reads the region item by item.

pub(super) mod chunks;
mod job;
mod merge;
mod reader;
mod rows;
mod transfer;

pub(super) use job::Ahead;
pub(super) use rows::RegionRows;
pub use transfer::{items_of, read_region};

use super::State;
use crate::model::out_of_memory::OutOfMemory;
use chunks::ChunkParts;
use merge::Unfitted;
use nettrace::Item;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Number of payloads that a thread compares with their schemas at a time.
const FITS_A_TASK: usize = 512;

/// Part of the file in memory.
#[derive(Clone, Copy)]
pub(super) struct Bytes<'d> {
    /// Absolute offset of the first byte.
    pub offset: u64,
    pub bytes: &'d [u8],
}

impl<'d> Bytes<'d> {
    fn at(self, offset: u64, length: u32) -> &'d [u8] {
        let start = offset.saturating_sub(self.offset) as usize;
        self.bytes.get(start..start.saturating_add(length as usize)).unwrap_or_default()
    }
}

/// Does every task with some threads, of which this is one. Returns the results in the order of the tasks, and the time.
fn run<T: Sync, R: Send>(threads: usize, tasks: &[T], work: impl Fn(&T) -> R + Sync) -> (Vec<R>, Duration) {
    if cfg!(target_arch = "wasm32") {
        // WebAssembly has neither threads nor this clock.
        return (tasks.iter().map(work).collect(), Duration::ZERO);
    }
    let started = Instant::now();
    let next = AtomicUsize::new(0);
    let results = Mutex::new(Vec::with_capacity(tasks.len()));
    let take = || {
        while let Some((at, task)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, tasks.get(at)?)))
        {
            let result = work(task);
            // A poisoned lock would mean that another thread panicked, which the scope passes on.
            if let Ok(mut results) = results.lock() {
                results.push((at, result));
            }
        }
    };
    std::thread::scope(|scope| {
        (1..threads.min(tasks.len())).for_each(|_| {
            // If the system starts no thread, the others do its work.
            let _ = std::thread::Builder::new().spawn_scoped(scope, take);
        });
        take();
    });
    let mut results = results.into_inner().unwrap_or_default();
    results.sort_by_key(|(at, _)| *at);
    (results.into_iter().map(|(_, result)| result).collect(), started.elapsed())
}

impl State {
    /// Adds items that end with a sequence point.
    pub(super) fn regions(&mut self, items: &[Item<'_>], bytes: Bytes<'_>, threads: usize) -> Result<(), OutOfMemory> {
        let regions = items.split_inclusive(|item| matches!(item, Item::SequencePoint(_)));
        let mut ahead = self.ahead();
        let jobs: Vec<_> = regions.map(|region| (region, ahead.as_mut().and_then(|ahead| ahead.job(region)))).collect();
        let (results, time) = run(threads, &jobs, |(region, job)| {
            job.as_ref()?.read(region.split_last().map_or(&[][..], |(_, items)| items))
        });
        self.shared += time;
        let mut unfitted = Vec::new();
        for ((region, _), rows) in jobs.iter().zip(results) {
            self.add_region(region, rows, bytes, &mut unfitted)?;
        }
        self.fit(&unfitted, bytes, threads);
        self.write_chunks(threads)
    }

    /// Adds a region that another worker has read; `None` if it couldn't.
    pub(super) fn region(
        &mut self,
        items: &[Item<'_>],
        bytes: Bytes<'_>,
        rows: Option<RegionRows>,
    ) -> Result<(), OutOfMemory> {
        let mut unfitted = Vec::new();
        self.add_region(items, rows, bytes, &mut unfitted)?;
        self.fit(&unfitted, bytes, 1);
        self.write_chunks(1)
    }

    /// Adds what was read of a region, or reads it item by item.
    fn add_region(
        &mut self,
        region: &[Item<'_>],
        rows: Option<RegionRows>,
        bytes: Bytes<'_>,
        unfitted: &mut Vec<Unfitted>,
    ) -> Result<(), OutOfMemory> {
        match rows.filter(|rows| self.accepts(rows)).zip(region.split_last()) {
            Some((rows, (point, items))) => {
                self.merge(items, rows, bytes, unfitted)?;
                self.item(point.clone())
            }
            None => region.iter().try_for_each(|item| self.item(item.clone())),
        }
    }

    /// Compares payloads with their schemas.
    fn fit(&mut self, unfitted: &[Unfitted], bytes: Bytes<'_>, threads: usize) {
        let parts: Vec<&[Unfitted]> = unfitted.chunks(FITS_A_TASK).collect();
        let types = &self.types;
        let fit = |one: &Unfitted| types.fit_of(one.event_type, bytes.at(one.offset, one.length));
        let (fits, time) = run(threads, &parts, |part| part.iter().map(fit).collect::<Vec<_>>());
        self.shared += time;
        for (one, fit) in unfitted.iter().zip(fits.into_iter().flatten()) {
            self.types.add_fit(one.event_type, one.decoded, &fit);
        }
    }

    /// Writes the chunks that the merged regions fill.
    fn write_chunks(&mut self, threads: usize) -> Result<(), OutOfMemory> {
        let chunks = self.columns.take_full_chunks()?;
        self.row_totals.follow(self.columns.complete(), self.types.types());
        let is_sample = super::RowTotals::samples(self.types.types());
        let spare = Mutex::new(std::mem::take(self.columns.spare()));
        let (chunks, time) = run(threads, &chunks, |parts: &ChunkParts| {
            let mut counted = spare.lock().ok().and_then(|mut spare| spare.pop()).unwrap_or_default();
            let written = parts.write(&is_sample, &mut counted);
            if let Ok(mut spare) = spare.lock() {
                spare.push(counted);
            }
            written
        });
        *self.columns.spare() = spare.into_inner().unwrap_or_default();
        self.shared += time;
        for written in chunks {
            let (chunk, totals) = written?;
            self.columns.add_chunk(chunk)?;
            self.row_totals.absorb(totals, self.columns.complete());
        }
        Ok(())
    }
}
