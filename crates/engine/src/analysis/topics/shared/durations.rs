//! Durations of a group of requests, connections, queries or calls, and the columns of tables that show them.

use super::report::percentile;
use super::table::Columns;
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::topics::report::Unit;

/// Provider argument that records activity IDs, without which the ends of an operation can't be paired.
pub const ACTIVITIES: &str = "System.Threading.Tasks.TplEventSource:0x80:4";

/// Returns values in ascending order.
pub fn ascending(values: impl Iterator<Item = i64>) -> Vec<i64> {
    let mut values: Vec<i64> = values.collect();
    sort_by_key(&mut values, |value| *value);
    values
}

/// Returns the sum of durations.
pub fn total(durations: &[i64]) -> i64 {
    durations.iter().copied().fold(0, i64::saturating_add)
}

impl<'r, R> Columns<'r, R> {
    /// Adds columns for percentiles, maximum and total of durations in ascending order; empty cells without any.
    pub fn durations(self, of: impl Fn(&'r R) -> &'r [i64]) -> Self {
        self.numbers("p50Ns", "p50", Unit::Duration, |row| percentile(of(row), 0.5))
            .numbers("p95Ns", "p95", Unit::Duration, |row| percentile(of(row), 0.95))
            .numbers("p99Ns", "p99", Unit::Duration, |row| percentile(of(row), 0.99))
            .numbers("maxNs", "Max", Unit::Duration, |row| of(row).last().copied())
            .bars("totalNs", "Total", Unit::Duration, |row| total_if_any(of(row)))
    }
}

/// Returns the sum of durations, if there are any.
pub fn total_if_any(durations: &[i64]) -> Option<i64> {
    (!durations.is_empty()).then(|| total(durations))
}

/// Returns the time range from the first start to the last end, both included.
pub fn extent(times: impl Iterator<Item = (i64, i64)>) -> Option<Span> {
    let whole = times.reduce(|(first, last), (start, end)| (first.min(start), last.max(end)));
    whole.map(|(first, last)| Span::new(first, last.saturating_add(1)))
}

/// Returns the sentence that durations are unknown, because events without activity IDs can't be paired.
pub fn unknown_without_activities(what: &str) -> String {
    format!("Duration unknown for {what}: the events have no activity IDs. Also enable {ACTIVITIES}.")
}
