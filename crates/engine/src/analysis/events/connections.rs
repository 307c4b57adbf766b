//! Connections of an event: the other end of its span, and its causes and effects.

use super::shared_labels::{Shared, shared};
use crate::analysis::intervals::contention::lock_owner;
use crate::analysis::intervals::interval_set::{Interval, NO_EVENT};
use crate::analysis::intervals::jit::readable_method;
use crate::analysis::intervals::spans::index::{Family, SpanIndex, SpanOf};
use crate::analysis::intervals::task_index::{TaskFact, TaskKey, task_fact};
use crate::analysis::intervals::tracks::TrackIndex;
use crate::clr::KnownEvent;
use crate::clr::known::payload::ContentionStart;
use crate::model::{Store, Thread};
use nettrace::{ByteSource, SourceError};
use protocol::base::ids::{EventId, ThreadId};
use protocol::events::connections::{Connections, Link, LinkKind, Moment, SharedLabel, SpanDetail};
use protocol::request::Label;
use protocol::tables::interval_flag;
use protocol::timeline::track::TrackKind;

/// Maximum number of links of one kind in one direction.
const MAX_LINKS: usize = 50;

/// Data for finding connections.
#[derive(Clone, Copy)]
pub struct Known<'k> {
    pub store: &'k Store,
    /// The bytes of the trace.
    pub source: &'k dyn ByteSource,
    pub spans: &'k SpanIndex,
    /// Intervals of other analyses.
    pub tracks: &'k TrackIndex,
}

/// Returns the connections of an event.
///
/// # Errors
/// If a payload can't be read from the file.
pub fn connections(known: Known<'_>, event: EventId) -> Result<Connections, SourceError> {
    if known.store.events.get(event).is_none() {
        return Ok(Connections { event, ..Connections::default() });
    }
    let found = known.spans.with_event(event).and_then(|(family, at)| known.found(family, at));
    let mut links = Links { known, list: Vec::new() };
    links.of_tasks(event)?;
    if let Some(found) = &found {
        links.of_span(found, event)?;
    }
    let shared = links.of_work(event);
    let span = found.map(|found| known.span_detail(&found)).transpose()?;
    Ok(Connections { event, span, links: links.list, shared })
}

/// The interval that an event starts or stops.
struct Found<'k> {
    family: Family,
    interval: Interval,
    name: &'k str,
    note: &'k str,
    /// Its position among the spans, if it is one.
    span: Option<(u32, &'k SpanOf)>,
}

impl<'k> Known<'k> {
    fn found(self, family: Family, at: u32) -> Option<Found<'k>> {
        if family == Family::Span {
            let span = self.spans.spans().get(at as usize)?;
            let (name, note) = (self.spans.text(span.interval.name), self.spans.text(span.interval.note));
            return Some(Found { family, interval: span.interval, name, note, span: Some((at, span)) });
        }
        let set = self.tracks.known(family)?;
        let interval = *set.intervals().get(at as usize)?;
        Some(Found { family, interval, name: set.text(interval.name), note: set.text(interval.note), span: None })
    }

    fn moment(self, event: EventId) -> Moment {
        let row = self.store.events.row(event);
        self.at(row.thread, self.store.clock.nanos(row.ticks).0, Some(event))
    }

    fn at(self, thread: ThreadId, time: i64, event: Option<EventId>) -> Moment {
        let label = self.store.threads.get(thread).map_or_else(String::new, |thread| self.label_of(thread));
        Moment { time, thread, thread_label: label, event, name: event.map_or_else(String::new, |one| self.name(one)) }
    }

    /// Returns the label of a thread, with its process if there are several.
    fn label_of(self, thread: &Thread) -> String {
        let label = thread.numbered_label();
        let process = self.store.processes.get(thread.process).filter(|_| self.store.has_several_processes());
        process.map_or_else(|| label.clone(), |process| format!("{label} of {}", process.numbered_label()))
    }

    /// Returns the name of the span that an event starts or stops, or else of its type.
    fn name(self, event: EventId) -> String {
        let found = self.spans.with_event(event).and_then(|(family, at)| self.found(family, at));
        if let Some(found) = found.filter(|found| !found.name.is_empty()) {
            return found.name.to_owned();
        }
        let event_type = self.store.types.get(self.store.events.row(event).event_type);
        event_type.map_or_else(String::new, |event_type| event_type.display_name.clone())
    }

    fn span_detail(self, found: &Found<'_>) -> Result<SpanDetail, SourceError> {
        let interval = &found.interval;
        let start =
            (interval.flags & interval_flag::OPEN_START == 0).then(|| match interval.event == interval.last_event {
                // There is only the stop event, which has the duration.
                true if interval.start < interval.end => self.at(interval.thread, interval.start, None),
                _ => self.moment(interval.event),
            });
        let stop = (interval.last_event != NO_EVENT).then(|| self.moment(interval.last_event));
        let (name, source) = match found.family {
            Family::Span => (found.name.to_owned(), found.note.to_owned()),
            Family::HandleWait => (found.name.to_owned(), "Wait".to_owned()),
            Family::Track(TrackKind::Contention) => (lock_words(found.name), "Lock".to_owned()),
            Family::Track(_) => (readable_method(found.name), ["JIT", found.note].join(" · ")),
        };
        let owner = match found.family {
            Family::Track(TrackKind::Contention) => {
                self.owner(interval)?.map(|owner| self.at(owner, interval.end, None))
            }
            _ => None,
        };
        Ok(SpanDetail { name, source, begin: interval.start, end: interval.end, start, stop, owner })
    }

    /// Returns the thread that owned the lock of a wait.
    fn owner(self, wait: &Interval) -> Result<Option<ThreadId>, SourceError> {
        if wait.flags & interval_flag::OPEN_START != 0 {
            return Ok(None);
        }
        let payload = self.store.payload(wait.event, self.source)?;
        let owner = ContentionStart::read(&payload).and_then(|start| start.owner_thread).filter(|id| *id != 0);
        Ok(owner.and_then(|owner| lock_owner(self.store, wait, owner)))
    }

    fn task_of(self, event: EventId) -> Result<Option<(TaskFact, TaskKey)>, SourceError> {
        let row = self.store.events.row(event);
        let known = self.store.types.get(row.event_type).map_or(KnownEvent::Other, |event_type| event_type.known);
        if known == KnownEvent::Other {
            return Ok(None);
        }
        let process = self.store.threads.get(row.thread).map(|thread| thread.process).unwrap_or_default();
        let payload = self.store.payload(event, self.source)?;
        Ok(task_fact(known, &payload).map(|(fact, task)| (fact, (process, task))))
    }
}

fn lock_words(lock: &str) -> String {
    if lock.is_empty() { "Waiting for a lock".to_owned() } else { ["Waiting for lock ", lock].concat() }
}

struct Links<'k> {
    known: Known<'k>,
    list: Vec<Link>,
}

impl Links<'_> {
    /// Adds a link from a cause to its effect, one of which is the requested event.
    fn push(&mut self, kind: LinkKind, outgoing: bool, from: Moment, to: Moment) {
        let same = self.list.iter().filter(|link| link.kind == kind && link.outgoing == outgoing);
        if same.count() < MAX_LINKS {
            self.list.push(Link { kind, outgoing, from, to, label: None });
        }
    }

    fn between(&mut self, kind: LinkKind, outgoing: bool, from: EventId, to: EventId) {
        let (from, to) = (self.known.moment(from), self.known.moment(to));
        self.push(kind, outgoing, from, to);
    }

    /// Adds links between a scheduled task and its run, and between an await and its continuation.
    fn of_tasks(&mut self, event: EventId) -> Result<(), SourceError> {
        use TaskFact::*;
        let Some((fact, task)) = self.known.task_of(event)? else { return Ok(()) };
        let tasks = &self.known.spans.tasks;
        let (kind, effects): (LinkKind, &[TaskFact]) = match fact {
            Scheduled => (LinkKind::TaskRuns, &[Started]),
            Awaits => (LinkKind::Continues, &[Works]),
            ContinuationScheduled => (LinkKind::Continues, &[Started, Works]),
            Started => {
                if let Some(cause) = tasks.cause(task, event, fact, &[Scheduled]) {
                    self.between(LinkKind::TaskRuns, false, cause, event);
                } else if let Some(cause) = tasks.cause(task, event, fact, &[ContinuationScheduled]) {
                    self.between(LinkKind::Continues, false, cause, event);
                }
                return Ok(());
            }
            Works => {
                if let Some(cause) = tasks.cause(task, event, fact, &[Awaits, ContinuationScheduled]) {
                    self.between(LinkKind::Continues, false, cause, event);
                }
                return Ok(());
            }
            // The wait itself has this link.
            Blocks | Ended => return Ok(()),
        };
        if let Some(effect) = tasks.effect(task, event, fact, effects) {
            self.between(kind, true, event, effect);
        }
        Ok(())
    }

    /// Adds links to a span's parent, children and outgoing requests, and to the thread that released its lock.
    fn of_span(&mut self, found: &Found<'_>, event: EventId) -> Result<(), SourceError> {
        let (known, interval) = (self.known, &found.interval);
        if event != interval.event {
            self.of_tasks(interval.event)?;
        }
        if found.family == Family::Track(TrackKind::Contention)
            && let Some(owner) = known.owner(interval)?
        {
            let last = if interval.last_event == NO_EVENT { interval.event } else { interval.last_event };
            self.push(LinkKind::LockFreed, false, known.at(owner, interval.end, None), known.moment(last));
        }
        if found.family == Family::HandleWait
            && let Some((_, ended)) = known.spans.tasks.unblocked(interval.thread, interval.event)
            && (interval.last_event == NO_EVENT || ended < interval.last_event)
        {
            let last = if interval.last_event == NO_EVENT { interval.event } else { interval.last_event };
            self.between(LinkKind::TaskEnds, false, ended, last);
        }
        let Some((at, span)) = found.span else { return Ok(()) };
        let parent = span.parent.and_then(|parent| known.spans.spans().get(parent as usize));
        if let Some(parent) = parent {
            self.between(LinkKind::Part, false, parent.interval.event, interval.event);
        }
        for child in known.spans.children(at).take(MAX_LINKS) {
            self.between(LinkKind::Part, true, interval.event, child.interval.event);
        }
        let asked_by = known.spans.incoming_context(at, span).and_then(|ids| known.spans.work(ids.parent));
        if let Some(asking) = asked_by.filter(|asking| *asking != interval.event) {
            self.between(LinkKind::Request, false, asking, interval.event);
        }
        let Some(ids) = known.spans.outgoing_context(at, span) else { return Ok(()) };
        // Its children and theirs are listed as such.
        let is_part = |asked: &EventId| match known.spans.with_event(*asked) {
            Some((Family::Span, other)) => known.spans.above(other).any(|above| above == at),
            _ => false,
        };
        for asked in known.spans.child_span_starts(ids.span).filter(|asked| !is_part(asked)).take(MAX_LINKS) {
            self.between(LinkKind::Request, true, interval.event, asked);
        }
        Ok(())
    }

    /// Adds links to the previous and next events with the same activity or label on other threads. Returns the shared
    /// labels.
    fn of_work(&mut self, event: EventId) -> Vec<SharedLabel> {
        let mut labels: Vec<SharedLabel> = Vec::new();
        for Shared { label, events, before, after } in shared(self.known.store, event) {
            let kind = match label {
                Some(Label::Named(..)) => LinkKind::SameLabel,
                _ => LinkKind::SameWork,
            };
            for (other, outgoing) in [(before, false), (after, true)] {
                let Some(other) = other else { continue };
                // If two labels lead to the same event, it is listed with the first.
                let is_there = |link: &Link| {
                    matches!(link.kind, LinkKind::SameWork | LinkKind::SameLabel)
                        && link.outgoing == outgoing
                        && link.other().event == Some(other)
                };
                if !self.list.iter().any(is_there) {
                    let (from, to) = if outgoing { (event, other) } else { (other, event) };
                    self.between(kind, outgoing, from, to);
                    if let Some(link) = self.list.last_mut().filter(|link| link.kind == kind) {
                        link.label.clone_from(&label);
                    }
                }
            }
            labels.extend(label.filter(|_| events > 1).map(|label| SharedLabel { label, events }));
        }
        labels
    }
}
