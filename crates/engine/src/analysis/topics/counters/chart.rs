//! Charts of the most useful instruments.

use super::{Aspect, CounterFacts, Point, Summary, percentile};
use crate::analysis::timeline::counters::InstrumentKind;
use protocol::base::hash::FastMap;
use protocol::base::sort::sort_by_key;
use protocol::topics::report::{Chart, ChartAxis, ChartSeries, Hue, Unit};
use std::cmp::Reverse;

/// Maximum number of charts, and of lines in one.
const MAX_CHARTS: usize = 8;
const MAX_LINES: usize = 5;
/// Maximum number of points of a chart.
const MAX_MOMENTS: usize = 400;
/// Instruments of libraries that are most informative, in descending order.
const USEFUL_FIRST: [&str; 14] = [
    "CPU Usage",
    "GC Heap Size",
    "Allocation Rate",
    "ThreadPool Queue Length",
    "ThreadPool Thread Count",
    "Request Rate",
    "Current Requests",
    "http.server.request.duration",
    "http.client.request.duration",
    "dotnet.process.cpu.time",
    "dotnet.gc.last_collection.heap.size",
    "dotnet.thread_pool.queue.length",
    "Exception Count",
    "Monitor Lock Contention Count",
];
const HUES: [Hue; MAX_LINES] = [Hue::Managed, Hue::Io, Hue::Span, Hue::Lock, Hue::Compiling];

impl CounterFacts {
    /// Returns charts of the app's own instruments that vary, then of instruments known to be useful.
    pub(super) fn charts(&self, points: &[&Point], summaries: &[(u32, Summary)]) -> Vec<Chart> {
        let mut instruments: FastMap<(u32, u32), Vec<u32>> = FastMap::default();
        for (series, summary) in summaries.iter().filter(|(_, summary)| summary.readings > 1) {
            let of = self.series[*series as usize];
            let moves = summary.highest > summary.lowest || !summary.quantiles.is_empty();
            if moves && self.rank((of.source, of.instrument)).is_some() {
                instruments.entry((of.source, of.instrument)).or_default().push(*series);
            }
        }
        let mut chosen: Vec<((u32, u32), Vec<u32>)> = instruments.into_iter().collect();
        let busiest = |series: &[u32]| series.len();
        sort_by_key(&mut chosen, |(instrument, series)| {
            (self.rank(*instrument), Reverse(busiest(series)), *instrument)
        });
        chosen.truncate(MAX_CHARTS);
        chosen.iter().filter_map(|(instrument, series)| self.chart(points, *instrument, series)).collect()
    }

    /// Returns the rank of an instrument by usefulness; `None` if it belongs only in the table.
    fn rank(&self, (source, instrument): (u32, u32)) -> Option<usize> {
        let (source, instrument) = (self.text(source), self.text(instrument));
        let is_own = !["System.", "Microsoft"].iter().any(|start| source.starts_with(start));
        // Half of the charts are for the app's own instruments.
        let known = USEFUL_FIRST.iter().position(|name| *name == instrument);
        if is_own { Some(3) } else { known.map(|at| if at < 3 { at } else { at + 1 }) }
    }

    fn chart(&self, points: &[&Point], (_, instrument): (u32, u32), series: &[u32]) -> Option<Chart> {
        let mut lines: Vec<(String, Vec<(i64, f64)>)> = Vec::new();
        for &number in series.iter().take(MAX_LINES) {
            let of = self.series[number as usize];
            let aspect = match of.kind {
                InstrumentKind::Histogram => Aspect::Quantile(950),
                _ => Aspect::Value,
            };
            let is_of_line = |point: &&&Point| point.series == number && point.aspect == aspect;
            let values: Vec<(i64, f64)> =
                points.iter().filter(is_of_line).map(|point| (point.time, point.value)).collect();
            let name = match (aspect, self.text(of.tags)) {
                (Aspect::Quantile(share), "") => percentile(f64::from(share) / 1000.0),
                (Aspect::Quantile(share), tags) => [&percentile(f64::from(share) / 1000.0), " · ", tags].concat(),
                (_, "") => self.text(instrument).to_owned(),
                (_, tags) => tags.to_owned(),
            };
            if !values.is_empty() {
                lines.push((name, values));
            }
        }
        let mut moments: Vec<i64> = lines.iter().flat_map(|(_, values)| values.iter().map(|value| value.0)).collect();
        moments.sort_unstable();
        moments.dedup();
        let every = moments.len().div_ceil(MAX_MOMENTS).max(1);
        let moments: Vec<i64> = moments.into_iter().step_by(every).collect();
        if moments.len() < 2 {
            return None;
        }
        let unit = self.text(self.series[*series.first()? as usize].unit);
        let title = match unit {
            "" => self.text(instrument).to_owned(),
            // Meters put their unit in braces: "{request}".
            unit => format!("{} ({})", self.text(instrument), unit.trim().replace(['{', '}'], "")),
        };
        // A color has a meaning elsewhere, so only lines that must be told apart have one.
        let is_alone = lines.len() == 1;
        let series = lines.into_iter().zip(HUES).map(|((name, values), hue)| ChartSeries {
            name,
            hue: if is_alone { Hue::Neutral } else { hue },
            values: moments.iter().map(|moment| at(&values, *moment)).collect(),
        });
        let series = series.collect();
        Some(Chart { title, axis: ChartAxis::Moments(moments), unit: Unit::Plain, is_stacked: false, series })
    }
}

/// Returns the last value up to a moment; NaN before the first value, and where the last isn't a number.
fn at(values: &[(i64, f64)], moment: i64) -> f64 {
    let until = values.partition_point(|value| value.0 <= moment);
    until.checked_sub(1).and_then(|last| values.get(last)).map_or(f64::NAN, |value| value.1)
}
