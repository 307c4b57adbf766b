//! Activities and labels of events, as text and as conditions.

use super::activity_path::guid_path;
use crate::analysis::scan::rows::retain_rows;
use crate::model::{EventChunk, Store};
use nettrace::{Guid, LabelList, LabelValue};
use protocol::base::ids::EventId;
use protocol::request::Label;

/// Formats a W3C trace ID: 32 hexadecimal digits.
pub fn trace_text(trace: &[u8; 16]) -> String {
    trace.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Formats a W3C span ID: 16 hexadecimal digits.
pub fn span_text(span: u64) -> String {
    format!("{span:016x}")
}

/// Formats the value of a named label.
pub fn value_of_label(value: &LabelValue) -> String {
    match value {
        LabelValue::Text(text) => text.clone(),
        LabelValue::Number { plain, .. } => plain.to_string(),
        _ => String::new(),
    }
}

/// Formats an activity: its path, if it is one, or else its GUID.
pub fn activity_text(store: &Store, activity: Guid) -> String {
    guid_path(store, activity).unwrap_or_else(|| activity.to_string())
}

/// Returns the activity, the trace ID, and the labels of an event with their values, in one line.
pub fn belongs_to(store: &Store, event: EventId) -> String {
    let activity = store.events.row(event).activity;
    let mut parts = Vec::new();
    if activity.0 != 0 {
        parts.push(activity_text(store, store.activities.guid(activity)));
    }
    if let Some(labels) = store.labels(event) {
        parts.extend(labels.trace_id.as_ref().map(trace_text));
        parts.extend(labels.pairs.iter().map(|(name, value)| [name.as_str(), &value_of_label(value)].join(" ")));
    }
    parts.join(" · ")
}

/// The labels of a filter, resolved once for the trace.
pub(crate) struct LabelSearch {
    /// The wanted activities of the trace, if the filter has any.
    activities: Option<Vec<u32>>,
    /// By list of labels: true if it has all wanted labels; `None` if the filter has only activities.
    lists: Option<Vec<bool>>,
}

impl LabelSearch {
    /// Returns `None` if the filter has no labels.
    pub fn new(store: &Store, labels: &[Label]) -> Option<Self> {
        let (activities, others): (Vec<&Label>, Vec<&Label>) =
            labels.iter().partition(|label| matches!(label, Label::Activity(_)));
        let find = |label: &&Label| store.activities.find(Guid::parse(label.value())?).map(|activity| activity.0);
        let has_all = |list: &LabelList| {
            others.iter().all(|label| {
                others.iter().any(|other| other.is_alternative_to(label) && has(list, other)) //
            })
        };
        (!labels.is_empty()).then(|| Self {
            activities: (!activities.is_empty()).then(|| activities.iter().filter_map(find).collect()),
            lists: (!others.is_empty()).then(|| store.label_lists.iter().map(has_all).collect()),
        })
    }

    /// Returns whether an event has all wanted labels, by its activity and payload offset.
    pub fn allows(&self, store: &Store, activity: u32, payload_offset: u64) -> bool {
        let is_wanted = |wanted: &Vec<u32>| {
            wanted.contains(&activity)
                || store.related_activity_at(payload_offset).is_some_and(|related| wanted.contains(&related.0))
        };
        let has = |lists: &Vec<bool>| {
            let list = store.label_list_at(payload_offset);
            list.is_some_and(|list| lists.get(list as usize) == Some(&true))
        };
        self.activities.as_ref().is_none_or(is_wanted) && self.lists.as_ref().is_none_or(has)
    }

    /// Keeps the bits of the rows of a chunk that have all wanted labels.
    pub fn narrow(&self, store: &Store, chunk: &EventChunk, words: &mut [u64]) {
        retain_rows(words, |row| self.allows(store, chunk.activity(row).0, chunk.payload_offset(row)));
    }
}

fn has(list: &LabelList, label: &Label) -> bool {
    match label {
        Label::Activity(_) => false,
        Label::Trace(text) => list.trace_id.is_some_and(|trace| trace_text(&trace) == *text),
        Label::Span(text) => list.span_id.is_some_and(|span| u64::from_str_radix(text, 16) == Ok(span)),
        Label::Named(name, text) => {
            list.pairs.iter().any(|(known, value)| known == name && value_of_label(value) == *text)
        }
    }
}
