//! Tests that answers are the same when asked directly and through the encoded messages between page and worker.
//! Messages use the same derived serialization as in the browser, here as JSON; `tests/worker.rs` sends some of them
//! through a real port.

use super::every_request::requests;
use crate::session::{FileFacts, Loader, Progress, Session};
use flate2::read::GzDecoder;
use protocol::base::ids::TraceId;
use protocol::request::{EventColumn, EventOrder, Filter};
use protocol::{
    EncodedRequest, Failure, FailureCode, Following, Query, Reply, ReplyEnvelope, Request, RequestEnvelope, ToWorker,
    queries,
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

/// Encodes an answer again after reading it as the output of the query.
macro_rules! through_output {
    ($($name:ident -> $kind:ident $output:ty;)*) => {
        fn through_output(request: &Request, reply: Reply) -> Result<Reply, Failure> {
            match request {
                Request::Hello => Ok(reply),
                $(Request::$name(_) => queries::$name::output(reply).map(queries::$name::reply)),*
            }
        }
    };
}

protocol::every_query!(through_output);

/// Returns a message after a round trip through its encoding.
fn round_trip<T: Serialize + DeserializeOwned>(message: &T) -> T {
    let encoded = serde_json::to_vec(message).expect("a message that can be written");
    serde_json::from_slice(&encoded).expect("a message that can be read")
}

/// Sends a request as the page does: the request is encoded, the worker's session answers, the reply is encoded.
fn ask_from_afar(session: &mut Session, id: u32, request: &Request) -> Result<Reply, Failure> {
    let (generation, trace) = (7, TraceId(3));
    let asked = ToWorker::Ask(RequestEnvelope { id, generation, trace, request: EncodedRequest::of(request) }.into());
    let ToWorker::Ask(arrived) = round_trip(&asked) else { panic!("another message") };
    let asked = session.question(&arrived.request).expect("a request");
    assert!(asked == *request, "{request:?}");
    let reply = session.answer(&asked);
    let body = reply.as_ref().map_or(Vec::new(), |reply| reply.body.clone());
    let envelope = ReplyEnvelope { id, generation, trace, result: reply.map(|reply| reply.answer) };
    let arrived = round_trip(&envelope);
    assert_eq!((arrived.id, arrived.generation, arrived.trace), (id, generation, trace));
    arrived.result.map(|answer| Reply { answer, body })
}

/// Returns whether an answer depends on earlier requests, as memory use does.
fn is_of_the_moment(request: &Request) -> bool {
    matches!(request, Request::Memory(_) | Request::Summary(_))
}

#[test]
fn every_request_has_same_answer_through_messages() {
    let requests = requests();
    let numbers: BTreeSet<_> = requests.iter().map(Request::number).collect();
    assert!(numbers.into_iter().eq(0..Request::COUNT), "every query is asked");
    for (name, compressed) in TRACES {
        let (mut direct, mut afar) = (session(name, compressed), session(name, compressed));
        let mut outputs = 0;
        for (id, request) in (0..).zip(&requests) {
            let near = direct.answer(request);
            let far = ask_from_afar(&mut afar, id, request);
            assert!(near == far, "{name}: {request:?}");
            let Ok(far) = far else { continue };
            let again = through_output(request, far.clone());
            let again = again.unwrap_or_else(|failure| panic!("{name}: {request:?}: {failure:?}"));
            assert!(again == far, "{name}: {request:?}");
            outputs += 1;
        }
        assert!(outputs >= 40, "{name}: {outputs} outputs");
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
    assert_eq!(round_trip(&failure), failure);
    for message in [
        ToWorker::OpenFile { id: 1, trace: TraceId(2), name: "a\nb".to_owned(), entry: None },
        ToWorker::OpenUrl {
            id: 1,
            trace: TraceId(2),
            name: String::new(),
            url: "https://x/?a=b#c".to_owned(),
            entry: Some("in.zip!a".to_owned()),
            follow: true,
        },
        ToWorker::Follow(Following::Paused),
        ToWorker::Cancel { id: u32::MAX },
    ] {
        assert!(round_trip(&message) == message, "{message:?}");
    }
}

#[test]
fn events_without_duration_are_sorted_last() {
    let mut session = session(TRACES[0].0, TRACES[0].1);
    let page = |session: &mut Session, query: &str, descending, first| {
        let filter = Filter { query: query.to_owned(), ..Filter::default() };
        let order = EventOrder { key: EventColumn::Duration, descending };
        session.ask(&queries::Events { filter, order, first, count: 200 }).expect("events")
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
