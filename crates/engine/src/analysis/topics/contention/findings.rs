//! Findings about lock contention: waits by call site, then convoys.

use super::convoys::Convoy;
use super::lock_waits::LockWait;
use super::{Group, grouped, leading};
use crate::analysis::intervals::interval_set::IntervalSet;
use crate::analysis::topics::shared::call_site::{Site, SiteNames};
use crate::analysis::topics::shared::evidence::{extent, link, stacks_of, times};
use crate::clr::source_names::RUNTIME;
use protocol::base::time::Span;
use protocol::filter::word;
use protocol::format::{counted, duration, percent, seconds};
use protocol::topics::finding::{Cost, Finding, FindingKind, FindingTarget, MAX_THREADS};
use protocol::topics::topic::Topic;

/// Minimum wait time for a finding, in nanoseconds, summed over threads.
const WAITED: i64 = 100_000_000;
/// Minimum time lost in convoys at one call site for a finding, in nanoseconds. Lower than [`WAITED`], because queuing
/// matters even if waits are short.
const QUEUED: i64 = 20_000_000;
/// Minimum share of wait time for which the second call site is named.
const SECOND_SHARE: f64 = 0.1;

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

    /// Returns the filter condition for the starts of these waits.
    fn condition(self, names: SiteNames<'_>, set: &IntervalSet) -> String {
        match self {
            Self::Site(site) => names.condition(site),
            Self::Lock(lock) => format!("payload.LockID={}", word(set.text(lock))),
            Self::Unknown => String::new(),
        }
    }
}

/// Returns the sentence part "Shop.Stock.Take() accounts for 41% of it, mostly while the lock owner was in
/// Shop.Stock.Count()".
pub(super) fn place_words(
    names: SiteNames<'_>,
    set: &IntervalSet,
    (place, group): &(Place, Group),
    total: i64,
) -> String {
    let share = percent(group.waited.total as f64, total as f64);
    let mut words = format!("{} accounts for {share} of it", place.words(names, set));
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
    let mut sentences = vec![place_words(names, set, first, total) + "."];
    if let Some((second, group)) = places.get(1)
        && group.waited.total as f64 >= SECOND_SHARE * total as f64
    {
        let share = percent(group.waited.total as f64, total as f64);
        sentences.push(format!("Next: {}, {share}.", second.words(names, set)));
    }
    if let Some(worst) = worst.filter(|_| queued >= QUEUED) {
        sentences.push(convoys_words(names, worst, convoys));
    }
    let is_one = places.len() == 1;
    let condition = if is_one { first.0.condition(names, set) } else { String::new() };
    let cost = Cost::time(total, "thread time");
    Some(Finding {
        title: format!("Lock contention cost {} of thread time across {}", cost.size(), counted(number, "thread")),
        sentence: sentences.join(" "),
        times: when,
        threads: threads.into_iter().map(|(thread, _)| thread).take(MAX_THREADS).collect(),
        links: vec![
            link("Show on timeline", FindingTarget::Timeline(span)),
            link("View wait stacks", stacks_of(RUNTIME, "Contention/Start", &condition, span)),
            link("Open Contention", FindingTarget::Topic(Topic::Contention)),
        ],
        advice: "Shorten the critical section: move I/O and allocation out of the lock, or use finer-grained locks."
            .to_owned(),
        ..Finding::new(FindingKind::LockContention, cost)
    })
}

/// Returns the sentence "Threads queued in 4 lock convoys (23.2 ms), the worst at 7.637 s: 4 threads at once in
/// Shop.Stock.Take()."
fn convoys_words(names: SiteNames<'_>, worst: &Convoy, convoys: &[Convoy]) -> String {
    let all = convoys.iter().map(|one| one.waited).fold(0, i64::saturating_add);
    let number = counted(convoys.len() as u64, "lock convoy");
    let which = if convoys.len() == 1 { "" } else { ", the worst" };
    let place = worst.site.known().map_or_else(String::new, |site| format!(" in {}", names.phrase(site)));
    let queue = match worst.most_at_once {
        1 => format!("{} took turns", counted(worst.threads, "thread")),
        most => format!("up to {} at once", counted(most, "thread")),
    };
    let from = seconds(worst.span.start.0, 3);
    format!("Threads queued in {number} ({}){which} at {from}: {queue}{place}.", duration(all))
}
