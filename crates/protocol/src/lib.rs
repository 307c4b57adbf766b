//! Protocol between the page, the command-line tool and a session: queries, answers, packed tables, failures.
//!
//! Small values are sent as serde values. Values that grow with the trace are sent as [`columns::Packed`], one buffer
//! that is transferred without a copy.

pub mod base;
mod bytes;
pub mod columns;
pub mod compare;
mod encoded_request;
pub mod events;
pub mod export;
pub mod failure;
pub mod file;
pub mod file_names;
pub mod filter;
pub mod format;
pub mod markdown;
pub mod memory;
pub mod names;
mod progress;
pub mod queries;
pub mod redaction;
pub mod reply;
pub mod request;
pub mod stacks;
pub mod table;
pub mod tables;
pub mod timeline;
pub mod topics;

use crate::base::ids::TraceId;
use crate::base::indexed_part::Window;
use serde::{Deserialize, Serialize};

pub use columns::Packed;
pub use encoded_request::EncodedRequest;
pub use failure::{Failure, FailureCode};
pub use queries::{Query, Request};
pub use reply::{Answer, Reply};

/// Version of the protocol, incremented with every change to a request or answer. Page and worker reject each other if
/// their versions differ.
pub const PROTOCOL_VERSION: u32 = 19;

/// Message from the page to a worker's port: a serde value in a two-element array, whose second element is the `File`
/// of [`ToWorker::OpenFile`] or [`ToWorker::AddSymbols`], else null. A `FileSystemFileHandle` instead of the `File` means
/// that the trace may still be recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToWorker {
    /// Opens the file that is sent with the message. The answers are any number of [`Answer::Progress`], then
    /// [`Answer::Summary`], [`Answer::Choice`] or a failure, all with this ID.
    OpenFile {
        /// Request ID, chosen by the page.
        id: u32,
        trace: TraceId,
        /// Display name.
        name: String,
        /// Path of a trace in an archive, see [`reply::TraceEntry::path`].
        entry: Option<String>,
    },
    /// Opens a URL that the worker downloads (samples, `url=`). The answers are those of [`ToWorker::OpenFile`].
    OpenUrl {
        /// Request ID, chosen by the page.
        id: u32,
        trace: TraceId,
        /// Display name.
        name: String,
        /// Absolute URL.
        url: String,
        /// Path of a trace in an archive, see [`reply::TraceEntry::path`].
        entry: Option<String>,
        /// True if the file may still be recorded. Its host must support ranges.
        #[serde(default)]
        follow: bool,
    },
    /// Changes how the trace that is being recorded is followed.
    Follow(Following),
    /// Reads the open trace again to index another part; see [`reply::Summary::indexed`]. The answers are those of
    /// [`ToWorker::OpenFile`]. Requests fail in the meantime. Afterwards, the trace has the new ID.
    Reindex {
        /// Request ID, chosen by the page.
        id: u32,
        trace: TraceId,
        /// Part to index.
        window: Window,
    },
    /// Adds symbols or source lines from the file that is sent with the message. The answer is
    /// [`Answer::SymbolsAdded`], which makes earlier answers stale.
    AddSymbols {
        /// Request ID, chosen by the page.
        id: u32,
        /// Trace that gets the symbols.
        trace: TraceId,
        /// File name, which determines the kind of file.
        name: String,
    },
    Ask(Box<RequestEnvelope>),
    /// Cancels a query or an opening, which then fails with [`FailureCode::Cancelled`].
    Cancel {
        /// ID of the query or opening.
        id: u32,
    },
}

/// State of following a trace that is being recorded.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Following {
    #[default]
    Shown,
    /// New data is read, but not shown.
    Paused,
    /// The recorded part is opened as it is.
    Stopped,
}

/// Request to a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequestEnvelope {
    /// Request ID, chosen by the page and returned with the answer.
    pub id: u32,
    /// Number of the page's view, incremented with every change. Answers for an older view are stale.
    pub generation: u32,
    pub trace: TraceId,
    pub request: EncodedRequest,
}

/// Answer to the page: a serde value in a two-element array, whose second element is the body of [`Reply`] as one
/// transferred `ArrayBuffer`, or null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplyEnvelope {
    /// ID of the request.
    pub id: u32,
    /// Generation of the request.
    pub generation: u32,
    /// Trace of the request.
    pub trace: TraceId,
    pub result: Result<Answer, Failure>,
}
