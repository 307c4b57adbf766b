//! Stacks over time, compared with the reference reader's conversion to the same format.
//!
//! The reference reader also assigns time to stacks of other events: task events move it to the thread that created the
//! task, and allocation and task events count as samples. So only threads without such events are compared. For the
//! others, see `docs/reference-differences.md`.

use super::{recording, traces, unpacked};
use crate::common::cli::traceglass;
use crate::common::speedscope::validate;
use engine::model::Store;
use engine::session::Loader;
use engine::session::container::native::{Native, Part, block_on, load};
use engine::session::container::{Unwrapped, unwrap};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

/// Maximum difference of sums in milliseconds: the reference reader adds weights in single precision.
const TOLERANCE_MS: f64 = 0.06;

/// Stacks of a thread with milliseconds, and all names of frames.
#[derive(Default)]
struct Thread {
    stacks: BTreeMap<Vec<String>, f64>,
    names: BTreeSet<String>,
}

impl Thread {
    fn total(&self) -> f64 {
        self.stacks.values().sum()
    }
}

/// Returns the threads by the ID in the names of their profiles. Time without open frames belongs to the previous
/// stack, because the reference reader doesn't limit the duration of samples.
fn threads(file: &Value, unit_ms: f64, frames_of: impl Fn(&[&str]) -> Vec<String>) -> BTreeMap<u64, Thread> {
    let list = |value: &'_ Value| value.as_array().cloned().unwrap_or_default();
    let names: Vec<String> = list(&file["shared"]["frames"])
        .iter()
        .map(|frame| frame["name"].as_str().unwrap_or("").to_lowercase())
        .collect();
    let mut threads = BTreeMap::<u64, Thread>::new();
    for profile in list(&file["profiles"]) {
        let name = profile["name"].as_str().unwrap_or("");
        let id = name.split(|character: char| !character.is_ascii_digit()).find(|digits| !digits.is_empty());
        let thread = threads.entry(id.and_then(|id| id.parse().ok()).expect("a thread's id")).or_default();
        let (mut open, mut now, mut stack) = (Vec::<&str>::new(), f64::NAN, Vec::new());
        for event in list(&profile["events"]) {
            let at = event["at"].as_f64().expect("a time") * unit_ms;
            if at > now {
                if !open.is_empty() {
                    stack = frames_of(&open);
                }
                *thread.stacks.entry(stack.clone()).or_default() += at - now;
            }
            now = at;
            let frame = names[event["frame"].as_u64().expect("a frame") as usize].as_str();
            if event["type"] == "O" {
                thread.names.insert(frame.to_owned());
                open.push(frame);
            } else {
                open.pop();
            }
        }
    }
    threads
}

/// Returns the resolved frames: the reference reader omits others.
fn named<'f>(frames: impl IntoIterator<Item = &'f &'f str>) -> Vec<String> {
    let is_unresolved =
        |frame: &str| frame.split_once('!').is_some_and(|(_, name)| name == "?" || name.starts_with("0x"));
    frames.into_iter().filter(|frame| !is_unresolved(frame)).map(|frame| (*frame).to_owned()).collect()
}

fn ours(frames: &[&str]) -> Vec<String> {
    named(frames.iter().filter(|frame| **frame != "(no stack)"))
}

/// Returns frames without those of process, thread and kind of time.
fn theirs(frames: &[&str]) -> Vec<String> {
    let below = frames.iter().position(|frame| frame.starts_with("thread (")).map_or(0, |at| at + 1);
    named(frames[below..].iter().filter(|frame| !matches!(**frame, "cpu_time" | "unmanaged_code_time")))
}

fn opened(path: &Path) -> Store {
    let file = Arc::new(std::fs::File::open(path).expect("a recording"));
    let Ok(Unwrapped::One(packed)) = block_on(unwrap(&Native, Part::whole(file), None)) else {
        panic!("{} holds no trace", path.display());
    };
    load(Loader::new(), packed).expect("a trace").0.finish().expect("a trace")
}

/// Returns the threads with events that the reference reader counts as samples.
fn threads_with_other_events(store: &Store) -> BTreeSet<u64> {
    let runtime = "Microsoft-Windows-DotNETRuntime";
    let tasks = "System.Threading.Tasks.TplEventSource";
    let counts: Vec<bool> = store
        .types
        .iter()
        .map(|one| match one.provider.as_str() {
            // Allocations: per amount, and sampled.
            provider if provider == runtime => matches!(one.record.event_id, 10 | 20 | 32 | 303),
            // Tasks: scheduled, started, waited for, continued.
            provider if provider == tasks => matches!(one.record.event_id, 7 | 8 | 10 | 11 | 12),
            _ => false,
        })
        .collect();
    let mut found = BTreeSet::new();
    for chunk in store.events.chunks() {
        for row in 0..chunk.len() {
            if counts[chunk.event_type(row).0 as usize] {
                found.extend(store.threads.get(chunk.thread(row)).map(|thread| thread.os_thread));
            }
        }
    }
    found
}

/// Times per thread and stack match the reference reader's.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn threads_without_tasks_match_reference_times() {
    let Some(traces) = traces() else { return };
    // Recording, threads in the reference reader's file, threads compared. The others have tasks or allocations.
    for (name, in_reference, expected) in [
        ("HeartRateMonitor.10068.nettrace", 2, 2),
        ("big-net10.nettrace", 65, 1),
        ("cpu-net10.nettrace", 15, 15),
        ("cut-net10.nettrace", 9, 9),
        ("drops-net10.nettrace", 14, 14),
        ("eventpipe-dotnetcore3.0-win-x64-objver4.nettrace", 13, 0),
        ("firehose-net31.nettrace", 16, 5),
        ("mixed_managed_external_samples.nettrace", 1, 1),
        ("norundown-net10.nettrace", 7, 7),
        ("orders-net21.netperf", 11, 5),
        ("orders-net31.nettrace", 14, 2),
        ("short-net10.nettrace", 1, 1),
        ("web-net10.nettrace", 37, 7),
        ("web-net8.nettrace", 32, 7),
        ("web-net9.nettrace", 39, 8),
    ] {
        let Some(path) = recording(&traces, name) else { continue };
        let file: Value =
            serde_json::from_str(&traceglass(&["stacks", "--format", "speedscope"], &path)).expect("JSON");
        validate(&file).unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
        let reference: Value =
            serde_json::from_str(&unpacked(&traces.join(format!("oracle/{name}.speedscope.json.gz")))).expect("JSON");
        let (ours, theirs) = (threads(&file, 1e-6, ours), threads(&reference, 1.0, theirs));
        let others = threads_with_other_events(&opened(&path));
        let has_tasks = |thread: &Thread| {
            ["starting task", "await_time", "(activities)"].iter().any(|frame| thread.names.contains(*frame))
        };
        let alike: Vec<u64> = theirs
            .iter()
            .filter(|(id, thread)| !others.contains(id) && !has_tasks(thread))
            .map(|(id, _)| *id)
            .collect();
        for id in &alike {
            let (ours, theirs) = (&ours[id], &theirs[id]);
            assert!((ours.total() - theirs.total()).abs() < TOLERANCE_MS, "{name}, thread {id}");
            for stack in ours.stacks.keys().chain(theirs.stacks.keys()) {
                let [here, there] = [ours, theirs].map(|thread| thread.stacks.get(stack).copied().unwrap_or(0.0));
                assert!((here - there).abs() < TOLERANCE_MS, "{name}, thread {id}: {here} and {there} ms in {stack:?}");
            }
        }
        println!("{name}: {} of {} threads", alike.len(), theirs.len());
        assert_eq!((theirs.len(), alike.len()), (in_reference, expected), "{name}");
    }
}

/// The conversion of 2.0.56, the last version that reads netperf 2, closes frames that aren't open, so it can't be
/// compared.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn netperf_2_reference_export_is_not_nested() {
    let Some(traces) = traces() else { return };
    let path = traces.join("oracle/eventpipe-dotnetcore2.0-linux-objver2.netperf.te2.speedscope.json.gz");
    let reference: Value = serde_json::from_str(&unpacked(&path)).expect("JSON");
    assert!(validate(&reference).is_err());
}
