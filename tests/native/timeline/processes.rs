//! Data of one of several processes, with requests like those of the page.

use super::recorded::{ask, open};
use super::two_runtimes::{self, ORDERS, ORDERS_A_COLLECTION, SHOP, STOCK};
use engine::session::Session;
use protocol::base::ids::EventId;
use protocol::base::time::Span;
use protocol::events::connections::{Connections, SharedLabel};
use protocol::queries;
use protocol::request::{EventOrder, Filter, UNKNOWN_PROCESS};
use protocol::tables::Intervals;
use protocol::timeline::track::TrackKind;

fn of(process: u32) -> Filter {
    Filter { processes: vec![process], ..Filter::default() }
}

fn intervals(session: &mut Session, kind: TrackKind, filter: Filter) -> Intervals {
    let span = Span::new(0, 3_000_000_000);
    ask(session, &queries::Intervals { kind, filter, span, resolution: 0 })
}

/// GCs, exceptions, waits and requests are those of the requested process, and those of all processes add up.
#[test]
fn each_process_has_own_figures() {
    let mut session = open(two_runtimes::trace());
    let gcs = |session: &mut Session, filter| ask(session, &queries::Gcs { filter });
    let all = gcs(&mut session, Filter::default());
    for (process, every) in [(SHOP, ORDERS_A_COLLECTION.0), (STOCK, ORDERS_A_COLLECTION.1)] {
        let own = gcs(&mut session, of(process));
        assert_eq!(own.number, (1..=ORDERS / every).collect::<Vec<_>>(), "both count from one");
        assert!(own.process.iter().all(|one| *one == process));
        let same = all.process.iter().zip(&all.start).filter(|(one, _)| **one == process).map(|(_, start)| *start);
        assert_eq!(own.start, same.collect::<Vec<_>>());
        assert!(own.stop_row.len() == own.number.len(), "a pause each");
    }
    let thrown = |session: &mut Session, filter| ask(session, &queries::Exceptions { filter, limit: 100 }).time.len();
    assert_eq!((thrown(&mut session, of(SHOP)), thrown(&mut session, of(STOCK))), (0, ORDERS as usize / 5));
    let count = |session: &mut Session, kind, process| intervals(session, kind, of(process)).total[0];
    for (kind, of_shop, of_stock) in [
        (TrackKind::IncomingRequests, u64::from(ORDERS + ORDERS / 4), u64::from(ORDERS)),
        (TrackKind::OutgoingRequests, u64::from(ORDERS), 0),
        (TrackKind::Spans, 0, u64::from(ORDERS)),
        (TrackKind::Contention, 0, u64::from(ORDERS / 3)),
    ] {
        let found = (count(&mut session, kind, SHOP), count(&mut session, kind, STOCK));
        assert_eq!(found, (of_shop, of_stock), "{kind:?}");
        assert_eq!(intervals(&mut session, kind, Filter::default()).total[0], of_shop + of_stock);
    }
}

/// Losses of a thread without other events are reported once: with its process if it is known, otherwise as those of an
/// unknown process.
#[test]
fn losses_of_silent_threads_are_reported_once() {
    let mut session = open(two_runtimes::trace_with_losses(30, 7));
    let mut lost = |filter| {
        let losses = intervals(&mut session, TrackKind::LostEvents, filter);
        (0..losses.start.len())
            .map(|row| (losses.texts.get(losses.name[row] as usize).to_owned(), losses.count[row]))
            .collect::<Vec<_>>()
    };
    let (of_shop, of_nobody) = (("Thread 9009".to_owned(), 30), ("Thread #10".to_owned(), 7));
    assert_eq!(lost(of(SHOP)), std::slice::from_ref(&of_shop));
    assert_eq!((lost(of(STOCK)), lost(of(812))), (vec![], vec![]));
    assert_eq!(lost(of(UNKNOWN_PROCESS)), std::slice::from_ref(&of_nobody));
    assert_eq!(lost(Filter::default()), [of_shop, of_nobody]);
}

/// A request has an interval by the ID in its payload, even without labels.
#[test]
fn requests_without_labels_have_intervals() {
    let mut session = open(two_runtimes::trace());
    let served = intervals(&mut session, TrackKind::IncomingRequests, of(SHOP));
    let health: Vec<usize> =
        (0..served.start.len()).filter(|row| served.texts.get(served.name[*row] as usize) == "POST /health").collect();
    assert_eq!(health.len() as u32, ORDERS / 4);
    assert!(health.iter().all(|row| served.flags[*row] == 0 && served.end[*row] - served.start[*row] == 6_000_000));
}

#[test]
fn threads_are_listed_with_process() {
    let mut session = open(two_runtimes::trace());
    let threads = ask(&mut session, &queries::Threads { filter: Filter::default() });
    let mut processes = threads.os_process.clone();
    processes.sort_unstable();
    assert_eq!(processes, [812, SHOP, SHOP, SHOP, STOCK, STOCK, STOCK, STOCK]);
}

/// Returns the first event after a time with a text before its name, in a process.
fn event_after(session: &mut Session, text: &str, process: u32, time: i64) -> EventId {
    let span = Some(Span::new(time, i64::MAX));
    let filter = Filter { span, query: text.to_owned(), ..of(process) };
    let request = queries::Events { filter, order: EventOrder::default(), first: 0, count: 1 };
    EventId(ask(session, &request).event[0])
}

fn connections(session: &mut Session, event: EventId) -> Connections {
    ask(session, &queries::Connections { event })
}

/// The ID of a request leads from the shop to the stock and back; a tenant leads to its other orders; a label of all
/// events leads only to adjacent events.
#[test]
fn labels_connect_events_across_threads_and_processes() {
    let mut session = open(two_runtimes::trace());
    let asked = event_after(&mut session, "/reserve/3", SHOP, 0);
    let found = connections(&mut session, asked);
    let words: Vec<String> =
        found.links.iter().map(|link| format!("{}: {}", link.words(), link.other().name)).collect();
    let expected = [
        "Next in its trace: POST /reserve",
        "Next in its span: stock.local/reserve/3",
        "Previous with tenant blue: POST /reserve",
        "Previous with region north: POST /reserve",
    ];
    assert_eq!(words, expected, "what comes after by the other labels is already listed");
    assert_eq!(found.links[0].other().thread_label, ".NET TP Worker 9005 of stock (4210)");
    let next = found.links[0].other().event.expect("an event");
    assert_eq!(next, event_after(&mut session, "stock:3", STOCK, 0));
    assert!(
        connections(&mut session, next).links.iter().any(|link| !link.outgoing && link.other().event == Some(asked))
    );
    let shared: Vec<(String, u64)> =
        found.shared.iter().map(|shared| (shared.label.value().to_owned(), shared.events)).collect();
    assert_eq!(shared[1..], [("0000000000001030".to_owned(), 4), ("blue".to_owned(), 73), ("north".to_owned(), 220)]);
    // As many as match the filter.
    for SharedLabel { label, events } in found.shared {
        let filter = Filter { labels: vec![label], ..Filter::default() };
        let request = queries::Events { filter, order: EventOrder::default(), first: 0, count: 0 };
        assert_eq!(ask(&mut session, &request).total[0], events);
    }
    let health = event_after(&mut session, "health:2", SHOP, 0);
    let alone = connections(&mut session, health);
    assert!(alone.links.is_empty() && alone.shared.is_empty(), "it has no labels");
}

/// Spans of one trace are adjacent in the lanes of activities, from the shop's request to the stock's work.
#[test]
fn spans_of_one_trace_are_adjacent() {
    let mut session = open(two_runtimes::trace());
    let lanes = intervals(&mut session, TrackKind::Activities, Filter::default());
    let first: Vec<(u16, &str)> =
        (0..4).map(|row| (lanes.row[row], lanes.texts.get(lanes.name[row] as usize))).collect();
    let expected = [(0, "POST /orders"), (1, "stock.local/reserve/0"), (2, "POST /reserve"), (3, "Reserve")];
    assert_eq!(first, expected);
    assert_eq!(lanes.total[0], u64::from(ORDERS) * 4);
    assert!(lanes.flags.iter().all(|flags| *flags == 0), "each has its end, on whichever thread");
}
