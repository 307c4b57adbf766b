//! Figures and charts shared by reports on waits.

use crate::analysis::topics::cut_words;
use crate::analysis::topics::shared::over_time::OverTime;
use crate::analysis::topics::shared::report::{Report, by_size, percentile};
use crate::analysis::topics::shared::table::{Columns, RowTarget};
use protocol::base::ids::EventId;
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::topics::report::{Hue, Unit};

/// Sums of waits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Waited {
    /// Number of waits.
    pub count: u64,
    /// Total nanoseconds.
    pub total: i64,
    /// Nanoseconds of the longest wait.
    pub longest: i64,
    /// Start event of the longest wait.
    longest_event: Option<EventId>,
    first: i64,
    last: i64,
}

impl Waited {
    /// Adds a wait; times in nanoseconds.
    pub fn add(&mut self, event: EventId, start: i64, end: i64) {
        let nanos = end.saturating_sub(start);
        (self.first, self.last) = match self.count {
            0 => (start, end),
            _ => (self.first.min(start), self.last.max(end)),
        };
        if self.longest_event.is_none() || nanos > self.longest {
            (self.longest, self.longest_event) = (nanos, Some(event));
        }
        self.count += 1;
        self.total = self.total.saturating_add(nanos);
    }

    /// Returns the target of a row about all of them, which is the longest.
    pub fn target(&self) -> RowTarget {
        RowTarget::of(self.longest_event).over(Span::new(self.first, self.last))
    }
}

impl<'r, R> Columns<'r, R> {
    /// Adds columns for total, number and longest of waits, with the names of the first two.
    pub fn waited(self, total: &str, count: &str, of: impl Fn(&'r R) -> &'r Waited) -> Self {
        self.bars("totalNs", total, Unit::Duration, |row| of(row).total)
            .numbers("count", count, Unit::Count, |row| of(row).count)
            .numbers("longestNs", "Longest", Unit::Duration, |row| of(row).longest)
    }
}

/// Adds figures for the number and durations of waits in nanoseconds, and for the numbers of waits without an end and
/// cut by the range.
pub fn length_figures(report: &mut Report, mut lengths: Vec<i64>, unfinished: usize, cut: usize) {
    sort_by_key(&mut lengths, |nanos| *nanos);
    let at = |share: f64| percentile(&lengths, share).map_or(f64::NAN, |nanos| nanos as f64);
    let total = lengths.iter().copied().fold(0, i64::saturating_add);
    let number = lengths.len().saturating_add(unfinished);
    report.figure("count", "Waits", number as f64, Unit::Count, cut_words(cut));
    report.figure("totalNs", "Total wait", total as f64, Unit::Duration, "summed over threads");
    report.figure("longestNs", "Max", at(1.0), Unit::Duration, "");
    report.figure("medianNs", "p50", at(0.5), Unit::Duration, "");
    report.figure("p95Ns", "p95", at(0.95), Unit::Duration, "");
}

/// Adds charts of the number of waiting threads over `span`, with this title and color, and of durations. `waits` are
/// pairs of start and end.
pub fn wait_charts(report: &mut Report, span: Span, (title, hue): (&str, Hue), waits: &[(i64, i64)]) {
    if waits.is_empty() {
        return;
    }
    let mut times = OverTime::new(span);
    waits.iter().for_each(|&(start, end)| times.cover(start, end));
    report.charts.push(times.chart(title, Unit::Plain, vec![("waiting threads", hue, times.at_once())]));
    let lengths: Vec<(f64, usize)> = waits.iter().map(|&(start, end)| (end.saturating_sub(start) as f64, 0)).collect();
    report.charts.extend(by_size("Wait durations", Unit::Duration, &[("waits", hue)], &lengths));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_summed_and_link_to_longest() {
        let mut waited = Waited::default();
        for (event, start, end) in [(3, 100, 110), (1, 50, 90), (2, 200, 220)] {
            waited.add(EventId(event), start, end);
        }
        assert_eq!((waited.count, waited.total, waited.longest), (3, 70, 40));
        let target = waited.target();
        assert_eq!((target.event, target.span), (Some(EventId(1)), Some(Span::new(50, 220))));
    }
}
