//! Tests that a trace truncated anywhere returns everything that is complete.

use super::reading::{Seen, damages, events, read};
use super::sample;
use crate::testing::Format;

/// Returns events with the offset of the first byte after each.
fn events_with_ends(seen: &[Seen]) -> Vec<(u64, u64)> {
    let mut found = Vec::new();
    for item in seen {
        if let Seen::Events(info, block, _) = item {
            let starts = block.iter().map(|(offset, _)| *offset);
            let ends = starts.clone().skip(1).chain([info.offset + info.bytes]);
            found.extend(starts.zip(ends));
        }
    }
    found
}

#[test]
fn truncation_keeps_complete_events_before_it() {
    for (format, compressed) in sample::variants() {
        let trace = sample::trace(format, compressed);
        let whole = read(&trace).unwrap();
        let all = events(&whole);
        let ends = events_with_ends(&whole);
        let Some(Seen::EndOfStream(end)) = whole.last() else { panic!("no end") };
        for cut in 0..trace.len() {
            let Ok(seen) = read(&trace[..cut]) else {
                assert!(whole_header_bytes(&whole, format) > cut, "{format:?}: no header in {cut} bytes");
                continue;
            };
            let found = events(&seen);
            assert_eq!(found, all[..found.len()], "{format:?} cut at {cut}");
            // End tags and metadata between events belong to the next part, so an event may be returned earlier.
            let due = ends.iter().filter(|(_, end)| *end <= cut as u64).count();
            assert!(found.len() >= due, "{format:?} cut at {cut}: {} events, {due} are whole", found.len());
            if (cut as u64) < end.offset + 1 {
                let damages = damages(&seen);
                let [damage] = &damages[..] else { panic!("{format:?} cut at {cut}: {damages:?}") };
                assert!(damage.error.is_truncation(), "{format:?} cut at {cut}: {}", damage.error);
                assert_eq!(damage.offset + damage.bytes, cut as u64, "{format:?}: all bytes are accounted for");
                assert!(matches!(seen.last(), Some(Seen::Damage(_))));
            }
        }
    }
}

/// Returns the offset of the first item after the header.
fn whole_header_bytes(seen: &[Seen], format: Format) -> usize {
    seen.iter()
        .find_map(|item| match item {
            Seen::Metadata(info, _) => Some(info.offset as usize),
            _ => None,
        })
        .unwrap_or_else(|| panic!("no metadata in {format:?}"))
}

#[test]
fn aborted_trace_has_header_and_note() {
    for format in Format::ALL {
        let header_only = crate::testing::TraceBuilder::new(format).abort();
        let seen = read(&header_only).unwrap();
        let [Seen::Header(_), Seen::Damage(damage)] = &seen[..] else { panic!("{format:?}: {seen:?}") };
        assert_eq!((damage.bytes, damage.error.is_truncation()), (0, true));
        assert_eq!(
            damage.error.to_string(),
            format!("No end-of-stream marker: the trace was not closed properly (at byte {}).", header_only.len())
        );
    }
}
