//! Allocation rate over time, from allocation events (docs/format/runtime-events.md#allocations).

use super::lines::{LineKey, Lines, ValueSources};
use super::series_source::SeriesPayloads;
use crate::analysis::scan::selection::Selection;
use crate::clr::KnownEvent;
use crate::model::Store;
use nettrace::SourceError;
use protocol::format;
use protocol::timeline::track::TrackKind;

/// Maximum number of parts of a trace: more than a screen can distinguish.
const MAX_PARTS: u64 = 512;
/// Minimum average number of events per part; fewer give no meaningful rate.
const EVENTS_A_PART: u64 = 4;
/// Mean sampling distance of `AllocationSampled`, in bytes.
const SAMPLING_DISTANCE: f64 = 102_400.0;

/// Events that record allocations, the best first: all bytes in steps of about 100 KB; a random sample; bytes of
/// sampled types.
const SOURCES: [(KnownEvent, &str); 3] = [
    (KnownEvent::GcAllocationTick, "AllocationTick"),
    (KnownEvent::AllocationSampled, "AllocationSampled, estimated"),
    (KnownEvent::SampledObjectAllocation, "SampledObjectAllocation"),
];

/// The name of the source, with time and represented bytes of each selected allocation event; `None` if the trace has
/// no such events.
pub type Allocations = Option<(&'static str, Vec<(i64, f64)>)>;

/// Returns the event types that record allocations, the best first, with their names. Each covers all allocations, so
/// one is enough.
pub fn allocation_event_sources() -> impl Iterator<Item = (KnownEvent, &'static str)> {
    SOURCES.into_iter()
}

/// Returns the best event type that records allocations, with its name; `None` if the trace has none.
pub fn allocation_event_source(store: &Store) -> Option<(KnownEvent, &'static str)> {
    let has = |known: KnownEvent| store.types.of_known(known).any(|event_type| event_type.count > 0);
    SOURCES.into_iter().find(|(known, _)| has(*known))
}

/// Returns the allocated bytes in time order.
pub fn allocations(store: &Store, payloads: &SeriesPayloads, selection: &Selection) -> Allocations {
    let (_, name) = allocation_event_source(store)?;
    let selected = payloads.allocations().filter(|(event, _)| selection.contains(event.index()));
    let timed = selected.map(|(event, bytes)| (store.clock.nanos(store.events.row(event).ticks).0, bytes));
    Some((name, timed.collect()))
}

/// Returns the bytes that an event represents if it records `recorded` bytes.
pub fn bytes_for(known: KnownEvent, recorded: u64) -> f64 {
    match known {
        KnownEvent::AllocationSampled => estimated(recorded as f64),
        _ => recorded as f64,
    }
}

/// Returns the probability with which an object of this size was sampled, if its [`KnownEvent::AllocationSampled`]
/// represents `stands_for` bytes.
pub fn sampling_probability(size: u64, stands_for: f64) -> f64 {
    (size.max(1) as f64 / stands_for.max(1.0)).clamp(1e-9, 1.0)
}

/// Returns the bytes that a sampled object of this size represents: every byte is sampled with the same probability, so
/// an object is sampled with 1 − e^(−size / distance).
fn estimated(size: f64) -> f64 {
    // e^−x as (1 − x/1024)^1024: exact enough, without tables.
    let mut missed = (1.0 - size / SAMPLING_DISTANCE / 1024.0).max(0.0);
    for _ in 0..10 {
        missed *= missed;
    }
    size.max(1.0) / (1.0 - missed).max(1e-9)
}

/// Adds the allocation rate in bytes per second, averaged over equal parts of the time.
///
/// # Errors
/// Never: all tracks of values have this signature.
pub fn allocation_rate(sources: &ValueSources<'_>, lines: &mut Lines) -> Result<(), SourceError> {
    let ValueSources { store, payloads, rows, .. } = sources;
    let Some((name, found)) = allocations(store, payloads, rows.selected) else { return Ok(()) };
    let Some(part) = part_of(&found) else { return Ok(()) };
    let mut source_words = name.to_owned();
    source_words.push_str(", averaged over ");
    source_words.push_str(&words(part));
    let key = LineKey::of_track(TrackKind::AllocationRate, &source_words, "", "B/s");
    for (at, rate) in rates(&found, part) {
        lines.push(&key, at, rate, "");
    }
    lines.mark_exact(TrackKind::AllocationRate);
    Ok(())
}

/// Returns the length of the equal parts in nanoseconds for these allocations, which are in time order; `None` without
/// allocations.
pub fn part_of(found: &[(i64, f64)]) -> Option<u64> {
    let (first, last) = (found.first()?.0, found.last()?.0);
    let parts = (found.len() as u64 / EVENTS_A_PART).clamp(1, MAX_PARTS);
    Some(round_up(last.saturating_sub(first).max(1) as u64 / parts + 1))
}

/// Returns the rate in bytes per second from each time on: for each part from the first to the last with an allocation,
/// and 0 at the end.
pub fn rates(found: &[(i64, f64)], part: u64) -> Vec<(i64, f64)> {
    let Some(first) = found.first() else { return Vec::new() };
    let mut rates = Vec::new();
    let (mut bytes, mut at) = (0.0, first.0.div_euclid(part as i64));
    for (time, amount) in found {
        let now = time.div_euclid(part as i64);
        while at < now {
            rates.push((at * part as i64, bytes / (part as f64 / 1e9)));
            (at, bytes) = (at + 1, 0.0);
        }
        bytes += amount;
    }
    rates.push((at * part as i64, bytes / (part as f64 / 1e9)));
    rates.push(((at + 1) * part as i64, 0.0));
    rates
}

/// Rounds up to the next of 1, 2, 5, 10, 20 …
fn round_up(nanos: u64) -> u64 {
    let mut unit = 1u64;
    loop {
        if let Some(found) = [1, 2, 5].into_iter().map(|of| unit.saturating_mul(of)).find(|round| *round >= nanos) {
            return found;
        }
        unit = unit.saturating_mul(10);
    }
}

/// Formats a round duration: "50 ms".
fn words(nanos: u64) -> String {
    let (unit, name) = match nanos {
        1_000_000_000.. => (1_000_000_000, " s"),
        1_000_000.. => (1_000_000, " ms"),
        1_000.. => (1_000, " µs"),
        _ => (1, " ns"),
    };
    let mut text = format::count(nanos / unit);
    text.push_str(name);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_parts_have_round_durations() {
        assert_eq!([1, 3, 6, 41, 99_000_000].map(round_up), [1, 5, 10, 50, 100_000_000]);
        assert_eq!([20, 5_000, 100_000_000, 2_000_000_000].map(words), ["20 ns", "5 µs", "100 ms", "2 s"]);
    }

    #[test]
    fn sampled_small_objects_represent_sampling_distance() {
        assert!((estimated(24.0) - 102_412.0).abs() < 60.0);
        assert!((estimated(10_000_000.0) - 10_000_000.0).abs() < 1.0);
        let exact = 102_400.0 / (1.0 - (-1.0f64).exp());
        assert!((estimated(102_400.0) / exact - 1.0).abs() < 0.001);
    }
}
