//! What takes long is done in steps: rows that a filter selects, and events in an order.
//!
//! Whoever answers requests calls [`Session::prepare`] until it says that the answer is near, and may answer others in
//! between. What was begun is kept for a while, so that two questions about the same filter share it, and one that is
//! not asked again costs nothing more. Bytes of the file that a step needs are announced ahead of it, so that a browser fetches
//! them while something else is worked on.

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
use protocol::request::{EventOrder, Filter, SortKey, TopicRequest};
use protocol::{Failure, Request};
use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

/// Works that are kept though they are not finished: as many as views ask for at a time.
const KEPT: usize = 4;
/// Orders of events are forgotten, but for the last, when they hold more than this.
const MAX_ORDER_BYTES: usize = 256 << 20;
/// Rows whose payloads are fetched together before a page is put together: more than a screen shows.
const FETCHED_ROWS: usize = 512;

/// Events in an order, by what was asked.
pub(crate) type OrderKey = (Filter, EventOrder);

/// The rows of a filter on their way.
pub(crate) type Work = (Filter, Box<Search>);

impl Session {
    /// Does a few milliseconds of the long work that an answer needs. [`Step::Done`]: [`Session::answer`] has little left
    /// to do.
    ///
    /// # Errors
    /// If the file can no longer be read.
    // A function of its own: the build of the page divides the worker's program here.
    #[inline(never)]
    pub fn prepare(&mut self, request: &Request) -> Result<Step, Failure> {
        if let Request::Lanes { .. } | Request::Topic { of: TopicRequest::RoleTimes | TopicRequest::Findings, .. } =
            request
            && self.states.is_none()
        {
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

    /// The rows of the events that a query in the language of filters wants.
    ///
    /// # Errors
    /// If it cannot be understood, or the file can no longer be read.
    pub fn rows_of(&mut self, query: &str) -> Result<Rc<Selection>, Failure> {
        self.selection(&Filter { query: query.to_owned(), ..Filter::default() })
    }

    /// The rows that a filter selects.
    pub(crate) fn selection(&mut self, filter: &Filter) -> Result<Rc<Selection>, Failure> {
        loop {
            if let Some(known) = self.selections.get(filter) {
                return Ok(known);
            }
            self.advance_selection(filter, false)?;
        }
    }

    /// The selected events in an order, from the one with `first` ones before it, at most `count`; and how many there are.
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

    /// How many of the selected events stand before this one in an order; none if it is not selected.
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

    /// What events record about the states of threads.
    pub(crate) fn known_states(&mut self) -> Result<Rc<ThreadStates>, Failure> {
        loop {
            if let Some(known) = &self.states {
                return Ok(known.clone());
            }
            self.advance_states(false)?;
        }
    }

    /// All spans.
    pub(crate) fn spans(&mut self) -> Result<Rc<SpanIndex>, Failure> {
        loop {
            if let Some(known) = &self.spans {
                return Ok(known.clone());
            }
            self.advance_spans(false)?;
        }
    }

    /// Never [`Step::Done`], as [`Self::advance_selection`].
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

    /// Bytes of what is sorted, and of what filters need to know.
    pub(crate) fn work_bytes(&self) -> usize {
        let lasting = self.lasting.as_ref().map_or(0, |lasting| lasting.bytes());
        lasting
            + self.group_bytes()
            + self.field_value_bytes()
            + self.orders.values().map(|order| order.borrow().bytes()).sum::<usize>()
    }

    /// Never [`Step::Done`]: others may come behind it.
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
        // The one that nobody went on with for longest is given up.
        if self.works.len() >= KEPT {
            self.works.remove(0);
        }
        self.works.push((filter.clone(), search));
        Ok(step)
    }

    /// How long what events begin and end lasts.
    pub(crate) fn durations(&mut self) -> Result<Rc<EventDurations>, Failure> {
        loop {
            if let Some(known) = &self.lasting {
                return Ok(known.clone());
            }
            self.advance_lasting(false)?;
        }
    }

    /// Never [`Step::Done`], as [`Self::advance_selection`].
    pub(crate) fn advance_lasting(&mut self, may_wait: bool) -> Result<Step, Failure> {
        let Some(spans) = self.spans.clone() else { return self.advance_spans(may_wait) };
        let lasting = EventDurations::new(&self.store, &self.source, &spans, &mut self.tracks, &self.gcs);
        self.lasting = Some(Rc::new(lasting.map_err(|error| unreadable_source(&error))?));
        Ok(Step::More)
    }

    /// Never [`Step::Done`], as [`Self::advance_selection`].
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

    /// Sees that the payloads of a page are at hand: they may lie anywhere in the file.
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
            // Only once: what came and had to go again is read when it is needed.
            ranges.iter().for_each(|range| self.source.announce(range.clone()));
            self.announced = Some((request.clone(), ranges));
        }
        let ranges = self.announced.as_ref().map(|(_, ranges)| ranges.as_slice()).unwrap_or_default();
        let is_coming = ranges.iter().any(|range| self.source.is_coming(range.clone()));
        Ok(if is_coming { Step::Waiting } else { Step::Done })
    }
}

/// The positions of a page.
fn page_of(first: u64, count: u32) -> Range<u64> {
    first..first.saturating_add(count.min(MAX_ROWS).into())
}

#[cfg(test)]
#[path = "work_tests.rs"]
mod tests;
