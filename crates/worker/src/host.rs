//! Receives messages and answers each of them once.

use super::blob_source::describe;
use super::clock::{MessageYield, now_ms};
use super::crash;
use super::growing::Growing;
use super::loading::{Complete, Input, Open, Opened, Opening};
use super::port::{self, Attached, Port, Ticket};
use crate::secondary_module;
use crate::waker;
use engine::session::open::warm_up::WarmUpRun;
use engine::session::{self, Interrupt, Queue};
use protocol::base::ids::TraceId;
use protocol::base::indexed_part::Window;
use protocol::{Answer, Failure, FailureCode, Reply, RequestEnvelope, ToWorker};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, spawn_local};

/// Time slice of a request before other requests run. A step can exceed it.
const TURN_MS: f64 = 8.0;

/// Maximum size of symbol files.
const LARGEST_SYMBOLS_BYTES: f64 = (512u32 << 20) as f64;

/// Worker with at most one trace and a queue of requests.
#[derive(Clone)]
pub(super) struct Host(Rc<Inner>);

struct Inner {
    port: Port,
    message_yield: Option<MessageYield>,
    queue: RefCell<Queue>,
    answering: Cell<bool>,
    opening: RefCell<Option<Rc<Opening>>>,
    session: RefCell<Option<(TraceId, Open)>>,
}

impl Host {
    pub(super) fn new(port: Port) -> Self {
        crash::report_panics_to(port.clone());
        Self(Rc::new(Inner {
            port,
            message_yield: MessageYield::new(),
            queue: RefCell::default(),
            answering: Cell::new(false),
            opening: RefCell::default(),
            session: RefCell::default(),
        }))
    }

    /// Opens a small built-in trace step by step, to compile code in advance, until a real trace comes.
    pub(super) async fn warm_up(self) {
        let Some(message_yield) = MessageYield::new() else { return };
        let mut rehearsal = WarmUpRun::default();
        loop {
            message_yield.next().await;
            let is_needed = self.0.opening.borrow().is_some() || self.0.session.borrow().is_some();
            if is_needed || !rehearsal.step() {
                return;
            }
        }
    }

    /// Handles a message from the page.
    pub(super) fn receive(&self, data: &JsValue) {
        secondary_module::fetch();
        match port::decode(data) {
            Ok((ToWorker::OpenFile { id, trace, name, entry }, Some(attached))) => {
                let input = match attached {
                    Attached::File(file) => Input::Complete(Complete::File(file)),
                    Attached::Handle(handle) => Input::Growing(Growing::Handle(handle)),
                };
                self.open(id, trace, name, entry, input);
            }
            Ok((ToWorker::OpenFile { id, trace, .. }, None)) => {
                let failure = Failure::new(FailureCode::Unreadable, "No file received. This is a bug in Traceglass.");
                self.0.port.send(Ticket { id, generation: 0, trace }, Err(failure));
            }
            Ok((ToWorker::OpenUrl { id, trace, name, url, entry, follow }, _)) => {
                let input = match follow {
                    true => Input::Growing(Growing::Url(url)),
                    false => Input::Complete(Complete::Url(url)),
                };
                self.open(id, trace, name, entry, input);
            }
            Ok((ToWorker::Follow(state), _)) => {
                if let Some(opening) = self.0.opening.borrow().as_ref() {
                    opening.following.set(Some(state));
                }
            }
            Ok((ToWorker::AddSymbols { id, trace, name }, attached)) => {
                let file = match attached {
                    Some(Attached::File(file)) => Some(file),
                    _ => None,
                };
                self.add_symbols(Ticket { id, generation: 0, trace }, name, file);
            }
            Ok((ToWorker::Reindex { id, trace, window }, _)) => self.reindex(id, trace, window),
            Ok((ToWorker::Ask(envelope), _)) => self.ask(*envelope),
            Ok((ToWorker::Cancel { id }, _)) => self.cancel(id),
            // Only a page of another build sends this. Without an ID, only a crash report can answer it.
            Err(message) => {
                let failure = Failure::new(
                    FailureCode::VersionSkew,
                    "The page and its background worker are different versions. Reload the page.",
                );
                let nobody = Ticket { id: 0, generation: 0, trace: TraceId(0) };
                self.0.port.send(nobody, Err(failure.with_detail(message)));
            }
        }
    }

    fn open(&self, id: u32, trace: TraceId, name: String, entry: Option<String>, input: Input) {
        if let Some(previous) = self.0.opening.borrow_mut().take() {
            previous.cancelled.set(true);
        }
        self.0.session.borrow_mut().take();
        let ticket = Ticket { id, generation: 0, trace };
        let (host, opening) = (self.clone(), self.begin(ticket, Window::default()));
        spawn_local(async move {
            let result = opening.run(input, name, entry).await;
            host.opened(&opening, result);
        });
    }

    /// Reads the open trace again. Its rows are dropped first, because memory doesn't suffice for both parts.
    fn reindex(&self, id: u32, trace: TraceId, window: Window) {
        let ticket = Ticket { id, generation: 0, trace };
        let is_opening = self.0.opening.borrow().is_some();
        let open = if is_opening { None } else { self.0.session.borrow_mut().take() };
        let Some((_, Open { session, bytes })) = open else {
            return self.0.port.send(ticket, Err(no_trace()));
        };
        let file = session.file().clone();
        drop(session);
        let (host, opening) = (self.clone(), self.begin(ticket, window));
        spawn_local(async move {
            let result = opening.again(bytes, file).await;
            host.opened(&opening, result);
        });
    }

    /// Reads an entire symbol file: such files are much smaller than traces.
    fn add_symbols(&self, ticket: Ticket, name: String, file: Option<web_sys::File>) {
        let host = self.clone();
        spawn_local(async move {
            let result = match file.filter(|file| file.size() <= LARGEST_SYMBOLS_BYTES) {
                Some(file) => host.take_symbols(ticket, &name, &file).await,
                None => {
                    let message = format!("Can't read “{name}”: it is too large or wasn't received.");
                    Err(Failure::new(FailureCode::Unreadable, message))
                }
            };
            host.0.port.send(ticket, result.map(|words| Reply::small(Answer::SymbolsAdded(words))));
        });
    }

    async fn take_symbols(&self, ticket: Ticket, name: &str, file: &web_sys::File) -> Result<String, Failure> {
        secondary_module::arrived().await?;
        let read = JsFuture::from(file.array_buffer()).await;
        let buffer = read.map_err(|error| {
            Failure::new(FailureCode::Unreadable, format!("Can't read “{name}”.")).with_detail(describe(&error))
        })?;
        let bytes = js_sys::Uint8Array::new(&buffer).to_vec();
        crash::working_on(self.0.port.clone(), ticket);
        let mut open = self.0.session.borrow_mut();
        let (_, open) = open.as_mut().filter(|(trace, _)| *trace == ticket.trace).ok_or_else(no_trace)?;
        open.session.add_symbols(name, bytes)
    }

    fn begin(&self, ticket: Ticket, window: Window) -> Rc<Opening> {
        let host = self.clone();
        let on_preview = move |open| host.previewed(ticket, open);
        let opening = Rc::new(Opening::new(ticket, self.0.port.clone(), window, Box::new(on_preview)));
        *self.0.opening.borrow_mut() = Some(opening.clone());
        crash::working_on(self.0.port.clone(), ticket);
        opening
    }

    /// Answers requests with a preview from now on; without one, requests wait.
    fn previewed(&self, ticket: Ticket, open: Option<Open>) {
        if self.0.opening.borrow().as_ref().is_none_or(|opening| opening.ticket.id != ticket.id) {
            return;
        }
        let is_recording = self.0.opening.borrow().as_ref().is_some_and(|opening| opening.following.get().is_some());
        let Some(open) = open else { return drop(self.0.session.borrow_mut().take()) };
        let summary = Box::new(open.session.summary());
        let preview = if is_recording { Answer::Recording(summary) } else { Answer::Preview(summary) };
        *self.0.session.borrow_mut() = Some((ticket.trace, open));
        self.0.port.send(ticket, Ok(Reply::small(preview)));
        self.answer_waiting();
    }

    fn opened(&self, opening: &Rc<Opening>, result: Result<Opened, Failure>) {
        let reply = result.map(|opened| match opened {
            Opened::Trace(open) => {
                let summary = Answer::Summary(Box::new(open.session.summary()));
                *self.0.session.borrow_mut() = Some((opening.ticket.trace, *open));
                Reply::small(summary)
            }
            Opened::Choice(entries) => Reply::small(Answer::Choice(entries)),
        });
        let mut current = self.0.opening.borrow_mut();
        if current.as_ref().is_some_and(|current| Rc::ptr_eq(current, opening)) {
            current.take();
        }
        drop(current);
        self.0.port.send(opening.ticket, reply);
        self.answer_waiting();
    }

    fn ask(&self, envelope: RequestEnvelope) {
        if envelope.request.is_hello() {
            return self.0.port.send(Ticket::from(&envelope), Ok(session::hello()));
        }
        self.0.queue.borrow_mut().push(envelope);
        self.answer_waiting();
    }

    fn cancel(&self, id: u32) {
        if let Some(opening) = self.0.opening.borrow().as_ref().filter(|opening| opening.ticket.id == id) {
            return opening.cancelled.set(true);
        }
        if let Some(envelope) = self.0.queue.borrow_mut().remove(id) {
            let failure = Failure::new(FailureCode::Cancelled, "The request was canceled.");
            self.0.port.send(Ticket::from(&envelope), Err(failure));
        }
    }

    /// Processes waiting requests in time slices, and handles new messages in between: short requests don't wait for
    /// long ones, and canceled ones stop. While a trace opens, all requests wait for it or for a preview.
    fn answer_waiting(&self) {
        // The task may be waiting for bytes of the file; it handles new requests too.
        waker::ring();
        if self.0.answering.replace(true) {
            return;
        }
        let host = self.clone();
        spawn_local(async move {
            let missing = secondary_module::arrived().await.err();
            // Number of consecutive requests that wait for bytes.
            let mut idle = 0;
            while host.0.opening.borrow().is_none() || host.0.session.borrow().is_some() {
                let Some(envelope) = host.0.queue.borrow_mut().pop() else { break };
                let turn = missing.clone().map_or_else(|| host.turn(&envelope), |missing| Turn::Answered(Err(missing)));
                idle = if matches!(turn, Turn::Waiting) { idle + 1 } else { 0 };
                if let Turn::Answered(result) = turn {
                    host.0.port.send(Ticket::from(&envelope), result);
                } else {
                    host.0.queue.borrow_mut().push_begun(envelope);
                }
                if idle > 0 && idle >= host.0.queue.borrow().len() {
                    waker::rung().await;
                    idle = 0;
                } else if let Some(message_yield) = &host.0.message_yield {
                    message_yield.next().await;
                }
            }
            host.0.answering.set(false);
        });
    }

    /// Processes a request for one time slice, and measures its time while a trace is opening.
    fn turn(&self, envelope: &RequestEnvelope) -> Turn {
        let start = now_ms();
        let turn = self.work_on(envelope);
        if let Some(opening) = self.0.opening.borrow().as_ref() {
            opening.asked(now_ms() - start);
        }
        turn
    }

    /// Processes a request.
    fn work_on(&self, envelope: &RequestEnvelope) -> Turn {
        crash::working_on(self.0.port.clone(), Ticket::from(envelope));
        let mut open = self.0.session.borrow_mut();
        let Some((_, open)) = open.as_mut().filter(|(trace, _)| *trace == envelope.trace) else {
            return Turn::Answered(Err(no_trace()));
        };
        let start = now_ms();
        let request = match open.session.question(&envelope.request) {
            Ok(request) => request,
            Err(failure) => return Turn::Answered(Err(failure)),
        };
        loop {
            match open.session.turn(&request) {
                Ok(reply) => return Turn::Answered(Ok(reply)),
                Err(Interrupt::Failed(failure)) => return Turn::Answered(Err(failure)),
                Err(Interrupt::Waiting) => return Turn::Waiting,
                Err(Interrupt::More) if now_ms() - start >= TURN_MS => return Turn::Over,
                Err(Interrupt::More) => {}
            }
        }
    }
}

/// Result of a time slice.
enum Turn {
    Answered(Result<Reply, Failure>),
    /// The request isn't finished.
    Over,
    /// The request waits for bytes of the file.
    Waiting,
}

fn no_trace() -> Failure {
    Failure::new(FailureCode::NoTrace, "This trace is no longer open.")
}
