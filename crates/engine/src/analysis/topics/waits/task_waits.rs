//! Tasks on which threads blocked, and the async calls that they represent.

use protocol::base::hash::FastMap;
use protocol::base::ids::{StackId, ThreadId};

/// Waits that the task library reports, in time order.
#[derive(Clone, Debug, Default)]
pub struct TaskWaits {
    /// By thread: start of a wait in nanoseconds, and its task.
    by_thread: FastMap<ThreadId, Vec<(i64, u32)>>,
    /// By task of an async method: the stack of its call.
    calls: FastMap<u32, StackId>,
}

impl TaskWaits {
    /// Adds a thread's wait on a task; time in nanoseconds.
    pub fn waits(&mut self, thread: ThreadId, time: i64, task: u32) {
        self.by_thread.entry(thread).or_default().push((time, task));
    }

    /// Adds the call of an async method with its task. Task IDs repeat after four billion.
    pub fn calls(&mut self, task: u32, stack: StackId) {
        self.calls.insert(task, stack);
    }

    /// Returns the call of the async method on which a thread blocks at a time.
    pub fn called_at(&self, thread: ThreadId, time: i64) -> Option<StackId> {
        let waits = self.by_thread.get(&thread)?;
        let begun = waits.partition_point(|(begin, _)| *begin <= time).checked_sub(1)?;
        self.calls.get(&waits.get(begun)?.1).copied()
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        let waits: usize = self.by_thread.values().map(Vec::len).sum();
        waits * size_of::<(i64, u32)>() + self.calls.len() * size_of::<(u32, StackId)>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocked_thread_waits_for_latest_task() {
        let mut tasks = TaskWaits::default();
        tasks.calls(71, StackId(5));
        tasks.waits(ThreadId(1), 100, 71);
        tasks.waits(ThreadId(1), 200, 72);
        let at = |thread, time| tasks.called_at(ThreadId(thread), time);
        assert_eq!([at(1, 99), at(1, 100), at(1, 250), at(2, 150)], [None, Some(StackId(5)), None, None]);
    }
}
