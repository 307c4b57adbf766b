//! Weights of stacks, computed in steps.

use super::interrupt::Answered;
use super::state::Session;
use crate::analysis::filter::query::wanted_by;
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::samples::thread_time::ThreadTime;
use crate::analysis::scan::payload_batches::Step;
use crate::analysis::scan::selection::Selection;
use crate::analysis::stacks::event_stacks::{ValueSearch, most_stacks, stacks_of, stacks_with_durations, time_field};
use protocol::base::ids::ThreadId;
use protocol::base::time::Span;
use protocol::filter::parse;
use protocol::request::{Filter, StackSource, TreeQuery, Weight};
use protocol::{Failure, FailureCode};
use std::rc::Rc;

/// Maximum number of stacks. Each takes 17 bytes.
const MAX_STACKS: u64 = 50_000_000;

/// Source of stacks, and their weight.
pub(crate) type WeighedKey = (StackSource, Weight);

/// Threads and times of samples whose weight depends on thread states; `None` for all.
pub(crate) type TimeKey = Option<Filter>;

/// Returns the cache key of a query's sample weights; `None` unless they depend on thread states.
pub(crate) fn time_key(query: &TreeQuery) -> Option<TimeKey> {
    let by_time = query.weight == Weight::Time;
    if !is_sampled(query) || !by_time && query.samples.activity().is_none() {
        return None;
    }
    Some((by_time && !query.filter.is_about_events()).then(|| query.filter.clone()))
}

impl Session {
    /// Returns the weighted stacks of a query, and the selected events among them.
    pub(crate) fn chosen_stacks(&mut self, query: &TreeQuery) -> Answered<ThreadTime> {
        match time_key(query) {
            Some(Some(filter)) => Ok((*self.thread_time(&filter)?).clone()),
            Some(None) => {
                let selection = self.selection(&query.filter)?;
                let stacks = self.all_time()?;
                Ok(ThreadTime { stacks, selection })
            }
            None => {
                let selection = self.selection(&query.filter)?;
                let stacks = self.weighed_stacks(query)?;
                Ok(ThreadTime { stacks, selection })
            }
        }
    }

    /// Returns all time of a filter's threads in its time range; for filters of events, the time of matching events.
    pub(crate) fn thread_time(&mut self, filter: &Filter) -> Answered<Rc<ThreadTime>> {
        let key = filter.clone();
        if let Some(known) = self.thread_times.get(&key) {
            return Ok(known);
        }
        let states = self.thread_states()?;
        let time = if filter.is_about_events() {
            ThreadTime { stacks: self.all_time()?, selection: self.selection(filter)? }
        } else {
            let query = parse(&filter.query)?;
            let wanted = wanted_by(&self.store, filter, &query);
            let span = query.span_within(self.store.indexed_span(filter.span));
            let is_wanted = |thread: ThreadId| wanted.get(thread.index()) == Some(&true);
            let rows = self.store.events.len();
            ThreadTime {
                stacks: self.samples.timed(&states, &is_wanted, span).into(),
                selection: Selection::of_range(0..rows, rows).into(),
            }
        };
        Ok(self.thread_times.insert(key, time))
    }

    /// Returns all time of all threads.
    fn all_time(&mut self) -> Answered<Rc<SampleIndex>> {
        let states = self.thread_states()?;
        if let Some(known) = &self.all_time {
            return Ok(known.clone());
        }
        let time = Rc::new(self.samples.timed(&states, &|_| true, Span::new(i64::MIN, i64::MAX)));
        self.all_time = Some(time.clone());
        Ok(time)
    }

    /// Returns the weighted stacks of a query whose weight doesn't depend on thread states.
    fn weighed_stacks(&mut self, query: &TreeQuery) -> Answered<Rc<SampleIndex>> {
        if is_sampled(query) {
            if needs_states(query) {
                self.thread_states()?;
            }
            return Ok(self.samples.clone());
        }
        let key = (query.source.clone(), query.weight.clone());
        if let Some(known) = self.weighed.get(&key) {
            return Ok(known);
        }
        if most_stacks(&self.store, &query.source) > MAX_STACKS {
            let message = "Too many stacks to show at once. Choose one event type.";
            return Err(Failure::new(FailureCode::TooLarge, message).into());
        }
        let field = match &query.weight {
            Weight::Field(field) => Some(field.as_str()),
            Weight::Time => time_field(&self.store, &query.source),
            Weight::Count => None,
        };
        let Some(field) = field else {
            let stacks = if query.weight == Weight::Count {
                stacks_of(&self.store, &query.source)?
            } else {
                let spans = self.spans()?;
                stacks_with_durations(&self.store, &query.source, &spans, &self.tracks)?
            };
            return Err(self.weighed.finish(key, stacks));
        };
        let search = self.weighed.resume(&key);
        let mut search = search.unwrap_or_else(|| Box::new(ValueSearch::new(&self.store, &query.source, field)));
        Err(match search.step(&self.store, &self.source.bypass_cache(), self.may_wait)? {
            Step::Done => self.weighed.finish(key, search.finish(&self.store)?),
            step => self.weighed.pause(key, search, step),
        })
    }
}

/// Returns whether a query is about unchanged samples.
fn is_sampled(query: &TreeQuery) -> bool {
    query.source == StackSource::Samples && !matches!(query.weight, Weight::Field(_))
}

/// Returns whether a query needs thread activity, to select samples or to name folded code.
fn needs_states(query: &TreeQuery) -> bool {
    query.samples.activity().is_some() || query.shape.just_my_code
}
