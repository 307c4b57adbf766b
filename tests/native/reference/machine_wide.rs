//! Stacks of machine-wide traces: those that differ from the reference reader's are grouped by kind of difference, and
//! for each differing frame, the trace itself proves that ours is right.

use super::{recording, reference_stacks, traces};
use crate::common::cli::traceglass;
use crate::common::folded;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Facts about code in a trace.
#[derive(Default)]
struct Recorded {
    /// Names of symbols in lowercase: `string [module] Type::Method(…)[tier]` for those of jitted code.
    symbols: BTreeSet<String>,
    /// Start and end of memory without a file.
    anonymous: BTreeSet<(u64, u64)>,
}

impl Recorded {
    fn of(path: &Path) -> Self {
        let number = |value: &Value| value.as_u64().or_else(|| value.as_str()?.parse().ok());
        let mut recorded = Self::default();
        for line in traceglass(&["events", "--json", "--payload"], path).lines() {
            if !line.contains("\"Universal.System\"") {
                continue;
            }
            let event: Value = serde_json::from_str(line).expect("JSON");
            let payload = &event["payload"];
            match event["name"].as_str() {
                Some("ProcessSymbol") => {
                    recorded.symbols.insert(payload["Name"].as_str().expect("a name").to_lowercase());
                }
                Some("ProcessMapping") if payload["FileName"] == "" => {
                    let [start, end] = ["StartAddress", "EndAddress"].map(|field| number(&payload[field]));
                    recorded.anonymous.extend(start.zip(end));
                }
                _ => {}
            }
        }
        recorded
    }

    /// Returns whether a symbol assigns a method to a module.
    fn says(&self, module: &str, name: &str) -> bool {
        let method = name.split('(').next().unwrap_or(name);
        let words = format!("[{module}] {method}(");
        self.symbols.iter().any(|symbol| symbol.contains(&words))
    }

    /// Returns whether an address is at a distance from the start of memory without a file.
    fn says_distance(&self, address: u64, distance: u64) -> bool {
        self.anonymous.iter().any(|&(start, end)| start.checked_add(distance) == Some(address) && address < end)
    }
}

/// Returns the kind of difference of a frame, if the trace proves that ours is right.
fn difference(ours: &str, theirs: &str, recorded: &Recorded) -> Option<&'static str> {
    let ((our_owner, our_name), (their_owner, their_name)) = (ours.split_once('!')?, theirs.split_once('!')?);
    let number = |name: &str| u64::from_str_radix(name.strip_prefix("0x")?, 16).ok();
    match their_owner {
        "anon" if our_name == their_name && recorded.says(our_owner, our_name) => Some("of the mapping //anon"),
        "?" if our_name == their_name && recorded.says(our_owner, our_name) => Some("of nobody"),
        "" if our_owner == "?" && recorded.says_distance(number(our_name)?, number(their_name)?) => Some("by distance"),
        _ => None,
    }
}

/// Returns all kinds of differences of two stacks; `None` if the trace doesn't prove that ours is right.
fn differences(ours: &str, theirs: &str, recorded: &Recorded) -> Option<BTreeSet<&'static str>> {
    let (ours, theirs): (Vec<&str>, Vec<&str>) = (ours.split(';').collect(), theirs.split(';').collect());
    if ours.len() != theirs.len() {
        return None;
    }
    let differing = ours.into_iter().zip(theirs).filter(|(ours, theirs)| ours != theirs);
    differing.map(|(ours, theirs)| difference(ours, theirs, recorded)).collect()
}

/// Returns a stack without allowed differences: frames of jitted code have only their names, unresolved ones in memory
/// without a file nothing.
fn comparable(stack: &str) -> String {
    let frame = |frame: &str| match frame.split_once('!') {
        Some((_, name)) if name.contains("::") => name.to_owned(),
        Some(("" | "?", name)) if name.starts_with("0x") => String::new(),
        _ => frame.to_owned(),
    };
    stack.split(';').map(frame).collect::<Vec<_>>().join(";")
}

/// Symbols name the module of jitted code. The reference reader uses it only for code memory with a mapping
/// "doublemapper": it shows `anon!` for the mapping of older runtimes, and `?!` for one without a name. For an address
/// in memory without a file, it shows the distance from its start.
#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn machine_wide_stacks_differ_only_with_proof_in_trace() {
    let Some(traces) = traces() else { return };
    for (name, expected) in [
        ("orders-v6.nettrace", [("", 2185), ("of the mapping //anon", 5030)].as_slice()),
        (
            "cpu-v6-net10.nettrace",
            &[("", 4119), ("by distance", 1), ("by distance, of nobody", 2), ("of nobody", 1464)],
        ),
    ] {
        let Some(path) = recording(&traces, name) else { continue };
        let recorded = Recorded::of(&path);
        let mut ours = folded(&traceglass(&["stacks", "--format", "folded"], &path));
        let mut theirs = reference_stacks(&traces, name, "stacks");
        let mut samples = BTreeMap::<String, u64>::new();
        // Equal stacks are removed first, with their number of samples.
        for (stack, count) in &mut theirs {
            let equal =
                ours.get_mut(stack).map_or(0, |here| std::mem::replace(here, here.saturating_sub(*count)).min(*count));
            *count -= equal;
            *samples.entry(String::new()).or_default() += equal;
        }
        let mut left = BTreeMap::<String, Vec<(String, u64)>>::new();
        for (stack, count) in ours.into_iter().filter(|(_, count)| *count > 0) {
            left.entry(comparable(&stack)).or_default().push((stack, count));
        }
        for (stack, mut count) in theirs.into_iter().filter(|(_, count)| *count > 0) {
            for (candidate, here) in left.get_mut(&comparable(&stack)).into_iter().flatten() {
                let matching = differences(candidate, &stack, &recorded).filter(|_| *here > 0 && count > 0);
                if let Some(kinds) = matching {
                    let taken = count.min(*here);
                    (*here, count) = (*here - taken, count - taken);
                    let kinds = kinds.into_iter().collect::<Vec<_>>().join(", ");
                    *samples.entry(kinds).or_default() += taken;
                }
            }
            assert_eq!(count, 0, "{name}: nothing of ours explains {stack}");
        }
        let unexplained: Vec<_> = left.into_values().flatten().filter(|(_, count)| *count > 0).collect();
        assert_eq!(unexplained, [], "{name}");
        let expected: BTreeMap<_, _> = expected.iter().map(|&(kinds, count)| (kinds.to_owned(), count)).collect();
        assert_eq!(samples, expected, "{name}");
    }
}
