//! Time of threads that samples don't represent.
//!
//! In a gap between samples, an event may record the thread's state: it waited for a lock or a handle, or was off every
//! CPU. That time is the weight of the event's stack, so that stacks have the same totals as states
//! (docs/format/thread-states.md#weights).

use super::index::SampleIndex;
use super::thread_samples::ThreadSamples;
use crate::analysis::scan::selection::Selection;
use protocol::base::ids::{EventId, StackId, ThreadId};
use protocol::base::time::Span;
use protocol::timeline::thread_state::Activity;
use std::rc::Rc;

/// A part of a thread's time in one state, which an event records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RecordedTime {
    /// Nanoseconds.
    pub start: i64,
    /// Nanoseconds.
    pub end: i64,
    /// One of [`protocol::tables::state`].
    pub state: u8,
    pub stack: StackId,
    pub event: EventId,
}

impl RecordedTime {
    /// Returns the part within a span; `None` if it is empty.
    pub fn within(&self, span: Span) -> Option<Self> {
        let (start, end) = (self.start.max(span.start.0), self.end.min(span.end.0));
        (start < end).then_some(Self { start, end, ..*self })
    }
}

/// All time of a filter's threads, as stacks: samples, and recorded times without samples.
#[derive(Clone, Debug)]
pub struct ThreadTime {
    /// By thread, in time order.
    pub stacks: Rc<SampleIndex>,
    /// The events that count.
    pub selection: Rc<Selection>,
}

impl ThreadTime {
    /// Returns the samples and recorded times that count: their thread, its samples, and their position in them.
    pub fn counted(&self) -> impl Iterator<Item = (ThreadId, &ThreadSamples, usize)> {
        self.stacks.iter().flat_map(|(id, thread)| {
            let counts = |index: &usize| self.selection.contains(thread.event(*index).index());
            (0..thread.len()).filter(counts).map(move |index| (id, thread, index))
        })
    }

    /// Returns those in which threads ran: the thread, its stack, the start and the nanoseconds.
    pub fn running(&self) -> impl Iterator<Item = (ThreadId, StackId, i64, i64)> {
        let of = |(id, thread, index): (ThreadId, &ThreadSamples, usize)| {
            (id, thread.stack(index), thread.time(index), thread.nanos_of(index, Activity::Running))
        };
        self.counted().map(of).filter(|(.., nanos)| *nanos > 0)
    }
}
