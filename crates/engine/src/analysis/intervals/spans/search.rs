//! Pairs start and stop events of any provider, step by step (docs/format/runtime-events.md#activities).
//!
//! A stop ends a start of the same group: the one with the same value in the key field (a request, a connection, a
//! task, a GC) or with the same IDs in the arguments of DiagnosticSource; else with the same activity; else with an
//! activity below the stop's (the tracker has already left it); else with the same trace and span labels; else the
//! latest on the same thread. Events without a counterpart are open-ended, unless the stop has a duration. Requests
//! without any of these keys can end on any thread: where they overlap, stops can't be assigned.

use super::index::{FoundSpans, SpanIndex, SpanOf, TraceContextIds};
use super::names::name_of;
use super::roles::{KeyFrom, Naming, Role, Roles};
use super::unkeyed::{Outcome, Unkeyed};
use super::work::Work;
use crate::analysis::intervals::interval_set::{Interval, Texts};
use crate::analysis::intervals::pairs::{End, PairKey, Pairs};
use crate::analysis::intervals::task_index::{TaskIndex, task_fact};
use crate::analysis::intervals::tracks::TrackIndex;
use crate::analysis::scan::payload_batches::Step;
use crate::analysis::scan::payload_scan::PayloadScan;
use crate::analysis::scan::rows::TypeSet;
use crate::analysis::values::activity_path::path_of;
use crate::clr::KnownEvent;
use crate::clr::known::payload::{TaskOperation, TaskWork};
use crate::model::{EventChunk, EventType, Store};
use nettrace::{ByteSource, SourceError, Value, decode};
use protocol::base::hash::FastMap;
use protocol::base::ids::{ActivityId, EventId, ProcessId, ThreadId};
use protocol::timeline::track::TrackKind;
use std::collections::BTreeMap;

/// Key that matches a start and its stop.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
enum Key {
    Text(u32, ProcessId, String),
    Number(u32, ProcessId, u32),
    Activity(u32, ActivityId),
    /// Trace and span labels, for an event without an activity.
    Work(u32, [u8; 16], u64),
    Thread(u32, ThreadId),
}

impl PairKey for Key {
    fn is_unique(&self) -> bool {
        !matches!(self, Self::Thread(..))
    }
}

/// Returns the key from an event's trace and span labels.
fn work_key(store: &Store, group: u32, event: EventId) -> Option<Key> {
    let labels = store.labels(event)?;
    Some(Key::Work(group, labels.trace_id?, labels.span_id?))
}

/// Returns the key from an event's header.
fn key_of_activity(store: &Store, group: u32, activity: ActivityId, end: End) -> Key {
    match activity.0 {
        0 => work_key(store, group, end.event).unwrap_or(Key::Thread(group, end.thread)),
        _ => Key::Activity(group, activity),
    }
}

/// Numbers of traces by trace ID in labels, from 1.
#[derive(Default)]
struct Traces(FastMap<[u8; 16], u32>);

impl Traces {
    fn number_of(&mut self, store: &Store, event: EventId) -> u32 {
        store.labels(event).and_then(|labels| labels.trace_id).map_or(0, |trace| self.number(trace))
    }

    fn number(&mut self, trace: [u8; 16]) -> u32 {
        let next = self.0.len() as u32 + 1;
        *self.0.entry(trace).or_insert(next)
    }
}

/// Searches for spans, step by step.
#[derive(Debug)]
pub struct SpanSearch {
    walk: PayloadScan,
    pairing: Pairing,
}

/// Pairs starts and stops.
#[derive(Debug)]
struct Pairing {
    roles: Roles,
    pairs: Pairs<Key>,
    /// Asynchronous spans without an activity.
    unkeyed: Unkeyed,
    /// Activities of open starts by group and path: a stop may have an ancestor's activity.
    below: BTreeMap<(u32, String), Vec<ActivityId>>,
    texts: Texts,
    /// Names of spans by start event, for spans with a specific name.
    names: FastMap<EventId, u32>,
    work_ids: Vec<(EventId, TraceContextIds)>,
    /// Separate tracks by start event, if the payload determines them.
    tracks: FastMap<EventId, TrackKind>,
    tasks: TaskIndex,
    /// Names of async methods by task.
    methods: FastMap<(ProcessId, u32), u32>,
    /// By task: group, thread and start of the latest section of its async method.
    pieces: FastMap<(ProcessId, u32), (u32, ThreadId, EventId)>,
}

impl SpanSearch {
    /// Returns a search that has read nothing.
    pub fn new(store: &Store) -> Self {
        let roles = Roles::new(store);
        let role = |one: &EventType| roles.of(one.id.index());
        let wanted = TypeSet::new(store, |one| one.known.is_task_lifecycle() || role(one).is_some());
        let needs_payload =
            |one: &EventType| one.known.is_task_lifecycle() || role(one).is_some_and(|role| role.needs_payload());
        let walk = PayloadScan::new(store, wanted, needs_payload);
        let pairing = Pairing {
            roles,
            pairs: Pairs::new(store),
            unkeyed: Unkeyed::default(),
            below: BTreeMap::new(),
            texts: Texts::default(),
            names: FastMap::default(),
            work_ids: Vec::new(),
            tracks: FastMap::default(),
            tasks: TaskIndex::default(),
            methods: FastMap::default(),
            pieces: FastMap::default(),
        };
        Self { walk, pairing }
    }

    /// Continues to read. Waits for bytes that a source has to fetch if `may_wait`.
    ///
    /// # Errors
    /// If a payload can't be read from the file.
    pub fn step(&mut self, store: &Store, source: &dyn ByteSource, may_wait: bool) -> Result<Step, SourceError> {
        let Self { walk, pairing } = self;
        walk.step(store, source, may_wait, |chunk, row, payload| pairing.take(store, chunk, row, payload))
    }

    /// Returns all spans, with the intervals of other analyses.
    ///
    /// # Errors
    /// If a payload can't be read from the file.
    pub fn finish(
        self,
        store: &Store,
        source: &dyn ByteSource,
        tracks: &mut TrackIndex,
    ) -> Result<SpanIndex, SourceError> {
        SpanIndex::new(store, source, self.pairing.finish(store), tracks)
    }
}

impl Pairing {
    fn finish(mut self, store: &Store) -> FoundSpans {
        self.tasks.seal();
        for (group, outcome) in std::mem::take(&mut self.unkeyed).finish() {
            self.settle(group, outcome);
        }
        let (intervals, names, roles) = (self.pairs.finish(), &self.names, &self.roles);
        let mut traces = Traces::default();
        let by_event: FastMap<EventId, TraceContextIds> = self.work_ids.iter().copied().collect();
        let mut spans = Vec::new();
        for interval in intervals {
            let row = store.events.row(interval.event);
            let Some(role) = roles.of(row.event_type.index()) else { continue };
            let Some(group) = roles.group(role.group).filter(|group| !group.drops_open || interval.is_whole()) else {
                continue;
            };
            let name = names.get(&interval.event).copied().unwrap_or_else(|| self.texts.position(&group.base));
            let note = self.texts.position(&group.provider);
            let interval = Interval { name, note, shade: group.shade, ..interval };
            let (activity, mut trace) = match group.is_activity {
                true => (row.activity, traces.number_of(store, interval.event)),
                false => (ActivityId(0), 0),
            };
            if (activity.0, trace) == (0, 0)
                && let Some(ids) = by_event.get(&interval.event).filter(|ids| ids.trace != [0; 16])
            {
                trace = traces.number(ids.trace);
            }
            let track = group.track.or_else(|| self.tracks.get(&interval.event).copied());
            spans.push(SpanOf { interval, activity, trace, track, parent: None });
        }
        FoundSpans { spans, texts: self.texts, work_ids: self.work_ids, tasks: self.tasks }
    }

    fn take(&mut self, store: &Store, chunk: &EventChunk, row: usize, payload: &[u8]) {
        let type_id = chunk.event_type(row);
        let Some(event_type) = store.types.get(type_id) else { return };
        let end = End::of(store, chunk, row);
        let process = store.threads.get(end.thread).map(|thread| thread.process).unwrap_or_default();
        if let Some((fact, task)) = task_fact(event_type.known, payload) {
            self.tasks.push((process, task), end.thread, end.event, fact);
        }
        if event_type.known == KnownEvent::TaskOperationBegin
            && let Some(operation) = TaskOperation::read(payload)
        {
            let name = self.texts.position(&super::names::async_method(&operation.name.to_string()));
            self.methods.insert((process, operation.task), name);
        }
        let Some(role) = self.roles.of(type_id.index()) else { return };
        let number = |at: usize| {
            let bytes = payload.get(at..at.saturating_add(4))?;
            Some(u32::from_le_bytes(bytes.try_into().ok()?))
        };
        if role.only.is_some_and(|(at, wanted)| number(at) != Some(wanted)) {
            return;
        }
        if role.key == KeyFrom::Arguments {
            return self.take_work(store, event_type, role, process, chunk.activity(row), end, payload);
        }
        if role.is_start {
            self.name(store, event_type, role, process, end.event, payload);
        }
        if event_type.known == KnownEvent::TaskWorkBegin
            && let Some(work) = TaskWork::read(payload)
        {
            self.begin_section((process, work.task), role.group, end);
        }
        let activity = chunk.activity(row);
        let by_activity = || key_of_activity(store, role.group, activity, end);
        let key = match role.key {
            KeyFrom::Thread => Key::Thread(role.group, end.thread),
            KeyFrom::Activity | KeyFrom::Arguments => by_activity(),
            KeyFrom::NumberAt(at) => match number(at) {
                Some(number) => Key::Number(role.group, process, number),
                None => return,
            },
            KeyFrom::Field(field) => {
                let values = decode(&event_type.schema.fields, payload, store.header.pointer_size);
                match values.into_iter().nth(field) {
                    Some(Value::String(text)) => Key::Text(role.group, process, text),
                    _ => by_activity(),
                }
            }
        };
        let key = self.key_of_start(store, role, key);
        let is_async = self.roles.group(role.group).is_some_and(|group| group.is_async);
        match key {
            Key::Thread(group, _) if is_async && role.is_start => self.unkeyed.start(group, process, end),
            Key::Thread(group, _) if is_async => {
                for outcome in self.unkeyed.stop(group, process, end) {
                    self.settle(group, outcome);
                }
            }
            key => self.pair(store, role, key, end),
        }
    }

    fn settle(&mut self, group: u32, outcome: Outcome) {
        match outcome {
            Outcome::Start(end) => self.pairs.start(Key::Thread(group, end.thread), end, 0),
            Outcome::Stop(thread, end) => self.pairs.stop(&Key::Thread(group, thread), end, 0),
            Outcome::Unsure(start, until) => self.pairs.unsure(start, until),
        }
    }

    /// Reads an event of DiagnosticSource, whose arguments have its key and possibly its duration.
    fn take_work(
        &mut self,
        store: &Store,
        event_type: &EventType,
        role: Role,
        process: ProcessId,
        activity: ActivityId,
        end: End,
        payload: &[u8],
    ) {
        let fields = &event_type.schema.fields;
        let values = decode(fields, payload, store.header.pointer_size);
        let work = Work::of(fields, &values);
        let key = match &work.key {
            Some(key) => Key::Text(role.group, process, key.clone()),
            None => key_of_activity(store, role.group, activity, end),
        };
        let key = self.key_of_start(store, role, key);
        let is_alone = !role.is_start && !self.pairs.is_open(&key);
        if role.is_start || is_alone {
            let track = work.track(self.roles.request_sources);
            self.tracks.extend(track.map(|track| (end.event, track)));
            self.work_ids.extend(work.ids.map(|ids| (end.event, ids)));
            let name = work.name(track).map(|name| self.texts.position(&name));
            self.names.extend(name.map(|name| (end.event, name)));
        }
        match work.duration.filter(|_| is_alone) {
            Some(duration) => self.pairs.stop_after(end, duration),
            None => self.pair(store, role, key, end),
        }
    }

    /// Starts a section of an async method. A method continues only after its previous section has ended, on any
    /// thread. If that section is still open, its end was lost and must not be taken from another section of its
    /// thread, because ends don't name their section.
    fn begin_section(&mut self, task: (ProcessId, u32), group: u32, end: End) {
        if let Some((group, thread, start)) = self.pieces.insert(task, (group, end.thread, end.event)) {
            self.pairs.forget(&Key::Thread(group, thread), start);
        }
    }

    /// Sets the name of a start, if spans of its group have names.
    fn name(
        &mut self,
        store: &Store,
        event_type: &EventType,
        role: Role,
        process: ProcessId,
        event: EventId,
        payload: &[u8],
    ) {
        let Some(group) = self.roles.group(role.group) else { return };
        let known = match role.naming {
            Naming::Group => None,
            Naming::AsyncMethod => {
                let task = task_fact(event_type.known, payload).map(|(_, task)| (process, task));
                task.and_then(|task| self.methods.get(&task).copied())
            }
            naming => {
                let values = decode(&event_type.schema.fields, payload, store.header.pointer_size);
                let name = name_of(naming, &group.base, &event_type.schema.fields, &values);
                name.map(|name| self.texts.position(&name))
            }
        };
        self.names.extend(known.map(|name| (event, name)));
    }

    fn pair(&mut self, store: &Store, role: Role, key: Key, end: End) {
        if role.is_start {
            if let Key::Activity(group, activity) = key {
                self.below.entry((group, path_of(store, activity))).or_default().push(activity);
            }
            return self.pairs.start(key, end, 0);
        }
        self.pairs.stop(&key, end, 0);
    }

    /// Returns the key of the start that a stop with this key ends, or the key of a start unchanged.
    fn key_of_start(&mut self, store: &Store, role: Role, key: Key) -> Key {
        match key {
            Key::Activity(group, activity) if !role.is_start => {
                let open = self.open_activity(group, &path_of(store, activity), activity);
                Key::Activity(group, open.unwrap_or(activity))
            }
            key => key,
        }
    }

    /// Returns the activity of the open start that a stop in `activity` ends: the same, or else the latest descendant.
    fn open_activity(&mut self, group: u32, path: &str, activity: ActivityId) -> Option<ActivityId> {
        let own = (group, path.to_owned());
        if let Some(open) = self.below.get_mut(&own)
            && let Some(at) = open.iter().rposition(|one| *one == activity)
        {
            let found = open.remove(at);
            if open.is_empty() {
                self.below.remove(&own);
            }
            return Some(found);
        }
        if path.is_empty() {
            return None;
        }
        // Paths of descendants begin with this path, and end with a slash.
        let mut beneath = self.below.range_mut(own..(group, format!("{path}\u{7f}")));
        let (key, open) = beneath.next_back()?;
        let (key, found, is_last) = (key.clone(), open.pop(), open.is_empty());
        if is_last {
            self.below.remove(&key);
        }
        found
    }
}
