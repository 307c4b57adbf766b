//! Event types that are starts and stops, and the keys that match them (docs/format/runtime-events.md#activities).

use crate::analysis::values::fields::ARGUMENTS;
use crate::clr::KnownEvent;
use crate::clr::provider::Provider;
use crate::clr::source_names::{DIAGNOSTIC_SOURCE, HOSTING, HTTP_CLIENT, KESTREL, LOGGERS};
use crate::model::{Edge, EventType, Store};
use protocol::tables::span_shade;
use protocol::timeline::track::TrackKind;

/// Fields with the ID of an event's subject, where libraries have one.
const KEY_FIELDS: [&str; 2] = ["requestId", "connectionId"];

/// Source of the key that matches a start and its stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum KeyFrom {
    /// The thread: the latest start on it ends first.
    Thread,
    /// A number at this byte offset of the payload.
    NumberAt(usize),
    /// The text of this field, or else the activity.
    Field(usize),
    /// The IDs in the arguments of DiagnosticSource, or else the activity.
    Arguments,
    /// The activity, or else the thread.
    Activity,
}

/// Source of a span's name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Naming {
    Group,
    /// A request: its method and path.
    Request,
    Field(usize),
    /// An exception handler: its method.
    Handler,
    /// A GC: its number.
    Gc,
    /// Its task's ID.
    Task,
    AsyncMethod,
}

/// Role of an event type as a start or stop.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Role {
    /// Starts and stops that belong together have the same group.
    pub group: u32,
    pub is_start: bool,
    pub key: KeyFrom,
    pub naming: Naming,
    /// If set, the role applies only to events with this number at this byte offset of the payload.
    pub only: Option<(usize, u32)>,
}

impl Role {
    /// Returns whether payloads of the type have to be read.
    pub fn needs_payload(&self) -> bool {
        let has_key = !matches!(self.key, KeyFrom::Activity | KeyFrom::Thread);
        has_key || self.only.is_some() || (self.is_start && self.naming != Naming::Group)
    }
}

/// Spans of one kind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Group {
    /// Provider that reports them.
    pub provider: String,
    /// Its name, without the word for start or stop.
    pub base: String,
    /// The separate track that displays it, if any.
    pub track: Option<TrackKind>,
    /// One of [`span_shade`].
    pub shade: u8,
    /// True if it may belong to an activity that continues across threads.
    pub is_activity: bool,
    /// True to ignore starts without a stop, because such events don't always have one.
    pub drops_open: bool,
    /// True for asynchronous spans: without an activity, a stop can be on any thread.
    pub is_async: bool,
}

/// Providers in a trace that report requests. Other providers that report the same requests are then ignored.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct RequestSources {
    /// The web server reports incoming requests.
    pub kestrel: bool,
    /// The web server or its host reports incoming requests.
    pub served: bool,
    /// The client reports outgoing requests.
    pub sent: bool,
}

impl RequestSources {
    /// Examines the event types; counters of the same providers aren't requests.
    pub fn new(store: &Store) -> Self {
        let requests = |one: &&EventType| one.count > 0 && base_name(&one.display_name) == "Request";
        let reports = |provider: &str| store.types.iter().filter(requests).any(|one| one.provider == provider);
        let kestrel = reports(KESTREL);
        Self { kestrel, served: kestrel || reports(HOSTING), sent: reports(HTTP_CLIENT) }
    }
}

/// The roles of all event types of a trace.
#[derive(Debug)]
pub(crate) struct Roles {
    of_types: Vec<Option<Role>>,
    groups: Vec<Group>,
    /// Providers that report requests.
    pub request_sources: RequestSources,
}

impl Roles {
    /// Determines the role of each event type.
    pub fn new(store: &Store) -> Self {
        let mut roles = Self { of_types: Vec::new(), groups: Vec::new(), request_sources: RequestSources::new(store) };
        for event_type in &store.types {
            let role = roles.role(event_type);
            roles.of_types.push(role);
        }
        roles
    }

    pub fn of(&self, event_type: usize) -> Option<Role> {
        self.of_types.get(event_type).copied().flatten()
    }

    pub fn group(&self, group: u32) -> Option<&Group> {
        self.groups.get(group as usize)
    }

    fn position(&mut self, group: Group) -> u32 {
        let same = |known: &Group| (&known.provider, &known.base) == (&group.provider, &group.base);
        let known = self.groups.iter().position(same).unwrap_or_else(|| {
            self.groups.push(group);
            self.groups.len() - 1
        });
        known as u32
    }

    fn role(&mut self, event_type: &EventType) -> Option<Role> {
        if event_type.is_rundown {
            return None;
        }
        match Provider::from_name(&event_type.provider) {
            None | Some(Provider::DiagnosticSource | Provider::Loggers) => self.event_source(event_type),
            Some(_) => self.runtime(event_type),
        }
    }

    /// Returns the role of an event of the runtime or the task library. Events with a separate track are paired there.
    fn runtime(&mut self, event_type: &EventType) -> Option<Role> {
        use KnownEvent::*;
        const EXECUTION: u32 = 2;
        const BLOCKING: u32 = 1;
        let (thread, work, none) = (KeyFrom::Thread, span_shade::TASK, None);
        let (base, is_start, key, naming, only, shade) = match event_type.known {
            GcStart => ("GC", true, KeyFrom::NumberAt(0), Naming::Gc, none, span_shade::GC),
            GcEnd => ("GC", false, KeyFrom::NumberAt(0), Naming::Gc, none, span_shade::GC),
            GcFinalizersBegin => ("Finalizers", true, thread, Naming::Group, none, span_shade::GC),
            GcFinalizersEnd => ("Finalizers", false, thread, Naming::Group, none, span_shade::GC),
            ExceptionCatchBegin => ("catch", true, thread, Naming::Handler, none, span_shade::EXCEPTION),
            ExceptionCatchEnd => ("catch", false, thread, Naming::Handler, none, span_shade::EXCEPTION),
            ExceptionFinallyBegin => ("finally", true, thread, Naming::Handler, none, span_shade::EXCEPTION),
            ExceptionFinallyEnd => ("finally", false, thread, Naming::Handler, none, span_shade::EXCEPTION),
            ExceptionFilterBegin => ("filter", true, thread, Naming::Handler, none, span_shade::EXCEPTION),
            ExceptionFilterEnd => ("filter", false, thread, Naming::Handler, none, span_shade::EXCEPTION),
            TaskExecuteStart => ("Task", true, KeyFrom::NumberAt(8), Naming::Task, none, work),
            TaskExecuteStop => ("Task", false, KeyFrom::NumberAt(8), Naming::Task, none, work),
            TaskWaitBegin => ("Wait for task", true, KeyFrom::NumberAt(8), Naming::Task, Some((12, BLOCKING)), work),
            TaskWaitEnd => ("Wait for task", false, KeyFrom::NumberAt(8), Naming::Task, none, work),
            TaskWorkBegin => ("Async method", true, thread, Naming::AsyncMethod, Some((4, EXECUTION)), work),
            TaskWorkEnd => ("Async method", false, thread, Naming::AsyncMethod, Some((0, EXECUTION)), work),
            _ => return None,
        };
        let drops_open = matches!(naming, Naming::Handler | Naming::AsyncMethod) || event_type.known == TaskWaitEnd;
        let provider = event_type.provider.clone();
        let base = base.to_owned();
        let (track, is_activity, is_async) = (None, false, false);
        let group = Group { provider, base, track, shade, is_activity, drops_open, is_async };
        Some(Role { group: self.position(group), is_start, key, naming, only })
    }

    /// Returns the role of an event of an event source: by opcode, or else by name.
    fn event_source(&mut self, event_type: &EventType) -> Option<Role> {
        let name = event_type.display_name.as_str();
        let is_start = event_type.edge()? == Edge::Start;
        let base = base_name(name).to_owned();
        let track = track_of(event_type, self.request_sources);
        let fields = &event_type.schema.fields;
        let field = |name: &str| fields.iter().position(|field| field.name == name);
        let key = match KEY_FIELDS.iter().find_map(|key| field(key)) {
            _ if event_type.provider == DIAGNOSTIC_SOURCE && field(ARGUMENTS).is_some() => KeyFrom::Arguments,
            // Scopes of loggers have numbers.
            _ if event_type.provider == LOGGERS && field("ID") == Some(0) => KeyFrom::NumberAt(0),
            named => named.map_or(KeyFrom::Activity, KeyFrom::Field),
        };
        let named = if event_type.provider == LOGGERS { field("LoggerName") } else { None };
        let named = named.or_else(|| field("ActivityName")).or_else(|| field("EventName"));
        let naming = match named {
            _ if base == "Request" => Naming::Request,
            Some(field) => Naming::Field(field),
            None => Naming::Group,
        };
        let shade = match track {
            Some(TrackKind::IncomingRequests | TrackKind::OutgoingRequests | TrackKind::Network) => span_shade::IO,
            _ if event_type.provider == HOSTING => span_shade::IO,
            _ => span_shade::OWN,
        };
        let provider = event_type.provider.clone();
        let is_async = provider == HOSTING || track.is_some_and(|track| track != TrackKind::Spans);
        let group = Group { provider, base, track, shade, is_activity: true, drops_open: false, is_async };
        Some(Role { group: self.position(group), is_start, key, naming, only: None })
    }
}

/// Returns the track that displays a provider's starts and stops. Requests that several providers report are displayed
/// once, as the server reports them if it does; the runtime's events have separate tracks.
fn track_of(event_type: &EventType, request_sources: RequestSources) -> Option<TrackKind> {
    let provider = event_type.provider.as_str();
    let is_request = base_name(&event_type.display_name) == "Request";
    match provider {
        KESTREL if is_request => Some(TrackKind::IncomingRequests),
        HOSTING if is_request => (!request_sources.kestrel).then_some(TrackKind::IncomingRequests),
        HTTP_CLIENT if is_request => Some(TrackKind::OutgoingRequests),
        _ if provider.starts_with("System.Net.") || provider == KESTREL => Some(TrackKind::Network),
        _ if provider.starts_with("System.") || provider.starts_with("Microsoft") => None,
        _ => Some(TrackKind::Spans),
    }
}

/// Returns the name of an event without the word for start or stop.
pub(crate) fn base_name(name: &str) -> &str {
    let name = name.strip_suffix("Start").or_else(|| name.strip_suffix("Stop")).unwrap_or(name);
    name.strip_suffix('/').unwrap_or(name)
}
