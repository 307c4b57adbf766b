//! Events that the GC reports in `GCDynamicEvent` under its own names, such as why it changes its number of heaps.

use crate::analysis::topics::Scope;
use crate::analysis::topics::shared::table::{RowTarget, Table};
use crate::analysis::values::payload_text::cut;
use crate::analysis::values::value_text::value_text;
use crate::clr::known::payload::GcDynamicEvent;
use crate::clr::{dynamic_fields, dynamic_version};
use nettrace::Value;
use protocol::base::ids::EventId;
use protocol::base::time::Span;
use protocol::filter::word;
use protocol::format::counted;
use protocol::topics::report::Unit;

/// Maximum number of events stored, bytes of data of each, and characters of its name.
const MAX_EVENTS: usize = 50_000;
const MAX_BYTES: usize = 128;
const MAX_NAME: usize = 80;
/// Maximum number of bytes displayed.
const MAX_SHOWN: usize = 64;

/// The `GCDynamicEvent` events of a trace.
#[derive(Debug, Default)]
pub(super) struct DynamicEvents {
    events: Vec<DynamicEvent>,
    omitted: u64,
}

#[derive(Debug)]
struct DynamicEvent {
    event: EventId,
    time: i64,
    name: String,
    /// The first bytes of the event's data.
    data: Box<[u8]>,
    /// Length of the data in bytes.
    length: usize,
}

impl DynamicEvents {
    pub fn add(&mut self, event: EventId, time: i64, payload: &[u8]) {
        if self.events.len() >= MAX_EVENTS {
            self.omitted += 1;
            return;
        }
        let Some(GcDynamicEvent { name, data }) = GcDynamicEvent::read(payload) else { return };
        // Long names need not be decoded completely.
        let name = cut(&name.chars().take(MAX_NAME + 1).collect::<String>(), MAX_NAME);
        let stored = data.iter().copied().take(MAX_BYTES).collect();
        self.events.push(DynamicEvent { event, time, name, data: stored, length: data.len() });
    }

    /// Returns whether the trace has no GC dynamic events.
    pub fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    /// Returns the number of events in `scope`.
    pub fn count(&self, scope: &Scope<'_>) -> u64 {
        self.events.iter().filter(|one| scope.has(one.event)).count() as u64
    }

    /// Returns a sentence with the number of events that the table omits; `None` if it has all.
    pub fn omitted_words(&self) -> Option<String> {
        let verb = if self.omitted == 1 { "isn't" } else { "aren't" };
        let omitted = counted(self.omitted, "GC dynamic event");
        (self.omitted > 0).then(|| format!("{omitted} {verb} listed (limit reached)."))
    }

    /// Returns a table with a row for each field of each event; unknown events have a row with their bytes.
    pub fn table(&self, scope: &Scope<'_>) -> Table {
        struct Row<'r> {
            event: &'r DynamicEvent,
            field: &'r str,
            value: Option<f64>,
            unit: &'r str,
            bytes: String,
        }
        let mut rows: Vec<Row<'_>> = Vec::new();
        for event in self.events.iter().filter(|one| scope.has(one.event)) {
            let Some((fields, rest)) = dynamic_fields(&event.name, &event.data) else {
                let bytes = bytes_words(&event.data, event.length);
                rows.push(Row { event, field: "Data", value: None, unit: "", bytes });
                continue;
            };
            rows.extend(fields.iter().skip(1).map(|field| {
                let value = number(&field.value);
                Row { event, field: field.name, value, unit: field.unit, bytes: String::new() }
            }));
            let more = event.length - (event.data.len() - rest.len());
            if more > 0 {
                rows.push(Row { event, field: "More data", value: None, unit: "", bytes: bytes_words(rest, more) });
            }
        }
        Table::of("dynamicEvents", "GC dynamic events", &rows)
            .numbers("timeNs", "Time", Unit::Moment, |row| row.event.time)
            .words("event", "Event", |row| row.event.name.as_str())
            .numbers("version", "Version", Unit::Identity, |row| dynamic_version(&row.event.data))
            .words("field", "Field", |row| row.field)
            .numbers("value", "Value", Unit::Plain, |row| row.value)
            .words("unit", "Unit", |row| row.unit)
            .words("bytes", "Bytes", |row| row.bytes.as_str())
            .target(|row| {
                RowTarget::of(row.event.event)
                    .over(Span::new(row.event.time, row.event.time.saturating_add(1)))
                    .filtered(format!("event=GC/DynamicTraceEvent payload.Name={}", word(&row.event.name)))
            })
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        let of = |one: &DynamicEvent| size_of::<DynamicEvent>() + one.name.len() + one.data.len();
        self.events.iter().map(of).sum()
    }
}

fn number(value: &Value) -> Option<f64> {
    match *value {
        Value::UInt(number, _) => Some(number as f64),
        Value::Float32(number) if number.is_finite() => Some(number.into()),
        _ => None,
    }
}

/// Formats bytes: "3 bytes: 01ff00".
fn bytes_words(first: &[u8], length: usize) -> String {
    let shown = &first[..first.len().min(MAX_SHOWN)];
    let more = if shown.len() < length { "…" } else { "" };
    format!("{}: {}{more}", counted(length as u64, "byte"), value_text(&Value::Bytes(shown.to_vec())))
}
