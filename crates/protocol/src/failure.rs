//! User-facing errors.

use serde::{Deserialize, Serialize};

/// Kind of failure, which determines the title and the suggested actions on the page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum FailureCode {
    EmptyFile,
    /// Not a trace file. `detail` names the detected type.
    NotATrace,
    /// The format version is newer than this build supports.
    UnsupportedVersion,
    /// The header is damaged, so the rest is unreadable.
    DamagedHeader,
    /// The archive or compressed file can't be decompressed.
    Archive,
    /// The data exceeds the limit for decompressed or downloaded data.
    TooLarge,
    /// The file can't be read: it was moved, changed, or isn't accessible.
    Unreadable,
    /// The browser tab ran out of memory.
    OutOfMemory,
    /// The URL can't be downloaded.
    Fetch,
    /// The target of the request doesn't exist, or no longer exists.
    NotFound,
    /// Invalid filter syntax.
    Filter,
    NoTrace,
    /// The user canceled.
    Cancelled,
    /// The page and the worker are different builds.
    VersionSkew,
    /// The worker crashed, which is a bug.
    Crashed,
    /// The worker stopped responding and the user terminated it.
    Silent,
}

/// Failure with a message for the user.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Failure {
    pub code: FailureCode,
    /// One sentence for the user.
    pub message: String,
    /// Details, such as the first bytes or the parser's error; may be empty.
    pub detail: String,
    /// Absolute offset in the file, if known.
    pub offset: Option<u64>,
}

impl Failure {
    /// Creates a failure without detail and offset.
    pub fn new(code: FailureCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), detail: String::new(), offset: None }
    }

    /// Creates the failure for an unexpected answer, which means that the page and its worker are different builds.
    pub fn other_answer() -> Self {
        Self::new(FailureCode::VersionSkew, "The page and its background worker are out of sync. Reload the page.")
    }

    /// Returns the failure with a detail.
    pub fn with_detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    /// Returns the failure with an absolute offset.
    pub fn at(mut self, offset: u64) -> Self {
        self.offset = Some(offset);
        self
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.offset {
            Some(offset) => {
                let sentence = self.message.strip_suffix('.').unwrap_or(&self.message);
                write!(f, "{sentence} (at byte {}).", crate::format::count(offset))
            }
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Failure {}

/// Removes quoted trace content from a panic message, so that reports never leak data. The standard library quotes
/// strings that it fails to slice.
pub fn without_content(message: &str) -> &str {
    let quotes = [" of `", " slicing `", "; it is inside "].into_iter().filter_map(|before| message.find(before));
    quotes.min().and_then(|end| message.get(..end)).unwrap_or(message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panic_message_has_no_trace_content() {
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
