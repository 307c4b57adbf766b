//! Groups of events: computed in steps, and cached for other orders and further pages.

use crate::analysis::events::groups::GroupSearch;
use crate::analysis::events::page::MAX_ROWS;
use crate::analysis::scan::payload_batches::Step;
use crate::session::db::state::Session;
use crate::session::open::failures::unreadable_source;
use protocol::Failure;
use protocol::request::{Filter, GroupQuery, Measure, SortKey};
use protocol::tables::EventGroups;
use std::cell::RefCell;

/// Key of groups, independent of their order.
pub(crate) type GroupKey = (Filter, SortKey, Option<Measure>);

impl Session {
    /// Returns a page of groups.
    ///
    /// # Errors
    /// Fails if the filter is invalid, or the file can no longer be read.
    pub fn group_page(
        &mut self,
        filter: &Filter,
        query: &GroupQuery,
        first: u64,
        count: u32,
    ) -> Result<EventGroups, Failure> {
        let key = key_of(filter, query);
        let groups = loop {
            if let Some(known) = self.groups.get(&key) {
                break known;
            }
            self.advance_groups(filter, query, false)?;
        };
        Ok(groups.borrow_mut().page(&self.store, query, first, count.min(MAX_ROWS) as usize))
    }

    /// Advances the computation of groups; [`Step::Done`] if they are complete.
    pub(crate) fn advance_groups(
        &mut self,
        filter: &Filter,
        query: &GroupQuery,
        may_wait: bool,
    ) -> Result<Step, Failure> {
        let key = key_of(filter, query);
        if self.groups.get(&key).is_some() {
            return Ok(Step::Done);
        }
        if query.measure == Some(Measure::Duration) && self.lasting.is_none() {
            return self.advance_lasting(may_wait);
        }
        let begun = self.group_search.take().filter(|(of, _)| *of == key);
        let mut search = match begun {
            Some((_, search)) => search,
            None => {
                let selection = self.selection(filter)?;
                Box::new(GroupSearch::new(&self.store, selection, query, self.lasting.clone()))
            }
        };
        let step = search.step(&self.store, &self.source, may_wait).map_err(|error| unreadable_source(&error))?;
        if step == Step::Done {
            self.groups.insert(key, RefCell::new(search.finish()));
            return Ok(Step::More);
        }
        self.group_search = Some((key, search));
        Ok(step)
    }

    /// Returns the heap size of groups in bytes.
    pub(crate) fn group_bytes(&self) -> usize {
        let growing = self.group_search.as_ref().map_or(0, |(_, search)| search.bytes());
        growing + self.groups.values().map(|groups| groups.borrow().bytes()).sum::<usize>()
    }
}

fn key_of(filter: &Filter, query: &GroupQuery) -> GroupKey {
    (filter.clone(), query.by.clone(), query.measure.clone())
}
