//! The bytes of a trace from its start to its end, in pieces.

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

/// Bytes read from a file at a time where it cannot be streamed.
const SLICE_BYTES: f64 = (4 << 20) as f64;

/// Slices that are on their way at a time: with one, the browser idles between handing it over and being asked again.
const SLICES_COMING: usize = 2;

/// A trace, read piece by piece; the next ones are on their way while the caller works on this one.
pub(super) struct Pieces {
    way: Way,
    size: f64,
    /// How much was handed out.
    read: f64,
}

/// How an engine is asked for the bytes.
enum Way {
    Stream(BlobStream),
    Slices(Slices),
    Disk(Rc<DiskFile>),
}

impl Pieces {
    /// In the way that is fastest here.
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

    /// In the way that every engine knows.
    pub(super) fn in_slices(blob: &Blob) -> Self {
        Self { way: Way::Slices(Slices::new(blob.clone())), size: blob.size(), read: 0.0 }
    }

    /// The next bytes; none at the end. Those before are gone with that.
    ///
    /// # Errors
    /// When the file cannot be read, or is not any more what it was.
    pub(super) async fn next(&mut self) -> Result<Option<Uint8Array>, Failure> {
        if self.read >= self.size {
            return Ok(None);
        }
        let piece = match &mut self.way {
            Way::Stream(stream) => stream.next().await.map_err(|error| unreadable(&error))?,
            Way::Slices(slices) => slices.next().await?,
            Way::Disk(file) => {
                let length = SLICE_BYTES.min(self.size - self.read);
                file.slice(self.read, length as u32).map_err(|error| unreadable_source(&error))?
            }
        };
        if piece.length() == 0 {
            return Err(shorter());
        }
        self.read += f64::from(piece.length());
        Ok(Some(piece))
    }
}

/// A blob in slices.
struct Slices {
    blob: Blob,
    requested: f64,
    /// Each with how long it has to be.
    coming: VecDeque<(Promise, f64)>,
    /// What was handed out last, if it can be given back.
    handed_out: Option<ArrayBuffer>,
}

impl Slices {
    fn new(blob: Blob) -> Self {
        Self { blob, requested: 0.0, coming: VecDeque::new(), handed_out: None }
    }

    /// The next bytes, before the end.
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

    /// Sees that enough slices are on their way.
    fn request(&mut self) -> Result<(), Failure> {
        let size = self.blob.size();
        while self.coming.len() < SLICES_COMING && self.requested < size {
            let end = (self.requested + SLICE_BYTES).min(size);
            // The variants with integers cut at 2 GiB.
            let slice = self.blob.slice_with_f64_and_f64(self.requested, end).map_err(|error| unreadable(&error))?;
            self.coming.push_back((slice.array_buffer(), end - self.requested));
            self.requested = end;
        }
        Ok(())
    }
}
