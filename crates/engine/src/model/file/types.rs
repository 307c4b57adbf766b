//! Event types: what the metadata records of the file describe, with totals over their events.

use super::fits::SchemaFit;
use crate::clr::manifest::lookup;
use crate::clr::{KnownEvent, Provider};
use crate::model::columns::narrow::IdSet;
use nettrace::{Field, MetadataRecord};
use protocol::base::ids::TypeId;

/// The provider that reports what meters of `System.Diagnostics.Metrics` measured.
pub const METRICS: &str = "System.Diagnostics.Metrics";

/// Where the layout of a payload comes from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum SchemaSource {
    /// Nowhere: the payload can only be shown as bytes, or there is none.
    #[default]
    None,
    /// The file describes it.
    File,
    /// The built-in manifest: the runtime's own events have no description in any file.
    Manifest,
}

/// The layout of a payload.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Schema {
    /// The fields in order.
    pub fields: Vec<Field>,
    /// Who says so.
    pub source: SchemaSource,
}

/// What the sampler found a thread doing.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SampleState {
    /// In managed code.
    Managed,
    /// Outside: native code, waiting, or stopped by the garbage collector.
    External,
    /// Unknown to the sampler, or a payload that is none of the known ones.
    Error,
}

impl SampleState {
    /// All states, in the order of the variants of a type of samples.
    pub const ALL: [Self; 3] = [Self::Managed, Self::External, Self::Error];
}

/// One kind of event: a metadata record. The record of thread samples makes one type a [`SampleState`], so that the
/// column of types alone distinguishes the states; listings merge types of the same `base`.
#[derive(Clone, Debug)]
pub struct EventType {
    /// Its identity.
    pub id: TypeId,
    /// The first of the types that come from the same record; most often `id` itself.
    pub base: TypeId,
    /// The type of the same record without the labels that made this one of it (version 6).
    pub relabels: Option<TypeId>,
    /// The record as the file has it; event ID and version of a runtime event are the runtime's.
    pub record: MetadataRecord,
    /// The provider's name: the file's, else (netperf 1 has GUIDs only) the one known for its GUID.
    pub provider: String,
    /// What to call it: the manifest's name for events of the runtime, else the file's, else the manifest's, else "Event"
    /// and its number.
    pub display_name: String,
    /// The layout of its payloads.
    pub schema: Schema,
    /// How its payloads compare with that.
    pub fit: SchemaFit,
    /// What it means, if it is one of the events that analyses know.
    pub known: KnownEvent,
    /// The state that this type of thread samples stands for.
    pub sample_state: Option<SampleState>,
    /// Whether its provider reports what existed before or after instead of what happens.
    pub is_rundown: bool,
    /// Events.
    pub count: u64,
    /// Bytes of their payloads.
    pub payload_bytes: u64,
    /// Events with a stack.
    pub with_stack: u64,
    /// Threads with at least one event.
    pub threads: IdSet,
    /// Ticks of its first event; 0 if it has none.
    pub first_ticks: i64,
    /// Ticks of its last event; 0 if it has none.
    pub last_ticks: i64,
}

/// What an event is for something that takes time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edge {
    /// It begins.
    Start,
    /// It is over.
    Stop,
}

impl EventType {
    /// The opcode that the file says, else the manifest's, else 0. The manifest comes first for events of the runtime.
    pub fn opcode(&self) -> u8 {
        let MetadataRecord { event_id, name, version, .. } = &self.record;
        let known = || lookup(&self.provider, *event_id, name, *version).map(|event| event.opcode);
        let is_fixed = Provider::from_name(&self.provider).is_some_and(Provider::has_fixed_layouts);
        let fixed = if is_fixed { known() } else { None };
        fixed.or(self.record.opcode).or_else(known).unwrap_or(0)
    }

    /// Whether one of its names is wanted: the one shown, or the one in the file.
    pub fn has_name(&self, is_wanted: impl Fn(&str) -> bool) -> bool {
        is_wanted(&self.display_name) || self.record.name != self.display_name && is_wanted(&self.record.name)
    }

    /// Whether it begins or ends something: as its opcode says (`EventOpcode` 1 and 2), else its name.
    pub fn edge(&self) -> Option<Edge> {
        match self.opcode() {
            1 => Some(Edge::Start),
            2 => Some(Edge::Stop),
            _ if self.display_name.ends_with("Start") => Some(Edge::Start),
            _ if self.display_name.ends_with("Stop") => Some(Edge::Stop),
            _ => None,
        }
    }

    /// Whether its payloads are values of `EventCounters` or of `System.Diagnostics.Metrics` (docs/format/runtime-events.md#counters-and-meters).
    pub fn is_counter(&self) -> bool {
        let is_meter = self.provider == METRICS && self.display_name.ends_with("ValuePublished");
        is_meter || self.display_name == "EventCounters"
    }
}

/// All event types, by [`TypeId`].
#[derive(Clone, Debug, Default)]
pub struct Types {
    types: Vec<EventType>,
}

impl Types {
    /// Number of types.
    pub fn len(&self) -> usize {
        self.types.len()
    }

    /// Whether the trace describes no events.
    pub fn is_empty(&self) -> bool {
        self.types.is_empty()
    }

    /// One type.
    pub fn get(&self, id: TypeId) -> Option<&EventType> {
        self.types.get(id.index())
    }

    /// All types in order of their ids.
    pub fn iter(&self) -> std::slice::Iter<'_, EventType> {
        self.types.iter()
    }

    /// The types of an event that analyses know.
    pub fn of_known(&self, known: KnownEvent) -> impl Iterator<Item = &EventType> {
        self.types.iter().filter(move |event_type| event_type.known == known)
    }

    /// Bytes held, about.
    pub fn heap_bytes(&self) -> u64 {
        let of = |event_type: &EventType| {
            let fields = event_type.record.fields.len() + event_type.schema.fields.len();
            let text = event_type.record.provider.len() + event_type.record.name.len() + event_type.display_name.len();
            size_of::<EventType>() + fields * 64 + text
        };
        self.types.iter().map(of).sum::<usize>() as u64
    }

    pub(crate) fn push(&mut self, event_type: EventType) {
        self.types.push(event_type);
    }

    pub(crate) fn get_mut(&mut self, id: TypeId) -> Option<&mut EventType> {
        self.types.get_mut(id.index())
    }
}

impl<'t> IntoIterator for &'t Types {
    type Item = &'t EventType;
    type IntoIter = std::slice::Iter<'t, EventType>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
