//! What a session answers is what arrives: the same requests asked directly, and through the encoded form of request
//! and reply that travels between page and worker. Messages are encoded by the same derived code as in the browser, here
//! as JSON; `tests/worker.rs` sends some of them through a real port.

use super::{FileFacts, Loader, Progress, Session};
use crate::model::ids::{EventId, FunctionId, ThreadId, TraceId, TypeId};
use crate::model::time::Span;
use crate::model::window::Window;
use crate::protocol::columns::{ColumnError, Packed};
use crate::protocol::request::{
    Baseline, BaselineOf, EventFormat, EventName, EventOrder, FileRequest, Filter, FunctionOrder, GroupColumn,
    GroupQuery, Label, Measure, PieceFilter, SampleChoice, SortKey, StackSource, TreeQuery, Weight, WhenOf,
};
use crate::protocol::schema_tables::SchemaFormat;
use crate::protocol::stack_format::StackFormat;
use crate::protocol::stack_shape::{FrameName, FramePatterns, Grouping, Roots, Shape, Transform};
use crate::protocol::track::TrackKind;
use crate::protocol::{Failure, FailureCode, Reply, ReplyEnvelope, Request, RequestEnvelope, ToWorker, tables};
use flate2::read::GzDecoder;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use std::io::Read;

const TRACES: [(&str, &[u8]); 4] = [
    ("orders-net31.nettrace", include_bytes!("../../tests/fixtures/orders-net31.nettrace.gz")),
    ("orders-v6.nettrace", include_bytes!("../../tests/fixtures/orders-v6.nettrace.gz")),
    ("dropped-net31.nettrace", include_bytes!("../../tests/fixtures/dropped-net31.nettrace.gz")),
    ("aborted-net31.nettrace", include_bytes!("../../tests/fixtures/aborted-net31.nettrace.gz")),
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

/// The number of a kind of request. A new kind does not compile until it is asked below, too.
fn kind(request: &Request) -> usize {
    match request {
        Request::Hello { .. } => 0,
        Request::Summary => 1,
        Request::Overview { .. } => 2,
        Request::Threads { .. } => 3,
        Request::Lanes { .. } => 4,
        Request::Collections { .. } => 5,
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
        Request::Marks { .. } => 20,
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
        Request::NamelessCode { .. } => 33,
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
    }
}
const KINDS: usize = 52;

/// The columns of an answer, unpacked and packed again by the table that the request promises.
fn through_table(request: &Request, packed: &Packed) -> Result<Option<Packed>, ColumnError> {
    Ok(Some(match request {
        Request::Overview { .. } | Request::Density { .. } => tables::Overview::unpack(packed)?.pack(),
        Request::Threads { .. } => tables::Threads::unpack(packed)?.pack(),
        Request::Lanes { .. } => tables::Lanes::unpack(packed)?.pack(),
        Request::Collections { .. } => tables::Collections::unpack(packed)?.pack(),
        Request::Exceptions { .. } => tables::Exceptions::unpack(packed)?.pack(),
        Request::Series { .. } => tables::Series::unpack(packed)?.pack(),
        Request::SpanRows => tables::SpanRows::unpack(packed)?.pack(),
        Request::Marks { .. } => tables::Marks::unpack(packed)?.pack(),
        Request::Events { .. } => tables::EventRows::unpack(packed)?.pack(),
        Request::EventFields { .. } => tables::EventFields::unpack(packed)?.pack(),
        Request::EventText { .. } | Request::SchemaFile { .. } => tables::ExportedFile::unpack(packed)?.pack(),
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
        Request::NamelessCode { .. } => tables::NamelessCode::unpack(packed)?.pack(),
        Request::TimeOrder { .. } => tables::Lanes::unpack(packed)?.pack(),
        Request::When { .. } => tables::When::unpack(packed)?.pack(),
        Request::StackFile { .. } => tables::ExportedFile::unpack(packed)?.pack(),
        Request::StackSources => tables::StackSources::unpack(packed)?.pack(),
        Request::Types => tables::Types::unpack(packed)?.pack(),
        Request::File(FileRequest::Pieces { .. }) => tables::Pieces::unpack(packed)?.pack(),
        Request::File(FileRequest::PieceRuns { .. }) => tables::PieceRuns::unpack(packed)?.pack(),
        Request::File(FileRequest::Costs) => tables::Costs::unpack(packed)?.pack(),
        Request::File(FileRequest::FieldCosts { .. }) => tables::FieldCosts::unpack(packed)?.pack(),
        Request::File(FileRequest::Structure { .. }) => tables::Structure::unpack(packed)?.pack(),
        Request::File(FileRequest::Leaves { .. }) => tables::Structure::unpack(packed)?.pack(),
        Request::File(FileRequest::FileBytes { .. }) => tables::FileBytes::unpack(packed)?.pack(),
        _ => return Ok(None),
    }))
}

fn requests() -> Vec<Request> {
    let second = Filter { span: Some(Span::new(1_000_000_000, 2_000_000_000)), ..Filter::default() };
    let narrow = Filter {
        processes: vec![0, 4711],
        threads: vec![ThreadId(0), ThreadId(3)],
        providers: vec!["Microsoft-Windows-DotNETRuntime".to_owned(), "Ünïcode".to_owned()],
        types: (0..40).map(TypeId).collect(),
        query: "a\u{1F980} /[\"]/".to_owned(),
        frames: vec![FrameName { name: "Program.Alloc(object)".to_owned(), module: "Workload".to_owned() }],
        labels: vec![Label::Activity("no GUID".to_owned()), Label::Named("a.b".to_owned(), "=".to_owned())],
        level: Some(3),
        ..second.clone()
    };
    let text = Filter { query: "customer-1".to_owned(), ..Filter::default() };
    let event = |name: &str| {
        StackSource::Events(EventName { provider: "Microsoft-Windows-DotNETRuntime".to_owned(), name: name.to_owned() })
    };
    let (allocations, waits) = (event("GC/AllocationTick"), event("Contention/Start"));
    let (name, module) = ("Program.Alloc(object)".to_owned(), "Workload".to_owned());
    let transforms =
        vec![Transform::CollapseModule("System.Linq".to_owned()), Transform::MergeFunction(FrameName { name, module })];
    let folded = Shape {
        just_my_code: true,
        awaits: true,
        nameless: true,
        grouping: Grouping::Modules,
        transforms,
        inverted: true,
        ..Shape::default()
    };
    let rest = Some(Baseline { of: BaselineOf::Rest, is_scaled: true });
    let other = Some(Baseline { of: BaselineOf::Filter(Filter::default()), is_scaled: false });
    let by_work = Shape { roots: Roots::Work, stitched: true, just_my_code: true, inverted: true, ..Shape::default() };
    let patterns = FramePatterns { groups: "{%}!=>$1".to_owned(), folds: "Thread".to_owned() };
    let by_thread = Shape { roots: Roots::Thread, patterns, grouping: Grouping::Classes, ..Shape::default() };
    let queries = [
        TreeQuery::default(),
        TreeQuery {
            filter: second.clone(),
            samples: SampleChoice::Managed,
            weight: Weight::Count,
            ..TreeQuery::default()
        },
        TreeQuery {
            source: allocations,
            weight: Weight::Field("AllocationAmount64".to_owned()),
            ..TreeQuery::default()
        },
        TreeQuery { source: waits, filter: second.clone(), ..TreeQuery::default() },
        TreeQuery { shape: folded, ..TreeQuery::default() },
        TreeQuery { filter: second.clone(), baseline: rest, ..TreeQuery::default() },
        TreeQuery { filter: second.clone(), baseline: other, shape: by_work, ..TreeQuery::default() },
        TreeQuery { source: StackSource::Everything, weight: Weight::Count, shape: by_thread, ..TreeQuery::default() },
        TreeQuery { filter: narrow.clone(), samples: SampleChoice::External, ..TreeQuery::default() },
    ];
    let problems = PieceFilter { kinds: u16::MAX, only_problems: true };
    let mut requests = vec![
        Request::Hello { protocol: 1, build: "any".to_owned() },
        Request::Summary,
        Request::Header,
        Request::Types,
        Request::Schemas,
        Request::SchemaFile { format: SchemaFormat::Json, provider: String::new() },
        Request::SchemaFile { format: SchemaFormat::CSharp, provider: String::new() },
        Request::FieldValues { filter: Filter::default(), event_type: TypeId(u32::MAX) },
        Request::StackSources,
        Request::File(FileRequest::Costs),
        Request::File(FileRequest::FieldCosts { event_type: TypeId(3), first: 0 }),
        Request::File(FileRequest::Pieces { of: PieceFilter::default(), first: 0, count: 50 }),
        Request::File(FileRequest::Pieces { of: problems, first: u64::MAX, count: u32::MAX }),
        Request::File(FileRequest::PiecePosition { of: problems, offset: u64::MAX }),
        Request::File(FileRequest::PieceRuns { start: 0, end: u64::MAX, count: 900 }),
        Request::Memory,
        Request::QueryHelp { text: "provider:\u{1F980}\" (".to_owned(), cursor: Some(12) },
        Request::Overview { span: None, buckets: 400 },
        Request::Density { filter: text.clone(), span: Span::new(0, 1_000_000_000), buckets: 300 },
        Request::Density { filter: Filter::default(), span: Span::new(i64::MIN, i64::MAX), buckets: 0 },
        Request::Overview { span: Some(Span::new(i64::MIN, i64::MAX)), buckets: 3 },
        Request::Collections { filter: Filter::default() },
        Request::Lanes {
            threads: (0..30).map(ThreadId).collect(),
            span: Span::new(-5, 9_000_000_000),
            resolution: 1 << 20,
            max_depth: 32,
            spans: true,
        },
        Request::SpanRows,
        Request::FindEvent { at: 637_885, os_thread: 6709, provider: String::new(), event_id: 85 },
        Request::FindEvent { at: i64::MAX, os_thread: u64::MAX, provider: "none".to_owned(), event_id: u32::MAX },
    ];
    for filter in [Filter::default(), second, narrow, text] {
        requests.push(Request::Threads { filter: filter.clone() });
        requests.push(Request::Collections { filter: filter.clone() });
        requests.push(Request::Exceptions { filter: filter.clone(), limit: 100 });
        requests.push(Request::Series { filter: filter.clone() });
        for kind in TrackKind::MARKS {
            let (filter, span) = (filter.clone(), Span::new(1_000_000_000, 3_000_000_000));
            requests.push(Request::Marks { kind, filter, span, resolution: 1 << 20 });
        }
        let field = SortKey::Field("TypeName".to_owned());
        for key in [SortKey::Time, SortKey::Thread, SortKey::Name, SortKey::Duration, field] {
            let order = EventOrder { key, descending: filter.span.is_some() };
            let position = Request::EventPosition { filter: filter.clone(), order: order.clone(), event: EventId(9) };
            requests.push(position);
            requests.push(Request::Events { filter: filter.clone(), order: order.clone(), first: 2, count: 60 });
            let (of, fields) = ((filter.clone(), order.clone()), vec!["TypeName".to_owned(), "\u{1F980}".to_owned()]);
            for format in EventFormat::ALL {
                let ((filter, order), fields) = (of.clone(), fields.clone());
                let (with_head, first, count) = (format != EventFormat::Tsv, 0, 20);
                requests.push(Request::EventText { filter, order, fields, format, with_head, first, count });
            }
            let (filter_, order_) = of;
            requests.push(Request::EventFields { filter: filter_, order: order_, fields, first: 1, count: 9 });
            requests.push(Request::Events { filter: filter.clone(), order, first: u64::MAX, count: u32::MAX });
        }
        let field = |name: &str| Some(Measure::Field(name.to_owned()));
        for (by, measure) in
            [(SortKey::Name, Some(Measure::Duration)), (SortKey::Field("Reason".to_owned()), field("Count"))]
        {
            let query = GroupQuery { by, measure, column: GroupColumn::Sum, descending: true };
            requests.push(Request::EventGroups { filter: filter.clone(), query: query.clone(), first: 0, count: 50 });
            requests.push(Request::EventGroups { filter: filter.clone(), query, first: u64::MAX, count: u32::MAX });
        }
        requests.push(Request::Excerpt { filter: filter.clone(), from: 0 });
        requests.push(Request::Excerpt { filter: filter.clone(), from: 7 });
        requests.push(Request::FieldNames { filter });
    }
    for span in [None, Some(Span::new(i64::MIN, i64::MAX)), Some(Span::new(5, -5))] {
        requests.push(Request::WindowSize { window: Window { span, providers: Vec::new() } });
        requests.push(Request::WindowSize { window: Window { span, providers: vec!["nobody".to_owned()] } });
    }
    for query in queries {
        let (path, min_share, max_depth) = (Vec::new(), 0.001, 64);
        requests.push(Request::StackFile { query: query.clone(), format: StackFormat::Csv });
        let nowhere = vec![FunctionId(u32::MAX)];
        requests.push(Request::Flame { query: query.clone(), path: path.clone(), min_share, max_depth });
        requests.push(Request::Flame { query: query.clone(), path: nowhere, min_share: 0.0, max_depth });
        requests.push(Request::Children { query: query.clone(), path: path.clone() });
        requests.push(Request::Below { query: query.clone(), path, most: 500 });
        requests.push(Request::FindFrames { query: query.clone(), text: "threading".to_owned() });
        requests.push(Request::HotPath { query: query.clone(), max_depth });
        let frames = [0, 1, 7, u32::MAX].map(FunctionId);
        let rows = frames.iter().zip([1, 2, 2, 9]).map(|(frame, level)| (level, *frame)).collect();
        for of in [WhenOf::Rows(rows), WhenOf::Functions(frames.to_vec())] {
            requests.push(Request::When { query: query.clone(), of });
        }
        requests.push(Request::NamelessCode { query: query.clone() });
        for (number, resolution) in [(0, 1 << 20), (3, 0), (u32::MAX, 1)] {
            let (thread, span, function) = (ThreadId(number), Span::new(0, 2_000_000_000), FunctionId(number));
            requests.push(Request::CodePlaces { query: query.clone(), function });
            requests.push(Request::TimeOrder { query: query.clone(), thread, span, resolution, max_depth });
        }
        for order in [FunctionOrder::Exclusive, FunctionOrder::Inclusive] {
            requests.push(Request::Functions { query: query.clone(), order, limit: 100 });
        }
    }
    for offset in [0, 9, 60, 5_000, 200_000, u64::MAX] {
        requests.push(Request::File(FileRequest::FileBytes { offset, count: 100 }));
        requests.push(Request::File(FileRequest::EventAt { offset }));
        requests.push(Request::File(FileRequest::Leaves { offset, bytes: 300 }));
        for (item, first, count) in [(None, 0, 200), (Some(0), 0, 200), (Some(3), 2, 3), (None, u64::MAX, u32::MAX)] {
            requests.push(Request::File(FileRequest::Structure { offset, item, first, count }));
        }
    }
    for number in [0, 1, 5, 400, u32::MAX] {
        requests.push(Request::EventDetail { event: EventId(number) });
        requests.push(Request::Connections { event: EventId(number) });
        requests.push(Request::FunctionDetail { function: FunctionId(number) });
        let event_type = TypeId(number);
        requests.push(Request::TypeDetail { event_type });
        let filter = Filter { types: vec![event_type], ..Filter::default() };
        requests.push(Request::FieldValues { filter, event_type });
    }
    requests
}

/// A message as it leaves one side and arrives at the other.
fn travelled<T: Serialize + DeserializeOwned>(message: &T) -> T {
    let encoded = serde_json::to_vec(message).expect("a message that can be written");
    serde_json::from_slice(&encoded).expect("a message that can be read")
}

/// Asks as the page does: the request travels, the worker's session answers, the reply travels.
fn ask_from_afar(session: &mut Session, id: u32, request: &Request) -> Result<Reply, Failure> {
    let (generation, trace) = (7, TraceId(3));
    let asked = ToWorker::Ask(RequestEnvelope { id, generation, trace, request: request.clone() }.into());
    let ToWorker::Ask(arrived) = travelled(&asked) else { panic!("another message") };
    assert!(arrived.request == *request, "{request:?}");
    let reply = session.answer(&arrived.request);
    let body = reply.as_ref().map_or(Vec::new(), |reply| reply.body.clone());
    let envelope = ReplyEnvelope { id, generation, trace, result: reply.map(|reply| reply.answer) };
    let arrived = travelled(&envelope);
    assert_eq!((arrived.id, arrived.generation, arrived.trace), (id, generation, trace));
    arrived.result.map(|answer| Reply { answer, body })
}

/// Without what depends on what was asked before: how much is in caches.
fn is_of_the_moment(request: &Request) -> bool {
    matches!(request, Request::Memory | Request::Summary)
}

#[test]
fn every_request_is_answered_the_same_directly_and_from_afar() {
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
        // In the opposite order, so that no answer hangs on what was asked before.
        let mut opposite = session(name, compressed);
        for request in requests.iter().rev().filter(|request| !is_of_the_moment(request)) {
            assert!(opposite.answer(request) == direct.answer(request), "{name}: {request:?}");
        }
    }
}

#[test]
fn failures_and_messages_travel_whole() {
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
fn events_that_last_longest_come_first_and_those_that_do_not_last_come_last() {
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
    // What the longest is, is where the filter by its duration finds it.
    let query = format!("dur>={}ns", longest.duration[0]);
    assert_eq!(page(&mut session, &query, true, 0).event[0], longest.event[0]);
}
