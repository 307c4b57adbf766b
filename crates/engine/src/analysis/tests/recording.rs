//! Tests inferences about sessions against the recorded requests of the app that started them.

use super::reference::{recording as recorded, recordings_with, truth};
use crate::analysis::file::recording::recording;

/// No provider, level or keyword is inferred that wasn't requested.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn inferred_providers_were_requested() {
    let mut compared = 0;
    for name in recordings_with(".truth.json") {
        let Some(trace) = recorded(&name) else { continue };
        let truth = truth(&trace).expect("a truth");
        let Some(asked) = truth["session"]["providers"].as_array() else { continue };
        let found = recording(&trace.store);
        for one in &found.requested {
            let asked = asked.iter().find(|asked| asked["name"] == one.name.as_str());
            let asked = asked.unwrap_or_else(|| panic!("{name}: {} was not asked for", one.name));
            let keywords = asked["keywords"].as_str().and_then(|text| u64::from_str_radix(&text[2..], 16).ok());
            assert_eq!(one.keywords & !keywords.expect("keywords"), 0, "{name}: {}", one.name);
            assert!(u64::from(one.level) <= asked["level"].as_u64().expect("a level"), "{name}: {}", one.name);
        }
        assert!(!found.requested.is_empty(), "{name}");
        compared += 1;
    }
    println!("compared {compared} recordings");
}

/// The tools that recorded these are known (`traces/README.md`).
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn inferred_recording_tools_are_right() {
    for (name, expected) in [
        ("cpu-net10.nettrace", &["default profiles of dotnet-trace", "from process start"][..]),
        ("short-net10.nettrace", &["from process start"]),
        ("cpu-v6-net10.nettrace", &["record-trace"]),
        ("orders-v6.nettrace", &["record-trace"]),
        ("heapdump-net10.nettrace", &["heap dump"]),
        ("orders-net21.netperf", &["COMPlus_EnableEventPipe"]),
        ("web-net9.nettrace", &[]),
    ] {
        let Some(trace) = recorded(name) else { continue };
        let found: Vec<String> = recording(&trace.store).collectors.into_iter().map(|one| one.words).collect();
        let is_there = |words: &&&str| found.iter().any(|found| found.contains(**words));
        assert_eq!(expected.iter().filter(is_there).count(), expected.len(), "{name}: {found:?}");
        assert_eq!(found.len(), expected.len(), "{name}: {found:?}");
    }
}
