//! Which events a question is about.

use super::label::Label;
use super::stack_shape::FrameName;
use crate::model::ids::{ThreadId, TypeId};
use crate::model::time::Span;
use serde::{Deserialize, Serialize};

/// In a list of processes: none that is known. Lost events may be of a thread of which nothing else is in the trace.
pub const UNKNOWN_PROCESS: u32 = 0;

/// Which events a question is about. Every panel sends the same filter, so that counts agree.
///
/// An empty list means "all". The parts are joined by AND.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub struct Filter {
    /// Only events inside this range.
    pub span: Option<Span>,
    /// Only events of these processes, by the operating system's id.
    pub processes: Vec<u32>,
    /// Only events of these threads (of a sample: the sampled thread).
    pub threads: Vec<ThreadId>,
    /// Only events of these providers, by exact name.
    pub providers: Vec<String>,
    /// Only events of these types.
    pub types: Vec<TypeId>,
    /// Only events that this wants, in the language of filters ([`super::query`]). Empty: no condition.
    pub query: String,
    /// Only events that carry these labels. Of labels with one name any will do, of each name one is needed.
    pub labels: Vec<Label>,
    /// Only events on whose stack all these functions are.
    pub frames: Vec<FrameName>,
    /// Only events of at most this level: 1 critical … 5 verbose. Level 0, "always", is at most any.
    pub level: Option<u8>,
}
