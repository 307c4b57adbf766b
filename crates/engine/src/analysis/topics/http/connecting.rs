//! Connections, and the steps that establish them.

use super::events::HttpFact;
use super::join::{Joining, event_name};
use super::requests::{Connection, NONE};
use crate::clr::source_names::{KESTREL, NAME_RESOLUTION, SECURITY, SOCKETS};
use protocol::base::hash::FastMap;
use protocol::base::ids::EventId;

impl Joining<'_> {
    /// Returns, by span, why a DNS lookup, connect or TLS step failed.
    pub(super) fn failed_steps(&self) -> FastMap<u32, u32> {
        let reasons = self.events.facts.iter().filter_map(|(event, fact)| match fact {
            HttpFact::StepFailed(reason) => Some((*event, *reason)),
            _ => None,
        });
        let of = |(event, reason): (EventId, u32)| {
            let row = self.store().events.row(event);
            let time = self.store().clock.nanos(row.ticks).0;
            let is_step = |at: &u32| {
                let span = self.spans.spans().get(*at as usize);
                span.is_some_and(|span| {
                    [NAME_RESOLUTION, SOCKETS, SECURITY].contains(&self.spans.text(span.interval.note))
                })
            };
            // Use the failure's own activity, or the surrounding one that contains it.
            let at = self.spans.begun_in_activity(row.activity, time).next()?;
            let step = std::iter::once(at).chain(self.spans.above(at).take(2)).find(is_step)?;
            Some((step, reason))
        };
        reasons.filter_map(of).collect()
    }

    /// Adds the connections that the app opened.
    pub(super) fn client_connections(&mut self, over: &FastMap<u64, u64>) {
        let mut open: FastMap<u64, usize> = FastMap::default();
        let events = self.events;
        for one in &events.connections {
            let time = self.store().clock.nanos(self.store().events.row(one.event).ticks).0;
            if !one.is_opened {
                if let Some(connection) = open.remove(&one.number).and_then(|at| self.joined.connections.get_mut(at)) {
                    connection.end = Some(time);
                }
                continue;
            }
            open.insert(one.number, self.joined.connections.len());
            let request = self.owner_of(one.event).unwrap_or(NONE);
            self.joined.connections.push(Connection {
                event: one.event,
                is_sent: true,
                peer: one.host,
                version: one.version,
                start: time,
                end: None,
                requests: over.get(&one.number).copied().unwrap_or(0),
                request,
            });
        }
    }

    /// Adds the connections that Kestrel accepted.
    pub(super) fn server_connections(&mut self) {
        let mut requests: FastMap<u32, u64> = FastMap::default();
        for request in self.joined.requests.iter().filter(|request| !request.is_sent) {
            *requests.entry(request.connection).or_default() += 1;
        }
        let empty = self.texts.position("");
        for span in self.spans.spans() {
            let interval = &span.interval;
            if self.spans.text(interval.note) != KESTREL
                || event_name(self.known.store, interval.event) != "ConnectionStart"
            {
                continue;
            }
            let number = self.events.connection(interval.event).unwrap_or(NONE);
            self.joined.connections.push(Connection {
                event: interval.event,
                is_sent: false,
                peer: self.events.name(interval.event).unwrap_or(empty),
                version: empty,
                start: interval.start,
                end: interval.is_whole().then_some(interval.end),
                requests: requests.get(&number).copied().unwrap_or(0),
                request: NONE,
            });
        }
    }
}
