//! Text of charts, for screen readers, tooltips and tables.

use crate::format;
use crate::grid::{DECIMALS, number_words};
use crate::timeline::clock::ClockFace;
use protocol::topics::report::{Chart, ChartAxis, ChartSeries};

/// Returns the label of a bar or time.
pub fn place_words(chart: &Chart, index: usize, face: &ClockFace) -> String {
    match &chart.axis {
        ChartAxis::Ranges { bounds, unit } => {
            let bound = |at: usize| number_words(bounds.get(at).copied().unwrap_or(f64::NAN), *unit, face, DECIMALS);
            format::between(&bound(index), &bound(index + 1))
        }
        ChartAxis::Moments(at) => at.get(index).map(|at| face.moment(*at, 3)).unwrap_or_default(),
    }
}

/// Returns the value of a series at an index; "–" if it is unknown.
pub fn value_words(chart: &Chart, series: &ChartSeries, index: usize, face: &ClockFace) -> String {
    number_words(series.values.get(index).copied().unwrap_or(f64::NAN), chart.unit, face, DECIMALS)
}

/// Returns the number of bars or times.
pub fn places(chart: &Chart) -> usize {
    match &chart.axis {
        ChartAxis::Ranges { bounds, .. } => bounds.len().saturating_sub(1),
        ChartAxis::Moments(at) => at.len(),
    }
}

/// Returns the heading of the column of bars or times.
pub fn place_head(chart: &Chart) -> &'static str {
    match &chart.axis {
        ChartAxis::Ranges { .. } => "Range",
        ChartAxis::Moments(_) => "Time",
    }
}

/// Summarizes the chart in a sentence: the maximum of each series and its position.
pub fn summary(chart: &Chart, face: &ClockFace) -> String {
    let most = |series: &ChartSeries| {
        let known = series.values.iter().enumerate().filter(|(_, value)| value.is_finite());
        let (at, _) = known.max_by(|one, other| one.1.total_cmp(other.1).then(other.0.cmp(&one.0)))?;
        let (value, place) = (value_words(chart, series, at, face), place_words(chart, at, face));
        Some(format!("{}: max {value} at {place}", series.name))
    };
    let parts: Vec<String> = chart.series.iter().filter_map(most).collect();
    if parts.is_empty() {
        format!("{}: no data", chart.title)
    } else {
        format!("{}. {}", chart.title, parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::topics::report::{Hue, Unit};

    fn chart(axis: ChartAxis) -> Chart {
        let series = ChartSeries { name: "gen 0".to_owned(), hue: Hue::Generation0, values: vec![2.0, 37.0, f64::NAN] };
        Chart { title: "Pauses".to_owned(), axis, unit: Unit::Count, is_stacked: true, series: vec![series] }
    }

    #[test]
    fn chart_is_described_in_words() {
        let face = ClockFace::default();
        let ranges = chart(ChartAxis::Ranges { bounds: vec![1e6, 2e6, 4e6, 8e6], unit: Unit::Duration });
        assert_eq!(summary(&ranges, &face), "Pauses. gen 0: max 37 at 2.00–4.00 ms");
        assert_eq!((places(&ranges), place_head(&ranges)), (3, "Range"));
        assert_eq!(value_words(&ranges, &ranges.series[0], 2, &face), "–");
        let moments = chart(ChartAxis::Moments(vec![0, 1_500_000_000, 2_000_000_000]));
        assert_eq!(summary(&moments, &face), "Pauses. gen 0: max 37 at 1.500 s");
        assert_eq!(places(&moments), 3);
    }
}
