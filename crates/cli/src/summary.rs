//! `traceglass summary`: prints findings.

use super::arguments::Trace;
use super::text::{Output, line};
use super::view::{Combined, SavedPage};
use super::{Stop, field_names, values};
use protocol::export::Json;
use protocol::format::{duration, escaped};
use protocol::markdown;
use protocol::queries;
use protocol::request::Filter;
use protocol::tables::{CpuPart, RoleTimes};
use protocol::timeline::thread_state::ThreadState;
use protocol::topics::finding::Finding;
use protocol::topics::finding_text;
use protocol::topics::no_findings::{Recorded, no_findings};
use std::path::PathBuf;

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
    /// Print Markdown, for pull requests and job summaries
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    /// Write a page that contains the viewer and the trace, and opens offline in any browser
    #[arg(long, value_name = "OUT", conflicts_with_all = ["json", "markdown", "filter", "rows"])]
    html: Option<PathBuf>,
    /// With --html: use the page in FOLDER instead of the built-in page
    #[arg(long, value_name = "FOLDER", requires = "html")]
    page: Option<PathBuf>,
    /// With --html: mask private text, like the redact command
    #[arg(long, requires = "html")]
    redact: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl SummaryCommand {
    pub(super) fn run(self, output: &mut Output<'_>, notes: &mut Output<'_>) -> Result<(), Stop> {
        if let Some(out) = &self.html {
            let saved = SavedPage { out, folder: self.page.as_deref(), is_masked: self.redact };
            let traces = std::slice::from_ref(&self.trace.file);
            return Ok(line!(output, "{}", saved.write(traces, &Combined::Timeline)?)?);
        }
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
        let recorded =
            Recorded { samples: session.summary().samples > 0, losses: session.store().lost_events.is_some() };
        let nothing = findings.is_empty().then(|| no_findings(&session.topics(), recorded));
        if self.markdown {
            let name = self.trace.file.file_name().unwrap_or_default().to_string_lossy();
            let text = markdown_of(&name, &findings, nothing, &states, &times);
            return Ok(output.verbatim(&text)?);
        }
        if let Some(nothing) = nothing {
            line!(output, "{nothing}")?;
            line!(output)?;
        }
        for finding in &findings {
            for text in finding.lines() {
                line!(output, "{text}")?;
            }
            line!(output)?;
        }
        if !states.is_empty() {
            line!(output, "{}", time_title(&times))?;
        }
        for (state, nanos) in states {
            line!(output, "  {:<28} {:>10}", state.name(), duration(nanos))?;
        }
        print_processes(&times, output)
    }
}

/// Returns the title of the times of threads.
fn time_title(times: &RoleTimes) -> String {
    let source = match (times.is_of_cpus(), times.has_switches()) {
        (false, _) => "sampled",
        (true, false) => "CPU samples",
        (true, true) => "CPU samples and context switches",
    };
    format!("Thread time ({source}, all threads)")
}

/// Returns everything as Markdown. `nothing` says why there are no findings.
fn markdown_of(
    name: &str,
    findings: &[Finding],
    nothing: Option<String>,
    states: &[(ThreadState, i64)],
    times: &RoleTimes,
) -> String {
    let mut text = format!("## Findings in {}\n\n", markdown::escaped(name));
    text += &nothing.map_or_else(|| finding_text::markdown(findings), |nothing| markdown::escaped(&nothing) + "\n");
    if !states.is_empty() {
        let rows = states.iter().map(|(state, nanos)| format!("{}\t{}\n", state.name(), duration(*nanos)));
        let rows = format!("{}\t\n{}", time_title(times), rows.collect::<String>());
        text += &format!("\n{}", markdown::table(&rows, states.len()));
    }
    if !times.process_threads.is_empty() {
        let parts: String = CpuPart::ALL.iter().map(|part| format!("\t{}", part.name())).collect();
        let row = |row| {
            let nanos: String =
                times.of_process(row).iter().map(|nanos| format!("\t{}", time_or_dash(*nanos))).collect();
            format!("{}{nanos}\n", times.process.get(row).replace(['\t', '\n', '\r'], " "))
        };
        let rows: String = (0..times.process_threads.len()).map(row).collect();
        text += &format!("\n{}", markdown::table(&format!("CPU and waiting by process{parts}\n{rows}"), PROCESSES));
    }
    text
}

/// Returns a duration, or a dash if it wasn't recorded.
fn time_or_dash(nanos: Option<i64>) -> String {
    nanos.map_or_else(|| "–".to_owned(), duration)
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
        let cell = |nanos: Option<i64>| format!("{:>10}", time_or_dash(nanos));
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
    Ok(output.json(|json| {
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
    })?)
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
