//! What findings cost, in one unit, and the order that follows from it.
//!
//! The unit is thread time: nanoseconds that threads waited or ran. Where no thread waits, wall time takes its place: a GC
//! pause counts once, not for each thread that it stops, because many of these had nothing to do. What can't be measured in
//! time (requests that failed, bytes) has a place of its own.

use protocol::base::sort::sort_by;
use protocol::base::time::Span;
use protocol::format::counted;
use protocol::topics::finding::{Cost, Finding};

/// What one exception costs the thread that throws it, nanoseconds: throwing and catching takes 20 to 50 µs.
const EXCEPTION: i64 = 40_000;
/// Findings of less time than this share of the recorded time come after those that can't be measured in time.
const MINOR_SHARE: f64 = 0.01;

/// Returns the cost of exceptions.
pub fn of_exceptions(number: u64) -> Cost {
    let nanos = i64::try_from(number).unwrap_or(i64::MAX).saturating_mul(EXCEPTION);
    Cost::time(nanos, &format!("of CPU time, for {} at 20–50 µs each", counted(number, "exception")))
}

/// Returns the cost of GC pauses: the wall time that they took.
pub fn of_pauses(nanos: i64) -> Cost {
    Cost::time(nanos, "of GC pauses")
}

/// Place of a finding in the list, first to last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    /// The recording lacks so much that everything else is doubtful.
    Doubt,
    /// Time that matters, by its size.
    Time,
    /// What can't be measured in time, by kind.
    Other,
    /// Little time.
    Minor,
    /// Smaller flaws of the recording.
    Recording,
}

impl Place {
    fn of(finding: &Finding, span: Span) -> Self {
        let minor = MINOR_SHARE * span.duration().max(0) as f64;
        match finding.cost.nanos() {
            _ if finding.comes_first => Self::Doubt,
            _ if finding.kind.is_about_trace() => Self::Recording,
            Some(nanos) if nanos >= minor => Self::Time,
            Some(_) => Self::Minor,
            None => Self::Other,
        }
    }
}

/// Sorts findings: what costs most first. `span` is the time that they are about.
pub fn sort_findings(findings: &mut [Finding], span: Span) {
    // Among flaws of the recording, the kind says what is worse: without events nothing else matters.
    let nanos = |one: &Finding| one.cost.nanos().filter(|_| !one.kind.is_about_trace()).unwrap_or(0.0);
    sort_by(findings, |one, other| {
        let by_place = Place::of(one, span).cmp(&Place::of(other, span));
        by_place.then(nanos(other).total_cmp(&nanos(one))).then(one.kind.cmp(&other.kind))
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::topics::finding::FindingKind;

    const SECOND: i64 = 1_000_000_000;

    #[test]
    fn findings_are_sorted_by_place_and_then_by_the_number_that_is_printed() {
        let time = |kind, nanos| Finding::new(kind, Cost::time(nanos, "thread time"));
        let count = |kind, number| Finding::new(kind, Cost::count(number, "things"));
        let mut findings = vec![
            count(FindingKind::OversizedEvents, 3),
            Finding::new(FindingKind::ExceptionStorm, of_exceptions(1_338)),
            Finding::new(FindingKind::PauseShare, of_pauses(4 * SECOND)),
            Finding::new(FindingKind::HotAllocations, Cost::bytes(34_300_000_000, "allocated")),
            count(FindingKind::FailedRequests, 25),
            time(FindingKind::LockContention, 11 * SECOND),
            time(FindingKind::SamplingGap, 60 * SECOND),
            Finding { comes_first: true, ..count(FindingKind::LostEvents, 900) },
        ];
        sort_findings(&mut findings, Span::new(0, 10 * SECOND));
        let kinds: Vec<FindingKind> = findings.iter().map(|one| one.kind).collect();
        use FindingKind as K;
        let expected = [
            K::LostEvents,
            K::LockContention,
            K::PauseShare,
            K::FailedRequests,
            K::HotAllocations,
            K::ExceptionStorm,
            K::OversizedEvents,
            K::SamplingGap,
        ];
        assert_eq!(kinds, expected);
        assert_eq!(findings[5].cost.size(), "53.5 ms", "1,338 at 40 µs");
    }
}
