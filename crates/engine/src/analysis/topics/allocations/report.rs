//! The report of allocations: sums by type, call site, thread and heap, with their errors.

use super::sums::{KINDS, Sum};
use super::{AllocationFacts, BY_NUMBER, Row};
use crate::analysis::intervals::interval_set::Texts;
use crate::analysis::timeline::allocation_rate::{allocation_event_sources, part_of, rates};
use crate::analysis::topics::shared::call_site::{Site, SiteNames};
use crate::analysis::topics::shared::evidence::BusyParts;
use crate::analysis::topics::shared::report::Report;
use crate::analysis::topics::shared::table::{Columns, RowTarget, Table};
use crate::analysis::topics::{Known, Scope};
use crate::clr::KnownEvent;
use crate::clr::names::readable_type;
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, ThreadId};
use protocol::base::sort::sort_by;
use protocol::base::time::Span;
use protocol::format::{bytes, counted, duration, percent};
use protocol::topics::report::{Chart, ChartAxis, ChartSeries, Hue, Unit};
use std::hash::Hash;

/// Names of the heaps, and their colors.
const KIND_NAMES: [(&str, Hue); KINDS] =
    [("SOH", Hue::Generation0), ("LOH", Hue::LargeObjects), ("POH", Hue::PinnedObjects), ("Unknown", Hue::Neutral)];
/// Minimum share of large objects for a sentence in the summary.
const MANY_LARGE: f64 = 0.1;

/// Allocations with a common property.
#[derive(Default)]
pub(super) struct Group {
    pub sum: Sum,
    first: Option<EventId>,
    pub first_time: i64,
    pub last_time: i64,
    /// One of its types, for conditions.
    type_at: u32,
}

impl Group {
    fn target(&self) -> RowTarget {
        RowTarget::of(self.first).over(Span::new(self.first_time, self.last_time.saturating_add(1)))
    }
}

/// Sums of the allocations that match a filter.
pub(super) struct Counted<'c> {
    facts: &'c AllocationFacts,
    store: &'c Store,
    pub site_names: SiteNames<'c>,
    known: KnownEvent,
    pub all: Group,
    /// Names of types without duplicates: several type IDs can have the same name.
    pub names: Texts,
    types: Vec<(u32, Group)>,
    pub sites: Vec<((Site, u32), Group)>,
    pub places: Vec<(Site, Group)>,
    threads: Vec<(ThreadId, Group)>,
    /// Time, bytes and heap of each allocation, in time order.
    timed: Vec<(i64, f64, u8)>,
}

pub fn report(facts: &AllocationFacts, known: &Known<'_>, scope: &Scope<'_>) -> Report {
    let mut report = Report::default();
    let Some(counted) = Counted::of(facts, known, scope) else {
        report.verdict = format!("No allocations recorded in {}.", duration(scope.span.duration()));
        return report;
    };
    counted.judge(scope, &mut report);
    report.charts.extend(counted.rates());
    report.tables.push(counted.types_table());
    report.tables.push(counted.places_table());
    report.tables.push(counted.sites_table());
    report.tables.push(counted.threads_table());
    report.tables.push(counted.heaps_table());
    report.tables.push(sources_table(facts));
    if let Some(kind) = known.store.types.of_known(counted.known).find(|kind| kind.with_stack > 0) {
        report.view_stacks("View allocation stacks", &kind.provider, &kind.display_name);
    }
    report
}

/// Returns groups by bytes, in descending order.
fn by_bytes<K: Ord + Hash>(groups: FastMap<K, Group>) -> Vec<(K, Group)> {
    let mut groups: Vec<(K, Group)> = groups.into_iter().collect();
    sort_by(&mut groups, |one, other| other.1.sum.bytes.total_cmp(&one.1.sum.bytes).then_with(|| one.0.cmp(&other.0)));
    groups
}

impl<'c> Counted<'c> {
    /// Sums the allocations in `scope`; `None` if there aren't any.
    pub(super) fn of(facts: &'c AllocationFacts, known: &Known<'c>, scope: &Scope<'_>) -> Option<Self> {
        let rows = || facts.rows.iter().filter(|row| scope.has(row.event));
        let count = rows().count();
        let counted = facts.counted.filter(|_| count > 0)?;
        Some(Self::new(facts, (known.store, known.site_names()), counted, (rows(), count)))
    }

    fn new(
        facts: &'c AllocationFacts,
        (store, site_names): (&'c Store, SiteNames<'c>),
        known: KnownEvent,
        (rows, count): (impl Iterator<Item = &'c Row>, usize),
    ) -> Self {
        let (mut names, mut name_of) = (Texts::default(), FastMap::default());
        let (mut all, mut timed) = (Group::default(), Vec::with_capacity(count));
        let (mut types, mut sites) = (FastMap::default(), FastMap::default());
        let (mut places, mut threads) = (FastMap::default(), FastMap::default());
        for row in rows {
            let event = store.events.row(row.event);
            let time = store.clock.nanos(event.ticks).0;
            let bytes = facts.bytes_of(row);
            let name = *name_of.entry(row.type_at).or_insert_with(|| names.position(&facts.name(row.type_at)));
            let add = |group: &mut Group| {
                if group.first.is_none() {
                    (group.first, group.first_time, group.type_at) = (Some(row.event), time, row.type_at);
                }
                group.last_time = time;
                group.sum.add(known, row.kind, (row.recorded, row.objects), bytes);
            };
            add(&mut all);
            add(types.entry(name).or_default());
            add(sites.entry((row.site, name)).or_default());
            add(places.entry(row.site).or_default());
            add(threads.entry(event.thread).or_default());
            timed.push((time, bytes, row.kind));
        }
        let (types, sites) = (by_bytes(types), by_bytes(sites));
        let (places, threads) = (by_bytes(places), by_bytes(threads));
        Self { facts, store, site_names, known, all, names, types, sites, places, threads, timed }
    }

    /// Returns when a call site allocated.
    pub(super) fn times_of(&self, site: Site, scope: &Scope<'_>) -> Vec<Span> {
        let mut parts = BusyParts::new(scope.span);
        for row in self.facts.rows.iter().filter(|row| row.site == site && scope.has(row.event)) {
            let time = self.store.clock.nanos(self.store.events.row(row.event).ticks).0;
            parts.add(time, time);
        }
        parts.times()
    }

    /// Returns bytes with their margin: "1.05 GB ± 12.0 MB".
    fn amount(&self, sum: &Sum) -> String {
        let margin = sum.margin(self.known, &self.all.sum).filter(|margin| *margin >= 1.0);
        let amount = bytes(sum.bytes as u64);
        margin.map_or_else(|| amount.clone(), |margin| format!("{amount} ± {}", bytes(margin as u64)))
    }

    fn judge(&self, scope: &Scope<'_>, report: &mut Report) {
        let sum = &self.all.sum;
        let span = scope.span.duration();
        let rate = sum.bytes / (span.max(1) as f64 / 1e9);
        let about = if self.known == KnownEvent::GcAllocationTick { "" } else { "about " };
        let claim = match self.known {
            KnownEvent::SampledObjectAllocation => "At least ".to_owned() + &bytes(sum.bytes as u64) + " were",
            _ => format!("The app allocated {about}{}", self.amount(sum)),
        };
        let verb = if self.known == KnownEvent::SampledObjectAllocation { " allocated" } else { "" };
        report.verdict = format!("{claim}{verb} in {} ({}/s).", duration(span), bytes(rate as u64));
        let mut words = Vec::new();
        let share = |one: &Sum| percent(one.bytes, sum.bytes);
        if let Some((name, most)) = self.types.first() {
            report.verdict += &match most.type_at & BY_NUMBER {
                0 => format!(" {} accounts for {}.", readable_type(self.names.get(*name)), share(&most.sum)),
                _ => format!(" One type accounts for {}, but the trace doesn't name it.", share(&most.sum)),
            };
        }
        if let Some((site, most)) = self.places.iter().find(|(site, _)| site.is_some()) {
            words.push(format!("{} allocated {} of it.", self.site_names.phrase(*site), share(&most.sum)));
        }
        let large = sum.by_kind[1];
        if large / sum.bytes.max(1.0) >= MANY_LARGE {
            let part = percent(large, sum.bytes);
            words.push(format!("Large objects, which only gen 2 GCs reclaim, are {part} of it."));
        }
        words.push(match self.known {
            KnownEvent::GcAllocationTick => format!(
                "Based on {}, about one per 100 kB; each records only the last object's type and stack.",
                counted(sum.events, "AllocationTick sample")
            ),
            KnownEvent::AllocationSampled => {
                format!("Estimated from {} of individual objects.", counted(sum.events, "random sample"))
            }
            _ => {
                format!(
                    "Based on {} by type; the last objects of each type are not included.",
                    counted(sum.events, "event")
                )
            }
        });
        report.explanation = words.join(" ");
        report.figure("bytes", "Allocated", sum.bytes.round(), Unit::Bytes, "");
        if let Some(margin) = sum.margin(self.known, sum).filter(|_| self.known == KnownEvent::AllocationSampled) {
            report.figure("marginBytes", "95% CI (±)", margin.round(), Unit::Bytes, "");
        }
        report.figure("bytesPerSecond", "Rate", rate, Unit::BytesPerSecond, "");
        if sum.objects > 0.0 {
            report.figure("objects", "Objects", sum.objects.round(), Unit::Count, "");
        }
        report.figure("types", "Types", self.types.len() as f64, Unit::Count, "");
        if sum.by_kind[3] == 0.0 {
            report.figure("largeBytes", "LOH", large.round(), Unit::Bytes, "");
            report.figure("pinnedBytes", "POH", sum.by_kind[2].round(), Unit::Bytes, "");
        }
        report.figure("events", "Events", sum.events as f64, Unit::Count, self.source());
    }

    fn source(&self) -> &'static str {
        allocation_event_sources().find(|(known, _)| *known == self.known).map_or("", |(_, name)| name)
    }

    /// Returns the chart of the allocation rate by heap, as on the timeline.
    fn rates(&self) -> Option<Chart> {
        let all: Vec<(i64, f64)> = self.timed.iter().map(|(time, bytes, _)| (*time, *bytes)).collect();
        let part = part_of(&all)?;
        let moments: Vec<i64> = rates(&all, part).into_iter().map(|(at, _)| at).collect();
        let first = moments.first()?.div_euclid(part as i64);
        let mut values = vec![vec![0.0; moments.len()]; KINDS];
        for (time, bytes, kind) in &self.timed {
            let at = (time.div_euclid(part as i64) - first) as usize;
            if let Some(cell) = values[usize::from(*kind) % KINDS].get_mut(at) {
                *cell += bytes / (part as f64 / 1e9);
            }
        }
        let series = KIND_NAMES.iter().zip(values).filter(|(_, values)| values.iter().any(|value| *value > 0.0));
        Some(Chart {
            title: "Allocation rate".to_owned(),
            axis: ChartAxis::Moments(moments),
            unit: Unit::BytesPerSecond,
            is_stacked: true,
            series: series
                .map(|((name, hue), values)| ChartSeries { name: (*name).to_owned(), hue: *hue, values })
                .collect(),
        })
    }

    fn types_table(&self) -> Table {
        let mut columns = Table::of("types", "By type", &self.types)
            .words("type", "Type", |(name, _)| readable_type(self.names.get(*name)))
            .amounts(self, |(_, group)| &group.sum);
        // Values that no event records get no column.
        if self.all.sum.objects > 0.0 {
            columns = columns.numbers("objects", "Objects", Unit::Count, |(_, group)| group.sum.objects.round());
        }
        if self.all.sum.by_kind[3] == 0.0 {
            columns = columns
                .numbers("smallBytes", "SOH", Unit::Bytes, |(_, group)| group.sum.by_kind[0].round())
                .numbers("largeBytes", "LOH", Unit::Bytes, |(_, group)| group.sum.by_kind[1].round())
                .numbers("pinnedBytes", "POH", Unit::Bytes, |(_, group)| group.sum.by_kind[2].round());
        }
        columns
            .words("fullType", "Full name", |(name, _)| self.names.get(*name))
            .target(|(_, group)| group.target().filtered(self.facts.type_condition(group.type_at)))
    }

    fn places_table(&self) -> Table {
        Table::of("places", "By call site", &self.places)
            .words("site", "Method", |(site, _)| place(self.site_names, *site))
            .amounts(self, |(_, group)| &group.sum)
            .target(|(site, group)| group.target().filtered(self.site_names.condition(*site)))
    }

    fn sites_table(&self) -> Table {
        Table::of("sites", "By call site and type", &self.sites)
            .words("site", "Method", |((site, _), _)| place(self.site_names, *site))
            .words("type", "Type", |((_, name), _)| readable_type(self.names.get(*name)))
            .amounts(self, |(_, group)| &group.sum)
            .target(|((site, _), group)| {
                let (of_type, of_site) = (self.facts.type_condition(group.type_at), self.site_names.condition(*site));
                group.target().filtered(format!("{of_type} {of_site}").trim())
            })
    }

    fn threads_table(&self) -> Table {
        Table::of("threads", "By thread", &self.threads)
            .threads("thread", "Thread", self.store, |(thread, _)| *thread)
            .amounts(self, |(_, group)| &group.sum)
            .target(|(thread, group)| {
                let id = self.store.threads.get(*thread).and_then(|thread| thread.os_id());
                group.target().filtered(id.map_or_else(String::new, |id| format!("thread:{id}")))
            })
    }

    fn heaps_table(&self) -> Table {
        let amounts = KIND_NAMES.iter().zip(self.all.sum.by_kind).filter(|(_, amount)| *amount > 0.0);
        Table::of("heaps", "By heap", &amounts.collect::<Vec<_>>())
            .words("heap", "Heap", |((name, _), _)| *name)
            .bars("bytes", "Allocated", Unit::Bytes, |(_, amount)| amount.round())
            .numbers("share", "Share", Unit::Share, |(_, amount)| amount / self.all.sum.bytes.max(1.0))
            .target(|_| RowTarget::default())
    }
}

fn place(names: SiteNames<'_>, site: Site) -> String {
    if site.is_none() { "(no stack recorded)".to_owned() } else { names.name(site) }
}

impl<'r, R> Columns<'r, R> {
    /// Adds columns for bytes, share, margin and events.
    fn amounts(self, counted: &Counted<'_>, of: impl Fn(&'r R) -> &'r Sum) -> Self {
        let all = &counted.all.sum;
        self.bars("bytes", "Allocated", Unit::Bytes, |row| of(row).bytes.round())
            .numbers("share", "Share", Unit::Share, |row| of(row).bytes / all.bytes.max(1.0))
            .numbers("marginBytes", "± 95% CI", Unit::Bytes, |row| of(row).margin(counted.known, all).map(f64::round))
            .numbers("events", "Events", Unit::Count, |row| of(row).events)
    }
}

/// Returns the table of event types that report allocations in the whole trace, with the one that is used.
fn sources_table(facts: &AllocationFacts) -> Table {
    let sources = allocation_event_sources().zip(facts.sources).filter(|(_, (events, _))| *events > 0);
    Table::of("sources", "Event sources", &sources.collect::<Vec<_>>())
        .words("source", "Source", |((_, name), _)| *name)
        .words("counts", "Used", |((known, _), _)| match Some(*known) == facts.counted {
            true => "yes",
            false => "no, duplicates another source",
        })
        .numbers("events", "Events", Unit::Count, |(_, (events, _))| *events)
        .bars("bytes", "Bytes reported", Unit::Bytes, |(_, (_, amount))| amount.round())
        .target(|_| RowTarget::default())
}
