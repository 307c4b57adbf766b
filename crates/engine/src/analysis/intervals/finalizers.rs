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
    use crate::analysis::testing::{RUNTIME, runtime, store_of};
    use crate::model::testing::read;
    use nettrace::testing::{Event, Format, PayloadWriter, TraceBuilder};
    use nettrace::{Header, MetadataRecord};
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

    /// The lost event may have been the end of the first run and the begin of the second one.
    #[test]
    fn runs_are_not_paired_across_lost_events() {
        let found = |sequences: [u32; 2]| {
            let header = Header { sync_ticks: 0, tick_frequency: 1_000_000_000, ..Format::Nettrace4.header() };
            let mut trace = TraceBuilder::with_header(Format::Nettrace4, &header);
            let record = |metadata_id, event_id| MetadataRecord {
                metadata_id,
                provider: RUNTIME.to_owned(),
                event_id,
                version: 1,
                ..MetadataRecord::default()
            };
            trace.metadata(&[record(1, 14), record(2, 13)]);
            let event = |metadata_id, sequence, timestamp, payload: PayloadWriter| Event {
                metadata_id,
                sequence,
                timestamp,
                thread: 7,
                capture_thread: 7,
                payload: payload.finish(),
                ..Event::default()
            };
            let begin = event(1, 1, 100, PayloadWriter::new().u16(0));
            let end = |sequence, time| event(2, sequence, time, PayloadWriter::new().u32(15).u16(0));
            trace.events(&[begin, end(sequences[0], 900), event(1, sequences[1], 950, PayloadWriter::new().u16(0))]);
            let bytes = trace.finish();
            let set = finalizer_runs(&read(&bytes), &bytes).expect("payloads");
            set.intervals().iter().map(|run| (run.start, run.end, run.is_whole())).collect::<Vec<_>>()
        };
        assert_eq!(found([2, 3]), [(100, 900, true), (950, 951, false)]);
        assert_eq!(found([9, 10]), [(100, 900, false), (100, 900, false), (950, 951, false)], "lost before the end");
        assert_eq!(found([2, 9]), [(100, 900, true), (950, 951, false)], "lost between the runs");
    }
}
