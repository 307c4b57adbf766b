//! Findings about network operations: slow DNS lookups and TLS handshakes, and failures.

use super::events::Kind;
use super::operations::Operation;
use super::report::{durations_of, name};
use super::{Counted, NetworkingFacts};
use crate::analysis::topics::shared::durations;
use crate::analysis::topics::shared::evidence::{link, on_timeline, open, times};
use crate::analysis::topics::shared::report::percentile;
use crate::clr::source_names::{NAME_RESOLUTION, SECURITY, SOCKETS};
use protocol::base::time::Span;
use protocol::filter::word;
use protocol::format::{count, counted, duration, percent};
use protocol::topics::finding::{Cost, Finding, FindingKind, FindingLink, FindingTarget, Narrowing};
use protocol::topics::topic::Topic;

/// Minimum median, in nanoseconds, and number of slow operations for a finding.
const SLOW: i64 = 100_000_000;
const SLOW_OPERATIONS: usize = 5;
/// Minimum number of failed operations, and their share of all of their kind, for a finding.
const FAILED_OPERATIONS: usize = 3;
const FAILED_SHARE: f64 = 0.01;

impl NetworkingFacts {
    /// Returns findings about slow and failed operations.
    pub(super) fn find(&self, all: &Counted<'_>) -> Vec<Finding> {
        let failed =
            [Kind::Lookup, Kind::Connect, Kind::Handshake].into_iter().filter_map(|kind| self.failing(all, kind));
        slow(all).into_iter().chain(failed).collect()
    }

    /// Returns a finding about failed operations of a kind.
    fn failing(&self, all: &Counted<'_>, kind: Kind) -> Option<Finding> {
        let failed: Vec<&Operation> = all.of(kind).filter(|one| one.failure.is_some()).collect();
        let number = all.of(kind).count();
        if failed.len() < FAILED_OPERATIONS || (failed.len() as f64) < FAILED_SHARE * number as f64 {
            return None;
        }
        let of_failed = Counted { operations: failed.clone(), opened: Vec::new(), closings: 0 };
        let targets = of_failed.by_target(kind);
        let (target, of_target) = targets.first()?;
        let reason = self.text(of_target.first()?.failure);
        let leading = name(kind, self.texts.get(*target)).replacen("Connection", "connection", 1);
        let share = percent(failed.len() as f64, number as f64);
        let noun = kind.noun();
        let cost = Cost::count(failed.len() as u64, &format!("failed {noun}s"));
        let when = times(failed.iter().map(|one| Span::new(one.start, one.end)).collect());
        Some(Finding {
            title: format!("{} failed", counted(failed.len() as u64, noun)),
            sentence: match of_target.len() == failed.len() {
                true => format!("All are {leading}: {reason}."),
                false => format!("{} are {leading}: {reason}.", count(of_target.len() as u64)),
            },
            links: links(kind, &when),
            times: when,
            advice: match kind {
                Kind::Lookup => "Check the host name and the DNS server.",
                Kind::Handshake => "Check the name, date and chain of the certificate.",
                Kind::Connect | Kind::Accept => "Check that a server is listening on this address.",
            }
            .to_owned(),
            details: match kind {
                Kind::Lookup => format!("{share} of {noun}s failed. Wait between retries."),
                Kind::Handshake => format!("{share} of {noun}s failed. Check the TLS versions of both sides, too."),
                Kind::Connect | Kind::Accept => {
                    format!("{share} of {noun}s failed. Check that no firewall blocks them, and wait between retries.")
                }
            },
            ..Finding::new(FindingKind::FailedConnections, cost)
        })
    }
}

/// Returns a finding about slow DNS lookups or slow TLS handshakes, whichever cost more. Connects also wait for a pool
/// thread, so their duration is less informative.
fn slow(all: &Counted<'_>) -> Option<Finding> {
    let found = [Kind::Lookup, Kind::Handshake].into_iter().filter_map(|kind| slow_kind(all, kind));
    found.reduce(|one, other| if other.cost.value > one.cost.value { other } else { one })
}

fn slow_kind(all: &Counted<'_>, kind: Kind) -> Option<Finding> {
    let took = durations_of(all.of(kind));
    let half = percentile(&took, 0.5).filter(|half| *half >= SLOW && took.len() >= SLOW_OPERATIONS)?;
    let cost = Cost::time(durations::total(&took), "connection time");
    let whole = all.of(kind).filter(|one| one.duration().is_some());
    let when = times(whole.map(|one| Span::new(one.start, one.end)).collect());
    Some(Finding {
        title: format!("{} took {} in total", counted(took.len() as u64, kind.noun()), cost.size()),
        sentence: format!(
            "The median is {}; the longest took {}.",
            duration(half),
            duration(took.last().copied().unwrap_or(0))
        ),
        links: links(kind, &when),
        times: when,
        advice: "Reuse one HttpClient, so that connections are reused.".to_owned(),
        details: "Check DNS and the server's certificate chain, and set SocketsHttpHandler.PooledConnectionLifetime."
            .to_owned(),
        ..Finding::new(FindingKind::SlowConnecting, cost)
    })
}

/// Returns links to the times and rows of all operations of a kind.
fn links(kind: Kind, when: &[Span]) -> Vec<FindingLink> {
    let timeline = on_timeline(when);
    let (provider, event) = match kind {
        Kind::Lookup => (NAME_RESOLUTION, "ResolutionStart"),
        Kind::Connect => (SOCKETS, "ConnectStart"),
        Kind::Accept => (SOCKETS, "AcceptStart"),
        Kind::Handshake => (SECURITY, "HandshakeStart"),
    };
    let of = Narrowing::to(format!("provider={} event={event}", word(provider)));
    let (table, column) = ("operations".to_owned(), "durationNs".to_owned());
    let rows = FindingTarget::Rows { topic: Topic::Networking, table, column, of };
    let rows = link(&format!("View {}s", kind.noun()), rows);
    timeline.into_iter().chain([rows, open(Topic::Networking)]).collect()
}
