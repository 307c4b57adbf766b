//! Requests to a session.

use crate::base::ids::{EventId, FunctionId, ThreadId, TypeId};
use crate::base::indexed_part::Window;
use crate::base::time::Span;
use crate::events::columns::EventColumn;
pub use crate::events::filter::{Filter, UNKNOWN_PROCESS};
pub use crate::events::groups::{GroupColumn, GroupQuery, Measure};
pub use crate::events::label::Label;
pub use crate::events::order::{EventOrder, SortKey};
pub use crate::events::text::EventFormat;
pub use crate::file::request::{FileRequest, SectionFilter};
use crate::file::schema_tables::SchemaFormat;
use crate::stacks::format::StackFormat;
pub use crate::stacks::query::{
    Baseline, BaselineOf, EventName, FunctionOrder, SampleChoice, StackSource, TreeQuery, Weight, WhenOf,
};
pub use crate::stacks::shape::FrameName;
use crate::timeline::track::TrackKind;
pub use crate::topics::report::RowOrder;
pub use crate::topics::request::TopicRequest;
pub use crate::topics::topic::Topic;
use serde::{Deserialize, Serialize};

/// Request to a session.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Request {
    /// Checks the protocol version. → [`super::Answer::Hello`]
    Hello {
        /// [`super::PROTOCOL_VERSION`] of the page.
        protocol: u32,
        /// Build id of the page.
        build: String,
    },
    /// Summary of the trace. → [`super::Answer::Summary`]
    Summary,
    /// Errors and suggestions for a filter while the user types. → [`super::Answer::QueryHelp`]
    QueryHelp {
        /// Text of the filter.
        text: String,
        /// Cursor offset in bytes; `None` for no suggestions.
        cursor: Option<u32>,
    },
    /// Event density over the time range without rundown, for the overview strip. → [`super::tables::Overview`]
    Overview {
        /// Time range; `None` for the whole trace.
        span: Option<Span>,
        /// Number of equal buckets.
        buckets: u32,
    },
    /// Density of matching events over a time range. → [`super::tables::Overview`] with bounds and events only
    Density {
        filter: Filter,
        /// Time range.
        span: Span,
        /// Number of equal buckets.
        buckets: u32,
    },
    /// Threads with totals, most managed time first. → [`super::tables::Threads`]
    Threads {
        /// Filter, of which only the time range applies.
        filter: Filter,
    },
    /// States, stack slices and markers of threads. → [`super::tables::Lanes`]
    Lanes {
        threads: Vec<ThreadId>,
        /// Visible time range, padded by the caller.
        span: Span,
        /// Nanoseconds per pixel, a power of two. Shorter intervals may be merged.
        resolution: i64,
        /// Maximum stack depth; 0 for no stacks.
        max_depth: u16,
        /// True to include spans.
        spans: bool,
    },
    /// Number of rows for the spans of each thread. → [`super::tables::SpanRows`]
    SpanRows,
    /// Connections of an event: the other end of its span, and links to other threads and requests. →
    /// [`super::Answer::Connections`]
    Connections { event: EventId },
    /// GCs that overlap the time range. → [`super::tables::Gcs`]
    Gcs {
        /// Filter, of which only the time range and the processes apply.
        filter: Filter,
    },
    /// Exceptions. → [`super::tables::Exceptions`]
    Exceptions {
        filter: Filter,
        /// Maximum number of exceptions, earliest first. The total in the table isn't limited.
        limit: u32,
    },
    /// Intervals of a track. → [`super::tables::Intervals`]
    Intervals {
        /// Track.
        kind: TrackKind,
        /// Filter, applied to the start events.
        filter: Filter,
        /// Visible time range, padded by the caller.
        span: Span,
        /// Nanoseconds per pixel, a power of two. Shorter intervals are merged; 0 merges nothing.
        resolution: i64,
    },
    /// Values over time: allocation rate, thread pool, counters, meters. → [`super::tables::Series`]
    Series {
        /// Filter. Threads, text and labels don't apply to series of a whole process, which the table marks.
        filter: Filter,
    },
    /// Number of matching events, and a page of them. → [`super::tables::EventRows`]
    Events {
        filter: Filter,
        order: EventOrder,
        /// Index of the first row among the matching events.
        first: u64,
        /// Number of rows.
        count: u32,
    },
    /// Payload fields of a page of [`Request::Events`]. → [`super::tables::EventFields`]
    EventFields {
        filter: Filter,
        order: EventOrder,
        /// Field names.
        fields: Vec<String>,
        /// Index of the first row among the matching events.
        first: u64,
        /// Number of rows.
        count: u32,
    },
    /// Rows of the event table as text. → [`super::tables::ExportedFile`], to be appended to the previous answer
    EventText {
        filter: Filter,
        order: EventOrder,
        /// Columns, in order.
        columns: Vec<EventColumn>,
        format: EventFormat,
        /// True to write a header line, if the format has one.
        with_head: bool,
        /// Index of the first row among the matching events.
        first: u64,
        /// Number of rows.
        count: u32,
    },
    /// Excerpt of the trace: the matching events and their metadata, methods and threads. Each request processes a few
    /// megabytes of the file. → [`super::tables::ExcerptPart`], to be appended to the previous answer
    Excerpt {
        filter: Filter,
        /// 0 for the first request, then [`super::tables::ExcerptPart::next`] of the previous answer.
        from: u64,
    },
    /// Groups of matching events. → [`super::tables::EventGroups`]
    EventGroups {
        filter: Filter,
        /// Grouping.
        query: GroupQuery,
        /// Index of the first group.
        first: u64,
        /// Number of groups.
        count: u32,
    },
    /// Names of the payload fields that events can be sorted by. → [`super::tables::FieldNames`]
    FieldNames { filter: Filter },
    /// Position of an event among the matching events. → [`super::Answer::Position`]
    EventPosition { filter: Filter, order: EventOrder, event: EventId },
    /// Details of an event. → [`super::Answer::Event`]
    EventDetail { event: EventId },
    /// First event with an exact time, thread and type, as named in links. → [`super::Answer::Found`]
    FindEvent {
        /// Nanoseconds since the sync point.
        at: i64,
        /// OS thread ID; 0 for any.
        os_thread: u64,
        /// Provider name; empty for any provider and event ID.
        provider: String,
        /// Event ID within the provider.
        event_id: u32,
    },
    /// Sources of stacks, with their weights. → [`super::tables::StackSources`]
    StackSources,
    /// Frames of a flame graph (icicle: roots on top). → [`super::tables::Flame`]
    Flame {
        query: TreeQuery,
        /// Path of functions to the node that is zoomed to, outermost first; empty for the root.
        path: Vec<FunctionId>,
        /// Minimum share of the width. Narrower frames are merged.
        min_share: f64,
        /// Maximum number of levels below the node.
        max_depth: u16,
    },
    /// Children of a call-tree node, heaviest first. → [`super::tables::CallNodes`]
    Children {
        query: TreeQuery,
        /// Path of functions to the node, outermost first.
        path: Vec<FunctionId>,
    },
    /// Descendants of a call-tree node, heaviest first, nearest levels before farther ones. A row without children in
    /// the answer has none, or the limit was reached. → [`super::tables::CallNodes`]
    Below {
        query: TreeQuery,
        /// Path of functions to the node, outermost first.
        path: Vec<FunctionId>,
        /// Maximum number of rows.
        most: u32,
    },
    /// Frames with a text in their name or module, and their weight. → [`super::tables::FoundFrames`]
    FindFrames {
        query: TreeQuery,
        /// Substring of the readable name, the raw name or the module (case-insensitive).
        text: String,
    },
    /// Hot path: the path from the root along the heaviest children. → [`super::tables::CallNodes`]
    HotPath {
        query: TreeQuery,
        /// Maximum depth.
        max_depth: u16,
    },
    /// Functions with inclusive and exclusive weights. → [`super::tables::Functions`]
    Functions {
        query: TreeQuery,
        order: FunctionOrder,
        /// Maximum number of functions.
        limit: u32,
    },
    /// Weights of tree rows over time. → [`super::tables::When`]
    When {
        query: TreeQuery,
        /// Rows or functions; each is one row of the answer.
        of: WhenOf,
    },
    /// Stacks as a file for another program, without folding. → [`super::tables::ExportedFile`]
    StackFile { query: TreeQuery, format: StackFormat },
    /// Hot locations in a function, without folding. → [`super::tables::CodePlaces`]
    CodePlaces {
        /// Query, of which the shape doesn't apply.
        query: TreeQuery,
        function: FunctionId,
    },
    /// Unresolved frames by module, with reasons. → [`super::tables::UnresolvedCode`]
    UnresolvedCode {
        /// Query, of which the shape doesn't apply.
        query: TreeQuery,
    },
    /// Stacks of a thread over time. → [`super::tables::Lanes`], without states and markers
    TimeOrder {
        /// Query, of which the roots don't apply.
        query: TreeQuery,
        thread: ThreadId,
        /// Visible time range, padded by the caller.
        span: Span,
        /// Nanoseconds per pixel, a power of two. Shorter slices are merged.
        resolution: i64,
        /// Maximum stack depth.
        max_depth: u16,
    },
    /// Details of a function: names, modules, tiers, addresses. → [`super::Answer::Function`]
    FunctionDetail { function: FunctionId },
    /// Header, processes, diagnostics and losses. → [`super::Answer::Header`]
    Header,
    /// Event types with counts and bytes in the whole file. → [`super::tables::Types`]
    Types,
    /// Details of an event type with its fields. → [`super::Answer::Type`]
    TypeDetail { event_type: TypeId },
    /// Schemas of all event types, in the rows of [`Request::Types`]. → [`super::tables::Schemas`]
    Schemas,
    /// Schemas as a file. → [`super::tables::ExportedFile`]
    SchemaFile {
        format: SchemaFormat,
        /// Provider; empty for all.
        provider: String,
    },
    /// Values of the fields of an event type. → [`super::tables::FieldValues`]
    FieldValues {
        /// Filter of the events of the type.
        filter: Filter,
        event_type: TypeId,
    },
    /// Analyses with data in the trace. → [`super::Answer::Encoded`]: a list of
    /// [`crate::topics::report::TopicPresence`]
    Topics,
    /// Request about analyses and findings. → see [`TopicRequest`]
    Topic { of: TopicRequest, filter: Filter },
    /// Request about the file. → see [`FileRequest`]
    File(FileRequest),
    /// Approximate number of events in a part of the file, indexed or not. → [`super::Answer::WindowSize`]
    WindowSize {
        /// Part of the file.
        window: Window,
    },
    /// Memory use by part. → [`super::Answer::Memory`]
    Memory,
}
