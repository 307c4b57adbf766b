//! `traceglass check` on intact, damaged, lossy and compressed traces, and on other files.

use engine::session::container::testing::ArchiveWriter;
use serde_json::Value;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

fn fixture(name: &str) -> PathBuf {
    crate::common::root().join("tests/fixtures").join(name)
}

fn machine_wide() -> PathBuf {
    crate::common::root().join("www/samples/orders-v6.nettrace.gz")
}

fn file(name: &str, content: &[u8]) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, content).expect("room for a file");
    path
}

/// Returns the exit code, the output and the notes.
fn run(command: &str, file: &Path, options: &[&str]) -> (u8, String, String) {
    let arguments = [OsString::from(command), file.into()].into_iter().chain(options.iter().map(OsString::from));
    let (mut output, mut notes) = (Vec::new(), Vec::new());
    let code = cli::run(arguments, &mut output, &mut notes);
    (code, String::from_utf8(output).expect("UTF-8"), String::from_utf8(notes).expect("UTF-8"))
}

fn checked(file: &Path) -> (u8, Value) {
    let (code, output, _) = run("check", file, &["--json"]);
    (code, serde_json::from_str(&output).expect("JSON"))
}

#[test]
fn intact_trace_passes() {
    let (code, report) = checked(&fixture("orders-net31.nettrace.gz"));
    assert_eq!((code, report["verdict"].as_str()), (0, Some("whole")), "{report}");
    assert_eq!(report["packing"], "gzip");
    assert_eq!(report["eventsLost"], 0);
    assert!(report["processes"][0]["runtime"].as_str().is_some_and(|runtime| runtime.contains("3.1")), "{report}");
    let (code, text, notes) = run("check", &fixture("orders-net31.nettrace.gz"), &[]);
    assert!(text.contains("No events lost") && text.contains(".NET Core 3.0 and later"), "{text}");
    assert_eq!((code, notes.as_str()), (0, ""));
}

#[test]
fn truncated_trace_is_damaged_at_offset() {
    let (code, report) = checked(&fixture("cut-net10.nettrace.gz"));
    assert_eq!((code, report["verdict"].as_str()), (1, Some("damaged")), "{report}");
    assert!(report["problems"][0]["offset"].as_u64().is_some_and(|offset| offset > 0 && offset <= 987_184), "{report}");
    assert!(report["events"].as_u64().is_some_and(|events| events > 30_000), "{report}");
    let (_, text, _) = run("check", &fixture("cut-net10.nettrace.gz"), &[]);
    assert!(text.contains("The trace is damaged") && text.contains("byte "), "{text}");
}

#[test]
fn lost_events_are_reported_by_thread() {
    let (code, report) = checked(&fixture("dropped-net31.nettrace.gz"));
    assert_eq!(code, 1, "{report}");
    let sum: u64 = report["losses"].as_array().into_iter().flatten().filter_map(|loss| loss["count"].as_u64()).sum();
    assert_eq!((report["eventsLost"].as_u64(), sum > 0), (Some(sum), true), "{report}");
    let (_, text, _) = run("check", &fixture("dropped-net31.nettrace.gz"), &[]);
    assert!(text.contains("Lost events by thread"), "{text}");
}

#[test]
fn netperf_losses_are_unknown() {
    let (code, report) = checked(&fixture("orders-net21.netperf.gz"));
    assert_eq!((code, &report["eventsLost"]), (0, &Value::Null), "{report}");
    let (_, text, _) = run("check", &fixture("orders-net21.netperf.gz"), &[]);
    assert!(text.contains("doesn't record lost events") && text.contains(".NET Core 2.1"), "{text}");
}

#[test]
fn machine_wide_processes_are_listed() {
    let (_, report) = checked(&machine_wide());
    assert!(report["processes"].as_array().is_some_and(|processes| processes.len() > 1), "{report}");
    let (_, text, _) = run("check", &machine_wide(), &[]);
    assert!(text.contains("Processes ("), "{text}");
}

#[test]
fn file_that_is_not_a_trace_is_named() {
    for (name, content, word) in [
        ("picture", &b"\x89PNG\r\n\x1a\n and more"[..], "PNG"),
        ("empty", b"", "0 bytes"),
        ("program", b"\x7fELF\x02\x01\x01\0 and more bytes", "ELF"),
        ("profile.json", br#"{"$schema":"https://www.speedscope.app/file-format-schema.json"}"#, "speedscope"),
        ("gzip.gz", b"\x1f\x8b\x08 broken", "gzip"),
    ] {
        let path = file(name, content);
        let (code, report) = checked(&path);
        assert_eq!((code, report["verdict"].as_str()), (2, Some("unreadable")), "{name}: {report}");
        let (code, text, _) = run("check", &path, &[]);
        assert!(code == 2 && text.contains(word), "{name}: {text}");
    }
    assert_eq!(run("check", Path::new("/does/not/exist"), &[]).0, 2);
}

#[test]
fn trace_in_archive_is_named_after_file() {
    let short = std::fs::read(fixture("short-net10.nettrace.gz")).expect("a fixture");
    let aborted = std::fs::read(fixture("aborted-net31.nettrace.gz")).expect("a fixture");
    let archive = ArchiveWriter::new().stored("one/short.gz", &short).stored("aborted.gz", &aborted).finish();
    let path = file("two.zip", &archive);
    let (code, output, notes) = run("info", &path, &["--json"]);
    assert_eq!((code, output.as_str()), (1, ""));
    for entry in ["aborted.gz", "one/short.gz"] {
        assert!(notes.contains(&format!("{}!{entry}", path.display())), "{notes}");
    }
    let inside = PathBuf::from(format!("{}!one/short.gz", path.display()));
    let (code, output, _) = run("info", &inside, &["--json"]);
    let info: Value = serde_json::from_str(&output).expect("JSON");
    assert_eq!((code, info["eventCount"].as_u64()), (0, Some(2016)));
}
