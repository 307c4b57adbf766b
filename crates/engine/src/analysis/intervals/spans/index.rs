//! All spans of a trace, with the lookups that queries need.

use super::routes::Routes;
use crate::analysis::intervals::activity_lanes::activity_lanes;
use crate::analysis::intervals::interval_set::{Interval, IntervalSet, NO_EVENT, Texts};
use crate::analysis::intervals::jit::readable_method;
use crate::analysis::intervals::task_index::TaskIndex;
use crate::analysis::intervals::tracks::TrackIndex;
use crate::analysis::values::activity_path::path_of;
use crate::model::Store;
use nettrace::{ByteSource, SourceError};
use protocol::base::hash::{FastMap, FastSet};
use protocol::base::ids::{ActivityId, EventId, ProcessId, ThreadId};
use protocol::base::sort::sort_by_key;
use protocol::columns::Strings;
use protocol::tables::{SpanRows, span_shade};
use protocol::timeline::track::TrackKind;
use std::rc::Rc;

/// Maximum number of nested spans of different providers that represent one request.
const REQUEST_LAYERS: usize = 4;
/// Maximum number of spans examined for the one around another.
const MAX_AROUND: usize = 64;

/// A span with its relations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SpanOf {
    /// Time, thread and name.
    pub interval: Interval,
    /// Its activity; 0 for none.
    pub activity: ActivityId,
    /// Number of the trace (W3C trace context) in the labels of its start event; 0 for none.
    pub trace: u32,
    /// The separate track that displays it, if any.
    pub track: Option<TrackKind>,
    /// Position of its parent, which doesn't begin later than it.
    pub parent: Option<u32>,
}

/// W3C trace context IDs of an activity.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TraceContextIds {
    /// Trace ID; zeros if unknown.
    pub trace: [u8; 16],
    /// Its own span ID.
    pub span: u64,
    /// ID of the parent span, possibly in another process; 0 if unknown.
    pub parent: u64,
    /// True if it is known to have no parent.
    pub is_root: bool,
}

impl TraceContextIds {
    /// Returns both IDs as text.
    pub fn key(&self) -> String {
        format!("{:032x}-{:x}", u128::from_be_bytes(self.trace), self.span)
    }
}

/// Results of a search.
pub(crate) struct FoundSpans {
    pub spans: Vec<SpanOf>,
    pub texts: Texts,
    pub work_ids: Vec<(EventId, TraceContextIds)>,
    pub tasks: TaskIndex,
}

/// The list that contains a wait, compilation or span.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Family {
    /// [`SpanIndex::spans`].
    Span,
    HandleWait,
    /// Intervals of a track with specific pairing.
    Track(TrackKind),
}

#[derive(Debug, Default)]
pub struct SpanIndex {
    /// By start.
    spans: Vec<SpanOf>,
    texts: Rc<Strings>,
    /// The spans of each activity, by start.
    by_activity: FastMap<ActivityId, Vec<u32>>,
    /// By start or stop event: the interval that it starts or stops.
    by_event: Vec<(EventId, Family, u32)>,
    tracks: FastMap<TrackKind, Rc<IntervalSet>>,
    threads: FastMap<ThreadId, IntervalSet>,
    /// By start event: IDs of the activity.
    work_ids: Vec<(EventId, TraceContextIds)>,
    /// By span ID: start event of the activity.
    works: FastMap<u64, EventId>,
    /// Facts from the task library.
    pub tasks: TaskIndex,
    /// Routes of requests.
    routes: Routes,
}

impl SpanIndex {
    /// Builds the index from the results of a search and the intervals of other analyses.
    ///
    /// # Errors
    /// If a payload can't be read from the file.
    pub(crate) fn new(
        store: &Store,
        source: &dyn ByteSource,
        found: FoundSpans,
        paired: &mut TrackIndex,
    ) -> Result<Self, SourceError> {
        let FoundSpans { mut spans, mut texts, mut work_ids, tasks } = found;
        sort_by_key(&mut spans, |span| (span.interval.start, span.interval.event));
        find_parents(store, &mut spans);
        join_by_work(store, &mut spans, &work_ids);
        let mut by_thread: FastMap<ThreadId, Vec<Interval>> = FastMap::default();
        for span in spans.iter().filter(|span| stays_on_thread(&span.interval)) {
            by_thread.entry(span.interval.thread).or_default().push(span.interval);
        }
        let mut by_activity: FastMap<ActivityId, Vec<u32>> = FastMap::default();
        for (span, position) in spans.iter().zip(0..).filter(|(span, _)| span.activity.0 != 0) {
            by_activity.entry(span.activity).or_default().push(position);
        }
        let mut by_event = Vec::new();
        let spans_of = spans.iter().map(|span| &span.interval);
        index_events(&mut by_event, Family::Span, spans_of);
        for kind in [TrackKind::Jit, TrackKind::Tiering] {
            let compiled = paired.intervals(store, source, kind)?;
            index_events(&mut by_event, Family::Track(kind), compiled.intervals().iter());
            for interval in compiled.intervals() {
                let name = texts.position(&readable_method(compiled.text(interval.name)));
                let note = texts.position(compiled.text(interval.note));
                let shade = span_shade::JIT;
                by_thread.entry(interval.thread).or_default().push(Interval { name, note, shade, row: 0, ..*interval });
            }
        }
        let locks = Family::Track(TrackKind::Contention);
        index_events(&mut by_event, locks, paired.intervals(store, source, TrackKind::Contention)?.intervals().iter());
        let handle_waits = paired.handle_waits(store, source)?;
        index_events(&mut by_event, Family::HandleWait, handle_waits.intervals().iter());
        by_event.sort_unstable_by_key(|entry| entry.0);
        sort_by_key(&mut work_ids, |work| work.0);
        let texts = texts.finish();
        let set = |kind: TrackKind| {
            let of_kind = spans.iter().filter(|span| span.track == Some(kind));
            // The shade belongs to a track; for a span, it distinguishes kinds on a thread.
            IntervalSet::sharing(of_kind.map(|span| Interval { shade: 0, ..span.interval }).collect(), &texts).packed()
        };
        let lanes = IntervalSet::sharing(activity_lanes(&spans), &texts).with_rows_only_to_separate();
        let kinds = [TrackKind::IncomingRequests, TrackKind::OutgoingRequests, TrackKind::Network, TrackKind::Spans];
        let of_kinds = kinds.into_iter().map(|kind| (kind, set(kind)));
        let sets = of_kinds.chain([(TrackKind::Activities, lanes)]);
        let tracks = sets.map(|(kind, set)| (kind, Rc::new(set))).collect();
        let routes = Routes::new(&spans, &texts);
        Ok(Self {
            routes,
            threads: by_thread
                .into_iter()
                .map(|(thread, intervals)| (thread, IntervalSet::sharing(intervals, &texts).packed()))
                .collect(),
            works: work_ids.iter().rev().map(|(event, ids)| (ids.span, *event)).collect(),
            spans,
            texts,
            by_activity,
            by_event,
            tracks,
            work_ids,
            tasks,
        })
    }

    /// Returns all spans, by start.
    pub fn spans(&self) -> &[SpanOf] {
        &self.spans
    }

    /// Returns the routes of incoming requests.
    pub(super) fn routes(&self) -> &Routes {
        &self.routes
    }

    /// Returns a text of a span.
    pub fn text(&self, position: u32) -> &str {
        self.texts.get(position as usize)
    }

    /// Returns the spans of a track; `None` for a track of another kind.
    pub fn track(&self, kind: TrackKind) -> Option<&Rc<IntervalSet>> {
        self.tracks.get(&kind)
    }

    /// Returns the spans on rows of a thread.
    pub fn thread(&self, thread: ThreadId) -> Option<&IntervalSet> {
        self.threads.get(&thread)
    }

    /// Returns the latest span of an activity that is in progress at a time.
    pub fn of_activity(&self, activity: ActivityId, at: i64) -> Option<u32> {
        let spans = self.by_activity.get(&activity)?;
        let begun =
            spans.partition_point(|span| self.spans.get(*span as usize).is_some_and(|span| span.interval.start <= at));
        let is_under_way = |span: &&u32| self.spans.get(**span as usize).is_some_and(|span| at < span.interval.end);
        spans.get(..begun)?.iter().rev().take(REQUEST_LAYERS).find(is_under_way).copied()
    }

    /// Returns the spans of an activity that had begun at a time, the latest first, in progress or not.
    pub fn begun_in_activity(&self, activity: ActivityId, at: i64) -> impl Iterator<Item = u32> + '_ {
        let spans = self.by_activity.get(&activity).map_or(&[][..], Vec::as_slice);
        let has_begun = |span: &u32| self.spans.get(*span as usize).is_some_and(|span| span.interval.start <= at);
        spans.get(..spans.partition_point(has_begun)).unwrap_or(&[]).iter().rev().copied()
    }

    /// Returns the interval that an event starts or stops.
    pub fn with_event(&self, event: EventId) -> Option<(Family, u32)> {
        let at = self.by_event.partition_point(|entry| entry.0 < event);
        self.by_event.get(at).filter(|entry| entry.0 == event).map(|entry| (entry.1, entry.2))
    }

    /// Returns the trace context IDs of the activity that an event starts.
    pub fn work_of(&self, event: EventId) -> Option<TraceContextIds> {
        let at = self.work_ids.binary_search_by_key(&event, |work| work.0).ok()?;
        self.work_ids.get(at).map(|work| work.1)
    }

    /// Returns the trace context in which a span was started: its own; else, for an incoming request, that of the
    /// activity around or within it that represents the same request.
    pub fn incoming_context(&self, at: u32, span: &SpanOf) -> Option<TraceContextIds> {
        let own = self.work_of(span.interval.event);
        if own.is_some() || span.track != Some(TrackKind::IncomingRequests) {
            return own;
        }
        let mut around = self.above(at).take(REQUEST_LAYERS).filter_map(|above| self.spans.get(above as usize));
        around.find_map(|one| self.work_of(one.interval.event)).or_else(|| self.work_within(at))
    }

    /// Returns the ancestors of a span, the nearest first.
    pub fn above(&self, span: u32) -> impl Iterator<Item = u32> + '_ {
        let parent = |span: u32| self.spans.get(span as usize)?.parent;
        std::iter::successors(parent(span), move |&above| parent(above))
    }

    /// Returns the trace context that a span passes on: its own; else, for an outgoing request, that of the activity
    /// within it.
    pub fn outgoing_context(&self, at: u32, span: &SpanOf) -> Option<TraceContextIds> {
        let own = self.work_of(span.interval.event);
        if own.is_some() || span.track != Some(TrackKind::OutgoingRequests) { own } else { self.work_within(at) }
    }

    fn work_within(&self, at: u32) -> Option<TraceContextIds> {
        self.children(at).find_map(|part| self.work_of(part.interval.event))
    }

    /// Returns the start events of activities whose parent is this span ID.
    pub fn child_span_starts(&self, span: u64) -> impl Iterator<Item = EventId> + '_ {
        self.work_ids.iter().filter(move |(_, ids)| ids.parent == span).map(|(event, _)| *event)
    }

    /// Returns the start event of the activity with this span ID.
    pub fn work(&self, span: u64) -> Option<EventId> {
        self.works.get(&span).copied()
    }

    pub fn children(&self, span: u32) -> impl Iterator<Item = &SpanOf> + '_ {
        let last = self.spans.get(span as usize).map_or(i64::MIN, |span| span.interval.end);
        let after = self.spans.get(span as usize + 1..).unwrap_or(&[]).iter();
        after.take_while(move |one| one.interval.start <= last).filter(move |one| one.parent == Some(span))
    }

    /// Returns the number of rows that the spans of each thread need.
    pub fn rows(&self) -> SpanRows {
        let mut rows: Vec<(u32, u16)> = self.threads.iter().map(|(thread, set)| (thread.0, set.rows)).collect();
        sort_by_key(&mut rows, |row| row.0);
        SpanRows { thread: rows.iter().map(|row| row.0).collect(), rows: rows.iter().map(|row| row.1).collect() }
    }

    /// Returns the memory use in bytes.
    pub fn bytes(&self) -> usize {
        let sets = self.tracks.values().map(Rc::as_ref).chain(self.threads.values());
        let intervals: usize = sets.map(|set| size_of_val(set.intervals())).sum();
        let texts: usize = self.texts.iter().map(|text| text.len() + 4).sum();
        let entries = self.by_event.len() * size_of::<(EventId, Family, u32)>();
        let activities = self.by_activity.len() * 40 + self.spans.len() * 4;
        intervals
            + texts
            + entries
            + activities
            + self.spans.len() * size_of::<SpanOf>()
            + self.tasks.bytes()
            + self.routes.bytes()
            + self.work_ids.len() * 72
    }
}

/// Returns whether a span starts and stops on one thread, as far as recorded.
fn stays_on_thread(interval: &Interval) -> bool {
    !interval.has_unsure_end() && (interval.last_event == NO_EVENT || interval.thread == interval.last_thread)
}

fn index_events<'m>(
    by_event: &mut Vec<(EventId, Family, u32)>,
    family: Family,
    intervals: impl Iterator<Item = &'m Interval>,
) {
    for (position, interval) in (0u32..).zip(intervals) {
        by_event.push((interval.event, family, position));
        if interval.last_event != NO_EVENT && interval.last_event != interval.event {
            by_event.push((interval.last_event, family, position));
        }
    }
}

/// Sets the parents of spans: the span of the related activity in the start event, else the nearest ancestor in the
/// activity's path that was in progress.
fn find_parents(store: &Store, spans: &mut [SpanOf]) {
    let mut by_activity: FastMap<ActivityId, u32> = FastMap::default();
    let mut by_path: FastMap<String, u32> = FastMap::default();
    for position in 0..spans.len() {
        let span = spans[position];
        if span.activity.0 == 0 {
            continue;
        }
        let is_under_way = |&parent: &u32| {
            let parent = spans.get(parent as usize);
            parent.is_some_and(|parent| parent.interval.end >= span.interval.start && parent.activity != span.activity)
        };
        let own = path_of(store, span.activity);
        let related = store.related_activity(span.interval.event);
        let related = related.and_then(|related| by_activity.get(&related)).copied().filter(is_under_way);
        let parent = related.or_else(|| above(&own).find_map(|path| by_path.get(path).copied().filter(is_under_way)));
        spans[position].parent = parent;
        by_activity.insert(span.activity, position as u32);
        if !own.is_empty() {
            by_path.insert(own, position as u32);
        }
    }
}

/// Joins spans that have trace context IDs in their payloads. A request reported by several providers remains on its
/// track once. A span without an activity gets a parent: the same request as reported earlier, the activity that
/// started it, else the innermost one of the same trace around it. Incoming requests have no parent.
fn join_by_work(store: &Store, spans: &mut [SpanOf], work_ids: &[(EventId, TraceContextIds)]) {
    let ids_of: FastMap<EventId, TraceContextIds> = work_ids.iter().copied().collect();
    let mut by_work: FastMap<(ProcessId, [u8; 16], u64), u32> = FastMap::default();
    let mut requests: FastSet<(ProcessId, [u8; 16], u64)> = FastSet::default();
    let mut open: FastMap<(ProcessId, [u8; 16]), Vec<u32>> = FastMap::default();
    for position in 0..spans.len() {
        let span = spans[position];
        let Some(ids) = ids_of.get(&span.interval.event) else { continue };
        let process = store.threads.get(span.interval.thread).map(|thread| thread.process).unwrap_or_default();
        let key = (process, ids.trace, ids.span);
        let is_request = matches!(span.track, Some(TrackKind::IncomingRequests | TrackKind::OutgoingRequests));
        if is_request && !requests.insert(key) {
            spans[position].track = None;
        }
        let around = open.entry((process, ids.trace)).or_default();
        while around
            .last()
            .and_then(|at| spans.get(*at as usize))
            .is_some_and(|one| one.interval.end < span.interval.start)
        {
            around.pop();
        }
        let same = by_work.get(&key).copied();
        let begins_here = span.track == Some(TrackKind::IncomingRequests);
        if span.activity.0 == 0 && span.parent.is_none() && (same.is_some() || !begins_here) {
            let lasts_until =
                |at: &u32, until: i64| spans.get(*at as usize).is_some_and(|one| one.interval.end >= until);
            let asking = by_work.get(&(process, ids.trace, ids.parent)).copied();
            let asking = asking.filter(|at| ids.parent != 0 && lasts_until(at, span.interval.start));
            let innermost = || {
                let is_known = !ids.is_root && ids.trace != [0; 16];
                let nearest = around.iter().rev().take(MAX_AROUND).filter(|_| is_known);
                nearest.copied().find(|at| lasts_until(at, span.interval.end))
            };
            spans[position].parent = same.or(asking).or_else(innermost);
        }
        around.push(position as u32);
        by_work.entry(key).or_insert(position as u32);
    }
}

/// Returns the ancestors of a path, nearest first: for "/#7/1/2/" first "/#7/1/", then "/#7/".
fn above(path: &str) -> impl Iterator<Item = &str> {
    fn shorter(path: &str) -> Option<&str> {
        let inner = path.strip_suffix('/')?;
        let end = inner.rfind(['/', '$'])?;
        // A number after a dollar sign includes a slash.
        let end = if inner.as_bytes().get(end) == Some(&b'$') { inner[..end].rfind('/')? } else { end };
        Some(&inner[..=end]).filter(|shorter| shorter.len() > 1)
    }
    std::iter::successors(Some(path), |path| shorter(path)).skip(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ancestors_of_path_are_nearest_first() {
        assert_eq!(above("/#7/1/2/30/").collect::<Vec<_>>(), ["/#7/1/2/", "/#7/1/", "/#7/"]);
        assert_eq!(above("//1/2/").collect::<Vec<_>>(), ["//1/", "//"]);
        assert_eq!(above("").count(), 0);
    }
}
