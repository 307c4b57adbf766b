//! Properties of events that are columns, sort keys, groups and filter conditions.

use crate::model::{Store, Writer};
use protocol::events::columns::Property;

/// Value of a property. Values are ordered by number, then by text.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PropertyValue {
    pub number: u64,
    pub text: String,
}

/// Returns the values of a property by writer; `None` for writers without one.
pub fn property_values(store: &Store, property: Property) -> Vec<Option<PropertyValue>> {
    store.writers().iter().map(|writer| property_value(store, property, writer)).collect()
}

/// Returns the value of a property of events with a writer.
pub fn property_value(_: &Store, property: Property, writer: Writer) -> Option<PropertyValue> {
    match property {
        Property::Cpu => writer.cpu.map(|cpu| PropertyValue { number: cpu.into(), text: cpu.to_string() }),
    }
}
