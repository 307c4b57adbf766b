//! Tests recordings against the reference outputs beside them, in `../shared/traces`, or in `traces` in the folder
//! named by `TRACEGLASS_SHARED`. Large recordings only when `TRACEGLASS_FULL` is set.

use super::tracks::{CUT, RECORDINGS};
use crate::analysis::intervals::gc::gcs_of;
use crate::analysis::intervals::gc_pauses::Gc;
use crate::analysis::samples::call_nodes::CallNodes;
use crate::analysis::samples::index::SampleIndex;
use crate::analysis::samples::thread_samples::ThreadSamples;
use crate::analysis::scan::selection::Selection;
use crate::analysis::stacks::folded_text::{folded_stacks, raw_names};
use crate::analysis::stacks::function_weights::function_weights;
use crate::analysis::stacks::sample_choice::ChosenSamples;
use crate::analysis::stacks::stack_tree::TopDown;
use crate::analysis::stacks::tree_query::{call_nodes, call_tree};
use crate::analysis::timeline::threads::busiest_first;
use crate::model::Store;
use crate::model::testing::read;
use protocol::base::ids::EventId;
use protocol::request::{FunctionOrder, SampleChoice, Weight};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Recordings that take long to read without optimization.
const LARGE: [&str; 3] = ["firehose-net31.nettrace", "web-net10.nettrace", "big-net10.nettrace"];

pub(crate) struct Recording {
    pub store: Store,
    pub bytes: Vec<u8>,
    /// The reference's analysis; null if there is none.
    pub analysis: Value,
    /// Its totals.
    pub summary: Value,
    pub folder: PathBuf,
    pub name: String,
}

/// Returns the folder of recordings.
fn folder() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    std::env::var_os("TRACEGLASS_SHARED").map_or_else(beside, PathBuf::from).join("traces")
}

/// Returns the names of recordings with a file of this suffix beside them or in their folder of reference outputs;
/// empty without recordings.
pub(crate) fn recordings_with(ending: &str) -> Vec<String> {
    let files = [folder(), folder().join("oracle")].into_iter().filter_map(|folder| std::fs::read_dir(folder).ok());
    let names = files.flatten().filter_map(|file| file.ok()?.file_name().into_string().ok());
    let stem = |name: String| name.strip_suffix(ending).map(|stem| stem.trim_end_matches(".te2").to_owned());
    let whole = |stem: String| if stem.contains(".net") { stem } else { format!("{stem}.nettrace") };
    let mut names: Vec<String> = names.filter_map(stem).map(whole).collect();
    names.sort();
    names
}

/// Returns a recording with its reference output, if available.
pub(crate) fn recording(name: &str) -> Option<Recording> {
    let folder = folder();
    if LARGE.contains(&name) && std::env::var_os("TRACEGLASS_FULL").is_none() {
        println!("SKIPPED {name}: it is large");
        return None;
    }
    let plain = std::fs::read(folder.join(name)).ok();
    let zipped = || unzipped(&folder.join(format!("perfview/{name}.zip")));
    let Some(bytes) = plain.or_else(|| decompressed(&folder.join(format!("{name}.zst")))).or_else(zipped) else {
        println!("SKIPPED {name}: not there, or no zstd to decompress it");
        return None;
    };
    // If the newest version of the reference rejects a file, an older version read it.
    let output = |kind: &str| match json(&folder.join(format!("oracle/{name}.{kind}.json"))) {
        Value::Null => json(&folder.join(format!("oracle/{name}.te2.{kind}.json"))),
        found => found,
    };
    let [analysis, summary] = ["analysis", "summary"].map(output);
    Some(Recording { store: read(&bytes), bytes, analysis, summary, folder, name: name.to_owned() })
}

/// Returns the only file of an archive, decompressed.
fn unzipped(path: &Path) -> Option<Vec<u8>> {
    let archive = std::fs::read(path).ok()?;
    let length = |at: usize| Some(usize::from(u16::from_le_bytes([*archive.get(at)?, *archive.get(at + 1)?])));
    let start = 30 + length(26)? + length(28)?;
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::DeflateDecoder::new(archive.get(start..)?), &mut bytes).ok()?;
    Some(bytes)
}

/// Reads a JSON file; null if it doesn't exist.
fn json(path: &Path) -> Value {
    std::fs::read(path).map_or(Value::Null, |bytes| serde_json::from_slice(&bytes).expect("JSON"))
}

/// Returns the facts that the app wrote about itself; `None` if it wrote none.
pub(crate) fn truth(recording: &Recording) -> Option<Value> {
    let truth = json(&recording.folder.join(recording.name.replace(".nettrace", ".truth.json")));
    (!truth.is_null()).then_some(truth)
}

fn decompressed(path: &std::path::Path) -> Option<Vec<u8>> {
    let output = std::process::Command::new("zstd").arg("-dcq").arg(path).output().ok()?;
    output.status.success().then_some(output.stdout)
}

/// Returns all entries of a list that any process of the reference may have.
pub(crate) fn listed<'a>(analysis: &'a Value, key: &'a str) -> impl Iterator<Item = &'a Value> {
    let processes = analysis["processes"].as_array().into_iter().flatten();
    processes.flat_map(move |process| process[key].as_array().into_iter().flatten())
}

pub(crate) fn ms(nanos: i64) -> f64 {
    nanos as f64 / 1e6
}

fn is_near(ours: f64, theirs: f64) -> bool {
    (ours - theirs).abs() < 0.002
}

/// The reference's names of GC types.
const GC_TYPES: [&str; 3] = ["NonConcurrentGC", "BackgroundGC", "ForegroundGC"];

/// Returns the reference's name of a reason (GCReason).
fn reason_name(reason: u32) -> &'static str {
    match reason {
        0 => "AllocSmall",
        1 => "Induced",
        4 => "AllocLarge",
        7 => "InducedNotForced",
        10 => "InducedCompacting",
        17 => "17",
        _ => "not in these recordings",
    }
}

/// Returns the nanoseconds of a pause by the reference's definition: until restart end, when the GC's thread ran again.
fn until_restarted(one: &Gc) -> i64 {
    one.sum(|pause| pause.restarted.unwrap_or(pause.end) - pause.start)
}

fn suspension(one: &Gc) -> i64 {
    one.pauses.iter().map(|pause| pause.suspended.map_or(0, |suspended| suspended - pause.start)).sum()
}

fn heap_sizes(reference: &Value) -> Option<[u64; 5]> {
    let stats = reference["heapStats"].as_object()?;
    Some(["gen0", "gen1", "gen2", "loh", "poh"].map(|key| stats[key].as_u64().expect(key)))
}

/// Returns the GCs that differ from the reference.
fn differing(ours: &[Gc], analysis: &Value) -> Vec<u64> {
    let differs = |reference: &&Value| {
        let number = reference["number"].as_u64().unwrap_or(0);
        let Some(one) = ours.iter().find(|one| u64::from(one.number) == number) else { return true };
        !is_near(ms(until_restarted(one)), reference["pauseDurationMs"].as_f64().unwrap_or(0.0))
            || !is_near(ms(one.first_known()), reference["pauseStartRelMs"].as_f64().unwrap_or(0.0))
            || !is_near(ms(suspension(one)), reference["suspendDurationMs"].as_f64().unwrap_or(0.0))
            || reference["generation"].as_u64() != Some(one.generation.into())
            || reference["type"].as_str() != GC_TYPES.get(usize::from(one.kind)).copied()
            || reason_name(one.reason) != reference["reason"].as_str().unwrap_or("")
            || one.heap.map(|heap| heap.sizes) != heap_sizes(reference)
    };
    listed(analysis, "gcs").filter(differs).filter_map(|reference| reference["number"].as_u64()).collect()
}

/// Returns number and milliseconds of the GC with the longest pause.
fn longest(gcs: &[Gc]) -> Option<(u32, f64)> {
    let longest = gcs.iter().max_by_key(|one| until_restarted(one))?;
    Some((longest.number, (ms(until_restarted(longest)) * 100.0).round() / 100.0))
}

fn check_collections(name: &str, count: usize, worst: Option<(u32, f64)>, known_differences: &[u64]) {
    let Some(recording) = recording(name) else { return };
    let ours = gcs_of(&recording.store, &recording.bytes).expect("payloads");
    assert_eq!(ours.len(), count, "{name}");
    let differing = differing(&ours, &recording.analysis);
    assert_eq!((longest(&ours), differing.as_slice()), (worst, known_differences), "{name}");
}

/// The differences are background GCs. If one shares a pause with a foreground GC, the reference includes only the
/// suspend time, Traceglass also the time until the foreground GC starts. In gc-net10 4 and 5, the whole GC ran inside
/// its pause, of which the reference sees only the suspension.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn gc_pauses_match_reference() {
    check_collections("orders-net31.nettrace", 53, Some((39, 203.39)), &[49]);
    check_collections("web-net10.nettrace", 11, Some((8, 6.42)), &[]);
    check_collections("cpu-net10.nettrace", 248, Some((1, 34.62)), &[]);
    check_collections("firehose-net31.nettrace", 1325, Some((153, 17.37)), &[100, 411, 669, 849, 972, 1279]);
    check_collections("gc-net10.nettrace", 40, Some((38, 70.56)), &[4, 5, 14]);
    check_collections("aot-net9.nettrace", 27, Some((25, 2.39)), &[]);
    check_collections("web-net8.nettrace", 3, Some((2, 4.70)), &[]);
    check_collections("web-net9.nettrace", 4, Some((3, 21.21)), &[]);
    check_collections("heapdump-net10.nettrace", 1, Some((1, 2.91)), &[]);
    // The reference stops at the first truncated block: its last GC is incomplete.
    check_collections("truncated-net31.nettrace", 42, Some((39, 203.39)), &[20]);
    check_collections("big-net10.nettrace", 2, Some((1, 8.98)), &[]);
    // The reference lacks three of them, and a pause of 8 that began while one of the three was waiting: its flaw 13.
    check_collections("orders-net21.netperf", 90, Some((2, 72.12)), &[8, 15, 39, 61, 69, 76, 85]);
    check_collections("short-net10.nettrace", 0, None, &[]);
}

/// Every recording with an analysis by the reference is compared, here or in the tests of tracks.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn every_reference_analysis_is_compared() {
    let compared = include_str!("reference.rs");
    for name in recordings_with(".analysis.json") {
        assert!(compared.contains(&format!("\"{name}\"")), "{name}: pauses");
        assert!(RECORDINGS.iter().chain(&CUT).any(|compared| *compared == name), "{name}: tracks");
    }
}

/// Recordings in which all GCs match the reference's analysis.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn gc_pauses_of_other_recordings_match_reference() {
    for name in [
        "HeartRateMonitor.10068.nettrace",
        "mixed_managed_external_samples.nettrace",
        "eventpipe-dotnetcore2.0-linux-objver2.netperf",
        "eventpipe-dotnetcore2.1-linux-x64-objver3.netperf",
        "eventpipe-dotnetcore2.1-linux-x64-tracelogging.netperf",
        "eventpipe-dotnetcore3.0-win-x64-objver4.nettrace",
        "eventpipe-dotnetcore5.0-win-x64-arraytypes.nettrace",
        "eventpipe-dotnetcore6.0-win-x64-executioncheckpoints.nettrace",
        "cut-net10.nettrace",
        "dropped-net31.nettrace",
        "drops-net10.nettrace",
        "norundown-net10.nettrace",
        "orders-v6.nettrace",
        "cpu-v6-net10.nettrace",
    ] {
        let Some(recording) = recording(name) else { continue };
        let ours = gcs_of(&recording.store, &recording.bytes).expect("payloads");
        let theirs = listed(&recording.analysis, "gcs").count();
        assert_eq!((ours.len(), differing(&ours, &recording.analysis)), (theirs, vec![]), "{name}");
    }
}

/// Returns the total uncapped time to the next sample, for a thread's samples in one state.
fn uncapped(samples: &SampleIndex, store: &Store, os_thread: u64, managed: bool) -> f64 {
    let threads = store.threads.iter().filter(|thread| thread.os_thread == os_thread);
    let of = |samples: &ThreadSamples| -> i64 {
        (0..samples.len())
            .filter(|&index| samples.is_managed(index) == managed)
            .map(|index| samples.interval(index))
            .sum()
    };
    threads.map(|thread| ms(of(samples.thread(thread.id)))).sum()
}

fn check_samples(name: &str, busiest: u64) {
    let Some(recording) = recording(name) else { return };
    let store = &recording.store;
    let samples = SampleIndex::build(store).expect("memory");
    let first = busiest_first(store, &samples, None)[0].thread;
    assert_eq!(store.threads.get(first).map(|thread| thread.os_thread), Some(busiest), "{name}");
    let mut compared = 0;
    for thread in listed(&recording.analysis, "threads").filter(|thread| thread["samples"].is_object()) {
        let os_thread = thread["thread"].as_u64().expect("id");
        for (key, managed) in [("managedMs", true), ("externalMs", false)] {
            let theirs = thread["samples"][key].as_f64().expect(key);
            let ours = uncapped(&samples, store, os_thread, managed);
            // The reference adds up milliseconds as floating-point numbers.
            assert!((ours - theirs).abs() < 0.05, "{name}: thread {os_thread} {key}: {ours} and {theirs}");
            compared += 1;
        }
    }
    assert!(compared >= 4, "{name}: {compared} compared");
    check_folded(&recording, &samples, &call_nodes(store));
}

/// Compares folded stacks with the reference, except for differences in letter case.
fn check_folded(recording: &Recording, samples: &SampleIndex, nodes: &CallNodes) {
    for (only_managed, kind) in [(false, "stacks"), (true, "stacks-managed")] {
        let path = recording.folder.join(format!("oracle/{}.{kind}.folded.gz", recording.name));
        let Ok(output) = std::process::Command::new("gzip").arg("-dc").arg(&path).output() else {
            println!("SKIPPED {}: no gzip", path.display());
            return;
        };
        let sorted = |text: String| {
            let mut lines: Vec<String> = text.lines().map(str::to_lowercase).collect();
            lines.sort();
            lines
        };
        let theirs = sorted(String::from_utf8(output.stdout).expect("UTF-8"));
        let choice = if only_managed { SampleChoice::Managed } else { SampleChoice::All };
        let rows = recording.store.events.len();
        let all = Selection::of_range(0..rows, rows);
        let chosen = ChosenSamples::new(&all, choice, &Weight::Count);
        let ours = sorted(folded_stacks(&recording.store, samples, nodes, chosen, raw_names(&recording.store)));
        let missing = theirs.iter().filter(|line| ours.binary_search(line).is_err()).count();
        let extra = ours.iter().filter(|line| theirs.binary_search(line).is_err()).count();
        assert_eq!((missing, extra), (0, 0), "{} {kind}: of {} stacks", recording.name, theirs.len());
        let tree = TopDown::plain(nodes.clone().into(), call_tree(samples, nodes, chosen).into());
        assert_eq!(by_method(&recording.store, &tree), by_method_of(&theirs), "{} {kind}", recording.name);
    }
}

/// Inclusive and exclusive weights of methods, by lowercase name.
type ByMethod = BTreeMap<String, (u64, u64)>;

fn by_method(store: &Store, tree: &TopDown) -> ByMethod {
    let name = raw_names(store);
    let mut weights = ByMethod::new();
    for one in function_weights(tree, FunctionOrder::Exclusive) {
        let weight = weights.entry(name(one.function).replace(';', ":").to_lowercase()).or_default();
        *weight = (weight.0 + one.inclusive, weight.1 + one.exclusive);
    }
    weights
}

/// Returns the weights in lines of the form `thread 4711;root;…;leaf weight`.
fn by_method_of(lines: &[String]) -> ByMethod {
    let mut weights = ByMethod::new();
    for line in lines {
        let (stack, weight) = line.rsplit_once(' ').expect("a weight");
        let weight: u64 = weight.parse().expect("a number");
        let frames: Vec<&str> = stack.split(';').skip(1).collect();
        for frame in frames.iter().collect::<BTreeSet<_>>() {
            weights.entry((*frame).to_owned()).or_default().0 += weight;
        }
        if let Some(leaf) = frames.last() {
            weights.entry((*leaf).to_owned()).or_default().1 += weight;
        }
    }
    weights
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn sampled_times_and_stacks_match_reference() {
    check_samples("orders-net31.nettrace", 6712);
    check_samples("web-net10.nettrace", 928);
    check_samples("cpu-net10.nettrace", 1236);
    check_samples("firehose-net31.nettrace", 6738);
}

/// The samples represent CPU time; stacks are compared in `tests/native/reference`.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn cpu_samples_of_machine_wide_traces_are_samples() {
    for (name, count) in [("orders-v6.nettrace", 7215), ("cpu-v6-net10.nettrace", 5586)] {
        let Some(recording) = recording(name) else { continue };
        let samples = SampleIndex::build(&recording.store).expect("memory");
        assert_eq!(samples.count(), count, "{name}");
        let managed = |index: &usize, one: &ThreadSamples| one.is_managed(*index);
        let managed: usize =
            samples.iter().map(|(_, one)| (0..one.len()).filter(|index| managed(index, one)).count()).sum();
        assert!(managed > 500 && managed < count as usize, "{name}: {managed} end in managed code");
        let time: i64 = samples.iter().map(|(_, one)| (0..one.len()).map(|index| one.weight(index)).sum::<i64>()).sum();
        let most = recording.store.full_span.duration() * i64::from(recording.store.header.processor_count);
        println!("{name}: {} of {} ms of processor time", ms(time), ms(most));
        assert!(time > most / 10 && time <= most, "{name}: more than the processors have");
    }
}

/// Capture thread, sequence number and CPU of events are read again from their blocks. Rows and the reference's lines
/// are in the same order.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn event_origins_match_reference() {
    for name in ["orders-net31.nettrace", "cpu-v6-net10.nettrace"] {
        let Some(recording) = recording(name) else { continue };
        let path = recording.folder.join(format!("oracle/{name}.events.jsonl.gz"));
        let file = std::fs::File::open(path).expect("the reference");
        let lines = BufReader::new(flate2::read::GzDecoder::new(file)).lines();
        let mut compared = 0;
        for (line, row) in lines.step_by(37).zip((0..).step_by(37)).take(300) {
            let event: Value = serde_json::from_str(&line.expect("text")).expect("JSON");
            let origin = recording.store.origin(EventId(row), &recording.bytes).expect("readable").expect("an origin");
            assert_eq!(Some(u64::from(origin.sequence)), event["seq"].as_u64(), "{name} {row}");
            assert_eq!(origin.processor.map(u64::from), event["processor"].as_u64(), "{name} {row}");
            // The reference omits a capture thread that is the event's own thread.
            let of_event = if event["captureThread"].is_null() { &event["thread"] } else { &event["captureThread"] };
            assert_eq!(Some(origin.capture_thread), of_event.as_u64(), "{name} {row}");
            let writer = recording.store.writers.get(recording.store.events.row(EventId(row)).writer);
            assert_eq!(writer.cpu.map(u64::from), event["processor"].as_u64(), "{name} {row}");
            assert_eq!(writer.capture_thread, event["captureThread"].as_u64(), "{name} {row}");
            compared += 1;
        }
        assert_eq!(compared, 300, "{name}");
    }
}
