//! Reads event-header values that aren't in the columns again from the file.

use crate::model::store::Store;
use nettrace::{ByteSource, Container, Item, Parser, SourceError, Step};
use protocol::base::ids::EventId;

/// Maximum size of a block to read again for one event. Real blocks have 100 kB to 1 MB.
const LARGEST_BLOCK_BYTES: u64 = 64 << 20;

/// Header values that describe where an event was written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// Capture thread: an OS thread ID, in version 6 an index into the file's thread table.
    pub capture_thread: u64,
    /// True if the event is about the capture thread.
    pub is_own: bool,
    /// True if the writer marked the event as sorted: no later event in the file is earlier.
    pub is_sorted: bool,
    /// Number of the stack; 0 for none.
    pub stack_id: u32,
    /// Sequence number on that thread, including lost events.
    pub sequence: u32,
    /// CPU; `None` if the file doesn't record it.
    pub processor: Option<u32>,
}

impl Store {
    /// Returns the origin of an event; `None` if the format doesn't record it (netperf).
    ///
    /// # Errors
    /// Fails if the file can no longer be read.
    pub fn origin(&self, event: EventId, source: &dyn ByteSource) -> Result<Option<Origin>, SourceError> {
        if self.header.container == Container::Netperf {
            return Ok(None);
        }
        let Some(row) = self.events.get(event) else { return Ok(None) };
        // An empty payload at the end of a block has the offset of the next block, but its header is in this one.
        let block = self.blocks.at(row.payload_offset.saturating_sub(1));
        let Some(block) = block.filter(|block| block.bytes <= LARGEST_BLOCK_BYTES) else { return Ok(None) };
        let mut parser = Parser::at_block(&self.header, block.offset);
        let mut bytes = vec![0; block.bytes as usize];
        source.read_at(block.offset, &mut bytes)?;
        let Ok(Step::Parsed { item: Item::Events(block), .. }) = parser.parse(&bytes, true) else { return Ok(None) };
        let mut events = block.events();
        while let Some(Ok(header)) = events.next() {
            if header.payload_offset == row.payload_offset {
                return Ok(Some(Origin {
                    capture_thread: header.capture_thread,
                    is_own: header.capture_thread == header.thread,
                    is_sorted: header.is_sorted,
                    stack_id: header.stack_id,
                    sequence: header.sequence,
                    processor: Some(header.processor).filter(|&processor| processor != u32::MAX),
                }));
            }
        }
        Ok(None)
    }
}
