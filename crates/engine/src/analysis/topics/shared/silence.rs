//! Gaps without any events: the process was stopped, or the machine in a machine-wide recording.

use crate::analysis::intervals::gc_pauses::Pause;
use crate::analysis::samples::thread_samples::Sampling;
use crate::analysis::topics::Known;
use crate::model::Store;
use protocol::base::time::Span;

/// Minimum nanoseconds without events for a gap in a machine-wide recording.
const LEAST: i64 = 20_000_000;

/// Returns the gaps of at least `least` nanoseconds inside a span in which no thread has an event.
pub fn silences(store: &Store, span: Span, least: i64) -> Vec<Span> {
    let (events, clock) = (&store.events, store.clock);
    let mut silent = Vec::new();
    let mut before = span.start.0;
    let mut until = |now: i64| {
        if now.saturating_sub(before) >= least {
            silent.push(Span::new(before, now));
        }
        before = before.max(now);
    };
    for (chunk, rows) in events.chunks_in(events.range(clock, span)) {
        rows.for_each(|row| until(clock.nanos(chunk.ticks(row)).0));
    }
    until(span.end.0);
    silent
}

/// Returns the gaps within a GC pause in a machine-wide recording. In a recording of one process a working GC looks the
/// same, so there are none.
pub fn silent_in_pause(known: &Known<'_>, pause: &Pause) -> Vec<Span> {
    let is_of_machine = known.store.has_several_processes()
        && known.samples.iter().any(|(_, thread)| thread.kind == Sampling::Processor);
    if !is_of_machine || pause.duration() < LEAST {
        return Vec::new();
    }
    silences(known.store, Span::new(pause.start, pause.counted_until), LEAST)
}
