//! Key figures of the Summary tab. Each is the same number as on the tab that it leads to.

use crate::page::tab::Tab;
use protocol::base::time::Span;
use protocol::format;
use protocol::reply::{ReportHead, Summary};
use protocol::request::Filter;
use protocol::tables::RoleTimes;
use protocol::timeline::thread_state::Activity;
use protocol::topics::report::Figure;
use protocol::topics::topic::Topic;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct KeyFigure {
    /// Name in test IDs and style sheets.
    pub key: &'static str,
    pub name: &'static str,
    pub value: String,
    /// Second value, such as a rate; may be empty.
    pub note: String,
    /// True if the value is a lower bound, because events were lost.
    pub is_minimum: bool,
    /// True if the value is a problem of the recording.
    pub is_warning: bool,
    /// Tab with the figure; the timeline if `None`.
    pub leads_to: Option<Tab>,
}

impl KeyFigure {
    fn new(key: &'static str, name: &'static str, leads_to: Option<Tab>) -> Self {
        Self { key, name, value: String::new(), note: String::new(), is_minimum: false, is_warning: false, leads_to }
    }

    fn of(self, figure: &Figure) -> Self {
        Self { value: figure.unit.words(figure.value), is_minimum: figure.is_minimum, ..self }
    }
}

/// Data of the key figures. What isn't recorded or not yet known is `None`.
pub struct Known<'a> {
    pub trace: &'a Summary,
    pub filter: &'a Filter,
    pub times: Option<&'a RoleTimes>,
    pub http: Option<&'a ReportHead>,
    pub gc: Option<&'a ReportHead>,
    pub exceptions: Option<&'a ReportHead>,
}

impl Known<'_> {
    /// Returns the figures that are recorded, in display order.
    pub fn figures(&self) -> Vec<KeyFigure> {
        let range = self.range();
        let duration = format::duration(range.duration());
        let mut figures = vec![KeyFigure { value: duration, ..KeyFigure::new("duration", "Duration", None) }];
        figures.extend(self.running(range));
        figures.extend(self.http.map(|report| requests(report, range)).unwrap_or_default());
        figures.extend(self.gc.and_then(pauses));
        figures.extend(self.exceptions.and_then(exceptions));
        figures.extend(self.trace.lost.map(lost));
        figures
    }

    /// Returns the selected range, or the whole trace.
    pub fn range(&self) -> Span {
        let whole = self.trace.seen_span();
        self.filter.span.and_then(|span| span.intersect(whole)).unwrap_or(whole)
    }

    /// Returns the number of CPUs that were busy on average, or of threads that ran, as far as samples tell. A filter of
    /// events selects no time of threads.
    fn running(&self, range: Span) -> Option<KeyFigure> {
        let times = self.times.filter(|times| !times.threads.is_empty() && !self.filter.is_about_events())?;
        let busy = times.all().activity(Activity::Running) as f64 / range.duration().max(1) as f64;
        let (name, word, unit) = match times.is_of_cpus() {
            true => ("CPU", "of", "CPUs"),
            // They may also wait for a CPU.
            false => ("Running threads", "on", ""),
        };
        let note = match u64::from(self.trace.processors) {
            0 => unit.to_owned(),
            processors => format!("{word} {}", format::counted(processors, "CPU")),
        };
        Some(KeyFigure { value: format::padded(busy), note, ..KeyFigure::new("cpu", name, Some(Tab::Stacks)) })
    }
}

fn figure<'a>(report: &'a ReportHead, key: &str) -> Option<&'a Figure> {
    report.figures.iter().find(|figure| figure.key == key && figure.value.is_finite())
}

/// Returns the figures of incoming requests; of outgoing ones if there are no others.
fn requests(report: &ReportHead, range: Span) -> Vec<KeyFigure> {
    let is_some = |key: &str| figure(report, key).is_some_and(|figure| figure.value > 0.0);
    let is_sent = !is_some("served") && is_some("sent");
    let [count, half, most, failed] = match is_sent {
        true => ["sent", "sentP50Ns", "sentP99Ns", "sentFailed"],
        false => ["served", "p50Ns", "p99Ns", "failed"],
    };
    let to = Some(Tab::Topic(Topic::Http));
    let name = if is_sent { "Outgoing requests" } else { "Requests" };
    let Some(count) = figure(report, count) else { return Vec::new() };
    let seconds = range.duration().max(1) as f64 / 1e9;
    let rate = if count.value > 0.0 { format::rate(count.value / seconds) } else { String::new() };
    let mut figures = vec![KeyFigure { note: rate, ..KeyFigure::new("requests", name, to).of(count) }];
    // Durations of incoming requests begin at the server, those of outgoing ones at the caller.
    let [half_name, most_name] =
        if is_sent { ["Outgoing p50", "Outgoing p99"] } else { ["Incoming p50", "Incoming p99"] };
    for (key, name, of) in [("p50", half_name, half), ("p99", most_name, most)] {
        figures.extend(figure(report, of).map(|figure| KeyFigure::new(key, name, to).of(figure)));
    }
    figures.extend(figure(report, failed).map(|figure| {
        let note = if figure.value > 0.0 { format::percent(figure.value, count.value) } else { String::new() };
        KeyFigure { note, ..KeyFigure::new("failed", "Failed requests", to).of(figure) }
    }));
    figures
}

fn pauses(report: &ReportHead) -> Option<KeyFigure> {
    let total = figure(report, "pauseTotalNs")?;
    let shown = KeyFigure::new("pauses", "GC pause share", Some(Tab::Topic(Topic::Gc)));
    let note = total.unit.words(total.value);
    Some(match figure(report, "pauseShare") {
        Some(share) => KeyFigure { note, is_minimum: total.is_minimum, ..shown.of(share) },
        None => KeyFigure { name: "GC pauses", ..shown.of(total) },
    })
}

fn exceptions(report: &ReportHead) -> Option<KeyFigure> {
    let count = figure(report, "count")?;
    let rate = figure(report, "perSecond").filter(|_| count.value > 0.0);
    let note = rate.map(|rate| rate.unit.words(rate.value)).unwrap_or_default();
    Some(KeyFigure {
        note,
        ..KeyFigure::new("exceptions", "Exceptions thrown", Some(Tab::Topic(Topic::Exceptions))).of(count)
    })
}

fn lost(lost: u64) -> KeyFigure {
    let shown = KeyFigure::new("lost", "Lost events", Some(Tab::Metadata));
    KeyFigure { value: format::count(lost), is_warning: lost > 0, ..shown }
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::tables::state;
    use protocol::topics::report::Unit;

    fn report(topic: Topic, figures: &[(&str, f64, Unit)]) -> ReportHead {
        let figure = |(key, value, unit): &(&str, f64, Unit)| Figure {
            key: (*key).to_owned(),
            name: String::new(),
            value: *value,
            unit: *unit,
            note: String::new(),
            is_minimum: false,
        };
        ReportHead {
            topic,
            verdict: String::new(),
            explanation: String::new(),
            figures: figures.iter().map(figure).collect(),
            charts: Vec::new(),
            tables: Vec::new(),
            stacks: Vec::new(),
            not_recorded: None,
        }
    }

    fn words(known: &Known<'_>) -> Vec<String> {
        let words =
            |figure: KeyFigure| format!("{}: {} {}", figure.name, figure.value, figure.note).trim_end().to_owned();
        known.figures().into_iter().map(words).collect()
    }

    fn trace(lost: Option<u64>) -> Summary {
        let user_span = Span::new(0, 10_000_000_000);
        Summary { user_span, full_span: user_span, processors: 4, lost, ..Summary::default() }
    }

    #[test]
    fn recorded_figures_have_rates_and_shares() {
        let mut nanos = vec![0; state::COUNT];
        nanos[1] = 7_500_000_000;
        let times = RoleTimes { threads: vec![3], nanos, ..RoleTimes::default() };
        let http = report(
            Topic::Http,
            &[
                ("served", 759.0, Unit::Count),
                ("p50Ns", 1.67e6, Unit::Duration),
                ("p99Ns", 1.27e9, Unit::Duration),
                ("failed", 25.0, Unit::Count),
                ("sent", 9.0, Unit::Count),
            ],
        );
        let gc = report(Topic::Gc, &[("pauseTotalNs", 31.4e6, Unit::Duration), ("pauseShare", 0.003_14, Unit::Share)]);
        let exceptions =
            report(Topic::Exceptions, &[("count", 127.0, Unit::Count), ("perSecond", 12.7, Unit::PerSecond)]);
        let known = Known {
            trace: &trace(Some(0)),
            filter: &Filter::default(),
            times: Some(&times),
            http: Some(&http),
            gc: Some(&gc),
            exceptions: Some(&exceptions),
        };
        assert_eq!(
            words(&known),
            [
                "Duration: 10.0 s",
                "Running threads: 0.750 on 4 CPUs",
                "Requests: 759 75.9/s",
                "Incoming p50: 1.67 ms",
                "Incoming p99: 1.27 s",
                "Failed requests: 25 3.3%",
                "GC pause share: 0.3% 31.4 ms",
                "Exceptions thrown: 127 12.7/s",
                "Lost events: 0",
            ]
        );
    }

    #[test]
    fn figures_follow_range_and_omit_what_is_not_recorded() {
        let sent = report(
            Topic::Http,
            &[("served", 0.0, Unit::Count), ("sent", 40.0, Unit::Count), ("sentP99Ns", f64::NAN, Unit::Duration)],
        );
        let filter = Filter { span: Some(Span::new(8_000_000_000, 12_000_000_000)), ..Filter::default() };
        let known = Known {
            trace: &trace(None),
            filter: &filter,
            times: Some(&RoleTimes::default()),
            http: Some(&sent),
            gc: None,
            exceptions: None,
        };
        assert_eq!(words(&known), ["Duration: 2.00 s", "Outgoing requests: 40 20.0/s"]);
    }
}
