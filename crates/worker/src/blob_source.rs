//! Bytes of a `Blob`, read on demand or in advance.

use super::blob_stream::BlobStream;
use crate::waker;
use js_sys::{Array, ArrayBuffer, Uint8Array};
use nettrace::{ByteSource, SourceError};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::{Range, RangeInclusive};
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, FileReaderSync, MessageChannel, MessagePort};

/// Maximum number of announced bytes in memory or being read: more than
/// [`engine::analysis::scan::payload_batches::AHEAD_BYTES`]. Beyond this, the earliest announcements are dropped, and
/// their bytes are read on demand.
const MAX_BYTES: u64 = 64 << 20;

/// Size of announcements that are read into reused memory; analyses of whole files make such announcements. Memory of
/// this size is reused while announcements continue.
const MEMORY_BYTES: u32 = 4 << 20;
const WORTH_MEMORY: RangeInclusive<u64> = (1 << 20)..=MEMORY_BYTES as u64;

/// File or blob. Only workers can read it synchronously.
pub(super) struct BlobSource {
    blob: Blob,
    reader: FileReaderSync,
    /// Announcements that haven't been read to their end.
    ahead: RefCell<VecDeque<Rc<Announced>>>,
    /// Memory for reuse.
    spare: RefCell<Vec<ArrayBuffer>>,
}

struct Announced {
    range: Range<u64>,
    /// `None` while the bytes are being read.
    content: RefCell<Option<Result<Uint8Array, JsValue>>>,
}

impl BlobSource {
    pub(super) fn new(blob: Blob) -> Result<Self, JsValue> {
        Ok(Self { blob, reader: FileReaderSync::new()?, ahead: RefCell::default(), spare: RefCell::default() })
    }

    fn slice(&self, range: Range<u64>) -> Result<Blob, JsValue> {
        self.blob.slice_with_f64_and_f64(range.start as f64, range.end as f64)
    }

    fn announced(&self, range: &Range<u64>) -> Option<Rc<Announced>> {
        let ahead = self.ahead.borrow();
        ahead.iter().find(|one| one.range.start <= range.start && range.end <= one.range.end).cloned()
    }

    /// Returns the bytes of an announcement, if they have arrived, and whether they won't be requested again.
    fn fetched(&self, range: &Range<u64>) -> Option<(Result<Uint8Array, JsValue>, bool)> {
        let announced = self.announced(range)?;
        let content = announced.content.borrow().clone()?;
        let is_last = announced.range.end == range.end;
        if is_last {
            self.ahead.borrow_mut().retain(|one| !Rc::ptr_eq(one, &announced));
        }
        let inside = (range.start - announced.range.start) as u32..(range.end - announced.range.start) as u32;
        Some((content.map(|bytes| bytes.subarray(inside.start, inside.end)), is_last))
    }

    /// Reads a slice, into reused memory if this is faster and supported.
    fn read(&self, slice: Blob, length: u64) -> impl Future<Output = Result<Uint8Array, JsValue>> + use<> {
        let memory = || self.spare.borrow_mut().pop().unwrap_or_else(|| ArrayBuffer::new(MEMORY_BYTES));
        let stream = WORTH_MEMORY.contains(&length).then(|| BlobStream::into_memory(&slice, memory)).flatten();
        async move {
            match stream {
                Some(stream) => stream.first(length as u32).await,
                None => Ok(Uint8Array::new(&JsFuture::from(slice.array_buffer()).await?)),
            }
        }
    }

    /// Stores memory for reuse, unless nothing is announced.
    fn recycle(&self, memory: ArrayBuffer) {
        let mut spare = self.spare.borrow_mut();
        let is_last = self.ahead.borrow().is_empty();
        if memory.byte_length() == MEMORY_BYTES && !is_last {
            return spare.push(memory);
        }
        give_back(&memory);
        if is_last {
            spare.drain(..).for_each(|memory| give_back(&memory));
        }
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
        let (bytes, is_last) = match self.fetched(&(offset..end)) {
            Some((fetched, is_last)) => (fetched.map_err(failed)?, is_last),
            None => {
                let slice = self.slice(offset..end).map_err(failed)?;
                (Uint8Array::new(&self.reader.read_as_array_buffer(&slice).map_err(failed)?.into()), true)
            }
        };
        if bytes.length() as usize != buffer.len() {
            return Err(SourceError::new("The file was truncated after you opened it."));
        }
        bytes.copy_to(buffer);
        if is_last {
            self.recycle(bytes.buffer());
        }
        Ok(())
    }

    fn announce(&self, range: Range<u64>) {
        // An unusable announcement is ignored: the read on demand reports the error.
        let is_sound = range.start < range.end && range.end <= self.len();
        let Some(Ok(slice)) = (is_sound && self.announced(&range).is_none()).then(|| self.slice(range.clone())) else {
            return;
        };
        let announced = Rc::new(Announced { range, content: RefCell::new(None) });
        let mut ahead = self.ahead.borrow_mut();
        ahead.push_back(announced.clone());
        let bytes_of = |one: &Rc<Announced>| match one.range.end - one.range.start {
            length if WORTH_MEMORY.contains(&length) => MEMORY_BYTES.into(),
            length => length,
        };
        let mut bytes: u64 = ahead.iter().map(bytes_of).sum();
        while bytes > MAX_BYTES
            && ahead.len() > 1
            && let Some(oldest) = ahead.pop_front()
        {
            bytes -= bytes_of(&oldest);
        }
        let bytes = self.read(slice, announced.range.end - announced.range.start);
        spawn_local(async move {
            let bytes = bytes.await;
            *announced.content.borrow_mut() = Some(bytes);
            waker::ring();
        });
    }

    fn is_coming(&self, range: Range<u64>) -> bool {
        self.announced(&range).is_some_and(|announced| announced.content.borrow().is_none())
    }
}

thread_local! {
    /// Port without a receiver: the other end is closed.
    static NOWHERE: Option<MessagePort> = MessageChannel::new().ok().map(|channel| {
        channel.port2().close();
        channel.port1()
    });
}

/// Frees the memory of copied bytes. Browsers collect their garbage late, and would hold a file twice. The buffer is
/// sent to a closed port, because detached bytes of a file stay in memory (seen in Chromium).
pub(super) fn give_back(buffer: &ArrayBuffer) {
    NOWHERE.with(|port| {
        let sent = port.as_ref().map(|port| port.post_message_with_transferable(&JsValue::NULL, &Array::of1(buffer)));
        // If it can't be sent, it is detached; otherwise the browser holds it until its next GC.
        if sent.is_none_or(|sent| sent.is_err()) || buffer.byte_length() > 0 {
            let _ = buffer.transfer_with_length(0);
        }
    });
}

/// Returns the browser's description of an error, for the details of a failure.
pub(super) fn describe(error: &JsValue) -> String {
    use wasm_bindgen::JsCast;
    error.dyn_ref::<js_sys::Object>().map_or_else(|| format!("{error:?}"), |object| String::from(object.to_string()))
}
