//! Measures of lock waits, for comparing traces.

use super::ContentionFacts;
use crate::analysis::measures::{Collector, comparable_name};
use crate::analysis::topics::{Known, Scope};
use protocol::compare::Subject;

/// Adds the time that threads waited for locks, in total and by method.
pub(super) fn measures(facts: &ContentionFacts, known: &Known<'_>, scope: &Scope<'_>, into: &mut Collector) {
    let names = known.site_names();
    into.record(Subject::LockWaits);
    for wait in facts.counted(scope).filter(|wait| wait.is_whole) {
        into.cover(Subject::LockWaits, "", wait.start, wait.end);
        if let Some(site) = wait.site.known() {
            into.cover(Subject::LockSite, &comparable_name(&names.short(site)), wait.start, wait.end);
        }
    }
}
