//! Shares of a file by purpose, and savings of compressed event headers.

use crate::format;
use crate::tables::{Costs, cost};

/// Size of compressed event headers compared to full headers.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HeaderCompression {
    /// Bytes of the compressed headers.
    pub header_bytes: u64,
    /// Size of the same headers without compression, excluding the alignment that uncompressed events need.
    pub full_bytes: u64,
    /// Number of events with compressed headers.
    pub events: u64,
}

impl HeaderCompression {
    /// Returns the bytes that compression saves.
    pub fn saved_bytes(&self) -> u64 {
        self.full_bytes.saturating_sub(self.header_bytes)
    }
}

impl Costs {
    /// Returns the shares of the file in bytes, with display names. They add up to the size of the file.
    pub fn shares(&self) -> [(&'static str, u64); 5] {
        let sum = |of: u8, bytes: &[u64]| -> u64 {
            let rows = self.of.iter().zip(bytes).filter(|(kind, _)| **kind == of);
            rows.map(|(_, bytes)| bytes).sum()
        };
        let around_events = sum(cost::REST, &self.padding_bytes);
        [
            ("Event payloads", sum(cost::PROVIDER, &self.payload_bytes)),
            ("Event headers", sum(cost::PROVIDER, &self.header_bytes)),
            ("Event metadata", sum(cost::PROVIDER, &self.description_bytes)),
            ("Block headers and stacks", sum(cost::REST, &self.bytes).saturating_sub(around_events)),
            ("Padding", sum(cost::PROVIDER, &self.padding_bytes) + around_events),
        ]
    }

    /// Returns the savings of compressed headers; `None` if no headers are compressed, or if some blocks have full
    /// headers, which aren't counted separately.
    pub fn compression(&self) -> Option<HeaderCompression> {
        let ([events, 0], [full]) =
            (self.events_by_header[..].first_chunk()?, self.full_header_bytes[..].first_chunk()?)
        else {
            return None;
        };
        let [_, (_, header_bytes), ..] = self.shares();
        (*events > 0).then_some(HeaderCompression { header_bytes, full_bytes: events * full, events: *events })
    }

    /// Returns a sentence about header compression; `None` without events.
    pub fn compression_words(&self) -> Option<String> {
        let file = self.file_bytes.first().copied()?;
        if let Some(headers) = self.compression() {
            let an_event = |bytes: u64| format::quantity(bytes as f64 / headers.events as f64);
            let saved = headers.saved_bytes();
            return Some(format!(
                "Compressed event headers take {} bytes instead of {}. That saves {}, equal to {} of the file's size.",
                an_event(headers.header_bytes),
                an_event(headers.full_bytes),
                format::counted(saved, "byte"),
                format::percent(saved as f64, file as f64)
            ));
        }
        match self.events_by_header[..] {
            [0, full] if full > 0 => Some("Event headers aren't compressed.".to_owned()),
            [compressed, full] if compressed + full > 0 => Some(format!(
                "Event headers are compressed in {}, and full in {}.",
                format::counted(compressed, "event"),
                format::count(full)
            )),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn costs(events_by_header: [u64; 2]) -> Costs {
        let mut costs = Costs { file_bytes: vec![1_000], ..Costs::default() };
        (costs.events_by_header, costs.full_header_bytes) = (events_by_header.to_vec(), vec![80]);
        for (of, header, payload, description, padding, bytes) in [
            (cost::PIECES, 0, 0, 0, 7, 1_000),
            (cost::PROVIDER, 100, 500, 50, 0, 650),
            (cost::PROVIDER, 50, 90, 0, 10, 150),
            (cost::EVENT_TYPE, 150, 590, 50, 10, 800),
            (cost::REST, 0, 0, 0, 7, 200),
        ] {
            costs.of.push(of);
            costs.header_bytes.push(header);
            costs.payload_bytes.push(payload);
            costs.description_bytes.push(description);
            costs.padding_bytes.push(padding);
            costs.bytes.push(bytes);
        }
        costs
    }

    #[test]
    fn shares_add_up_to_file() {
        let shares = costs([10, 0]).shares();
        assert_eq!(shares.map(|(_, bytes)| bytes), [590, 150, 50, 193, 17]);
    }

    #[test]
    fn header_compression_compares_with_full_headers() {
        let words = |events| costs(events).compression_words();
        assert_eq!(costs([10, 0]).compression().map(|one| one.saved_bytes()), Some(650));
        assert_eq!(
            words([10, 0]).as_deref(),
            Some(
                "Compressed event headers take 15 bytes instead of 80. That saves 650 bytes, equal to 65% of the file's \
                 size."
            )
        );
        assert_eq!(words([0, 10]).as_deref(), Some("Event headers aren't compressed."));
        assert_eq!(words([1, 10]).as_deref(), Some("Event headers are compressed in 1 event, and full in 10."));
        assert_eq!((words([0, 0]), Costs::default().compression_words()), (None, None));
    }
}
