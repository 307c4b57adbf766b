//! The report of heap snapshots.

use super::HeapFacts;
use super::keepers::{EventHandlers, Keeper};
use super::neighbors::Neighbor;
use super::root_paths::GcRootPath;
use super::snapshot::{RootKind, SIZES, Tally};
use super::snapshot_summary::Digest;
use crate::analysis::topics::Scope;
use crate::analysis::topics::shared::report::Report;
use crate::analysis::topics::shared::table::{RowTarget, Table};
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::format::{bytes, counted, percent, seconds};
use protocol::topics::report::{Chart, ChartAxis, ChartSeries, Hue, Unit};
use std::cmp::Reverse;

/// Separator between the steps of a path.
const ARROW: &str = " → ";

/// Returns the report of the snapshots in the filter's time range: the last one, and the change since the first.
pub fn report(facts: &HeapFacts, scope: &Scope<'_>) -> Report {
    let digests = counted_digests(facts, scope);
    let mut report = Report::default();
    let Some(&last) = digests.last() else {
        report.verdict = "No heap snapshot in this trace.".to_owned();
        return report;
    };
    let names = Names::new(facts);
    names.judge(&digests, last, &mut report);
    report.charts.extend(sizes(last));
    report.tables.push(names.keepers(last));
    report.tables.push(names.types(last));
    report.tables.push(names.objects(last));
    report.tables.push(names.neighbors(last));
    report.tables.push(roots(last));
    report.tables.push(names.statics(last));
    if !last.events.is_empty() {
        report.tables.push(names.events(last));
    }
    report.tables.push(names.references(last));
    if let [first, .., last] = digests[..] {
        report.tables.push(names.difference(first, last));
        report.tables.push(snapshots(&digests));
    }
    report
}

fn target(digest: &Digest) -> RowTarget {
    RowTarget::of(digest.event).over(Span::new(digest.start, digest.end.saturating_add(1)))
}

/// Returns the snapshots in the filter's time range.
pub fn counted_digests<'f>(facts: &'f HeapFacts, scope: &Scope<'_>) -> Vec<&'f Digest> {
    let counts = |digest: &&Digest| match scope.filter.span {
        Some(span) => digest.start < span.end.0 && digest.end >= span.start.0,
        None => true,
    };
    facts.digests.iter().filter(counts).collect()
}

/// Names of types, fields and paths.
pub struct Names<'f> {
    facts: &'f HeapFacts,
    /// By type: true for .NET's own types.
    of_framework: Vec<bool>,
}

impl<'f> Names<'f> {
    /// Collects the names of all types and fields.
    pub fn new(facts: &'f HeapFacts) -> Self {
        Self { facts, of_framework: facts.types.of_framework() }
    }

    /// Returns the short name of a type.
    pub fn short(&self, type_at: u32) -> String {
        self.facts.types.short_name(type_at)
    }

    /// Returns the name of a root: "static s_library".
    pub fn root(&self, (kind, field): (RootKind, u32)) -> String {
        match (kind, self.facts.texts.get(field)) {
            (RootKind::Static, "") => "static field".to_owned(),
            (RootKind::Static, field) => format!("static {field}"),
            (RootKind::Other, _) => "other root".to_owned(),
            (kind, _) => kind.words().to_lowercase(),
        }
    }

    /// Returns the type with the most bytes among a keeper's reachable objects, preferably one of the app's, and its
    /// number of objects.
    pub fn kept(&self, keeper: &Keeper) -> Option<(u32, u64)> {
        let is_of_app = |(of, _): &&(u32, Tally)| self.of_framework.get(*of as usize) == Some(&false);
        let (of, tally) = keeper.types.iter().find(is_of_app).or_else(|| keeper.types.first())?;
        Some((*of, tally.count))
    }

    /// Returns the count and type of these objects: "4,800 Book objects".
    pub fn kept_words(&self, keeper: &Keeper) -> Option<String> {
        let (of, count) = self.kept(keeper)?;
        Some(counted(count, &format!("{} object", self.short(of))))
    }

    /// Returns a sentence part: "500 event handlers on EventHub (static hub → EventHub) refer to 500 Reader
    /// objects".
    pub fn handlers_words(&self, event: &EventHandlers) -> String {
        let target = event.target.map_or_else(String::new, |(of, count)| {
            format!(" refer to {}", counted(count, &format!("{} object", self.short(of))))
        });
        let handlers = counted(event.handlers, "event handler");
        format!("{handlers} on {} ({}){target}", self.short(event.publisher), self.way(&event.path))
    }

    /// Formats a path: "static s_library → Library → Shelf → Book ×3".
    pub fn way(&self, way: &GcRootPath) -> String {
        let mut words = vec![way.root.map_or_else(|| "…".to_owned(), |root| self.root(root))];
        let step = |&(of, times): &(u32, u32)| match times {
            1 => self.short(of),
            _ => format!("{} ×{}", self.short(of), protocol::format::count(times.into())),
        };
        words.extend(way.head.iter().map(step));
        if way.omitted > 0 {
            words.push(format!("… {} more …", protocol::format::count(way.omitted.into())));
        }
        words.extend(way.tail.iter().map(step));
        words.join(ARROW)
    }

    fn judge(&self, digests: &[&Digest], last: &Digest, report: &mut Report) {
        let types = last.types.iter().filter(|one| one.tally.count > 0).count() as u64;
        let Tally { count, bytes: all } = last.all;
        report.verdict = format!("{} of {} occupy {}.", counted(count, "object"), counted(types, "type"), bytes(all));
        let widest = (0..).zip(&last.types).max_by_key(|(at, one)| (one.tally.bytes, Reverse(*at)));
        if let Some((at, one)) = widest.filter(|_| all > 0) {
            let share = percent(one.tally.bytes as f64, all as f64);
            report.verdict += &format!(" {} is the largest type ({share}).", self.short(at));
        }
        let mut words = Vec::new();
        if let Some(keeper) = last.keepers.first() {
            let share = percent(keeper.retained as f64, all as f64);
            let what = self.kept_words(keeper).map_or_else(String::new, |kept| format!("{kept}, "));
            words.push(format!(
                "The {}{ARROW}{} retains {what}{} ({share}).",
                self.root(keeper.root),
                self.short(keeper.type_at),
                bytes(keeper.retained)
            ));
        }
        if let Some(event) = last.events.first() {
            words.push(format!("{}.", self.handlers_words(event)));
        }
        let rest = last.roots[RootKind::Unknown as usize];
        if rest.retained > 0 {
            words.push(format!("{} has no known path from a GC root.", bytes(rest.retained)));
        }
        if let [first, ..] = digests
            && digests.len() > 1
        {
            let change = last.all.bytes as f64 - first.all.bytes as f64;
            let changed = if change < 0.0 { "shrank" } else { "grew" };
            let by = bytes(change.abs() as u64);
            words.push(format!("The heap {changed} by {by} since the first of {} snapshots.", digests.len()));
        }
        if last.is_partial {
            words.push("The snapshot is incomplete, so retained sizes are minimums.".to_owned());
        }
        report.explanation = words.join(" ");
        report.figure("objects", "Objects", count as f64, Unit::Count, "");
        report.figure("bytes", "Size", all as f64, Unit::Bytes, "");
        report.figure("types", "Types", types as f64, Unit::Count, "");
        report.figure("references", "References", last.references as f64, Unit::Count, "");
        let roots: u64 = last.roots.iter().map(|one| one.count).sum();
        report.figure("roots", "Roots", roots as f64, Unit::Count, "");
        report.figure("unrootedBytes", "No known root", rest.retained as f64, Unit::Bytes, "");
        let note = format!("latest at {}", seconds(last.start, 3));
        report.figure("snapshots", "Snapshots", digests.len() as f64, Unit::Count, note);
    }

    fn keepers(&self, digest: &Digest) -> Table {
        Table::of("keepers", "Retained by root", &digest.keepers)
            .words("root", "Root", |one| self.root(one.root))
            .words("type", "Object type", |one| self.short(one.type_at))
            .bars("retainedBytes", "Retained size", Unit::Bytes, |one| one.retained)
            .numbers("share", "Share", Unit::Share, |one| digest.share(one.retained))
            .numbers("kept", "Retained objects", Unit::Count, |one| self.kept(one).map(|(_, count)| count))
            .words("keptType", "Of type", |one| self.kept(one).map_or_else(String::new, |(of, _)| self.short(of)))
            .target(|_| target(digest))
    }

    fn events(&self, digest: &Digest) -> Table {
        Table::of("events", "Event handlers", &digest.events)
            .words("publisher", "Object with the event", |one| self.short(one.publisher))
            .words("delegate", "Event type", |one| self.short(one.delegate))
            .bars("handlers", "Handlers", Unit::Count, |one| one.handlers)
            .numbers("targets", "Retained objects", Unit::Count, |one| one.target.map(|(_, count)| count))
            .words("target", "Of type", |one| one.target.map_or_else(String::new, |(of, _)| self.short(of)))
            .words("path", "Path to root", |one| self.way(&one.path))
            .target(|_| target(digest))
    }

    fn types(&self, digest: &Digest) -> Table {
        let mut types: Vec<_> = (0u32..).zip(&digest.types).filter(|(_, one)| one.tally.count > 0).collect();
        sort_by_key(&mut types, |(at, one)| (Reverse(one.retained), Reverse(one.tally.bytes), *at));
        Table::of("types", "By type", &types)
            .words("type", "Type", |(at, _)| self.short(*at))
            .numbers("count", "Objects", Unit::Count, |(_, one)| one.tally.count)
            .bars("bytes", "Size", Unit::Bytes, |(_, one)| one.tally.bytes)
            .bars("retainedBytes", "Retained size", Unit::Bytes, |(_, one)| one.retained)
            .numbers("largestBytes", "Largest", Unit::Bytes, |(_, one)| one.largest)
            .words("path", "Path to root (largest instance)", |(_, one)| {
                one.way.as_ref().map_or_else(String::new, |way| self.way(way))
            })
            .words("fullType", "Full name", |(at, _)| self.facts.types.name(*at))
            .target(|_| target(digest))
    }

    fn objects(&self, digest: &Digest) -> Table {
        Table::of("objects", "Largest retained", &digest.objects)
            .words("type", "Type", |one| self.short(one.type_at))
            .numbers("bytes", "Size", Unit::Bytes, |one| one.size)
            .bars("retainedBytes", "Retained size", Unit::Bytes, |one| one.retained)
            .numbers("share", "Share", Unit::Share, |one| digest.share(one.retained))
            .words("path", "Path to root", |one| self.way(&one.way))
            .words("address", "Address", |one| format!("{:#x}", one.address))
            .target(|_| target(digest))
    }

    fn neighbors(&self, digest: &Digest) -> Table {
        let listed = |one: &Neighbor| digest.objects.get(one.listed as usize);
        let neighbors: Vec<_> = digest.neighbors.iter().filter_map(|one| Some((listed(one)?, one))).collect();
        Table::of("neighbors", "References", &neighbors)
            .words("object", "Object", |(object, _)| self.short(object.type_at))
            .words("address", "Address", |(object, _)| format!("{:#x}", object.address))
            .words("relation", "Relation", |(_, one)| if one.refers { "referenced by" } else { "references" })
            .words("type", "Other object", |(_, one)| self.short(one.type_at))
            .words("otherAddress", "Other address", |(_, one)| format!("{:#x}", one.address))
            .numbers("bytes", "Other size", Unit::Bytes, |(_, one)| one.size)
            .bars("retainedBytes", "Other retained size", Unit::Bytes, |(_, one)| one.retained)
            .target(|_| target(digest))
    }

    fn statics(&self, digest: &Digest) -> Table {
        Table::of("statics", "Static fields", &digest.statics)
            .words("field", "Field", |one| self.facts.texts.get(one.field))
            .words("type", "Object type", |one| self.short(one.type_at))
            .bars("retainedBytes", "Retained size", Unit::Bytes, |one| one.retained)
            .target(|_| target(digest))
    }

    fn references(&self, digest: &Digest) -> Table {
        Table::of("references", "Type references", &digest.pairs)
            .words("from", "From type", |one| self.short(one.from))
            .words("to", "To type", |one| self.short(one.to))
            .bars("references", "References", Unit::Count, |one| one.references)
            .target(|_| target(digest))
    }

    fn difference(&self, first: &Digest, last: &Digest) -> Table {
        let tally = |digest: &Digest, at: u32| digest.types.get(at as usize).map_or(Tally::default(), |one| one.tally);
        let all = first.types.len().max(last.types.len()) as u32;
        let types = (0..all).map(|at| (at, tally(first, at), tally(last, at)));
        let mut types: Vec<_> = types.filter(|(_, before, after)| before != after).collect();
        let change = |before: &Tally, after: &Tally| after.bytes as i128 - before.bytes as i128;
        sort_by_key(&mut types, |(at, before, after)| (Reverse(change(before, after)), *at));
        Table::of("difference", "First vs. last snapshot", &types)
            .words("type", "Type", |(at, ..)| self.short(*at))
            .numbers("countBefore", "Objects before", Unit::Count, |(_, before, _)| before.count)
            .numbers("countAfter", "Objects after", Unit::Count, |(.., after)| after.count)
            .numbers("countChange", "Change", Unit::Plain, |(_, before, after)| {
                after.count as f64 - before.count as f64
            })
            .numbers("bytesBefore", "Size before", Unit::Bytes, |(_, before, _)| before.bytes)
            .numbers("bytesAfter", "Size after", Unit::Bytes, |(.., after)| after.bytes)
            .bars("bytesChange", "Change", Unit::Bytes, |(_, before, after)| change(before, after) as f64)
            .words("fullType", "Full name", |(at, ..)| self.facts.types.name(*at))
            .target(|_| target(last))
    }
}

fn roots(digest: &Digest) -> Table {
    let roots = RootKind::ALL.into_iter().zip(&digest.roots).filter(|(_, one)| one.count > 0 || one.objects > 0);
    Table::of("roots", "Roots", &roots.collect::<Vec<_>>())
        .words("kind", "Kind", |(kind, _)| kind.words())
        .numbers("count", "Roots", Unit::Count, |(_, one)| one.count)
        .numbers("objects", "Objects", Unit::Count, |(_, one)| one.objects)
        .bars("retainedBytes", "Retained exclusively", Unit::Bytes, |(_, one)| one.retained)
        .target(|_| target(digest))
}

fn snapshots(digests: &[&Digest]) -> Table {
    Table::of("snapshots", "Snapshots", digests)
        .numbers("startNs", "Start", Unit::Moment, |digest| digest.start)
        .numbers("objects", "Objects", Unit::Count, |digest| digest.all.count)
        .bars("bytes", "Size", Unit::Bytes, |digest| digest.all.bytes)
        .target(|digest| target(digest))
}

/// Returns the chart of bytes by object size.
fn sizes(digest: &Digest) -> Option<Chart> {
    let first = digest.bytes_by_size.iter().position(|bytes| *bytes > 0)?;
    let last = digest.bytes_by_size.iter().rposition(|bytes| *bytes > 0)?;
    // No object is as large as the last bound.
    let bounds = SIZES.get(first..=last + 1)?.iter().map(|size| *size as f64).collect();
    let values = digest.bytes_by_size[first..=last].iter().map(|bytes| *bytes as f64).collect();
    Some(Chart {
        title: "Heap size by object size".to_owned(),
        axis: ChartAxis::Ranges { bounds, unit: Unit::Bytes },
        unit: Unit::Bytes,
        is_stacked: false,
        series: vec![ChartSeries { name: "Objects".to_owned(), hue: Hue::Neutral, values }],
    })
}
