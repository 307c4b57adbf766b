//! Bytes for the loader: parts of a trace, or a stream that is stored while it is read.

use super::blob_source::{BlobSource, describe};
use super::disk::DiskFile;
use engine::session::container::{MAX_UNPACKED_BYTES, too_large};
use js_sys::{Array, Reflect, Uint8Array};
use nettrace::ByteSource;
use protocol::{Failure, FailureCode};
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, ReadableStreamDefaultReader};

/// Number of bytes at the end of a file that are searched for the end of the trace. Files smaller than a multiple of it
/// are read without a search.
const TAIL_BYTES: f64 = (1 << 20) as f64;
const WORTH_A_LOOK: f64 = 16.0;

/// Size of the blobs that store a stream. Browsers can put blobs on disk.
const PART_BYTES: u64 = 16 << 20;

/// Maximum size of a stream in memory; larger streams go to disk.
const MAX_IN_MEMORY_BYTES: u64 = 512 << 20;

/// Bytes of an uncompressed or decompressed trace.
#[derive(Clone)]
pub(super) enum Bytes {
    /// File of the user, or blob that the browser stores.
    Blob(Blob),
    /// File on disk, for a stream that is too large for memory.
    Disk(Rc<DiskFile>),
}

impl Bytes {
    /// Returns the number of bytes.
    pub(super) fn size(&self) -> f64 {
        match self {
            Self::Blob(blob) => blob.size(),
            Self::Disk(file) => file.size(),
        }
    }

    /// Returns a source for random access.
    pub(super) fn source(&self) -> Result<Box<dyn ByteSource>, Failure> {
        Ok(match self {
            Self::Blob(blob) => Box::new(BlobSource::new(blob.clone()).map_err(|error| unreadable(&error))?) as _,
            Self::Disk(file) => Box::new(file.clone()) as _,
        })
    }
}

/// Returns the last bytes of a file and their offset; `None` if the file is too small.
pub(super) async fn tail(blob: &Blob) -> Result<Option<(Uint8Array, u64)>, Failure> {
    if blob.size() < TAIL_BYTES * WORTH_A_LOOK {
        return Ok(None);
    }
    let start = blob.size() - TAIL_BYTES;
    Ok(Some((slice(blob, start, blob.size()).await?, start as u64)))
}

/// Reads bytes of a blob.
pub(super) async fn slice(blob: &Blob, start: f64, end: f64) -> Result<Uint8Array, Failure> {
    let part = blob.slice_with_f64_and_f64(start, end).map_err(|error| unreadable(&error))?;
    whole(JsFuture::from(part.array_buffer()).await, end - start)
}

/// Returns the bytes of a read operation, after checking their number. Some browsers read the current file, which may
/// be shorter.
pub(super) fn whole(read: Result<JsValue, JsValue>, length: f64) -> Result<Uint8Array, Failure> {
    let bytes = Uint8Array::new(&read.map_err(|error| unreadable(&error))?);
    match f64::from(bytes.length()) == length {
        true => Ok(bytes),
        false => Err(shorter()),
    }
}

/// Creates the failure for a file that was truncated.
pub(super) fn shorter() -> Failure {
    unreadable(&JsValue::from_str("The file was truncated while being read."))
}

/// Storage for the bytes of a stream, for reading them again.
#[derive(Default)]
pub(super) struct Kept {
    parts: Array,
    chunks: Array,
    chunk_bytes: u64,
    bytes: u64,
    /// File with all bytes, if there are too many for memory.
    disk: Option<Rc<DiskFile>>,
    has_no_disk: bool,
}

impl Kept {
    /// Stores more bytes, on disk if there are many and the browser supports it.
    pub(super) async fn add_trace(&mut self, chunk: &Uint8Array) -> Result<(), Failure> {
        if self.disk.is_none() && self.bytes + u64::from(chunk.length()) > MAX_IN_MEMORY_BYTES && !self.has_no_disk {
            self.move_to_disk().await?;
        }
        let Some(disk) = &self.disk else { return self.add(chunk) };
        self.bytes += u64::from(chunk.length());
        if self.bytes > MAX_UNPACKED_BYTES {
            return Err(too_large());
        }
        disk.append(chunk)
    }

    /// Stores more bytes.
    pub(super) fn add(&mut self, chunk: &Uint8Array) -> Result<(), Failure> {
        let length = u64::from(chunk.length());
        self.bytes += length;
        if self.bytes > MAX_UNPACKED_BYTES {
            return Err(too_large());
        }
        self.chunks.push(chunk);
        self.chunk_bytes += length;
        if self.chunk_bytes >= PART_BYTES {
            self.seal().map_err(|error| unreadable(&error))?;
        }
        Ok(())
    }

    /// Returns the number of stored bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns all bytes.
    pub(super) fn into_bytes(mut self) -> Result<Bytes, Failure> {
        match self.disk.take() {
            Some(disk) => Ok(Bytes::Disk(disk)),
            None => self.into_blob().map(Bytes::Blob),
        }
    }

    /// Returns the bytes so far, for reading while more are added.
    pub(super) fn so_far(&mut self) -> Result<Bytes, Failure> {
        if let Some(disk) = &self.disk {
            return Ok(Bytes::Disk(disk.clone()));
        }
        self.seal().map_err(|error| unreadable(&error))?;
        let blob = Blob::new_with_blob_sequence(&self.parts).map_err(|error| unreadable(&error))?;
        Ok(Bytes::Blob(blob))
    }

    /// Returns all bytes, if they were stored by [`Self::add`].
    pub(super) fn into_blob(mut self) -> Result<Blob, Failure> {
        self.seal().map_err(|error| unreadable(&error))?;
        Blob::new_with_blob_sequence(&self.parts).map_err(|error| unreadable(&error))
    }

    async fn move_to_disk(&mut self) -> Result<(), Failure> {
        let Ok(disk) = DiskFile::create().await else {
            self.has_no_disk = true;
            return Ok(());
        };
        self.seal().map_err(|error| unreadable(&error))?;
        for part in std::mem::take(&mut self.parts).iter() {
            let part: Blob = part.unchecked_into();
            let buffer = JsFuture::from(part.array_buffer()).await.map_err(|error| unreadable(&error))?;
            disk.append(&Uint8Array::new(&buffer))?;
        }
        self.disk = Some(Rc::new(disk));
        Ok(())
    }

    fn seal(&mut self) -> Result<(), JsValue> {
        self.parts.push(&Blob::new_with_u8_array_sequence(&self.chunks)?.into());
        self.chunks = Array::new();
        self.chunk_bytes = 0;
        Ok(())
    }
}

/// Reads the next bytes of a stream; `None` at its end.
pub(super) async fn read(reader: &ReadableStreamDefaultReader) -> Result<Option<Uint8Array>, JsValue> {
    let step = JsFuture::from(reader.read()).await?;
    let value = Reflect::get(&step, &JsValue::from_str("value")).unwrap_or_default();
    Ok(value.dyn_into::<Uint8Array>().ok())
}

/// Creates the failure for a file that the browser can't read.
pub(super) fn unreadable(error: &JsValue) -> Failure {
    Failure::new(
        FailureCode::Unreadable,
        "Can't read the file. It may have been changed, moved or deleted since you chose it. Open it again.",
    )
    .with_detail(describe(error))
}
