//! Exports of stacks: each file is valid for its reader, and all have the same content.

mod firefox;
mod grouped;
mod pprof;

use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Number of samples (or nanoseconds) by thread and number of functions on the stack.
type ByDepth = BTreeMap<(u64, usize), u64>;

const FIXTURES: [&str; 5] = [
    "tests/fixtures/orders-net31.nettrace.gz",
    "tests/fixtures/short-net10.nettrace.gz",
    "tests/fixtures/orders-net21.netperf.gz",
    "tests/fixtures/cpu-v6-net10.nettrace.gz",
    "tests/fixtures/cut-net10.nettrace.gz",
];

fn fixtures() -> impl Iterator<Item = PathBuf> {
    FIXTURES.into_iter().map(|name| crate::common::root().join(name))
}

/// Returns the output of `traceglass stacks`.
fn export(path: &Path, options: &[&str]) -> Vec<u8> {
    let arguments = [OsString::from("stacks"), path.into()].into_iter().chain(options.iter().map(OsString::from));
    let (mut output, mut notes) = (Vec::new(), Vec::new());
    let code = cli::run(arguments, &mut output, &mut notes);
    assert_eq!(code, 0, "{}", String::from_utf8_lossy(&notes));
    output
}

fn json(path: &Path, options: &[&str]) -> Value {
    serde_json::from_slice(&export(path, options)).expect("JSON")
}

/// Returns folded stacks, the basis of the comparison.
fn folded(path: &Path, options: &[&str]) -> ByDepth {
    let mut sums = ByDepth::new();
    for line in String::from_utf8(export(path, options)).expect("UTF-8").lines() {
        let (stack, weight) = line.rsplit_once(' ').expect("a weight");
        let mut parts = stack.split(';');
        let thread = parts.next().and_then(|thread| thread.strip_prefix("thread ")).expect("a thread");
        let key = (thread.parse().expect("a number"), parts.count());
        *sums.entry(key).or_default() += weight.parse::<u64>().expect("a number");
    }
    sums
}

#[test]
fn firefox_export_has_every_sample_with_stack() {
    for path in fixtures() {
        let file = json(&path, &["--format", "firefox"]);
        let found = firefox::validate(&file).unwrap_or_else(|wrong| panic!("{}: {wrong}", path.display()));
        assert_eq!(found.samples, folded(&path, &[]), "{}", path.display());
        assert!(found.functions > 0, "{}", path.display());
        let timed = firefox::validate(&json(&path, &["--format", "firefox", "--weight", "time"])).expect("a profile");
        let nanoseconds: u64 = folded(&path, &["--weight", "time"]).values().sum();
        let difference = (timed.weight_ms * 1e6 - nanoseconds as f64).abs();
        assert!(difference < 1000.0, "{}: {difference} ns", path.display());
    }
}

#[test]
fn pprof_export_has_every_stack_with_count_and_time() {
    for path in fixtures() {
        let profile = pprof::Profile::decode(&export(&path, &["--format", "pprof"]));
        let kinds: Vec<[&str; 2]> =
            profile.sample_types.iter().map(|kind| kind.map(|text| profile.text(text))).collect();
        assert_eq!(kinds, [["samples", "count"], ["wall", "nanoseconds"]]);
        assert_eq!(profile.by_depth(0), folded(&path, &[]), "{}", path.display());
        let (time, expected) = (profile.by_depth(1), folded(&path, &["--weight", "time"]));
        assert_eq!(time.values().sum::<u64>(), expected.values().sum::<u64>(), "{}", path.display());
        profile.check_references().unwrap_or_else(|wrong| panic!("{}: {wrong}", path.display()));
    }
}

#[test]
fn chrome_export_events_are_nested() {
    for path in fixtures() {
        let file = json(&path, &["--format", "chrome"]);
        assert!(matches!(file["displayTimeUnit"].as_str(), Some("ms" | "ns")));
        let mut open: BTreeMap<(u64, u64), (f64, Vec<String>)> = BTreeMap::new();
        let mut names = 0;
        for event in file["traceEvents"].as_array().expect("events") {
            let thread = (event["pid"].as_u64().expect("a process"), event["tid"].as_u64().expect("a thread"));
            let (now, stack) = open.entry(thread).or_insert_with(|| (f64::MIN, Vec::new()));
            match event["ph"].as_str() {
                Some("M") => {
                    assert!(matches!(event["name"].as_str(), Some("process_name" | "thread_name")), "{event}");
                    assert!(event["args"]["name"].is_string(), "{event}");
                    names += 1;
                }
                Some(phase @ ("B" | "E")) => {
                    let at = event["ts"].as_f64().expect("a time");
                    assert!(at >= *now, "{}: {at} after {now}", path.display());
                    assert!(event["cat"].as_str().is_some_and(|category| !category.is_empty()), "{event}");
                    *now = at;
                    let name = event["name"].as_str().expect("a name").to_owned();
                    match phase {
                        "B" => stack.push(name),
                        _ => assert_eq!(stack.pop(), Some(name), "what ends is what began last"),
                    }
                }
                other => panic!("{other:?}"),
            }
        }
        assert!(names > 0 && open.values().all(|(_, stack)| stack.is_empty()), "{}", path.display());
    }
}

#[test]
fn function_table_adds_up() {
    for path in fixtures() {
        let text = String::from_utf8(export(&path, &["--format", "csv"])).expect("UTF-8");
        let mut lines = text.split_terminator("\r\n");
        let head = "Function,Module,Tier,Inclusive (samples),Exclusive (samples),Stacks,First (ns),Last (ns)";
        assert_eq!(lines.next(), Some(head));
        let rows: Vec<[i64; 5]> = lines
            .map(|line| {
                let mut numbers: Vec<i64> =
                    line.rsplitn(6, ',').take(5).map(|field| field.parse().expect("a number")).collect();
                numbers.reverse();
                numbers.try_into().expect("five numbers")
            })
            .collect();
        let samples = folded(&path, &[]);
        let with_stack: u64 = samples.iter().filter(|((_, depth), _)| *depth > 0).map(|(_, count)| count).sum();
        let with_stack = i64::try_from(with_stack).expect("a number");
        assert_eq!(rows.iter().map(|[_, own, ..]| own).sum::<i64>(), with_stack, "{}", path.display());
        for [all, own, stacks, first, last] in &rows {
            assert!(own <= all && *all <= with_stack && first <= last, "{}", path.display());
            assert_eq!(stacks, all, "a sample is a stack");
            assert!(*stacks > 1 || first == last, "{}", path.display());
        }
        assert!(rows.is_sorted_by(|[_, one, ..], [_, next, ..]| one >= next), "the heaviest first");
    }
}

#[test]
fn native_samples_are_complement_of_managed() {
    for path in fixtures() {
        let count = |options: &[&str]| folded(&path, options).values().sum::<u64>();
        assert_eq!(count(&["--managed"]) + count(&["--native"]), count(&[]), "{}", path.display());
    }
}

/// Returns the sum of a payload field, and the number of events.
fn amounts(path: &Path, name: &str, field: &str) -> (u64, u64) {
    let arguments = ["events", "--json", "--payload"].map(OsString::from).into_iter().chain([path.into()]);
    let (mut output, mut notes) = (Vec::new(), Vec::new());
    assert_eq!(cli::run(arguments, &mut output, &mut notes), 0);
    let lines = String::from_utf8(output).expect("UTF-8");
    let events = lines.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let of_kind = events.filter(|event| event["name"] == name || event["event"] == name);
    of_kind.fold((0, 0), |(count, sum), event| {
        let value = &event["payload"][field];
        let value = value.as_u64().or_else(|| value.as_str()?.parse().ok());
        (count + 1, sum + value.expect("a number"))
    })
}

#[test]
fn event_weights_match_payloads_in_every_format() {
    const ALLOCATED: [&str; 4] = ["--source", "GC/AllocationTick", "--weight", "AllocationAmount64"];
    let path = fixtures().next().expect("a trace");
    let (count, bytes) = amounts(&path, "GC/AllocationTick", "AllocationAmount64");
    assert!(count > 1000 && bytes > 1 << 30, "{count} events, {bytes} bytes");
    let total = |options: &[&str]| folded(&path, options).values().sum::<u64>();
    assert_eq!((total(&ALLOCATED), total(&ALLOCATED[..2])), (bytes, count));
    let with_format = |format| [&["--format", format], &ALLOCATED[..]].concat();
    let profile = pprof::Profile::decode(&export(&path, &with_format("pprof")));
    let kinds: Vec<[&str; 2]> = profile.sample_types.iter().map(|kind| kind.map(|text| profile.text(text))).collect();
    assert_eq!(kinds, [["events", "count"], ["AllocationAmount64", "bytes"]]);
    assert_eq!((profile.by_depth(0).values().sum(), profile.by_depth(1).values().sum()), (count, bytes));
    let speedscope = json(&path, &with_format("speedscope"));
    let profiles = speedscope["profiles"].as_array().expect("profiles");
    let ends = profiles.iter().map(|profile| {
        assert_eq!((profile["type"].as_str(), profile["unit"].as_str()), (Some("sampled"), Some("bytes")));
        profile["endValue"].as_f64().expect("a number")
    });
    assert_eq!(ends.sum::<f64>(), bytes as f64);
    let firefox = firefox::validate(&json(&path, &with_format("firefox"))).expect("a profile");
    assert_eq!(firefox.samples.values().sum::<u64>(), count);
    let table = String::from_utf8(export(&path, &with_format("csv"))).expect("UTF-8");
    assert!(
        table.starts_with("Function,Module,Tier,Inclusive (bytes),Exclusive (bytes),Stacks,First (ns),Last (ns)\r\n")
    );
    // Every lock wait is an event with a duration.
    let waited = total(&["--source", "Contention/Start", "--weight", "time"]);
    assert!(waited > 1_000_000_000, "{waited} ns");
}

/// Number and total time of the waits for a lock, from the start of a thread's wait to its next stop.
#[test]
fn lock_waits_are_found_by_lock_id() {
    let path = std::env::temp_dir().join(format!("traceglass-lock-{}.nettrace", std::process::id()));
    let packed = std::fs::File::open(crate::common::root().join("www/samples/gc.nettrace.gz"));
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(packed.expect("a sample")).read_to_end(&mut bytes).expect("a whole gzip file");
    std::fs::write(&path, bytes).expect("room to unpack");
    let arguments = ["events", "--json", "--payload", "--filter", "event:Contention/"].map(OsString::from);
    let (mut output, mut notes) = (Vec::new(), Vec::new());
    let code = cli::run(arguments.into_iter().chain([path.clone().into()]), &mut output, &mut notes);
    assert_eq!(code, 0, "{}", String::from_utf8_lossy(&notes));
    let mut waiting = BTreeMap::new();
    let mut locks: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for line in String::from_utf8(output).expect("UTF-8").lines() {
        let event: Value = serde_json::from_str(line).expect("JSON");
        let now = event["ns"].as_u64().expect("a time");
        let thread = event["thread"].as_u64().expect("a thread");
        match event["name"].as_str() {
            Some("Contention/Start") => {
                waiting.insert(thread, (event["payload"]["LockID"].as_u64().expect("a lock"), now));
            }
            Some("Contention/Stop") => {
                let (lock, since) = waiting.remove(&thread).expect("a start");
                let (count, time) = locks.entry(lock).or_default();
                (*count, *time) = (*count + 1, *time + now - since);
            }
            _ => {}
        }
    }
    assert!(locks.len() == 5 && locks[&139_809_909_644_024] == (33_252, 6_169_807_521), "{locks:?}");
    for (lock, (count, time)) in [locks.first_key_value(), locks.last_key_value()].into_iter().flatten() {
        let filter = format!("payload.LockID={lock}");
        let total = |weight| {
            let options = ["--source", "Contention/Start", "--weight", weight, "--filter", &filter];
            folded(&path, &options).values().sum::<u64>()
        };
        assert_eq!((total("count"), total("time")), (*count, *time), "{lock}");
    }
    std::fs::remove_file(path).expect("what was unpacked");
}

/// A context switch has the time for which its thread was off CPU; CPU samples have the sampling period.
#[test]
fn machine_wide_threads_are_on_or_off_cpu() {
    let path = crate::common::root().join("www/samples/orders-v6.nettrace.gz");
    let (count, nanos) = amounts(&path, "cswitch", "Value");
    let total = |options: &[&str]| folded(&path, options).values().sum::<u64>();
    assert_eq!(total(&["--source", "cswitch", "--weight", "count"]), count);
    assert_eq!(total(&["--source", "cswitch", "--weight", "time"]), nanos);
    let running = total(&["--weight", "time", "--activity", "running"]);
    assert!(nanos > 60_000_000_000 && running < 8_000_000_000, "{running}");
    let all = total(&["--weight", "time"]);
    assert!(all > 60_000_000_000, "time off CPU counts, too: {all}");
}

#[test]
fn unknown_sources_are_named() {
    let path = fixtures().next().expect("a trace");
    for (options, code, words) in [
        (["--source", "Nobody/Nothing"], 2, "Microsoft-Windows-DotNETRuntime/GC/AllocationTick"),
        (["--source=GC/AllocationTick", "--weight=Address"], 2, "AllocationAmount64"),
        (["--source=GC/AllocationTick", "--format=chrome"], 1, "supports only samples"),
    ] {
        let arguments = [OsString::from("stacks"), path.clone().into()].into_iter().chain(options.map(OsString::from));
        let (mut output, mut notes) = (Vec::new(), Vec::new());
        assert_eq!(cli::run(arguments, &mut output, &mut notes), code);
        let notes = String::from_utf8_lossy(&notes).into_owned();
        assert!(notes.contains(words), "{notes}");
    }
}

/// Returns the exclusive weight of functions by name, module and tier.
fn alone(path: &Path, options: &[&str]) -> BTreeMap<String, f64> {
    let text = String::from_utf8(export(path, &[&["--format", "csv"], options].concat())).expect("UTF-8");
    let heads: Vec<&str> = text.lines().next().expect("a head").split(',').skip(3).collect();
    let mut sums = BTreeMap::new();
    for line in text.lines().skip(1) {
        let mut parts: Vec<&str> = line.rsplitn(heads.len() + 1, ',').collect();
        let name = parts.pop().expect("a name").to_owned();
        let numbers =
            heads.iter().zip(parts.iter().rev()).filter(|(head, _)| head.to_lowercase().contains("exclusive"));
        let weight: f64 = numbers.map(|(_, number)| number.parse::<f64>().expect("a number")).sum();
        *sums.entry(name).or_default() += weight;
    }
    sums
}

#[test]
fn part_and_complement_add_up() {
    for path in fixtures() {
        let whole = alone(&path, &["--weight", "time"]);
        let part = ["--weight", "time", "--filter", "time:100ms..600ms"];
        let compared = alone(&path, &[&part[..], &["--baseline", "rest", "--amounts"]].concat());
        assert_eq!(whole, compared, "{}", path.display());
        let of_part: f64 = alone(&path, &part).values().sum();
        assert!(of_part < whole.values().sum(), "{}", path.display());
        let lines = String::from_utf8(export(&path, &["--filter", "time:100ms..600ms", "--baseline", "time:..100ms"]))
            .expect("UTF-8");
        let sides = lines.lines().map(|line| {
            let mut numbers = line.rsplit(' ').map(|number| number.parse::<f64>().expect("a number"));
            [numbers.next().expect("now"), numbers.next().expect("the baseline")]
        });
        let [now, baseline] = sides.fold([0.0, 0.0], |sum, side| [sum[0] + side[0], sum[1] + side[1]]);
        assert!(
            now == 0.0 || baseline == 0.0 || (now - baseline).abs() < 0.01,
            "shares are compared: {now}, {baseline}"
        );
    }
}

#[test]
fn folded_export_keeps_total() {
    let shown = [
        "--mine",
        "--merge-recursion",
        "--frames",
        "classes",
        "--group",
        "Monitor=>locks;{%}!System->$1",
        "--fold",
        "Task",
    ];
    let mut functions = Vec::new();
    for path in fixtures() {
        for weight in ["count", "time"] {
            let total = |options: &[&str]| -> u64 {
                folded(&path, &[&["--weight", weight], options].concat()).values().sum() //
            };
            assert_eq!(total(&[]), total(&shown), "{}", path.display());
        }
        let whole = firefox::validate(&json(&path, &["--format", "firefox"])).expect("a profile");
        let found =
            firefox::validate(&json(&path, &[&["--format", "firefox"], &shown[..]].concat())).expect("a profile");
        assert_eq!(found.samples, folded(&path, &shown), "{}", path.display());
        functions.push((found.functions, whole.functions));
    }
    assert!(functions.iter().all(|(found, whole)| found <= whole), "{functions:?}");
    assert!(functions.iter().filter(|(found, whole)| found < whole).count() >= 3, "{functions:?}");
}
