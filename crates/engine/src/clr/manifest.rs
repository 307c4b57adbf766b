//! Built-in manifest of events of known providers: names, fields, and meanings of numbers.
//!
//! No version of .NET records names and fields of the runtime's own events. The table is `manifest/events.txt`, a text
//! file whose first lines explain its syntax.

mod layout;
#[cfg(test)]
mod recordings;
mod table;
mod value_names;

use super::provider::Provider;
use nettrace::Field;

pub use value_names::{describe, keyword_names, level_name, named_values, opcode_name};

/// Version of an event in the manifest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManifestEvent {
    /// Name in TraceEvent and PerfView, such as `GC/Start`.
    pub name: &'static str,
    /// Opcode; see [`opcode_name`].
    pub opcode: u8,
    /// Level; see [`level_name`].
    pub level: u8,
    /// Keywords that enable the event, one bit each; see [`keyword_names`].
    pub keywords: u64,
    /// Fields of the payload; empty if there are none, or those of the version are unknown.
    pub fields: Vec<Field>,
    /// True if the fields in the file are wrong and these replace them.
    pub overrides_file: bool,
}

/// Finds an event by its ID, or by its name in the file, which is empty for most runtime events. Versions newer than
/// the table get the fields of its newest version. Runtimes only append fields, so the rest of the payload is ignored.
///
/// Structures that the runtime copies from its memory have the layout of a 64-bit process.
pub fn lookup(provider: &str, event_id: u32, name: &str, version: u32) -> Option<ManifestEvent> {
    let provider = Provider::from_name(provider)?;
    let event = match name {
        "" => table::event(provider, event_id)?,
        name if provider.has_varying_ids() => table::named(provider, name)?,
        _ => table::event(provider, event_id)?,
    };
    let fields = layout::fields(table::layout_of(event), version);
    Some(ManifestEvent {
        name: event.name,
        opcode: event.opcode,
        level: event.level,
        keywords: event.keywords,
        overrides_file: provider == Provider::UniversalSystem || provider.has_fixed_layouts() && !fields.is_empty(),
        fields,
    })
}

/// Returns the ID of a runtime event by the name that machine-wide recorders use; `None` for other names.
pub fn event_id_of(provider: &str, name: &str) -> Option<u32> {
    let provider = Provider::from_name(provider).filter(|provider| provider.has_fixed_layouts() && !name.is_empty())?;
    let name = name.strip_prefix(provider.name()).and_then(|rest| rest.strip_prefix('/')).unwrap_or(name);
    let recorded = RECORDED_NAMES.iter().find(|(recorded, _)| provider == Provider::Runtime && *recorded == name);
    recorded.map(|&(_, id)| id).or_else(|| Some(table::named(provider, name)?.id))
}

/// Returns the newest version of an event in the table; 0 if it isn't in the table.
pub fn newest_version(provider: &str, event_id: u32) -> u32 {
    let event = Provider::from_name(provider).and_then(|provider| table::event(provider, event_id));
    event.map_or(0, |event| layout::newest_version(table::layout_of(event)))
}

/// Returns the newest version of a runtime event whose fields have fixed sizes and exactly this total length.
pub fn version_of_length(provider: &str, event_id: u32, pointer_size: u8, length: usize) -> Option<u32> {
    let provider = Provider::from_name(provider).filter(|provider| provider.has_fixed_layouts())?;
    let event = table::event(provider, event_id)?;
    layout::version_of_length(table::layout_of(event), pointer_size, length)
}

/// Names of runtime events in machine-wide traces (`record-trace`, `dotnet-trace collect-linux`), with their IDs. Only
/// those that differ from the usual name without the slash.
const RECORDED_NAMES: [(&str, u32); 22] = [
    ("GCEnd", 2),
    ("GCRestartEEEnd", 3),
    ("GCRestartEEBegin", 7),
    ("GCSuspendEEEnd", 8),
    ("GCSuspendEE", 9),
    ("GCFinalizersEnd", 13),
    ("GCFinalizersBegin", 14),
    ("IOThreadCreate", 44),
    ("IOThreadTerminate", 45),
    ("IOThreadUnretire", 46),
    ("IOThreadRetire", 47),
    ("ThreadPoolWorkerThreadAdjustmentSample", 54),
    ("ThreadPoolWorkerThreadAdjustmentAdjustment", 55),
    ("ThreadPoolWorkerThreadAdjustmentStats", 56),
    ("ThreadPoolWorkerThreadWait", 57),
    ("ExceptionThrown", 80),
    ("AppDomainMemAllocated", 83),
    ("AppDomainMemSurvived", 84),
    ("ThreadCreated", 85),
    ("ThreadTerminated", 86),
    ("ThreadAppDomainEnter", 87),
    ("AllocationSampled", 303),
];

#[cfg(test)]
mod tests {
    use super::*;
    use nettrace::FieldType;

    fn fields(event_id: u32, version: u32) -> Vec<(String, FieldType)> {
        let event = lookup("Microsoft-Windows-DotNETRuntime", event_id, "", version).expect("known event");
        event.fields.into_iter().map(|field| (field.name, field.field_type)).collect()
    }

    #[test]
    fn event_has_fields_of_its_version() {
        let names = |version| fields(1, version).into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names(0), ["Count", "Reason"]);
        assert_eq!(names(1), ["Count", "Depth", "Reason", "Type", "ClrInstanceID"]);
        assert_eq!(names(2), ["Count", "Depth", "Reason", "Type", "ClrInstanceID", "ClientSequenceNumber"]);
        assert_eq!(names(7), names(2), "a newer version has at least the fields of the newest known one");
    }

    #[test]
    fn event_has_name_level_opcode_and_keywords() {
        let event = lookup("Microsoft-Windows-DotNETRuntimeRundown", 144, "", 2).expect("known event");
        assert_eq!((event.name, event.level, event.opcode, event.keywords), ("Method/DCStopVerbose", 4, 40, 0x30));
        assert_eq!(event.fields.len(), 11, "the layout of event 143");
        assert_eq!(lookup("Microsoft-Windows-DotNETRuntime", 9_999, "", 0), None);
        assert_eq!(lookup("Example.Orders", 1, "", 0), None);
    }

    #[test]
    fn structure_count_is_read_from_earlier_field() {
        let bulk_type = fields(15, 0);
        let ("Values", FieldType::CountedArray { count_field: 0, element }) =
            (bulk_type[2].0.as_str(), &bulk_type[2].1)
        else {
            panic!("{bulk_type:?}")
        };
        let FieldType::Object(members) = element.as_ref() else { panic!("{element:?}") };
        let counted = FieldType::CountedArray { count_field: 6, element: Box::new(FieldType::UInt64) };
        assert_eq!(members[7].field_type, counted);
    }

    #[test]
    fn recorder_names_of_runtime_events_have_ids() {
        let id = |name: &str| event_id_of("Microsoft-Windows-DotNETRuntime", name);
        assert_eq!(
            ["GCSuspendEE", "GCStart", "GCAllocationTick", "GC/AllocationTick"].map(id),
            [9, 1, 10, 10].map(Some)
        );
        assert_eq!(id("Microsoft-Windows-DotNETRuntime/GCEnd"), Some(2));
        assert_eq!(["", "Orders"].map(id), [None; 2]);
        assert_eq!(event_id_of("Example.Orders", "GCStart"), None);
        assert!(RECORDED_NAMES.iter().all(|(_, id)| table::event(Provider::Runtime, *id).is_some()));
        let version = |id, length| version_of_length("Microsoft-Windows-DotNETRuntime", id, 8, length);
        assert_eq!([version(1, 26), version(1, 18), version(1, 8), version(1, 25)], [Some(2), Some(1), Some(0), None]);
        assert_eq!([1, 9, 10, 9_999].map(|id| newest_version("Microsoft-Windows-DotNETRuntime", id)), [2, 1, 4, 0]);
    }

    #[test]
    fn events_with_varying_ids_are_found_by_name() {
        let fields = |name: &str| lookup("Microsoft-Extensions-Logging", 161, name, 0).map(|event| event.fields.len());
        assert_eq!(
            ["Message", "ActivityStart", "ActivityStop", "Orders"].map(fields),
            [Some(7), Some(4), Some(3), None]
        );
        let start = lookup("Microsoft-Diagnostics-DiagnosticSource", 163, "Activity1Start", 0).expect("known event");
        assert_eq!((start.opcode, start.fields.len()), (1, 3));
    }

    #[test]
    fn machine_wide_string_fields_override_file() {
        let event = lookup("Universal.System", 4, "", 0).expect("known event");
        assert!(event.overrides_file);
        assert_eq!(event.fields[4].field_type, FieldType::CountedUtf8String);
    }
}
