//! `traceglass summary`: prints findings.

use super::arguments::Trace;
use super::text::{Output, line};
use super::{Stop, field_names, values};
use engine::session::export::json::Json;
use protocol::format::{duration, escaped};
use protocol::queries;
use protocol::request::Filter;
use protocol::tables::{CpuPart, RoleTimes};
use protocol::timeline::thread_state::ThreadState;
use protocol::topics::finding::Finding;
use protocol::topics::no_findings::{Recorded, no_findings};

/// Maximum number of processes to print for a machine-wide trace.
const PROCESSES: usize = 8;

/// Print findings: problems in the app or the recording, with their cost, time and fix
#[derive(clap::Args, Debug)]
pub struct SummaryCommand {
    #[command(flatten)]
    trace: Trace,
    /// Use only matching events
    #[arg(long, value_parser = values::filter, allow_hyphen_values = true)]
    filter: Option<Filter>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl SummaryCommand {
    pub(super) fn run(self, output: &mut Output<'_>, notes: &mut Output<'_>) -> Result<(), Stop> {
        let filter = self.filter.unwrap_or_default();
        let mut session = self.trace.open(notes)?;
        field_names::check_filter(&mut session, &filter)?;
        let findings = session.ask(&queries::Findings { filter: filter.clone() })?;
        let times = session.ask(&queries::RoleTimes { filter })?;
        let all = times.all();
        let mut states: Vec<(ThreadState, i64)> =
            ThreadState::ALL.into_iter().map(|state| (state, all.of(state))).collect();
        states.retain(|(_, nanos)| *nanos > 0);
        if self.json {
            return print_json(&findings, &states, &times, output);
        }
        if findings.is_empty() {
            let recorded =
                Recorded { samples: session.summary().samples > 0, losses: session.store().lost_events().is_some() };
            line!(output, "{}", no_findings(&session.topics(), recorded))?;
            line!(output)?;
        }
        for finding in &findings {
            let Finding { title, sentence, cost, advice, details, .. } = finding;
            line!(output, "{title}")?;
            if !has_number(title, &cost.size()) {
                line!(output, "  {} {}", cost.size(), cost.words)?;
            }
            line!(output, "  {sentence} {advice}")?;
            if !details.is_empty() {
                line!(output, "  {details}")?;
            }
            line!(output)?;
        }
        if !states.is_empty() {
            let source = match (times.is_of_cpus(), times.has_switches()) {
                (false, _) => "sampled",
                (true, false) => "CPU samples",
                (true, true) => "CPU samples and context switches",
            };
            line!(output, "Thread time ({source}, all threads)")?;
        }
        for (state, nanos) in states {
            line!(output, "  {:<28} {:>10}", state.name(), duration(nanos))?;
        }
        print_processes(&times, output)
    }
}

/// Returns whether a title contains a number that isn't part of a longer one.
fn has_number(title: &str, number: &str) -> bool {
    let continues = |next: Option<char>| next.is_some_and(|next| next.is_ascii_digit());
    title.match_indices(number).any(|(at, _)| {
        let (before, after) = (&title[..at], &title[at + number.len()..]);
        let is_inside = continues(before.trim_end_matches(['.', ',']).chars().next_back())
            || continues(after.trim_start_matches(['.', ',']).chars().next());
        !is_inside
    })
}

/// Prints the CPU time and waits of each process of a machine-wide trace.
fn print_processes(times: &RoleTimes, output: &mut Output<'_>) -> Result<(), Stop> {
    if times.process_threads.is_empty() {
        return Ok(());
    }
    line!(output)?;
    let parts = CpuPart::ALL.map(|part| format!("{:>10}", part.name())).join(" ");
    line!(output, "{:<28} {parts}", "CPU and waiting by process")?;
    for row in 0..times.process_threads.len().min(PROCESSES) {
        let cell = |nanos: Option<i64>| format!("{:>10}", nanos.map_or_else(|| "–".to_owned(), duration));
        let nanos = times.of_process(row).map(cell).join(" ");
        line!(output, "  {:<26} {nanos}", escaped(times.process.get(row)))?;
    }
    Ok(())
}

fn print_json(
    findings: &[Finding],
    states: &[(ThreadState, i64)],
    times: &RoleTimes,
    output: &mut Output<'_>,
) -> Result<(), Stop> {
    let mut json = Json::default();
    json.object(|json| {
        json.key("findings").array(|json| findings.iter().for_each(|finding| json.object(|json| write(json, finding))));
        json.key("threadTimeNs").object(|json| {
            for (state, nanos) in states {
                json.key(state.slug()).integer(*nanos);
            }
        });
        if !times.process_threads.is_empty() {
            json.key("processTimeNs").array(|json| {
                for row in 0..times.process_threads.len() {
                    json.object(|json| {
                        json.key("process").string(times.process.get(row));
                        json.key("threads").integer(times.process_threads[row]);
                        for (part, nanos) in CpuPart::ALL.into_iter().zip(times.of_process(row)) {
                            if let Some(nanos) = nanos {
                                json.key(part.slug()).integer(nanos);
                            }
                        }
                    });
                }
            });
        }
    });
    Ok(output.verbatim(json.as_str()).and_then(|()| output.verbatim("\n"))?)
}

fn write(json: &mut Json, finding: &Finding) {
    json.key("finding").string(finding.kind.slug());
    json.key("title").string(&finding.title);
    json.key("sentence").string(&finding.sentence);
    json.key("cost").float(finding.cost.value);
    json.key("costWords").string(&finding.cost.words);
    json.key("isMinimum").boolean(finding.cost.is_minimum);
    json.key("advice").string(&finding.advice);
    json.key("details").string(&finding.details);
    json.key("times").array(|json| {
        for time in &finding.times {
            json.array(|json| [time.start, time.end].iter().for_each(|at| json.integer(at.0)));
        }
    });
    let narrowings = finding.links.iter().filter_map(|link| link.to.narrowing());
    let mut conditions: Vec<&str> = narrowings.map(|of| of.condition.as_str()).filter(|of| !of.is_empty()).collect();
    conditions.dedup();
    json.key("filters").array(|json| conditions.iter().for_each(|condition| json.string(condition)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn part_of_another_number_does_not_count() {
        assert!(has_number("25 requests failed", "25"));
        assert!(has_number("The thread pool starved for 1.97 s", "1.97 s"));
        assert!(has_number("Waited for 25, then for more", "25"));
        assert!(!has_number("1,25 125 25.1 25,000 requests", "25"));
        assert!(!has_number("No number", "25"));
    }
}
