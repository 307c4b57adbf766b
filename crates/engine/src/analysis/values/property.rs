//! Properties of events that are columns, sort keys, groups and filter conditions.

use crate::model::{Store, Thread, Writer};
use protocol::events::columns::Property;

/// Value of a property. Values are ordered by number, then by text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PropertyValue {
    pub number: u64,
    pub text: String,
}

/// Returns the values of a property by writer; `None` for writers without one.
pub fn property_values(store: &Store, property: Property) -> Vec<Option<PropertyValue>> {
    store.writers.iter().map(|writer| property_value(store, property, writer)).collect()
}

/// Returns the value of a property of events with a writer.
pub fn property_value(store: &Store, property: Property, writer: Writer) -> Option<PropertyValue> {
    match property {
        Property::Cpu => writer.cpu.map(|cpu| PropertyValue { number: cpu.into(), text: cpu.to_string() }),
        Property::CaptureThread => {
            let thread = |id| store.thread_with_index(id).and_then(|thread| store.threads.get(thread));
            let text = |id| thread(id).map_or_else(|| format!("Thread {id}"), Thread::numbered_label);
            writer.capture_thread.map(|id| PropertyValue { number: 0, text: text(id) })
        }
    }
}
