//! Connections of an event: the other end of its span, and links to other events and threads.

use crate::base::ids::{EventId, ThreadId};
use crate::request::Label;
use serde::{Deserialize, Serialize};

/// Answer to [`crate::queries::Connections`].
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Connections {
    pub event: EventId,
    /// Span that the event starts or stops, if there is one.
    pub span: Option<SpanDetail>,
    /// Links to and from the event. `[` follows the incoming ones, `]` the outgoing ones, to [`Link::other`].
    pub links: Vec<Link>,
    /// Labels that the event shares with other events.
    pub shared: Vec<SharedLabel>,
}

/// Label of several events.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SharedLabel {
    pub label: Label,
    /// Number of events with the label, in all threads and processes.
    pub events: u64,
}

impl Connections {
    /// Returns the link that `[` follows (`]` if `outgoing`), and the number of candidates. Prefers links to other work
    /// over links within an activity, then shorter ones.
    pub fn followed(&self, outgoing: bool) -> Option<(&Link, usize)> {
        let links = || self.links.iter().filter(|link| link.outgoing == outgoing);
        let length = |link: &Link| link.to.time.abs_diff(link.from.time);
        links().min_by_key(|link| (link.kind.rank(), length(link))).map(|link| (link, links().count()))
    }
}

/// Interval with a start and an end: a request, wait, compilation or span.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SpanDetail {
    pub name: String,
    /// Source: a provider, or "Lock", "Wait", "JIT".
    pub source: String,
    /// Nanoseconds; the start of the trace if the trace doesn't contain the start.
    pub begin: i64,
    /// Nanoseconds; the end of the trace if the trace doesn't contain the end.
    pub end: i64,
    /// Start event, if the trace contains it.
    pub start: Option<Moment>,
    /// Stop event, if the trace contains it.
    pub stop: Option<Moment>,
    /// For a lock wait, the owner at the time of release.
    pub owner: Option<Moment>,
}

/// Point of the timeline: a thread at a time.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Moment {
    pub time: i64,
    pub thread: ThreadId,
    /// Label of the thread: "Pool worker 8123".
    pub thread_label: String,
    /// Event, if there is one.
    pub event: Option<EventId>,
    /// Name of the span or event.
    pub name: String,
}

/// Reason of a link between events.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum LinkKind {
    /// A task is scheduled → the task runs.
    TaskRuns,
    /// An async method awaits → the method continues.
    Continues,
    /// An activity → a child activity.
    Part,
    /// An outgoing request → the incoming request (W3C trace context).
    Request,
    /// A thread releases a lock → another thread acquires it.
    LockFreed,
    /// A task ends → a thread that blocked on it continues.
    TaskEnds,
    /// The same activity, trace ID or span ID, on another thread.
    SameWork,
    /// The same value of a named label, on another thread.
    SameLabel,
}

impl LinkKind {
    /// Returns the rank of the kind. The link with the lowest rank is followed: handovers, then children, then links
    /// within the same activity.
    fn rank(self) -> u8 {
        match self {
            Self::TaskRuns | Self::Continues | Self::Request | Self::LockFreed | Self::TaskEnds => 0,
            Self::Part => 1,
            Self::SameWork => 2,
            Self::SameLabel => 3,
        }
    }

    /// Returns the display name of a link, as seen from the requested event.
    fn words(self, outgoing: bool) -> &'static str {
        match (self, outgoing) {
            (Self::TaskRuns, true) => "Task runs",
            (Self::TaskRuns, false) => "Task scheduled",
            (Self::Continues, true) => "Continuation",
            (Self::Continues, false) => "Awaited",
            (Self::Part, true) => "Child",
            (Self::Part, false) => "Parent",
            (Self::Request, true) => "Calls",
            (Self::Request, false) => "Called by",
            (Self::TaskEnds, true) => "Unblocks",
            (Self::TaskEnds, false) => "Unblocked by",
            (Self::LockFreed, true) => "Releases lock",
            (Self::LockFreed, false) => "Lock held by",
            (Self::SameWork | Self::SameLabel, true) => "Next",
            (Self::SameWork | Self::SameLabel, false) => "Previous",
        }
    }
}

/// Link from a cause to an effect.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Link {
    pub kind: LinkKind,
    /// True if the requested event is the cause.
    pub outgoing: bool,
    pub from: Moment,
    pub to: Moment,
    /// Common label, if there is one.
    pub label: Option<Label>,
}

impl Link {
    /// Returns the display name, as seen from the requested event.
    pub fn words(&self) -> String {
        let words = self.kind.words(self.outgoing);
        match (self.kind, &self.label) {
            (LinkKind::SameWork, Some(Label::Trace(_))) => format!("{words} in its trace"),
            (LinkKind::SameWork, Some(Label::Span(_))) => format!("{words} in its span"),
            (LinkKind::SameWork, _) => format!("{words} in its activity"),
            (_, Some(label)) => format!("{words} with {} {}", label.name(), label.value()),
            (_, None) => words.to_owned(),
        }
    }

    /// Returns the link as seen from its other end.
    pub fn reversed(&self) -> Self {
        Self { outgoing: !self.outgoing, ..self.clone() }
    }

    /// Returns the end at the requested event.
    pub fn own(&self) -> &Moment {
        if self.outgoing { &self.from } else { &self.to }
    }

    /// Returns the other end.
    pub fn other(&self) -> &Moment {
        if self.outgoing { &self.to } else { &self.from }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn followed_link_has_lowest_rank_then_shortest_time() {
        let link = |kind, outgoing, from, to| {
            let at = |time| Moment { time, ..Moment::default() };
            Link { kind, outgoing, from: at(from), to: at(to), label: None }
        };
        let mut links = vec![
            link(LinkKind::SameWork, true, 10, 11),
            link(LinkKind::Part, true, 10, 12),
            link(LinkKind::Request, true, 10, 40),
            link(LinkKind::Request, true, 10, 25),
            link(LinkKind::TaskRuns, false, 5, 10),
        ];
        let followed = |links: &[Link], outgoing| {
            let connections = Connections { links: links.to_vec(), ..Connections::default() };
            connections.followed(outgoing).map(|(link, ways)| (link.own().time, link.other().time, ways))
        };
        assert_eq!(followed(&links, true), Some((10, 25, 4)));
        assert_eq!(followed(&links, false), Some((10, 5, 1)));
        links.retain(|link| link.kind != LinkKind::Request);
        assert_eq!(links[0].words(), "Next in its activity");
        let label = Some(Label::Named("tenant".to_owned(), "blue".to_owned()));
        let same = Link { kind: LinkKind::SameLabel, label, ..links[0].clone() };
        assert_eq!(same.reversed().words(), "Previous with tenant blue");
        assert_eq!(followed(&links, true), Some((10, 12, 2)));
        assert_eq!(followed(&[], true), None);
        let back = links[0].reversed();
        assert_eq!((back.own().time, back.other().time, back.outgoing), (11, 10, false));
    }
}
