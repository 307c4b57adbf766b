//! The cost of findings in one unit, and their order.
//!
//! The unit is thread time: nanoseconds in which threads waited or ran. A GC pause costs the time of the threads that
//! would have run; samples show which did. Without samples, the unit is wall time. Costs that can't be measured in time
//! (failed requests, bytes) are ranked separately.

use crate::analysis::topics::Scope;
use protocol::base::ids::ThreadId;
use protocol::base::sort::sort_by;
use protocol::base::time::Span;
use protocol::tables::state;
use protocol::topics::finding::{Cost, Finding, FindingKind};

/// Cost of one exception for the throwing thread, in nanoseconds. Throwing and catching takes 20 to 50 µs.
const EXCEPTION: i64 = 40_000;
/// Maximum share of the recorded time, or of the largest cost, for findings that come after those without a time.
const MINOR_SHARE: f64 = 0.01;

pub fn of_exceptions(number: u64) -> Cost {
    let nanos = i64::try_from(number).unwrap_or(i64::MAX).saturating_mul(EXCEPTION);
    Cost::estimated_time(nanos)
}

/// What costs are summed over threads, and what are not.
pub const THREAD_TIME: &str = "thread time";
pub const WALL_TIME: &str = "wall time";

/// Returns the time of the threads that GC pauses stopped, if samples show it. `times` are the pauses, in order and
/// without overlaps; `counts` selects the threads of their processes.
pub fn stopped_time(scope: &Scope<'_>, times: &[Span], counts: impl Fn(ThreadId) -> bool) -> Option<i64> {
    scope.states.as_ref().map(|states| states.time_in(state::GC, times, counts)).filter(|stopped| *stopped > 0)
}

/// Returns whether a cost is summed over threads.
pub fn is_thread_time(cost: &Cost) -> bool {
    cost.words == THREAD_TIME
}

/// Position of a finding in the list, first to last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Place {
    /// The recording is so incomplete that everything else is doubtful.
    Doubt,
    /// Significant time, in descending order.
    Time,
    /// Costs that aren't times, by kind.
    Other,
    /// Insignificant time.
    Minor,
    /// Minor problems of the recording.
    Recording,
}

impl Place {
    /// Returns the place of a finding, whose time is insignificant below `minor` nanoseconds.
    fn of(finding: &Finding, minor: f64) -> Self {
        match finding.cost.nanos() {
            _ if finding.comes_first => Self::Doubt,
            _ if is_of_recording(finding) => Self::Recording,
            Some(nanos) if nanos >= minor => Self::Time,
            Some(_) => Self::Minor,
            None => Self::Other,
        }
    }
}

/// Returns whether a finding is a problem of the recording only. Writing a flood of events also costs the app time.
fn is_of_recording(finding: &Finding) -> bool {
    let costs_time = finding.kind == FindingKind::ProviderFlood && finding.cost.nanos().is_some();
    finding.kind.is_about_trace() && !costs_time
}

/// Sorts findings by cost in descending order. `span` is the time they are about.
pub fn sort_findings(findings: &mut [Finding], span: Span) {
    // Problems of the recording are ordered by kind: without events nothing else matters.
    let nanos = |one: &Finding| one.cost.nanos().filter(|_| !is_of_recording(one)).unwrap_or(0.0);
    let largest = findings.iter().map(nanos).fold(span.duration().max(0) as f64, f64::max);
    let minor = MINOR_SHARE * largest;
    sort_by(findings, |one, other| {
        let by_place = Place::of(one, minor).cmp(&Place::of(other, minor));
        by_place.then(nanos(other).total_cmp(&nanos(one))).then(one.kind.cmp(&other.kind))
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;

    #[test]
    fn findings_are_sorted_by_place_and_printed_number() {
        let time = |kind, nanos| Finding::new(kind, Cost::time(nanos, "thread time"));
        let count = |kind, number| Finding::new(kind, Cost::count(number, "things"));
        let mut findings = vec![
            count(FindingKind::OversizedEvents, 3),
            Finding::new(FindingKind::ExceptionStorm, of_exceptions(1_338)),
            Finding::new(FindingKind::PauseShare, Cost::time(4 * SECOND, WALL_TIME)),
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
        assert_eq!(findings[5].cost.size(), "about 50 ms", "1,338 at 40 µs");
    }

    #[test]
    fn small_part_of_the_largest_cost_comes_after_costs_without_time() {
        let waits = |nanos| Finding::new(FindingKind::LockContention, Cost::time(nanos, THREAD_TIME));
        let failed = Finding::new(FindingKind::FailedRequests, Cost::count(25, "requests"));
        let blocked = Finding::new(FindingKind::SyncOverAsync, Cost::time(25 * SECOND, THREAD_TIME));
        let first = |mut findings: Vec<Finding>| {
            sort_findings(&mut findings, Span::new(0, 10 * SECOND));
            findings.iter().map(|one| one.kind).collect::<Vec<_>>()
        };
        use FindingKind as K;
        assert_eq!(first(vec![waits(SECOND / 5), failed.clone()]), [K::LockContention, K::FailedRequests]);
        let expected = [K::SyncOverAsync, K::FailedRequests, K::LockContention];
        assert_eq!(first(vec![waits(SECOND / 5), failed, blocked]), expected);
    }
}
