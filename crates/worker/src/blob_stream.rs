//! A blob, read as a stream into memory that is used again.

use js_sys::{ArrayBuffer, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, ReadableStreamByobReader};

/// Memory that is read into.
const BUFFER_BYTES: f64 = (4 << 20) as f64;

/// So much is handed out at a time, or more: engines read some 100 KB at once, and each of them is a message.
const PIECE_BYTES: u32 = 1 << 20;

/// A blob, read from its start to its end. While the caller works on what was handed out, the browser reads on; no
/// memory is touched for the first time, which is what slices cost most (`docs/decisions/file-streams.md`).
pub(super) struct BlobStream {
    reader: ReadableStreamByobReader,
    buffer: ArrayBuffer,
}

impl BlobStream {
    /// None where the engine's blobs cannot be read into memory that there is.
    pub(super) fn of(blob: &Blob) -> Option<Self> {
        Self::into_memory(blob, || ArrayBuffer::new(blob.size().min(BUFFER_BYTES) as u32))
    }

    /// Reads into this memory.
    pub(super) fn into_memory(blob: &Blob, buffer: impl FnOnce() -> ArrayBuffer) -> Option<Self> {
        let reader = ReadableStreamByobReader::new(&blob.stream()).ok()?;
        Some(Self { reader, buffer: buffer() })
    }

    /// The next bytes, none at the end. Those before are gone with that.
    ///
    /// # Errors
    /// When the blob cannot be read.
    pub(super) async fn next(&mut self) -> Result<Uint8Array, JsValue> {
        self.fill(PIECE_BYTES.min(self.buffer.byte_length())).await
    }

    /// The first bytes, so many if there are so many; the memory has room for them.
    ///
    /// # Errors
    /// When the blob cannot be read.
    pub(super) async fn first(mut self, length: u32) -> Result<Uint8Array, JsValue> {
        self.fill(length).await
    }

    /// Reads into the memory from its start on, until there is enough or nothing comes any more.
    async fn fill(&mut self, enough: u32) -> Result<Uint8Array, JsValue> {
        let mut filled = 0;
        while filled < enough {
            let space = Uint8Array::new_with_byte_offset(&self.buffer, filled);
            let step = JsFuture::from(self.reader.read_with_array_buffer_view(&space)).await?;
            let read: Uint8Array = Reflect::get(&step, &JsValue::from_str("value"))?.dyn_into()?;
            // The memory changes hands with each reading.
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
        // That what could not be read cannot be given up either is no news.
        spawn_local(async move { JsFuture::from(cancelled).await.map_or((), drop) });
    }
}
