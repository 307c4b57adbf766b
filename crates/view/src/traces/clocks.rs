//! Offsets between the times of traces: a time of a trace plus its offset is a time of the first trace.

use protocol::base::time::Span;
use protocol::format;

/// Largest gap between two recordings, in multiples of their lengths together, with which both remain visible on one
/// axis.
const WIDEST_GAP: i64 = 10;
/// Latest start in milliseconds since 1970 that is a time of this calendar: the year 10000.
const LATEST_START: f64 = 253_402_300_800_000.0;

/// When a trace was recorded.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Recorded {
    /// Wall-clock time at its time 0, in milliseconds since 1970.
    pub start_unix_ms: f64,
    /// Its times.
    pub span: Span,
}

/// Where an offset comes from.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub enum OffsetSource {
    /// The sync times in the headers.
    #[default]
    Clock,
    /// Nothing: the recordings have no common time, so their starts are aligned.
    Start,
    /// Requests between the traces.
    Requests {
        /// Number of requests whose times agree with the offset.
        count: u32,
        /// Nanoseconds by which the offset may be wrong in either direction.
        tolerance: i64,
    },
    /// The user.
    Hand,
}

/// Offset of a trace.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Offset {
    /// Nanoseconds to add to a time of the trace.
    pub nanos: i64,
    pub source: OffsetSource,
}

impl Offset {
    /// Returns an offset that the user sets.
    pub fn by_hand(nanos: i64) -> Self {
        Self { nanos, source: OffsetSource::Hand }
    }

    /// Returns the nanoseconds if the user set them.
    pub fn nanos_by_hand(self) -> Option<i64> {
        (self.source == OffsetSource::Hand).then_some(self.nanos)
    }

    /// Returns the offset and its source: "1500.370 ms, from 214 requests, ±0.11 ms".
    pub fn words(self) -> String {
        format!("{:.3} ms, {}", self.nanos as f64 / 1e6, self.source_words())
    }

    /// Returns the source in words: "from 214 requests, ±0.11 ms".
    pub fn source_words(self) -> String {
        match self.source {
            OffsetSource::Clock => "by UTC".to_owned(),
            OffsetSource::Start => "starts aligned: no common time".to_owned(),
            OffsetSource::Requests { count, tolerance } => {
                let requests = format::counted(u64::from(count), "request");
                format!("from {requests}, ±{}", format::duration(tolerance))
            }
            OffsetSource::Hand => "set by hand".to_owned(),
        }
    }
}

/// Returns the offset of a trace by the clocks of both recordings, or else with their starts aligned.
pub fn by_clock(first: Recorded, other: Recorded) -> Offset {
    let aligned = Offset { nanos: first.span.start.0.saturating_sub(other.span.start.0), source: OffsetSource::Start };
    let is_known = |one: &Recorded| one.start_unix_ms > 0.0 && one.start_unix_ms < LATEST_START;
    if !is_known(&first) || !is_known(&other) {
        return aligned;
    }
    let nanos = ((other.start_unix_ms - first.start_unix_ms) * 1e6) as i64;
    let (start, end) = (other.span.start.0.saturating_add(nanos), other.span.end.0.saturating_add(nanos));
    let gap = start.saturating_sub(first.span.end.0).max(first.span.start.0.saturating_sub(end));
    let lengths = first.span.duration().saturating_add(other.span.duration());
    match gap <= lengths.saturating_mul(WIDEST_GAP) {
        true => Offset { nanos, source: OffsetSource::Clock },
        false => aligned,
    }
}

/// Returns whether two recordings on one axis have no time in common.
pub fn are_apart(one: Span, other: Span) -> bool {
    one.end <= other.start || other.end <= one.start
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;
    const DAY_MS: f64 = 86_400_000.0;

    fn recorded(start_unix_ms: f64, from: i64, to: i64) -> Recorded {
        Recorded { start_unix_ms, span: Span::new(from * SECOND, to * SECOND) }
    }

    #[test]
    fn clocks_align_recordings_of_the_same_time() {
        let start = 20_000.0 * DAY_MS;
        let offset = by_clock(recorded(start, 0, 10), recorded(start + 2_500.0, 0, 5));
        assert_eq!(offset, Offset { nanos: 2_500_000_000, source: OffsetSource::Clock });
        assert_eq!(by_clock(recorded(start, 0, 10), recorded(start - 60_000.0, 0, 5)).nanos, -60 * SECOND);
    }

    #[test]
    fn recordings_without_common_time_start_together() {
        let start = 20_000.0 * DAY_MS;
        let aligned = Offset { nanos: SECOND, source: OffsetSource::Start };
        assert_eq!(by_clock(recorded(start, 1, 10), recorded(start + DAY_MS, 0, 10)), aligned);
        assert_eq!(by_clock(recorded(0.0, 1, 10), recorded(start, 0, 10)), aligned, "no clock");
        assert_eq!(by_clock(recorded(f64::MAX, 1, 10), recorded(start, 0, 10)), aligned);
    }

    #[test]
    fn recordings_without_a_common_time_are_apart() {
        let apart = |from, to| are_apart(Span::new(10, 20), Span::new(from, to));
        assert_eq!(
            [apart(0, 10), apart(0, 11), apart(12, 15), apart(19, 30), apart(20, 30)],
            [true, false, false, false, true]
        );
    }

    #[test]
    fn source_is_in_words() {
        let requests = OffsetSource::Requests { count: 214, tolerance: 110_000 };
        assert_eq!(Offset { nanos: 0, source: requests }.source_words(), "from 214 requests, ±110 µs");
        assert_eq!(Offset::by_hand(1_500_370_400).words(), "1500.370 ms, set by hand");
        assert_eq!([Offset::by_hand(5), Offset::default()].map(Offset::nanos_by_hand), [Some(5), None]);
    }
}
