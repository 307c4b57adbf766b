//! What can go wrong, as the page must tell it.

use serde::{Deserialize, Serialize};

/// The kind of a failure: decides which sentence and which actions the page shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum FailureCode {
    /// The file has no bytes.
    EmptyFile,
    /// The bytes are no trace; `detail` says what they look like.
    NotATrace,
    /// A trace of a version that is newer than this program.
    UnsupportedVersion,
    /// The header itself is damaged, so that nothing after it can be understood.
    DamagedHeader,
    /// An archive or compressed file that cannot be unpacked here.
    Archive,
    /// More than is unpacked or downloaded.
    TooLarge,
    /// The file could not be read (moved, changed on disk, permission).
    Unreadable,
    /// The tab's memory does not suffice.
    OutOfMemory,
    /// The network refused a `url=`.
    Fetch,
    /// The request names something that does not exist (any more).
    NotFound,
    /// A filter that is not written in the language of filters.
    Filter,
    /// A request before a trace was opened, or after it was closed.
    NoTrace,
    /// The user cancelled.
    Cancelled,
    /// Page and worker come from different builds.
    VersionSkew,
    /// A bug: the worker stopped.
    Crashed,
    /// The worker has not answered for long, and the user gave it up.
    Silent,
}

/// A failure, in words for the person in front of the page.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Failure {
    /// The kind.
    pub code: FailureCode,
    /// One sentence that a user understands.
    pub message: String,
    /// More for those who want it (first bytes, parser's error); may be empty.
    pub detail: String,
    /// Absolute position in the file, in bytes, where one is known.
    pub offset: Option<u64>,
}

impl Failure {
    /// A failure without detail or position.
    pub fn new(code: FailureCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), detail: String::new(), offset: None }
    }

    /// What came back is not what was asked for: the page and its reader are of different builds.
    pub fn other_answer() -> Self {
        Self::new(FailureCode::VersionSkew, "The page and its background worker are out of sync. Reload the page.")
    }

    /// The same, with `detail`.
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    /// The same, with the absolute byte position.
    pub fn at(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.message)?;
        if let Some(offset) = self.offset {
            write!(f, " (at byte {offset})")?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

/// What a fault says of itself, without the text that it was about: the standard library quotes what could not be cut, and that
/// is content of a trace, which a report that people pass on must not have.
pub fn without_content(message: &str) -> &str {
    let quotes = [" of `", " slicing `", "; it is inside "].into_iter().filter_map(|before| message.find(before));
    quotes.min().and_then(|end| message.get(..end)).unwrap_or(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_fault_says_has_nothing_of_the_text_that_it_was_about() {
        let secret = "passwörd of somebody";
        let faults: [fn(&str) -> usize; 3] = [
            |text| text[..std::hint::black_box(6)].len(),
            |text| text[std::hint::black_box(99)..].len(),
            |text| text[std::hint::black_box(4)..std::hint::black_box(2)].len(),
        ];
        for fault in faults {
            let payload = std::panic::catch_unwind(|| fault(secret)).expect_err("a fault");
            let message = payload.downcast_ref::<String>().expect("words");
            assert!(message.contains("byte") || message.contains("begin"), "{message}");
            let shown = without_content(message);
            assert!(!shown.is_empty() && !shown.contains("passw") && !shown.contains("somebody"), "{shown}");
            assert!(!shown.contains('ö'), "{shown}");
        }
        let plain = "index out of bounds: the len is 3 but the index is 5";
        assert_eq!(without_content(plain), plain);
    }
}
