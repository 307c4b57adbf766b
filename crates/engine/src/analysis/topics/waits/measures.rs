//! Measures of waits for tasks and handles, for comparing traces.

use super::WaitFacts;
use crate::analysis::measures::{Collector, comparable_name};
use crate::analysis::topics::{Known, Scope};
use protocol::compare::Subject;

/// Adds the time that threads waited, by method.
pub(super) fn measures(facts: &WaitFacts, known: &Known<'_>, scope: &Scope<'_>, into: &mut Collector) {
    let names = known.site_names();
    for one in facts.waits.iter().filter(|one| one.wait.is_whole() && one.wait.counts(scope)) {
        if let Some(site) = one.site.known() {
            into.cover(Subject::HandleWaits, &comparable_name(&names.short(site)), one.wait.start, one.wait.end);
        }
    }
}
