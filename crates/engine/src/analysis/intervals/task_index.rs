//! Facts from the task library by task: when a task was scheduled, ran, was awaited, or continued.

use super::pairs::PairKey;
use crate::clr::KnownEvent;
use crate::clr::known::payload::{TaskEvent, TaskWaitBegin, TaskWork};
use crate::clr::source_names::TASKS;
use crate::model::EventType;
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, ProcessId, ThreadId};
use protocol::base::sort::sort_by_key;

/// Fact about a task.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TaskFact {
    /// Handed to a scheduler.
    Scheduled,
    /// Starts to run.
    Started,
    /// An async method begins to await; the task is the method's own.
    Awaits,
    /// The continuation of an await was handed to a scheduler; the task is the continuation's.
    ContinuationScheduled,
    /// A section of the async method starts.
    Works,
    /// A thread blocks until the task ends.
    Blocks,
    Ended,
}

/// `TraceOperationEnd`: the end of an async method or another operation.
const OPERATION_END: u32 = 15;

/// Returns whether events of a type end async methods that began with [`KnownEvent::TaskOperationBegin`].
pub fn is_operation_end(event_type: &EventType) -> bool {
    event_type.provider == TASKS && event_type.record.event_id == OPERATION_END
}

/// Process and ID of a task; IDs are reused.
pub type TaskKey = (ProcessId, u32);

impl PairKey for TaskKey {
    fn is_unique(&self) -> bool {
        true
    }
}

/// Returns the fact in an event of the task library, if it is used here.
pub fn task_fact(known: KnownEvent, payload: &[u8]) -> Option<(TaskFact, u32)> {
    let plain = |fact| TaskEvent::read(payload).map(|event| (fact, event.task));
    match known {
        KnownEvent::TaskScheduled => plain(TaskFact::Scheduled),
        KnownEvent::TaskExecuteStart => plain(TaskFact::Started),
        KnownEvent::AwaitContinuationScheduled => plain(TaskFact::ContinuationScheduled),
        KnownEvent::TaskExecuteStop => plain(TaskFact::Ended),
        // Its payload begins with the task, as for a section.
        KnownEvent::TaskOperationEnd => TaskWork::read(payload).map(|work| (TaskFact::Ended, work.task)),
        KnownEvent::TaskWaitBegin => match TaskWaitBegin::read(payload)? {
            wait if wait.is_blocking => Some((TaskFact::Blocks, wait.task)),
            wait if wait.continuation != 0 => Some((TaskFact::Awaits, wait.continuation)),
            _ => None,
        },
        KnownEvent::TaskWorkBegin => TaskWork::read(payload).map(|work| (TaskFact::Works, work.task)),
        _ => None,
    }
}

/// All facts, by task and time.
#[derive(Debug, Default)]
pub struct TaskIndex {
    facts: Vec<(TaskKey, EventId, TaskFact)>,
    /// Threads that began to block on a task.
    blocks: Vec<(ThreadId, EventId, TaskKey)>,
}

impl TaskIndex {
    /// Adds the fact from an event.
    pub fn push(&mut self, task: TaskKey, thread: ThreadId, event: EventId, fact: TaskFact) {
        match fact {
            TaskFact::Blocks => self.blocks.push((thread, event, task)),
            _ => self.facts.push((task, event, fact)),
        }
    }

    /// Returns the task on which a thread last blocked at an event, and the event that ended this task.
    pub fn unblocked(&self, thread: ThreadId, event: EventId) -> Option<(TaskKey, EventId)> {
        let begun = self.blocks.partition_point(|block| (block.0, block.1) <= (thread, event));
        let (_, _, task) = self.blocks.get(begun.checked_sub(1)?).filter(|block| block.0 == thread)?;
        let from = self.facts.partition_point(|fact| (fact.0, fact.1) <= (*task, event));
        let mut after = self.facts.get(from..)?.iter().take_while(|fact| fact.0 == *task);
        after.find(|fact| fact.2 == TaskFact::Ended).map(|fact| (*task, fact.1))
    }

    /// Ends reading, after the last [`Self::push`].
    pub fn seal(&mut self) {
        sort_by_key(&mut self.facts, |fact| (fact.0, fact.1));
        sort_by_key(&mut self.blocks, |block| (block.0, block.1));
    }

    /// Returns the cause of a task's run: the event before `event` that is one of `causes`, unless the task already ran
    /// since.
    pub fn cause(&self, task: TaskKey, event: EventId, effect: TaskFact, causes: &[TaskFact]) -> Option<EventId> {
        let until = self.facts.partition_point(|fact| (fact.0, fact.1) < (task, event));
        let before = self.facts.get(..until)?.iter().rev().take_while(|fact| fact.0 == task);
        let nearest = before.into_iter().find(|fact| causes.contains(&fact.2) || fact.2 == effect)?;
        causes.contains(&nearest.2).then_some(nearest.1)
    }

    /// Returns the effect of `event` on a task: the next event that is one of `effects`, unless another cause comes
    /// first.
    pub fn effect(&self, task: TaskKey, event: EventId, cause: TaskFact, effects: &[TaskFact]) -> Option<EventId> {
        let from = self.facts.partition_point(|fact| (fact.0, fact.1) <= (task, event));
        let after = self.facts.get(from..)?.iter().take_while(|fact| fact.0 == task);
        let nearest = after.into_iter().find(|fact| effects.contains(&fact.2) || fact.2 == cause)?;
        effects.contains(&nearest.2).then_some(nearest.1)
    }

    /// Returns the recorded causes by start event.
    pub fn causes(&self) -> FastMap<EventId, EventId> {
        use TaskFact::*;
        let cause = |&(task, event, fact): &(TaskKey, EventId, TaskFact)| {
            let causes: &[TaskFact] = match fact {
                Started => &[Scheduled, ContinuationScheduled],
                Works => &[Awaits, ContinuationScheduled],
                _ => return None,
            };
            Some((event, self.cause(task, event, fact, causes)?))
        };
        self.facts.iter().filter_map(cause).collect()
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        self.facts.len() * size_of::<(TaskKey, EventId, TaskFact)>() + size_of_val(self.blocks.as_slice())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reused_task_id_refers_to_nearest_task() {
        let (task, other) = ((ProcessId(0), 7), (ProcessId(0), 8));
        let mut tasks = TaskIndex::default();
        for (key, event, fact) in [
            (task, 30, TaskFact::Scheduled),
            (task, 10, TaskFact::Scheduled),
            (other, 15, TaskFact::Started),
            (task, 20, TaskFact::Started),
            (task, 40, TaskFact::Started),
            (task, 50, TaskFact::Scheduled),
        ] {
            tasks.push(key, ThreadId(1), EventId(event), fact);
        }
        tasks.seal();
        let effect = |event| tasks.effect(task, EventId(event), TaskFact::Scheduled, &[TaskFact::Started]);
        let cause = |event| tasks.cause(task, EventId(event), TaskFact::Started, &[TaskFact::Scheduled]);
        assert_eq!([effect(10), effect(30), effect(50)], [Some(EventId(20)), Some(EventId(40)), None]);
        assert_eq!([cause(20), cause(40), cause(10)], [Some(EventId(10)), Some(EventId(30)), None]);
        assert_eq!(tasks.cause(other, EventId(15), TaskFact::Started, &[TaskFact::Scheduled]), None);
    }

    #[test]
    fn thread_is_unblocked_by_end_of_awaited_task() {
        let (task, other) = ((ProcessId(0), 7), (ProcessId(0), 8));
        let mut tasks = TaskIndex::default();
        tasks.push(task, ThreadId(1), EventId(10), TaskFact::Blocks);
        tasks.push(other, ThreadId(1), EventId(50), TaskFact::Blocks);
        tasks.push(task, ThreadId(2), EventId(30), TaskFact::Ended);
        tasks.seal();
        let unblocked = |thread, event| tasks.unblocked(ThreadId(thread), EventId(event));
        assert_eq!(unblocked(1, 20), Some((task, EventId(30))));
        assert_eq!([unblocked(1, 5), unblocked(2, 20), unblocked(1, 40), unblocked(1, 60)], [None; 4]);
    }
}
