//! Events as text for other programs.

use serde::{Deserialize, Serialize};

/// Text format of events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum EventFormat {
    /// Comma-separated values (RFC 4180), with a header line.
    Csv,
    /// Tab-separated values, as spreadsheets paste them.
    Tsv,
    /// One JSON object per line.
    JsonLines,
}

impl EventFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Csv, Self::Tsv, Self::JsonLines];

    /// Returns the file extension.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Csv => ".csv",
            Self::Tsv => ".tsv",
            Self::JsonLines => ".jsonl",
        }
    }

    /// Returns the name of a file with the events of a trace.
    pub fn file_name(self, trace: &str) -> String {
        let (name, _) = trace.rsplit_once('.').unwrap_or((trace, ""));
        format!("{name}.events{}", self.ending())
    }

    /// Returns the display name.
    pub fn words(self) -> &'static str {
        match self {
            Self::Csv => "CSV",
            Self::Tsv => "TSV",
            Self::JsonLines => "JSON lines",
        }
    }
}
