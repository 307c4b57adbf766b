//! Tables of GCs: all GCs, pauses, generations and triggers.

use super::details::Detail;
use super::reason_text::{GENERATIONS, condemned, kind};
use crate::analysis::intervals::gc::reason_words;
use crate::analysis::intervals::gc_pauses::{Gc, Pause};
use crate::analysis::topics::Known;
use crate::analysis::topics::shared::call_site::{Site, Sites};
use crate::analysis::topics::shared::durations::{ascending, total};
use crate::analysis::topics::shared::groups::grouped;
use crate::analysis::topics::shared::report::percentile;
use crate::analysis::topics::shared::table::{RowTarget, Table};
use crate::clr::known::payload::GcHeapStats;
use protocol::base::ids::EventId;
use protocol::base::time::Span;
use protocol::topics::report::Unit;

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

fn target(one: &Gc) -> RowTarget {
    RowTarget::of(EventId(one.event)).over(Span::new(one.first_known(), one.last_known().saturating_add(1)))
}

/// Returns the call site that triggered a GC.
pub fn asker(sites: &mut Sites<'_>, detail: &Detail) -> Site {
    detail.asker.map(|asker| sites.of_event(asker.event)).unwrap_or_default()
}

/// Returns a table with a row for each GC.
pub fn gcs(known: &Known<'_>, counted: &[Counted<'_>]) -> Table {
    let (names, mut sites) = (known.site_names(), known.sites());
    let stats = |detail: &Detail, of: fn(&GcHeapStats) -> u64| detail.stats.as_deref().map(of);
    Table::of("collections", "GCs", counted)
        .numbers("number", "GC", Unit::Identity, |(one, _)| one.number)
        .numbers("startNs", "Start", Unit::Moment, |(one, _)| one.first_known())
        .numbers("generation", "Gen", Unit::Identity, |(one, _)| one.generation)
        .words("kind", "Kind", |(one, _)| kind(one))
        .words("reason", "Reason", |(one, _)| reason_words(one.reason))
        .pauses("pauseNs", "Pause", |(one, _)| one.pause_total())
        .numbers("suspendNs", "Suspend", Unit::Duration, |(one, _)| suspension(one))
        .numbers("workNs", "GC work", Unit::Duration, |(one, _)| one.sum(Pause::work_duration))
        .numbers("resumeNs", "Resume", Unit::Duration, |(one, _)| resumption(one))
        .numbers("beforeBytes", "Before", Unit::Bytes, |(_, detail)| detail.before_total())
        .numbers("afterBytes", "After", Unit::Bytes, |(one, _)| after(one))
        .numbers("promotedBytes", "Promoted", Unit::Bytes, |(_, detail)| promoted(detail))
        .words("askedBy", "Triggered in", |(_, detail)| names.name(asker(&mut sites, detail)))
        .threads("thread", "Trigger thread", known.store, |(_, detail)| detail.asker.map(|asker| asker.thread))
        .numbers("gcStartNs", "GC start", Unit::Moment, |(one, _)| one.start)
        .numbers("durationNs", "Duration", Unit::Duration, |(one, _)| one.end.map(|end| end.saturating_sub(one.start)))
        .numbers("pauses", "Pauses", Unit::Count, |(one, _)| one.pauses.len())
        .words("compacting", "Compacting", |(_, detail)| {
            detail.is_compacting.map_or("", |is_compacting| if is_compacting { "yes" } else { "no" })
        })
        .numbers("fragmentationBytes", "Fragmentation", Unit::Bytes, |(_, detail)| {
            detail.free_after.map(|free| free.iter().fold(0u64, |sum, bytes| sum.saturating_add(*bytes)))
        })
        .numbers("committedBytes", "Committed", Unit::Bytes, |(_, detail)| detail.committed)
        .numbers("pinnedObjects", "Pinned objects", Unit::Count, |(_, detail)| {
            stats(detail, |stats| stats.pinned_objects.into())
        })
        .numbers("handles", "GC handles", Unit::Count, |(_, detail)| stats(detail, |stats| stats.handles.into()))
        .numbers("finalizable", "Finalization survivors", Unit::Count, |(_, detail)| {
            stats(detail, |stats| stats.finalization_promoted_count)
        })
        .numbers("heaps", "Heaps", Unit::Count, |(_, detail)| detail.heaps)
        .words("condemned", "Condemned reason", |(_, detail)| condemned(detail.reasons, detail.conditions))
        .numbers("markNs", "Mark", Unit::Duration, |(_, detail)| steps(detail)[0])
        .numbers("planNs", "Plan", Unit::Duration, |(_, detail)| steps(detail)[1])
        .numbers("relocateNs", "Relocate", Unit::Duration, |(_, detail)| steps(detail)[2])
        .numbers("sweepNs", "Sweep", Unit::Duration, |(_, detail)| steps(detail)[3])
        .numbers("compactNs", "Compact", Unit::Duration, |(_, detail)| steps(detail)[4])
        .target(|(one, _)| target(one))
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
    let pauses = counted.iter().flat_map(|(one, _)| one.pauses.iter().map(move |pause| (*one, pause)));
    let pauses: Vec<(&Gc, &Pause)> = pauses.collect();
    Table::of("pauses", "Pauses", &pauses)
        .numbers("number", "GC", Unit::Identity, |(one, _)| one.number)
        .numbers("generation", "Gen", Unit::Identity, |(one, _)| one.generation)
        .words("kind", "Kind", |(one, _)| kind(one))
        .numbers("startNs", "Start", Unit::Moment, |(_, pause)| pause.start)
        .pauses("pauseNs", "Pause", |(_, pause)| pause.duration())
        .numbers("suspendNs", "Suspend", Unit::Duration, |(_, pause)| pause.suspended.map(|_| pause.suspend_duration()))
        .numbers("workNs", "GC work", Unit::Duration, |(_, pause)| pause.work_duration())
        .numbers("resumeNs", "Resume", Unit::Duration, |(_, pause)| pause.resume_duration())
        .numbers("stoppedNs", "Threads stopped", Unit::Duration, |(_, pause)| pause.stopped_duration())
        .target(|(one, pause)| {
            RowTarget::of(EventId(one.event)).over(Span::new(pause.start, pause.end.saturating_add(1)))
        })
}

/// Returns a table with a row for each combination of generation and GC type.
pub fn kinds(counted: &[Counted<'_>], paused: i64) -> Table {
    let groups = grouped(counted, |(one, _)| (one.generation, one.kind), |_| ());
    let groups: Vec<(&[&Counted<'_>], Vec<i64>)> =
        groups.iter().map(|(_, of)| (&of[..], ascending(of.iter().map(|(one, _)| one.pause_total())))).collect();
    Table::of("kinds", "By generation", &groups)
        .numbers("generation", "Gen", Unit::Identity, |(of, _)| of[0].0.generation)
        .words("kind", "Kind", |(of, _)| kind(of[0].0))
        .numbers("count", "GCs", Unit::Count, |(of, _)| of.len())
        .pauses("pauseNs", "Total pause", |(_, lengths)| total(lengths))
        .numbers("share", "Share", Unit::Share, |(_, lengths)| total(lengths) as f64 / paused.max(1) as f64)
        .numbers("medianNs", "p50", Unit::Duration, |(_, lengths)| percentile(lengths, 0.5))
        .numbers("p95Ns", "p95", Unit::Duration, |(_, lengths)| percentile(lengths, 0.95))
        .numbers("longestNs", "Max", Unit::Duration, |(_, lengths)| lengths.last().copied())
        .numbers("promotedBytes", "Promoted", Unit::Bytes, |(of, _)| {
            of.iter().filter_map(|(_, detail)| promoted(detail)).reduce(u64::saturating_add)
        })
        .target(|_| RowTarget::default())
}

/// Returns a table with a row for each generation of each GC with recorded sizes.
pub fn generations(counted: &[Counted<'_>]) -> Table {
    let before = |detail: &Detail, at: usize| detail.before.map(|sizes| sizes[at]);
    let after = |one: &Gc, at: usize| one.heap.map(|heap| heap.sizes[at]);
    let rows = counted.iter().flat_map(|&(one, detail)| (0..GENERATIONS.len()).map(move |at| (one, detail, at)));
    let rows = rows.filter(|(one, detail, at)| before(detail, *at).or(after(one, *at)).is_some());
    Table::of("generations", "Sizes by generation", &rows.collect::<Vec<(&Gc, &Detail, usize)>>())
        .numbers("number", "GC", Unit::Identity, |(one, ..)| one.number)
        .words("part", "Generation", |(.., at)| GENERATIONS[*at])
        .numbers("beforeBytes", "Before", Unit::Bytes, |(_, detail, at)| before(detail, *at))
        .bars("afterBytes", "After", Unit::Bytes, |(one, _, at)| after(one, *at))
        .numbers("changeBytes", "Change", Unit::Bytes, |(one, detail, at)| {
            Some(after(one, *at)? as f64 - before(detail, *at)? as f64)
        })
        .numbers("promotedBytes", "Promoted", Unit::Bytes, |(_, detail, at)| {
            detail.stats.as_ref().map(|stats| stats.generations()[*at].promoted)
        })
        .numbers("fragmentationBytes", "Fragmentation", Unit::Bytes, |(_, detail, at)| {
            detail.free_after.map(|free| free[*at])
        })
        .target(|(one, ..)| target(one))
}

/// Returns a table with a row for each call site and reason that triggered GCs. Unknown call sites have a row, too.
pub fn askers(known: &Known<'_>, counted: &[Counted<'_>]) -> Table {
    let (names, mut sites) = (known.site_names(), known.sites());
    let askers: Vec<(Site, &Gc)> = counted.iter().map(|(one, detail)| (asker(&mut sites, detail), *one)).collect();
    let total = |of: &[(Site, &Gc)]| of.iter().fold(0i64, |sum, (_, one)| sum.saturating_add(one.pause_total()));
    let groups = grouped(askers, |(site, one)| (*site, one.reason), |of| total(of));
    Table::of("askers", "GC triggers", &groups)
        .words("askedBy", "Triggered in", |((site, _), _)| match site.is_none() {
            true => "(unknown)".to_owned(),
            false => names.name(*site),
        })
        .words("reason", "Reason", |((_, reason), _)| reason_words(*reason))
        .numbers("count", "GCs", Unit::Count, |(_, of)| of.len())
        .bars("pauseNs", "Total pause", Unit::Duration, |(_, of)| total(of))
        .numbers("longestNs", "Longest", Unit::Duration, |(_, of)| of.iter().map(|(_, one)| one.pause_total()).max())
        .target(|((site, _), of)| {
            let longest = of.iter().max_by_key(|(_, one)| one.pause_total());
            longest.map_or_else(RowTarget::default, |(_, one)| target(one)).filtered(names.condition(*site))
        })
}

/// Returns the name of the function that induced a GC; empty if unknown.
pub fn asker_name(known: &Known<'_>, detail: &Detail) -> String {
    known.site_names().phrase(asker(&mut known.sites(), detail))
}

/// Returns the same as [`asker_name`], without namespace and parameters.
pub fn asker_short(known: &Known<'_>, detail: &Detail) -> String {
    known.site_names().short(asker(&mut known.sites(), detail))
}
