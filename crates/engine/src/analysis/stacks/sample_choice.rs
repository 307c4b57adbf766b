//! Selection of stacks by a query, and their weights.

use crate::analysis::samples::thread_samples::{Sampling, ThreadSamples};
use crate::analysis::scan::selection::Selection;
use protocol::request::{SampleChoice, Weight};
use protocol::timeline::thread_state::Activity;

/// The samples of a query. All code that displays samples uses this type, so that results agree.
#[derive(Clone, Copy)]
pub struct ChosenSamples<'s> {
    pub selection: &'s Selection,
    /// The selected samples among them.
    pub samples: SampleChoice,
    /// The kind of weight.
    pub weight: &'s Weight,
    /// By stack: true if excluded; empty if none are.
    pub excluded: &'s [bool],
}

impl<'s> ChosenSamples<'s> {
    /// Selects samples regardless of their stacks.
    pub fn new(selection: &'s Selection, samples: SampleChoice, weight: &'s Weight) -> Self {
        Self { selection, samples, weight, excluded: &[] }
    }

    /// Returns whether a sample of the thread is selected.
    #[inline]
    pub fn has(&self, thread: &ThreadSamples, index: usize) -> bool {
        let (is_recorded, by_time) = (thread.is_recorded(index), *self.weight == Weight::Time);
        let is_chosen = match self.samples {
            SampleChoice::All => by_time || !is_recorded,
            SampleChoice::Managed => !is_recorded && thread.is_managed(index),
            SampleChoice::NotIdle if by_time => self.weight(thread, index) > 0,
            SampleChoice::NotIdle => !is_recorded && thread.activity(index) != Some(Activity::Idle),
            SampleChoice::External => !is_recorded && !thread.is_managed(index),
            other => match (other.activity(), thread.kind) {
                // Other events have no state.
                (None, _) | (_, Sampling::Event) => true,
                (Some(activity), _) if by_time => thread.nanos_of(index, activity) > 0,
                // A CPU sample belongs to a running thread; context switches record when it left the CPU.
                (Some(activity), Sampling::Processor) if !is_recorded => activity == Activity::Running,
                (Some(Activity::Running), Sampling::Processor) => false,
                (_, Sampling::WallClock) if is_recorded => false,
                (Some(activity), _) => thread.activity(index) == Some(activity),
            },
        };
        let is_excluded = self.excluded.get(thread.stack(index).index()) == Some(&true);
        is_chosen && !is_excluded && self.selection.contains(thread.event(index).index())
    }

    /// Returns the selected samples of the thread in time order.
    pub fn of<'t>(&self, thread: &'t ThreadSamples) -> impl Iterator<Item = usize> + use<'t, 's, '_> {
        (0..thread.len()).filter(move |&index| self.has(thread, index))
    }

    /// Returns the weight of a sample: one, the nanoseconds it represents, or its value.
    #[inline]
    pub fn weight(&self, thread: &ThreadSamples, index: usize) -> u64 {
        match self.weight {
            Weight::Count => 1,
            Weight::Time => match self.samples.activity().filter(|_| thread.kind != Sampling::Event) {
                Some(activity) => thread.nanos_of(index, activity).max(0) as u64,
                None if self.samples == SampleChoice::NotIdle => {
                    thread.total(index).saturating_sub(thread.nanos_of(index, Activity::Idle)).max(0) as u64
                }
                None => thread.total(index).max(0) as u64,
            },
            Weight::Field(_) => thread.value(index),
        }
    }
}
