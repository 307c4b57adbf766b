//! Maps metadata IDs to event types.

use crate::clr::manifest::newest_version;
use crate::clr::provider::Provider;
use crate::clr::{self, KnownEvent};
use crate::model::columns::copied_payloads::Keep;
use crate::model::columns::narrow::IdSet;
use crate::model::file::fits::{Decoded, PayloadSize, SchemaFit};
use crate::model::file::types::{EventType, SampleState, Schema, SchemaSource, Types};
use nettrace::{FieldType, Fit, LabelList, LabelValue, MetadataRecord, Unrecorded};
use protocol::base::hash::FastMap;
use protocol::base::ids::TypeId;
use serde::{Deserialize, Serialize};

/// Metadata IDs below this limit are looked up in a table. Runtimes count from 1; netperf 1 and 2 use file offsets.
const DENSE_IDS: usize = 1 << 16;

/// How events with a metadata ID are processed.
#[derive(Clone, Copy, Debug)]
pub(super) struct TypeSlot {
    /// Type; for thread samples, the first variant.
    pub event_type: u32,
    /// Meaning of the event.
    pub known: KnownEvent,
    /// True if the payload determines the variant of the type.
    pub is_sample: bool,
    /// The payloads to copy for analyses, if any.
    pub keeps_payload: Option<Keep>,
    /// True if analyses need only the allocated amount in the payload.
    pub is_allocation: bool,
    /// True if the store collects facts from the payload.
    pub is_observed: bool,
    /// True if events become rows.
    pub is_indexed: bool,
    pub size: PayloadSize,
    /// Maximum payload size of the declared version. Longer payloads have a newer version.
    pub longest: u32,
}

impl TypeSlot {
    /// Returns whether a row of this type doesn't depend on the payload.
    #[inline]
    pub fn is_plain(&self) -> bool {
        !(self.is_sample | self.keeps_payload.is_some() | self.is_allocation | self.is_observed)
    }
}

/// Returns which payloads to copy. Analyses read those of intervals, to name and pair them, and those of counters.
fn keeps_payload(event_type: &EventType) -> Option<Keep> {
    if event_type.known.keep_payload() {
        return Some(Keep::Always);
    }
    let may_be_work = match Provider::from_name(&event_type.provider) {
        None | Some(Provider::DiagnosticSource | Provider::Loggers) => event_type.edge().is_some(),
        Some(_) => event_type.known.is_task_lifecycle(),
    };
    (may_be_work || event_type.is_counter()).then_some(Keep::IfSmall)
}

/// Overrides of an event type by an event's labels (NetTraceFormat, label kinds 7 to 10).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub(super) struct Overrides {
    opcode: Option<u8>,
    keywords: Option<u64>,
    level: Option<u8>,
    version: Option<u8>,
}

impl Overrides {
    /// Returns the overrides of a label list; `None` if there are none. Early versions of record-trace wrote the
    /// version and the opcode of the runtime's events as named numbers
    /// (docs/format/wire-format.md#version-6-as-written-by-record-trace).
    pub fn of(labels: &LabelList) -> Option<Self> {
        let named = |name: &str| {
            labels.pairs.iter().find_map(|(key, value)| match value {
                LabelValue::Number { plain, .. } if key == name => u8::try_from(*plain).ok(),
                _ => None,
            })
        };
        let found = Self {
            opcode: labels.opcode.or_else(|| named("OpCode")),
            keywords: labels.keywords,
            level: labels.level,
            version: labels.version.or_else(|| named("Version")),
        };
        let nothing = Self { opcode: None, keywords: None, level: None, version: None };
        (found != nothing).then_some(found)
    }

    fn apply(&self, record: &MetadataRecord) -> MetadataRecord {
        let mut overridden = record.clone();
        overridden.opcode = self.opcode.or(record.opcode);
        overridden.keywords = self.keywords.unwrap_or(record.keywords);
        overridden.level = self.level.unwrap_or(record.level);
        overridden.version = self.version.map_or(record.version, u32::from);
        overridden.unrecorded = Unrecorded {
            level: record.unrecorded.level && self.level.is_none(),
            keywords: record.unrecorded.keywords && self.keywords.is_none(),
            version: record.unrecorded.version && self.version.is_none(),
        };
        overridden
    }
}

/// Maximum number of types that result from labels, to limit crafted files. Apps have far fewer.
const MAX_OVERRIDDEN: usize = 4096;

/// How events are processed, by metadata ID.
#[derive(Clone, Debug)]
pub(super) struct Slots<S> {
    dense: Vec<Option<S>>,
    sparse: FastMap<u32, S>,
}

impl<S> Default for Slots<S> {
    fn default() -> Self {
        Self { dense: Vec::new(), sparse: FastMap::default() }
    }
}

impl<S: Copy> FromIterator<(u32, S)> for Slots<S> {
    fn from_iter<I: IntoIterator<Item = (u32, S)>>(all: I) -> Self {
        let mut slots = Self::default();
        all.into_iter().for_each(|(metadata_id, slot)| slots.set(metadata_id, slot));
        slots
    }
}

impl<S: Copy> Slots<S> {
    /// Returns all metadata IDs with how their events are processed.
    pub fn iter(&self) -> impl Iterator<Item = (u32, S)> + '_ {
        let dense = (0..).zip(&self.dense).filter_map(|(metadata_id, slot)| Some((metadata_id, (*slot)?)));
        dense.chain(self.sparse.iter().map(|(metadata_id, slot)| (*metadata_id, *slot)))
    }

    /// Returns how events with a metadata ID are processed.
    #[inline]
    pub fn get(&self, metadata_id: u32) -> Option<S> {
        match self.dense.get(metadata_id as usize) {
            Some(slot) => *slot,
            None => self.sparse.get(&metadata_id).copied(),
        }
    }

    /// Sets how later events with a metadata ID are processed.
    pub fn set(&mut self, metadata_id: u32, slot: S) {
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
}

/// Types so far, and the currently valid metadata IDs.
#[derive(Clone, Debug, Default)]
pub(super) struct TypeTable {
    types: Types,
    overridden: FastMap<(u32, Overrides), TypeSlot>,
    /// By type and payload length: type of the version with this length.
    of_length: FastMap<(u32, u32), TypeSlot>,
    slots: Slots<TypeSlot>,
    by_metadata_id: FastMap<u32, Vec<TypeId>>,
    /// Providers whose events become rows; all if empty.
    indexed_providers: Vec<String>,
    /// Size of an address in bytes.
    pointer_size: u8,
}

impl TypeTable {
    /// Creates an empty table. Events of these providers become rows; those of all if empty.
    pub fn of(indexed_providers: Vec<String>, pointer_size: u8) -> Self {
        Self { indexed_providers, pointer_size, ..Self::default() }
    }

    fn indexes(&self, provider: &str) -> bool {
        self.indexed_providers.is_empty() || self.indexed_providers.iter().any(|name| name == provider)
    }

    /// Returns how events with a metadata ID are processed.
    #[inline]
    pub fn slot(&self, metadata_id: u32) -> Option<TypeSlot> {
        self.slots.get(metadata_id)
    }

    /// Returns how events with all valid metadata IDs are processed.
    pub fn slots(&self) -> &Slots<TypeSlot> {
        &self.slots
    }

    /// Returns how events are processed whose labels override parts of a type, by this type.
    pub fn all_overridden(&self) -> impl Iterator<Item = ((u32, Overrides), TypeSlot)> + '_ {
        self.overridden.iter().map(|(of, slot)| (*of, *slot))
    }

    /// Returns how events are processed whose type depends on the payload length, by type and length.
    pub fn all_of_length(&self) -> impl Iterator<Item = ((u32, u32), TypeSlot)> + '_ {
        self.of_length.iter().map(|(of, slot)| (*of, *slot))
    }

    /// Adds a record, and returns the type of later events with its ID.
    pub fn define(&mut self, record: MetadataRecord) -> TypeId {
        let record = as_the_runtime_writes(record);
        let metadata_id = record.metadata_id;
        let known_before = self.by_metadata_id.get(&metadata_id).and_then(|ids| {
            let same = |id: &&TypeId| self.types.get(**id).is_some_and(|known| is_same(&known.record, &record));
            ids.iter().find(same).copied()
        });
        let id = known_before.unwrap_or_else(|| self.add(record, None));
        self.set(metadata_id, id);
        id
    }

    /// Returns a type for events whose metadata ID the file doesn't declare.
    #[cold]
    pub fn define_unknown(&mut self, metadata_id: u32) -> TypeSlot {
        let mut record = MetadataRecord::default();
        (record.metadata_id, record.name) = (metadata_id, format!("Undefined event {metadata_id}"));
        self.define(record);
        self.slot(metadata_id).unwrap_or(TypeSlot {
            event_type: 0,
            known: KnownEvent::Other,
            is_sample: false,
            keeps_payload: None,
            is_allocation: false,
            is_observed: false,
            is_indexed: self.indexes(""),
            size: PayloadSize::Undescribed,
            longest: u32::MAX,
        })
    }

    /// Returns the type of events whose labels override parts of its record. It is a separate type, so its version
    /// determines the layout of the payload.
    pub fn overridden(&mut self, slot: TypeSlot, overrides: &Overrides) -> TypeSlot {
        if let Some(&known) = self.overridden.get(&(slot.event_type, *overrides)) {
            return known;
        }
        let Some(base) = self.types.get(TypeId(slot.event_type)) else { return slot };
        let record = overrides.apply(&base.record);
        let another = if record == base.record || self.overridden.len() >= MAX_OVERRIDDEN {
            slot
        } else {
            let id = self.add(record, Some(TypeId(slot.event_type)));
            self.slot_of(id).unwrap_or(slot)
        };
        if self.overridden.len() < MAX_OVERRIDDEN {
            self.overridden.insert((slot.event_type, *overrides), another);
        }
        another
    }

    /// Compares a payload with the schema of its type.
    pub fn compare(&mut self, slot: TypeSlot, payload: &[u8]) {
        let pointer_size = self.pointer_size;
        if let Some(event_type) = self.types.get_mut(TypeId(slot.event_type)) {
            event_type.compare(slot.size, payload, pointer_size);
        }
    }

    /// Compares the sizes of payloads with the schema of their type. Calls `decode` with the position of each that must
    /// be decoded, and what to learn from its fit.
    pub fn compare_sizes(&mut self, slot: TypeSlot, lengths: &[u32], decode: impl FnMut(usize, Decoded)) {
        if let Some(event_type) = self.types.get_mut(TypeId(slot.event_type)) {
            event_type.compare_sizes(slot.size, lengths, decode);
        }
    }

    /// Returns how a payload fits the schema of its type.
    pub fn fit_of(&self, event_type: u32, payload: &[u8]) -> Fit {
        let event_type = self.types.get(TypeId(event_type));
        event_type.map_or_else(Fit::default, |event_type| event_type.fit_of(payload, self.pointer_size))
    }

    /// Adds the fit of a payload of a type.
    pub fn add_fit(&mut self, event_type: u32, decoded: Decoded, fit: &Fit) {
        if let Some(event_type) = self.types.get_mut(TypeId(event_type)) {
            event_type.add_fit(decoded, fit);
        }
    }

    /// Returns the type of runtime events whose payloads are longer than those of the declared version: some writers
    /// declare 0 for every version.
    #[cold]
    pub fn of_length(&mut self, slot: TypeSlot, bytes: u32) -> TypeSlot {
        if let Some(&known) = self.of_length.get(&(slot.event_type, bytes)) {
            return known;
        }
        if self.of_length.len() >= MAX_OVERRIDDEN {
            return slot;
        }
        let version = self.types.get(TypeId(slot.event_type)).and_then(|one| {
            clr::manifest::version_of_length(&one.provider, one.record.event_id, self.pointer_size, bytes as usize)
        });
        let version = version.and_then(|version| u8::try_from(version).ok());
        let overrides = Overrides { opcode: None, keywords: None, level: None, version };
        let another = if version.is_some() { self.overridden(slot, &overrides) } else { slot };
        self.of_length.insert((slot.event_type, bytes), another);
        another
    }

    /// Invalidates all metadata IDs, at a sequence point of version 6.
    pub fn forget_ids(&mut self) {
        self.slots = Slots::default();
    }

    /// Returns the types so far.
    pub fn types(&self) -> &Types {
        &self.types
    }

    pub fn finish(self) -> Types {
        self.types
    }

    /// Returns how events of a type are processed.
    pub fn slot_of(&self, id: TypeId) -> Option<TypeSlot> {
        let event_type = self.types.get(id)?;
        let known = event_type.known;
        Some(TypeSlot {
            event_type: id.0,
            known,
            is_sample: known == KnownEvent::ThreadSample,
            keeps_payload: keeps_payload(event_type),
            is_allocation: known.is_allocation(),
            is_observed: is_observed(known),
            is_indexed: self.indexes(&event_type.provider),
            size: PayloadSize::of(&event_type.schema.fields, self.pointer_size),
            longest: longest(event_type, self.pointer_size),
        })
    }

    fn set(&mut self, metadata_id: u32, id: TypeId) {
        if let Some(slot) = self.slot_of(id) {
            self.slots.set(metadata_id, slot);
        }
    }

    fn add(&mut self, record: MetadataRecord, relabels: Option<TypeId>) -> TypeId {
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
                relabels,
                record: record.clone(),
                provider: provider.clone(),
                display_name: display_name.clone(),
                schema: schema.clone(),
                fit: SchemaFit::default(),
                known,
                sample_state,
                is_rundown: clr::known::is_rundown(&provider),
                count: 0,
                payload_bytes: 0,
                with_stack: 0,
                threads: IdSet::default(),
                first_ticks: 0,
                last_ticks: 0,
            });
        }
        base
    }
}

/// Returns the index of a state among the variants of a sample type.
pub(super) fn variant_of(state: SampleState) -> u32 {
    match state {
        SampleState::Managed => 0,
        SampleState::External => 1,
        SampleState::Error => 2,
    }
}

/// Returns whether two records are equal apart from their offsets.
fn is_same(a: &MetadataRecord, b: &MetadataRecord) -> bool {
    let without_place = |record: &MetadataRecord| {
        let mut record = record.clone();
        record.offset = 0;
        record
    };
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
        || matches!(
            known,
            GcStart | GcEnd | GcFinalizersBegin | BackgroundJitStart | GcMarkWithType | RundownBegin | RundownComplete
        )
        || matches!(known, MethodIlToNativeMap | ReadyToRunEntryPoint | MachineProcess | MachineMapping | MachineSymbol)
        || known == AsyncEvents
}

/// Returns the provider's name; netperf 1 contains only GUIDs.
fn provider_name(record: &MetadataRecord) -> String {
    match (record.provider.as_str(), record.provider_guid) {
        ("", Some(guid)) => Provider::from_guid(guid).map_or(guid.to_string(), |known| known.name().to_owned()),
        (name, _) => name.to_owned(),
    }
}

/// Returns the payload length of an older version of a runtime event; no limit for other types.
fn longest(event_type: &EventType, pointer_size: u8) -> u32 {
    let MetadataRecord { event_id, version, .. } = event_type.record;
    if event_type.schema.source == SchemaSource::File || version >= newest_version(&event_type.provider, event_id) {
        return u32::MAX;
    }
    let bytes = FieldType::Object(event_type.schema.fields.clone()).fixed_bytes(pointer_size);
    bytes.and_then(|bytes| u32::try_from(bytes).ok()).unwrap_or(u32::MAX)
}

/// Returns the record with the runtime's ID and version, which machine-wide recorders (version 6) don't always write:
/// they name events themselves, and omit versions. The layout is then that of the newest version.
fn as_the_runtime_writes(mut record: MetadataRecord) -> MetadataRecord {
    let provider = provider_name(&record);
    if !Provider::from_name(&provider).is_some_and(Provider::has_fixed_layouts) {
        return record;
    }
    record.event_id = clr::manifest::event_id_of(&provider, &record.name).unwrap_or(record.event_id);
    if record.unrecorded.version {
        record.version = newest_version(&provider, record.event_id);
    }
    record
}

fn describe(provider: &str, record: &MetadataRecord) -> (Schema, String) {
    let manifest = clr::manifest::lookup(provider, record.event_id, &record.name, record.version);
    let is_fixed = Provider::from_name(provider).is_some_and(Provider::has_fixed_layouts);
    let name = match &manifest {
        Some(event) if is_fixed => event.name.to_owned(),
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
