//! Minimum work of reading a trace, as the yardstick for loading.

use nettrace::{Item, Parser, Step};

/// Decodes all event headers into six columns, and does nothing else.
///
/// The benchmark uses it natively and in the worker. Loading also sorts events, counts types and names methods, so it
/// can only be slower.
#[derive(Default)]
pub struct HeaderScan {
    parser: Parser,
    columns: Columns,
}

/// Event-header values that every reader needs.
#[derive(Default)]
struct Columns {
    time: Vec<i64>,
    event_type: Vec<u32>,
    thread: Vec<u64>,
    stack: Vec<u32>,
    payload_offset: Vec<u64>,
    payload_length: Vec<u32>,
}

impl HeaderScan {
    /// Creates a scan with memory for a number of events, so that reallocation isn't measured.
    pub fn expecting(events: usize) -> Self {
        let columns = Columns {
            time: Vec::with_capacity(events),
            event_type: Vec::with_capacity(events),
            thread: Vec::with_capacity(events),
            stack: Vec::with_capacity(events),
            payload_offset: Vec::with_capacity(events),
            payload_length: Vec::with_capacity(events),
        };
        Self { parser: Parser::new(), columns }
    }

    /// Scans the complete blocks in `data`, and returns their size in bytes. The next `data` must begin after them.
    pub fn feed(&mut self, data: &[u8], eof: bool) -> usize {
        let mut consumed_bytes = 0;
        while let Some(rest) = data.get(consumed_bytes..)
            && let Ok(Step::Parsed { consumed, item }) = self.parser.parse(rest, eof)
        {
            if let Item::Events(block) = item {
                let mut headers = block.events();
                while let Some(Ok(header)) = headers.next() {
                    self.columns.time.push(header.timestamp);
                    self.columns.event_type.push(header.metadata_id);
                    self.columns.thread.push(header.thread);
                    self.columns.stack.push(header.stack_id);
                    self.columns.payload_offset.push(header.payload_offset);
                    self.columns.payload_length.push(header.payload.len() as u32);
                }
            }
            consumed_bytes += consumed;
        }
        consumed_bytes
    }

    /// Returns the number of events so far.
    pub fn event_count(&self) -> usize {
        self.columns.time.len()
    }
}

#[cfg(test)]
mod tests {
    use super::HeaderScan;
    use nettrace::MetadataRecord;
    use nettrace::testing::{Event, Format, TraceBuilder};

    #[test]
    fn scan_finds_every_event_in_any_pieces() {
        let mut trace = TraceBuilder::new(Format::Nettrace4);
        trace.metadata(&[MetadataRecord {
            metadata_id: 1,
            provider: "Shop".into(),
            event_id: 7,
            ..Default::default()
        }]);
        for block in 0..5_i64 {
            let event = |at: i64| Event { metadata_id: 1, thread: 42, timestamp: block * 10 + at, ..Event::default() };
            trace.events(&[event(0), event(1), event(2)]);
        }
        let trace = trace.finish();
        for piece_bytes in [1, 100, trace.len()] {
            let (mut scan, mut kept) = (HeaderScan::default(), Vec::new());
            for piece in trace.chunks(piece_bytes) {
                kept.extend_from_slice(piece);
                let consumed = scan.feed(&kept, false);
                kept.drain(..consumed);
            }
            scan.feed(&kept, true);
            assert_eq!(scan.event_count(), 15, "pieces of {piece_bytes}");
        }
    }
}
