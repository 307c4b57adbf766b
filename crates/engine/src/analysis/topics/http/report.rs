//! The report of requests: sentences, figures and charts.

use super::requests::{Request, StepKind};
use super::route::route_text;
use super::{Counted, HttpFacts};
use crate::analysis::topics::shared::durations;
use crate::analysis::topics::shared::report::{Report, by_size, percentile};
use crate::analysis::topics::{Scope, cut_words};
use protocol::base::sort::sort_by_key;
use protocol::format::{count, counted, duration, percent};
use protocol::topics::report::{Chart, ChartAxis, ChartSeries, Hue, Unit};
use std::cmp::Reverse;

/// Number of points of a chart over time.
const MOMENTS: i64 = 120;

/// Returns durations in ascending order, without requests that lack a start or an end.
pub(super) fn durations_of<'r>(requests: impl Iterator<Item = &'r Request>) -> Vec<i64> {
    durations::ascending(requests.filter_map(Request::duration))
}

impl HttpFacts {
    /// Adds the verdict, its explanation, and figures.
    pub(super) fn judge(&self, scope: &Scope<'_>, served: &Counted<'_>, sent: &Counted<'_>, report: &mut Report) {
        let sides = [("incoming", served), ("outgoing", sent)].map(|(what, requests)| side(what, requests));
        report.verdict = sides.into_iter().flatten().collect::<Vec<_>>().join(" ");
        if report.verdict.is_empty() {
            report.verdict = "No HTTP requests.".to_owned();
        }
        let slowest = self.slowest(served).or_else(|| self.slowest(sent));
        let words = [slowest, self.waiting(sent), without_activities(served, sent)];
        report.explanation = words.into_iter().flatten().collect::<Vec<_>>().join(" ");
        if self.joined.parts_omitted > 0 {
            let verb = if self.joined.parts_omitted == 1 { "isn't" } else { "aren't" };
            let omitted = counted(self.joined.parts_omitted, "request phase");
            report.explanation += &format!(" {omitted} {verb} listed (limit reached).");
        }
        figures(
            report,
            scope,
            served,
            ["served", "p50Ns", "p95Ns", "p99Ns", "maxNs", "failed", "clientErrors", "open"],
            "Incoming",
        );
        let keys =
            ["sent", "sentP50Ns", "sentP95Ns", "sentP99Ns", "sentMaxNs", "sentFailed", "sentClientErrors", "sentOpen"];
        figures(report, scope, sent, keys, "Outgoing");
        let queued: i64 = sent.iter().map(|(_, request)| request.queued.max(0)).sum();
        report.figure("queuedNs", "Connection queue time", queued as f64, Unit::Duration, "");
        let before: Vec<i64> = served.iter().filter_map(|(_, request)| request.before_server()).collect();
        if !before.is_empty() {
            let total = before.iter().copied().fold(0i64, i64::saturating_add);
            let note = format!("across {} sent by this process", counted(before.len() as u64, "request"));
            report.figure("beforeServerNs", "Before processing began", total as f64, Unit::Duration, note);
        }
        let opened = self.joined.connections.iter().filter(|one| one.is_sent && scope.has(one.event)).count();
        report.figure("connectionsOpened", "Connections opened", opened as f64, Unit::Count, "");
        let accepted = self.joined.connections.iter().filter(|one| !one.is_sent && scope.has(one.event)).count();
        report.figure("connectionsAccepted", "Connections accepted", accepted as f64, Unit::Count, "");
        for (key, name, kind) in [
            ("lookups", "DNS lookups", StepKind::Lookup),
            ("connects", "Connects", StepKind::Connect),
            ("handshakes", "TLS handshakes", StepKind::Handshake),
        ] {
            let steps = self.joined.steps.iter().filter(|step| step.kind == kind && step.counts(scope));
            let (number, nanos) = steps.fold((0u64, 0i64), |(number, nanos), step| {
                (number + 1, nanos.saturating_add(if step.is_whole { step.end.saturating_sub(step.start) } else { 0 }))
            });
            let note = if number > 0 { format!("{} in total", duration(nanos)) } else { String::new() };
            report.figure(key, name, number as f64, Unit::Count, note);
        }
    }

    /// Returns a sentence about the route with the longest total duration.
    fn slowest(&self, requests: &Counted<'_>) -> Option<String> {
        let mut routes: Vec<(u32, u32, Vec<&Request>)> = Vec::new();
        for (route, of) in self.by_route(requests) {
            routes.push((route.0, route.1, of));
        }
        let total = |of: &[&Request]| of.iter().filter_map(|request| request.duration()).sum::<i64>();
        sort_by_key(&mut routes, |(_, _, of)| Reverse(total(of)));
        let (method, route, of) = routes.first().filter(|_| routes.len() > 1)?;
        let durations = durations_of(of.iter().copied());
        let (half, longest) = (percentile(&durations, 0.5)?, durations.last()?);
        let name = route_text(self.texts.get(*method), self.texts.get(*route));
        Some(format!(
            "{} took the most time in total: {}, p50 {}, max {}.",
            name,
            counted(of.len() as u64, "request"),
            duration(half),
            duration(*longest)
        ))
    }

    /// Returns a sentence about waits for connections, if they are at least a tenth of the requests' time.
    fn waiting(&self, sent: &Counted<'_>) -> Option<String> {
        let total: i64 = sent.iter().filter_map(|(_, request)| request.duration()).sum();
        let waiting: Vec<i64> = sent.iter().map(|(_, request)| request.queued).filter(|queued| *queued > 0).collect();
        let waited: i64 = waiting.iter().sum();
        (waited > total / 10 && waited > 0).then(|| {
            format!(
                "{} queued for a connection, {} in total.",
                counted(waiting.len() as u64, "request"),
                duration(waited)
            )
        })
    }

    /// Adds charts of durations and of requests over time.
    pub(super) fn draw(&self, scope: &Scope<'_>, requests: &Counted<'_>, report: &mut Report) {
        let sizes: Vec<(f64, usize)> = requests
            .iter()
            .filter_map(|(_, request)| Some((request.duration()? as f64, usize::from(request.is_sent))))
            .collect();
        let series = [("Incoming", Hue::Io), ("Outgoing", Hue::Outgoing)];
        report.charts.extend(by_size("Request duration", Unit::Duration, &series, &sizes));
        let (start, length) = (scope.span.start.0, scope.span.duration().max(1));
        let step = (length / MOMENTS).max(1);
        let moments = (length / step + 1) as usize;
        let mut lines = [vec![0.0; moments], vec![0.0; moments], vec![0.0; moments]];
        let seconds = step as f64 / 1e9;
        for (_, request) in requests {
            // The request began before the range.
            let Some(at) = request.start.checked_sub(start).filter(|at| *at >= 0) else { continue };
            let at = (at / step) as usize;
            let line = if request.is_sent { 1 } else { 0 };
            for line in std::iter::once(line).chain(request.is_failed().then_some(2)) {
                if let Some(value) = lines[line].get_mut(at) {
                    *value += 1.0 / seconds;
                }
            }
        }
        let names = [("Incoming", Hue::Io), ("Outgoing", Hue::Outgoing), ("Failed", Hue::Failure)];
        let series = names.into_iter().zip(lines);
        let series = series.map(|((name, hue), values)| ChartSeries { name: name.to_owned(), hue, values });
        let series: Vec<ChartSeries> = series.filter(|one| one.values.iter().any(|value| *value > 0.0)).collect();
        if !series.is_empty() {
            report.charts.push(Chart {
                title: "Request rate".to_owned(),
                axis: ChartAxis::Moments((0..moments as i64).map(|at| start + at * step).collect()),
                unit: Unit::PerSecond,
                is_stacked: false,
                series,
            });
        }
    }
}

/// Returns what to record if the ends of requests can't be identified.
fn without_activities(served: &Counted<'_>, sent: &Counted<'_>) -> Option<String> {
    let unsure = served.iter().chain(sent).filter(|(_, request)| request.has_unsure_end).count() as u64;
    let requests = counted(unsure, "request");
    let words = durations::unknown_without_activities(&requests);
    (unsure > 0).then_some(words)
}

/// Returns a sentence about one direction: "759 incoming requests, 25 failed (3.3%). p50 2.1 ms, p99 1.3 s."
fn side(what: &str, requests: &Counted<'_>) -> Option<String> {
    let number = requests.len() as u64;
    let of = || requests.iter().map(|(_, request)| *request);
    if number == 0 {
        return None;
    }
    let mut words = counted(number, &format!("{what} request"));
    let failed = of().filter(|request| request.is_failed()).count() as u64;
    words += &match failed {
        0 => ", none failed.".to_owned(),
        failed => format!(", {} failed ({}).", count(failed), percent(failed as f64, number as f64)),
    };
    let durations = durations_of(of());
    if let (Some(half), Some(most)) = (percentile(&durations, 0.5), percentile(&durations, 0.99)) {
        words += &format!(" p50 {}, p99 {}.", duration(half), duration(most));
    }
    Some(words)
}

fn figures(report: &mut Report, scope: &Scope<'_>, requests: &Counted<'_>, keys: [&str; 8], name: &str) {
    let of = || requests.iter().map(|(_, request)| *request);
    let durations = durations_of(of());
    let at = |share: f64| percentile(&durations, share).map_or(f64::NAN, |nanos| nanos as f64);
    let cut = of().filter(|request| scope.cuts(request.start, request.end)).count();
    report.figure(keys[0], name, requests.len() as f64, Unit::Count, cut_words(cut));
    if requests.is_empty() {
        return;
    }
    for (key, words, share) in [(keys[1], "p50", 0.5), (keys[2], "p95", 0.95), (keys[3], "p99", 0.99)] {
        report.figure(key, &format!("{name} {words}"), at(share), Unit::Duration, "");
    }
    report.figure(keys[4], &format!("{name} max"), at(1.0), Unit::Duration, "");
    let failed = of().filter(|request| request.is_failed()).count();
    report.figure(keys[5], &format!("{name} failed"), failed as f64, Unit::Count, "5xx or no response");
    let errors = of().filter(|request| request.is_client_error()).count();
    report.figure(keys[6], &format!("{name} 4xx"), errors as f64, Unit::Count, "");
    let open = of().filter(|request| !request.is_whole).count();
    report.figure(keys[7], &format!("{name} incomplete"), open as f64, Unit::Count, "start or end not in the trace");
}
