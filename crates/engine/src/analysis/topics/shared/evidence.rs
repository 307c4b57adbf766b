//! Links and times of findings.

use protocol::base::time::Span;
use protocol::topics::finding::{FindingLink, FindingTarget, Narrowing};
use protocol::topics::topic::Topic;

/// Maximum number of times of a finding: as many as its small chart can distinguish.
const MAX_TIMES: usize = 48;
/// Number of parts of [`BusyParts`]: more than the small chart of a finding has pixels.
const PARTS: usize = 1024;

pub fn link(words: &str, to: FindingTarget) -> FindingLink {
    FindingLink { words: words.to_owned(), to }
}

/// Returns a link to these ordered times on the timeline.
pub fn on_timeline(times: &[Span]) -> Option<FindingLink> {
    extent(times).map(|span| link("Show on timeline", FindingTarget::Timeline(span)))
}

/// Returns a link to the tab of an analysis.
pub fn open(topic: Topic) -> FindingLink {
    link(topic.opened_by(), FindingTarget::Topic(topic))
}

/// Returns a link to the stacks of an event type's events that match a condition within a span, weighted by duration.
pub fn stacks_of(provider: &str, event: &str, condition: &str, span: Span) -> FindingTarget {
    let of = Narrowing::within(condition, span);
    FindingTarget::Stacks { provider: provider.to_owned(), event: event.to_owned(), of }
}

/// Sorts times and merges those that touch; if more than a few dozen remain, also merges the nearest ones.
pub fn times(times: Vec<Span>) -> Vec<Span> {
    let mut times = Span::joined(times);
    let mut distance = 1_000;
    while times.len() > MAX_TIMES {
        Span::join_near(&mut times, distance);
        distance = distance.saturating_mul(4);
    }
    times
}

/// The parts of a time range in which something happened: the times of a finding about many samples or events, of which
/// none is kept.
pub struct BusyParts {
    span: Span,
    is_busy: Vec<bool>,
}

impl BusyParts {
    /// Creates parts of a time range in which nothing happened.
    pub fn new(span: Span) -> Self {
        Self { span, is_busy: vec![false; PARTS] }
    }

    /// Notes that something happened in a time.
    pub fn add(&mut self, start: i64, end: i64) {
        let width = self.span.duration().max(1) as f64;
        let part = |at: i64| (at.saturating_sub(self.span.start.0) as f64 / width * PARTS as f64) as usize;
        if end >= self.span.start.0 && start < self.span.end.0 {
            let (first, last) = (part(start), part(end.saturating_sub(1).max(start)).min(PARTS - 1));
            self.is_busy[first.min(last)..=last].fill(true);
        }
    }

    /// Returns the busy times.
    pub fn times(&self) -> Vec<Span> {
        let width = self.span.duration().max(1) as f64;
        let at = |part: usize| self.span.start.0.saturating_add((part as f64 / PARTS as f64 * width).round() as i64);
        let busy = self.is_busy.iter().enumerate().filter(|(_, is_busy)| **is_busy);
        times(busy.map(|(part, _)| Span::new(at(part), at(part + 1))).collect())
    }
}

/// Returns the time from the first to the last of ordered times.
pub fn extent(times: &[Span]) -> Option<Span> {
    let first = times.first()?;
    let last = times.iter().map(|time| time.end).max()?;
    Some(Span { start: first.start, end: last })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn touching_times_are_merged_up_to_limit() {
        let few = times(vec![Span::new(50, 60), Span::new(0, 10), Span::new(10, 20)]);
        assert_eq!(few, [Span::new(0, 20), Span::new(50, 60)]);
        let many = times((0..100_000).map(|at| Span::new(at * 1_000_000, at * 1_000_000 + 5)).collect());
        assert!(many.len() <= MAX_TIMES);
        assert_eq!(extent(&many), Some(Span::new(0, 99_999 * 1_000_000 + 5)));
        assert_eq!(extent(&[]), None);
    }

    #[test]
    fn busy_parts_are_joined() {
        let mut parts = BusyParts::new(Span::new(1_000, 1_000 + 1024 * 10));
        assert_eq!(parts.times(), []);
        parts.add(0, 1_000 + 5);
        parts.add(1_010, 1_020);
        parts.add(1_100, 1_100);
        parts.add(11_239, 99_999);
        parts.add(0, 999);
        parts.add(11_240, 11_250);
        assert_eq!(parts.times(), [Span::new(1_000, 1_020), Span::new(1_100, 1_110), Span::new(11_230, 11_240)]);
        let mut empty = BusyParts::new(Span::new(5, 5));
        empty.add(5, 5);
        assert_eq!(empty.times(), []);
    }
}
