//! Blocks of events, and the loop that decodes their headers.
//!
//! Formats: nettrace-v5.md "Event blobs" with these corrections, which readers and writers agree on: the sequence
//! number grows whenever flag 2 is set, the time delta wraps, and in uncompressed headers the high bit of the metadata
//! id means *not* sorted.

use crate::block::event_header::EventHeader;
use crate::block::metadata::{MetadataBlock, MetadataEncoding};
use crate::block::{BlockInfo, BlockKind};
use crate::error::{Error, ErrorKind, Result};
use crate::trace::terms::{self, Term};
use crate::trace::{Off, Trace};
use crate::wire::byte_reader::Reader;

/// How the events of a block are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventEncoding {
    /// Versions 4 and 5, header compression.
    CompressedV4,
    /// Versions 4 and 5, fixed headers.
    UncompressedV4,
    /// Version 6, header compression.
    CompressedV6,
    /// Version 6, fixed headers.
    UncompressedV6,
    /// netperf: fixed headers, with the call stack behind the payload.
    Netperf,
}

/// Which events of a block are given out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Selection {
    /// All of them.
    All,
    /// In netperf files, only those that are not metadata.
    Events,
    /// In netperf files, only those that are metadata.
    Metadata,
}

/// A block of events.
#[derive(Clone, Debug)]
pub struct EventBlock<'d, T: Trace = Off> {
    /// Where the block is.
    pub info: BlockInfo,
    /// Whether header compression is used.
    pub compressed: bool,
    /// The smallest and the largest raw tick of its events as the writer says; none in netperf. Some writers leave them
    /// 0, so nothing may rely on them.
    pub declared_ticks: Option<[i64; 2]>,
    encoding: EventEncoding,
    selection: Selection,
    content: Reader<'d, T>,
    cut: bool,
}

impl<'d, T: Trace> EventBlock<'d, T> {
    /// Bytes of the smallest block header of versions 4 to 6.
    const HEADER_BYTES: u16 = 20;

    /// Reads the block header of versions 4 and 5. `cut` says that the end of the block is missing.
    pub(crate) fn read_v4(info: BlockInfo, content: Reader<'d, T>, cut: bool) -> Result<Self> {
        Self::read(info, content, cut, EventEncoding::CompressedV4, EventEncoding::UncompressedV4)
    }

    /// Reads the block header of version 6. `cut` says that the end of the block is missing.
    pub(crate) fn read_v6(info: BlockInfo, content: Reader<'d, T>, cut: bool) -> Result<Self> {
        Self::read(info, content, cut, EventEncoding::CompressedV6, EventEncoding::UncompressedV6)
    }

    fn read(
        info: BlockInfo,
        mut content: Reader<'d, T>,
        cut: bool,
        if_compressed: EventEncoding,
        otherwise: EventEncoding,
    ) -> Result<Self> {
        let start = content.offset();
        let opened = content.open(terms::BLOCK_HEADER);
        let header_bytes = content.u16(terms::HEADER_SIZE)?;
        let compressed = content.u16(terms::BLOCK_FLAGS)? & 1 != 0;
        let Some(reserved) = header_bytes.checked_sub(Self::HEADER_BYTES) else {
            return Err(Error::new(ErrorKind::DamagedBlock("its header is too short"), start));
        };
        let declared_ticks = Some([content.i64(terms::MIN_TIMESTAMP)?, content.i64(terms::MAX_TIMESTAMP)?]);
        content.raw(terms::HEADER_RESERVED, reserved.into())?;
        content.close(opened);
        let encoding = if compressed { if_compressed } else { otherwise };
        Ok(Self { info, compressed, declared_ticks, encoding, selection: Selection::All, content, cut })
    }

    /// The events of a netperf block, without the metadata among them.
    pub(crate) fn of_netperf(info: BlockInfo, content: Reader<'d, T>, cut: bool) -> Self {
        let (encoding, selection) = (EventEncoding::Netperf, Selection::Events);
        Self { info, compressed: false, declared_ticks: None, encoding, selection, content, cut }
    }

    /// The same block, of which the events that are metadata are given out too.
    pub(crate) fn with_metadata(&self) -> Self {
        Self { selection: Selection::All, ..self.clone() }
    }

    /// The metadata among the events of a netperf block, if there is any. Its bytes count as those of the events.
    pub(crate) fn inline_metadata(&self, encoding: MetadataEncoding) -> Option<MetadataBlock<'d, T>> {
        let mut metadata = Self { selection: Selection::Metadata, ..self.clone() };
        metadata.info.kind = BlockKind::Metadata;
        (metadata.info.bytes, metadata.info.padding_bytes) = (0, 0);
        let any = self.content.trace().silently(|| matches!(metadata.events().next(), Some(Ok(_))));
        any.then(|| MetadataBlock::of_events(metadata, encoding))
    }

    /// The events of the block, in file order.
    pub fn events(&self) -> Events<'d, T> {
        let reader = self.content.clone();
        Events {
            reader,
            encoding: self.encoding,
            selection: self.selection,
            cut: self.cut,
            header: EventHeader::blank(),
            unread: 0,
        }
    }

    /// Absolute offset after the last event that is complete.
    pub(crate) fn end_of_whole_events(&self) -> u64 {
        let mut events = self.with_metadata().events();
        let mut end = events.offset();
        self.content.trace().silently(|| {
            while let Some(Ok(_)) = events.next() {
                end = events.offset();
            }
        });
        end
    }
}

/// Decodes the event headers of a block one after the other, always into the same [`EventHeader`].
#[derive(Clone, Debug)]
pub struct Events<'d, T: Trace = Off> {
    reader: Reader<'d, T>,
    encoding: EventEncoding,
    selection: Selection,
    /// The end of the block is missing: an incomplete event at the end is no error.
    cut: bool,
    header: EventHeader<'d>,
    unread: u64,
}

impl<'d, T: Trace> Events<'d, T> {
    /// The next event, `None` at the end of the block.
    ///
    /// # Errors
    /// If an event contradicts the format. Nothing of the block can be read after that: `None` follows.
    #[inline]
    #[allow(clippy::should_implement_trait)] // it lends the header, which `Iterator` cannot express
    pub fn next(&mut self) -> Option<Result<&EventHeader<'d>>> {
        if self.reader.is_empty() {
            return None;
        }
        // Those of netperf are told of one by one, also the ones that are not given out.
        let opened = if T::LISTENS && self.encoding != EventEncoding::Netperf { self.open() } else { 0 };
        let decoded = match self.encoding {
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

    /// Absolute offset of the next event.
    pub fn offset(&self) -> u64 {
        self.reader.offset()
    }

    /// Bytes at the end of the block that an error left unread.
    pub fn unread(&self) -> u64 {
        self.unread
    }

    /// Begins to tell of an event.
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
        match (error.is_truncation(), self.cut) {
            (true, true) => None,
            (true, false) => Some(Err(Error::new(ErrorKind::OutOfBounds("event"), self.header.header_offset))),
            (false, _) => Some(Err(error)),
        }
    }

    /// Reads an event of which only what changed since the one before is written.
    #[inline]
    fn compressed<const V6: bool>(&mut self) -> Result<()> {
        let mut reader = self.reader.fork();
        let header = &mut self.header;
        header.header_offset = reader.offset();
        let names = if V6 { &NAMES_6 } else { &NAMES_4 };
        let flags = reader.u8(names.flags)?;
        // What is left out is told, too, with what it is. Of what follows only the order matters.
        let trace = reader.trace();
        if flags & 1 != 0 {
            header.metadata_id = reader.var_u32(terms::METADATA_ID)?;
        } else {
            trace.inherited(terms::METADATA_ID, reader.offset(), || header.metadata_id.into());
        }
        if flags & 2 != 0 {
            // Unlike the format document says, the number grows by one more even for metadata (id 0).
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
        // Negative deltas are written as huge positive ones: blocks concatenate the buffers of several threads.
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

    /// Reads an event that says its size first. What the size counts beyond the event is padding.
    #[inline(always)]
    fn sized(
        &mut self,
        size: &'static Term,
        fill: impl FnOnce(&mut EventHeader<'d>, &mut Reader<'d, T>) -> Result<()>,
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
        header.bytes_behind_payload = (event.end() - payload_end) as u32;
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
            if self.selection == Selection::All || is_metadata == (self.selection == Selection::Metadata) {
                return Some(Ok(&self.header));
            }
        }
    }
}

/// What parts of a compressed header are called that differ between versions.
struct Names {
    flags: &'static Term,
    capture_thread: &'static Term,
    thread: &'static Term,
}

const NAMES_4: Names =
    Names { flags: terms::FLAGS_4, capture_thread: terms::CAPTURE_THREAD_ID, thread: terms::THREAD_ID };
const NAMES_6: Names =
    Names { flags: terms::FLAGS_6, capture_thread: terms::CAPTURE_THREAD_INDEX, thread: terms::THREAD_INDEX };

/// What the threads of a fixed header are called: the event's, and the writer's.
type ThreadNames = [&'static Term; 2];

impl<'d> EventHeader<'d> {
    /// Reads the fixed header of versions 4 and 5 after its size, and the payload.
    fn fill_uncompressed_v4<T: Trace>(&mut self, event: &mut Reader<'d, T>) -> Result<()> {
        self.fill_uncompressed(event, [terms::FIXED_THREAD_ID, terms::FIXED_CAPTURE_THREAD_ID])?;
        self.activity_id = event.guid(terms::FIXED_ACTIVITY_ID)?;
        self.related_activity_id = event.guid(terms::FIXED_RELATED_ACTIVITY_ID)?;
        self.fill_payload(event, terms::FIXED_PAYLOAD_SIZE)
    }

    /// Reads the fixed header of version 6 after its size, and the payload.
    fn fill_uncompressed_v6<T: Trace>(&mut self, event: &mut Reader<'d, T>) -> Result<()> {
        self.fill_uncompressed(event, [terms::FIXED_THREAD_INDEX, terms::FIXED_CAPTURE_THREAD_INDEX])?;
        self.label_list = event.u32(terms::FIXED_LABEL_LIST_ID)?;
        self.fill_payload(event, terms::FIXED_PAYLOAD_SIZE)
    }

    fn fill_uncompressed<T: Trace>(&mut self, event: &mut Reader<'d, T>, threads: ThreadNames) -> Result<()> {
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
    fn fill_payload<T: Trace>(&mut self, event: &mut Reader<'d, T>, size: &'static Term) -> Result<()> {
        let payload_bytes = event.u32(size)? as usize;
        self.payload_offset = event.offset();
        self.payload = event.take(payload_bytes)?;
        event.trace().payload(self);
        Ok(())
    }

    /// Reads the fixed header of netperf after its size, the payload and the stack (netperf.md, which is wrong about
    /// padding: there is none before the stack).
    #[inline(always)]
    fn fill_netperf<T: Trace>(&mut self, event: &mut Reader<'d, T>) -> Result<()> {
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
