//! Weights of stacks, computed in steps.

use super::state::Session;
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::scan::payload_batches::Step;
use crate::analysis::stacks::event_stacks::{ValueSearch, most_stacks, stacks_of, stacks_with_durations, time_field};
use crate::analysis::stacks::shape::roots::Beginning;
use crate::session::open::failures::{out_of_memory, unreadable_source};
use protocol::request::{StackSource, TreeQuery, Weight};
use protocol::{Failure, FailureCode};
use std::rc::Rc;

/// Maximum number of stacks, which take 17 bytes each.
const MAX_STACKS: u64 = 50_000_000;

/// Source of stacks, and their weight.
pub(crate) type WeighedKey = (StackSource, Weight);

impl Session {
    /// Returns the stacks of a query with their weights.
    pub(crate) fn weighed_stacks(&mut self, query: &TreeQuery) -> Result<Rc<SampleIndex>, Failure> {
        if is_sampled(query) {
            if needs_states(query) {
                self.known_states()?;
            }
            return Ok(self.samples.clone());
        }
        let key = (query.source.clone(), query.weight.clone());
        loop {
            if let Some(known) = self.weighed.get(&key) {
                return Ok(known);
            }
            self.advance_stacks(query, false)?;
        }
    }

    /// Does a few milliseconds of work for [`Self::weighed_stacks`]; [`Step::Done`] if they are complete.
    pub(crate) fn advance_stacks(&mut self, query: &TreeQuery, may_wait: bool) -> Result<Step, Failure> {
        let key = (query.source.clone(), query.weight.clone());
        if Beginning::of(query).is_some_and(Beginning::needs_spans) && self.spans.is_none() {
            return self.advance_spans(may_wait);
        }
        if is_sampled(query) && needs_states(query) && self.states.is_none() {
            return self.advance_states(may_wait);
        }
        if is_sampled(query) || self.weighed.get(&key).is_some() {
            return Ok(Step::Done);
        }
        if most_stacks(&self.store, &query.source) > MAX_STACKS {
            let message = "Too many stacks to show at once. Choose one event type.";
            return Err(Failure::new(FailureCode::TooLarge, message));
        }
        let field = match &query.weight {
            Weight::Field(field) => Some(field.as_str()),
            Weight::Time => time_field(&self.store, &query.source),
            Weight::Count => None,
        };
        match (&query.weight, field) {
            (Weight::Count, _) => {
                let stacks = stacks_of(&self.store, &query.source).map_err(|error| out_of_memory(&error))?;
                self.weighed.insert(key, stacks);
            }
            (_, None) => match &self.spans {
                Some(spans) => {
                    let stacks = stacks_with_durations(&self.store, &query.source, spans, &self.tracks);
                    let stacks = stacks.map_err(|error| out_of_memory(&error))?;
                    self.weighed.insert(key, stacks);
                }
                None => return self.advance_spans(may_wait),
            },
            (_, Some(field)) => {
                // A search that wasn't continued is dropped.
                let begun = self.value_search.take().filter(|(begun, _)| *begun == key);
                let mut search = match begun {
                    Some((_, search)) => search,
                    None => Box::new(ValueSearch::new(&self.store, &query.source, field)),
                };
                let step = search
                    .step(&self.store, &self.source.bypass_cache(), may_wait)
                    .map_err(|error| unreadable_source(&error))?;
                if step == Step::Done {
                    let stacks = search.finish(&self.store).map_err(|error| out_of_memory(&error))?;
                    self.weighed.insert(key, stacks);
                } else {
                    self.value_search = Some((key, search));
                    return Ok(step);
                }
            }
        }
        Ok(Step::More)
    }
}

/// Returns whether a query is about unchanged samples.
fn is_sampled(query: &TreeQuery) -> bool {
    query.source == StackSource::Samples && !matches!(query.weight, Weight::Field(_))
}

/// Whether what threads did has to be known for stacks: to choose among samples, or to say what they do in folded code.
fn needs_states(query: &TreeQuery) -> bool {
    query.samples.activity().is_some() || query.shape.just_my_code
}
