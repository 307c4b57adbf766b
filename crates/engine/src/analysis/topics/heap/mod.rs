//! Heap snapshots: objects by type, their retained size, and their paths to roots.

mod findings;
mod graph;
mod keepers;
mod neighbors;
#[cfg(test)]
mod reference_tests;
mod report;
mod root_paths;
mod snapshot;
mod snapshot_summary;
#[cfg(test)]
mod tests;

use super::recorded_topics::{Role, Trace};
use super::shared::report::Report;
use super::shared::type_names::TypeNames;
use super::{Analysis, Facts, Known, Scope};
use crate::analysis::intervals::interval_set::Texts;
use crate::clr::known::payload::{dependent_objects, heap_edges, heap_nodes, heap_roots, static_roots};
use crate::clr::known::payload::{mono_class, mono_object, mono_roots, mono_vtable, mono_vtable_class};
use crate::clr::known::payload::{mono_root_range, mono_root_range_end};
use crate::clr::{KnownEvent, Provider};
use crate::model::{EventChunk, EventType, Store};
use protocol::base::hash::FastMap;
use protocol::base::ids::EventId;
use protocol::topics::finding::Finding;
use snapshot::{MAX_ROOTS, RootKind, Snapshot};
use snapshot_summary::{Digest, digest};
use std::collections::BTreeMap;

/// Maximum number of snapshots; later ones are ignored.
const MAX_SNAPSHOTS: usize = 64;
/// Maximum number of Mono's memory ranges stored.
const MAX_RANGES: usize = 1 << 18;

/// IDs of the events of a snapshot.
mod event {
    pub const ROOTS: u32 = 16;
    pub const DEPENDENT: u32 = 17;
    pub const NODES: u32 = 18;
    pub const EDGES: u32 = 19;
    pub const STATICS: u32 = 38;
}

/// IDs of the events of a heap dump of Mono before .NET 8.
mod mono {
    pub const CLASS_LOADED: u32 = 16;
    pub const VTABLE_LOADED: u32 = 19;
    pub const ROOT_RANGE: u32 = 48;
    pub const ROOT_RANGE_END: u32 = 49;
    pub const ROOTS: u32 = 50;
    pub const START: u32 = 51;
    pub const OBJECT: u32 = 53;
    pub const VTABLE_CLASS: u32 = 63;
}

/// Heap snapshots of a trace.
#[derive(Debug, Default)]
pub struct HeapFacts {
    pointer_size: u8,
    types: TypeNames,
    /// Mono's classes, and the class of each vtable, by which objects refer to their type.
    classes: TypeNames,
    vtables: FastMap<u64, u64>,
    /// Memory ranges that Mono searches for references, by start: end and kind.
    ranges: BTreeMap<u64, (u64, u8)>,
    /// Roots of Mono's snapshot: objects, and the addresses that refer to them.
    places: Vec<(u64, u64)>,
    /// Names of fields.
    texts: Texts,
    /// The snapshot being read. Each begins with a GC.
    open: Option<Box<Snapshot>>,
    digests: Vec<Digest>,
}

impl HeapFacts {
    fn close(&mut self) {
        let places = std::mem::take(&mut self.places);
        let open = self.open.take().filter(|open| !open.is_empty() && self.digests.len() < MAX_SNAPSHOTS);
        let Some(mut open) = open else { return };
        for (object, place) in places {
            let range = self.ranges.range(..=place).next_back().filter(|(_, (end, _))| place < *end);
            open.add_root(range.map_or(RootKind::Other, |(_, (_, source))| RootKind::of_mono(*source)), object);
        }
        self.digests.push(digest(*open, &self.types));
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

impl HeapFacts {
    /// Adds an event of Mono's profiler. It names the classes of objects before or after them.
    fn add_of_mono(&mut self, event_id: u32, payload: &[u8], time: i64, event: EventId) {
        match event_id {
            mono::START => self.close(),
            mono::OBJECT => {
                let Some((node, targets)) = mono_object(payload, self.pointer_size) else { return };
                let type_at = self.types.position(node.type_id);
                let open = self.open.get_or_insert_with(|| Box::new(Snapshot::new(time, event)));
                open.end = time;
                open.add_object(node, targets, type_at);
            }
            mono::ROOTS => {
                if let (Some(_), Some(roots)) = (&self.open, mono_roots(payload, self.pointer_size)) {
                    self.places.extend(roots.take(MAX_ROOTS.saturating_sub(self.places.len())));
                }
            }
            mono::ROOT_RANGE => {
                if let Some(range) =
                    mono_root_range(payload, self.pointer_size).filter(|_| self.ranges.len() < MAX_RANGES)
                {
                    self.ranges.insert(range.start, (range.start.saturating_add(range.size), range.source));
                }
            }
            mono::ROOT_RANGE_END => {
                // Ranges that the open snapshot refers to stay known until its end.
                if let Some(start) = mono_root_range_end(payload, self.pointer_size).filter(|_| self.open.is_none()) {
                    self.ranges.remove(&start);
                }
            }
            mono::VTABLE_CLASS => {
                if let Some(name) = mono_vtable_class(payload) {
                    self.types.add(&name);
                }
            }
            mono::CLASS_LOADED => {
                if let Some(name) = mono_class(payload) {
                    self.classes.add(&name);
                }
            }
            _ => self.vtables.extend(mono_vtable(payload)),
        }
    }
}

/// Returns whether events of a type are part of a snapshot, or name its types.
fn is_of_snapshot(event_type: &EventType) -> bool {
    use event::{DEPENDENT, EDGES, NODES, ROOTS, STATICS};
    let id = event_type.record.event_id;
    match Provider::from_name(&event_type.provider) {
        Some(Provider::Runtime) => matches!(id, ROOTS | DEPENDENT | NODES | EDGES | STATICS),
        Some(Provider::MonoProfiler) => {
            use mono::{CLASS_LOADED, OBJECT, ROOT_RANGE, ROOT_RANGE_END, ROOTS, START, VTABLE_CLASS, VTABLE_LOADED};
            matches!(
                id,
                CLASS_LOADED | VTABLE_LOADED | ROOT_RANGE | ROOT_RANGE_END | ROOTS | START | OBJECT | VTABLE_CLASS
            )
        }
        _ => false,
    }
}

/// Returns whether events of a type contain objects of a snapshot.
fn has_objects(event_type: &EventType) -> bool {
    match Provider::from_name(&event_type.provider) {
        Some(Provider::Runtime) => event_type.record.event_id == event::NODES,
        Some(Provider::MonoProfiler) => event_type.record.event_id == mono::OBJECT,
        _ => false,
    }
}

impl Analysis for HeapFacts {
    const HAS_FINDINGS: bool = true;

    fn new(store: &Store) -> Self {
        let mut facts = Self { pointer_size: store.header.pointer_size, ..Self::default() };
        facts.texts.position("");
        facts
    }

    fn role(event_type: &EventType, _trace: &Trace) -> Option<Role> {
        has_objects(event_type).then_some(Role::Related)
    }
}

impl Facts for HeapFacts {
    fn wants(&self, event_type: &EventType) -> bool {
        matches!(event_type.known, KnownEvent::BulkType | KnownEvent::GcStart) || is_of_snapshot(event_type)
    }

    fn read(&mut self, store: &Store, chunk: &EventChunk, row: usize, payload: &[u8]) {
        let Some(event_type) = store.types.get(chunk.event_type(row)) else { return };
        let time = store.clock.nanos(chunk.ticks(row)).0;
        match event_type.known {
            KnownEvent::BulkType => self.types.read(payload),
            KnownEvent::GcStart => self.close(),
            _ if event_type.is_of(Provider::MonoProfiler) => {
                self.add_of_mono(event_type.record.event_id, payload, time, chunk.event_id(row));
            }
            _ => {
                self.open.get_or_insert_with(|| Box::new(Snapshot::new(time, chunk.event_id(row))));
                self.add(event_type.record.event_id, payload, time);
            }
        }
    }

    fn finish(&mut self, _known: &Known<'_>) {
        self.close();
        self.open = None;
        self.types.share(std::mem::take(&mut self.vtables), &self.classes);
        self.classes = TypeNames::default();
        self.ranges = BTreeMap::new();
    }

    fn report(&self, _known: &Known<'_>, scope: &Scope<'_>) -> Report {
        report::report(self, scope)
    }

    fn findings(&self, _known: &Known<'_>, scope: &Scope<'_>) -> Vec<Finding> {
        findings::findings(self, scope)
    }

    fn bytes(&self) -> usize {
        let digests: usize = self.digests.iter().map(Digest::bytes).sum();
        let types = self.types.bytes() + self.classes.bytes() + self.vtables.len() * size_of::<(u64, u64)>();
        digests + types + self.texts.bytes() + self.open.as_ref().map_or(0, |open| open.bytes())
    }
}
