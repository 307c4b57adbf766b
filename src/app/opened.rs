//! Open trace and current screen.

use protocol::Failure;
use protocol::reply::TraceEntry;
use std::sync::Arc;
use view::url::file::{FileLink, Fingerprint};
use view::url::trace::{SourceLink, TraceLink};

/// Current screen.
#[derive(Clone, PartialEq, Debug, Default)]
pub enum Screen {
    /// Start page.
    #[default]
    Landing,
    /// Loading screen.
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
    /// Fingerprint of a local file, after it has been computed.
    pub print: Option<Fingerprint>,
    /// Name of a bundled trace.
    pub sample: Option<String>,
    /// URL of a downloaded trace.
    pub url: Option<String>,
    /// Path of the trace in an archive.
    pub entry: Option<String>,
}

impl Opened {
    /// Returns the trace as in URLs.
    pub fn link(&self) -> TraceLink {
        let file = || FileLink { name: self.name.clone(), print: self.print };
        let source = match (&self.sample, &self.url) {
            (Some(sample), _) => Some(SourceLink::Sample(sample.clone())),
            (None, Some(url)) => Some(SourceLink::Url(url.clone())),
            (None, None) => (!self.name.is_empty()).then(|| SourceLink::File(file())),
        };
        TraceLink { source, entry: self.entry.clone() }
    }
}
