//! Answers about the file: header, processes, recording, losses, blocks.

use crate::reply::{Diagnostic, NamedValue};
use serde::{Deserialize, Serialize};

/// Facts about the whole trace, from the header and derived.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct HeaderDetail {
    /// Facts from the file and derived facts, by subject.
    pub groups: Vec<FactGroup>,
    /// Inferred recording tool and enabled providers.
    pub recording: Recording,
    /// All processes, most events first.
    pub processes: Vec<ProcessLine>,
    /// Lost events by thread, most first.
    pub losses: Vec<ThreadLoss>,
    /// Explanation of how lost events were counted, and whether the number is a minimum; empty if none were lost.
    pub loss_reasons: String,
    /// Parse issues.
    pub diagnostics: Vec<Diagnostic>,
    /// Bytes and counts by block kind, including the header. The bytes add up to the file size.
    pub blocks: Vec<BlockKindCount>,
}

impl HeaderDetail {
    /// Returns the fact with a name, in any group.
    pub fn fact(&self, name: &str) -> Option<&NamedValue> {
        self.groups.iter().flat_map(|group| &group.facts).find(|fact| fact.name == name)
    }
}

/// Facts about one subject.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct FactGroup {
    /// Subject: "Clock".
    pub title: String,
    pub facts: Vec<NamedValue>,
}

/// Inferred facts about the recording session, which the file doesn't state.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Recording {
    /// Possible recording tools with evidence, likeliest first; empty if nothing can be inferred.
    pub collectors: Vec<Conclusion>,
    /// Enabled providers (minimum).
    pub requested: Vec<RequestedProvider>,
}

/// Inference with its evidence.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Conclusion {
    /// Inference.
    pub words: String,
    pub evidence: String,
}

/// Provider that must have been enabled, with its minimum level and keywords.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RequestedProvider {
    pub name: String,
    /// Highest level of its events; a higher one may have been enabled.
    pub level: u8,
    /// Keywords that must have been enabled.
    pub keywords: u64,
    /// Keywords of events that have several keywords. At least one of them must have been enabled.
    pub perhaps: u64,
    pub keyword_names: Vec<String>,
    pub perhaps_names: Vec<String>,
    pub events: u64,
}

impl RequestedProvider {
    /// Returns the argument for `--providers` that enables this minimum.
    pub fn argument(&self) -> String {
        format!("{}:{:#x}:{}", self.name, self.keywords, self.level)
    }
}

/// Process of the trace.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ProcessLine {
    /// OS process ID.
    pub os_process: u32,
    /// Name; empty if unknown.
    pub name: String,
    /// Runtime version: ".NET 10.0.12"; empty if unknown.
    pub runtime: String,
    /// Number of events of its threads.
    pub events: u64,
}

/// Lost events of a thread.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ThreadLoss {
    /// OS ID of the capture thread.
    pub os_thread: u64,
    /// Number of lost events.
    pub count: u64,
    pub gaps: u64,
    /// Time after which events were lost; `None` if unknown.
    pub after: Option<i64>,
    /// Time before which events were lost.
    pub before: i64,
    /// Largest gaps, by time.
    pub largest: Vec<Loss>,
}

/// Gap of lost events.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Loss {
    /// Time of the last event before the gap.
    pub after: i64,
    /// Time of the first event after the gap.
    pub before: i64,
    /// Number of lost events.
    pub count: u64,
}

/// Number and size of the blocks of one kind.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct BlockKindCount {
    /// Kind, see [`super::tables::section_kind::name`].
    pub kind: String,
    /// Number of blocks.
    pub count: u64,
    /// Bytes, including block headers.
    pub bytes: u64,
}
