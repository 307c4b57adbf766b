//! Where a program that uses its CPUs spends its time.

use super::shared::call_site::{site, site_name};
use super::shared::evidence::link;
use super::{Known, Scope};
use crate::analysis::samples::thread_samples::Sampling;
use protocol::base::hash::FastMap;
use protocol::base::ids::{FunctionId, StackId};
use protocol::base::sort::sort_by_key;
use protocol::format::{counted, duration, percent};
use protocol::request::SampleChoice;
use protocol::timeline::thread_state::Activity;
use protocol::topics::finding::{Finding, FindingKind, FindingTarget};
use protocol::topics::report::Unit;
use std::cmp::Reverse;

/// Running threads must use this much of the time, and at least so many nanoseconds, before anybody looks for a hot spot.
const BUSY_SHARE: f64 = 0.5;
const BUSY_LEAST: i64 = 200_000_000;
/// A hot spot has this share of the running time.
const HOT_SHARE: f64 = 0.2;
/// Methods after it that are named, if they have this share.
const OTHERS: usize = 2;
const OTHER_SHARE: f64 = 0.05;

/// So many runnable threads a CPU, on average, are too many.
const RUNNABLE_PER_CPU: f64 = 1.5;

/// All of it. The samples must know what threads did.
pub fn cpu_findings(known: &Known<'_>, scope: &Scope<'_>) -> Vec<Finding> {
    let Some(running) = Running::of(known, scope) else { return Vec::new() };
    [running.hot_spot(known, scope), running.saturation(known, scope)].into_iter().flatten().collect()
}

/// Running time by the innermost method of the program on the stack.
struct Running {
    /// Most time first.
    sites: Vec<(FunctionId, i64)>,
    /// Nanoseconds over all threads.
    total: i64,
    /// CPUs that the trace knows of.
    cpus: Option<u32>,
}

impl Running {
    /// None where threads hardly ran.
    fn of(known: &Known<'_>, scope: &Scope<'_>) -> Option<Self> {
        let (store, time) = (known.store, scope.time?);
        let mut site_of: FastMap<StackId, Option<FunctionId>> = FastMap::default();
        let mut by_site: FastMap<FunctionId, i64> = FastMap::default();
        let mut total = 0i64;
        for (_, thread) in time.stacks.iter() {
            for index in (0..thread.len()).filter(|index| time.selection.contains(thread.event(*index).index())) {
                let nanos = thread.nanos_of(index, Activity::Running);
                if nanos > 0 {
                    total = total.saturating_add(nanos);
                    let stack = thread.stack(index);
                    if let Some(site) = *site_of.entry(stack).or_insert_with(|| site(store, stack)) {
                        let sum = by_site.entry(site).or_default();
                        *sum = sum.saturating_add(nanos);
                    }
                }
            }
        }
        let mut sites: Vec<(FunctionId, i64)> = by_site.into_iter().collect();
        sort_by_key(&mut sites, |(site, nanos)| (Reverse(*nanos), *site));
        let is_busy = total >= BUSY_LEAST && total as f64 >= BUSY_SHARE * scope.span.duration() as f64;
        is_busy.then(|| Self { sites, total, cpus: store.header().known_processor_count().filter(|cpus| *cpus > 0) })
    }

    /// Which part of running time threads can have been on a CPU; the rest of it they were ready to run.
    fn on_cpu(&self, scope: &Scope<'_>) -> f64 {
        let most = self.cpus.map_or(f64::INFINITY, |cpus| f64::from(cpus) * scope.span.duration().max(1) as f64);
        (most / self.total.max(1) as f64).min(1.0)
    }

    fn hot_spot(&self, known: &Known<'_>, scope: &Scope<'_>) -> Option<Finding> {
        let store = known.store;
        let (first, nanos) = self.sites.first().copied()?;
        let share = |nanos: i64| nanos as f64 / self.total.max(1) as f64;
        if share(nanos) < HOT_SHARE {
            return None;
        }
        let short = |site| store.functions().get(site).map_or("", |function| store.strings().get(function.short_name));
        let others = self.sites.iter().skip(1).take(OTHERS).filter(|(_, nanos)| share(*nanos) >= OTHER_SHARE);
        let others: Vec<String> =
            others.map(|(site, nanos)| format!("{} {}", short(*site), percent(share(*nanos), 1.0))).collect();
        let next = if others.is_empty() { String::new() } else { format!(" Next: {}.", others.join(", ")) };
        Some(Finding {
            kind: FindingKind::CpuHotSpot,
            title: format!("{} uses {} of running time", short(first), percent(share(nanos), 1.0)),
            sentence: format!(
                "{} and the framework code it calls ran for {} of {}.{next}",
                site_name(store, Some(first)),
                duration(nanos),
                duration(self.total)
            ),
            cost: nanos as f64,
            unit: Unit::Duration,
            cost_words: format!("of {} running", duration(self.total)),
            times: Vec::new(),
            links: vec![link("Open running stacks", FindingTarget::ThreadTime(SampleChoice::Running))],
            advice: "Look at its hot locations and callees first; faster code elsewhere gains little.".to_owned(),
            weight: nanos as f64 * self.on_cpu(scope) / 1e9,
        })
    }

    /// More threads want to run than there are CPUs.
    fn saturation(&self, known: &Known<'_>, scope: &Scope<'_>) -> Option<Finding> {
        let is_wall_clock = known.samples.iter().any(|(_, thread)| thread.kind() == Sampling::WallClock);
        let cpus = self.cpus.filter(|_| is_wall_clock)?;
        let runnable = self.total as f64 / scope.span.duration().max(1) as f64;
        if runnable < RUNNABLE_PER_CPU * f64::from(cpus) {
            return None;
        }
        let waited = self.total as f64 * (1.0 - self.on_cpu(scope));
        Some(Finding {
            kind: FindingKind::CpuSaturation,
            title: format!("{runnable:.1} threads were runnable on {}", counted(cpus.into(), "CPU")),
            sentence: format!(
                "On average over {}. Of {} of running time, at least {} was spent waiting for a CPU.",
                duration(scope.span.duration()),
                duration(self.total),
                duration(waited as i64)
            ),
            cost: waited,
            unit: Unit::Duration,
            cost_words: "waiting for a CPU".to_owned(),
            times: Vec::new(),
            links: vec![link("Open running stacks", FindingTarget::ThreadTime(SampleChoice::Running))],
            advice:
                "Use fewer threads for CPU-bound work (MaxDegreeOfParallelism), or more CPUs. Sampled times of all \
                     methods include waiting for a CPU."
                    .to_owned(),
            // Nothing but the number of threads: what they run for is a finding of its own.
            weight: waited / 1e9 / f64::from(cpus) / 10.0,
        })
    }
}
