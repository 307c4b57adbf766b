//! Collects the events of the task library by task. Task IDs are reused.

use super::Recorded;
use crate::analysis::intervals::interval_set::Interval;
use crate::analysis::intervals::spans::index::Family;
use crate::analysis::intervals::spans::names::async_method;
use crate::analysis::intervals::task_index::{TaskKey, is_operation_end};
use crate::analysis::topics::Known;
use crate::analysis::topics::shared::call_site::Site;
use crate::analysis::topics::shared::interned_texts::InternedTexts;
use crate::clr::KnownEvent;
use crate::clr::known::payload::{TaskEvent, TaskOperation, TaskWaitBegin, TaskWork};
use crate::model::{EventChunk, EventType, Store};
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, ThreadId};
use protocol::base::sort::sort_by_key;

/// Marks the absence of a position.
pub(super) const NONE: u32 = u32::MAX;

/// A task that was handed to a scheduler.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Task {
    /// Event that scheduled the task, or its start event if the trace doesn't contain that one.
    pub event: EventId,
    pub number: u32,
    pub scheduled: Option<i64>,
    pub started: Option<i64>,
    pub ended: Option<i64>,
    pub is_exceptional: bool,
    /// The thread on which it ran; before that, the one that scheduled it.
    pub thread: ThreadId,
    /// The call site that scheduled it, resolved once all events are read.
    pub site: Site,
}

impl Task {
    /// Returns the nanoseconds that it waited for a thread.
    pub fn waited(&self) -> Option<i64> {
        Some(self.started?.saturating_sub(self.scheduled?))
    }

    /// Returns the nanoseconds that it ran.
    pub fn ran(&self) -> Option<i64> {
        Some(self.ended?.saturating_sub(self.started?))
    }

    /// Returns the times of its first and last event. If a recorded end is missing, it continues to the end.
    pub fn lasts(&self, recorded: Recorded) -> (i64, i64) {
        let times = || [self.scheduled, self.started, self.ended].into_iter().flatten();
        let goes_on = match (self.started, self.ended) {
            (_, Some(_)) => false,
            (Some(_), None) => recorded.task_ends,
            (None, None) => recorded.task_starts,
        };
        let last = if goes_on { i64::MAX } else { times().max().unwrap_or(i64::MAX) };
        (times().min().unwrap_or(i64::MIN), last)
    }

    /// Returns whether it was scheduled before the trace began: it has no schedule event.
    pub fn is_earlier(&self, recorded: Recorded) -> bool {
        recorded.schedules && self.scheduled.is_none()
    }

    /// Returns its state in words.
    pub fn state(&self, recorded: Recorded) -> &'static str {
        match (self.started, self.ended, self.is_exceptional) {
            (None, None, _) if !recorded.task_starts => "scheduled",
            (None, None, _) => "not started",
            (_, None, _) if !recorded.task_ends => "started",
            (_, None, _) => "unfinished",
            (_, _, true) => "failed",
            _ => "completed",
        }
    }
}

/// A call of an async method.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Operation {
    pub event: EventId,
    pub number: u32,
    pub thread: ThreadId,
    pub start: i64,
    pub end: Option<i64>,
    /// `AsyncCausalityStatus`: 1 completed, 2 canceled, 3 error.
    pub status: u32,
    /// Position of a text.
    pub name: u32,
    pub awaits: u32,
    /// Nanoseconds that its sections ran on threads, without the async methods they called.
    pub ran: i64,
    /// Nanoseconds that its sections ran on threads, including their callees.
    pub busy: i64,
    /// Position of the async method that awaits it, or [`NONE`].
    pub awaited_by: u32,
}

impl Operation {
    /// Returns the times of its call and its end.
    pub fn lasts(&self) -> (i64, i64) {
        (self.start, self.end.unwrap_or(i64::MAX))
    }

    pub fn duration(&self) -> Option<i64> {
        Some(self.end?.saturating_sub(self.start))
    }

    pub fn state(&self) -> &'static str {
        match (self.end, self.status) {
            (None, _) => "unfinished",
            (_, 2) => "canceled",
            (_, 3) => "failed",
            _ => "completed",
        }
    }
}

/// A thread's synchronous wait for a task.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Blocking {
    pub event: EventId,
    pub start: i64,
    /// `None` if its end is unknown.
    pub end: Option<i64>,
    /// Resolved once all events are read.
    pub site: Site,
    /// Positions of the async method that it waited for, and of the task; or [`NONE`].
    operation: u32,
    task: u32,
}

impl Blocking {
    /// Returns its start and end, if known.
    pub fn lasts(&self) -> (i64, i64) {
        (self.start, self.end.unwrap_or(self.start))
    }

    /// Returns its duration in nanoseconds.
    pub fn duration(&self) -> Option<i64> {
        Some(self.end?.saturating_sub(self.start))
    }
}

/// All items, in the order of their starts.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    pub tasks: Vec<Task>,
    pub operations: Vec<Operation>,
    pub blocking: Vec<Blocking>,
    pub texts: InternedTexts,
    open_tasks: FastMap<TaskKey, u32>,
    open_operations: FastMap<TaskKey, u32>,
    /// Sections of async methods: start event, and position of the method.
    pieces: Vec<(EventId, u32)>,
}

/// Returns whether an event is about tasks.
pub(super) fn is_task_event(event_type: &EventType) -> bool {
    use KnownEvent::{
        TaskExecuteStart, TaskExecuteStop, TaskOperationBegin, TaskScheduled, TaskWaitBegin, TaskWorkBegin,
    };
    matches!(
        event_type.known,
        TaskScheduled | TaskExecuteStart | TaskExecuteStop | TaskOperationBegin | TaskWaitBegin | TaskWorkBegin
    ) || is_operation_end(event_type)
}

impl Gathered {
    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        let open = (self.open_tasks.len() + self.open_operations.len()) * size_of::<(TaskKey, u32)>();
        self.tasks.len() * size_of::<Task>()
            + self.operations.len() * size_of::<Operation>()
            + self.blocking.len() * size_of::<Blocking>()
            + self.pieces.len() * size_of::<(EventId, u32)>()
            + self.texts.bytes()
            + open
    }

    /// Reads an event.
    pub fn take(&mut self, store: &Store, chunk: &EventChunk, row: usize, payload: &[u8]) {
        let Some(event_type) = store.types.get(chunk.event_type(row)) else { return };
        let (event, thread) = (chunk.event_id(row), chunk.thread(row));
        let time = store.clock.nanos(chunk.ticks(row)).0;
        let process = store.threads.get(thread).map(|thread| thread.process).unwrap_or_default();
        let word = |at: usize| Some(u32::from_le_bytes(payload.get(at..at + 4)?.try_into().ok()?));
        match event_type.known {
            KnownEvent::TaskScheduled => {
                let Some(payload) = TaskEvent::read(payload) else { return };
                self.open_tasks.insert((process, payload.task), self.tasks.len() as u32);
                self.tasks.push(Task { scheduled: Some(time), ..unknown(event, payload.task, thread) });
            }
            KnownEvent::TaskExecuteStart => {
                let Some(payload) = TaskEvent::read(payload) else { return };
                let task = self.task((process, payload.task), event, thread, |task| task.started.is_none());
                (task.started, task.thread) = (Some(time), thread);
            }
            KnownEvent::TaskExecuteStop => {
                let Some(task_event) = TaskEvent::read(payload) else { return };
                // Items that began before the trace have no start here.
                if let Some(task) =
                    self.open_tasks.remove(&(process, task_event.task)).and_then(|at| self.tasks.get_mut(at as usize))
                {
                    task.ended = Some(time);
                    task.is_exceptional = payload.get(12).is_some_and(|byte| *byte != 0);
                }
            }
            KnownEvent::TaskOperationBegin => {
                let Some(payload) = TaskOperation::read(payload) else { return };
                let name = payload.name.to_string();
                // Others are combinators such as Task.WhenAll.
                let name = self.texts.position(&async_method(&name));
                self.open_operations.insert((process, payload.task), self.operations.len() as u32);
                self.operations.push(Operation {
                    event,
                    number: payload.task,
                    thread,
                    start: time,
                    end: None,
                    status: 0,
                    name,
                    awaits: 0,
                    ran: 0,
                    busy: 0,
                    awaited_by: NONE,
                });
            }
            KnownEvent::TaskWaitBegin => {
                let Some(payload) = TaskWaitBegin::read(payload) else { return };
                if payload.is_blocking {
                    let open = |of: &FastMap<TaskKey, u32>| of.get(&(process, payload.task)).copied().unwrap_or(NONE);
                    let (operation, task) = (open(&self.open_operations), open(&self.open_tasks));
                    return self.blocking.push(Blocking {
                        event,
                        start: time,
                        end: None,
                        site: Site::default(),
                        operation,
                        task,
                    });
                }
                let awaiting = self.open_operations.get(&(process, payload.continuation)).copied();
                let Some(awaiting) = awaiting.filter(|_| payload.continuation != 0) else { return };
                self.operations[awaiting as usize].awaits += 1;
                if let Some(awaited) =
                    self.open_operations.get(&(process, payload.task)).filter(|one| **one != awaiting)
                {
                    self.operations[*awaited as usize].awaited_by = awaiting;
                }
            }
            KnownEvent::TaskWorkBegin => {
                let Some(payload) = TaskWork::read(payload) else { return };
                self.pieces.extend(self.open_operations.get(&(process, payload.task)).map(|at| (event, *at)));
            }
            _ if is_operation_end(event_type) => {
                let (Some(task), Some(status)) = (word(0), word(4)) else { return };
                if let Some(at) = self.open_operations.remove(&(process, task)) {
                    let operation = &mut self.operations[at as usize];
                    (operation.end, operation.status) = (Some(time), status);
                }
            }
            _ => {}
        }
    }

    /// Returns the open task with this key for which `is_right` is true, or else a new one.
    fn task(&mut self, key: TaskKey, event: EventId, thread: ThreadId, is_right: impl Fn(&Task) -> bool) -> &mut Task {
        let known = self.open_tasks.get(&key).map(|at| *at as usize);
        let at = match known.filter(|at| self.tasks.get(*at).is_some_and(is_right)) {
            Some(at) => at,
            None => {
                self.open_tasks.insert(key, self.tasks.len() as u32);
                self.tasks.push(unknown(event, key.1, thread));
                self.tasks.len() - 1
            }
        };
        &mut self.tasks[at]
    }

    /// Adds the durations of sections and waits, which are those of spans.
    pub fn finish(&mut self, known: &Known<'_>) {
        (self.open_tasks, self.open_operations) = Default::default();
        let mut sites = known.sites();
        for task in self.tasks.iter_mut().filter(|task| task.scheduled.is_some()) {
            task.site = sites.of_event(task.event);
        }
        for one in &mut self.blocking {
            one.site = sites.of_event(one.event);
        }
        let pieces = std::mem::take(&mut self.pieces);
        let Some(spans) = known.spans else { return };
        let end_of = |event: EventId| match spans.with_event(event) {
            Some((Family::Span, at)) => {
                spans.spans().get(at as usize).filter(|span| span.interval.event == event).map(|span| span.interval)
            }
            _ => None,
        };
        let whole = |(event, at): (EventId, u32)| Some((end_of(event).filter(Interval::is_whole)?, at));
        let mut pieces: Vec<(Interval, u32)> = pieces.into_iter().filter_map(whole).collect();
        sort_by_key(&mut pieces, |(interval, _)| (interval.thread, interval.start, interval.event));
        // Sections that contain the latest one.
        let mut around: Vec<(Interval, u32)> = Vec::new();
        for (interval, at) in pieces {
            let is_around = |(one, _): &(Interval, u32)| one.thread == interval.thread && interval.end <= one.end;
            while around.last().is_some_and(|one| !is_around(one)) {
                around.pop();
            }
            if let Some(caller) = around.last().and_then(|one| self.operations.get_mut(one.1 as usize)) {
                caller.ran -= interval.duration();
            }
            if let Some(operation) = self.operations.get_mut(at as usize) {
                operation.ran += interval.duration();
                operation.busy += interval.duration();
            }
            around.push((interval, at));
        }
        for wait in &mut self.blocking {
            // Recordings without the ends of waits still contain the end of the awaited method.
            let operation = self.operations.get(wait.operation as usize).and_then(|one| one.end);
            let awaited = operation.or_else(|| self.tasks.get(wait.task as usize)?.ended);
            let own_end = end_of(wait.event).filter(Interval::is_whole).map(|interval| interval.end);
            wait.end = own_end.or(awaited.filter(|end| *end >= wait.start));
        }
    }
}

fn unknown(event: EventId, number: u32, thread: ThreadId) -> Task {
    Task {
        event,
        number,
        scheduled: None,
        started: None,
        ended: None,
        is_exceptional: false,
        thread,
        site: Site::default(),
    }
}
