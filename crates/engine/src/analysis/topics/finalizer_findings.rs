//! Findings about finalizers that keep their thread busy: one thread runs all of them, and objects that wait for it
//! stay in memory.

use super::shared::bursts::share_of_time;
use super::shared::call_site::Site;
use super::shared::cost::THREAD_TIME;
use super::shared::evidence::{on_timeline, times};
use super::shared::evidence_text::share_was;
use super::{Known, Scope};
use crate::analysis::intervals::spans::index::Family;
use crate::analysis::samples::stack_states::method_path;
use crate::analysis::topics::shared::groups::ranked;
use crate::model::{Store, ThreadRole};
use protocol::base::hash::FastMap;
use protocol::base::ids::StackId;
use protocol::base::time::Span;
use protocol::format::{capitalized, duration};
use protocol::timeline::thread_state::Activity;
use protocol::timeline::track::TrackKind;
use protocol::topics::finding::{Cost, Finding, FindingKind, MAX_THREADS};

/// Minimum share of the time, or of a part of it, in finalizers, and minimum nanoseconds there, for a finding.
const SHARE: f64 = 0.1;
const LEAST: i64 = 500_000_000;

/// .NET's own finalizer that runs callbacks after gen 2 GCs: array pools release unused arrays there.
const AFTER_GEN2: &str = "System.Gen2GcCallback.";
/// Minimum share of the time for these callbacks to be the reason.
const AFTER_GEN2_SHARE: f64 = 0.5;

/// Returns the finding about time in finalizers, from the runs of the finalizer thread, or from its samples if the
/// runs aren't recorded. It needs samples with known thread states.
pub fn finalizer_findings(known: &Known<'_>, scope: &Scope<'_>) -> Option<Finding> {
    let store = known.store;
    let mut sites = known.sites();
    let (mut by_site, mut when): (FastMap<Site, i64>, Vec<Span>) = Default::default();
    let (mut running, mut blocked, mut threads) = (0i64, 0i64, Vec::new());
    let mut loads: Vec<(i64, i64)> = Vec::new();
    let (mut trims, mut trimming) = (FastMap::<StackId, bool>::default(), 0i64);
    let is_finalizer = |role: ThreadRole| role == ThreadRole::Finalizer;
    for (id, thread) in known.samples.iter() {
        if !store.threads.get(id).is_some_and(|thread| is_finalizer(thread.role)) {
            continue;
        }
        let before = when.len();
        for index in thread.inside(scope.span).filter(|index| scope.has(thread.event(*index))) {
            // Without a managed frame, the thread waits for objects.
            let stack = thread.stack(index);
            if stack == StackId(0) {
                continue;
            }
            let (ran, waited) = (thread.nanos_of(index, Activity::Running), thread.nanos_of(index, Activity::Blocked));
            let nanos = ran.saturating_add(waited);
            if nanos <= 0 {
                continue;
            }
            running = running.saturating_add(ran);
            blocked = blocked.saturating_add(waited);
            if *trims.entry(stack).or_insert_with(|| is_after_gen2(store, stack)) {
                trimming = trimming.saturating_add(nanos);
            }
            let time = thread.time(index);
            when.push(Span::new(time, time.saturating_add(thread.weight(index))));
            loads.push((time, nanos));
            if let Some(site) = sites.of_event(thread.event(index)).known() {
                let sum = by_site.entry(site).or_default();
                *sum = sum.saturating_add(nanos);
            }
        }
        threads.extend((when.len() > before && threads.len() < MAX_THREADS).then_some(id));
    }
    let sampled = running.saturating_add(blocked);
    let runs = recorded_runs(known, scope);
    let total = match &runs {
        Some(runs) => {
            when.clone_from(runs);
            loads = runs.iter().map(|run| (run.start.0, run.duration())).collect();
            runs.iter().map(|run| run.duration()).fold(0, i64::saturating_add)
        }
        None => sampled,
    };
    let busy = share_of_time(scope.span, (SHARE, LEAST), total, loads.into_iter())?;
    let by_site = ranked(by_site, |nanos| *nanos);
    let most = by_site.first().map_or_else(String::new, |(site, nanos)| {
        format!("{} in {}; ", share_was(*nanos as f64, sampled as f64), known.site_names().short(*site))
    });
    let waited = match blocked {
        _ if runs.is_some() => String::new(),
        0 => String::new(),
        nanos => format!("They waited for {} of that time.", duration(nanos)),
    };
    let cost = Cost::time(total, THREAD_TIME);
    let when = times(when);
    let (advice, why) = match sampled > 0 && trimming as f64 >= AFTER_GEN2_SHARE * sampled as f64 {
        true => (
            "Reduce gen 2 GCs: they trim array pools.",
            "After gen 2 GCs, .NET releases unused arrays of ArrayPool<T> on the thread that runs finalizers, so \
             finalizers of the app wait.",
        ),
        false => (
            "Dispose objects, and call GC.SuppressFinalize in Dispose.",
            "One thread runs all finalizers, so keep them short.",
        ),
    };
    Some(Finding {
        title: format!("Finalizers took {}", cost.size()),
        sentence: capitalized(&format!("{most}finalizers ran {busy}.")),
        links: on_timeline(&when).into_iter().collect(),
        times: when,
        advice: advice.to_owned(),
        details: format!("{why} {waited}").trim_end().to_owned(),
        threads,
        ..Finding::new(FindingKind::FinalizerBacklog, cost)
    })
}

/// Returns the parts of the finalizer threads' runs in scope; `None` if no runs are recorded.
fn recorded_runs(known: &Known<'_>, scope: &Scope<'_>) -> Option<Vec<Span>> {
    let all = known.tracks.known(Family::Track(TrackKind::Finalizers)).map(|set| set.intervals())?;
    let whole = || all.iter().filter(|run| run.is_whole());
    whole().next()?;
    let covered = whole().filter(|run| scope.covers(run.event, run.start, run.end));
    Some(covered.filter_map(|run| Span::new(run.start, run.end).intersect(scope.span)).collect())
}

/// Returns whether .NET's callbacks after gen 2 GCs are on a stack.
fn is_after_gen2(store: &Store, stack: StackId) -> bool {
    let mut functions = store.stacks.leaf_to_root(stack).filter_map(|frame| store.function_of(frame));
    functions.any(|function| function.is_framework && method_path(store, function).starts_with(AFTER_GEN2))
}
