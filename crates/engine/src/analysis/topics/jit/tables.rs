//! Sentences, figures and tables of the JIT report.

use super::CallOutcome;
use crate::analysis::intervals::interval_set::{Interval, IntervalSet, Texts};
use crate::analysis::intervals::jit::{readable_method, type_and_method};
use crate::analysis::intervals::loads::TYPE_ROW;
use crate::analysis::topics::shared::groups::ranked;
use crate::analysis::topics::shared::report::Report;
use crate::analysis::topics::shared::table::{RowTarget, Table};
use crate::analysis::topics::waits::summary::Waited;
use crate::analysis::topics::{Scope, cut_words};
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::EventId;
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::filter::word;
use protocol::format::{count, counted, duration};
use protocol::tables::code_row;
use protocol::topics::report::Unit;
use std::cmp::Reverse;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Compiled {
    /// Its name and tier are positions in the texts of the intervals.
    pub interval: Interval,
    /// IL size of the method in bytes.
    pub il_bytes: u32,
    /// Size of its code in bytes.
    pub code_bytes: u32,
}

/// The compilations in scope, with the data to describe them.
pub(crate) struct View<'v> {
    pub store: &'v Store,
    pub set: &'v IntervalSet,
    /// Compilations that ended.
    pub compiled: &'v [Compiled],
    /// Number of compilations that didn't end.
    pub unfinished: usize,
    /// Number of compilations that the time range cuts.
    pub cut: usize,
    /// Number of methods that got code.
    pub loaded: usize,
    /// Intervals of the loader track.
    pub loads: Option<&'v IntervalSet>,
}

/// Compilations with a common property.
#[derive(Default)]
struct Group {
    time: Waited,
    il_bytes: u64,
    code_bytes: u64,
    /// Name of the last tier.
    tier: u32,
}

impl Group {
    fn add(&mut self, one: &Compiled) {
        self.time.add(one.interval.event, one.interval.start, one.interval.end);
        self.il_bytes += u64::from(one.il_bytes);
        self.code_bytes += u64::from(one.code_bytes);
        self.tier = one.interval.note;
    }
}

impl View<'_> {
    fn of(&self, row: u16) -> (u64, i64) {
        let intervals = self.compiled.iter().map(|one| &one.interval).filter(|interval| interval.row == row);
        intervals.fold((0, 0), |(count, nanos), interval| (count + 1, nanos + interval.duration()))
    }

    pub(crate) fn judge(&self, report: &mut Report) {
        let (waited, behind) = (self.of(code_row::FOREGROUND), self.of(code_row::BACKGROUND));
        let all = (waited.0 + behind.0, waited.1 + behind.1);
        let Some(longest) =
            self.compiled.iter().max_by_key(|one| (one.interval.duration(), Reverse(one.interval.event)))
        else {
            report.verdict = match self.loaded {
                0 => "No methods JIT-compiled.".to_owned(),
                loaded => {
                    format!("{} loaded, but JIT start events were not recorded.", counted(loaded as u64, "method"))
                }
            };
            return;
        };
        let background = match behind.0 {
            0 => "all on the calling thread".to_owned(),
            behind_count => format!(
                "{} of them in the background ({}); the app waited {}",
                count(behind_count),
                duration(behind.1),
                duration(waited.1)
            ),
        };
        let number = all.0.saturating_add(self.unfinished as u64);
        report.verdict = format!("{} JIT-compiled in {}, {background}.", methods(number), duration(all.1));
        report.explanation = format!(
            "The slowest took {}: {}.",
            duration(longest.interval.duration()),
            readable_method(self.set.text(longest.interval.name))
        );
    }

    pub(crate) fn figures(&self, report: &mut Report) {
        let (waited, behind) = (self.of(code_row::FOREGROUND), self.of(code_row::BACKGROUND));
        let sum = |of: fn(&Compiled) -> u32| self.compiled.iter().map(|one| u64::from(of(one))).sum::<u64>() as f64;
        let replaced = self.compiled.iter().filter(|one| self.set.text(one.interval.note) == "OSR").count();
        let number = (waited.0 + behind.0).saturating_add(self.unfinished as u64);
        report.figure("methods", "Compilations", number as f64, Unit::Count, cut_words(self.cut));
        report.figure("totalNs", "JIT time", (waited.1 + behind.1) as f64, Unit::Duration, "summed over threads");
        report.figure("foreground", "Foreground", waited.0 as f64, Unit::Count, "");
        report.figure("foregroundNs", "App waited", waited.1 as f64, Unit::Duration, "");
        report.figure("background", "Background", behind.0 as f64, Unit::Count, "tier-up of hot methods");
        report.figure("backgroundNs", "Background JIT time", behind.1 as f64, Unit::Duration, "");
        report.figure("osr", "OSR methods", replaced as f64, Unit::Count, "on-stack replacement");
        report.figure("ilBytes", "IL size", sum(|one| one.il_bytes), Unit::Bytes, "");
        report.figure("codeBytes", "Code size", sum(|one| one.code_bytes), Unit::Bytes, "");
        report.figure(
            "loaded",
            "Methods with code",
            self.loaded as f64,
            Unit::Count,
            "including methods not compiled in this range",
        );
        report.figure("unfinished", "Unfinished", self.unfinished as f64, Unit::Count, "");
    }

    pub(crate) fn tables(&self, report: &mut Report, scope: &Scope<'_>) {
        report.tables.push(self.methods_table());
        report.tables.push(self.tiers_table());
        report.tables.push(self.compilations_table());
        if let Some(table) = self.types_table(scope) {
            report.tables.push(table);
        }
    }

    fn grouped(&self, key: impl Fn(&Compiled) -> u32) -> Vec<(u32, Group)> {
        let mut groups: FastMap<u32, Group> = FastMap::default();
        self.compiled.iter().for_each(|one| groups.entry(key(one)).or_default().add(one));
        ranked(groups, |group| group.time.total)
    }

    fn methods_table(&self) -> Table {
        Table::of("methods", "By method", &self.grouped(|one| one.interval.name))
            .words("method", "Method", |(name, _)| readable_method(self.set.text(*name)))
            .waited("JIT time", "Count", |(_, group)| &group.time)
            .words("tier", "Latest tier", |(_, group)| self.set.text(group.tier))
            .numbers("ilBytes", "IL size", Unit::Bytes, |(_, group)| group.il_bytes)
            .numbers("codeBytes", "Code size", Unit::Bytes, |(_, group)| group.code_bytes)
            .target(|(name, group)| group.time.target().filtered(condition_of(self.set.text(*name))))
    }

    fn tiers_table(&self) -> Table {
        Table::of("tiers", "By tier", &self.grouped(|one| one.interval.note))
            .words("tier", "Tier", |(tier, _)| match self.set.text(*tier) {
                "" => "unknown",
                words => words,
            })
            .waited("JIT time", "Compilations", |(_, group)| &group.time)
            .numbers("ilBytes", "IL size", Unit::Bytes, |(_, group)| group.il_bytes)
            .numbers("codeBytes", "Code size", Unit::Bytes, |(_, group)| group.code_bytes)
            .target(|(_, group)| group.time.target())
    }

    fn compilations_table(&self) -> Table {
        let mut longest: Vec<&Compiled> = self.compiled.iter().collect();
        sort_by_key(&mut longest, |one| (Reverse(one.interval.duration()), one.interval.event));
        Table::of("compilations", "All compilations", &longest)
            .numbers("timeNs", "Time", Unit::Moment, |one| one.interval.start)
            .bars("compileNs", "JIT time", Unit::Duration, |one| one.interval.duration())
            .words("method", "Method", |one| readable_method(self.set.text(one.interval.name)))
            .words("tier", "Tier", |one| self.set.text(one.interval.note))
            .words("when", "Mode", |one| match one.interval.row {
                code_row::BACKGROUND => "background",
                _ => "foreground",
            })
            .threads("thread", "Thread", self.store, |one| one.interval.thread)
            .numbers("ilBytes", "IL size", Unit::Bytes, |one| one.il_bytes)
            .numbers("codeBytes", "Code size", Unit::Bytes, |one| one.code_bytes)
            .target(|one| RowTarget::of(one.interval.event).over(Span::new(one.interval.start, one.interval.end)))
    }

    /// Returns the table of loaded types, if recorded.
    fn types_table(&self, scope: &Scope<'_>) -> Option<Table> {
        let set = self.loads?;
        let mut types: FastMap<u32, Waited> = FastMap::default();
        let is_type = |interval: &&Interval| interval.row == TYPE_ROW && interval.is_whole() && interval.counts(scope);
        for interval in set.intervals().iter().filter(is_type).map(|interval| interval.within(scope)) {
            types.entry(interval.name).or_default().add(interval.event, interval.start, interval.end);
        }
        let table = Table::of("typeLoads", "Types loaded", &ranked(types, |time| time.total))
            .words("type", "Type", |(name, _)| set.text(*name))
            .waited("Load time", "Count", |(_, time)| time)
            .target(|(_, time)| time.target());
        Some(table).filter(|table| !table.is_empty())
    }
}

/// Returns the table of call outcomes (inlining, tail calls), most frequent first.
pub(crate) fn calls_table(counts: FastMap<(CallOutcome, u32), (u64, EventId)>, reasons: &Texts) -> Table {
    Table::of("calls", "Inlining and tail calls", &ranked(counts, |(count, _)| *count))
        .words("outcome", "Outcome", |((outcome, _), _)| outcome.words())
        .words("reason", "Reason", |((_, reason), _)| reasons.get(*reason))
        .bars("count", "Calls", Unit::Count, |(_, (count, _))| *count)
        .target(|(_, (_, event))| RowTarget::of(*event))
}

/// Returns a condition for the compilation events of a method, by its type and name.
fn condition_of(method: &str) -> String {
    let Some((namespace, name)) = type_and_method(method) else { return String::new() };
    format!("payload.MethodNamespace={} payload.MethodName={}", word(namespace), word(name))
}

/// Returns counted methods with their verb: "1 method was", "3 methods were".
fn methods(count: u64) -> String {
    format!("{} {}", counted(count, "method"), if count == 1 { "was" } else { "were" })
}
