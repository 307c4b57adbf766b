//! Number of events per thread over time, while the trace loads.

use protocol::base::ids::ThreadId;
use serde::{Deserialize, Serialize};

/// Number of buckets. Enough for the loading screen, and cheap to sum for each progress report.
const BUCKETS: usize = 1024;

/// Maximum distance between times. Larger ones are years at any frequency, and so damaged.
const FARTHEST_TICKS: i64 = 1 << 61;

/// Maximum number of threads with their own row. Further threads count only in the total.
const THREADS: usize = 1000;

/// Histogram of events over time, with one row per thread and one for all. When a time exceeds it, the width of its
/// buckets doubles. Events are counted in file order.
#[derive(Clone, Debug, Default)]
pub struct LiveDensity {
    first_bucket_ticks: i64,
    /// Width of a bucket as a power of two, in ticks.
    shift: u32,
    /// Events of all threads per bucket.
    pub total: Vec<u32>,
    threads: Vec<Vec<u32>>,
    started: bool,
    highest_ticks: i64,
    lowest_ticks: i64,
}

/// Buckets over time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Frame {
    first_ticks: i64,
    shift: u32,
}

impl Frame {
    /// Returns the bucket of a time, which may be past the last one.
    #[inline]
    fn bucket(self, ticks: i64) -> u64 {
        // Differences of distant times wrap around, but never into the range of the buckets.
        (ticks.wrapping_sub(self.first_ticks) as u64) >> self.shift
    }
}

/// Counts of some events per thread over time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Buckets {
    frame: Frame,
    /// By thread; those without events are empty.
    threads: Vec<Vec<u32>>,
    /// By thread, after [`Buckets::trim`]: its first bucket.
    firsts: Vec<u32>,
}

impl Buckets {
    pub fn new(frame: Frame) -> Self {
        Self { frame, threads: Vec::new(), firsts: Vec::new() }
    }

    /// Removes the buckets before and after the events of each thread. No event can be added afterwards.
    pub fn trim(&mut self) {
        for row in &mut self.threads {
            let first = row.iter().position(|&count| count > 0).unwrap_or(0);
            let end = row.iter().rposition(|&count| count > 0).map_or(0, |last| last + 1);
            *row = row.get(first..end).unwrap_or_default().to_vec();
            self.firsts.push(first as u32);
        }
    }

    /// Counts an event; returns false if it is outside of the frame.
    #[inline]
    pub fn add(&mut self, thread: u32, ticks: i64) -> bool {
        let bucket = self.frame.bucket(ticks);
        if bucket >= BUCKETS as u64 {
            return false;
        }
        let row = match self.threads.get_mut(thread as usize) {
            Some(row) if !row.is_empty() => row,
            _ => self.add_row(thread as usize),
        };
        if let Some(count) = row.get_mut(bucket as usize) {
            *count = count.saturating_add(1);
        }
        true
    }

    #[cold]
    fn add_row(&mut self, thread: usize) -> &mut [u32] {
        if self.threads.len() <= thread {
            self.threads.resize(thread + 1, Vec::new());
        }
        let Some(row) = self.threads.get_mut(thread) else { return &mut [] };
        row.resize(BUCKETS, 0);
        row
    }
}

impl LiveDensity {
    /// Returns the buckets, if there are events.
    pub(crate) fn frame(&self) -> Option<Frame> {
        self.started.then_some(Frame { first_ticks: self.first_bucket_ticks, shift: self.shift })
    }

    /// Adds counts in an earlier frame; [`LiveDensity::cover`] must follow. `number` returns the number of a thread in
    /// the trace.
    pub(crate) fn absorb(&mut self, counts: &Buckets, number: impl Fn(u32) -> ThreadId) {
        let now = Frame { first_ticks: self.first_bucket_ticks, shift: self.shift };
        let rows = counts.threads.iter().zip(&counts.firsts);
        for (thread, (row, &first)) in (0u32..).zip(rows).filter(|(_, (row, _))| !row.is_empty()) {
            let thread = number(thread);
            if self.threads.get(thread.index()).is_none_or(Vec::is_empty) {
                self.add_row(thread);
            }
            let own = self.threads.get_mut(thread.index()).map_or(&mut [][..], Vec::as_mut_slice);
            for (bucket, &count) in (i64::from(first)..).zip(row).filter(|(_, count)| **count > 0) {
                let Frame { first_ticks, shift } = counts.frame;
                let bucket = now.bucket(first_ticks.wrapping_add(bucket << shift)) as usize;
                for counts in [&mut self.total[..], own] {
                    if let Some(sum) = counts.get_mut(bucket) {
                        *sum = sum.saturating_add(count);
                    }
                }
            }
        }
    }

    /// Returns the number of buckets of each row.
    pub fn buckets(&self) -> usize {
        self.total.len()
    }

    /// Returns the ticks of the start of the first bucket, relative to the sync point.
    pub fn start_ticks(&self) -> i64 {
        self.first_bucket_ticks
    }

    /// Returns the ticks per bucket.
    pub fn bucket_ticks(&self) -> i64 {
        1i64.checked_shl(self.shift).unwrap_or(i64::MAX)
    }

    /// Returns the smallest and largest ticks of the events so far.
    pub fn span_ticks(&self) -> Option<(i64, i64)> {
        self.started.then_some((self.lowest_ticks, self.highest_ticks))
    }

    /// Returns the events of a thread per bucket; empty if it has none, or no row.
    pub fn thread(&self, thread: ThreadId) -> &[u32] {
        self.threads.get(thread.index()).map_or(&[], Vec::as_slice)
    }

    /// Returns the threads with a row.
    pub fn threads(&self) -> impl Iterator<Item = ThreadId> + '_ {
        (0u32..).zip(&self.threads).filter(|(_, row)| !row.is_empty()).map(|(id, _)| ThreadId(id))
    }

    pub fn heap_bytes(&self) -> u64 {
        (4 * (self.total.capacity() + self.threads.iter().map(Vec::capacity).sum::<usize>())) as u64
    }

    /// Extends the buckets to these ticks at once, if there are events, so that their width doesn't change later.
    pub(crate) fn reach(&mut self, ticks: i64) {
        if self.started {
            self.make_room(ticks);
        }
    }

    /// Extends the time range to the smallest and largest ticks of counted events.
    pub(crate) fn cover(&mut self, lowest: i64, highest: i64) {
        let clamp = |ticks: i64| ticks.clamp(-FARTHEST_TICKS, FARTHEST_TICKS);
        self.lowest_ticks = self.lowest_ticks.min(clamp(lowest));
        self.highest_ticks = self.highest_ticks.max(clamp(highest));
    }

    /// Counts an event; [`LiveDensity::cover`] must follow.
    #[inline]
    pub(crate) fn add(&mut self, thread: ThreadId, ticks: i64) {
        // Differences of distant times wrap around, but never into the range of the buckets.
        let bucket = (ticks.wrapping_sub(self.first_bucket_ticks) as u64) >> self.shift;
        let bucket = if bucket < self.total.len() as u64 { bucket as usize } else { self.make_room(ticks) };
        if let Some(count) = self.total.get_mut(bucket) {
            *count = count.saturating_add(1);
        }
        let row = match self.threads.get_mut(thread.index()) {
            Some(row) if !row.is_empty() => row,
            _ => self.add_row(thread),
        };
        if let Some(count) = row.get_mut(bucket) {
            *count = count.saturating_add(1);
        }
    }

    #[cold]
    fn add_row(&mut self, thread: ThreadId) -> &mut [u32] {
        if thread.index() >= THREADS {
            return &mut [];
        }
        if self.threads.len() <= thread.index() {
            self.threads.resize(thread.index() + 1, Vec::new());
        }
        let Some(row) = self.threads.get_mut(thread.index()) else { return &mut [] };
        row.resize(BUCKETS, 0);
        row
    }

    /// Doubles the width of the buckets until they contain `ticks`, and returns the bucket.
    #[cold]
    fn make_room(&mut self, ticks: i64) -> usize {
        let ticks = ticks.clamp(-FARTHEST_TICKS, FARTHEST_TICKS);
        if !self.started {
            self.started = true;
            self.total = vec![0; BUCKETS];
            self.shift = 10;
            self.first_bucket_ticks = ticks;
            (self.lowest_ticks, self.highest_ticks) = (ticks, ticks);
            return 0;
        }
        loop {
            let width = 1i128 << self.shift;
            let distance = i128::from(ticks) - i128::from(self.first_bucket_ticks);
            if (0..width * BUCKETS as i128).contains(&distance) {
                return (distance >> self.shift) as usize;
            }
            if distance < 0 {
                // Existing buckets become the later half.
                self.first_bucket_ticks -= (width * BUCKETS as i128) as i64;
                self.halve(BUCKETS / 2);
            } else {
                self.halve(0);
            }
        }
    }

    /// Merges pairs of buckets and puts the result at `place`.
    fn halve(&mut self, place: usize) {
        self.shift += 1;
        for row in std::iter::once(&mut self.total).chain(&mut self.threads).filter(|row| !row.is_empty()) {
            let half: Vec<u32> =
                row.chunks(2).map(|pair| pair.iter().fold(0, |a: u32, &b| a.saturating_add(b))).collect();
            row.fill(0);
            row.iter_mut().skip(place).zip(half).for_each(|(count, sum)| *count = sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(ticks: &[i64]) -> LiveDensity {
        let mut density = LiveDensity::default();
        for &ticks in ticks {
            density.add(ThreadId(1), ticks);
            density.cover(ticks, ticks);
        }
        density
    }

    #[test]
    fn counts_are_kept_when_time_range_grows() {
        for far in [5_000, 1 << 40, FARTHEST_TICKS] {
            let ticks = [0, 1, far, -far, 900_000, -2_000_000_000, far];
            let density = counted(&ticks);
            assert_eq!(density.total.iter().sum::<u32>(), 7);
            assert_eq!(&density.total, density.thread(ThreadId(1)));
            assert_eq!(density.thread(ThreadId(0)), [0u32; 0]);
            assert_eq!(density.span_ticks(), Some((-far.max(2_000_000_000), far.max(900_000))));
            for at in ticks {
                let bucket = (i128::from(at) - i128::from(density.start_ticks())) / i128::from(density.bucket_ticks());
                assert!(density.total[bucket as usize] > 0, "{far}: {at} is not in its bucket");
            }
        }
    }

    #[test]
    fn extreme_times_never_panic() {
        let density = counted(&[i64::MAX, i64::MIN, 0, i64::MIN, i64::MAX]);
        assert_eq!(density.total.iter().sum::<u32>(), 5);
        assert_eq!(density.span_ticks(), Some((-FARTHEST_TICKS, FARTHEST_TICKS)));
    }
}
