//! Long computations in steps: rows that match a filter, and sorted events.
//!
//! Callers call [`Session::prepare`] until the answer is nearly complete, and may answer other requests in between.
//! Work in progress is cached for a while, so that requests with the same filter share it, and abandoned ones cost
//! nothing more. Bytes of the file are announced before the step that needs them, so that a browser reads them in the
//! background.

use super::needs::{filter_of, needs_durations, needs_spans, topic_of, tree_query_of};
use super::state::Session;
use crate::analysis::events::order::SortedEvents;
use crate::analysis::events::page::{MAX_ROWS, position_by_time, rows_by_time};
use crate::analysis::filter::query::EventDurations;
use crate::analysis::filter::select::Search;
use crate::analysis::intervals::spans::index::SpanIndex;
use crate::analysis::intervals::spans::search::SpanSearch;
use crate::analysis::scan::payload_batches::Step;
use crate::analysis::scan::selection::Selection;
use crate::analysis::timeline::lanes::Window;
use crate::analysis::timeline::thread_states::{StateSearch, ThreadStates};
use crate::analysis::topics::WITH_FINDINGS;
use crate::session::open::failures::{not_a_filter, unreadable_source};
use nettrace::ByteSource;
use protocol::base::ids::EventId;
use protocol::filter::{Condition, parse};
use protocol::request::{EventOrder, Filter, SortKey, Topic, TopicRequest};
use protocol::{Failure, Request};
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

/// Number of cached searches in progress: as many as views request at a time.
const KEPT: usize = 4;
/// Maximum size of sorted events in memory; all but the last order are dropped beyond it.
const MAX_ORDER_BYTES: usize = 256 << 20;
/// Number of rows whose payloads are read together for a page: more than a screen shows.
const FETCHED_ROWS: usize = 512;

/// Key of sorted events.
pub(crate) type OrderKey = (Filter, EventOrder);

/// Search for the rows of a filter.
pub(crate) type Work = (Filter, Box<Search>);

impl Session {
    /// Does a few milliseconds of the work for an answer. After [`Step::Done`], [`Session::answer`] has little left to
    /// do.
    ///
    /// # Errors
    /// Fails if the file can no longer be read.
    // A separate function: the build of the page splits the worker's program here.
    #[inline(never)]
    pub fn prepare(&mut self, request: &Request) -> Result<Step, Failure> {
        let is_of_states = match request {
            Request::Lanes { .. } => true,
            Request::Topic { of: TopicRequest::RoleTimes | TopicRequest::Findings, .. } => true,
            // Wait states of pool workers.
            Request::Topic { of, .. } => of.topic() == Some(Topic::ThreadPool),
            _ => false,
        };
        if is_of_states && self.states.is_none() {
            return self.advance_states(true);
        }
        if needs_spans(request) && self.spans.is_none() {
            return self.advance_spans(true);
        }
        if needs_durations(request) && self.lasting.is_none() {
            return self.advance_lasting(true);
        }
        if let Request::Lanes { threads, span, resolution, max_depth, .. } = request {
            let window = Window { span: *span, resolution: *resolution, max_depth: *max_depth };
            let states = self.known_states()?;
            let (samples, nodes) = (&self.samples, &self.nodes);
            let is_ready = self.lanes.prepare(samples, nodes, &states, threads, window);
            return Ok(if is_ready { Step::Done } else { Step::More });
        }
        if let Request::Intervals { kind, .. } = request {
            let (store, source) = (&self.store, self.source.bypass_cache());
            let step = self.tracks.prepare(store, &source, *kind, true).map_err(|error| unreadable_source(&error))?;
            if step != Step::Done {
                return Ok(step);
            }
        }
        if let Request::Series { .. } = request
            && !self.series_payloads.is_complete()
        {
            return self
                .series_payloads
                .step(&self.store, &self.source.bypass_cache(), true)
                .map_err(|error| unreadable_source(&error));
        }
        if let Some(topic) = topic_of(request) {
            let step = self.advance_topics(&[topic], true)?;
            if step != Step::Done {
                return Ok(step);
            }
        }
        if let Request::Topic { of: TopicRequest::Findings, .. } = request {
            let step = self.advance_topics(&WITH_FINDINGS, true)?;
            if step != Step::Done {
                return Ok(step);
            }
        }
        let Some(filter) = filter_of(request) else { return Ok(Step::Done) };
        if self.selections.get(filter).is_none() {
            return self.advance_selection(filter, true);
        }
        if let Request::Topic { of, .. } = request
            && !matches!(of, TopicRequest::RoleTimes)
            && let Some(filter) = filter.without_range()
            && self.selections.get(&filter).is_none()
        {
            return self.advance_selection(&filter, true);
        }
        let baseline = tree_query_of(request).and_then(|query| Some(query.baseline.as_ref()?.filter(filter)));
        if let Some(filter) = baseline
            && self.selections.get(&filter).is_none()
        {
            return self.advance_selection(&filter, true);
        }
        if let Some(query) = tree_query_of(request) {
            return self.advance_stacks(query, true);
        }
        match request {
            Request::Events { filter, order, first, count }
            | Request::EventFields { filter, order, first, count, .. }
            | Request::EventText { filter, order, first, count, .. } => {
                let wanted = page_of(*first, *count);
                if !order.is_time() {
                    let step = self.advance_order(filter, order, &wanted, true)?;
                    if step != Step::Done {
                        return Ok(step);
                    }
                }
                self.fetch_page(request, filter, order, wanted)
            }
            Request::EventPosition { filter, order, event } if !order.is_time() => {
                let step = self.advance_order(filter, order, &(0..0), true)?;
                Ok(match step {
                    Step::Done if self.advance_position(filter, order, *event)?.is_none() => Step::More,
                    step => step,
                })
            }
            Request::EventGroups { filter, query, .. } => self.advance_groups(filter, query, true),
            Request::FieldValues { filter, event_type } => self.advance_field_values(filter, *event_type, true),
            Request::Excerpt { from, .. } => Ok(self.fetch_excerpt(*from)),
            _ => Ok(Step::Done),
        }
    }

    /// Returns the rows of the events that match a query in the filter syntax.
    ///
    /// # Errors
    /// Fails if the query is invalid, or the file can no longer be read.
    pub fn rows_of(&mut self, query: &str) -> Result<Rc<Selection>, Failure> {
        self.selection(&Filter { query: query.to_owned(), ..Filter::default() })
    }

    /// Returns the rows that match a filter.
    pub(crate) fn selection(&mut self, filter: &Filter) -> Result<Rc<Selection>, Failure> {
        loop {
            if let Some(known) = self.selections.get(filter) {
                return Ok(known);
            }
            self.advance_selection(filter, false)?;
        }
    }

    /// Returns at most `count` of the matching events in an order, from index `first` on, and the number of all.
    pub(crate) fn page(
        &mut self,
        filter: &Filter,
        order: &EventOrder,
        first: u64,
        count: u32,
    ) -> Result<(Vec<u32>, u64), Failure> {
        let wanted = page_of(first, count);
        let most = (wanted.end - wanted.start) as usize;
        let selection = self.selection(filter)?;
        if order.is_time() {
            return Ok((rows_by_time(&selection, order.descending, first, most), selection.count()));
        }
        while self.advance_order(filter, order, &wanted, false)? != Step::Done {}
        let sorted = self.sorted(filter, order)?;
        let sorted = sorted.borrow();
        Ok((sorted.rows(&self.store, first, most), sorted.count()))
    }

    /// Returns the index of an event among the matching ones in an order; `None` if it doesn't match.
    pub(crate) fn position(
        &mut self,
        filter: &Filter,
        order: &EventOrder,
        event: EventId,
    ) -> Result<Option<u64>, Failure> {
        if order.is_time() {
            return Ok(position_by_time(&*self.selection(filter)?, order.descending, event));
        }
        while self.advance_order(filter, order, &(0..0), false)? != Step::Done {}
        loop {
            if let Some(position) = self.advance_position(filter, order, event)? {
                return Ok(position);
            }
        }
    }

    /// Returns the states of threads according to events.
    pub(crate) fn known_states(&mut self) -> Result<Rc<ThreadStates>, Failure> {
        loop {
            if let Some(known) = &self.states {
                return Ok(known.clone());
            }
            self.advance_states(false)?;
        }
    }

    /// Returns all spans.
    pub(crate) fn spans(&mut self) -> Result<Rc<SpanIndex>, Failure> {
        loop {
            if let Some(known) = &self.spans {
                return Ok(known.clone());
            }
            self.advance_spans(false)?;
        }
    }

    /// Advances the spans. Never [`Step::Done`], as [`Self::advance_selection`].
    pub(crate) fn advance_spans(&mut self, may_wait: bool) -> Result<Step, Failure> {
        let (store, source) = (&self.store, self.source.bypass_cache());
        let mut search = self.span_search.take().unwrap_or_else(|| Box::new(SpanSearch::new(store)));
        let step = search.step(store, &source, may_wait).map_err(|error| unreadable_source(&error))?;
        if step != Step::Done {
            self.span_search = Some(search);
            return Ok(step);
        }
        let spans = search.finish(store, &self.source, &mut self.tracks).map_err(|error| unreadable_source(&error))?;
        self.spans = Some(Rc::new(spans));
        Ok(Step::More)
    }

    /// Returns the heap size of sorted events and of the data for filters, in bytes.
    pub(crate) fn work_bytes(&self) -> usize {
        let lasting = self.lasting.as_ref().map_or(0, |lasting| lasting.bytes());
        lasting
            + self.group_bytes()
            + self.field_value_bytes()
            + self.orders.values().map(|order| order.borrow().bytes()).sum::<usize>()
    }

    /// Advances a selection. Never [`Step::Done`], because further steps may follow.
    fn advance_selection(&mut self, filter: &Filter, may_wait: bool) -> Result<Step, Failure> {
        let begun = self.works.iter().position(|(of, _)| of == filter);
        let mut search = match begun {
            Some(at) => self.works.swap_remove(at).1,
            None => {
                let query = parse(&filter.query).map_err(|error| not_a_filter(&error))?;
                let is_about_durations = query.has(|condition| matches!(condition, Condition::Duration(..)));
                if self.lasting.is_none() && is_about_durations {
                    return self.advance_lasting(may_wait);
                }
                Box::new(Search::new(&self.store, filter, &query, self.lasting.as_deref()))
            }
        };
        let step = search.step(&self.store, &self.source, may_wait).map_err(|error| unreadable_source(&error))?;
        if step == Step::Done {
            self.selections.insert(filter.clone(), search.finish());
            return Ok(Step::More);
        }
        // The search that wasn't continued for the longest time is dropped.
        if self.works.len() >= KEPT {
            self.works.remove(0);
        }
        self.works.push((filter.clone(), search));
        Ok(step)
    }

    /// Returns the durations of intervals by event.
    pub(crate) fn durations(&mut self) -> Result<Rc<EventDurations>, Failure> {
        loop {
            if let Some(known) = &self.lasting {
                return Ok(known.clone());
            }
            self.advance_lasting(false)?;
        }
    }

    /// Advances the durations. Never [`Step::Done`], as [`Self::advance_selection`].
    pub(crate) fn advance_lasting(&mut self, may_wait: bool) -> Result<Step, Failure> {
        let Some(spans) = self.spans.clone() else { return self.advance_spans(may_wait) };
        let lasting = EventDurations::new(&self.store, &self.source, &spans, &mut self.tracks, &self.gcs);
        self.lasting = Some(Rc::new(lasting.map_err(|error| unreadable_source(&error))?));
        Ok(Step::More)
    }

    /// Advances the thread states. Never [`Step::Done`], as [`Self::advance_selection`].
    pub(crate) fn advance_states(&mut self, may_wait: bool) -> Result<Step, Failure> {
        let (store, source) = (&self.store, self.source.bypass_cache());
        let mut search = self.state_search.take().unwrap_or_else(|| Box::new(StateSearch::new(store)));
        let step = search.step(store, &source, may_wait).map_err(|error| unreadable_source(&error))?;
        if step != Step::Done {
            self.state_search = Some(search);
            return Ok(step);
        }
        let states = search.finish(store, &self.source, &self.samples, &self.gcs, &mut self.tracks);
        let states = states.map_err(|error| unreadable_source(&error))?;
        Rc::make_mut(&mut self.samples).give_states(|thread| states.of(thread));
        self.states = Some(Rc::new(states));
        Ok(Step::More)
    }

    fn sorted(&mut self, filter: &Filter, order: &EventOrder) -> Result<Rc<RefCell<SortedEvents>>, Failure> {
        let key = (filter.clone(), order.clone());
        if let Some(known) = self.orders.get(&key) {
            return Ok(known);
        }
        if self.work_bytes() > MAX_ORDER_BYTES {
            self.orders.clear();
        }
        let selection = self.selection(filter)?;
        let lasting = self.lasting.clone().unwrap_or_default();
        let sorted = SortedEvents::new(&self.store, selection, order, lasting);
        Ok(self.orders.insert(key, RefCell::new(sorted)))
    }

    fn advance_order(
        &mut self,
        filter: &Filter,
        order: &EventOrder,
        wanted: &Range<u64>,
        may_wait: bool,
    ) -> Result<Step, Failure> {
        if order.key == SortKey::Duration && self.lasting.is_none() {
            return self.advance_lasting(may_wait);
        }
        let sorted = self.sorted(filter, order)?;
        let step = sorted.borrow_mut().prepare(&self.store, &self.source, wanted, may_wait);
        step.map_err(|error| unreadable_source(&error))
    }

    fn advance_position(
        &mut self,
        filter: &Filter,
        order: &EventOrder,
        event: EventId,
    ) -> Result<Option<Option<u64>>, Failure> {
        let sorted = self.sorted(filter, order)?;
        let position = sorted.borrow_mut().position(&self.store, &self.source, event.index());
        position.map_err(|error| unreadable_source(&error))
    }

    /// Requests the payloads of a page, which may be anywhere in the file.
    fn fetch_page(
        &mut self,
        request: &Request,
        filter: &Filter,
        order: &EventOrder,
        wanted: Range<u64>,
    ) -> Result<Step, Failure> {
        let is_new = self.announced.as_ref().is_none_or(|(known, _)| known != request);
        if is_new {
            let most = (wanted.end - wanted.start).min(FETCHED_ROWS as u64) as u32;
            let (rows, _) = self.page(filter, order, wanted.start, most)?;
            let events = rows.iter().map(|row| self.store.events().row(EventId(*row)));
            let ranges: Vec<Range<u64>> = events
                .filter(|event| event.payload_length > 0 && self.store.kept_payload(event).is_none())
                .map(|event| event.payload_offset..event.payload_offset.saturating_add(event.payload_length.into()))
                .collect();
            // Announced only once: a page that was evicted is read on demand.
            ranges.iter().for_each(|range| self.source.announce(range.clone()));
            self.announced = Some((request.clone(), ranges));
        }
        let ranges = self.announced.as_ref().map(|(_, ranges)| ranges.as_slice()).unwrap_or_default();
        let is_coming = ranges.iter().any(|range| self.source.is_coming(range.clone()));
        Ok(if is_coming { Step::Waiting } else { Step::Done })
    }
}

/// Returns the indices of a page.
fn page_of(first: u64, count: u32) -> Range<u64> {
    first..first.saturating_add(count.min(MAX_ROWS).into())
}

#[cfg(test)]
#[path = "work_tests.rs"]
mod tests;
