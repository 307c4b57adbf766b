//! Tests long requests that are processed in steps.

use super::*;
use crate::analysis::testing::{What, store_of};
use crate::session::FileFacts;
use nettrace::SourceError;
use protocol::queries;
use std::cell::Cell;

fn session() -> Session {
    let events: Vec<_> = (0..20_000).map(|at| (at, 5, What::Order("x", (at % 77) as i32))).collect();
    let (store, bytes) = store_of(&events);
    Session::new(store, Box::new(bytes), FileFacts::default()).expect("a session")
}

fn long(text: &str) -> queries::Events {
    let filter = Filter { query: text.to_owned(), ..Filter::default() };
    let order = EventOrder { key: EventColumn::Field("amount".to_owned()), descending: false };
    queries::Events { filter, order, first: 0, count: 20 }
}

/// Runs a query in turns. Returns the output, and how often it waited for bytes.
fn in_turns<Q: Run>(session: &mut Session, query: &Q, mut between: impl FnMut(&mut Session)) -> (Q::Output, [u32; 2]) {
    let request = query.clone().into();
    let mut interrupts = [0; 2];
    loop {
        match session.turn(&request) {
            Ok(reply) => return (Q::output(reply).expect("the output of the query"), interrupts),
            Err(Interrupt::Failed(failure)) => panic!("{failure}"),
            Err(interrupt) => interrupts[usize::from(interrupt == Interrupt::Waiting)] += 1,
        }
        between(session);
    }
}

#[test]
fn requests_are_answered_while_long_one_takes_turns() {
    let (mut session, mut undisturbed) = (session(), session());
    let mut steps = 0;
    let (page, [interrupts, _]) = in_turns(&mut session, &long("1"), |session| {
        steps += 1;
        let short = queries::Overview { span: None, buckets: 10 }.into();
        assert_eq!(session.turn(&short).map_err(|_| ()), undisturbed.answer(&short).map_err(|_| ()), "at once");
        let other = Filter { span: Some(protocol::base::time::Span::new(0, steps)), ..Filter::default() };
        session.complete(|session| session.selection(&other)).expect("rows");
    });
    assert!(interrupts > 8, "{interrupts} steps are few for 20,000 payloads to decode and to sort");
    assert_eq!(Ok(page), undisturbed.ask(&long("1")));
}

#[test]
fn abandoned_work_is_dropped() {
    let mut session = session();
    for text in ["1", "2", "3", "4", "5", "6", "7"] {
        while session.selections.searches().all(|(filter, _)| filter.query != text) {
            assert_eq!(session.turn(&long(text).into()), Err(Interrupt::More));
        }
    }
    let texts = session.selections.searches().map(|(filter, _)| filter.query.as_str());
    assert_eq!(texts.collect::<Vec<_>>(), ["4", "5", "6", "7"]);
}

#[test]
fn descending_time_counts_from_end() {
    let mut session = session();
    let order = EventOrder { descending: true, ..EventOrder::default() };
    let filter = Filter::default();
    let all = session.rows_of("").expect("rows").count();
    for position in [0, 1, all - 1] {
        let page = queries::Events { filter: filter.clone(), order: order.clone(), first: position, count: 1 };
        let event = EventId(session.ask(&page).expect("rows").event[0]);
        let query = queries::EventPosition { filter: filter.clone(), order: order.clone(), event };
        assert_eq!(session.ask(&query), Ok(Some(position)));
    }
    let beyond = queries::Events { filter, order, first: all, count: 1 };
    assert!(session.ask(&beyond).expect("rows").event.is_empty());
}

/// Source that delivers announced bytes slowly, a little per call.
struct Slow {
    bytes: Vec<u8>,
    coming: RefCell<Vec<Range<u64>>>,
    looks: Cell<u32>,
    surprises: Rc<Cell<u32>>,
}

impl ByteSource for Slow {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), SourceError> {
        let was_announced =
            self.coming.borrow().iter().any(|range| range.start <= offset && offset + buffer.len() as u64 <= range.end);
        self.surprises.set(self.surprises.get() + u32::from(!was_announced));
        self.bytes.as_slice().read_at(offset, buffer)
    }

    fn announce(&self, range: Range<u64>) {
        self.coming.borrow_mut().push(range);
    }

    fn is_coming(&self, _: Range<u64>) -> bool {
        self.looks.set(self.looks.get() + 1);
        !self.looks.get().is_multiple_of(3)
    }
}

#[test]
fn bytes_of_slow_file_are_announced_and_awaited() {
    let events: Vec<_> = (0..9_000).map(|at| (at, 5, What::Order("needle", (at % 77) as i32))).collect();
    let (store, bytes) = store_of(&events);
    let surprises = Rc::new(Cell::new(0));
    let slow =
        Slow { bytes: bytes.clone(), coming: RefCell::default(), looks: Cell::new(0), surprises: surprises.clone() };
    let mut session = Session::new(store, Box::new(slow), FileFacts::default()).expect("a session");
    let (store, _) = store_of(&events);
    let mut undisturbed = Session::new(store, Box::new(bytes), FileFacts::default()).expect("a session");
    surprises.set(0);
    for text in ["needle", "7", "no such text"] {
        let (page, [_, waits]) = in_turns(&mut session, &long(text), |_| ());
        // The whole file fits into the page cache.
        assert_eq!(waits > 0, text == "needle", "{text}");
        assert_eq!(Ok(page), undisturbed.ask(&long(text)), "{text}");
    }
    assert_eq!(surprises.get(), 0, "reads that were not announced");
}
