//! Offset between the clocks of two services, from the requests between them.

use crate::common::root;
use engine::session::{FileFacts, Loader, Session};
use protocol::queries::{Summary, TracedRequests};
use protocol::tables;
use view::traces::{Offset, OffsetSource, Recorded, by_clock, by_requests, crossings};

/// Offset with which the traces were made.
const OFFSET: i64 = 1_500_370_000;

fn opened(name: &str) -> (Recorded, tables::TracedRequests) {
    let bytes = std::fs::read(root().join(format!("tests/fixtures/cases/{name}.nettrace"))).expect("a fixture");
    let mut loader = Loader::new();
    loader.append(bytes.len(), |space| space.copy_from_slice(&bytes));
    let store = loader.finish().map_err(|failure| failure.message).expect("a trace");
    let mut session = Session::new(store, Box::new(bytes), FileFacts::default()).expect("a session");
    let summary = session.ask(&Summary).expect("a summary");
    let recorded = Recorded { start_unix_ms: summary.start_unix_ms, span: summary.user_span };
    (recorded, session.ask(&TracedRequests).expect("requests"))
}

#[test]
fn clock_offset_is_found_within_a_millisecond() {
    let (shop, sent) = opened("two-services-shop");
    let (payments, served) = opened("two-services-payments");
    let clock = by_clock(shop, payments);
    assert_eq!(clock, Offset { nanos: 1_500_000_000, source: OffsetSource::Clock });
    for (tables, known, clock, wanted) in [
        ([&sent, &served], Offset::default(), clock, OFFSET),
        ([&served, &sent], Offset::default(), by_clock(payments, shop), -OFFSET),
    ] {
        let found = crossings(&tables);
        assert_eq!(found.len(), 10);
        assert!(found.iter().all(|one| one.caller.is_some()));
        let offset = by_requests(1, &found, &[known], clock);
        let OffsetSource::Requests { count: 10, tolerance } = offset.source else { panic!("{offset:?}") };
        assert!((offset.nanos - wanted).abs() <= tolerance && tolerance < 1_000_000, "{offset:?}");
    }
}
