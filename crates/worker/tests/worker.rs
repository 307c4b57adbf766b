//! Tests in a worker of a real browser that the worker's messages contain exactly the answers of a session.

#![cfg(target_arch = "wasm32")]

use engine::session::{FileFacts, Loader, Progress, Session};
use js_sys::{Array, ArrayBuffer, Promise, Uint8Array};
use protocol::base::ids::{EventId, FunctionId, ThreadId, TraceId, TypeId};
use protocol::base::indexed_part::{MAX_ROWS, Window};
use protocol::base::time::Span;
use protocol::queries;
use protocol::reply::Summary;
use protocol::request::{EventColumn, EventOrder, Filter, FunctionOrder, TreeQuery};
use protocol::{
    Answer, EncodedRequest, Failure, FailureCode, PROTOCOL_VERSION, Query, Reply, ReplyEnvelope, Request,
    RequestEnvelope, ToWorker,
};
use serde::Serialize;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::{File, MessageChannel, MessageEvent, MessagePort};

wasm_bindgen_test_configure!(run_in_dedicated_worker);

const ORDERS: &[u8] = include_bytes!("../../../tests/fixtures/orders-net31.nettrace.gz");
const TRACE: TraceId = TraceId(1);

#[wasm_bindgen(inline_js = "export async function gunzip(bytes) {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return await new Response(stream).arrayBuffer();
}
export function beWhole() {
    // Replaces the part of worker_boot.js that loads the secondary module: this program isn't split.
    globalThis.traceglass = { rest: async () => {} };
}
export function shareRegions(way, read) {
    // Replaces the part of worker_boot.js that starts further workers. The clock runs faster when they don't answer.
    const now = performance.now.bind(performance);
    let jobs = 0, alive = 0, skipped = 0;
    performance.now = () => now() + skipped;
    const answer = (worker, job) => {
        jobs += 1;
        if (way === 'never') return;
        if (way === 'silent') skipped += 6000;
        else if (way === 'crashes') worker.onerror({});
        else worker.onmessage({ data: way === 'fails' ? 'a failure' : read(...job) });
    };
    globalThis.traceglass.readersFor = () => 2;
    globalThis.traceglass.reader = () => {
        alive += 1;
        const postMessage = (job) => setTimeout(() => answer(worker, job), 3 * (jobs % 3));
        const worker = { postMessage, terminate: () => (alive -= 1) };
        return worker;
    };
    return () => {
        performance.now = now;
        return [jobs, alive];
    };
}")]
extern "C" {
    async fn gunzip(bytes: &[u8]) -> JsValue;
    #[wasm_bindgen(js_name = beWhole)]
    fn be_whole();
    /// Gives regions to simulated workers. Returns a function for the number of jobs and of workers that weren't ended.
    #[wasm_bindgen(js_name = shareRegions)]
    fn share_regions(way: &str, read: &Closure<dyn Fn(js_sys::ArrayBuffer, u32) -> JsValue>) -> js_sys::Function;
}

/// Returns what a worker reads of a region.
fn reading() -> Closure<dyn Fn(js_sys::ArrayBuffer, u32) -> JsValue> {
    Closure::new(|memory: js_sys::ArrayBuffer, length: u32| {
        match traceglass_worker::read_region(&Uint8Array::new(&memory), length) {
            Some(rows) => Array::of2(&rows.buffer(), &rows.length().into()).into(),
            None => JsValue::NULL,
        }
    })
}

/// Returns the number of jobs, and of workers that weren't ended.
fn jobs_and_workers(end: &js_sys::Function) -> [f64; 2] {
    let numbers: Array = end.call0(&JsValue::NULL).expect("numbers").unchecked_into();
    [0, 1].map(|at| numbers.get(at).as_f64().expect("a number"))
}

/// Answers with their bodies, in order of arrival.
type Received = Rc<RefCell<Vec<(ReplyEnvelope, Vec<u8>)>>>;

/// The page's side of a worker in the same thread.
struct Page {
    port: MessagePort,
    received: Received,
    _on_message: Closure<dyn FnMut(MessageEvent)>,
}

impl Page {
    fn start() -> Self {
        be_whole();
        let channel = MessageChannel::new().expect("a channel");
        let received = Rc::new(RefCell::new(Vec::new()));
        let into = received.clone();
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            let parts: Array = event.data().unchecked_into();
            let envelope = serde_wasm_bindgen::from_value(parts.get(0)).expect("an envelope");
            let body = parts.get(1).dyn_into::<ArrayBuffer>();
            into.borrow_mut().push((envelope, body.map_or(Vec::new(), |body| Uint8Array::new(&body).to_vec())));
        });
        channel.port1().set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        traceglass_worker::start(channel.port2());
        Self { port: channel.port1(), received, _on_message: on_message }
    }

    fn post(&self, message: &ToWorker, file: Option<&File>) {
        let serializer = serde_wasm_bindgen::Serializer::new().serialize_large_number_types_as_bigints(true);
        let file = file.map_or(JsValue::NULL, JsValue::from);
        let message = message.serialize(&serializer).expect("a message");
        self.port.post_message(&Array::of2(&message, &file)).expect("a port");
    }

    /// Returns the final answer to a message.
    async fn answer(&self, id: u32) -> Result<Reply, Failure> {
        loop {
            let found = self.received.borrow().iter().find_map(|(envelope, body)| {
                let is_final = envelope.id == id && !matches!(envelope.result, Ok(Answer::Progress(_)));
                is_final.then(|| (envelope.result.clone(), body.clone()))
            });
            if let Some((result, body)) = found {
                return result.map(|answer| Reply { answer, body });
            }
            a_moment().await;
        }
    }

    async fn ask(&self, id: u32, request: Request) -> Result<Reply, Failure> {
        self.post(
            &ToWorker::Ask(
                RequestEnvelope { id, generation: 7, trace: TRACE, request: EncodedRequest::of(&request) }.into(),
            ),
            None,
        );
        self.answer(id).await
    }

    async fn open(&self, bytes: &[u8], name: &str) -> Result<Reply, Failure> {
        self.post(
            &ToWorker::OpenFile { id: 1, trace: TRACE, name: name.to_owned(), entry: None },
            Some(&file_of(bytes, name)),
        );
        self.answer(1).await
    }
}

async fn a_moment() {
    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(js_name = setTimeout)]
        fn set_timeout(then: &js_sys::Function, milliseconds: i32);
    }
    let promise = Promise::new(&mut |resolve, _| set_timeout(&resolve, 1));
    JsFuture::from(promise).await.expect("a timer");
}

fn file_of(bytes: &[u8], name: &str) -> File {
    File::new_with_u8_array_sequence(&Array::of1(&Uint8Array::from(bytes)), name).expect("a file")
}

fn session_of(bytes: Vec<u8>) -> Session {
    part_of(bytes, Window::default())
}

fn part_of(bytes: Vec<u8>, window: Window) -> Session {
    let mut loader = Loader::of(window, MAX_ROWS);
    loader.append(bytes.len(), |space| space.copy_from_slice(&bytes));
    while loader.advance(1 << 20).expect("a trace") == Progress::Paused {}
    let facts = FileFacts { name: "orders".to_owned(), bytes: bytes.len() as u64, packing: String::new() };
    Session::new(loader.finish().expect("a trace"), Box::new(bytes), facts).expect("a session")
}

fn questions() -> Vec<Request> {
    let filter = Filter { span: Some(Span::new(0, 4_000_000_000)), ..Filter::default() };
    let text = Filter { query: "customer-1".to_owned(), ..Filter::default() };
    let query = TreeQuery { filter: filter.clone(), ..TreeQuery::default() };
    let by_level = EventOrder { key: EventColumn::Level, descending: true };
    vec![
        queries::Overview { span: None, buckets: 400 }.into(),
        queries::Threads { filter: filter.clone() }.into(),
        queries::Lanes {
            threads: (0..8).map(ThreadId).collect(),
            span: Span::new(0, 8_000_000_000),
            resolution: 1 << 20,
            max_depth: 32,
            spans: true,
        }
        .into(),
        queries::SpanRows.into(),
        queries::Connections { event: EventId(4_000) }.into(),
        queries::Gcs { filter: filter.clone() }.into(),
        queries::Exceptions { filter: Filter::default(), limit: 100 }.into(),
        queries::Events { filter: filter.clone(), order: EventOrder::default(), first: 5_000, count: 50 }.into(),
        queries::Events { filter: text.clone(), order: by_level.clone(), first: 0, count: 50 }.into(),
        queries::FieldNames { filter: text.clone() }.into(),
        queries::EventPosition { filter: text, order: by_level, event: EventId(0) }.into(),
        queries::EventDetail { event: EventId(4_000) }.into(),
        queries::FindEvent { at: 637_885, os_thread: 6709, provider: String::new(), event_id: 85 }.into(),
        queries::Flame { query: query.clone(), path: Vec::new(), min_share: 0.001, max_depth: 64 }.into(),
        queries::Children { query: query.clone(), path: Vec::new() }.into(),
        queries::HotPath { query: query.clone(), max_depth: 64 }.into(),
        queries::Functions { query, order: FunctionOrder::Inclusive, limit: 100 }.into(),
        queries::FunctionDetail { function: FunctionId(3) }.into(),
        queries::Header.into(),
        queries::Types.into(),
        queries::Schemas.into(),
        queries::FieldValues { filter: Filter::default(), event_type: TypeId(2) }.into(),
        queries::TypeDetail { event_type: TypeId(2) }.into(),
        queries::EventDetail { event: EventId(u32::MAX) }.into(),
    ]
}

/// Returns the answer to opening the trace of a session.
fn opened_answer(session: &Session) -> Reply {
    Reply::small(Answer::Summary(Box::new(session.summary())))
}

/// Removes values that differ between runs.
fn comparable(reply: Result<Reply, Failure>) -> Result<Reply, Failure> {
    reply.map(|mut reply| {
        if let Answer::Summary(summary) = &mut reply.answer {
            **summary = Summary { load_ms: 0.0, file_name: String::new(), memory_bytes: 0, ..(**summary).clone() };
        }
        reply
    })
}

#[wasm_bindgen_test]
async fn worker_answers_like_session() {
    let bytes = Uint8Array::new(&gunzip(ORDERS).await).to_vec();
    let mut session = session_of(bytes.clone());
    let page = Page::start();
    let summary = page.open(&bytes, "orders.nettrace").await;
    assert_eq!(comparable(summary), comparable(Ok(opened_answer(&session))));
    for (id, question) in (100..).zip(questions()) {
        let answer = page.ask(id, question.clone()).await;
        assert!(answer == session.answer(&question), "{question:?}");
    }
}

#[wasm_bindgen_test]
async fn compressed_trace_opens_like_plain_trace() {
    let bytes = Uint8Array::new(&gunzip(ORDERS).await).to_vec();
    let page = Page::start();
    let mut opened = page.open(ORDERS, "orders.nettrace.gz").await;
    if let Ok(Reply { answer: Answer::Summary(summary), .. }) = &mut opened {
        assert_eq!(std::mem::take(&mut summary.packing), "gzip");
    }
    assert_eq!(comparable(opened), comparable(Ok(opened_answer(&session_of(bytes)))));
    // Payloads come from the decompressed bytes, not from the file.
    let detail = page.ask(2, queries::EventDetail { event: EventId(9) }.into()).await;
    let detail = detail.and_then(queries::EventDetail::output).expect("an event");
    assert!(!detail.bytes.is_empty());
}

#[wasm_bindgen_test]
async fn further_workers_read_same_trace_even_if_they_fail() {
    let bytes = Uint8Array::new(&gunzip(ORDERS).await).to_vec();
    let mut session = session_of(bytes.clone());
    for way in ["reads", "fails", "crashes", "silent"] {
        let (page, read) = (Page::start(), reading());
        let end = share_regions(way, &read);
        let summary = page.open(&bytes, "orders.nettrace").await;
        let [jobs, workers] = jobs_and_workers(&end);
        assert_eq!(comparable(summary), comparable(Ok(opened_answer(&session))), "{way}");
        assert!(jobs >= 2.0, "{way}: {jobs} jobs");
        assert!(workers <= 0.0, "{way}: {workers} workers remain");
        for (id, question) in (100..).zip(questions()) {
            let answer = page.ask(id, question.clone()).await;
            assert!(answer == session.answer(&question), "{way}: {question:?}");
        }
    }
}

#[wasm_bindgen_test]
async fn opening_with_silent_workers_can_be_canceled() {
    let bytes = Uint8Array::new(&gunzip(ORDERS).await).to_vec();
    let (page, read) = (Page::start(), reading());
    let end = share_regions("never", &read);
    page.post(
        &ToWorker::OpenFile { id: 1, trace: TRACE, name: String::new(), entry: None },
        Some(&file_of(&bytes, "x")),
    );
    a_moment().await;
    page.post(&ToWorker::Cancel { id: 1 }, None);
    assert_eq!(page.answer(1).await.expect_err("canceled").code, FailureCode::Cancelled);
    assert_eq!(jobs_and_workers(&end)[1], 0.0);
}

#[wasm_bindgen_test]
async fn worker_indexes_other_part_of_open_trace() {
    let bytes = Uint8Array::new(&gunzip(ORDERS).await).to_vec();
    let page = Page::start();
    let whole = page.open(ORDERS, "orders.nettrace.gz").await.expect("a trace");
    let span = Some(Span::new(1_000_000_000, 3_000_000_000));
    for (id, providers) in [(50, vec![]), (60, vec!["Microsoft-Windows-DotNETRuntime".to_owned()])] {
        let window = Window { span, providers };
        let mut session = part_of(bytes.clone(), window.clone());
        page.post(&ToWorker::Reindex { id, trace: TraceId(id), window }, None);
        let mut part = page.answer(id).await;
        if let (Ok(Reply { answer: Answer::Summary(part), .. }), Answer::Summary(whole)) = (&mut part, &whole.answer) {
            assert_eq!(
                (part.events, &part.providers),
                (whole.events, &whole.providers),
                "totals are of the whole file"
            );
            assert!(part.indexed.as_ref().is_some_and(|indexed| indexed.rows < whole.events / 2));
            assert_eq!(std::mem::take(&mut part.packing), "gzip");
        }
        assert_eq!(comparable(part), comparable(Ok(opened_answer(&session))));
        let question =
            queries::Events { filter: Filter::default(), order: EventOrder::default(), first: 0, count: 50 }.into();
        let request =
            RequestEnvelope { id: id + 1, generation: 0, trace: TraceId(id), request: EncodedRequest::of(&question) };
        page.post(&ToWorker::Ask(request.into()), None);
        assert!(page.answer(id + 1).await == session.answer(&question));
        let old = page.ask(id + 2, queries::Types.into()).await;
        assert_eq!(old.expect_err("another trace").code, FailureCode::NoTrace);
    }
}

#[wasm_bindgen_test]
async fn unreadable_file_has_named_failure() {
    for (bytes, code, word) in [
        (&b""[..], FailureCode::EmptyFile, "0 bytes"),
        (b"\x89PNG\r\n\x1a\nand so on and on", FailureCode::NotATrace, "PNG"),
        (b"\x1f\x8b\x08 broken, not compressed at all", FailureCode::NotATrace, "gzip"),
    ] {
        let failure = Page::start().open(bytes, "x").await.expect_err("no trace");
        assert_eq!(failure.code, code, "{failure:?}");
        assert!(failure.message.contains(word), "{failure:?}");
    }
}

#[wasm_bindgen_test]
async fn requests_without_trace_or_after_cancel_fail() {
    let page = Page::start();
    let hello = page.ask(1, Request::Hello).await;
    assert!(matches!(hello, Ok(Reply { answer: Answer::Hello { protocol: PROTOCOL_VERSION, .. }, .. })));
    assert_eq!(page.ask(2, queries::Types.into()).await.expect_err("no trace").code, FailureCode::NoTrace);

    page.post(
        &ToWorker::OpenFile { id: 3, trace: TRACE, name: String::new(), entry: None },
        Some(&file_of(ORDERS, "x")),
    );
    page.post(
        &ToWorker::Ask(
            RequestEnvelope { id: 4, generation: 0, trace: TRACE, request: EncodedRequest::new(&queries::Types) }
                .into(),
        ),
        None,
    );
    page.post(&ToWorker::Cancel { id: 4 }, None);
    page.post(&ToWorker::Cancel { id: 3 }, None);
    assert_eq!(page.answer(4).await.expect_err("cancelled").code, FailureCode::Cancelled);
    assert_eq!(page.answer(3).await.expect_err("cancelled").code, FailureCode::Cancelled);
}

/// Returns a request that takes many time slices: no number begins with a hundred nines, but each could.
fn long_question(digits: usize) -> Request {
    let filter = Filter { query: "9".repeat(digits), ..Filter::default() };
    queries::Events { filter, order: EventOrder::default(), first: 0, count: 1 }.into()
}

#[wasm_bindgen_test]
async fn short_requests_overtake_long_ones_and_canceled_ones_end() {
    let bytes = Uint8Array::new(&gunzip(ORDERS).await).to_vec();
    let page = Page::start();
    page.open(&bytes, "orders.nettrace").await.expect("a trace");
    let ask = |id, request| {
        page.post(
            &ToWorker::Ask(
                RequestEnvelope { id, generation: 0, trace: TRACE, request: EncodedRequest::of(&request) }.into(),
            ),
            None,
        );
    };
    for number in 0..4 {
        ask(100 + number, long_question(100 + number as usize));
    }
    ask(200, queries::Overview { span: None, buckets: 10 }.into());
    page.post(&ToWorker::Cancel { id: 102 }, None);
    page.post(&ToWorker::Cancel { id: 103 }, None);
    page.answer(200).await.expect("an overview");
    let answered: Vec<u32> = page.received.borrow().iter().map(|(envelope, _)| envelope.id).collect();
    assert!(!answered.contains(&100), "the overview waited for a long question: {answered:?}");
    for number in 0..2 {
        assert_eq!(page.answer(102 + number).await.expect_err("cancelled").code, FailureCode::Cancelled);
        assert!(page.answer(100 + number).await.is_ok());
    }
}
