//! What the header of an event says and no column keeps: read again from its block when somebody asks.

use crate::model::store::Store;
use nettrace::{ByteSource, Container, Item, Parser, SourceError, Step};
use protocol::base::ids::EventId;

/// Larger blocks are not read again for one event. Real ones have 100 KB to 1 MB.
const LARGEST_BLOCK_BYTES: u64 = 64 << 20;

/// Who wrote an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The thread that wrote it: an operating system's id, in version 6 an index of the file's thread table.
    pub capture_thread: u64,
    /// Whether that is the thread that the event is of.
    pub is_own: bool,
    /// Whether no event behind it in the file is earlier.
    pub is_sorted: bool,
    /// The number of its call stack; 0 for none.
    pub stack_id: u32,
    /// Its number on that thread, lost ones included.
    pub sequence: u32,
    /// The processor it was written on; none if the file doesn't record it.
    pub processor: Option<u32>,
}

impl Store {
    /// Who wrote an event; none if its format doesn't record it (netperf).
    ///
    /// # Errors
    /// If the file cannot be read any more.
    pub fn origin(&self, event: EventId, source: &dyn ByteSource) -> Result<Option<Origin>, SourceError> {
        if self.header().container == Container::Netperf {
            return Ok(None);
        }
        let Some(row) = self.events().get(event) else { return Ok(None) };
        // An empty payload at the end of a block lies where the next block begins, but the header is before it.
        let block = self.blocks().at(row.payload_offset.saturating_sub(1));
        let Some(block) = block.filter(|block| block.bytes <= LARGEST_BLOCK_BYTES) else { return Ok(None) };
        let mut parser = Parser::at_block(self.header(), block.offset);
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
