//! The providers whose events have a fixed meaning.

/// A provider that this layer knows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Provider {
    /// `Microsoft-Windows-DotNETRuntime`: the runtime, while the session runs.
    Runtime,
    /// `Microsoft-Windows-DotNETRuntimeRundown`: what was loaded, told when a session starts or ends.
    Rundown,
    /// `Microsoft-Windows-DotNETRuntimePrivate`: internals of the garbage collector and loader.
    Private,
    /// `Microsoft-Windows-DotNETRuntimeStress`: the stress log.
    Stress,
    /// `Microsoft-DotNETCore-SampleProfiler`: stacks of all managed threads at regular times.
    SampleProfiler,
    /// `Microsoft-DotNETCore-EventPipe`: about the session itself.
    EventPipe,
    /// `System.Threading.Tasks.TplEventSource`: tasks and awaits.
    Tasks,
    /// `System.Diagnostics.Eventing.FrameworkEventSource`: thread pool and old web requests.
    Framework,
    /// `Universal.Events`: CPU samples and context switches of a whole machine.
    UniversalEvents,
    /// `Universal.System`: processes, mappings and symbols of a whole machine.
    UniversalSystem,
}

const NAMES: [(Provider, &str); 10] = [
    (Provider::Runtime, "Microsoft-Windows-DotNETRuntime"),
    (Provider::Rundown, "Microsoft-Windows-DotNETRuntimeRundown"),
    (Provider::Private, "Microsoft-Windows-DotNETRuntimePrivate"),
    (Provider::Stress, "Microsoft-Windows-DotNETRuntimeStress"),
    (Provider::SampleProfiler, "Microsoft-DotNETCore-SampleProfiler"),
    (Provider::EventPipe, "Microsoft-DotNETCore-EventPipe"),
    (Provider::Tasks, "System.Threading.Tasks.TplEventSource"),
    (Provider::Framework, "System.Diagnostics.Eventing.FrameworkEventSource"),
    (Provider::UniversalEvents, "Universal.Events"),
    (Provider::UniversalSystem, "Universal.System"),
];

impl Provider {
    /// The provider of this name, compared as a .NET session does: without regard to case.
    pub fn from_name(name: &str) -> Option<Self> {
        NAMES.iter().find(|(_, known)| known.eq_ignore_ascii_case(name)).map(|&(provider, _)| provider)
    }

    /// The name as it stands in a trace.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|&&(provider, _)| provider == self).map_or("", |&(_, name)| name)
    }
}
