//! Output of the command-line tool for the fixtures, compared with the reference reader (`tests/fixtures/README.md`).

use crate::common::cli::traceglass;
use crate::common::{folded, totals_by_type};
use flate2::read::GzDecoder;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::Read;
use std::path::{Path, PathBuf};

struct Fixture {
    /// Name of the trace in `tests/fixtures/expected`.
    name: String,
    /// Path of the decompressed trace.
    path: PathBuf,
    expected: Value,
}

/// Decompresses all fixtures into a folder for the test.
fn fixtures(test: &str) -> Vec<Fixture> {
    let root = crate::common::root();
    let unpacked = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&unpacked).expect("a folder to unpack into");
    let mut fixtures = Vec::new();
    for entry in std::fs::read_dir(root.join("tests/fixtures/expected")).expect("the folder of expectations") {
        let expectation = entry.expect("a readable folder").path();
        let name = expectation.file_stem().expect("a file name").to_string_lossy().into_owned();
        let places = ["www/samples", "tests/fixtures"].map(|folder| root.join(folder).join(format!("{name}.gz")));
        let packed = places.into_iter().find(|place| place.is_file()).expect("a trace for every expectation");
        let mut bytes = Vec::new();
        let packed = std::fs::File::open(packed).expect("a readable fixture");
        GzDecoder::new(packed).read_to_end(&mut bytes).expect("a whole gzip file");
        let path = unpacked.join(&name);
        std::fs::write(&path, bytes).expect("room to unpack");
        let expected = std::fs::read(&expectation).expect("a readable expectation");
        fixtures.push(Fixture { name, path, expected: serde_json::from_slice(&expected).expect("JSON") });
    }
    assert!(fixtures.len() >= 13, "the fixtures are found");
    fixtures
}

#[test]
fn header_counts_types_and_threads_match_reference() {
    let mut wrong = String::new();
    for fixture in fixtures("info") {
        let info = traceglass(&["info", "--json", "--digest"], &fixture.path);
        let Ok(info) = serde_json::from_str::<Value>(&info) else {
            let _ = writeln!(wrong, "{}: no JSON: {info}", fixture.name);
            continue;
        };
        for (key, expected) in fixture.expected.as_object().expect("an object") {
            let found = match key.as_str() {
                "types" => types(&info),
                "threads" => threads(&info),
                "stacks" | "stacksManaged" | "stacksWithoutOwnersOfJittedCode" => continue,
                "digest" => part_of(&info["digest"], expected),
                _ => info[key].clone(),
            };
            if found != *expected {
                let _ = writeln!(wrong, "{} {key}: {}", fixture.name, difference(&found, expected));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// Returns `[provider, id, version, events, payload bytes, events with a stack]` for each type.
fn types(info: &Value) -> Value {
    let sums = totals_by_type(info);
    let rows = sums.into_iter().map(|((provider, id, version), [events, bytes, stacks])| {
        json!([provider, id, version, events, bytes, stacks]) //
    });
    rows.collect()
}

/// Returns `[process, thread, events]` for each thread.
fn threads(info: &Value) -> Value {
    let mut rows: Vec<(i64, i64, i64)> = Vec::new();
    for row in info["threads"].as_array().into_iter().flatten() {
        let number = |key: &str| row[key].as_i64().unwrap_or(-1);
        rows.push((number("process"), number("thread"), number("events")));
    }
    rows.sort_unstable();
    rows.into_iter().map(|(process, thread, events)| json!([process, thread, events])).collect()
}

/// Returns the keys of `whole` that are in `expected`.
fn part_of(whole: &Value, expected: &Value) -> Value {
    let keys = expected.as_object().into_iter().flat_map(|object| object.keys());
    Value::Object(keys.map(|key| (key.clone(), whole[key].clone())).collect())
}

fn difference(found: &Value, expected: &Value) -> String {
    let (Some(found), Some(expected)) = (found.as_array(), expected.as_array()) else {
        return format!("{found}, expected {expected}");
    };
    let only = |these: &[Value], those: &[Value]| {
        let rows = these.iter().filter(|row| !those.contains(row)).take(3);
        rows.map(Value::to_string).collect::<Vec<_>>().join(" ")
    };
    format!("only here {}; expected {}", only(found, expected), only(expected, found))
}

#[test]
fn folded_stacks_match_reference() {
    let mut wrong = String::new();
    for fixture in fixtures("stacks") {
        for (key, options) in [("stacks", [].as_slice()), ("stacksManaged", &["--managed"])] {
            let expected = &fixture.expected[key];
            if expected.is_null() {
                continue;
            }
            let arguments = [&["stacks", "--format", "folded"], options].concat();
            let found = summary_of_folded(&folded(&traceglass(&arguments, &fixture.path)));
            if found != *expected {
                let _ = writeln!(wrong, "{} {key}: {found}, expected {expected}", fixture.name);
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// The reference reader assigns jitted code to the memory that contains it, or to no module; symbols name its module.
#[test]
fn machine_wide_stacks_match_except_jitted_modules() {
    let key = "stacksWithoutOwnersOfJittedCode";
    let mut compared = 0;
    for fixture in fixtures("machine") {
        let expected = &fixture.expected[key];
        if !expected.is_null() {
            let ours = folded(&traceglass(&["stacks", "--format", "folded"], &fixture.path));
            assert_eq!(summary_of_folded(&without_owners_of_jitted_code(&ours)), *expected, "{}", fixture.name);
            compared += 1;
        }
    }
    assert_eq!(compared, 2);
}

/// Removes intentional differences from stacks: the part before `!` of a jitted method (`TYPE::METHOD`), and addresses
/// in memory without a file.
fn without_owners_of_jitted_code(stacks: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
    let frame = |frame: &str| match frame.split_once('!') {
        Some((_, name)) if name.contains("::") => name.to_owned(),
        Some(("" | "?", name)) if name.starts_with("0x") => "?".to_owned(),
        _ => frame.to_owned(),
    };
    let mut counts = BTreeMap::new();
    for (stack, count) in stacks {
        let stack: Vec<_> = stack.split(';').map(frame).collect();
        *counts.entry(stack.join(";")).or_default() += count;
    }
    counts
}

fn summary_of_folded(counts: &BTreeMap<String, u64>) -> Value {
    let samples: u64 = counts.values().sum();
    let mut lines: Vec<String> = counts.iter().map(|(stack, count)| format!("{stack} {count}")).collect();
    lines.sort_unstable();
    json!({ "lines": lines.len(), "samples": samples, "digest": fnv1a(lines.join("\n").as_bytes()) })
}

fn fnv1a(bytes: &[u8]) -> String {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    format!("{:016x}", bytes.iter().fold(0xcbf2_9ce4_8422_2325, step))
}
