//! Event counts of any part of the file from the block directory, even without loaded rows.

use crate::model::{Block, Store};
use protocol::base::ids::ThreadId;
use protocol::base::indexed_part::Window;
use protocol::base::time::Span;

/// Returns the approximate number of events in a window. Blocks that are partly inside count by their share of time.
pub fn events_in(store: &Store, window: &Window) -> u64 {
    let is_wanted: Vec<bool> =
        store.types.iter().map(|one| window.providers.is_empty() || window.providers.contains(&one.provider)).collect();
    let span = window.span.map(|span| ticks_of(store, span));
    let directory = &store.blocks;
    let of = |block: &Block| {
        let wanted = directory.types_of(block).iter().filter(|one| is_wanted.get(one.id as usize) == Some(&true));
        let events: u64 = wanted.map(|one| u64::from(one.events)).sum();
        let share = span.map_or(1.0, |(start, end)| share_before(block, end) - share_before(block, start));
        events as f64 * share
    };
    directory.blocks.iter().map(of).sum::<f64>().round() as u64
}

/// Counts the events of a span by bucket: in total, and for each of `threads`, one row of `buckets` each.
pub fn density(store: &Store, span: Span, buckets: usize, threads: &[ThreadId]) -> (Vec<u32>, Vec<u32>) {
    let (start, end) = ticks_of(store, span);
    let width = end.saturating_sub(start).max(1) as f64 / buckets as f64;
    let edge = |bucket: usize| start.saturating_add((width * bucket as f64) as i64);
    let bucket_of = |ticks: i64| ((ticks.saturating_sub(start) as f64 / width) as usize).min(buckets - 1);
    let (mut all, mut by_thread) = (vec![0; buckets], vec![0; buckets * threads.len()]);
    let mut row_of = vec![usize::MAX; store.threads.len()];
    for (row, thread) in threads.iter().enumerate() {
        row_of[thread.index()] = row * buckets;
    }
    let directory = &store.blocks;
    let with_events = directory.blocks.iter().filter(|block| !directory.types_of(block).is_empty());
    for block in with_events.filter(|block| block.max_ticks >= start && block.min_ticks < end) {
        let touched = bucket_of(block.min_ticks.max(start))..bucket_of(block.max_ticks.min(end)) + 1;
        let last = touched.end - 1;
        let mut before = share_before(block, start);
        for bucket in touched {
            let until = if bucket == last { end } else { edge(bucket + 1) };
            let after = share_before(block, until).max(before);
            // Rounding down at each edge leaves every event in exactly one bucket.
            let inside = |events: u32| (f64::from(events) * after) as u32 - (f64::from(events) * before) as u32;
            all[bucket] += inside(block.items);
            for one in directory.threads_of(block) {
                let row = row_of.get(one.id as usize).copied().unwrap_or(usize::MAX);
                if let Some(count) = by_thread.get_mut(row.saturating_add(bucket)) {
                    *count += inside(one.events);
                }
            }
            before = after;
        }
    }
    (all, by_thread)
}

/// Returns the share of a block's events before a time, assuming an even distribution.
fn share_before(block: &Block, ticks: i64) -> f64 {
    let length = block.max_ticks.saturating_sub(block.min_ticks).saturating_add(1);
    (ticks.saturating_sub(block.min_ticks) as f64 / length as f64).clamp(0.0, 1.0)
}

fn ticks_of(store: &Store, span: Span) -> (i64, i64) {
    let clock = store.clock;
    (clock.ticks_at_or_after(span.start), clock.ticks_at_or_after(span.end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::read;
    use nettrace::testing::{Event, Format, TraceBuilder};
    use nettrace::{Header, MetadataRecord};

    /// Returns ten blocks of 100 events, one per nanosecond, every fifth from another provider, alternating between two
    /// threads.
    fn store() -> Store {
        let format = Format::Nettrace4;
        let header = Header { sync_ticks: 0, tick_frequency: 1_000_000_000, ..format.header() };
        let mut trace = TraceBuilder::with_header(format, &header);
        let record = |metadata_id, provider: &str| MetadataRecord {
            metadata_id,
            provider: provider.to_owned(),
            event_id: 1,
            ..MetadataRecord::default()
        };
        trace.metadata(&[record(1, "Orders"), record(2, "Others")]);
        for block in 0..10 {
            let event = |at: i64| Event {
                metadata_id: if at % 5 == 0 { 2 } else { 1 },
                thread: 5 + at as u64 % 2,
                timestamp: block * 100 + at,
                ..Event::default()
            };
            trace.events(&(0..100).map(event).collect::<Vec<_>>());
        }
        read(&trace.finish())
    }

    #[test]
    fn block_directory_counts_match_rows() {
        let store = store();
        let size = |span, providers: &[&str]| {
            let providers = providers.iter().map(|&name| name.to_owned()).collect();
            events_in(&store, &Window { span, providers })
        };
        assert_eq!(size(None, &[]), 1000);
        assert_eq!(size(None, &["Orders"]), 800);
        assert_eq!(size(Some(Span::new(0, 250)), &["Orders"]), 200);
        assert_eq!(size(Some(Span::new(0, 250)), &["Nobody"]), 0);
        assert_eq!(size(Some(Span::new(2000, 3000)), &[]), 0);
    }

    #[test]
    fn every_event_is_in_one_bucket() {
        let store = store();
        let thread = store.threads.iter().find(|thread| thread.os_thread == 5).map(|thread| thread.id);
        let thread = thread.expect("a thread");
        assert_eq!(density(&store, Span::new(0, 1000), 10, &[thread]), (vec![100; 10], vec![50; 10]));
        assert_eq!(density(&store, Span::new(900, 1100), 4, &[]).0, [50, 50, 0, 0]);
        let (odd, of_thread) = density(&store, Span::new(-7, 1013), 37, &[thread]);
        assert_eq!((odd.iter().sum::<u32>(), of_thread.iter().sum::<u32>()), (1000, 500));
    }
}
