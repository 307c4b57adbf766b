//! Tests sections of async methods whose end is missing in the file.

use super::index::SpanIndex;
use super::search::SpanSearch;
use crate::analysis::intervals::tracks::TrackIndex;
use crate::analysis::scan::payload_batches::Step;
use crate::model::testing::read;
use nettrace::testing::{Event, Format, PayloadWriter, TraceBuilder};
use nettrace::{Header, MetadataRecord};

const TASKS: &str = "System.Threading.Tasks.TplEventSource";
/// `CausalitySynchronousWork.Execution`.
const EXECUTION: u32 = 2;

/// Start of a section of a task's method, or end of a section.
enum Piece {
    Begin(u32),
    End,
}
use Piece::{Begin, End};

/// Returns the spans (start, end) of sections at these nanoseconds on these threads.
fn spans_of(happenings: &[(i64, u64, Piece)]) -> Vec<(i64, i64)> {
    let header = Header { sync_ticks: 0, tick_frequency: 1_000_000_000, ..Format::Nettrace4.header() };
    let mut trace = TraceBuilder::with_header(Format::Nettrace4, &header);
    let record = |metadata_id, event_id| {
        let provider = TASKS.to_owned();
        MetadataRecord { metadata_id, provider, event_id, version: 1, level: 4, ..MetadataRecord::default() }
    };
    trace.metadata(&[record(1, 17), record(2, 18)]);
    let event = |(sequence, (timestamp, thread, piece)): (u32, &(i64, u64, Piece))| {
        let (metadata_id, payload) = match piece {
            Begin(task) => (1, PayloadWriter::new().u32(*task).u32(EXECUTION)),
            End => (2, PayloadWriter::new().u32(EXECUTION)),
        };
        let (timestamp, thread, payload) = (*timestamp, *thread, payload.finish());
        let (capture_thread, is_sorted) = (1, true);
        Event { metadata_id, sequence, capture_thread, thread, timestamp, is_sorted, payload, ..Event::default() }
    };
    let events: Vec<Event> = (1..).zip(happenings).map(event).collect();
    trace.events(&events);
    let bytes = trace.finish();
    let store = read(&bytes);
    let mut search = SpanSearch::new(&store);
    while search.step(&store, &bytes, true).expect("payloads") != Step::Done {}
    let index: SpanIndex = search.finish(&store, &bytes, &mut TrackIndex::default()).expect("payloads");
    index.spans().iter().map(|span| (span.interval.start, span.interval.end)).collect()
}

#[test]
fn sections_are_nested() {
    let spans =
        spans_of(&[(10, 1, Begin(7)), (11, 1, Begin(8)), (12, 2, Begin(9)), (13, 1, End), (14, 1, End), (15, 2, End)]);
    assert_eq!(spans, [(10, 14), (11, 13), (12, 15)]);
}

/// A method continues only after its previous section has ended. If a task starts a section while another one is open,
/// the end of that one was lost, as were those of sections nested in it.
#[test]
fn section_without_end_is_not_ended_by_another_end() {
    // The ends of 7, and of 8 within it, are missing; 7 continues elsewhere; the end at 40 belongs to nothing known.
    let spans = spans_of(&[(10, 1, Begin(7)), (11, 1, Begin(8)), (20, 2, Begin(7)), (30, 2, End), (40, 1, End)]);
    assert_eq!(spans, [(20, 30)]);
    // The same on one thread, where the outer section of 6 is still in progress.
    let spans = spans_of(&[(5, 1, Begin(6)), (10, 1, Begin(7)), (20, 1, Begin(7)), (30, 1, End), (40, 1, End)]);
    assert_eq!(spans, [(5, 40), (20, 30)]);
    // Nothing is missing if a task continues after an end.
    let spans =
        spans_of(&[(10, 1, Begin(7)), (15, 1, End), (20, 1, Begin(8)), (21, 2, Begin(7)), (25, 2, End), (30, 1, End)]);
    assert_eq!(spans, [(10, 15), (20, 30), (21, 25)]);
}
