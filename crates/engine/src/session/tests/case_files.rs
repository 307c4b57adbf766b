//! Tests the traces in `tests/fixtures/cases`, each of which has one defect.

use crate::analysis::events::page::event_fields;
use crate::session::{FileFacts, Loader, Progress, Session};
use protocol::base::ids::EventId;
use protocol::queries;
use protocol::reply::EventDetail;

pub(super) fn session(bytes: &[u8]) -> Session {
    let mut loader = Loader::new();
    loader.append(bytes.len(), |space| space.copy_from_slice(bytes));
    while loader.advance(1 << 20).expect("a trace") == Progress::Paused {}
    let facts = FileFacts { bytes: bytes.len() as u64, ..FileFacts::default() };
    Session::new(loader.finish().expect("a trace"), Box::new(bytes.to_vec()), facts).expect("a session")
}

fn misfit() -> Session {
    session(include_bytes!("../../../../../tests/fixtures/cases/misfit.nettrace"))
}

fn detail(session: &mut Session, event: u32) -> EventDetail {
    session.ask(&queries::EventDetail { event: EventId(event) }).expect("an event")
}

/// Returns name, type, value and error of every field.
fn fields(detail: &EventDetail) -> Vec<[&str; 4]> {
    detail.fields.iter().map(|one| [&*one.name, &*one.type_name, &*one.value, &*one.error]).collect()
}

#[test]
fn extra_payload_bytes_are_in_event_details() {
    let longer = detail(&mut misfit(), 0);
    let expected =
        [["n", "int", "7", ""], ["Bytes outside the schema", "byte[4]", "08000000", "4 bytes longer than declared"]];
    assert_eq!(fields(&longer), expected);
    let fact = longer.header.iter().find(|fact| fact.name == "Payload");
    assert_eq!(fact.map(|fact| fact.value.as_str()), Some("4 bytes longer than declared"));
}

#[test]
fn inferred_values_are_marked_in_event_details() {
    let mut session = misfit();
    let ids = detail(&mut session, 1);
    assert_eq!(fields(&ids), [["Count", "uint", "3", ""], ["Ids", "inferred ulong[]", "[20, 24, 28]", ""]]);
    let flag = detail(&mut session, 2);
    assert_eq!(fields(&flag), [["name", "string", "x", ""], ["on", "inferred bool", "true", ""]]);
}

#[test]
fn inferred_values_are_marked_in_columns() {
    let session = misfit();
    let fields = ["n", "Count", "Ids", "on"].map(str::to_owned);
    let table = event_fields(session.store(), session.source(), &[0, 1, 2], &fields, 3).expect("payloads");
    let cells: Vec<_> = (0..12).map(|cell| table.value.get(cell)).collect();
    let expected = ["7", "", "", "", "", "3", "[20, 24, 28] (inferred)", "", "", "", "", "true (inferred)"];
    assert_eq!(cells, expected);
}

#[test]
fn schemas_describe_payload_differences() {
    let set = misfit().schemas();
    let words: Vec<_> = (0..set.len()).map(|row| set.schemas.fit.get(row)).collect();
    assert_eq!(
        words,
        [
            "4 bytes longer than declared",
            "2 bytes shorter than declared; field “Ids” is inferred",
            "3 bytes shorter than declared; field “on” is inferred"
        ]
    );
}

#[test]
fn filters_find_inferred_values() {
    let mut session = misfit();
    for (query, rows) in [("28", vec![1]), ("payload.on=true", vec![2]), ("payload.Ids=24", vec![1])] {
        let found: Vec<usize> = session.rows_of(query).expect("a filter").iter().collect();
        assert_eq!(found, rows, "{query}");
    }
}

#[test]
fn cause_of_damage_is_first_parse_issue() {
    let session = session(include_bytes!("../../../../../tests/fixtures/cases/crlf.nettrace"));
    let first = session.store().diagnostics.examples.first().expect("a diagnostic");
    assert!(first.message.starts_with("A text-mode transfer changed LF bytes"), "{}", first.message);
}
