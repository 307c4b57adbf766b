//! Floods of events among other findings.

use crate::analysis::testing::{Happening, What, runtime, store_of_program};
use crate::session::{FileFacts, Session};
use nettrace::testing::PayloadWriter;
use protocol::queries;
use protocol::request::Filter;
use protocol::topics::finding::FindingKind;

#[test]
fn time_of_writing_events_is_the_cost() {
    let methods = [("Shop.Program", "Main"), ("System.Diagnostics.Tracing.EventSource", "WriteEvent")];
    let sample = |at: i64| (at * 1_000_000, 5, What::Sample(true, if at % 4 == 0 { vec![1, 2] } else { vec![1] }));
    let mut happenings: Vec<Happening> = (0..120_000).map(|at| (at * 1_000, 6, What::Order("tea", 1))).collect();
    happenings.extend((0..1_000).map(sample));
    happenings.extend((0..20_000).map(|at| (at, 7, runtime(9, 1, PayloadWriter::new().u32(1).u32(0).u16(0)))));
    happenings.sort_by_key(|(time, ..)| *time);
    let (store, bytes) = store_of_program(&methods, &happenings);
    let mut session = Session::new(store, Box::new(bytes), FileFacts::default()).expect("a session");
    let found = session.ask(&queries::Findings { filter: Filter::default() }).expect("findings");
    let place = found.iter().position(|one| one.kind == FindingKind::ProviderFlood).expect("a flood");
    assert_eq!(found[place].title, "Writing events took 250 ms; Orders wrote 85% of events");
    assert!(
        found[place].sentence.starts_with("That is 25% of running time. Orders wrote 120,000 events"),
        "{}",
        found[place].sentence
    );
    let hot_spot = found.iter().position(|one| one.kind == FindingKind::CpuHotSpot).expect("a hot spot");
    assert_eq!((hot_spot, place), (0, 1), "sorted by time, not among problems of the recording");
}
