//! Connection of the page to the worker that owns the trace.
//!
//! `www/boot.js` starts workers; this module sends messages to them.

mod worker_failure;

use super::files;
use super::oneshot;
use super::oneshot::Sender;
use super::worker_bindings::{Worker, spawn_worker};
use crate::app::boot::BUILD;
use crate::app::browser::describe;
use protocol::base::ids::TraceId;
use protocol::base::indexed_part::Window;
use protocol::reply::{Progress, Summary};
use protocol::{
    Answer, EncodedRequest, Failure, FailureCode, Following, PROTOCOL_VERSION, Query, Reply, ReplyEnvelope,
    RequestEnvelope, ToWorker,
};
use serde::Serialize;
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{File, MessageEvent, MessagePort};
use worker_failure::crashed;

/// Update while a trace loads.
pub enum LoadUpdate {
    /// Progress, and the body of an overview.
    Progress(Progress, Vec<u8>),
    /// The part that has been read can be queried.
    Preview(Box<Summary>),
    /// The part that has been recorded can be queried.
    Recording(Box<Summary>),
}

/// Callback for updates while a trace loads.
pub type OnLoadUpdate = Rc<dyn Fn(LoadUpdate)>;

/// Trace to open.
#[derive(Clone)]
pub enum Source {
    /// Local file.
    File(File),
    /// Absolute URL that the worker downloads.
    Url {
        /// Display name.
        name: String,
        url: String,
    },
}

struct Waiting {
    answer: Sender<Result<Reply, Failure>>,
    on_news: Option<OnLoadUpdate>,
}

struct Connection {
    worker: Worker,
    port: MessagePort,
    used: bool,
    // Must live as long as the port; the browser calls it.
    _on_message: Closure<dyn FnMut(MessageEvent)>,
}

#[derive(Default)]
enum Link {
    #[default]
    Down,
    Starting(js_sys::Promise),
    Up(Connection),
}

/// Callback for a crashed worker.
type CrashHandler = Rc<dyn Fn(Failure)>;

#[derive(Default)]
struct Shared {
    link: RefCell<Link>,
    /// Raised when a worker is terminated, so that its late messages are ignored.
    epoch: Cell<u32>,
    /// Number of messages from workers.
    heard: Cell<u32>,
    waiting: RefCell<HashMap<u32, Waiting>>,
    next_id: Cell<u32>,
    generation: Cell<u32>,
    trace: Cell<TraceId>,
    opening: Cell<Option<u32>>,
    /// Bug that the current worker has reported.
    reported_fault: RefCell<Option<Failure>>,
    on_crash: RefCell<Option<CrashHandler>>,
}

/// Connection to the worker. Clones share it.
#[derive(Clone, Default)]
pub struct Client(Rc<Shared>);

impl Client {
    /// Creates a connection with a running worker, so that the first trace needn't wait for it.
    pub fn start() -> Self {
        let client = Self::default();
        client.warm_up();
        client
    }

    /// Calls a function for crashed workers.
    pub fn watch(&self, on_crash: impl Fn(Failure) + 'static) {
        *self.0.on_crash.borrow_mut() = Some(Rc::new(on_crash));
    }

    /// Returns the identity of the connection.
    pub fn id(&self) -> usize {
        Rc::as_ptr(&self.0) as usize
    }

    /// Fails all requests that wait for an answer.
    pub fn drop_waiting(&self) {
        self.fail_all(&Failure::new(FailureCode::Cancelled, "Another trace is shown."));
    }

    /// Opens a trace, or the one at a path in an archive, in a new worker if the current one already has a trace.
    /// Returns the summary, or the traces of which one must be chosen.
    pub async fn open(&self, source: Source, entry: Option<String>, on_news: OnLoadUpdate) -> Result<Reply, Failure> {
        self.fail_all(&Failure::new(FailureCode::Cancelled, "Another trace was opened."));
        let attempt = self.next_id();
        self.0.opening.set(Some(attempt));
        if matches!(&*self.0.link.borrow(), Link::Up(connection) if connection.used) {
            self.close();
        }
        self.connect().await?;
        self.greet().await?;
        if self.0.opening.get() != Some(attempt) {
            return Err(Failure::new(FailureCode::Cancelled, "Another trace was opened."));
        }
        if let Link::Up(connection) = &mut *self.0.link.borrow_mut() {
            connection.used = true;
        }
        let file = match &source {
            Source::File(file) => match files::growing(file).await {
                Some(handle) => Some(handle),
                None => Some(self.readable(file).await?),
            },
            Source::Url { .. } => None,
        };
        let (id, trace) = self.begin_opening();
        let message = match source {
            Source::File(file) => ToWorker::OpenFile { id, trace, name: file.name(), entry },
            Source::Url { name, url } => ToWorker::OpenUrl { id, trace, name, url, entry, follow: is_followed() },
        };
        self.finish_opening(id, &message, file.as_ref(), on_news).await
    }

    /// Reads the open trace again, to index another part. Returns the summary.
    pub async fn reindex(&self, window: Window, on_news: OnLoadUpdate) -> Result<Reply, Failure> {
        self.fail_all(&Failure::new(FailureCode::Cancelled, "Another part of the trace was selected."));
        let (id, trace) = self.begin_opening();
        self.finish_opening(id, &ToWorker::Reindex { id, trace, window }, None, on_news).await
    }

    /// Adds symbols or source lines from a file to the open trace.
    pub async fn add_symbols(&self, file: File) -> Result<Reply, Failure> {
        let (id, trace) = (self.next_id(), self.0.trace.get());
        let message = ToWorker::AddSymbols { id, trace, name: file.name() };
        let content = self.readable(&file).await?;
        self.send(id, &message, Some(&content), None).await
    }

    /// Returns a file in a form that the worker can read.
    async fn readable(&self, file: &File) -> Result<JsValue, Failure> {
        let reads_blobs = match &*self.0.link.borrow() {
            Link::Up(connection) => connection.worker.reads_blobs(),
            _ => true,
        };
        super::worker_bindings::content(file, reads_blobs).await
    }

    fn begin_opening(&self) -> (u32, TraceId) {
        let trace = TraceId(self.0.trace.get().0 + 1);
        self.0.trace.set(trace);
        let id = self.next_id();
        self.0.opening.set(Some(id));
        (id, trace)
    }

    async fn finish_opening(
        &self,
        id: u32,
        message: &ToWorker,
        file: Option<&JsValue>,
        on_news: OnLoadUpdate,
    ) -> Result<Reply, Failure> {
        let answer = self.send(id, message, file, Some(on_news)).await;
        if self.0.opening.get() == Some(id) {
            self.0.opening.set(None);
        }
        answer
    }

    /// Sends a query about the open trace, and returns its output.
    pub async fn ask<Q: Query>(&self, query: Q) -> Result<Q::Output, Failure> {
        Q::output(self.ask_as(self.next_id(), EncodedRequest::new(&query)).await?)
    }

    /// Sends a request with an ID from [`Self::next_id`], so that [`Self::cancel`] can refer to it.
    pub async fn ask_as(&self, id: u32, request: EncodedRequest) -> Result<Reply, Failure> {
        let (generation, trace) = (self.0.generation.get(), self.0.trace.get());
        self.send(id, &ToWorker::Ask(RequestEnvelope { id, generation, trace, request }.into()), None, None).await
    }

    /// Returns a new message ID.
    pub fn next_id(&self) -> u32 {
        let id = self.0.next_id.get().wrapping_add(1);
        self.0.next_id.set(id);
        id
    }

    /// Raises the generation after a change of the view: answers to earlier requests are stale.
    pub fn raise_generation(&self) {
        self.0.generation.set(self.0.generation.get().wrapping_add(1));
    }

    /// Cancels a request; the worker then answers [`FailureCode::Cancelled`].
    pub fn cancel(&self, id: u32) {
        // If the worker can't be reached, it is gone, and so is the work.
        let _ = self.post(&ToWorker::Cancel { id }, None);
    }

    /// Changes how a trace that is being recorded is followed.
    pub fn follow(&self, state: Following) {
        // If the worker can't be reached, it is gone, and so is the trace.
        let _ = self.post(&ToWorker::Follow(state), None);
    }

    /// Cancels the current opening, if there is one: the worker is replaced.
    pub fn cancel_opening(&self) {
        self.0.opening.set(None);
        self.close();
        self.fail_all(&Failure::new(FailureCode::Cancelled, "Loading was canceled."));
        self.warm_up();
    }

    /// Terminates the worker with its trace: the memory of a worker never shrinks otherwise.
    pub fn close(&self) {
        self.0.epoch.set(self.0.epoch.get().wrapping_add(1));
        if let Link::Up(connection) = self.0.link.take() {
            connection.port.set_onmessage(None);
            connection.worker.terminate();
        }
    }

    fn warm_up(&self) {
        let client = self.clone();
        spawn_local(async move {
            // Opening a trace tries again, and reports the failure.
            let _ = client.connect().await;
        });
    }

    async fn connect(&self) -> Result<(), Failure> {
        let epoch = self.0.epoch.get();
        let starting = match &mut *self.0.link.borrow_mut() {
            Link::Up(_) => return Ok(()),
            Link::Starting(promise) => promise.clone(),
            link @ Link::Down => {
                let promise = spawn_worker(BUILD);
                *link = Link::Starting(promise.clone());
                promise
            }
        };
        let started = JsFuture::from(starting).await;
        if self.0.epoch.get() != epoch {
            if let Ok(worker) = started {
                worker.unchecked_into::<Worker>().terminate();
            }
            return Err(Failure::new(FailureCode::Cancelled, "Stopped."));
        }
        if matches!(&*self.0.link.borrow(), Link::Up(_)) {
            return Ok(());
        }
        match started {
            Ok(worker) => {
                self.install(worker.unchecked_into(), epoch);
                Ok(())
            }
            Err(error) => {
                // Not terminated: others waiting for the same start must get its failure.
                if matches!(&*self.0.link.borrow(), Link::Starting(_)) {
                    self.0.link.take();
                }
                Err(crashed("The background worker couldn't start.").with_detail(describe(&error)))
            }
        }
    }

    fn install(&self, worker: Worker, epoch: u32) {
        let port = worker.port();
        let client = self.clone();
        let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |event: MessageEvent| {
            client.receive(&event.data());
        });
        port.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
        self.0.reported_fault.replace(None);
        let (client, died) = (self.clone(), worker.died());
        spawn_local(async move {
            let reason = JsFuture::from(died).await.unwrap_or_else(|error| error);
            if client.0.epoch.get() == epoch {
                client.crash(client.crash_cause(describe(&reason)));
            }
        });
        *self.0.link.borrow_mut() = Link::Up(Connection { worker, port, used: false, _on_message: on_message });
    }

    async fn greet(&self) -> Result<(), Failure> {
        match self.ask_as(self.next_id(), EncodedRequest::hello()).await?.answer {
            Answer::Hello { protocol, build } if protocol == PROTOCOL_VERSION && build == BUILD => Ok(()),
            Answer::Hello { build, .. } => Err(Failure::new(
                FailureCode::VersionSkew,
                "Traceglass was updated. Reload the page to use the new version.",
            )
            .with_detail(format!("page {BUILD}, worker {build}"))),
            _ => Err(crashed("The background worker didn't respond. Reload the page.")),
        }
    }

    async fn send(
        &self,
        id: u32,
        message: &ToWorker,
        file: Option<&JsValue>,
        on_news: Option<OnLoadUpdate>,
    ) -> Result<Reply, Failure> {
        let (answer, receiver) = oneshot::channel();
        self.0.waiting.borrow_mut().insert(id, Waiting { answer, on_news });
        if let Err(error) = self.post(message, file) {
            self.0.waiting.borrow_mut().remove(&id);
            return Err(crashed("The background worker didn't respond.").with_detail(describe(&error)));
        }
        receiver.await
    }

    fn post(&self, message: &ToWorker, file: Option<&JsValue>) -> Result<(), JsValue> {
        let serializer = serde_wasm_bindgen::Serializer::new().serialize_large_number_types_as_bigints(true);
        let value = message.serialize(&serializer)?;
        let file = file.cloned().unwrap_or(JsValue::NULL);
        // Bytes are transferred instead of copied.
        let moved: js_sys::Array = file.dyn_ref::<js_sys::ArrayBuffer>().into_iter().collect();
        match &*self.0.link.borrow() {
            Link::Up(connection) => {
                connection.port.post_message_with_transferable(&js_sys::Array::of2(&value, &file), &moved)
            }
            _ => Err(JsValue::from_str("no worker")),
        }
    }

    fn receive(&self, data: &JsValue) {
        self.0.heard.set(self.0.heard.get().wrapping_add(1));
        let parts: &js_sys::Array = data.unchecked_ref();
        let envelope: ReplyEnvelope = match serde_wasm_bindgen::from_value(parts.get(0)) {
            Ok(envelope) => envelope,
            Err(error) => {
                return self.crash(
                    crashed("The page and its background worker are out of sync. Reload the page.")
                        .with_detail(error.to_string()),
                );
            }
        };
        if let Err(failure) = &envelope.result
            && failure.code == FailureCode::Crashed
        {
            self.0.reported_fault.replace(Some(failure.clone()));
        }
        let body = parts.get(1);
        let body = if body.is_object() { js_sys::Uint8Array::new(&body).to_vec() } else { Vec::new() };
        let news = match envelope.result {
            Ok(Answer::Progress(progress)) => LoadUpdate::Progress(progress, body),
            Ok(Answer::Preview(summary)) => LoadUpdate::Preview(summary),
            Ok(Answer::Recording(summary)) => LoadUpdate::Recording(summary),
            result => return self.resolve(envelope.id, result.map(|answer| Reply { answer, body })),
        };
        let on_news = self.0.waiting.borrow().get(&envelope.id).and_then(|waiting| waiting.on_news.clone());
        if let Some(on_news) = on_news {
            on_news(news);
        }
    }

    fn resolve(&self, id: u32, result: Result<Reply, Failure>) {
        let waiting = self.0.waiting.borrow_mut().remove(&id);
        if let Some(waiting) = waiting {
            waiting.answer.send(result);
        }
    }

    fn fail_all(&self, failure: &Failure) {
        let waiting: Vec<Waiting> = self.0.waiting.borrow_mut().drain().map(|(_, waiting)| waiting).collect();
        for waiting in waiting {
            waiting.answer.send(Err(failure.clone()));
        }
    }
}

/// Returns whether `traceglass view --follow` serves this page.
fn is_followed() -> bool {
    let page = web_sys::window().and_then(|window| window.document());
    let mark = page.and_then(|page| page.query_selector("meta[name=traceglass-view][content=follow]").ok().flatten());
    mark.is_some()
}
