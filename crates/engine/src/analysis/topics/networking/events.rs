//! Facts from events about DNS lookups, connects, TLS handshakes and connections.

use crate::analysis::topics::shared::interned_texts::InternedTexts;
use crate::analysis::topics::shared::network_names::{failure_reason, host, http_version, is_server, socket_address};
use crate::analysis::values::fields::{Decoded, number, text, whole};
use crate::clr::source_names::{HTTP_CLIENT, NAME_RESOLUTION, SECURITY, SOCKETS};
use crate::model::EventType;
use nettrace::{Field, Value};
use protocol::base::hash::FastMap;
use protocol::base::ids::{ActivityId, EventId, ThreadId};
use std::net::{IpAddr, SocketAddr};

/// Kind of a network operation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Kind {
    Lookup,
    Connect,
    /// Wait of a listener for the next connection.
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

    /// Returns the noun in sentences.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Lookup => "DNS lookup",
            Self::Connect => "connection attempt",
            Self::Accept => "accept",
            Self::Handshake => "TLS handshake",
        }
    }

    /// Returns the plural in labels.
    pub fn plural(self) -> &'static str {
        match self {
            Self::Lookup => "DNS lookups",
            Self::Connect => "Connection attempts",
            Self::Accept => "Accepts",
            Self::Handshake => "TLS handshakes",
        }
    }
}

pub(super) type Place = (EventId, ThreadId, ActivityId);

/// Values of the event that starts an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Beginning {
    /// Host or address for display: position of a text.
    pub target: u32,
    /// Host or address as in the event: position of a text.
    pub recorded: u32,
    /// True if the app is the server of a TLS handshake.
    pub is_server: bool,
}

/// Connection opened by `HttpClient`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Opening {
    pub event: EventId,
    /// ID of the connection; `None` before .NET 8.
    pub number: Option<i64>,
    /// Positions of texts; addresses are empty before .NET 8.
    pub host: u32,
    pub address: u32,
    pub recorded: u32,
    pub port: i64,
    pub version: u32,
}

/// All facts, in event order.
#[derive(Debug, Default)]
pub(super) struct NetworkEvents {
    beginnings: FastMap<EventId, Beginning>,
    /// Reason of the failure, or TLS version, by the operation's last event: positions of texts.
    failures: FastMap<EventId, u32>,
    protocols: FastMap<EventId, u32>,
    /// Failures whose stop event comes next on the thread.
    failing: FastMap<(Kind, ThreadId), (ActivityId, u32)>,
    pub opened: Vec<Opening>,
    pub closed: Vec<(EventId, Option<i64>)>,
    /// Nanoseconds that a request waited for a connection.
    pub queued: Vec<(EventId, i64)>,
}

impl NetworkEvents {
    /// Returns the values of the operation that starts with an event.
    pub fn beginning(&self, event: EventId) -> Option<&Beginning> {
        self.beginnings.get(&event)
    }

    /// Returns why the operation that ends with an event failed.
    pub fn failure(&self, event: EventId) -> Option<u32> {
        self.failures.get(&event).copied()
    }

    /// Returns the TLS version of the handshake that ends with an event.
    pub fn protocol(&self, event: EventId) -> Option<u32> {
        self.protocols.get(&event).copied()
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.beginnings.len() * size_of::<(EventId, Beginning)>()
            + (self.failures.len() + self.protocols.len()) * size_of::<(EventId, u32)>()
            + self.failing.len() * size_of::<((Kind, ThreadId), (ActivityId, u32))>()
            + self.opened.len() * size_of::<Opening>()
            + self.closed.len() * size_of::<(EventId, Option<i64>)>()
            + self.queued.len() * size_of::<(EventId, i64)>()
    }

    /// Adds the facts of an event.
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

    /// Ends an operation. The runtime writes a failure and the stop of the same operation one after the other, on one thread.
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

/// Returns the operation that an event is about, and the rest of its name: Start, Stop, Failed or Canceled.
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

/// Formats an address ("::ffff:127.0.0.1") and a port as "127.0.0.1:5080".
fn ip_address(address: &str, port: i64) -> String {
    match (address.parse::<IpAddr>(), u16::try_from(port)) {
        (Ok(address), Ok(port)) => SocketAddr::new(address.to_canonical(), port).to_string(),
        _ => address.to_owned(),
    }
}

/// Returns the TLS version with a number of `SslProtocols`; `None` if the handshake failed.
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
