//! `traceglass check`: validates a trace.

use super::open::open_silently;
use super::text::{Align, Output, line, seconds, table};
use super::{FAILURE, MISUSE, SUCCESS, Stop};
use engine::analysis::file::header_detail::{diagnostics, format_words};
use engine::analysis::file::trace_facts::{bytes_after_end, bytes_after_end_words};
use engine::analysis::intervals::lost_events::losses_by_thread;
use engine::model::{EventType, Process};
use engine::session::Session;
use protocol::Failure;
use protocol::base::ids::thread_number;
use protocol::base::time::Nanos;
use protocol::export::Json;
use protocol::format;
use protocol::reply::{Diagnostic, Summary, ThreadLoss};
use std::path::PathBuf;

/// Validate the trace: version, processes, parse issues, and lost events per thread
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Exit codes: 0 the trace is complete, 1 it is damaged or events were lost, 2 it can't be read.")]
pub struct CheckCommand {
    /// Trace to read
    file: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl CheckCommand {
    /// Prints the validation report and returns the exit code.
    pub(super) fn run(self, output: &mut Output<'_>) -> Result<u8, Stop> {
        let report = match open_silently(&self.file, None) {
            Ok(session) => Report::of(&session),
            Err(failure) => {
                print_failure(&failure, self.json, output)?;
                return Ok(MISUSE);
            }
        };
        if self.json {
            print_json(&report, output)?
        } else {
            print_text(&report, output)?
        }
        Ok(if report.is_damaged() || report.has_losses() { FAILURE } else { SUCCESS })
    }
}

/// Data of both output formats.
struct Report {
    summary: Summary,
    /// Description of the format version.
    format: &'static str,
    processes: Vec<Process>,
    diagnostics: Vec<Diagnostic>,
    losses: Vec<ThreadLoss>,
    /// Bytes after the end of the stream.
    bytes_after_end: u64,
    misfits: Vec<Misfit>,
}

/// Event type whose payloads differ from its schema.
struct Misfit {
    provider: String,
    event: String,
    event_id: u32,
    version: u32,
    words: String,
}

impl Report {
    fn of(session: &Session) -> Self {
        let store = session.store();
        Self {
            summary: session.summary(),
            format: format_words(store),
            processes: store.processes.iter().cloned().collect(),
            diagnostics: diagnostics(store),
            losses: losses_by_thread(store),
            bytes_after_end: bytes_after_end(store, session.file().bytes).unwrap_or(0),
            misfits: misfits(session),
        }
    }

    fn is_damaged(&self) -> bool {
        self.summary.diagnostic_count > 0
    }

    fn has_losses(&self) -> bool {
        self.summary.lost.is_some_and(|lost| lost > 0)
    }

    fn verdict(&self) -> &'static str {
        match (self.is_damaged(), self.has_losses(), self.summary.lost.is_some()) {
            (true, true, _) if self.summary.is_restored => {
                "The damage to the trace was repaired, but events were lost during recording."
            }
            (true, false, _) if self.summary.is_restored => "The damage to the trace was repaired.",
            (true, true, _) => "The trace is damaged, and events were lost during recording.",
            (true, false, _) => "The trace is damaged.",
            (false, true, _) => "The trace is complete, but events were lost during recording.",
            (false, false, true) => "The trace is complete. No events lost.",
            (false, false, false) => "The trace is complete. This format doesn't record lost events.",
        }
    }
}

fn misfits(session: &Session) -> Vec<Misfit> {
    let types = session.store().types.iter().filter(|event_type| !event_type.fit.is_exact());
    let misfit = |event_type: &EventType| Misfit {
        provider: event_type.provider.clone(),
        event: event_type.display_name.clone(),
        event_id: event_type.record.event_id,
        version: event_type.record.version,
        words: event_type.fit_words(),
    };
    types.map(misfit).collect()
}

fn print_failure(failure: &Failure, json: bool, output: &mut Output<'_>) -> Result<(), Stop> {
    if !json {
        line!(output, "{failure}")?;
        return Ok(output.print_lines(&failure.detail)?);
    }
    Ok(output.json(|json| {
        json.key("verdict").string("unreadable");
        json.key("code").plain(format_args!("{:?}", failure.code));
        json.key("reason").string(&failure.message);
        json.key("detail").string(&failure.detail);
        if let Some(offset) = failure.offset {
            json.key("offset").integer(offset);
        }
    })?)
}

fn print_text(report: &Report, output: &mut Output<'_>) -> Result<(), Stop> {
    let summary = &report.summary;
    let mut facts = vec![
        ("File", format!("{}, {}", summary.file_name, format::bytes(summary.file_bytes))),
        ("Encoding", summary.packing.clone()),
        ("Format", format!("{}, {}", summary.format, report.format)),
    ];
    if let [process] = report.processes.as_slice() {
        facts.push(("Process", process_words(process)));
        facts.push(("Runtime", process.runtime.clone()));
        facts.push(("System", format!("{} {}", process.operating_system, process.architecture).trim().to_owned()));
    }
    facts.push(("Events", format::count(summary.events)));
    facts.push(("Lost events", summary.lost.map_or("not recorded in this format".to_owned(), format::count)));
    facts.push(("Parse issues", format::count(summary.diagnostic_count)));
    if report.bytes_after_end > 0 {
        facts.push(("File end", bytes_after_end_words(report.bytes_after_end)));
    }
    for (name, value) in facts.into_iter().filter(|(_, value)| !value.is_empty()) {
        line!(output, "{name:<12} {value}")?;
    }
    print_processes(&report.processes, output)?;
    if report.is_damaged() {
        line!(output)?;
        line!(output, "Parse issues")?;
        for problem in &report.diagnostics {
            let times =
                if problem.count > 1 { format!(" ({} times)", format::count(problem.count)) } else { String::new() };
            line!(output, "  byte {}: {}{times}", format::count(problem.offset), problem.message)?;
        }
        let listed: u64 = report.diagnostics.iter().map(|problem| problem.count).sum();
        if summary.diagnostic_count > listed {
            line!(output, "  and {} more", format::count(summary.diagnostic_count - listed))?;
        }
    }
    if !report.misfits.is_empty() {
        line!(output)?;
        line!(output, "Payloads that differ from their schema ({})", report.misfits.len())?;
        for Misfit { provider, event, event_id, version, words } in &report.misfits {
            line!(output, "  {provider}/{event} (ID {event_id}, version {version}): {words}")?;
        }
    }
    print_losses(&report.losses, output)?;
    line!(output)?;
    Ok(line!(output, "{}", report.verdict())?)
}

fn process_words(process: &Process) -> String {
    let number = process.os_process;
    match process.name.as_str() {
        name if name.is_empty() || name == format!("Process {number}") => format!("{number} (name not recorded)"),
        name => format!("{name} ({number})"),
    }
}

fn print_processes(processes: &[Process], output: &mut Output<'_>) -> Result<(), Stop> {
    if processes.len() < 2 {
        return Ok(());
    }
    line!(output)?;
    line!(output, "Processes ({})", processes.len())?;
    let columns = [("Process", Align::Right), ("Name", Align::Left), ("Runtime", Align::Left)];
    let row = |process: &Process| vec![process.os_process.to_string(), process.name.clone(), process.runtime.clone()];
    Ok(table(output, &columns, &processes.iter().map(row).collect::<Vec<_>>())?)
}

/// Prints the lost events of each thread with their time range; nothing if no events were lost.
pub(super) fn print_losses(losses: &[ThreadLoss], output: &mut Output<'_>) -> Result<(), Stop> {
    if losses.is_empty() {
        return Ok(());
    }
    line!(output)?;
    line!(output, "Lost events by thread ({})", losses.len())?;
    let columns = [
        ("Thread", Align::Right),
        ("Lost", Align::Right),
        ("Gaps", Align::Right),
        ("After", Align::Right),
        ("Before", Align::Right),
    ];
    let row = |loss: &ThreadLoss| {
        let first = loss.after.map_or("start".to_owned(), |after| seconds(Nanos(after)));
        let last = seconds(Nanos(loss.before));
        vec![thread_number(loss.os_thread), format::count(loss.count), format::count(loss.gaps), first, last]
    };
    Ok(table(output, &columns, &losses.iter().map(row).collect::<Vec<_>>())?)
}

fn print_json(report: &Report, output: &mut Output<'_>) -> Result<(), Stop> {
    let summary = &report.summary;
    Ok(output.json(|json| {
        json.key("verdict").string(match (report.is_damaged(), report.has_losses()) {
            (true, _) => "damaged",
            (false, true) => "lossy",
            (false, false) => "whole",
        });
        json.key("file").string(&summary.file_name);
        json.key("bytes").integer(summary.file_bytes);
        json.key("packing").string(&summary.packing);
        json.key("format").string(&summary.format);
        json.key("formatInWords").string(report.format);
        json.key("processes").array(|json| report.processes.iter().for_each(|process| process_row(json, process)));
        json.key("events").integer(summary.events);
        match summary.lost {
            Some(lost) => json.key("eventsLost").integer(lost),
            None => json.key("eventsLost").null(),
        }
        json.key("losses").array(|json| report.losses.iter().for_each(|loss| loss_row(json, loss)));
        json.key("misfits").array(|json| report.misfits.iter().for_each(|misfit| misfit_row(json, misfit)));
        json.key("bytesAfterEnd").integer(report.bytes_after_end);
        json.key("problemCount").integer(summary.diagnostic_count);
        json.key("problems").array(|json| {
            for problem in &report.diagnostics {
                json.object(|json| {
                    json.key("offset").integer(problem.offset);
                    json.key("message").string(&problem.message);
                    json.key("count").integer(problem.count);
                });
            }
        });
    })?)
}

fn process_row(json: &mut Json, process: &Process) {
    json.object(|json| {
        json.key("process").integer(process.os_process);
        json.key("name").string(&process.name);
        json.key("commandLine").string(&process.command_line);
        json.key("runtime").string(&process.runtime);
        json.key("operatingSystem").string(&process.operating_system);
        json.key("architecture").string(&process.architecture);
    });
}

fn misfit_row(json: &mut Json, misfit: &Misfit) {
    json.object(|json| {
        json.key("provider").string(&misfit.provider);
        json.key("event").string(&misfit.event);
        json.key("eventId").integer(misfit.event_id);
        json.key("version").integer(misfit.version);
        json.key("payloads").string(&misfit.words);
    });
}

fn loss_row(json: &mut Json, loss: &ThreadLoss) {
    json.object(|json| {
        json.key("thread").integer(loss.os_thread);
        json.key("count").integer(loss.count);
        json.key("gaps").integer(loss.gaps);
        match loss.after {
            Some(after) => json.key("notBeforeNs").integer(after),
            None => json.key("notBeforeNs").null(),
        }
        json.key("notAfterNs").integer(loss.before);
    });
}
