//! What is answered about the file itself: header, processes, how it was recorded, losses, blocks.

use crate::reply::{Diagnostic, NamedValue};
use serde::{Deserialize, Serialize};

/// The header and what belongs to the whole trace.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct HeaderDetail {
    /// What the file says, and what follows from it, by subject.
    pub groups: Vec<FactGroup>,
    /// Who recorded it and what was asked for, as far as what was recorded shows it.
    pub recording: Recording,
    /// All processes, most events first.
    pub processes: Vec<ProcessLine>,
    /// Lost events by thread, most first.
    pub losses: Vec<ThreadLoss>,
    /// How their number was found, and whether there may be more; empty if none are lost.
    pub loss_reasons: String,
    /// Problems found while reading.
    pub diagnostics: Vec<Diagnostic>,
    /// Bytes and counts by kind of block; together they are all bytes of the file, its header included.
    pub blocks: Vec<BlockKindCount>,
}

impl HeaderDetail {
    /// The fact of this name, of whichever group.
    pub fn fact(&self, name: &str) -> Option<&NamedValue> {
        self.groups.iter().flat_map(|group| &group.facts).find(|fact| fact.name == name)
    }
}

/// Facts about one subject.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct FactGroup {
    /// The subject: "Clock".
    pub title: String,
    /// What is known of it.
    pub facts: Vec<NamedValue>,
}

/// What recorded events show of the session that recorded them. No file says it: all of this is concluded.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Recording {
    /// What may have recorded it, each with what it rests on; the most telling first. Empty where nothing is told.
    pub collectors: Vec<Conclusion>,
    /// What was asked for at least, by provider.
    pub requested: Vec<RequestedProvider>,
}

/// Something that nothing says and that follows from something.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Conclusion {
    /// What follows.
    pub words: String,
    /// From what.
    pub evidence: String,
}

/// What a session must have asked a provider for, so that the recorded events could be recorded.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct RequestedProvider {
    /// Name.
    pub name: String,
    /// The highest level of its events; higher ones may have been asked for.
    pub level: u8,
    /// Keywords without which some of its events would not be there.
    pub keywords: u64,
    /// Keywords of which each event that has them has others, too: any of them was enough.
    pub perhaps: u64,
    /// The names of the keywords that are sure.
    pub keyword_names: Vec<String>,
    /// The names of those that are not.
    pub perhaps_names: Vec<String>,
    /// Events of it.
    pub events: u64,
}

impl RequestedProvider {
    /// As the argument of `--providers` that asks for this much.
    pub fn argument(&self) -> String {
        format!("{}:{:#x}:{}", self.name, self.keywords, self.level)
    }
}

/// A process.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ProcessLine {
    /// Operating system's process id.
    pub os_process: u32,
    /// Name; empty if unknown.
    pub name: String,
    /// ".NET 10.0.12" and the like; empty if unknown.
    pub runtime: String,
    /// Events of its threads.
    pub events: u64,
}

/// What a thread lost.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ThreadLoss {
    /// OS id of the thread that wrote.
    pub os_thread: u64,
    /// Events.
    pub count: u64,
    /// In how many places.
    pub gaps: u64,
    /// Before this nothing was lost; none if that is not known.
    pub after: Option<i64>,
    /// After this nothing was lost.
    pub before: i64,
    /// The largest of the places, in order of time.
    pub largest: Vec<Loss>,
}

/// Lost events.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Loss {
    /// Not before.
    pub after: i64,
    /// Not after.
    pub before: i64,
    /// How many.
    pub count: u64,
}

/// Blocks of one kind.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct BlockKindCount {
    /// Kind, as the pieces of the file are named.
    pub kind: String,
    /// Blocks.
    pub count: u64,
    /// Bytes with framing.
    pub bytes: u64,
}
