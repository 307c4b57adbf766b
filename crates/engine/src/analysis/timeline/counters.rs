//! Values over time that the program and its libraries tell themselves: `EventCounters` and `System.Diagnostics.Metrics`
//! (docs/format/runtime-events.md#counters-and-meters). What an instrument tells by tag and by percentile shares a track.

use super::series::{LineKey, Lines};
use crate::analysis::scan::rows::TypeSet;
use crate::analysis::scan::selection::Selection;
use crate::analysis::values::decimal::decimal;
use crate::model::{EventType, METRICS, Store};
use nettrace::{ByteSource, SourceError, Value};
use protocol::base::ids::EventId;

/// Adds what counters and meters tell.
///
/// # Errors
/// If a payload cannot be read from the file.
pub fn counters(
    store: &Store,
    source: &dyn ByteSource,
    selection: &Selection,
    lines: &mut Lines,
) -> Result<(), SourceError> {
    TypeSet::new(store, EventType::is_counter).try_for_each_row(store, |chunk, row| {
        let Some(event_type) = store.types().get(chunk.event_type(row)) else { return Ok(()) };
        let (event, time) = (chunk.event_id(row), store.clock().nanos(chunk.ticks(row)).0);
        if !selection.contains(event.index()) {
            return Ok(());
        }
        told_value(store, source, event, event_type, time, lines)
    })
}

/// What an instrument tells.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum InstrumentKind {
    /// The mean of an interval (`EventCounter`, `PollingCounter`).
    Mean,
    /// What was added in an interval, a second (`IncrementingEventCounter` and the like).
    Rate,
    /// What was added in an interval (`Counter`).
    Counter,
    /// How much there is (`UpDownCounter`, `Gauge`).
    Amount,
    /// Percentiles of an interval (`Histogram`).
    Histogram,
}

/// What an instrument told for an interval.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Reading {
    /// Provider or meter.
    pub source: String,
    /// Its name.
    pub instrument: String,
    /// Which of several values of the instrument; may be empty.
    pub tags: String,
    /// Unit of the value, may be empty.
    pub unit: String,
    pub kind: InstrumentKind,
    /// The value; none of a histogram.
    pub value: Option<f64>,
    /// Shares and what they do not exceed.
    pub quantiles: Vec<(f64, f64)>,
    /// How many values were measured in the interval, and their sum, of a histogram.
    pub measured: Option<(f64, f64)>,
    /// The lowest and the highest value of the interval.
    pub bounds: Option<(f64, f64)>,
    /// What was added in the interval.
    pub added: Option<f64>,
}

/// Reads an event that tells values; none if it tells none that can be read.
pub(crate) fn reading(event_type: &EventType, values: Vec<Value>) -> Option<Reading> {
    let names = event_type.schema.fields.iter().map(|field| field.name.clone());
    let fields: Vec<(String, Value)> = names.zip(values).collect();
    if event_type.provider == METRICS {
        of_meter(event_type, &fields)
    } else {
        of_counter(event_type, innermost(&fields)?)
    }
}

fn of_meter(event_type: &EventType, fields: &[(String, Value)]) -> Option<Reading> {
    // What goes up and down tells how much there is; of what only grows, what was added says more.
    let is_amount = event_type.display_name.starts_with("UpDown");
    let [source, instrument, tags, mut unit] =
        ["meterName", "instrumentName", "tags", "unit"].map(|field| text(fields, field).to_owned());
    let mut quantiles = Vec::new();
    for quantile in text(fields, "quantiles").split(';') {
        if let Some((share, value)) = quantile.split_once('=')
            && let (Some(share), Some(value)) = (decimal(share), decimal(value))
        {
            quantiles.push((share, value));
        }
    }
    let measured = number(fields, "count").zip(number(fields, "sum"));
    let added = decimal(text(fields, "rate")).filter(|_| !is_amount);
    let value = added.or_else(|| ["lastValue", "value"].iter().find_map(|of| decimal(text(fields, of))));
    let kind = match (added, value) {
        _ if event_type.display_name.starts_with("Histogram") => InstrumentKind::Histogram,
        (Some(_), _) => InstrumentKind::Counter,
        (None, _) if event_type.display_name.starts_with("Counter") => InstrumentKind::Counter,
        _ => InstrumentKind::Amount,
    };
    if added.is_some() {
        unit.push_str(" per interval");
    }
    Some(Reading { source, instrument, tags, unit, kind, value, quantiles, measured, bounds: None, added })
}

fn of_counter(event_type: &EventType, fields: &[(String, Value)]) -> Option<Reading> {
    let names = [text(fields, "DisplayName"), text(fields, "Name")];
    let instrument = names.into_iter().find(|name| !name.is_empty())?.to_owned();
    let (mean, added) = (number(fields, "Mean"), number(fields, "Increment"));
    let interval = number(fields, "IntervalSec").filter(|seconds| *seconds > 0.0);
    let mut unit = text(fields, "DisplayUnits").to_owned();
    let kind = if mean.is_some() { InstrumentKind::Mean } else { InstrumentKind::Rate };
    // What was added since the last time is a rate.
    let value = mean.or_else(|| {
        unit.push_str("/s");
        Some(added? / interval.unwrap_or(1.0))
    });
    let bounds = number(fields, "Min").zip(number(fields, "Max"));
    let (source, tags, quantiles) = (event_type.provider.clone(), String::new(), Vec::new());
    Some(Reading {
        source,
        instrument,
        tags,
        unit,
        kind,
        value: Some(value?),
        quantiles,
        measured: None,
        bounds,
        added,
    })
}

/// Adds what an event tells.
fn told_value(
    store: &Store,
    source: &dyn ByteSource,
    event: EventId,
    event_type: &EventType,
    time: i64,
    lines: &mut Lines,
) -> Result<(), SourceError> {
    let values = store.decode(event, source)?.into_iter().map(|(_, value)| value).collect();
    let Some(reading) = reading(event_type, values) else { return Ok(()) };
    let Reading { source, instrument: lane, tags, unit, value, quantiles, .. } = reading;
    let mut key = LineKey { source, lane, name: tags.clone(), unit };
    value.into_iter().for_each(|value| lines.push(&key, time, value, ""));
    for (share, value) in quantiles {
        key.name.clear();
        key.name.push_str(&percentile(share));
        if !tags.is_empty() {
            key.name.push_str(" · ");
            key.name.push_str(&tags);
        }
        lines.push(&key, time, value, "");
    }
    Ok(())
}

/// "p50", "p99.9".
pub(crate) fn percentile(share: f64) -> String {
    let tenths = (share * 1000.0).round() as u32;
    match tenths % 10 {
        0 => format!("p{}", tenths / 10),
        tenth => format!("p{}.{tenth}", tenths / 10),
    }
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
