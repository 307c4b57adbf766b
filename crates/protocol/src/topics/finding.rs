//! Findings: what is wrong with a program, with evidence.

use super::report::Unit;
use super::topic::Topic;
use crate::base::ids::EventId;
use crate::base::time::Span;
use serde::{Deserialize, Serialize};

/// What was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
pub enum FindingKind {
    /// Several threads waited for one lock again and again.
    LockConvoy,
    /// Work waited for a thread of the pool.
    PoolStarvation,
    /// Threads of the pool blocked on work of the pool.
    SyncOverAsync,
    /// A collection stopped everything for long.
    LongPause,
    /// Collections stopped everything for a large part of the time.
    PauseShare,
    /// Suspending the threads took much of the pauses.
    SlowSuspension,
    /// The program asked for collections itself.
    InducedGcs,
    /// Large objects came and went.
    LargeObjectChurn,
    /// Finalizers ran for long or were many.
    FinalizerBacklog,
    /// Many exceptions in a short time.
    ExceptionStorm,
    /// One place allocated most.
    HotAllocations,
    /// Some requests took far longer than most.
    SlowRequests,
    /// Requests failed.
    FailedRequests,
    /// The same command again and again within one request.
    RepeatedCommands,
    /// A new connection for almost every request.
    ConnectionChurn,
    /// Finding and greeting the other side took long.
    SlowConnecting,
    /// Much of the time was spent compiling methods.
    CompilingHeavy,
    /// Events are missing.
    LostEvents,
    /// Names of code are missing.
    NoNames,
    /// Samples are missing for some time.
    SamplingGap,
    /// An `EventSource` reported a failure of its own.
    EventSourceError,
}

impl FindingKind {
    /// All of them.
    pub const ALL: [Self; 21] = [
        Self::LockConvoy,
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
        Self::FailedRequests,
        Self::RepeatedCommands,
        Self::ConnectionChurn,
        Self::SlowConnecting,
        Self::CompilingHeavy,
        Self::LostEvents,
        Self::NoNames,
        Self::SamplingGap,
        Self::EventSourceError,
    ];

    /// Its name for programs.
    pub fn slug(self) -> &'static str {
        match self {
            Self::LockConvoy => "lock-convoy",
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
            Self::FailedRequests => "failed-requests",
            Self::RepeatedCommands => "repeated-commands",
            Self::ConnectionChurn => "connection-churn",
            Self::SlowConnecting => "slow-connecting",
            Self::CompilingHeavy => "compiling-heavy",
            Self::LostEvents => "lost-events",
            Self::NoNames => "no-names",
            Self::SamplingGap => "sampling-gap",
            Self::EventSourceError => "event-source-error",
        }
    }

    /// Whether it is about the trace and not about the program: what it puts in doubt.
    pub fn is_about_trace(self) -> bool {
        matches!(self, Self::LostEvents | Self::NoNames | Self::SamplingGap | Self::EventSourceError)
    }
}

/// Where a link of a finding leads.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum FindingTarget {
    /// The timeline shows this time.
    Timeline(Span),
    /// The page of a topic.
    Topic(Topic),
    /// What is shown everywhere is narrowed: by a condition in the language of filters, which may be empty, and a time.
    Narrow {
        /// The condition.
        condition: String,
        /// The time.
        span: Option<Span>,
    },
    /// An event's details.
    Event(EventId),
    /// The stacks of events of a name.
    Stacks {
        /// Their provider.
        provider: String,
        /// Their name.
        event: String,
    },
}

/// A link of a finding.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct FindingLink {
    /// What people read: "Show on timeline".
    pub words: String,
    /// Where it leads.
    pub to: FindingTarget,
}

/// Something that is wrong, what it costs, and how to see it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Finding {
    /// What.
    pub kind: FindingKind,
    /// In a few words, with its most telling number.
    pub title: String,
    /// A plain sentence: where, when, how often.
    pub sentence: String,
    /// What it costs.
    pub cost: f64,
    /// What that counts.
    pub unit: Unit,
    /// What that is: "thread time".
    pub cost_words: String,
    /// When, at most a few dozen times, in order.
    pub times: Vec<Span>,
    /// Evidence.
    pub links: Vec<FindingLink>,
    /// What to do, in a line.
    pub advice: String,
    /// What findings are ordered by: seconds that somebody waited, or what is as bad.
    pub weight: f64,
}
