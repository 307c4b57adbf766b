//! Measures of SQL queries, for comparing traces.

use super::SqlFacts;
use crate::analysis::measures::Collector;
use crate::analysis::topics::Scope;
use protocol::compare::Subject;

/// Adds the durations of queries, in total and by query without literals.
pub(super) fn measures(facts: &SqlFacts, scope: &Scope<'_>, into: &mut Collector) {
    into.record(Subject::SqlCommands);
    for command in facts.commands.iter().filter(|command| scope.has(command.event)) {
        let Some(nanos) = command.duration() else { continue };
        into.add(Subject::SqlCommands, "", command.start, nanos as f64);
        into.add(Subject::SqlCommands, facts.texts.get(command.shape), command.start, nanos as f64);
    }
}
