//! Incoming and outgoing HTTP requests: by route, host and phase, with their connections.
//!
//! Request tracks define what a request is ([`crate::analysis::intervals::spans::roles`]), so both have the same count.
//! Facts that several providers report about one request are joined by activity and counted once.

mod connecting;
pub(in crate::analysis::topics) mod events;
mod findings;
mod join;
mod one_request;
#[cfg(test)]
mod reference_tests;
mod report;
mod requests;
mod route;
mod slow;
mod tables;
#[cfg(test)]
mod tests;

use super::recorded_topics::{Role, Trace};
use super::shared::interned_texts::InternedTexts;
use super::shared::report::Report;
use super::{Analysis, Facts, IsAbout, Known, Needs, RequestOf, Scope};
use crate::analysis::intervals::spans::roles::RequestSources;
use crate::analysis::measures::Collector;
use crate::analysis::names::items::{item, most_frequent};
use crate::clr::KnownEvent;
use crate::clr::known::payload::ExceptionThrown;
use crate::clr::source_names::{
    DIAGNOSTIC_SOURCE, HOSTING, HTTP_CLIENT, KESTREL, LOGGERS, NAME_RESOLUTION, SECURITY, SOCKETS,
};
use crate::model::{EventChunk, EventType, Store};
use events::{HttpEvents, REQUEST_SOURCES};
use join::join;
use nettrace::{Field, Value, decode};
use protocol::base::hash::FastMap;
use protocol::base::ids::EventId;
use protocol::base::sort::sort_by_key;
use protocol::compare::Subject;
use protocol::names::FoundName;
use protocol::timeline::track::TrackKind;
use protocol::topics::finding::Finding;
use protocol::topics::topic::Topic;
use requests::{Joined, Request};
use route::{route_condition, route_text};

/// The requests of a trace.
#[derive(Debug, Default)]
pub struct HttpFacts {
    events: HttpEvents,
    texts: InternedTexts,
    joined: Joined,
}

impl HttpFacts {
    /// Returns the incoming and the outgoing requests in `scope`.
    fn counted(&self, scope: &Scope<'_>) -> (Counted<'_>, Counted<'_>) {
        let numbered = (0..).zip(&self.joined.requests);
        numbered.filter(|(_, request)| request.counts(scope)).partition(|(_, request)| !request.is_sent)
    }
}

/// Returns the provider and the name of an event.
fn of_event(store: &Store, event: EventId) -> Option<(String, String)> {
    let event_type = store.types.get(store.events.row(event).event_type)?;
    Some((event_type.provider.clone(), event_type.display_name.clone()))
}

/// Returns whether an event of DiagnosticSource is about a request.
fn is_of_request(event_type: &EventType, values: &[Value]) -> bool {
    let is_name = |field: &Field| field.name == "SourceName";
    let source = event_type.schema.fields.iter().zip(values).find(|(field, _)| is_name(field)).map(|(_, value)| value);
    matches!(source, Some(Value::String(source)) if REQUEST_SOURCES.contains(&source.as_str()))
}

/// Requests with their positions among all requests.
type Counted<'r> = Vec<(u32, &'r Request)>;

impl Analysis for HttpFacts {
    const HAS_FINDINGS: bool = true;
    const NEEDS: Needs = Needs {
        spans: true,
        tracks: &[TrackKind::Logs, TrackKind::Contention, TrackKind::Jit],
        handle_waits: true,
        requests: false,
    };
    const IS_ABOUT: Option<IsAbout> = Some(|event_type, values| is_of_request(event_type, &values));

    fn role(event_type: &EventType, trace: &Trace) -> Option<Role> {
        use Role::{Counted, Related};
        let name = event_type.display_name.as_str();
        match (event_type.provider.as_str(), name) {
            (KESTREL | HTTP_CLIENT, "RequestStart") => Some(Counted),
            // Both report the same requests.
            (HOSTING, "RequestStart") => Some(if trace.request_sources.kestrel { Related } else { Counted }),
            (KESTREL | HTTP_CLIENT | HOSTING, _) => (name != "EventCounters").then_some(Related),
            // Libraries also report requests through activities; their payloads decide when they are read.
            (DIAGNOSTIC_SOURCE, _) => (event_type.edge().is_some() && name.contains("Activity")).then_some(Related),
            _ => None,
        }
    }
}

impl Facts for HttpFacts {
    fn wants(&self, event_type: &EventType) -> bool {
        let name = event_type.display_name.as_str();
        match event_type.provider.as_str() {
            KESTREL | HOSTING => ["RequestStart", "ConnectionStart"].contains(&name),
            HTTP_CLIENT => {
                name.starts_with("Request") || name.starts_with("Connection") || name == "ResponseHeadersStop"
            }
            NAME_RESOLUTION | SOCKETS | SECURITY => name.ends_with("Start") || name.ends_with("Failed"),
            DIAGNOSTIC_SOURCE => name.ends_with("Start") || name.ends_with("Stop"),
            LOGGERS => name == "FormattedMessage" || name == "MessageJson",
            _ => event_type.known == KnownEvent::ExceptionThrown,
        }
    }

    fn read(&mut self, store: &Store, chunk: &EventChunk, row: usize, payload: &[u8]) {
        let Some(event_type) = store.types.get(chunk.event_type(row)) else { return };
        let event = chunk.event_id(row);
        if event_type.known == KnownEvent::ExceptionThrown {
            if let Some(thrown) =
                ExceptionThrown::read(payload, store.header.pointer_size).filter(|_| chunk.activity(row).0 != 0)
            {
                self.events.thrown(event, &thrown.type_name.to_string(), &mut self.texts);
            }
            return;
        }
        let values = decode(&event_type.schema.fields, payload, store.header.pointer_size);
        self.events.take(event_type, event, values, &mut self.texts);
    }

    fn finish(&mut self, known: &Known<'_>) {
        self.events.seal();
        self.joined = join(known, &self.events, &mut self.texts);
        self.events = HttpEvents::default();
    }

    fn report(&self, known: &Known<'_>, scope: &Scope<'_>) -> Report {
        let (served, sent) = self.counted(scope);
        let mut report = Report::default();
        self.judge(scope, &served, &sent, &mut report);
        let mut counted: Counted<'_> = served.iter().chain(&sent).copied().collect();
        sort_by_key(&mut counted, |(at, _)| *at);
        self.draw(scope, &counted, &mut report);
        report.tables.push(self.incoming_table(known.store, &served));
        report.tables.push(self.outgoing_table(known.store, &sent));
        report.tables.push(self.routes_table(&served));
        report.tables.push(self.hosts_table(scope, &sent));
        report.tables.push(self.parts_table(known.store, scope));
        report.tables.push(self.connections_table(scope));
        report.tables.push(self.steps_table(scope));
        let sources = RequestSources::new(known.store);
        let server = match (sources.kestrel, sources.served) {
            (true, _) => Some(KESTREL),
            (false, served) => served.then_some(HOSTING),
        };
        let client = sources.sent.then_some(HTTP_CLIENT);
        for (words, provider, requests) in
            [("View incoming request stacks", server, &served), ("View outgoing request stacks", client, &sent)]
        {
            // Requests without a specific provider are reported through DiagnosticSource.
            let other = || requests.first().and_then(|(_, request)| of_event(known.store, request.event));
            let own = provider.map(|provider| (provider.to_owned(), "RequestStart".to_owned()));
            if let Some((provider, event)) = own.or_else(other).filter(|_| !requests.is_empty()) {
                report.view_stacks(words, &provider, &event);
            }
        }
        report
    }

    fn findings(&self, known: &Known<'_>, scope: &Scope<'_>) -> Vec<Finding> {
        let (served, sent) = self.counted(scope);
        self.find(known.store, scope, &served, &sent)
    }

    fn effects(&self, known: &Known<'_>, scope: &Scope<'_>, causes: &[Finding]) -> Vec<Finding> {
        let (served, _) = self.counted(scope);
        let found = [self.delayed(known.store, scope, &served, causes), self.slow(known, scope, &served, causes)];
        found.into_iter().flatten().collect()
    }

    fn routes(&self) -> FastMap<EventId, String> {
        let served = self.joined.requests.iter().filter(|one| !one.is_sent && !self.text(one.route).is_empty());
        served.map(|one| (one.event, self.name_of(one))).collect()
    }

    fn request(&self, event: EventId) -> Option<RequestOf> {
        self.one_request(event)
    }

    fn items(&self) -> Vec<FoundName> {
        let served = self.joined.requests.iter().filter(|request| !request.is_sent);
        let route = |((method, route), count): ((u32, u32), u64)| {
            let (method, route) = (self.text(method), self.text(route));
            item(Topic::Http, route_text(method, route), (count, "request"), route_condition(method, route))
        };
        most_frequent(served.map(|request| (request.method, request.route))).into_iter().map(route).collect()
    }

    /// Adds the durations of requests, in total and by route or host, and the number of failed ones.
    fn measures(&self, _known: &Known<'_>, scope: &Scope<'_>, into: &mut Collector) {
        let (served, sent) = self.counted(scope);
        for (subject, requests) in [(Subject::Requests, &served), (Subject::SentRequests, &sent)] {
            if requests.is_empty() {
                continue;
            }
            into.record(subject);
            for (_, request) in requests {
                let Some(nanos) = request.duration() else { continue };
                let place = self.texts.get(if request.is_sent { request.host } else { request.route });
                let name = [self.texts.get(request.method), place].join(" ");
                into.add(subject, "", request.start, nanos as f64);
                into.add(subject, name.trim(), request.start, nanos as f64);
            }
        }
        if !served.is_empty() {
            into.record(Subject::FailedRequests);
        }
        for (_, request) in served.iter().filter(|(_, request)| request.is_failed()) {
            into.add(Subject::FailedRequests, "", request.start, 1.0);
        }
    }

    fn bytes(&self) -> usize {
        self.events.bytes() + self.texts.bytes() + self.joined.bytes()
    }
}
