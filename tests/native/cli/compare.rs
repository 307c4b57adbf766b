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
    assert!(output.contains("Nothing certainly changed"), "{output}");
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
    assert!(notes.contains("“p99 > +1%” can't be checked"), "{notes}");
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
fn halves_of_recording_differ_in_nothing_certain() {
    let mut compared = 0;
    for name in ["web-net8", "web-net9", "gc-net10", "cpu-net10", "shapes-net10", "drops-net10", "orders-v6"] {
        let Some(all) = measures(name) else { continue };
        let comparison = compare(&[half(&all, 0)], &half(&all, 1), Per::Second);
        let certain: Vec<_> = comparison.changes.iter().filter(|change| change.is_certain()).collect();
        assert!(certain.is_empty(), "{name}: {certain:?}");
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
