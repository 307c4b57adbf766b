//! Sequence numbers: each thread numbers its events, including lost ones, and continues across repetitions.

use std::collections::HashMap;

#[derive(Clone, Copy, Default)]
struct Thread {
    /// Last number of this repetition in the source.
    source: u32,
    /// Last written number.
    written: u32,
    /// Difference between written and source numbers.
    offset: u32,
}

/// Sequence numbers of all threads.
#[derive(Default)]
pub struct Sequences {
    threads: HashMap<u64, Thread>,
}

impl Sequences {
    /// Begins a repetition of the source.
    pub fn begin_repetition(&mut self) {
        for thread in self.threads.values_mut() {
            (thread.offset, thread.source) = (thread.written, 0);
        }
    }

    /// Returns the number to write for the first of some events of a thread.
    pub fn begin(&mut self, thread: u64, sequence: u32) -> u32 {
        let thread = self.threads.entry(thread).or_default();
        if sequence == 1 && thread.source != 0 {
            // The numbers restarted: another thread has the ID now.
            thread.offset = 0;
        }
        sequence.wrapping_add(thread.offset)
    }

    /// Sets the source number of the last of these events.
    pub fn reach(&mut self, thread: u64, sequence: u32) {
        let thread = self.threads.entry(thread).or_default();
        thread.source = sequence;
        thread.written = sequence.wrapping_add(thread.offset);
    }

    /// Replaces the numbers of a sequence point's threads.
    pub fn point(&mut self, threads: &mut [(u64, u32)]) {
        // An ID may occur twice, for a thread that ended and for the current one, whose number is the next one above
        // that of its last event.
        let mut nearest: HashMap<u64, u32> = HashMap::new();
        for &mut (id, sequence) in &mut *threads {
            if sequence >= self.threads.entry(id).or_default().source {
                nearest.entry(id).and_modify(|least| *least = sequence.min(*least)).or_insert(sequence);
            }
        }
        for (id, sequence) in threads {
            let Some(thread) = self.threads.get_mut(id) else { continue };
            let (in_source, written) = (*sequence, sequence.wrapping_add(thread.offset));
            *sequence = written;
            if nearest.get(id) == Some(&in_source) {
                (thread.source, thread.written) = (in_source, written);
            }
        }
    }
}
