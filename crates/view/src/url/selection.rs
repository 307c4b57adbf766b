//! Selected item, named by data from the file, so that it stays valid after the trace is loaded again.

use super::filter::{ThreadLink, TypeLink};
use super::part::UrlPart;
use super::percent::{escape_dots, unescape};
use protocol::base::time::Span;
use protocol::tables::Gcs;

/// Subject of the details.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SelectionLink {
    Event {
        /// Nanoseconds since the sync point.
        time: i64,
        /// OS thread ID.
        os_thread: u64,
        /// Event ID within the provider.
        event_id: u32,
        provider: String,
    },
    Function {
        module: String,
        /// Readable name.
        name: String,
    },
    Thread(ThreadLink),
    Gc(GcLink),
    Type(TypeLink),
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GcLink {
    /// OS process ID; 0 if the trace has one process.
    pub process: u32,
    /// The runtime's number of the GC.
    pub number: u32,
}

impl GcLink {
    /// Returns the GC in a row of a table.
    pub fn of(table: &Gcs, row: usize) -> Option<Self> {
        Some(Self { process: *table.process.get(row)?, number: *table.number.get(row)? })
    }

    /// Returns the row of the GC in a table.
    pub fn row(self, table: &Gcs) -> Option<usize> {
        (0..table.number.len()).find(|row| Self::of(table, *row) == Some(self))
    }

    fn encode(self) -> String {
        match self.process {
            0 => format!("gc.{}", self.number),
            process => format!("gc.{}.{process}", self.number),
        }
    }

    fn decode(text: &str) -> Option<Self> {
        let (number, process) = text.split_once('.').unwrap_or((text, "0"));
        Some(Self { process: process.parse().ok()?, number: number.parse().ok()? })
    }
}

impl SelectionLink {
    /// Returns the selection as part of a URL.
    pub fn encode(&self) -> String {
        match self {
            Self::Event { time, os_thread, event_id, provider } => {
                format!("event.{time}.{os_thread}.{event_id}.{provider}")
            }
            Self::Function { module, name } => {
                let mut text = String::from("function.");
                escape_dots(module, &mut text);
                text.push('.');
                text.push_str(name);
                text
            }
            Self::Thread(thread) => format!("thread.{}", thread.encode()),
            Self::Gc(gc) => gc.encode(),
            Self::Type(event_type) => format!("type.{}", event_type.encode()),
        }
    }

    /// Reads a selection from part of a URL.
    pub fn decode(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once('.')?;
        match kind {
            "event" => {
                let mut parts = rest.splitn(4, '.');
                Some(Self::Event {
                    time: parts.next()?.parse().ok()?,
                    os_thread: parts.next()?.parse().ok()?,
                    event_id: parts.next()?.parse().ok()?,
                    provider: parts.next()?.to_owned(),
                })
            }
            "function" => {
                let (module, name) = rest.split_once('.')?;
                Some(Self::Function { module: unescape(module)?, name: name.to_owned() })
            }
            "thread" => Some(Self::Thread(ThreadLink::decode(rest)?)),
            "gc" => Some(Self::Gc(GcLink::decode(rest)?)),
            "type" => Some(Self::Type(TypeLink::decode(rest)?)),
            _ => None,
        }
    }
}

impl UrlPart for Option<SelectionLink> {
    fn encode(&self, push: &mut impl FnMut(&str, &str)) {
        if let Some(selection) = self {
            push("sel", &selection.encode());
        }
    }

    fn decode(&mut self, key: &str, value: &str) -> bool {
        if key == "sel" {
            *self = SelectionLink::decode(value);
        }
        key == "sel"
    }

    fn fit(&mut self, _whole: Span) {
        *self = None;
    }
}
