//! What is wrong with the recording itself, and so puts other figures in doubt: lost events, code without names, times
//! without samples, event sources that failed, floods of events, events that are not as declared.

use super::event_source_findings::event_source_findings;
use super::flood_findings::flood_findings;
use super::schema_findings::schema_findings;
use super::shared::evidence::{extent, link, times};
use super::shared::thread_names::thread_name;
use super::{Known, Scope};
use crate::analysis::samples::thread_samples::{Sampling, ThreadSamples};
use crate::model::Store;
use protocol::base::ids::{FrameId, StackId, ThreadId};
use protocol::base::time::Span;
use protocol::format::{count, counted, duration, percent};
use protocol::topics::finding::{Finding, FindingKind, FindingTarget};
use protocol::topics::report::Unit;
use std::cmp::Reverse;

/// A share of stacks with code that has no name from which on it is a finding.
const NAMELESS_SHARE: f64 = 0.05;
/// No thread has a sample for so many of the sampler's periods, and for so long, nanoseconds.
const GAP_PERIODS: i64 = 20;
const GAP: i64 = 200_000_000;

/// Threads are not sampled for this share of their time, and so many nanoseconds, before it's a finding.
const UNSAMPLED_SHARE: f64 = 0.05;
const UNSAMPLED_LEAST: i64 = 1_000_000_000;

/// Time of sampled threads, and how much of it no sample covers.
#[derive(Clone, Debug, Default)]
pub struct SampledTime {
    /// Nanoseconds of all threads.
    pub total: i64,
    /// Nanoseconds without samples, by thread.
    pub unsampled: Vec<(ThreadId, i64)>,
}

/// All of them.
pub fn recording_findings(known: &Known<'_>, scope: &Scope<'_>, time: &SampledTime) -> Vec<Finding> {
    let found = [
        lost_events(known.store, scope),
        no_names(known, scope),
        sampling_gap(known, scope, time),
        flood_findings(known, scope),
    ];
    let found = found.into_iter().flatten();
    found.chain(event_source_findings(known, scope)).chain(schema_findings(known, scope)).collect()
}

/// Events that were lost while what counts was recorded.
fn lost_events(store: &Store, scope: &Scope<'_>) -> Option<Finding> {
    let clock = store.clock();
    let first = store.full_span().start.0;
    let time_of = |after: Option<i64>, before: i64| {
        Span::new(after.map_or(first, |ticks| clock.nanos(ticks).0), clock.nanos(before).0.saturating_add(1))
    };
    let (mut lost, mut when, mut threads) = (0u64, Vec::new(), Vec::new());
    for loss in store.losses() {
        let time = time_of(loss.after_ticks, loss.before_ticks);
        if scope.filter.span.is_none_or(|span| time.intersect(span).is_some()) {
            lost += loss.count;
            when.push(time);
            threads.push(loss.os_thread);
        }
    }
    if lost == 0 {
        return None;
    }
    threads.sort_unstable();
    threads.dedup();
    let when = times(when);
    let of_all = percent(lost as f64, (lost + scope.selection.count()) as f64);
    let low_by = match of_all.strip_prefix('<') {
        Some(most) => format!("less than {}", most.trim_start()),
        None => format!("about {of_all}"),
    };
    let of_threads = counted(threads.len() as u64, "thread");
    Some(Finding {
        kind: FindingKind::LostEvents,
        title: format!("{} lost", counted(lost, "event")),
        sentence: format!(
            "Event buffers overflowed on {of_threads}. Counts are low by {low_by}, and some start events have no stop."
        ),
        cost: lost as f64,
        unit: Unit::Count,
        cost_words: if lost == 1 { "event lost" } else { "events lost" }.to_owned(),
        links: extent(&when).map(|span| link("Show on timeline", FindingTarget::Timeline(span))).into_iter().collect(),
        times: when,
        advice: "Record with a larger buffer (--buffersize 1024), fewer providers, or a lower level.".to_owned(),
        weight: 0.0,
    })
}

/// Samples with frames of which nobody knows the method.
fn no_names(known: &Known<'_>, scope: &Scope<'_>) -> Option<Finding> {
    let store = known.store;
    // Native code without symbols is as usual; compiled code without a name means that its names are missing.
    let is_unresolved = |frame: FrameId| {
        let function = store.function_of(frame);
        function.is_some_and(|one| one.is_unresolved && store.strings().get(one.module).is_empty())
    };
    let mut has_unresolved = vec![false; store.stacks().len()];
    for stack in (1..store.stacks().len() as u32).map(StackId) {
        let above = has_unresolved[store.stacks().parent(stack).index()];
        has_unresolved[stack.index()] = above || store.stacks().frame(stack).is_some_and(is_unresolved);
    }
    let (mut samples, mut unresolved) = (0u64, 0u64);
    for (_, thread) in known.samples.iter() {
        for at in thread.inside(scope.span) {
            let stack = thread.stack(at);
            samples += u64::from(stack != StackId(0));
            unresolved += u64::from(has_unresolved.get(stack.index()).copied().unwrap_or(false));
        }
    }
    if samples == 0 || (unresolved as f64) < NAMELESS_SHARE * samples as f64 {
        return None;
    }
    let why = if store.rundown_events() > 0 {
        "No method is known at these addresses: native code or runtime stubs."
    } else {
        "The trace has no rundown, so methods compiled before recording started have no names."
    };
    Some(Finding {
        kind: FindingKind::NoNames,
        title: format!("Unresolved frames in {} of samples", percent(unresolved as f64, samples as f64)),
        sentence: why.to_owned(),
        cost: unresolved as f64,
        unit: Unit::Count,
        cost_words: format!("of {} samples", count(samples)),
        times: Vec::new(),
        links: Vec::new(),
        advice: "Stop recording before the process exits, with rundown enabled, or drop the process's perf-PID.map \
                 file here."
            .to_owned(),
        weight: 0.0,
    })
}

/// Times in which the sampler, which runs, took no sample of any thread; and time of single threads without samples, where it
/// adds up.
fn sampling_gap(known: &Known<'_>, scope: &Scope<'_>, time: &SampledTime) -> Option<Finding> {
    let mut taken: Vec<i64> = Vec::new();
    // What samples processors takes none of what does not run.
    let by_clock =
        || known.samples.iter().map(|(_, thread)| thread).filter(|thread| thread.kind() == Sampling::WallClock);
    for thread in by_clock() {
        taken.extend(thread.inside(scope.span).map(|at| thread.time(at)));
    }
    taken.sort_unstable();
    taken.dedup();
    let period = by_clock().map(ThreadSamples::period).filter(|period| *period > 0).min()?;
    let least = GAP.max(period.saturating_mul(GAP_PERIODS));
    let gaps: Vec<Span> =
        taken.windows(2).filter(|pair| pair[1] - pair[0] > least).map(|pair| Span::new(pair[0], pair[1])).collect();
    let unsampled = time.unsampled.iter().fold(0i64, |sum, (_, nanos)| sum.saturating_add(*nanos));
    let adds_up = unsampled >= UNSAMPLED_LEAST && unsampled as f64 >= UNSAMPLED_SHARE * time.total as f64;
    let longest = gaps.iter().copied().max_by_key(|gap| gap.duration());
    let mut sentences = Vec::new();
    if let Some(longest) = longest {
        let often = match gaps.len() {
            1 => format!("for {}", duration(longest.duration())),
            many => format!("{} times, for up to {}", count(many as u64), duration(longest.duration())),
        };
        let usual = duration(period);
        sentences.push(format!("The sampler normally runs every {usual} but captured nothing {often}."));
    }
    if adds_up {
        sentences.push(unsampled_words(known, time, unsampled));
    }
    let title = match longest {
        Some(longest) => format!("No samples for {}", duration(longest.duration())),
        None if adds_up => format!("No samples for {} of thread time", duration(unsampled)),
        None => return None,
    };
    sentences.push("Stacks can't show what ran then.".to_owned());
    let (cost, cost_words) = match adds_up {
        true => (unsampled, "of thread time without samples"),
        false => (gaps.iter().map(|gap| gap.duration()).sum(), "without samples"),
    };
    Some(Finding {
        kind: FindingKind::SamplingGap,
        title,
        sentence: sentences.join(" "),
        cost: cost as f64,
        unit: Unit::Duration,
        cost_words: cost_words.to_owned(),
        links: longest.map(|gap| link("Show on timeline", FindingTarget::Timeline(gap))).into_iter().collect(),
        times: times(gaps),
        advice: "The process or machine may have been suspended, or the sampler was starved. Check whether other \
                 events continue."
            .to_owned(),
        weight: 0.0,
    })
}

/// "11.6 s of 214.6 s of thread time have no samples (5.4%), most of it on Main 921 (3.2 s)."
fn unsampled_words(known: &Known<'_>, time: &SampledTime, unsampled: i64) -> String {
    let most = time.unsampled.iter().max_by_key(|(id, nanos)| (*nanos, Reverse(*id)));
    let most = most.map_or_else(String::new, |(id, nanos)| {
        format!(", most of it on {} ({})", thread_name(known.store, Some(*id)), duration(*nanos))
    });
    format!(
        "{} of {} of thread time ({}) have no samples{most}.",
        duration(unsampled),
        duration(time.total),
        percent(unsampled as f64, time.total as f64)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{Happening, What, store_of};
    use crate::analysis::topics::tests::reports::recording_findings_of;
    use crate::model::testing::read;
    use crate::session::{FileFacts, Session};
    use nettrace::testing::{Event, Format, TraceBuilder};
    use nettrace::{Header, MetadataRecord};
    use protocol::request::Filter;

    const MILLISECOND: i64 = 1_000_000;

    fn of_kind(mut found: Vec<Finding>, kind: FindingKind) -> Vec<Finding> {
        found.retain(|one| one.kind == kind);
        found
    }

    /// Twenty events, after the tenth of which so many were lost.
    fn losing(lost: u32) -> Vec<Finding> {
        let header = Header { sync_ticks: 0, tick_frequency: 1_000_000_000, ..Format::Nettrace4.header() };
        let mut trace = TraceBuilder::with_header(Format::Nettrace4, &header);
        let record = MetadataRecord {
            metadata_id: 1,
            provider: "Shop".to_owned(),
            event_id: 1,
            name: "Sold".to_owned(),
            ..MetadataRecord::default()
        };
        trace.metadata(&[record]);
        let event = |at: u32| Event {
            metadata_id: 1,
            sequence: 1 + at + if at < 10 { 0 } else { lost },
            capture_thread: 7,
            thread: 7,
            timestamp: i64::from(at) * MILLISECOND,
            is_sorted: true,
            ..Event::default()
        };
        trace.events(&(0..20).map(event).collect::<Vec<_>>());
        let bytes = trace.finish();
        of_kind(recording_findings_of(&read(&bytes), &bytes), FindingKind::LostEvents)
    }

    #[test]
    fn lost_events_are_counted_by_gaps_in_their_numbers() {
        let found = losing(5);
        assert_eq!(found.iter().map(|one| one.cost).collect::<Vec<_>>(), [5.0]);
        assert!(found[0].title.contains('5'), "{}", found[0].title);
        assert_eq!(losing(0), [], "all are there");
    }

    /// A hundred samples, one in so many of which ends in code that has no name.
    fn with_unresolved(one_in: i64) -> Vec<Finding> {
        let unknown = 0x7777_0000;
        let stack = |at: i64| if at % one_in == 0 { vec![1, unknown] } else { vec![1, 2] };
        let happenings: Vec<Happening> =
            (0..100).map(|at| (at * MILLISECOND, 5, What::Sample(true, stack(at)))).collect();
        let (store, bytes) = store_of(&happenings);
        of_kind(recording_findings_of(&store, &bytes), FindingKind::NoNames)
    }

    #[test]
    fn samples_with_unresolved_frames_are_found_from_a_twentieth_on() {
        let found = with_unresolved(10);
        assert_eq!(found.iter().map(|one| one.cost).collect::<Vec<_>>(), [10.0]);
        assert!(found[0].title.contains("10%"), "{}", found[0].title);
        assert_eq!(with_unresolved(50), [], "two of a hundred");
    }

    /// A thousand samples of two threads, one each millisecond, without those of the first whose number `is_missing`.
    fn sampled(threads: u64, is_missing: impl Fn(u64, i64) -> bool) -> Vec<Finding> {
        let at = |at: i64| (0..threads).map(move |thread| (at, thread));
        let happenings: Vec<Happening> = (0..3000)
            .flat_map(at)
            .filter(|(at, thread)| !is_missing(*thread, *at))
            .map(|(at, thread)| (at * MILLISECOND, 5 + thread, What::Sample(true, vec![1])))
            .collect();
        let (store, bytes) = store_of(&happenings);
        let mut session = Session::new(store, Box::new(bytes), FileFacts::default()).expect("a session");
        of_kind(session.findings(&Filter::default()).expect("findings"), FindingKind::SamplingGap)
    }

    #[test]
    fn times_without_any_sample_are_gaps_of_the_sampler() {
        let found = sampled(2, |_, at| (500..750).contains(&at));
        assert_eq!(found.iter().map(|one| one.title.as_str()).collect::<Vec<_>>(), ["No samples for 251.0 ms"]);
        assert_eq!(sampled(2, |_, at| (500..650).contains(&at)), [], "150 ms");
    }

    #[test]
    fn time_without_samples_of_single_threads_adds_up() {
        // Never all at once: three threads are without samples for 1.2 s in all.
        let is_missing = |thread: u64, at: i64| (500 + thread as i64 * 500..900 + thread as i64 * 500).contains(&at);
        let found = sampled(3, is_missing);
        assert_eq!(found.len(), 1);
        assert!(found[0].title.ends_with("of thread time"), "{}", found[0].title);
        assert!((found[0].cost - 1.2e9).abs() < 0.02e9, "{}", found[0].cost);
        assert_eq!(sampled(2, is_missing), [], "0.8 s");
    }
}
