//! Runs of the finalizer thread, which calls the finalizers of unreachable objects after GCs.

use super::interval_set::{IntervalSet, NO_EVENT, Texts};
use super::pairs::pair_on_threads;
use crate::clr::KnownEvent;
use crate::clr::known::payload::GcFinalizersEnd;
use crate::model::Store;
use nettrace::{ByteSource, SourceError};
use protocol::format::counted;

/// Returns the runs, named after their number of finalizers, which the end event records.
///
/// # Errors
/// If a payload can't be read from the file.
pub fn finalizer_runs(store: &Store, source: &dyn ByteSource) -> Result<IntervalSet, SourceError> {
    let mut texts = Texts::default();
    let (unknown, nothing) = (texts.position("Finalizers"), texts.position(""));
    let mut intervals = pair_on_threads(store, KnownEvent::GcFinalizersBegin, KnownEvent::GcFinalizersEnd);
    for interval in &mut intervals {
        (interval.name, interval.note) = (unknown, nothing);
        if interval.last_event == NO_EVENT {
            continue;
        }
        if let Some(end) = GcFinalizersEnd::read(&store.payload(interval.last_event, source)?) {
            interval.name = texts.position(&counted(end.count.into(), "finalizer"));
        }
    }
    Ok(IntervalSet::new(intervals, texts).packed())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::{runtime, store_of};
    use nettrace::testing::PayloadWriter;
    use protocol::tables::interval_flag;

    #[test]
    fn run_has_count_of_its_end() {
        let begin = || runtime(14, 1, PayloadWriter::new().u16(0));
        let end = |count| runtime(13, 1, PayloadWriter::new().u32(count).u16(0));
        let (store, bytes) = store_of(&[
            (5, 2, end(3)),
            (10, 2, begin()),
            (30, 2, end(1)),
            (40, 2, begin()),
            (45, 2, end(0)),
            (60, 2, begin()),
        ]);
        let set = finalizer_runs(&store, &bytes).expect("payloads");
        let found: Vec<_> = set.intervals().iter().map(|run| (run.end, set.text(run.name), run.flags)).collect();
        assert_eq!(
            found,
            [
                (5, "3 finalizers", interval_flag::OPEN_START),
                (30, "1 finalizer", 0),
                (45, "0 finalizers", 0),
                (61, "Finalizers", interval_flag::OPEN_END)
            ]
        );
    }
}
