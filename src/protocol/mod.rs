//! The vocabulary between a session and whoever asks it: requests, answers, packed columns, failures.
//!
//! Small things travel as serde values; anything with a length that grows with the trace travels as
//! [`columns::Packed`]: one buffer that is transferred, not copied.

pub mod columns;
pub mod failure;
pub mod reply;
pub mod request;
pub mod tables;

use crate::model::ids::TraceId;
use serde::{Deserialize, Serialize};

pub use columns::Packed;
pub use failure::{Failure, FailureCode};
pub use reply::{Answer, Reply};
pub use request::Request;

/// Raised when a request or an answer changes its shape; page and worker of different builds refuse each other.
pub const PROTOCOL_VERSION: u32 = 1;

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
    pub request: Request,
}

/// An answer on its way to the page. The body of [`Reply`] travels beside it as one transferred buffer.
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
