//! Reads the regions between sequence points in parallel.
//!
//! Regions are ordered in time one after another, and references to stacks don't cross them. So threads read whole
//! regions with numbers of their own ([`reader`]); the owner of the store maps these to the numbers of the trace, region
//! by region in file order ([`merge`]); then threads write the columns, chunk by chunk ([`chunks`]). All of this happens
//! at the same time, and the owner does what threads do while it waits for them ([`team`]). What a region job gets and
//! returns is plain data, which workers without shared memory exchange as one buffer ([`transfer`]).
//!
//! The result is the same as without threads. Whatever is rare (damage, undefined types, reused threads, windows) is left
//! to the owner, which then reads the region item by item.
//!
//! In version 6, threads and labels aren't known to the jobs. The owner adds those that a region declares before it maps
//! the region's numbers, so their blocks must precede its events, as in all known files.

pub(super) mod chunks;
mod job;
mod merge;
mod reader;
mod rows;
mod team;
mod transfer;

pub(super) use job::Ahead;
pub(super) use rows::RegionRows;
pub use transfer::{items_of, read_region};

use super::State;
use crate::model::file::totals::CountedColumns;
use crate::model::out_of_memory::OutOfMemory;
use merge::Unfitted;
use nettrace::Item;
use reader::RegionScratch;
use std::ops::AddAssign;
use std::sync::Arc;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use team::{Job, Team, Written};

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

/// Memory of a thread. It is reused, because new memory costs as much as the work.
#[derive(Clone, Debug, Default)]
pub(super) struct Scratch {
    region: RegionScratch,
    counted: CountedColumns,
}

/// Time of the work that threads share.
#[derive(Clone, Copy, Debug, Default)]
pub struct SharedWork {
    /// Sum over all threads.
    pub done: Duration,
    /// Time that the owner of the store spends on this work, or waits for it.
    pub aside: Duration,
}

impl AddAssign for SharedWork {
    fn add_assign(&mut self, other: Self) {
        self.done += other.done;
        self.aside += other.aside;
    }
}

/// Does every task with some threads, of which this is one. Returns the results in the order of the tasks.
pub(in crate::model) fn run<T: Sync, R: Send>(
    threads: usize,
    tasks: &[T],
    work: impl Fn(&T) -> R + Sync,
) -> (Vec<R>, SharedWork) {
    if cfg!(target_arch = "wasm32") {
        // WebAssembly has neither threads nor this clock.
        return (tasks.iter().map(work).collect(), SharedWork::default());
    }
    let started = Instant::now();
    let next = AtomicUsize::new(0);
    let results = Mutex::new((Vec::with_capacity(tasks.len()), SharedWork::default()));
    let take = || {
        let started = Instant::now();
        while let Some((at, task)) =
            Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|at| Some((at, tasks.get(at)?)))
        {
            let result = work(task);
            // A poisoned lock would mean that another thread panicked, which the scope passes on.
            if let Ok(mut results) = results.lock() {
                results.0.push((at, result));
            }
        }
        if let Ok(mut results) = results.lock() {
            results.1.done += started.elapsed();
        }
    };
    std::thread::scope(|scope| {
        (1..threads.min(tasks.len())).for_each(|_| {
            // If the system starts no thread, the others do its work.
            let _ = std::thread::Builder::new().spawn_scoped(scope, take);
        });
        take();
    });
    let (mut results, mut time) = results.into_inner().unwrap_or_default();
    time.aside = started.elapsed();
    results.sort_by_key(|(at, _)| *at);
    (results.into_iter().map(|(_, result)| result).collect(), time)
}

impl State {
    /// Adds items that end with a sequence point.
    pub(super) fn regions(&mut self, items: &[Item<'_>], bytes: Bytes<'_>, threads: usize) -> Result<(), OutOfMemory> {
        if items.is_empty() {
            return Ok(());
        }
        let regions = items.split_inclusive(|item| matches!(item, Item::SequencePoint(_)));
        let mut ahead = self.ahead();
        let jobs: Vec<Job<'_, '_>> =
            regions.map(|region| (region, ahead.as_mut().and_then(|ahead| ahead.job(region)))).collect();
        self.workers = threads;
        let team = Team::new(&jobs, std::mem::take(&mut self.scratches));
        let mut unfitted = Vec::new();
        team.assist(threads, || {
            for (number, (region, _)) in jobs.iter().enumerate() {
                let rows = team.rows(number).filter(|rows| self.accepts(rows));
                if rows.is_none() {
                    // The owner appends rows to the chunks.
                    self.add_all_written(&team)?;
                }
                self.add_region(region, rows, bytes, &mut unfitted)?;
                let chunks = self.columns.take_full_chunks()?;
                if !chunks.is_empty() {
                    let is_sample = self.samples_among_types();
                    team.write(chunks, &is_sample);
                }
                while let Some(written) = team.written() {
                    self.add_written(written)?;
                }
            }
            self.add_all_written(&team)
        })?;
        let (scratches, time) = team.finish();
        self.scratches = scratches;
        self.shared += time;
        self.fit(&unfitted, bytes, threads);
        Ok(())
    }

    /// Adds a region that another worker has read; `None` if it couldn't.
    pub(super) fn region(
        &mut self,
        items: &[Item<'_>],
        bytes: Bytes<'_>,
        rows: Option<RegionRows>,
    ) -> Result<(), OutOfMemory> {
        let mut unfitted = Vec::new();
        let rows = rows.filter(|rows| self.accepts(rows));
        self.add_region(items, rows, bytes, &mut unfitted)?;
        self.fit(&unfitted, bytes, 1);
        let chunks = self.columns.take_full_chunks()?;
        if !chunks.is_empty() {
            let is_sample = self.samples_among_types();
            let mut scratch = self.scratches.pop().unwrap_or_default();
            chunks.iter().try_for_each(|parts| self.add_written(parts.write(&is_sample, &mut scratch.counted)))?;
            self.scratches.push(scratch);
        }
        Ok(())
    }

    /// Adds what was read of a region, if it is acceptable, otherwise reads it item by item.
    fn add_region(
        &mut self,
        region: &[Item<'_>],
        rows: Option<RegionRows>,
        bytes: Bytes<'_>,
        unfitted: &mut Vec<Unfitted>,
    ) -> Result<(), OutOfMemory> {
        match rows.zip(region.split_last()) {
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

    /// Returns by type whether its events are samples, and counts the rows before.
    fn samples_among_types(&mut self) -> Arc<[bool]> {
        self.row_totals.follow(self.columns.complete(), self.types.types());
        super::RowTotals::samples(self.types.types()).into()
    }

    fn add_all_written(&mut self, team: &Team<'_, '_>) -> Result<(), OutOfMemory> {
        while let Some(written) = team.wait_for_written() {
            self.add_written(written)?;
        }
        Ok(())
    }

    fn add_written(&mut self, written: Written) -> Result<(), OutOfMemory> {
        let (chunk, totals) = written?;
        self.columns.add_chunk(chunk)?;
        self.row_totals.absorb(totals, self.columns.complete());
        Ok(())
    }
}
