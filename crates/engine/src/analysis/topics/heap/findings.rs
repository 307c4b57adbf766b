//! Findings about roots that keep most of the heap alive, and about events with many handlers.

use super::HeapFacts;
use super::keepers::{EventHandlers, Keeper};
use super::report::{Names, counted_digests};
use super::snapshot::RootKind;
use super::snapshot_summary::Digest;
use crate::analysis::topics::Scope;
use crate::analysis::topics::shared::evidence::{link, open};
use crate::analysis::values::payload_text::cut;
use protocol::base::time::Span;
use protocol::format::{bytes, counted, percent};
use protocol::topics::finding::{Cost, Finding, FindingKind, FindingTarget};
use protocol::topics::topic::Topic;

/// Minimum share and bytes of the heap that one root keeps alive, for a finding.
const SHARE: f64 = 0.1;
const LEAST: u64 = 100_000;
/// Maximum number of further roots that are named, and their minimum share.
const OTHERS: usize = 3;
const OTHER_SHARE: f64 = 0.03;
/// Minimum number of handlers of one event for a likely leak.
const HANDLERS: u64 = 100;
/// Maximum characters of a type's name in the title.
const MAX_NAME: usize = 20;
/// Maximum number of characters of a static field's name in the title.
const MAX_STATIC_NAME: usize = 27;
/// Maximum number of characters of a path in the evidence.
const MAX_PATH: usize = 60;

/// Returns findings about the last snapshot: the root that retains most of it, and the event with the most handlers.
/// Variables of running methods are used only if there is no other root.
pub fn findings(facts: &HeapFacts, scope: &Scope<'_>) -> Vec<Finding> {
    let Some(digest) = counted_digests(facts, scope).last().copied() else { return Vec::new() };
    let names = Names::new(facts);
    let keeps_much = |one: &&Keeper| one.retained >= LEAST && one.retained as f64 >= SHARE * digest.all.bytes as f64;
    let lasting = digest.keepers.iter().filter(keeps_much).find(|one| one.root.0 != RootKind::Stack);
    let most = lasting.or_else(|| digest.keepers.iter().find(keeps_much));
    let keeper = most.map(|most| keeper(&names, digest, most));
    let event = digest.events.first().filter(|event| event.handlers >= HANDLERS);
    let handlers = event.map(|event| handlers(&names, digest, event));
    keeper.into_iter().chain(handlers).collect()
}

/// Returns the finding about an event with many handlers, which keep their subscribers alive.
fn handlers(names: &Names<'_>, digest: &Digest, event: &EventHandlers) -> Finding {
    let number = counted(event.handlers, "event handler");
    let subscribers =
        event.target.map_or_else(String::new, |(of, count)| format!(" for {}", objects(names, of, count)));
    let when = snapshot_time(digest);
    Finding {
        title: format!("{} has {number}{subscribers}", cut(&names.short(event.publisher), MAX_NAME)),
        sentence: format!("Path to root: {}.", cut(&names.way(&event.path), MAX_PATH)),
        times: vec![when],
        links: vec![open(Topic::Heap), link("Show snapshot", FindingTarget::Timeline(when))],
        advice: "Unsubscribe with -=.".to_owned(),
        details: format!(
            "{}. An event keeps its subscribers alive. Unsubscribe event handlers with -=, or use weak events.",
            names.handlers_words(event)
        ),
        ..Finding::new(FindingKind::EventHandlers, Cost::count(event.handlers, "event handlers"))
    }
}

/// Returns the number of objects of a type, whose name may be cut: "4,051 Book objects".
fn objects(names: &Names<'_>, of: u32, count: u64) -> String {
    counted(count, &format!("{} object", cut(&names.short(of), MAX_NAME)))
}

fn snapshot_time(digest: &Digest) -> Span {
    Span::new(digest.start, digest.end.saturating_add(1))
}

fn keeper(names: &Names<'_>, digest: &Digest, most: &Keeper) -> Finding {
    let all = digest.all.bytes as f64;
    let root = match most.root.0 {
        RootKind::Static => match names.root(most.root).strip_prefix("static ") {
            Some(name) if name != "field" => format!("Static field “{}”", cut(name, MAX_STATIC_NAME)),
            _ => "A static field".to_owned(),
        },
        RootKind::Handle => "A GC handle".to_owned(),
        RootKind::Stack => "A running method".to_owned(),
        RootKind::Finalizer => "The finalizer queue".to_owned(),
        _ => "A GC root".to_owned(),
    };
    let kept = names.kept(most).map_or_else(String::new, |(of, count)| format!("{}, ", objects(names, of, count)));
    let share = percent(most.retained as f64, all);
    let (path, at) = (names.root(most.root), names.short(most.type_at));
    let sentence = format!("That is {share} of the heap, through {path} → {at}.");
    let mut details = vec![format!(
        "{share} of the heap is reachable only through {path} → {at}{}.",
        if most.root.0 == RootKind::Stack { "" } else { ", apart from local variables" }
    )];
    let is_other = |one: &&Keeper| !std::ptr::eq(*one, most) && one.retained as f64 >= OTHER_SHARE * all;
    let other = |one: &Keeper| {
        let kept = names.kept_words(one).map_or_else(String::new, |kept| format!(" ({kept})"));
        format!("{} {}{kept}", names.root(one.root), bytes(one.retained))
    };
    let others: Vec<String> = digest.keepers.iter().filter(is_other).take(OTHERS).map(other).collect();
    if !others.is_empty() {
        details.push(format!("Next: {}.", others.join("; ")));
    }
    let advice = match most.root.0 {
        RootKind::Static => "Limit the number of entries, or evict old ones.",
        RootKind::Handle => "Call GCHandle.Free when the object isn't needed anymore.",
        RootKind::Stack => "Hold fewer objects in local variables.",
        _ => "Remove the reference that isn't needed.",
    }
    .to_owned();
    let cost = Cost::bytes(most.retained, &format!("of {} on the heap", bytes(digest.all.bytes)));
    let when = snapshot_time(digest);
    Finding {
        title: format!("{root} retains {kept}{}", cost.size()),
        sentence,
        times: vec![when],
        links: vec![open(Topic::Heap), link("Show snapshot", FindingTarget::Timeline(when))],
        advice,
        details: details.join(" "),
        ..Finding::new(FindingKind::HeapKeeper, cost)
    }
}
