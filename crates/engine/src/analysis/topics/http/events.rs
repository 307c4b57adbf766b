//! Facts from events about requests, connections, and their DNS, connect and TLS steps.

use crate::analysis::intervals::spans::routes::route_of;
use crate::analysis::topics::shared::interned_texts::InternedTexts;
use crate::analysis::topics::shared::network_names::{failure_reason, host, http_version, is_server, socket_address};
use crate::analysis::values::fields::{Decoded, arguments, number, pairs, text, whole};
use crate::clr::source_names::{
    DIAGNOSTIC_SOURCE, HOSTING, HTTP_CLIENT, KESTREL, LOGGERS, NAME_RESOLUTION, SECURITY, SOCKETS,
};
use crate::model::EventType;
use nettrace::{Field, Value};
use protocol::base::ids::EventId;

/// DiagnosticSource names of activities that are requests.
pub const REQUEST_SOURCES: [&str; 3] = ["Microsoft.AspNetCore", "System.Net.Http", "HttpHandlerDiagnosticListener"];

/// Values of the event that starts a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Beginning {
    pub event: EventId,
    /// Positions of texts.
    pub method: u32,
    pub target: u32,
    pub route: u32,
    pub host: u32,
    pub connection: u32,
}

/// A fact that an event records about the request in whose activity it is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum HttpFact {
    Status(u16),
    /// Position of a text.
    Method(u32),
    /// URL and route of the request: positions of texts.
    Target(u32, u32),
    /// Position of a text.
    Host(u32),
    /// Position of a text.
    Route(u32),
    /// Position of a text.
    Failed(u32),
    /// Nanoseconds that the request waited for a connection.
    Queued(i64),
    /// ID of the connection that the request uses.
    Connection(u64),
    /// Type of a thrown exception: position of a text.
    Thrown(u32),
    /// A DNS, connect or TLS step failed: position of a text.
    StepFailed(u32),
}

/// A connection that the app opened or closes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ClientConnection {
    pub event: EventId,
    pub number: u64,
    pub is_opened: bool,
    /// Positions of texts.
    pub host: u32,
    pub version: u32,
}

/// All facts, in event order.
#[derive(Debug, Default)]
pub(super) struct HttpEvents {
    pub beginnings: Vec<Beginning>,
    pub facts: Vec<(EventId, HttpFact)>,
    pub connections: Vec<ClientConnection>,
    /// Name of the span that starts with an event (a host or an address).
    pub names: Vec<(EventId, u32)>,
    /// ID of an accepted connection, by the event of its start: position of a text.
    accepted: Vec<(EventId, u32)>,
}

impl HttpEvents {
    /// Ends reading, after the last event.
    pub fn seal(&mut self) {
        self.beginnings.sort_unstable_by_key(|one| one.event);
        self.names.sort_unstable_by_key(|one| one.0);
        self.accepted.sort_unstable_by_key(|one| one.0);
    }

    /// Returns the ID of the connection that was accepted with an event.
    pub fn connection(&self, event: EventId) -> Option<u32> {
        let at = self.accepted.binary_search_by_key(&event, |one| one.0).ok()?;
        self.accepted.get(at).map(|one| one.1)
    }

    /// Returns the values of the request that starts with an event.
    pub fn beginning(&self, event: EventId) -> Option<&Beginning> {
        let at = self.beginnings.binary_search_by_key(&event, |one| one.event).ok()?;
        self.beginnings.get(at)
    }

    /// Returns the name of the span that starts with an event.
    pub fn name(&self, event: EventId) -> Option<u32> {
        let at = self.names.binary_search_by_key(&event, |one| one.0).ok()?;
        self.names.get(at).map(|one| one.1)
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.beginnings.len() * size_of::<Beginning>()
            + self.facts.len() * size_of::<(EventId, HttpFact)>()
            + self.connections.len() * size_of::<ClientConnection>()
            + (self.names.len() + self.accepted.len()) * size_of::<(EventId, u32)>()
    }

    /// Adds the facts from an event of one of the providers.
    pub fn take(&mut self, event_type: &EventType, event: EventId, values: Vec<Value>, texts: &mut InternedTexts) {
        let fields: Vec<(&Field, Value)> = event_type.schema.fields.iter().zip(values).collect();
        let name = event_type.display_name.as_str();
        match (event_type.provider.as_str(), name) {
            (KESTREL | HOSTING, "RequestStart") => self.served(event, &fields, texts),
            (HTTP_CLIENT, "RequestStart") => self.sent(event, &fields, texts),
            (HTTP_CLIENT, "RequestStop" | "ResponseHeadersStop") => {
                self.say(event, whole(&fields, "statusCode").and_then(status).map(HttpFact::Status));
            }
            (HTTP_CLIENT, "RequestFailed") => {
                let reason = match text(&fields, "exceptionMessage") {
                    "" => "failed",
                    reason => reason,
                };
                self.say(event, Some(HttpFact::Failed(texts.position(reason))));
            }
            (HTTP_CLIENT, _) if name.ends_with("RequestLeftQueue") => {
                let waited = number(&fields, "timeOnQueueMilliseconds").filter(|waited| *waited >= 0.0);
                self.say(event, waited.map(|waited| HttpFact::Queued((waited * 1e6) as i64)));
            }
            (HTTP_CLIENT, "RequestHeadersStart") => {
                let number = whole(&fields, "connectionId").and_then(|number| u64::try_from(number).ok());
                self.say(event, number.map(HttpFact::Connection));
            }
            (HTTP_CLIENT, "ConnectionEstablished" | "ConnectionClosed") => {
                self.client_connection(event, name, &fields, texts)
            }
            (KESTREL, "ConnectionStart") => {
                self.names.push((event, texts.position(text(&fields, "remoteEndPoint"))));
                self.accepted.push((event, texts.position(text(&fields, "connectionId"))));
            }
            (NAME_RESOLUTION, "ResolutionStart") => {
                self.names.push((event, texts.position(text(&fields, "hostNameOrAddress"))))
            }
            (SOCKETS, "ConnectStart") => {
                self.names.push((event, texts.position(&socket_address(text(&fields, "address")))))
            }
            (SECURITY, "HandshakeStart") => {
                let name = if is_server(&fields) { "(server side)" } else { text(&fields, "targetHost") };
                self.names.push((event, texts.position(name)));
            }
            (NAME_RESOLUTION | SOCKETS | SECURITY, "ResolutionFailed" | "ConnectFailed" | "HandshakeFailed") => {
                self.say(event, Some(HttpFact::StepFailed(texts.position(&failure_reason(&fields)))));
            }
            (DIAGNOSTIC_SOURCE, _) => self.diagnostics(event, &fields, texts),
            (LOGGERS, _) => self.log(event, &fields, texts),
            _ => {}
        }
    }

    /// Adds a thrown exception.
    pub fn thrown(&mut self, event: EventId, type_name: &str, texts: &mut InternedTexts) {
        self.say(event, Some(HttpFact::Thrown(texts.position(type_name))));
    }

    fn say(&mut self, event: EventId, fact: Option<HttpFact>) {
        self.facts.extend(fact.map(|fact| (event, fact)));
    }

    fn served(&mut self, event: EventId, fields: &Decoded<'_>, texts: &mut InternedTexts) {
        let path = text(fields, "path");
        self.beginnings.push(Beginning {
            event,
            method: texts.position(text(fields, "method")),
            target: texts.position(path),
            route: texts.position(&route_of(path)),
            host: texts.position(""),
            connection: texts.position(text(fields, "connectionId")),
        });
    }

    fn sent(&mut self, event: EventId, fields: &Decoded<'_>, texts: &mut InternedTexts) {
        let path = text(fields, "pathAndQuery");
        self.beginnings.push(Beginning {
            event,
            method: texts.position(""),
            target: texts.position(path),
            route: texts.position(&route_of(path)),
            host: texts.position(&host(fields)),
            connection: texts.position(""),
        });
    }

    fn client_connection(&mut self, event: EventId, name: &str, fields: &Decoded<'_>, texts: &mut InternedTexts) {
        let Some(number) = whole(fields, "connectionId").and_then(|number| u64::try_from(number).ok()) else { return };
        self.connections.push(ClientConnection {
            event,
            number,
            is_opened: name == "ConnectionEstablished",
            host: texts.position(&host(fields)),
            version: texts.position(&http_version(fields)),
        });
    }

    /// Adds facts that libraries report through DiagnosticSource at a request's start and end.
    fn diagnostics(&mut self, event: EventId, fields: &Decoded<'_>, texts: &mut InternedTexts) {
        let source = text(fields, "SourceName");
        if !REQUEST_SOURCES.contains(&source) {
            return;
        }
        let is_sent = source != "Microsoft.AspNetCore";
        for (key, value) in arguments(pairs(fields)) {
            self.argument(event, is_sent, key, value, texts);
            if key == "Tags" {
                tags(value).for_each(|(key, value)| self.argument(event, is_sent, key, value, texts));
            }
        }
    }

    fn argument(&mut self, event: EventId, is_sent: bool, key: &str, value: &str, texts: &mut InternedTexts) {
        let mut target = |path: &str| HttpFact::Target(texts.position(path), texts.position(&route_of(path)));
        let fact = match key {
            _ if value.is_empty() => None,
            "StatusCode" | "http.response.status_code" | "http.status_code" => {
                value.parse().ok().and_then(status).map(HttpFact::Status)
            }
            "Path" | "url.path" | "http.target" if !is_sent => Some(target(value)),
            "RequestUri" | "url.full" | "http.url" if is_sent => {
                let (host, path) = host_and_path(value);
                let target = target(path);
                self.say(event, Some(HttpFact::Host(texts.position(&host))));
                Some(target)
            }
            "Method" | "http.request.method" | "http.method" => Some(HttpFact::Method(texts.position(value))),
            "http.route" => Some(HttpFact::Route(texts.position(&rooted(value)))),
            _ => None,
        };
        self.say(event, fact);
    }

    /// Adds facts that ASP.NET Core logs about a request: its endpoint and its status.
    fn log(&mut self, event: EventId, fields: &Decoded<'_>, texts: &mut InternedTexts) {
        let message = text(fields, "FormattedMessage");
        let fact = match text(fields, "LoggerName") {
            "Microsoft.AspNetCore.Hosting.Diagnostics" if message.starts_with("Request finished ") => {
                let status_of = message.split(" - ").nth(1).and_then(|rest| rest.split(' ').next());
                status_of.and_then(|code| code.parse().ok()).and_then(status).map(HttpFact::Status)
            }
            "Microsoft.AspNetCore.Routing.EndpointMiddleware" => {
                endpoint(message).map(|route| HttpFact::Route(texts.position(&route)))
            }
            _ => None,
        };
        self.say(event, fact);
    }
}

/// Splits "https://shop:5081/orders?x=1" into the host, without a default port, and the rest.
fn host_and_path(url: &str) -> (String, &str) {
    let Some((scheme, rest)) = url.split_once("://") else { return (String::new(), url) };
    let (host, path) = match rest.find(['/', '?', '#']) {
        Some(at) => rest.split_at(at),
        None => (rest, "/"),
    };
    let known = match scheme {
        "https" => ":443",
        _ => ":80",
    };
    (format!("{scheme}://{}", host.strip_suffix(known).unwrap_or(host)), path)
}

/// Returns the route in "Executing endpoint 'HTTP: GET /orders/{id:int}'".
fn endpoint(message: &str) -> Option<String> {
    let name = message.strip_prefix("Executing endpoint '")?.strip_suffix('\'')?;
    let route = name.rsplit(' ').find(|part| part.starts_with('/')).map(str::to_owned);
    route.filter(|route| route.len() > 1 || name.ends_with(" /"))
}

fn rooted(route: &str) -> String {
    if route.starts_with('/') { route.to_owned() } else { format!("/{route}") }
}

/// Returns a valid response status.
fn status(code: i64) -> Option<u16> {
    u16::try_from(code).ok().filter(|code| (100..1000).contains(code))
}

/// Returns the names and values in "[http.route, /orders],[order.id, 13]".
pub(in crate::analysis::topics) fn tags(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let inner = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or("");
    inner.split("],[").filter_map(|tag| tag.split_once(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_have_a_host_and_a_path() {
        let parts = |url| {
            let (host, path) = host_and_path(url);
            format!("{host} {path}")
        };
        assert_eq!(parts("https://pay.example:443/charge/0?x=1"), "https://pay.example /charge/0?x=1");
        assert_eq!(parts("http://stock:5081"), "http://stock:5081 /");
        assert_eq!(parts("/orders"), " /orders");
    }

    #[test]
    fn tags_are_names_and_values() {
        let found: Vec<_> =
            tags("[db.system.name, postgresql],[db.query.text, SELECT id, total FROM orders]").collect();
        assert_eq!(found, [("db.system.name", "postgresql"), ("db.query.text", "SELECT id, total FROM orders")]);
        assert_eq!(tags("").count(), 0);
    }

    #[test]
    fn endpoint_name_contains_route() {
        assert_eq!(endpoint("Executing endpoint 'HTTP: GET /orders/{id:int}'").as_deref(), Some("/orders/{id:int}"));
        assert_eq!(endpoint("Executing endpoint 'Shop.Pages.Index (Shop)'"), None);
        assert_eq!(endpoint("Executed endpoint"), None);
    }
}
