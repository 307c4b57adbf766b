//! Bursts: a recording that continues after a problem hides it in averages.

use super::evidence_text::period;
use protocol::base::time::Span;
use protocol::format::percent;

/// Number of parts that a burst begins and ends with.
const PARTS: i64 = 256;
/// Minimum nanoseconds of a part: samples are up to this far apart.
const SHORTEST: i64 = 50_000_000;

/// Returns how much of `span` these times take: "19% of the time". If that is less than `share`, returns it for the part in
/// which they take the most beyond: "54% of the time from 1.40 s to 2.70 s". `None` if they take less than `least`
/// nanoseconds there. `total` is their sum.
pub fn share_of_time(
    span: Span,
    (share, least): (f64, i64),
    total: i64,
    times: impl Iterator<Item = (i64, i64)>,
) -> Option<String> {
    let all = span.duration() as f64;
    if total as f64 >= share * all {
        return (total >= least).then(|| format!("{} of the time", percent(total as f64, all)));
    }
    let (burst, nanos) = busiest(span, share, times).filter(|(_, nanos)| *nanos >= least)?;
    Some(format!("{} of the time {}", percent(nanos as f64, burst.duration() as f64), period(burst)))
}

/// Returns the part of `span` in which these times take the most beyond `share` of it, and their nanoseconds there;
/// `None` if they never take that much. Times are start and duration; they may overlap.
pub fn busiest(span: Span, share: f64, times: impl Iterator<Item = (i64, i64)>) -> Option<(Span, i64)> {
    let length = (span.duration() / PARTS).max(SHORTEST);
    let parts = usize::try_from(span.duration() / length).ok().filter(|parts| *parts > 0)?;
    let mut sums = vec![0i64; parts];
    let from = span.start.0;
    for (start, nanos) in times {
        let end = start.saturating_add(nanos.max(0)).min(span.end.0);
        let mut at = start.max(from);
        while at < end {
            let part = ((at - from) / length) as usize;
            let next = from.saturating_add((part as i64 + 1).saturating_mul(length)).min(end);
            let Some(sum) = sums.get_mut(part) else { break };
            *sum = sum.saturating_add(next - at);
            at = next;
        }
    }
    // The range of parts with the largest sum of what exceeds the share.
    let least = share * length as f64;
    let (mut best, mut most) = (None, 0.0);
    let (mut first, mut beyond) = (0, 0.0);
    for (part, sum) in sums.iter().enumerate() {
        if beyond <= 0.0 {
            (first, beyond) = (part, 0.0);
        }
        beyond += *sum as f64 - least;
        if beyond > most {
            (best, most) = (Some((first, part + 1)), beyond);
        }
    }
    let (first, end) = best?;
    // It may fill the parts at its edges partly.
    let is_used = |part: usize| sums.get(part).is_some_and(|sum| *sum > 0);
    let first = first.checked_sub(1).filter(|before| is_used(*before)).unwrap_or(first);
    let end = if is_used(end) { end + 1 } else { end };
    let at = |part: usize| from.saturating_add(length.saturating_mul(part as i64));
    let nanos = sums.get(first..end)?.iter().copied().fold(0, i64::saturating_add);
    Some((Span::new(at(first), at(end)), nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;

    #[test]
    fn busiest_part_has_most_time_beyond_share() {
        let minute = Span::new(0, 60 * SECOND);
        // A second of every ten, and all of 20 to 25 s except for a short pause.
        let rest = (0..6).map(|at| (at * 10 * SECOND, SECOND));
        let burst = [(20 * SECOND, 2 * SECOND), (22 * SECOND + SECOND / 2, 2 * SECOND + SECOND / 2)];
        let (span, nanos) = busiest(minute, 0.5, rest.clone().chain(burst)).expect("a burst");
        let seconds = |at: i64| (at as f64 / SECOND as f64).round() as i64;
        assert_eq!((seconds(span.start.0), seconds(span.end.0)), (20, 25));
        assert!((5.0..6.0).contains(&(nanos as f64 / SECOND as f64)), "{nanos}");
        assert_eq!(busiest(minute, 1.5, rest), None);
    }

    #[test]
    fn times_outside_of_span_and_empty_spans_are_ignored() {
        let outside = [(-5, 3), (i64::MAX - 1, i64::MAX), (i64::MIN, i64::MAX)];
        assert_eq!(busiest(Span::new(0, SECOND), 0.1, outside.into_iter()), None);
        assert_eq!(busiest(Span::new(5, 5), 0.1, [(0, SECOND)].into_iter()), None);
    }
}
