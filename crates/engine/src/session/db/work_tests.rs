//! Tests long requests that are processed in steps.

use super::*;
use crate::analysis::testing::{What, store_of};
use crate::session::FileFacts;
use nettrace::SourceError;
use protocol::Answer;
use protocol::request::SortKey;
use std::cell::Cell;

fn session() -> Session {
    let events: Vec<_> = (0..20_000).map(|at| (at, 5, What::Order("x", (at % 77) as i32))).collect();
    let (store, bytes) = store_of(&events);
    Session::new(store, Box::new(bytes), FileFacts::default()).expect("a session")
}

fn long(text: &str) -> Request {
    let filter = Filter { query: text.to_owned(), ..Filter::default() };
    let order = EventOrder { key: SortKey::Field("amount".to_owned()), descending: false };
    Request::Events { filter, order, first: 0, count: 20 }
}

#[test]
fn requests_are_answered_while_long_one_is_prepared() {
    let (mut session, mut undisturbed) = (session(), session());
    let mut steps = 0;
    while session.prepare(&long("1")) != Ok(Step::Done) {
        steps += 1;
        let short = Request::Overview { span: None, buckets: 10 };
        assert_eq!(session.prepare(&short), Ok(Step::Done), "needs no preparation");
        assert_eq!(session.answer(&short), undisturbed.answer(&short));
        let other = Filter { span: Some(protocol::base::time::Span::new(0, steps)), ..Filter::default() };
        session.selection(&other).expect("rows");
    }
    assert!(steps > 8, "{steps} steps are few for 20,000 payloads to decode and to sort");
    assert_eq!(session.answer(&long("1")), undisturbed.answer(&long("1")));
}

#[test]
fn abandoned_work_is_dropped() {
    let mut session = session();
    for text in ["1", "2", "3", "4", "5", "6", "7"] {
        assert_eq!(session.prepare(&long(text)), Ok(Step::More));
    }
    let texts = session.works.iter().map(|(filter, _)| filter.query.as_str());
    assert_eq!(texts.collect::<Vec<_>>(), ["4", "5", "6", "7"]);
}

#[test]
fn descending_time_counts_from_end() {
    let mut session = session();
    let order = EventOrder { descending: true, ..EventOrder::default() };
    let filter = Filter::default();
    let all = session.selection(&filter).expect("rows").count();
    for position in [0, 1, all - 1] {
        let (rows, _) = session.page(&filter, &order, position, 1).expect("rows");
        let event = EventId(rows[0]);
        let answer = session.answer(&Request::EventPosition { filter: filter.clone(), order: order.clone(), event });
        assert_eq!(answer.map(|reply| reply.answer), Ok(Answer::Position { position: Some(position) }));
    }
    assert!(session.page(&filter, &order, all, 1).expect("rows").0.is_empty());
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
        let mut waits = 0;
        loop {
            match session.prepare(&long(text)).expect("a file") {
                Step::Done => break,
                Step::More => {}
                Step::Waiting => waits += 1,
            }
        }
        // The whole file fits into the page cache.
        assert_eq!(waits > 0, text == "needle", "{text}");
        assert_eq!(session.answer(&long(text)), undisturbed.answer(&long(text)), "{text}");
    }
    assert_eq!(surprises.get(), 0, "reads that were not announced");
}
