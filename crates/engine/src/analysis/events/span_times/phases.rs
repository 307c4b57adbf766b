//! Phases of a span.

use super::task_wait::is_task_wait;
use crate::analysis::intervals::spans::index::{SpanIndex, SpanOf};
use crate::model::Store;
use protocol::base::sort::sort_by_key;
use protocol::events::span_times::{Phase, TimeKind};
use protocol::timeline::track::TrackKind;
use std::cmp::Reverse;

/// Maximum number of phases.
const MAX_PHASES: usize = 24;
/// Maximum number of spans examined.
const MAX_SPANS: usize = 100_000;
/// Spans whose ends differ by at most this share of their duration are the same, reported by two providers.
const SAME: i64 = 50;

/// Returns the spans within a span.
pub fn of_spans(store: &Store, spans: &SpanIndex, at: u32) -> Vec<Phase> {
    let Some(end) = spans.spans().get(at as usize).map(|span| span.interval.end) else { return Vec::new() };
    let within = (at + 1..).zip(spans.spans().iter().skip(at as usize + 1)).take(MAX_SPANS);
    let within = within.take_while(|(_, span)| span.interval.start <= end);
    let phase = |(position, span): (u32, &SpanOf)| {
        let has_end = span.interval.is_whole() || is_task_wait(store, &span.interval);
        let is_within = has_end && spans.above(position).any(|above| above == at);
        is_within.then(|| Phase {
            name: spans.text(span.interval.name).to_owned(),
            kind: match span.track {
                Some(TrackKind::OutgoingRequests) => TimeKind::Request,
                Some(TrackKind::Network) => TimeKind::Network,
                _ => TimeKind::Span,
            },
            start: span.interval.start,
            end: span.interval.end,
            depth: 0,
            event: span.interval.event,
        })
    };
    within.filter_map(phase).collect()
}

/// Returns the longest phases in order, each after the one that contains it, and the number of the others.
pub fn nested(mut phases: Vec<Phase>) -> (Vec<Phase>, u32) {
    phases.retain(|phase| phase.start < phase.end);
    sort_by_key(&mut phases, |phase| (phase.start, Reverse(phase.end), phase.event));
    let mut distinct: Vec<Phase> = Vec::new();
    for phase in phases {
        let duration = phase.end.saturating_sub(phase.start);
        let is_same = |other: &Phase| {
            let apart = other.start.abs_diff(phase.start).saturating_add(other.end.abs_diff(phase.end));
            other.kind == TimeKind::Span && phase.kind == TimeKind::Span && apart <= (duration / SAME).unsigned_abs()
        };
        if !distinct.last().is_some_and(is_same) {
            distinct.push(phase);
        }
    }
    let length = |phase: &Phase| phase.end.saturating_sub(phase.start);
    let omitted = distinct.len().saturating_sub(MAX_PHASES);
    if omitted > 0 {
        let mut durations: Vec<i64> = distinct.iter().map(length).collect();
        durations.sort_unstable();
        let shortest = durations[omitted];
        distinct.retain(|phase| length(phase) >= shortest);
        distinct.truncate(MAX_PHASES);
    }
    let mut ends: Vec<i64> = Vec::new();
    for phase in &mut distinct {
        while ends.last().is_some_and(|end| *end < phase.end) {
            ends.pop();
        }
        phase.depth = u8::try_from(ends.len()).unwrap_or(u8::MAX);
        ends.push(phase.end);
    }
    (distinct, omitted as u32)
}
