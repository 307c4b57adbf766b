//! Measures of allocations, for comparing traces.

use super::AllocationFacts;
use crate::analysis::measures::{Collector, comparable_name};
use crate::analysis::timeline::allocation_rate::bytes_for;
use crate::analysis::topics::{Known, Scope};
use crate::clr::names::readable_type;
use protocol::base::hash::FastMap;
use protocol::compare::Subject;

/// Adds allocated bytes, in total, by type and by method.
pub(super) fn measures(facts: &AllocationFacts, known: &Known<'_>, scope: &Scope<'_>, into: &mut Collector) {
    let Some(event) = facts.counted else { return };
    let (store, site_names) = (known.store, known.site_names());
    let (mut types, mut sites) = (FastMap::default(), FastMap::default());
    into.record(Subject::Allocated);
    for row in facts.rows.iter().filter(|row| scope.has(row.event)) {
        let time = store.clock().nanos(store.events().row(row.event).ticks).0;
        let bytes = bytes_for(event, row.recorded);
        into.add(Subject::Allocated, "", time, bytes);
        let name = types.entry(row.type_at).or_insert_with(|| readable_type(facts.names.get(row.type_at)));
        into.add(Subject::AllocatedType, name, time, bytes);
        if let Some(site) = row.site.known() {
            let name = sites.entry(site).or_insert_with(|| comparable_name(&site_names.short(site)));
            into.add(Subject::AllocationSite, name, time, bytes);
        }
    }
}
