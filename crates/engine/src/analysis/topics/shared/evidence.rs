//! Links and times of findings.

use protocol::base::time::Span;
use protocol::topics::finding::{FindingLink, FindingTarget, Narrowing};
use protocol::topics::topic::Topic;

/// Maximum number of times of a finding: as many as its small chart can distinguish.
const MAX_TIMES: usize = 48;

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
}
