//! Exports of stacks with root frames, with symbols from files, and with folding.

use super::{export, fixtures};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Returns distinct stacks with their weights.
fn lines(path: &Path, options: &[&str]) -> BTreeMap<String, u64> {
    let text = String::from_utf8(export(path, options)).expect("UTF-8");
    let line = |line: &str| {
        let (stack, weight) = line.rsplit_once(' ').expect("a weight");
        (stack.to_owned(), weight.parse().expect("a number"))
    };
    text.lines().map(line).collect()
}

fn total(path: &Path, options: &[&str]) -> u64 {
    lines(path, options).values().sum()
}

fn outermost(path: &Path, options: &[&str]) -> BTreeSet<String> {
    lines(path, options).into_keys().map(|stack| stack.split(';').next().unwrap_or_default().to_owned()).collect()
}

fn repository(path: &str) -> PathBuf {
    crate::common::root().join(path)
}

#[test]
fn grouped_stacks_have_root_frames() {
    for path in fixtures() {
        for by in ["process", "thread", "role", "activity"] {
            assert_eq!(total(&path, &["--by", by]), total(&path, &[]), "{by}, {}", path.display());
        }
        let threads = outermost(&path, &["--by", "thread"]);
        assert_eq!(threads.len(), outermost(&path, &[]).len(), "{}", path.display());
        assert!(outermost(&path, &["--by", "role"]).len() <= threads.len(), "{}", path.display());
    }
}

#[test]
fn perf_map_option_names_code() {
    let path = repository("tests/fixtures/orders-net31.nettrace.gz");
    let is_unnamed = |stack: &String| stack.contains("?!0x");
    let unnamed = |options: &[&str]| lines(&path, options).keys().filter(|stack| is_unnamed(stack)).count();
    let stacks = lines(&path, &[]);
    let addresses = stacks.keys().flat_map(|stack| stack.split(';')).filter_map(|frame| frame.strip_prefix("?!0x"));
    let map: String = addresses.map(|address| format!("{address} 1 helper\n")).collect();
    let folder = std::env::temp_dir().join(format!("traceglass-symbols-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("perf-6702.map");
    std::fs::write(&file, map).expect("a file");
    let symbols = file.to_str().expect("a path");
    assert!(unnamed(&[]) > 0);
    assert_eq!(unnamed(&["--symbols", symbols]), 0);
    assert_eq!(total(&path, &["--symbols", symbols]), total(&path, &[]));
    std::fs::remove_dir_all(&folder).expect("removed");
}

/// The process of this recording was killed, so methods that were compiled before it have no names.
#[test]
fn unresolved_code_is_one_frame() {
    let path = repository("tests/fixtures/cut-net10.nettrace.gz");
    assert!(lines(&path, &[]).keys().filter(|stack| stack.contains("?!0x")).count() > 20);
    let together = lines(&path, &["--mine"]);
    assert_eq!(together.keys().filter(|stack| stack.contains("?!0x")).count(), 0);
    assert!(together.keys().any(|stack| stack.ends_with(";(unresolved)")), "{together:?}");
    assert_eq!(together.values().sum::<u64>(), total(&path, &[]));
}

#[test]
fn async_methods_form_one_chain() {
    let path = repository("www/samples/web.nettrace.gz");
    let (whole, chains) = (lines(&path, &[]), lines(&path, &["--mine"]));
    assert_eq!(whole.values().sum::<u64>(), chains.values().sum::<u64>());
    let linked: Vec<&String> = chains.keys().filter(|stack| stack.contains(";(awaited by);")).collect();
    assert!(!linked.is_empty(), "no async method goes on after another one");
    let plumbing = ["AsyncMethodBuilderCore.Start", "+AsyncStateMachineBox", ".ExecutionContextCallback"];
    let with_plumbing = |stack: &&String| {
        let before_the_last = stack.rsplit_once(".MoveNext()").map_or("", |(before, _)| before);
        plumbing.iter().any(|name| before_the_last.contains(name))
    };
    let left: Vec<&String> = chains.keys().filter(with_plumbing).collect();
    assert!(left.is_empty(), "frames of the runtime between async methods are excluded: {left:?}");
}

/// The task library in this recording reports the stack that scheduled or awaited the work of a thread.
#[test]
fn stitched_work_is_below_its_scheduler() {
    let path = repository("tests/fixtures/orders-net31.nettrace.gz");
    let stitched = lines(&path, &["--stitch"]);
    assert_eq!(stitched.values().sum::<u64>(), total(&path, &[]));
    let below: Vec<&str> = stitched
        .keys()
        .filter_map(|stack| stack.split_once(";(later, on the thread pool);"))
        .map(|(_, below)| below)
        .collect();
    assert!(!below.is_empty(), "nothing stands below what scheduled it");
    let whole: BTreeSet<String> =
        lines(&path, &[]).into_keys().filter_map(|stack| Some(stack.split_once(';')?.1.to_owned())).collect();
    let last = |stack: &str| stack.rsplit(";(later, on the thread pool);").next().unwrap_or_default().to_owned();
    assert!(below.iter().all(|stack| whole.contains(&last(stack))), "what runs is what ran");
}

#[test]
fn export_format_follows_file_name() {
    let path = repository("tests/fixtures/short-net10.nettrace.gz");
    let file = std::env::temp_dir().join(format!("traceglass-export-{}.csv", std::process::id()));
    let arguments = ["export".into(), path.clone().into_os_string(), file.clone().into_os_string()];
    let (mut output, mut notes) = (Vec::new(), Vec::new());
    assert_eq!(cli::run(arguments, &mut output, &mut notes), 0, "{}", String::from_utf8_lossy(&notes));
    assert!(output.is_empty());
    assert_eq!(std::fs::read(&file).expect("the file"), export(&path, &["--format", "csv"]));
    std::fs::remove_file(&file).expect("removed");
}

#[test]
fn export_with_unknown_name_creates_no_file() {
    let path = repository("tests/fixtures/short-net10.nettrace.gz");
    let file = std::env::temp_dir().join(format!("traceglass-unknown-{}.csv", std::process::id()));
    for (option, name) in [("--source", "GC/Start2"), ("--weight", "Objectsize"), ("--filter", "payload.Coutn=1")] {
        let trace_and_file = [path.clone().into_os_string(), file.clone().into_os_string()];
        let arguments = ["export".into()].into_iter().chain(trace_and_file).chain([option.into(), name.into()]);
        let (mut output, mut notes) = (Vec::new(), Vec::new());
        assert_eq!(cli::run(arguments, &mut output, &mut notes), 2, "{option}");
        assert!(String::from_utf8_lossy(&notes).contains(name.trim_end_matches("=1").trim_start_matches("payload.")));
        assert!(!file.exists(), "{option} {name}");
    }
}
