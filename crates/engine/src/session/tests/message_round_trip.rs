//! Tests that answers are the same when asked directly and through the encoded messages between page and worker.
//! Messages use the same derived serialization as in the browser, here as JSON; `tests/worker.rs` sends some of them
//! through a real port.

use super::every_request::requests;
use crate::session::{FileFacts, Loader, Progress, Session};
use flate2::read::GzDecoder;
use protocol::base::ids::TraceId;
use protocol::columns::{ColumnError, Packed};
use protocol::request::{EventOrder, FileRequest, Filter, SortKey, TopicRequest};
use protocol::{
    EncodedRequest, Failure, FailureCode, Reply, ReplyEnvelope, Request, RequestEnvelope, ToWorker, tables,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use std::io::Read;

const TRACES: [(&str, &[u8]); 4] = [
    ("orders-net31.nettrace", include_bytes!("../../../../../tests/fixtures/orders-net31.nettrace.gz")),
    ("orders-v6.nettrace", include_bytes!("../../../../../www/samples/orders-v6.nettrace.gz")),
    ("dropped-net31.nettrace", include_bytes!("../../../../../tests/fixtures/dropped-net31.nettrace.gz")),
    ("aborted-net31.nettrace", include_bytes!("../../../../../tests/fixtures/aborted-net31.nettrace.gz")),
];

fn session(name: &str, compressed: &[u8]) -> Session {
    let mut bytes = Vec::new();
    GzDecoder::new(compressed).read_to_end(&mut bytes).expect("a whole gzip file");
    let mut loader = Loader::new();
    loader.append(bytes.len(), |space| space.copy_from_slice(&bytes));
    while loader.advance(1 << 20).expect("a trace") == Progress::Paused {}
    let facts = FileFacts { name: name.to_owned(), bytes: bytes.len() as u64, ..FileFacts::default() };
    Session::new(loader.finish().expect("a trace"), Box::new(bytes), facts).expect("a session")
}

/// Returns the number of a request's kind. A new kind doesn't compile until it is added below.
fn kind(request: &Request) -> usize {
    match request {
        Request::Hello { .. } => 0,
        Request::Summary => 1,
        Request::Overview { .. } => 2,
        Request::Threads { .. } => 3,
        Request::Lanes { .. } => 4,
        Request::Gcs { .. } => 5,
        Request::Exceptions { .. } => 6,
        Request::Events { .. } => 7,
        Request::EventPosition { .. } => 8,
        Request::EventDetail { .. } => 9,
        Request::FindEvent { .. } => 10,
        Request::Flame { .. } => 11,
        Request::Children { .. } => 12,
        Request::HotPath { .. } => 13,
        Request::Functions { .. } => 14,
        Request::FunctionDetail { .. } => 15,
        Request::Header => 16,
        Request::Types => 17,
        Request::TypeDetail { .. } => 18,
        Request::Memory => 19,
        Request::Intervals { .. } => 20,
        Request::WindowSize { .. } => 21,
        Request::FieldNames { .. } => 22,
        Request::Series { .. } => 23,
        Request::SpanRows => 24,
        Request::Connections { .. } => 25,
        Request::Density { .. } => 26,
        Request::StackSources => 27,
        Request::StackFile { .. } => 28,
        Request::When { .. } => 29,
        Request::Below { .. } => 30,
        Request::FindFrames { .. } => 31,
        Request::CodePlaces { .. } => 32,
        Request::UnresolvedCode { .. } => 33,
        Request::TimeOrder { .. } => 34,
        Request::QueryHelp { .. } => 35,
        Request::EventGroups { .. } => 36,
        Request::EventFields { .. } => 37,
        Request::EventText { .. } => 38,
        Request::File(request) => 39 + usize::from(<(u8, [u64; 4])>::from(request.clone()).0),
        Request::Schemas => 48,
        Request::SchemaFile { .. } => 49,
        Request::FieldValues { .. } => 50,
        Request::Excerpt { .. } => 51,
        Request::Topics => 52,
        Request::Topic { of, .. } => 53 + usize::from(<(u8, [u64; 4], String)>::from(of.clone()).0),
    }
}
const KINDS: usize = 58;

/// Returns the columns of an answer, after unpacking and packing them with the table of the request.
fn through_table(request: &Request, packed: &Packed) -> Result<Option<Packed>, ColumnError> {
    Ok(Some(match request {
        Request::Overview { .. } | Request::Density { .. } => tables::Overview::unpack(packed)?.pack(),
        Request::Threads { .. } => tables::Threads::unpack(packed)?.pack(),
        Request::Lanes { .. } => tables::Lanes::unpack(packed)?.pack(),
        Request::Gcs { .. } => tables::Gcs::unpack(packed)?.pack(),
        Request::Exceptions { .. } => tables::Exceptions::unpack(packed)?.pack(),
        Request::Series { .. } => tables::Series::unpack(packed)?.pack(),
        Request::SpanRows => tables::SpanRows::unpack(packed)?.pack(),
        Request::Intervals { .. } => tables::Intervals::unpack(packed)?.pack(),
        Request::Events { .. } => tables::EventRows::unpack(packed)?.pack(),
        Request::EventFields { .. } => tables::EventFields::unpack(packed)?.pack(),
        Request::Topic { of: TopicRequest::RoleTimes, .. } => tables::RoleTimes::unpack(packed)?.pack(),
        Request::Topic { of: TopicRequest::Rows { .. }, .. } => tables::ReportRows::unpack(packed)?.pack(),
        Request::EventText { .. }
        | Request::SchemaFile { .. }
        | Request::Topic { of: TopicRequest::File { .. }, .. } => tables::ExportedFile::unpack(packed)?.pack(),
        Request::Schemas => tables::Schemas::unpack(packed)?.pack(),
        Request::FieldValues { .. } => tables::FieldValues::unpack(packed)?.pack(),
        Request::EventGroups { .. } => tables::EventGroups::unpack(packed)?.pack(),
        Request::Excerpt { .. } => tables::ExcerptPart::unpack(packed)?.pack(),
        Request::FieldNames { .. } => tables::FieldNames::unpack(packed)?.pack(),
        Request::Flame { .. } => tables::Flame::unpack(packed)?.pack(),
        Request::Children { .. } | Request::Below { .. } | Request::HotPath { .. } => {
            tables::CallNodes::unpack(packed)?.pack()
        }
        Request::Functions { .. } => tables::Functions::unpack(packed)?.pack(),
        Request::FindFrames { .. } => tables::FoundFrames::unpack(packed)?.pack(),
        Request::CodePlaces { .. } => tables::CodePlaces::unpack(packed)?.pack(),
        Request::UnresolvedCode { .. } => tables::UnresolvedCode::unpack(packed)?.pack(),
        Request::TimeOrder { .. } => tables::Lanes::unpack(packed)?.pack(),
        Request::When { .. } => tables::When::unpack(packed)?.pack(),
        Request::StackFile { .. } => tables::ExportedFile::unpack(packed)?.pack(),
        Request::StackSources => tables::StackSources::unpack(packed)?.pack(),
        Request::Types => tables::Types::unpack(packed)?.pack(),
        Request::File(FileRequest::Sections { .. }) => tables::Sections::unpack(packed)?.pack(),
        Request::File(FileRequest::SectionRuns { .. }) => tables::SectionRuns::unpack(packed)?.pack(),
        Request::File(FileRequest::Costs) => tables::Costs::unpack(packed)?.pack(),
        Request::File(FileRequest::FieldCosts { .. }) => tables::FieldCosts::unpack(packed)?.pack(),
        Request::File(FileRequest::Structure { .. }) => tables::Structure::unpack(packed)?.pack(),
        Request::File(FileRequest::Leaves { .. }) => tables::Structure::unpack(packed)?.pack(),
        Request::File(FileRequest::FileBytes { .. }) => tables::FileBytes::unpack(packed)?.pack(),
        _ => return Ok(None),
    }))
}

/// Returns a message after a round trip through its encoding.
fn travelled<T: Serialize + DeserializeOwned>(message: &T) -> T {
    let encoded = serde_json::to_vec(message).expect("a message that can be written");
    serde_json::from_slice(&encoded).expect("a message that can be read")
}

/// Sends a request as the page does: the request is encoded, the worker's session answers, the reply is encoded.
fn ask_from_afar(session: &mut Session, id: u32, request: &Request) -> Result<Reply, Failure> {
    let (generation, trace) = (7, TraceId(3));
    let asked = ToWorker::Ask(RequestEnvelope { id, generation, trace, request: EncodedRequest::new(request) }.into());
    let ToWorker::Ask(arrived) = travelled(&asked) else { panic!("another message") };
    let asked = session.question(&arrived.request).expect("a request");
    assert!(asked == *request, "{request:?}");
    let reply = session.answer(&asked);
    let body = reply.as_ref().map_or(Vec::new(), |reply| reply.body.clone());
    let envelope = ReplyEnvelope { id, generation, trace, result: reply.map(|reply| reply.answer) };
    let arrived = travelled(&envelope);
    assert_eq!((arrived.id, arrived.generation, arrived.trace), (id, generation, trace));
    arrived.result.map(|answer| Reply { answer, body })
}

/// Returns whether an answer depends on earlier requests, such as the size of caches.
fn is_of_the_moment(request: &Request) -> bool {
    matches!(request, Request::Memory | Request::Summary)
}

#[test]
fn every_request_has_same_answer_through_messages() {
    let requests = requests();
    let kinds: BTreeSet<_> = requests.iter().map(kind).collect();
    assert!(kinds.into_iter().eq(0..KINDS), "every kind is asked");
    for (name, compressed) in TRACES {
        let (mut direct, mut afar) = (session(name, compressed), session(name, compressed));
        let mut tables = 0;
        for (id, request) in (0..).zip(&requests) {
            let near = direct.answer(request);
            let far = ask_from_afar(&mut afar, id, request);
            assert!(near == far, "{name}: {request:?}");
            let Some(packed) = far.ok().and_then(Reply::into_packed) else { continue };
            let again = through_table(request, &packed).unwrap_or_else(|error| panic!("{name}: {request:?}: {error}"));
            assert_eq!(again.as_ref(), Some(&packed), "{name}: {request:?}");
            tables += 1;
        }
        assert!(tables >= 40, "{name}: {tables} tables");
        // Requests are sent in the opposite order, so that no answer depends on earlier ones.
        let mut opposite = session(name, compressed);
        for request in requests.iter().rev().filter(|request| !is_of_the_moment(request)) {
            assert!(opposite.answer(request) == direct.answer(request), "{name}: {request:?}");
        }
    }
}

#[test]
fn failures_and_messages_round_trip() {
    let failure = Failure::new(FailureCode::NotATrace, "„No“ trace.").with_detail("at \u{0}".to_owned());
    assert_eq!(travelled(&failure), failure);
    for message in [
        ToWorker::OpenFile { id: 1, trace: TraceId(2), name: "a\nb".to_owned(), entry: None },
        ToWorker::OpenUrl {
            id: 1,
            trace: TraceId(2),
            name: String::new(),
            url: "https://x/?a=b#c".to_owned(),
            entry: Some("in.zip!a".to_owned()),
        },
        ToWorker::Cancel { id: u32::MAX },
    ] {
        assert!(travelled(&message) == message, "{message:?}");
    }
}

#[test]
fn events_without_duration_are_sorted_last() {
    let mut session = session(TRACES[0].0, TRACES[0].1);
    let page = |session: &mut Session, query: &str, descending, first| {
        let filter = Filter { query: query.to_owned(), ..Filter::default() };
        let order = EventOrder { key: SortKey::Duration, descending };
        let reply = session.answer(&Request::Events { filter, order, first, count: 200 }).expect("events");
        tables::EventRows::unpack(&reply.into_packed().expect("a table")).expect("a table")
    };
    let lasting = page(&mut session, "dur>=0ns", true, 0).total[0];
    assert!(lasting > 1000, "{lasting}");
    let longest = page(&mut session, "", true, 0);
    assert!(longest.duration.is_sorted_by(|one, next| one >= next), "{:?}", longest.duration);
    let edge = page(&mut session, "", true, lasting - 5);
    let (with, without) = edge.duration.split_at(5);
    assert!(with.iter().all(|nanos| *nanos >= 0) && without.iter().all(|nanos| *nanos < 0), "{:?}", edge.duration);
    assert!(edge.time[5..].is_sorted(), "the others stay in order of time");
    let shortest = page(&mut session, "", false, 0);
    assert!(shortest.duration[0] <= with[4] && shortest.duration.is_sorted());
    // The filter by the longest duration must find the same event.
    let query = format!("dur>={}ns", longest.duration[0]);
    assert_eq!(page(&mut session, &query, true, 0).event[0], longest.event[0]);
}
