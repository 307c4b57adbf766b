//! The report of GCs.

use super::GcFacts;
use super::reason_text::{GENERATIONS, HUES, called, cause};
use super::tables::{self, Counted, after, asker_name, promoted, resumption, suspension};
use crate::analysis::intervals::gc::{asks_of_events, is_inside};
use crate::analysis::intervals::gc_pauses::{Gc, Pause};
use crate::analysis::topics::shared::report::{Report, by_size, percentile};
use crate::analysis::topics::{Known, Scope};
use crate::clr::known::payload::is_induced;
use crate::clr::{KnownEvent, Provider};
use crate::model::Store;
use protocol::base::ids::EventId;
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::format::{counted as number_of, duration, percent, seconds};
use protocol::topics::report::{Chart, ChartAxis, ChartSeries, Hue, Unit};

/// Maximum number of points in the chart of sizes. If there are more GCs, those with the least and most bytes among
/// neighbors remain.
const MOMENTS: usize = 400;
/// Minimum share of all pauses for a sentence about one GC.
const WORTH_NAMING: f64 = 0.1;

/// Returns the report of the GCs in `scope`.
pub fn report(facts: &GcFacts, known: &Known<'_>, scope: &Scope<'_>) -> Report {
    let all = known.gcs.iter().zip(&facts.details);
    let counted: Vec<Counted<'_>> = all.filter(|one| counts(known.store, one, scope)).collect();
    let mut report = Report::default();
    let mut lengths: Vec<i64> = counted.iter().map(|(one, _)| one.pause_total()).collect();
    sort_by_key(&mut lengths, |length| *length);
    let paused = counted.iter().fold(0i64, |sum, (one, _)| sum.saturating_add(inside(one, scope)));
    judge(facts, known, scope, &counted, (&lengths, paused), &mut report);
    figures(facts, scope, &counted, (&lengths, paused), &mut report);
    report.charts.extend(sizes_chart(&counted));
    let of = |(one, _): &Counted<'_>| (one.pause_total() as f64, usize::from(one.generation.min(2)));
    let values: Vec<(f64, usize)> = counted.iter().filter(|(one, _)| !one.pauses.is_empty()).map(of).collect();
    let series = [(GENERATIONS[0], HUES[0]), (GENERATIONS[1], HUES[1]), (GENERATIONS[2], HUES[2])];
    report.charts.extend(by_size("GCs by pause time", Unit::Duration, &series, &values));
    report.tables.push(tables::gcs(known, &counted));
    report.tables.push(tables::kinds(&counted, paused));
    report.tables.push(tables::askers(known, &counted));
    report.tables.push(tables::pauses(&counted));
    report.tables.push(tables::generations(&counted));
    if !facts.dynamic.is_empty() {
        report.tables.push(facts.dynamic.table(scope));
        let words = [Some(std::mem::take(&mut report.explanation)), facts.dynamic.omitted_words()];
        let words: Vec<String> = words.into_iter().flatten().filter(|words| !words.is_empty()).collect();
        report.explanation = words.join(" ");
    }
    let mut triggers = known.store.types.of_known(KnownEvent::GcTriggered).filter(|kind| kind.count > 0);
    if let Some(kind) = triggers.find(|kind| kind.is_of(Provider::Runtime)) {
        report.view_stacks("View GC-triggering stacks", &kind.provider, &kind.display_name);
    }
    report
}

/// Returns whether a GC is in scope. Conditions on events apply to the event of its start or of its trigger.
pub(super) fn counts(store: &Store, (one, detail): &Counted<'_>, scope: &Scope<'_>) -> bool {
    match asks_of_events(scope.filter) {
        true => scope.has(EventId(one.event)) || detail.asker.is_some_and(|asker| scope.has(asker.event)),
        false => is_inside(store, one, scope.filter),
    }
}

/// Returns the nanoseconds of the GC's pauses inside the filter's time range.
pub(super) fn inside(one: &Gc, scope: &Scope<'_>) -> i64 {
    let Some(Span { start, end }) = scope.filter.span else { return one.pause_total() };
    one.sum(|pause| pause.counted_until.min(end.0).saturating_sub(pause.start.max(start.0)).max(0))
}

/// Parts of GC pauses, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct PauseParts {
    /// Until all threads were suspended.
    pub(super) suspend: i64,
    /// Then until the work was done.
    pub(super) work: i64,
    /// Then until the GC's thread ran again; mostly not a pause.
    pub(super) resume: i64,
    /// From the start of suspension until threads could run.
    pub(super) stopped: i64,
}

impl PauseParts {
    /// Sums whole GCs, even if the time range cuts them.
    pub(super) fn of(counted: &[Counted<'_>]) -> Self {
        Self::sum(counted.iter())
    }

    /// Sums the parts of the given GCs.
    pub(super) fn sum<'c>(counted: impl Iterator<Item = &'c Counted<'c>>) -> Self {
        let mut parts = Self::default();
        for (one, _) in counted {
            for (part, nanos) in [
                (&mut parts.suspend, suspension(one)),
                (&mut parts.work, one.sum(Pause::work_duration)),
                (&mut parts.resume, resumption(one).unwrap_or(0)),
                (&mut parts.stopped, one.sum(Pause::stopped_duration)),
            ] {
                *part = part.saturating_add(nanos);
            }
        }
        parts
    }

    /// Returns the longest part. Unless this is the GC's work, the heap isn't the cause.
    pub(super) fn largest(&self) -> PausePart {
        match () {
            () if self.work >= self.suspend.max(self.resume) => PausePart::Work,
            () if self.suspend >= self.resume => PausePart::Suspend,
            () => PausePart::Resume,
        }
    }

    /// Returns evidence about the longest part, unless it is the GC's work: "suspension took 88%" and `whole`.
    pub(super) fn evidence_of_largest(&self, whole: &str) -> Option<String> {
        match self.largest() {
            PausePart::Work => None,
            PausePart::Suspend => {
                let share = percent(self.suspend as f64, self.suspend.saturating_add(self.work) as f64);
                Some(format!("suspension took {share}{whole}"))
            }
            PausePart::Resume => Some(format!("resuming threads took {} more", duration(self.resume))),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PausePart {
    Suspend,
    Work,
    Resume,
}

fn judge(
    facts: &GcFacts,
    known: &Known<'_>,
    scope: &Scope<'_>,
    counted: &[Counted<'_>],
    (lengths, paused): (&[i64], i64),
    report: &mut Report,
) {
    let whole = scope.span.duration();
    let Some((longest, detail)) = counted.iter().max_by_key(|(one, _)| one.pause_total()) else {
        let dynamic = facts.dynamic.count(scope);
        report.verdict = match known.store.lost_events.filter(|lost| *lost > 0) {
            None if dynamic > 0 => {
                let events = number_of(dynamic, "GC dynamic event");
                format!("{events} and no GC in {}.", duration(whole))
            }
            None => format!("No GCs in {}.", duration(whole)),
            Some(lost) => {
                let lost = number_of(lost, "event");
                format!("No GCs in {}. {lost} lost, possibly including GC events.", duration(whole))
            }
        };
        return;
    };
    if paused == 0 {
        let ran = number_of(counted.len() as u64, "GC");
        let why = match counted.iter().all(|(one, _)| one.pauses.is_empty()) {
            true => "Pause times were not recorded",
            false => "All pauses are outside this time range",
        };
        report.verdict = format!("{ran} in {}. {why}.", duration(whole));
        return;
    }
    let (paused_f, longest_f) = (paused as f64, inside(longest, scope) as f64);
    let share = percent(paused_f, whole as f64);
    report.verdict = format!("GC paused the process for {} of {} ({share}).", duration(paused), duration(whole));
    report.verdict += &match counted.len() {
        1 => " It was the only GC.".to_owned(),
        _ if longest_f / paused_f >= WORTH_NAMING => {
            format!(" One GC accounts for {} of it.", percent(longest_f, paused_f))
        }
        _ => format!(" No single GC accounts for more than {}.", percent(longest_f, paused_f)),
    };
    let parts = PauseParts::of(counted);
    report.verdict += &match parts.largest() {
        PausePart::Work => String::new(),
        PausePart::Suspend => {
            format!(" Suspending threads took {} of the pause time.", percent(parts.suspend as f64, paused_f))
        }
        PausePart::Resume => format!(" Resuming threads took another {}.", duration(parts.resume)),
    };
    let start = longest.first_known();
    let at = match longest.pauses.len() {
        2.. => format!("in {} pauses, the first at {}", longest.pauses.len(), seconds(start, 3)),
        _ => format!("at {}", seconds(start, 3)),
    };
    let mut words = format!("Longest: {}, {} {at}.", called(longest), duration(longest.pause_total()));
    words += &match (asker_name(known, detail).as_str(), is_induced(longest.reason)) {
        ("", true) => " Triggered by GC.Collect.".to_owned(),
        ("", false) => format!(" Triggered by {}.", cause(longest.reason)),
        (place, true) => format!(" Induced by {place}."),
        (place, false) => format!(" Triggered by {} in {place}.", cause(longest.reason)),
    };
    if let [.., next, _] = lengths {
        let half = duration(percentile(lengths, 0.5).unwrap_or(0));
        let others = lengths.len() - 1;
        words += &match others {
            1 => format!(" The other one took {}.", duration(*next)),
            _ => format!(" Of the other {others}, the longest took {}; the median is {half}.", duration(*next)),
        };
    }
    if let Some(kind) = collector(facts, counted) {
        words += &format!(" {kind}.");
    }
    report.explanation = words;
}

/// Returns the process's GC mode and number of heaps.
fn collector(facts: &GcFacts, counted: &[Counted<'_>]) -> Option<String> {
    let heaps = counted.iter().filter_map(|(_, detail)| detail.heaps).max();
    // More than one heap proves server GC. One heap proves nothing, because server GC can also use a single one.
    let is_server = facts.is_server.or(heaps.filter(|heaps| *heaps > 1).map(|_| true))?;
    let kind = if is_server { "Server GC" } else { "Workstation GC" };
    Some(match heaps {
        Some(heaps) => format!("{kind}, {}", number_of(heaps.into(), "heap")),
        None => kind.to_owned(),
    })
}

fn figures(
    facts: &GcFacts,
    scope: &Scope<'_>,
    counted: &[Counted<'_>],
    (lengths, paused): (&[i64], i64),
    report: &mut Report,
) {
    let number = |is_it: &dyn Fn(&Counted<'_>) -> bool| counted.iter().filter(|one| is_it(one)).count() as f64;
    let largest = |sizes: &mut dyn Iterator<Item = u64>| sizes.max().map_or(f64::NAN, |size| size as f64);
    let at = |share| percentile(lengths, share).map_or(f64::NAN, |length| length as f64);
    let of_generation = |generation| number(&|(one, _)| one.generation == generation);
    let longest = counted.iter().max_by_key(|(one, _)| one.pause_total());
    // For a GC with several pauses, this is their sum, which no single pause on the timeline shows.
    let note = longest.map_or_else(String::new, |(one, _)| match one.pauses.len() {
        pauses @ 2.. => format!("GC #{}, {pauses} pauses combined", one.number),
        _ => format!("GC #{}", one.number),
    });
    report.figure("count", "GCs", counted.len() as f64, Unit::Count, "");
    report.figure("pauseTotalNs", "Total pause", paused as f64, Unit::Duration, "same as GC.GetTotalPauseDuration");
    let parts = PauseParts::of(counted);
    report.figure("suspendTotalNs", "Suspend", parts.suspend as f64, Unit::Duration, "until all threads are suspended");
    report.figure("workTotalNs", "GC work", parts.work as f64, Unit::Duration, "while all threads are suspended");
    report.figure(
        "resumeTotalNs",
        "Resume",
        parts.resume as f64,
        Unit::Duration,
        "from the end of GC work until the GC thread runs",
    );
    report.figure(
        "stoppedTotalNs",
        "Threads stopped",
        parts.stopped as f64,
        Unit::Duration,
        "from suspension until threads run",
    );
    let share = paused as f64 / scope.span.duration().max(1) as f64;
    report.figure("pauseShare", "Share of time", share, Unit::Share, "");
    report.figure("longestPauseNs", "Longest pause", at(1.0), Unit::Duration, note);
    report.figure("pauseP50Ns", "Pause p50", at(0.5), Unit::Duration, "");
    report.figure("pauseP95Ns", "Pause p95", at(0.95), Unit::Duration, "");
    report.figure("pauseP99Ns", "Pause p99", at(0.99), Unit::Duration, "");
    report.figure("gen0", "Gen 0", of_generation(0), Unit::Count, "");
    report.figure("gen1", "Gen 1", of_generation(1), Unit::Count, "");
    report.figure("gen2", "Gen 2", of_generation(2), Unit::Count, "");
    report.figure("background", "Background", number(&|(one, _)| one.is_background()), Unit::Count, "");
    let compacting = number(&|(_, detail)| detail.is_compacting == Some(true));
    report.figure("compacting", "Compacting", compacting, Unit::Count, "");
    report.figure("induced", "Induced", number(&|(one, _)| is_induced(one.reason)), Unit::Count, "");
    let suspended = counted.iter().map(|(one, _)| suspension(one)).max().map_or(f64::NAN, |nanos| nanos as f64);
    report.figure("longestSuspendNs", "Longest suspend", suspended, Unit::Duration, "");
    let mut sizes = counted.iter().flat_map(|(one, detail)| [detail.before_total(), after(one)]).flatten();
    report.figure("heapPeakBytes", "Peak heap", largest(&mut sizes), Unit::Bytes, "");
    let last = counted.iter().rev().find_map(|(one, _)| after(one)).map_or(f64::NAN, |size| size as f64);
    report.figure("heapLastBytes", "Final heap", last, Unit::Bytes, "");
    let mut committed = counted.iter().filter_map(|(_, detail)| detail.committed);
    report.figure("committedPeakBytes", "Peak committed", largest(&mut committed), Unit::Bytes, "");
    let survived = counted.iter().filter_map(|(_, detail)| promoted(detail)).reduce(u64::saturating_add);
    report.figure("promotedBytes", "Promoted", survived.map_or(f64::NAN, |size| size as f64), Unit::Bytes, "");
    let mut heaps = counted.iter().filter_map(|(_, detail)| detail.heaps.map(u64::from));
    let kind = facts.is_server.map_or("", |is_server| if is_server { "Server GC" } else { "Workstation GC" });
    report.figure("heaps", "Heaps", largest(&mut heaps), Unit::Count, kind);
    report.figure("finalized", "Finalizers run", facts.finalized(scope) as f64, Unit::Count, "");
    report.figures.retain(|figure| figure.value.is_finite());
}

/// Returns the chart of heap sizes by generation before (if recorded) and after each GC, the oldest generation at the
/// bottom.
fn sizes_chart(counted: &[Counted<'_>]) -> Option<Chart> {
    let mut points: Vec<(i64, [u64; 5])> = Vec::new();
    for (one, detail) in counted {
        points.extend(detail.before.map(|sizes| (one.start, sizes)));
        points.extend(one.heap.map(|heap| (heap.time, heap.sizes)));
    }
    if points.is_empty() {
        return None;
    }
    sort_by_key(&mut points, |point| point.0);
    let points = thinned(points);
    // The most stable series is at the bottom.
    let series = |at: usize| ChartSeries {
        name: GENERATIONS[at].to_owned(),
        hue: HUES[at],
        values: points.iter().map(|point| point.1[at] as f64).collect(),
    };
    let has_any = |one: &ChartSeries| one.hue != Hue::PinnedObjects || one.values.iter().any(|value| *value > 0.0);
    Some(Chart {
        title: "Heap size by generation".to_owned(),
        axis: ChartAxis::Moments(points.iter().map(|point| point.0).collect()),
        unit: Unit::Bytes,
        is_stacked: true,
        series: [4, 3, 2, 1, 0].into_iter().map(series).filter(has_any).collect(),
    })
}

fn thinned(points: Vec<(i64, [u64; 5])>) -> Vec<(i64, [u64; 5])> {
    if points.len() <= MOMENTS {
        return points;
    }
    let total = |point: &(i64, [u64; 5])| point.1.iter().fold(0u64, |sum, size| sum.saturating_add(*size));
    let mut kept = Vec::with_capacity(MOMENTS);
    for neighbors in points.chunks(points.len().div_ceil(MOMENTS / 2)) {
        let by_size = |pick: fn(&u64, &u64) -> bool| {
            let mut best = 0;
            for at in 1..neighbors.len() {
                if pick(&total(&neighbors[at]), &total(&neighbors[best])) {
                    best = at;
                }
            }
            best
        };
        let (least, most) = (by_size(u64::lt), by_size(u64::gt));
        kept.push(neighbors[least.min(most)]);
        if least != most {
            kept.push(neighbors[least.max(most)]);
        }
    }
    kept
}
