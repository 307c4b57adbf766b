//! Where a program that uses its CPUs spends its time.

use super::shared::call_site::{site, site_name};
use super::shared::evidence::link;
use super::{Known, Scope};
use crate::analysis::samples::thread_samples::{Sampling, ThreadSamples};
use protocol::base::hash::FastMap;
use protocol::base::ids::{FunctionId, StackId};
use protocol::base::sort::sort_by_key;
use protocol::format::{duration, percent};
use protocol::request::SampleChoice;
use protocol::timeline::thread_state::Activity;
use protocol::topics::finding::{Finding, FindingKind, FindingTarget};
use protocol::topics::report::Unit;
use std::cmp::Reverse;

/// Running threads must use this much of the time, and at least so many nanoseconds, before anybody looks for a hot spot.
const BUSY_SHARE: f64 = 0.5;
const BUSY_LEAST: i64 = 200_000_000;
/// A hot spot has this share of the running time.
const HOT_SHARE: f64 = 0.25;
/// Methods after it that are named, if they have this share.
const OTHERS: usize = 2;
const OTHER_SHARE: f64 = 0.05;

/// All of it. The samples must know what threads did.
pub fn cpu_findings(known: &Known<'_>, scope: &Scope<'_>) -> Vec<Finding> {
    hot_spot(known, scope).into_iter().collect()
}

/// Running time by the innermost method of the program on the stack.
fn hot_spot(known: &Known<'_>, scope: &Scope<'_>) -> Option<Finding> {
    let store = known.store;
    let mut site_of: FastMap<StackId, Option<FunctionId>> = FastMap::default();
    let mut by_site: FastMap<FunctionId, i64> = FastMap::default();
    let mut running = 0i64;
    for (_, thread) in known.samples.iter() {
        for index in thread.inside(scope.span).filter(|index| scope.has(thread.event(*index))) {
            let nanos = running_nanos(thread, index);
            if nanos > 0 {
                running = running.saturating_add(nanos);
                let stack = thread.stack(index);
                if let Some(site) = *site_of.entry(stack).or_insert_with(|| site(store, stack)) {
                    *by_site.entry(site).or_default() += nanos;
                }
            }
        }
    }
    let mut sites: Vec<(FunctionId, i64)> = by_site.into_iter().collect();
    sort_by_key(&mut sites, |(site, nanos)| (Reverse(*nanos), *site));
    let (first, nanos) = sites.first().copied()?;
    let share = nanos as f64 / running.max(1) as f64;
    let is_busy = running >= BUSY_LEAST && running as f64 >= BUSY_SHARE * scope.span.duration() as f64;
    if !is_busy || share < HOT_SHARE {
        return None;
    }
    let short = |site| store.functions().get(site).map_or("", |function| store.strings().get(function.short_name));
    let others = sites.iter().skip(1).take(OTHERS).filter(|(_, nanos)| *nanos as f64 >= OTHER_SHARE * running as f64);
    let others: Vec<String> =
        others.map(|(site, nanos)| format!("{} {}", short(*site), percent(*nanos as f64, running as f64))).collect();
    let next = if others.is_empty() { String::new() } else { format!(" Next: {}.", others.join(", ")) };
    Some(Finding {
        kind: FindingKind::CpuHotSpot,
        title: format!("{} uses {} of running time", short(first), percent(share, 1.0)),
        sentence: format!(
            "{} and the framework code it calls ran for {} of {}.{next}",
            site_name(store, Some(first)),
            duration(nanos),
            duration(running)
        ),
        cost: nanos as f64,
        unit: Unit::Duration,
        cost_words: format!("of {} running", duration(running)),
        times: Vec::new(),
        links: vec![link("Open running stacks", FindingTarget::ThreadTime(SampleChoice::Running))],
        advice: "Look at its hot locations and callees first; faster code elsewhere gains little.".to_owned(),
        weight: nanos as f64 / 1e9,
    })
}

fn running_nanos(thread: &ThreadSamples, index: usize) -> i64 {
    match thread.kind() {
        Sampling::Processor => thread.weight(index),
        _ => thread.nanos_of(index, Activity::Running),
    }
}
