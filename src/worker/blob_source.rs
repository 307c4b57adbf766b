//! Bytes of a `Blob`, read when needed, or fetched ahead of that.

use super::bell;
use crate::nettrace::{ByteSource, SourceError};
use js_sys::{Array, ArrayBuffer, Uint8Array};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, FileReaderSync, MessageChannel, MessagePort};

/// Announced bytes that are kept, or on their way: more than [`crate::analysis::payload_pieces::AHEAD_BYTES`]. Beyond this, those
/// go that were announced first; whoever still wants them reads them.
const MOST_BYTES: u64 = 64 << 20;

/// A file or blob. Only workers may read it synchronously.
pub(super) struct BlobSource {
    blob: Blob,
    reader: FileReaderSync,
    /// What was announced, and not read to its end yet.
    ahead: RefCell<VecDeque<Rc<Announced>>>,
}

struct Announced {
    range: Range<u64>,
    /// None while it is on its way.
    content: RefCell<Option<Result<Uint8Array, JsValue>>>,
}

impl BlobSource {
    pub(super) fn new(blob: Blob) -> Result<Self, JsValue> {
        Ok(Self { blob, reader: FileReaderSync::new()?, ahead: RefCell::default() })
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
            return Err(SourceError::new("The file is shorter than it was when it was opened."));
        }
        bytes.copy_to(buffer);
        if is_last {
            give_back(&bytes.buffer());
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
        let bytes_of = |one: &Rc<Announced>| one.range.end - one.range.start;
        let mut bytes: u64 = ahead.iter().map(bytes_of).sum();
        while bytes > MOST_BYTES
            && ahead.len() > 1
            && let Some(oldest) = ahead.pop_front()
        {
            bytes -= bytes_of(&oldest);
        }
        spawn_local(async move {
            let buffer = JsFuture::from(slice.array_buffer()).await;
            *announced.content.borrow_mut() = Some(buffer.map(|buffer| Uint8Array::new(&buffer)));
            bell::ring();
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
