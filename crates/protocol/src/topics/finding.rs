//! Findings: problems with their evidence.

use super::report::Unit;
use super::topic::Topic;
use crate::base::ids::{EventId, ThreadId};
use crate::base::time::Span;
use crate::named;
use crate::stacks::query::SampleChoice;
use serde::{Deserialize, Serialize};

named! {
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
    pub enum FindingKind {
        /// Threads waited for locks.
        LockContention: "lock-contention";
        /// Work items waited for a pool worker.
        PoolStarvation: "pool-starvation";
        /// Pool workers blocked on tasks.
        SyncOverAsync: "sync-over-async";
        LongPause: "long-pause";
        /// GC pauses took a large share of the time.
        PauseShare: "pause-share";
        /// Suspending threads took a large share of the GC pauses.
        SlowSuspension: "slow-suspension";
        InducedGcs: "induced-collections";
        /// Short-lived large objects.
        LargeObjectChurn: "large-object-churn";
        SlowRequests: "slow-requests";
        /// Requests waited before the server began processing them.
        DelayedRequests: "delayed-requests";
        /// Methods were compiled while the first requests waited.
        ColdStart: "cold-start";
        FailedRequests: "failed-requests";
        /// Long or frequent finalization.
        FinalizerBacklog: "finalizer-backlog";
        /// Many exceptions in a short time.
        ExceptionStorm: "exception-storm";
        /// One call site allocated most bytes.
        HotAllocations: "hot-allocations";
        /// A static field or another root keeps much of the heap alive.
        HeapKeeper: "heap-keeper";
        /// Many handlers of one event, which keep their subscribers alive.
        EventHandlers: "event-handlers";
        /// The same query repeatedly within one request.
        RepeatedCommands: "repeated-commands";
        /// A new connection for almost every request.
        ConnectionChurn: "connection-churn";
        /// Slow DNS lookups or TLS handshakes.
        SlowConnecting: "slow-connecting";
        /// Failed DNS lookups, connects or TLS handshakes.
        FailedConnections: "failed-connections";
        /// One method of the app ran for much of the time.
        CpuHotSpot: "cpu-hot-spot";
        /// More runnable threads than CPUs.
        CpuSaturation: "cpu-saturation";
        /// All CPUs of the machine were busy.
        MachineSaturation: "machine-saturation";
        /// Lock waits that only off-CPU stacks show.
        OffCpuLocks: "off-cpu-locks";
        /// A large share of the time was spent in the JIT.
        CompilingHeavy: "compiling-heavy";
        NoEvents: "no-events";
        /// The recording has no end-of-stream marker, or parts of the file are damaged.
        IncompleteRecording: "incomplete-recording";
        /// Events were lost.
        LostEvents: "lost-events";
        /// Events were too large to be recorded.
        OversizedEvents: "oversized-events";
        /// Unresolved frames.
        NoNames: "no-names";
        /// No samples for some time.
        SamplingGap: "sampling-gap";
        /// An `EventSource` reported that it failed.
        EventSourceError: "event-source-error";
        /// Most events are from one provider.
        ProviderFlood: "provider-flood";
        /// Payloads differ from their schema.
        PayloadMisfit: "payload-misfit";
        /// Start events without stop events, or the reverse.
        UnpairedEvents: "unpaired-events";
    }
    /// Returns the machine-readable name.
    fn slug;
}

impl FindingKind {
    /// Returns whether the finding is about the recording and not the app, so that other figures may be wrong.
    pub fn is_about_trace(self) -> bool {
        matches!(
            self,
            Self::NoEvents
                | Self::IncompleteRecording
                | Self::LostEvents
                | Self::OversizedEvents
                | Self::NoNames
                | Self::SamplingGap
                | Self::EventSourceError
                | Self::ProviderFlood
                | Self::PayloadMisfit
                | Self::UnpairedEvents
        )
    }
}

/// Target of a link.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum FindingTarget {
    /// Time range on the timeline.
    Timeline(Span),
    /// Tab of an analysis.
    Topic(Topic),
    /// Filter for all views: a condition in the filter syntax, which may be empty, and a time range.
    Narrow(Narrowing),
    Event(EventId),
    /// GC of a process: 0 if the trace has one, and the runtime's number.
    Gc {
        process: u32,
        number: u32,
    },
    ThreadTime(SampleChoice, Narrowing),
    /// Stacks of an event type, weighted by the duration of the intervals that the events start.
    Stacks {
        provider: String,
        event: String,
        /// Filter of the events.
        of: Narrowing,
    },
    /// Rows of a table of an analysis, the largest of a column first.
    Rows {
        topic: Topic,
        /// Machine-readable name of the table.
        table: String,
        /// Machine-readable name of the column.
        column: String,
        /// Filter of the rows.
        of: Narrowing,
    },
}

/// Addition to the filter, applied before a link opens its target.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Narrowing {
    /// Condition in the filter syntax; may be empty.
    pub condition: String,
    /// Time range.
    pub span: Option<Span>,
}

impl Narrowing {
    /// Returns a condition at any time.
    pub fn to(condition: impl Into<String>) -> Self {
        Self { condition: condition.into(), span: None }
    }

    /// Returns a condition within a time range.
    pub fn within(condition: impl Into<String>, span: Span) -> Self {
        Self { condition: condition.into(), span: Some(span) }
    }
}

impl FindingTarget {
    /// Returns the addition to the filter; `None` for targets that don't change it.
    pub fn narrowing(&self) -> Option<&Narrowing> {
        match self {
            Self::Narrow(of) | Self::ThreadTime(_, of) | Self::Stacks { of, .. } | Self::Rows { of, .. } => Some(of),
            Self::Timeline(_) | Self::Topic(_) | Self::Event(_) | Self::Gc { .. } => None,
        }
    }
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FindingLink {
    /// Text: "Show on timeline".
    pub words: String,
    pub to: FindingTarget,
}

/// Meaning of times that are estimated from a count.
const ESTIMATED: &str = "estimate";

/// Size of a problem, which findings are sorted by and display.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Cost {
    /// Number in the unit.
    pub value: f64,
    pub unit: Unit,
    /// Meaning: "thread time".
    pub words: String,
    /// True if the value is a lower bound, because events were lost.
    pub is_minimum: bool,
}

impl Cost {
    /// Returns the cost of a problem that takes time, in nanoseconds.
    pub fn time(nanos: i64, words: &str) -> Self {
        Self::of(nanos as f64, Unit::Duration, words)
    }

    /// Returns the cost of a problem whose time is estimated from a count.
    pub fn estimated_time(nanos: i64) -> Self {
        Self::time(nanos, ESTIMATED)
    }

    /// Returns the cost of a problem of unknown duration, as a count.
    pub fn count(number: u64, words: &str) -> Self {
        Self::of(number as f64, Unit::Count, words)
    }

    /// Returns the cost of a problem in bytes.
    pub fn bytes(bytes: u64, words: &str) -> Self {
        Self::of(bytes as f64, Unit::Bytes, words)
    }

    /// Returns the time in nanoseconds; `None` for other costs.
    pub fn nanos(&self) -> Option<f64> {
        (self.unit == Unit::Duration).then_some(self.value)
    }

    fn of(value: f64, unit: Unit, words: &str) -> Self {
        Self { value, unit, words: words.to_owned(), is_minimum: false }
    }

    /// Formats the number for display: "4.93 s", "at least 4.93 s", "about 5 s".
    pub fn size(&self) -> String {
        match (self.is_minimum, self.is_estimate()) {
            (true, _) => format!("at least {}", self.number()),
            (false, true) => format!("about {}", self.number()),
            (false, false) => self.number(),
        }
    }

    /// Formats the number: "4.93 s"; with one digit if it is an estimate: "5 s".
    pub fn number(&self) -> String {
        if !self.is_estimate() || self.value <= 0.0 {
            return self.unit.words(self.value);
        }
        let digit = 10f64.powf(self.value.log10().floor());
        self.unit.words((self.value / digit).round() * digit).replace(".00", "").replace(".0", "")
    }

    /// Returns the sign that precedes the number where words don't fit.
    pub fn sign(&self) -> &'static str {
        match (self.is_minimum, self.is_estimate()) {
            (true, _) => "≥",
            (false, true) => "≈",
            (false, false) => "",
        }
    }

    fn is_estimate(&self) -> bool {
        self.words == ESTIMATED
    }
}

/// Problem with its cost and evidence.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Finding {
    pub kind: FindingKind,
    /// Claim with the most important number.
    pub title: String,
    /// Evidence, so short that it fits on a line with the fix: the largest cause with its share, then where and when.
    pub sentence: String,
    pub cost: Cost,
    /// True if the finding precedes all others, because the recording is so incomplete.
    pub comes_first: bool,
    /// Time ranges, at most a few dozen, in order.
    pub times: Vec<Span>,
    /// Threads involved, largest part first; at most [`MAX_THREADS`].
    pub threads: Vec<ThreadId>,
    /// Parts of the cost, largest first, such as methods.
    pub parts: Vec<FindingPart>,
    /// Links to the evidence.
    pub links: Vec<FindingLink>,
    /// Fix: one short sentence that names an API.
    pub advice: String,
    /// Further facts and explanations; may be empty.
    pub details: String,
}

impl Finding {
    /// Returns a finding without text, times and links.
    pub fn new(kind: FindingKind, cost: Cost) -> Self {
        let (title, sentence, advice, details) = Default::default();
        let (times, threads, parts, links) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { kind, title, sentence, cost, comes_first: false, times, threads, parts, links, advice, details }
    }

    /// Marks the cost and the title as lower bounds, because events were lost. Findings about the recording stay exact.
    pub fn mark_as_minimum(&mut self) {
        if self.kind.is_about_trace() || self.cost.is_minimum {
            return;
        }
        let exact = self.cost.size();
        self.cost.is_minimum = true;
        self.title = match self.title.strip_prefix(exact.as_str()) {
            Some(rest) => format!("At least {exact}{rest}"),
            None => self.title.replacen(&exact, &self.cost.size(), 1),
        };
        self.details.push_str(if self.details.is_empty() { "" } else { " " });
        self.details.push_str("Counts are minimums, because events were lost.");
    }
}

/// Maximum number of threads that a finding lists.
pub const MAX_THREADS: usize = 64;

/// Part of the cost of a finding.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FindingPart {
    /// Name, such as a method's.
    pub name: String,
    /// Share of the whole, from 0 to 1.
    pub share: f64,
}
