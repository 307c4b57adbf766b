//! Bytes on their way into the loader: parts of a trace, or a stream that is kept as it passes.

use super::blob_source::{BlobSource, describe};
use super::disk::DiskFile;
use engine::session::container::{MOST_UNPACKED_BYTES, too_large};
use js_sys::{Array, Reflect, Uint8Array};
use nettrace::ByteSource;
use protocol::{Failure, FailureCode};
use std::rc::Rc;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, ReadableStreamDefaultReader};

/// The last bytes of a file, in which to look for the end of the trace; files with fewer of them than that many times
/// are read as soon.
const TAIL_BYTES: f64 = (1 << 20) as f64;
const WORTH_A_LOOK: f64 = 16.0;

/// A stream is kept as blobs of this size, which browsers may put on disk.
const PART_BYTES: u64 = 16 << 20;

/// More than this of a stream goes to the disk.
const MOST_IN_MEMORY_BYTES: u64 = 512 << 20;

/// The bytes of a trace that is not packed, or not any more.
#[derive(Clone)]
pub(super) enum Bytes {
    /// A file of the user's, or what the browser keeps where it wants.
    Blob(Blob),
    /// What was too large to keep.
    Disk(Rc<DiskFile>),
}

impl Bytes {
    /// How many there are.
    pub(super) fn size(&self) -> f64 {
        match self {
            Self::Blob(blob) => blob.size(),
            Self::Disk(file) => file.size(),
        }
    }

    /// To be read again in any place.
    pub(super) fn source(&self) -> Result<Box<dyn ByteSource>, Failure> {
        Ok(match self {
            Self::Blob(blob) => Box::new(BlobSource::new(blob.clone()).map_err(|error| unreadable(&error))?) as _,
            Self::Disk(file) => Box::new(file.clone()) as _,
        })
    }
}

/// The last bytes of a file and their position; none if it is too small for a look ahead to be worth it.
pub(super) async fn tail(blob: &Blob) -> Result<Option<(Uint8Array, u64)>, Failure> {
    if blob.size() < TAIL_BYTES * WORTH_A_LOOK {
        return Ok(None);
    }
    let start = blob.size() - TAIL_BYTES;
    Ok(Some((slice(blob, start, blob.size()).await?, start as u64)))
}

/// Some bytes of a blob.
pub(super) async fn slice(blob: &Blob, start: f64, end: f64) -> Result<Uint8Array, Failure> {
    let part = blob.slice_with_f64_and_f64(start, end).map_err(|error| unreadable(&error))?;
    whole(JsFuture::from(part.array_buffer()).await, end - start)
}

/// What came of reading so many bytes. Some browsers read a file as it now is, and give less if it became shorter.
pub(super) fn whole(read: Result<JsValue, JsValue>, length: f64) -> Result<Uint8Array, Failure> {
    let bytes = Uint8Array::new(&read.map_err(|error| unreadable(&error))?);
    match f64::from(bytes.length()) == length {
        true => Ok(bytes),
        false => Err(shorter()),
    }
}

/// A file is no longer what it was when it was chosen.
pub(super) fn shorter() -> Failure {
    unreadable(&JsValue::from_str("The file became shorter while it was read."))
}

/// Bytes of a stream that are kept as they pass, so that they can be read again.
#[derive(Default)]
pub(super) struct Kept {
    parts: Array,
    chunks: Array,
    chunk_bytes: u64,
    bytes: u64,
    /// Where everything is once it was too much.
    disk: Option<Rc<DiskFile>>,
    has_no_disk: bool,
}

impl Kept {
    /// Keeps some more, on the disk when it becomes much and the browser has one for this page.
    pub(super) async fn add_trace(&mut self, chunk: &Uint8Array) -> Result<(), Failure> {
        if self.disk.is_none() && self.bytes + u64::from(chunk.length()) > MOST_IN_MEMORY_BYTES && !self.has_no_disk {
            self.move_to_disk().await?;
        }
        let Some(disk) = &self.disk else { return self.add(chunk) };
        self.bytes += u64::from(chunk.length());
        if self.bytes > MOST_UNPACKED_BYTES {
            return Err(too_large());
        }
        disk.append(chunk)
    }

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
    pub(super) fn into_bytes(mut self) -> Result<Bytes, Failure> {
        match self.disk.take() {
            Some(disk) => Ok(Bytes::Disk(disk)),
            None => self.into_blob().map(Bytes::Blob),
        }
    }

    /// What passed so far, to be read again while more is added.
    pub(super) fn so_far(&mut self) -> Result<Bytes, Failure> {
        if let Some(disk) = &self.disk {
            return Ok(Bytes::Disk(disk.clone()));
        }
        self.seal().map_err(|error| unreadable(&error))?;
        let blob = Blob::new_with_blob_sequence(&self.parts).map_err(|error| unreadable(&error))?;
        Ok(Bytes::Blob(blob))
    }

    /// Everything that passed, if it was kept by [`Self::add`].
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
        "Can’t read the file. It may have been changed, moved or deleted since you chose it. Open it again.",
    )
    .with_detail(describe(error))
}
