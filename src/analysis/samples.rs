//! The samples of all threads, gathered once from the event columns.

use super::thread_samples::ThreadSamples;
use crate::model::SampleState;
use crate::model::Store;
use crate::model::ids::ThreadId;

/// The samples of every thread.
#[derive(Clone, Debug, Default)]
pub struct SampleIndex {
    threads: Vec<ThreadSamples>,
    none: ThreadSamples,
}

impl SampleIndex {
    /// Gathers the samples of a store: one pass over the columns of types and threads.
    pub fn build(store: &Store) -> Self {
        let states: Vec<Option<SampleState>> = store.types().iter().map(|kind| kind.sample_state).collect();
        let is_sample = |event_type: u32| states.get(event_type as usize).copied().flatten();
        let mut threads = vec![ThreadSamples::default(); store.threads().len()];
        let clock = store.clock();
        for chunk in store.events().chunks() {
            if !chunk.types_present().iter().any(|event_type| is_sample(event_type).is_some()) {
                continue;
            }
            chunk.type_column().for_each(0..chunk.len(), |row, event_type| {
                let Some(state) = is_sample(event_type) else { return };
                if let Some(thread) = threads.get_mut(chunk.thread(row).index()) {
                    let time = clock.nanos(chunk.ticks(row)).0;
                    thread.push(time, chunk.stack(row), chunk.event_id(row), state == SampleState::Managed);
                }
            });
        }
        threads.iter_mut().for_each(ThreadSamples::seal);
        Self { threads, none: ThreadSamples::default() }
    }

    /// The samples of a thread.
    pub fn thread(&self, thread: ThreadId) -> &ThreadSamples {
        self.threads.get(thread.index()).unwrap_or(&self.none)
    }

    /// All threads that have samples.
    pub fn iter(&self) -> impl Iterator<Item = (ThreadId, &ThreadSamples)> {
        (0u32..).map(ThreadId).zip(&self.threads).filter(|(_, samples)| !samples.is_empty())
    }

    /// How many samples there are.
    pub fn count(&self) -> u64 {
        self.threads.iter().map(|samples| samples.len() as u64).sum()
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.threads.iter().map(ThreadSamples::bytes).sum()
    }
}
