//! What tests of the command line share.

use serde_json::Value;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::Path;

/// What the command line prints.
pub fn traceglass(arguments: &[&str], file: &Path) -> String {
    let (command, options) = arguments.split_first().expect("a command");
    let arguments = std::iter::once(OsString::from(command))
        .chain([file.as_os_str().to_owned()])
        .chain(options.iter().map(OsString::from));
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    traceglass::cli::run(arguments, &mut output, &mut errors);
    String::from_utf8(output).expect("UTF-8")
}

/// Lines of folded stacks with their counts, in lower case: modules are named after their files, and those are written
/// either way.
pub fn folded(text: &str) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for (stack, count) in text.lines().filter_map(|line| line.rsplit_once(' ')) {
        *counts.entry(stack.to_lowercase()).or_default() += count.parse::<u64>().unwrap_or(0);
    }
    counts
}

/// Stacks with what differs on purpose made equal: in each frame the part before `!` of a jitted method (`TYPE::METHOD`)
/// is left out, and an address in memory without a file is left out.
pub fn without_owners_of_jitted_code(stacks: &BTreeMap<String, u64>) -> BTreeMap<String, u64> {
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

/// `[provider, id, version] → [events, payload bytes, events with a stack]`.
pub fn totals_by_type(info: &Value) -> BTreeMap<(String, u64, u64), [u64; 3]> {
    let mut sums = BTreeMap::<_, [u64; 3]>::new();
    for row in info["types"].as_array().into_iter().flatten() {
        let number = |key: &str| row[key].as_u64().unwrap_or(0);
        let provider = row["provider"].as_str().unwrap_or_default().to_owned();
        let sum = sums.entry((provider, number("eventId"), number("version"))).or_default();
        for (sum, key) in sum.iter_mut().zip(["count", "payloadBytes", "withStackInFile"]) {
            *sum += number(key);
        }
    }
    sums
}
