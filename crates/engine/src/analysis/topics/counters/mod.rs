//! Values of counters and meters: one row for each instrument and its tags, and charts of the most useful ones.

mod chart;
#[cfg(test)]
mod reference_tests;
#[cfg(test)]
mod tests;

use super::recorded_topics::{Role, Trace};
use super::shared::interned_texts::InternedTexts;
use super::shared::report::Report;
use super::shared::table::{RowTarget, Table};
use super::{Analysis, Facts, Known, Scope};
use crate::analysis::measures::Collector;
use crate::analysis::timeline::counters::{InstrumentKind, percentile, reading};
use crate::model::{EventChunk, EventType, Store};
use nettrace::decode;
use protocol::base::hash::FastMap;
use protocol::base::ids::EventId;
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::compare::Subject;
use protocol::filter::word;
use protocol::format::{count, counted, duration, measured};
use protocol::topics::report::Unit;
use std::collections::BTreeMap;

/// Maximum number of series (instruments with their tags). Later ones are ignored.
const MAX_SERIES: usize = 20_000;

/// Values reported by counters and meters.
#[derive(Debug, Default)]
pub struct CounterFacts {
    series: Vec<Series>,
    known: FastMap<Series, u32>,
    points: Vec<Point>,
    texts: InternedTexts,
}

/// An instrument with its tags, as positions of texts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Series {
    source: u32,
    instrument: u32,
    tags: u32,
    unit: u32,
    kind: InstrumentKind,
}

/// The statistic that a number reports of a series.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Aspect {
    Value,
    /// The quantile, in thousandths.
    Quantile(u16),
    /// Number of measurements in the interval.
    Measured,
    Sum,
    /// Lowest and highest measurement of the interval.
    Lowest,
    Highest,
    /// Increment in the interval.
    Added,
}

#[derive(Clone, Copy, PartialEq, Debug)]
struct Point {
    event: EventId,
    series: u32,
    aspect: Aspect,
    time: i64,
    /// Not finite if the app reported a value that isn't a number.
    value: f64,
}

/// Statistics of a series.
#[derive(Default)]
struct Summary {
    /// Number of intervals with a value, or with the statistics of a histogram.
    readings: u64,
    last: f64,
    sum: f64,
    lowest: f64,
    highest: f64,
    measured: f64,
    measured_sum: f64,
    added: Option<f64>,
    /// The highest value of any interval, by quantile in thousandths.
    quantiles: BTreeMap<u16, f64>,
    first_event: Option<EventId>,
    time: Option<(i64, i64)>,
    /// Number of values that aren't numbers.
    excluded: u64,
}

impl Summary {
    fn add(&mut self, point: &Point) {
        let (first, _) = *self.time.get_or_insert((point.time, point.time));
        self.time = Some((first, point.time));
        self.first_event.get_or_insert(point.event);
        if !point.value.is_finite() {
            self.excluded += 1;
            return;
        }
        match point.aspect {
            Aspect::Value => {
                self.spread(point.value);
                self.readings += 1;
                self.last = point.value;
                self.sum += point.value;
            }
            Aspect::Quantile(share) => {
                let highest = self.quantiles.entry(share).or_insert(f64::NEG_INFINITY);
                *highest = highest.max(point.value);
            }
            Aspect::Measured => {
                self.readings += 1;
                self.measured += point.value;
            }
            Aspect::Sum => self.measured_sum += point.value,
            Aspect::Lowest | Aspect::Highest => self.spread(point.value),
            Aspect::Added => self.added = Some(self.added.unwrap_or(0.0) + point.value),
        }
    }

    fn spread(&mut self, value: f64) {
        let is_first = self.readings == 0 && self.lowest == 0.0 && self.highest == 0.0;
        (self.lowest, self.highest) = match is_first {
            true => (value, value),
            false => (self.lowest.min(value), self.highest.max(value)),
        };
    }

    fn mean(&self) -> f64 {
        if self.measured > 0.0 { self.measured_sum / self.measured } else { self.sum / self.readings as f64 }
    }
}

impl CounterFacts {
    fn text(&self, position: u32) -> &str {
        self.texts.get(position)
    }

    fn number(&mut self, series: Series) -> Option<u32> {
        if let Some(known) = self.known.get(&series) {
            return Some(*known);
        }
        let number = u32::try_from(self.series.len()).ok().filter(|number| (*number as usize) < MAX_SERIES)?;
        self.known.insert(series, number);
        self.series.push(series);
        Some(number)
    }
}

impl Analysis for CounterFacts {
    const HAS_FINDINGS: bool = false;

    fn role(event_type: &EventType, _trace: &Trace) -> Option<Role> {
        event_type.is_counter().then_some(Role::Related)
    }
}

impl Facts for CounterFacts {
    fn wants(&self, event_type: &EventType) -> bool {
        event_type.is_counter()
    }

    fn read(&mut self, store: &Store, chunk: &EventChunk, row: usize, payload: &[u8]) {
        let Some(event_type) = store.types.get(chunk.event_type(row)) else { return };
        let Some(reading) = reading(event_type, decode(&event_type.schema.fields, payload, store.header.pointer_size))
        else {
            return;
        };
        let texts = [&reading.source, &reading.instrument, &reading.tags, &reading.unit];
        let [source, instrument, tags, unit] = texts.map(|text| self.texts.position(text));
        let Some(series) = self.number(Series { source, instrument, tags, unit, kind: reading.kind }) else { return };
        let (event, time) = (chunk.event_id(row), store.clock.nanos(chunk.ticks(row)).0);
        let mut push = |aspect: Aspect, value: f64| self.points.push(Point { event, series, aspect, time, value });
        reading.value.into_iter().for_each(|value| push(Aspect::Value, value));
        for (share, value) in reading.quantiles {
            push(Aspect::Quantile((share * 1000.0).round().clamp(0.0, 1000.0) as u16), value);
        }
        if let Some((measured, sum)) = reading.measured {
            // An interval without a sum must not count toward the mean.
            if sum.is_finite() {
                push(Aspect::Measured, measured);
            }
            push(Aspect::Sum, sum);
        }
        let is_range = |(lowest, highest): &(f64, f64)| lowest < highest && lowest.is_finite() && highest.is_finite();
        if let Some((lowest, highest)) = reading.bounds.filter(is_range) {
            push(Aspect::Lowest, lowest);
            push(Aspect::Highest, highest);
        }
        reading.added.filter(|added| added.is_finite()).into_iter().for_each(|added| push(Aspect::Added, added));
    }

    fn report(&self, _known: &Known<'_>, scope: &Scope<'_>) -> Report {
        let points: Vec<&Point> = self.points.iter().filter(|point| scope.has(point.event)).collect();
        let mut by_series: FastMap<u32, Summary> = FastMap::default();
        points.iter().for_each(|point| by_series.entry(point.series).or_default().add(point));
        let mut summaries: Vec<(u32, Summary)> = by_series.into_iter().collect();
        let name = |series: u32| {
            let of = self.series[series as usize];
            [of.source, of.instrument, of.tags].map(|position| self.text(position))
        };
        sort_by_key(&mut summaries, |(series, _)| name(*series));
        let mut report = Report::default();
        self.judge(scope, &summaries, &mut report);
        report.charts = self.charts(&points, &summaries);
        report.tables.push(self.series_table(&summaries));
        report.tables.push(self.values_table(&points));
        report
    }

    /// Adds the values of counters.
    fn measures(&self, _known: &Known<'_>, scope: &Scope<'_>, into: &mut Collector) {
        let names: Vec<String> = self
            .series
            .iter()
            .map(|series| {
                let [source, instrument, tags] =
                    [series.source, series.instrument, series.tags].map(|at| self.text(at));
                let tags = if tags.is_empty() { String::new() } else { format!(" ({tags})") };
                format!("{source}/{instrument}{tags}")
            })
            .collect();
        let values = self.points.iter().filter(|point| point.aspect == Aspect::Value && scope.has(point.event));
        for point in values {
            if let Some(name) = names.get(point.series as usize) {
                into.add(Subject::Counter, name, point.time, point.value);
            }
        }
    }

    fn bytes(&self) -> usize {
        let series = self.series.len() * 3 * size_of::<Series>();
        self.points.len() * size_of::<Point>() + series + self.texts.bytes()
    }
}

impl CounterFacts {
    fn judge(&self, scope: &Scope<'_>, summaries: &[(u32, Summary)], report: &mut Report) {
        let of = |series: &u32| self.series[*series as usize];
        let mut instruments: Vec<(u32, u32)> =
            summaries.iter().map(|(series, _)| (of(series).source, of(series).instrument)).collect();
        instruments.sort_unstable();
        instruments.dedup();
        let mut sources: Vec<u32> = instruments.iter().map(|one| one.0).collect();
        sources.dedup();
        let readings: u64 = summaries.iter().map(|(_, summary)| summary.readings).sum();
        if instruments.is_empty() {
            report.verdict = "No counter or meter values.".to_owned();
        } else {
            report.verdict = format!(
                "{} from {}, {} in {}.",
                counted(instruments.len() as u64, "instrument"),
                counted(sources.len() as u64, "source"),
                counted(readings, "reading"),
                duration(scope.span.duration())
            );
        }
        let words =
            [Some(self.known_words(summaries)).filter(|words| !words.is_empty()), self.excluded_words(summaries)];
        report.explanation = words.into_iter().flatten().collect::<Vec<_>>().join(" ");
        report.figure("instruments", "Instruments", instruments.len() as f64, Unit::Count, "");
        report.figure("series", "Series", summaries.len() as f64, Unit::Count, "an instrument with its tags");
        let note = "a histogram's has several values";
        report.figure("values", "Readings", readings as f64, Unit::Count, note);
    }

    /// Returns a sentence about the app from the runtime's own counters.
    fn known_words(&self, summaries: &[(u32, Summary)]) -> String {
        let find = |names: &[&str]| {
            summaries.iter().find(|(series, summary)| {
                let of = self.series[*series as usize];
                let is_known = self.text(of.source) == "System.Runtime" && names.contains(&self.text(of.instrument));
                is_known && self.text(of.tags).is_empty() && summary.readings > 0
            })
        };
        let mut words = Vec::new();
        if let Some((_, cpu)) = find(&["CPU Usage"]) {
            words.push(format!("CPU usage averaged {:.0}% and peaked at {:.0}%.", cpu.mean(), cpu.highest));
        }
        if let Some((series, heap)) = find(&["GC Heap Size", "dotnet.gc.last_collection.heap.size"]) {
            let unit = self.text(self.series[*series as usize].unit);
            words.push(format!("The GC heap peaked at {}.", measured(heap.highest, unit)));
        }
        if let Some((_, queue)) = find(&["ThreadPool Queue Length", "dotnet.thread_pool.queue.length"]) {
            words.push(format!(
                "The thread pool queue peaked at {}.",
                counted(queue.highest.max(0.0) as u64, "work item")
            ));
        }
        words.join(" ")
    }

    /// Returns a sentence about values that aren't numbers (NaN, infinity), and the series with most of them.
    fn excluded_words(&self, summaries: &[(u32, Summary)]) -> Option<String> {
        let incomplete = || summaries.iter().filter(|(_, summary)| summary.excluded > 0);
        let most = incomplete().max_by_key(|(series, summary)| (summary.excluded, std::cmp::Reverse(*series)))?.0;
        let of = self.series.get(most as usize)?;
        let mut of_series = format!("{} of {}", self.text(of.instrument), self.text(of.source));
        if let others @ 1.. = incomplete().count() as u64 - 1 {
            of_series += &format!(" and {} other series", count(others));
        }
        Some(match incomplete().map(|(_, summary)| summary.excluded).sum::<u64>() {
            1 => format!("Excluded 1 value that isn't a number, from {of_series}."),
            excluded => format!("Excluded {} values that aren't numbers, from {of_series}.", count(excluded)),
        })
    }

    fn series_table(&self, summaries: &[(u32, Summary)]) -> Table {
        let is_histogram = |of: &Series| of.kind == InstrumentKind::Histogram;
        let series: Vec<(Series, &Summary)> =
            summaries.iter().map(|(series, summary)| (self.series[*series as usize], summary)).collect();
        let plain = |(of, summary): &(Series, &Summary), value: fn(&Summary) -> f64| {
            (!is_histogram(of) && summary.readings > 0).then(|| value(summary))
        };
        let quantile = |summary: &Summary, share: u16| summary.quantiles.get(&share).copied();
        Table::of("instruments", "Series", &series)
            .words("source", "Source", |(of, _)| self.text(of.source))
            .words("instrument", "Instrument", |(of, _)| self.text(of.instrument))
            .words("tags", "Tags", |(of, _)| self.text(of.tags))
            .words("unit", "Unit", |(of, _)| self.text(of.unit))
            .words("kind", "Kind", |(of, _)| kind_words(of.kind))
            .numbers("values", "Readings", Unit::Count, |(_, summary)| summary.readings)
            .numbers("last", "Last", Unit::Plain, |row| plain(row, |summary| summary.last))
            .numbers("min", "Min", Unit::Plain, |row| plain(row, |summary| summary.lowest))
            .numbers("mean", "Mean", Unit::Plain, |(_, summary)| (summary.readings > 0).then(|| summary.mean()))
            .numbers("max", "Max", Unit::Plain, |row| plain(row, |summary| summary.highest))
            .numbers("sum", "Sum", Unit::Plain, |(of, summary)| match is_histogram(of) {
                true => Some(summary.measured_sum),
                false => summary.added,
            })
            .numbers("measured", "Measurements", Unit::Count, |(of, summary)| {
                is_histogram(of).then_some(summary.measured)
            })
            .numbers("p50", "p50 (max)", Unit::Plain, |(_, summary)| quantile(summary, 500))
            .numbers("p95", "p95 (max)", Unit::Plain, |(_, summary)| quantile(summary, 950))
            .numbers("p99", "p99 (max)", Unit::Plain, |(_, summary)| quantile(summary, 990))
            .target(|(of, summary)| {
                let span = summary.time.map(|(first, last)| Span::new(first, last + 1));
                RowTarget::of(summary.first_event).over(span).filtered(self.condition(*of))
            })
    }

    /// Returns the filter condition for the values of an instrument; for a counter, those of its provider.
    fn condition(&self, of: Series) -> String {
        let (source, instrument) = (word(self.text(of.source)), word(self.text(of.instrument)));
        match of.kind {
            InstrumentKind::Mean | InstrumentKind::Rate => format!("provider={source} {instrument}"),
            _ => format!("payload.meterName={source} payload.instrumentName={instrument}"),
        }
    }

    fn values_table(&self, points: &[&Point]) -> Table {
        let listed = |point: &Point| {
            let what = match point.aspect {
                Aspect::Value => "value".to_owned(),
                Aspect::Quantile(share) => percentile(f64::from(share) / 1000.0),
                Aspect::Measured => "count".to_owned(),
                Aspect::Sum => "sum".to_owned(),
                Aspect::Lowest | Aspect::Highest | Aspect::Added => return None,
            };
            let note = if point.value.is_finite() { "" } else { " (not a number)" };
            Some((self.series[point.series as usize], what + note))
        };
        let values: Vec<_> = points.iter().filter_map(|point| Some((*point, listed(point)?))).collect();
        Table::of("values", "All values", &values)
            .numbers("timeNs", "Time", Unit::Moment, |(point, _)| point.time)
            .words("source", "Source", |(_, (of, _))| self.text(of.source))
            .words("instrument", "Instrument", |(_, (of, _))| self.text(of.instrument))
            .words("tags", "Tags", |(_, (of, _))| self.text(of.tags))
            .words("what", "Statistic", |(_, (_, what))| what.as_str())
            .numbers("value", "Value", Unit::Plain, |(point, _)| Some(point.value).filter(|value| value.is_finite()))
            .words("unit", "Unit", |(_, (of, _))| self.text(of.unit))
            .target(|(point, _)| RowTarget::of(point.event).over(Span::new(point.time, point.time + 1)))
    }
}

fn kind_words(kind: InstrumentKind) -> &'static str {
    match kind {
        InstrumentKind::Mean => "interval mean",
        InstrumentKind::Rate => "rate",
        InstrumentKind::Counter => "counter",
        InstrumentKind::Amount => "gauge",
        InstrumentKind::Histogram => "histogram",
    }
}
