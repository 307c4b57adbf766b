//! `traceglass summary`: prints findings.

use super::arguments::Trace;
use super::text::{Output, line};
use super::{Stop, values};
use engine::session::export::json::Json;
use protocol::format::duration;
use protocol::request::Filter;
use protocol::timeline::thread_state::ThreadState;
use protocol::topics::finding::Finding;
use protocol::topics::no_findings::{Recorded, no_findings};

/// Print findings: problems in the app or the recording, with cost, time and fix
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
        let findings = session.findings(&filter)?;
        let mut states = session.state_totals(&filter)?;
        states.retain(|(_, nanos)| *nanos > 0);
        if self.json {
            return print_json(&findings, &states, output);
        }
        if findings.is_empty() {
            let recorded =
                Recorded { samples: session.summary().samples > 0, losses: session.store().lost_events().is_some() };
            line!(output, "{}", no_findings(&session.topics(), recorded))?;
            line!(output)?;
        }
        for finding in &findings {
            let Finding { title, sentence, cost, advice, .. } = finding;
            line!(output, "{title}")?;
            line!(output, "  {} {}", cost.size(), cost.words)?;
            line!(output, "  {sentence}")?;
            line!(output, "  {advice}")?;
            line!(output)?;
        }
        if !states.is_empty() {
            line!(output, "Thread time (sampled, all threads)")?;
        }
        for (state, nanos) in states {
            line!(output, "  {:<28} {:>10}", state.name(), duration(nanos))?;
        }
        Ok(())
    }
}

fn print_json(findings: &[Finding], states: &[(ThreadState, i64)], output: &mut Output<'_>) -> Result<(), Stop> {
    let mut json = Json::default();
    json.object(|json| {
        json.key("findings").array(|json| findings.iter().for_each(|finding| json.object(|json| write(json, finding))));
        json.key("threadTimeNs").object(|json| {
            for (state, nanos) in states {
                json.key(state.slug()).integer(*nanos);
            }
        });
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
