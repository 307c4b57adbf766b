//! Lost events, from gaps in the sequence numbers of each capture thread. A thread's numbers begin at 1. Sequence
//! points contain the number of its last attempt to write.

use protocol::base::hash::FastMap;

/// Gap of events that a capture thread tried to write but that aren't in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Loss {
    /// OS ID of the capture thread.
    pub os_thread: u64,
    /// Ticks of the thread's last event or sequence point before the gap; `None` if the gap is at the beginning.
    pub after_ticks: Option<i64>,
    /// Ticks of the event or sequence point that revealed the gap.
    pub before_ticks: i64,
    /// Number of lost events.
    pub count: u64,
    /// True if a sequence point revealed the gap, false if an event did.
    pub shown_by_point: bool,
}

/// Losses of a trace, from sequence numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct LossTotals {
    /// All gaps, in the order of detection.
    pub losses: Vec<Loss>,
    /// Total number of lost events.
    pub lost: u64,
    /// Number of events in damaged parts of the file. They were written, so they don't count as lost.
    pub destroyed: u64,
    /// Number of threads whose final number of attempts isn't recorded in a sequence point.
    pub unchecked_threads: u32,
}

/// What can't be read inside of event blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Unreadable {
    /// Bytes at the end of blocks that were skipped.
    pub bytes: u64,
    /// Bytes of blocks whose events can't all be right, for example because their metadata doesn't exist.
    pub garbled_bytes: u64,
    /// Number of events in damaged parts of the file, including damaged blocks.
    pub events: u64,
}

impl Unreadable {
    /// Returns whether a part is unreadable.
    pub fn is_any(&self) -> bool {
        *self != Self::default()
    }
}

/// Relation of a sequence number to the previous one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Continuity {
    /// Next number.
    Continues,
    /// Number after a gap, which was added to the losses.
    Gap,
    /// Restart at 1: a new thread reuses the ID.
    Restarted,
    /// Repeated or smaller number, caused by duplicate or damaged events.
    Backwards,
}

#[derive(Clone, Copy, Debug, Default)]
struct CaptureThread {
    id: u64,
    last_sequence: u32,
    last_ticks: Option<i64>,
    /// Number in the last sequence point.
    checked: u32,
}

/// Tracker of the sequence numbers of all capture threads.
#[derive(Clone, Debug, Default)]
pub(crate) struct SequenceTracker {
    threads: Vec<CaptureThread>,
    by_id: FastMap<u64, u32>,
    last: (u64, u32),
    /// Threads whose IDs were reused, until a sequence point with their last numbers.
    ended: Vec<CaptureThread>,
    /// Last numbers of all threads before the last damage.
    before_damage: Vec<u32>,
    is_damaged: bool,
    totals: LossTotals,
}

impl SequenceTracker {
    /// Returns the slot of a capture thread, the same for the whole trace.
    #[inline]
    pub fn slot(&mut self, capture_thread: u64) -> u32 {
        if self.last.0 == capture_thread && !self.threads.is_empty() {
            return self.last.1;
        }
        let next = self.threads.len() as u32;
        let slot = *self.by_id.entry(capture_thread).or_insert(next);
        if slot == next {
            self.threads.push(CaptureThread { id: capture_thread, ..CaptureThread::default() });
        }
        self.last = (capture_thread, slot);
        slot
    }

    /// Returns the ID of a slot's capture thread in the file.
    pub fn id(&self, slot: u32) -> u64 {
        self.threads.get(slot as usize).map_or(0, |thread| thread.id)
    }

    /// Adds the next event of a capture thread.
    #[inline]
    pub fn event(&mut self, slot: u32, sequence: u32, ticks: i64) -> Continuity {
        let Some(thread) = self.threads.get_mut(slot as usize) else { return Continuity::Backwards };
        let expected = thread.last_sequence.wrapping_add(1);
        if sequence == expected {
            thread.last_sequence = sequence;
            thread.last_ticks = Some(ticks);
            return Continuity::Continues;
        }
        self.gap(slot, sequence, ticks)
    }

    /// Returns whether an event with this number would follow the last one of its capture thread, possibly after a gap.
    pub fn is_forward(&self, capture_thread: u64, sequence: u32) -> bool {
        let slot = self.by_id.get(&capture_thread).and_then(|slot| self.threads.get(*slot as usize));
        let last = slot.map_or(0, |thread| thread.last_sequence);
        let missing = sequence.wrapping_sub(last).wrapping_sub(1);
        missing <= i32::MAX as u32 && (missing == 0 || sequence != 1)
    }

    /// Adds events of a capture thread without gaps, up to the one with this number.
    pub fn continue_to(&mut self, slot: u32, sequence: u32, ticks: i64) {
        if let Some(thread) = self.threads.get_mut(slot as usize) {
            thread.last_sequence = sequence;
            thread.last_ticks = Some(ticks);
        }
    }

    #[cold]
    fn gap(&mut self, slot: u32, sequence: u32, ticks: i64) -> Continuity {
        let Some(thread) = self.threads.get_mut(slot as usize) else { return Continuity::Backwards };
        let before = *thread;
        let missing = sequence.wrapping_sub(before.last_sequence).wrapping_sub(1);
        thread.last_ticks = Some(ticks);
        if sequence == 1 {
            (thread.last_sequence, thread.checked) = (1, 0);
            self.ended.push(before);
            return Continuity::Restarted;
        }
        if missing > i32::MAX as u32 {
            return Continuity::Backwards;
        }
        thread.last_sequence = sequence;
        if self.wrote_nothing_since_damage(slot, &before) {
            self.totals.destroyed += u64::from(missing);
            return Continuity::Continues;
        }
        self.add(Loss {
            os_thread: before.id,
            after_ticks: before.last_ticks,
            before_ticks: ticks,
            count: u64::from(missing),
            shown_by_point: false,
        });
        Continuity::Gap
    }

    /// Returns whether the thread hasn't written since the last damage. If so, its missing events were in the damaged
    /// range.
    fn wrote_nothing_since_damage(&self, slot: u32, thread: &CaptureThread) -> bool {
        self.is_damaged && self.before_damage.get(slot as usize).copied().unwrap_or(0) == thread.last_sequence
    }

    /// Records damage, which explains the next missing events of each thread.
    pub fn damage(&mut self) {
        self.is_damaged = true;
        self.before_damage.clear();
        self.before_damage.extend(self.threads.iter().map(|thread| thread.last_sequence));
    }

    /// Returns the number of lost events that a sequence point reveals for a capture thread; `None` if its number is
    /// that of an ended thread whose ID was reused.
    pub fn missing_at(&mut self, capture_thread: u64, sequence: u32) -> Option<u32> {
        let slot = self.slot(capture_thread);
        let missing = sequence.wrapping_sub(self.threads.get(slot as usize)?.last_sequence);
        (missing <= i32::MAX as u32).then_some(missing)
    }

    /// Adds the number of the last event that a capture thread tried to write, from a sequence point.
    pub fn checkpoint(&mut self, capture_thread: u64, sequence: u32, ticks: i64, os_thread: u64) {
        let Some(missing) = self.missing_at(capture_thread, sequence) else { return };
        let slot = self.slot(capture_thread);
        let Some(thread) = self.threads.get_mut(slot as usize) else { return };
        let before = *thread;
        (thread.last_sequence, thread.checked) = (sequence, sequence);
        // Later losses happened after this time.
        thread.last_ticks = Some(before.last_ticks.unwrap_or(ticks).max(ticks));
        if missing > 0 && self.wrote_nothing_since_damage(slot, &before) {
            self.totals.destroyed += u64::from(missing);
        } else if missing > 0 {
            let (after_ticks, count) = (before.last_ticks, u64::from(missing));
            self.add(Loss { os_thread, after_ticks, before_ticks: ticks, count, shown_by_point: true });
        }
    }

    /// Adds a number from a sequence point that doesn't belong to the current thread with the ID. It belongs to the
    /// previous thread if it follows that thread's events.
    pub fn checkpoint_of_ended(&mut self, capture_thread: u64, sequence: u32, ticks: i64) {
        let missing = |thread: &CaptureThread| sequence.wrapping_sub(thread.last_sequence);
        let of_id = self.ended.iter().enumerate().filter(|(_, thread)| thread.id == capture_thread);
        let Some((at, thread)) = of_id.min_by_key(|(_, thread)| missing(thread)) else { return };
        let (count, after_ticks) = (missing(thread), thread.last_ticks);
        if count <= i32::MAX as u32 {
            self.ended.swap_remove(at);
            if count > 0 {
                let (os_thread, count) = (capture_thread, u64::from(count));
                self.add(Loss { os_thread, after_ticks, before_ticks: ticks, count, shown_by_point: true });
            }
        }
    }

    /// Forgets ended threads after a sequence point. Later sequence points don't contain them.
    pub fn forget_ended(&mut self) {
        self.ended.clear();
    }

    /// Sets the thread of the last loss: in version 6, events don't contain its OS ID.
    pub fn set_last_os_thread(&mut self, os_thread: u64) {
        if let Some(loss) = self.totals.losses.last_mut() {
            loss.os_thread = os_thread;
        }
    }

    /// Forgets the number of a thread that ended.
    pub fn forget_number(&mut self, capture_thread: u64) {
        let slot = self.slot(capture_thread);
        if let Some(thread) = self.threads.get_mut(slot as usize) {
            *thread = CaptureThread { id: capture_thread, ..CaptureThread::default() };
        }
    }

    /// Forgets the numbers of all threads, which restart at these ticks (version 6).
    pub fn forget_numbers(&mut self, ticks: i64) {
        for thread in &mut self.threads {
            (thread.last_sequence, thread.checked) = (0, 0);
            thread.last_ticks = Some(ticks);
        }
    }

    /// Returns the number of gaps so far.
    pub fn gaps(&self) -> usize {
        self.totals.losses.len()
    }

    /// Forgets the gaps since there were this many, because a garbled block doesn't prove that events were lost.
    pub fn forget_gaps(&mut self, since: usize) {
        for loss in self.totals.losses.drain(since.min(self.totals.losses.len())..) {
            self.totals.lost -= loss.count;
        }
    }

    fn add(&mut self, loss: Loss) {
        self.totals.lost += loss.count;
        self.totals.losses.push(loss);
    }

    /// Returns the losses.
    pub fn finish(self) -> LossTotals {
        let unchecked = self.threads.iter().filter(|thread| thread.last_sequence != thread.checked);
        LossTotals { unchecked_threads: unchecked.count() as u32, ..self.totals }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(tracker: &mut SequenceTracker, thread: u64, sequence: u32, ticks: i64) -> Continuity {
        let slot = tracker.slot(thread);
        tracker.event(slot, sequence, ticks)
    }

    #[test]
    fn gap_has_thread_and_time() {
        let mut tracker = SequenceTracker::default();
        feed(&mut tracker, 7, 1, 100);
        feed(&mut tracker, 9, 3, 120);
        feed(&mut tracker, 7, 2, 130);
        feed(&mut tracker, 7, 6, 150);
        let LossTotals { losses, lost, .. } = tracker.finish();
        assert_eq!(
            losses,
            [
                Loss { os_thread: 9, after_ticks: None, before_ticks: 120, count: 2, shown_by_point: false },
                Loss { os_thread: 7, after_ticks: Some(130), before_ticks: 150, count: 3, shown_by_point: false },
            ]
        );
        assert_eq!(lost, 5);
    }

    #[test]
    fn sequence_point_reveals_losses() {
        let mut tracker = SequenceTracker::default();
        feed(&mut tracker, 7, 1, 100);
        tracker.checkpoint(7, 4, 200, 7);
        tracker.checkpoint(8, 10, 200, 8);
        feed(&mut tracker, 7, 5, 210);
        tracker.checkpoint(7, 5, 300, 7);
        feed(&mut tracker, 7, 9, 400);
        let LossTotals { losses, lost, .. } = tracker.finish();
        let [at_end, unseen, after_point] = losses.as_slice() else { panic!("{losses:?}") };
        assert_eq!((at_end.after_ticks, at_end.before_ticks, at_end.count), (Some(100), 200, 3));
        assert_eq!((unseen.os_thread, unseen.after_ticks, unseen.count), (8, None, 10));
        assert_eq!((after_point.after_ticks, after_point.before_ticks), (Some(300), 400), "not lost before the point");
        assert_eq!(lost, 16);
    }

    #[test]
    fn restarted_sequence_is_another_thread_without_loss() {
        let mut tracker = SequenceTracker::default();
        feed(&mut tracker, 7, 1, 100);
        feed(&mut tracker, 7, 2, 110);
        assert_eq!(feed(&mut tracker, 7, 1, 200), Continuity::Restarted);
        assert_eq!(feed(&mut tracker, 7, 2, 210), Continuity::Continues);
        assert_eq!(feed(&mut tracker, 7, 2, 220), Continuity::Backwards);
        assert_eq!(tracker.finish().lost, 0);
    }

    #[test]
    fn events_in_damage_are_not_lost() {
        let mut tracker = SequenceTracker::default();
        feed(&mut tracker, 7, 1, 100);
        feed(&mut tracker, 8, 1, 100);
        tracker.damage();
        // Lost between 1 and 5, and before a thread's first event.
        assert_eq!(feed(&mut tracker, 7, 5, 200), Continuity::Continues);
        feed(&mut tracker, 9, 3, 210);
        assert_eq!(feed(&mut tracker, 7, 8, 220), Continuity::Gap, "the damage is over");
        tracker.checkpoint(8, 4, 300, 8);
        tracker.checkpoint(9, 4, 300, 9);
        let totals = tracker.finish();
        assert_eq!((totals.destroyed, totals.lost), (3 + 2 + 3, 2 + 1));
        assert_eq!(totals.unchecked_threads, 1, "7 wrote after the last point");
    }

    #[test]
    fn sequence_wraps_without_loss() {
        let mut tracker = SequenceTracker::default();
        let slot = tracker.slot(7);
        tracker.threads[slot as usize].last_sequence = u32::MAX - 1;
        assert_eq!(feed(&mut tracker, 7, u32::MAX, 1), Continuity::Continues);
        assert_eq!(feed(&mut tracker, 7, 0, 2), Continuity::Continues);
        assert_eq!(feed(&mut tracker, 7, 1, 3), Continuity::Continues);
        assert_eq!(feed(&mut tracker, 7, 3, 4), Continuity::Gap);
        assert_eq!(tracker.finish().lost, 1);
    }
}
