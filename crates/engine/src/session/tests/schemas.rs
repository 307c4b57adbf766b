//! Tests requests about event types: totals, schemas, values, differences.

use crate::session::{FileFacts, Loader, Progress, Session};
use nettrace::testing::{Event, Format, PayloadWriter, TraceBuilder};
use nettrace::{Field, FieldType, MetadataRecord};
use protocol::base::ids::TypeId;
use protocol::file::schema_diff::Change;
use protocol::queries;
use protocol::request::Filter;

fn session(bytes: &[u8]) -> Session {
    let mut loader = Loader::new();
    loader.append(bytes.len(), |space| space.copy_from_slice(bytes));
    while loader.advance(1 << 20).expect("a trace") == Progress::Paused {}
    let facts = FileFacts { bytes: bytes.len() as u64, ..FileFacts::default() };
    Session::new(loader.finish().expect("a trace"), Box::new(bytes.to_vec()), facts).expect("a session")
}

fn order(metadata_id: u32, version: u32, fields: Vec<Field>) -> MetadataRecord {
    MetadataRecord {
        metadata_id,
        provider: "Shop".to_owned(),
        event_id: 1,
        version,
        name: "Order".to_owned(),
        level: 4,
        keywords: 2,
        fields,
        ..MetadataRecord::default()
    }
}

/// Returns a trace in which an event got a wider ID and another field during the recording: three orders in the old
/// version, five in the new one.
fn two_versions() -> Vec<u8> {
    let customer = || Field::new("customer", FieldType::Utf16String);
    let old = order(1, 0, vec![Field::new("id", FieldType::Int32), customer(), Field::new("note", FieldType::Guid)]);
    let express = Field::new("express", FieldType::Boolean32);
    let new = order(2, 1, vec![Field::new("id", FieldType::Int64), customer(), express]);
    let mut trace = TraceBuilder::new(Format::Nettrace4);
    trace.metadata(&[old, new]);
    let event = |at: u32, metadata_id: u32, payload: Vec<u8>| Event {
        metadata_id,
        sequence: at,
        capture_thread: 7,
        thread: 7,
        timestamp: 1_000_000 + i64::from(at),
        is_sorted: true,
        payload,
        ..Event::default()
    };
    let customers = ["Ada", "Grace", "Ada", "Ada", "Edsger"];
    let olds =
        (1..=3).map(|at| event(at, 1, PayloadWriter::new().i32(at as i32).utf16("Ada").bytes(&[0; 16]).finish()));
    let news = (4..).zip(customers).map(|(at, customer)| {
        let payload = PayloadWriter::new().u64(u64::from(at) << 33).utf16(customer).u32(u32::from(at == 5));
        event(at, 2, payload.finish())
    });
    trace.events(&olds.chain(news).collect::<Vec<_>>());
    trace.finish()
}

#[test]
fn event_versions_are_different_types() {
    let mut session = session(&two_versions());
    let types = session.ask(&queries::Types).expect("types");
    let schemas = session.ask(&queries::Schemas).expect("schemas");
    assert_eq!((types.version.as_slice(), types.count.as_slice()), (&[0, 1][..], &[3, 5][..]));
    assert_eq!((schemas.keywords.get(0), schemas.field_code.as_slice()), ("0x2", &[9, 18, 17, 11, 18, 3][..]));
    let set = session.schemas();
    let pairs: Vec<_> = set
        .field_pairs(0, &set, 1)
        .into_iter()
        .map(|pair| (pair.change, pair.before.or(pair.after).map(|field| set.field_text(field))))
        .collect();
    let text = |text: &str| Some(text.to_owned());
    let expected = [
        (Change::Changed, text("id: int")),
        (Change::Same, text("customer: string")),
        (Change::Removed, text("note: Guid")),
        (Change::Added, text("express: bool")),
    ];
    assert_eq!(pairs, expected);
}

#[test]
fn field_values_cover_matching_events() {
    let mut session = session(&two_versions());
    let types = session.ask(&queries::Types).expect("types");
    let event_type = TypeId(types.event_type[1]);
    let filter = Filter { types: vec![event_type], ..Filter::default() };
    let values = session.ask(&queries::FieldValues { filter: filter.clone(), event_type }).expect("values");
    let rows = queries::Events { filter, order: Default::default(), first: 0, count: 0 };
    let rows = session.ask(&rows).expect("rows");
    assert_eq!((values.events[0], rows.total[0], types.count[1]), (5, 5, 5));
    assert_eq!((values.distinct.as_slice(), values.with_value.as_slice()), (&[5, 3, 2][..], &[5, 5, 5][..]));
    assert_eq!((values.smallest.get(0), values.largest.get(0)), ("34359738368", "68719476736"));
    let customers: Vec<_> = values.values_of(1).map(|at| (values.value.get(at), values.value_events[at])).collect();
    assert_eq!(customers, [("Ada", 3), ("Edsger", 1), ("Grace", 1)]);
}
