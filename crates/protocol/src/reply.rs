//! Answers of a session.

use super::columns::{ColumnMeta, Packed};
use super::failure::Failure;
pub use super::memory::MemoryUse;
pub use super::progress::{Progress, TraceEntry};
use super::request::Label;
use crate::base::ids::{EventId, FunctionId, StackId, ThreadId, TypeId};
use crate::base::indexed_part::Indexed;
use crate::base::time::Span;
pub use crate::events::connections::Connections;
pub use crate::events::query_help::QueryHelp;
pub use crate::events::span_times::SpanTimes;
pub use crate::file::detail::{
    BlockKindCount, Conclusion, FactGroup, HeaderDetail, Loss, ProcessLine, Recording, RequestedProvider, ThreadLoss,
};
pub use crate::names::FoundName;
pub use crate::topics::finding::Finding;
pub use crate::topics::report::{GcTrigger, ItemCounts, ReportHead, TopicCount, TopicPresence, TrackCount};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// Answer with the body of its table.
#[derive(Clone, PartialEq, Debug)]
pub struct Reply {
    pub answer: Answer,
    /// Body of [`Answer::Table`] or [`Answer::Encoded`]; empty otherwise.
    pub body: Vec<u8>,
}

impl Reply {
    /// Creates a reply without a body.
    pub fn small(answer: Answer) -> Self {
        Self { answer, body: Vec::new() }
    }

    /// Creates a reply with a table.
    pub fn table(packed: Packed) -> Self {
        Self { answer: Answer::Table { directory: packed.directory }, body: packed.body }
    }

    /// Creates a reply with an encoded value. It is encoded here because the code that sends replies is downloaded in
    /// advance.
    pub fn encoded(what: &impl Serialize) -> Self {
        // Encoding can't fail, because all lists have lengths and the values are small.
        Self { answer: Answer::Encoded, body: postcard::to_allocvec(what).unwrap_or_default() }
    }

    /// Decodes the value of [`Reply::encoded`].
    ///
    /// # Errors
    /// Fails if the reply contains something else.
    pub fn decoded<T: DeserializeOwned>(self) -> Result<T, Failure> {
        match self.answer {
            Answer::Encoded => postcard::from_bytes(&self.body).map_err(|_| Failure::other_answer()),
            _ => Err(Failure::other_answer()),
        }
    }

    /// Returns the table.
    ///
    /// # Errors
    /// Fails if the reply contains something else.
    pub fn packed(self) -> Result<Packed, Failure> {
        match self.answer {
            Answer::Table { directory } => Ok(Packed { directory, body: self.body }),
            _ => Err(Failure::other_answer()),
        }
    }
}

/// Answer without the body of its table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum Answer {
    /// Answer to [`crate::Request::Hello`].
    Hello {
        /// [`super::PROTOCOL_VERSION`] of the worker.
        protocol: u32,
        /// Build ID of the worker.
        build: String,
    },
    /// Progress of loading. The body, if any, is a [`super::tables::Overview`] of the part that has been read.
    Progress(Progress),
    /// Preview while loading. Further requests are answered for the part that has been read.
    Preview(Box<Summary>),
    /// Preview of a trace that is being recorded, like [`Answer::Preview`].
    Recording(Box<Summary>),
    /// Traces in an archive. Open the archive again with the path of one of them.
    Choice(Vec<TraceEntry>),
    /// Symbols were added; one sentence for the user.
    SymbolsAdded(String),
    /// A trace is open.
    Summary(Box<Summary>),
    /// Packed table in the body; the query determines its type.
    Table {
        /// Columns in the body.
        directory: Vec<ColumnMeta>,
    },
    /// Encoded value in the body; the query determines its type. See [`Reply::decoded`].
    Encoded,
}

/// Summary of a trace.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Summary {
    pub file_name: String,
    /// Decompressed file size in bytes.
    pub file_bytes: u64,
    /// Compression or archive: "gzip", "ZIP file a.nettrace"; empty for a plain file.
    pub packing: String,
    /// Format: "nettrace 4 (+V5 metadata)".
    pub format: String,
    pub format_words: String,
    /// Process name, from the command line or the file; empty if unknown.
    pub process_name: String,
    /// OS process ID.
    pub os_process: u32,
    /// Number of processes with events.
    pub processes: u32,
    /// Filter condition that excludes the programs that recorded a machine-wide trace; empty without them.
    pub without_recorders: String,
    /// Runtime version: ".NET 10.0.12"; empty if unknown.
    pub runtime: String,
    /// Operating system: "Linux x64"; empty if unknown.
    pub operating_system: String,
    /// Logical CPUs of the machine.
    pub processors: u32,
    /// Command line; empty if unknown.
    pub command_line: String,
    /// Wall-clock time of trace time 0, in milliseconds since 1970 (UTC).
    pub start_unix_ms: f64,
    /// Time from the first to the last event.
    pub full_span: Span,
    /// Time range of the trace without the rundown: the default range.
    pub user_span: Span,
    /// Number of events in the file.
    pub events: u64,
    /// Indexed part; `None` if the trace is fully indexed. Answers about events, stacks and time ranges cover only this
    /// part.
    pub indexed: Option<Indexed>,
    pub rundown_events: u64,
    /// Number of lost events; `None` if the format doesn't record them.
    pub lost: Option<u64>,
    /// True if any event has an activity or label.
    pub has_labels: bool,
    /// Number of samples of thread stacks.
    pub samples: u64,
    /// True for CPU samples, false for wall-clock samples.
    pub samples_processors: bool,
    /// Number of events with a stack.
    pub stacks: u64,
    /// Number of threads with events.
    pub threads: u32,
    pub gcs: u32,
    pub exceptions: u64,
    /// Number of methods with a known address range.
    pub methods: u64,
    /// Providers, most events first.
    pub providers: Vec<ProviderCount>,
    /// Parse issues.
    pub diagnostics: Vec<Diagnostic>,
    /// Number of all parse issues; `diagnostics` is limited.
    pub diagnostic_count: u64,
    /// True if the only issue is a transfer in text mode, whose damage was restored.
    pub is_restored: bool,
    /// Load time in milliseconds.
    pub load_ms: f64,
    /// True if the file is still being read, so that the summary covers only the part already read.
    pub is_partial: bool,
    /// Memory use in bytes.
    pub memory_bytes: u64,
}

impl Summary {
    /// Returns the visible time range: the indexed part without the rundown.
    pub fn seen_span(&self) -> Span {
        let part = self.indexed.as_ref().and_then(|indexed| indexed.span.intersect(self.user_span));
        part.unwrap_or(self.user_span)
    }
}

/// Events and bytes of a provider.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ProviderCount {
    pub name: String,
    pub events: u64,
    pub payload_bytes: u64,
}

/// Parse issue.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Diagnostic {
    /// Absolute offset.
    pub offset: u64,
    /// One sentence about the problem and its effect.
    pub message: String,
    /// Number of occurrences.
    pub count: u64,
}

/// Named value for display, with its raw value.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct NamedValue {
    pub name: String,
    /// Displayed value.
    pub value: String,
    /// Value in the file; empty if it equals the displayed value.
    pub raw: String,
    /// Meaning; may be empty.
    pub meaning: String,
    /// Label to filter to events with the same value, if there is one.
    pub label: Option<Label>,
}

/// Decoded payload field.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct FieldValue {
    /// Nesting level, 0 at the top.
    pub depth: u32,
    pub name: String,
    /// Type in C# syntax.
    pub type_name: String,
    /// Displayed value.
    pub value: String,
    /// Value in the file; empty if it equals the displayed value.
    pub raw: String,
    /// Decoding error; empty if there is none.
    pub error: String,
}

/// Frame of a stack.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct FrameLine {
    /// [`FunctionId`] as a number.
    pub function: u32,
    /// Readable name, or module and address.
    pub name: String,
    /// Name in the runtime's notation.
    pub raw_name: String,
    pub module: String,
    /// JIT tier: "Tier 1"; empty if unknown.
    pub tier: String,
    /// Code address.
    pub address: u64,
    /// IL offset in the method, if known.
    pub il_offset: Option<u32>,
    /// Source line as `path:line`; empty if unknown.
    pub source: String,
    /// Bits of [`crate::tables::frame_flag`].
    pub flags: u8,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct EventDetail {
    pub event: EventId,
    /// Nanoseconds.
    pub time: i64,
    /// Formatted message; empty if the provider declares none.
    pub message: String,
    /// Description by the provider; may be empty.
    pub description: String,
    /// Thread number; see [`super::tables::Threads`].
    pub thread_number: String,
    pub thread: ThreadId,
    pub thread_label: String,
    /// OS thread ID.
    pub os_thread: u64,
    pub event_type: TypeId,
    pub provider: String,
    pub name: String,
    pub event_id: u32,
    pub version: u32,
    /// Header fields: level, keywords, opcode, activity, capture thread, sequence number, offset, …
    pub header: Vec<NamedValue>,
    pub fields: Vec<FieldValue>,
    /// Source of the schema: "the file", "the built-in manifest", "none".
    pub schema_source: String,
    /// Length of the payload.
    pub payload_bytes: u32,
    /// Absolute offset of the payload.
    pub payload_offset: u64,
    /// First 4,096 bytes of the payload.
    pub bytes: Vec<u8>,
    pub stack: StackId,
    /// Frames, leaf first.
    pub frames: Vec<FrameLine>,
}

impl EventDetail {
    /// Returns the offset of the first payload byte, or of the last header byte if the payload is empty.
    pub fn byte(&self) -> u64 {
        self.payload_offset.saturating_sub(u64::from(self.payload_bytes == 0))
    }
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct FunctionDetail {
    pub function: FunctionId,
    /// Readable name.
    pub name: String,
    /// Name in the runtime's notation.
    pub raw_name: String,
    pub module: String,
    pub module_path: String,
    /// JIT tiers in the trace.
    pub tiers: Vec<String>,
    /// Code ranges: address and bytes.
    pub ranges: Vec<(u64, u64)>,
    /// Source location as `path:line`; empty if unknown.
    pub source: String,
    /// Reason why the function is unresolved, and a remedy; empty if it is resolved.
    pub unresolved: String,
}

/// Details of an event type.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TypeDetail {
    pub event_type: TypeId,
    pub provider: String,
    pub name: String,
    /// Facts: ID, version, level, keywords by name, opcode, metadata ID, …
    pub facts: Vec<NamedValue>,
    /// Declared fields (`value` is empty).
    pub fields: Vec<FieldValue>,
    pub schema_source: String,
}
