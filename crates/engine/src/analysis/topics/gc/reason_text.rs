//! Texts for the GC's codes.

use crate::analysis::intervals::gc::reason_words;
use crate::analysis::intervals::gc_pauses::Gc;
use crate::analysis::topics::shared::evidence_text::share;
use protocol::topics::report::Hue;

/// Names of the heap's parts, in the order of the sizes in GC events.
pub const GENERATIONS: [&str; 5] = ["Gen 0", "Gen 1", "Gen 2", "LOH", "POH"];
/// Their colors.
pub const HUES: [Hue; 5] =
    [Hue::Generation0, Hue::Generation1, Hue::Generation2, Hue::LargeObjects, Hue::PinnedObjects];

/// Conditions by bit (`gc_condemn_reason_condition` in the runtime); those about balancing heaps share a name.
const CONDITIONS: [&str; 31] = [
    "induced full GC",
    "heap can't grow",
    "memory load is high",
    "memory load is very high",
    "low ephemeral space",
    "many cross-generation references",
    "gen 1 is fragmented",
    "gen 2 is fragmented",
    "gen 2 is fragmented",
    "gen 2 is fragmented and memory load is high",
    "gen 2 is fragmented and memory load is very high",
    "limited to gen 1",
    "last attempt before out of memory",
    "gen 2 is too small for a background GC",
    "induced, not forced",
    "before a background GC",
    "allocation limit is near",
    "full GC would be unproductive",
    "induced in provisional mode",
    "LOH in provisional mode",
    "gen 1 in provisional mode",
    "heap limit is near",
    "LOH is fragmented near the heap limit",
    "LOH is reclaimable near the heap limit",
    "tuning",
    "tuning",
    "tuning",
    "tuning",
    "stress",
    "stress",
    "induced, aggressive",
];

/// Returns "blocking", "background", or "foreground" for a GC during a background GC.
pub fn kind(one: &Gc) -> &'static str {
    match one.kind {
        1 => "Background",
        2 => "Foreground",
        _ => "Blocking",
    }
}

/// Returns why a generation was chosen: whose budget was exceeded, and the conditions that held.
pub fn condemned(reasons: u32, conditions: u32) -> String {
    let mut words: Vec<String> = Vec::new();
    let generation = |reason: u32| reasons >> (2 * reason) & 3;
    for (reason, before, after) in [(2, "", " budget exceeded"), (3, "time since last ", " GC")] {
        match generation(reason) {
            0 => {}
            // The bits of several heaps are combined: 3 is 1 and 2.
            of => words.push(format!("{before}gen {}{after}", of.min(2))),
        }
    }
    for (_, condition) in CONDITIONS.iter().enumerate().filter(|(bit, _)| conditions >> bit & 1 == 1) {
        if !words.iter().any(|word| word == condition) {
            words.push((*condition).to_owned());
        }
    }
    words.join(", ")
}

/// Returns number, type and generation: "GC #37, blocking gen 2".
pub fn called(one: &Gc) -> String {
    let kind = kind(one).to_lowercase();
    format!("GC #{}, {kind} gen {}", one.number, one.generation)
}

/// Returns the triggers of GCs with a reason, as a subject: "LOH allocations".
fn triggers(reason: u32) -> String {
    match reason {
        0 => "small object allocations".to_owned(),
        1 | 7 | 10 | 17 => "GC.Collect calls".to_owned(),
        4 => "LOH allocations".to_owned(),
        _ => cause(reason),
    }
}

/// Returns a part of a sentence: "LOH allocations in Cart.Add triggered 57% of GC time". `place` begins with a space.
pub fn triggered(reason: u32, place: &str, (nanos, all): (i64, i64), whole: &str) -> String {
    let share = match share(nanos as f64, all as f64) {
        percent if percent.ends_with('%') => format!("{percent} of"),
        words => words.to_lowercase(),
    };
    format!("{}{place} triggered {share} {whole}", triggers(reason))
}

/// Returns the trigger of a GC, to follow "triggered by": "a large object allocation".
pub fn cause(reason: u32) -> String {
    match reason {
        0 => "a small object allocation".to_owned(),
        1 | 7 | 10 | 17 => "GC.Collect".to_owned(),
        4 => "a large object allocation".to_owned(),
        2 | 9 | 11 | 13 => "low memory".to_owned(),
        5 | 6 => "running out of space (SOH/LOH)".to_owned(),
        14..=16 => "GC tuning".to_owned(),
        _ => {
            let mut words = reason_words(reason);
            if let Some(first) = words.get_mut(..1) {
                first.make_ascii_lowercase();
            }
            words
        }
    }
}
