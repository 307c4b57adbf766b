//! Event types: metadata records of the file, with totals over their events.

use super::fits::SchemaFit;
use crate::clr::manifest::lookup;
use crate::clr::{KnownEvent, Provider};
use crate::model::columns::narrow::IdSet;
use crate::model::rows::Rows;
use nettrace::{Field, MetadataRecord};
use protocol::base::ids::TypeId;
use protocol::named;

/// Provider of the measurements of `System.Diagnostics.Metrics`.
pub const METRICS: &str = "System.Diagnostics.Metrics";

named! {
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
    pub enum SchemaSource {
        /// No schema. The payload is shown as bytes, or is empty.
        #[default]
        None: "none";
        File: "the file";
        /// The built-in manifest. Files don't contain schemas of the runtime's own events.
        Manifest: "the built-in manifest";
    }
    /// Returns the display name.
    fn words;
}

/// Layout of a payload.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Schema {
    /// Fields, in order.
    pub fields: Vec<Field>,
    pub source: SchemaSource,
}

/// Sampled state of a thread.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SampleState {
    /// In managed code.
    Managed,
    /// In native code, waiting, or paused by the GC.
    External,
    /// Unknown to the sampler, or an unknown payload value.
    Error,
}

impl SampleState {
    /// All states, in the order of the variants of a sample type.
    pub const ALL: [Self; 3] = [Self::Managed, Self::External, Self::Error];
}

/// Event type: a metadata record. The record of thread samples becomes one type per [`SampleState`], so that the column
/// of types alone distinguishes the states; lists merge types of the same `base`.
#[derive(Clone, Debug)]
pub struct EventType {
    pub id: TypeId,
    /// First type from the same record; usually `id` itself.
    pub base: TypeId,
    /// Type of the same record before labels changed it (version 6).
    pub relabels: Option<TypeId>,
    /// Record in the file. Event ID and version of a runtime event are the runtime's.
    pub record: MetadataRecord,
    /// Provider name: from the file, or known by its GUID (netperf 1 contains only GUIDs).
    pub provider: String,
    /// Display name: for runtime events the manifest's, then the file's, then the manifest's, then "Event" and its ID.
    pub display_name: String,
    /// Layout of the payloads.
    pub schema: Schema,
    /// Comparison of the payloads with the schema.
    pub fit: SchemaFit,
    /// Meaning of the event, for those that analyses use.
    pub known: KnownEvent,
    /// Sampled thread state, for thread samples.
    pub sample_state: Option<SampleState>,
    /// True if it is a rundown event.
    pub is_rundown: bool,
    /// Number of events.
    pub count: u64,
    pub payload_bytes: u64,
    /// Number of events with a stack.
    pub with_stack: u64,
    pub threads: IdSet,
    /// Ticks of the first event; 0 if there is none.
    pub first_ticks: i64,
    /// Ticks of the last event; 0 if there is none.
    pub last_ticks: i64,
}

/// Role of an event for an interval.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edge {
    Start,
    Stop,
}

impl EventType {
    pub fn is_of(&self, provider: Provider) -> bool {
        Provider::from_name(&self.provider) == Some(provider)
    }

    /// Returns the ID of a runtime event; 0 for other events.
    pub fn runtime_id(&self) -> u32 {
        if self.is_of(Provider::Runtime) { self.record.event_id } else { 0 }
    }

    /// Returns the opcode: the file's, the manifest's, or 0. For runtime events, the manifest has precedence.
    pub fn opcode(&self) -> u8 {
        let MetadataRecord { event_id, name, version, .. } = &self.record;
        let known = || lookup(&self.provider, *event_id, name, *version).map(|event| event.opcode);
        let is_fixed = Provider::from_name(&self.provider).is_some_and(Provider::has_fixed_layouts);
        let fixed = if is_fixed { known() } else { None };
        fixed.or(self.record.opcode).or_else(known).unwrap_or(0)
    }

    /// Returns whether the display name or the name in the file satisfies a predicate.
    pub fn has_name(&self, is_wanted: impl Fn(&str) -> bool) -> bool {
        is_wanted(&self.display_name) || self.record.name != self.display_name && is_wanted(&self.record.name)
    }

    /// Returns whether the event starts or stops an interval, by opcode (`EventOpcode` 1 and 2) or name.
    pub fn edge(&self) -> Option<Edge> {
        match self.opcode() {
            1 => Some(Edge::Start),
            2 => Some(Edge::Stop),
            _ if self.display_name.ends_with("Start") => Some(Edge::Start),
            _ if self.display_name.ends_with("Stop") => Some(Edge::Stop),
            _ => None,
        }
    }

    /// Returns whether the payloads contain values of `EventCounters` or `System.Diagnostics.Metrics`
    /// (docs/format/runtime-events.md#counters-and-meters).
    pub fn is_counter(&self) -> bool {
        let is_meter = self.provider == METRICS && self.display_name.ends_with("ValuePublished");
        is_meter || self.display_name == "EventCounters"
    }
}

/// All event types, by [`TypeId`].
pub type Types = Rows<TypeId, EventType>;

impl Types {
    /// Returns the types of an event that analyses know.
    pub fn of_known(&self, known: KnownEvent) -> impl Iterator<Item = &EventType> {
        self.iter().filter(move |event_type| event_type.known == known)
    }

    /// Returns the heap use, with texts and fields.
    pub fn deep_bytes(&self) -> u64 {
        let of = |event_type: &EventType| {
            let fields = event_type.record.fields.len() + event_type.schema.fields.len();
            let text = event_type.record.provider.len() + event_type.record.name.len() + event_type.display_name.len();
            size_of::<EventType>() + fields * 64 + text
        };
        self.iter().map(of).sum::<usize>() as u64
    }
}
