//! Bytes on their way into the loader: slices of a file, or a stream that is kept as it passes.

use super::blob_source::describe;
use crate::protocol::{Failure, FailureCode};
use js_sys::{Array, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, ReadableStream, ReadableStreamDefaultReader};

/// Bytes read from a file at a time.
const SLICE_BYTES: f64 = (8 << 20) as f64;

/// A stream is kept as blobs of this size, which browsers may put on disk.
const PART_BYTES: f64 = (16 << 20) as f64;

/// The most that is decompressed or downloaded.
const KEPT_LIMIT_BYTES: f64 = 4.0 * 1024.0 * 1024.0 * 1024.0;

/// A file, read slice by slice; the next slice is on its way while the caller works on this one.
pub(super) struct Slices {
    blob: Blob,
    requested: f64,
    coming: Option<Promise>,
}

impl Slices {
    pub(super) fn new(blob: Blob) -> Self {
        Self { blob, requested: 0.0, coming: None }
    }

    /// The next bytes; none at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Uint8Array>, Failure> {
        let coming = match self.coming.take() {
            Some(coming) => Some(coming),
            None => self.request()?,
        };
        let Some(coming) = coming else { return Ok(None) };
        let buffer = JsFuture::from(coming).await.map_err(|error| unreadable(&error))?;
        self.coming = self.request()?;
        Ok(Some(Uint8Array::new(&buffer)))
    }

    fn request(&mut self) -> Result<Option<Promise>, Failure> {
        if self.requested >= self.blob.size() {
            return Ok(None);
        }
        let end = (self.requested + SLICE_BYTES).min(self.blob.size());
        // The variants with integers cut at 2 GiB.
        let slice = self.blob.slice_with_f64_and_f64(self.requested, end).map_err(|error| unreadable(&error))?;
        self.requested = end;
        Ok(Some(slice.array_buffer()))
    }
}

/// A stream whose bytes are kept in a blob, so that they can be read again.
pub(super) struct KeptStream {
    reader: ReadableStreamDefaultReader,
    parts: Array,
    chunks: Array,
    chunk_bytes: f64,
    bytes: f64,
}

impl KeptStream {
    pub(super) fn new(stream: &ReadableStream) -> Result<Self, JsValue> {
        let reader = ReadableStreamDefaultReader::new(stream)?;
        Ok(Self { reader, parts: Array::new(), chunks: Array::new(), chunk_bytes: 0.0, bytes: 0.0 })
    }

    /// The next bytes; none at the end. The outer error is final; the inner one is the stream's, after which what came
    /// before it may still be of use.
    pub(super) async fn next(&mut self) -> Result<Result<Option<Uint8Array>, JsValue>, Failure> {
        let step = match JsFuture::from(self.reader.read()).await {
            Ok(step) => step,
            Err(error) => return Ok(Err(error)),
        };
        let value = Reflect::get(&step, &JsValue::from_str("value")).unwrap_or_default();
        let Ok(chunk) = value.dyn_into::<Uint8Array>() else { return Ok(Ok(None)) };
        self.bytes += f64::from(chunk.length());
        if self.bytes > KEPT_LIMIT_BYTES {
            self.cancel();
            return Err(Failure::new(
                FailureCode::OutOfMemory,
                "This is more than 4 GiB when decompressed or downloaded. Unpack or download it and open the file itself: files on disk may have any size.",
            ));
        }
        self.chunks.push(&chunk);
        self.chunk_bytes += f64::from(chunk.length());
        if self.chunk_bytes >= PART_BYTES {
            self.seal().map_err(|error| unreadable(&error))?;
        }
        Ok(Ok(Some(chunk)))
    }

    /// Ends the stream before its end.
    pub(super) fn cancel(&self) {
        // The browser reports a stream that failed already through the promise, which nobody needs here.
        let _ = self.reader.cancel();
    }

    /// Everything that passed.
    pub(super) fn into_blob(mut self) -> Result<Blob, Failure> {
        self.seal().map_err(|error| unreadable(&error))?;
        Blob::new_with_blob_sequence(&self.parts).map_err(|error| unreadable(&error))
    }

    fn seal(&mut self) -> Result<(), JsValue> {
        self.parts.push(&Blob::new_with_u8_array_sequence(&self.chunks)?.into());
        self.chunks = Array::new();
        self.chunk_bytes = 0.0;
        Ok(())
    }
}

// web-sys has these only behind a flag for unstable interfaces, though every engine ships them.
#[wasm_bindgen]
extern "C" {
    type DecompressionStream;
    #[wasm_bindgen(constructor, catch)]
    fn new(format: &str) -> Result<DecompressionStream, JsValue>;

    type PipeSource;
    #[wasm_bindgen(method, catch, js_name = pipeThrough)]
    fn pipe_through(this: &PipeSource, transform: &DecompressionStream) -> Result<ReadableStream, JsValue>;
}

/// The decompressed content of a gzip file.
pub(super) fn gunzip(blob: &Blob) -> Result<KeptStream, JsValue> {
    let source: PipeSource = JsValue::from(blob.stream()).unchecked_into();
    KeptStream::new(&source.pipe_through(&DecompressionStream::new("gzip")?)?)
}

/// How much a gzip file holds, by its last four bytes (RFC 1952, ISIZE: the size modulo 2³² of the last member).
pub(super) async fn gunzipped_bytes(blob: &Blob) -> Result<f64, Failure> {
    let last_four = blob.slice_with_f64_and_f64((blob.size() - 4.0).max(0.0), blob.size());
    let last_four = last_four.map_err(|error| unreadable(&error))?.array_buffer();
    let last_four = Uint8Array::new(&JsFuture::from(last_four).await.map_err(|error| unreadable(&error))?).to_vec();
    let size = <[u8; 4]>::try_from(last_four).map_or(0, u32::from_le_bytes);
    Ok(f64::from(size).max(blob.size()))
}

/// Whether a file is gzip, by its content.
pub(super) async fn is_gzip(blob: &Blob) -> Result<bool, Failure> {
    let start = blob.slice_with_f64_and_f64(0.0, 2.0).map_err(|error| unreadable(&error))?.array_buffer();
    let start = JsFuture::from(start).await.map_err(|error| unreadable(&error))?;
    Ok(Uint8Array::new(&start).to_vec() == [0x1f, 0x8b])
}

/// The browser refuses to read the file.
pub(super) fn unreadable(error: &JsValue) -> Failure {
    Failure::new(
        FailureCode::Unreadable,
        "The file cannot be read. It may have been changed, moved or deleted since it was chosen; open it again.",
    )
    .with_detail(describe(error))
}
