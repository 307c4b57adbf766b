//! Lost events: gaps in the sequence numbers of the capture threads.
//!
//! A thread's numbers start at 1 and increase by 1 with each attempt to write an event. Sequence points and removed
//! threads record the number of the last attempt.

use crate::block::SequencePoint;
use std::collections::HashMap;

/// Numbering of a capture thread.
#[derive(Clone, Copy, Debug, Default)]
struct Numbering {
    /// Number of the last attempt that has been counted.
    last: u32,
    /// Number of damaged ranges before it.
    damages: u32,
}

/// Counts lost events.
#[derive(Debug)]
pub(super) struct Losses {
    /// True if the format has sequence numbers.
    has_numbers: bool,
    numberings: Vec<Numbering>,
    by_thread: HashMap<u64, usize>,
    /// The thread of the last event, to look it up once for many events.
    current: Option<(u64, usize)>,
    /// Threads whose IDs were reused since the last sequence point, with their last numbers.
    ended: Vec<(u64, u32)>,
    damages: u32,
    lost: u64,
}

impl Losses {
    /// Creates a counter. `has_numbers` is true if the format has sequence numbers.
    pub fn new(has_numbers: bool) -> Self {
        Self {
            has_numbers,
            numberings: Vec::new(),
            by_thread: HashMap::new(),
            current: None,
            ended: Vec::new(),
            damages: 0,
            lost: 0,
        }
    }

    /// Returns the number of lost events; `None` if the format has no sequence numbers.
    pub fn count(&self) -> Option<u64> {
        self.has_numbers.then_some(self.lost)
    }

    fn slot(&mut self, thread: u64) -> usize {
        match self.current {
            Some((current, slot)) if current == thread => slot,
            _ => {
                let next = self.numberings.len();
                let slot = *self.by_thread.entry(thread).or_insert(next);
                if slot == next {
                    self.numberings.push(Numbering::default());
                }
                self.current = Some((thread, slot));
                slot
            }
        }
    }

    /// Records an event.
    #[inline]
    pub fn event(&mut self, thread: u64, sequence: u32) {
        if !self.has_numbers {
            return;
        }
        let (slot, damages) = (self.slot(thread), self.damages);
        let Some(numbering) = self.numberings.get_mut(slot) else { return };
        if sequence == numbering.last.wrapping_add(1) {
            *numbering = Numbering { last: sequence, damages };
        } else {
            self.gap(thread, slot, sequence);
        }
    }

    #[cold]
    fn gap(&mut self, thread: u64, slot: usize, sequence: u32) {
        let Some(numbering) = self.numberings.get_mut(slot) else { return };
        let missing = sequence.wrapping_sub(numbering.last).wrapping_sub(1);
        let before = *numbering;
        if sequence == 1 {
            // Another thread with the same ID.
            self.ended.push((thread, before.last));
        } else if missing > i32::MAX as u32 {
            // A repetition, or damage.
            return;
        } else if before.damages == self.damages {
            self.lost += u64::from(missing);
        }
        *numbering = Numbering { last: sequence, damages: self.damages };
    }

    /// Records damage, which may explain the next gap of each thread.
    pub fn damage(&mut self) {
        self.damages = self.damages.wrapping_add(1);
    }

    /// Records a sequence point.
    pub fn sequence_point(&mut self, point: &SequencePoint) {
        if !self.has_numbers {
            return;
        }
        // An ID may be listed twice: for an ended thread, and for the thread that has the ID now. The current thread's
        // number is the one that follows its events.
        let mut nearest: HashMap<u64, u32> = HashMap::new();
        for &(thread, sequence) in &point.threads {
            if let Some(missing) = self.missing(thread, sequence) {
                nearest.entry(thread).and_modify(|least| *least = missing.min(*least)).or_insert(missing);
            }
        }
        for &(thread, sequence) in &point.threads {
            let missing = self.missing(thread, sequence);
            if missing.is_some() && nearest.get(&thread).copied() == missing {
                nearest.remove(&thread);
                self.checkpoint(thread, sequence);
            } else {
                self.checkpoint_of_ended(thread, sequence);
            }
        }
        self.ended.clear();
        if point.flags & SequencePoint::FLUSH_THREADS != 0 {
            self.by_thread.clear();
            self.numberings.clear();
            self.current = None;
        }
    }

    /// Returns the number of events between a thread's last event and its last attempt; `None` if the attempt came
    /// before the event.
    fn missing(&mut self, thread: u64, sequence: u32) -> Option<u32> {
        let slot = self.slot(thread);
        let missing = sequence.wrapping_sub(self.numberings.get(slot)?.last);
        (missing <= i32::MAX as u32).then_some(missing)
    }

    /// Records the number of a thread's last attempt.
    pub fn checkpoint(&mut self, thread: u64, sequence: u32) {
        let Some(missing) = self.missing(thread, sequence).filter(|_| self.has_numbers) else { return };
        let (slot, damages) = (self.slot(thread), self.damages);
        if let Some(numbering) = self.numberings.get_mut(slot) {
            if numbering.damages == damages {
                self.lost += u64::from(missing);
            }
            if missing > 0 {
                *numbering = Numbering { last: sequence, damages };
            }
        }
    }

    /// Records the number of the last attempt of a thread whose ID was reused.
    fn checkpoint_of_ended(&mut self, thread: u64, sequence: u32) {
        let missing = |&(_, last): &(u64, u32)| sequence.wrapping_sub(last);
        let of_thread = self.ended.iter().enumerate().filter(|(_, ended)| ended.0 == thread);
        if let Some((at, ended)) = of_thread.min_by_key(|(_, ended)| missing(ended))
            && missing(ended) <= i32::MAX as u32
        {
            self.lost += u64::from(missing(ended));
            self.ended.swap_remove(at);
        }
    }

    /// Removes a thread that ended.
    pub fn forget(&mut self, thread: u64) {
        self.by_thread.remove(&thread);
        self.current = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::{BlockInfo, BlockKind};

    fn point(flags: u32, threads: &[(u64, u32)]) -> SequencePoint {
        let info = BlockInfo { kind: BlockKind::SequencePoint, offset: 0, bytes: 0, padding_bytes: 0 };
        SequencePoint { info, timestamp: 0, flags, threads: threads.to_vec() }
    }

    fn count(feed: impl FnOnce(&mut Losses)) -> Option<u64> {
        let mut losses = Losses::new(true);
        feed(&mut losses);
        losses.count()
    }

    #[test]
    fn sequence_gaps_and_unseen_numbers_are_losses() {
        let lost = count(|losses| {
            losses.event(7, 1);
            losses.event(9, 3); // 2 before the first
            losses.event(7, 2);
            losses.event(7, 6); // 3 between
            losses.sequence_point(&point(0, &[(7, 8), (9, 3), (8, 10)])); // 2 after, 10 of a thread without events
            losses.event(7, 9);
        });
        assert_eq!(lost, Some(2 + 3 + 2 + 10));
    }

    #[test]
    fn restarted_number_is_another_thread() {
        let lost = count(|losses| {
            losses.event(7, 1);
            losses.event(7, 2);
            losses.event(7, 1);
            losses.event(7, 2);
            losses.event(7, 2); // a repetition
            losses.sequence_point(&point(0, &[(7, 5), (7, 2)])); // 3 of the ended thread
        });
        assert_eq!(lost, Some(3));
    }

    #[test]
    fn first_gap_after_damage_is_not_a_loss() {
        let lost = count(|losses| {
            losses.event(7, 1);
            losses.event(8, 1);
            losses.damage();
            losses.event(7, 5);
            losses.event(7, 8); // 2 lost after the damage
            losses.sequence_point(&point(0, &[(8, 4)]));
            losses.event(8, 6); // 1
        });
        assert_eq!(lost, Some(2 + 1));
    }

    #[test]
    fn sequence_numbers_wrap_and_removed_threads_are_forgotten() {
        let lost = count(|losses| {
            losses.event(7, 1);
            losses.numberings[0].last = u32::MAX;
            losses.event(7, 0);
            losses.event(7, 1);
            losses.forget(7);
            losses.event(7, 1);
            losses.sequence_point(&point(SequencePoint::FLUSH_THREADS, &[(7, 2)])); // 1
            losses.event(7, 1);
        });
        assert_eq!(lost, Some(1));
        let mut netperf = Losses::new(false);
        netperf.event(7, 0);
        netperf.checkpoint(7, 9);
        assert_eq!(netperf.count(), None);
    }
}
