//! Events as text for other programs.

use crate::named;
use serde::{Deserialize, Serialize};

named! {
    /// Text format of events.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
    pub enum EventFormat {
        /// Comma-separated values (RFC 4180), with a header line.
        Csv: ".csv", "CSV";
        /// Tab-separated values, as spreadsheets paste them.
        Tsv: ".tsv", "TSV";
        /// One JSON object per line.
        JsonLines: ".jsonl", "JSON lines";
    }
    /// Returns the file extension.
    fn ending;
    /// Returns the display name.
    fn words;
}

impl EventFormat {
    /// Returns the name of a file with the events of a trace.
    pub fn file_name(self, trace: &str) -> String {
        let (name, _) = trace.rsplit_once('.').unwrap_or((trace, ""));
        format!("{name}.events{}", self.ending())
    }
}
