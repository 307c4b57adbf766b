//! Tables of network operations.

use super::events::Kind;
use super::operations::{HttpConnection, Operation};
use super::report::{durations, total};
use super::{Counted, NetworkingFacts};
use crate::analysis::topics::Scope;
use crate::analysis::topics::shared::report::percentile;
use crate::analysis::topics::shared::table::{Cell, RowTarget, Table};
use crate::analysis::topics::shared::thread_names::ThreadNames;
use crate::clr::source_names::{HTTP_CLIENT, NAME_RESOLUTION, SECURITY, SOCKETS};
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::EventId;
use protocol::base::sort::sort_by_key;
use protocol::base::time::Span;
use protocol::filter::word;
use protocol::topics::report::Unit;
use std::cmp::Reverse;

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
        let mut targets: FastMap<u32, Vec<&Operation>> = FastMap::default();
        for one in self.of(kind) {
            targets.entry(one.target).or_default().push(one);
        }
        let mut targets: Vec<_> = targets.into_iter().collect();
        sort_by_key(&mut targets, |(target, of)| (Reverse(of.len()), *target));
        targets
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
        let mut peers: Vec<_> = peers.into_iter().collect();
        sort_by_key(&mut peers, |(address, of)| (Reverse(of.connects.len().max(of.opened.len())), *address));
        peers
    }
}

impl NetworkingFacts {
    pub(super) fn lookups_table(&self, scope: &Scope<'_>, all: &Counted<'_>) -> Table {
        let table = Table::new("lookups", "DNS lookups by host")
            .words("host", "Host")
            .bars("count", "Lookups", Unit::Count)
            .numbers("failed", "Failed", Unit::Count)
            .numbers("perSecond", "Rate", Unit::PerSecond);
        let mut table = with_times(table).words("failure", "Error");
        for (host, of) in all.by_target(Kind::Lookup) {
            let [half, most, nearly_all, longest, total] = times(&of);
            let cells = [
                Cell::Text(self.texts.get(host)),
                (of.len() as u64).into(),
                failures(&of),
                rate(scope, of.len()),
                half,
                most,
                nearly_all,
                longest,
                total,
                Cell::Text(&self.reasons(&of)),
            ];
            table.push(&cells, target(&of, &self.condition(NAME_RESOLUTION, "hostNameOrAddress", &of)));
        }
        table
    }

    pub(super) fn handshakes_table(&self, scope: &Scope<'_>, all: &Counted<'_>) -> Table {
        let table = Table::new("handshakes", "TLS handshakes by host")
            .words("host", "Host")
            .words("side", "Direction")
            .words("protocol", "Protocol")
            .bars("count", "Handshakes", Unit::Count)
            .numbers("failed", "Failed", Unit::Count)
            .numbers("perSecond", "Rate", Unit::PerSecond);
        let mut table = with_times(table).words("failure", "Error");
        for (host, of_host) in all.by_target(Kind::Handshake) {
            let (served, sent): (Vec<&Operation>, Vec<&Operation>) = of_host.into_iter().partition(|one| one.is_server);
            for (of, side) in [(sent, "outgoing"), (served, "incoming")] {
                if of.is_empty() {
                    continue;
                }
                let [half, most, nearly_all, longest, total] = times(&of);
                let cells = [
                    Cell::Text(self.texts.get(host)),
                    Cell::Text(side),
                    Cell::Text(&self.listed(of.iter().filter_map(|one| one.protocol))),
                    (of.len() as u64).into(),
                    failures(&of),
                    rate(scope, of.len()),
                    half,
                    most,
                    nearly_all,
                    longest,
                    total,
                    Cell::Text(&self.reasons(&of)),
                ];
                table.push(&cells, target(&of, &self.condition(SECURITY, "targetHost", &of)));
            }
        }
        table
    }

    pub(super) fn connections_table(&self, scope: &Scope<'_>, all: &Counted<'_>) -> Table {
        let table = Table::new("connections", "Connections by remote address")
            .words("address", "Address")
            .words("host", "HTTP host")
            .bars("count", "Connection attempts", Unit::Count)
            .numbers("failed", "Failed", Unit::Count)
            .numbers("perSecond", "Rate", Unit::PerSecond);
        let mut table = with_times(table)
            .numbers("opened", "HTTP opened", Unit::Count)
            .numbers("closed", "HTTP closed", Unit::Count)
            .numbers("lifetimeP50Ns", "HTTP lifetime p50", Unit::Duration)
            .words("version", "HTTP version")
            .words("failure", "Error");
        for (address, Peer { connects, opened }) in all.peers() {
            let [half, most, nearly_all, longest, total] = times(&connects);
            let mut lifetimes: Vec<i64> = opened.iter().filter_map(|one| one.lifetime()).collect();
            sort_by_key(&mut lifetimes, |lifetime| *lifetime);
            // Without IDs, it is unknown which connections were closed.
            let is_identified = opened.iter().any(|one| one.is_identified);
            let cells = [
                Cell::Text(self.texts.get(address)),
                Cell::Text(&self.listed(opened.iter().map(|one| one.host))),
                (connects.len() as u64).into(),
                failures(&connects),
                rate(scope, connects.len().max(opened.len())),
                half,
                most,
                nearly_all,
                longest,
                total,
                (opened.len() as u64).into(),
                is_identified.then_some(lifetimes.len() as u64).into(),
                percentile(&lifetimes, 0.5).into(),
                Cell::Text(&self.listed(opened.iter().map(|one| one.version))),
                Cell::Text(&self.reasons(&connects)),
            ];
            let slowest = slowest(&connects).or_else(|| opened.first().map(|one| one.event));
            let ends = connects.iter().map(|one| (one.start, one.end));
            let span = extent(ends.chain(opened.iter().map(|one| (one.start, one.end.unwrap_or(one.start)))));
            table.push(&cells, RowTarget { event: slowest, span, condition: &self.peer_condition(&connects, &opened) });
        }
        table
    }

    pub(super) fn listeners_table(&self, scope: &Scope<'_>, all: &Counted<'_>) -> Table {
        let mut table = Table::new("listeners", "Accepted connections by local address")
            .words("address", "Address")
            .bars("count", "Accepted", Unit::Count)
            .numbers("failed", "Failed", Unit::Count)
            .numbers("perSecond", "Rate", Unit::PerSecond)
            .words("failure", "Error");
        for (address, of) in all.by_target(Kind::Accept) {
            let accepted = of.iter().filter(|one| one.failure.is_none()).count();
            let address = self.texts.get(address);
            let cells = [
                // The start event, which contains the address, can be before the trace.
                Cell::Text(if address.is_empty() { "(unknown)" } else { address }),
                (accepted as u64).into(),
                failures(&of),
                rate(scope, accepted),
                Cell::Text(&self.reasons(&of)),
            ];
            let condition = match address {
                "" => String::new(),
                _ => self.condition(SOCKETS, "address", &of),
            };
            let span = extent(of.iter().map(|one| (one.begins(), one.end)));
            table.push(&cells, RowTarget { event: of.first().map(|one| one.event), span, condition: &condition });
        }
        table
    }

    pub(super) fn operations_table(&self, store: &Store, all: &Counted<'_>) -> Table {
        let mut table = Table::new("operations", "All operations")
            .numbers("timeNs", "Time", Unit::Moment)
            .words("kind", "Kind")
            .words("target", "Target")
            .bars("durationNs", "Duration", Unit::Duration)
            .words("protocol", "Protocol")
            .words("failure", "Error")
            .words("thread", "Thread");
        let mut names = ThreadNames::default();
        for one in &all.operations {
            let cells = [
                one.begins().into(),
                Cell::Text(if one.is_server { "TLS handshake (server)" } else { one.kind.words() }),
                Cell::Text(self.texts.get(one.target)),
                one.duration().into(),
                Cell::Text(self.text(one.protocol)),
                Cell::Text(self.text(one.failure)),
                Cell::Text(names.name(store, one.thread)),
            ];
            let span = Some(Span::new(one.begins(), one.end.saturating_add(1)));
            table.push(&cells, RowTarget { event: Some(one.event), span, condition: "" });
        }
        table
    }

    /// Lists different texts, most frequent first: "TLS 1.3 (8), TLS 1.2 (2)". A single text has no number.
    fn listed(&self, texts: impl Iterator<Item = u32>) -> String {
        let mut numbers: FastMap<u32, u64> = FastMap::default();
        texts.filter(|text| !self.texts.get(*text).is_empty()).for_each(|text| *numbers.entry(text).or_default() += 1);
        let mut numbers: Vec<(u32, u64)> = numbers.into_iter().collect();
        sort_by_key(&mut numbers, |(text, number)| (Reverse(*number), *text));
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

/// Adds columns for durations.
fn with_times(table: Table) -> Table {
    table
        .numbers("p50Ns", "p50", Unit::Duration)
        .numbers("p95Ns", "p95", Unit::Duration)
        .numbers("p99Ns", "p99", Unit::Duration)
        .numbers("maxNs", "Max", Unit::Duration)
        .bars("totalNs", "Total", Unit::Duration)
}

/// Returns the cells of these columns; empty if no duration is known.
fn times(of: &[&Operation]) -> [Cell<'static>; 5] {
    let durations = durations(of.iter().copied());
    let at = |share: f64| percentile(&durations, share).into();
    [at(0.5), at(0.95), at(0.99), at(1.0), (!durations.is_empty()).then(|| total(&durations)).into()]
}

fn failures(of: &[&Operation]) -> Cell<'static> {
    (of.iter().filter(|one| one.failure.is_some()).count() as u64).into()
}

fn rate(scope: &Scope<'_>, number: usize) -> Cell<'static> {
    let seconds = scope.span.duration() as f64 / 1e9;
    (seconds > 0.0).then(|| number as f64 / seconds).into()
}

/// Returns the start event of the slowest operation.
fn slowest(of: &[&Operation]) -> Option<EventId> {
    of.iter().max_by_key(|one| one.duration().unwrap_or(-1)).map(|one| one.event)
}

fn extent(times: impl Iterator<Item = (i64, i64)> + Clone) -> Option<Span> {
    let start = times.clone().map(|(start, _)| start).min()?;
    Some(Span::new(start, times.map(|(_, end)| end).max()?.saturating_add(1)))
}

/// Returns the target of a row about several operations: the slowest, and a condition for all.
fn target<'t>(of: &[&Operation], condition: &'t str) -> RowTarget<'t> {
    RowTarget { event: slowest(of), span: extent(of.iter().map(|one| (one.start, one.end))), condition }
}
