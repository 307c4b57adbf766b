//! Startup: from the start of the process to the app's own code and its first request.

use super::recorded_topics::{Role, Trace};
use super::shared::call_site::{SiteNames, Sites};
use super::shared::report::Report;
use super::shared::table::{RowTarget, Table};
use super::{Analysis, Facts, Known, Needs, Scope};
use crate::analysis::intervals::interval_set::{Interval, IntervalSet};
use crate::analysis::intervals::loads::{LOADED_ROW, SEARCH_ROW};
use crate::analysis::intervals::spans::index::Family;
use crate::analysis::scan::rows::TypeSet;
use crate::clr::KnownEvent;
use crate::clr::provider::Provider;
use crate::clr::source_names::{HOSTING, KESTREL};
use crate::model::{EventChunk, EventType, Store};
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, StackId};
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::format::{counted, duration};
use protocol::tables::code_row;
use protocol::timeline::track::TrackKind;
use protocol::topics::report::Unit;
use std::cmp::Reverse;

/// Maximum number of rows searched for the app's first own code.
const MAX_ROWS: usize = 2_000_000;
/// Providers that report incoming requests.
const SERVERS: [&str; 2] = [HOSTING, KESTREL];

/// Facts about startup.
#[derive(Debug, Default)]
pub struct StartupFacts {
    /// Milestones in time order.
    milestones: Vec<Milestone>,
}

/// A milestone of startup.
#[derive(Clone, Debug)]
struct Milestone {
    time: i64,
    what: Reached,
    /// Its name, if it has one.
    name: String,
    event: Option<EventId>,
}

/// Kind of milestone.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reached {
    /// The recording began after the runtime's start.
    Begin,
    /// The runtime reported its version.
    Runtime,
    /// The first assembly was loaded.
    Assembly,
    /// The first method was compiled.
    Method,
    /// The app's own code was on a stack.
    OwnCode,
    /// A request came in.
    Request,
}

impl Reached {
    fn words(self) -> &'static str {
        match self {
            Self::Begin => "Trace started",
            Self::Runtime => "Runtime started",
            Self::Assembly => "First assembly loaded",
            Self::Method => "First method JIT-compiled",
            Self::OwnCode => "First app code",
            Self::Request => "First request",
        }
    }
}

/// Returns whether an event means that the runtime of this process starts now, not earlier.
pub fn is_runtime_start(event_type: &EventType) -> bool {
    event_type.known == KnownEvent::RuntimeInformation && event_type.is_of(Provider::Runtime)
}

/// Returns whether an event starts an incoming request.
fn begins_request(event_type: &EventType) -> bool {
    SERVERS.contains(&event_type.provider.as_str())
        && ["RequestStart", "Request/Start"].contains(&event_type.display_name.as_str())
}

impl StartupFacts {
    fn reached(&mut self, store: &Store, what: Reached, event: EventId, name: &str) {
        if self.milestones.iter().any(|one| one.what == what) {
            return;
        }
        let time = store.clock.nanos(store.events.row(event).ticks).0;
        self.milestones.push(Milestone { time, what, name: name.to_owned(), event: Some(event) });
    }
}

impl Analysis for StartupFacts {
    const HAS_FINDINGS: bool = false;
    const NEEDS: Needs = Needs { tracks: &[TrackKind::Jit, TrackKind::Loads], ..Needs::NONE };

    fn role(event_type: &EventType, _trace: &Trace) -> Option<Role> {
        is_runtime_start(event_type).then_some(Role::Related)
    }
}

impl Facts for StartupFacts {
    fn wants(&self, event_type: &EventType) -> bool {
        is_runtime_start(event_type) || begins_request(event_type)
    }

    fn read(&mut self, store: &Store, chunk: &EventChunk, row: usize, _payload: &[u8]) {
        let Some(event_type) = store.types.get(chunk.event_type(row)) else { return };
        let what = if is_runtime_start(event_type) { Reached::Runtime } else { Reached::Request };
        self.reached(store, what, chunk.event_id(row), "");
    }

    fn finish(&mut self, known: &Known<'_>) {
        let store = known.store;
        let begin = store.full_span.start.0;
        self.milestones.push(Milestone { time: begin, what: Reached::Begin, name: String::new(), event: None });
        if let Some((interval, set)) = first(known, TrackKind::Loads, is_assembly) {
            self.reached(store, Reached::Assembly, interval.event, set.text(interval.name));
        }
        if let Some((interval, set)) = first(known, TrackKind::Jit, |_, _| true) {
            self.reached(store, Reached::Method, interval.event, set.text(interval.name));
        }
        if let Some((event, name)) = first_own_code(store) {
            self.reached(store, Reached::OwnCode, event, &name);
        }
        sort_by_key(&mut self.milestones, |one| (one.time, one.event));
    }

    /// Returns the report of a whole startup: only the filter's time range applies.
    fn report(&self, known: &Known<'_>, scope: &Scope<'_>) -> Report {
        let span = scope.filter.span.unwrap_or(known.store.full_span);
        let of_time = |time: i64| span.start.0 <= time && time < span.end.0;
        let mut milestones: Vec<&Milestone> = self.milestones.iter().filter(|one| of_time(one.time)).collect();
        // Some runtimes report their version only when the recording ends.
        let is_goal = |one: &&Milestone| matches!(one.what, Reached::OwnCode | Reached::Request);
        if let Some(goal) = milestones.iter().rposition(is_goal) {
            milestones.truncate(goal + 1);
        }
        let mut report = Report::default();
        let Some(begin) = milestones.first().map(|one| one.time) else {
            report.verdict = "No startup events in this time range.".to_owned();
            return report;
        };
        let end = milestones.last().map_or(begin, |one| one.time);
        let view = View { known, begin, end, milestones: &milestones };
        view.judge(&mut report);
        report.tables.push(view.phases_table());
        if view.has_loads() {
            report.tables.push(view.assemblies_table());
        }
        if view.has_jit() {
            report.tables.push(view.methods_table());
        }
        report
    }

    fn bytes(&self) -> usize {
        self.milestones.len() * size_of::<Milestone>()
    }
}

/// Returns the first interval of a track.
fn first<'k>(
    known: &Known<'k>,
    kind: TrackKind,
    is_wanted: fn(&Known<'_>, &Interval) -> bool,
) -> Option<(&'k Interval, &'k IntervalSet)> {
    let set = known.tracks.known(Family::Track(kind))?;
    set.intervals().iter().find(|interval| is_wanted(known, interval)).map(|interval| (interval, set))
}

/// Returns the first event with one of the app's own functions on its stack.
fn first_own_code(store: &Store) -> Option<(EventId, String)> {
    let mut own: FastMap<StackId, bool> = FastMap::default();
    let mut is_own = |stack: StackId| {
        *own.entry(stack).or_insert_with(|| {
            let mut frames = store.stacks.leaf_to_root(stack);
            let is_own = |one: &crate::model::Function| one.is_managed && !one.is_framework;
            frames.any(|frame| store.function_of(frame).is_some_and(is_own))
        })
    };
    let mut found = None;
    let all = TypeSet::new(store, |_| true);
    all.for_each_row(store, 0..store.events.len().min(MAX_ROWS), |chunk, row| {
        let stack = chunk.stack(row);
        if found.is_none() && stack != StackId(0) && is_own(stack) {
            let site = Sites::new(store, None).code(stack).into();
            found = Some((chunk.event_id(row), SiteNames::new(store, None).name(site)));
        }
    });
    found
}

/// A startup from its first to its last milestone.
struct View<'v> {
    known: &'v Known<'v>,
    begin: i64,
    end: i64,
    milestones: &'v [&'v Milestone],
}

impl View<'_> {
    /// Returns whether compilations were recorded. Otherwise zero compilations would suggest a fast start.
    fn has_jit(&self) -> bool {
        self.has(KnownEvent::MethodJittingStarted)
    }

    /// Returns whether assembly loads were recorded.
    fn has_loads(&self) -> bool {
        self.has(KnownEvent::AssemblyLoad)
    }

    fn has(&self, known: KnownEvent) -> bool {
        self.known.store.types.of_known(known).any(|one| one.count > 0)
    }

    /// Returns a track's intervals that began in a time range.
    fn intervals(&self, kind: TrackKind, from: i64, to: i64) -> impl Iterator<Item = &Interval> {
        let set = self.known.tracks.known(Family::Track(kind));
        let intervals = set.map_or(&[][..], IntervalSet::intervals).iter();
        intervals.filter(move |interval| from <= interval.start && interval.start < to)
    }

    /// Returns the number of assemblies loaded in a time range, of methods that the app waited for, and the nanoseconds
    /// it waited.
    fn work(&self, from: i64, to: i64) -> (u64, u64, i64) {
        let assemblies =
            self.intervals(TrackKind::Loads, from, to).filter(|interval| is_assembly(self.known, interval)).count();
        let compiled = self.intervals(TrackKind::Jit, from, to);
        let waited = compiled.filter(|interval| interval.is_whole() && interval.row == code_row::FOREGROUND);
        let (count, nanos) = waited.fold((0, 0), |(count, nanos), interval| (count + 1, nanos + interval.duration()));
        (assemblies as u64, count, nanos)
    }

    fn judge(&self, report: &mut Report) {
        let at = |what: Reached| self.milestones.iter().find(|one| one.what == what).map(|one| one.time - self.begin);
        let (assemblies, methods, compiled) = self.work(self.begin, self.end.saturating_add(1));
        report.verdict = match (at(Reached::OwnCode), at(Reached::Request)) {
            (_, Some(request)) => format!("The first request came {} after the trace started.", duration(request)),
            (Some(own), None) => format!("First app code ran {} after the trace started.", duration(own)),
            (None, None) => "The start of app code can't be determined.".to_owned(),
        };
        let loaded = self.has_loads().then(|| format!("{} loaded", were(assemblies, "assembly")));
        let jitted =
            (methods > 0).then(|| format!("{} JIT-compiled in {}", were(methods, "method"), duration(compiled)));
        let until: Vec<String> = loaded.into_iter().chain(jitted).collect();
        let mut sentences = Vec::new();
        if !until.is_empty() {
            sentences.push(format!("Until then, {}.", until.join(" and ")));
        }
        let longest = self.milestones.windows(2).max_by_key(|pair| pair[1].time - pair[0].time);
        if let Some([from, to]) = longest.filter(|pair| pair[1].time > pair[0].time) {
            sentences.push(format!("Slowest step: “{}”, {}.", to.what.words(), duration(to.time - from.time)));
        }
        report.explanation = sentences.join(" ");
        let figures = [
            ("runtimeNs", "Time to runtime start", Reached::Runtime),
            ("ownCodeNs", "Time to app code", Reached::OwnCode),
            ("requestNs", "Time to first request", Reached::Request),
        ];
        for (key, name, what) in figures {
            if let Some(nanos) = at(what) {
                report.figure(key, name, nanos as f64, Unit::Duration, "");
            }
        }
        if self.has_loads() {
            report.figure("assemblies", "Assemblies loaded", assemblies as f64, Unit::Count, "");
        }
        if self.has_jit() {
            report.figure("methods", "Methods JIT-compiled", methods as f64, Unit::Count, "foreground");
            report.figure("compiledNs", "JIT time", compiled as f64, Unit::Duration, "");
        }
    }

    fn phases_table(&self) -> Table {
        // Each phase begins with the milestone before it.
        let starts = std::iter::once(self.begin).chain(self.milestones.iter().map(|one| one.time));
        let phases = starts.zip(self.milestones).map(|(before, one)| (before, one, self.work(before, one.time)));
        Table::of("phases", "Phases", &phases.collect::<Vec<_>>())
            .words("step", "Milestone", |(_, one, _)| one.what.words())
            .numbers("timeNs", "Time", Unit::Moment, |(_, one, _)| one.time)
            .places(
                "tookNs",
                "Duration",
                |(before, one, _)| one.time - before,
                |_| Span::new(self.begin, self.end.max(self.begin + 1)),
            )
            .numbers("assemblies", "Assemblies loaded", Unit::Count, |(.., (assemblies, ..))| {
                self.has_loads().then_some(*assemblies)
            })
            .numbers("methods", "Methods JIT-compiled", Unit::Count, |(.., (_, methods, _))| {
                self.has_jit().then_some(*methods)
            })
            .numbers("compiledNs", "JIT time", Unit::Duration, |(.., (.., compiled))| {
                self.has_jit().then_some(*compiled)
            })
            .words("name", "Name", |(_, one, _)| one.name.as_str())
            .target(|(before, one, _)| RowTarget::of(one.event).over(Span::new(*before, one.time.max(before + 1))))
    }

    fn assemblies_table(&self) -> Table {
        let set = self.known.tracks.known(Family::Track(TrackKind::Loads));
        let all = set.map_or(&[][..], IntervalSet::intervals);
        let mut searched: FastMap<u32, i64> = FastMap::default();
        for interval in all.iter().filter(|interval| interval.row == SEARCH_ROW && interval.is_whole()) {
            *searched.entry(interval.name).or_default() += interval.duration();
        }
        let loads = self.intervals(TrackKind::Loads, self.begin, self.end.saturating_add(1));
        let loads: Vec<&Interval> = loads.filter(|interval| is_assembly(self.known, interval)).collect();
        Table::of("assemblies", "Assemblies", &loads)
            .words("assembly", "Assembly", |one| set.map(|set| set.text(one.name)))
            .numbers("timeNs", "Loaded at", Unit::Moment, |one| one.start)
            .bars("searchNs", "Probe time", Unit::Duration, |one| searched.get(&one.name).copied())
            .threads("thread", "Thread", self.known.store, |one| one.thread)
            .target(|one| RowTarget::of(one.event).over(Span::new(one.start, one.start + 1)))
    }

    fn methods_table(&self) -> Table {
        let set = self.known.tracks.known(Family::Track(TrackKind::Jit));
        let compiled = self.intervals(TrackKind::Jit, self.begin, self.end.saturating_add(1));
        let mut compiled: Vec<&Interval> = compiled.filter(|interval| interval.is_whole()).collect();
        sort_by_key(&mut compiled, |interval| (Reverse(interval.duration()), interval.event));
        Table::of("methods", "Methods JIT-compiled", &compiled)
            .words("method", "Method", |one| set.map(|set| set.text(one.name)))
            .numbers("timeNs", "Time", Unit::Moment, |one| one.start)
            .bars("compileNs", "JIT time", Unit::Duration, |one| one.duration())
            .words("tier", "Tier", |one| set.map(|set| set.text(one.note)))
            .target(|one| RowTarget::of(one.event).over(Span::new(one.start, one.end)))
    }
}

/// Returns whether an interval of the loader track is an assembly load.
fn is_assembly(known: &Known<'_>, interval: &Interval) -> bool {
    let row = known.store.events.row(interval.event);
    let event_type = known.store.types.get(row.event_type);
    interval.row == LOADED_ROW && event_type.is_some_and(|one| one.known == KnownEvent::AssemblyLoad)
}

/// Returns a counted subject with its verb: "1 assembly was", "3 assemblies were".
fn were(of: u64, one: &str) -> String {
    format!("{} {}", counted(of, one), if of == 1 { "was" } else { "were" })
}

#[cfg(test)]
mod tests {
    use crate::analysis::testing::{What, store_of_program};
    use crate::analysis::topics::tests::reports::{column, figure, figure_if_any, report, table};
    use protocol::topics::topic::Topic;

    #[test]
    fn startup_is_from_runtime_to_own_code() {
        let methods = [("System.Number", "Parse"), ("Shop.Program", "Main")];
        let (store, bytes) = store_of_program(
            &methods,
            &[
                (1000, 5, What::RuntimeStart),
                (2000, 5, What::LoadAssembly("System.Private.CoreLib, Version=10.0.0.0")),
                (2500, 5, What::Sample(true, vec![1])),
                (3000, 5, What::Compile(70, 16, "Shop.Late", "Compiled")),
                (3500, 5, What::Compiled(70, 120, 8 | 3 << 7, false)),
                (4000, 5, What::LoadAssembly("Shop, Version=1.0.0.0")),
                (6000, 5, What::Sample(true, vec![2, 1])),
                (9000, 5, What::LoadAssembly("Late, Version=1.0.0.0")),
            ],
        );
        let all = report(Topic::Startup, &store, &bytes, "");
        let keys = ["assemblies", "methods", "compiledNs"];
        assert_eq!(keys.map(|key| figure(&all, key)), [2.0, 1.0, 500.0]);
        let phases = table(&all, "phases");
        assert_eq!(column(phases, "timeNs")[1..], ["1000", "2000", "3000", "6000"]);
        assert_eq!(column(phases, "tookNs")[2..], ["1000", "1000", "3000"]);
        assert_eq!(column(phases, "name")[4], "Shop.Program.Main()");
        assert_eq!(column(table(&all, "assemblies"), "assembly"), ["System.Private.CoreLib", "Shop"]);
        assert!(all.verdict.starts_with("First app code ran"), "{}", all.verdict);
    }

    #[test]
    fn startup_omits_unrecorded_milestones() {
        let (store, bytes) = store_of_program(
            &[("Shop.Program", "Main")],
            &[(1000, 5, What::RuntimeStart), (6000, 5, What::Sample(true, vec![1]))],
        );
        let all = report(Topic::Startup, &store, &bytes, "");
        assert_eq!(["assemblies", "methods", "compiledNs"].map(|key| figure_if_any(&all, key)), [None; 3]);
        assert!(all.tables.iter().all(|one| !["assemblies", "methods"].contains(&one.head().key.as_str())));
        assert!(!all.explanation.contains("loaded"), "{}", all.explanation);
    }
}
