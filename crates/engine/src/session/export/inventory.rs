//! Event types and threads with totals, merged as in other readers.

use crate::model::{IdSet, Store};
use protocol::base::ids::ThreadId;
use protocol::base::time::Nanos;
use std::collections::BTreeMap;

/// Totals of the events of one type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TypeTotals {
    pub provider: String,
    pub event_id: u32,
    pub version: u32,
    /// Name in the file; empty for runtime events.
    pub metadata_name: String,
    pub level: u8,
    pub keywords: u64,
    /// Opcode, if the file has one.
    pub opcode: Option<u8>,
    /// Display name: the file's, or the manifest's.
    pub display_name: String,
    /// Number of events.
    pub count: u64,
    pub payload_bytes: u64,
    /// Number of events with a stack.
    pub with_stack: u64,
    pub threads: u32,
    /// Time of the first event.
    pub first: Nanos,
    /// Time of the last event.
    pub last: Nanos,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ThreadTotals {
    /// OS process ID.
    pub os_process: u32,
    /// OS thread ID.
    pub os_thread: u64,
    pub events: u64,
    /// Time of the first event.
    pub first: Nanos,
    /// Time of the last event.
    pub last: Nanos,
    /// Name in the file, if there is one.
    pub name: Option<String>,
    /// Name, or role.
    pub label: String,
}

type TypeKey<'s> = (&'s str, u32, u32, &'s str, u8, u64, Option<u8>);

/// Returns all event types with events, sorted by provider, ID and version.
pub fn types(store: &Store) -> Vec<TypeTotals> {
    // Merged types share threads, so their thread counts don't add up.
    let mut totals: BTreeMap<TypeKey<'_>, (TypeTotals, IdSet)> = BTreeMap::new();
    let with_events = || store.types.iter().filter(|event_type| event_type.count > 0);
    for event_type in with_events() {
        let record = &event_type.record;
        let key = type_key(event_type);
        let (first, last) = (store.clock.nanos(event_type.first_ticks), store.clock.nanos(event_type.last_ticks));
        let none = || TypeTotals {
            provider: event_type.provider.clone(),
            event_id: record.event_id,
            version: record.version,
            metadata_name: record.name.clone(),
            level: record.level,
            keywords: record.keywords,
            opcode: record.opcode,
            display_name: event_type.display_name.clone(),
            count: 0,
            payload_bytes: 0,
            with_stack: 0,
            threads: 0,
            first,
            last,
        };
        let (total, threads) = totals.entry(key).or_insert_with(|| (none(), IdSet::default()));
        threads.extend(&event_type.threads);
        total.count += event_type.count;
        total.payload_bytes += event_type.payload_bytes;
        total.with_stack += event_type.with_stack;
        total.first = total.first.min(first);
        total.last = total.last.max(last);
    }
    totals.into_values().map(|(total, threads)| TypeTotals { threads: threads.len() as u32, ..total }).collect()
}

fn type_key(event_type: &crate::model::EventType) -> TypeKey<'_> {
    let record = &event_type.record;
    let provider = event_type.provider.as_str();
    (provider, record.event_id, record.version, &record.name, record.level, record.keywords, record.opcode)
}

/// Returns all threads with events, sorted by process ID and thread ID. Threads with the same ID are merged.
pub fn threads(store: &Store) -> Vec<ThreadTotals> {
    let mut totals: BTreeMap<(u32, u64), ThreadTotals> = BTreeMap::new();
    for thread in store.threads.iter().filter(|thread| thread.events > 0) {
        let os_process = os_process(store, thread.id);
        let (first, last) = (store.clock.nanos(thread.first_ticks), store.clock.nanos(thread.last_ticks));
        let total = totals.entry((os_process, thread.os_thread)).or_insert_with(|| ThreadTotals {
            os_process,
            os_thread: thread.os_thread,
            events: 0,
            first,
            last,
            name: thread.name.clone(),
            label: thread.label().to_owned(),
        });
        total.events += thread.events;
        total.first = total.first.min(first);
        total.last = total.last.max(last);
    }
    totals.into_values().collect()
}

fn os_process(store: &Store, thread: ThreadId) -> u32 {
    let process = store.threads.get(thread).and_then(|thread| store.processes.get(thread.process));
    process.map_or(0, |process| process.os_process)
}
