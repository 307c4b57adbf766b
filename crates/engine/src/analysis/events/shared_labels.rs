//! Labels and activity that an event shares with others: the number of events with each, and the nearest ones on other
//! threads, in any process.
//!
//! A label may be on every event, so only the count and the nearest events before and after are listed.

use crate::analysis::values::labels::{span_text, trace_text, value_of_label};
use crate::model::Store;
use nettrace::{LabelList, LabelValue};
use protocol::base::ids::{ActivityId, EventId};
use protocol::request::Label;

/// Maximum number of an event's labels examined: a bit for each, and one for the activity.
const MAX_LABELS: usize = 15;
/// Bit of the activity.
const ACTIVITY: u16 = 1 << MAX_LABELS;
/// Maximum number of rows examined in each direction.
const MAX_ROWS: usize = 1 << 20;
/// Names of labels that describe the event's type, as written by record-trace.
const OF_THE_TYPE: [&str; 2] = ["Version", "OpCode"];

/// Activity or label that an event shares with others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Shared {
    /// The label; `None` for the activity of the event itself.
    pub label: Option<Label>,
    /// Number of events that have it, including this one; 0 if not counted.
    pub events: u64,
    /// The last event before it on another thread.
    pub before: Option<EventId>,
    /// The first event after it on another thread.
    pub after: Option<EventId>,
}

/// A label of a list, compared without formatting.
#[derive(Clone, Copy)]
enum Part<'l> {
    Trace([u8; 16]),
    Span(u64),
    Named(&'l str, &'l LabelValue),
}

impl<'l> Part<'l> {
    fn all_of(list: &'l LabelList) -> Vec<Self> {
        let trace = list.trace_id.map(Self::Trace);
        let span = list.span_id.map(Self::Span);
        let named = list.pairs.iter().filter(|(name, _)| !OF_THE_TYPE.contains(&name.as_str()));
        let named = named.map(|(name, value)| Self::Named(name, value));
        trace.into_iter().chain(span).chain(named).take(MAX_LABELS).collect()
    }

    fn is_in(self, list: &LabelList) -> bool {
        match self {
            Self::Trace(trace) => list.trace_id == Some(trace),
            Self::Span(span) => list.span_id == Some(span),
            Self::Named(name, value) => list.pairs.iter().any(|(known, other)| known == name && other == value),
        }
    }

    fn label(self) -> Label {
        match self {
            Self::Trace(trace) => Label::Trace(trace_text(&trace)),
            Self::Span(span) => Label::Span(span_text(span)),
            Self::Named(name, value) => Label::Named(name.to_owned(), value_of_label(value)),
        }
    }
}

/// Returns what an event shares with others: its activity first, then its labels in order.
pub(crate) fn shared(store: &Store, event: EventId) -> Vec<Shared> {
    let activity = store.events.row(event).activity;
    let parts = store.labels(event).map(Part::all_of).unwrap_or_default();
    if activity.0 == 0 && parts.is_empty() {
        return Vec::new();
    }
    let masks: Vec<u16> = match parts.is_empty() {
        true => Vec::new(),
        false => store.label_lists.iter().map(|list| mask_of(&parts, list)).collect(),
    };
    let neighbors = Neighbors { store, event, activity, masks: &masks };
    let before = neighbors.before(parts.len());
    let after = neighbors.after(parts.len());
    let counts = counts(store, &masks, parts.len());
    let at = |bit: usize, label: Option<Label>, events: u64| {
        let found = |found: &[Option<EventId>]| found.get(bit).copied().flatten();
        Shared { label, events, before: found(&before), after: found(&after) }
    };
    let own = (activity.0 != 0).then(|| at(MAX_LABELS, None, 0));
    let labels = parts.iter().zip(counts).enumerate();
    own.into_iter().chain(labels.map(|(bit, (part, events))| at(bit, Some(part.label()), events))).collect()
}

/// Returns a bit for each part that is in a list.
fn mask_of(parts: &[Part<'_>], list: &LabelList) -> u16 {
    let bits = parts.iter().enumerate().filter(|(_, part)| part.is_in(list));
    bits.fold(0, |mask, (bit, _)| mask | 1 << bit)
}

/// Returns the number of events with each part.
fn counts(store: &Store, masks: &[u16], parts: usize) -> Vec<u64> {
    let mut counts = vec![0; parts];
    if masks.is_empty() {
        return counts;
    }
    for list in store.label_lists_of_events() {
        let mut mask = masks.get(list as usize).copied().unwrap_or(0);
        while mask != 0 {
            if let Some(count) = counts.get_mut(mask.trailing_zeros() as usize) {
                *count += 1;
            }
            mask &= mask - 1;
        }
    }
    counts
}

/// Searches for the nearest events that share a part.
struct Neighbors<'s> {
    store: &'s Store,
    event: EventId,
    activity: ActivityId,
    masks: &'s [u16],
}

impl Neighbors<'_> {
    fn before(&self, parts: usize) -> Vec<Option<EventId>> {
        let first = self.event.0.saturating_sub(MAX_ROWS as u32);
        self.nearest((first..self.event.0).rev(), parts)
    }

    fn after(&self, parts: usize) -> Vec<Option<EventId>> {
        let rows = self.store.events.len().min(u32::MAX as usize) as u32;
        let end = self.event.0.saturating_add(MAX_ROWS as u32).min(rows);
        self.nearest(self.event.0.saturating_add(1)..end, parts)
    }

    /// Returns, by bit, the first of these rows on another thread that has it.
    fn nearest(&self, rows: impl Iterator<Item = u32>, parts: usize) -> Vec<Option<EventId>> {
        let mut found = vec![None; usize::from(u16::BITS as u8)];
        let mut wanted = ((1u32 << parts) - 1) as u16 | if self.activity.0 == 0 { 0 } else { ACTIVITY };
        let thread = self.store.events.row(self.event).thread;
        for event in rows.map(EventId) {
            if wanted == 0 {
                break;
            }
            let row = self.store.events.row(event);
            if row.thread == thread {
                continue;
            }
            let mut mask = if row.activity == self.activity { ACTIVITY } else { 0 };
            if wanted & !ACTIVITY != 0
                && let Some(list) = self.store.label_list_at(row.payload_offset)
            {
                mask |= self.masks.get(list as usize).copied().unwrap_or(0);
            }
            mask &= wanted;
            wanted &= !mask;
            while mask != 0 {
                found[mask.trailing_zeros() as usize] = Some(event);
                mask &= mask - 1;
            }
        }
        found
    }
}
