//! Times of spans in real recordings.

use crate::analysis::events::span_times::is_exception;
use crate::analysis::tests::reference::recording;
use crate::session::{FileFacts, Session};
use protocol::base::ids::EventId;
use protocol::events::span_times::SpanTimes;
use protocol::queries;

#[test]
#[cfg_attr(not(has_recordings), ignore = "needs the recordings in ../shared/traces")]
fn parts_of_real_spans_add_up_to_them() {
    for (name, has_requests) in
        [("web-net9.nettrace", true), ("web-net10.nettrace", true), ("orders-net31.nettrace", false)]
    {
        let Some(recording) = recording(name) else { continue };
        let facts = FileFacts { bytes: recording.bytes.len() as u64, ..FileFacts::default() };
        let mut session = Session::new(recording.store, Box::new(recording.bytes), facts).expect("a session");
        let spans = session.complete(Session::spans).expect("spans");
        let requests = spans.spans().iter().filter(|span| span.track.is_some() && span.interval.is_whole());
        let (mut crossing, mut with_status) = (0, 0);
        for request in requests.take(60) {
            let interval = request.interval;
            let times = session.ask(&queries::SpanTimes { event: interval.last_event }).expect("an answer");
            let Some(times) = times else { continue };
            assert_eq!((times.span.start.0, times.span.end.0), (interval.start, interval.end), "{name}");
            let sum: i64 = times.parts.iter().map(|part| part.nanos).sum();
            assert!(times.parts.is_empty() || sum == interval.duration(), "{name}: {times:?}");
            crossing += usize::from(interval.thread != interval.last_thread && !times.parts.is_empty());
            with_status += usize::from(times.request.is_some_and(|facts| facts.status.is_some()));
        }
        assert!(crossing > 0, "{name}: spans on several threads");
        assert_eq!(with_status > 0, has_requests, "{name}: requests with a status");
        let rows = 0..session.store.events.len() as u32;
        let thrown: Vec<EventId> = rows.map(EventId).filter(|event| is_exception(&session.store, *event)).collect();
        let caught =
            thrown.iter().filter_map(|event| session.ask(&queries::SpanTimes { event: *event }).expect("times"));
        let caught: Vec<SpanTimes> = caught.collect();
        assert!(!caught.is_empty() && caught.iter().all(|one| !one.caught_in.is_empty()), "{name}: exceptions");
    }
}
