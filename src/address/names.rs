//! Names of threads, types and filters in URLs, from data of the file, so that they stay valid after the trace is
//! loaded again.

use crate::app::state::App;
use crate::labels::row_of_thread;
use leptos::prelude::*;
use protocol::base::ids::{ThreadId, TypeId};
use protocol::base::sort::sort_by_key;
use protocol::request::Filter;
use protocol::tables;
use view::url::state::{FilterLink, ThreadLink, TypeLink};

/// Returns the filter as in URLs. Reads the signals that names depend on.
pub fn link_of_filter(app: App, filter: Filter) -> FilterLink {
    FilterLink {
        range: filter.span,
        processes: filter.processes,
        threads: filter.threads.iter().filter_map(|thread| link_of_own_thread(app, *thread)).collect(),
        providers: filter.providers,
        types: filter.types.iter().filter_map(|event_type| link_of_type(app, *event_type)).collect(),
        query: filter.query,
        labels: filter.labels,
        frames: filter.frames,
        level: filter.level,
    }
}

/// Returns the filter of a URL for the open trace, without conditions whose names don't exist in it.
pub fn filter_of(app: App, link: FilterLink) -> Filter {
    Filter {
        span: link.range,
        processes: link.processes,
        threads: link.threads.iter().filter_map(|link| own_thread_of(app, *link)).collect(),
        providers: link.providers,
        types: link.types.iter().flat_map(|link| types_of(app, link)).collect(),
        query: link.query,
        labels: link.labels,
        frames: link.frames,
        level: link.level,
    }
}

/// Returns the link to a thread of the open trace.
pub fn link_of_own_thread(app: App, thread: ThreadId) -> Option<ThreadLink> {
    app.threads.with(|threads| link_of_thread(threads.as_ref()?, thread))
}

/// Returns the thread of the open trace to which a link refers.
pub fn own_thread_of(app: App, link: ThreadLink) -> Option<ThreadId> {
    app.threads.with_untracked(|threads| thread_of(threads.as_ref()?, link))
}

/// Returns the link to an event type.
pub fn link_of_type(app: App, event_type: TypeId) -> Option<TypeLink> {
    app.types.with(|types| {
        let types = types.as_ref()?;
        let row = types.event_type.iter().position(|id| *id == event_type.0)?;
        Some(TypeLink {
            provider: types.provider.get(row).to_owned(),
            event_id: *types.event_id.get(row)?,
            version: *types.version.get(row)?,
        })
    })
}

/// Returns the event types to which a link refers; several may have the same name.
pub fn types_of(app: App, link: &TypeLink) -> impl Iterator<Item = TypeId> + use<> {
    let types = app.types.get_untracked();
    let rows: Vec<TypeId> = types.map_or_else(Vec::new, |types| {
        (0..types.event_type.len())
            .filter(|row| {
                types.provider.get(*row) == link.provider
                    && types.event_id.get(*row) == Some(&link.event_id)
                    && types.version.get(*row) == Some(&link.version)
            })
            .filter_map(|row| types.event_type.get(row).map(|id| TypeId(*id)))
            .collect()
    });
    rows.into_iter()
}

/// Returns the link to a thread.
pub fn link_of_thread(threads: &tables::Threads, thread: ThreadId) -> Option<ThreadLink> {
    let os_thread = *threads.os_thread.get(row_of_thread(threads, thread)?)?;
    let nth = same_number(threads, os_thread).iter().position(|id| *id == thread.0)? as u32;
    Some(ThreadLink { os_thread, nth })
}

/// Returns the thread to which a link refers.
pub fn thread_of(threads: &tables::Threads, link: ThreadLink) -> Option<ThreadId> {
    same_number(threads, link.os_thread).get(link.nth as usize).map(|id| ThreadId(*id))
}

/// Returns the threads with an OS thread ID, oldest first.
fn same_number(threads: &tables::Threads, os_thread: u64) -> Vec<u32> {
    let mut ids: Vec<u32> = threads
        .thread
        .iter()
        .zip(&threads.os_thread)
        .filter(|(_, number)| **number == os_thread)
        .map(|(id, _)| *id)
        .collect();
    sort_by_key(&mut ids, |id| *id);
    ids
}
