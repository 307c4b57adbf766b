//! DNS lookups, connects, TLS handshakes and connections, each with its start and end.

use super::events::{Kind, NetworkEvents, Opening, operation_of};
use crate::analysis::intervals::interval_set::{Interval, NO_EVENT};
use crate::analysis::topics::shared::interned_texts::InternedTexts;
use crate::analysis::topics::{Known, Scope};
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, ThreadId};
use protocol::base::sort::sort_by_key;
use protocol::tables::interval_flag;

/// DNS lookup, connect, accepted connection or TLS handshake.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Operation {
    /// Its first event in the trace.
    pub event: EventId,
    pub kind: Kind,
    pub thread: ThreadId,
    pub start: i64,
    pub end: i64,
    /// True if start and end are in the trace.
    pub is_whole: bool,
    /// True if it has ended, but its events have no activity IDs, so any of several stop events may be its own.
    pub has_unsure_end: bool,
    /// Host or address for display: position of a text, which is empty if it isn't known.
    pub target: u32,
    /// Host or address as in the event: position of a text.
    pub recorded: u32,
    /// True if the app is the server of a TLS handshake.
    pub is_server: bool,
    /// TLS version: position of a text.
    pub protocol: Option<u32>,
    /// Reason of the failure: position of a text.
    pub failure: Option<u32>,
}

impl Operation {
    /// Returns the start. An accept only waits before its end, so it starts there.
    pub fn begins(&self) -> i64 {
        if self.kind == Kind::Accept { self.end } else { self.start }
    }

    pub fn counts(&self, scope: &Scope<'_>) -> bool {
        scope.covers(self.event, self.begins(), self.end)
    }

    /// Returns the duration, if start and end are in the trace. Accepts have none.
    pub fn duration(&self) -> Option<i64> {
        (self.is_whole && self.kind != Kind::Accept).then_some(self.end.saturating_sub(self.start))
    }
}

/// Connection opened by `HttpClient`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct HttpConnection {
    pub event: EventId,
    /// Positions of texts, which are empty if they aren't known.
    pub host: u32,
    pub address: u32,
    /// Address as in the event, without port.
    pub recorded: u32,
    pub port: i64,
    pub version: u32,
    pub start: i64,
    /// `None` if it was still open at the end of the trace, or has no ID.
    pub end: Option<i64>,
    /// True if it has an ID, which its end has, too.
    pub is_identified: bool,
}

impl HttpConnection {
    /// Returns the lifetime, if the connection was closed.
    pub fn lifetime(&self) -> Option<i64> {
        Some(self.end?.saturating_sub(self.start))
    }
}

/// Returns the operations of a trace, by start.
pub(super) fn operations(known: &Known<'_>, events: &NetworkEvents, texts: &mut InternedTexts) -> Vec<Operation> {
    let Some(spans) = known.spans else { return Vec::new() };
    let empty = texts.position("");
    let of = |interval: &Interval| {
        let event_type = known.store.types.get(known.store.events.row(interval.event).event_type)?;
        let (kind, _) = operation_of(&event_type.provider, &event_type.display_name)?;
        let has_start = interval.flags & interval_flag::OPEN_START == 0;
        let has_end = interval.last_event != NO_EVENT;
        // Operations without a start event have no target. Accepted connections count anyway.
        let is_known = if kind == Kind::Accept { has_end } else { has_start };
        if !is_known {
            return None;
        }
        let beginning = events.beginning(interval.event).filter(|_| has_start);
        Some(Operation {
            event: interval.event,
            kind,
            thread: interval.thread,
            start: interval.start,
            end: interval.end,
            is_whole: interval.is_whole(),
            has_unsure_end: interval.has_unsure_end(),
            target: beginning.map_or(empty, |one| one.target),
            recorded: beginning.map_or(empty, |one| one.recorded),
            is_server: beginning.is_some_and(|one| one.is_server),
            protocol: events.protocol(interval.last_event),
            failure: events.failure(interval.last_event),
        })
    };
    let mut operations: Vec<Operation> = spans.spans().iter().filter_map(|span| of(&span.interval)).collect();
    sort_by_key(&mut operations, |one| (one.begins(), one.event));
    operations
}

/// Returns the connections opened by `HttpClient`, by start.
pub(super) fn connections(store: &Store, events: &NetworkEvents) -> Vec<HttpConnection> {
    let time = |event: EventId| store.clock.nanos(store.events.row(event).ticks).0;
    let process = |event: EventId| store.threads.get(store.events.row(event).thread).map(|thread| thread.process);
    let mut closed: FastMap<_, Vec<EventId>> = FastMap::default();
    for (event, number) in events.closed.iter().rev() {
        if let Some(number) = number {
            closed.entry((process(*event), *number)).or_default().push(*event);
        }
    }
    let of = |one: &Opening| {
        let closings = one.number.and_then(|number| closed.get_mut(&(process(one.event), number)));
        // IDs are unique, except in damaged traces.
        let end = closings.and_then(|closings| {
            while closings.last().is_some_and(|closing| *closing < one.event) {
                closings.pop();
            }
            closings.pop()
        });
        HttpConnection {
            event: one.event,
            host: one.host,
            address: one.address,
            recorded: one.recorded,
            port: one.port,
            version: one.version,
            start: time(one.event),
            end: end.map(time),
            is_identified: one.number.is_some(),
        }
    };
    events.opened.iter().map(of).collect()
}
