//! JIT compilation: time, tiers, foreground and background, precompiled code, inlining and tail calls.

pub(crate) mod findings;
pub(crate) mod tables;

use super::recorded_topics::{Role, Trace};
use super::shared::over_time::OverTime;
use super::shared::report::{Report, by_size};
use super::{Analysis, Facts, Known, Needs, Scope};
use crate::analysis::intervals::interval_set::{Interval, Texts};
use crate::analysis::intervals::spans::index::Family;
use crate::analysis::measures::Collector;
use crate::analysis::topics::jit::findings::compiling_heavy;
use crate::analysis::topics::jit::tables::{Compiled, View};
use crate::analysis::values::fields::text;
use crate::clr::KnownEvent;
use crate::clr::known::payload::{JittingStarted, MethodPayload};
use crate::clr::source_names::RUNTIME;
use crate::model::{EventChunk, EventType, Store};
use nettrace::{Field, Value, decode};
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, ThreadId};
use protocol::compare::Subject;
use protocol::tables::code_row;
use protocol::timeline::track::TrackKind;
use protocol::topics::finding::Finding;
use protocol::topics::report::{Hue, Unit};

/// IDs of the runtime's events.
const ENTRY_POINT_LOOKUP: u32 = 160;
const INLINING_SUCCEEDED: u32 = 185;
const INLINING_FAILED: [u32; 2] = [186, 192];
const TAIL_CALL_SUCCEEDED: u32 = 188;
const TAIL_CALL_FAILED: [u32; 2] = [189, 191];

/// Facts from JIT events.
#[derive(Debug, Default)]
pub struct JitFacts {
    /// IL size in bytes, by the event that starts a compilation.
    il_bytes: FastMap<EventId, u32>,
    /// Code size in bytes, by the event that records it.
    code_bytes: FastMap<EventId, u32>,
    /// Events of precompiled code that was used for the first time.
    entry_points: Vec<EventId>,
    /// Events of lookups of precompiled code.
    lookups: Vec<EventId>,
    /// The method that each thread is looking up.
    looking: FastMap<ThreadId, (u64, EventId)>,
    /// Methods without usable precompiled code.
    rejected: Vec<EventId>,
    /// Outcomes of calls: event, outcome, and reason.
    calls: Vec<(EventId, CallOutcome, u32)>,
    reasons: Texts,
}

/// Outcome of a call when the method was compiled.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum CallOutcome {
    Inlined,
    NotInlined,
    TailCall,
    NoTailCall,
}

impl CallOutcome {
    /// Returns the name for users.
    pub fn words(self) -> &'static str {
        match self {
            Self::Inlined => "Inlined",
            Self::NotInlined => "Not inlined",
            Self::TailCall => "Tail call",
            Self::NoTailCall => "No tail call",
        }
    }
}

/// Returns the outcome that an event with this ID records, if any.
fn call_outcome(number: u32) -> Option<CallOutcome> {
    match number {
        INLINING_SUCCEEDED => Some(CallOutcome::Inlined),
        TAIL_CALL_SUCCEEDED => Some(CallOutcome::TailCall),
        _ if INLINING_FAILED.contains(&number) => Some(CallOutcome::NotInlined),
        _ if TAIL_CALL_FAILED.contains(&number) => Some(CallOutcome::NoTailCall),
        _ => None,
    }
}

/// Returns the method ID at the start of an event about precompiled code.
fn method_id(payload: &[u8]) -> Option<u64> {
    payload.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

impl Analysis for JitFacts {
    const HAS_FINDINGS: bool = true;
    const NEEDS: Needs = Needs { tracks: &[TrackKind::Jit, TrackKind::Loads], ..Needs::NONE };

    fn role(event_type: &EventType, _trace: &Trace) -> Option<Role> {
        use KnownEvent as E;
        match event_type.known {
            E::MethodJittingStarted => Some(Role::Counted),
            E::MethodLoadVerbose | E::MethodLoad => Some(Role::Related),
            _ => None,
        }
    }
}

impl Facts for JitFacts {
    fn wants(&self, event_type: &EventType) -> bool {
        use KnownEvent as E;
        matches!(event_type.known, E::MethodJittingStarted | E::MethodLoadVerbose | E::ReadyToRunEntryPoint)
            || event_type.runtime_id() == ENTRY_POINT_LOOKUP
            || call_outcome(event_type.runtime_id()).is_some()
    }

    fn read(&mut self, store: &Store, chunk: &EventChunk, row: usize, payload: &[u8]) {
        let Some(event_type) = store.types.get(chunk.event_type(row)) else { return };
        let (event, thread) = (chunk.event_id(row), chunk.thread(row));
        match event_type.known {
            KnownEvent::MethodJittingStarted => {
                self.il_bytes.extend(JittingStarted::read(payload).map(|one| (event, one.il_size)));
            }
            KnownEvent::MethodLoadVerbose => {
                self.code_bytes.extend(MethodPayload::read(payload).map(|one| (event, one.size)));
            }
            KnownEvent::ReadyToRunEntryPoint => {
                self.entry_points.push(event);
                if self.looking.get(&thread).map(|looking| Some(looking.0)) == Some(method_id(payload)) {
                    self.looking.remove(&thread);
                }
            }
            _ => self.read_numbered(store, event_type, (event, thread), payload),
        }
    }

    fn finish(&mut self, _known: &Known<'_>) {
        self.rejected.extend(self.looking.drain().map(|(_, (_, event))| event));
    }

    fn report(&self, known: &Known<'_>, scope: &Scope<'_>) -> Report {
        let mut report = Report::default();
        let Some(set) = known.tracks.known(Family::Track(TrackKind::Jit)) else { return report };
        let counted: Vec<&Interval> = set.intervals().iter().filter(|one| one.counts(scope)).collect();
        let cut = counted.iter().filter(|one| scope.cuts(one.start, one.end)).count();
        let compiled = counted.into_iter().map(|interval| Compiled {
            interval: interval.within(scope),
            il_bytes: self.il_bytes.get(&interval.event).copied().unwrap_or(0),
            code_bytes: self.code_bytes.get(&interval.last_event).copied().unwrap_or(0),
        });
        let (whole, unfinished): (Vec<Compiled>, Vec<Compiled>) = compiled.partition(|one| one.interval.is_whole());
        let view = View {
            store: known.store,
            set,
            compiled: &whole,
            unfinished: unfinished.len(),
            cut,
            loaded: self.code_bytes.keys().filter(|event| scope.has(**event)).count(),
            loads: known.tracks.known(Family::Track(TrackKind::Loads)),
        };
        view.judge(&mut report);
        view.figures(&mut report);
        self.figures(&mut report, scope);
        charts(&mut report, scope, &whole);
        view.tables(&mut report, scope);
        report.tables.push(self.calls_table(scope));
        report.view_stacks("View JIT-triggering stacks", RUNTIME, "Method/JittingStarted");
        report
    }

    fn findings(&self, known: &Known<'_>, scope: &Scope<'_>) -> Vec<Finding> {
        let intervals = known.tracks.known(Family::Track(TrackKind::Jit));
        intervals.and_then(|intervals| compiling_heavy(known, scope, intervals)).into_iter().collect()
    }

    /// Adds JIT time and the number of compiled methods.
    fn measures(&self, known: &Known<'_>, scope: &Scope<'_>, into: &mut Collector) {
        let Some(set) = known.tracks.known(Family::Track(TrackKind::Jit)) else { return };
        into.record(Subject::JitTime);
        into.record(Subject::JittedMethods);
        for one in set.intervals().iter().filter(|one| one.is_whole() && one.counts(scope)) {
            into.add(Subject::JittedMethods, "", one.start, 1.0);
            into.cover(Subject::JitTime, "", one.start, one.end);
        }
    }

    fn bytes(&self) -> usize {
        let sizes = (self.il_bytes.len() + self.code_bytes.len()) * size_of::<(EventId, u32)>();
        let events = (self.entry_points.len() + self.lookups.len() + self.rejected.len()) * size_of::<EventId>();
        sizes + events + self.calls.len() * size_of::<(EventId, CallOutcome, u32)>() + self.reasons.bytes()
    }
}

impl JitFacts {
    /// Reads an event that is identified by its ID.
    fn read_numbered(
        &mut self,
        store: &Store,
        event_type: &EventType,
        (event, thread): (EventId, ThreadId),
        payload: &[u8],
    ) {
        if let Some(outcome) = call_outcome(event_type.runtime_id()) {
            let fields = &event_type.schema.fields;
            let values = decode(fields, payload, store.header.pointer_size);
            let fields: Vec<(&Field, Value)> = fields.iter().zip(values).collect();
            let reason = self.reasons.position(text(&fields, "FailReason"));
            self.calls.push((event, outcome, reason));
            return;
        }
        let Some(method) = method_id(payload) else { return };
        self.lookups.push(event);
        // The thread continued with another method, so the previous lookup failed.
        self.rejected.extend(self.looking.insert(thread, (method, event)).map(|(_, event)| event));
    }

    /// Adds figures about precompiled code and calls.
    fn figures(&self, report: &mut Report, scope: &Scope<'_>) {
        let count = |events: &[EventId]| events.iter().filter(|event| scope.has(**event)).count() as f64;
        if !self.entry_points.is_empty() || !self.lookups.is_empty() {
            report.figure("precompiled", "ReadyToRun methods used", count(&self.entry_points), Unit::Count, "");
        }
        if !self.lookups.is_empty() {
            let note = "R2R lookup failed or code rejected";
            report.figure("rejected", "ReadyToRun rejected", count(&self.rejected), Unit::Count, note);
        }
    }

    fn calls_table(&self, scope: &Scope<'_>) -> super::shared::table::Table {
        let mut counts: FastMap<(CallOutcome, u32), (u64, EventId)> = FastMap::default();
        for (event, outcome, reason) in self.calls.iter().filter(|one| scope.has(one.0)) {
            counts.entry((*outcome, *reason)).or_insert((0, *event)).0 += 1;
        }
        crate::analysis::topics::jit::tables::calls_table(counts, &self.reasons)
    }
}

fn charts(report: &mut Report, scope: &Scope<'_>, compiled: &[Compiled]) {
    if compiled.is_empty() {
        return;
    }
    let mut times = [OverTime::new(scope.span), OverTime::new(scope.span)];
    let mut lengths: Vec<(f64, usize)> = Vec::new();
    for one in compiled {
        let of = usize::from(one.interval.row == code_row::BACKGROUND);
        times[of].cover(one.interval.start, one.interval.end);
        lengths.push((one.interval.duration() as f64, of));
    }
    let names = [("foreground", Hue::Compiling), ("background", Hue::Neutral)];
    let series = vec![(names[0].0, names[0].1, times[0].at_once()), (names[1].0, names[1].1, times[1].at_once())];
    report.charts.push(times[0].chart("Threads in the JIT", Unit::Plain, series));
    report.charts.extend(by_size("JIT time per method", Unit::Duration, &names, &lengths));
}

#[cfg(test)]
mod tests {
    use crate::analysis::testing::{What, runtime, store_of};
    use crate::analysis::topics::tests::reports::{column, figure, report, table};
    use nettrace::testing::PayloadWriter;
    use protocol::topics::topic::Topic;

    /// Returns the flags of code compiled at a tier.
    fn tier(number: u32) -> u32 {
        8 | number << 7
    }

    #[test]
    fn methods_are_listed_with_time_tier_and_sizes() {
        let (store, bytes) = store_of(&[
            (100, 5, What::Compile(70, 16, "Shop.Basket", "Total")),
            (400, 5, What::Compiled(70, 120, tier(3), false)),
            (500, 6, What::Compile(70, 16, "Shop.Basket", "Total")),
            (1500, 6, What::Compiled(70, 80, tier(4), true)),
            (1600, 5, What::Compile(71, 7, "Shop.Basket", "Add")),
        ]);
        let all = report(Topic::Jit, &store, &bytes, "");
        let keys =
            ["methods", "totalNs", "foreground", "foregroundNs", "background", "backgroundNs", "ilBytes", "codeBytes"];
        assert_eq!(keys.map(|key| figure(&all, key)), [3.0, 1300.0, 1.0, 300.0, 1.0, 1000.0, 32.0, 200.0]);
        assert_eq!(figure(&all, "unfinished"), 1.0);
        assert_eq!(column(table(&all, "tiers"), "tier"), ["Tier 1", "Tier 0"]);
        assert_eq!(column(table(&all, "methods"), "method"), ["Shop.Basket.Total"]);
        assert_eq!(column(table(&all, "methods"), "count"), ["2"]);
        assert_eq!(column(table(&all, "compilations"), "compileNs"), ["1000", "300"]);
        assert!(all.verdict.contains("1 of them in the background"), "{}", all.verdict);
    }

    #[test]
    fn precompiled_code_and_refused_calls_are_counted() {
        let found = |method: u64| {
            let payload = PayloadWriter::new().u64(method).utf16("Shop").utf16("Add").utf16("()").u64(0).u16(0);
            runtime(159, 0, payload)
        };
        let lookup = |method: u64| runtime(160, 0, PayloadWriter::new().u64(method).u16(0));
        let names = || (0..9).fold(PayloadWriter::new(), |payload, _| payload.utf16("x"));
        let (store, bytes) = store_of(&[
            (0, 5, lookup(1)),
            (1, 5, found(1)),
            (2, 5, lookup(2)),
            (3, 5, lookup(3)),
            (4, 5, found(3)),
            (5, 5, runtime(192, 0, names().u32(0).utf16("too many IL bytes").u16(0))),
            (6, 5, runtime(185, 0, names().u16(0))),
            (7, 5, What::Compile(71, 7, "Shop.Basket", "Add")),
        ]);
        let all = report(Topic::Jit, &store, &bytes, "");
        assert_eq!((figure(&all, "precompiled"), figure(&all, "rejected")), (2.0, 1.0));
        let calls = table(&all, "calls");
        assert_eq!(column(calls, "outcome"), ["Inlined", "Not inlined"]);
        assert_eq!(column(calls, "reason"), ["", "too many IL bytes"]);
    }
}
