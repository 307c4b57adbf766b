//! Topics for which a trace has events, by event type, and the providers that record the others.

use crate::analysis::intervals::gc_pauses::Gc;
use crate::analysis::intervals::logs::LogKinds;
use crate::analysis::intervals::spans::roles::RequestSources;
use crate::analysis::scan::rows::TypeSet;
use crate::analysis::timeline::allocation_rate::allocation_event_source;
use crate::clr::KnownEvent;
use crate::clr::source_names::{DIAGNOSTIC_SOURCE, FRAMEWORK, HOSTING, HTTP_CLIENT, KESTREL, LOGGERS};
use crate::model::{EventType, Store};
use nettrace::{ByteSource, decode};
use protocol::topics::report::{NotRecorded, TopicPresence};
use protocol::topics::topic::Topic;

/// Role of an event type for a topic.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
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
        let there = || store.types().iter().filter(|one| one.count > 0);
        let roles = || there().filter_map(|one| Some((role(topic, one, &trace)?, one)));
        let of_types: u64 = roles().filter(|(role, _)| *role == Role::Counted).map(|(_, one)| one.count).sum();
        // The runtime can report the start of a GC twice.
        let counted = if topic == Topic::Gc { gcs.len() as u64 } else { of_types };
        let missing = roles().next().is_none().then(|| not_recorded(topic));
        // Counts apply to the whole file. If only a part of it has rows, panels report that.
        let count = (counted > 0 && store.indexed().is_none()).then_some(counted);
        TopicPresence { topic, missing, count }
    };
    Topic::ALL.into_iter().map(of).collect()
}

/// Returns whether a trace has events about a topic.
pub fn is_recorded(topic: Topic, store: &Store) -> bool {
    let trace = Trace::new(store);
    store.types().iter().any(|one| one.count > 0 && role(topic, one, &trace).is_some())
}

/// Maximum number of activity events whose payloads are examined for their subject.
const MAX_LOOKED_AT: usize = 20_000;

/// Returns whether only activities of libraries may be about a topic, so that their payloads decide.
pub fn depends_on_activities(topic: Topic, store: &Store) -> bool {
    let trace = Trace::new(store);
    let is_about = |one: &&EventType| one.count > 0 && role(topic, one, &trace).is_some();
    let mut about = store.types().iter().filter(is_about).peekable();
    about.peek().is_some() && about.all(|one| one.provider == DIAGNOSTIC_SOURCE)
}

/// Returns whether an activity of a library is about a topic that [`depends_on_activities`], as far as payloads are
/// readable.
pub fn has_activity_about(topic: Topic, store: &Store, source: &dyn ByteSource) -> bool {
    let trace = Trace::new(store);
    let types = TypeSet::new(store, |one| role(topic, one, &trace).is_some());
    let (mut looked_at, mut is_found) = (0, false);
    types.for_each_row(store, 0..store.events().len(), |chunk, row| {
        let Some(event_type) = store.types().get(chunk.event_type(row)).filter(|_| !is_found) else { return };
        if looked_at >= MAX_LOOKED_AT {
            is_found = true;
            return;
        }
        looked_at += 1;
        // An unreadable payload may be about the topic.
        is_found = store.payload_of(&chunk.row(row), source).map_or(true, |payload| {
            let values = decode(&event_type.schema.fields, &payload, store.header().pointer_size);
            match topic {
                Topic::Http => super::http::is_of_request(event_type, &values),
                _ => super::sql::is_of_command(event_type, values),
            }
        });
    });
    is_found
}

/// Properties of a trace that decide which of several events about the same thing is counted.
struct Trace {
    request_sources: RequestSources,
    logs: LogKinds,
    /// The events that are counted as allocations, and as tasks or async methods.
    allocations: Option<KnownEvent>,
    tasks: Option<KnownEvent>,
}

impl Trace {
    fn new(store: &Store) -> Self {
        let allocations = allocation_event_source(store).map(|(known, _)| known);
        let tasks = super::tasks::counted_event(store);
        Self { request_sources: RequestSources::new(store), logs: LogKinds::new(store), allocations, tasks }
    }
}

/// Returns the role of an event type for a topic; `None` if it has none.
fn role(topic: Topic, one: &EventType, trace: &Trace) -> Option<Role> {
    use KnownEvent as E;
    use Role::{Counted, Related};
    let is_of = |providers: &[&str]| providers.contains(&one.provider.as_str());
    let name = one.display_name.as_str();
    match topic {
        Topic::Gc => match one.known {
            E::GcStart => Some(Counted),
            // Recordings with suspend events also contain GCs, so without GC events there was no GC.
            E::GcEnd | E::GcHeapStats | E::GcGlobalHeapHistory | E::GcSuspendBegin => Some(Related),
            _ => super::gc::is_dynamic(one).then_some(Related),
        },
        Topic::Allocations => match one.known {
            known if Some(known) == trace.allocations => Some(Counted),
            E::GcAllocationTick | E::AllocationSampled | E::SampledObjectAllocation => Some(Related),
            _ => None,
        },
        Topic::Heap => super::heap::has_objects(one).then_some(Related),
        Topic::Exceptions => (one.known == E::ExceptionThrown).then_some(Counted),
        Topic::Contention => (one.known == E::ContentionStart).then_some(Counted),
        Topic::Waits => (one.known == E::WaitHandleWaitStart).then_some(Counted),
        Topic::ThreadPool => {
            let is_of_framework = is_of(&[FRAMEWORK]) && name.starts_with("ThreadPool");
            let is_of_runtime = matches!(
                one.known,
                E::ThreadPoolAdjustment
                    | E::ThreadPoolWorkerStart
                    | E::ThreadPoolWorkerStop
                    | E::ThreadPoolWorkerWait
                    | E::ThreadPoolEnqueue
                    | E::ThreadPoolDequeue
            );
            (is_of_framework || is_of_runtime).then_some(Related)
        }
        Topic::Http => match name {
            "RequestStart" if is_of(&[KESTREL, HTTP_CLIENT]) => Some(Counted),
            // Both report the same requests.
            "RequestStart" if is_of(&[HOSTING]) => Some(if trace.request_sources.kestrel { Related } else { Counted }),
            // Libraries also report requests through activities; their payloads decide when they are read.
            _ if is_of(&[DIAGNOSTIC_SOURCE]) => (one.edge().is_some() && name.contains("Activity")).then_some(Related),
            _ => (is_of(&HTTP) && name != "EventCounters").then_some(Related),
        },
        Topic::Sql => match name {
            "BeginExecute" if is_of(&SQL) => Some(Counted),
            // Libraries also report commands through activities; their payloads decide when they are read.
            _ => (is_of(&SQL) || name == "ActivityStop" && is_of(&[DIAGNOSTIC_SOURCE])).then_some(Related),
        },
        Topic::Tasks => match one.known {
            known if Some(known) == trace.tasks => Some(Counted),
            E::TaskScheduled | E::TaskOperationBegin | E::TaskExecuteStart | E::TaskWaitBegin | E::AsyncEvents => {
                Some(Related)
            }
            _ => None,
        },
        Topic::Logs if trace.logs.is_message(one) => Some(Counted),
        Topic::Logs => is_of(&[LOGGERS]).then_some(Related),
        Topic::Counters => one.is_counter().then_some(Related),
        Topic::Jit => match one.known {
            E::MethodJittingStarted => Some(Counted),
            E::MethodLoadVerbose | E::MethodLoad => Some(Related),
            _ => None,
        },
        Topic::Startup => super::startup::is_runtime_start(one).then_some(Related),
    }
}

const HTTP: [&str; 3] = [HOSTING, KESTREL, HTTP_CLIENT];
const SQL: [&str; 2] = ["Microsoft.Data.SqlClient.EventSource", "System.Data.SqlClient.EventSource"];

/// Providers that record requests, their connections, and the relation of activities.
const REQUESTS: &str = "Microsoft.AspNetCore.Hosting,Microsoft-AspNetCore-Server-Kestrel,System.Net.Http,\
    System.Net.NameResolution,System.Net.Sockets,System.Net.Security,System.Threading.Tasks.TplEventSource:0x80:4";

/// Returns the user's words for a provider argument such as "Name:0x80:4".
fn provider_words(provider: &str) -> String {
    let mut parts = provider.split(':');
    let name = parts.next().unwrap_or_default();
    match (parts.next(), parts.next()) {
        (Some(keywords), Some(level)) => format!("{name} (keywords {keywords}, level {level})"),
        _ => name.to_owned(),
    }
}

/// Returns how to record a topic.
pub fn not_recorded(topic: Topic) -> NotRecorded {
    let runtime = |what: &str, keyword: &str, level: u8| {
        let noun = if keyword.contains(" and ") { "keywords" } else { "keyword" };
        let words = format!("{what} require the .NET runtime provider with {noun} {keyword} at level {level}.");
        let bits = match keyword {
            "GC" => "0x1",
            "GC and Type" => "0x80001",
            "Exception" => "0x8000",
            "Contention" => "0x4000",
            "WaitHandle" => "0x40000000000",
            "Threading" => "0x10000",
            "Jit and Loader" => "0x18",
            _ => "0x1980001",
        };
        (words, format!("--providers Microsoft-Windows-DotNETRuntime:{bits}:{level}"))
    };
    let provider = |what: &str, providers: &str| {
        let of: Vec<String> = providers.split(',').map(provider_words).collect();
        let words = format!("{what} require {}.", of.join(", "));
        (words, format!("--providers {providers}"))
    };
    let (words, options) = match topic {
        Topic::Gc => runtime("GCs", "GC", 4),
        Topic::Allocations => runtime("Allocations", "GC", 5),
        Topic::Heap => runtime("Heap snapshots", "GCHeapSnapshot", 5),
        Topic::Exceptions => runtime("Exceptions", "Exception", 4),
        Topic::Contention => runtime("Lock waits", "Contention", 4),
        Topic::Waits => runtime("WaitHandle waits (.NET 9 and later)", "WaitHandle", 5),
        Topic::ThreadPool => runtime("Thread pool events", "Threading", 4),
        Topic::Http => provider("HTTP requests", REQUESTS),
        Topic::Sql => provider("Database commands", "Microsoft.Data.SqlClient.EventSource:1:4"),
        Topic::Tasks => provider("Tasks", "System.Threading.Tasks.TplEventSource:0x1C7:4"),
        Topic::Logs => provider("ILogger messages", "Microsoft-Extensions-Logging:4:5"),
        Topic::Counters => provider("Counters", "System.Runtime:0:4:EventCounterIntervalSec=1"),
        Topic::Jit => runtime("JIT events", "Jit and Loader", 5),
        Topic::Startup => {
            let words = "Start the app under dotnet-trace to record its startup.".to_owned();
            return NotRecorded { words, command: "dotnet-trace collect -- dotnet app.dll".to_owned() };
        }
    };
    NotRecorded { words, command: format!("dotnet-trace collect -p PID {options}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_topic_has_recording_command() {
        let requests = not_recorded(Topic::Http);
        assert!(
            requests.words.ends_with("System.Threading.Tasks.TplEventSource (keywords 0x80, level 4)."),
            "{requests:?}"
        );
        assert!(requests.command.ends_with("System.Net.Security,System.Threading.Tasks.TplEventSource:0x80:4"));
    }
}
