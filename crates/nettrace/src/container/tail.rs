//! The end of a file, looked at before what comes before it.

use crate::block::Item;
use crate::container::header::{Container, Header};
use crate::parser::{Parser, Step};

/// The latest time, in raw clock ticks, of the blocks that are whole in the last bytes of a file; none if there are none
/// such, or for netperf. `tail` begins anywhere, at the absolute `offset`. The blocks are found by the rules for damaged
/// files: nothing here is more than a guess until everything before was read.
pub fn latest_timestamp(header: &Header, tail: &[u8], offset: u64) -> Option<i64> {
    if header.container == Container::Netperf {
        return None;
    }
    let mut parser = Parser::at_block(header, offset);
    let (mut rest, mut latest) = (tail, None);
    while let Ok(Step::Parsed { consumed, item }) = parser.parse(rest, true) {
        let time = match item {
            // Writers of version 6 may put the largest number there.
            Item::SequencePoint(point) => Some(point.timestamp).filter(|time| *time < i64::MAX),
            Item::Events(block) => {
                let (mut events, mut last) = (block.events(), None);
                while let Some(Ok(event)) = events.next() {
                    last = last.max(Some(event.timestamp));
                }
                last
            }
            _ => None,
        };
        latest = latest.max(time);
        rest = rest.get(consumed..)?;
    }
    latest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::MetadataRecord;
    use crate::testing::{Event, Format, TraceBuilder};

    #[test]
    fn the_end_of_every_version_with_blocks_is_found_from_anywhere_before_its_last_blocks() {
        for format in [Format::Nettrace4, Format::Nettrace6] {
            let header = format.header();
            let mut trace = TraceBuilder::new(format);
            let record = MetadataRecord { metadata_id: 1, provider: "Shop".into(), event_id: 7, ..Default::default() };
            trace.metadata(&[record]);
            for block in 0..9_i64 {
                let event = |at| Event { metadata_id: 1, thread: 1, timestamp: block * 100 + at, ..Event::default() };
                trace.events(&[event(10), event(50), event(30)]);
            }
            let trace = trace.finish();
            for cut in 300..trace.len() * 2 / 3 {
                let found = latest_timestamp(&header, &trace[cut..], cut as u64);
                assert_eq!(found, Some(850), "{format:?} from {cut} of {}", trace.len());
            }
            assert_eq!(latest_timestamp(&header, &[0; 500], 1000), None);
            assert_eq!(latest_timestamp(&header, &[], 1000), None);
        }
    }
}
