//! Bytes on their way into the loader: slices of a file, or a stream that is kept as it passes.

use super::blob_source::describe;
use crate::protocol::{Failure, FailureCode};
use crate::session::container::{MOST_UNPACKED_BYTES, too_large};
use js_sys::{Array, Promise, Reflect, Uint8Array};
use std::collections::VecDeque;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, ReadableStreamDefaultReader};

/// Bytes read from a file at a time.
const SLICE_BYTES: f64 = (8 << 20) as f64;

/// The last bytes of a file, in which to look for the end of the trace; files with fewer of them than that many times
/// are read as soon.
const TAIL_BYTES: f64 = (1 << 20) as f64;
const WORTH_A_LOOK: f64 = 16.0;

/// Slices that are on their way at a time: with one, the browser idles between handing it over and being asked again.
const SLICES_COMING: usize = 2;

/// A stream is kept as blobs of this size, which browsers may put on disk.
const PART_BYTES: u64 = 16 << 20;

/// A file, read slice by slice; the next ones are on their way while the caller works on this one.
pub(super) struct Slices {
    blob: Blob,
    requested: f64,
    coming: VecDeque<Promise>,
}

impl Slices {
    pub(super) fn new(blob: Blob) -> Self {
        Self { blob, requested: 0.0, coming: VecDeque::new() }
    }

    /// The next bytes; none at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Uint8Array>, Failure> {
        self.request()?;
        let Some(coming) = self.coming.pop_front() else { return Ok(None) };
        let buffer = JsFuture::from(coming).await.map_err(|error| unreadable(&error))?;
        self.request()?;
        Ok(Some(Uint8Array::new(&buffer)))
    }

    /// Sees that enough slices are on their way.
    fn request(&mut self) -> Result<(), Failure> {
        while self.coming.len() < SLICES_COMING && self.requested < self.blob.size() {
            let end = (self.requested + SLICE_BYTES).min(self.blob.size());
            // The variants with integers cut at 2 GiB.
            let slice = self.blob.slice_with_f64_and_f64(self.requested, end).map_err(|error| unreadable(&error))?;
            self.requested = end;
            self.coming.push_back(slice.array_buffer());
        }
        Ok(())
    }
}

/// The last bytes of a file and their position; none if it is too small for a look ahead to be worth it.
pub(super) async fn tail(blob: &Blob) -> Result<Option<(Uint8Array, u64)>, Failure> {
    if blob.size() < TAIL_BYTES * WORTH_A_LOOK {
        return Ok(None);
    }
    let start = blob.size() - TAIL_BYTES;
    let slice = blob.slice_with_f64_and_f64(start, blob.size()).map_err(|error| unreadable(&error))?;
    let buffer = JsFuture::from(slice.array_buffer()).await.map_err(|error| unreadable(&error))?;
    Ok(Some((Uint8Array::new(&buffer), start as u64)))
}

/// Bytes of a stream that are kept as they pass, so that they can be read again.
#[derive(Default)]
pub(super) struct Kept {
    parts: Array,
    chunks: Array,
    chunk_bytes: u64,
    bytes: u64,
}

impl Kept {
    /// Keeps some more.
    pub(super) fn add(&mut self, chunk: &Uint8Array) -> Result<(), Failure> {
        let length = u64::from(chunk.length());
        self.bytes += length;
        if self.bytes > MOST_UNPACKED_BYTES {
            return Err(too_large());
        }
        self.chunks.push(chunk);
        self.chunk_bytes += length;
        if self.chunk_bytes >= PART_BYTES {
            self.seal().map_err(|error| unreadable(&error))?;
        }
        Ok(())
    }

    /// How much is kept.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Everything that passed.
    pub(super) fn into_blob(mut self) -> Result<Blob, Failure> {
        self.seal().map_err(|error| unreadable(&error))?;
        Blob::new_with_blob_sequence(&self.parts).map_err(|error| unreadable(&error))
    }

    fn seal(&mut self) -> Result<(), JsValue> {
        self.parts.push(&Blob::new_with_u8_array_sequence(&self.chunks)?.into());
        self.chunks = Array::new();
        self.chunk_bytes = 0;
        Ok(())
    }
}

/// The next bytes of a stream; none at its end.
pub(super) async fn read(reader: &ReadableStreamDefaultReader) -> Result<Option<Uint8Array>, JsValue> {
    let step = JsFuture::from(reader.read()).await?;
    let value = Reflect::get(&step, &JsValue::from_str("value")).unwrap_or_default();
    Ok(value.dyn_into::<Uint8Array>().ok())
}

/// The browser refuses to read the file.
pub(super) fn unreadable(error: &JsValue) -> Failure {
    Failure::new(
        FailureCode::Unreadable,
        "The file cannot be read. It may have been changed, moved or deleted since it was chosen; open it again.",
    )
    .with_detail(describe(error))
}
