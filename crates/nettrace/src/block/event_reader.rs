//! Decoder of event headers.
//!
//! Formats: NetTraceFormat_v5 "Event blobs". Readers and writers agree on corrections: the sequence number increases
//! whenever flag 2 is set, the time delta wraps around, and in uncompressed headers the high bit of the metadata ID
//! means *not* sorted.

use super::event_header::EventHeader;
use crate::error::{Error, ErrorKind, Result};
use crate::listener::terms;
use crate::listener::terms::Term;
use crate::listener::{Off, Trace};
use crate::wire::byte_reader::ByteReader;

/// Encoding of the events of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EventEncoding {
    /// Versions 4 and 5, header compression.
    CompressedV4,
    /// Versions 4 and 5, fixed headers.
    UncompressedV4,
    /// Version 6, header compression.
    CompressedV6,
    /// Version 6, fixed headers.
    UncompressedV6,
    /// netperf: fixed headers, with the call stack after the payload.
    Netperf,
}

/// Selected events of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Selection {
    /// All events.
    All,
    /// In netperf files, all events except metadata records.
    Events,
    /// In netperf files, metadata records only.
    Metadata,
}

/// Encoding and selection of the events of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventLayout {
    pub encoding: EventEncoding,
    pub selection: Selection,
    /// True if the end of the block is missing, so that an incomplete event at the end isn't an error.
    pub cut: bool,
}

/// Decoder of the event headers of a block, with a listener.
#[derive(Clone, Debug)]
pub(crate) struct EventReader<'d, T: Trace> {
    reader: ByteReader<'d, T>,
    layout: EventLayout,
    header: EventHeader<'d>,
    unread: u64,
}

/// State of an [`EventReader`] between two events, without the bytes that it borrows.
#[derive(Clone, Debug)]
pub(crate) struct SavedEvents {
    layout: EventLayout,
    /// Absolute offsets of the next event and of the end of the block.
    offset: u64,
    end: u64,
    header: EventHeader<'static>,
    payload_bytes: usize,
    stack_bytes: usize,
}

impl<'d> EventReader<'d, Off> {
    /// Returns the state, to continue later with [`SavedEvents::resume`].
    pub fn save(self) -> SavedEvents {
        let (payload_bytes, stack_bytes) = (self.header.payload.len(), self.header.inline_stack.len());
        let header = EventHeader { payload: &[], inline_stack: &[], ..self.header };
        let (layout, offset, end) = (self.layout, self.reader.offset(), self.reader.end());
        SavedEvents { layout, offset, end, header, payload_bytes, stack_bytes }
    }
}

/// Returns the part of `data`, which begins at the absolute offset `base`, between two absolute offsets.
fn slice(data: &[u8], base: u64, start: u64, end: u64) -> &[u8] {
    let range = start.saturating_sub(base) as usize..end.saturating_sub(base) as usize;
    data.get(range).unwrap_or_default()
}

impl SavedEvents {
    /// Returns the header of the last event, without payload and stack.
    pub fn last(&self) -> &EventHeader<'static> {
        &self.header
    }

    /// Returns the payload and inline stack of the last event. `data` holds the bytes of the block from the absolute
    /// offset `base`.
    pub fn last_payload<'d>(&self, data: &'d [u8], base: u64) -> (&'d [u8], &'d [u8]) {
        /// Size of the stack, between payload and stack.
        const STACK_SIZE_BYTES: u64 = 4;
        let start = self.header.payload_offset;
        let end = start + self.payload_bytes as u64;
        let stack = end + STACK_SIZE_BYTES;
        (slice(data, base, start, end), slice(data, base, stack, stack + self.stack_bytes as u64))
    }

    /// Continues with the next event. `data` holds the bytes of the block starting at the absolute offset `base`.
    pub fn resume<'d>(&self, data: &'d [u8], base: u64) -> EventReader<'d, Off> {
        let reader = ByteReader::traced(slice(data, base, self.offset, self.end), self.offset, Off);
        // A compressed header without a payload size inherits the previous event's.
        let (payload, _) = self.last_payload(data, base);
        EventReader { reader, layout: self.layout, header: EventHeader { payload, ..self.header.clone() }, unread: 0 }
    }
}

impl<'d, T: Trace> EventReader<'d, T> {
    /// Creates a decoder of the events in `reader`.
    pub(super) fn new(reader: ByteReader<'d, T>, layout: EventLayout) -> Self {
        Self { reader, layout, header: EventHeader::blank(), unread: 0 }
    }

    /// Implements [`super::Events::next`].
    #[inline]
    pub fn next(&mut self) -> Option<Result<&EventHeader<'d>>> {
        if self.reader.is_empty() {
            return None;
        }
        // netperf events are reported individually, including unselected ones.
        let opened = if T::LISTENS && self.layout.encoding != EventEncoding::Netperf { self.open() } else { 0 };
        let decoded = match self.layout.encoding {
            EventEncoding::CompressedV4 => self.compressed::<false>(),
            EventEncoding::CompressedV6 => self.compressed::<true>(),
            EventEncoding::UncompressedV4 => self.sized(terms::EVENT_SIZE, EventHeader::fill_uncompressed_v4),
            EventEncoding::UncompressedV6 => self.sized(terms::EVENT_SIZE, EventHeader::fill_uncompressed_v6),
            EventEncoding::Netperf => return self.next_netperf(),
        };
        match decoded {
            Ok(()) => {
                self.close(opened);
                Some(Ok(&self.header))
            }
            Err(error) => self.stop(error, opened),
        }
    }

    /// Implements [`super::Events::offset`].
    pub fn offset(&self) -> u64 {
        self.reader.offset()
    }

    /// Implements [`super::Events::unread`].
    pub fn unread(&self) -> u64 {
        self.unread
    }

    /// Begins to report an event.
    #[inline(always)]
    fn open(&self) -> usize {
        self.reader.trace().open_item(terms::EVENT, self.reader.offset())
    }

    #[inline(always)]
    fn close(&self, opened: usize) {
        self.reader.trace().close_item(opened, self.reader.offset());
    }

    #[cold]
    fn stop(&mut self, error: Error, opened: usize) -> Option<Result<&EventHeader<'d>>> {
        self.unread = self.reader.end().saturating_sub(self.header.header_offset);
        self.reader.give_up(&error);
        self.close(opened);
        match (error.is_truncation(), self.layout.cut) {
            (true, true) => None,
            (true, false) => Some(Err(Error::new(ErrorKind::OutOfBounds("event"), self.header.header_offset))),
            (false, _) => Some(Err(error)),
        }
    }

    /// Reads an event with a compressed header, which has only the fields that differ from the previous event.
    #[inline]
    fn compressed<const V6: bool>(&mut self) -> Result<()> {
        let mut reader = self.reader.fork();
        let header = &mut self.header;
        header.header_offset = reader.offset();
        let names = if V6 { &NAMES_6 } else { &NAMES_4 };
        let flags = reader.u8(names.flags)?;
        // Omitted fields are also reported, with their inherited value.
        let trace = reader.trace();
        if flags & 1 != 0 {
            header.metadata_id = reader.var_u32(terms::METADATA_ID)?;
        } else {
            trace.inherited(terms::METADATA_ID, reader.offset(), || header.metadata_id.into());
        }
        if flags & 2 != 0 {
            // Contrary to the format document, the number also increases by one for metadata (ID 0).
            header.sequence = header.sequence.wrapping_add(reader.var_u32(terms::SEQUENCE_DELTA)?).wrapping_add(1);
            trace.result(|| header.sequence.into());
            header.capture_thread = reader.var_u64(names.capture_thread)?;
            header.processor = reader.var_u32(terms::PROCESSOR)?;
        } else {
            if header.metadata_id != 0 {
                header.sequence = header.sequence.wrapping_add(1);
                trace.inherited(terms::SEQUENCE_DELTA, reader.offset(), || header.sequence.into());
            } else {
                trace.inherited(terms::SEQUENCE_KEPT, reader.offset(), || header.sequence.into());
            }
            trace.inherited(names.capture_thread, reader.offset(), || header.capture_thread.into());
            trace.inherited(terms::PROCESSOR, reader.offset(), || header.processor.into());
        }
        if flags & 4 != 0 {
            header.thread = reader.var_u64(names.thread)?;
        } else {
            trace.inherited(names.thread, reader.offset(), || header.thread.into());
        }
        if flags & 8 != 0 {
            header.stack_id = reader.var_u32(terms::STACK_ID)?;
        } else {
            trace.inherited(terms::STACK_ID, reader.offset(), || header.stack_id.into());
        }
        // Blocks concatenate the buffers of several threads, so deltas can be negative. They are written as huge
        // positive numbers.
        header.timestamp = header.timestamp.wrapping_add(reader.var_u64(terms::TIME_DELTA)? as i64);
        trace.result(|| header.timestamp.into());
        if V6 {
            if flags & 16 != 0 {
                header.label_list = reader.var_u32(terms::LABEL_LIST_ID)?;
            } else {
                trace.inherited(terms::LABEL_LIST_ID, reader.offset(), || header.label_list.into());
            }
        } else {
            if flags & 16 != 0 {
                header.activity_id = reader.guid(terms::ACTIVITY_ID)?;
            }
            if flags & 32 != 0 {
                header.related_activity_id = reader.guid(terms::RELATED_ACTIVITY_ID)?;
            }
        }
        header.is_sorted = flags & 64 != 0;
        let payload_bytes = if flags & 128 != 0 {
            reader.var_u32(terms::PAYLOAD_SIZE)? as usize
        } else {
            trace.inherited(terms::PAYLOAD_SIZE, reader.offset(), || header.payload.len() as i128);
            header.payload.len()
        };
        header.payload_offset = reader.offset();
        header.payload = reader.take(payload_bytes)?;
        trace.payload(header);
        self.reader.catch_up(&reader);
        Ok(())
    }

    /// Reads an event that begins with its size. Any bytes after the event, up to that size, are padding.
    #[inline(always)]
    fn sized(
        &mut self,
        size: &'static Term,
        fill: impl FnOnce(&mut EventHeader<'d>, &mut ByteReader<'d, T>) -> Result<()>,
    ) -> Result<()> {
        let header = &mut self.header;
        header.header_offset = self.reader.offset();
        let event_bytes = self.reader.u32(size)? as usize;
        let mut event = self.reader.section(event_bytes)?;
        fill(header, &mut event).map_err(|_| Error::new(ErrorKind::OutOfBounds("event"), header.header_offset))?;
        header.padding_bytes = event.remaining() as u32;
        if T::LISTENS {
            event.raw(terms::EVENT_PADDING, event.remaining())?;
        }
        let payload_end = header.payload_offset + header.payload.len() as u64;
        header.trailing_bytes = (event.end() - payload_end) as u32;
        Ok(())
    }

    fn next_netperf(&mut self) -> Option<Result<&EventHeader<'d>>> {
        loop {
            if self.reader.is_empty() {
                return None;
            }
            let opened = self.open();
            if let Err(error) = self.sized(terms::NETPERF_SIZE, EventHeader::fill_netperf) {
                return self.stop(error, opened);
            }
            self.close(opened);
            let is_metadata = self.header.metadata_id == 0;
            if self.layout.selection == Selection::All || is_metadata == (self.layout.selection == Selection::Metadata)
            {
                return Some(Ok(&self.header));
            }
        }
    }
}

/// Terms of a compressed header that differ between versions.
struct Names {
    flags: &'static Term,
    capture_thread: &'static Term,
    thread: &'static Term,
}

const NAMES_4: Names =
    Names { flags: terms::FLAGS_4, capture_thread: terms::CAPTURE_THREAD_ID, thread: terms::THREAD_ID };
const NAMES_6: Names =
    Names { flags: terms::FLAGS_6, capture_thread: terms::CAPTURE_THREAD_INDEX, thread: terms::THREAD_INDEX };

/// Terms of the threads in a fixed header: the event's thread and the capture thread.
type ThreadNames = [&'static Term; 2];

impl<'d> EventHeader<'d> {
    /// Reads the fixed header of versions 4 and 5 after its size, and the payload.
    fn fill_uncompressed_v4<T: Trace>(&mut self, event: &mut ByteReader<'d, T>) -> Result<()> {
        self.fill_uncompressed(event, [terms::FIXED_THREAD_ID, terms::FIXED_CAPTURE_THREAD_ID])?;
        self.activity_id = event.guid(terms::FIXED_ACTIVITY_ID)?;
        self.related_activity_id = event.guid(terms::FIXED_RELATED_ACTIVITY_ID)?;
        self.fill_payload(event, terms::FIXED_PAYLOAD_SIZE)
    }

    /// Reads the fixed header of version 6 after its size, and the payload.
    fn fill_uncompressed_v6<T: Trace>(&mut self, event: &mut ByteReader<'d, T>) -> Result<()> {
        self.fill_uncompressed(event, [terms::FIXED_THREAD_INDEX, terms::FIXED_CAPTURE_THREAD_INDEX])?;
        self.label_list = event.u32(terms::FIXED_LABEL_LIST_ID)?;
        self.fill_payload(event, terms::FIXED_PAYLOAD_SIZE)
    }

    fn fill_uncompressed<T: Trace>(&mut self, event: &mut ByteReader<'d, T>, threads: ThreadNames) -> Result<()> {
        let id = event.u32(terms::FIXED_METADATA_ID)?;
        self.metadata_id = id & 0x7FFF_FFFF;
        // The format document says the opposite; writers and readers agree on this.
        self.is_sorted = id & 0x8000_0000 == 0;
        self.sequence = event.u32(terms::FIXED_SEQUENCE)?;
        self.thread = event.u64(threads[0])?;
        self.capture_thread = event.u64(threads[1])?;
        self.processor = event.u32(terms::FIXED_PROCESSOR)?;
        self.stack_id = event.u32(terms::FIXED_STACK_ID)?;
        self.timestamp = event.i64(terms::FIXED_TIME)?;
        Ok(())
    }

    #[inline]
    fn fill_payload<T: Trace>(&mut self, event: &mut ByteReader<'d, T>, size: &'static Term) -> Result<()> {
        let payload_bytes = event.u32(size)? as usize;
        self.payload_offset = event.offset();
        self.payload = event.take(payload_bytes)?;
        event.trace().payload(self);
        Ok(())
    }

    /// Reads the fixed header of netperf after its size, the payload and the stack (NetPerfFormat, which is wrong about
    /// padding: there is none before the stack).
    #[inline(always)]
    fn fill_netperf<T: Trace>(&mut self, event: &mut ByteReader<'d, T>) -> Result<()> {
        self.metadata_id = event.u32(terms::NETPERF_METADATA_ID)?;
        self.thread = u64::from(event.u32(terms::NETPERF_THREAD)?);
        self.capture_thread = self.thread;
        self.processor = u32::MAX;
        self.timestamp = event.i64(terms::NETPERF_TIME)?;
        self.activity_id = event.guid(terms::NETPERF_ACTIVITY_ID)?;
        self.related_activity_id = event.guid(terms::NETPERF_RELATED_ACTIVITY_ID)?;
        self.is_sorted = true;
        self.fill_payload(event, terms::NETPERF_PAYLOAD_SIZE)?;
        let stack_bytes = event.u32(terms::NETPERF_STACK_SIZE)? as usize;
        self.inline_stack = event.raw(terms::NETPERF_STACK, stack_bytes)?;
        Ok(())
    }
}
