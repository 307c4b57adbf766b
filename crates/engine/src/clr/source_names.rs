//! Names of providers as they stand in traces, of those that several analyses ask for.

/// The runtime, while the session runs.
pub const RUNTIME: &str = "Microsoft-Windows-DotNETRuntime";
/// What was loaded, recorded when a session starts or ends.
pub const RUNDOWN: &str = "Microsoft-Windows-DotNETRuntimeRundown";
/// Stacks of all managed threads at regular times.
pub const SAMPLE_PROFILER: &str = "Microsoft-DotNETCore-SampleProfiler";
/// What Mono's profiler interface reports.
pub const MONO_PROFILER: &str = "Microsoft-DotNETRuntimeMonoProfiler";
/// Tasks and awaits.
pub const TASKS: &str = "System.Threading.Tasks.TplEventSource";
/// Async methods, from .NET 11 on.
pub const ASYNC_PROFILER: &str = "System.Runtime.CompilerServices.AsyncProfilerEventSource";
/// Thread pool and old web requests.
pub const FRAMEWORK: &str = "System.Diagnostics.Eventing.FrameworkEventSource";
/// What libraries report through DiagnosticSource, and activities.
pub const DIAGNOSTIC_SOURCE: &str = "Microsoft-Diagnostics-DiagnosticSource";
/// Messages of loggers (`ILogger`).
pub const LOGGERS: &str = "Microsoft-Extensions-Logging";
/// The web server of ASP.NET Core.
pub const KESTREL: &str = "Microsoft-AspNetCore-Server-Kestrel";
/// The host of ASP.NET Core, whatever the server.
pub const HOSTING: &str = "Microsoft.AspNetCore.Hosting";
/// Requests that are sent (`HttpClient`).
pub const HTTP_CLIENT: &str = "System.Net.Http";
/// Look-ups of the addresses of hosts.
pub const NAME_RESOLUTION: &str = "System.Net.NameResolution";
/// Connections.
pub const SOCKETS: &str = "System.Net.Sockets";
/// Handshakes of encrypted connections.
pub const SECURITY: &str = "System.Net.Security";
