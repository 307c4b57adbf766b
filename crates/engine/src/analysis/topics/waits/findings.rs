//! Problems that waits show: a thread pool that starves, and what its workers block on.

use crate::analysis::topics::shared::call_site::{site_condition, site_name};
use crate::analysis::topics::shared::evidence::{link, times};
use crate::analysis::topics::thread_pool::Starved;
use crate::analysis::topics::thread_pool::blocked_workers::{BlockedOn, BlockedSite};
use crate::model::Store;
use protocol::base::time::Span;
use protocol::format::{counted, duration, percent, seconds};
use protocol::topics::finding::{Finding, FindingKind, FindingTarget};
use protocol::topics::report::Unit;
use protocol::topics::topic::Topic;

/// Nanoseconds that workers have to block on tasks, all together.
const BLOCKED: i64 = 200_000_000;

/// The pool starved; `starved` are all times, the longest first.
pub fn starvation(store: &Store, starved: &[Starved]) -> Option<Finding> {
    let worst = starved.first()?;
    let one = &worst.starvation;
    let when = times(starved.iter().map(|one| one.starvation.span).collect());
    let all: i64 = when.iter().map(|time| time.duration()).sum();
    let mut sentence = match (one.added, one.longest_queue) {
        (0, queue) => format!(
            "Work was queued continuously from {}, up to {} at once.",
            seconds(one.span.start.0, 3),
            counted(queue.unwrap_or(0).max(0) as u64, "work item")
        ),
        (_, queue) => {
            let waiting = queue
                .filter(|queue| *queue > 0)
                .map(|queue| format!("; up to {} queued", counted(queue as u64, "work item")));
            format!(
                "From {}, the pool {}{}.",
                seconds(one.span.start.0, 3),
                worst.growth_words(),
                waiting.unwrap_or_default()
            )
        }
    };
    if let Some(site) = worst.workers.sites.first() {
        sentence += &format!(" They were blocked {}.", blocked_words(store, site));
    }
    Some(Finding {
        kind: FindingKind::PoolStarvation,
        title: format!("Thread pool starvation for {}", duration(all)),
        sentence,
        cost: all as f64,
        unit: Unit::Duration,
        cost_words: worst.workers.blocked_share.map_or_else(
            || "starved".to_owned(),
            |share| format!("starved · {} of worker time blocked", percent(share, 1.0)),
        ),
        times: when,
        links: vec![
            link("Show on timeline", FindingTarget::Timeline(one.span)),
            link("Open Thread pool", FindingTarget::Topic(Topic::ThreadPool)),
        ],
        advice: "Use await instead of .Wait() and .Result, and move long-running work to a dedicated thread."
            .to_owned(),
        // Everything that the program has to do waits, not one thread.
        weight: 10.0 * all as f64 / 1e9,
    })
}

/// "in Cart.Checkout() on a task (sync-over-async)".
fn blocked_words(store: &Store, site: &BlockedSite) -> String {
    let place = site_name(store, site.site);
    let place = if place.is_empty() { String::new() } else { format!("in {place} ") };
    format!("{place}on {}", site.on.words())
}

/// Workers blocked on tasks.
pub fn sync_over_async(store: &Store, sites: &[BlockedSite], span: Span) -> Option<Finding> {
    let on_tasks: Vec<&BlockedSite> = sites.iter().filter(|site| site.on == BlockedOn::Task).collect();
    let nanos = on_tasks.iter().fold(0i64, |sum, site| sum.saturating_add(site.nanos));
    let worst = on_tasks.first().filter(|_| nanos >= BLOCKED)?;
    let place = site_name(store, worst.site);
    let mut sentence = if place.is_empty() { "Unresolved code".to_owned() } else { place.to_owned() };
    sentence += &format!(" waited for the result of a task on {}", counted(worst.threads, "worker"));
    match site_name(store, worst.awaited) {
        "" => {}
        awaited => sentence += &format!(", mostly {awaited}"),
    }
    sentence += match on_tasks.len() {
        1 => ".",
        _ => ", and other call sites did the same.",
    };
    let condition = site_condition(store, worst.site);
    Some(Finding {
        kind: FindingKind::SyncOverAsync,
        title: format!("Sync-over-async blocked pool workers for {}", duration(nanos)),
        sentence,
        cost: nanos as f64,
        unit: Unit::Duration,
        cost_words: "thread time".to_owned(),
        times: Vec::new(),
        links: vec![
            link("Show the stack", FindingTarget::Event(worst.event)),
            link("Filter to this call site", FindingTarget::Narrow { condition, span: Some(span) }),
            link("Open Thread pool", FindingTarget::Topic(Topic::ThreadPool)),
        ],
        advice: "Make the caller async and await the task. Every blocked worker is one fewer to run its continuation."
            .to_owned(),
        weight: nanos as f64 / 1e9,
    })
}
