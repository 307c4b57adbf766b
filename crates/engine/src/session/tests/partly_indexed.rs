//! Tests that a partially indexed trace gives the same answers as a whole one with a filter by time.

use crate::session::{FileFacts, Loader, Progress, Session};
use flate2::read::GzDecoder;
use protocol::base::indexed_part::{MAX_ROWS, Window};
use protocol::base::time::Span;
use protocol::queries;
use protocol::request::Filter;
use protocol::topics::report::{ReportHead, TopicPresence};
use protocol::topics::topic::Topic;
use std::io::Read;

const SECOND: i64 = 1_000_000_000;

/// Opens a recording with 53 GCs in 7.7 s.
fn session(rows: Window) -> Session {
    let mut bytes = Vec::new();
    let packed = include_bytes!("../../../../../tests/fixtures/orders-net31.nettrace.gz");
    GzDecoder::new(&packed[..]).read_to_end(&mut bytes).expect("a whole gzip file");
    let mut loader = Loader::of(rows, MAX_ROWS);
    loader.append(bytes.len(), |space| space.copy_from_slice(&bytes));
    while loader.advance(1 << 20).expect("a trace") == Progress::Paused {}
    let facts = FileFacts { name: "orders".to_owned(), bytes: bytes.len() as u64, ..FileFacts::default() };
    Session::new(loader.finish().expect("a trace"), Box::new(bytes), facts).expect("a session")
}

fn gcs(session: &mut Session, filter: Filter) -> ReportHead {
    let request = queries::Report { topic: Topic::Gc, filter };
    session.ask(&request).expect("a report")
}

fn counted(session: &mut Session) -> Vec<TopicPresence> {
    session.ask(&queries::Topics).expect("topics")
}

#[test]
fn shares_of_partial_index_refer_to_indexed_time() {
    // No GC overlaps its ends.
    let second = Span::new(2 * SECOND, 3 * SECOND);
    let mut part = session(Window { span: Some(second), ..Window::default() });
    let mut whole = session(Window::default());
    let of_part = gcs(&mut part, Filter::default());
    let expected = gcs(&mut whole, Filter { span: Some(second), ..Filter::default() });
    assert!(of_part.verdict.contains(" of 1.00 s (7.1%)"), "{}", of_part.verdict);
    assert_eq!(of_part.verdict, expected.verdict);
    let shares = |report: &ReportHead| report.figures.iter().take(7).map(|one| one.value).collect::<Vec<_>>();
    assert_eq!(shares(&of_part), shares(&expected), "how many, how long, which share, and percentiles");
    // A filter beyond the indexed part adds nothing.
    let longer = Filter { span: Some(Span::new(SECOND, 6 * SECOND)), ..Filter::default() };
    assert_eq!(gcs(&mut part, longer).verdict, of_part.verdict);
}

#[test]
fn topic_counts_need_complete_index() {
    let of_gc = |topics: Vec<TopicPresence>| topics.into_iter().find(|one| one.topic == Topic::Gc).expect("all topics");
    let whole = of_gc(counted(&mut session(Window::default())));
    assert_eq!((whole.count, whole.missing), (Some(53), None));
    let span = Some(Span::new(2 * SECOND, 4 * SECOND));
    let part = of_gc(counted(&mut session(Window { span, ..Window::default() })));
    assert_eq!((part.count, part.missing), (None, None));
}
