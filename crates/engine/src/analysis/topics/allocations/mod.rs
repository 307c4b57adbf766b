//! Allocations by type, call site and thread.
//!
//! Three event types record them, each completely: a tick for about every 100 kB, a random sample (.NET 10), and a
//! sample by type. The report uses the best one in the trace, as the rate on the timeline does; adding several would
//! count allocations more than once.

mod findings;
#[cfg(test)]
mod reference_tests;
mod report;
mod sums;
#[cfg(test)]
mod tests;

use super::recorded_topics::{Role, Trace};
use super::shared::call_site::Site;
use super::shared::report::Report;
use super::shared::type_names::TypeNames;
use super::{Analysis, Facts, Known, Needs, Scope};
use crate::analysis::intervals::interval_set::Texts;
use crate::analysis::measures::{Collector, comparable_name};
use crate::analysis::names::items::{item, most_frequent};
use crate::analysis::timeline::allocation_rate::{allocation_event_source, allocation_event_sources, bytes_for};
use crate::clr::KnownEvent;
use crate::clr::known::payload::{AllocationKind, AllocationSampled, AllocationTick, SampledObjectAllocation};
use crate::clr::names::readable_type;
use crate::model::{AllocatedType, EventChunk, EventType, Store};
use protocol::base::hash::FastMap;
use protocol::base::ids::EventId;
use protocol::compare::Subject;
use protocol::filter::word;
use protocol::names::FoundName;
use protocol::topics::finding::Finding;
use protocol::topics::topic::Topic;
use std::borrow::Cow;

/// Type name in events of NativeAOT that don't have one.
const NO_NAME: &str = "NULL";
/// Bit in `Row::type_at` of an allocation whose type is only known by its ID.
const BY_NUMBER: u32 = 1 << 31;
/// Maximum number of rows reserved up front. A list that grows by doubling needs three times the memory while it does.
const MAX_ROWS_AT_ONCE: u64 = 1 << 20;

/// The allocations of a trace.
#[derive(Debug, Default)]
pub struct AllocationFacts {
    pointer_size: u8,
    /// The event type that the report uses.
    counted: Option<KnownEvent>,
    /// True if the events' values were noted when the file was opened, so that no payload is read.
    is_noted: bool,
    /// True if other events have to name the types.
    needs_names: bool,
    rows: Vec<Row>,
    /// Type names from events.
    names: Texts,
    /// Positions in `names` by type ID.
    by_id: FastMap<u64, u32>,
    /// Types whose events have only an ID.
    types: TypeNames,
    /// Number and bytes of the events of each type that reports allocations, in the order of
    /// [`allocation_event_sources`].
    sources: [(u64, f64); 3],
}

/// An event of the type that the report uses.
#[derive(Clone, Copy, Debug)]
struct Row {
    event: EventId,
    type_at: u32,
    /// Resolved in `finish`, once all events are read.
    site: Site,
    /// Heap: 0 small, 1 large, 2 pinned, 3 unknown.
    kind: u8,
    /// Number of objects that the event represents, if recorded.
    objects: u32,
    /// Bytes recorded by the event.
    recorded: u64,
}

/// Values of an allocation event that the report needs.
struct EventValues<'p> {
    kind: Option<AllocationKind>,
    type_id: u64,
    name: Cow<'p, str>,
    objects: u32,
    bytes: u64,
}

fn is_no_name(name: &str) -> bool {
    matches!(name, "" | NO_NAME)
}

impl AllocationFacts {
    /// Returns the noted values of the event of this type with its payload at `payload_offset`.
    fn noted(store: &Store, known: KnownEvent, payload_offset: u64) -> Option<EventValues<'_>> {
        let (bytes, position) = store.allocation_amounts.get(payload_offset)?;
        let AllocatedType { heap, type_id, name } = store.allocation_amounts.types.get(position)?;
        let objects = u32::from(known == KnownEvent::AllocationSampled);
        Some(EventValues { kind: *heap, type_id: *type_id, name: Cow::Borrowed(name), objects, bytes })
    }

    fn values(&self, known: KnownEvent, payload: &[u8]) -> Option<EventValues<'static>> {
        let size = self.pointer_size;
        match known {
            KnownEvent::GcAllocationTick => AllocationTick::read(payload, size).map(|tick| EventValues {
                kind: tick.kind,
                type_id: tick.type_id,
                name: Cow::Owned(tick.type_name.to_string()),
                objects: 0,
                bytes: tick.amount,
            }),
            KnownEvent::AllocationSampled => AllocationSampled::read(payload, size).map(|sampled| EventValues {
                kind: sampled.kind,
                type_id: sampled.type_id,
                name: Cow::Owned(sampled.type_name.to_string()),
                objects: 1,
                bytes: sampled.object_size,
            }),
            _ => SampledObjectAllocation::read(payload, size).map(|sampled| EventValues {
                kind: None,
                type_id: sampled.type_id,
                name: Cow::Borrowed(""),
                objects: sampled.objects,
                bytes: sampled.bytes,
            }),
        }
    }

    /// Returns the position of the allocated type: by name, else by ID with [`BY_NUMBER`] set.
    fn type_of(&mut self, values: &EventValues<'_>) -> u32 {
        if let Some(&known) = self.by_id.get(&values.type_id).filter(|_| values.type_id != 0) {
            return known;
        }
        let at = match is_no_name(&values.name) && values.type_id != 0 {
            true => self.types.position(values.type_id) | BY_NUMBER,
            false => self.names.position(&super::shared::type_names::cut(&values.name)),
        };
        self.by_id.insert(values.type_id, at);
        at
    }

    /// Returns the runtime's name of a type.
    fn name(&self, type_at: u32) -> String {
        match type_at & BY_NUMBER {
            0 => self.names.get(type_at).to_owned(),
            _ => self.types.name(type_at & !BY_NUMBER),
        }
    }

    /// Returns the filter condition for events of a type; empty if they don't record its name.
    fn type_condition(&self, type_at: u32) -> String {
        let name = self.name(type_at);
        match type_at & BY_NUMBER {
            0 if !name.is_empty() => format!("payload.TypeName={}", word(&name)),
            _ => String::new(),
        }
    }

    /// Returns the number of bytes that an event represents.
    fn bytes_of(&self, row: &Row) -> f64 {
        self.counted.map_or(0.0, |known| bytes_for(known, row.recorded))
    }
}

impl Analysis for AllocationFacts {
    const HAS_FINDINGS: bool = true;
    const NEEDS: Needs = Needs { requests: true, ..Needs::NONE };

    fn new(store: &Store) -> Self {
        let counted = allocation_event_source(store).map(|(known, _)| known);
        let counts = counted.into_iter().flat_map(|known| store.types.of_known(known)).map(|one| one.count);
        let expected = counts.sum::<u64>().min(MAX_ROWS_AT_ONCE).min(store.events.len() as u64);
        let noted = &store.allocation_amounts;
        let is_noted = noted.are_complete() && noted.types.are_complete();
        Self {
            pointer_size: store.header.pointer_size,
            counted,
            is_noted,
            needs_names: !is_noted || noted.types.iter().any(|one| is_no_name(&one.name)),
            rows: Vec::with_capacity(expected as usize),
            ..Self::default()
        }
    }

    fn role(event_type: &EventType, trace: &Trace) -> Option<Role> {
        use KnownEvent as E;
        match event_type.known {
            known if Some(known) == trace.allocations => Some(Role::Counted),
            E::GcAllocationTick | E::AllocationSampled | E::SampledObjectAllocation => Some(Role::Related),
            _ => None,
        }
    }
}

impl Facts for AllocationFacts {
    fn wants(&self, event_type: &EventType) -> bool {
        event_type.known.is_allocation() || (self.needs_names && event_type.known == KnownEvent::BulkType)
    }

    fn wants_payload(&self, event_type: &EventType) -> bool {
        !self.is_noted || !event_type.known.is_allocation()
    }

    fn read(&mut self, store: &Store, chunk: &EventChunk, row: usize, payload: &[u8]) {
        let Some(known) = store.types.get(chunk.event_type(row)).map(|one| one.known) else { return };
        if known == KnownEvent::BulkType {
            self.types.read(payload);
            return;
        }
        let values = match self.is_noted {
            true => Self::noted(store, known, chunk.payload_offset(row)),
            false => self.values(known, payload),
        };
        let Some(values) = values else { return };
        if let Some(at) = allocation_event_sources().position(|(source, _)| source == known) {
            let source = &mut self.sources[at];
            *source = (source.0 + 1, source.1 + bytes_for(known, values.bytes));
        }
        if Some(known) != self.counted {
            return;
        }
        let kind = match values.kind {
            Some(AllocationKind::Small) => 0,
            Some(AllocationKind::Large) => 1,
            Some(AllocationKind::Pinned) => 2,
            None => 3,
        };
        let type_at = self.type_of(&values);
        let (event, objects, recorded) = (chunk.event_id(row), values.objects, values.bytes);
        self.rows.push(Row { event, type_at, site: Site::default(), kind, objects, recorded });
    }

    fn finish(&mut self, known: &Known<'_>) {
        let mut sites = known.sites();
        for row in &mut self.rows {
            row.site = sites.of_event(row.event);
        }
    }

    fn report(&self, known: &Known<'_>, scope: &Scope<'_>) -> Report {
        report::report(self, known, scope)
    }

    fn findings(&self, known: &Known<'_>, scope: &Scope<'_>) -> Vec<Finding> {
        findings::findings(self, known, scope)
    }

    fn items(&self) -> Vec<FoundName> {
        let of_type = |(type_at, count): (u32, u64)| {
            let condition = self.type_condition(type_at);
            let name = self.name(type_at);
            (!condition.is_empty()).then(|| item(Topic::Allocations, name, (count, "allocation event"), condition))
        };
        most_frequent(self.rows.iter().map(|row| row.type_at)).into_iter().filter_map(of_type).collect()
    }

    /// Adds allocated bytes, in total, by type and by method.
    fn measures(&self, known: &Known<'_>, scope: &Scope<'_>, into: &mut Collector) {
        let Some(event) = self.counted else { return };
        let (store, site_names) = (known.store, known.site_names());
        let (mut types, mut sites) = (FastMap::default(), FastMap::default());
        into.record(Subject::Allocated);
        for row in self.rows.iter().filter(|row| scope.has(row.event)) {
            let time = store.clock.nanos(store.events.row(row.event).ticks).0;
            let bytes = bytes_for(event, row.recorded);
            into.add(Subject::Allocated, "", time, bytes);
            let name = types.entry(row.type_at).or_insert_with(|| readable_type(self.names.get(row.type_at)));
            into.add(Subject::AllocatedType, name, time, bytes);
            if let Some(site) = row.site.known() {
                let name = sites.entry(site).or_insert_with(|| comparable_name(&site_names.short(site)));
                into.add(Subject::AllocationSite, name, time, bytes);
            }
        }
    }

    fn bytes(&self) -> usize {
        self.rows.capacity() * size_of::<Row>()
            + self.names.bytes()
            + self.types.bytes()
            + self.by_id.len() * size_of::<(u64, u32)>()
    }
}
