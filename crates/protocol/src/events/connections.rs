//! What an event is connected with: the other end of its span, and links to other events and threads.

use crate::base::ids::{EventId, ThreadId};
use crate::request::Label;
use serde::{Deserialize, Serialize};

/// Answer to [`crate::Request::Connections`].
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Connections {
    /// Which.
    pub event: EventId,
    /// What begins or ends with the event, if something does.
    pub span: Option<SpanDetail>,
    /// What leads to it and from it. The incoming ones are what `[` follows, the outgoing ones what `]` follows: the
    /// other end is [`Link::other`].
    pub links: Vec<Link>,
    /// Labels of the event that others have, too, with how many.
    pub shared: Vec<SharedLabel>,
}

/// A label that several events have.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SharedLabel {
    /// Which.
    pub label: Label,
    /// How many events have it, in all threads and processes.
    pub events: u64,
}

impl Connections {
    /// The link that `[` follows, or `]` if `outgoing`, and how many there are to choose from. What leads elsewhere comes
    /// before a part of the same work, then the shortest in time.
    pub fn followed(&self, outgoing: bool) -> Option<(&Link, usize)> {
        let links = || self.links.iter().filter(|link| link.outgoing == outgoing);
        let length = |link: &Link| link.to.time.abs_diff(link.from.time);
        links().min_by_key(|link| (link.kind.rank(), length(link))).map(|link| (link, links().count()))
    }
}

/// Something that begins and ends: a request, a wait, a compilation, a span.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct SpanDetail {
    /// What it is.
    pub name: String,
    /// Who tells of it: a provider, or "Lock", "Wait", "JIT".
    pub told_by: String,
    /// Nanoseconds; the start of the trace if its start is not in it.
    pub begin: i64,
    /// Nanoseconds; the end of the trace if its end is not in it.
    pub end: i64,
    /// Its start event, if that is in the trace.
    pub start: Option<Moment>,
    /// Its stop event, if that is in the trace.
    pub stop: Option<Moment>,
    /// Of a wait for a lock: who held it, when it was let go.
    pub owner: Option<Moment>,
}

/// A point of the timeline: a thread at a time.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Moment {
    /// Nanoseconds.
    pub time: i64,
    /// Whose track it lies on.
    pub thread: ThreadId,
    /// What to call the thread: "Pool worker 8123".
    pub thread_label: String,
    /// The event, if one tells of it.
    pub event: Option<EventId>,
    /// What happens: the name of the span or of the event.
    pub name: String,
}

/// Why one event leads to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum LinkKind {
    /// A task was scheduled → it runs.
    TaskRuns,
    /// An async method awaits → it goes on.
    Continues,
    /// A piece of work → a part of it.
    Part,
    /// A request was sent → it is served (W3C trace context).
    Request,
    /// A thread lets a lock go → another has it.
    LockFreed,
    /// The same activity, trace id or span id, on another thread.
    SameWork,
    /// The same value of a label with a name of its own, on another thread.
    SameLabel,
}

impl LinkKind {
    /// Of several links the one of lowest rank is followed: what hands over comes first, then parts, then the same work.
    fn rank(self) -> u8 {
        match self {
            Self::TaskRuns | Self::Continues | Self::Request | Self::LockFreed => 0,
            Self::Part => 1,
            Self::SameWork => 2,
            Self::SameLabel => 3,
        }
    }

    /// What to call it, seen from the event that was asked about.
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
            (Self::LockFreed, true) => "Releases lock",
            (Self::LockFreed, false) => "Lock held by",
            (Self::SameWork | Self::SameLabel, true) => "Next",
            (Self::SameWork | Self::SameLabel, false) => "Previous",
        }
    }
}

/// From a cause to an effect.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Link {
    /// Why.
    pub kind: LinkKind,
    /// Whether the event that was asked about is the cause.
    pub outgoing: bool,
    /// The cause.
    pub from: Moment,
    /// The effect.
    pub to: Moment,
    /// What both have in common, if it is a label.
    pub label: Option<Label>,
}

impl Link {
    /// What to call it, seen from the event that was asked about.
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

    /// The same, seen from its other end.
    pub fn reversed(&self) -> Self {
        Self { outgoing: !self.outgoing, ..self.clone() }
    }

    /// The end that was asked about.
    pub fn own(&self) -> &Moment {
        if self.outgoing { &self.from } else { &self.to }
    }

    /// The end that was not asked about.
    pub fn other(&self) -> &Moment {
        if self.outgoing { &self.to } else { &self.from }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_follows_what_hands_over_then_parts_and_of_these_the_shortest() {
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
