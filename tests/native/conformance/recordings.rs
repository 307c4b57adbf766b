//! Recordings of the reference reader's tests, if they are beside the clone: `../shared/traces/perfview`.

use super::support::*;
use engine::session::container::native::{Native, Part, block_on, load};
use engine::session::container::{Unwrapped, unwrap};
use engine::session::{FileFacts, Loader, Session};
use nettrace::Value;
use protocol::base::ids::EventId;
use protocol::reply::EventDetail;
use std::path::PathBuf;
use std::sync::Arc;

/// Returns the path of a recording, if it exists.
pub fn path(name: &str) -> Option<PathBuf> {
    let shared = std::env::var_os("TRACEGLASS_SHARED").map(PathBuf::from);
    let shared = shared.unwrap_or_else(|| crate::common::root().join("../shared"));
    let path = shared.join("traces/perfview").join(name);
    if !path.is_file() {
        println!("SKIPPED: no {}", path.display());
        return None;
    }
    Some(path)
}

/// Opens a recording, if it exists.
fn recording(name: &str) -> Option<Opened> {
    let file = std::fs::File::open(path(name)?).expect("a readable file");
    let Ok(Unwrapped::One(packed)) = block_on(unwrap(&Native, Part::whole(Arc::new(file)), None)) else {
        panic!("{name} holds no trace");
    };
    let (loader, source) = load(Loader::new(), packed).expect("a trace");
    let store = loader.finish().expect("a trace");
    Some(Opened(Session::new(store, source, FileFacts::default()).expect("readable bytes")))
}

/// Returns the rows of a provider's events, in order of time.
fn rows_of(opened: &Opened, provider: &str) -> Vec<u32> {
    let store = opened.store();
    let is_wanted = |row: &u32| {
        let event = store.events.row(EventId(*row));
        store.types.get(event.event_type).is_some_and(|one| one.provider == provider)
    };
    (0..store.events.len() as u32).filter(is_wanted).collect()
}

/// R1.12, R1.68: arrays of self-describing events of .NET 5, with their values.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn recorded_arrays_have_values() {
    let Some(mut opened) = recording("eventpipe-dotnetcore5.0-win-x64-arraytypes.nettrace.zip") else { return };
    let rows = rows_of(&opened, "TestEventSource0");
    let details: Vec<_> = rows.into_iter().map(|row| opened.detail(row)).collect();
    let first = details.iter().find(|detail| detail.name == "TestEvent1").expect("TestEvent1");
    let text: String = first.fields.iter().map(|field| format!("{} ", field.value)).collect();
    for value in ["2032854139", "1366609043", "26494", "-7229", "2033417279"] {
        assert!(text.replace(['\u{202F}', ',', '\''], "").contains(value), "{value} in {text}");
    }
    let third = details.iter().find(|detail| detail.name == "TestEvent3").expect("TestEvent3");
    assert_eq!((fact(third, "Opcode"), fact(third, "Level")), ("24".to_owned(), "Error".to_owned()));
}

/// R1.14: a GUID in the payload of a task event is the activity of later events.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn recorded_guids_are_activities() {
    let Some(mut opened) = recording("eventpipe-dotnetcore2.1-linux-x64-objver3.netperf.zip") else { return };
    let rows = rows_of(&opened, "System.Threading.Tasks.TplEventSource");
    let set: Vec<_> = rows.into_iter().filter(|row| opened.detail(*row).event_id == 25).collect();
    let guid = "10000000-0000-0000-0000-000000000001";
    let with_guid: Vec<_> =
        set.iter().filter(|row| opened.values(**row).iter().any(|value| value.contains(guid))).collect();
    assert_eq!(with_guid.len(), 1);
    let is_activity = |detail: EventDetail| {
        detail.header.iter().any(|fact| fact.name == "Activity" && (fact.value == guid || fact.raw == guid))
    };
    assert!(!is_activity(opened.detail(*with_guid[0])), "not of the event that sets it");
    assert!((*with_guid[0]..*with_guid[0] + 500).any(|row| is_activity(opened.detail(row))), "of events after it");
}

/// R1.16, S12: checkpoints of the runtime are before the sync point, and aren't clamped.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn recorded_checkpoints_precede_sync_point() {
    let Some(mut opened) = recording("eventpipe-dotnetcore6.0-win-x64-executioncheckpoints.nettrace.zip") else {
        return;
    };
    let header = opened.store().header.clone();
    let rows = rows_of(&opened, "Microsoft-Windows-DotNETRuntimeRundown");
    let mut found = Vec::new();
    let rows: Vec<_> = rows.into_iter().filter(|row| opened.detail(*row).event_id == 300).collect();
    for row in rows {
        let values = opened.store().decode(EventId(row), opened.0.source()).expect("readable bytes");
        let ticks = values.iter().find_map(|(field, value)| match value {
            Value::Int(ticks, _) if field.name.contains("Timestamp") => Some(*ticks),
            Value::UInt(ticks, _) if field.name.contains("Timestamp") => Some(*ticks as i64),
            _ => None,
        });
        let ticks = ticks.unwrap_or_else(|| panic!("no time in {values:?}"));
        found.push((ticks - header.sync_ticks) as f64 * 1000.0 / header.tick_frequency as f64);
    }
    for expected in [-15.97, 11.91, 12.20] {
        assert!(found.iter().any(|found| (found - expected).abs() < 0.01), "{expected} in {found:?}");
    }
}
