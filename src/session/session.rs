//! The session: a store, its bytes, and what was computed from them.

use super::pages::PagedSource;
use crate::model::Store;
use crate::nettrace::ByteSource;
use crate::protocol::reply::Summary;
use crate::protocol::{Answer, Failure, FailureCode, PROTOCOL_VERSION, Reply, Request};

/// The build that this program is part of; page and worker of different builds refuse each other.
pub const BUILD: &str = match option_env!("TRACEGLASS_BUILD") {
    Some(build) => build,
    None => "dev",
};

/// Bytes of the file that are kept in memory at most after they were read again.
const PAGE_CACHE_BYTES: usize = 256 << 20;

/// What is known of a file besides its content.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FileFacts {
    /// Name to show.
    pub name: String,
    /// Size (decompressed).
    pub bytes: u64,
}

/// An open trace.
pub struct Session {
    store: Store,
    source: PagedSource,
    file: FileFacts,
    load_ms: f64,
}

impl Session {
    /// A session about what was loaded from `source`.
    pub fn new(store: Store, source: Box<dyn ByteSource>, file: FileFacts) -> Self {
        Self { store, source: PagedSource::new(source, PAGE_CACHE_BYTES), file, load_ms: 0.0 }
    }

    /// Notes how long loading took, for the summary.
    pub fn set_load_ms(&mut self, load_ms: f64) {
        self.load_ms = load_ms;
    }

    /// What the trace contains.
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Where its payloads are.
    pub fn source(&self) -> &dyn ByteSource {
        &self.source
    }

    pub fn summary(&self) -> Summary {
        Summary::default()
    }
    pub fn answer(&mut self, request: &Request) -> Result<Reply, Failure> {
        Err(Failure::new(FailureCode::NotFound, "x"))
    }
}

/// The answer to [`Request::Hello`], which needs no trace.
pub fn hello() -> Reply {
    Reply::small(Answer::Hello { protocol: PROTOCOL_VERSION, build: BUILD.to_owned() })
}
