//! CPU usage over time, in percent of all CPUs: from the CPU samples of machine-wide traces, otherwise from the runtime's
//! counters (docs/format/runtime-events.md#counters-and-meters).

use super::lines::{LineKey, Lines, Point, ValueSources};
use crate::analysis::samples::thread_samples::{Sampling, ThreadSamples};
use crate::analysis::scan::selection::Selection;
use nettrace::SourceError;
use protocol::base::sort::sort_by_key;
use protocol::format::{counted, duration};
use protocol::timeline::track::TrackKind;

/// Maximum number of parts of a trace: more than a screen can distinguish.
const MAX_PARTS: i64 = 512;
/// Minimum length of a part in sampling periods, so that one sample is at most 5% of one CPU.
const PERIODS_A_PART: i64 = 20;
/// Minimum number of samples: fewer say nothing about usage over time, and most processes of a machine have a few.
const MIN_SAMPLES: usize = 20;
/// Display name of the event counter, which is a share of all CPUs.
const COUNTER: &str = "CPU Usage";
/// Meters (.NET 9 and later): CPU time by mode, and number of CPUs.
const CPU_TIME: &str = "dotnet.process.cpu.time";
const CPU_COUNT: &str = "dotnet.process.cpu.count";

/// Source, and times with percentages. A value that isn't finite is a gap.
struct Usage {
    source: String,
    points: Vec<(i64, f64)>,
}

/// Adds the CPU usage from the best source that the trace has.
///
/// # Errors
/// Never: all tracks of values have this signature.
pub fn cpu_usage(sources: &ValueSources<'_>, lines: &mut Lines) -> Result<(), SourceError> {
    let sampled = from_samples(sources);
    if sampled.is_some() {
        lines.mark_exact(TrackKind::CpuUsage);
    }
    let Some(usage) = sampled.or_else(|| from_counter(sources)).or_else(|| from_meter(sources)) else { return Ok(()) };
    let key = LineKey::of_track(TrackKind::CpuUsage, &usage.source, "", "%");
    for (time, value) in usage.points {
        // Samples and clocks aren't exact.
        if value.is_finite() { lines.push(&key, time, value.clamp(0.0, 100.0), "") } else { lines.push_gap(&key, time) }
    }
    Ok(())
}

fn cpus(sources: &ValueSources<'_>) -> Option<f64> {
    sources.store.header.known_processor_count().map(f64::from)
}

/// Returns the times of the selected samples of a thread, and their CPU times.
fn chosen<'s>(thread: &'s ThreadSamples, selected: &'s Selection) -> impl Iterator<Item = (i64, i64)> + 's {
    let is_selected = |index: &usize| selected.contains(thread.event(*index).index());
    (0..thread.len()).filter(is_selected).map(|index| (thread.time(index), thread.weight(index)))
}

/// Returns the usage from the first to the last selected sample, averaged over equal parts of the time.
fn from_samples(sources: &ValueSources<'_>) -> Option<Usage> {
    let (cpus, selected) = (cpus(sources)?, sources.rows.selected);
    let threads = || sources.samples.iter().map(|(_, thread)| thread).filter(|one| one.kind == Sampling::Processor);
    let (mut first, mut last, mut period, mut count) = (i64::MAX, i64::MIN, 1, 0);
    for thread in threads() {
        period = period.max(thread.period);
        for (time, _) in chosen(thread, selected) {
            (first, last, count) = (first.min(time), last.max(time), count + 1);
        }
    }
    if count < MIN_SAMPLES {
        return None;
    }
    let least = period.saturating_mul(PERIODS_A_PART);
    let span = last.saturating_sub(first).saturating_add(period).max(least);
    let parts = (span / least).clamp(1, MAX_PARTS);
    let start_of = |part: i64| first.saturating_add((i128::from(span) * i128::from(part) / i128::from(parts)) as i64);
    let mut busy = vec![0i64; parts as usize];
    for (time, weight) in threads().flat_map(|thread| chosen(thread, selected)) {
        let part = i128::from(time.saturating_sub(first)) * i128::from(parts) / i128::from(span);
        if let Some(busy) = busy.get_mut(part as usize) {
            *busy = busy.saturating_add(weight);
        }
    }
    let mut points: Vec<(i64, f64)> = (0..)
        .zip(&busy)
        .map(|(part, busy)| {
            let length = start_of(part + 1).saturating_sub(start_of(part)).max(1);
            (start_of(part), *busy as f64 / (length as f64 * cpus) * 100.0)
        })
        .collect();
    // Other threads that are sampled later show that these used nothing.
    let end = start_of(parts);
    let is_sampled = threads().any(|thread| thread.len().checked_sub(1).is_some_and(|last| thread.time(last) > end));
    points.push((end, if is_sampled { 0.0 } else { f64::NAN }));
    let (part, cpus) = (duration(span / parts), counted(cpus as u64, "CPU"));
    Some(Usage { source: format!("CPU samples, averaged over {part}, of {cpus}"), points })
}

/// Returns the values of the event counter.
fn from_counter(sources: &ValueSources<'_>) -> Option<Usage> {
    let points = sources.counters.of_runtime(COUNTER).next()?;
    let points = points.iter().map(|&(time, value, _)| (time, value)).collect();
    Some(Usage { source: "cpu-usage counter of System.Runtime".to_owned(), points })
}

/// Returns the usage from the CPU time in each interval. The meter publishes a value for each mode, one after the other.
fn from_meter(sources: &ValueSources<'_>) -> Option<Usage> {
    let modes: Vec<&[Point]> = sources.counters.of_runtime(CPU_TIME).collect();
    let count = sources.counters.of_runtime(CPU_COUNT).next().and_then(|points| points.last());
    let cpus = count.map(|count| count.1).filter(|count| *count >= 1.0).or_else(|| cpus(sources))?;
    let of_mode =
        |(mode, points): (usize, &&[Point])| points.iter().map(|point| (point.0, mode, point.1)).collect::<Vec<_>>();
    let mut values: Vec<(i64, usize, f64)> = modes.iter().enumerate().flat_map(of_mode).collect();
    sort_by_key(&mut values, |value| (value.0, value.1));
    // A mode that occurs again begins the next interval. An interval without all modes has no sum.
    let (mut sums, mut seen, mut interval) = (Vec::new(), vec![0u32; modes.len()], 1);
    let (mut count, mut sum) = (0, 0.0);
    for (time, mode, seconds) in values {
        if seen[mode] == interval {
            interval += 1;
            (count, sum) = (0, 0.0);
        }
        seen[mode] = interval;
        (count, sum) = (count + 1, sum + seconds);
        if count == modes.len() {
            sums.push((time, sum));
        }
    }
    let mut intervals: Vec<i64> = sums.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    intervals.sort_unstable();
    let interval = *intervals.get(intervals.len() / 2)? as f64 / 1e9;
    let points = sums.into_iter().map(|(time, seconds)| (time, seconds / (interval * cpus) * 100.0)).collect();
    let cpus = counted(cpus as u64, "CPU");
    Some(Usage { source: format!("{CPU_TIME} of System.Runtime, of {cpus}"), points })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::samples::index::SampleIndex;
    use crate::analysis::scan::selection::SelectionBuilder;
    use crate::analysis::timeline::lines::SeriesRows;
    use crate::analysis::timeline::series_source::SeriesPayloads;
    use crate::model::testing::read;
    use nettrace::testing::{Event, Format, TraceBuilder};
    use nettrace::{MetadataRecord, ThreadRow};
    use protocol::tables::Series;

    const MILLISECOND: i64 = 1_000_000;

    /// Returns the table of a trace of two CPUs that are sampled every millisecond: time and thread of each sample, of
    /// which those of some threads are selected.
    fn sampled(samples: &[(i64, u64)], selected: &dyn Fn(u64) -> bool, counters: &Lines) -> Series {
        let header = nettrace::Header {
            sync_ticks: 0,
            tick_frequency: 1_000_000_000,
            processor_count: 2,
            expected_sampling_rate_nanos: MILLISECOND as u32,
            ..Format::Nettrace6.header()
        };
        let mut trace = TraceBuilder::with_header(Format::Nettrace6, &header);
        let (provider, name) = ("Universal.Events".to_owned(), "cpu".to_owned());
        trace.metadata(&[MetadataRecord { metadata_id: 1, provider, event_id: 1, name, ..MetadataRecord::default() }]);
        let rows = [1, 2, 3].map(|index| ThreadRow {
            index,
            process_id: Some(100),
            thread_id: Some(100 + index),
            ..ThreadRow::default()
        });
        trace.threads(&rows);
        let events: Vec<Event> = (1..)
            .zip(samples)
            .map(|(sequence, &(timestamp, thread))| {
                let (metadata_id, is_sorted) = (1, true);
                Event {
                    metadata_id,
                    sequence,
                    capture_thread: thread,
                    thread,
                    timestamp,
                    is_sorted,
                    ..Event::default()
                }
            })
            .collect();
        trace.events(&events);
        let bytes = trace.finish();
        let store = read(&bytes);
        let mut selection = SelectionBuilder::new(store.events.len());
        for row in 0..store.events.len() {
            let thread = store.events.row(protocol::base::ids::EventId(row as u32)).thread;
            let number = store.threads.get(thread).map_or(0, |thread| thread.os_thread);
            if selected(number) {
                selection.insert(row);
            }
        }
        let selection = selection.finish();
        let rows = SeriesRows { selected: &selection, of_processes: &selection, is_wider: true };
        let samples = SampleIndex::build(&store).expect("memory");
        let payloads = SeriesPayloads::new(&store);
        let sources = ValueSources {
            store: &store,
            source: &bytes,
            payloads: &payloads,
            samples: &samples,
            rows: &rows,
            counters,
        };
        let (mut lines, mut table) = (Lines::default(), Series::default());
        cpu_usage(&sources, &mut lines).expect("no payloads");
        lines.write(&mut table, true);
        table
    }

    /// A counter or meter of the runtime, with seconds and values.
    fn counter(lines: &mut Lines, lane: &str, name: &str, points: &[(i64, f64)]) {
        let [source, lane, name] = ["System.Runtime", lane, name].map(str::to_owned);
        let key = LineKey { source, lane, name, ..LineKey::default() };
        points.iter().for_each(|(seconds, value)| lines.push(&key, seconds * 1_000_000_000, *value, ""));
    }

    fn values(table: &Series) -> Vec<(i64, Option<i64>)> {
        let whole = |value: &f64| value.is_finite().then_some(value.round() as i64);
        table.time.iter().map(|time| time / MILLISECOND).zip(table.value.iter().map(whole)).collect()
    }

    #[test]
    fn samples_are_shares_of_all_cpus() {
        // The first thread runs for 40 ms, the second for the last 20 of them.
        let one = (0..40).map(|at| (at * MILLISECOND, 1));
        let two = (20..40).map(|at| (at * MILLISECOND, 2));
        let mut samples: Vec<(i64, u64)> = one.chain(two).collect();
        samples.sort_unstable();
        let table = sampled(&samples, &|_| true, &Lines::default());
        assert_eq!(values(&table), [(0, Some(50)), (20, Some(100)), (40, None)]);
        assert_eq!(table.source.get(0), "CPU samples, averaged over 20.0 ms, of 2 CPUs");
        assert_eq!((table.unit.get(0), &table.lane_is_wider[..]), ("%", &[0][..]), "every filter applies");
        let table = sampled(&samples, &|thread| thread == 102, &Lines::default());
        assert_eq!(values(&table), [(20, Some(50)), (40, None)]);
        samples.push((90 * MILLISECOND, 3));
        let table = sampled(&samples, &|thread| thread == 102, &Lines::default());
        assert_eq!(values(&table), [(20, Some(50)), (40, Some(0))], "another thread is sampled later");
        let table = sampled(&samples, &|thread| thread == 103, &Lines::default());
        assert!(table.time.is_empty(), "one sample says nothing");
    }

    #[test]
    fn counter_replaces_samples_and_never_exceeds_all_cpus() {
        let mut counters = Lines::default();
        counter(&mut counters, COUNTER, "", &[(1, 12.5), (2, 100.4)]);
        counter(&mut counters, CPU_TIME, "cpu.mode=user", &[(1, 0.5), (2, 0.5)]);
        let table = sampled(&[], &|_| true, &counters);
        assert_eq!(table.value, [12.5, 100.0]);
        assert_eq!(table.source.get(0), "cpu-usage counter of System.Runtime");
        assert_eq!(table.lane_is_wider, [1]);
    }

    #[test]
    fn meter_of_cpu_time_is_summed_over_modes_and_divided_by_cpus() {
        let mut counters = Lines::default();
        // The last interval has no value of one mode.
        counter(&mut counters, CPU_TIME, "cpu.mode=system", &[(2, 0.2), (4, 0.4), (6, 0.8)]);
        counter(&mut counters, CPU_TIME, "cpu.mode=user", &[(2, 0.2), (4, 3.6)]);
        let table = sampled(&[], &|_| true, &counters);
        assert_eq!(values(&table), [(2_000, Some(10)), (4_000, Some(100))], "of 2 s of two CPUs each");
        assert_eq!(table.source.get(0), "dotnet.process.cpu.time of System.Runtime, of 2 CPUs");
        counter(&mut counters, CPU_COUNT, "", &[(2, 4.0)]);
        assert_eq!(values(&sampled(&[], &|_| true, &counters)), [(2_000, Some(5)), (4_000, Some(50))]);
    }

    #[test]
    fn single_interval_of_meter_has_unknown_length() {
        let mut counters = Lines::default();
        counter(&mut counters, CPU_TIME, "cpu.mode=user", &[(2, 0.2)]);
        assert!(sampled(&[], &|_| true, &counters).time.is_empty());
    }
}
