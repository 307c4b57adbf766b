//! Prepares jobs that read one region each.

use super::super::State;
use super::super::type_table::{Slots, TypeSlot, TypeTable};
use crate::clr::KnownEvent;
use crate::model::file::fits::PayloadSize;
use crate::model::threads::density::Frame;
use nettrace::{Container, Item, MetadataRecord};
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

/// How to read a region.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::model::ingest) struct RegionJob {
    pub sync_ticks: i64,
    pub address_bytes: usize,
    /// Number of types at the start of the region.
    pub types: usize,
    pub frame: Frame,
    /// By metadata ID, at the start of the region.
    #[serde(skip)]
    pub rules: Arc<Slots<Rule>>,
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
        let is_plain = self.header.version < 6 && self.header.container == Container::Nettrace && self.gate.is_open();
        let frame = self.density.frame().filter(|_| is_plain)?;
        let types = self.types.clone();
        let next = RegionJob {
            sync_ticks: self.header.sync_ticks,
            address_bytes: self.header.pointer_size.into(),
            types: types.types().len(),
            frame,
            rules: Arc::new(types.slots().iter().map(|(id, slot)| (id, Rule::of(slot))).collect()),
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
        let is_readable = |item: &Item<'_>| matches!(item, Item::Events(_) | Item::Stacks(_) | Item::Metadata(_));
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
        (matches!(point, Item::SequencePoint(_)) && items.iter().all(is_readable)).then_some(job)
    }

    /// Changes the buckets of later regions.
    pub fn set_frame(&mut self, frame: Frame) {
        self.next.frame = frame;
    }
}
