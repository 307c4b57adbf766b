//! Sequence numbers: each thread numbers its events, lost ones included, and goes on where it stopped.

use std::collections::HashMap;

#[derive(Clone, Copy, Default)]
struct Thread {
    /// The last number in the source, of this repetition.
    source: u32,
    /// The last number written.
    written: u32,
    /// What is added to the numbers of the source.
    offset: u32,
}

/// The numbers of all threads.
#[derive(Default)]
pub struct Sequences {
    threads: HashMap<u64, Thread>,
}

impl Sequences {
    /// From now on the source is read from its beginning again.
    pub fn begin_repetition(&mut self) {
        for thread in self.threads.values_mut() {
            (thread.offset, thread.source) = (thread.written, 0);
        }
    }

    /// The number to write for the first of some events of a thread.
    pub fn begin(&mut self, thread: u64, sequence: u32) -> u32 {
        let thread = self.threads.entry(thread).or_default();
        if sequence == 1 && thread.source != 0 {
            // The count began again: another thread has the id now.
            thread.offset = 0;
        }
        sequence.wrapping_add(thread.offset)
    }

    /// The last of these events has this number in the source.
    pub fn reach(&mut self, thread: u64, sequence: u32) {
        let thread = self.threads.entry(thread).or_default();
        thread.source = sequence;
        thread.written = sequence.wrapping_add(thread.offset);
    }

    /// The numbers to write for the threads of a sequence point.
    pub fn point(&mut self, threads: &mut [(u64, u32)]) {
        // An id may be there twice, for a thread that ended and for the one that has its id now: the latter's number is
        // the next above that of its last event.
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
