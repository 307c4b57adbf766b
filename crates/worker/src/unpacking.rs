//! Decompressed streams: by the browser if possible, otherwise by a program that is loaded on demand.

use super::blob_source::{BlobSource, describe};
use super::byte_stream::{Kept, read, slice, unreadable};
use engine::session::container::{Coding, Platform};
use js_sys::{Promise, Uint8Array};
use nettrace::ByteSource;
use protocol::{Failure, FailureCode};
use std::cell::Cell;
use std::ops::Range;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, ReadableStream, ReadableStreamDefaultReader};

/// Number of compressed bytes read at a time.
const SLICE_BYTES: f64 = (1 << 20) as f64;

/// Number of compressed bytes passed to the browser at a time. The browser decompresses all of them before it returns
/// the first.
const BITE_BYTES: u32 = 64 << 10;

/// Number of compressed bytes that are decompressed to detect the format.
const PREFIX_BYTES: f64 = (64 << 10) as f64;

// web-sys has these only behind a flag for unstable interfaces, although every engine supports them.
#[wasm_bindgen]
extern "C" {
    type DecompressionStream;
    #[wasm_bindgen(constructor, catch)]
    fn new(format: &str) -> Result<DecompressionStream, JsValue>;
    #[wasm_bindgen(method, getter)]
    fn readable(this: &DecompressionStream) -> ReadableStream;
    #[wasm_bindgen(method, getter)]
    fn writable(this: &DecompressionStream) -> WritableStream;

    type WritableStream;
    #[wasm_bindgen(method, catch, js_name = getWriter)]
    fn get_writer(this: &WritableStream) -> Result<Writer, JsValue>;

    type Writer;
    #[wasm_bindgen(method)]
    fn write(this: &Writer, chunk: &Uint8Array) -> Promise;
    #[wasm_bindgen(method)]
    fn close(this: &Writer) -> Promise;

    /// Calls a function of `worker_boot.js`.
    #[wasm_bindgen(catch, js_namespace = traceglass)]
    fn unpacker(coding: &str) -> Result<Promise, JsValue>;

    /// Type of the program `unpack`.
    type Unpacker;
    #[wasm_bindgen(method, catch)]
    fn decode(this: &Unpacker, input: &Uint8Array) -> Result<u32, JsValue>;
    #[wasm_bindgen(method, catch)]
    fn finish(this: &Unpacker) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    fn output(this: &Unpacker) -> Result<Uint8Array, JsValue>;
    #[wasm_bindgen(method)]
    fn damage(this: &Unpacker) -> Option<String>;
    #[wasm_bindgen(method)]
    fn damage_offset(this: &Unpacker) -> f64;
    #[wasm_bindgen(method)]
    fn free(this: &Unpacker);
}

/// Next step of a stream.
pub(super) enum Step {
    Bytes(Uint8Array),
    /// Complete end.
    End,
    /// Early end, with its reason and its offset if known.
    Damaged(String, Option<u64>),
}

/// Decompressed stream.
pub(super) struct Unpacking {
    engine: Engine,
    taken: Rc<Cell<f64>>,
}

enum Engine {
    Browser { reader: ReadableStreamDefaultReader, is_over: Rc<Cell<bool>> },
    Own(Own),
}

struct Own {
    unpacker: Unpacker,
    blob: Blob,
    read_until: f64,
    input: Uint8Array,
    is_finished: bool,
}

impl Unpacking {
    /// Starts the browser's decompressor, if it supports the coding.
    pub(super) async fn start(blob: &Blob, coding: Coding) -> Result<Self, Failure> {
        let format = match coding {
            Coding::Gzip => "gzip",
            Coding::Deflate => "deflate-raw",
            Coding::Stored | Coding::Zstd | Coding::AddedReturns => return Self::start_own(blob, coding).await,
        };
        // A browser that doesn't support the format throws here.
        match DecompressionStream::new(format) {
            Ok(stream) => Self::start_browser(blob, &stream).map_err(|error| unreadable(&error)),
            Err(_) => Self::start_own(blob, coding).await,
        }
    }

    fn start_browser(blob: &Blob, stream: &DecompressionStream) -> Result<Self, JsValue> {
        let reader = ReadableStreamDefaultReader::new(&stream.readable())?;
        let writer = stream.writable().get_writer()?;
        let (taken, is_over) = (Rc::new(Cell::new(0.0)), Rc::new(Cell::new(false)));
        let (blob, progress, stop) = (blob.clone(), taken.clone(), is_over.clone());
        spawn_local(async move {
            // The reader gets any error: the stream fails, or ends too early.
            let _ = write_all(&blob, &writer, &progress, &stop).await;
            let _ = JsFuture::from(writer.close()).await;
        });
        Ok(Self { engine: Engine::Browser { reader, is_over }, taken })
    }

    /// Starts the program `unpack`, which decompresses damaged streams as far as possible.
    pub(super) async fn start_own(blob: &Blob, coding: Coding) -> Result<Self, Failure> {
        let loaded = match unpacker(coding.name()) {
            Ok(coming) => JsFuture::from(coming).await,
            Err(error) => Err(error),
        };
        let unpacker = loaded.map_err(|error| {
            let message = "Can't load the decompressor. Check your connection, or decompress the file first.";
            Failure::new(FailureCode::Archive, message).with_detail(describe(&error))
        })?;
        let own = Own {
            unpacker: unpacker.unchecked_into(),
            blob: blob.clone(),
            read_until: 0.0,
            input: Uint8Array::new_with_length(0),
            is_finished: false,
        };
        Ok(Self { engine: Engine::Own(own), taken: Rc::new(Cell::new(0.0)) })
    }

    /// Returns the number of consumed compressed bytes.
    pub(super) fn taken(&self) -> f64 {
        self.taken.get()
    }

    /// Returns whether a second attempt with [`Self::start_own`] may return more.
    pub(super) fn is_by_browser(&self) -> bool {
        matches!(self.engine, Engine::Browser { .. })
    }

    pub(super) async fn next(&mut self) -> Result<Step, Failure> {
        match &mut self.engine {
            Engine::Browser { reader, .. } => Ok(match read(reader).await {
                Ok(Some(bytes)) => Step::Bytes(bytes),
                Ok(None) => Step::End,
                Err(error) => Step::Damaged(describe(&error), None),
            }),
            Engine::Own(own) => own.next(&self.taken).await,
        }
    }
}

impl Drop for Unpacking {
    fn drop(&mut self) {
        match &self.engine {
            Engine::Browser { reader, is_over } => {
                is_over.set(true);
                // Canceling a stream that failed also fails, which is irrelevant.
                let cancelled = reader.cancel();
                spawn_local(async move { drop(JsFuture::from(cancelled).await) });
            }
            Engine::Own(own) => own.unpacker.free(),
        }
    }
}

impl Own {
    async fn next(&mut self, taken: &Cell<f64>) -> Result<Step, Failure> {
        loop {
            match self.step().await? {
                Ok(None) => return Ok(Step::End),
                Ok(Some(bytes)) if bytes.length() > 0 => {
                    taken.set(self.read_until - f64::from(self.input.length()));
                    return Ok(Step::Bytes(bytes));
                }
                Ok(Some(_)) => {}
                Err(damage) => return Ok(damage),
            }
        }
    }

    /// Returns the next bytes. The outer error is that of the file, the inner one that of the stream.
    async fn step(&mut self) -> Result<Result<Option<Uint8Array>, Step>, Failure> {
        if self.input.length() == 0 && self.read_until < self.blob.size() {
            let end = (self.read_until + SLICE_BYTES).min(self.blob.size());
            self.input = slice(&self.blob, self.read_until, end).await?;
            self.read_until = end;
        }
        Ok(self
            .decode()
            .map_err(|error| Step::Damaged(format!("the decompressor failed: {}", describe(&error)), None))
            .and_then(|bytes| match self.unpacker.damage() {
                // Data before the damage is returned first; the next step reports the damage.
                Some(what) if bytes.as_ref().is_none_or(|bytes| bytes.length() == 0) => {
                    Err(Step::Damaged(what, Some(self.unpacker.damage_offset() as u64)))
                }
                _ => Ok(bytes),
            }))
    }

    fn decode(&mut self) -> Result<Option<Uint8Array>, JsValue> {
        if self.unpacker.damage().is_some() {
            return Ok(None);
        }
        if self.input.length() > 0 {
            let taken = self.unpacker.decode(&self.input)?;
            self.input = self.input.subarray(taken, self.input.length());
        } else if self.is_finished {
            return Ok(None);
        } else {
            self.is_finished = true;
            self.unpacker.finish()?;
        }
        self.unpacker.output().map(Some)
    }
}

/// Writes a blob to a stream, at the speed of the stream.
async fn write_all(blob: &Blob, writer: &Writer, taken: &Cell<f64>, is_over: &Cell<bool>) -> Result<(), JsValue> {
    let mut at = 0.0;
    while at < blob.size() && !is_over.get() {
        let end = (at + SLICE_BYTES).min(blob.size());
        let bytes = Uint8Array::new(&JsFuture::from(blob.slice_with_f64_and_f64(at, end)?.array_buffer()).await?);
        for start in (0..bytes.length()).step_by(BITE_BYTES as usize) {
            let bite = bytes.subarray(start, (start + BITE_BYTES).min(bytes.length()));
            JsFuture::from(writer.write(&bite)).await?;
            taken.set(at + f64::from(start + bite.length()));
        }
        at = end;
    }
    Ok(())
}

/// Decompressor of the browser.
pub(super) struct Browser;

impl Platform for Browser {
    type Bytes = Blob;

    fn slice(&self, bytes: &Blob, range: Range<u64>) -> Result<Blob, Failure> {
        bytes.slice_with_f64_and_f64(range.start as f64, range.end as f64).map_err(|error| unreadable(&error))
    }

    fn source(&self, bytes: &Blob) -> Result<Box<dyn ByteSource>, Failure> {
        let source = BlobSource::new(bytes.clone()).map_err(|error| unreadable(&error))?;
        Ok(Box::new(source))
    }

    async fn prefix(&self, bytes: &Blob, coding: Coding, most: usize) -> Result<Vec<u8>, Failure> {
        if coding == Coding::Stored {
            return Ok(slice(bytes, 0.0, bytes.size().min(most as f64)).await?.to_vec());
        }
        let beginning = bytes.slice_with_f64_and_f64(0.0, bytes.size().min(PREFIX_BYTES));
        let mut stream = Unpacking::start(&beginning.map_err(|error| unreadable(&error))?, coding).await?;
        let mut prefix = Vec::new();
        while let Step::Bytes(bytes) = stream.next().await? {
            let missing = (most - prefix.len()) as u32;
            prefix.extend(bytes.subarray(0, missing.min(bytes.length())).to_vec());
            if prefix.len() >= most {
                break;
            }
        }
        Ok(prefix)
    }

    async fn keep(&self, bytes: &Blob, coding: Coding) -> Result<Blob, Failure> {
        let mut stream = Unpacking::start(bytes, coding).await?;
        loop {
            let mut kept = Kept::default();
            let damage = loop {
                match stream.next().await? {
                    Step::Bytes(bytes) => kept.add(&bytes)?,
                    Step::End => break false,
                    Step::Damaged(..) => break true,
                }
            };
            if !damage || !stream.is_by_browser() {
                return kept.into_blob();
            }
            match Unpacking::start_own(bytes, coding).await {
                Ok(own) => stream = own,
                // A partial result from the browser is better than none.
                Err(_) => return kept.into_blob(),
            }
        }
    }
}
