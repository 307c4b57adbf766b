//! Tables of network operations.

use super::events::Kind;
use super::operations::{HttpConnection, Operation};
use super::report::durations_of;
use super::{Counted, NetworkingFacts};
use crate::analysis::topics::Scope;
use crate::analysis::topics::shared::durations;
use crate::analysis::topics::shared::groups::{grouped, ranked};
use crate::analysis::topics::shared::report::percentile;
use crate::analysis::topics::shared::table::{Columns, RowTarget, Table};
use crate::clr::source_names::{HTTP_CLIENT, NAME_RESOLUTION, SECURITY, SOCKETS};
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::EventId;
use protocol::base::time::Span;
use protocol::filter::word;
use protocol::topics::report::Unit;

/// Maximum number of texts in a cell, and of forms of one address in a condition.
const MAX_LISTED: usize = 4;

/// Connects and HTTP connections to one remote address.
#[derive(Default)]
struct Peer<'n> {
    connects: Vec<&'n Operation>,
    opened: Vec<&'n HttpConnection>,
}

impl<'n> Counted<'n> {
    /// Returns the operations of a kind by target, most first.
    pub(super) fn by_target(&self, kind: Kind) -> Vec<(u32, Vec<&'n Operation>)> {
        grouped(self.of(kind), |one| one.target, Vec::len)
    }

    /// Returns connects and HTTP connections by address, most first.
    fn peers(&self) -> Vec<(u32, Peer<'n>)> {
        let mut peers: FastMap<u32, Peer<'n>> = FastMap::default();
        for one in self.of(Kind::Connect) {
            peers.entry(one.target).or_default().connects.push(one);
        }
        for one in &self.opened {
            peers.entry(one.address).or_default().opened.push(one);
        }
        ranked(peers, |of| of.connects.len().max(of.opened.len()))
    }
}

impl NetworkingFacts {
    pub(super) fn lookups_table(&self, scope: &Scope<'_>, all: &Counted<'_>) -> Table {
        let lookups: Vec<_> =
            all.by_target(Kind::Lookup).into_iter().map(|(host, of)| (host, Group::new(of))).collect();
        Table::of("lookups", "DNS lookups", &lookups)
            .words("host", "Host", |(host, _)| self.texts.get(*host))
            .figures("Lookups", scope, |(_, of)| (of, of.operations.len()))
            .words("failure", "Error", |(_, of)| self.reasons(&of.operations))
            .target(|(_, of)| of.target(self.condition(NAME_RESOLUTION, "hostNameOrAddress", &of.operations)))
    }

    pub(super) fn handshakes_table(&self, scope: &Scope<'_>, all: &Counted<'_>) -> Table {
        let mut handshakes = Vec::new();
        for (host, of_host) in all.by_target(Kind::Handshake) {
            let (served, sent): (Vec<&Operation>, Vec<&Operation>) = of_host.into_iter().partition(|one| one.is_server);
            let sides = [(sent, "outgoing"), (served, "incoming")].into_iter().filter(|(of, _)| !of.is_empty());
            handshakes.extend(sides.map(|(of, side)| (host, side, Group::new(of))));
        }
        Table::of("handshakes", "TLS handshakes", &handshakes)
            .words("host", "Host", |(host, ..)| self.texts.get(*host))
            .words("side", "Direction", |(_, side, _)| *side)
            .words("protocol", "Protocol", |(.., of)| self.listed(of.operations.iter().filter_map(|one| one.protocol)))
            .figures("Handshakes", scope, |(.., of)| (of, of.operations.len()))
            .words("failure", "Error", |(.., of)| self.reasons(&of.operations))
            .target(|(.., of)| of.target(self.condition(SECURITY, "targetHost", &of.operations)))
    }

    pub(super) fn connections_table(&self, scope: &Scope<'_>, all: &Counted<'_>) -> Table {
        let peers = all.peers().into_iter().map(|(address, Peer { connects, opened })| {
            let lifetimes = durations::ascending(opened.iter().filter_map(|one| one.lifetime()));
            (address, Group::new(connects), opened, lifetimes)
        });
        let peers: Vec<_> = peers.collect();
        Table::of("connections", "Connections", &peers)
            .words("address", "Address", |(address, ..)| self.texts.get(*address))
            .words("host", "HTTP host", |(_, _, opened, _)| self.listed(opened.iter().map(|one| one.host)))
            .figures("Connection attempts", scope, |(_, of, opened, _)| (of, of.operations.len().max(opened.len())))
            .numbers("opened", "HTTP opened", Unit::Count, |(_, _, opened, _)| opened.len())
            .numbers("closed", "HTTP closed", Unit::Count, |(_, _, opened, lifetimes)| {
                // Without IDs, it is unknown which connections were closed.
                opened.iter().any(|one| one.is_identified).then_some(lifetimes.len())
            })
            .numbers("lifetimeP50Ns", "HTTP lifetime p50", Unit::Duration, |(.., lifetimes)| percentile(lifetimes, 0.5))
            .words("version", "HTTP version", |(_, _, opened, _)| self.listed(opened.iter().map(|one| one.version)))
            .words("failure", "Error", |(_, of, ..)| self.reasons(&of.operations))
            .target(|(_, of, opened, _)| {
                let ends = of.operations.iter().map(|one| (one.start, one.end));
                let ends = ends.chain(opened.iter().map(|one| (one.start, one.end.unwrap_or(one.start))));
                RowTarget::of(of.slowest().or_else(|| opened.first().map(|one| one.event)))
                    .over(durations::extent(ends))
                    .filtered(self.peer_condition(&of.operations, opened))
            })
    }

    pub(super) fn listeners_table(&self, scope: &Scope<'_>, all: &Counted<'_>) -> Table {
        let accepted = |of: &[&Operation]| of.iter().filter(|one| one.failure.is_none()).count();
        Table::of("listeners", "Accepted connections", &all.by_target(Kind::Accept))
            // The start event, which contains the address, can be before the trace.
            .words("address", "Address", |(address, _)| match self.texts.get(*address) {
                "" => "(unknown)",
                address => address,
            })
            .bars("count", "Accepted", Unit::Count, |(_, of)| accepted(of))
            .numbers("failed", "Failed", Unit::Count, |(_, of)| failures(of))
            .numbers("perSecond", "Rate", Unit::PerSecond, |(_, of)| rate(scope, accepted(of)))
            .words("failure", "Error", |(_, of)| self.reasons(of))
            .target(|(address, of)| {
                let is_known = !self.texts.get(*address).is_empty();
                RowTarget::of(of.first().map(|one| one.event))
                    .over(durations::extent(of.iter().map(|one| (one.begins(), one.end))))
                    .filtered(if is_known { self.condition(SOCKETS, "address", of) } else { String::new() })
            })
    }

    pub(super) fn operations_table(&self, store: &Store, all: &Counted<'_>) -> Table {
        Table::of("operations", "All operations", &all.operations)
            .numbers("timeNs", "Time", Unit::Moment, |one| one.begins())
            .words("kind", "Kind", |one| if one.is_server { "TLS handshake (server)" } else { one.kind.words() })
            .words("target", "Target", |one| self.texts.get(one.target))
            .bars("durationNs", "Duration", Unit::Duration, |one| one.duration())
            .words("protocol", "Protocol", |one| self.text(one.protocol))
            .words("failure", "Error", |one| self.text(one.failure))
            .threads("thread", "Thread", store, |one| one.thread)
            .target(|one| RowTarget::of(one.event).over(Span::new(one.begins(), one.end.saturating_add(1))))
    }

    /// Lists different texts, most frequent first: "TLS 1.3 (8), TLS 1.2 (2)". A single text has no number.
    fn listed(&self, texts: impl Iterator<Item = u32>) -> String {
        let mut numbers: FastMap<u32, u64> = FastMap::default();
        texts.filter(|text| !self.texts.get(*text).is_empty()).for_each(|text| *numbers.entry(text).or_default() += 1);
        let numbers = ranked(numbers, |number| *number);
        match numbers.as_slice() {
            [(only, _)] => self.texts.get(*only).to_owned(),
            several => {
                let listed = several.iter().take(MAX_LISTED);
                let mut words: Vec<String> =
                    listed.map(|(text, number)| format!("{} ({number})", self.texts.get(*text))).collect();
                words.extend((several.len() > MAX_LISTED).then(|| "…".to_owned()));
                words.join(", ")
            }
        }
    }

    /// Lists the reasons of failures.
    fn reasons(&self, of: &[&Operation]) -> String {
        self.listed(of.iter().filter_map(|one| one.failure))
    }

    /// Returns a condition that matches the start events of these operations.
    fn condition(&self, provider: &str, field: &str, of: &[&Operation]) -> String {
        let mut recorded: Vec<u32> = of.iter().map(|one| one.recorded).collect();
        recorded.sort_unstable();
        recorded.dedup();
        let values = recorded.iter().map(|text| self.texts.get(*text)).filter(|text| !text.is_empty());
        let values: Vec<String> =
            values.take(MAX_LISTED).map(|text| format!("payload.{field}={}", word(text))).collect();
        let server = of.first().filter(|one| one.is_server).map(|_| "payload.isServer=true".to_owned());
        let values = match values.as_slice() {
            [] => server.unwrap_or_default(),
            [only] => only.clone(),
            several => format!("({})", several.join(" or ")),
        };
        format!("provider={} {values}", word(provider)).trim_end().to_owned()
    }

    /// Returns a condition that matches the start events of connects and HTTP connections to one address.
    fn peer_condition(&self, connects: &[&Operation], opened: &[&HttpConnection]) -> String {
        let of_sockets = (!connects.is_empty()).then(|| self.condition(SOCKETS, "address", connects));
        let of_client = opened.first().map(|one| match self.texts.get(one.recorded) {
            "" => format!("provider={} event=ConnectionEstablished", word(HTTP_CLIENT)),
            address => format!("payload.remoteAddress={} payload.port={}", word(address), one.port),
        });
        match (of_sockets, of_client) {
            (Some(one), Some(other)) => format!("(({one}) or ({other}))"),
            (one, other) => one.or(other).unwrap_or_default(),
        }
    }
}

/// Operations with a common property, and their durations in ascending order.
struct Group<'n> {
    operations: Vec<&'n Operation>,
    durations: Vec<i64>,
}

impl<'n> Group<'n> {
    fn new(operations: Vec<&'n Operation>) -> Self {
        let durations = durations_of(operations.iter().copied());
        Self { operations, durations }
    }

    /// Returns the start event of the slowest.
    fn slowest(&self) -> Option<EventId> {
        self.operations.iter().max_by_key(|one| one.duration().unwrap_or(-1)).map(|one| one.event)
    }

    /// Returns the target of a row about all of them, with a condition.
    fn target(&self, condition: String) -> RowTarget {
        let span = durations::extent(self.operations.iter().map(|one| (one.start, one.end)));
        RowTarget::of(self.slowest()).over(span).filtered(condition)
    }
}

impl<'r, R> Columns<'r, R> {
    /// Adds columns for number, failures, rate and durations of operations. The rate is that of another number of them.
    fn figures(self, noun: &str, scope: &Scope<'_>, of: impl Fn(&'r R) -> (&'r Group<'r>, usize)) -> Self {
        self.bars("count", noun, Unit::Count, |row| of(row).0.operations.len())
            .numbers("failed", "Failed", Unit::Count, |row| failures(&of(row).0.operations))
            .numbers("perSecond", "Rate", Unit::PerSecond, |row| rate(scope, of(row).1))
            .durations(|row| &of(row).0.durations)
    }
}

fn failures(of: &[&Operation]) -> usize {
    of.iter().filter(|one| one.failure.is_some()).count()
}

fn rate(scope: &Scope<'_>, number: usize) -> Option<f64> {
    let seconds = scope.span.duration() as f64 / 1e9;
    (seconds > 0.0).then(|| number as f64 / seconds)
}
