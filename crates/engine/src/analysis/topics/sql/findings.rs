//! The finding about commands that one activity repeats.

use super::{Executed, SqlFacts};
use crate::analysis::topics::shared::evidence::{link, on_timeline, open, times};
use crate::analysis::values::payload_text::cut;
use protocol::base::time::Span;
use protocol::format::{count, counted};
use protocol::topics::finding::{Cost, Finding, FindingKind, FindingTarget};
use protocol::topics::topic::Topic;

/// Maximum characters of an activity's name in the title, and of a query in the evidence.
const MAX_NAME: usize = 20;
const MAX_QUERY: usize = 36;
/// Minimum number of commands with the same normalized query in one activity, for a finding.
const MANY: usize = 10;

impl SqlFacts {
    /// Returns the finding about the same command repeated within one request.
    pub(super) fn repeated_finding(&self, commands: &[&Executed]) -> Option<Finding> {
        let mut repeated = self.repeated(commands);
        repeated.retain(|one| one.commands.len() >= MANY);
        let worst = repeated.first()?;
        let all = || repeated.iter().flat_map(|one| &one.commands);
        let total: i64 = all().filter_map(|one| one.duration()).fold(0, i64::saturating_add);
        let when = times(all().map(|one| Span::new(one.start, one.end.unwrap_or(one.start) + 1)).collect());
        let (name, shape) = (self.texts.get(worst.commands[0].work_name), self.texts.get(worst.shape));
        let mut links = vec![open(Topic::Sql)];
        links.extend(on_timeline(&when));
        links.push(link("View first query", FindingTarget::Event(worst.commands[0].event)));
        let cost = Cost::time(total, "query time");
        let most = count(worst.commands.len() as u64);
        Some(Finding {
            title: format!("N+1: {} runs one query {most} times ({})", cut(name, MAX_NAME), cost.size()),
            sentence: format!(
                "{} in {}: “{}”.",
                counted(all().count() as u64, "query"),
                counted(repeated.len() as u64, "activity"),
                cut(shape, MAX_QUERY)
            ),
            links,
            times: when,
            advice: "Fetch all rows at once with a JOIN or Include.".to_owned(),
            details: format!("The queries differ only in parameter values: “{shape}”."),
            ..Finding::new(FindingKind::RepeatedCommands, cost)
        })
    }
}
