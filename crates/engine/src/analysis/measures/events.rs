//! Event counts by type.

use super::Collector;
use crate::analysis::samples::index::is_sample;
use crate::analysis::scan::selection::Selection;
use crate::clr::KnownEvent;
use crate::model::{EventType, Store};
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, TypeId};
use protocol::compare::Subject;

/// Adds the number of events by type. Samples count as running time instead, and the four events of a suspension count
/// once, so that one change isn't listed four times.
pub fn add_events(store: &Store, selection: &Selection, into: &mut Collector) {
    let of_type = |one: &EventType| format!("{}/{}", one.provider, one.display_name);
    let names: Vec<Option<(String, bool)>> = store
        .types
        .iter()
        .map(|one| (!is_sample(one)).then(|| (of_type(one), !follows_suspension(one.known))))
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
        if let Some(Some((name, is_compared))) = names.get(event_type.index()) {
            into.add_to_slice(Subject::Events, "", slice, count);
            if *is_compared {
                into.add_to_slice(Subject::EventType, name, slice, count);
            }
        }
    }
}

/// Returns whether an event comes after each start of a suspension.
fn follows_suspension(known: KnownEvent) -> bool {
    use KnownEvent as K;
    matches!(known, K::GcSuspendEnd | K::GcRestartBegin | K::GcRestartEnd)
}
