//! Findings in machine-wide traces: saturated CPUs, and waits for locks and GCs that only off-CPU stacks show.

use super::gc_triggers::GcTriggers;
use super::shared::call_site::{Site, SiteNames};
use super::shared::cost::THREAD_TIME;
use super::shared::evidence::{extent, link, on_timeline, times};
use super::shared::evidence_text::{evidence, share, share_was, when};
use super::{Known, Scope};
use crate::analysis::samples::stack_states::WAIT_FOR_GC;
use crate::analysis::samples::thread_samples::{Sampling, ThreadSamples};
use crate::analysis::topics::shared::fixes::SHORTER_LOCK;
use crate::analysis::topics::shared::groups::ranked;
use crate::clr::KnownEvent;
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::ThreadId;
use protocol::base::time::Span;
use protocol::format::{counted, duration, percent};
use protocol::request::SampleChoice;
use protocol::timeline::thread_state::{Activity, ThreadState};
use protocol::topics::finding::{Cost, Finding, FindingKind, FindingLink, FindingTarget, MAX_THREADS, Narrowing};

/// Minimum share of busy CPU time, and minimum nanoseconds, for saturated CPUs.
pub(super) const BUSY_MACHINE: f64 = 0.9;
const BUSY_TIME: i64 = 500_000_000;
/// The same share for a part of the time, whose edges may be less busy.
const BUSY_BURST: f64 = 0.8;
/// Minimum total nanoseconds of off-CPU lock waits for a finding.
const LOCK_WAITS: i64 = 20_000_000;
/// Minimum total nanoseconds of off-CPU waits for GCs, and minimum share of the time in which threads aren't idle, for a
/// finding.
const PAUSES: i64 = 100_000_000;
const PAUSES_SHARE: f64 = 0.1;
/// Minimum share of the waits for which the second call site is named.
const NEXT_SHARE: f64 = 0.1;

/// Returns the findings about waits in a machine-wide trace.
pub fn machine_findings(known: &Known<'_>, scope: &Scope<'_>) -> Vec<Finding> {
    let of = |state, is_recorded: &[KnownEvent]| OffCpu::of(known, scope, state, is_recorded);
    let locks = of(ThreadState::Lock, &[KnownEvent::ContentionStart]).and_then(|waits| off_cpu_locks(known, waits));
    let pauses = of(ThreadState::Gc, &[KnownEvent::GcStart]).and_then(|waits| off_cpu_pauses(known, scope, waits));
    locks.into_iter().chain(pauses).collect()
}

/// Returns the finding that all CPUs of the machine were busy during a time, which may be only a part of all time.
pub fn machine_saturation(known: &Known<'_>, span: Span, burst: Option<Span>) -> Option<Finding> {
    let store = known.store;
    let cpus = store.header.known_processor_count().filter(|cpus| *cpus > 0)?;
    // Over all processes, regardless of the filter.
    let (mut used, mut by_process) = (0i64, FastMap::<u32, i64>::default());
    for (id, thread) in known.samples.iter().filter(|(_, thread)| thread.kind == Sampling::Processor) {
        let of_thread = thread.inside(span).map(|index| thread.weight(index)).fold(0, i64::saturating_add);
        used = used.saturating_add(of_thread);
        let Some(process) = store.threads.get(id).map(|thread| thread.process) else { continue };
        let sum = by_process.entry(process.0).or_default();
        *sum = sum.saturating_add(of_thread);
    }
    let available = span.duration().saturating_mul(cpus.into());
    let least = if burst.is_some() { BUSY_BURST } else { BUSY_MACHINE };
    if used < BUSY_TIME || (used as f64) < least * available as f64 {
        return None;
    }
    let by_process = ranked(by_process, |nanos| *nanos);
    let (first, nanos) = by_process.first().copied()?;
    let process = store.processes.iter().find(|process| process.id.0 == first);
    let name = process.map_or_else(|| "The busiest process".to_owned(), |process| process.numbered_label());
    let cpus_were = format!("{} {}", counted(cpus.into(), "CPU"), if cpus == 1 { "was" } else { "were" });
    let cost = Cost::time(used, "CPU time");
    let running = FindingTarget::ThreadTime(SampleChoice::Running, Narrowing::default());
    Some(Finding {
        title: format!("{cpus_were} {} busy ({})", percent(used as f64, available as f64), cost.size()),
        sentence: format!("{name} used {} of the CPU time{}.", percent(nanos as f64, used as f64), when(burst)),
        links: vec![link("View running stacks", running)],
        advice: "Optimize the hottest methods, or add CPUs.".to_owned(),
        details: format!(
            "In {}, {cpus_were} busy for {} of the available {}.",
            duration(span.duration()),
            duration(used),
            duration(available)
        ),
        ..Finding::new(FindingKind::MachineSaturation, cost)
    })
}

/// Waits at a call site.
#[derive(Default)]
struct Waits {
    nanos: i64,
    count: u64,
    threads: FastSet<ThreadId>,
    times: Vec<Span>,
}

/// Time that threads spent off the CPUs in a state.
struct OffCpu {
    /// Nanoseconds, summed over threads.
    total: i64,
    /// By call site, by time in descending order; not empty.
    sites: Vec<(Site, Waits)>,
}

impl OffCpu {
    /// Sums the waits; `None` without any, or if the runtime recorded them itself.
    fn of(known: &Known<'_>, scope: &Scope<'_>, state: ThreadState, is_recorded: &[KnownEvent]) -> Option<Self> {
        let (store, time) = (known.store, scope.time.as_ref()?);
        if store.types.iter().any(|kind| is_recorded.contains(&kind.known) && kind.count > 0) {
            return None;
        }
        let (mut sites, mut by_site, mut total) = (known.sites(), FastMap::<Site, Waits>::default(), 0i64);
        for (id, thread, index) in time.counted() {
            if !thread.is_recorded(index) || thread.state(index, None) != Some(state) {
                continue;
            }
            let (nanos, start) = (thread.total(index), thread.time(index));
            total = total.saturating_add(nanos);
            let waits = by_site.entry(sites.of_thread(id, start, thread.stack(index))).or_default();
            waits.nanos = waits.nanos.saturating_add(nanos);
            waits.count += 1;
            waits.threads.insert(id);
            waits.times.push(Span::new(start, start.saturating_add(nanos)));
        }
        let sites = ranked(by_site, |waits| waits.nanos);
        (!sites.is_empty()).then_some(Self { total, sites })
    }

    /// Returns the threads that waited.
    fn threads(&self) -> Vec<ThreadId> {
        let all: FastSet<ThreadId> = self.sites.iter().flat_map(|(_, waits)| &waits.threads).copied().collect();
        let mut threads: Vec<ThreadId> = all.into_iter().collect();
        threads.sort_unstable();
        threads.truncate(MAX_THREADS);
        threads
    }

    /// Returns evidence: the call sites with the most time.
    fn evidence(&self, names: SiteNames<'_>) -> String {
        self.sentence(names, "")
    }

    /// Returns [`Self::evidence`], with the words for the whole after the first share: " of the wait time".
    fn sentence(&self, names: SiteNames<'_>, whole: &str) -> String {
        let place = |site: Site| if site.is_none() { "unresolved code".to_owned() } else { names.short(site) };
        let lead = self.sites.first().map_or_else(String::new, |(site, waits)| {
            let (nanos, total) = (waits.nanos as f64, self.total as f64);
            let share = match whole {
                "" => share_was(nanos, total),
                whole => format!("{}{whole} was", share(nanos, total)),
            };
            format!("{share} in {} ({})", place(*site), counted(waits.count, "wait"))
        });
        let next =
            self.sites.iter().skip(1).take(1).filter(|(_, waits)| waits.nanos as f64 >= NEXT_SHARE * self.total as f64);
        let next = next.map(|(site, waits)| {
            format!("; then {} ({})", place(*site), percent(waits.nanos as f64, self.total as f64))
        });
        evidence(lead, next)
    }

    /// Returns links to all waits, and to those at the first call site.
    fn links(&self, names: SiteNames<'_>, when: &[Span]) -> Vec<FindingLink> {
        let Some((span, (site, _))) = extent(when).zip(self.sites.first()) else { return Vec::new() };
        let there = Narrowing::within(names.condition(*site), span);
        vec![
            link("Show on timeline", FindingTarget::Timeline(span)),
            link("View wait stacks", FindingTarget::ThreadTime(SampleChoice::Blocked, there)),
            link("View all blocked stacks", FindingTarget::ThreadTime(SampleChoice::Blocked, Narrowing::default())),
        ]
    }
}

/// Returns the finding about off-CPU waits for locks, in a trace without contention events.
fn off_cpu_locks(known: &Known<'_>, waits: OffCpu) -> Option<Finding> {
    if waits.total < LOCK_WAITS {
        return None;
    }
    let names = known.site_names();
    let when = times(waits.sites.first()?.1.times.clone());
    let cost = Cost::time(waits.total, THREAD_TIME);
    Some(Finding {
        title: format!("Lock contention took {} of off-CPU thread time", cost.size()),
        sentence: waits.evidence(names),
        threads: waits.threads(),
        links: waits.links(names, &when),
        times: when,
        advice: SHORTER_LOCK.to_owned(),
        details: "Record contention events (keyword 0x4000) to see the lock and its owner.".to_owned(),
        ..Finding::new(FindingKind::OffCpuLocks, cost)
    })
}

/// Returns the finding about off-CPU waits for GCs, in a trace without GC events.
fn off_cpu_pauses(known: &Known<'_>, scope: &Scope<'_>, waits: OffCpu) -> Option<Finding> {
    let busy = scope.time.as_ref().map_or(0, |time| {
        let busy =
            |thread: &ThreadSamples, index| thread.total(index).saturating_sub(thread.nanos_of(index, Activity::Idle));
        time.counted().map(|(_, thread, index)| busy(thread, index)).fold(0, i64::saturating_add)
    });
    if waits.total < PAUSES || (waits.total as f64) < PAUSES_SHARE * busy as f64 {
        return None;
    }
    let names = known.site_names();
    let when = times(waits.sites.iter().flat_map(|(_, waits)| waits.times.iter().copied()).collect());
    let cost = Cost::time(waits.total, THREAD_TIME);
    // The threads that wait aren't the ones that cause GCs.
    let waited = waits.sentence(names, " of the wait time");
    let waits_for_gc = extent(&when).map(|span| {
        let there = Narrowing::within(format!("stack:{WAIT_FOR_GC}"), span);
        link("View wait stacks", FindingTarget::ThreadTime(SampleChoice::All, there))
    });
    let triggers = GcTriggers::of(known, scope);
    let (sentence, waited) = match triggers.as_ref().map(|triggers| triggers.evidence(known)) {
        Some((lead, next)) => (evidence(lead, next), format!(" {waited}")),
        None => (waited, String::new()),
    };
    Some(Finding {
        title: format!("GC pauses cost {} of thread time", cost.size()),
        sentence,
        threads: waits.threads(),
        links: on_timeline(&when).into_iter().chain(waits_for_gc).collect(),
        times: when,
        advice: triggers
            .map_or("Allocate less: rent arrays from ArrayPool<T>.", |triggers| triggers.advice())
            .to_owned(),
        details: format!(
            "Threads spent {} of their busy time waiting for the end of a GC.{waited} Record GC events (keyword 0x1) to \
             see each GC's generation and reason.",
            percent(waits.total as f64, busy as f64)
        ),
        ..Finding::new(FindingKind::PauseShare, cost)
    })
}
