//! Where the time of a span went: on which threads work on it ran, in which states, and through which phases it went.

mod phases;
mod segments;
mod task_wait;
#[cfg(test)]
mod tests;

use crate::analysis::intervals::spans::index::{Family, SpanIndex, SpanOf};
use crate::analysis::intervals::tracks::TrackIndex;
use crate::analysis::samples::runs::StateRun;
use crate::analysis::timeline::thread_states::ThreadStates;
use crate::analysis::topics::RequestOf;
use crate::clr::KnownEvent;
use crate::model::Store;
use phases::{nested, of_spans};
use protocol::base::hash::FastSet;
use protocol::base::ids::{EventId, ThreadId};
use protocol::base::time::Span;
use protocol::events::span_times::{Phase, SpanTimes, TimeKind, TimePart};
use protocol::timeline::thread_state::ThreadState;
use protocol::timeline::track::TrackKind;
use segments::{Segment, segments};
use task_wait::{is_task_wait, time_of};

/// Maximum number of spans of other providers around a request that represent the same one.
const LAYERS: usize = 4;

/// Returns the start event of the request that an event starts or stops, as the request tracks have it.
pub fn request_event(spans: &SpanIndex, event: EventId) -> Option<EventId> {
    let (Family::Span, mut at) = spans.with_event(event)? else { return None };
    for _ in 0..=LAYERS {
        let span = spans.spans().get(at as usize)?;
        if matches!(span.track, Some(TrackKind::IncomingRequests | TrackKind::OutgoingRequests)) {
            return Some(span.interval.event);
        }
        // Other providers report the same request around it.
        let inner = spans.children(at).next().filter(|inner| inner.track != Some(TrackKind::OutgoingRequests))?;
        if inner.interval.duration() < span.interval.duration() / 2 {
            return None;
        }
        at = spans.with_event(inner.interval.event)?.1;
    }
    None
}

/// Returns where the time of the span went that an event starts or stops, with what is known about the request.
pub fn span_times(
    store: &Store,
    spans: &SpanIndex,
    tracks: &TrackIndex,
    states: &ThreadStates,
    event: EventId,
    request: Option<RequestOf>,
) -> Option<SpanTimes> {
    let (family, at) = spans.with_event(event)?;
    if let Family::Track(kind @ (TrackKind::Jit | TrackKind::Tiering)) = family {
        let compiled = *tracks.known(Family::Track(kind))?.intervals().get(at as usize)?;
        return Some(compilation(event, Span::new(compiled.start, compiled.end)));
    }
    if family != Family::Span {
        return None;
    }
    let found = spans.spans().get(at as usize)?;
    let is_wait = is_task_wait(store, &found.interval);
    let wait_time = |wait: &SpanOf| time_of(&wait.interval, states.of(wait.interval.thread));
    let span = match is_wait {
        true => wait_time(found)?,
        false if found.interval.is_whole() => Span::new(found.interval.start, found.interval.end),
        false => return None,
    };
    let (facts, mut phases) = match request {
        Some(RequestOf { facts, phases }) => (Some(facts), phases),
        None => (None, of_spans(store, spans, at)),
    };
    phases.retain_mut(|phase| {
        let of = spans.with_event(phase.event).filter(|(family, _)| *family == Family::Span);
        let of = of.and_then(|(_, at)| spans.spans().get(at as usize));
        let Some(wait) = of.filter(|of| is_task_wait(store, &of.interval)) else { return true };
        let time = wait_time(wait);
        (phase.kind, phase.end) = (TimeKind::State(ThreadState::Blocked), time.map_or(phase.start, |time| time.end.0));
        time.is_some()
    });
    let (phases, phases_omitted) = nested(phases);
    let is_sent = facts.as_ref().is_some_and(|facts| facts.is_sent);
    let segments = match is_wait {
        true => Some(vec![Segment { thread: found.interval.thread, start: span.start.0, end: span.end.0 }]),
        false if is_sent => None,
        false => segments(store, found.activity, span),
    };
    let parts = match &segments {
        _ if is_sent => by_phase(&phases, span),
        Some(segments) => by_state(segments, |thread| states.of(thread), &phases, span),
        None => Vec::new(),
    };
    let threads: FastSet<_> = segments.iter().flatten().map(|segment| segment.thread).collect();
    let is_empty = parts.is_empty() && phases.is_empty() && facts.is_none();
    (!is_empty).then_some(SpanTimes {
        event,
        span,
        parts,
        threads: threads.len() as u32,
        phases,
        phases_omitted,
        request: facts,
        caught_in: String::new(),
    })
}

/// Returns whether an event throws an exception.
pub fn is_exception(store: &Store, event: EventId) -> bool {
    let event_type = store.events.get(event).and_then(|row| store.types.get(row.event_type));
    event_type.is_some_and(|event_type| event_type.known == KnownEvent::ExceptionThrown)
}

/// Returns the time of an exception until it was caught.
pub fn until_caught(event: EventId, caught_in: String, span: Span) -> SpanTimes {
    let name = "Finding the handler".to_owned();
    let parts = vec![TimePart { name, kind: TimeKind::Exception, nanos: span.duration() }];
    SpanTimes { event, span, parts, threads: 1, caught_in, ..SpanTimes::default() }
}

/// Returns the times of a compilation. Its thread may have no samples.
fn compilation(event: EventId, span: Span) -> SpanTimes {
    let (state, nanos) = (ThreadState::Jit, span.duration());
    let parts = vec![TimePart { name: state.name().to_owned(), kind: TimeKind::State(state), nanos }];
    SpanTimes { event, span, parts, threads: 1, ..SpanTimes::default() }
}

/// Splits a span by the states of the threads that worked on it. While none did, it waited for the network, or for
/// anything else.
fn by_state<'r>(
    segments: &[Segment],
    runs_of: impl Fn(ThreadId) -> &'r [StateRun],
    phases: &[Phase],
    span: Span,
) -> Vec<TimePart> {
    let mut nanos = [0_i64; ThreadState::ALL.len()];
    let mut awaited: Vec<(i64, i64)> = Vec::new();
    let mut until = span.start.0;
    for segment in segments {
        awaited.push((until, segment.start));
        until = segment.end;
        let mut known = segment.start;
        let runs = runs_of(segment.thread);
        let first = runs.partition_point(|run| run.end <= segment.start);
        for run in runs.iter().skip(first).take_while(|run| run.start < segment.end) {
            let (start, end) = (run.start.max(segment.start), run.end.min(segment.end));
            let state = ThreadState::from_u8(run.state).unwrap_or(ThreadState::NotSampled);
            if state == ThreadState::Idle {
                awaited.push((start, end));
            } else {
                nanos[state as usize - 1] += end.saturating_sub(start).max(0);
            }
            nanos[ThreadState::NotSampled as usize - 1] += start.saturating_sub(known).max(0);
            known = known.max(end);
        }
        nanos[ThreadState::NotSampled as usize - 1] += segment.end.saturating_sub(known).max(0);
    }
    awaited.push((until, span.end.0));
    let outside = union(phases.iter().filter(|phase| is_outside(phase.kind)).map(|phase| (phase.start, phase.end)));
    let on_network: i64 = awaited.iter().map(|time| overlap(*time, &outside)).sum();
    let all: i64 = awaited.iter().map(|(start, end)| end.saturating_sub(*start).max(0)).sum();
    nanos[ThreadState::Io as usize - 1] += on_network;
    let part = |state: ThreadState| TimePart {
        name: state.name().to_owned(),
        kind: TimeKind::State(state),
        nanos: nanos[state as usize - 1],
    };
    let awaiting =
        TimePart { name: "Awaiting (no thread)".to_owned(), kind: TimeKind::Awaiting, nanos: all - on_network };
    ThreadState::ALL.into_iter().map(part).chain([awaiting]).filter(|part| part.nanos > 0).collect()
}

fn is_outside(kind: TimeKind) -> bool {
    matches!(kind, TimeKind::Network | TimeKind::Request | TimeKind::Queued)
}

/// Splits a span by its phases. Where several overlap, the one that began last counts.
fn by_phase(phases: &[Phase], span: Span) -> Vec<TimePart> {
    let mut bounds: Vec<i64> = phases.iter().flat_map(|phase| [phase.start, phase.end]).collect();
    bounds.extend([span.start.0, span.end.0]);
    bounds.retain(|bound| (span.start.0..=span.end.0).contains(bound));
    bounds.sort_unstable();
    let mut parts: Vec<TimePart> = Vec::new();
    let mut add = |name: &str, kind: TimeKind, nanos: i64| match parts.iter_mut().find(|part| part.name == name) {
        Some(part) => part.nanos += nanos,
        None => parts.push(TimePart { name: name.to_owned(), kind, nanos }),
    };
    let mut other = 0;
    for pair in bounds.windows(2) {
        let [start, end] = *pair else { continue };
        match phases.iter().rfind(|phase| phase.start <= start && phase.end >= end) {
            _ if start == end => {}
            Some(phase) => add(&phase.name, phase.kind, end.saturating_sub(start)),
            None => other += end.saturating_sub(start),
        }
    }
    if other > 0 && !parts.is_empty() {
        parts.push(TimePart { name: "Other".to_owned(), kind: TimeKind::Other, nanos: other });
    }
    parts
}

/// Merges times that overlap.
fn union(times: impl Iterator<Item = (i64, i64)>) -> Vec<(i64, i64)> {
    let mut times: Vec<(i64, i64)> = times.collect();
    times.sort_unstable();
    let mut merged: Vec<(i64, i64)> = Vec::new();
    for (start, end) in times {
        match merged.last_mut() {
            Some(last) if start <= last.1 => last.1 = last.1.max(end),
            _ => merged.push((start, end)),
        }
    }
    merged
}

fn overlap((start, end): (i64, i64), times: &[(i64, i64)]) -> i64 {
    times.iter().map(|(from, until)| end.min(*until).saturating_sub(start.max(*from)).max(0)).sum()
}
