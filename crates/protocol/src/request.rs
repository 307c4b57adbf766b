//! What can be asked of a session.

use crate::base::ids::{EventId, FunctionId, ThreadId, TypeId};
use crate::base::indexed_part::Window;
use crate::base::time::Span;
use crate::events::columns::EventColumn;
pub use crate::events::filter::{Filter, UNKNOWN_PROCESS};
pub use crate::events::groups::{GroupColumn, GroupQuery, Measure};
pub use crate::events::label::Label;
pub use crate::events::order::{EventOrder, SortKey};
pub use crate::events::text::EventFormat;
pub use crate::file::request::{FileRequest, PieceFilter};
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

/// A question.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Request {
    /// Who is there? Answered by [`super::Answer::Hello`].
    Hello {
        /// The asker's [`super::PROTOCOL_VERSION`].
        protocol: u32,
        /// The asker's build id.
        build: String,
    },
    /// What is in the trace. → [`super::Answer::Summary`]
    Summary,
    /// What can be said of a filter's text while it is typed. → [`super::Answer::QueryHelp`]
    QueryHelp {
        /// The text so far.
        text: String,
        /// Where the cursor stands, in bytes; without it nothing is suggested.
        cursor: Option<u32>,
    },
    /// Event density over the user's interval for the minimap. → [`super::tables::Overview`]
    Overview {
        /// What to cover; the whole trace if none.
        span: Option<Span>,
        /// How many equal buckets.
        buckets: u32,
    },
    /// How many events match over a range, for marks along it. → [`super::tables::Overview`], of which only the bounds and
    /// the events have values.
    Density {
        /// Which events.
        filter: Filter,
        /// What to cover.
        span: Span,
        /// How many equal buckets.
        buckets: u32,
    },
    /// Every thread with its totals, busiest (most managed time) first. → [`super::tables::Threads`]
    Threads {
        /// Only the span of it counts.
        filter: Filter,
    },
    /// What threads did: states, stack slices, markers. → [`super::tables::Lanes`]
    Lanes {
        /// Which threads.
        threads: Vec<ThreadId>,
        /// The visible range (the asker pads it).
        span: Span,
        /// Nanoseconds a pixel, a power of two: what is shorter may be merged into density.
        resolution: i64,
        /// Deepest stack level wanted; 0 for none.
        max_depth: u16,
        /// Whether spans are wanted too.
        spans: bool,
    },
    /// How many rows the spans of each thread need. → [`super::tables::SpanRows`]
    SpanRows,
    /// What an event is connected with: the other end of what begins or ends with it, its links to other threads and
    /// requests. → [`super::Answer::Connections`]
    Connections {
        /// The event.
        event: EventId,
    },
    /// Garbage collections that touch the span. → [`super::tables::Gcs`]
    Gcs {
        /// Only the span and the processes of it count.
        filter: Filter,
    },
    /// Exceptions thrown. → [`super::tables::Exceptions`]
    Exceptions {
        /// Which events.
        filter: Filter,
        /// At most so many, earliest first; the count in the table is of all.
        limit: u32,
    },
    /// What a track shows that consists of things with a start and an end. → [`super::tables::Marks`]
    Marks {
        /// Which track.
        kind: TrackKind,
        /// Which of them, by the events that they start with.
        filter: Filter,
        /// The visible range (the asker pads it).
        span: Span,
        /// Nanoseconds a pixel, a power of two: what is shorter is merged. 0 merges nothing.
        resolution: i64,
    },
    /// Values over time: allocation rate, thread pool, counters, meters. → [`super::tables::Series`]
    Series {
        /// Which events. Threads, text and labels do not apply to what concerns a whole process; the table says where.
        filter: Filter,
    },
    /// How many events match, and a page of them. → [`super::tables::EventRows`]
    Events {
        /// Which events.
        filter: Filter,
        /// In which order.
        order: EventOrder,
        /// First row wanted, counted in matches.
        first: u64,
        /// How many rows.
        count: u32,
    },
    /// Fields of the payloads of a page of [`Request::Events`]. → [`super::tables::EventFields`]
    EventFields {
        /// Which events.
        filter: Filter,
        /// In which order.
        order: EventOrder,
        /// Names of the fields.
        fields: Vec<String>,
        /// First row wanted, counted in matches.
        first: u64,
        /// How many rows.
        count: u32,
    },
    /// Rows of the table of events as text. → [`super::tables::ExportedFile`], to be put behind what came before.
    EventText {
        /// Which events.
        filter: Filter,
        /// In which order.
        order: EventOrder,
        /// What of them, in this order.
        columns: Vec<EventColumn>,
        /// How they are written.
        format: EventFormat,
        /// Whether a line with the names of the columns comes first, where the format has one.
        with_head: bool,
        /// First row wanted, counted in matches.
        first: u64,
        /// How many rows.
        count: u32,
    },
    /// A part of the trace as a trace: the matching events, and what is needed to understand them. The file is gone through
    /// once, a few megabytes with each question. → [`super::tables::ExcerptPart`], to be put behind what came before.
    Excerpt {
        /// Which events.
        filter: Filter,
        /// 0 to begin; else what the last part says is next.
        from: u64,
    },
    /// The matching events by what they have in common. → [`super::tables::EventGroups`]
    EventGroups {
        /// Which events.
        filter: Filter,
        /// How they are grouped.
        query: GroupQuery,
        /// First group wanted.
        first: u64,
        /// How many groups.
        count: u32,
    },
    /// Names of the payload fields that events can be sorted by. → [`super::tables::FieldNames`]
    FieldNames {
        /// Which events.
        filter: Filter,
    },
    /// Where (counted in matches) an event stands. → [`super::Answer::Position`]
    EventPosition {
        /// Which events.
        filter: Filter,
        /// In which order.
        order: EventOrder,
        /// The event.
        event: EventId,
    },
    /// Everything about one event. → [`super::Answer::Event`]
    EventDetail {
        /// Which.
        event: EventId,
    },
    /// The first event of exactly a time, thread and type: how a link names an event. → [`super::Answer::Found`]
    FindEvent {
        /// Nanoseconds since the sync point.
        at: i64,
        /// Operating system's thread id; any if 0.
        os_thread: u64,
        /// Provider name; any, and any event id, if empty.
        provider: String,
        /// Event id within the provider.
        event_id: u32,
    },
    /// What stacks can be asked about, and how each can be weighed. → [`super::tables::StackSources`]
    StackSources,
    /// Boxes of a flame graph (icicle: roots on top). → [`super::tables::Flame`]
    Flame {
        /// Which samples.
        query: TreeQuery,
        /// Zoomed to the node that these frames lead to, outermost first; the root if there are none.
        path: Vec<FunctionId>,
        /// Boxes narrower than this share of the width are merged into one.
        min_share: f64,
        /// At most so many levels below that.
        max_depth: u16,
    },
    /// Children of a call-tree node, heaviest first. → [`super::tables::CallNodes`]
    Children {
        /// Which samples.
        query: TreeQuery,
        /// Whose children: the node that these frames lead to, outermost first.
        path: Vec<FunctionId>,
    },
    /// All that is below a call-node, heaviest first and nearest before what is farther away; every row whose children
    /// are not there has none, or there was no room for them. → [`super::tables::CallNodes`]
    Below {
        /// Which samples.
        query: TreeQuery,
        /// Below what: the node that these frames lead to, outermost first.
        path: Vec<FunctionId>,
        /// At most so many rows.
        most: u32,
    },
    /// Frames whose name or module contains a text, and their share. → [`super::tables::FoundFrames`]
    FindFrames {
        /// In which stacks.
        query: TreeQuery,
        /// A part of the readable or the raw name, or of the module; upper and lower case do not matter.
        text: String,
    },
    /// The path from the root that follows the heaviest child. → [`super::tables::CallNodes`]
    HotPath {
        /// Which samples.
        query: TreeQuery,
        /// How deep at most.
        max_depth: u16,
    },
    /// Functions with inclusive and exclusive weights. → [`super::tables::Functions`]
    Functions {
        /// Which samples.
        query: TreeQuery,
        /// Order.
        order: FunctionOrder,
        /// At most so many.
        limit: u32,
    },
    /// When rows of a tree were on stacks. → [`super::tables::When`]
    When {
        /// Which samples.
        query: TreeQuery,
        /// Of what: one row of the answer each.
        of: WhenOf,
    },
    /// Stacks as they are, nothing folded, as a file for another program. → [`super::tables::ExportedFile`]
    StackFile {
        /// Which samples.
        query: TreeQuery,
        /// How to write them.
        format: StackFormat,
    },
    /// Where in a function stacks are, as they are, nothing folded. → [`super::tables::CodePlaces`]
    CodePlaces {
        /// Which samples. What is done to stacks does not count.
        query: TreeQuery,
        /// Which function.
        function: FunctionId,
    },
    /// Code of stacks that has no name, by module, and why it has none. → [`super::tables::UnresolvedCode`]
    UnresolvedCode {
        /// Which samples. What is done to stacks does not count.
        query: TreeQuery,
    },
    /// What one thread did over time, its stacks as a query has them. → [`super::tables::Lanes`], without states and markers
    TimeOrder {
        /// Which samples. What stacks begin with does not count.
        query: TreeQuery,
        /// Which thread.
        thread: ThreadId,
        /// The visible range (the asker pads it).
        span: Span,
        /// Nanoseconds a pixel, a power of two: what is shorter is merged.
        resolution: i64,
        /// Deepest stack level wanted.
        max_depth: u16,
    },
    /// One function: names, modules, tiers, addresses. → [`super::Answer::Function`]
    FunctionDetail {
        /// Which.
        function: FunctionId,
    },
    /// The header, the process, diagnostics, losses. → [`super::Answer::Header`]
    Header,
    /// Every event type with counts and bytes (of the whole file). → [`super::tables::Types`]
    Types,
    /// One event type with its fields. → [`super::Answer::Type`]
    TypeDetail {
        /// Which.
        event_type: TypeId,
    },
    /// What is declared of every event type, row by row as [`Request::Types`]. → [`super::tables::Schemas`]
    Schemas,
    /// Schemas as a file. → [`super::tables::ExportedFile`]
    SchemaFile {
        /// How they are written.
        format: SchemaFormat,
        /// Only of this provider; of all if empty.
        provider: String,
    },
    /// What values the fields of an event type have. → [`super::tables::FieldValues`]
    FieldValues {
        /// Which events, of those of the type.
        filter: Filter,
        /// Which type.
        event_type: TypeId,
    },
    /// Which topics the trace tells about. → [`super::Answer::Encoded`]: a list of [`crate::topics::report::TopicPresence`]
    Topics,
    /// About topics, and what is wrong. → what [`TopicRequest`] says
    Topic {
        /// What.
        of: TopicRequest,
        /// Which events count.
        filter: Filter,
    },
    /// About the file itself. → what [`FileRequest`] says
    File(FileRequest),
    /// About how many events a part of the file has, whether they have rows or not. → [`super::Answer::WindowSize`]
    WindowSize {
        /// Which part.
        window: Window,
    },
    /// Memory held, by part. → [`super::Answer::Memory`]
    Memory,
}
