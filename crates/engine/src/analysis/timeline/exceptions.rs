//! Thrown exceptions, as listed with the timeline.

use crate::analysis::scan::rows::TypeSet;
use crate::analysis::scan::selection::Selection;
use crate::clr::KnownEvent;
use crate::clr::known::payload::ExceptionThrown;
use crate::model::Store;
use nettrace::{ByteSource, SourceError};
use protocol::base::ids::EventId;
use protocol::tables;

/// Returns the first `limit` selected exceptions in time order, and the number of all.
///
/// # Errors
/// If a payload can't be read from the file.
pub fn exceptions(
    store: &Store,
    source: &dyn ByteSource,
    selection: &Selection,
    limit: u32,
) -> Result<tables::Exceptions, SourceError> {
    let mut table = tables::Exceptions::default();
    let mut found: Vec<EventId> = Vec::new();
    let mut total = 0u64;
    let thrown = TypeSet::of_known(store, &[KnownEvent::ExceptionThrown]);
    thrown.for_each_row(store, 0..store.events.len(), |chunk, row| {
        let event = chunk.event_id(row);
        if selection.contains(event.index()) {
            total += 1;
            if found.len() < limit as usize {
                found.push(event);
            }
        }
    });
    table.total.push(total);
    for event in found {
        let row = store.events.row(event);
        let payload = store.payload(event, source)?;
        let thrown = ExceptionThrown::read(&payload, store.header.pointer_size);
        table.time.push(store.clock.nanos(row.ticks).0);
        table.thread.push(row.thread.0);
        table.event.push(event.0);
        table.type_name.push(&thrown.map_or_else(String::new, |thrown| thrown.type_name.to_string()));
        table.message.push(&thrown.map_or_else(String::new, |thrown| thrown.message.to_string()));
    }
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::filter::select::select;
    use crate::analysis::testing::{What, store_of};
    use protocol::request::Filter;

    #[test]
    fn exception_total_includes_those_beyond_limit() {
        let (store, bytes) =
            store_of(&[(0, 5, What::Throw("first")), (1, 6, What::Order("x", 1)), (2, 6, What::Throw("second"))]);
        let all = select(&store, &bytes, &Filter::default()).unwrap();
        let table = exceptions(&store, &bytes, &all, 1).unwrap();
        assert_eq!((table.total, table.time), (vec![2], vec![0]));
        assert_eq!((table.type_name.get(0), table.message.get(0)), ("System.FormatException", "first"));
    }
}
