//! Which topics a trace has something about, told by the kinds of events that it has; and what records those it has not.

use crate::clr::{KnownEvent, Provider};
use crate::model::{EventType, Store};
use crate::protocol::report::{NotRecorded, TopicPresence};
use crate::protocol::topic::Topic;

/// What a kind of event is to a topic.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Each is one of the things that the topic counts.
    Counted,
    /// It tells about the topic.
    Tells,
}

/// Of every topic whether the trace tells about it.
pub fn presence(store: &Store) -> Vec<TopicPresence> {
    let of = |topic: Topic| {
        let roles =
            || store.types().iter().filter(|one| one.count > 0).filter_map(move |one| Some((role(topic, one)?, one)));
        let counted: u64 = roles().filter(|(role, _)| *role == Role::Counted).map(|(_, one)| one.count).sum();
        TopicPresence { topic, is_recorded: roles().next().is_some(), count: (counted > 0).then_some(counted) }
    };
    Topic::ALL.into_iter().map(of).collect()
}

/// Whether a trace tells about a topic.
pub fn is_recorded(topic: Topic, store: &Store) -> bool {
    store.types().iter().any(|one| one.count > 0 && role(topic, one).is_some())
}

/// What a kind of event is to a topic; none if nothing.
fn role(topic: Topic, one: &EventType) -> Option<Role> {
    use KnownEvent as E;
    use Role::{Counted, Tells};
    let is_of = |providers: &[&str]| providers.contains(&one.provider.as_str());
    let name = one.display_name.as_str();
    match topic {
        Topic::Gc => match one.known {
            E::GcStart => Some(Counted),
            // Whoever records how threads are stopped records collections, too: without any there was none.
            E::GcEnd | E::GcHeapStats | E::GcGlobalHeapHistory | E::GcSuspendBegin => Some(Tells),
            _ => None,
        },
        Topic::Allocations => match one.known {
            E::GcAllocationTick | E::AllocationSampled | E::SampledObjectAllocation => Some(Counted),
            _ => None,
        },
        Topic::Heap => (Provider::from_name(&one.provider) == Some(Provider::Runtime)
            && one.record.event_id == BULK_NODE)
            .then_some(Tells),
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
            (is_of_framework || is_of_runtime).then_some(Tells)
        }
        Topic::Http => is_of(&HTTP).then_some(Tells),
        Topic::Sql => is_of(&SQL).then_some(Tells),
        Topic::Tasks => is_of(&[TASKS]).then_some(Tells),
        Topic::Logs => is_of(&[LOGGERS]).then_some(Tells),
        Topic::Counters => crate::analysis::counters::is_counter(one).then_some(Tells),
        Topic::Jit => match one.known {
            E::MethodJittingStarted => Some(Counted),
            E::MethodLoadVerbose | E::MethodLoad => Some(Tells),
            _ => None,
        },
        Topic::Startup => matches!(one.known, E::RuntimeInformation).then_some(Tells),
    }
}

/// The event of the nodes of a heap's graph.
const BULK_NODE: u32 = 18;
const FRAMEWORK: &str = "System.Diagnostics.Eventing.FrameworkEventSource";
const TASKS: &str = "System.Threading.Tasks.TplEventSource";
const LOGGERS: &str = "Microsoft-Extensions-Logging";
const HTTP: [&str; 3] = ["Microsoft.AspNetCore.Hosting", "Microsoft-AspNetCore-Server-Kestrel", "System.Net.Http"];
const SQL: [&str; 3] =
    ["Microsoft.Data.SqlClient.EventSource", "System.Data.SqlClient.EventSource", "Microsoft.EntityFrameworkCore"];

/// What records a topic.
pub fn not_recorded(topic: Topic) -> NotRecorded {
    let runtime = |what: &str, keyword: &str, level: u8| {
        let words = format!("{what} are events of the .NET runtime, keyword {keyword}, level {level}.");
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
        let words = format!("{what} are events of {}.", providers.replace(',', ", "));
        (words, format!("--providers {providers}"))
    };
    let (words, options) = match topic {
        Topic::Gc => runtime("Garbage collections", "GC", 4),
        Topic::Allocations => runtime("Allocations", "GC", 5),
        Topic::Heap => runtime("The objects of the heap", "GCHeapSnapshot", 5),
        Topic::Exceptions => runtime("Exceptions", "Exception", 4),
        Topic::Contention => runtime("Waits for locks", "Contention", 4),
        Topic::Waits => runtime("Waits for handles, from .NET 9 on,", "WaitHandle", 5),
        Topic::ThreadPool => runtime("The thread pool’s steps", "Threading", 4),
        Topic::Http => {
            provider("Requests", "Microsoft.AspNetCore.Hosting,Microsoft-AspNetCore-Server-Kestrel,System.Net.Http")
        }
        Topic::Sql => provider("Commands to data bases", "Microsoft.Data.SqlClient.EventSource:1:4"),
        Topic::Tasks => provider("Tasks", "System.Threading.Tasks.TplEventSource:0x1C7:4"),
        Topic::Logs => provider("Messages of loggers", "Microsoft-Extensions-Logging:4:5"),
        Topic::Counters => provider("Counters", "System.Runtime:0:4:EventCounterIntervalSec=1"),
        Topic::Jit => runtime("Compiled methods", "Jit and Loader", 5),
        Topic::Startup => {
            let words = "A start is in a trace that began with the program.".to_owned();
            return NotRecorded { words, command: "dotnet-trace collect -- dotnet app.dll".to_owned() };
        }
    };
    NotRecorded { words, command: format!("dotnet-trace collect -p PID {options}") }
}
