//! Reads the end of a file before the rest.

use super::header::{Container, Header};
use crate::block::Item;
use crate::framing::Step;
use crate::parser::Parser;

/// Estimates the end time of a trace in raw ticks from the last bytes of the file.
///
/// `tail` begins anywhere, at the absolute `offset`. Blocks are found as in a damaged file, so the result is a guess until
/// the whole file was read. `None` if no complete block is found, and for netperf.
pub fn latest_timestamp(header: &Header, tail: &[u8], offset: u64) -> Option<i64> {
    if header.container == Container::Netperf {
        return None;
    }
    let mut parser = Parser::at_block(header, offset);
    let (mut rest, mut latest) = (tail, None);
    while let Ok(Step::Parsed { consumed, item }) = parser.parse(rest, true) {
        let time = match item {
            // Writers of version 6 may write `i64::MAX`.
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
    fn latest_timestamp_of_any_tail_is_found() {
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
