//! From the threads that event headers name to the threads of the store.

use crate::model::threads::table::Threads;
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::{ProcessId, ThreadId, thread_of_index};

/// Facts about one thread that are kept: more than any writer has, and a bound for files that were made to have more.
const MAX_ATTRIBUTES: usize = 64;

/// The threads so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadTable {
    threads: Threads,
    /// What event headers say: an operating system's id, or (version 6) an index.
    by_header_id: FastMap<u64, ThreadId>,
    last: Option<(u64, ThreadId)>,
    /// Everything that event headers said, with the thread that it named.
    named: FastSet<(u64, ThreadId)>,
    by_key: FastMap<(ProcessId, u64), ThreadId>,
    /// Threads that ended, by key: the incarnation that the next one has.
    ended: FastMap<(ProcessId, u64), u32>,
    /// Threads of an operating system's id that was used again: from which ticks on which one, ascending.
    incarnations: FastMap<ThreadId, Vec<(i64, ThreadId)>>,
    /// What event headers said that was not declared.
    undefined: Vec<u64>,
    /// Whether event headers name threads by index (version 6).
    is_by_index: bool,
}

/// What to call a thread that the file gives nothing but an index.
pub(super) fn name_of_index(index: u64) -> String {
    format!("thread #{index}")
}

impl ThreadTable {
    /// No threads yet.
    pub fn new(is_by_index: bool) -> Self {
        Self { is_by_index, ..Self::default() }
    }

    /// The thread that an event header names.
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
                // An index is no id of the operating system, and must not be taken for one.
                let index = self.is_by_index.then_some(header_id);
                let os_thread = index.map_or(header_id, thread_of_index);
                self.declare(header_id, ProcessId(0), os_thread, index.map(name_of_index))
            }
        };
        self.last = Some((header_id, thread));
        thread
    }

    /// Whether event headers with this id name a thread that was declared.
    pub fn is_declared(&self, header_id: u64) -> bool {
        self.by_header_id.contains_key(&header_id)
    }

    /// What event headers said, since the last call, that was not declared before. Up to version 5 nothing is.
    pub fn take_undefined(&mut self) -> Vec<u64> {
        std::mem::take(&mut self.undefined)
    }

    /// The operating system's id of the thread that an event header names.
    pub fn os_thread(&mut self, header_id: u64) -> u64 {
        let thread = self.lookup(header_id);
        self.threads.get(thread).map_or(header_id, |thread| thread.os_thread)
    }

    /// From now on, event headers with `header_id` name this thread. A thread that is declared again is the same.
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

    /// Notes what else the file says about the thread that an event header names. What is known stays once.
    pub fn add_attributes(&mut self, header_id: u64, attributes: Vec<(String, String)>) {
        let Some(thread) = self.by_header_id.get(&header_id).and_then(|id| self.threads.get_mut(*id)) else { return };
        for attribute in attributes {
            if thread.attributes.len() < MAX_ATTRIBUTES && !thread.attributes.contains(&attribute) {
                thread.attributes.push(attribute);
            }
        }
    }

    /// A thread ended (version 6): whoever is declared with the same ids later is another one.
    pub fn end(&mut self, header_id: u64) {
        let Some(thread) = self.by_header_id.remove(&header_id).and_then(|id| self.threads.get(id)) else { return };
        let (process, os_thread, incarnation) = (thread.process, thread.os_thread, thread.incarnation + 1);
        self.by_key.remove(&(process, os_thread));
        self.ended.insert((process, os_thread), incarnation);
        self.last = None;
    }

    /// Event headers name no thread any more until threads are declared again (version 6).
    pub fn forget_header_ids(&mut self) {
        self.by_header_id.clear();
        self.last = None;
    }

    /// Another thread has this operating system's id from these ticks on.
    #[cold]
    pub fn begin_incarnation(&mut self, os_thread: u64, ticks: i64) {
        let first = self.lookup(os_thread);
        let Some(process) = self.threads.get(first).map(|thread| thread.process) else { return };
        let incarnations = self.incarnations.entry(first).or_default();
        let next = self.threads.add(process, os_thread, incarnations.len() as u32 + 1, None);
        let place = incarnations.partition_point(|&(begin, _)| begin <= ticks);
        incarnations.insert(place, (ticks, next));
    }

    /// Whether any operating system's id was used again.
    #[inline]
    pub fn has_incarnations(&self) -> bool {
        !self.incarnations.is_empty()
    }

    /// The incarnation of a thread at a time.
    pub fn at(&self, thread: ThreadId, ticks: i64) -> ThreadId {
        let Some(incarnations) = self.incarnations.get(&thread) else { return thread };
        let after = incarnations.partition_point(|&(begin, _)| begin <= ticks);
        after.checked_sub(1).and_then(|at| incarnations.get(at)).map_or(thread, |&(_, incarnation)| incarnation)
    }

    /// The process of a thread.
    pub fn process(&self, thread: ThreadId) -> ProcessId {
        self.threads.get(thread).map_or(ProcessId(0), |thread| thread.process)
    }

    /// The first thread with this operating system's id.
    pub fn known(&self, process: ProcessId, os_thread: u64) -> Option<ThreadId> {
        self.by_key.get(&(process, os_thread)).copied()
    }

    pub fn threads_mut(&mut self) -> &mut Threads {
        &mut self.threads
    }

    /// What event headers say (version 6: indices), if it is the same thread in the whole file.
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
