//! Blocks of events, and the loop that decodes their headers.
//!
//! Formats: nettrace-v5.md "Event blobs" with these corrections, which readers and writers agree on: the sequence
//! number grows whenever flag 2 is set, the time delta wraps, and in uncompressed headers the high bit of the metadata
//! id means *not* sorted.

use super::block::{BlockInfo, BlockKind};
use super::error::{Error, ErrorKind, Result};
use super::event_header::EventHeader;
use super::metadata::{MetadataBlock, MetadataEncoding};
use super::reader::Reader;

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
pub struct EventBlock<'d> {
    /// Where the block is.
    pub info: BlockInfo,
    /// Whether header compression is used.
    pub compressed: bool,
    encoding: EventEncoding,
    selection: Selection,
    content: Reader<'d>,
    cut: bool,
}

impl<'d> EventBlock<'d> {
    /// Bytes of the smallest block header of versions 4 to 6.
    const HEADER_BYTES: u16 = 20;

    /// Reads the block header of versions 4 and 5. `cut` says that the end of the block is missing.
    pub(crate) fn read_v4(info: BlockInfo, content: Reader<'d>, cut: bool) -> Result<Self> {
        Self::read(info, content, cut, EventEncoding::CompressedV4, EventEncoding::UncompressedV4)
    }

    /// Reads the block header of version 6. `cut` says that the end of the block is missing.
    pub(crate) fn read_v6(info: BlockInfo, content: Reader<'d>, cut: bool) -> Result<Self> {
        Self::read(info, content, cut, EventEncoding::CompressedV6, EventEncoding::UncompressedV6)
    }

    fn read(
        info: BlockInfo,
        mut content: Reader<'d>,
        cut: bool,
        if_compressed: EventEncoding,
        otherwise: EventEncoding,
    ) -> Result<Self> {
        let start = content.offset();
        let header_bytes = content.u16()?;
        let compressed = content.u16()? & 1 != 0;
        if header_bytes < Self::HEADER_BYTES {
            return Err(Error::new(ErrorKind::DamagedBlock("its header is too short"), start));
        }
        // The smallest and largest time follow. Some writers leave them 0, so nothing may rely on them.
        content.take(usize::from(header_bytes) - 4)?;
        let encoding = if compressed { if_compressed } else { otherwise };
        Ok(Self { info, compressed, encoding, selection: Selection::All, content, cut })
    }

    /// The events of a netperf block, without the metadata among them.
    pub(crate) fn of_netperf(info: BlockInfo, content: Reader<'d>, cut: bool) -> Self {
        let (encoding, selection) = (EventEncoding::Netperf, Selection::Events);
        Self { info, compressed: false, encoding, selection, content, cut }
    }

    /// The metadata among the events of a netperf block, if there is any. Its bytes count as those of the events.
    pub(crate) fn inline_metadata(&self, encoding: MetadataEncoding) -> Option<MetadataBlock<'d>> {
        let mut metadata = Self { selection: Selection::Metadata, ..self.clone() };
        metadata.info.kind = BlockKind::Metadata;
        metadata.info.bytes = 0;
        let any = matches!(metadata.events().next(), Some(Ok(_)));
        any.then(|| MetadataBlock::of_events(metadata, encoding))
    }

    /// The events of the block, in file order.
    pub fn events(&self) -> Events<'d> {
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
        let mut events = Self { selection: Selection::All, ..self.clone() }.events();
        let mut end = events.offset();
        while let Some(Ok(_)) = events.next() {
            end = events.offset();
        }
        end
    }
}

/// Decodes the event headers of a block one after the other, always into the same [`EventHeader`].
#[derive(Clone, Debug)]
pub struct Events<'d> {
    reader: Reader<'d>,
    encoding: EventEncoding,
    selection: Selection,
    /// The end of the block is missing: an incomplete event at the end is no error.
    cut: bool,
    header: EventHeader<'d>,
    unread: u64,
}

impl<'d> Events<'d> {
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
        let decoded = match self.encoding {
            EventEncoding::CompressedV4 => self.compressed::<false>(),
            EventEncoding::CompressedV6 => self.compressed::<true>(),
            EventEncoding::UncompressedV4 => self.sized(EventHeader::fill_uncompressed_v4),
            EventEncoding::UncompressedV6 => self.sized(EventHeader::fill_uncompressed_v6),
            EventEncoding::Netperf => return self.next_netperf(),
        };
        match decoded {
            Ok(()) => Some(Ok(&self.header)),
            Err(error) => self.stop(error),
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

    #[cold]
    fn stop(&mut self, error: Error) -> Option<Result<&EventHeader<'d>>> {
        self.unread = (self.reader.offset() + self.reader.remaining() as u64).saturating_sub(self.header.header_offset);
        self.reader.skip_rest();
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
        let flags = reader.u8()?;
        if flags & 1 != 0 {
            header.metadata_id = reader.var_u32()?;
        }
        if flags & 2 != 0 {
            // Unlike the format document says, the number grows by one more even for metadata (id 0).
            header.sequence = header.sequence.wrapping_add(reader.var_u32()?).wrapping_add(1);
            header.capture_thread = reader.var_u64()?;
            header.processor = reader.var_u32()?;
        } else if header.metadata_id != 0 {
            header.sequence = header.sequence.wrapping_add(1);
        }
        if flags & 4 != 0 {
            header.thread = reader.var_u64()?;
        }
        if flags & 8 != 0 {
            header.stack_id = reader.var_u32()?;
        }
        // Negative deltas are written as huge positive ones: blocks concatenate the buffers of several threads.
        header.timestamp = header.timestamp.wrapping_add(reader.var_u64()? as i64);
        if flags & 16 != 0 {
            if V6 {
                header.label_list = reader.var_u32()?;
            } else {
                header.activity_id = reader.guid()?;
            }
        }
        if flags & 32 != 0 && !V6 {
            header.related_activity_id = reader.guid()?;
        }
        header.is_sorted = flags & 64 != 0;
        let payload_bytes = if flags & 128 != 0 { reader.var_u32()? as usize } else { header.payload.len() };
        header.payload_offset = reader.offset();
        header.payload = reader.take(payload_bytes)?;
        self.reader.catch_up(&reader);
        Ok(())
    }

    /// Reads an event that says its size first. What the size counts beyond the event is padding.
    fn sized(&mut self, fill: fn(&mut EventHeader<'d>, &mut Reader<'d>) -> Result<()>) -> Result<()> {
        let header = &mut self.header;
        header.header_offset = self.reader.offset();
        let event_bytes = self.reader.u32()? as usize;
        let mut event = self.reader.section(event_bytes)?;
        fill(header, &mut event).map_err(|_| Error::new(ErrorKind::OutOfBounds("event"), header.header_offset))
    }

    fn next_netperf(&mut self) -> Option<Result<&EventHeader<'d>>> {
        loop {
            if self.reader.is_empty() {
                return None;
            }
            if let Err(error) = self.sized(EventHeader::fill_netperf) {
                return self.stop(error);
            }
            let is_metadata = self.header.metadata_id == 0;
            if self.selection == Selection::All || is_metadata == (self.selection == Selection::Metadata) {
                return Some(Ok(&self.header));
            }
        }
    }
}

impl<'d> EventHeader<'d> {
    /// Reads the fixed header of versions 4 and 5 after its size, and the payload.
    fn fill_uncompressed_v4(&mut self, event: &mut Reader<'d>) -> Result<()> {
        self.fill_uncompressed(event)?;
        self.activity_id = event.guid()?;
        self.related_activity_id = event.guid()?;
        self.fill_payload(event)
    }

    /// Reads the fixed header of version 6 after its size, and the payload.
    fn fill_uncompressed_v6(&mut self, event: &mut Reader<'d>) -> Result<()> {
        self.fill_uncompressed(event)?;
        self.label_list = event.u32()?;
        self.fill_payload(event)
    }

    fn fill_uncompressed(&mut self, event: &mut Reader<'d>) -> Result<()> {
        let id = event.u32()?;
        self.metadata_id = id & 0x7FFF_FFFF;
        // The format document says the opposite; writers and readers agree on this.
        self.is_sorted = id & 0x8000_0000 == 0;
        self.sequence = event.u32()?;
        self.thread = event.u64()?;
        self.capture_thread = event.u64()?;
        self.processor = event.u32()?;
        self.stack_id = event.u32()?;
        self.timestamp = event.i64()?;
        Ok(())
    }

    fn fill_payload(&mut self, event: &mut Reader<'d>) -> Result<()> {
        let payload_bytes = event.u32()? as usize;
        self.payload_offset = event.offset();
        self.payload = event.take(payload_bytes)?;
        Ok(())
    }

    /// Reads the fixed header of netperf after its size, the payload and the stack (netperf.md, which is wrong about
    /// padding: there is none before the stack).
    fn fill_netperf(&mut self, event: &mut Reader<'d>) -> Result<()> {
        self.metadata_id = event.u32()?;
        self.thread = u64::from(event.u32()?);
        self.capture_thread = self.thread;
        self.processor = u32::MAX;
        self.timestamp = event.i64()?;
        self.activity_id = event.guid()?;
        self.related_activity_id = event.guid()?;
        self.is_sorted = true;
        self.fill_payload(event)?;
        let stack_bytes = event.u32()? as usize;
        self.inline_stack = event.take(stack_bytes)?;
        Ok(())
    }
}
