//! Events about tasks and awaits (TPL provider).

use super::cursor::{Cursor, Utf16Text};

/// Common field of `TaskScheduled`, `TaskStarted`, `TaskCompleted`, `TaskWaitBegin`, `TaskWaitEnd` and
/// `AwaitTaskContinuationScheduled`, all versions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TaskEvent {
    /// ID of the task; for `AwaitTaskContinuationScheduled`, that of the continuation.
    pub task: u32,
}

impl TaskEvent {
    pub fn read(payload: &[u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        let (_scheduler, _originating_task) = (cursor.u32()?, cursor.u32()?);
        Some(Self { task: cursor.u32()? })
    }
}

/// Payload of `TaskWaitBegin` from version 1 on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TaskWaitBegin {
    /// Awaited task.
    pub task: u32,
    /// True if a thread is blocked, false if an async method is awaiting.
    pub is_blocking: bool,
    /// Task of the async method that continues afterwards, from version 3 on; 0 for none.
    pub continuation: u32,
}

impl TaskWaitBegin {
    pub fn read(payload: &[u8]) -> Option<Self> {
        const SYNCHRONOUS: u32 = 1;
        let mut cursor = Cursor::new(payload, 8);
        let (_scheduler, _originating_task, task) = (cursor.u32()?, cursor.u32()?, cursor.u32()?);
        let is_blocking = cursor.u32()? == SYNCHRONOUS;
        Some(Self { task, is_blocking, continuation: cursor.u32().unwrap_or(0) })
    }
}

/// Payload of `TraceOperationBegin`: an async method was called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TaskOperation<'d> {
    /// ID of its task.
    pub task: u32,
    /// Name: `Async: <SendAsync>d__6`.
    pub name: Utf16Text<'d>,
}

impl<'d> TaskOperation<'d> {
    pub fn read(payload: &'d [u8]) -> Option<Self> {
        let mut cursor = Cursor::new(payload, 8);
        Some(Self { task: cursor.u32()?, name: cursor.text()? })
    }
}

/// Payload of `TraceSynchronousWorkBegin`: start of a synchronous part of an async method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TaskWork {
    /// ID of its task.
    pub task: u32,
}

impl TaskWork {
    pub fn read(payload: &[u8]) -> Option<Self> {
        Some(Self { task: Cursor::new(payload, 8).u32()? })
    }
}

#[cfg(test)]
mod tests {
    use super::super::cursor::testing::utf16;
    use super::*;

    fn words(words: &[u32]) -> Vec<u8> {
        words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn await_has_task_and_continuation() {
        let wait = TaskWaitBegin::read(&words(&[1, 0, 59, 2, 58])).expect("complete payload");
        assert_eq!((wait.task, wait.is_blocking, wait.continuation), (59, false, 58));
        assert_eq!(TaskWaitBegin::read(&words(&[1, 0, 59, 1])).map(|wait| wait.continuation), Some(0));
        assert_eq!(TaskWaitBegin::read(&words(&[1, 0, 59])), None);
        assert_eq!(TaskEvent::read(&words(&[1, 0, 7])), Some(TaskEvent { task: 7 }));
        let operation = [words(&[85]), utf16("Async: <Send>d__6")].concat();
        assert_eq!(
            TaskOperation::read(&operation).map(|one| one.name.to_string()),
            Some("Async: <Send>d__6".to_owned())
        );
        assert_eq!(TaskWork::read(&words(&[34, 2])), Some(TaskWork { task: 34 }));
    }
}
