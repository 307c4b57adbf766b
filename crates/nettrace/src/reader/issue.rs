//! Problems that don't stop the reader.

use crate::error::{Error, Grouped};
use std::fmt;

/// Maximum number of recorded problems.
const MAX_ISSUES: usize = 1000;

/// Problem in a trace that doesn't stop the reader. `Display` writes a sentence for the user.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Absolute offset in the (decompressed) file.
    pub offset: u64,
    /// Kind.
    pub kind: IssueKind,
}

/// Kind of an [`Issue`].
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IssueKind {
    /// The header has an impossible value; the text names the assumed one.
    HeaderWarning(String),
    /// Bytes are unreadable. Their number is 0 if nothing is lost, such as for a missing end-of-stream marker.
    Damage {
        /// Number of unreadable bytes.
        bytes: u64,
        /// Cause.
        error: Error,
    },
    /// A row is unreadable: a metadata record, stack, thread or label list.
    UnreadableRow {
        /// Kind of row, for display.
        row: &'static str,
        /// Cause.
        error: Error,
    },
    /// A row is partially readable: a metadata record or thread.
    IncompleteRow {
        /// Kind of row, for display.
        row: &'static str,
        /// Cause.
        error: Error,
    },
    /// A block of an unknown kind, with its name, was skipped.
    UnknownBlock(String),
    /// An event refers to a metadata record that isn't in the file. The event has no name and no fields.
    UndefinedMetadata(u32),
    /// An event refers to a thread that isn't in the file. The thread has only its index.
    UndefinedThread(u64),
    /// An event refers to a stack that isn't in the file. The event has no stack.
    UndefinedStack(u32),
    /// An event refers to a label list that isn't in the file. The event has no labels.
    UndefinedLabels(u32),
    /// Events weren't returned in time order, because too many of them had to wait.
    Unsorted,
}

impl fmt::Display for Issue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at = Grouped(self.offset);
        match &self.kind {
            IssueKind::HeaderWarning(warning) => f.write_str(warning),
            IssueKind::Damage { bytes: 0, error } => error.fmt(f),
            IssueKind::Damage { bytes: 1, error } => write!(f, "Skipped 1 damaged byte. {error}"),
            IssueKind::Damage { bytes, error } => write!(f, "Skipped {} damaged bytes. {error}", Grouped(*bytes)),
            IssueKind::UnreadableRow { row, error } => write!(f, "Skipped a {row}. {error}"),
            IssueKind::IncompleteRow { row, error } => write!(f, "A {row} is only partially readable. {error}"),
            IssueKind::UnknownBlock(name) => {
                write!(f, "Skipped a block of the unknown kind “{name}” (at byte {at}).")
            }
            IssueKind::UndefinedMetadata(id) => {
                write!(f, "An event refers to metadata record {id}, which isn't in the file (at byte {at}).")
            }
            IssueKind::UndefinedThread(index) => {
                write!(f, "An event refers to thread {index}, which isn't in the file (at byte {at}).")
            }
            IssueKind::UndefinedStack(id) => {
                write!(f, "An event refers to stack {id}, which isn't in the file (at byte {at}).")
            }
            IssueKind::UndefinedLabels(index) => {
                write!(f, "An event refers to label list {index}, which isn't in the file (at byte {at}).")
            }
            IssueKind::Unsorted => write!(f, "Too many out-of-order events to sort (at byte {at})."),
        }
    }
}

/// Problems so far.
#[derive(Debug, Default)]
pub(super) struct Issues {
    kept: Vec<Issue>,
    count: u64,
}

impl Issues {
    /// Adds a problem.
    #[cold]
    pub fn add(&mut self, offset: u64, kind: IssueKind) {
        self.count += 1;
        if self.kept.len() < MAX_ISSUES {
            self.kept.push(Issue { offset, kind });
        }
    }

    /// Returns the recorded problems.
    pub fn kept(&self) -> &[Issue] {
        &self.kept
    }

    /// Returns the number of problems, including those beyond the maximum.
    pub fn count(&self) -> u64 {
        self.count
    }
}
