//! Bytes of a trace from start to end, in chunks.

use crate::blob_source::give_back;
use crate::blob_stream::BlobStream;
use crate::byte_stream::{Bytes, shorter, unreadable, whole};
use crate::disk::DiskFile;
use engine::session::unreadable_source;
use js_sys::{ArrayBuffer, Promise, Uint8Array};
use protocol::Failure;
use std::collections::VecDeque;
use std::rc::Rc;
use wasm_bindgen_futures::JsFuture;
use web_sys::Blob;

/// Size of slices, for files that can't be streamed.
const SLICE_BYTES: f64 = (4 << 20) as f64;

/// Number of slices being read at a time: with one, the browser is idle between delivery and the next request.
const SLICES_COMING: usize = 2;

/// Reader of a trace in chunks. The next chunks are read while the caller processes the current one.
pub(super) struct Chunks {
    way: Way,
    size: f64,
    /// Number of bytes returned so far.
    read: f64,
}

/// Method of reading.
enum Way {
    Stream(BlobStream),
    Slices(Slices),
    Disk(Rc<DiskFile>),
}

impl Chunks {
    /// Creates a reader with the fastest supported method.
    pub(super) fn new(bytes: &Bytes) -> Self {
        let way = match bytes {
            Bytes::Blob(blob) => match BlobStream::of(blob) {
                Some(stream) => Way::Stream(stream),
                None => return Self::in_slices(blob),
            },
            Bytes::Disk(file) => Way::Disk(file.clone()),
        };
        Self { way, size: bytes.size(), read: 0.0 }
    }

    /// Creates a reader with slices, which every browser supports.
    pub(super) fn in_slices(blob: &Blob) -> Self {
        Self { way: Way::Slices(Slices::new(blob.clone())), size: blob.size(), read: 0.0 }
    }

    /// Returns the next bytes; `None` at the end. Earlier bytes become invalid.
    ///
    /// # Errors
    /// Fails if the file can't be read or has changed.
    pub(super) async fn next(&mut self) -> Result<Option<Uint8Array>, Failure> {
        if self.read >= self.size {
            return Ok(None);
        }
        let chunk = match &mut self.way {
            Way::Stream(stream) => stream.next().await.map_err(|error| unreadable(&error))?,
            Way::Slices(slices) => slices.next().await?,
            Way::Disk(file) => {
                let length = SLICE_BYTES.min(self.size - self.read);
                file.slice(self.read, length as u32).map_err(|error| unreadable_source(&error))?
            }
        };
        if chunk.length() == 0 {
            return Err(shorter());
        }
        self.read += f64::from(chunk.length());
        Ok(Some(chunk))
    }
}

/// Reader of a blob in slices.
struct Slices {
    blob: Blob,
    requested: f64,
    /// Slices being read, with their expected lengths.
    coming: VecDeque<(Promise, f64)>,
    /// Memory of the last chunk, if it can be released.
    handed_out: Option<ArrayBuffer>,
}

impl Slices {
    fn new(blob: Blob) -> Self {
        Self { blob, requested: 0.0, coming: VecDeque::new(), handed_out: None }
    }

    /// Returns the next bytes, before the end.
    async fn next(&mut self) -> Result<Uint8Array, Failure> {
        if let Some(buffer) = self.handed_out.take() {
            give_back(&buffer);
        }
        self.request()?;
        let Some((coming, length)) = self.coming.pop_front() else { return Err(shorter()) };
        let bytes = whole(JsFuture::from(coming).await, length)?;
        self.request()?;
        self.handed_out = Some(bytes.buffer());
        Ok(bytes)
    }

    /// Requests slices until enough are being read.
    fn request(&mut self) -> Result<(), Failure> {
        let size = self.blob.size();
        while self.coming.len() < SLICES_COMING && self.requested < size {
            let end = (self.requested + SLICE_BYTES).min(size);
            // The variants with integers truncate offsets at 2 GiB.
            let slice = self.blob.slice_with_f64_and_f64(self.requested, end).map_err(|error| unreadable(&error))?;
            self.coming.push_back((slice.array_buffer(), end - self.requested));
            self.requested = end;
        }
        Ok(())
    }
}
