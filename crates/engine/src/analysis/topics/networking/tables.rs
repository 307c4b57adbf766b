//! Tables of network operations.

use super::events::Kind;
use super::operations::{HttpConnection, Operation};
use super::report::durations_of;
use super::{Counted, NetworkingFacts};
use crate::analysis::topics::Scope;
use crate::analysis::topics::shared::durations;
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
        let table = Table::new("lookups", "DNS lookups by host").words("host", "Host");
        let mut table = with_figures(table, "Lookups").words("failure", "Error");
        for (host, of) in all.by_target(Kind::Lookup) {
            let (figures, reasons) = (figures(scope, &of, of.len()), self.reasons(&of));
            let cells = [&[Cell::Text(self.texts.get(host))], &figures[..], &[Cell::Text(&reasons)]].concat();
            table.push(&cells, target(&of, &self.condition(NAME_RESOLUTION, "hostNameOrAddress", &of)));
        }
        table
    }

    pub(super) fn handshakes_table(&self, scope: &Scope<'_>, all: &Counted<'_>) -> Table {
        let table = Table::new("handshakes", "TLS handshakes by host")
            .words("host", "Host")
            .words("side", "Direction")
            .words("protocol", "Protocol");
        let mut table = with_figures(table, "Handshakes").words("failure", "Error");
        for (host, of_host) in all.by_target(Kind::Handshake) {
            let (served, sent): (Vec<&Operation>, Vec<&Operation>) = of_host.into_iter().partition(|one| one.is_server);
            for (of, side) in [(sent, "outgoing"), (served, "incoming")] {
                if of.is_empty() {
                    continue;
                }
                let protocols = self.listed(of.iter().filter_map(|one| one.protocol));
                let name = [Cell::Text(self.texts.get(host)), Cell::Text(side), Cell::Text(&protocols)];
                let (figures, reasons) = (figures(scope, &of, of.len()), self.reasons(&of));
                let cells = [&name[..], &figures, &[Cell::Text(&reasons)]].concat();
                table.push(&cells, target(&of, &self.condition(SECURITY, "targetHost", &of)));
            }
        }
        table
    }

    pub(super) fn connections_table(&self, scope: &Scope<'_>, all: &Counted<'_>) -> Table {
        let table = Table::new("connections", "Connections by remote address")
            .words("address", "Address")
            .words("host", "HTTP host");
        let mut table = with_figures(table, "Connection attempts")
            .numbers("opened", "HTTP opened", Unit::Count)
            .numbers("closed", "HTTP closed", Unit::Count)
            .numbers("lifetimeP50Ns", "HTTP lifetime p50", Unit::Duration)
            .words("version", "HTTP version")
            .words("failure", "Error");
        for (address, Peer { connects, opened }) in all.peers() {
            let lifetimes = durations::ascending(opened.iter().filter_map(|one| one.lifetime()));
            // Without IDs, it is unknown which connections were closed.
            let is_identified = opened.iter().any(|one| one.is_identified);
            let (hosts, versions) =
                (self.listed(opened.iter().map(|one| one.host)), self.listed(opened.iter().map(|one| one.version)));
            let figures = figures(scope, &connects, connects.len().max(opened.len()));
            let http = [
                (opened.len() as u64).into(),
                is_identified.then_some(lifetimes.len() as u64).into(),
                percentile(&lifetimes, 0.5).into(),
            ];
            let (name, reasons) = ([Cell::Text(self.texts.get(address)), Cell::Text(&hosts)], self.reasons(&connects));
            let cells = [&name[..], &figures, &http, &[Cell::Text(&versions), Cell::Text(&reasons)]].concat();
            let slowest = slowest(&connects).or_else(|| opened.first().map(|one| one.event));
            let ends = connects.iter().map(|one| (one.start, one.end));
            let span =
                durations::extent(ends.chain(opened.iter().map(|one| (one.start, one.end.unwrap_or(one.start)))));
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
            let span = durations::extent(of.iter().map(|one| (one.begins(), one.end)));
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

/// Adds the columns of [`figures`] to a table.
fn with_figures(table: Table, noun: &str) -> Table {
    let table = table.bars("count", noun, Unit::Count).numbers("failed", "Failed", Unit::Count).numbers(
        "perSecond",
        "Rate",
        Unit::PerSecond,
    );
    durations::with_columns(table)
}

/// Returns number, failures, rate and durations of operations. The rate is that of `number` of them.
fn figures(scope: &Scope<'_>, of: &[&Operation], number: usize) -> Vec<Cell<'static>> {
    let counts = [(of.len() as u64).into(), failures(of), rate(scope, number)];
    counts.into_iter().chain(durations::cells(&durations_of(of.iter().copied()))).collect()
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

/// Returns the target of a row about several operations: the slowest, and a condition for all.
fn target<'t>(of: &[&Operation], condition: &'t str) -> RowTarget<'t> {
    RowTarget { event: slowest(of), span: durations::extent(of.iter().map(|one| (one.start, one.end))), condition }
}
