//! Findings in machine-wide traces: saturated CPUs, and lock contention that only off-CPU stacks show.

use super::shared::call_site::Site;
use super::shared::evidence::{extent, link, times};
use super::{Known, Scope};
use crate::analysis::samples::thread_samples::Sampling;
use crate::clr::KnownEvent;
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::ThreadId;
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::format::{counted, duration, percent, seconds};
use protocol::request::SampleChoice;
use protocol::timeline::thread_state::ThreadState;
use protocol::topics::finding::{Cost, Finding, FindingKind, FindingTarget, MAX_THREADS, Narrowing};
use std::cmp::Reverse;

/// Minimum share of busy CPU time, and minimum nanoseconds, for saturated CPUs.
const BUSY_SHARE: f64 = 0.9;
const BUSY_TIME: i64 = 500_000_000;
/// Minimum total nanoseconds of off-CPU lock waits for a finding.
const LOCK_WAITS: i64 = 20_000_000;

/// Returns all findings about a machine-wide trace.
pub fn machine_findings(known: &Known<'_>, scope: &Scope<'_>) -> Vec<Finding> {
    [saturation(known, scope), off_cpu_locks(known, scope)].into_iter().flatten().collect()
}

/// Returns the finding that all CPUs of the machine were busy.
fn saturation(known: &Known<'_>, scope: &Scope<'_>) -> Option<Finding> {
    let store = known.store;
    let cpus = store.header().known_processor_count().filter(|cpus| *cpus > 0)?;
    // Over all processes, regardless of the filter.
    let (mut used, mut by_process) = (0i64, FastMap::<u32, i64>::default());
    for (id, thread) in known.samples.iter().filter(|(_, thread)| thread.kind() == Sampling::Processor) {
        let of_thread = thread.inside(scope.span).map(|index| thread.weight(index)).fold(0, i64::saturating_add);
        used = used.saturating_add(of_thread);
        let Some(process) = store.threads().get(id).map(|thread| thread.process) else { continue };
        let sum = by_process.entry(process.0).or_default();
        *sum = sum.saturating_add(of_thread);
    }
    let available = scope.span.duration().saturating_mul(cpus.into());
    if used < BUSY_TIME || (used as f64) < BUSY_SHARE * available as f64 {
        return None;
    }
    let mut by_process: Vec<(u32, i64)> = by_process.into_iter().collect();
    sort_by_key(&mut by_process, |(process, nanos)| (Reverse(*nanos), *process));
    let (first, nanos) = by_process.first().copied()?;
    let process = store.processes().iter().find(|process| process.id.0 == first);
    let name = process.map_or_else(|| "The busiest process".to_owned(), |process| process.numbered_label());
    let cpus_were = if cpus == 1 { "CPU was" } else { "CPUs were" };
    let cpus = counted(cpus.into(), "CPU");
    let of_available = format!("of {} of CPU time", duration(available));
    let cost = Cost::time(used, &of_available);
    Some(Finding {
        title: format!("The machine's {cpus} were {} busy ({})", percent(used as f64, available as f64), cost.size()),
        sentence: format!(
            "{name} used {} of the CPU time. In {}, the {} busy for {} of the available {}.",
            percent(nanos as f64, used as f64),
            duration(scope.span.duration()),
            cpus_were,
            duration(used),
            duration(available)
        ),
        links: vec![link(
            "Open running stacks",
            FindingTarget::ThreadTime(SampleChoice::Running, Narrowing::default()),
        )],
        advice: "Runnable threads wait for a CPU. Make the hottest code cheaper, limit parallelism \
                 (MaxDegreeOfParallelism), or add CPUs."
            .to_owned(),
        ..Finding::new(FindingKind::MachineSaturation, cost)
    })
}

/// Waits for locks at a call site.
#[derive(Default)]
struct Waits {
    nanos: i64,
    count: u64,
    threads: FastSet<ThreadId>,
    times: Vec<Span>,
}

/// Returns the finding about off-CPU waits for locks, in a trace without contention events.
fn off_cpu_locks(known: &Known<'_>, scope: &Scope<'_>) -> Option<Finding> {
    let (store, time) = (known.store, scope.time?);
    let has_events = store.types().iter().any(|kind| kind.known == KnownEvent::ContentionStart && kind.count > 0);
    if has_events {
        return None;
    }
    let (mut sites, mut by_site) = (known.sites(), FastMap::<Site, Waits>::default());
    let mut total = 0i64;
    for (id, thread) in time.stacks.iter() {
        for index in (0..thread.len()).filter(|index| time.selection.contains(thread.event(*index).index())) {
            if !thread.is_recorded(index) || thread.state(index, None) != Some(ThreadState::Lock) {
                continue;
            }
            let nanos = thread.total(index);
            total = total.saturating_add(nanos);
            let start = thread.time(index);
            let waits = by_site.entry(sites.of_thread(id, start, thread.stack(index))).or_default();
            waits.nanos = waits.nanos.saturating_add(nanos);
            waits.count += 1;
            waits.threads.insert(id);
            waits.times.push(Span::new(start, start.saturating_add(nanos)));
        }
    }
    if total < LOCK_WAITS {
        return None;
    }
    let mut by_site: Vec<(Site, Waits)> = by_site.into_iter().collect();
    sort_by_key(&mut by_site, |(site, waits)| (Reverse(waits.nanos), *site));
    let (site, waits) = by_site.into_iter().next()?;
    let names = known.site_names();
    let place = if site.is_none() { "Unresolved code".to_owned() } else { names.phrase(site) };
    let when = times(waits.times);
    let span = extent(&when)?;
    let mut threads: Vec<ThreadId> = waits.threads.iter().copied().collect();
    threads.sort_unstable();
    threads.truncate(MAX_THREADS);
    let cost = Cost::time(total, "thread time");
    let there = Narrowing::within(names.condition(site), span);
    Some(Finding {
        title: format!("Lock waits took {} of off-CPU thread time", cost.size()),
        sentence: format!(
            "{place} accounts for {} of it: {} on {} between {} and {}.",
            percent(waits.nanos as f64, total as f64),
            counted(waits.count, "wait"),
            counted(waits.threads.len() as u64, "thread"),
            seconds(span.start.0, 3),
            seconds(span.end.0, 3)
        ),
        times: when,
        threads,
        links: vec![
            link("Show on timeline", FindingTarget::Timeline(span)),
            link("View wait stacks", FindingTarget::ThreadTime(SampleChoice::Blocked, there)),
            link("Open blocked stacks", FindingTarget::ThreadTime(SampleChoice::Blocked, Narrowing::default())),
        ],
        advice: "Hold the lock for less time, or use a concurrent collection, a lock per key, or Interlocked. Record \
                 contention events (keyword 0x4000) to see the lock and its owner."
            .to_owned(),
        ..Finding::new(FindingKind::OffCpuLocks, cost)
    })
}
