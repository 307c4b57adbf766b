//! What events say of DNS lookups, connects, TLS handshakes and connections.

use crate::analysis::topics::shared::interned_texts::InternedTexts;
use crate::analysis::topics::shared::network_names::{failure_reason, host, http_version, is_server, socket_address};
use crate::analysis::values::fields::{Decoded, number, text, whole};
use crate::clr::source_names::{HTTP_CLIENT, NAME_RESOLUTION, SECURITY, SOCKETS};
use crate::model::EventType;
use nettrace::{Field, Value};
use protocol::base::hash::FastMap;
use protocol::base::ids::{ActivityId, EventId, ThreadId};
use std::net::{IpAddr, SocketAddr};

/// What is done on a network.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Kind {
    Lookup,
    Connect,
    /// Lasts from waiting for a connection until there is one.
    Accept,
    Handshake,
}

impl Kind {
    pub fn words(self) -> &'static str {
        match self {
            Self::Lookup => "DNS lookup",
            Self::Connect => "Connect",
            Self::Accept => "Accept",
            Self::Handshake => "TLS handshake",
        }
    }
}

/// The event, its thread and its activity.
pub(super) type Place = (EventId, ThreadId, ActivityId);

/// What the start of an operation says.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Beginning {
    /// Host or address as people write it: position of a text.
    pub target: u32,
    /// The same as the event has it.
    pub recorded: u32,
    /// Whether the program is the server of a TLS handshake.
    pub is_server: bool,
}

/// A connection that `HttpClient` opened.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Opening {
    pub event: EventId,
    /// None before .NET 8.
    pub number: Option<i64>,
    /// Positions of texts; addresses are empty before .NET 8.
    pub host: u32,
    pub address: u32,
    pub recorded: u32,
    pub port: i64,
    pub version: u32,
}

/// Everything that was said, in the order in which it was.
#[derive(Debug, Default)]
pub(super) struct NetworkEvents {
    beginnings: FastMap<EventId, Beginning>,
    /// By the event that an operation ends with: why it failed, and with which protocol it succeeded.
    failures: FastMap<EventId, u32>,
    protocols: FastMap<EventId, u32>,
    /// By kind and thread: a failure whose stop comes next.
    failing: FastMap<(Kind, ThreadId), (ActivityId, u32)>,
    pub opened: Vec<Opening>,
    pub closed: Vec<(EventId, Option<i64>)>,
    /// How long requests waited for a connection, nanoseconds.
    pub queued: Vec<(EventId, i64)>,
}

impl NetworkEvents {
    /// What the operation that begins with an event is about.
    pub fn beginning(&self, event: EventId) -> Option<&Beginning> {
        self.beginnings.get(&event)
    }

    /// Why the operation that ends with an event failed.
    pub fn failure(&self, event: EventId) -> Option<u32> {
        self.failures.get(&event).copied()
    }

    /// The protocol of the handshake that ends with an event.
    pub fn protocol(&self, event: EventId) -> Option<u32> {
        self.protocols.get(&event).copied()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.beginnings.len() * size_of::<(EventId, Beginning)>()
            + (self.failures.len() + self.protocols.len()) * size_of::<(EventId, u32)>()
            + self.failing.len() * size_of::<((Kind, ThreadId), (ActivityId, u32))>()
            + self.opened.len() * size_of::<Opening>()
            + self.closed.len() * size_of::<(EventId, Option<i64>)>()
            + self.queued.len() * size_of::<(EventId, i64)>()
    }

    /// Takes in what an event says.
    pub fn take(&mut self, event_type: &EventType, place: Place, values: Vec<Value>, texts: &mut InternedTexts) {
        let fields: Vec<(&Field, Value)> = event_type.schema.fields.iter().zip(values).collect();
        let name = event_type.display_name.as_str();
        match event_type.provider.as_str() {
            HTTP_CLIENT => self.of_client(name, place.0, &fields, texts),
            provider => {
                let Some((kind, what)) = operation_of(provider, name) else { return };
                match what {
                    "Start" => self.begin(kind, place.0, &fields, texts),
                    "Stop" => self.end(kind, place, &fields, texts),
                    _ => {
                        let reason = texts.position(&failure_reason(&fields));
                        self.failing.insert((kind, place.1), (place.2, reason));
                    }
                }
            }
        }
    }

    fn begin(&mut self, kind: Kind, event: EventId, fields: &Decoded<'_>, texts: &mut InternedTexts) {
        let field = match kind {
            Kind::Lookup => "hostNameOrAddress",
            Kind::Connect | Kind::Accept => "address",
            Kind::Handshake => "targetHost",
        };
        let recorded = text(fields, field);
        let target = match kind {
            Kind::Connect | Kind::Accept => texts.position(&socket_address(recorded)),
            Kind::Lookup | Kind::Handshake => texts.position(recorded),
        };
        let is_server = kind == Kind::Handshake && is_server(fields);
        let recorded = texts.position(recorded);
        self.beginnings.insert(event, Beginning { target, recorded, is_server });
    }

    /// A failure is followed by the stop of the same operation on the same thread.
    fn end(&mut self, kind: Kind, (event, thread, activity): Place, fields: &Decoded<'_>, texts: &mut InternedTexts) {
        if let Some((of, reason)) = self.failing.remove(&(kind, thread))
            && of == activity
        {
            self.failures.insert(event, reason);
        }
        if let Some(version) = whole(fields, "protocol").and_then(tls_version) {
            self.protocols.insert(event, texts.position(version));
        }
    }

    fn of_client(&mut self, name: &str, event: EventId, fields: &Decoded<'_>, texts: &mut InternedTexts) {
        let connection = whole(fields, "connectionId");
        match name {
            "ConnectionEstablished" => {
                let (recorded, port) = (text(fields, "remoteAddress"), whole(fields, "port").unwrap_or(0));
                let address = if recorded.is_empty() { String::new() } else { ip_address(recorded, port) };
                let host = if connection.is_some() { host(fields) } else { String::new() };
                self.opened.push(Opening {
                    event,
                    number: connection,
                    host: texts.position(&host),
                    address: texts.position(&address),
                    recorded: texts.position(recorded),
                    port,
                    version: texts.position(&http_version(fields)),
                });
            }
            "ConnectionClosed" => self.closed.push((event, connection)),
            _ => {
                let waited = number(fields, "timeOnQueueMilliseconds").filter(|waited| *waited >= 0.0);
                self.queued.extend(waited.map(|waited| (event, (waited * 1e6) as i64)));
            }
        }
    }
}

/// What an event is about, and which part of it: its name without the operation.
pub(super) fn operation_of<'n>(provider: &str, name: &'n str) -> Option<(Kind, &'n str)> {
    let (kind, what) = match provider {
        NAME_RESOLUTION => (Kind::Lookup, name.strip_prefix("Resolution")?),
        SECURITY => (Kind::Handshake, name.strip_prefix("Handshake")?),
        SOCKETS => match name.strip_prefix("Connect") {
            Some(what) => (Kind::Connect, what),
            None => (Kind::Accept, name.strip_prefix("Accept")?),
        },
        _ => return None,
    };
    ["Start", "Stop", "Failed", "Canceled"].contains(&what).then_some((kind, what))
}

/// An address ("::ffff:127.0.0.1") and its port as people write them: "127.0.0.1:5080".
fn ip_address(address: &str, port: i64) -> String {
    match (address.parse::<IpAddr>(), u16::try_from(port)) {
        (Ok(address), Ok(port)) => SocketAddr::new(address.to_canonical(), port).to_string(),
        _ => address.to_owned(),
    }
}

/// The version of TLS by its number in `SslProtocols`; none if a handshake failed.
fn tls_version(number: i64) -> Option<&'static str> {
    Some(match number {
        12 => "SSL 2.0",
        48 => "SSL 3.0",
        192 => "TLS 1.0",
        768 => "TLS 1.1",
        3_072 => "TLS 1.2",
        12_288 => "TLS 1.3",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_connections_are_those_of_sockets() {
        assert_eq!(ip_address("::ffff:127.0.0.1", 5080), "127.0.0.1:5080");
        assert_eq!(ip_address("2001:db8::1", 443), "[2001:db8::1]:443");
        assert_eq!(ip_address("pipe", 0), "pipe");
    }
}
