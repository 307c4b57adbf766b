//! Blob, read as a stream into reused memory.

use js_sys::{ArrayBuffer, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, ReadableStreamByobReader};

/// Size of the buffer.
const BUFFER_BYTES: f64 = (4 << 20) as f64;

/// Minimum number of bytes per call, except the last: browsers read about 100 KB at once, in one message each.
const PIECE_BYTES: u32 = 1 << 20;

/// Reader of a blob from start to end. The browser reads the next bytes while the caller processes the current ones,
/// into memory that is already in use. New memory is the main cost of slices (`docs/decisions/file-streams.md`).
pub(super) struct BlobStream {
    reader: ReadableStreamByobReader,
    buffer: ArrayBuffer,
}

impl BlobStream {
    /// Creates a reader; `None` if the browser doesn't support streams into given memory.
    pub(super) fn of(blob: &Blob) -> Option<Self> {
        Self::into_memory(blob, || ArrayBuffer::new(blob.size().min(BUFFER_BYTES) as u32))
    }

    /// Creates a reader with this memory.
    pub(super) fn into_memory(blob: &Blob, buffer: impl FnOnce() -> ArrayBuffer) -> Option<Self> {
        let reader = ReadableStreamByobReader::new(&blob.stream()).ok()?;
        Some(Self { reader, buffer: buffer() })
    }

    /// Returns the next bytes; `None` at the end. Earlier bytes become invalid.
    ///
    /// # Errors
    /// Fails if the blob can't be read.
    pub(super) async fn next(&mut self) -> Result<Uint8Array, JsValue> {
        self.fill(PIECE_BYTES.min(self.buffer.byte_length())).await
    }

    /// Returns the first `length` bytes, or all if there are fewer. The memory must be large enough.
    ///
    /// # Errors
    /// Fails if the blob can't be read.
    pub(super) async fn first(mut self, length: u32) -> Result<Uint8Array, JsValue> {
        self.fill(length).await
    }

    /// Reads into the memory from its start, until it contains enough bytes or the blob ends.
    async fn fill(&mut self, enough: u32) -> Result<Uint8Array, JsValue> {
        let mut filled = 0;
        while filled < enough {
            let space = Uint8Array::new_with_byte_offset(&self.buffer, filled);
            let step = JsFuture::from(self.reader.read_with_array_buffer_view(&space)).await?;
            let read: Uint8Array = Reflect::get(&step, &JsValue::from_str("value"))?.dyn_into()?;
            // Each read transfers the buffer.
            self.buffer = read.buffer();
            if read.length() == 0 {
                break;
            }
            filled += read.length();
        }
        Ok(Uint8Array::new_with_byte_offset_and_length(&self.buffer, 0, filled))
    }
}

impl Drop for BlobStream {
    fn drop(&mut self) {
        let cancelled = self.reader.cancel();
        // Canceling a stream that failed also fails, which is irrelevant.
        spawn_local(async move { JsFuture::from(cancelled).await.map_or((), drop) });
    }
}
