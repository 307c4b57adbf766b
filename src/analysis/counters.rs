//! Values over time that the program and its libraries tell themselves: `EventCounters` and `System.Diagnostics.Metrics`
//! (field notes 4.3), and the number of thread-pool workers.

use super::decimal::decimal;
use super::rows::TypeSet;
use crate::clr::KnownEvent;
use crate::clr::known::payload::{ThreadPoolAdjustment, ThreadPoolWorkers};
use crate::model::Store;
use crate::model::ids::EventId;
use crate::model::sort::sort_by;
use crate::nettrace::{ByteSource, SourceError, Value};
use crate::protocol::tables::Series;
use rustc_hash::FxHashMap;

/// Values of one series at most: more than a screen has pixels.
const MOST_VALUES: usize = 65_536;
const METRICS: &str = "System.Diagnostics.Metrics";

#[derive(Default)]
struct Lines {
    by_name: FxHashMap<(String, String), usize>,
    lines: Vec<Line>,
}

struct Line {
    name: (String, String),
    unit: String,
    values: Vec<(i64, f64)>,
}

impl Lines {
    fn push(&mut self, source: &str, name: &str, unit: &str, time: i64, value: f64) {
        if !value.is_finite() {
            return;
        }
        let key = (source.to_owned(), name.to_owned());
        let at = *self.by_name.entry(key.clone()).or_insert_with(|| {
            self.lines.push(Line { name: key, unit: unit.to_owned(), values: Vec::new() });
            self.lines.len() - 1
        });
        let values = &mut self.lines[at].values;
        if values.len() < MOST_VALUES {
            values.push((time, value));
        }
    }
}

/// All series of the trace: those of the thread pool first, then counters and meters by provider and name.
///
/// # Errors
/// If a payload cannot be read from the file.
pub fn series(store: &Store, source: &dyn ByteSource) -> Result<Series, SourceError> {
    let (mut pool, mut told) = (Lines::default(), Lines::default());
    let mut failure = None;
    let wanted = TypeSet::new(store, |event_type| {
        let is_meter = event_type.provider == METRICS && event_type.display_name.ends_with("ValuePublished");
        is_meter || event_type.display_name == "EventCounters" || is_of_pool(event_type.known)
    });
    wanted.for_each_row(store, 0..store.events().len(), |chunk, row| {
        let Some(event_type) = store.types().get(chunk.event_type(row)) else { return };
        let (event, time) = (chunk.event_id(row), store.clock().nanos(chunk.ticks(row)).0);
        let result = match is_of_pool(event_type.known) {
            true => pool_value(store, source, event, event_type.known, time, &mut pool),
            false => told_value(store, source, event, &event_type.provider, time, &mut told),
        };
        if let Err(error) = result {
            failure = Some(error);
        }
    });
    if let Some(error) = failure {
        return Err(error);
    }
    sort_by(&mut told.lines, |one, other| one.name.cmp(&other.name));
    let mut table = Series::default();
    for line in pool.lines.into_iter().chain(told.lines) {
        table.source.push(&line.name.0);
        table.name.push(&line.name.1);
        table.unit.push(&line.unit);
        table.time.extend(line.values.iter().map(|value| value.0));
        table.value.extend(line.values.iter().map(|value| value.1));
        table.until.push(table.time.len() as u32);
    }
    Ok(table)
}

fn is_of_pool(known: KnownEvent) -> bool {
    use KnownEvent::{ThreadPoolAdjustment, ThreadPoolWorkerStart, ThreadPoolWorkerStop, ThreadPoolWorkerWait};
    matches!(known, ThreadPoolAdjustment | ThreadPoolWorkerStart | ThreadPoolWorkerStop | ThreadPoolWorkerWait)
}

fn pool_value(
    store: &Store,
    source: &dyn ByteSource,
    event: EventId,
    known: KnownEvent,
    time: i64,
    lines: &mut Lines,
) -> Result<(), SourceError> {
    let payload = store.payload(event, source)?;
    if known == KnownEvent::ThreadPoolAdjustment {
        if let Some(adjusted) = ThreadPoolAdjustment::read(&payload) {
            lines.push(POOL, "Workers wanted", "threads", time, f64::from(adjusted.worker_count));
        }
    } else if let Some(workers) = ThreadPoolWorkers::read(&payload) {
        lines.push(POOL, "Workers", "threads", time, f64::from(workers.active));
    }
    Ok(())
}

/// The source of the thread pool's own series.
const POOL: &str = "Thread pool";

/// A value of an `EventCounters` event, or of one of `System.Diagnostics.Metrics`.
fn told_value(
    store: &Store,
    source: &dyn ByteSource,
    event: EventId,
    provider: &str,
    time: i64,
    lines: &mut Lines,
) -> Result<(), SourceError> {
    let fields: Vec<(String, Value)> =
        store.decode(event, source)?.into_iter().map(|(field, value)| (field.name.clone(), value)).collect();
    if provider == METRICS {
        let (meter, mut name) = (text(&fields, "meterName"), text(&fields, "instrumentName").to_owned());
        let tags = text(&fields, "tags");
        if !tags.is_empty() {
            name.push_str(" · ");
            name.push_str(tags);
        }
        let unit = text(&fields, "unit");
        if let Some(value) = ["rate", "lastValue", "value"].iter().find_map(|key| decimal(text(&fields, key))) {
            lines.push(meter, &name, unit, time, value);
        }
        for quantile in text(&fields, "quantiles").split(';') {
            if let Some((share, value)) = quantile.split_once('=')
                && let (Some(share), Some(value)) = (decimal(share), decimal(value))
            {
                let mut name = name.clone();
                name.push_str(" · p");
                name.push_str(&((share * 100.0).round() as u32).to_string());
                lines.push(meter, &name, unit, time, value);
            }
        }
        return Ok(());
    }
    let Some(payload) = innermost(&fields) else { return Ok(()) };
    let name = [text(payload, "DisplayName"), text(payload, "Name")].into_iter().find(|name| !name.is_empty());
    let (mean, increment) = (number(payload, "Mean"), number(payload, "Increment"));
    let interval = number(payload, "IntervalSec").filter(|seconds| *seconds > 0.0);
    let mut unit = text(payload, "DisplayUnits").to_owned();
    // What was added since the last time is a rate.
    let value = mean.or_else(|| {
        unit.push_str("/s");
        Some(increment? / interval.unwrap_or(1.0))
    });
    if let (Some(name), Some(value)) = (name, value) {
        lines.push(provider, name, &unit, time, value);
    }
    Ok(())
}

/// The structure with the counter in it: it lies in one or two others.
fn innermost(fields: &[(String, Value)]) -> Option<&[(String, Value)]> {
    let mut fields = fields;
    while !fields.iter().any(|(name, _)| name == "Name") {
        fields = match fields.first() {
            Some((_, Value::Object(inner))) => inner,
            _ => return None,
        };
    }
    Some(fields)
}

fn text<'f>(fields: &'f [(String, Value)], name: &str) -> &'f str {
    match fields.iter().find(|field| field.0 == name) {
        Some((_, Value::String(text))) => text,
        _ => "",
    }
}

fn number(fields: &[(String, Value)], name: &str) -> Option<f64> {
    match fields.iter().find(|field| field.0 == name)?.1 {
        Value::Float64(value) => Some(value),
        Value::Float32(value) => Some(value.into()),
        Value::Int(value, _) => Some(value as f64),
        _ => None,
    }
}
