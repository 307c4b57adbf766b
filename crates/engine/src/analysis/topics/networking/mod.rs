//! DNS lookups, connects, TLS handshakes and connections of any client: by host and address, over time, and each of them.

mod events;
mod findings;
mod operations;
#[cfg(test)]
mod reference_tests;
mod report;
mod tables;
#[cfg(test)]
mod tests;

use super::recorded_topics::{Role, Trace};
use super::shared::interned_texts::InternedTexts;
use super::shared::report::Report;
use super::{Analysis, Facts, Known, Needs, Scope};
use crate::clr::source_names::{HTTP_CLIENT, NAME_RESOLUTION, SECURITY, SOCKETS};
use crate::model::{EventChunk, EventType, Store};
use events::{Kind, NetworkEvents};
use nettrace::decode;
use operations::{HttpConnection, Operation, connections, operations};
use protocol::base::ids::EventId;
use protocol::topics::finding::Finding;

/// Network operations of a trace.
#[derive(Debug, Default)]
pub struct NetworkingFacts {
    events: NetworkEvents,
    texts: InternedTexts,
    /// By start.
    operations: Vec<Operation>,
    /// Connections opened by `HttpClient`, by start.
    connections: Vec<HttpConnection>,
    /// Events of connections that `HttpClient` closed.
    closings: Vec<EventId>,
    /// Nanoseconds that a request of `HttpClient` waited for a connection.
    queued: Vec<(EventId, i64)>,
}

impl Analysis for NetworkingFacts {
    const HAS_FINDINGS: bool = true;
    const NEEDS: Needs = Needs { spans: true, ..Needs::NONE };

    fn role(event_type: &EventType, _trace: &Trace) -> Option<Role> {
        match (event_type.provider.as_str(), event_type.display_name.as_str()) {
            (_, "EventCounters") => None,
            (NAME_RESOLUTION, "ResolutionStart") | (SOCKETS, "ConnectStart") | (SECURITY, "HandshakeStart") => {
                Some(Role::Counted)
            }
            (NAME_RESOLUTION | SOCKETS | SECURITY, _) => Some(Role::Related),
            (HTTP_CLIENT, "ConnectionEstablished" | "ConnectionClosed") => Some(Role::Related),
            _ => None,
        }
    }
}

impl Facts for NetworkingFacts {
    fn wants(&self, event_type: &EventType) -> bool {
        let name = event_type.display_name.as_str();
        match event_type.provider.as_str() {
            NAME_RESOLUTION | SOCKETS | SECURITY => name != "EventCounters",
            HTTP_CLIENT => name.starts_with("Connection") || name.ends_with("RequestLeftQueue"),
            _ => false,
        }
    }

    fn read(&mut self, store: &Store, chunk: &EventChunk, row: usize, payload: &[u8]) {
        let Some(event_type) = store.types.get(chunk.event_type(row)) else { return };
        let values = decode(&event_type.schema.fields, payload, store.header.pointer_size);
        let place = (chunk.event_id(row), chunk.thread(row), chunk.activity(row));
        self.events.take(event_type, place, values, &mut self.texts);
    }

    fn finish(&mut self, known: &Known<'_>) {
        let events = std::mem::take(&mut self.events);
        self.operations = operations(known, &events, &mut self.texts);
        self.connections = connections(known.store, &events);
        self.closings = events.closed.iter().map(|(event, _)| *event).collect();
        self.queued = events.queued;
    }

    fn report(&self, known: &Known<'_>, scope: &Scope<'_>) -> Report {
        let counted = self.counted(scope);
        let mut report = Report::default();
        self.judge(scope, &counted, &mut report);
        counted.draw(scope, &mut report);
        report.tables.push(self.lookups_table(scope, &counted));
        report.tables.push(self.connections_table(scope, &counted));
        report.tables.push(self.handshakes_table(scope, &counted));
        report.tables.push(self.listeners_table(scope, &counted));
        report.tables.push(self.operations_table(known.store, &counted));
        report
    }

    fn findings(&self, _known: &Known<'_>, scope: &Scope<'_>) -> Vec<Finding> {
        self.find(&self.counted(scope))
    }

    fn bytes(&self) -> usize {
        self.events.bytes()
            + self.texts.bytes()
            + self.operations.len() * size_of::<Operation>()
            + self.connections.len() * size_of::<HttpConnection>()
            + self.closings.len() * size_of::<EventId>()
            + self.queued.len() * size_of::<(EventId, i64)>()
    }
}

/// Operations and connections in scope.
struct Counted<'n> {
    operations: Vec<&'n Operation>,
    opened: Vec<&'n HttpConnection>,
    closings: usize,
}

impl<'n> Counted<'n> {
    fn of(&self, kind: Kind) -> impl Iterator<Item = &'n Operation> + '_ {
        self.operations.iter().copied().filter(move |one| one.kind == kind)
    }
}

impl NetworkingFacts {
    fn counted(&self, scope: &Scope<'_>) -> Counted<'_> {
        Counted {
            operations: self.operations.iter().filter(|one| one.counts(scope)).collect(),
            opened: self.connections.iter().filter(|one| scope.has(one.event)).collect(),
            closings: self.closings.iter().filter(|event| scope.has(**event)).count(),
        }
    }

    /// Returns a text; empty for `None`.
    fn text(&self, position: Option<u32>) -> &str {
        position.map_or("", |position| self.texts.get(position))
    }
}
