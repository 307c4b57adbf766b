//! The trace of a view in a URL.

use super::file::{FileLink, Fingerprint};
use super::hash::Hash;
use super::part::UrlPart;
use crate::page::tab::Tab;

/// Source of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SourceLink {
    /// Bundled trace.
    Sample(String),
    /// URL to download.
    Url(String),
    /// Local file, which only the user can open again.
    File(FileLink),
}

impl SourceLink {
    /// Returns whether both are the same trace, as far as is known.
    pub fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::File(file), Self::File(other)) => file.is(other),
            _ => self == other,
        }
    }
}

/// Trace of a view.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TraceLink {
    /// Source; `None` on the start page.
    pub source: Option<SourceLink>,
    /// Path of the trace in an archive.
    pub entry: Option<String>,
}

impl TraceLink {
    /// Returns the link to a trace that isn't in an archive.
    pub fn of(source: SourceLink) -> Self {
        Self { source: Some(source), entry: None }
    }

    /// Returns whether both have the same source, as far as is known. The paths in an archive may differ.
    pub fn has_source(&self, other: Option<&SourceLink>) -> bool {
        match (&self.source, other) {
            (Some(source), Some(other)) => source.is(other),
            (source, other) => source.is_none() && other.is_none(),
        }
    }

    /// Returns whether both are the same trace, as far as is known.
    pub fn is(&self, other: &Self) -> bool {
        self.has_source(other.source.as_ref()) && self.entry == other.entry
    }

    /// Returns the URL hash of the trace as it opens. The start program uses this instead of the whole state, whose
    /// code is larger than the program.
    pub fn hash(&self) -> String {
        let mut hash = Hash::new(Tab::default());
        self.encode(&mut |key, value| hash.push(key, value));
        hash.0
    }
}

impl UrlPart for TraceLink {
    fn encode(&self, push: &mut impl FnMut(&str, &str)) {
        match &self.source {
            Some(SourceLink::Sample(name)) => push("sample", name),
            Some(SourceLink::Url(url)) => push("url", url),
            Some(SourceLink::File(file)) => {
                push("file", &file.name);
                if let Some(print) = file.print {
                    push("print", &print.encode());
                }
            }
            None => {}
        }
        if let Some(entry) = &self.entry {
            push("entry", entry);
        }
    }

    fn decode(&mut self, key: &str, value: &str) -> bool {
        match key {
            "sample" => self.source = Some(SourceLink::Sample(value.to_owned())),
            "url" => self.source = Some(SourceLink::Url(value.to_owned())),
            "file" => self.source = Some(SourceLink::File(FileLink { name: value.to_owned(), print: None })),
            // The file comes first in a URL.
            "print" => {
                if let Some(SourceLink::File(file)) = &mut self.source {
                    file.print = Fingerprint::decode(value);
                }
            }
            "entry" => self.entry = Some(value.to_owned()),
            _ => return false,
        }
        true
    }

    /// The fingerprint of a file is known some time after the file is open.
    fn is_step_from(&self, before: &Self) -> bool {
        !self.is(before)
    }
}
