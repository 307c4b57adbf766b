//! The report of heap snapshots.

use super::HeapFacts;
use super::keepers::{EventHandlers, Keeper};
use super::root_paths::GcRootPath;
use super::snapshot::{RootKind, SIZES, Tally};
use super::snapshot_summary::Digest;
use crate::analysis::topics::Scope;
use crate::analysis::topics::shared::report::Report;
use crate::analysis::topics::shared::table::{Cell, RowTarget, Table};
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

fn target(digest: &Digest) -> RowTarget<'static> {
    let span = Span::new(digest.start, digest.end.saturating_add(1));
    RowTarget { event: Some(digest.event), span: Some(span), condition: "" }
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
            let what = self.kept_words(keeper).map_or_else(String::new, |kept| format!(" keeps {kept} alive and"));
            words.push(format!(
                "The {}{ARROW}{}{what} retains {} ({share}).",
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
        let mut table = Table::new("keepers", "Retained by root")
            .words("root", "Root")
            .words("type", "Object type")
            .bars("retainedBytes", "Retained size", Unit::Bytes)
            .numbers("share", "Share", Unit::Share)
            .numbers("kept", "Retained objects", Unit::Count)
            .words("keptType", "Of type");
        for one in &digest.keepers {
            let kept = self.kept(one);
            let cells = [
                Cell::Text(&self.root(one.root)),
                Cell::Text(&self.short(one.type_at)),
                one.retained.into(),
                (one.retained as f64 / digest.all.bytes.max(1) as f64).into(),
                kept.map(|(_, count)| count).into(),
                Cell::Text(&kept.map_or_else(String::new, |(of, _)| self.short(of))),
            ];
            table.push(&cells, target(digest));
        }
        table
    }

    fn events(&self, digest: &Digest) -> Table {
        let mut table = Table::new("events", "Event handlers")
            .words("publisher", "Object with the event")
            .words("delegate", "Event type")
            .bars("handlers", "Handlers", Unit::Count)
            .numbers("targets", "Retained objects", Unit::Count)
            .words("target", "Of type")
            .words("path", "Path to root");
        for one in &digest.events {
            let cells = [
                Cell::Text(&self.short(one.publisher)),
                Cell::Text(&self.short(one.delegate)),
                one.handlers.into(),
                one.target.map(|(_, count)| count).into(),
                Cell::Text(&one.target.map_or_else(String::new, |(of, _)| self.short(of))),
                Cell::Text(&self.way(&one.path)),
            ];
            table.push(&cells, target(digest));
        }
        table
    }

    fn types(&self, digest: &Digest) -> Table {
        let mut table = Table::new("types", "By type")
            .words("type", "Type")
            .numbers("count", "Objects", Unit::Count)
            .bars("bytes", "Size", Unit::Bytes)
            .bars("retainedBytes", "Retained size", Unit::Bytes)
            .numbers("largestBytes", "Largest", Unit::Bytes)
            .words("path", "Path to root (largest instance)")
            .words("fullType", "Full name");
        let mut types: Vec<_> = (0u32..).zip(&digest.types).filter(|(_, one)| one.tally.count > 0).collect();
        sort_by_key(&mut types, |(at, one)| (Reverse(one.retained), Reverse(one.tally.bytes), *at));
        for (at, one) in types {
            let path = one.way.as_ref().map_or_else(String::new, |way| self.way(way));
            let cells = [
                Cell::Text(&self.short(at)),
                one.tally.count.into(),
                one.tally.bytes.into(),
                one.retained.into(),
                one.largest.into(),
                Cell::Text(&path),
                Cell::Text(&self.facts.types.name(at)),
            ];
            table.push(&cells, target(digest));
        }
        table
    }

    fn objects(&self, digest: &Digest) -> Table {
        let mut table = Table::new("objects", "Largest retained")
            .words("type", "Type")
            .numbers("bytes", "Size", Unit::Bytes)
            .bars("retainedBytes", "Retained size", Unit::Bytes)
            .numbers("share", "Share", Unit::Share)
            .words("path", "Path to root")
            .words("address", "Address");
        for one in &digest.objects {
            let cells = [
                Cell::Text(&self.short(one.type_at)),
                one.size.into(),
                one.retained.into(),
                (one.retained as f64 / digest.all.bytes.max(1) as f64).into(),
                Cell::Text(&self.way(&one.way)),
                Cell::Text(&format!("{:#x}", one.address)),
            ];
            table.push(&cells, target(digest));
        }
        table
    }

    fn neighbors(&self, digest: &Digest) -> Table {
        let mut table = Table::new("neighbors", "References")
            .words("object", "Object")
            .words("address", "Address")
            .words("relation", "Relation")
            .words("type", "Other object")
            .words("otherAddress", "Other address")
            .numbers("bytes", "Other size", Unit::Bytes)
            .bars("retainedBytes", "Other retained size", Unit::Bytes);
        for one in &digest.neighbors {
            let Some(object) = digest.objects.get(one.listed as usize) else { continue };
            let cells = [
                Cell::Text(&self.short(object.type_at)),
                Cell::Text(&format!("{:#x}", object.address)),
                if one.refers { "referenced by" } else { "references" }.into(),
                Cell::Text(&self.short(one.type_at)),
                Cell::Text(&format!("{:#x}", one.address)),
                one.size.into(),
                one.retained.into(),
            ];
            table.push(&cells, target(digest));
        }
        table
    }

    fn statics(&self, digest: &Digest) -> Table {
        let mut table = Table::new("statics", "Static fields")
            .words("field", "Field")
            .words("type", "Object type")
            .bars("retainedBytes", "Retained size", Unit::Bytes);
        for one in &digest.statics {
            let cells = [
                Cell::Text(self.facts.texts.get(one.field)),
                Cell::Text(&self.short(one.type_at)),
                one.retained.into(),
            ];
            table.push(&cells, target(digest));
        }
        table
    }

    fn references(&self, digest: &Digest) -> Table {
        let mut table = Table::new("references", "Type references")
            .words("from", "From type")
            .words("to", "To type")
            .bars("references", "References", Unit::Count);
        for one in &digest.pairs {
            let cells = [Cell::Text(&self.short(one.from)), Cell::Text(&self.short(one.to)), one.references.into()];
            table.push(&cells, target(digest));
        }
        table
    }

    fn difference(&self, first: &Digest, last: &Digest) -> Table {
        let mut table = Table::new("difference", "First vs. last snapshot")
            .words("type", "Type")
            .numbers("countBefore", "Objects before", Unit::Count)
            .numbers("countAfter", "Objects after", Unit::Count)
            .numbers("countChange", "Change", Unit::Plain)
            .numbers("bytesBefore", "Size before", Unit::Bytes)
            .numbers("bytesAfter", "Size after", Unit::Bytes)
            .bars("bytesChange", "Change", Unit::Bytes)
            .words("fullType", "Full name");
        let tally = |digest: &Digest, at: u32| digest.types.get(at as usize).map_or(Tally::default(), |one| one.tally);
        let both = |at: u32| (tally(first, at), tally(last, at));
        let change = |at: u32| {
            let (before, after) = both(at);
            after.bytes as i128 - before.bytes as i128
        };
        let all = first.types.len().max(last.types.len()) as u32;
        let mut types: Vec<u32> = (0..all).filter(|at| both(*at).0 != both(*at).1).collect();
        sort_by_key(&mut types, |at| (Reverse(change(*at)), *at));
        for at in types {
            let (before, after) = both(at);
            let cells = [
                Cell::Text(&self.short(at)),
                before.count.into(),
                after.count.into(),
                (after.count as f64 - before.count as f64).into(),
                before.bytes.into(),
                after.bytes.into(),
                (change(at) as f64).into(),
                Cell::Text(&self.facts.types.name(at)),
            ];
            table.push(&cells, target(last));
        }
        table
    }
}

fn roots(digest: &Digest) -> Table {
    let mut table = Table::new("roots", "Roots")
        .words("kind", "Kind")
        .numbers("count", "Roots", Unit::Count)
        .numbers("objects", "Objects", Unit::Count)
        .bars("retainedBytes", "Retained exclusively", Unit::Bytes);
    for (kind, one) in RootKind::ALL.into_iter().zip(&digest.roots) {
        if one.count > 0 || one.objects > 0 {
            let cells = [kind.words().into(), one.count.into(), one.objects.into(), one.retained.into()];
            table.push(&cells, target(digest));
        }
    }
    table
}

fn snapshots(digests: &[&Digest]) -> Table {
    let mut table = Table::new("snapshots", "Snapshots")
        .numbers("startNs", "Start", Unit::Moment)
        .numbers("objects", "Objects", Unit::Count)
        .bars("bytes", "Size", Unit::Bytes);
    for digest in digests {
        table.push(&[digest.start.into(), digest.all.count.into(), digest.all.bytes.into()], target(digest));
    }
    table
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
