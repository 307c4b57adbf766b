//! Findings: problems with their evidence.

use super::report::Unit;
use super::topic::Topic;
use crate::base::ids::EventId;
use crate::base::time::Span;
use crate::stacks::query::SampleChoice;
use serde::{Deserialize, Serialize};

/// Kind of a finding.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum FindingKind {
    /// Threads waited for locks.
    LockContention,
    /// Work items waited for a pool worker.
    PoolStarvation,
    /// Pool workers blocked on tasks.
    SyncOverAsync,
    /// A long GC pause.
    LongPause,
    /// GC pauses took a large share of the time.
    PauseShare,
    /// Suspending threads took a large share of the GC pauses.
    SlowSuspension,
    /// The app forced GCs.
    InducedGcs,
    /// Short-lived large objects.
    LargeObjectChurn,
    /// Long or frequent finalization.
    FinalizerBacklog,
    /// Many exceptions in a short time.
    ExceptionStorm,
    /// One call site allocated most bytes.
    HotAllocations,
    /// Slow requests.
    SlowRequests,
    /// Requests waited before the server began to answer them.
    DelayedRequests,
    /// Methods were compiled while the first requests waited.
    ColdStart,
    /// Failed requests.
    FailedRequests,
    /// The same query repeatedly within one request.
    RepeatedCommands,
    /// A new connection for almost every request.
    ConnectionChurn,
    /// Slow DNS lookups or TLS handshakes.
    SlowConnecting,
    /// One method of the app ran for much of the time.
    CpuHotSpot,
    /// More runnable threads than CPUs.
    CpuSaturation,
    /// A large share of the time was spent in the JIT.
    CompilingHeavy,
    /// Events were lost.
    LostEvents,
    /// Unresolved frames.
    NoNames,
    /// No samples for some time.
    SamplingGap,
    /// An `EventSource` reported a failure of its own.
    EventSourceError,
}

impl FindingKind {
    /// All kinds.
    pub const ALL: [Self; 25] = [
        Self::LockContention,
        Self::PoolStarvation,
        Self::SyncOverAsync,
        Self::LongPause,
        Self::PauseShare,
        Self::SlowSuspension,
        Self::InducedGcs,
        Self::LargeObjectChurn,
        Self::FinalizerBacklog,
        Self::ExceptionStorm,
        Self::HotAllocations,
        Self::SlowRequests,
        Self::DelayedRequests,
        Self::ColdStart,
        Self::FailedRequests,
        Self::RepeatedCommands,
        Self::ConnectionChurn,
        Self::SlowConnecting,
        Self::CpuHotSpot,
        Self::CpuSaturation,
        Self::CompilingHeavy,
        Self::LostEvents,
        Self::NoNames,
        Self::SamplingGap,
        Self::EventSourceError,
    ];

    /// Returns the machine-readable name.
    pub fn slug(self) -> &'static str {
        match self {
            Self::LockContention => "lock-contention",
            Self::PoolStarvation => "pool-starvation",
            Self::SyncOverAsync => "sync-over-async",
            Self::LongPause => "long-pause",
            Self::PauseShare => "pause-share",
            Self::SlowSuspension => "slow-suspension",
            Self::InducedGcs => "induced-collections",
            Self::LargeObjectChurn => "large-object-churn",
            Self::FinalizerBacklog => "finalizer-backlog",
            Self::ExceptionStorm => "exception-storm",
            Self::HotAllocations => "hot-allocations",
            Self::SlowRequests => "slow-requests",
            Self::DelayedRequests => "delayed-requests",
            Self::ColdStart => "cold-start",
            Self::FailedRequests => "failed-requests",
            Self::RepeatedCommands => "repeated-commands",
            Self::ConnectionChurn => "connection-churn",
            Self::SlowConnecting => "slow-connecting",
            Self::CpuHotSpot => "cpu-hot-spot",
            Self::CpuSaturation => "cpu-saturation",
            Self::CompilingHeavy => "compiling-heavy",
            Self::LostEvents => "lost-events",
            Self::NoNames => "no-names",
            Self::SamplingGap => "sampling-gap",
            Self::EventSourceError => "event-source-error",
        }
    }

    /// Returns whether the finding concerns the recording and not the app, so other figures are doubtful.
    pub fn is_about_trace(self) -> bool {
        matches!(self, Self::LostEvents | Self::NoNames | Self::SamplingGap | Self::EventSourceError)
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
    Narrow {
        condition: String,
        /// Time range.
        span: Option<Span>,
    },
    /// Details of an event.
    Event(EventId),
    /// Stacks of thread time.
    ThreadTime(SampleChoice),
    /// Stacks of an event type.
    Stacks {
        /// Provider.
        provider: String,
        /// Event name.
        event: String,
    },
}

/// Link of a finding.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FindingLink {
    /// Text: "Show on timeline".
    pub words: String,
    /// Target.
    pub to: FindingTarget,
}

/// Problem with its cost and evidence.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Finding {
    pub kind: FindingKind,
    /// Claim with the most important number.
    pub title: String,
    /// Evidence in one sentence: where, when, how often.
    pub sentence: String,
    pub cost: f64,
    /// Unit of the cost.
    pub unit: Unit,
    /// Meaning of the cost: "thread time".
    pub cost_words: String,
    /// Time ranges, at most a few dozen, in order.
    pub times: Vec<Span>,
    /// Links to the evidence.
    pub links: Vec<FindingLink>,
    /// Fix, in one line.
    pub advice: String,
    /// Sort key: seconds of waiting time, or an equivalent.
    pub weight: f64,
}
