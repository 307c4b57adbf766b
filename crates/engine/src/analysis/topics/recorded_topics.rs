//! Topics for which a trace has events, by event type.

use super::{Folder, folder};
use crate::analysis::intervals::gc_pauses::Gc;
use crate::analysis::intervals::logs::LogKinds;
use crate::analysis::intervals::spans::roles::RequestSources;
use crate::analysis::scan::rows::TypeSet;
use crate::analysis::scan::selection::Selection;
use crate::analysis::timeline::allocation_rate::allocation_event_source;
use crate::clr::KnownEvent;
use crate::clr::source_names::{DIAGNOSTIC_SOURCE, HTTP_CLIENT};
use crate::model::{EventType, Store};
use nettrace::{ByteSource, decode};
use protocol::base::hash::FastMap;
use protocol::base::ids::{EventId, ThreadId, TypeId};
use protocol::timeline::track::TrackKind;
use protocol::topics::report::{ItemCounts, TopicCount, TopicPresence, TrackCount};
use protocol::topics::topic::Topic;
use std::collections::{BTreeMap, BTreeSet};

/// Role of an event type for a topic.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// Each event is one of the items that the topic counts.
    Counted,
    /// Events are about the topic.
    Related,
}

/// Returns, for every topic, whether the trace has events about it, and the number of items that it counts
/// ([`Topic::counts`]). `gcs` are all GCs.
pub fn presence(store: &Store, gcs: &[Gc]) -> Vec<TopicPresence> {
    let trace = Trace::new(store);
    let of = |topic: Topic| {
        let role = folder(topic).role;
        let there = || store.types.iter().filter(|one| one.count > 0);
        let roles = || there().filter_map(|one| Some((role(one, &trace)?, one)));
        let of_types: u64 = roles().filter(|(role, _)| *role == Role::Counted).map(|(_, one)| one.count).sum();
        // The runtime can report the start of a GC twice.
        let counted = if topic == Topic::Gc { gcs.len() as u64 } else { of_types };
        let missing = roles().next().is_none().then(|| topic.not_recorded());
        // Counts apply to the whole file. If only a part of it has rows, panels report that.
        let count = (counted > 0 && store.indexed.is_none()).then_some(counted);
        TopicPresence { topic, missing, count }
    };
    Topic::ALL.into_iter().map(of).collect()
}

/// Maximum number of matching events to count by type.
const MAX_COUNTED: u64 = 4_000_000;

/// Returns the tracks whose intervals are the items of a topic, if an event doesn't tell whether an item counts: with a
/// time range, an interval counts if it overlaps the range ([`super::Scope::covers`]); a GC counts as in its report.
pub fn interval_tracks(topic: Topic, has_range: bool) -> &'static [TrackKind] {
    match topic {
        Topic::Gc => &[TrackKind::Gc],
        Topic::Contention if has_range => &[TrackKind::Contention],
        Topic::Jit if has_range => &[TrackKind::Jit],
        Topic::Http if has_range => &[TrackKind::IncomingRequests, TrackKind::OutgoingRequests],
        _ => &[],
    }
}

/// Returns the OS process ID of a thread's tracks: 0 if the trace has one process.
pub fn process_of_tracks(store: &Store, thread: ThreadId) -> u32 {
    let thread = store.threads.get(thread).filter(|_| store.has_several_processes());
    thread.map_or(0, |thread| store.os_process_of(thread))
}

/// Returns whether the selected events are few enough to count items among them.
pub fn can_count(store: &Store, selection: &Selection) -> bool {
    selection.count() <= MAX_COUNTED && store.indexed.is_none()
}

/// Returns the number of items of each topic and of each track among the selected events; empty if there are too many
/// to count.
pub fn counts_in(store: &Store, selection: &Selection) -> ItemCounts {
    if !can_count(store, selection) {
        return ItemCounts::default();
    }
    let mut by_type: FastMap<(TypeId, ThreadId), u64> = FastMap::default();
    for row in selection.iter() {
        let row = store.events.row(EventId(row as u32));
        *by_type.entry((row.event_type, row.thread)).or_default() += 1;
    }
    let trace = Trace::new(store);
    let process_of = |thread: ThreadId| process_of_tracks(store, thread);
    let processes: BTreeSet<u32> = store.threads.iter().map(|thread| process_of(thread.id)).collect();
    let mut tracks: BTreeMap<(TrackKind, u32), u64> = BTreeMap::new();
    let mut topics = Vec::new();
    for topic in Topic::ALL {
        let role = folder(topic).role;
        let counts = |one: &&EventType| role(one, &trace) == Some(Role::Counted);
        for one in store.types.iter().filter(|one| one.count > 0).filter(counts) {
            // Also those without a matching item.
            let track = track_of(topic, one).into_iter();
            tracks.extend(track.flat_map(|track| processes.iter().map(move |process| ((track, *process), 0))));
        }
        let mut total = 0;
        for ((id, thread), count) in &by_type {
            let Some(one) = store.types.get(*id).filter(counts) else { continue };
            total += count;
            let of_track = track_of(topic, one).and_then(|track| tracks.get_mut(&(track, process_of(*thread))));
            if let Some(of_track) = of_track {
                *of_track += count;
            }
        }
        topics.push(TopicCount { topic, count: total });
    }
    let of_track = |((track, process), count)| TrackCount { track, process, count };
    ItemCounts { topics, tracks: tracks.into_iter().map(of_track).collect() }
}

/// Returns the track with the items of a topic that events of a type begin, if it has the same items.
fn track_of(topic: Topic, event_type: &EventType) -> Option<TrackKind> {
    match topic {
        Topic::Gc => Some(TrackKind::Gc),
        Topic::Exceptions => Some(TrackKind::Exceptions),
        Topic::Contention => Some(TrackKind::Contention),
        Topic::Jit => Some(TrackKind::Jit),
        Topic::Logs => Some(TrackKind::Logs),
        Topic::Http if event_type.provider == HTTP_CLIENT => Some(TrackKind::OutgoingRequests),
        Topic::Http => Some(TrackKind::IncomingRequests),
        _ => None,
    }
}

/// Returns whether a trace has events about a topic.
pub fn is_recorded(topic: Topic, store: &Store) -> bool {
    let (trace, role) = (Trace::new(store), folder(topic).role);
    store.types.iter().any(|one| one.count > 0 && role(one, &trace).is_some())
}

/// Maximum number of activity events whose payloads are examined for their subject.
const MAX_EXAMINED: usize = 20_000;

/// Returns whether only activities of libraries may be about a topic, so that their payloads decide.
pub fn depends_on_activities(topic: Topic, store: &Store) -> bool {
    let Folder { role, is_about: Some(_), .. } = folder(topic) else { return false };
    let trace = Trace::new(store);
    let is_about = |one: &&EventType| one.count > 0 && role(one, &trace).is_some();
    let mut about = store.types.iter().filter(is_about).peekable();
    about.peek().is_some() && about.all(|one| one.provider == DIAGNOSTIC_SOURCE)
}

/// Returns whether an activity of a library is about a topic that [`depends_on_activities`], as far as payloads are
/// readable.
pub fn has_activity_about(topic: Topic, store: &Store, source: &dyn ByteSource) -> bool {
    let Folder { role, is_about: Some(is_about), .. } = folder(topic) else { return false };
    let trace = Trace::new(store);
    let types = TypeSet::new(store, |one| role(one, &trace).is_some());
    let (mut looked_at, mut is_found) = (0, false);
    types.for_each_row(store, 0..store.events.len(), |chunk, row| {
        let Some(event_type) = store.types.get(chunk.event_type(row)).filter(|_| !is_found) else { return };
        if looked_at >= MAX_EXAMINED {
            is_found = true;
            return;
        }
        looked_at += 1;
        // An unreadable payload may be about the topic.
        is_found = store.payload_of(&chunk.row(row), source).map_or(true, |payload| {
            is_about(event_type, decode(&event_type.schema.fields, &payload, store.header.pointer_size))
        });
    });
    is_found
}

/// Properties of a trace that decide which of several events about the same thing is counted.
pub(super) struct Trace {
    pub request_sources: RequestSources,
    pub logs: LogKinds,
    /// The events that are counted as allocations, and as tasks or async methods.
    pub allocations: Option<KnownEvent>,
    pub tasks: Option<KnownEvent>,
}

impl Trace {
    fn new(store: &Store) -> Self {
        let allocations = allocation_event_source(store).map(|(known, _)| known);
        let tasks = super::tasks::counted_event(store);
        Self { request_sources: RequestSources::new(store), logs: LogKinds::new(store), allocations, tasks }
    }
}
