//! `traceglass compare`: recordings against themselves and each other, and rules.

use crate::common::recordings::traces;
use engine::analysis::compare::compare;
use engine::session::{FileFacts, Loader, Session};
use protocol::compare::{Form, Measures, Per, Subject, TraceMeasures};
use protocol::request::Filter;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    crate::common::root().join("tests/fixtures").join(name)
}

/// Returns the exit code, the output and the notes.
fn run(files: &[&Path], options: &[&str]) -> (u8, String, String) {
    let files = files.iter().map(|file| OsString::from(*file));
    let arguments = [OsString::from("compare")].into_iter().chain(files).chain(options.iter().map(OsString::from));
    let (mut output, mut notes) = (Vec::new(), Vec::new());
    let code = cli::run(arguments, &mut output, &mut notes);
    (code, String::from_utf8(output).expect("UTF-8"), String::from_utf8(notes).expect("UTF-8"))
}

#[test]
fn trace_compared_with_itself_has_no_change() {
    let file = fixture("orders-net31.nettrace.gz");
    let (code, output, _) = run(&[&file, &file], &[]);
    assert_eq!(code, 0);
    assert!(output.contains("No significant changes"), "{output}");
    let (code, output, _) = run(&[&file, &file], &["--json", "--fail-if", "events > +1%"]);
    let json: Value = serde_json::from_str(&output).expect("JSON");
    assert_eq!((code, json["broken"].as_array().map(Vec::len)), (0, Some(0)));
    let changes = json["changes"].as_array().expect("changes");
    assert!(changes.iter().all(|change| change["change"] == "same" && change["old"] == change["new"]), "{output}");
    assert!(changes.iter().any(|change| change["subject"] == "events"), "{output}");
}

#[test]
fn broken_rule_is_named() {
    let file = fixture("orders-net31.nettrace.gz");
    // Rates of a part that is busier than the rest.
    let (code, _, notes) = run(&[&file, &file], &["--fail-if", "p99 > +1%"]);
    assert_eq!(code, 2, "the trace has no requests: {notes}");
    assert!(notes.contains("can't check “p99 > +1%”"), "{notes}");
    let (code, _, notes) = run(&[&file, &file], &["--per", "request"]);
    assert!(code == 2 && notes.contains("needs incoming requests"), "{notes}");
}

/// Returns measures of every second pair of slices.
fn half(of: &Measures, parity: usize) -> Measures {
    let is_kept = |slice: usize| slice / 2 % 2 == parity;
    let mut half =
        Measures { slices: vec![of.slices[0] / 2], bounds: vec![0, of.duration() / 2], ..Measures::default() };
    for row in 0..of.len() {
        half.subject.push(of.subject[row]);
        half.name.push(of.name.get(row));
        for (slice, value) in of.values(row).filter(|(slice, _)| is_kept(*slice)) {
            half.value_slice.push((slice / 4 * 2 + slice % 2) as u16);
            half.value.push(value);
        }
        half.end.push(half.value.len() as u32);
    }
    half
}

fn measures(name: &str) -> Option<Measures> {
    let bytes = std::fs::read(traces()?.join(name).with_extension("nettrace")).ok()?;
    let mut loader = Loader::new();
    loader.append(bytes.len(), |space| space.copy_from_slice(&bytes));
    let store = loader.finish().map_err(|failure| failure.message).expect("a trace");
    let mut session = Session::new(store, Box::new(bytes), FileFacts::default()).expect("a session");
    Some(session.ask(&TraceMeasures { filter: Filter::default() }).expect("measures"))
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn halves_of_recording_have_no_significant_change() {
    let mut compared = 0;
    for name in ["web-net8", "web-net9", "gc-net10", "cpu-net10", "shapes-net10", "drops-net10", "orders-v6"] {
        let Some(all) = measures(name) else { continue };
        let comparison = compare(&[half(&all, 0)], &half(&all, 1), Per::Second);
        let significant: Vec<_> = comparison.changes.iter().filter(|change| change.is_significant()).collect();
        assert!(significant.is_empty(), "{name}: {significant:?}");
        compared += comparison.changes.len();
    }
    assert!(compared > 100, "{compared} values");
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn sums_of_names_are_the_sum_of_the_trace() {
    let mut sums = 0;
    for name in ["web-net8", "gc-net10", "drops-net10"] {
        let Some(all) = measures(name) else { continue };
        let total = |subject: Subject, is_whole: bool| -> f64 {
            let rows = (0..all.len()).filter(|row| all.subject[*row] == subject as u8);
            let rows = rows.filter(|row| all.name.get(*row).is_empty() == is_whole);
            rows.flat_map(|row| all.values(row)).map(|(_, value)| value).sum()
        };
        for of_name in [Subject::FunctionSelf, Subject::ModuleSelf, Subject::AllocatedType, Subject::EventType] {
            assert_eq!(of_name.form(), Form::Sum);
            let (whole, parts) = (total(of_name.whole().expect("a whole"), true), total(of_name, false));
            assert!((whole - parts).abs() <= whole * 1e-6, "{name}, {of_name:?}: {whole} {parts}");
            sums += usize::from(whole > 0.0);
        }
    }
    assert!(sums > 5, "{sums} sums");
}

/// A change as printed, in JSON.
fn change<'c>(comparison: &'c Value, subject: &str, name: &str) -> &'c Value {
    let changes = comparison["changes"].as_array().expect("changes");
    let is_it = |one: &&Value| one["subject"] == subject && one["name"] == name && one["percentile"].is_null();
    changes.iter().find(is_it).unwrap_or_else(|| panic!("{subject} {name} isn't compared"))
}

/// See [`COUNTED`].
type Counted = (&'static str, &'static str, &'static [&'static str], [f64; 2], f64);

/// What the program counted itself: subject, name, path in its report, and the range of the ratio of measured and counted
/// values, with the difference of counts that is tolerated because the program began to count after the recording.
const COUNTED: [Counted; 9] = [
    ("failedRequests", "", &["counted", "served.status.500"], [1.0, 1.0], 0.0),
    ("outgoingRequests", "", &["counted", "activity.System.Net.Http.System.Net.Http.HttpRequestOut"], [1.0, 1.0], 0.0),
    ("sqlCommands", "", &["counted", "queriesStarted"], [1.0, 1.0], 0.0),
    ("gcs", "", &["gc", "collectionsGen0"], [1.0, 1.0], 1.0),
    // In milliseconds. The first GC of two of the programs isn't counted.
    ("gcPauses", "", &["gc", "totalPauseMs"], [1e6, 1.25e6], 0.0),
    // Sampled about every 100 KB.
    ("allocated", "", &["gc", "totalAllocatedBytes"], [0.95, 1.15], 0.0),
    // The program also counts exceptions that are thrown again, here about as often.
    ("exceptions", "", &["exceptionsThrown", "total"], [0.25, 1.0], 0.0),
    (
        "exceptionsByType",
        "PaymentDeclinedException",
        &["exceptionsThrown", "byType", "Shop.PaymentDeclinedException"],
        [1.0, 1.0],
        0.0,
    ),
    (
        "exceptionsByType",
        "OutOfStockException",
        &["exceptionsThrown", "byType", "Shop.OutOfStockException"],
        [0.5, 0.5],
        0.0,
    ),
];

/// Checks the throughput of all requests and of each route. Returns the number of routes.
fn check_throughput(comparison: &Value, truth: &[Value; 2]) -> usize {
    let changes = comparison["changes"].as_array().expect("changes");
    let is_throughput = |one: &&Value| one["subject"] == "requests" && one["percentile"].is_null();
    let mut routes = 0;
    for change in changes.iter().filter(is_throughput) {
        let (name, sentence) =
            (change["name"].as_str().unwrap_or_default(), change["sentence"].as_str().expect("text"));
        // “GET /orders/{n}” was counted as “served.orders”.
        let route = name.split_once('/').and_then(|(_, path)| path.split('/').next());
        let key = route.map_or_else(|| "served".to_owned(), |route| format!("served.{route}"));
        let rates = ["old", "new"].map(|side| change[side].as_f64().expect("a rate"));
        for (at, side) in ["old", "new"].into_iter().enumerate() {
            let measured = rates[at] * comparison[side]["seconds"].as_f64().expect("a duration");
            let counted = truth[at]["counted"][&key].as_f64().unwrap_or_default();
            assert!((measured - counted).abs() < 1e-6, "{sentence}, but the program counted {counted} ({side})");
        }
        match change["change"].as_str() {
            Some("grew" | "new") => assert!(rates[1] > rates[0], "{sentence}"),
            Some("shrank" | "gone") => assert!(rates[1] < rates[0], "{sentence}"),
            _ => {}
        }
        routes += usize::from(route.is_some());
    }
    routes
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn sentences_agree_with_what_the_programs_counted() {
    let Some(traces) = traces() else { return };
    let names = ["web-net8.nettrace", "web-net9.nettrace", "web-net10.nettrace.zst"];
    for (old, new) in [(0, 1), (1, 2), (0, 2)] {
        let pair = [names[old], names[new]];
        let truth = pair.map(|name| {
            let stem = name.split('.').next().unwrap_or_default();
            let text = std::fs::read(traces.join(format!("{stem}.truth.json"))).expect("what the program counted");
            serde_json::from_slice::<Value>(&text).expect("JSON")
        });
        let files = pair.map(|name| traces.join(name));
        let (code, output, notes) = run(&[&files[0], &files[1]], &["--per", "total", "--json"]);
        assert_eq!(code, 0, "{notes}");
        let comparison: Value = serde_json::from_str(&output).expect("JSON");
        for (side, truth) in ["old", "new"].into_iter().zip(&truth) {
            assert_eq!(comparison[side]["requests"].as_f64(), truth["counted"]["served"].as_f64(), "{pair:?}");
        }
        assert!(check_throughput(&comparison, &truth) >= 5, "{pair:?}");
        for (subject, name, path, [low, high], slack) in COUNTED {
            let change = change(&comparison, subject, name);
            let counted = truth.each_ref().map(|truth| {
                let found = path.iter().fold(truth, |value, key| &value[*key]);
                found.as_f64().unwrap_or_default()
            });
            let sentence = change["sentence"].as_str().expect("a sentence");
            for (side, counted) in ["old", "new"].into_iter().zip(counted) {
                // The average over the slices of one trace isn't exact.
                let value = (change[side].as_f64().expect("a value") * 1e6).round() / 1e6;
                let is_near = value >= counted * low && value <= counted * high + slack;
                assert!(is_near, "{pair:?}: {sentence}, but the program counted {counted} ({side})");
                let is_exact = low == 1.0 && high == 1.0 && slack == 0.0;
                assert!(!is_exact || sentence.contains(&counted.to_string()), "{pair:?}: {sentence}, {counted}");
            }
            match change["change"].as_str() {
                Some("grew" | "new") => assert!(counted[1] > counted[0], "{pair:?}: {sentence}, {counted:?}"),
                Some("shrank" | "gone") => assert!(counted[1] < counted[0], "{pair:?}: {sentence}, {counted:?}"),
                _ => {}
            }
        }
    }
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn same_requests_and_unresolved_code_of_two_runtimes_match() {
    let Some(traces) = traces() else { return };
    let (code, output, notes) = run(&[&traces.join("web-net8.nettrace"), &traces.join("web-net10.nettrace.zst")], &[]);
    assert_eq!(code, 0, "{notes}");
    assert!(!output.contains("!0x"), "addresses differ in every run: {output}");
    assert!(!output.contains("requests are new") && !output.contains("requests are gone"), "{output}");
    let possible = output.split_once("Possible changes").and_then(|(_, rest)| rest.split_once("No significant change"));
    let (possible, unchanged) = possible.expect("both sections");
    assert!(possible.contains("+30% to +214%") && !unchanged.contains("△"), "{output}");
    assert!(unchanged.lines().filter(|line| line.starts_with("  =")).all(|line| line.contains(" to +")), "{unchanged}");
}

/// Writes every second region of a recording to a file.
fn write_half(file: &Path, regions: u32, parity: u32, to: &Path) {
    const MILLIS: u32 = 150;
    let range = |region: u32| format!("time:{}ms..{}ms", region * MILLIS, (region + 1) * MILLIS);
    let ranges: Vec<String> = (0..regions).filter(|region| region % 2 == parity).map(range).collect();
    let arguments =
        ["excerpt", &file.display().to_string(), &to.display().to_string(), "--filter", &ranges.join(" or ")]
            .map(OsString::from);
    let (mut output, mut notes) = (Vec::new(), Vec::new());
    let code = cli::run(arguments, &mut output, &mut notes);
    assert_eq!(code, 0, "{}", String::from_utf8_lossy(&notes));
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn files_with_every_second_region_have_no_significant_change() {
    let Some(traces) = traces() else { return };
    let folder = std::env::temp_dir().join(format!("traceglass-halves-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    for (name, regions) in [("web-net8", 32), ("gc-net10", 32), ("orders-v6", 32)] {
        let halves = [0, 1].map(|parity| folder.join(format!("{name}-{parity}.nettrace")));
        for (parity, half) in (0..).zip(&halves) {
            write_half(&traces.join(format!("{name}.nettrace")), regions, parity, half);
        }
        let (code, output, notes) = run(&[&halves[0], &halves[1]], &[]);
        assert_eq!(code, 0, "{notes}");
        assert!(output.contains("No significant changes"), "{name}: {output}");
    }
    std::fs::remove_dir_all(&folder).expect("the folder is removed");
}
