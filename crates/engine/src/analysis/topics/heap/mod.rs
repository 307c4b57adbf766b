//! What is on the heap: objects by type, what they keep alive, and what keeps them alive.

mod graph;
mod neighbours;
#[cfg(test)]
mod reference_tests;
mod report;
mod root_paths;
mod snapshot;
mod snapshot_summary;
#[cfg(test)]
mod tests;

use super::shared::report::Report;
use super::shared::type_names::TypeNames;
use super::{Facts, Known, Scope};
use crate::analysis::intervals::marks::Texts;
use crate::clr::known::payload::{dependent_objects, heap_edges, heap_nodes, heap_roots, static_roots};
use crate::clr::{KnownEvent, Provider};
use crate::model::{EventChunk, EventType, Store};
use snapshot::Snapshot;
use snapshot_summary::{Digest, digest};

/// Snapshots that are told of; of more the first ones.
const MOST_SNAPSHOTS: usize = 64;

/// Events of a snapshot, by number.
mod event {
    pub const ROOTS: u32 = 16;
    pub const DEPENDENT: u32 = 17;
    pub const NODES: u32 = 18;
    pub const EDGES: u32 = 19;
    pub const STATICS: u32 = 38;
}

/// The snapshots of a trace.
#[derive(Debug)]
pub struct HeapFacts {
    pointer_size: u8,
    types: TypeNames,
    /// Names of fields.
    texts: Texts,
    /// The one that is being told; each begins with a collection.
    open: Option<Box<Snapshot>>,
    digests: Vec<Digest>,
}

impl HeapFacts {
    /// Nothing read yet.
    pub fn new(store: &Store) -> Self {
        let pointer_size = store.header().pointer_size;
        let mut texts = Texts::default();
        texts.position("");
        Self { pointer_size, types: TypeNames::default(), texts, open: None, digests: Vec::new() }
    }

    fn close(&mut self) {
        let open = self.open.take().filter(|open| !open.is_empty() && self.digests.len() < MOST_SNAPSHOTS);
        self.digests.extend(open.map(|open| digest(*open)));
    }

    fn add(&mut self, event_id: u32, payload: &[u8], time: i64) {
        let Self { pointer_size, types, texts, open, .. } = self;
        let Some(open) = open else { return };
        open.end = time;
        match event_id {
            event::NODES => {
                if let Some((index, nodes)) = heap_nodes(payload, *pointer_size) {
                    open.add_nodes(index, nodes, |id| types.position(id));
                }
            }
            event::EDGES => {
                if let Some((index, targets)) = heap_edges(payload, *pointer_size) {
                    open.add_references(index, targets);
                }
            }
            event::ROOTS => {
                if let Some(roots) = heap_roots(payload, *pointer_size) {
                    open.add_roots(roots);
                }
            }
            event::DEPENDENT => {
                if let Some(pairs) = dependent_objects(payload, *pointer_size) {
                    open.add_dependent(pairs);
                }
            }
            _ => {
                for root in static_roots(payload).into_iter().flatten() {
                    open.add_static(
                        root.address,
                        texts.position(&super::shared::type_names::cut(&root.field.to_string())),
                    );
                }
            }
        }
    }
}

fn is_of_snapshot(event_type: &EventType) -> bool {
    use event::{DEPENDENT, EDGES, NODES, ROOTS, STATICS};
    let is_number = matches!(event_type.record.event_id, ROOTS | DEPENDENT | NODES | EDGES | STATICS);
    is_number && Provider::from_name(&event_type.provider) == Some(Provider::Runtime)
}

impl Facts for HeapFacts {
    fn wants(&self, event_type: &EventType) -> bool {
        matches!(event_type.known, KnownEvent::BulkType | KnownEvent::GcStart) || is_of_snapshot(event_type)
    }

    fn read(&mut self, store: &Store, chunk: &EventChunk, row: usize, payload: &[u8]) {
        let Some(event_type) = store.types().get(chunk.event_type(row)) else { return };
        let time = store.clock().nanos(chunk.ticks(row)).0;
        match event_type.known {
            KnownEvent::BulkType => self.types.read(payload),
            KnownEvent::GcStart => self.close(),
            _ => {
                self.open.get_or_insert_with(|| Box::new(Snapshot::new(time, chunk.event_id(row))));
                self.add(event_type.record.event_id, payload, time);
            }
        }
    }

    fn finish(&mut self, _known: &Known<'_>) {
        self.close();
        self.open = None;
    }

    fn report(&self, _known: &Known<'_>, scope: &Scope<'_>) -> Report {
        report::report(self, scope)
    }

    fn bytes(&self) -> usize {
        let digests: usize = self.digests.iter().map(Digest::bytes).sum();
        digests + self.types.bytes() + self.texts.bytes() + self.open.as_ref().map_or(0, |open| open.bytes())
    }
}
