//! Reports under construction, with shared helpers: percentiles and histograms.

use super::table::Table;
use protocol::topics::report::{Chart, ChartAxis, ChartSeries, Figure, Hue, ReportHead, StacksOf, Unit};
use protocol::topics::topic::Topic;

/// Figures that losses may increase: unfinished items, and work items that were enqueued but not dequeued.
const GROWS_WITH_LOSSES: [&str; 6] = ["unfinished", "neverCompleted", "asyncOpen", "open", "sentOpen", "longestQueue"];

/// Report of an analysis, with the rows of its tables.
#[derive(Debug, Default)]
pub struct Report {
    /// The main result in a sentence, with numbers.
    pub verdict: String,
    /// One or two further sentences; may be empty.
    pub explanation: String,
    pub figures: Vec<Figure>,
    /// Charts, with at most a few hundred values each.
    pub charts: Vec<Chart>,
    /// Tables, the most important first.
    pub tables: Vec<Table>,
    pub stacks: Vec<StacksOf>,
}

impl Report {
    /// Adds a figure: its key, its name for users, and a note.
    pub fn figure(&mut self, key: &str, name: &str, value: f64, unit: Unit, note: impl Into<String>) {
        let (key, name) = (key.to_owned(), name.to_owned());
        self.figures.push(Figure { key, name, value, unit, note: note.into(), is_minimum: false });
    }

    /// Adds stacks of events, with the words of the button that shows them.
    pub fn view_stacks(&mut self, words: &str, provider: &str, event: &str) {
        let (words, provider, event) = (words.to_owned(), provider.to_owned(), event.to_owned());
        self.stacks.push(StacksOf { words, provider, event });
    }

    /// Returns the report without rows, for a recording with lost events: counts are minimums.
    pub fn head_with_losses(&self, topic: Topic) -> ReportHead {
        let mut head = self.head(topic);
        for figure in &mut head.figures {
            figure.is_minimum = figure.unit == Unit::Count && !GROWS_WITH_LOSSES.contains(&figure.key.as_str());
        }
        if head.verdict.starts_with(|first: char| first.is_ascii_digit()) {
            head.verdict = format!("At least {}", head.verdict);
        }
        // Some analyses explain themselves how losses affect them.
        let is_said = [&head.verdict, &head.explanation].iter().any(|words| words.contains("lost"));
        if !is_said {
            let space = if head.explanation.is_empty() { "" } else { " " };
            head.explanation += &format!("{space}Events were lost, so there may have been more.");
        }
        head
    }

    /// Returns the report without rows.
    pub fn head(&self, topic: Topic) -> ReportHead {
        ReportHead {
            topic,
            verdict: self.verdict.clone(),
            explanation: self.explanation.clone(),
            figures: self.figures.clone(),
            charts: self.charts.clone(),
            tables: self.tables.iter().map(Table::head).collect(),
            stacks: self.stacks.clone(),
            not_recorded: None,
        }
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        let points = |chart: &Chart| chart.series.iter().map(|one| one.values.len() + 2).sum::<usize>();
        let charts: usize = self.charts.iter().map(points).sum();
        self.tables.iter().map(Table::bytes).sum::<usize>() + charts * size_of::<f64>()
    }
}

/// Returns a percentile of values in ascending order (nearest rank); `None` if there are no values.
pub fn percentile(ascending: &[i64], share: f64) -> Option<i64> {
    let rank = (share * ascending.len() as f64).ceil() as usize;
    ascending.get(rank.clamp(1, ascending.len().max(1)) - 1).copied()
}

/// Maximum number of bins of a histogram. Smaller values share its first bin.
const MOST_BINS: i32 = 20;

/// Returns a bound of a histogram: 1, 2, 5, 10, 20, …
fn bound(at: i32) -> f64 {
    [1.0, 2.0, 5.0][at.rem_euclid(3) as usize] * 10f64.powi(at.div_euclid(3))
}

/// Returns the last bound of a histogram that isn't more than a value.
fn bound_below(value: f64) -> i32 {
    let positive = if value.is_finite() && value > 0.0 { value } else { f64::MIN_POSITIVE };
    // The logarithm may be off by one near a power of ten.
    let decade = positive.log10().floor() as i32 * 3;
    (decade - 1..=decade + 3).rev().find(|at| bound(*at) <= positive).unwrap_or(decade - 1)
}

/// Returns a histogram by size with bins of 1, 2, 5, 10, …; `values` are pairs of a value and the position of its
/// series. `None` without values.
pub fn by_size(title: &str, unit: Unit, series: &[(&str, Hue)], values: &[(f64, usize)]) -> Option<Chart> {
    let bins = values.iter().map(|(value, _)| bound_below(*value));
    let (first, last) = bins.fold(None, |range: Option<(i32, i32)>, next| {
        Some(range.map_or((next, next), |(first, last)| (first.min(next), last.max(next))))
    })?;
    let first = first.max(last + 1 - MOST_BINS);
    let bars = (last - first + 1) as usize;
    let mut chart = Chart {
        title: title.to_owned(),
        axis: ChartAxis::Ranges { bounds: (first..=last + 1).map(bound).collect(), unit },
        unit: Unit::Count,
        is_stacked: true,
        series: Vec::new(),
    };
    for (name, hue) in series {
        chart.series.push(ChartSeries { name: (*name).to_owned(), hue: *hue, values: vec![0.0; bars] });
    }
    for (value, of) in values {
        let bar = (bound_below(*value) - first).max(0) as usize;
        if let Some(cell) = chart.series.get_mut(*of).and_then(|one| one.values.get_mut(bar)) {
            *cell += 1.0;
        }
    }
    Some(chart)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentile_is_an_existing_value() {
        let values: Vec<i64> = (1..=10).collect();
        assert_eq!([0.0, 0.5, 0.95, 1.0].map(|share| percentile(&values, share)), [1, 5, 10, 10].map(Some));
        assert_eq!(percentile(&[], 0.5), None);
    }

    #[test]
    fn size_bins_are_round() {
        let series = [("fast", Hue::Managed), ("slow", Hue::Lock)];
        let chart = by_size("Sizes", Unit::Bytes, &series, &[(1.0, 0), (1.9, 0), (5.0, 1)]).expect("a chart");
        assert_eq!(chart.axis, ChartAxis::Ranges { bounds: vec![1.0, 2.0, 5.0, 10.0], unit: Unit::Bytes });
        assert_eq!(chart.series[0].values, [2.0, 0.0, 0.0]);
        assert_eq!(chart.series[1].values, [0.0, 0.0, 1.0]);
        assert!(by_size("Sizes", Unit::Bytes, &series, &[]).is_none());
        let wide = by_size("Sizes", Unit::Bytes, &series, &[(0.0, 0), (1e9, 0)]).expect("a chart");
        assert_eq!(wide.series[0].values.len(), 20);
        let pauses = by_size("Pauses", Unit::Duration, &series, &[(0.6e6, 0), (3.5e6, 0)]).expect("a chart");
        assert_eq!(pauses.axis, ChartAxis::Ranges { bounds: vec![0.5e6, 1e6, 2e6, 5e6], unit: Unit::Duration });
    }
}
