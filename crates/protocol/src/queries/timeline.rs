//! Queries of the timeline.

use crate::base::ids::{EventId, ThreadId};
use crate::base::time::Span;
use crate::request::Filter;
use crate::timeline::track::TrackKind;
use serde::{Deserialize, Serialize};

/// Event density over the time range without rundown, for the overview strip.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Overview {
    /// Time range; `None` for the whole trace.
    pub span: Option<Span>,
    /// Number of equal buckets.
    pub buckets: u32,
}

/// Density of matching events over a time range.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Density {
    pub filter: Filter,
    /// Time range.
    pub span: Span,
    /// Number of equal buckets.
    pub buckets: u32,
}

/// Parts of tracks that match a filter, so that the rest can be dimmed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TrackMatches {
    pub filter: Filter,
    pub threads: Vec<ThreadId>,
    /// Tracks of intervals, GCs and exceptions by OS process ID; 0 if the trace has one process.
    pub tracks: Vec<(u32, TrackKind)>,
    /// Time range.
    pub span: Span,
    /// Number of equal buckets.
    pub buckets: u32,
}

/// Threads with totals, most managed time first.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Threads {
    /// Filter. Only its time range applies.
    pub filter: Filter,
}

/// States, stack slices and markers of threads.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Lanes {
    pub threads: Vec<ThreadId>,
    /// Visible time range, padded by the caller.
    pub span: Span,
    /// Nanoseconds per pixel, a power of two. Shorter intervals may be merged.
    pub resolution: i64,
    /// Maximum stack depth; 0 for no stacks.
    pub max_depth: u16,
    /// True to include spans.
    pub spans: bool,
}

/// Number of rows for the spans of each thread.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct SpanRows;

/// Requests with IDs of the W3C trace context.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct TracedRequests;

/// GCs that overlap the time range.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Gcs {
    /// Filter. Only its time range and processes apply.
    pub filter: Filter,
}

/// What triggered the GC that starts with an event; `None` if unknown.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GcTrigger {
    pub event: EventId,
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Exceptions {
    pub filter: Filter,
    /// Maximum number of exceptions, earliest first. The total in the table isn't limited.
    pub limit: u32,
}

/// Intervals of a track.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Intervals {
    pub kind: TrackKind,
    /// Filter, applied to the start events.
    pub filter: Filter,
    /// Visible time range, padded by the caller.
    pub span: Span,
    /// Nanoseconds per pixel, a power of two. Shorter intervals are merged; 0 merges nothing.
    pub resolution: i64,
}

/// Values over time: allocation rate, thread pool, counters, meters.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Series {
    /// Filter. Series of a whole process ignore threads, text and labels; the table marks them.
    pub filter: Filter,
}
