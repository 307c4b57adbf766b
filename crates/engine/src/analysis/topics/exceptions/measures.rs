//! Measures of exceptions, for comparing traces.

use super::ExceptionFacts;
use crate::analysis::measures::{Collector, comparable_name};
use crate::analysis::topics::{Known, Scope};
use crate::clr::names::readable_type;
use protocol::compare::Subject;

/// Adds the number of exceptions, in total, by type and by method. Rethrows don't count.
pub(super) fn measures(facts: &ExceptionFacts, known: &Known<'_>, scope: &Scope<'_>, into: &mut Collector) {
    let names = known.site_names();
    into.record(Subject::Exceptions);
    for one in facts.thrown.iter().filter(|one| !one.is_again && scope.has(one.event)) {
        into.add(Subject::Exceptions, "", one.time, 1.0);
        into.add(Subject::ExceptionType, &readable_type(facts.texts.get(one.type_name)), one.time, 1.0);
        if let Some(site) = one.site.known() {
            into.add(Subject::ThrowSite, &comparable_name(&names.short(site)), one.time, 1.0);
        }
    }
}
