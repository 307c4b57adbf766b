//! Every kind of event that a trace describes.

use crate::model::{EventType, IdSet, SchemaSource, Store};
use crate::nettrace::Field;
use std::collections::BTreeMap;

/// A kind of event: a record of the file, with what there is of it.
#[derive(Clone, Debug)]
pub struct Schema<'s> {
    /// The type; its totals are those of this variant alone.
    pub event_type: &'s EventType,
    /// Events.
    pub count: u64,
    /// Bytes of their payloads.
    pub payload_bytes: u64,
    /// All their bytes in the file, with headers and descriptions.
    pub file_bytes: u64,
    /// Events with a stack.
    pub with_stack: u64,
    /// Threads with events.
    pub threads: u32,
    /// Ticks of the first and the last event; none if there are none.
    pub ticks: Option<[i64; 2]>,
}

impl Schema<'_> {
    /// The fields that the file declares.
    pub fn declared_fields(&self) -> &[Field] {
        &self.event_type.record.fields
    }

    /// The fields by which payloads are read.
    pub fn fields(&self) -> &[Field] {
        &self.event_type.schema.fields
    }

    /// Who says so, in a word.
    pub fn source(&self) -> &'static str {
        match self.event_type.schema.source {
            SchemaSource::None => "none",
            SchemaSource::File => "file",
            SchemaSource::Manifest => "built-in",
        }
    }

    /// Events a second between the first and the last one.
    pub fn rate(&self, store: &Store) -> Option<f64> {
        let [first, last] = self.ticks?.map(|ticks| store.clock().nanos(ticks).0);
        let nanos = last.saturating_sub(first);
        (nanos > 0).then(|| (self.count - 1) as f64 * 1e9 / nanos as f64)
    }
}

/// Every record with its variants together, by provider, id, version and name.
pub fn schemas(store: &Store) -> Vec<Schema<'_>> {
    let directory = store.blocks();
    let mut by_base: BTreeMap<u32, (Schema<'_>, IdSet)> = BTreeMap::new();
    for one in store.types() {
        let Some(base) = store.types().get(one.base) else { continue };
        let none = || Schema {
            event_type: base,
            count: 0,
            payload_bytes: 0,
            file_bytes: 0,
            with_stack: 0,
            threads: 0,
            ticks: None,
        };
        let (sum, threads) = by_base.entry(one.base.0).or_insert_with(|| (none(), IdSet::default()));
        sum.count += one.count;
        sum.payload_bytes += one.payload_bytes;
        sum.file_bytes += directory.event_bytes_of(one.id) + directory.description_bytes_of(one.id);
        sum.with_stack += one.with_stack;
        threads.extend(&one.threads);
        if one.count > 0 {
            let [first, last] = sum.ticks.unwrap_or([one.first_ticks, one.last_ticks]);
            sum.ticks = Some([first.min(one.first_ticks), last.max(one.last_ticks)]);
        }
    }
    let mut schemas: Vec<Schema<'_>> =
        by_base.into_values().map(|(sum, threads)| Schema { threads: threads.len() as u32, ..sum }).collect();
    schemas.sort_by(|a, b| order(a).cmp(&order(b)));
    schemas
}

fn order<'s>(schema: &Schema<'s>) -> (&'s str, u32, u32, &'s str, u32) {
    let event_type = schema.event_type;
    let record = &event_type.record;
    (&event_type.provider, record.event_id, record.version, &event_type.display_name, event_type.base.0)
}
