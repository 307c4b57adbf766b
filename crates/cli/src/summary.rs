//! `traceglass summary`: what is wrong with a program, with evidence.

use super::Stop;
use engine::session::Session;
use engine::session::export::json::Json;
use protocol::request::Filter;
use protocol::topics::finding::{Finding, FindingTarget};
use std::io::Write;

/// Prints findings, what costs most first.
pub(super) fn print(session: &mut Session, filter: &str, json: bool, output: &mut impl Write) -> Result<(), Stop> {
    let filter = Filter { query: filter.to_owned(), ..Filter::default() };
    let findings = session.findings(&filter)?;
    if json {
        return print_json(&findings, output);
    }
    if findings.is_empty() {
        writeln!(output, "Nothing stands out.")?;
    }
    for finding in &findings {
        let Finding { title, sentence, cost, unit, cost_words, advice, .. } = finding;
        writeln!(output, "{title}\n  {} {cost_words}\n  {sentence}\n  {advice}\n", unit.words(*cost))?;
    }
    Ok(())
}

fn print_json(findings: &[Finding], output: &mut impl Write) -> Result<(), Stop> {
    let mut json = Json::default();
    json.object(|json| {
        json.key("findings").array(|json| findings.iter().for_each(|finding| json.object(|json| write(json, finding))));
    });
    Ok(writeln!(output, "{}", json.as_str())?)
}

fn write(json: &mut Json, finding: &Finding) {
    json.key("finding").string(finding.kind.slug());
    json.key("title").string(&finding.title);
    json.key("sentence").string(&finding.sentence);
    json.key("cost").float(finding.cost);
    json.key("costWords").string(&finding.cost_words);
    json.key("advice").string(&finding.advice);
    json.key("times").array(|json| {
        for time in &finding.times {
            json.array(|json| [time.start, time.end].iter().for_each(|at| json.integer(at.0)));
        }
    });
    let conditions = finding.links.iter().filter_map(|link| match &link.to {
        FindingTarget::Narrow { condition, .. } if !condition.is_empty() => Some(condition),
        _ => None,
    });
    json.key("filters").array(|json| conditions.for_each(|condition| json.string(condition)));
}
