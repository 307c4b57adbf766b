//! Event blocks.

use super::event_header::EventHeader;
use super::event_reader::{EventEncoding, EventLayout, EventReader, SavedEvents, Selection};
use super::info::BlockInfo;
use crate::error::{Error, ErrorKind, Result};
use crate::listener::{Off, Trace, terms};
use crate::wire::byte_reader::ByteReader;

/// Block of events.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct EventBlock<'d> {
    /// Location of the block in the file.
    pub info: BlockInfo,
    /// True if the event headers are compressed.
    pub compressed: bool,
    /// Declared smallest and largest timestamp in ticks; `None` in netperf. Some writers declare 0, so use these values
    /// only for display.
    pub declared_ticks: Option<[i64; 2]>,
    layout: EventLayout,
    content: ByteReader<'d>,
}

impl<'d> EventBlock<'d> {
    /// Minimum size of a block header in versions 4 to 6.
    const HEADER_BYTES: u16 = 20;

    /// Reads the block header of versions 4 and 5. `cut` means that the end of the block is missing.
    pub(crate) fn read_v4<T: Trace>(info: BlockInfo, content: ByteReader<'d, T>, cut: bool) -> Result<Self> {
        Self::read(info, content, cut, EventEncoding::CompressedV4, EventEncoding::UncompressedV4)
    }

    /// Reads the block header of version 6. `cut` means that the end of the block is missing.
    pub(crate) fn read_v6<T: Trace>(info: BlockInfo, content: ByteReader<'d, T>, cut: bool) -> Result<Self> {
        Self::read(info, content, cut, EventEncoding::CompressedV6, EventEncoding::UncompressedV6)
    }

    fn read<T: Trace>(
        info: BlockInfo,
        mut content: ByteReader<'d, T>,
        cut: bool,
        if_compressed: EventEncoding,
        otherwise: EventEncoding,
    ) -> Result<Self> {
        let start = content.offset();
        let opened = content.open(terms::BLOCK_HEADER);
        let header_bytes = content.u16(terms::HEADER_SIZE)?;
        let compressed = content.u16(terms::BLOCK_FLAGS)? & 1 != 0;
        let Some(reserved) = header_bytes.checked_sub(Self::HEADER_BYTES) else {
            return Err(Error::new(ErrorKind::DamagedBlock("the header is too short"), start));
        };
        let declared_ticks = Some([content.i64(terms::MIN_TIMESTAMP)?, content.i64(terms::MAX_TIMESTAMP)?]);
        content.raw(terms::HEADER_RESERVED, reserved.into())?;
        content.close(opened);
        let encoding = if compressed { if_compressed } else { otherwise };
        let layout = EventLayout { encoding, selection: Selection::All, cut };
        Ok(Self { info, compressed, declared_ticks, layout, content: content.untraced() })
    }

    /// Creates an event block of netperf, without the metadata records among the events.
    pub(crate) fn of_netperf<T: Trace>(info: BlockInfo, content: ByteReader<'d, T>, cut: bool) -> Self {
        let layout = EventLayout { encoding: EventEncoding::Netperf, selection: Selection::Events, cut };
        Self { info, compressed: false, declared_ticks: None, layout, content: content.untraced() }
    }

    /// Returns the block including the metadata records among its events.
    pub(crate) fn with_metadata(&self) -> Self {
        self.select(Selection::All)
    }

    /// Returns the block with another selection of events.
    pub(super) fn select(&self, selection: Selection) -> Self {
        Self { layout: EventLayout { selection, ..self.layout }, ..self.clone() }
    }

    /// Returns the events of the block, in file order.
    pub fn events(&self) -> Events<'d> {
        Events(self.traced_events(Off))
    }

    /// Returns [`EventBlock::events`] with a listener.
    pub(crate) fn traced_events<T: Trace>(&self, trace: T) -> EventReader<'d, T> {
        EventReader::new(self.content.clone().with_trace(trace), self.layout)
    }

    /// Returns the state before the first event, without the bytes of the block.
    pub(crate) fn saved_events(&self) -> SavedEvents {
        self.traced_events(Off).save()
    }

    /// Returns the absolute offset after the last complete event.
    pub(crate) fn end_of_complete_events(&self) -> u64 {
        let mut events = self.with_metadata().events();
        let mut end = events.offset();
        while let Some(Ok(_)) = events.next() {
            end = events.offset();
        }
        end
    }
}

/// Decoder of the event headers of a block. Every event is decoded into the same [`EventHeader`].
#[derive(Clone, Debug)]
pub struct Events<'d>(EventReader<'d, Off>);

impl<'d> Events<'d> {
    /// Decodes the next event; `None` at the end of the block.
    ///
    /// # Errors
    /// If an event violates the format. The rest of the block is then unreadable, so the next call returns `None`.
    #[inline]
    #[allow(clippy::should_implement_trait)] // it lends the header, which `Iterator` cannot express
    pub fn next(&mut self) -> Option<Result<&EventHeader<'d>>> {
        self.0.next()
    }

    /// Returns the absolute offset of the next event.
    pub fn offset(&self) -> u64 {
        self.0.offset()
    }

    /// Returns the number of bytes at the end of the block that an error made unreadable.
    pub fn unread(&self) -> u64 {
        self.0.unread()
    }
}
