//! Sequence numbers, which continue as if the removed events had never existed, so that a gap still means lost events.

use std::collections::HashMap;

/// Numbering of the events of a capture thread.
#[derive(Clone, Copy, Debug, Default)]
struct Numbering {
    /// Number of the last event in the source.
    last: u32,
    /// Number of removed events.
    excluded: u32,
}

/// Numbering of all capture threads.
#[derive(Clone, Debug, Default)]
pub(super) struct Sequences(HashMap<u64, Numbering>);

impl Sequences {
    /// Records an event and returns its new number.
    pub fn event(&mut self, thread: u64, sequence: u32, is_kept: bool) -> u32 {
        let numbering = self.0.entry(thread).or_insert(Numbering { last: sequence, excluded: 0 });
        // Numbers that start again belong to another thread with the same ID.
        if (sequence.wrapping_sub(numbering.last) as i32) < 0 {
            numbering.excluded = 0;
        }
        numbering.last = sequence;
        numbering.excluded = numbering.excluded.wrapping_add(u32::from(!is_kept));
        sequence.wrapping_sub(numbering.excluded)
    }

    /// Returns the new number of a thread's last event, whose number was `sequence`.
    pub fn last(&self, thread: u64, sequence: u32) -> u32 {
        sequence.wrapping_sub(self.0.get(&thread).map_or(0, |numbering| numbering.excluded))
    }

    /// Removes a thread.
    pub fn remove(&mut self, thread: u64) {
        self.0.remove(&thread);
    }

    /// Removes all threads.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::Sequences;

    #[test]
    fn removed_events_leave_no_gap_and_losses_stay() {
        let mut sequences = Sequences::default();
        assert_eq!(sequences.event(7, 10, true), 10);
        sequences.event(7, 11, false);
        sequences.event(7, 12, false);
        assert_eq!(sequences.event(7, 13, true), 11);
        // 14 to 16 were lost.
        assert_eq!(sequences.event(7, 17, true), 15);
        assert_eq!(sequences.last(7, 18), 16);
        assert_eq!(sequences.last(8, 5), 5, "none of its events was excluded");
    }

    #[test]
    fn sequence_numbers_wrap_and_restart() {
        let mut sequences = Sequences::default();
        sequences.event(1, u32::MAX, false);
        assert_eq!(sequences.event(1, 0, true), u32::MAX);
        sequences.event(2, 500, false);
        assert_eq!(sequences.event(2, 1, true), 1, "another thread of the same id");
    }
}
