//! Groups of events, computed in steps and cached for further orders and pages.

use super::Run;
use crate::analysis::events::groups::{GroupSearch, Groups};
use crate::analysis::events::page::MAX_ROWS;
use crate::analysis::scan::payload_batches::Step;
use crate::session::db::interrupt::Answered;
use crate::session::db::state::Session;
use protocol::queries::EventGroups;
use protocol::request::{EventColumn, Filter, Measure};
use protocol::tables;
use std::cell::RefCell;
use std::rc::Rc;

/// Cache key of groups. Their order isn't part of it.
pub(crate) type GroupKey = (Filter, EventColumn, Option<Measure>);

impl Run for EventGroups {
    fn run(&self, session: &mut Session) -> Answered<tables::EventGroups> {
        let groups = session.groups(self)?;
        let count = self.count.min(MAX_ROWS) as usize;
        Ok(groups.borrow_mut().page(&session.store, &self.query, self.first, count))
    }
}

impl Session {
    fn groups(&mut self, EventGroups { filter, query, .. }: &EventGroups) -> Answered<Rc<RefCell<Groups>>> {
        let key = (filter.clone(), query.by.clone(), query.measure.clone());
        if let Some(known) = self.groups.get(&key) {
            return Ok(known);
        }
        let mut search = match self.groups.resume(&key) {
            Some(search) => search,
            None => {
                let selection = self.selection(filter)?;
                if query.measure == Some(Measure::Duration) {
                    self.durations()?;
                }
                Box::new(GroupSearch::new(&self.store, selection, query, self.lasting.clone()))
            }
        };
        Err(match search.step(&self.store, &self.source, self.may_wait)? {
            Step::Done => self.groups.finish(key, RefCell::new(search.finish())),
            step => self.groups.pause(key, search, step),
        })
    }
}
