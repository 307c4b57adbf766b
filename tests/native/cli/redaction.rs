//! `traceglass redact`: a masked trace has the same events, and no text that was to be masked.

use super::excerpts::recordings;
use crate::common::cli::traceglass;
use crate::common::recordings::{is_full, recording, traces, unpacked_name};
use protocol::redaction::TextKind;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// Masks a recording, and returns the file.
fn redact(recording: &Path, test: &str, options: &[&str]) -> PathBuf {
    let stem = unpacked_name(recording);
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{test}-of-{stem}"));
    let target = out.to_string_lossy().into_owned();
    let arguments: Vec<&str> = ["redact", target.as_str()].into_iter().chain(options.iter().copied()).collect();
    let said = traceglass(&arguments, recording);
    assert!(said.contains(" event"), "{}: {said}", recording.display());
    out
}

fn json(command: &[&str], file: &Path) -> Value {
    let arguments: Vec<&str> = command.iter().copied().chain(["--json"]).collect();
    serde_json::from_str(&traceglass(&arguments, file)).expect("JSON")
}

/// Returns whether two values of payloads are the same, except for their texts.
fn are_same(before: &Value, after: &Value) -> bool {
    match (before, after) {
        (Value::String(_), Value::String(_)) => true,
        (Value::Array(before), Value::Array(after)) => {
            before.len() == after.len() && before.iter().zip(after).all(|(before, after)| are_same(before, after))
        }
        (Value::Object(before), Value::Object(after)) => {
            let same = |((key, before), (other, after))| key == other && are_same(before, after);
            before.len() == after.len() && before.iter().zip(after).all(same)
        }
        (before, after) => before == after,
    }
}

/// Fails unless the facts and events are the same, except for texts and for bytes that no field explains.
fn expect_same(name: &str, recording: &Path, masked: &Path) {
    let [before, after] = [recording, masked].map(|file| json(&["info"], file));
    for (key, value) in before.as_object().expect("facts") {
        // The memory for damaged blocks isn't needed any more.
        assert!(["headerPairs", "memory"].contains(&key.as_str()) || after[key] == *value, "{name}: {key}");
    }
    let [before, after] = [recording, masked].map(|file| traceglass(&["events", "--json", "--payload"], file));
    assert_eq!(after.lines().count(), before.lines().count(), "{name}");
    for (before, after) in before.lines().zip(after.lines()).filter(|(before, after)| before != after) {
        // UTF-16 texts may have lone surrogates, which this parser rejects.
        let parse = |line: &str| serde_json::from_str(&line.replace("\\ud", "\\u0")).expect("JSON");
        let [before, after]: [Value; 2] = [before, after].map(parse);
        for (key, value) in before.as_object().expect("an event") {
            let is_same = match key.as_str() {
                "payloadFnv" | "undescribed" => true,
                "payload" | "labels" => are_same(value, &after[key]),
                _ => *value == after[key],
            };
            assert!(is_same, "{name}: {key} of {before} in {after}");
        }
    }
}

/// Returns an ASCII text as it is in UTF-8 and in UTF-16.
fn encodings(text: &str) -> [String; 2] {
    [text.to_owned(), text.chars().flat_map(|letter| [letter, '\0']).collect()]
}

#[test]
fn masked_recordings_have_the_same_events_and_no_private_text() {
    let mut searched = 0;
    for recording in recordings() {
        let name = recording.display().to_string();
        let masked = redact(&recording, "masked", &[]);
        expect_same(&name, &recording, &masked);
        let stacks = |file: &Path| traceglass(&["stacks", "--format", "folded"], file);
        assert!(stacks(&masked) == stacks(&recording), "{name}: stacks differ");
        // Declarations of events stay.
        let declared = traceglass(&["schema", "--json"], &recording);
        let listed = traceglass(&["redact", "--list"], &recording);
        std::fs::remove_file(masked).expect("the masked file");
        // A private text can also be the name of a method, which only masking all kinds removes.
        let kinds = TextKind::ALL.map(TextKind::slug).join(",");
        let masked = redact(&recording, "masked", &["--only", &kinds]);
        let bytes = std::fs::read(&masked).expect("the masked file");
        let bytes = String::from_utf8_lossy(&bytes);
        for line in listed.lines().skip_while(|line| *line != "Fields").skip(2) {
            let example = line.rsplit("  ").next().unwrap_or_default().trim();
            let has_word = example.split(|letter: char| !letter.is_alphanumeric()).any(|word| word.len() >= 6);
            // Examples are cut after 60 characters, and control characters are escaped.
            if !has_word
                || !example.is_ascii()
                || example.contains('\\')
                || declared.contains(example)
                || line.contains("paths")
            {
                continue;
            }
            searched += 1;
            for encoded in encodings(example) {
                assert!(!bytes.contains(&encoded), "{name}: “{example}” is in the masked trace: {line}");
            }
        }
        std::fs::remove_file(masked).expect("the masked file");
    }
    assert!(searched > if is_full() { 50 } else { 30 }, "{searched} texts");
}

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn requests_of_a_masked_trace_group_as_before() {
    let Some(recording) = traces().and_then(|traces| recording(&traces, "web-net9.nettrace")) else { return };
    let masked = redact(&recording, "groups", &[]);
    let [before, after] = [&recording, &masked].map(|file| json(&["http"], file));
    assert_eq!(after["figures"], before["figures"]);
    let rows = |report: &Value| report["incoming"].as_array().map(Vec::len);
    assert!(rows(&before) > Some(10));
    assert_eq!(rows(&after), rows(&before));
    let paths = |report: &Value| -> Vec<String> {
        let rows = report["incoming"].as_array().expect("a table");
        rows.iter().map(|row| row["path"].as_str().unwrap_or_default().to_owned()).collect()
    };
    let (before, after) = (paths(&before), paths(&after));
    // Equal paths stay equal, and no path stays.
    let mut tokens = std::collections::HashMap::new();
    for (path, token) in before.iter().zip(&after).filter(|(path, _)| path.len() > 1) {
        assert_ne!(path, token);
        assert_eq!(*tokens.entry(path).or_insert(token), token, "{path}");
    }
    std::fs::remove_file(masked).expect("the masked file");
}
