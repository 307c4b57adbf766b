//! Common events of the .NET runtime, whose names and fields traces don't record.
//!
//! The runtime writes its own events without names and fields. [`schema`] contains both for the most common events, and
//! for events of machine-wide traces, whose declared fields are wrong. [`TraceReader`](crate::TraceReader) uses it, so
//! [`Event::name`](crate::Event::name) and [`Event::fields`](crate::Event::fields) work for these events.
//!
//! Other events have only a provider, event ID and payload. To decode one, build a [`Payload`](crate::Payload) with the
//! fields from the documentation of the runtime.

mod events;

use crate::payload::{Field, FieldType};
use crate::wire::guid::Guid;

/// Provider of the runtime's events.
pub const RUNTIME: &str = "Microsoft-Windows-DotNETRuntime";
/// Provider of the rundown events: methods and modules that were loaded when the session ended.
pub const RUNDOWN: &str = "Microsoft-Windows-DotNETRuntimeRundown";
/// Provider of the runtime's thread samples.
pub const SAMPLE_PROFILER: &str = "Microsoft-DotNETCore-SampleProfiler";
/// Provider of events about the session.
pub const EVENT_PIPE: &str = "Microsoft-DotNETCore-EventPipe";
/// Provider of CPU samples and context switches in machine-wide traces.
pub const UNIVERSAL_EVENTS: &str = "Universal.Events";
/// Provider of processes, mappings and symbols in machine-wide traces.
pub const UNIVERSAL_SYSTEM: &str = "Universal.System";

/// Name and fields of an event.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    /// Name, as in the documentation of the runtime.
    pub name: &'static str,
    /// Fields of the payload; empty if the event has none, or for old versions with another layout.
    pub fields: Vec<Field>,
    /// True if the fields declared by the file are wrong.
    pub overrides_file: bool,
}

/// Returns the name and fields of a common event of the runtime; `None` if it isn't in the list.
///
/// Returns the fields of the newest known version. New versions only append fields, so fields that an event's version
/// lacks are [`Value::Null`](crate::Value::Null), and unknown newer fields are ignored.
///
/// ```
/// use nettrace::clr;
///
/// let schema = clr::schema(clr::RUNTIME, 80, 1).expect("a common event");
/// assert_eq!((schema.name, schema.fields[0].name.as_str()), ("ExceptionThrown", "ExceptionType"));
/// ```
pub fn schema(provider: &str, event_id: u32, version: u32) -> Option<Schema> {
    let (_, events) = events::PROVIDERS.iter().find(|(name, _)| *name == provider)?;
    let event = events.iter().find(|event| event.id == event_id)?;
    let fields = if version < event.since { Vec::new() } else { parse_fields(event.fields) };
    Some(Schema { name: event.name, fields, overrides_file: provider == UNIVERSAL_SYSTEM })
}

/// Returns the name of a provider by its GUID, which the first traces of .NET Core contain instead.
pub(crate) fn provider_name(guid: Guid) -> Option<&'static str> {
    Some(match guid.to_string().as_str() {
        "e13c0d23-ccbc-4e12-931b-d9cc2eee27e4" => RUNTIME,
        "a669021c-c450-4609-a035-5af59af4df18" => RUNDOWN,
        "3c530d44-97ae-513a-1e6d-783e8f8e03a9" => SAMPLE_PROFILER,
        "92f528a6-f5b8-5160-a7ee-b33da7739e29" => EVENT_PIPE,
        "763fd754-7086-4dfe-95eb-c01a46faf4ca" => "Microsoft-Windows-DotNETRuntimePrivate",
        "2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5" => "System.Threading.Tasks.TplEventSource",
        _ => return None,
    })
}

/// Parses fields, written as `type name` and separated by commas.
fn parse_fields(text: &str) -> Vec<Field> {
    let fields = text.split(',').filter_map(|field| field.trim().split_once(' '));
    fields.filter_map(|(code, name)| Some(Field::new(name, field_type(code)?))).collect()
}

fn field_type(code: &str) -> Option<FieldType> {
    Some(match code {
        "u8" => FieldType::UInt8,
        "u16" => FieldType::UInt16,
        "u32" => FieldType::UInt32,
        "u64" => FieldType::UInt64,
        "f64" => FieldType::Float64,
        "ptr" => FieldType::Pointer,
        "guid" => FieldType::Guid,
        "text" => FieldType::Utf16String,
        "varint" => FieldType::VarUInt,
        "utf8" => FieldType::CountedUtf8String,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_fields_have_type_and_name() {
        for (provider, events) in events::PROVIDERS {
            for (index, event) in events.iter().enumerate() {
                let count = event.fields.split(',').filter(|field| !field.is_empty()).count();
                assert_eq!(parse_fields(event.fields).len(), count, "{provider} {}", event.name);
                assert!(events[..index].iter().all(|before| before.id < event.id), "{provider} {}", event.name);
            }
        }
    }

    #[test]
    fn older_event_versions_have_name_without_fields() {
        assert_eq!(schema(RUNTIME, 1, 2).map(|schema| (schema.name, schema.fields.len())), Some(("GCStart", 6)));
        assert_eq!(schema(RUNTIME, 1, 0).map(|schema| (schema.name, schema.fields.len())), Some(("GCStart", 0)));
        assert_eq!((schema(RUNTIME, 9999, 0), schema("Shop", 1, 0)), (None, None));
    }

    #[test]
    fn providers_of_first_traces_are_found_by_guid() {
        let guid = Guid::parse("a669021c-c450-4609-a035-5af59af4df18").unwrap();
        assert_eq!((provider_name(guid), provider_name(Guid::ZERO)), (Some(RUNDOWN), None));
    }
}
