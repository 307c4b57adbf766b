//! Measures of waits for tasks and handles, for comparing traces.

use super::WaitFacts;
use crate::analysis::measures::{Collector, comparable_name};
use crate::analysis::topics::{Known, Scope};
use protocol::compare::Subject;

/// Adds the time that threads waited, by method.
pub(super) fn measures(facts: &WaitFacts, known: &Known<'_>, scope: &Scope<'_>, into: &mut Collector) {
    let names = known.site_names();
    let counted = facts.waits.iter().filter(|wait| wait.is_whole && scope.covers(wait.event, wait.start, wait.end));
    for wait in counted {
        if let Some(site) = wait.site.known() {
            into.cover(Subject::HandleWaits, &comparable_name(&names.short(site)), wait.start, wait.end);
        }
    }
}
