//! The marks of the runtime's tracks, put together when they are first asked for and kept.

use super::contention::contentions;
use super::jit::compilations;
use super::marks::MarkSet;
use super::spans::spans;
use crate::model::Store;
use crate::nettrace::{ByteSource, SourceError};
use crate::protocol::track::TrackKind;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// The marks of every kind that was asked for.
#[derive(Debug, Default)]
pub struct TrackIndex {
    sets: BTreeMap<TrackKind, MarkSet>,
}

impl TrackIndex {
    /// The marks of a kind; none of a kind whose track has a table of its own.
    ///
    /// # Errors
    /// If a payload cannot be read from the file.
    pub fn marks(&mut self, store: &Store, source: &dyn ByteSource, kind: TrackKind) -> Result<&MarkSet, SourceError> {
        let vacant = match self.sets.entry(kind) {
            Entry::Occupied(known) => return Ok(known.into_mut()),
            Entry::Vacant(vacant) => vacant,
        };
        Ok(vacant.insert(match kind {
            TrackKind::Compilations => compilations(store, source)?,
            TrackKind::Contentions => contentions(store, source)?,
            TrackKind::RequestsServed | TrackKind::RequestsSent | TrackKind::Network | TrackKind::Spans => {
                spans(store, source, kind)?
            }
            TrackKind::Collections | TrackKind::Exceptions | TrackKind::Series(_) => MarkSet::default(),
        }))
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.sets.values().map(MarkSet::bytes).sum()
    }
}
