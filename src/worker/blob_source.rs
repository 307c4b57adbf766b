//! Bytes of a `Blob`, read when needed.

use crate::nettrace::{ByteSource, SourceError};
use js_sys::Uint8Array;
use wasm_bindgen::JsValue;
use web_sys::{Blob, FileReaderSync};

/// A file or blob. Only workers may read it synchronously.
pub(super) struct BlobSource {
    blob: Blob,
    reader: FileReaderSync,
}

impl BlobSource {
    pub(super) fn new(blob: Blob) -> Result<Self, JsValue> {
        Ok(Self { blob, reader: FileReaderSync::new()? })
    }
}

impl ByteSource for BlobSource {
    fn len(&self) -> u64 {
        self.blob.size() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<(), SourceError> {
        let end = offset.saturating_add(buffer.len() as u64);
        if end > self.len() {
            return Err(SourceError::out_of_range(offset, buffer.len() as u64, self.len()));
        }
        let failed = |error: JsValue| SourceError::new(describe(&error));
        let slice = self.blob.slice_with_f64_and_f64(offset as f64, end as f64).map_err(failed)?;
        let content = self.reader.read_as_array_buffer(&slice).map_err(failed)?;
        let bytes = Uint8Array::new(&content.into());
        if bytes.length() as usize != buffer.len() {
            return Err(SourceError::new("The file is shorter than it was when it was opened."));
        }
        bytes.copy_to(buffer);
        Ok(())
    }
}

/// What the browser says about an error, for people who ask for details.
pub(super) fn describe(error: &JsValue) -> String {
    use wasm_bindgen::JsCast;
    error.dyn_ref::<js_sys::Object>().map_or_else(|| format!("{error:?}"), |object| String::from(object.to_string()))
}
