//! Providers whose events have a fixed meaning.

use super::source_names::{
    ASYNC_PROFILER, DIAGNOSTIC_SOURCE, FRAMEWORK, LOGGERS, MONO_PROFILER, RUNDOWN, RUNTIME, SAMPLE_PROFILER, TASKS,
};
use nettrace::Guid;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Provider {
    /// `Microsoft-Windows-DotNETRuntime`: the runtime, during the session.
    Runtime,
    /// `Microsoft-Windows-DotNETRuntimeRundown`: state at the start or end of the session.
    Rundown,
    /// `Microsoft-Windows-DotNETRuntimePrivate`: internals of the GC and the loader.
    Private,
    /// `Microsoft-Windows-DotNETRuntimeStress`: the stress log.
    Stress,
    /// `Microsoft-DotNETCore-SampleProfiler`: stacks of all managed threads at fixed intervals.
    SampleProfiler,
    /// `Microsoft-DotNETRuntimeMonoProfiler`: events of Mono's profiler interface, including heap dumps.
    MonoProfiler,
    /// `Microsoft-DotNETCore-EventPipe`: about the session itself.
    EventPipe,
    /// `System.Threading.Tasks.TplEventSource`: tasks and awaits.
    Tasks,
    /// `System.Runtime.CompilerServices.AsyncProfilerEventSource`: async methods, from .NET 11 on.
    AsyncProfiler,
    /// `System.Diagnostics.Eventing.FrameworkEventSource`: thread pool and old web requests.
    Framework,
    /// `Microsoft-Diagnostics-DiagnosticSource`: events that libraries report through DiagnosticSource.
    DiagnosticSource,
    /// `Microsoft-Extensions-Logging`: messages and scopes of `ILogger`.
    Loggers,
    /// `Universal.Events`: CPU samples and context switches of a whole machine.
    UniversalEvents,
    /// `Universal.System`: processes, mappings and symbols of a whole machine.
    UniversalSystem,
}

/// Known providers with their names and GUIDs.
const KNOWN: [(Provider, &str, &str); 15] = [
    (Provider::Runtime, RUNTIME, "e13c0d23-ccbc-4e12-931b-d9cc2eee27e4"),
    (Provider::Rundown, RUNDOWN, "a669021c-c450-4609-a035-5af59af4df18"),
    (Provider::Private, "Microsoft-Windows-DotNETRuntimePrivate", "763fd754-7086-4dfe-95eb-c01a46faf4ca"),
    (Provider::Stress, "Microsoft-Windows-DotNETRuntimeStress", "cc2bcbba-16b6-4cf3-8990-d74c2e8af500"),
    (Provider::SampleProfiler, SAMPLE_PROFILER, "3c530d44-97ae-513a-1e6d-783e8f8e03a9"),
    (Provider::MonoProfiler, MONO_PROFILER, "7f442d82-0f1d-5155-4b8c-1529eb2e31c2"),
    (Provider::EventPipe, "Microsoft-DotNETCore-EventPipe", "92f528a6-f5b8-5160-a7ee-b33da7739e29"),
    (Provider::Tasks, TASKS, "2e5dba47-a3d2-4d16-8ee0-6671ffdcd7b5"),
    (Provider::AsyncProfiler, ASYNC_PROFILER, "7892f2f8-f81d-50d6-aea7-594d846c2274"),
    // Name before the first release.
    (
        Provider::AsyncProfiler,
        "System.Runtime.CompilerServices.AsyncProfilerBufferedEventSource",
        "742bd0fe-9200-4de2-9059-576f35ebeb62",
    ),
    (Provider::Framework, FRAMEWORK, "8e9f5090-2d75-4d03-8a81-e5afbf85daf1"),
    (Provider::DiagnosticSource, DIAGNOSTIC_SOURCE, "adb401e1-5296-51f8-c125-5fda75826144"),
    (Provider::Loggers, LOGGERS, "3ac73b97-af73-50e9-0822-5da4367920d0"),
    (Provider::UniversalEvents, "Universal.Events", "bc5e5d63-9799-5873-33d9-fba8316cef71"),
    (Provider::UniversalSystem, "Universal.System", "8c107b6c-79f8-5231-4de6-2a0e20a3f562"),
];

impl Provider {
    /// Returns the provider with a name, compared case-insensitively as in .NET sessions.
    pub fn from_name(name: &str) -> Option<Self> {
        KNOWN.iter().find(|(_, known, _)| known.eq_ignore_ascii_case(name)).map(|&(provider, ..)| provider)
    }

    /// Returns the provider with a GUID. The first traces of .NET Core contain GUIDs instead of names.
    pub fn from_guid(guid: Guid) -> Option<Self> {
        let text = guid.to_string();
        KNOWN.iter().find(|(.., known)| *known == text).map(|&(provider, ..)| provider)
    }

    /// Returns whether the runtime itself writes the events, so that event ID and version determine their layout,
    /// regardless of the file.
    pub fn has_fixed_layouts(self) -> bool {
        use Provider::{MonoProfiler, Private, Rundown, Runtime, SampleProfiler, Stress};
        matches!(self, Runtime | Rundown | Private | Stress | SampleProfiler | MonoProfiler)
    }

    /// Returns whether event IDs differ between processes, so that only names identify events.
    pub fn has_varying_ids(self) -> bool {
        matches!(self, Self::DiagnosticSource | Self::Loggers)
    }

    /// Returns the GUID. For providers older than event sources, it isn't derived from the name.
    pub fn guid(self) -> Option<Guid> {
        let known = KNOWN.iter().find(|&&(provider, ..)| provider == self)?;
        Guid::parse(known.2)
    }

    pub fn name(self) -> &'static str {
        KNOWN.iter().find(|&&(provider, ..)| provider == self).map_or("", |&(_, name, _)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::super::event_source_guid::event_source_guid;
    use super::*;

    #[test]
    fn providers_are_found_by_name_and_guid() {
        let runtime = [0x23, 0x0d, 0x3c, 0xe1, 0xbc, 0xcc, 0x12, 0x4e, 0x93, 0x1b, 0xd9, 0xcc, 0x2e, 0xee, 0x27, 0xe4];
        assert_eq!(Provider::from_guid(Guid(runtime)), Some(Provider::Runtime));
        assert_eq!(Provider::from_guid(Guid::ZERO), None);
        assert_eq!(Provider::from_name("microsoft-windows-dotnetruntime"), Some(Provider::Runtime));
        assert_eq!(Provider::Rundown.name(), "Microsoft-Windows-DotNETRuntimeRundown");
        let early = Provider::from_name("System.Runtime.CompilerServices.AsyncProfilerBufferedEventSource");
        assert_eq!(early, Some(Provider::AsyncProfiler));
    }

    #[test]
    fn event_source_guids_follow_from_names() {
        for provider in [Provider::Loggers, Provider::DiagnosticSource, Provider::AsyncProfiler, Provider::MonoProfiler]
        {
            assert_eq!(provider.guid(), event_source_guid(provider.name()), "{}", provider.name());
        }
    }
}
