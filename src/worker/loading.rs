//! Opens a trace: reads, parses, reports, and gives way often enough to be cancelled.

use super::blob_source::{BlobSource, describe};
use super::byte_stream::{self, KeptStream, Slices, unreadable};
use super::clock::{self, Turns, now_ms};
use super::port::{Port, Ticket};
use crate::protocol::{Answer, Failure, FailureCode, Reply, reply};
use crate::session::{FileFacts, Loader, Progress, Session};
use js_sys::Uint8Array;
use std::cell::Cell;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, File, Response};

/// Bytes parsed before the clock is looked at.
const PARSE_BYTES: usize = 1 << 20;

/// Messages get their turn at least this often.
const TURN_MS: f64 = 30.0;

/// Progress is told at least this often.
const PROGRESS_MS: f64 = 80.0;

/// What to open.
pub(super) enum Input {
    File(File),
    Url(String),
}

/// An opening under way. The page may cancel it at any time.
pub(super) struct Opening {
    pub(super) ticket: Ticket,
    pub(super) cancelled: Cell<bool>,
    port: Port,
    turns: Option<Turns>,
    started_ms: Cell<f64>,
    last_turn_ms: Cell<f64>,
    last_progress_ms: Cell<f64>,
}

impl Opening {
    pub(super) fn new(ticket: Ticket, port: Port) -> Self {
        let now = now_ms();
        Self {
            ticket,
            cancelled: Cell::new(false),
            port,
            turns: Turns::new(),
            started_ms: Cell::new(now),
            last_turn_ms: Cell::new(now),
            last_progress_ms: Cell::new(now),
        }
    }

    /// Reads everything.
    pub(super) async fn run(&self, input: Input, name: String) -> Result<Session, Failure> {
        self.started_ms.set(now_ms());
        let (loader, blob) = match input {
            Input::File(file) => self.load_blob(file.into()).await?,
            Input::Url(url) => self.load_url(&url).await?,
        };
        let store = loader.finish()?;
        let source = BlobSource::new(blob.clone()).map_err(|error| unreadable(&error))?;
        let facts = FileFacts { name, bytes: blob.size() as u64, packing: String::new() };
        let mut session = Session::new(store, Box::new(source), facts)?;
        session.set_load_ms(now_ms() - self.started_ms.get());
        Ok(session)
    }

    async fn load_blob(&self, blob: Blob) -> Result<(Loader, Blob), Failure> {
        if byte_stream::is_gzip(&blob).await? {
            let total = byte_stream::gunzipped_bytes(&blob).await?;
            prime_heap(total);
            let stream = byte_stream::gunzip(&blob).map_err(|error| unreadable(&error))?;
            // What was decompressed before damage is a trace that is cut: it opens, and says where it ends.
            let (loader, blob) = self.load_stream(stream, total, |_| None).await?;
            return if loader.received_bytes() > 0 { Ok((loader, blob)) } else { Err(damaged_gzip()) };
        }
        prime_heap(blob.size());
        let mut loader = Loader::new();
        let mut slices = Slices::new(blob.clone());
        while let Some(bytes) = slices.next().await? {
            if self.feed(&mut loader, &bytes, blob.size()).await? == Progress::Ended {
                break;
            }
        }
        Ok((loader, blob))
    }

    async fn load_url(&self, url: &str) -> Result<(Loader, Blob), Failure> {
        let response =
            JsFuture::from(clock::global().fetch_with_str(url)).await.map_err(|error| unreachable(url, &error))?;
        let response: Response = response.unchecked_into();
        if !response.ok() {
            let status = format!("{} {}", response.status(), response.status_text());
            return Err(Failure::new(
                FailureCode::Fetch,
                format!("The server did not hand out the trace: it answered “{}”.", status.trim()),
            )
            .with_detail(url));
        }
        let length = response.headers().get("content-length").ok().flatten();
        let total = length.and_then(|length| length.parse().ok()).unwrap_or(0.0);
        let Some(body) = response.body() else { return Err(unreachable(url, &JsValue::NULL)) };
        let stream = KeptStream::new(&body).map_err(|error| unreachable(url, &error))?;
        prime_heap(total);
        self.load_stream(stream, total, |error| Some(unreachable(url, error))).await
    }

    /// Loads what a stream brings. `broken` says whether an error of the stream is the end of the matter.
    async fn load_stream(
        &self,
        mut stream: KeptStream,
        total: f64,
        broken: impl Fn(&JsValue) -> Option<Failure>,
    ) -> Result<(Loader, Blob), Failure> {
        let mut loader = Loader::new();
        let mut compressed = None;
        loop {
            let bytes = match stream.next().await? {
                Ok(Some(bytes)) => bytes,
                Ok(None) => break,
                Err(error) => match broken(&error) {
                    Some(failure) => return Err(failure),
                    None => break,
                },
            };
            let is_compressed =
                *compressed.get_or_insert_with(|| bytes.get_index(0) == 0x1f && bytes.get_index(1) == 0x8b);
            if is_compressed {
                self.breathe(&loader, total).await?;
            } else if self.feed(&mut loader, &bytes, total).await? == Progress::Ended {
                stream.cancel();
                break;
            }
        }
        let blob = stream.into_blob()?;
        if compressed == Some(true) { Box::pin(self.load_blob(blob)).await } else { Ok((loader, blob)) }
    }

    async fn feed(&self, loader: &mut Loader, bytes: &Uint8Array, total: f64) -> Result<Progress, Failure> {
        loader.append(bytes.length() as usize, |space| bytes.copy_to(space));
        loop {
            let progress = loader.advance(PARSE_BYTES)?;
            self.breathe(loader, total).await?;
            if progress != Progress::Paused {
                return Ok(progress);
            }
        }
    }

    /// Reports, lets messages in, and stops if the page said so.
    async fn breathe(&self, loader: &Loader, total: f64) -> Result<(), Failure> {
        let now = now_ms();
        if now - self.last_progress_ms.get() >= PROGRESS_MS {
            self.last_progress_ms.set(now);
            self.report(loader, total, now);
        }
        if now - self.last_turn_ms.get() >= TURN_MS
            && let Some(turns) = &self.turns
        {
            turns.next().await;
            self.last_turn_ms.set(now_ms());
        }
        if self.cancelled.get() {
            return Err(Failure::new(FailureCode::Cancelled, "Loading was cancelled."));
        }
        Ok(())
    }

    fn report(&self, loader: &Loader, total: f64, now: f64) {
        let overview = loader.overview().pack();
        let bytes = loader.parsed_bytes();
        let answer = Answer::Progress(reply::Progress {
            bytes,
            total_bytes: (total as u64).max(bytes),
            events: loader.event_count(),
            elapsed_ms: now - self.started_ms.get(),
            overview: overview.directory,
        });
        self.port.send(self.ticket, Ok(Reply { answer, body: overview.body }));
    }
}

/// Lets the heap grow once: every small growth costs as much as a large one, and memory is never given back anyway.
fn prime_heap(file_bytes: f64) {
    const SHARE: f64 = 0.6;
    const MOST_BYTES: f64 = 1536.0 * 1024.0 * 1024.0;
    let mut heap = Vec::<u8>::new();
    // A browser that refuses leaves the heap as it was; then it grows step by step.
    if heap.try_reserve_exact((file_bytes * SHARE).min(MOST_BYTES) as usize).is_ok() {
        std::hint::black_box(&mut heap);
    }
}

fn damaged_gzip() -> Failure {
    let message = "The file starts like gzip-compressed data, but nothing can be decompressed from it.";
    Failure::new(FailureCode::NotATrace, message).at(0)
}

fn unreachable(url: &str, error: &JsValue) -> Failure {
    Failure::new(
        FailureCode::Fetch,
        "The trace could not be fetched. If it lies on another server, that server must send the header Access-Control-Allow-Origin (CORS) for this page, and an https page cannot read from http.",
    )
    .with_detail(format!("{url}\n{}", describe(error)))
}
