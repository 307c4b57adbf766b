//! The vocabulary between a session and whoever asks it: requests, answers, packed columns, failures.
//!
//! Small things travel as serde values; anything with a length that grows with the trace travels as
//! [`columns::Packed`]: one buffer that is transferred, not copied.

pub mod base;
pub mod columns;
mod encoded_request;
pub mod events;
pub mod failure;
pub mod file;
pub mod filter;
pub mod format;
pub mod memory;
mod progress;
pub mod reply;
pub mod request;
pub mod stacks;
pub mod tables;
pub mod timeline;
pub mod topics;

use crate::base::ids::TraceId;
use crate::base::indexed_part::Window;
use serde::{Deserialize, Serialize};

pub use columns::Packed;
pub use encoded_request::Question;
pub use failure::{Failure, FailureCode};
pub use reply::{Answer, Reply};
pub use request::Request;

/// Raised when a request or an answer changes its shape; page and worker of different builds refuse each other.
pub const PROTOCOL_VERSION: u32 = 14;

/// What the page sends into a worker's port: this as a serde value, in a two-element array whose second
/// element is the `File` of [`ToWorker::OpenFile`] or [`ToWorker::AddSymbols`], else null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ToWorker {
    /// Open the file that travels beside this. Answered by [`Answer::Progress`] any number of times, then
    /// by [`Answer::Summary`], [`Answer::Choice`] or a failure, all with this id.
    OpenFile {
        /// Chosen by the page.
        id: u32,
        /// The trace's identity from now on.
        trace: TraceId,
        /// Name to show.
        name: String,
        /// Which trace of an archive, by [`reply::TraceEntry::path`].
        entry: Option<String>,
    },
    /// The same for an address that the worker fetches itself (samples, `url=`).
    OpenUrl {
        /// Chosen by the page.
        id: u32,
        /// The trace's identity from now on.
        trace: TraceId,
        /// Name to show.
        name: String,
        /// Absolute address.
        url: String,
        /// Which trace of an archive, by [`reply::TraceEntry::path`].
        entry: Option<String>,
    },
    /// Read the open trace again, so that another part of it has rows: see [`reply::Summary::indexed`]. Answered like an
    /// opening. Until then nothing can be asked; afterwards the trace has the new identity.
    Reindex {
        /// Chosen by the page.
        id: u32,
        /// The trace's identity from now on.
        trace: TraceId,
        /// Which part.
        window: Window,
    },
    /// Take names or lines of code from the file that travels beside this. Answered by [`Answer::SymbolsAdded`]; what was
    /// answered before is old then.
    AddSymbols {
        /// Chosen by the page.
        id: u32,
        /// Which trace gets them.
        trace: TraceId,
        /// The file's name, which tells what it is.
        name: String,
    },
    /// A question.
    Ask(Box<RequestEnvelope>),
    /// Stop working on the request (or opening) with this id; it is answered by [`FailureCode::Cancelled`].
    Cancel {
        /// The id.
        id: u32,
    },
}

/// A request on its way to a worker.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RequestEnvelope {
    /// Chosen by the page; the answer carries it back.
    pub id: u32,
    /// Raised by the page whenever the view changes; answers to an older one are stale.
    pub generation: u32,
    /// Which trace is asked.
    pub trace: TraceId,
    /// What is asked.
    pub request: Question,
}

/// An answer on its way to the page: this as a serde value, in a two-element array whose second element is the
/// body of [`Reply`] as one transferred `ArrayBuffer`, or null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReplyEnvelope {
    /// The request's id.
    pub id: u32,
    /// The request's generation.
    pub generation: u32,
    /// The request's trace.
    pub trace: TraceId,
    /// What came of it.
    pub result: Result<Answer, Failure>,
}
