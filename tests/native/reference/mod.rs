//! Output of the command-line tool for the recordings beside the clone, compared with the reference reader's: all
//! differences are intentional. `docs/reference-differences.md` explains them.

mod machine_wide;
mod speedscope;

use crate::common::cli::traceglass;
use crate::common::recordings::{recording, traces};
use crate::common::{folded, totals_by_type};
use flate2::read::{DeflateDecoder, GzDecoder};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

fn unpacked(path: &Path) -> String {
    let mut text = String::new();
    let file = std::fs::File::open(path).expect("a reference output");
    GzDecoder::new(file).read_to_string(&mut text).expect("a whole gzip file of UTF-8");
    text
}

fn reference_stacks(traces: &Path, name: &str, kind: &str) -> BTreeMap<String, u64> {
    folded(&unpacked(&traces.join(format!("oracle/{name}.{kind}.folded.gz"))))
}

/// Returns the number of samples whose stacks are on both sides.
fn equal_samples(ours: &BTreeMap<String, u64>, theirs: &BTreeMap<String, u64>) -> u64 {
    theirs.iter().map(|(stack, count)| ours.get(stack).copied().unwrap_or(0).min(*count)).sum()
}

/// TraceEvent 2.0.56, the last version that reads netperf 2, keeps `.il` in the names of composed modules (4.0.0
/// doesn't), and truncates the names of dynamic assemblies at their last dot.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn netperf_2_stacks_differ_only_in_module_names() {
    let Some(traces) = traces() else { return };
    let name = "eventpipe-dotnetcore2.0-linux-objver2.netperf";
    let Some(path) = recording(&traces, name) else { return };
    let renamed = |stacks: BTreeMap<String, u64>| -> BTreeMap<String, u64> {
        let mut renamed = BTreeMap::new();
        for (stack, count) in stacks {
            let stack = stack.replace(".il!", "!");
            let stack = stack.replace("kcytbnyg!", "kcytbnyg.o2a!").replace("vi4jeyor!", "vi4jeyor.4zm!");
            let stack = stack.replace("u4knlce4!", "u4knlce4.gwe!");
            *renamed.entry(stack).or_default() += count;
        }
        renamed
    };
    for (kind, options, samples, equal) in
        [("stacks", [].as_slice(), 163_801, 126), ("stacks-managed", ["--managed"].as_slice(), 86, 0)]
    {
        let ours = folded(&traceglass(&[&["stacks", "--format", "folded"], options].concat(), &path));
        let theirs = reference_stacks(&traces, &format!("{name}.te2"), kind);
        assert_eq!((ours.values().sum::<u64>(), equal_samples(&ours, &theirs)), (samples, equal), "{kind}");
        assert!(renamed(theirs) == ours, "{kind}");
    }
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn types_match_independent_count() {
    let Some(traces) = traces() else { return };
    let mut expected = BTreeMap::<&str, BTreeMap<(String, u64, u64), u64>>::new();
    for line in include_str!("event_counts.tsv").lines().skip(1) {
        let [file, provider, id, version, count] = line.split('\t').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let [id, version, count] = [id, version, count].map(|number| number.parse().expect("a number"));
        expected.entry(file).or_default().insert((provider.to_owned(), id, version), count);
    }
    assert!(expected.len() >= 10, "{} files", expected.len());
    for (name, expected) in expected {
        let Some(path) = recording(&traces, name) else { continue };
        let info: Value = serde_json::from_str(&traceglass(&["info", "--json"], &path)).expect("JSON");
        let found: BTreeMap<_, _> =
            totals_by_type(&info).into_iter().map(|(key, [events, ..])| (key, events)).collect();
        assert_eq!(found, expected, "{name}");
    }
}

/// Lost events by an independent scan of sequence numbers. The reference reader excludes those before a thread's first
/// event, and those of threads without events.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn lost_events_match_sequence_numbers() {
    let Some(traces) = traces() else { return };
    let mut differing = BTreeMap::new();
    let mut compared = 0;
    for entry in std::fs::read_dir(traces.join("oracle")).expect("a readable folder") {
        let path = entry.expect("a readable entry").path();
        let file_name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let Some(name) = file_name.strip_suffix(".summary.json") else { continue };
        let summary: Value = serde_json::from_slice(&std::fs::read(&path).expect("a summary")).expect("JSON");
        let Some(scan) = summary["scan"]["sequence"].as_object() else { continue };
        let Some(path) = recording(&traces, name) else { continue };
        let info: Value = serde_json::from_str(&traceglass(&["info", "--json"], &path)).expect("JSON");
        let kinds = ["lostBetweenEvents", "lostBeforeFirst", "lostAtSequencePoints", "lostOnUnseenThreads"];
        let by_scan: u64 = kinds.iter().filter_map(|kind| scan[*kind].as_u64()).sum();
        assert_eq!(info["eventsLost"].as_u64(), Some(by_scan), "{name}");
        let listed: u64 =
            info["losses"].as_array().into_iter().flatten().filter_map(|loss| loss["count"].as_u64()).sum();
        assert_eq!(listed, by_scan, "{name}: every loss is listed");
        let answered = if summary["refused"].is_null() { &summary } else { &summary["beforeFailure"] };
        let reference = answered["eventsLost"].as_u64().unwrap_or(0);
        if reference != by_scan {
            differing.insert(name.to_owned(), (by_scan, reference));
        }
        compared += 1;
    }
    let expected = [("dropped-net31.nettrace", (562_542, 143_001)), ("drops-net10.nettrace", (474_217, 394_727))];
    assert_eq!(differing, expected.map(|(name, counts)| (name.to_owned(), counts)).into());
    assert!(compared >= 12, "{compared} compared");
}

/// Values that the app wrote, but the reference reader misreads: 16 values of six fields. They are arrays of `bool` and
/// `sbyte`, a `bool` and a `decimal` of a self-describing event, and a payload of exactly 65,536 bytes.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn values_misread_by_reference_match_written_values() {
    let Some(traces) = traces() else { return };
    let name = "shapes-net10.nettrace";
    let Some(path) = recording(&traces, name) else { return };
    let fields = [("Shapes-Rich", 162, "values"), ("Shapes-Rich", 162, "after"), ("Shapes-Rich", 164, "values")];
    let self_described = [("Shapes-Dynamic", 185, ""), ("Shapes-Dynamic", 186, "")];
    let fields = [&fields[..], &self_described, &[("Shapes-Plain", 50, "text")]].concat();
    // (Provider, ID, field) → values, in the order of the trace.
    let values = |lines: &str| {
        let mut values = BTreeMap::<(&str, u64, &str), Vec<Value>>::new();
        for line in lines.lines() {
            // Other events of this recording have lone surrogates, which this JSON parser rejects.
            let Ok(event) = serde_json::from_str::<Value>(line) else { continue };
            for &(provider, id, field) in &fields {
                if event["provider"] == provider && event["id"] == id && !event["payload"].is_null() {
                    values.entry((provider, id, field)).or_default().push(event["payload"][field].clone());
                }
            }
        }
        values
    };
    let output = traceglass(&["events", "--json", "--payload"], &path);
    let (ours, theirs) = (values(&output), values(&unpacked(&traces.join(format!("oracle/{name}.events.jsonl.gz")))));
    let differ = |key| {
        let (ours, theirs): (&Vec<Value>, &Vec<Value>) = (&ours[key], &theirs[key]);
        assert_eq!(ours.len(), theirs.len(), "{key:?}");
        ours.iter().zip(theirs).filter(|(ours, theirs)| ours != theirs).count()
    };
    assert_eq!(fields.iter().map(differ).sum::<usize>(), 16);
    let thrice = |value: Value| vec![value.clone(), value.clone(), value];
    assert_eq!(ours[&fields[0]], thrice(json!([true, false, true])));
    assert_eq!(ours[&fields[1]], [0, 1, 2]);
    assert_eq!(ours[&fields[2]], thrice(json!([-128, 127])));
    assert_eq!(ours[&fields[3]], thrice(json!({ "Bool": true, "After": 1 })));
    assert_eq!(ours[&fields[4]], thrice(json!({ "Dec": 7.922_816_251_426_434e28, "After": 1 })));
    let lengths: Vec<_> = ours[&fields[5]].iter().map(|text| text.as_str().map_or(0, str::len)).collect();
    assert_eq!(lengths, [5000, 16_383, 16_384, 32_000, 32_700, 32_767]);
}

/// Rewrites a netperf 2 file as netperf 1: providers become GUIDs. Events refer to metadata by its offset in the file,
/// so all offsets change.
fn as_netperf_1(bytes: &[u8], guid_of: impl Fn(&str) -> Option<[u8; 16]>) -> Vec<u8> {
    const VERSION_AT: usize = 4 + 20 + 3;
    const NAME_BYTES: usize = 38;
    let number = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
    let events_at = VERSION_AT + 12 + NAME_BYTES + 1 + 36;
    let end = number(bytes.len() - 12) as usize;
    let mut rewritten = bytes[..events_at].to_vec();
    rewritten[VERSION_AT..VERSION_AT + 4].copy_from_slice(&1_u32.to_le_bytes());
    let mut moved = BTreeMap::new();
    let mut at = events_at;
    while at < end {
        let record = &bytes[at..at + 4 + number(at) as usize];
        let new_at = rewritten.len();
        if number(at + 4) == 0 {
            moved.insert(at as u32, new_at as u32);
            let payload = &record[56..56 + number(at + 52) as usize];
            let units: Vec<u16> = payload.chunks_exact(2).map(|unit| u16::from_le_bytes([unit[0], unit[1]])).collect();
            let length = units.iter().position(|&unit| unit == 0).expect("the end of a name");
            let guid = guid_of(&String::from_utf16_lossy(&units[..length])).expect("a provider with a known GUID");
            let payload = [&guid[..], &payload[2 * (length + 1)..]].concat();
            let rest = &record[56 + number(at + 52) as usize..];
            rewritten.extend_from_slice(&((56 + payload.len() + rest.len() - 4) as u32).to_le_bytes());
            rewritten.extend_from_slice(&record[4..52]);
            rewritten.extend_from_slice(&(payload.len() as u32).to_le_bytes());
            rewritten.extend_from_slice(&payload);
            rewritten.extend_from_slice(rest);
        } else {
            rewritten.extend_from_slice(record);
            rewritten[new_at + 4..new_at + 8].copy_from_slice(&moved[&number(at + 4)].to_le_bytes());
        }
        at += record.len();
    }
    let label = rewritten.len() as u32;
    rewritten.push(6);
    for number in [1, label, label + 1, label + 9] {
        rewritten.extend_from_slice(&number.to_le_bytes());
    }
    rewritten
}

/// Returns the only file of an archive.
fn unzipped(path: &Path) -> Vec<u8> {
    let archive = std::fs::read(path).expect("an archive");
    let length = |at: usize| usize::from(u16::from_le_bytes([archive[at], archive[at + 1]]));
    let mut content = Vec::new();
    let packed = &archive[30 + length(26) + length(28)..];
    DeflateDecoder::new(packed).read_to_end(&mut content).expect("a whole file");
    content
}

/// Returns the bytes of a GUID as in files: three little-endian numbers, then eight bytes.
fn guid_bytes(text: &str) -> [u8; 16] {
    let digits = text.replace('-', "");
    let byte = |at: usize| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).expect("hex digits");
    [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15].map(byte)
}

/// There is no real file of netperf 1, so one of netperf 2 is rewritten: the results are the same, except that
/// providers without a known name have their GUID.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn netperf_1_is_read_like_netperf_2() {
    let Some(traces) = traces() else { return };
    let Some(path) = recording(&traces, "eventpipe-dotnetcore2.0-linux-objver2.netperf") else { return };
    let program = "f150d8fb-960c-5e38-a69d-49bae6f97289";
    let guids = [
        ("Microsoft-DotNETCore-SampleProfiler", "3c530d44-97ae-513a-1e6d-783e8f8e03a9"),
        ("Microsoft-Windows-DotNETRuntime", "e13c0d23-ccbc-4e12-931b-d9cc2eee27e4"),
        ("Microsoft-Windows-DotNETRuntimeRundown", "a669021c-c450-4609-a035-5af59af4df18"),
        ("System.Threading.Tasks.TplEventSource", "2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5"),
        ("TestEventSource", program),
    ];
    let guid_of = |name: &str| guids.iter().find(|(known, _)| *known == name).map(|(_, guid)| guid_bytes(guid));
    let rewritten = as_netperf_1(&unzipped(&path), guid_of);
    let first = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rewritten.netperf");
    std::fs::write(&first, rewritten).expect("room for the file");
    let [one, two] = [&first, &path].map(|path| -> Value {
        serde_json::from_str(&traceglass(&["info", "--json"], path)).expect("JSON") //
    });
    assert_eq!((one["formatVersion"].as_u64(), two["formatVersion"].as_u64()), (Some(1), Some(2)));
    for key in ["container", "eventCount", "eventsLost", "firstEventNs", "lastEventNs", "threads", "pointerSize"] {
        assert_eq!(one[key], two[key], "{key}");
    }
    let renamed = |((provider, id, version), totals): ((String, u64, u64), _)| {
        let provider = if provider == "TestEventSource" { program.to_owned() } else { provider };
        ((provider, id, version), totals)
    };
    let expected: BTreeMap<_, _> = totals_by_type(&two).into_iter().map(renamed).collect();
    assert_eq!(totals_by_type(&one), expected);
    let stacks = |path: &Path| traceglass(&["stacks", "--format", "folded"], path);
    assert!(stacks(&first) == stacks(&path), "the same stacks with the same names");
    // Without its end, the file still has the rest.
    let cut = std::fs::read(&first).expect("the file");
    std::fs::write(&first, &cut[..cut.len() / 2]).expect("room for the file");
    let half: Value = serde_json::from_str(&traceglass(&["info", "--json"], &first)).expect("JSON");
    assert!(half["eventCount"].as_u64() > Some(100_000), "{}", half["eventCount"]);
}
