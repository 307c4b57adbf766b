//! What a session answers.

use super::columns::{ColumnMeta, Packed};
use super::failure::Failure;
use super::memory::MemoryUse;
pub use super::progress::{Progress, TraceEntry};
use super::request::Label;
use crate::base::ids::{EventId, FunctionId, StackId, ThreadId, TypeId};
use crate::base::indexed_part::Indexed;
use crate::base::time::Span;
use crate::events::connections::Connections;
use crate::events::query_help::QueryHelp;
pub use crate::file::detail::{
    BlockKindCount, Conclusion, FactGroup, HeaderDetail, Loss, ProcessLine, Recording, RequestedProvider, ThreadLoss,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// An answer and, for tables, its body.
#[derive(Clone, PartialEq, Debug)]
pub struct Reply {
    /// The small part.
    pub answer: Answer,
    /// The body of [`Answer::Table`]; empty otherwise.
    pub body: Vec<u8>,
}

impl Reply {
    /// A reply without a body.
    pub fn small(answer: Answer) -> Self {
        Self { answer, body: Vec::new() }
    }

    /// A reply that carries a table.
    pub fn table(packed: Packed) -> Self {
        Self { answer: Answer::Table { directory: packed.directory }, body: packed.body }
    }

    /// A reply that tells something with parts of its own. It is written here and not where replies are sent, which everybody
    /// fetches ahead of need.
    pub fn encoded(what: &impl Serialize) -> Self {
        // Nothing of it can fail to be written: lists have lengths, and there is memory for another copy of little.
        Self { answer: Answer::Encoded, body: postcard::to_allocvec(what).unwrap_or_default() }
    }

    /// What a reply tells.
    ///
    /// # Errors
    /// If it tells something else.
    pub fn decoded<T: DeserializeOwned>(self) -> Result<T, Failure> {
        match self.answer {
            Answer::Encoded => postcard::from_bytes(&self.body).map_err(|_| Failure::other_answer()),
            _ => Err(Failure::other_answer()),
        }
    }

    /// The table of a reply, if it carries one.
    pub fn into_packed(self) -> Option<Packed> {
        match self.answer {
            Answer::Table { directory } => Some(Packed { directory, body: self.body }),
            _ => None,
        }
    }
}

/// The small part of an answer.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// To [`super::Request::Hello`].
    Hello {
        /// The worker's [`super::PROTOCOL_VERSION`].
        protocol: u32,
        /// The worker's build id.
        build: String,
    },
    /// Loading goes on: bytes so far. The body, if any, is a [`super::tables::Overview`] of what was read.
    Progress(Progress),
    /// Loading goes on; questions about what was read so far are answered from now on, as if that were all.
    Preview(Box<Summary>),
    /// The file is an archive of several traces: one has to be named when it is opened again.
    Choice(Vec<TraceEntry>),
    /// Names or lines of code were taken from a file: what it brought, in a sentence.
    SymbolsAdded(String),
    /// A trace is open, or a summary was asked for.
    Summary(Box<Summary>),
    /// To [`super::Request::QueryHelp`].
    QueryHelp(Box<QueryHelp>),
    /// A packed table; the request says which.
    Table {
        /// Where its columns lie in the body.
        directory: Vec<ColumnMeta>,
    },
    /// To [`super::Request::EventPosition`]: rank among the matches, none if it does not match.
    Position {
        /// Rank.
        position: Option<u64>,
    },
    /// To [`super::Request::FindEvent`].
    Found {
        /// The event, if there is one.
        event: Option<EventId>,
    },
    /// To [`super::Request::EventDetail`].
    Event(Box<EventDetail>),
    /// To [`super::Request::Connections`].
    Connections(Box<Connections>),
    /// To [`super::Request::FunctionDetail`].
    Function(Box<FunctionDetail>),
    /// To [`super::Request::Header`].
    Header(Box<HeaderDetail>),
    /// To [`super::Request::TypeDetail`].
    Type(Box<TypeDetail>),
    /// To [`super::Request::WindowSize`].
    WindowSize {
        /// Events, about.
        events: u64,
    },
    /// To [`super::Request::Topics`] and some of [`super::Request::Topic`]: the body has it, see [`Reply::decoded`].
    Encoded,
    /// To [`super::Request::Memory`].
    Memory(MemoryUse),
}

/// What is in a trace: the page's first screen.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Summary {
    /// File name.
    pub file_name: String,
    /// File size in bytes, when unpacked.
    pub file_bytes: u64,
    /// What is around the trace: "gzip", "ZIP file a.nettrace"; empty for a plain file.
    pub packing: String,
    /// "nettrace 4 (+V5 metadata)" and the like.
    pub format: String,
    /// The same for people who do not know the formats: "the format since .NET Core 3.0".
    pub format_words: String,
    /// Process name, from the command line or the file; empty if unknown.
    pub process_name: String,
    /// Operating system's process id.
    pub os_process: u32,
    /// How many processes there are events of; those of a whole machine are many.
    pub processes: u32,
    /// ".NET 10.0.12" and the like; empty if unknown.
    pub runtime: String,
    /// "Linux x64" and the like; empty if unknown.
    pub operating_system: String,
    /// Logical processors of the machine.
    pub processors: u32,
    /// Command line; empty if unknown.
    pub command_line: String,
    /// UTC of time 0 as milliseconds since 1970.
    pub start_unix_ms: f64,
    /// First to last event.
    pub full_span: Span,
    /// The user's interval: without the rundown at the end. The default range.
    pub user_span: Span,
    /// Events in the file.
    pub events: u64,
    /// What there are rows of, if that is not the whole file: every answer about single events, stacks and ranges covers
    /// only this.
    pub indexed: Option<Indexed>,
    /// Of these, inside the rundown.
    pub rundown_events: u64,
    /// Events that the file shows to be lost; none if the format cannot tell.
    pub lost: Option<u64>,
    /// Whether events belong to activities or have labels.
    pub has_labels: bool,
    /// Samples of thread stacks.
    pub samples: u64,
    /// Whether samples are of processors, not of threads whether they run or not.
    pub samples_processors: bool,
    /// Whether there are events of the .NET runtime at all: without them nothing is known of collections and exceptions.
    pub has_runtime_events: bool,
    /// Events with a stack.
    pub stacks: u64,
    /// Threads with at least one event.
    pub threads: u32,
    /// Collections started.
    pub gcs: u32,
    /// Exceptions thrown.
    pub exceptions: u64,
    /// Methods with a known address range.
    pub methods: u64,
    /// Providers with their event counts and payload bytes, most events first.
    pub providers: Vec<ProviderCount>,
    /// Problems found while reading.
    pub diagnostics: Vec<Diagnostic>,
    /// Problems in all; `diagnostics` is cut.
    pub diagnostic_count: u64,
    /// Milliseconds that loading took.
    pub load_ms: f64,
    /// Whether the rest of the file is still being read: everything here is about what was read before.
    pub is_partial: bool,
    /// Bytes held.
    pub memory_bytes: u64,
}

impl Summary {
    /// What there is to see of the trace: its time without the rundown, as far as it has rows.
    pub fn seen_span(&self) -> Span {
        let part = self.indexed.as_ref().and_then(|indexed| indexed.span.intersect(self.user_span));
        part.unwrap_or(self.user_span)
    }
}

/// A provider's share.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ProviderCount {
    /// Name.
    pub name: String,
    /// Events.
    pub events: u64,
    /// Payload bytes.
    pub payload_bytes: u64,
}

/// A problem found while reading.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Absolute byte position.
    pub offset: u64,
    /// One sentence: what, and what it means for what is shown.
    pub message: String,
    /// How often the same occurred.
    pub count: u64,
}

/// A named value for people, with the raw value beside where they differ.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct NamedValue {
    /// What it is.
    pub name: String,
    /// For people.
    pub value: String,
    /// As the file has it; empty if the same.
    pub raw: String,
    /// What it means; may be empty.
    pub meaning: String,
    /// The label that narrows to events with the same value, if it is one.
    pub label: Option<Label>,
}

/// One decoded payload field.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct FieldValue {
    /// Nesting level, 0 at the top.
    pub depth: u32,
    /// Name.
    pub name: String,
    /// C#-like type.
    pub type_name: String,
    /// For people.
    pub value: String,
    /// As the file has it; empty if the same.
    pub raw: String,
    /// Why it could not be decoded; empty if it could.
    pub error: String,
}

/// One frame of a stack.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct FrameLine {
    /// Function identity.
    pub function: u32,
    /// Readable name, or module and address.
    pub name: String,
    /// Name as the runtime gives it.
    pub raw_name: String,
    /// Module.
    pub module: String,
    /// "Tier 1" and the like; empty if unknown.
    pub tier: String,
    /// Code address.
    pub address: u64,
    /// Offset in the IL of its method, where the trace tells.
    pub il_offset: Option<u32>,
    /// Source line, as `path:line`; empty if no file tells.
    pub source: String,
    /// 2: framework code; bits.
    pub flags: u8,
}

/// Everything about one event.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct EventDetail {
    /// Which.
    pub event: EventId,
    /// When.
    pub time: i64,
    /// Its message, filled with its values; empty if its provider wrote none.
    pub message: String,
    /// What its provider says about events like it; may be empty.
    pub description: String,
    /// The number of its thread, as in [`super::tables::Threads`].
    pub thread_number: String,
    /// Thread.
    pub thread: ThreadId,
    /// Thread's label.
    pub thread_label: String,
    /// Operating system's thread id.
    pub os_thread: u64,
    /// Type.
    pub event_type: TypeId,
    /// Provider.
    pub provider: String,
    /// Event name.
    pub name: String,
    /// Event id.
    pub event_id: u32,
    /// Version.
    pub version: u32,
    /// Header fields: level, keywords, opcode, activity, capture thread, sequence, position …
    pub header: Vec<NamedValue>,
    /// Decoded payload.
    pub fields: Vec<FieldValue>,
    /// Where the schema came from: "the file", "the built-in manifest", "none".
    pub schema_source: String,
    /// Payload length.
    pub payload_bytes: u32,
    /// Absolute position of the payload.
    pub payload_offset: u64,
    /// The first 4096 bytes of the payload.
    pub bytes: Vec<u8>,
    /// Stack identity.
    pub stack: StackId,
    /// Frames, leaf first.
    pub frames: Vec<FrameLine>,
}

impl EventDetail {
    /// A byte of the file that belongs to it: the first of its payload, or if it has none the last of its header.
    pub fn byte(&self) -> u64 {
        self.payload_offset.saturating_sub(u64::from(self.payload_bytes == 0))
    }
}

/// One function.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct FunctionDetail {
    /// Which.
    pub function: FunctionId,
    /// Readable name.
    pub name: String,
    /// Name as the runtime gives it.
    pub raw_name: String,
    /// Module.
    pub module: String,
    /// Module's path.
    pub module_path: String,
    /// Tiers seen.
    pub tiers: Vec<String>,
    /// Code ranges: address, bytes.
    pub ranges: Vec<(u64, u64)>,
    /// Where it stands in its source, as `path:line`, if a file told.
    pub source: String,
    /// Why it is an address without a name, and what to do about that; empty if it has one.
    pub unresolved: String,
}

/// One event type.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TypeDetail {
    /// Which.
    pub event_type: TypeId,
    /// Provider.
    pub provider: String,
    /// Name.
    pub name: String,
    /// Facts: id, version, level, keywords by name, opcode, metadata id …
    pub facts: Vec<NamedValue>,
    /// Fields as declared (`value` is empty).
    pub fields: Vec<FieldValue>,
    /// Where the schema came from.
    pub schema_source: String,
}
