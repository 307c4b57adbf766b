//! Bytes of a `Blob`, read when needed, or fetched ahead of that.

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

/// Announced bytes that are kept, or on their way: more than [`engine::analysis::scan::payload_batches::AHEAD_BYTES`]. Beyond this, those
/// go that were announced first; whoever still wants them reads them.
const MOST_BYTES: u64 = 64 << 20;

/// Announcements of so much are read into memory that others were read into: who reads a whole file makes such. Memory of this
/// size is kept while more is announced.
const MEMORY_BYTES: u32 = 4 << 20;
const WORTH_MEMORY: RangeInclusive<u64> = (1 << 20)..=MEMORY_BYTES as u64;

/// A file or blob. Only workers may read it synchronously.
pub(super) struct BlobSource {
    blob: Blob,
    reader: FileReaderSync,
    /// What was announced, and not read to its end yet.
    ahead: RefCell<VecDeque<Rc<Announced>>>,
    /// To be read into.
    spare: RefCell<Vec<ArrayBuffer>>,
}

struct Announced {
    range: Range<u64>,
    /// None while it is on its way.
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

    /// What came of an announcement, as far as it is there, and whether nobody will ask for it again.
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

    /// Reads a slice, into memory that there is if that is worth it and the engine can.
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

    /// Takes memory that is not needed any more. None is kept when nothing was announced.
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
            return Err(SourceError::new("The file became shorter after it was opened."));
        }
        bytes.copy_to(buffer);
        if is_last {
            self.recycle(bytes.buffer());
        }
        Ok(())
    }

    fn announce(&self, range: Range<u64>) {
        // What cannot be announced is read when it is needed, and then tells what is wrong.
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
        while bytes > MOST_BYTES
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
    /// Leads nowhere: the other end is closed.
    static NOWHERE: Option<MessagePort> = MessageChannel::new().ok().map(|channel| {
        channel.port2().close();
        channel.port1()
    });
}

/// Frees the memory of bytes that were copied: browsers collect their garbage late, and then a file is held a second time.
/// They are sent away, since where a file's bytes are merely detached, what read them holds on to them (seen in Chromium).
pub(super) fn give_back(buffer: &ArrayBuffer) {
    NOWHERE.with(|port| {
        let sent = port.as_ref().map(|port| port.post_message_with_transferable(&JsValue::NULL, &Array::of1(buffer)));
        // Where nothing can be sent away, it is detached; else it is held until it is collected.
        if sent.is_none_or(|sent| sent.is_err()) || buffer.byte_length() > 0 {
            let _ = buffer.transfer_with_length(0);
        }
    });
}

/// What the browser says about an error, for people who ask for details.
pub(super) fn describe(error: &JsValue) -> String {
    use wasm_bindgen::JsCast;
    error.dyn_ref::<js_sys::Object>().map_or_else(|| format!("{error:?}"), |object| String::from(object.to_string()))
}
