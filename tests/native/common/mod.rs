//! Helpers for tests of the command-line tool.

pub mod cli;
pub mod recordings;
pub mod speedscope;

use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Returns the folder of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Returns the lines of folded stacks with their counts, in lowercase, because the case of module names varies.
pub fn folded(text: &str) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for (stack, count) in text.lines().filter_map(|line| line.rsplit_once(' ')) {
        *counts.entry(stack.to_lowercase()).or_default() += count.parse::<u64>().unwrap_or(0);
    }
    counts
}

/// Returns `[provider, id, version] → [events, payload bytes, events with a stack]`.
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
