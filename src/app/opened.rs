//! What is open, and which screen shows it.

use protocol::Failure;
use protocol::reply::TraceEntry;
use std::sync::Arc;
use view::url::file::Fingerprint;

/// What the window shows.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Screen {
    /// Where a trace is chosen.
    #[default]
    Landing,
    /// A trace is being read.
    Loading,
    /// The file holds several traces: one is to be chosen.
    Choice(Arc<Vec<TraceEntry>>),
    /// A trace is open.
    Workspace,
    /// A trace could not be opened, or its reader stopped.
    Failed(Failure),
}

/// What is open or being opened.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Opened {
    /// Name to show.
    pub name: String,
    /// Size in bytes, where it is known before reading.
    pub bytes: Option<u64>,
    /// The fingerprint, if it is a file of the user's, once that is known.
    pub print: Option<Fingerprint>,
    /// The sample's name, if it is one of ours.
    pub sample: Option<String>,
    /// The address, if it was fetched from elsewhere.
    pub url: Option<String>,
    /// Which trace of an archive, by its path in there.
    pub entry: Option<String>,
}
