//! Intervals of the runtime's tracks, computed on first use and cached.

use super::contention::{handle_waits, lock_owner};
use super::interval_search::IntervalSearch;
use super::interval_set::{Interval, IntervalSet};
use super::spans::index::Family;
use super::waits::ThreadWaits;
use crate::analysis::samples::stack_states::StackStates;
use crate::analysis::scan::payload_batches::Step;
use crate::analysis::timeline::track_data::TrackData;
use crate::model::{Store, ThreadRole};
use nettrace::{ByteSource, SourceError};
use protocol::base::hash::FastMap;
use protocol::timeline::thread_state::ThreadState;
use protocol::timeline::track::TrackKind;
use std::collections::hash_map::Entry;
use std::rc::Rc;

/// The cached intervals of every kind.
#[derive(Debug, Default)]
pub struct TrackIndex {
    sets: FastMap<TrackKind, Rc<IntervalSet>>,
    /// Incomplete searches.
    searches: FastMap<TrackKind, Box<dyn IntervalSearch>>,
    handle_waits: Option<IntervalSet>,
    waits: Option<ThreadWaits>,
}

impl TrackIndex {
    /// Does a part of the work that [`Self::intervals`] of a kind needs. [`Step::Done`] means that little is left.
    /// Waits for bytes that a source has to fetch if `may_wait`.
    ///
    /// # Errors
    /// If a payload can't be read from the file.
    pub fn prepare(
        &mut self,
        store: &Store,
        source: &dyn ByteSource,
        kind: TrackKind,
        may_wait: bool,
    ) -> Result<Step, SourceError> {
        if self.sets.contains_key(&kind) {
            return Ok(Step::Done);
        }
        let mut search = match (self.searches.remove(&kind), TrackData::of(kind)) {
            (Some(search), _) => search,
            (None, TrackData::Search(begin)) => begin(store),
            _ => return Ok(Step::Done),
        };
        let step = search.step(store, source, may_wait)?;
        if step == Step::Done {
            self.sets.insert(kind, Rc::new(search.finish()));
        } else {
            self.searches.insert(kind, search);
        }
        Ok(step)
    }

    /// Returns the intervals of a kind; empty for kinds with a separate table, and for spans, which are in
    /// [`super::spans::index::SpanIndex`].
    ///
    /// # Errors
    /// If a payload can't be read from the file.
    pub fn intervals(
        &mut self,
        store: &Store,
        source: &dyn ByteSource,
        kind: TrackKind,
    ) -> Result<&Rc<IntervalSet>, SourceError> {
        while self.prepare(store, source, kind, false)? != Step::Done {}
        let vacant = match self.sets.entry(kind) {
            Entry::Occupied(known) => return Ok(known.into_mut()),
            Entry::Vacant(vacant) => vacant,
        };
        Ok(vacant.insert(Rc::new(match TrackData::of(kind) {
            TrackData::Intervals(find) => find(store, source)?,
            _ => IntervalSet::default(),
        })))
    }

    /// Returns the waits on wait handles and monitors.
    ///
    /// # Errors
    /// If a payload can't be read from the file.
    pub fn handle_waits(&mut self, store: &Store, source: &dyn ByteSource) -> Result<&IntervalSet, SourceError> {
        if self.handle_waits.is_none() {
            self.handle_waits = Some(handle_waits(store, source)?);
        }
        Ok(self.handle_waits.get_or_insert_default())
    }

    /// Returns the waits of threads.
    ///
    /// # Errors
    /// If a payload can't be read from the file.
    pub fn waits(&mut self, store: &Store, source: &dyn ByteSource) -> Result<&ThreadWaits, SourceError> {
        if self.waits.is_none() {
            self.handle_waits(store, source)?;
            self.intervals(store, source, TrackKind::Contention)?;
            if let (Some(handles), Some(locks)) = (&self.handle_waits, self.sets.get(&TrackKind::Contention)) {
                let owner = |wait: &Interval| {
                    let owner = locks.text(wait.note).parse().ok().and_then(|id| lock_owner(store, wait, id));
                    let thread = owner.and_then(|owner| store.threads.get(owner));
                    thread.map_or_else(String::new, |thread| thread.numbered_label())
                };
                let mut stacks = StackStates::new(store);
                let is_idle = |wait: &Interval| {
                    let role = store.threads.get(wait.thread).map_or(ThreadRole::Other, |thread| thread.role);
                    stacks.of_wait(store.events.row(wait.event).stack, role) == ThreadState::Idle
                };
                self.waits = Some(ThreadWaits::new(locks, handles, owner, is_idle));
            }
        }
        Ok(self.waits.get_or_insert_default())
    }

    /// Returns cached intervals without reading anything; `None` for spans, which have a separate index.
    pub fn known(&self, family: Family) -> Option<&IntervalSet> {
        match family {
            Family::Span => None,
            Family::Track(kind) => self.sets.get(&kind).map(Rc::as_ref),
            Family::HandleWait => self.handle_waits.as_ref(),
        }
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        let waits = self.waits.as_ref().map_or(0, ThreadWaits::bytes);
        let handles = self.handle_waits.as_ref().map_or(0, IntervalSet::bytes);
        self.sets.values().map(|set| set.bytes()).sum::<usize>() + waits + handles
    }
}
