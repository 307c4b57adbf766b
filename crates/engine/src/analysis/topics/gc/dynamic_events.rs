//! Events that the GC reports in `GCDynamicEvent` under its own names, such as why it changes its number of heaps.

use crate::analysis::topics::Scope;
use crate::analysis::topics::shared::table::{Cell, RowTarget, Table};
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
    /// Adds an event.
    pub fn take(&mut self, event: EventId, time: i64, payload: &[u8]) {
        if self.events.len() >= MAX_EVENTS {
            self.omitted += 1;
            return;
        }
        let Some(GcDynamicEvent { name, data }) = GcDynamicEvent::read(payload) else { return };
        // Long names need not be decoded completely.
        let name = cut(&name.chars().take(MAX_NAME + 1).collect::<String>(), MAX_NAME);
        let kept = data.iter().copied().take(MAX_BYTES).collect();
        self.events.push(DynamicEvent { event, time, name, data: kept, length: data.len() });
    }

    /// Returns whether the trace has none.
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
        let mut table = Table::new("dynamicEvents", "GC dynamic events")
            .numbers("timeNs", "Time", Unit::Moment)
            .words("event", "Event")
            .numbers("version", "Version", Unit::Identity)
            .words("field", "Field")
            .numbers("value", "Value", Unit::Plain)
            .words("unit", "Unit")
            .words("bytes", "Bytes");
        for one in self.events.iter().filter(|one| scope.has(one.event)) {
            let version = dynamic_version(&one.data).map(u64::from);
            let condition = format!("event=GC/DynamicTraceEvent payload.Name={}", word(&one.name));
            let span = Some(Span::new(one.time, one.time.saturating_add(1)));
            let target = RowTarget { event: Some(one.event), span, condition: &condition };
            let mut push = |field: &str, value: Cell<'_>, unit: &str, bytes: &str| {
                let texts = [Cell::Text(&one.name), Cell::Text(field), Cell::Text(unit), Cell::Text(bytes)];
                let [name, field, unit, bytes] = texts;
                table.push(&[one.time.into(), name, version.into(), field, value, unit, bytes], target);
            };
            let Some((fields, rest)) = dynamic_fields(&one.name, &one.data) else {
                push("Data", Cell::Nothing, "", &bytes_words(&one.data, one.length));
                continue;
            };
            for field in fields.iter().skip(1) {
                push(field.name, number(&field.value), field.unit, "");
            }
            let more = one.length - (one.data.len() - rest.len());
            if more > 0 {
                push("More data", Cell::Nothing, "", &bytes_words(rest, more));
            }
        }
        table
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        let of = |one: &DynamicEvent| size_of::<DynamicEvent>() + one.name.len() + one.data.len();
        self.events.iter().map(of).sum()
    }
}

fn number(value: &Value) -> Cell<'static> {
    match *value {
        Value::UInt(number, _) => number.into(),
        Value::Float32(number) if number.is_finite() => f64::from(number).into(),
        _ => Cell::Nothing,
    }
}

/// Formats bytes: "3 bytes: 01ff00".
fn bytes_words(first: &[u8], length: usize) -> String {
    let shown = &first[..first.len().min(MAX_SHOWN)];
    let more = if shown.len() < length { "…" } else { "" };
    format!("{}: {}{more}", counted(length as u64, "byte"), value_text(&Value::Bytes(shown.to_vec())))
}
