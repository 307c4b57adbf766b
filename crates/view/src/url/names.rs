//! Names of threads, types and filters in URLs, from data of the file, so that they stay valid after the trace is
//! loaded again.

use super::filter::{FilterLink, ThreadLink, TypeLink};
use protocol::base::ids::{ThreadId, TypeId};
use protocol::base::sort::sort_by_key;
use protocol::request::Filter;
use protocol::tables::{Threads, Types};

/// Threads and types of the open trace.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    pub threads: &'a Threads,
    pub types: &'a Types,
}

impl Names<'_> {
    /// Returns a filter as in URLs.
    pub fn link_of_filter(self, filter: Filter) -> FilterLink {
        FilterLink {
            range: filter.span,
            processes: filter.processes,
            threads: filter.threads.iter().filter_map(|thread| link_of_thread(self.threads, *thread)).collect(),
            providers: filter.providers,
            types: filter.types.iter().filter_map(|event_type| link_of_type(self.types, *event_type)).collect(),
            query: filter.query,
            labels: filter.labels,
            frames: filter.frames,
            level: filter.level,
        }
    }

    /// Returns the filter of a URL, without conditions whose names don't exist in the trace.
    pub fn filter_of(self, link: FilterLink) -> Filter {
        Filter {
            span: link.range,
            processes: link.processes,
            threads: link.threads.iter().filter_map(|link| thread_of(self.threads, *link)).collect(),
            providers: link.providers,
            types: link.types.iter().flat_map(|link| types_of(self.types, link)).collect(),
            query: link.query,
            labels: link.labels,
            frames: link.frames,
            level: link.level,
        }
    }
}

pub fn link_of_thread(threads: &Threads, thread: ThreadId) -> Option<ThreadLink> {
    let row = threads.thread.iter().position(|id| *id == thread.0)?;
    let os_thread = *threads.os_thread.get(row)?;
    let nth = same_number(threads, os_thread).iter().position(|id| *id == thread.0)? as u32;
    Some(ThreadLink { os_thread, nth })
}

/// Returns the thread to which a link refers.
pub fn thread_of(threads: &Threads, link: ThreadLink) -> Option<ThreadId> {
    same_number(threads, link.os_thread).get(link.nth as usize).map(|id| ThreadId(*id))
}

/// Returns the threads with an OS thread ID, oldest first.
fn same_number(threads: &Threads, os_thread: u64) -> Vec<u32> {
    let rows = threads.thread.iter().zip(&threads.os_thread);
    let mut ids: Vec<u32> = rows.filter(|(_, number)| **number == os_thread).map(|(id, _)| *id).collect();
    sort_by_key(&mut ids, |id| *id);
    ids
}

pub fn link_of_type(types: &Types, event_type: TypeId) -> Option<TypeLink> {
    let row = types.event_type.iter().position(|id| *id == event_type.0)?;
    Some(TypeLink {
        provider: types.provider.get(row).to_owned(),
        event_id: *types.event_id.get(row)?,
        version: *types.version.get(row)?,
    })
}

/// Returns the event types to which a link refers; several may have the same name.
pub fn types_of(types: &Types, link: &TypeLink) -> impl Iterator<Item = TypeId> {
    let is_named = move |row: &usize| {
        types.provider.get(*row) == link.provider
            && types.event_id.get(*row) == Some(&link.event_id)
            && types.version.get(*row) == Some(&link.version)
    };
    (0..types.event_type.len()).filter(is_named).filter_map(move |row| types.event_type.get(row).map(|id| TypeId(*id)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filter_is_named_by_data_of_file() {
        let threads = Threads { thread: vec![7, 3, 5], os_thread: vec![70, 30, 70], ..Threads::default() };
        let provider = ["A", "A", "B"].into_iter().collect();
        let types = Types {
            event_type: vec![4, 9, 6],
            provider,
            event_id: vec![1, 1, 1],
            version: vec![0, 0, 0],
            ..Types::default()
        };
        let names = Names { threads: &threads, types: &types };
        let filter = Filter { threads: vec![ThreadId(7), ThreadId(8)], types: vec![TypeId(6)], ..Filter::default() };
        let mut link = names.link_of_filter(filter);
        assert_eq!(link.threads, [ThreadLink { os_thread: 70, nth: 1 }], "the second thread with this ID");
        assert_eq!(link.types, [TypeLink { provider: "B".to_owned(), event_id: 1, version: 0 }]);
        link.threads.push(ThreadLink { os_thread: 30, nth: 1 });
        link.types.push(TypeLink { provider: "A".to_owned(), event_id: 1, version: 0 });
        let filter = names.filter_of(link);
        assert_eq!((filter.threads, filter.types), (vec![ThreadId(7)], vec![TypeId(6), TypeId(4), TypeId(9)]));
    }
}
