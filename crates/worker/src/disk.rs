//! File in the origin private file system, for decompressed data that is too large for memory.

use super::blob_source::describe;
use js_sys::{Promise, Uint8Array};
use nettrace::{ByteSource, SourceError};
use protocol::{Failure, FailureCode};
use std::cell::Cell;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

#[wasm_bindgen]
extern "C" {
    /// Calls a function of `worker_boot.js`.
    #[wasm_bindgen(catch, js_namespace = traceglass, js_name = diskFile)]
    fn disk_file() -> Result<Promise, JsValue>;

    type Handle;
    #[wasm_bindgen(method, catch)]
    fn append(this: &Handle, bytes: &Uint8Array) -> Result<(), JsValue>;
    #[wasm_bindgen(method, catch)]
    fn slice(this: &Handle, start: f64, length: u32) -> Result<Uint8Array, JsValue>;
    #[wasm_bindgen(method)]
    fn remove(this: &Handle);
}

/// File of this worker. It is removed when it is dropped, or when the next worker starts.
pub(super) struct DiskFile {
    handle: Handle,
    bytes: Cell<f64>,
}

impl DiskFile {
    /// Creates an empty file.
    ///
    /// # Errors
    /// Fails if the browser doesn't support such files, or not for this page.
    pub(super) async fn create() -> Result<Self, JsValue> {
        let handle = JsFuture::from(disk_file()?).await?.unchecked_into();
        Ok(Self { handle, bytes: Cell::new(0.0) })
    }

    /// Appends bytes.
    ///
    /// # Errors
    /// Fails if the browser's storage is full.
    pub(super) fn append(&self, bytes: &Uint8Array) -> Result<(), Failure> {
        self.handle.append(bytes).map_err(|error| {
            Failure::new(
                FailureCode::TooLarge,
                "Not enough browser storage to decompress this trace. Free up disk space, or decompress the trace \
                 yourself and drop the result.",
            )
            .with_detail(describe(&error))
        })?;
        self.bytes.set(self.bytes.get() + f64::from(bytes.length()));
        Ok(())
    }

    pub(super) fn size(&self) -> f64 {
        self.bytes.get()
    }

    /// Reads a part of the file.
    ///
    /// # Errors
    /// Fails if the browser can't read the file.
    pub(super) fn slice(&self, start: f64, length: u32) -> Result<Uint8Array, SourceError> {
        self.handle.slice(start, length).map_err(|error| SourceError::new(describe(&error)))
    }
}

impl ByteSource for DiskFile {
    fn len(&self) -> u64 {
        self.bytes.get() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), SourceError> {
        self.slice(offset as f64, buffer.len() as u32).map(|bytes| bytes.copy_to(buffer))
    }
}

impl Drop for DiskFile {
    fn drop(&mut self) {
        self.handle.remove();
    }
}
