//! Findings about lost events and their cause: full buffers, or events too large for a block.

use super::Scope;
use super::shared::evidence::{on_timeline, times};
use crate::model::{Loss, Store};
use protocol::base::hash::FastSet;
use protocol::base::ids::ThreadId;
use protocol::base::time::Span;
use protocol::filter::{Condition, Query, parse};
use protocol::format::{count, counted, percent};
use protocol::request::Filter;
use protocol::topics::finding::{Cost, Finding, FindingKind, FindingLink, MAX_THREADS};

/// Fix for full buffers.
pub(super) const LARGER_BUFFER: &str = "Record with --buffersize 1024.";

/// Minimum share of lost events for which the finding comes before all others.
const LEADING_SHARE: f64 = 0.05;
/// The runtime doesn't write events larger than 64 KiB. A thread that writes payloads of this size likely also writes
/// too large ones.
const LARGE_PAYLOAD: u32 = 32 * 1024;
/// Maximum number of too large events lost at once by a thread.
const MAX_TOO_LARGE: u64 = 16;
/// Minimum total losses that are attributed to full buffers.
const MAX_TOO_LARGE_IN_ALL: u64 = 1_000;
/// Rows and bytes of all threads around a loss that can't have filled the buffers.
const QUIET_ROWS: usize = 10_000;
const QUIET_BYTES: u64 = 1 << 20;

/// Returns whether lost events may belong to the time range, so that counts are minimums.
pub fn are_counts_minimums(store: &Store, span: Span) -> bool {
    store.losses.iter().any(|loss| loss.count > 0 && time_of(store, loss).intersect(span).is_some())
}

/// Returns the findings about lost events.
pub(super) fn lost_events(store: &Store, scope: &Scope<'_>) -> Vec<Finding> {
    let within = Within::of(store, scope);
    let losses = store.losses.iter().filter(|loss| within.has(store, loss));
    let large_writers = LargeWriters::of(store);
    let (too_large, overflows): (Vec<&Loss>, Vec<&Loss>) =
        losses.partition(|loss| large_writers.may_have_lost(store, loss));
    let overflow = overflow(store, &within, &overflows);
    overflow.into_iter().chain(oversized(store, &too_large)).collect()
}

/// Returns when events were lost: from the last known event before the loss to the event that revealed it.
fn time_of(store: &Store, loss: &Loss) -> Span {
    let clock = store.clock;
    let start = loss.after_ticks.map_or(store.full_span.start.0, |ticks| clock.nanos(ticks).0);
    Span::new(start, clock.nanos(loss.before_ticks).0.saturating_add(1))
}

/// The parts of a filter that apply to lost events: time range and threads.
struct Within {
    span: Option<Span>,
    /// The operating system's thread IDs; `None` for all threads.
    os_threads: Option<Vec<u64>>,
    /// Number of events recorded there.
    recorded: u64,
    /// True if the filter has further conditions.
    asks_more: bool,
}

impl Within {
    fn of(store: &Store, scope: &Scope<'_>) -> Self {
        let filter = scope.filter;
        let query = parse(&filter.query).unwrap_or_default();
        let whole = store.full_span;
        let by_query = query.span_within(whole);
        let chosen = filter.span.map_or(by_query, |span| by_query.intersect(span).unwrap_or(span));
        let span = (chosen != whole).then_some(chosen);
        let others = Filter { span: None, threads: Vec::new(), query: String::new(), ..filter.clone() };
        let asks_more = others != Filter::default() || !is_about_time(&query);
        let of = |thread: &ThreadId| store.threads.get(*thread).map(|thread| thread.os_thread);
        let os_threads =
            (!filter.threads.is_empty() && !asks_more).then(|| filter.threads.iter().filter_map(of).collect());
        // Other conditions can't be checked for lost events, so they are compared with all events recorded in that
        // time.
        let recorded = match span {
            _ if os_threads.is_some() => scope.selection.count(),
            Some(span) => store.events.range(store.clock, span).len() as u64,
            None => store.total_events,
        };
        Self { span, os_threads, recorded, asks_more }
    }

    fn has(&self, store: &Store, loss: &Loss) -> bool {
        self.span.is_none_or(|span| time_of(store, loss).intersect(span).is_some())
            && self.os_threads.as_ref().is_none_or(|threads| threads.contains(&loss.os_thread))
    }

    /// Returns the words for which events the numbers count, if not those that match the filter.
    fn words(&self) -> &'static str {
        match (self.asks_more, self.span) {
            (false, _) => "",
            (true, None) => "In the whole trace, ",
            (true, Some(_)) => "Of all events in this time range, ",
        }
    }
}

/// Returns whether a query has only conditions on time.
fn is_about_time(query: &Query) -> bool {
    match query {
        Query::Is(condition) => matches!(condition, Condition::Time(..)),
        Query::All(parts) => parts.iter().all(is_about_time),
        Query::Not(_) | Query::Any(_) => false,
    }
}

/// OS thread IDs of threads that wrote large payloads; empty if so many events were lost that buffers must have been
/// full.
struct LargeWriters(FastSet<u64>);

impl LargeWriters {
    fn of(store: &Store) -> Self {
        let lost = store.losses.iter().fold(0u64, |sum, loss| sum.saturating_add(loss.count));
        let mut writers = FastSet::default();
        if (1..=MAX_TOO_LARGE_IN_ALL).contains(&lost) {
            for chunk in store.events.chunks() {
                let rows = (0..chunk.len()).filter(|row| chunk.payload_length(*row) >= LARGE_PAYLOAD);
                let threads = rows.filter_map(|row| store.threads.get(chunk.thread(row)));
                writers.extend(threads.map(|thread| thread.os_thread));
            }
        }
        Self(writers)
    }

    /// Returns whether the lost events were probably too large: few at once, on a thread that writes large ones, while
    /// little was written.
    fn may_have_lost(&self, store: &Store, loss: &Loss) -> bool {
        if loss.count > MAX_TOO_LARGE || !self.0.contains(&loss.os_thread) {
            return false;
        }
        let rows = store.events.range(store.clock, time_of(store, loss));
        let lengths = store.events.chunks_in(rows.clone());
        let lengths = lengths.flat_map(|(chunk, rows)| rows.map(|row| u64::from(chunk.payload_length(row))));
        rows.len() <= QUIET_ROWS && lengths.fold(0, u64::saturating_add) <= QUIET_BYTES
    }
}

/// Returns number, times and threads of losses.
fn sum_up(store: &Store, losses: &[&Loss]) -> (u64, Vec<Span>, Vec<ThreadId>) {
    let lost = losses.iter().fold(0u64, |sum, loss| sum.saturating_add(loss.count));
    let when = times(losses.iter().map(|loss| time_of(store, loss)).collect());
    let os_threads: FastSet<u64> = losses.iter().map(|loss| loss.os_thread).collect();
    let all = (0u32..).zip(store.threads.iter());
    let threads = all.filter(|(_, thread)| os_threads.contains(&thread.os_thread)).map(|(id, _)| ThreadId(id));
    (lost, when, threads.take(MAX_THREADS).collect())
}

fn overflow(store: &Store, within: &Within, losses: &[&Loss]) -> Option<Finding> {
    let (lost, when, threads) = sum_up(store, losses);
    if lost == 0 {
        return None;
    }
    let all = lost.saturating_add(within.recorded);
    let of_threads = losses.iter().map(|loss| loss.os_thread).collect::<FastSet<u64>>().len() as u64;
    Some(Finding {
        title: format!("{} lost ({})", counted(lost, "event"), percent(lost as f64, all as f64)),
        sentence: format!(
            "Event buffers overflowed on {}. {}",
            counted(of_threads, "thread"),
            if within.asks_more { "Filters can't apply to lost events." } else { "Counts are minimums." }
        ),
        comes_first: lost as f64 >= LEADING_SHARE * all as f64,
        threads,
        links: timeline(&when),
        times: when,
        advice: LARGER_BUFFER.to_owned(),
        details: format!(
            "{}{} of {} were lost because event buffers overflowed on {}. Some start events have no stop. Fewer providers \
             or a lower level also help.",
            within.words(),
            count(lost),
            counted(all, "event"),
            counted(of_threads, "thread")
        ),
        ..Finding::new(FindingKind::LostEvents, Cost::count(lost, "events lost"))
    })
}

fn oversized(store: &Store, losses: &[&Loss]) -> Option<Finding> {
    let (lost, when, threads) = sum_up(store, losses);
    if lost == 0 {
        return None;
    }
    Some(Finding {
        title: format!("{} {} too large to record", counted(lost, "event"), if lost == 1 { "was" } else { "were" }),
        sentence: "The runtime drops events larger than 64 KiB.".to_owned(),
        threads,
        links: timeline(&when),
        times: when,
        advice: "Split large EventSource payloads, or write a hash.".to_owned(),
        details: format!(
            "Threads that write large payloads lost {}, although few events were being written: the buffers weren't full.",
            counted(lost, "event")
        ),
        ..Finding::new(FindingKind::OversizedEvents, Cost::count(lost, "events too large"))
    })
}

fn timeline(when: &[Span]) -> Vec<FindingLink> {
    on_timeline(when).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::filter::select::select;
    use crate::model::testing::read;
    use nettrace::testing::{Event, Format, TraceBuilder};
    use nettrace::{Header, MetadataRecord};

    const SECOND: i64 = 1_000_000_000;

    fn event(thread: u64, sequence: u32, timestamp: i64, payload: usize) -> Event {
        let payload = vec![0; payload];
        Event { metadata_id: 1, thread, capture_thread: thread, sequence, timestamp, payload, ..Event::default() }
    }

    /// Returns the findings in a trace of these events, for a filter.
    fn found(events: &[Event], filter: &Filter) -> Vec<Finding> {
        let header = Header { sync_ticks: 0, tick_frequency: 1_000_000_000, ..Format::Nettrace4.header() };
        let mut trace = TraceBuilder::with_header(Format::Nettrace4, &header);
        let record =
            MetadataRecord { metadata_id: 1, provider: "Shop".to_owned(), event_id: 1, ..MetadataRecord::default() };
        trace.metadata(&[record]);
        trace.events(events);
        let bytes = trace.finish();
        let store = read(&bytes);
        let selection = select(&store, &bytes, filter).expect("a filter");
        let span = store.indexed_span(filter.span);
        lost_events(
            &store,
            &Scope { filter, selection: selection.into(), span, time: None, states: None, of_any_time: None },
        )
    }

    /// Returns losses of 900 events on thread 7 in the first second, and of one event on thread 8 in the third.
    fn overflowed() -> Vec<Event> {
        vec![
            event(7, 1, 0, 8),
            event(7, 902, SECOND, 8),
            event(8, 1, 2 * SECOND, 8),
            event(8, 3, 3 * SECOND, 8),
            event(7, 903, 4 * SECOND, 8),
        ]
    }

    #[test]
    fn loss_share_is_relative_to_recorded_events() {
        let all = found(&overflowed(), &Filter::default());
        assert_eq!(all.len(), 1);
        assert_eq!((all[0].kind, all[0].comes_first), (FindingKind::LostEvents, true));
        assert_eq!(all[0].title, "901 events lost (99%)");
        assert!(
            all[0].details.starts_with("901 of 906 events were lost because event buffers overflowed on 2 threads.")
        );
        assert_eq!(all[0].sentence, "Event buffers overflowed on 2 threads. Counts are minimums.");
        assert_eq!(all[0].threads.len(), 2);
        let whole = [event(7, 1, 0, 8), event(7, 2, 10, 8)];
        assert_eq!(found(&whole, &Filter::default()), [], "nothing was lost");
    }

    #[test]
    fn few_losses_do_not_come_first() {
        let events: Vec<Event> =
            (1..=100).filter(|number| *number != 50).map(|number| event(7, number, i64::from(number), 8)).collect();
        let all = found(&events, &Filter::default());
        assert_eq!((all[0].title.as_str(), all[0].comes_first), ("1 event lost (1.0%)", false));
    }

    #[test]
    fn only_time_and_thread_filters_apply_to_lost_events() {
        let late = Filter { span: Some(Span::new(SECOND * 3 / 2, 5 * SECOND)), ..Filter::default() };
        assert_eq!(found(&overflowed(), &late)[0].title, "1 event lost (25%)");
        let typed = Filter { query: "time:1500ms..5s".to_owned(), ..Filter::default() };
        assert_eq!(found(&overflowed(), &typed)[0].title, "1 event lost (25%)");
        let thread = |id| Filter { threads: vec![ThreadId(id)], ..Filter::default() };
        let titles: Vec<String> =
            (0..2).flat_map(|id| found(&overflowed(), &thread(id))).map(|one| one.title).collect();
        assert_eq!(titles, ["900 events lost (99.7%)", "1 event lost (33%)"]);
        let provider = Filter { providers: vec!["Nobody".to_owned()], ..Filter::default() };
        let other = found(&overflowed(), &provider);
        assert!(other[0].details.starts_with("In the whole trace, 901 of 906 events"), "{}", other[0].details);
    }

    #[test]
    fn too_large_events_are_not_attributed_to_buffers() {
        let large = |gap: u32| {
            [
                event(7, 1, 0, 40_000),
                event(7, 2 + gap, SECOND, 8),
                event(8, 1, 2 * SECOND, 8),
                event(8, 2, 3 * SECOND, 8),
            ]
        };
        let kinds = |events: &[Event]| found(events, &Filter::default()).iter().map(|one| one.kind).collect::<Vec<_>>();
        assert_eq!(kinds(&large(2)), [FindingKind::OversizedEvents]);
        assert_eq!(kinds(&large(40)), [FindingKind::LostEvents], "many at once");
        let small = [event(7, 1, 0, 8), event(7, 4, SECOND, 8)];
        assert_eq!(kinds(&small), [FindingKind::LostEvents], "the thread writes no large events");
        let mut busy: Vec<Event> = vec![event(7, 1, 0, 40_000)];
        busy.extend((1..=40).map(|number| event(8, number, i64::from(number), 40_000)));
        busy.push(event(7, 4, SECOND, 8));
        assert_eq!(kinds(&busy), [FindingKind::LostEvents], "others filled the buffers");
    }

    #[test]
    fn queries_with_only_time_are_recognized() {
        let is_known = |text: &str| is_about_time(&parse(text).expect("a query"));
        assert!(is_known("") && is_known("time:1s..2s") && is_known("time:1s..2s time:1500ms..3s"));
        assert!(!is_known("provider:Http time:1s..2s") && !is_known("-time:1s..2s"));
    }
}
