//! Turns of queries, and derived data that many queries share: selections, sorted events, spans, states.
//!
//! A query asks for the derived data that it needs. Data that isn't cached is computed for a few milliseconds, and then
//! interrupts the query; its next turn asks again and continues. Work in progress is cached, so queries with the same
//! filter share it. If it is abandoned, it is eventually dropped. Bytes of the file are announced before the step that
//! needs them, so that a browser reads them in the background.

use super::interrupt::{Answered, Interrupt, unless_done};
use super::state::Session;
use crate::analysis::events::order::SortedEvents;
use crate::analysis::events::page::{MAX_ROWS, position_by_time, rows_by_time};
use crate::analysis::filter::query::{EventDurations, Prepared, needs_durations, needs_routes};
use crate::analysis::filter::select::Search;
use crate::analysis::intervals::interval_set::{Interval, IntervalSet};
use crate::analysis::intervals::lost_events;
use crate::analysis::intervals::spans::index::SpanIndex;
use crate::analysis::intervals::spans::request_times::{RequestTimeSearch, RequestTimes};
use crate::analysis::intervals::spans::search::SpanSearch;
use crate::analysis::names::function_counts::{FunctionCountSearch, FunctionCounts};
use crate::analysis::scan::payload_batches::Step;
use crate::analysis::scan::selection::Selection;
use crate::analysis::timeline::thread_states::{StateSearch, ThreadStates};
use crate::session::answers::Run;
use nettrace::ByteSource;
use protocol::base::ids::EventId;
use protocol::filter::parse;
use protocol::request::{EventColumn, EventOrder, Filter};
use protocol::timeline::track::TrackKind;
use protocol::{EncodedRequest, Failure, Reply, Request};
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

/// Maximum size of sorted events in memory. Above it, only the last order is cached.
const MAX_ORDER_BYTES: usize = 256 << 20;
/// Number of rows whose payloads are read together for a page. More than a screen shows.
const FETCHED_ROWS: usize = 512;

/// Key of sorted events.
pub(crate) type OrderKey = (Filter, EventOrder);

impl Session {
    /// Decodes a request.
    ///
    /// # Errors
    /// Fails if this build doesn't know the request.
    // A separate function, because the page's build splits the worker's program here.
    #[inline(never)]
    pub fn question(&self, question: &EncodedRequest) -> Result<Request, Failure> {
        question.read()
    }

    /// Works on a request for a few milliseconds.
    ///
    /// # Errors
    /// Interrupts if there is more to do. Fails if the request names something that doesn't exist, or the file can no
    /// longer be read.
    // A separate function, because the page's build splits the worker's program here.
    #[inline(never)]
    pub fn turn(&mut self, request: &Request) -> Answered<Reply> {
        self.may_wait = true;
        self.run(request)
    }

    /// Answers a query without yielding.
    ///
    /// # Errors
    /// Fails if the query names something that doesn't exist, or the file can no longer be read.
    pub fn ask<Q: Run>(&mut self, query: &Q) -> Result<Q::Output, Failure> {
        self.complete(|session| query.run(session))
    }

    /// Answers a request without yielding.
    ///
    /// # Errors
    /// Fails if the request names something that doesn't exist, or the file can no longer be read.
    pub fn answer(&mut self, request: &Request) -> Result<Reply, Failure> {
        self.complete(|session| session.run(request))
    }

    /// Repeats interrupted work until it is done.
    pub(crate) fn complete<T>(&mut self, mut work: impl FnMut(&mut Self) -> Answered<T>) -> Result<T, Failure> {
        self.may_wait = false;
        loop {
            match work(self) {
                Ok(value) => return Ok(value),
                Err(Interrupt::Failed(failure)) => return Err(failure),
                Err(Interrupt::More | Interrupt::Waiting) => {}
            }
        }
    }

    /// Returns the rows of the events that match a query in the filter syntax.
    ///
    /// # Errors
    /// Fails if the query is invalid, or the file can no longer be read.
    pub fn rows_of(&mut self, query: &str) -> Result<Rc<Selection>, Failure> {
        let filter = Filter { query: query.to_owned(), ..Filter::default() };
        self.complete(|session| session.selection(&filter))
    }

    /// Returns the rows that match a filter.
    pub(crate) fn selection(&mut self, filter: &Filter) -> Answered<Rc<Selection>> {
        if let Some(known) = self.selections.get(filter) {
            return Ok(known);
        }
        let mut search = match self.selections.resume(filter) {
            Some(search) => search,
            None => {
                let query = parse(&filter.query)?;
                if needs_durations(&query) {
                    self.durations()?;
                }
                let requests = if needs_routes(&query) { Some(self.request_times()?) } else { None };
                let prepared = Prepared { lasting: self.lasting.as_deref(), requests: requests.as_ref() };
                Box::new(Search::new(&self.store, filter, &query, prepared))
            }
        };
        Err(match search.step(&self.store, &self.source, self.may_wait)? {
            Step::Done => self.selections.finish(filter.clone(), search.finish()),
            step => self.selections.pause(filter.clone(), search, step),
        })
    }

    /// Returns a page of matching events in an order, and the number of all matching events.
    pub(crate) fn page(
        &mut self,
        filter: &Filter,
        order: &EventOrder,
        first: u64,
        count: u32,
    ) -> Answered<(Vec<u32>, u64)> {
        let wanted = first..first.saturating_add(count.min(MAX_ROWS).into());
        let most = (wanted.end - wanted.start) as usize;
        if order.is_time() {
            let selection = self.selection(filter)?;
            return Ok((rows_by_time(&selection, order.descending, first, most), selection.count()));
        }
        let sorted = self.sorted(filter, order, &wanted)?;
        let sorted = sorted.borrow();
        Ok((sorted.rows(&self.store, first, most), sorted.count()))
    }

    /// Returns [`Self::page`] once the payloads of its events are in the page cache. They may be anywhere in the file.
    pub(crate) fn page_with_payloads(
        &mut self,
        filter: &Filter,
        order: &EventOrder,
        first: u64,
        count: u32,
    ) -> Answered<(Vec<u32>, u64)> {
        let page = self.page(filter, order, first, count)?;
        if !self.may_wait {
            return Ok(page);
        }
        let rows = page.0.get(..FETCHED_ROWS).unwrap_or(&page.0);
        if self.announced.as_ref().is_none_or(|(known, _)| known != rows) {
            let events = rows.iter().map(|row| self.store.events.row(EventId(*row)));
            let ranges: Vec<Range<u64>> = events
                .filter(|event| event.payload_length > 0 && self.store.kept_payload(event).is_none())
                .map(|event| event.payload_offset..event.payload_offset.saturating_add(event.payload_length.into()))
                .collect();
            // Announced only once. Evicted pages are read on demand.
            ranges.iter().for_each(|range| self.source.announce(range.clone()));
            self.announced = Some((rows.to_vec(), ranges));
        }
        let ranges = self.announced.as_ref().map(|(_, ranges)| ranges.as_slice()).unwrap_or_default();
        let is_coming = ranges.iter().any(|range| self.source.is_coming(range.clone()));
        if is_coming { Err(Interrupt::Waiting) } else { Ok(page) }
    }

    /// Returns the index of an event among the matching events in an order; `None` if it doesn't match.
    pub(crate) fn position(&mut self, filter: &Filter, order: &EventOrder, event: EventId) -> Answered<Option<u64>> {
        if order.is_time() {
            return Ok(position_by_time(&*self.selection(filter)?, order.descending, event));
        }
        let sorted = self.sorted(filter, order, &(0..0))?;
        let position = sorted.borrow_mut().position(&self.store, &self.source, event.index())?;
        position.ok_or(Interrupt::More)
    }

    /// Returns the thread states that events show.
    pub(crate) fn thread_states(&mut self) -> Answered<Rc<ThreadStates>> {
        if let Some(known) = self.states.get(&()) {
            return Ok(known);
        }
        let store = &self.store;
        let mut search = self.states.resume(&()).unwrap_or_else(|| Box::new(StateSearch::new(store)));
        let step = search.step(store, &self.source.bypass_cache(), self.may_wait)?;
        if step != Step::Done {
            return Err(self.states.pause((), search, step));
        }
        let states = search.finish(store, &self.source, &self.samples, &self.gcs, &mut self.tracks)?;
        Rc::make_mut(&mut self.samples).give_states(|thread| states.of(thread));
        Err(self.states.finish((), states))
    }

    /// Returns the numbers of events by function on the stack.
    pub(crate) fn function_counts(&mut self) -> Answered<Rc<FunctionCounts>> {
        if let Some(known) = self.function_counts.get(&()) {
            return Ok(known);
        }
        let store = &self.store;
        let mut search = self.function_counts.resume(&()).unwrap_or_else(|| Box::new(FunctionCountSearch::new(store)));
        Err(match search.step(store) {
            Step::Done => self.function_counts.finish((), search.finish(&self.nodes)),
            step => self.function_counts.pause((), search, step),
        })
    }

    pub(crate) fn spans(&mut self) -> Answered<Rc<SpanIndex>> {
        if let Some(known) = self.spans.get(&()) {
            return Ok(known);
        }
        let store = &self.store;
        let mut search = self.spans.resume(&()).unwrap_or_else(|| Box::new(SpanSearch::new(store)));
        Err(match search.step(store, &self.source.bypass_cache(), self.may_wait)? {
            Step::Done => self.spans.finish((), search.finish(store, &self.source, &mut self.tracks)?),
            step => self.spans.pause((), search, step),
        })
    }

    /// Returns the durations of intervals by event.
    pub(crate) fn durations(&mut self) -> Answered<Rc<EventDurations>> {
        if let Some(known) = &self.lasting {
            return Ok(known.clone());
        }
        let spans = self.spans()?;
        let lasting = EventDurations::new(&self.store, &self.source, &spans, &mut self.tracks, &self.gcs)?;
        self.lasting = Some(Rc::new(lasting));
        Err(Interrupt::More)
    }

    /// Finds which thread served which request.
    fn request_times(&mut self) -> Answered<Rc<RequestTimes>> {
        if let Some(known) = self.request_times.get(&()) {
            return Ok(known);
        }
        let mut search = match self.request_times.resume(&()) {
            Some(search) => search,
            None => {
                let spans = self.spans()?;
                Box::new(RequestTimeSearch::new(&spans, &self.routes()?))
            }
        };
        Err(match search.step(&self.store) {
            Step::Done => self.request_times.finish((), search.finish()),
            step => self.request_times.pause((), search, step),
        })
    }

    /// Returns the intervals of a track, which may be spans; none for a track of another kind.
    pub(crate) fn intervals(&mut self, kind: TrackKind) -> Answered<Rc<IntervalSet>> {
        if kind.is_spans() {
            return Ok(self.spans()?.track(kind).cloned().unwrap_or_default());
        }
        let (store, source) = (&self.store, self.source.bypass_cache());
        unless_done(self.tracks.prepare(store, &source, kind, self.may_wait)?)?;
        Ok(self.tracks.intervals(store, &self.source, kind)?.clone())
    }

    /// Returns whether a filter selects an interval of a track. `selection` are its matching events.
    pub(crate) fn selects(&self, filter: &Filter, selection: &Selection, kind: TrackKind, one: &Interval) -> bool {
        match kind {
            TrackKind::LostEvents => lost_events::is_selected(&self.store, filter, one),
            _ => selection.contains(one.event.index()),
        }
    }

    /// Returns the heap size of sorted events and of the data for filters, in bytes.
    pub(crate) fn work_bytes(&self) -> usize {
        let lasting = self.lasting.as_ref().map_or(0, |lasting| lasting.bytes());
        let requests: usize = self.request_times.values().map(|times| times.bytes()).sum();
        lasting
            + requests
            + self.groups.values().map(|groups| groups.borrow().bytes()).sum::<usize>()
            + self.groups.searches().map(|(_, search)| search.bytes()).sum::<usize>()
            + self.field_values.searches().map(|(_, search)| search.bytes()).sum::<usize>()
            + self.orders.values().map(|order| order.borrow().bytes()).sum::<usize>()
    }

    /// Returns the matching events, of which at least the `wanted` ones are sorted.
    fn sorted(
        &mut self,
        filter: &Filter,
        order: &EventOrder,
        wanted: &Range<u64>,
    ) -> Answered<Rc<RefCell<SortedEvents>>> {
        let key = (filter.clone(), order.clone());
        let sorted = match self.orders.get(&key) {
            Some(known) => known,
            None => {
                let selection = self.selection(filter)?;
                if order.key == EventColumn::Duration {
                    self.durations()?;
                }
                if self.work_bytes() > MAX_ORDER_BYTES {
                    self.orders.clear();
                }
                let lasting = self.lasting.clone().unwrap_or_default();
                let sorted = SortedEvents::new(&self.store, selection, order, lasting);
                self.orders.insert(key, RefCell::new(sorted))
            }
        };
        let step = sorted.borrow_mut().prepare(&self.store, &self.source, wanted, self.may_wait)?;
        unless_done(step)?;
        Ok(sorted)
    }
}

#[cfg(test)]
#[path = "work_tests.rs"]
mod tests;
