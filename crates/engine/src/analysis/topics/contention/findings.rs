//! Findings about lock contention: waits by call site, then convoys.

use super::convoys::Convoy;
use super::lock_waits::LockWait;
use super::{Group, grouped, leading};
use crate::analysis::intervals::interval_set::IntervalSet;
use crate::analysis::topics::shared::call_site::{Site, SiteNames};
use crate::analysis::topics::shared::cost::THREAD_TIME;
use crate::analysis::topics::shared::evidence::{extent, link, open, stacks_of, times};
use crate::analysis::topics::shared::evidence_text::{evidence, moment, share_was};
use crate::analysis::topics::shared::fixes::SHORTER_LOCK;
use crate::clr::source_names::RUNTIME;
use protocol::base::time::Span;
use protocol::filter::word;
use protocol::format::{counted, duration, percent};
use protocol::topics::finding::{Cost, Finding, FindingKind, FindingTarget, MAX_THREADS};
use protocol::topics::topic::Topic;

/// Minimum wait time for a finding, in nanoseconds, summed over threads.
const WAITED: i64 = 100_000_000;
/// Minimum time lost in convoys at one call site for a finding, in nanoseconds. Lower than [`WAITED`], because queuing
/// matters even if waits are short.
const QUEUED: i64 = 20_000_000;
/// Minimum share of wait time for which the second call site is named.
const SECOND_SHARE: f64 = 0.1;
/// Minimum share of the wait time of one lock for which others aren't mentioned.
const ONE_LOCK: f64 = 0.98;

/// The subject of waits: a call site or a lock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Place {
    /// A known function.
    Site(Site),
    /// A lock, by the position of its name in the texts of the intervals, if the function is unknown.
    Lock(u32),
    /// Both are unknown.
    Unknown,
}

impl Place {
    pub(super) fn of(wait: &LockWait, names: SiteNames<'_>, set: &IntervalSet) -> Self {
        // A known lock is more specific than "native code".
        match wait.site.known().filter(|site| site.function().is_some() && !names.name(*site).is_empty()) {
            Some(site) => Self::Site(site),
            None if set.text(wait.lock).is_empty() => Self::Unknown,
            None => Self::Lock(wait.lock),
        }
    }

    pub(super) fn words(self, names: SiteNames<'_>, set: &IntervalSet) -> String {
        match self {
            Self::Site(site) => names.phrase(site),
            Self::Lock(lock) => format!("Lock {} (call sites unresolved)", set.text(lock)),
            Self::Unknown => "Unresolved code".to_owned(),
        }
    }

    /// Returns the place with its preposition, for evidence: "in Stock.Take", "on lock 0x70".
    fn at(self, names: SiteNames<'_>, set: &IntervalSet) -> String {
        match self {
            Self::Site(site) => format!("in {}", names.short(site)),
            Self::Lock(lock) => format!("on lock {}", set.text(lock)),
            Self::Unknown => "in unresolved code".to_owned(),
        }
    }

    /// Returns the filter condition for the starts of these waits.
    fn condition(self, names: SiteNames<'_>, set: &IntervalSet) -> String {
        match self {
            Self::Site(site) => names.condition(site),
            Self::Lock(lock) => format!("payload.LockID={}", word(set.text(lock))),
            Self::Unknown => String::new(),
        }
    }
}

/// Returns the sentence part "Shop.Stock.Take() accounts for 41% of the wait time, mostly while the lock owner was
/// in Shop.Stock.Count()".
pub(super) fn place_words(
    names: SiteNames<'_>,
    set: &IntervalSet,
    (place, group): &(Place, Group),
    total: i64,
) -> String {
    let share = percent(group.waited.total as f64, total as f64);
    let mut words = format!("{} accounts for {share} of the wait time", place.words(names, set));
    if let Some(owner) = leading(&group.owner_sites).known() {
        words += &format!(", mostly while the lock owner was in {}", names.phrase(owner));
    }
    words
}

/// Returns the finding about lock contention. `waits` are those with a known end; `convoys` begin with the worst.
pub(super) fn lock_contention(
    (names, set): (SiteNames<'_>, &IntervalSet),
    waits: &[LockWait],
    convoys: &[Convoy],
) -> Option<Finding> {
    let total = waits.iter().map(LockWait::duration).fold(0, i64::saturating_add);
    let places = grouped(waits, |wait| Some(Place::of(wait, names, set)));
    let first = places.first()?;
    let worst = convoys.first();
    // One lock can have many consecutive convoys, so add those of the same call site.
    let there = convoys.iter().filter(|one| worst.is_some_and(|worst| one.site == worst.site));
    let queued = there.map(|one| one.waited).fold(0, i64::saturating_add);
    if total < WAITED && queued < QUEUED {
        return None;
    }
    let threads = grouped(waits, |wait| Some(wait.thread));
    let number = threads.len() as u64;
    let when = times(waits.iter().map(|wait| Span::new(wait.start, wait.end)).collect());
    let span = extent(&when)?;
    let (place, of_place) = first;
    let named = locks_of(waits, *place, (names, set));
    let locks = match (place, named) {
        (Place::Lock(_), _) | (_, 0) => String::new(),
        (_, 1) => "on one lock ".to_owned(),
        (_, several) => format!("on {several} locks "),
    };
    let lead = format!("{} {locks}{}", share_was(of_place.waited.total as f64, total as f64), place.at(names, set));
    let owner = leading(&of_place.owner_sites).known().map(|owner| match Place::Site(owner) == *place {
        true => ", held by the same method".to_owned(),
        false => format!(", held in {}", names.short(owner)),
    });
    let second = places.get(1).filter(|(_, group)| group.waited.total as f64 >= SECOND_SHARE * total as f64);
    let share_of = |group: &Group| percent(group.waited.total as f64, total as f64);
    let next = second.map(|(second, group)| format!("; then {} ({})", second.at(names, set), share_of(group)));
    let mut details = vec![place_words(names, set, first, total) + "."];
    details.extend(second.map(|(second, group)| format!("Next: {}, {}.", second.words(names, set), share_of(group))));
    details.extend(worst.filter(|_| queued >= QUEUED).map(|worst| convoys_words((names, set), worst, convoys)));
    let is_one = places.len() == 1;
    let condition = if is_one { first.0.condition(names, set) } else { String::new() };
    let cost = Cost::time(total, THREAD_TIME);
    Some(Finding {
        title: format!("Lock contention blocked {} for {} in total", counted(number, "thread"), cost.size()),
        sentence: evidence(lead, owner.into_iter().chain(next)),
        times: when,
        threads: threads.into_iter().map(|(thread, _)| thread).take(MAX_THREADS).collect(),
        links: vec![
            link("Show on timeline", FindingTarget::Timeline(span)),
            link("View wait stacks", stacks_of(RUNTIME, "Contention/Start", &condition, span)),
            open(Topic::Contention),
        ],
        advice: SHORTER_LOCK.to_owned(),
        details: details.join(" "),
        ..Finding::new(FindingKind::LockContention, cost)
    })
}

/// Returns the number of known locks that most of the waits at a place are for; one if it has nearly all.
fn locks_of(waits: &[LockWait], place: Place, (names, set): (SiteNames<'_>, &IntervalSet)) -> usize {
    let there = |wait: &LockWait| Place::of(wait, names, set) == place && !set.text(wait.lock).is_empty();
    let locks = grouped(waits, |wait| there(wait).then_some(wait.lock));
    let total = locks.iter().map(|(_, group)| group.waited.total).fold(0, i64::saturating_add);
    let has_most = |(_, group): &(u32, Group)| group.waited.total as f64 >= ONE_LOCK * total as f64;
    if locks.first().is_some_and(has_most) { 1 } else { locks.len() }
}

/// Returns the sentence "Threads queued in 4 lock convoys (23.2 ms), the worst at 7.64 s on lock 0x70: up to 4 threads
/// at once in Shop.Stock.Take()."
fn convoys_words((names, set): (SiteNames<'_>, &IntervalSet), worst: &Convoy, convoys: &[Convoy]) -> String {
    let all = convoys.iter().map(|one| one.waited).fold(0, i64::saturating_add);
    let number = counted(convoys.len() as u64, "lock convoy");
    let which = if convoys.len() == 1 { "" } else { ", the worst" };
    let place = worst.site.known().map_or_else(String::new, |site| format!(" in {}", names.phrase(site)));
    let lock = match set.text(worst.lock) {
        "" => String::new(),
        lock => format!(" on lock {lock}"),
    };
    let queue = match worst.most_at_once {
        1 => format!("{} took turns", counted(worst.threads, "thread")),
        most => format!("up to {} at once", counted(most, "thread")),
    };
    let from = moment(worst.span.start.0);
    format!("Threads queued in {number} ({}){which} at {from}{lock}: {queue}{place}.", duration(all))
}
