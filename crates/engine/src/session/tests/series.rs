//! Tests values that apps report themselves, from the bytes of a trace to tables: percentiles, messages. The traces are
//! generated, because no recording contains all of it.

use crate::session::{FileFacts, Loader, Progress, Session};
use nettrace::testing::{Event, Format, PayloadWriter, TraceBuilder};
use nettrace::{Field, FieldType, Header, LabelList, MetadataRecord, ThreadRow};
use protocol::base::ids::EventId;
use protocol::queries;
use protocol::request::{EventOrder, Filter};
use protocol::tables::{Series, shade};
use protocol::timeline::track::TrackKind;

const METRICS: &str = "System.Diagnostics.Metrics";
/// A tick is a nanosecond, and 0 is the sync point.
const SECOND: i64 = 1_000_000_000;

fn header(format: Format) -> Header {
    Header { sync_ticks: 0, tick_frequency: SECOND, ..format.header() }
}

fn session(bytes: Vec<u8>) -> Session {
    let mut loader = Loader::new();
    loader.append(bytes.len(), |space| space.copy_from_slice(&bytes));
    while loader.advance(1 << 20).expect("a trace") == Progress::Paused {}
    let facts = FileFacts { name: "made".to_owned(), bytes: bytes.len() as u64, ..FileFacts::default() };
    Session::new(loader.finish().expect("a trace"), Box::new(bytes), facts).expect("a session")
}

fn event(metadata_id: u32, sequence: u32, timestamp: i64, payload: PayloadWriter) -> Event {
    let payload = payload.finish();
    let (capture_thread, thread, is_sorted) = (7, 7, true);
    Event { metadata_id, sequence, capture_thread, thread, timestamp, is_sorted, payload, ..Event::default() }
}

fn texts(names: &[&str]) -> Vec<Field> {
    names.iter().map(|name| Field::new(*name, FieldType::Utf16String)).collect()
}

/// Returns an event of the metrics source: the common fields, then its own.
fn metrics(metadata_id: u32, event_id: u32, name: &str, own: Vec<Field>) -> MetadataRecord {
    let mut fields = texts(&["sessionId", "meterName", "meterVersion", "instrumentName", "unit", "tags"]);
    fields.extend(own);
    let (provider, name) = (METRICS.to_owned(), name.to_owned());
    MetadataRecord { metadata_id, provider, event_id, name, level: 4, fields, ..MetadataRecord::default() }
}

fn measurement(instrument: &str, unit: &str, tags: &str) -> PayloadWriter {
    PayloadWriter::new().utf16("SHARED").utf16("Shop").utf16("1.0").utf16(instrument).utf16(unit).utf16(tags)
}

/// Name, unit, times and values.
type Line = (String, String, Vec<(i64, f64)>);

fn lane(table: &Series, wanted: &str) -> Vec<Line> {
    let mut first = 0;
    let mut lines = Vec::new();
    for line in 0..table.until.len() {
        let end = table.until[line] as usize;
        let points = (first..end).map(|at| (table.time[at], table.value[at])).collect();
        if table.lane_name.get(usize::from(table.lane[line])) == wanted {
            lines.push((table.name.get(line).to_owned(), table.unit.get(line).to_owned(), points));
        }
        first = end;
    }
    lines
}

#[test]
fn histogram_percentiles_share_lane() {
    let mut own = texts(&["quantiles"]);
    own.extend([Field::new("count", FieldType::Int32), Field::new("sum", FieldType::Float64)]);
    let histogram = metrics(1, 6, "HistogramValuePublished", own);
    let mut trace = TraceBuilder::with_header(Format::Nettrace4, &header(Format::Nettrace4));
    trace.metadata(&[histogram]);
    let value = |sequence, seconds: i64, tags: &str, quantiles: &str| {
        let payload = measurement("checkout.duration", "s", tags).utf16(quantiles).i32(3).f64(0.5);
        event(1, sequence, seconds * SECOND, payload)
    };
    trace.events(&[
        value(1, 1, "", "0.5=0.125;0.95=0.25;0.99=1.5;0.999=2.5E+01"),
        value(2, 2, "", "0.5=1.5E-05;0.95=0.5;0.99=2;0.999=30"),
        // Nothing was measured in this interval.
        value(3, 3, "", ""),
        value(4, 4, "shop=north", "0.5=7;broken;0.99=nothing"),
    ]);
    let mut session = session(trace.finish());
    let table = session.ask(&queries::Series { filter: Filter::default() }).expect("a table");
    assert_eq!(table.lane_name.iter().collect::<Vec<_>>(), ["checkout.duration"]);
    let line = |name: &str, points: &[(i64, f64)]| {
        let points = points.iter().map(|(seconds, value)| (seconds * SECOND, *value)).collect::<Vec<_>>();
        (name.to_owned(), "s".to_owned(), points)
    };
    assert_eq!(
        lane(&table, "checkout.duration"),
        [
            line("p50", &[(1, 0.125), (2, 0.000_015)]),
            line("p50 · shop=north", &[(4, 7.0)]),
            line("p95", &[(1, 0.25), (2, 0.5)]),
            line("p99", &[(1, 1.5), (2, 2.0)]),
            line("p99.9", &[(1, 25.0), (2, 30.0)]),
        ]
    );
}

#[test]
fn counters_show_increments_and_gauges_values() {
    let own = || texts(&["rate", "value"]);
    let mut trace = TraceBuilder::with_header(Format::Nettrace4, &header(Format::Nettrace4));
    trace.metadata(&[
        metrics(1, 4, "CounterRateValuePublished", own()),
        metrics(2, 16, "UpDownCounterRateValuePublished", own()),
        metrics(3, 5, "GaugeValuePublished", texts(&["lastValue"])),
    ]);
    trace.events(&[
        event(1, 1, SECOND, measurement("orders", "{order}", "").utf16("12").utf16("112")),
        event(2, 2, SECOND, measurement("requests.active", "{request}", "").utf16("-3").utf16("5")),
        event(3, 3, SECOND, measurement("load", "%", "queue=a").utf16("91.5")),
    ]);
    let mut session = session(trace.finish());
    let table = session.ask(&queries::Series { filter: Filter::default() }).expect("a table");
    let line = |name: &str, unit: &str, value| [(name.to_owned(), unit.to_owned(), vec![(SECOND, value)])];
    assert_eq!(lane(&table, "orders"), line("", "{order} per interval", 12.0));
    assert_eq!(lane(&table, "requests.active"), line("", "{request}", 5.0));
    assert_eq!(lane(&table, "load"), line("queue=a", "%", 91.5));
}

#[test]
fn message_templates_are_filled_everywhere() {
    let fields = vec![Field::new("id", FieldType::Int32), Field::new("who", FieldType::Utf16String)];
    let record = MetadataRecord {
        metadata_id: 1,
        provider: "Shop".to_owned(),
        event_id: 9,
        name: "OrderPlaced".to_owned(),
        level: 4,
        fields,
        message_template: Some("Order {id} of {who}: {{paid}}".to_owned()),
        ..MetadataRecord::default()
    };
    let mut trace = TraceBuilder::with_header(Format::Nettrace6, &header(Format::Nettrace6));
    trace.metadata(&[record]);
    trace.threads(&[ThreadRow { index: 7, ..Default::default() }]);
    trace.labels(1, &[LabelList { level: Some(2), ..LabelList::default() }]);
    let placed =
        |sequence, who: &str| event(1, sequence, i64::from(sequence) * SECOND, PayloadWriter::new().i32(40).utf16(who));
    trace.events(&[placed(1, "Ann"), Event { label_list: 1, ..placed(2, "{id}") }]);
    let mut session = session(trace.finish());

    let request = queries::Events { filter: Filter::default(), order: EventOrder::default(), first: 0, count: 10 };
    let rows = session.ask(&request).expect("a table");
    let messages = ["Order 40 of Ann: {paid}", "Order 40 of {id}: {paid}"];
    assert_eq!(rows.payload.iter().collect::<Vec<_>>(), messages);
    assert_eq!(rows.level, [4, 2], "a label replaces the level");

    let detail = session.ask(&queries::EventDetail { event: EventId(1) }).expect("details");
    assert_eq!(detail.message, messages[1]);

    let span = session.summary().full_span;
    let request = queries::Intervals { kind: TrackKind::Logs, filter: Filter::default(), span, resolution: 0 };
    let intervals = session.ask(&request).expect("a table");
    let names = intervals.name.iter().map(|name| intervals.texts.get(*name as usize)).collect::<Vec<_>>();
    assert_eq!(names, messages);
    assert_eq!(intervals.shade, [shade::LEVEL_INFORMATION, shade::LEVEL_ERROR], "here as well");
}
