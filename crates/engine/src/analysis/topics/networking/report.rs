//! Summary, metrics and charts of network operations.

use super::events::Kind;
use super::operations::Operation;
use super::{Counted, NetworkingFacts};
use crate::analysis::topics::shared::durations;
use crate::analysis::topics::shared::over_time::OverTime;
use crate::analysis::topics::shared::report::{Report, by_size, percentile};
use crate::analysis::topics::{Scope, cut_words};
use protocol::base::sort::sort_by_key;
use protocol::format::{counted, duration};
use protocol::topics::report::{Hue, Unit};

/// Kinds of operations with a duration, and the keys of their number, p50, p95, p99, maximum and failures.
const TIMED: [(Kind, [&str; 6]); 3] = [
    (Kind::Lookup, ["lookups", "lookupP50Ns", "lookupP95Ns", "lookupP99Ns", "lookupMaxNs", "lookupsFailed"]),
    (Kind::Connect, ["connects", "connectP50Ns", "connectP95Ns", "connectP99Ns", "connectMaxNs", "connectsFailed"]),
    (
        Kind::Handshake,
        ["handshakes", "handshakeP50Ns", "handshakeP95Ns", "handshakeP99Ns", "handshakeMaxNs", "handshakesFailed"],
    ),
];

/// Returns the known durations of operations, in ascending order.
pub(super) fn durations_of<'n>(operations: impl Iterator<Item = &'n Operation>) -> Vec<i64> {
    durations::ascending(operations.filter_map(Operation::duration))
}

fn is_failed(one: &&Operation) -> bool {
    one.failure.is_some()
}

impl NetworkingFacts {
    /// Fills in verdict, explanation and metrics.
    pub(super) fn judge(&self, scope: &Scope<'_>, all: &Counted<'_>, report: &mut Report) {
        report.verdict = verdict(all);
        let words = [self.slowest(all), self.failed(all), without_activities(all)];
        report.explanation = words.into_iter().flatten().collect::<Vec<_>>().join(" ");
        for (kind, keys) in TIMED {
            figures(report, scope, &all.of(kind).collect::<Vec<_>>(), kind, keys);
        }
        let (accepted, refused): (Vec<&Operation>, Vec<&Operation>) =
            all.of(Kind::Accept).partition(|one| one.failure.is_none());
        report.figure("accepted", "Connections accepted", accepted.len() as f64, Unit::Count, "");
        if !refused.is_empty() {
            let note = "includes accepts canceled when the app stopped listening";
            report.figure("acceptsFailed", "Failed accepts", refused.len() as f64, Unit::Count, note);
        }
        report.figure("opened", "HTTP connections opened", all.opened.len() as f64, Unit::Count, "");
        report.figure("closed", "HTTP connections closed", all.closings as f64, Unit::Count, "");
        let mut lifetimes: Vec<i64> = all.opened.iter().filter_map(|one| one.lifetime()).collect();
        sort_by_key(&mut lifetimes, |lifetime| *lifetime);
        if let Some(half) = percentile(&lifetimes, 0.5) {
            let note = format!("of {}", counted(lifetimes.len() as u64, "closed connection"));
            report.figure("lifetimeP50Ns", "HTTP connection lifetime p50", half as f64, Unit::Duration, note);
        }
        let queued: Vec<i64> =
            self.queued.iter().filter(|(event, _)| scope.has(*event)).map(|(_, waited)| *waited).collect();
        if !queued.is_empty() {
            let note = format!("of {}", counted(queued.len() as u64, "request"));
            report.figure("queuedNs", "Connection queue time", durations::total(&queued) as f64, Unit::Duration, note);
        }
    }

    /// Describes the host or address that took the most time.
    fn slowest(&self, all: &Counted<'_>) -> Option<String> {
        let mut slowest: Option<(i64, String)> = None;
        for (kind, _) in TIMED {
            for (target, of) in all.by_target(kind) {
                let durations = durations_of(of.iter().copied());
                let Some((half, longest)) = percentile(&durations, 0.5).zip(durations.last()) else { continue };
                let nanos = durations::total(&durations);
                if slowest.as_ref().is_some_and(|(most, _)| *most >= nanos) {
                    continue;
                }
                let name = name(kind, self.texts.get(target));
                let [nanos_words, half, longest] = [nanos, half, *longest].map(duration);
                let words = format!("{name} took the most time: {nanos_words} in total, p50 {half}, max {longest}.");
                slowest = Some((nanos, words));
            }
        }
        slowest.map(|(_, words)| words)
    }

    /// Describes the host or address that failed most often.
    fn failed(&self, all: &Counted<'_>) -> Option<String> {
        let timed = TIMED.iter().flat_map(|(kind, _)| all.by_target(*kind).into_iter().map(move |of| (*kind, of)));
        let failures = timed.filter_map(|(kind, (target, of))| {
            let failed: Vec<&Operation> = of.into_iter().filter(is_failed).collect();
            let reason = failed.first()?.failure;
            Some((failed.len(), kind, target, reason))
        });
        let (number, kind, target, reason) = failures.max_by_key(|one| one.0)?;
        let name = name(kind, self.texts.get(target));
        Some(format!("{name} failed {}: {}.", protocol::format::times(number as u64), self.text(reason)))
    }
}

/// Formats operations of one target: "Connection attempts to 10.0.0.7:443".
pub(super) fn name(kind: Kind, target: &str) -> String {
    let (what, unknown) = match kind {
        Kind::Lookup => ("DNS lookups of", "unknown hosts"),
        Kind::Connect => ("Connection attempts to", "unknown addresses"),
        Kind::Accept => ("Accepts at", "unknown addresses"),
        Kind::Handshake => ("TLS handshakes with", "clients"),
    };
    format!("{what} {}", if target.is_empty() { unknown } else { target })
}

/// Returns the verdict: "71 DNS lookups (68.2 ms), 71 connection attempts (3.19 s); 1 connection attempt failed."
fn verdict(all: &Counted<'_>) -> String {
    let (mut parts, mut failed) = (Vec::new(), Vec::new());
    for kind in TIMED.map(|(kind, _)| kind) {
        let noun = kind.noun();
        let number = all.of(kind).count() as u64;
        let durations = durations_of(all.of(kind));
        match (number, durations.is_empty()) {
            (0, _) => {}
            (_, true) => parts.push(counted(number, noun)),
            (_, false) => parts.push(format!("{} ({})", counted(number, noun), duration(durations::total(&durations)))),
        }
        match all.of(kind).filter(is_failed).count() {
            0 => {}
            number => failed.push(counted(number as u64, noun)),
        }
    }
    let accepted = all.of(Kind::Accept).filter(|one| one.failure.is_none()).count() as u64;
    match parts.is_empty() {
        true if !all.opened.is_empty() => parts.push(counted(all.opened.len() as u64, "HTTP connection")),
        true if accepted > 0 => parts.push(counted(accepted, "accepted connection")),
        true => return "No network operations.".to_owned(),
        false => {
            let failed = match failed.split_last() {
                None => "none".to_owned(),
                Some((last, [])) => last.clone(),
                Some((last, others)) => format!("{} and {last}", others.join(", ")),
            };
            return format!("{}; {failed} failed.", parts.join(", "));
        }
    }
    format!("{}.", parts.join(", "))
}

/// Describes what to record if the ends of operations can't be identified.
fn without_activities(all: &Counted<'_>) -> Option<String> {
    let unsure = all.operations.iter().filter(|one| one.has_unsure_end && one.kind != Kind::Accept).count() as u64;
    let operations = counted(unsure, "operation");
    let words = durations::unknown_without_activities(&operations);
    (unsure > 0).then_some(words)
}

fn figures(report: &mut Report, scope: &Scope<'_>, of: &[&Operation], kind: Kind, keys: [&str; 6]) {
    let durations = durations_of(of.iter().copied());
    let cut = cut_words(of.iter().filter(|one| scope.cuts(one.start, one.end)).count());
    let note = match (durations.is_empty(), cut.is_empty()) {
        (true, _) => cut,
        (false, true) => format!("{} in total", duration(durations::total(&durations))),
        (false, false) => format!("{} in total, {cut}", duration(durations::total(&durations))),
    };
    report.figure(keys[0], kind.plural(), of.len() as f64, Unit::Count, note);
    if of.is_empty() {
        return;
    }
    for (key, words, share) in
        [(keys[1], "p50", 0.5), (keys[2], "p95", 0.95), (keys[3], "p99", 0.99), (keys[4], "max", 1.0)]
    {
        let value = percentile(&durations, share).map_or(f64::NAN, |nanos| nanos as f64);
        report.figure(key, &format!("{} {words}", kind.words()), value, Unit::Duration, "");
    }
    let failed = of.iter().copied().filter(is_failed).count();
    report.figure(keys[5], &format!("{} failed", kind.plural()), failed as f64, Unit::Count, "");
}

impl Counted<'_> {
    /// Adds charts of durations, of operations over time, and of open HTTP connections.
    pub(super) fn draw(&self, scope: &Scope<'_>, report: &mut Report) {
        let series =
            [("DNS lookups", Hue::Neutral), ("Connection attempts", Hue::Io), ("TLS handshakes", Hue::Outgoing)];
        let series_of = |one: &Operation| TIMED.iter().position(|(kind, _)| *kind == one.kind);
        let sizes: Vec<(f64, usize)> =
            self.operations.iter().filter_map(|one| Some((one.duration()? as f64, series_of(one)?))).collect();
        report.charts.extend(by_size("Duration", Unit::Duration, &series, &sizes));
        let mut rates = [0; 4].map(|_| OverTime::new(scope.span));
        for (at, one) in self.operations.iter().filter_map(|one| Some((series_of(one)?, one))) {
            rates[at].add(one.start, 1.0);
            if one.failure.is_some() {
                rates[3].add(one.start, 1.0);
            }
        }
        let names = series.into_iter().chain([("Failed", Hue::Failure)]);
        let lines = names.zip(&rates).map(|((name, hue), rate)| (name, hue, rate.per_second()));
        let lines: Vec<_> = lines.filter(|(_, _, values)| values.iter().any(|value| *value > 0.0)).collect();
        if !lines.is_empty() {
            let mut chart = rates[0].chart("Rate", Unit::PerSecond, lines);
            chart.is_stacked = false;
            report.charts.push(chart);
        }
        let mut open = OverTime::new(scope.span);
        for one in self.opened.iter().filter(|one| one.is_identified) {
            open.cover(one.start, one.end.unwrap_or(scope.span.end.0));
        }
        let values = open.at_once();
        if values.iter().any(|value| *value > 0.0) {
            let series = vec![("Opened in this range", Hue::Io, values)];
            report.charts.push(open.chart("Open HTTP connections", Unit::Plain, series));
        }
    }
}
