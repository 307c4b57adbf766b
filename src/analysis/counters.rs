//! Values over time that the program and its libraries tell themselves: `EventCounters` and `System.Diagnostics.Metrics`
//! (field notes 4.3). What an instrument tells by tag and by percentile shares a track.

use super::decimal::decimal;
use super::rows::TypeSet;
use super::selection::Selection;
use super::series::{LineKey, Lines};
use crate::model::ids::EventId;
use crate::model::{EventType, Store};
use crate::nettrace::{ByteSource, SourceError, Value};

const METRICS: &str = "System.Diagnostics.Metrics";

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
    TypeSet::new(store, is_counter).try_for_each_row(store, |chunk, row| {
        let Some(event_type) = store.types().get(chunk.event_type(row)) else { return Ok(()) };
        let (event, time) = (chunk.event_id(row), store.clock().nanos(chunk.ticks(row)).0);
        if !selection.contains(event.index()) {
            return Ok(());
        }
        told_value(store, source, event, event_type, time, lines)
    })
}

/// Whether payloads of this type tell values.
pub fn is_counter(event_type: &EventType) -> bool {
    let is_meter = event_type.provider == METRICS && event_type.display_name.ends_with("ValuePublished");
    is_meter || event_type.display_name == "EventCounters"
}

/// A value of an `EventCounters` event, or of one of `System.Diagnostics.Metrics`.
fn told_value(
    store: &Store,
    source: &dyn ByteSource,
    event: EventId,
    event_type: &EventType,
    time: i64,
    lines: &mut Lines,
) -> Result<(), SourceError> {
    let fields: Vec<(String, Value)> =
        store.decode(event, source)?.into_iter().map(|(field, value)| (field.name.clone(), value)).collect();
    if event_type.provider == METRICS {
        // What goes up and down tells how much there is; of what only grows, what was added says more.
        let is_amount = event_type.display_name.starts_with("UpDown");
        let [source, lane, name] = ["meterName", "instrumentName", "tags"].map(|field| text(&fields, field).to_owned());
        let mut key = LineKey { source, lane, name, unit: text(&fields, "unit").to_owned() };
        if let Some(value) = decimal(text(&fields, "rate")).filter(|_| !is_amount) {
            let mut unit = key.unit.clone();
            unit.push_str(" per interval");
            lines.push(&LineKey { unit, ..key.clone() }, time, value, "");
        } else if let Some(value) = ["lastValue", "value"].iter().find_map(|of| decimal(text(&fields, of))) {
            lines.push(&key, time, value, "");
        }
        let tags = std::mem::take(&mut key.name);
        for quantile in text(&fields, "quantiles").split(';') {
            if let Some((share, value)) = quantile.split_once('=')
                && let (Some(share), Some(value)) = (decimal(share), decimal(value))
            {
                key.name.clear();
                key.name.push_str(&percentile(share));
                if !tags.is_empty() {
                    key.name.push_str(" · ");
                    key.name.push_str(&tags);
                }
                lines.push(&key, time, value, "");
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
    if let (Some(lane), Some(value)) = (name, value) {
        let [source, lane] = [event_type.provider.as_str(), lane].map(str::to_owned);
        lines.push(&LineKey { source, lane, name: String::new(), unit }, time, value, "");
    }
    Ok(())
}

/// "p50", "p99.9".
fn percentile(share: f64) -> String {
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
