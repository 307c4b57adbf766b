//! Assembles requests: joins the spans that different providers report of one request, the facts from its activities,
//! and its phases.

use super::events::{HttpEvents, HttpFact};
use super::requests::{Joined, MAX_PARTS, NONE, Part, PartKind, QUEUED, Request, Step, StepKind};
use crate::analysis::intervals::interval_set::Interval;
use crate::analysis::intervals::spans::index::{Family, SpanIndex, SpanOf};
use crate::analysis::topics::Known;
use crate::analysis::topics::shared::interned_texts::InternedTexts;
use crate::clr::source_names::{
    DIAGNOSTIC_SOURCE, HOSTING, HTTP_CLIENT, KESTREL, LOGGERS, NAME_RESOLUTION, SECURITY, SOCKETS,
};
use crate::model::Store;
use protocol::base::hash::FastMap;
use protocol::base::ids::{ActivityId, EventId, ThreadId};
use protocol::base::sort::sort_by_key;
use protocol::tables::{code_row, interval_flag};
use protocol::timeline::track::TrackKind;

/// Maximum number of enclosing spans examined.
const MAX_ABOVE: usize = 32;
/// Maximum number of spans of one activity examined.
const MAX_OF_ACTIVITY: usize = 8;
/// Assembles the requests of a trace.
pub(super) fn join(known: &Known<'_>, events: &HttpEvents, texts: &mut InternedTexts) -> Joined {
    let Some(spans) = known.spans else { return Joined::default() };
    let mut joining = Joining { known, spans, events, texts, owners: FastMap::default(), joined: Joined::default() };
    joining.requests();
    joining.same_requests();
    joining.link_callers();
    joining.before_server();
    joining.compiling();
    let of_connections = joining.facts();
    joining.spans();
    joining.intervals();
    joining.client_connections(&of_connections);
    joining.server_connections();
    let mut joined = joining.joined;
    let order = |part: &Part| (part.request, part.start, part.event);
    sort_by_key(&mut joined.parts, order);
    wait_since_sent(&mut joined.parts, joining.texts);
    sort_by_key(&mut joined.parts, order);
    sort_by_key(&mut joined.connections, |one| (one.start, one.event));
    joined
}

/// Returns the display name of the event that starts something.
pub(super) fn event_name(store: &Store, event: EventId) -> &str {
    let event_type = store.types.get(store.events.row(event).event_type);
    event_type.map_or("", |event_type| event_type.display_name.as_str())
}

/// State while requests are assembled.
pub(super) struct Joining<'j> {
    pub known: &'j Known<'j>,
    pub spans: &'j SpanIndex,
    pub events: &'j HttpEvents,
    pub texts: &'j mut InternedTexts,
    /// By span: the request that it represents.
    owners: FastMap<u32, u32>,
    pub joined: Joined,
}

impl Joining<'_> {
    pub(super) fn store(&self) -> &Store {
        self.known.store
    }

    /// Creates a request for each span of the request tracks.
    fn requests(&mut self) {
        let empty = self.texts.position("");
        for (at, span) in (0..).zip(self.spans.spans()) {
            let is_sent = match span.track {
                Some(TrackKind::OutgoingRequests) => true,
                Some(TrackKind::IncomingRequests) => false,
                _ => continue,
            };
            let number = self.joined.requests.len() as u32;
            let interval = &span.interval;
            let has_start = interval.flags & interval_flag::OPEN_START == 0;
            let beginning = if has_start { self.events.beginning(interval.event) } else { None };
            self.owners.insert(at, number);
            if !is_sent {
                self.layers(at).into_iter().for_each(|layer| {
                    self.owners.entry(layer).or_insert(number);
                });
            }
            let text = |of: Option<u32>| of.unwrap_or(empty);
            self.joined.requests.push(Request {
                event: interval.event,
                thread: interval.thread,
                start: interval.start,
                end: interval.end,
                is_whole: interval.is_whole(),
                has_unsure_end: interval.has_unsure_end(),
                is_sent,
                method: text(beginning.map(|one| one.method)),
                target: text(beginning.map(|one| one.target)),
                route: text(beginning.map(|one| one.route)),
                host: text(beginning.map(|one| one.host)),
                connection: text(beginning.map(|one| one.connection)),
                status: 0,
                queued: -1,
                failure: NONE,
                exception: NONE,
                parent: NONE,
                before_server: -1,
                compiling: 0,
            });
        }
    }

    /// Assigns spans of other providers to the same requests, by the IDs in their payloads.
    fn same_requests(&mut self) {
        let key = |at: u32| {
            let span = self.spans.spans().get(at as usize)?;
            let ids = self.spans.work_of(span.interval.event)?;
            let process = self.store().threads.get(span.interval.thread)?.process;
            Some((process, ids.trace, ids.span))
        };
        let by_work: FastMap<_, u32> =
            self.owners.iter().filter_map(|(&at, &number)| Some((key(at)?, number))).collect();
        let all = 0..self.spans.spans().len() as u32;
        let others: Vec<(u32, u32)> = all
            .filter(|at| !by_work.is_empty() && !self.owners.contains_key(at))
            .filter_map(|at| Some((at, by_work.get(&key(at)?).copied()?)))
            .collect();
        self.owners.extend(others);
    }

    /// Returns the spans around an incoming request that represent the same one, as other providers report it.
    fn layers(&self, at: u32) -> Vec<u32> {
        let (mut layers, mut standing) = (Vec::new(), 0);
        for above in self.spans.above(at).take(MAX_ABOVE) {
            let Some(span) = self.spans.spans().get(above as usize) else { break };
            let (provider, name) = (self.spans.text(span.interval.note), self.spans.text(span.interval.name));
            if span.track.is_some() || ![HOSTING, DIAGNOSTIC_SOURCE, LOGGERS].contains(&provider) {
                break;
            }
            layers.push(above);
            let stands = match provider {
                HOSTING => event_name(self.known.store, span.interval.event).starts_with("Request"),
                DIAGNOSTIC_SOURCE => name.starts_with("Microsoft.AspNetCore.Hosting.HttpRequestIn"),
                _ => name == "Microsoft.AspNetCore.Hosting.Diagnostics",
            };
            if stands {
                standing = layers.len();
            }
            if stands && provider == HOSTING {
                break;
            }
        }
        layers.truncate(standing);
        layers
    }

    /// Returns the request that contains a span, if the span isn't a request itself.
    fn owner_above(&self, at: u32) -> Option<u32> {
        self.spans.above(at).take(MAX_ABOVE).find_map(|above| self.owners.get(&above).copied())
    }

    /// Returns the request in whose activity something happened.
    fn owner(&self, activity: ActivityId, at: i64) -> Option<u32> {
        let mut spans = self.spans.begun_in_activity(activity, at).take(MAX_OF_ACTIVITY);
        spans.find_map(|span| self.owners.get(&span).copied().or_else(|| self.owner_above(span)))
    }

    pub(super) fn owner_of(&self, event: EventId) -> Option<u32> {
        // A request's start and stop events belong to it, regardless of their activity.
        if let Some((Family::Span, at)) = self.spans.with_event(event)
            && let Some(&own) = self.owners.get(&at)
        {
            return Some(own);
        }
        let row = self.store().events.row(event);
        self.owner(row.activity, self.store().clock.nanos(row.ticks).0)
    }

    /// Links incoming requests to the outgoing request of the same trace, and outgoing requests to the incoming request
    /// that sent them.
    fn link_callers(&mut self) {
        for (at, span) in (0..).zip(self.spans.spans()) {
            let is_request = matches!(span.track, Some(TrackKind::OutgoingRequests | TrackKind::IncomingRequests));
            let Some(&number) = self.owners.get(&at).filter(|_| is_request) else { continue };
            let parent = match span.track {
                Some(TrackKind::OutgoingRequests) => self.owner_above(at),
                _ => self.asking(at, span),
            };
            if let (Some(parent), Some(request)) = (parent, self.joined.requests.get_mut(number as usize)) {
                request.parent = if parent == number { NONE } else { parent };
            }
        }
    }

    /// Computes how long requests waited until the server started to process them.
    fn before_server(&mut self) {
        for at in 0..self.joined.requests.len() {
            let Some(served) = self.joined.requests.get(at).filter(|one| !one.is_sent).copied() else { continue };
            let Some(sent) = self.joined.requests.get_mut(served.parent as usize) else { continue };
            if !sent.is_sent || sent.start > served.start {
                continue;
            }
            let waited = served.start.saturating_sub(sent.start);
            // A request that is processed several times, as after a redirect, waited for the first.
            if sent.before_server < 0 || waited < sent.before_server {
                sent.before_server = waited;
            }
            self.joined.requests[at].before_server = waited;
        }
    }

    /// Computes the JIT time in the activities of requests that waited for it.
    fn compiling(&mut self) {
        let Some(set) = self.known.tracks.known(Family::Track(TrackKind::Jit)) else { return };
        // A compilation may need another one inside it, whose time must not count twice.
        let mut until: FastMap<ThreadId, i64> = FastMap::default();
        for interval in set.intervals().iter().filter(|one| one.row == code_row::FOREGROUND && one.is_whole()) {
            let until = until.entry(interval.thread).or_insert(i64::MIN);
            let start = interval.start.max(*until);
            *until = interval.end.max(*until);
            let Some(mut at) = self.owner_of(interval.event) else { continue };
            // An outgoing request during an incoming one is part of it.
            if let Some(request) = self.joined.requests.get(at as usize).filter(|one| one.is_sent) {
                at = request.parent;
            }
            if let Some(request) = self.joined.requests.get_mut(at as usize).filter(|one| !one.is_sent) {
                let inside = interval.end.min(request.end).saturating_sub(start.max(request.start)).max(0);
                request.compiling = request.compiling.saturating_add(inside);
            }
        }
    }

    /// Returns the outgoing request in this trace for an incoming one (W3C trace context).
    fn asking(&self, at: u32, span: &SpanOf) -> Option<u32> {
        let ids = self.spans.incoming_context(at, span).or_else(|| {
            let layers = self.layers(at).into_iter().filter_map(|layer| self.spans.spans().get(layer as usize));
            layers.filter_map(|layer| self.spans.work_of(layer.interval.event)).next()
        })?;
        let (Family::Span, asking) = self.spans.with_event(self.spans.work(ids.parent)?)? else { return None };
        let owner = self.owners.get(&asking).copied().or_else(|| self.owner_above(asking))?;
        self.joined.requests.get(owner as usize).filter(|request| request.is_sent).map(|_| owner)
    }

    /// Assigns facts to requests by activity. Returns the number of requests by connection.
    fn facts(&mut self) -> FastMap<u64, u64> {
        let mut over: FastMap<u64, u64> = FastMap::default();
        let events = self.events;
        for &(event, fact) in &events.facts {
            if let HttpFact::Connection(number) = fact {
                *over.entry(number).or_default() += 1;
            }
            let Some(number) = self.owner_of(event) else { continue };
            let row = self.store().events.row(event);
            let time = self.store().clock.nanos(row.ticks).0;
            let mut part = Part {
                request: number,
                kind: PartKind::Phase,
                name: 0,
                start: time,
                end: time,
                event,
                thread: row.thread,
            };
            let Some(request) = self.joined.requests.get_mut(number as usize) else { continue };
            match fact {
                HttpFact::Status(status) => request.status = status,
                HttpFact::Method(method) => request.method = method,
                HttpFact::Target(target, route) if self.texts.get(request.target).is_empty() => {
                    request.target = target;
                    if self.texts.get(request.route).is_empty() {
                        request.route = route;
                    }
                }
                HttpFact::Host(host) if request.is_sent && self.texts.get(request.host).is_empty() => {
                    request.host = host
                }
                HttpFact::Route(route) if !request.is_sent => request.route = route,
                HttpFact::Failed(reason) => request.failure = reason,
                HttpFact::Queued(waited) => {
                    request.queued = request.queued.max(0) + waited;
                    part.name = self.texts.position(QUEUED);
                    part.start = time.saturating_sub(waited);
                    self.push(part);
                }
                HttpFact::Thrown(type_name) => {
                    request.exception = type_name;
                    self.push(Part { kind: PartKind::Exception, name: type_name, ..part });
                }
                HttpFact::Target(..) | HttpFact::Host(_) | HttpFact::Route(_) => {}
                HttpFact::Connection(_) | HttpFact::StepFailed(_) => {}
            }
        }
        over
    }

    fn push(&mut self, part: Part) {
        if self.joined.parts.len() < MAX_PARTS {
            self.joined.parts.push(part);
        } else {
            self.joined.parts_omitted += 1;
        }
    }

    /// Assigns spans within requests, and the steps that establish connections.
    fn spans(&mut self) {
        let failed = self.failed_steps();
        let has_security = self.store().types.iter().any(|one| one.provider == SECURITY && one.count > 0);
        for (at, span) in (0..).zip(self.spans.spans()) {
            let owner = self.owner_above(at);
            let provider = self.spans.text(span.interval.note);
            let base = event_name(self.known.store, span.interval.event);
            let step = match provider {
                NAME_RESOLUTION if base.starts_with("Resolution") => Some(StepKind::Lookup),
                SOCKETS if base.starts_with("Connect") => Some(StepKind::Connect),
                SECURITY if base.starts_with("Handshake") => Some(StepKind::Handshake),
                KESTREL if base.starts_with("TlsHandshake") && !has_security => Some(StepKind::Handshake),
                _ => None,
            };
            if let Some(kind) = step {
                let empty = self.texts.position("");
                let interval = &span.interval;
                self.joined.steps.push(Step {
                    event: interval.event,
                    kind,
                    name: self.events.name(interval.event).unwrap_or(empty),
                    start: interval.start,
                    end: interval.end,
                    is_whole: interval.is_whole(),
                    failure: failed.get(&at).copied().unwrap_or(NONE),
                    request: owner.unwrap_or(NONE),
                });
            }
            let is_layer = self.owners.contains_key(&at) && span.track != Some(TrackKind::OutgoingRequests);
            let Some(request) = owner.filter(|_| !is_layer) else { continue };
            let Some((kind, name)) = self.part_of(span, provider, base, step) else { continue };
            let name = self.texts.position(&name);
            let Interval { start, end, event, thread, .. } = span.interval;
            self.push(Part { request, kind, name, start, end, event, thread });
        }
    }

    /// Returns the role of a span within its request; `None` if it repeats another span.
    fn part_of(&self, span: &SpanOf, provider: &str, base: &str, step: Option<StepKind>) -> Option<(PartKind, String)> {
        let name = self.spans.text(span.interval.name);
        if let Some(step) = step {
            let of = self.events.name(span.interval.event).map_or("", |name| self.texts.get(name));
            return Some((PartKind::Phase, [step.words(), " ", of].concat().trim_end().to_owned()));
        }
        let is_repeated = ["System.Net.", "Experimental.System.Net.", "Microsoft.AspNetCore."];
        match provider {
            LOGGERS => None,
            _ if span.track == Some(TrackKind::OutgoingRequests) => Some((PartKind::Request, name.to_owned())),
            DIAGNOSTIC_SOURCE if is_repeated.iter().any(|start| name.starts_with(start)) => None,
            HTTP_CLIENT => Some((PartKind::Phase, phase(base).to_owned())),
            _ => Some((PartKind::Span, name.to_owned())),
        }
    }

    /// Assigns messages and waits in the activities of requests.
    fn intervals(&mut self) {
        let tracks = self.known.tracks;
        let sets = [
            (tracks.known(Family::Track(TrackKind::Logs)), PartKind::Log, ""),
            (tracks.known(Family::Track(TrackKind::Contention)), PartKind::Wait, "Lock"),
            (tracks.known(Family::HandleWait), PartKind::Wait, ""),
        ];
        for (set, kind, what) in sets {
            let Some(set) = set else { continue };
            for interval in set.intervals().iter().filter(|interval| interval.flags & interval_flag::OPEN_START == 0) {
                let Some(request) = self.owner_of(interval.event) else { continue };
                let name = match what {
                    "" => self.texts.position(set.text(interval.name)),
                    what => self.texts.position(&[what, " ", set.text(interval.name)].concat()),
                };
                let Interval { start, end, event, thread, .. } = *interval;
                self.push(Part { request, kind, name, start, end, event, thread });
            }
        }
    }
}

/// Lets the wait for a response begin when the request is sent. With HTTP/1.1 its own event comes only with the response.
fn wait_since_sent(parts: &mut [Part], texts: &mut InternedTexts) {
    let [headers, body, wait] = [SENDING_HEADERS, SENDING_BODY, WAITING].map(|name| texts.position(name));
    let mut sent = None;
    for part in parts.iter_mut().filter(|part| part.kind == PartKind::Phase) {
        if part.name == headers || part.name == body {
            sent = Some((part.request, part.end));
        } else if part.name == wait
            && let Some((_, end)) = sent.take().filter(|(request, end)| *request == part.request && *end < part.start)
        {
            part.start = end;
        }
    }
}

const SENDING_HEADERS: &str = "Sending request headers";
const SENDING_BODY: &str = "Sending request body";
const WAITING: &str = "Waiting for response";

/// Returns the user's words for an event of `System.Net.Http`.
fn phase(base: &str) -> &str {
    match base {
        "RequestHeadersStart" => SENDING_HEADERS,
        "RequestContentStart" => SENDING_BODY,
        "ResponseHeadersStart" => WAITING,
        "ResponseContentStart" => "Reading response",
        other => other,
    }
}
