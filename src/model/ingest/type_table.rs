//! From metadata ids to event types.

use crate::clr::{self, KnownEvent};
use crate::model::ids::TypeId;
use crate::model::types::{EventType, SampleState, Schema, SchemaSource, Types};
use crate::nettrace::MetadataRecord;
use rustc_hash::FxHashMap;

/// Metadata ids below this are looked up in a table; runtimes count from 1. Netperf 1 and 2 use file positions.
const DENSE_IDS: usize = 1 << 16;

/// What has to be done with the events of a metadata id.
#[derive(Clone, Copy, Debug)]
pub(super) struct TypeSlot {
    /// The type; of thread samples the first variant.
    pub event_type: u32,
    /// What the event means.
    pub known: KnownEvent,
    /// Whether the payload decides about the variant of the type.
    pub is_sample: bool,
    /// Whether the payload is kept for analyses.
    pub keeps_payload: bool,
    /// Whether the store itself learns from the payload.
    pub is_observed: bool,
}

impl TypeSlot {
    /// Whether a row of this type is complete without a look at the payload.
    #[inline]
    pub fn is_plain(&self) -> bool {
        !(self.is_sample | self.keeps_payload | self.is_observed)
    }
}

/// The types so far, and the metadata ids that are valid now.
#[derive(Clone, Debug, Default)]
pub(super) struct TypeTable {
    types: Types,
    dense: Vec<Option<TypeSlot>>,
    sparse: FxHashMap<u32, TypeSlot>,
    by_metadata_id: FxHashMap<u32, Vec<TypeId>>,
}

impl TypeTable {
    /// What is known about the events of a metadata id.
    #[inline]
    pub fn slot(&self, metadata_id: u32) -> Option<TypeSlot> {
        match self.dense.get(metadata_id as usize) {
            Some(slot) => *slot,
            None => self.sparse.get(&metadata_id).copied(),
        }
    }

    /// Takes a record: events of its id are of this type from now on.
    pub fn define(&mut self, record: MetadataRecord) {
        let metadata_id = record.metadata_id;
        let known_before = self.by_metadata_id.get(&metadata_id).and_then(|ids| {
            let same = |id: &&TypeId| self.types.get(**id).is_some_and(|known| is_same(&known.record, &record));
            ids.iter().find(same).copied()
        });
        let id = known_before.unwrap_or_else(|| self.add(record));
        self.set(metadata_id, id);
    }

    /// A type for events whose metadata id the file does not describe.
    #[cold]
    pub fn define_unknown(&mut self, metadata_id: u32) -> TypeSlot {
        self.define(MetadataRecord {
            metadata_id,
            name: format!("Undescribed event {metadata_id}"),
            ..Default::default()
        });
        self.slot(metadata_id).unwrap_or(TypeSlot {
            event_type: 0,
            known: KnownEvent::Other,
            is_sample: false,
            keeps_payload: false,
            is_observed: false,
        })
    }

    /// Makes all metadata ids invalid (sequence points of version 6 can say so).
    pub fn forget_ids(&mut self) {
        self.dense.clear();
        self.sparse.clear();
    }

    pub fn finish(self) -> Types {
        self.types
    }

    fn set(&mut self, metadata_id: u32, id: TypeId) {
        let Some(event_type) = self.types.get(id) else { return };
        let known = event_type.known;
        let slot = TypeSlot {
            event_type: id.0,
            known,
            is_sample: known == KnownEvent::ThreadSample,
            keeps_payload: known.keep_payload(),
            is_observed: is_observed(known),
        };
        let at = metadata_id as usize;
        if at < DENSE_IDS {
            if self.dense.len() <= at {
                self.dense.resize(at + 1, None);
            }
            if let Some(place) = self.dense.get_mut(at) {
                *place = Some(slot);
            }
        } else {
            self.sparse.insert(metadata_id, slot);
        }
    }

    fn add(&mut self, record: MetadataRecord) -> TypeId {
        let provider = provider_name(&record);
        let known = KnownEvent::identify(&provider, record.event_id, &record.name);
        let states = if known == KnownEvent::ThreadSample { SampleState::ALL.map(Some).to_vec() } else { vec![None] };
        let base = TypeId(self.types.len() as u32);
        self.by_metadata_id.entry(record.metadata_id).or_default().push(base);
        let (schema, display_name) = describe(&provider, &record);
        for sample_state in states {
            self.types.push(EventType {
                id: TypeId(self.types.len() as u32),
                base,
                record: record.clone(),
                provider: provider.clone(),
                display_name: display_name.clone(),
                schema: schema.clone(),
                known,
                sample_state,
                is_rundown: clr::known::is_rundown(&provider),
                count: 0,
                payload_bytes: 0,
                with_stack: 0,
                threads: 0,
                first_ticks: 0,
                last_ticks: 0,
            });
        }
        base
    }
}

/// The position of a state among the variants of a type of samples.
pub(super) fn variant_of(state: SampleState) -> u32 {
    match state {
        SampleState::Managed => 0,
        SampleState::External => 1,
        SampleState::Error => 2,
    }
}

/// Whether a record says the same as one before, wherever it stands.
fn is_same(a: &MetadataRecord, b: &MetadataRecord) -> bool {
    let without_place = |record: &MetadataRecord| MetadataRecord { offset: 0, ..record.clone() };
    a.event_id == b.event_id && a.name == b.name && without_place(a) == without_place(b)
}

fn is_observed(known: KnownEvent) -> bool {
    use KnownEvent::*;
    known.is_verbose_method()
        || known.is_module()
        || matches!(
            known,
            ThreadCreated | ThreadDc | ProcessInfo | RuntimeInformation | ThreadPoolWorkerStart | ThreadPoolWorkerWait
        )
        || matches!(known, GcFinalizersBegin | BackgroundJitStart | GcMarkWithType | RundownBegin | RundownComplete)
        || matches!(known, MachineProcess | MachineMapping | MachineSymbol)
}

/// The provider's name; netperf 1 has GUIDs only.
fn provider_name(record: &MetadataRecord) -> String {
    match (record.provider.as_str(), record.provider_guid) {
        ("", Some(guid)) => clr::Provider::from_guid(guid).map_or(guid.to_string(), |known| known.name().to_owned()),
        (name, _) => name.to_owned(),
    }
}

fn describe(provider: &str, record: &MetadataRecord) -> (Schema, String) {
    let manifest = clr::manifest::lookup(provider, record.event_id, record.version);
    let name = match &manifest {
        _ if !record.name.is_empty() => record.name.clone(),
        Some(event) => event.name.to_owned(),
        None => format!("Event {}", record.event_id),
    };
    let schema = match manifest {
        Some(event) if event.overrides_file || record.fields.is_empty() && !event.fields.is_empty() => {
            Schema { fields: event.fields, source: SchemaSource::Manifest }
        }
        _ if record.fields.is_empty() => Schema::default(),
        _ => Schema { fields: record.fields.clone(), source: SchemaSource::File },
    };
    (schema, name)
}
