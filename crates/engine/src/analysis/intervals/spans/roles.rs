//! Which kinds of events are starts and stops, and how those that belong together are recognised (docs/format/runtime-events.md#activities).

use crate::analysis::values::fields::ARGUMENTS;
use crate::clr::KnownEvent;
use crate::clr::provider::Provider;
use crate::clr::source_names::{DIAGNOSTIC_SOURCE, HOSTING, HTTP_CLIENT, KESTREL, LOGGERS};
use crate::model::{Edge, EventType, Store};
use protocol::tables::span_shade;
use protocol::timeline::track::TrackKind;

/// Fields that name what an event is about, where libraries have one.
const KEY_FIELDS: [&str; 2] = ["requestId", "connectionId"];

/// Source of the key that a start and its stop have in common.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum KeyFrom {
    /// The thread: the latest start on it is over first.
    Thread,
    /// A number at this position of the payload, in bytes.
    NumberAt(usize),
    /// The text of this field, else the activity.
    Field(usize),
    /// The IDs in the arguments of DiagnosticSource, else the activity.
    Arguments,
    /// The activity, else the thread.
    Activity,
}

/// How a span is called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Naming {
    /// As its group.
    Group,
    /// A request: its method and path.
    Request,
    /// By the text of this field.
    Field(usize),
    /// A handler of an exception: by its method.
    Handler,
    /// A collection: by its number.
    Gc,
    /// By the number of its task.
    Task,
    /// By the async method of its task.
    AsyncMethod,
}

/// A type of events that are starts or stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Role {
    /// Starts and stops that belong together have the same.
    pub group: u32,
    pub is_start: bool,
    pub key: KeyFrom,
    pub naming: Naming,
    /// Only events with this number at this position of the payload.
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
    /// Who reports it.
    pub provider: String,
    /// Its name, without the word that says which end.
    pub base: String,
    /// The track of its own on which it is shown, if there is one.
    pub track: Option<TrackKind>,
    /// One of [`span_shade`].
    pub shade: u8,
    /// Whether it may belong to an activity that goes from thread to thread.
    pub is_activity: bool,
    /// Whether a start without a stop is no span: events of this kind don't always have a stop.
    pub drops_open: bool,
    /// Whether it is asynchronous by nature: without an activity, a stop can be on any thread.
    pub is_async: bool,
}

/// Providers of a trace that report requests by themselves: others that report the same requests don't count then.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct RequestSources {
    /// The web server reports the requests that it serves.
    pub kestrel: bool,
    /// The web server or its host does.
    pub served: bool,
    /// The client reports the requests that it sends.
    pub sent: bool,
}

impl RequestSources {
    /// Looks at the types of events; counters of the same providers are no requests.
    pub fn new(store: &Store) -> Self {
        let requests = |one: &&EventType| one.count > 0 && base_name(&one.display_name) == "Request";
        let reports = |provider: &str| store.types().iter().filter(requests).any(|one| one.provider == provider);
        let kestrel = reports(KESTREL);
        Self { kestrel, served: kestrel || reports(HOSTING), sent: reports(HTTP_CLIENT) }
    }
}

/// The roles of all types of a trace.
#[derive(Debug)]
pub(crate) struct Roles {
    of_types: Vec<Option<Role>>,
    groups: Vec<Group>,
    /// Who reports requests.
    pub request_sources: RequestSources,
}

impl Roles {
    /// Looks at every type once.
    pub fn new(store: &Store) -> Self {
        let mut roles = Self { of_types: Vec::new(), groups: Vec::new(), request_sources: RequestSources::new(store) };
        for event_type in store.types() {
            let role = roles.role(event_type);
            roles.of_types.push(role);
        }
        roles
    }

    /// The role of a type.
    pub fn of(&self, event_type: usize) -> Option<Role> {
        self.of_types.get(event_type).copied().flatten()
    }

    /// A group.
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

    /// Starts and stops of the runtime and of the task library. What has a track of its own is paired there.
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

    /// Starts and stops of event sources: by opcode, else by name.
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

/// The track on which a provider's starts and stops are shown. What several providers report is shown once: requests as
/// the server sees them, if it does; what the runtime reports has tracks of its own.
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

/// The name of an event without the word that says which end it is.
pub(crate) fn base_name(name: &str) -> &str {
    let name = name.strip_suffix("Start").or_else(|| name.strip_suffix("Stop")).unwrap_or(name);
    name.strip_suffix('/').unwrap_or(name)
}
