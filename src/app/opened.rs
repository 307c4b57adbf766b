//! Open trace and current screen.

use protocol::Failure;
use protocol::reply::TraceEntry;
use std::sync::Arc;
use view::url::trace::TraceLink;

/// Current screen.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Screen {
    /// Start page.
    #[default]
    Landing,
    Loading,
    /// Selection of a trace in an archive.
    Choice(Arc<Vec<TraceEntry>>),
    /// Screen of an open trace.
    Workspace,
    /// Failure to open a trace, or a crashed worker.
    Failed(Failure),
}

/// Trace that is open or being opened.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Opened {
    /// Display name.
    pub name: String,
    /// Size in bytes, if known before reading.
    pub bytes: Option<u64>,
    pub link: TraceLink,
}
