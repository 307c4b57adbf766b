//! The page's condition for any payload field matches the field's own event.

use engine::session::{FileFacts, Loader, Progress, Session};
use flate2::read::GzDecoder;
use protocol::base::ids::EventId;
use protocol::queries;
use protocol::reply::EventDetail;
use protocol::request::Filter;
use std::collections::BTreeSet;
use std::io::Read;
use view::events::filter_text::{condition_text, joined, of_field};

fn session(name: &str) -> Session {
    let file = std::fs::File::open(crate::common::root().join(name)).expect("a fixture");
    let mut bytes = Vec::new();
    GzDecoder::new(file).read_to_end(&mut bytes).expect("a whole gzip file");
    let mut loader = Loader::new();
    loader.append(bytes.len(), |space| space.copy_from_slice(&bytes));
    while loader.advance(1 << 20).expect("a trace") == Progress::Paused {}
    Session::new(loader.finish().expect("a trace"), Box::new(bytes), FileFacts::default()).expect("a session")
}

fn detail(session: &mut Session, event: u32) -> Option<EventDetail> {
    session.ask(&queries::EventDetail { event: EventId(event) }).ok()
}

#[test]
fn event_matches_conditions_of_its_fields() {
    let mut offered = 0;
    for name in [
        "tests/fixtures/shapes-net10.nettrace.gz",
        "tests/fixtures/short-net10.nettrace.gz",
        "www/samples/orders-v6.nettrace.gz",
    ] {
        let mut session = session(name);
        // The first event of each type.
        let mut seen = BTreeSet::new();
        let store = session.store();
        let is_first = |event: &u32| seen.insert(store.events.get(EventId(*event)).expect("an event").event_type);
        let firsts: Vec<u32> = (0..store.events.len() as u32).filter(is_first).collect();
        for event in firsts {
            let detail = detail(&mut session, event).expect("an event");
            // Only this time is searched.
            let now = format!("time:{}ns..{}ns", detail.time, detail.time + 1);
            for index in 0..detail.fields.len() {
                let Some(condition) = of_field(&detail.fields, index) else { continue };
                let query = joined(&now, &condition_text(condition, false));
                let filter = Filter { query: query.clone(), ..Filter::default() };
                let request = queries::Events { filter, order: Default::default(), first: 0, count: 1_000 };
                let page = session.ask(&request).unwrap_or_else(|failure| panic!("{name} {query}: {failure:?}"));
                assert!(page.event.contains(&event), "{name}: {} is not among those with {query}", detail.name);
                offered += 1;
            }
        }
    }
    assert!(offered > 300, "{offered}");
}
