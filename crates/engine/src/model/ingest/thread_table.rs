//! Maps the threads in event headers to the threads of the store.

use crate::model::threads::table::Threads;
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::{ProcessId, ThreadId, thread_of_index};

/// Maximum number of attributes per thread, to limit crafted files. Writers use far fewer.
const MAX_ATTRIBUTES: usize = 64;

/// Threads so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadTable {
    threads: Threads,
    /// Threads by the ID in event headers: an OS thread ID, or (version 6) an index.
    by_header_id: FastMap<u64, ThreadId>,
    last: Option<(u64, ThreadId)>,
    /// All IDs in event headers with their threads.
    named: FastSet<(u64, ThreadId)>,
    by_key: FastMap<(ProcessId, u64), ThreadId>,
    /// Ended threads, by key: incarnation of the next one.
    ended: FastMap<(ProcessId, u64), u32>,
    /// Incarnations of threads whose OS ID was reused: the ticks at which each becomes valid, ascending.
    incarnations: FastMap<ThreadId, Vec<(i64, ThreadId)>>,
    /// Undeclared IDs from event headers.
    undefined: Vec<u64>,
    /// True if event headers refer to threads by index (version 6).
    is_by_index: bool,
}

/// Returns the name of a thread for which the file contains only an index.
pub(super) fn name_of_index(index: u64) -> String {
    format!("thread #{index}")
}

impl ThreadTable {
    /// Creates an empty table.
    pub fn new(is_by_index: bool) -> Self {
        Self { is_by_index, ..Self::default() }
    }

    /// Returns the thread of an event header.
    #[inline]
    pub fn lookup(&mut self, header_id: u64) -> ThreadId {
        match self.last {
            Some((last, thread)) if last == header_id => thread,
            _ => self.find(header_id),
        }
    }

    fn find(&mut self, header_id: u64) -> ThreadId {
        let thread = match self.by_header_id.get(&header_id) {
            Some(&thread) => thread,
            None => {
                self.undefined.push(header_id);
                // An index must not be mistaken for an OS thread ID.
                let index = self.is_by_index.then_some(header_id);
                let os_thread = index.map_or(header_id, thread_of_index);
                self.declare(header_id, ProcessId(0), os_thread, index.map(name_of_index))
            }
        };
        self.last = Some((header_id, thread));
        thread
    }

    /// Returns whether the thread of an ID in event headers was declared.
    pub fn is_declared(&self, header_id: u64) -> bool {
        self.by_header_id.contains_key(&header_id)
    }

    /// Returns the undeclared IDs in event headers since the last call; none up to version 5.
    pub fn take_undefined(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.undefined)
    }

    /// Returns the OS ID of an event header's thread.
    pub fn os_thread(&mut self, header_id: u64) -> u64 {
        let thread = self.lookup(header_id);
        self.threads.get(thread).map_or(header_id, |thread| thread.os_thread)
    }

    /// Declares the thread of `header_id` in later event headers. Declaring a thread again returns the same one.
    pub fn declare(&mut self, header_id: u64, process: ProcessId, os_thread: u64, name: Option<String>) -> ThreadId {
        let thread = match self.by_key.get(&(process, os_thread)) {
            Some(&thread) => thread,
            None => {
                let incarnation = self.ended.get(&(process, os_thread)).copied().unwrap_or(0);
                let thread = self.threads.add(process, os_thread, incarnation, None);
                self.by_key.insert((process, os_thread), thread);
                thread
            }
        };
        if let (Some(name), Some(thread)) = (name.filter(|name| !name.is_empty()), self.threads.get_mut(thread)) {
            thread.name = Some(name);
        }
        self.by_header_id.insert(header_id, thread);
        if let Some(thread) = self.threads.get_mut(thread).filter(|_| self.named.insert((header_id, thread))) {
            thread.indices += 1;
        }
        self.last = None;
        thread
    }

    /// Adds attributes to the thread of an ID in event headers, without duplicates.
    pub fn add_attributes(&mut self, header_id: u64, attributes: Vec<(String, String)>) {
        let Some(thread) = self.by_header_id.get(&header_id).and_then(|id| self.threads.get_mut(*id)) else { return };
        for attribute in attributes {
            if thread.attributes.len() < MAX_ATTRIBUTES && !thread.attributes.contains(&attribute) {
                thread.attributes.push(attribute);
            }
        }
    }

    /// Ends a thread (version 6): a later declaration with the same IDs is another thread.
    pub fn end(&mut self, header_id: u64) {
        let Some(thread) = self.by_header_id.remove(&header_id).and_then(|id| self.threads.get(id)) else { return };
        let (process, os_thread, incarnation) = (thread.process, thread.os_thread, thread.incarnation + 1);
        self.by_key.remove(&(process, os_thread));
        self.ended.insert((process, os_thread), incarnation);
        self.last = None;
    }

    /// Forgets the IDs in event headers until threads are declared again (version 6).
    pub fn forget_header_ids(&mut self) {
        self.by_header_id.clear();
        self.last = None;
    }

    /// Begins another thread with the same OS ID at these ticks.
    #[cold]
    pub fn begin_incarnation(&mut self, os_thread: u64, ticks: i64) {
        let first = self.lookup(os_thread);
        let Some(process) = self.threads.get(first).map(|thread| thread.process) else { return };
        let incarnations = self.incarnations.entry(first).or_default();
        let next = self.threads.add(process, os_thread, incarnations.len() as u32 + 1, None);
        let place = incarnations.partition_point(|&(begin, _)| begin <= ticks);
        incarnations.insert(place, (ticks, next));
    }

    /// Returns whether any OS thread ID was reused.
    #[inline]
    pub fn has_incarnations(&self) -> bool {
        !self.incarnations.is_empty()
    }

    /// Returns the incarnation of a thread at a time.
    pub fn at(&self, thread: ThreadId, ticks: i64) -> ThreadId {
        let Some(incarnations) = self.incarnations.get(&thread) else { return thread };
        let after = incarnations.partition_point(|&(begin, _)| begin <= ticks);
        after.checked_sub(1).and_then(|at| incarnations.get(at)).map_or(thread, |&(_, incarnation)| incarnation)
    }

    pub fn process(&self, thread: ThreadId) -> ProcessId {
        self.threads.get(thread).map_or(ProcessId(0), |thread| thread.process)
    }

    /// Returns the first thread with this OS thread ID.
    pub fn known(&self, process: ProcessId, os_thread: u64) -> Option<ThreadId> {
        self.by_key.get(&(process, os_thread)).copied()
    }

    pub fn threads_mut(&mut self) -> &mut Threads {
        &mut self.threads
    }

    /// Returns the threads by the ID in event headers (version 6: index), if it is the same thread in the whole file.
    pub fn by_index(&self) -> FastMap<u64, ThreadId> {
        let mut threads: FastMap<u64, Option<ThreadId>> = FastMap::default();
        for &(index, thread) in &self.named {
            threads.entry(index).and_modify(|other| *other = None).or_insert(Some(thread));
        }
        threads.into_iter().filter_map(|(index, thread)| Some((index, thread?))).collect()
    }

    pub fn threads(&self) -> &Threads {
        &self.threads
    }

    pub fn finish(self) -> Threads {
        self.threads
    }
}
