//! Events as text for other programs.

use serde::{Deserialize, Serialize};

/// How events are written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum EventFormat {
    /// Comma-separated values (RFC 4180), with a head.
    Csv,
    /// The same with tabs between, as spreadsheets paste it.
    Tsv,
    /// An object a line.
    JsonLines,
}

impl EventFormat {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Csv, Self::Tsv, Self::JsonLines];

    /// What names of such files end with.
    pub fn ending(self) -> &'static str {
        match self {
            Self::Csv => ".csv",
            Self::Tsv => ".tsv",
            Self::JsonLines => ".jsonl",
        }
    }

    /// What a file with the events of a trace is called.
    pub fn file_name(self, trace: &str) -> String {
        let (name, _) = trace.rsplit_once('.').unwrap_or((trace, ""));
        format!("{name}.events{}", self.ending())
    }

    /// In a word.
    pub fn words(self) -> &'static str {
        match self {
            Self::Csv => "CSV",
            Self::Tsv => "TSV",
            Self::JsonLines => "JSON lines",
        }
    }
}
