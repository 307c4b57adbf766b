//! Event counts by type.

use super::Collector;
use crate::analysis::samples::index::is_sample;
use crate::analysis::scan::selection::Selection;
use crate::clr::KnownEvent;
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, TypeId};
use protocol::compare::Subject;

/// Adds the number of events by type. Samples count as running time instead, and suspensions as GCs: the runtime also
/// suspends threads for each round of sampling.
pub fn add_events(store: &Store, selection: &Selection, into: &mut Collector) {
    let names: Vec<Option<String>> = store
        .types
        .iter()
        .map(|one| {
            let is_compared = !is_sample(one) && !is_of_suspension(one.known);
            is_compared.then(|| format!("{}/{}", one.provider, one.display_name))
        })
        .collect();
    let clock = store.clock;
    let mut counts: FastMap<(TypeId, u16), f64> = FastMap::default();
    for row in selection.iter() {
        let event = store.events.row(EventId(row as u32));
        if let Some(slice) = into.slice_of(clock.nanos(event.ticks).0) {
            *counts.entry((event.event_type, slice)).or_default() += 1.0;
        }
    }
    into.record(Subject::Events);
    for ((event_type, slice), count) in counts {
        if let Some(Some(name)) = names.get(event_type.index()) {
            into.add_to_slice(Subject::Events, "", slice, count);
            into.add_to_slice(Subject::EventType, name, slice, count);
        }
    }
}

fn is_of_suspension(known: KnownEvent) -> bool {
    use KnownEvent as K;
    matches!(known, K::GcSuspendBegin | K::GcSuspendEnd | K::GcRestartBegin | K::GcRestartEnd)
}
