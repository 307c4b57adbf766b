//! Prepares jobs that read one region each.

use super::super::State;
use super::super::type_table::{Overrides, Slots, TypeSlot, TypeTable};
use crate::clr::KnownEvent;
use crate::model::file::fits::PayloadSize;
use crate::model::threads::density::Frame;
use nettrace::{Container, Item, MetadataRecord, SequencePoint};
use protocol::base::hash::FastMap;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How a thread reads events of a type.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(in crate::model::ingest) struct Rule {
    /// Type; for thread samples, the first variant.
    pub event_type: u32,
    /// True if the payload determines the variant of the type.
    pub is_sample: bool,
    /// True if the owner of the store needs the payloads.
    pub is_noted: bool,
    /// For allocations, the position of the event in [`KnownEvent::ALLOCATIONS`].
    pub allocation: Option<u8>,
    /// True if only the owner of the store can read these events.
    pub is_left: bool,
    /// Payload size.
    pub size: PayloadSize,
    /// Maximum payload size of the declared version.
    pub longest: u32,
}

impl Rule {
    fn of(slot: TypeSlot) -> Self {
        let TypeSlot { event_type, known, is_sample, size, longest, .. } = slot;
        let is_noted = slot.keeps_payload.is_some() || slot.is_observed;
        let allocation = KnownEvent::ALLOCATIONS.iter().position(|&one| one == known).map(|at| at as u8);
        let is_left = !slot.is_indexed || known == KnownEvent::AsyncEvents;
        Self { event_type, is_sample, is_noted, allocation, is_left, size, longest }
    }
}

/// How a thread reads events whose labels or payload lengths determine their type, by the type that their metadata
/// declares.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(in crate::model::ingest) struct Derived {
    overridden: FastMap<(u32, Overrides), Rule>,
    of_length: FastMap<(u32, u32), Rule>,
}

impl Derived {
    fn of(types: &TypeTable) -> Self {
        Self {
            overridden: types.all_overridden().map(|(of, slot)| (of, Rule::of(slot))).collect(),
            of_length: types.all_of_length().map(|(of, slot)| (of, Rule::of(slot))).collect(),
        }
    }

    /// Returns how to read events whose labels override parts of their type; `None` if the trace had none so far.
    pub fn overridden(&self, rule: Rule, overrides: Overrides) -> Option<Rule> {
        self.overridden.get(&(rule.event_type, overrides)).copied()
    }

    /// Returns how to read events with longer payloads than those of the declared version; `None` if the trace had none
    /// so far.
    pub fn of_length(&self, rule: Rule, bytes: u32) -> Option<Rule> {
        self.of_length.get(&(rule.event_type, bytes)).copied()
    }
}

/// How to read a region.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::model::ingest) struct RegionJob {
    pub sync_ticks: i64,
    pub address_bytes: usize,
    /// True if the thread of an event determines the process of its stack (version 6).
    pub is_machine_wide: bool,
    /// Number of types at the start of the region.
    pub types: usize,
    pub frame: Frame,
    /// By metadata ID, at the start of the region.
    #[serde(skip)]
    pub rules: Arc<Slots<Rule>>,
    /// At the start of the region.
    #[serde(skip)]
    pub derived: Arc<Derived>,
    /// By block of metadata in the region: the rules that it changes.
    pub definitions: Vec<Vec<(u32, Rule)>>,
}

/// Prepares jobs for regions one after another, ahead of their metadata.
#[derive(Clone, Debug)]
pub(in crate::model::ingest) struct Ahead {
    types: TypeTable,
    /// How to read the next region, before its metadata.
    next: RegionJob,
}

impl State {
    /// Returns what prepares jobs from here; `None` if only the owner of the store can read what follows.
    pub(in crate::model::ingest) fn ahead(&self) -> Option<Ahead> {
        let is_readable = self.header.container == Container::Nettrace && self.gate.is_open();
        let frame = self.density.frame().filter(|_| is_readable)?;
        let types = self.types.clone();
        let next = RegionJob {
            sync_ticks: self.header.sync_ticks,
            address_bytes: self.header.pointer_size.into(),
            is_machine_wide: self.is_machine_wide,
            types: types.types().len(),
            frame,
            rules: Arc::new(types.slots().iter().map(|(id, slot)| (id, Rule::of(slot))).collect()),
            derived: Arc::new(Derived::of(&types)),
            definitions: Vec::new(),
        };
        Some(Ahead { types, next })
    }
}

impl Ahead {
    /// Returns a job for the next region, which ends with a sequence point; `None` if only the owner of the store can
    /// read it.
    pub fn job(&mut self, region: &[Item<'_>]) -> Option<RegionJob> {
        let (point, items) = region.split_last()?;
        let mut job = self.next.clone();
        for item in items {
            if let Item::Metadata(block) = item {
                let define = |record: MetadataRecord| {
                    let id = record.metadata_id;
                    self.types.define(record);
                    id
                };
                let ids: Vec<u32> = block.records().filter_map(Result::ok).map(define).collect();
                let rule = |id: u32| Some((id, Rule::of(self.types.slot(id)?)));
                let rules: Vec<(u32, Rule)> = ids.into_iter().filter_map(rule).collect();
                let known = Arc::make_mut(&mut self.next.rules);
                rules.iter().for_each(|&(id, rule)| known.set(id, rule));
                job.definitions.push(rules);
            }
        }
        self.next.types = self.types.types().len();
        let Item::SequencePoint(point) = point else { return None };
        if point.flags & SequencePoint::FLUSH_METADATA != 0 {
            self.types.forget_ids();
            self.next.rules = Arc::default();
        }
        let (declarations, rest) = items.split_at(if job.is_machine_wide { declarations(items) } else { 0 });
        let is_declaration =
            |item: &Item<'_>| matches!(item, Item::Stacks(_) | Item::Metadata(_) | Item::Threads(_) | Item::Labels(_));
        let is_readable = |item: &Item<'_>| match item {
            Item::Events(_) | Item::Metadata(_) => true,
            Item::Stacks(_) => !job.is_machine_wide,
            _ => false,
        };
        (declarations.iter().all(is_declaration) && rest.iter().all(is_readable)).then_some(job)
    }

    /// Changes the buckets of later regions.
    pub fn set_frame(&mut self, frame: Frame) {
        self.next.frame = frame;
    }
}

/// Returns the number of items before the first events of a region. In version 6, they declare what the events refer to.
pub(super) fn declarations(items: &[Item<'_>]) -> usize {
    items.iter().position(|item| matches!(item, Item::Events(_))).unwrap_or(items.len())
}
