//! Threads of a trace with their totals in a span.

use crate::analysis::samples::index::SampleIndex;
use crate::analysis::samples::thread_samples::ThreadSamples;
use crate::analysis::scan::selection::Selection;
use crate::model::{Loss, Process, Store, Thread, ThreadRole};
use protocol::base::ids::ThreadId;
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::tables;
use std::cmp::Reverse;
use std::ops::Range;

/// Totals of a thread in a span.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ThreadTotals {
    pub thread: ThreadId,
    /// Number of events, including the thread's samples.
    pub events: u64,
    /// Number of samples of the thread.
    pub samples: u64,
    /// Number of samples in managed code.
    pub managed_samples: u64,
    /// Nanoseconds of samples in managed code, the sort key of threads.
    pub managed_nanos: i64,
    /// Maximum stack depth of its samples.
    pub max_depth: u16,
}

impl ThreadTotals {
    fn of(thread: ThreadId, events: u64) -> Self {
        Self { thread, events, ..Self::default() }
    }
}

/// Returns every thread with an event in the trace, by managed time in the span in descending order.
pub fn busiest_first(store: &Store, samples: &SampleIndex, span: Option<Span>) -> Vec<ThreadTotals> {
    let of_thread = |thread: &ThreadSamples| span.map_or(0..thread.len(), |span| thread.inside(span));
    totals(store, samples, &events_by_thread(store, span), of_thread)
}

/// Returns the same for selected events.
fn selected(store: &Store, samples: &SampleIndex, selection: &Selection) -> Vec<ThreadTotals> {
    let mut events = vec![0u64; store.threads.len()];
    for chunk in store.events.chunks() {
        chunk.threads.for_each(0..chunk.len(), |row, thread| {
            if selection.contains(chunk.first_row + row)
                && let Some(count) = events.get_mut(thread as usize)
            {
                *count += 1;
            }
        });
    }
    totals(store, samples, &events, |thread| {
        (0..thread.len()).filter(|&index| selection.contains(thread.event(index).index()))
    })
}

/// Returns the totals of every thread with an event in the trace, from its number of events and its samples in scope.
fn totals<'s, I: Iterator<Item = usize>>(
    store: &Store,
    samples: &'s SampleIndex,
    events: &[u64],
    of_thread: impl Fn(&'s ThreadSamples) -> I,
) -> Vec<ThreadTotals> {
    let with_events = store.threads.iter().filter(|thread| thread.events > 0);
    let mut totals: Vec<ThreadTotals> = with_events
        .map(|thread| {
            let count = events.get(thread.id.index()).copied().unwrap_or(0);
            let samples = samples.thread(thread.id);
            sampled_totals(store, samples, of_thread(samples), ThreadTotals::of(thread.id, count))
        })
        .collect();
    sort_by_key(&mut totals, |one| (Reverse(one.managed_nanos), Reverse(one.samples), Reverse(one.events), one.thread));
    totals
}

fn sampled_totals(
    store: &Store,
    samples: &ThreadSamples,
    counted: impl Iterator<Item = usize>,
    mut totals: ThreadTotals,
) -> ThreadTotals {
    for index in counted {
        totals.samples += 1;
        if samples.is_managed(index) {
            totals.managed_samples += 1;
            totals.managed_nanos = totals.managed_nanos.saturating_add(samples.weight(index));
        }
        totals.max_depth = totals.max_depth.max(store.stacks.depth(samples.stack(index)));
    }
    totals
}

fn events_by_thread(store: &Store, span: Option<Span>) -> Vec<u64> {
    let rows = span.map(|span| store.events.range(store.clock, span));
    let is_everything = |rows: &Range<usize>| store.indexed.is_none() && *rows == (0..store.events.len());
    let Some(rows) = rows.filter(|rows| !is_everything(rows)) else {
        return store.threads.iter().map(|thread| thread.events).collect();
    };
    let mut counts = vec![0u64; store.threads.len()];
    for (chunk, inside) in store.events.chunks_in(rows) {
        chunk.threads.for_each(inside, |_, thread| {
            if let Some(count) = counts.get_mut(thread as usize) {
                *count += 1;
            }
        });
    }
    counts
}

/// Returns the threads as a table with totals of the selected events; `None` selects all.
pub fn thread_table(store: &Store, samples: &SampleIndex, selection: Option<&Selection>) -> tables::Threads {
    let lost = lost_by_thread(store);
    let clock = store.clock;
    let mut table = tables::Threads::default();
    let busiest = match selection {
        Some(selection) => selected(store, samples, selection),
        None => busiest_first(store, samples, None),
    };
    for totals in busiest {
        let Some(thread) = store.threads.get(totals.thread) else { continue };
        let os_process = store.os_process_of(thread);
        table.thread.push(thread.id.0);
        table.process.push(thread.process.0);
        table.os_process.push(os_process);
        table.os_thread.push(thread.os_thread);
        table.label.push(thread.label());
        table.reason.push(&thread.reason);
        table.number.push(&thread.number());
        table.numbered.push(&thread.numbered_label());
        table.facts.push(&facts(thread));
        let process_label = store.processes.get(thread.process).map(Process::numbered_label);
        table.process_label.push(&process_label.unwrap_or_default());
        table.events.push(totals.events);
        table.samples.push(totals.samples);
        table.managed_samples.push(totals.managed_samples);
        table.lost.push(lost.get(thread.id.index()).copied().unwrap_or(0));
        table.max_depth.push(totals.max_depth);
        table.first.push(clock.nanos(thread.first_ticks).0);
        table.last.push(clock.nanos(thread.last_ticks).0);
    }
    table
}

/// Returns facts from the file about a thread besides its IDs and name.
fn facts(thread: &Thread) -> String {
    let mut facts: Vec<String> = Vec::new();
    if thread.incarnation > 0 {
        facts.push("Reuses the ID of an earlier thread".to_owned());
    }
    if thread.os_id().is_none() && thread.role != ThreadRole::None {
        facts.push("No OS thread ID in the file, only an index".to_owned());
    }
    if thread.indices > 1 {
        facts.push(format!("Listed under {} thread indices", thread.indices));
    }
    facts.extend(thread.attributes.iter().map(|(key, value)| format!("{key}: {value}")));
    facts.join(" · ")
}

/// Returns the number of lost events by thread.
fn lost_by_thread(store: &Store) -> Vec<u64> {
    let mut lost = vec![0u64; store.threads.len()];
    for loss in &store.losses {
        if let Some(thread) = thread_of_loss(store, loss) {
            lost[thread.index()] += loss.count;
        }
    }
    lost
}

/// Returns the thread that lost events; `None` if it has no events in the trace.
pub fn thread_of_loss(store: &Store, loss: &Loss) -> Option<ThreadId> {
    latest_begun(store, |thread| thread.os_thread == loss.os_thread, |thread| thread.first_ticks <= loss.before_ticks)
}

/// Returns, among threads with the same OS ID (systems reuse IDs), the latest that had begun, or else the first.
pub fn latest_begun(
    store: &Store,
    has_id: impl Fn(&Thread) -> bool,
    had_begun: impl Fn(&Thread) -> bool,
) -> Option<ThreadId> {
    let same_id = || store.threads.iter().filter(|thread| has_id(thread));
    let begun = same_id().rfind(|thread| had_begun(thread));
    begun.or_else(|| same_id().next()).map(|thread| thread.id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::filter::select::select;
    use crate::analysis::testing::{What, store_of};
    use protocol::request::Filter;

    #[test]
    fn thread_with_most_managed_time_in_span_is_first() {
        let sample = |managed| What::Sample(managed, vec![1, 2]);
        let (store, bytes) = store_of(&[
            (0, 5, sample(true)),
            (1, 6, sample(false)),
            (10, 5, sample(true)),
            (11, 6, sample(false)),
            (20, 5, sample(false)),
            (21, 6, sample(true)),
            (30, 5, sample(false)),
            (31, 6, sample(true)),
        ]);
        let samples = SampleIndex::build(&store).expect("memory");
        let of = |span| {
            let selection = select(&store, &bytes, &Filter { span, ..Filter::default() }).expect("rows");
            let table = thread_table(&store, &samples, span.and(Some(&selection)));
            let row = |at: usize| (table.os_thread[at], table.managed_samples[at], table.samples[at]);
            (0..2).map(row).collect::<Vec<_>>()
        };
        assert_eq!(of(None), [(5, 2, 4), (6, 2, 4)]);
        assert_eq!(of(Some(Span::new(20, 40))), [(6, 2, 2), (5, 0, 2)]);
        assert_eq!(thread_table(&store, &samples, None).max_depth[0], 2);
        let by_span =
            |span| busiest_first(&store, &samples, span).iter().map(|one| one.managed_nanos).collect::<Vec<_>>();
        assert_eq!(by_span(Some(Span::new(20, 40)))[..2], [10, 0], "as by the events of the span");
    }
}
