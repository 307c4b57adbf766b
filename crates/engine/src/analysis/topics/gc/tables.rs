//! Tables of GCs: all GCs, pauses, generations and triggers.

use super::details::Detail;
use super::reason_text::{GENERATIONS, condemned, kind};
use crate::analysis::intervals::gc::reason_words;
use crate::analysis::intervals::gc_pauses::{Gc, Pause};
use crate::analysis::topics::Known;
use crate::analysis::topics::shared::call_site::{Site, Sites};
use crate::analysis::topics::shared::report::percentile;
use crate::analysis::topics::shared::table::{Cell, RowTarget, Table};
use crate::analysis::topics::shared::thread_names::thread_name;
use protocol::base::hash::FastMap;
use protocol::base::ids::EventId;
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::topics::report::Unit;
use std::cmp::Reverse;

/// A GC in scope with its details.
pub type Counted<'c> = (&'c Gc, &'c Detail);

/// Returns the suspend time in nanoseconds over all its pauses.
pub fn suspension(one: &Gc) -> i64 {
    one.sum(Pause::suspend_duration)
}

/// Returns the nanoseconds from the end of the GC's work until its thread ran again, over all its pauses; `None` if not
/// recorded.
pub fn resumption(one: &Gc) -> Option<i64> {
    one.pauses.iter().filter_map(Pause::resume_duration).reduce(i64::saturating_add)
}

/// Returns the bytes of all generations after the GC.
pub fn after(one: &Gc) -> Option<u64> {
    one.heap.map(|heap| heap.sizes.iter().fold(0u64, |sum, size| sum.saturating_add(*size)))
}

/// Returns the promoted bytes.
pub fn promoted(detail: &Detail) -> Option<u64> {
    let all =
        |sum: u64, generation: &crate::clr::known::payload::GenerationSize| sum.saturating_add(generation.promoted);
    detail.stats.as_ref().map(|stats| stats.generations().iter().fold(0, all))
}

fn target(one: &Gc) -> RowTarget<'static> {
    let span = Span::new(one.first_known(), one.last_known().saturating_add(1));
    RowTarget { event: Some(EventId(one.event)), span: Some(span), condition: "" }
}

/// Returns the call site that triggered a GC.
fn asker(sites: &mut Sites<'_>, detail: &Detail) -> Site {
    detail.asker.map(|asker| sites.of_event(asker.event)).unwrap_or_default()
}

/// Returns a table with a row for each GC.
pub fn gcs(known: &Known<'_>, counted: &[Counted<'_>]) -> Table {
    let (store, names, mut sites) = (known.store, known.site_names(), known.sites());
    let mut table = Table::new("collections", "GCs")
        .numbers("number", "GC", Unit::Identity)
        .numbers("startNs", "Start", Unit::Moment)
        .numbers("generation", "Gen", Unit::Identity)
        .words("kind", "Kind")
        .words("reason", "Reason")
        .bars_of("generation", "pauseNs", "Pause", Unit::Duration)
        .numbers("suspendNs", "Suspend", Unit::Duration)
        .numbers("workNs", "GC work", Unit::Duration)
        .numbers("resumeNs", "Resume", Unit::Duration)
        .numbers("beforeBytes", "Before", Unit::Bytes)
        .numbers("afterBytes", "After", Unit::Bytes)
        .numbers("promotedBytes", "Promoted", Unit::Bytes)
        .words("askedBy", "Triggered in")
        .words("thread", "Trigger thread")
        .numbers("durationNs", "Duration", Unit::Duration)
        .numbers("pauses", "Pauses", Unit::Count)
        .words("compacting", "Compacting")
        .numbers("fragmentationBytes", "Fragmentation", Unit::Bytes)
        .numbers("committedBytes", "Committed", Unit::Bytes)
        .numbers("pinnedObjects", "Pinned objects", Unit::Count)
        .numbers("handles", "GC handles", Unit::Count)
        .numbers("finalizable", "Finalization survivors", Unit::Count)
        .numbers("heaps", "Heaps", Unit::Count)
        .words("condemned", "Condemned reason")
        .numbers("markNs", "Mark", Unit::Duration)
        .numbers("planNs", "Plan", Unit::Duration)
        .numbers("relocateNs", "Relocate", Unit::Duration)
        .numbers("sweepNs", "Sweep", Unit::Duration)
        .numbers("compactNs", "Compact", Unit::Duration);
    for (one, detail) in counted {
        let stats = detail.stats.as_deref();
        let thread = detail.asker.map(|asker| asker.thread);
        let compacting = detail.is_compacting.map_or("", |is| if is { "yes" } else { "no" });
        let [mark, plan, relocate, sweep, compact] = steps(detail);
        let cells = [
            u64::from(one.number).into(),
            one.start.into(),
            u64::from(one.generation).into(),
            kind(one).into(),
            Cell::Text(&reason_words(one.reason)),
            one.pause_total().into(),
            suspension(one).into(),
            one.sum(Pause::work_duration).into(),
            resumption(one).into(),
            detail.before_total().into(),
            after(one).into(),
            promoted(detail).into(),
            Cell::Text(&names.name(asker(&mut sites, detail))),
            Cell::Text(&thread_name(store, thread)),
            one.end.map_or(Cell::Nothing, |end| end.saturating_sub(one.start).into()),
            (one.pauses.len() as u64).into(),
            compacting.into(),
            detail.free_after.map(|free| free.iter().fold(0u64, |sum, bytes| sum.saturating_add(*bytes))).into(),
            detail.committed.into(),
            stats.map(|stats| u64::from(stats.pinned_objects)).into(),
            stats.map(|stats| u64::from(stats.handles)).into(),
            stats.map(|stats| stats.finalization_promoted_count).into(),
            detail.heaps.map(u64::from).into(),
            Cell::Text(&condemned(detail.reasons, detail.conditions)),
            mark.into(),
            plan.into(),
            relocate.into(),
            sweep.into(),
            compact.into(),
        ];
        table.push(&cells, target(one));
    }
    table
}

/// Returns the nanoseconds of mark, plan, relocate, sweep and compact, if recorded. A compacting GC relocates at the
/// step where a sweeping one sweeps.
fn steps(detail: &Detail) -> [Option<u64>; 5] {
    let Some((micros, known)) = detail.steps else { return [None; 5] };
    let nanos = |range: std::ops::Range<usize>| {
        let sum: u64 = micros[range.clone()].iter().map(|micros| u64::from(*micros)).sum();
        (known >= range.end).then_some(sum * 1000)
    };
    let relocated_or_swept = nanos(6..7);
    let (relocate, sweep) = if known > 7 { (relocated_or_swept, None) } else { (None, relocated_or_swept) };
    [nanos(0..5), nanos(5..6), relocate, sweep, nanos(7..8)]
}

/// Returns a table with a row for each pause.
pub fn pauses(counted: &[Counted<'_>]) -> Table {
    let mut table = Table::new("pauses", "Pauses")
        .numbers("number", "GC", Unit::Identity)
        .numbers("generation", "Gen", Unit::Identity)
        .words("kind", "Kind")
        .numbers("startNs", "Start", Unit::Moment)
        .bars_of("generation", "pauseNs", "Pause", Unit::Duration)
        .numbers("suspendNs", "Suspend", Unit::Duration)
        .numbers("workNs", "GC work", Unit::Duration)
        .numbers("resumeNs", "Resume", Unit::Duration)
        .numbers("stoppedNs", "Threads stopped", Unit::Duration);
    for (one, _) in counted {
        for pause in &one.pauses {
            let suspend = pause.suspended.map(|_| pause.suspend_duration());
            let cells = [
                u64::from(one.number).into(),
                u64::from(one.generation).into(),
                kind(one).into(),
                pause.start.into(),
                pause.duration().into(),
                suspend.into(),
                pause.work_duration().into(),
                pause.resume_duration().into(),
                pause.stopped_duration().into(),
            ];
            let span = Span::new(pause.start, pause.end.saturating_add(1));
            table.push(&cells, RowTarget { event: Some(EventId(one.event)), span: Some(span), condition: "" });
        }
    }
    table
}

/// Returns a table with a row for each combination of generation and GC type.
pub fn kinds(counted: &[Counted<'_>], paused: i64) -> Table {
    let mut table = Table::new("kinds", "By generation")
        .numbers("generation", "Gen", Unit::Identity)
        .words("kind", "Kind")
        .numbers("count", "GCs", Unit::Count)
        .bars_of("generation", "pauseNs", "Total pause", Unit::Duration)
        .numbers("share", "Share", Unit::Share)
        .numbers("medianNs", "p50", Unit::Duration)
        .numbers("p95Ns", "p95", Unit::Duration)
        .numbers("longestNs", "Max", Unit::Duration)
        .numbers("promotedBytes", "Promoted", Unit::Bytes);
    let mut groups: FastMap<(u8, u8), Vec<&Counted<'_>>> = FastMap::default();
    for one in counted {
        groups.entry((one.0.generation, one.0.kind)).or_default().push(one);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    sort_by_key(&mut groups, |group| group.0);
    for ((generation, _), members) in groups {
        let mut lengths: Vec<i64> = members.iter().map(|(one, _)| one.pause_total()).collect();
        sort_by_key(&mut lengths, |length| *length);
        let total = lengths.iter().fold(0i64, |sum, length| sum.saturating_add(*length));
        let promoted_bytes = members.iter().filter_map(|(_, detail)| promoted(detail)).reduce(u64::saturating_add);
        let at = |share| percentile(&lengths, share).into();
        let cells = [
            u64::from(generation).into(),
            kind(members[0].0).into(),
            (members.len() as u64).into(),
            total.into(),
            Cell::Number(total as f64 / paused.max(1) as f64),
            at(0.5),
            at(0.95),
            at(1.0),
            promoted_bytes.into(),
        ];
        table.push(&cells, RowTarget::default());
    }
    table
}

/// Returns a table with a row for each generation of each GC with recorded sizes.
pub fn generations(counted: &[Counted<'_>]) -> Table {
    let mut table = Table::new("generations", "Sizes by generation")
        .numbers("number", "GC", Unit::Identity)
        .words("part", "Generation")
        .numbers("beforeBytes", "Before", Unit::Bytes)
        .bars("afterBytes", "After", Unit::Bytes)
        .numbers("changeBytes", "Change", Unit::Bytes)
        .numbers("promotedBytes", "Promoted", Unit::Bytes)
        .numbers("fragmentationBytes", "Fragmentation", Unit::Bytes);
    for (one, detail) in counted {
        for (at, part) in GENERATIONS.iter().enumerate() {
            let (before, after) = (detail.before.map(|sizes| sizes[at]), one.heap.map(|heap| heap.sizes[at]));
            if before.or(after).is_none() {
                continue;
            }
            let change = before.zip(after).map(|(before, after)| after as f64 - before as f64);
            let cells = [
                u64::from(one.number).into(),
                (*part).into(),
                before.into(),
                after.into(),
                change.into(),
                detail.stats.as_ref().map(|stats| stats.generations()[at].promoted).into(),
                detail.free_after.map(|free| free[at]).into(),
            ];
            table.push(&cells, target(one));
        }
    }
    table
}

/// Returns a table with a row for each call site and reason that triggered GCs. Unknown call sites have a row, too.
pub fn askers(known: &Known<'_>, counted: &[Counted<'_>]) -> Table {
    let (names, mut sites) = (known.site_names(), known.sites());
    let mut table = Table::new("askers", "GC triggers")
        .words("askedBy", "Triggered in")
        .words("reason", "Reason")
        .numbers("count", "GCs", Unit::Count)
        .bars("pauseNs", "Total pause", Unit::Duration)
        .numbers("longestNs", "Longest", Unit::Duration);
    let mut groups: FastMap<(Site, u32), Vec<&Gc>> = FastMap::default();
    for (one, detail) in counted {
        groups.entry((asker(&mut sites, detail), one.reason)).or_default().push(one);
    }
    let total = |members: &[&Gc]| members.iter().fold(0i64, |sum, one| sum.saturating_add(one.pause_total()));
    let mut groups: Vec<_> = groups.into_iter().collect();
    sort_by_key(&mut groups, |(key, members)| (Reverse(total(members)), *key));
    for ((site, reason), members) in groups {
        let name = if site.is_none() { "(unknown)".to_owned() } else { names.name(site) };
        let longest = members.iter().map(|one| one.pause_total()).max().unwrap_or(0);
        let cells = [
            Cell::Text(&name),
            Cell::Text(&reason_words(reason)),
            (members.len() as u64).into(),
            total(&members).into(),
            longest.into(),
        ];
        let condition = names.condition(site);
        let most = members.iter().max_by_key(|one| one.pause_total());
        table.push(
            &cells,
            RowTarget { condition: &condition, ..most.map_or_else(RowTarget::default, |one| target(one)) },
        );
    }
    table
}

/// Returns the name of the function that induced a GC; empty if unknown.
pub fn asker_name(known: &Known<'_>, detail: &Detail) -> String {
    known.site_names().phrase(asker(&mut known.sites(), detail))
}

/// Returns the same as [`asker_name`], without namespace and parameters.
pub fn asker_short(known: &Known<'_>, detail: &Detail) -> String {
    known.site_names().short(asker(&mut known.sites(), detail))
}
