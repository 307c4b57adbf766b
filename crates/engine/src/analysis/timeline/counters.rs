//! Values over time that the app and its libraries report: `EventCounters` and `System.Diagnostics.Metrics`
//! (docs/format/runtime-events.md#counters-and-meters). All tags and percentiles of an instrument share a track.

use super::lines::{LineKey, Lines};
use crate::analysis::scan::rows::TypeSet;
use crate::analysis::scan::selection::Selection;
use crate::analysis::values::decimal::{decimal, local_decimal};
use crate::model::{EventType, METRICS, Store};
use nettrace::{ByteSource, SourceError, Value};
use protocol::base::ids::EventId;
use protocol::format::quantity;

/// Adds the values of counters and meters.
///
/// # Errors
/// If a payload can't be read from the file.
pub fn counters(
    store: &Store,
    source: &dyn ByteSource,
    selection: &Selection,
    lines: &mut Lines,
) -> Result<(), SourceError> {
    TypeSet::new(store, EventType::is_counter).try_for_each_row(store, |chunk, row| {
        let Some(event_type) = store.types.get(chunk.event_type(row)) else { return Ok(()) };
        let (event, time) = (chunk.event_id(row), store.clock.nanos(chunk.ticks(row)).0);
        if !selection.contains(event.index()) {
            return Ok(());
        }
        add_values(store, source, event, event_type, time, lines)
    })
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum InstrumentKind {
    /// The mean of an interval (`EventCounter`, `PollingCounter`).
    Mean,
    /// Increment in an interval, per unit of time that the app chose (`IncrementingEventCounter` and similar).
    Rate,
    /// Increment in an interval (`Counter`).
    Counter,
    /// Current amount (`UpDownCounter`, `Gauge`).
    Amount,
    /// Percentiles of an interval (`Histogram`).
    Histogram,
}

/// Values that an instrument reported for an interval.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Reading {
    /// Provider or meter.
    pub source: String,
    pub instrument: String,
    /// Tags that distinguish the values of the instrument; may be empty.
    pub tags: String,
    /// Unit of the value; may be empty.
    pub unit: String,
    pub kind: InstrumentKind,
    /// The value, not finite if the app's text isn't a number; `None` for a histogram.
    pub value: Option<f64>,
    /// Quantiles: share and value, which isn't finite if the app's text isn't a number.
    pub quantiles: Vec<(f64, f64)>,
    /// Number of values that a histogram measured in the interval, and their sum, which may not be finite.
    pub measured: Option<(f64, f64)>,
    /// Lowest and highest value of the interval.
    pub bounds: Option<(f64, f64)>,
    /// Increment in the interval.
    pub added: Option<f64>,
}

/// Reads the values of an event; `None` if it has no readable ones.
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
    // An instrument that can decrease reports the current amount; for one that only increases, the increment is more
    // informative.
    let is_amount = event_type.display_name.starts_with("UpDown");
    let [source, instrument, tags, mut unit] =
        ["meterName", "instrumentName", "tags", "unit"].map(|field| text(fields, field).to_owned());
    let mut quantiles = Vec::new();
    for quantile in text(fields, "quantiles").split(';') {
        if let Some((share, value)) = quantile.split_once('=')
            && let Some(share) = local_decimal(share)
        {
            quantiles.push((share, local_decimal(value).unwrap_or(f64::NAN)));
        }
    }
    let measured = number(fields, "count").zip(number(fields, "sum"));
    // Numbers are formatted in the app's culture. An empty text means no measurement.
    let written = |name: &str| match text(fields, name) {
        "" => None,
        text => Some(local_decimal(text).unwrap_or(f64::NAN)),
    };
    let added = written("rate").filter(|_| !is_amount);
    let value = added.or_else(|| ["lastValue", "value"].into_iter().find_map(written));
    let kind = match (added, value) {
        _ if event_type.display_name.starts_with("Histogram") => InstrumentKind::Histogram,
        (Some(_), _) => InstrumentKind::Counter,
        (None, _) if event_type.display_name.starts_with("Counter") => InstrumentKind::Counter,
        _ => InstrumentKind::Amount,
    };
    if added.is_some() {
        unit.push_str(if unit.is_empty() { "per interval" } else { " per interval" });
    }
    Some(Reading { source, instrument, tags, unit, kind, value, quantiles, measured, bounds: None, added })
}

fn of_counter(event_type: &EventType, fields: &[(String, Value)]) -> Option<Reading> {
    let names = [text(fields, "DisplayName"), text(fields, "Name")];
    let instrument = names.into_iter().find(|name| !name.is_empty())?.to_owned();
    let (mean, added) = (number(fields, "Mean"), number(fields, "Increment"));
    let interval = number(fields, "IntervalSec").filter(|seconds| *seconds > 0.0 && seconds.is_finite());
    let mut unit = text(fields, "DisplayUnits").to_owned();
    let kind = if mean.is_some() { InstrumentKind::Mean } else { InstrumentKind::Rate };
    // The increment since the last event is a rate.
    let value = mean.or_else(|| {
        let scale = time_span(text(fields, "DisplayRateTimeScale")).unwrap_or(1.0);
        unit.push_str(&per(scale));
        Some(added? / interval.unwrap_or(1.0) * scale)
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

/// Parses a time as .NET writes it (`00:01:00`, `1.00:00:00`, `00:00:00.5000000`) to seconds; `None` if invalid.
fn time_span(text: &str) -> Option<f64> {
    if text.starts_with('-') {
        return None;
    }
    let (days, clock) = match text.split_once('.') {
        Some((days, clock)) if clock.contains(':') => (decimal(days)?, clock),
        _ => (0.0, text),
    };
    let mut parts = clock.split(':').map(decimal);
    let (hours, minutes, seconds) = (parts.next()??, parts.next()??, parts.next()??);
    let total = ((days * 24.0 + hours) * 60.0 + minutes) * 60.0 + seconds;
    (parts.next().is_none() && total > 0.0 && total.is_finite()).then_some(total)
}

/// Returns the suffix of a rate per this many seconds: "/s", "/min", "/10 s".
fn per(seconds: f64) -> String {
    let named = [(1.0, "/s"), (60.0, "/min"), (3_600.0, "/h"), (86_400.0, "/day")];
    match named.iter().find(|(length, _)| *length == seconds) {
        Some((_, words)) => (*words).to_owned(),
        None if seconds < 1.0 => format!("/{} ms", quantity(seconds * 1e3)),
        None => format!("/{} s", quantity(seconds)),
    }
}

/// Adds the values of an event.
fn add_values(
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
    let mut key = LineKey { track: None, source, lane, name: tags.clone(), unit };
    let mut add = |key: &LineKey, value: f64| {
        if value.is_finite() { lines.push(key, time, value, "") } else { lines.push_gap(key, time) }
    };
    value.into_iter().for_each(|value| add(&key, value));
    for (share, value) in quantiles {
        key.name.clear();
        key.name.push_str(&percentile(share));
        if !tags.is_empty() {
            key.name.push_str(" · ");
            key.name.push_str(&tags);
        }
        add(&key, value);
    }
    Ok(())
}

/// Formats a quantile: "p50", "p99.9".
pub(crate) fn percentile(share: f64) -> String {
    let tenths = (share * 1000.0).round() as u32;
    match tenths % 10 {
        0 => format!("p{}", tenths / 10),
        tenth => format!("p{}.{tenth}", tenths / 10),
    }
}

/// Returns the structure that contains the counter, nested in one or two others.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_have_time_unit_of_app() {
        let cases = [
            ("00:00:01", 1.0, "/s"),
            ("00:01:00", 60.0, "/min"),
            ("01:00:00", 3_600.0, "/h"),
            ("1.00:00:00", 86_400.0, "/day"),
            ("00:00:10", 10.0, "/10 s"),
            ("00:00:00.2500000", 0.25, "/250 ms"),
        ];
        for (text, seconds, words) in cases {
            assert_eq!((time_span(text), per(seconds).as_str()), (Some(seconds), words), "{text}");
        }
        for text in ["", "1", "00:00:00", "-00:00:01", "1:2", "1:2:3:4", "a:b:c"] {
            assert_eq!(time_span(text), None, "{text}");
        }
    }
}
