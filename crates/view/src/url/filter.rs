//! A filter in a URL, with names and IDs from the file, which stay valid after the trace is loaded again.

use super::part::{self, UrlPart};
use super::percent::{escape_dots, unescape};
use super::stacks::{decode_frame, encode_frame};
use protocol::base::time::Span;
use protocol::filter::word;
use protocol::request::{FrameName, Label};

/// Thread: OS thread ID, and its index among threads with the same ID, by age.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ThreadLink {
    /// OS thread ID.
    pub os_thread: u64,
    /// Index among threads with this ID, 0 for the first.
    pub nth: u32,
}

/// Event type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TypeLink {
    pub provider: String,
    /// Event ID within the provider.
    pub event_id: u32,
    pub version: u32,
}

/// Filter of events.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FilterLink {
    /// Time range.
    pub range: Option<Span>,
    /// OS process IDs.
    pub processes: Vec<u32>,
    pub threads: Vec<ThreadLink>,
    pub providers: Vec<String>,
    pub types: Vec<TypeLink>,
    pub query: String,
    pub labels: Vec<Label>,
    /// Functions on the stack.
    pub frames: Vec<FrameName>,
    /// Maximum level.
    pub level: Option<u8>,
}

impl UrlPart for FilterLink {
    fn encode(&self, push: &mut impl FnMut(&str, &str)) {
        if let Some(range) = self.range {
            push("r0", &range.start.0.to_string());
            push("r1", &range.end.0.to_string());
        }
        self.processes.iter().for_each(|process| push("pr", &process.to_string()));
        self.threads.iter().for_each(|thread| push("th", &thread.encode()));
        self.providers.iter().for_each(|provider| push("p", provider));
        self.types.iter().for_each(|event_type| push("ty", &event_type.encode()));
        if !self.query.is_empty() {
            push("f", &self.query);
        }
        self.labels.iter().for_each(|label| push("l", &encode_label(label)));
        self.frames.iter().for_each(|frame| push("on", &encode_frame(frame)));
        if let Some(level) = self.level {
            push("lv", &level.to_string());
        }
    }

    fn decode(&mut self, key: &str, value: &str) -> bool {
        match key {
            "r0" | "r1" => part::decode_bound(&mut self.range, key == "r1", value),
            "pr" => self.processes.extend(value.parse::<u32>()),
            "th" => self.threads.extend(ThreadLink::decode(value)),
            "p" => self.providers.push(value.to_owned()),
            "ty" => self.types.extend(TypeLink::decode(value)),
            "f" => value.clone_into(&mut self.query),
            // Links from before the filter syntax contain a literal text.
            "q" => self.query = word(value),
            "l" => self.labels.extend(decode_label(value)),
            "on" => self.frames.extend(decode_frame(value)),
            "lv" => self.level = value.parse().ok(),
            _ => return false,
        }
        true
    }

    fn finish(&mut self) {
        self.range = part::completed(self.range);
    }

    fn fit(&mut self, whole: Span) {
        self.range = part::fitted(self.range, whole);
    }
}

/// Prefix of the keys of the baseline's filter.
const BASELINE: &str = "vs-";

/// Filter of the baseline. Its keys have a prefix.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BaselineLink(pub FilterLink);

impl UrlPart for BaselineLink {
    fn encode(&self, push: &mut impl FnMut(&str, &str)) {
        self.0.encode(&mut |key: &str, value: &str| push(&format!("{BASELINE}{key}"), value));
    }

    fn decode(&mut self, key: &str, value: &str) -> bool {
        key.strip_prefix(BASELINE).is_some_and(|key| self.0.decode(key, value))
    }

    fn finish(&mut self) {
        self.0.finish();
    }

    fn fit(&mut self, whole: Span) {
        self.0.fit(whole);
    }
}

impl ThreadLink {
    /// Returns the thread as part of a URL.
    pub fn encode(self) -> String {
        match self.nth {
            0 => self.os_thread.to_string(),
            nth => format!("{}.{nth}", self.os_thread),
        }
    }

    /// Reads a thread from part of a URL.
    pub fn decode(text: &str) -> Option<Self> {
        let (os_thread, nth) = text.split_once('.').unwrap_or((text, "0"));
        Some(Self { os_thread: os_thread.parse().ok()?, nth: nth.parse().ok()? })
    }
}

impl TypeLink {
    /// Returns the event type as part of a URL.
    pub fn encode(&self) -> String {
        format!("{}.{}.{}", self.event_id, self.version, self.provider)
    }

    /// Reads an event type from part of a URL.
    pub fn decode(text: &str) -> Option<Self> {
        let mut parts = text.splitn(3, '.');
        Some(Self {
            event_id: parts.next()?.parse().ok()?,
            version: parts.next()?.parse().ok()?,
            provider: parts.next()?.to_owned(),
        })
    }
}

fn encode_label(label: &Label) -> String {
    let kind = match label {
        Label::Activity(_) => "activity",
        Label::Trace(_) => "trace",
        Label::Span(_) => "span",
        Label::Named(name, value) => {
            let mut text = String::from("label.");
            escape_dots(name, &mut text);
            return format!("{text}.{value}");
        }
    };
    format!("{kind}.{}", label.value())
}

fn decode_label(text: &str) -> Option<Label> {
    let (kind, value) = text.split_once('.')?;
    Some(match kind {
        "activity" => Label::Activity(value.to_owned()),
        "trace" => Label::Trace(value.to_owned()),
        "span" => Label::Span(value.to_owned()),
        "label" => {
            let (name, value) = value.split_once('.')?;
            Label::Named(unescape(name)?, value.to_owned())
        }
        _ => return None,
    })
}
