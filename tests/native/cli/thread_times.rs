//! `traceglass summary`: time of threads by state, in recordings whose programs or events measured the same.

use crate::common::cli::traceglass;
use crate::common::recordings::{recording, traces};
use serde_json::Value;
use std::path::Path;

/// Returns the seconds in a state.
fn seconds(summary: &Value, state: &str) -> f64 {
    summary["threadTimeNs"][state].as_f64().unwrap_or(0.0) / 1e9
}

fn summary(file: &Path) -> Value {
    serde_json::from_str(&traceglass(&["summary", "--json"], file)).expect("JSON")
}

/// Returns the cost of a finding in seconds, if it is reported.
fn cost(summary: &Value, finding: &str) -> Option<f64> {
    let found = summary["findings"].as_array().expect("findings").iter().find(|one| one["finding"] == finding)?;
    Some(found["cost"].as_f64().expect("a number") / 1e9)
}

fn assert_near(value: f64, expected: f64, about: &str) {
    assert!((value - expected).abs() <= 0.02 * expected, "{about}: {value}, not {expected}");
}

/// Idle workers of .NET Core 3.1 and finalizer threads have no managed frames, so they have few samples. Their share of
/// the sampler's 3,400 rounds is the time that they ran.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn threads_without_samples_are_idle() {
    let Some(traces) = traces() else { return };
    let Some(file) = recording(&traces, "firehose-net31.nettrace") else { return };
    let firehose = summary(&file);
    let running: f64 = ["managed", "native", "jit"].iter().map(|state| seconds(&firehose, state)).sum();
    assert_near(running, 92.7, "running");
    assert_near(cost(&firehose, "cpu-saturation").expect("a finding"), 51.0, "time waiting for one of two CPUs");
    assert!(seconds(&firehose, "not-sampled") < 0.1, "the sampler is silent for 42 ms at most");
    for finding in ["sampling-gap", "finalizer-backlog"] {
        assert_eq!(cost(&firehose, finding), None, "{finding}");
    }
    let of_thread = |thread: &str| {
        let weights = ["stacks", "--activity", "running", "--filter", &format!("thread:{thread}")];
        let folded = traceglass(&weights, &file);
        let nanos = folded.lines().filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok());
        nanos.sum::<f64>() / 1e9
    };
    // The sum of its 967 recorded runs is 0.263 s, of which some were paused by the GC.
    let finalizers = of_thread("6733");
    assert!((0.20..0.27).contains(&finalizers), "finalizers: {finalizers}");
    // By their share of the rounds 0.62, 0.70 and 0.94 s; without managed frames, they also compile methods.
    for (worker, expected) in [("6750", 0.6..1.0), ("6745", 0.6..0.8), ("6748", 0.9..1.8)] {
        let running = of_thread(worker);
        assert!(expected.contains(&running), "worker {worker}: {running}, not {expected:?}");
    }
}

/// Truth: cpu-net10 had no contentions; drops-net10 had four, for 8.31 ms.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn lock_waits_are_recorded_waits() {
    let Some(traces) = traces() else { return };
    let of = |name| recording(&traces, name).map(|file| seconds(&summary(&file), "lock"));
    assert_eq!(of("cpu-net10.nettrace"), Some(0.0));
    assert!(of("drops-net10.nettrace").is_some_and(|seconds| seconds < 0.0084), "{:?}", of("drops-net10.nettrace"));
    let web = summary(&traces.join("web-net10.nettrace.zst"));
    assert_near(seconds(&web, "lock"), cost(&web, "lock-contention").expect("a finding"), "the same on one page");
}

/// The sampler reports nearly all samples of .NET 9 as outside managed code.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn computing_methods_run_managed_code() {
    let Some(traces) = traces() else { return };
    let web = summary(&traces.join("web-net9.nettrace"));
    assert!(seconds(&web, "managed") > 7.0 * seconds(&web, "native"), "{}", web["threadTimeNs"]);
}

/// Preempted threads could run: 5.7 s in interrupts, 0.8 s after system calls. Others yield their CPU.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn preempted_threads_wait_for_cpu() {
    let Some(traces) = traces() else { return };
    let Some(orders) = recording(&traces, "orders-v6.nettrace").map(|file| summary(&file)) else { return };
    assert_near(seconds(&orders, "ready"), 8.34, "waiting for a CPU");
    assert_near(seconds(&orders, "lock"), 5.22, "waiting for a lock");
    assert_near(seconds(&orders, "blocked"), 3.19, "blocked");
}
