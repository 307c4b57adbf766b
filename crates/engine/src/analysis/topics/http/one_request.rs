//! One request with its phases, for its details.

use super::requests::{NONE, Part, PartKind, QUEUED, Request};
use super::route::route_condition;
use super::{HttpFacts, RequestOf};
use protocol::base::ids::EventId;
use protocol::events::span_times::{Phase, RequestFacts, TimeKind};
use protocol::timeline::thread_state::ThreadState;

/// Starts of the messages that ASP.NET Core logs before and after a handler.
const BEFORE_HANDLER: &str = "Executing endpoint '";
const AFTER_HANDLER: &str = "Executed endpoint '";

impl HttpFacts {
    /// Returns the request that starts with an event.
    pub(super) fn one_request(&self, event: EventId) -> Option<RequestOf> {
        let at = self.joined.requests.iter().position(|request| request.event == event)?;
        let request = self.joined.requests.get(at)?;
        let text = |position: u32| if position == NONE { String::new() } else { self.texts.get(position).to_owned() };
        let route = text(request.route);
        let has_condition = !request.is_sent && !route.is_empty();
        let facts = RequestFacts {
            is_sent: request.is_sent,
            status: (request.status > 0).then_some(request.status),
            route_condition: if has_condition { route_condition(&text(request.method), &route) } else { String::new() },
            route,
            failure: text(request.failure),
            exception: text(request.exception),
            before_server: request.before_server(),
        };
        let parts = self.parts_of(at as u32);
        let mut phases: Vec<Phase> = parts.iter().filter_map(|part| self.phase(part)).collect();
        phases.extend(self.around_handler(request, parts).into_iter().flatten());
        Some(RequestOf { facts, phases })
    }

    /// Returns the parts of a request, by start.
    pub(super) fn parts_of(&self, request: u32) -> &[Part] {
        let first = self.joined.parts.partition_point(|part| part.request < request);
        let parts = self.joined.parts.get(first..).unwrap_or_default();
        let count = parts.partition_point(|part| part.request == request);
        parts.get(..count).unwrap_or_default()
    }

    fn phase(&self, part: &Part) -> Option<Phase> {
        let name = self.texts.get(part.name);
        let kind = match part.kind {
            PartKind::Phase if name == QUEUED => TimeKind::Queued,
            PartKind::Phase => TimeKind::Network,
            PartKind::Request => TimeKind::Request,
            PartKind::Span => TimeKind::Span,
            PartKind::Wait if name.starts_with("Lock") => TimeKind::State(ThreadState::Lock),
            PartKind::Wait => TimeKind::State(ThreadState::Blocked),
            PartKind::Log | PartKind::Exception => return None,
        };
        let Part { start, end, event, .. } = *part;
        Some(Phase { name: name.to_owned(), kind, start, end, depth: 0, event })
    }

    /// Returns the time before, in and after the handler, if ASP.NET Core logged both ends of it.
    fn around_handler(&self, request: &Request, parts: &[Part]) -> Option<[Phase; 3]> {
        let logged = |prefix: &str| {
            let is_it = |part: &&Part| part.kind == PartKind::Log && self.texts.get(part.name).starts_with(prefix);
            parts.iter().find(is_it)
        };
        let (before, after) = (logged(BEFORE_HANDLER)?, logged(AFTER_HANDLER)?);
        let name = self.texts.get(before.name).strip_prefix(BEFORE_HANDLER)?.trim_end_matches(['\'', '…']);
        let phase = |name: &str, start: i64, end: i64, event: EventId| {
            let kind = TimeKind::State(ThreadState::Managed);
            Phase { name: name.to_owned(), kind, start, end, depth: 0, event }
        };
        Some([
            phase("Routing and middleware", request.start, before.start, request.event),
            phase(&["Handler ", name].concat(), before.start, after.start, before.event),
            phase("Response", after.start, request.end, after.event),
        ])
    }
}
