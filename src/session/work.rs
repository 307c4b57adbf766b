//! What takes long is done in steps: rows that a filter selects, and events in an order.
//!
//! Whoever answers requests calls [`Session::prepare`] until it says that the answer is near, and may answer others in
//! between. What was begun is kept for a while, so that two questions about the same filter share it, and one that is
//! not asked again costs nothing more.

use super::failures::unreadable_source;
use super::state::Session;
use crate::analysis::event_order::{SortedRows, Sorting};
use crate::analysis::events_page::RowOrder;
use crate::analysis::filter::Search;
use crate::analysis::selection::Selection;
use crate::analysis::thread_states::{KnownStates, StateSearch};
use crate::protocol::request::{EventOrder, Filter};
use crate::protocol::{Failure, Request};
use std::rc::Rc;

/// Works that are kept though they are not finished: as many as views ask for at a time.
const KEPT: usize = 4;

/// Events in an order, by what was asked.
pub(super) type OrderKey = (Filter, EventOrder);

/// A work on its way.
pub(super) enum Work {
    /// The rows of a filter.
    Select(Filter, Box<Search>),
    /// The selected rows in an order.
    Sort(OrderKey, Rc<Selection>, Box<Sorting>),
    /// What events tell of the states of threads.
    States(Box<StateSearch>),
}

impl Session {
    /// Does a few milliseconds of the long work that an answer needs; whether nothing is left of it.
    ///
    /// # Errors
    /// If the file can no longer be read.
    // A function of its own: the build of the page divides the worker's program here.
    #[inline(never)]
    pub fn prepare(&mut self, request: &Request) -> Result<bool, Failure> {
        if let Request::Lanes { .. } = request
            && self.states.is_none()
        {
            return self.advance_states();
        }
        let Some(filter) = filter_of(request) else { return Ok(true) };
        if self.selections.get(filter).is_none() {
            self.advance_selection(filter)?;
            return Ok(false);
        }
        match request {
            Request::Events { filter, order, .. } | Request::EventPosition { filter, order, .. }
                if !order.is_time() =>
            {
                let key = (filter.clone(), order.clone());
                if self.orders.get(&key).is_some() {
                    return Ok(true);
                }
                self.advance_order(&key)?;
                Ok(false)
            }
            _ => Ok(true),
        }
    }

    /// The rows that a filter selects.
    pub(super) fn selection(&mut self, filter: &Filter) -> Result<Rc<Selection>, Failure> {
        loop {
            if let Some(known) = self.selections.get(filter) {
                return Ok(known);
            }
            self.advance_selection(filter)?;
        }
    }

    /// The selected events in an order.
    pub(super) fn in_order(&mut self, filter: &Filter, order: &EventOrder) -> Result<RowOrder, Failure> {
        let selection = self.selection(filter)?;
        if order.is_time() {
            return Ok(RowOrder::Time { selection, descending: order.descending });
        }
        let key = (filter.clone(), order.clone());
        loop {
            if let Some(sorted) = self.orders.get(&key) {
                return Ok(RowOrder::Sorted { selection, sorted });
            }
            self.advance_order(&key)?;
        }
    }

    /// What events tell of the states of threads.
    pub(super) fn known_states(&mut self) -> Result<Rc<KnownStates>, Failure> {
        loop {
            if let Some(known) = &self.states {
                return Ok(known.clone());
            }
            self.advance_states()?;
        }
    }

    /// Bytes of what is begun and of what is sorted.
    pub(super) fn work_bytes(&self) -> usize {
        self.orders.values().map(SortedRows::bytes).sum()
    }

    fn advance_selection(&mut self, filter: &Filter) -> Result<(), Failure> {
        let begun = self.works.iter().position(|work| matches!(work, Work::Select(of, _) if of == filter));
        let mut search = match begun.map(|at| self.works.swap_remove(at)) {
            Some(Work::Select(_, search)) => search,
            _ => Box::new(Search::new(&self.store, filter)),
        };
        let is_done = search.step(&self.store, &self.source).map_err(|error| unreadable_source(&error))?;
        if is_done {
            self.selections.insert(filter.clone(), search.finish());
        } else {
            self.keep(Work::Select(filter.clone(), search));
        }
        Ok(())
    }

    /// Whether nothing is left of it.
    fn advance_states(&mut self) -> Result<bool, Failure> {
        let begun = self.works.iter().position(|work| matches!(work, Work::States(_)));
        let mut search = match begun.map(|at| self.works.swap_remove(at)) {
            Some(Work::States(search)) => search,
            _ => Box::new(StateSearch::new(&self.store)),
        };
        if search.step(&self.store, &self.source).map_err(|error| unreadable_source(&error))? {
            self.states = Some(Rc::new(search.finish(&self.store, &self.samples, &self.collections)));
            return Ok(true);
        }
        self.keep(Work::States(search));
        Ok(false)
    }

    fn advance_order(&mut self, key: &OrderKey) -> Result<(), Failure> {
        let begun = self.works.iter().position(|work| matches!(work, Work::Sort(of, ..) if of == key));
        let (selection, mut sorting) = match begun.map(|at| self.works.swap_remove(at)) {
            Some(Work::Sort(_, selection, sorting)) => (selection, sorting),
            _ => (self.selection(&key.0)?, Box::new(Sorting::new(&self.store, &key.1))),
        };
        let step = sorting.step(&self.store, &self.source, &selection);
        if step.map_err(|error| unreadable_source(&error))? {
            self.orders.insert(key.clone(), sorting.finish());
        } else {
            self.keep(Work::Sort(key.clone(), selection, sorting));
        }
        Ok(())
    }

    /// Keeps a work; gives up the one that nobody went on with for longest.
    fn keep(&mut self, work: Work) {
        if self.works.len() >= KEPT {
            self.works.remove(0);
        }
        self.works.push(work);
    }
}

/// The filter whose rows an answer needs.
fn filter_of(request: &Request) -> Option<&Filter> {
    match request {
        Request::Exceptions { filter, .. }
        | Request::Marks { filter, .. }
        | Request::Series { filter }
        | Request::Events { filter, .. }
        | Request::EventPosition { filter, .. } => Some(filter),
        Request::Flame { query, .. }
        | Request::Children { query, .. }
        | Request::HotPath { query, .. }
        | Request::Functions { query, .. } => Some(&query.filter),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{What, store_of};
    use crate::protocol::Answer;
    use crate::protocol::request::SortKey;
    use crate::session::FileFacts;

    fn session() -> Session {
        let events: Vec<_> = (0..20_000).map(|at| (at, 5, What::Order("x", (at % 77) as i32))).collect();
        let (store, bytes) = store_of(&events);
        Session::new(store, Box::new(bytes), FileFacts::default()).expect("a session")
    }

    fn long(text: &str) -> Request {
        let filter = Filter { text: text.to_owned(), ..Filter::default() };
        let order = EventOrder { key: SortKey::Field("amount".to_owned()), descending: false };
        Request::Events { filter, order, first: 0, count: 20 }
    }

    #[test]
    fn others_are_answered_while_a_long_question_is_prepared() {
        let (mut session, mut undisturbed) = (session(), session());
        let mut steps = 0;
        while !session.prepare(&long("1")).expect("a file") {
            steps += 1;
            let short = Request::Overview { span: None, buckets: 10 };
            assert!(session.prepare(&short).expect("a file"), "needs no preparation");
            assert_eq!(session.answer(&short), undisturbed.answer(&short));
            let other = Filter { span: Some(crate::model::time::Span::new(0, steps)), ..Filter::default() };
            session.selection(&other).expect("rows");
        }
        assert!(steps > 8, "{steps} steps are few for 20,000 payloads to decode and to sort");
        assert_eq!(session.answer(&long("1")), undisturbed.answer(&long("1")));
    }

    #[test]
    fn what_is_not_asked_again_is_given_up() {
        let mut session = session();
        for text in ["1", "2", "3", "4", "5", "6", "7"] {
            assert!(!session.prepare(&long(text)).expect("a file"));
        }
        let texts = session.works.iter().filter_map(|work| match work {
            Work::Select(filter, _) => Some(filter.text.as_str()),
            Work::Sort(..) | Work::States(_) => None,
        });
        assert_eq!(texts.collect::<Vec<_>>(), ["4", "5", "6", "7"]);
    }

    #[test]
    fn the_reverse_of_time_counts_from_the_end() {
        let mut session = session();
        let order = EventOrder { descending: true, ..EventOrder::default() };
        let filter = Filter::default();
        let all = session.selection(&filter).expect("rows").count();
        for position in [0, 1, all - 1] {
            let event = session.in_order(&filter, &order).expect("rows").iter_from(position).next();
            let event = crate::model::ids::EventId(event.expect("an event") as u32);
            let answer =
                session.answer(&Request::EventPosition { filter: filter.clone(), order: order.clone(), event });
            assert_eq!(answer.map(|reply| reply.answer), Ok(Answer::Position { position: Some(position) }));
        }
        assert_eq!(session.in_order(&filter, &order).expect("rows").iter_from(all).next(), None);
    }
}
