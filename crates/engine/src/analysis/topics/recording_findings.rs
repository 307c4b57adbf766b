//! Findings about the recording itself, which make other figures doubtful: no events or no end, unresolved frames,
//! times without samples, and those of other files (lost events, floods, failed event sources, wrong schemas).

use super::event_source_findings::event_source_findings;
use super::flood_findings::flood_findings;
use super::lost_events::{LARGER_BUFFER, are_counts_minimums, lost_events};
use super::schema_findings::schema_findings;
use super::shared::cost::{THREAD_TIME, WALL_TIME};
use super::shared::evidence::{link, times};
use super::shared::evidence_text::{evidence, moment};
use super::shared::platform::Platform;
use super::shared::silence::{silences, silent_in_pause};
use super::shared::thread_names::thread_name;
use super::{Known, Scope};
use crate::analysis::samples::thread_samples::Sampling;
use crate::model::Store;
use nettrace::Container;
use protocol::base::ids::{FrameId, StackId, ThreadId};
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::format::{count, counted, duration, percent};
use protocol::topics::finding::{Cost, Finding, FindingKind, FindingTarget, MAX_THREADS};
use std::cmp::Reverse;

/// Minimum share of stacks with unresolved frames for a finding.
const UNRESOLVED_SHARE: f64 = 0.05;
/// Minimum share for which stacks are hardly usable, so that the finding comes first.
const UNRESOLVED_LEADS: f64 = 0.5;
/// Minimum gap without samples of any thread, in periods of the sampler and in nanoseconds.
const GAP_PERIODS: i64 = 20;
const GAP: i64 = 200_000_000;
/// Minimum share of a gap inside a GC pause for the gap to belong to the pause.
const MOSTLY: f64 = 0.9;

/// Minimum share of thread time without samples, and minimum nanoseconds, for a finding.
const UNSAMPLED_SHARE: f64 = 0.05;
const UNSAMPLED_LEAST: i64 = 1_000_000_000;

/// Time of sampled threads, and the part without samples.
#[derive(Clone, Debug, Default)]
pub struct SampledTime {
    /// Nanoseconds, summed over threads.
    pub total: i64,
    /// Nanoseconds without samples, by thread.
    pub unsampled: Vec<(ThreadId, i64)>,
}

/// Returns all findings about the recording.
pub fn recording_findings(known: &Known<'_>, scope: &Scope<'_>, time: &SampledTime) -> Vec<Finding> {
    let found = [no_names(known, scope), sampling_gap(known, scope, time), flood_findings(known, scope)];
    let lost = lost_events(known.store, scope);
    let of_sources = event_source_findings(known, scope).into_iter().chain(schema_findings(known, scope));
    found.into_iter().flatten().chain(lost).chain(of_sources).collect()
}

/// Returns the finding that a whole file has no events, has no end, or is damaged.
pub fn file_finding(store: &Store) -> Option<Finding> {
    no_events(store).or_else(|| incomplete(store))
}

/// Returns the finding that a file has no events, or only the rundown.
fn no_events(store: &Store) -> Option<Finding> {
    let (all, rundown) = (store.total_events, store.rundown_events);
    if all > rundown {
        return None;
    }
    let what = if rundown == 0 { "no events" } else { "only rundown events" };
    let is_whole = End::of(store) == End::Regular;
    let (cause, advice, details) = match is_whole {
        false => (
            "The process was killed, or the recorder didn't finish.",
            "Record again, and let dotnet-trace finish.",
            "Stop recording while the process runs.",
        ),
        true => (
            "The app wrote no events of the recorded providers.",
            "Check the --providers option of dotnet-trace.",
            "Use a profile such as dotnet-common, and check that the process ran while recording.",
        ),
    };
    Some(Finding {
        title: format!("The trace has {what}"),
        sentence: cause.to_owned(),
        comes_first: true,
        advice: advice.to_owned(),
        details: details.to_owned(),
        ..Finding::new(FindingKind::NoEvents, Cost::count(all, "events"))
    })
}

/// The end of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    /// Has its end-of-stream marker, or a format without one.
    Regular,
    /// Ends between blocks, without the marker.
    Missing,
    /// Ends within a block.
    Cut,
}

impl End {
    fn of(store: &Store) -> Self {
        let damages = &store.blocks.damages.stretches;
        match store.header.container {
            _ if damages.iter().any(|one| one.error.is_truncation()) => Self::Cut,
            Container::Nettrace if store.blocks.end_of_stream().is_none() => Self::Missing,
            _ => Self::Regular,
        }
    }
}

/// Returns the finding about a recording without an end, or a damaged file.
fn incomplete(store: &Store) -> Option<Finding> {
    let damages = &store.blocks.damages.stretches;
    let unreadable = store.unreadable;
    let bytes = damages.iter().fold(unreadable.bytes, |sum, one| sum.saturating_add(one.bytes));
    let rundown = match store.rundown_events {
        0 => ", before the method names were written",
        _ => "",
    };
    let recorded = Cost::time(store.full_span.duration(), "recorded");
    let (title, sentence, cost) = match End::of(store) {
        End::Cut => {
            ("The recording was cut off".to_owned(), format!("The file ends within a block{rundown}."), recorded)
        }
        End::Missing => {
            let cause = "The end-of-stream marker is missing";
            ("The recording is incomplete".to_owned(), format!("{cause}{rundown}."), recorded)
        }
        End::Regular if unreadable.garbled_bytes > 0 => {
            let cost = Cost::bytes(bytes.saturating_add(unreadable.garbled_bytes), "in damaged blocks");
            let sentence = "Events in damaged blocks are missing or wrong; others were read.";
            ("Part of the file is damaged".to_owned(), sentence.to_owned(), cost)
        }
        End::Regular if bytes > 0 => {
            let cost = Cost::bytes(bytes, "unreadable");
            let sentence = match unreadable.events {
                0 => "Everything else was read; counts are minimums.".to_owned(),
                events => format!("{} can't be read; counts are minimums.", counted(events, "event")),
            };
            (format!("{} of the file is damaged", cost.size()), sentence, cost)
        }
        End::Regular => return None,
    };
    let (advice, details) = match End::of(store) {
        End::Regular => (
            COPY_AGAIN,
            "The end of the file is intact, so bytes were changed or lost while the file was copied or stored. If the \
             original has the same damage, record again.",
        ),
        End::Cut | End::Missing => (
            LET_FINISH,
            "The process was killed, the recorder didn't finish, or the copy was interrupted. Stop recording while the \
             process runs, and don't copy the file until dotnet-trace has exited.",
        ),
    };
    Some(Finding {
        title,
        sentence,
        comes_first: true,
        advice: advice.to_owned(),
        details: details.to_owned(),
        ..Finding::new(FindingKind::IncompleteRecording, cost)
    })
}

/// Fixes for a file without an end, and for one with a damaged part.
const LET_FINISH: &str = "Let dotnet-trace finish after Ctrl+C.";
const COPY_AGAIN: &str = "Copy the file again in binary mode.";

/// Reason why method names are missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum NoNames {
    /// The trace is still being recorded or loaded.
    ComesLater,
    /// The file ends before or within the rundown.
    Cut,
    Damaged,
    NoRundown,
    /// Rundown events were lost.
    Lost,
    /// The rundown is complete: it isn't code with a managed method.
    NotManaged,
}

impl NoNames {
    fn of(known: &Known<'_>) -> Self {
        let store = known.store;
        // The end of a file is lost first, and names come with the rundown, after everything else.
        let rundown = Span::new(store.user_span.end.0, store.full_span.end.0);
        match store.rundown_events {
            0 if known.is_partial => Self::ComesLater,
            _ if End::of(store) != End::Regular => Self::Cut,
            0 => Self::NoRundown,
            _ if store.unreadable.is_any() || !store.blocks.damages.stretches.is_empty() => Self::Damaged,
            _ if are_counts_minimums(store, rundown) => Self::Lost,
            _ => Self::NotManaged,
        }
    }

    fn evidence(self) -> &'static str {
        match self {
            Self::ComesLater => "Method names are written when recording stops.",
            Self::Cut => "Likely cause: the recording ended before its rundown.",
            Self::Damaged => "Likely cause: part of the file is damaged.",
            Self::NoRundown => "Likely cause: the trace has no rundown.",
            Self::Lost => "Likely cause: rundown events were lost.",
            Self::NotManaged => "No known method contains these addresses.",
        }
    }

    fn details(self) -> &'static str {
        match self {
            Self::ComesLater => {
                "Methods that were compiled before the recording started are in the rundown at its end."
            }
            Self::NotManaged => "They belong to native code or runtime stubs.",
            Self::Damaged => "Methods compiled before recording started have no names.",
            _ => "Methods compiled before recording started have no names. Stop recording before the process exits.",
        }
    }

    fn advice(self, store: &Store) -> &'static str {
        match self {
            Self::ComesLater => "Stop recording, or wait until it ends.",
            Self::Cut => LET_FINISH,
            Self::Damaged => COPY_AGAIN,
            Self::NoRundown => Platform::of(store).no_rundown(),
            Self::Lost => LARGER_BUFFER,
            Self::NotManaged => Platform::of(store).unknown_code(),
        }
    }
}

/// Returns the finding about samples with unresolved frames.
fn no_names(known: &Known<'_>, scope: &Scope<'_>) -> Option<Finding> {
    let store = known.store;
    // Native code without symbols is normal; unresolved compiled code means that method names are missing.
    let is_unresolved = |frame: FrameId| {
        let function = store.function_of(frame);
        function.is_some_and(|one| one.is_unresolved && store.strings.get(one.module).is_empty())
    };
    let mut has_unresolved = vec![false; store.stacks.len()];
    for stack in (1..store.stacks.len() as u32).map(StackId) {
        let above = has_unresolved[store.stacks.parent(stack).index()];
        has_unresolved[stack.index()] = above || store.stacks.frame(stack).is_some_and(is_unresolved);
    }
    let (mut samples, mut unresolved) = (0u64, 0u64);
    for (_, thread) in known.samples.iter() {
        for at in thread.inside(scope.span) {
            let stack = thread.stack(at);
            samples += u64::from(stack != StackId(0));
            unresolved += u64::from(has_unresolved.get(stack.index()).copied().unwrap_or(false));
        }
    }
    if samples == 0 || (unresolved as f64) < UNRESOLVED_SHARE * samples as f64 {
        return None;
    }
    let cause = NoNames::of(known);
    let share = percent(unresolved as f64, samples as f64);
    Some(Finding {
        title: format!("Unresolved frames in {} ({share})", counted(unresolved, "sample")),
        sentence: cause.evidence().to_owned(),
        comes_first: cause != NoNames::ComesLater && unresolved as f64 >= UNRESOLVED_LEADS * samples as f64,
        advice: cause.advice(known.store).to_owned(),
        details: cause.details().to_owned(),
        ..Finding::new(FindingKind::NoNames, Cost::count(unresolved, &format!("of {}", counted(samples, "sample"))))
    })
}

/// Returns the finding about times in which the running sampler took no sample of any thread, times without any events,
/// and threads without samples, if these add up.
fn sampling_gap(known: &Known<'_>, scope: &Scope<'_>, time: &SampledTime) -> Option<Finding> {
    let mut taken: Vec<i64> = Vec::new();
    // CPU samples don't include waiting threads.
    let by_clock =
        || known.samples.iter().map(|(_, thread)| thread).filter(|thread| thread.kind == Sampling::WallClock);
    for thread in by_clock() {
        taken.extend(thread.inside(scope.span).map(|at| thread.time(at)));
    }
    taken.sort_unstable();
    taken.dedup();
    let period = by_clock().map(|thread| thread.period).filter(|period| *period > 0).min();
    let least = GAP.max(period.unwrap_or(0).saturating_mul(GAP_PERIODS));
    let mut gaps: Vec<Span> =
        taken.windows(2).filter(|pair| pair[1] - pair[0] > least).map(|pair| Span::new(pair[0], pair[1])).collect();
    let pauses = || known.gcs.iter().flat_map(|one| &one.pauses);
    // While threads are suspended for a GC, the sampler waits, too.
    gaps.retain(|gap| !pauses().any(|pause| is_mostly_in(*gap, Span::new(pause.start, pause.end))));
    let mut silent: Vec<Span> = gaps.iter().flat_map(|gap| silences(known.store, *gap, least)).collect();
    let in_pauses: Vec<Span> = pauses()
        .flat_map(|pause| silent_in_pause(known, pause))
        .filter(|time| time.duration() >= GAP && time.intersect(scope.span).is_some())
        .collect();
    gaps.extend(in_pauses.iter().copied());
    silent.extend(in_pauses.iter().copied());
    let unsampled = time.unsampled.iter().fold(0i64, |sum, (_, nanos)| sum.saturating_add(*nanos));
    let adds_up = unsampled >= UNSAMPLED_LEAST && unsampled as f64 >= UNSAMPLED_SHARE * time.total as f64;
    let longest = gaps.iter().copied().max_by_key(|gap| gap.duration());
    let sum = |times: &[Span]| times.iter().map(|time| time.duration()).fold(0, i64::saturating_add);
    let is_silent = !silent.is_empty();
    let mut sentences = Vec::new();
    if let Some(longest) = longest {
        let often = match gaps.len() {
            1 => format!("for {}", duration(longest.duration())),
            many => format!("{} times, for up to {}", count(many as u64), duration(longest.duration())),
        };
        sentences.push(match period {
            Some(period) if in_pauses.len() < gaps.len() => {
                format!("The sampler normally runs every {} but captured nothing {often}.", duration(period))
            }
            _ => format!("Nothing was recorded on the whole machine {often}."),
        });
        if is_silent && in_pauses.len() < gaps.len() {
            sentences.push(format!("No thread recorded any event for {} of that time.", duration(sum(&silent))));
        }
        if !in_pauses.is_empty() {
            let paused = duration(sum(&in_pauses));
            sentences.push(format!("{paused} of that fell within GC pauses, but the GC wasn't the cause."));
        }
    }
    if adds_up {
        sentences.push(unsampled_words(known, time, unsampled));
    }
    let most = time.unsampled.iter().max_by_key(|(id, nanos)| (*nanos, Reverse(*id))).filter(|_| adds_up);
    let sentence = match (longest, most) {
        (_, Some((thread, nanos))) => evidence(
            format!("That is {} of thread time", percent(unsampled as f64, time.total as f64)),
            [format!(", up to {} per thread ({})", duration(*nanos), thread_name(known.store, Some(*thread)))],
        ),
        (Some(longest), None) => match gaps.len() {
            1 => format!("The gap began at {}.", moment(longest.start.0)),
            many => format!(
                "The longest of {} gaps lasted {}, from {}.",
                count(many as u64),
                duration(longest.duration()),
                moment(longest.start.0)
            ),
        },
        (None, None) => String::new(),
    };
    if sentences.is_empty() {
        return None;
    }
    let (record, needs) = Platform::of(known.store).machine_wide_recording();
    sentences.push(match is_silent {
        true => "The process or the machine was probably suspended.".to_owned(),
        false => {
            let why = "Other events continued, so the sampler was starved or blocked. Stacks can't show what ran then.";
            [why, needs].join(" ").trim_end().to_owned()
        }
    });
    let cost = match adds_up {
        true => Cost::time(unsampled, THREAD_TIME),
        false => Cost::time(sum(&gaps), WALL_TIME),
    };
    let mut threads = if adds_up { time.unsampled.clone() } else { Vec::new() };
    sort_by_key(&mut threads, |(id, nanos)| (Reverse(*nanos), *id));
    Some(Finding {
        title: match (adds_up, is_silent) {
            (true, _) => format!("No samples for {} of thread time", cost.size()),
            (false, true) => format!("Nothing recorded for {}", cost.size()),
            (false, false) => format!("No samples for {}", cost.size()),
        },
        sentence,
        details: sentences.join(" "),
        links: longest.map(|gap| link("Show on timeline", FindingTarget::Timeline(gap))).into_iter().collect(),
        times: times(gaps),
        threads: threads.into_iter().map(|(id, _)| id).take(MAX_THREADS).collect(),
        advice: match is_silent {
            true => "Look for a paused VM, CPU limits or a debugger.",
            false => record,
        }
        .to_owned(),
        ..Finding::new(FindingKind::SamplingGap, cost)
    })
}

/// Returns whether nearly all of a time is inside another.
fn is_mostly_in(time: Span, other: Span) -> bool {
    time.intersect(other).is_some_and(|both| both.duration() as f64 >= MOSTLY * time.duration() as f64)
}

/// Returns a sentence: "11.6 s (5.4%) of the 215 s of thread time has no samples; 3.21 s (28%) of that is on Main 921."
fn unsampled_words(known: &Known<'_>, time: &SampledTime, unsampled: i64) -> String {
    let most = time.unsampled.iter().max_by_key(|(id, nanos)| (*nanos, Reverse(*id)));
    let most = most.map_or_else(String::new, |(id, nanos)| {
        let (share, thread) = (percent(*nanos as f64, unsampled as f64), thread_name(known.store, Some(*id)));
        format!("; {} ({share}) of that is on {thread}", duration(*nanos))
    });
    format!(
        "{} ({}) of the {} of thread time has no samples{most}.",
        duration(unsampled),
        percent(unsampled as f64, time.total as f64),
        duration(time.total)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{Happening, What, store_of};
    use crate::analysis::topics::tests::reports::recording_findings_of;
    use crate::model::testing::read;
    use nettrace::testing::{Event, Format, TraceBuilder};
    use nettrace::{Header, MetadataRecord};

    const MILLISECOND: i64 = 1_000_000;

    fn of_kind(mut found: Vec<Finding>, kind: FindingKind) -> Vec<Finding> {
        found.retain(|one| one.kind == kind);
        found
    }

    /// Returns the findings for twenty events, with `lost` events lost after the tenth.
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
    fn lost_events_are_counted_by_sequence_gaps() {
        let found = losing(5);
        assert_eq!(found.iter().map(|one| one.cost.value).collect::<Vec<_>>(), [5.0]);
        assert!(found[0].title.contains('5'), "{}", found[0].title);
        assert_eq!(losing(0), [], "all are there");
    }

    /// Returns the findings for a hundred samples, one in `one_in` of which ends in unresolved code.
    fn with_unresolved(one_in: i64) -> Vec<Finding> {
        let unknown = 0x7777_0000;
        let stack = |at: i64| if at % one_in == 0 { vec![1, unknown] } else { vec![1, 2] };
        let happenings: Vec<Happening> =
            (0..100).map(|at| (at * MILLISECOND, 5, What::Sample(true, stack(at)))).collect();
        let (store, bytes) = store_of(&happenings);
        of_kind(recording_findings_of(&store, &bytes), FindingKind::NoNames)
    }

    #[test]
    fn unresolved_frames_are_found_above_five_percent() {
        let found = with_unresolved(10);
        assert_eq!(found.iter().map(|one| one.cost.value).collect::<Vec<_>>(), [10.0]);
        assert!(found[0].title.contains("10%"), "{}", found[0].title);
        assert_eq!(with_unresolved(50), [], "two of a hundred");
    }
}
