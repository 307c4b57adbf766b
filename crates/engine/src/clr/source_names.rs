//! Names of providers that several analyses use.

/// The runtime, during the session.
pub const RUNTIME: &str = "Microsoft-Windows-DotNETRuntime";
/// State at the start or end of the session.
pub const RUNDOWN: &str = "Microsoft-Windows-DotNETRuntimeRundown";
/// Stacks of all managed threads at fixed intervals.
pub const SAMPLE_PROFILER: &str = "Microsoft-DotNETCore-SampleProfiler";
/// Events of Mono's profiler interface.
pub const MONO_PROFILER: &str = "Microsoft-DotNETRuntimeMonoProfiler";
/// Tasks and awaits.
pub const TASKS: &str = "System.Threading.Tasks.TplEventSource";
/// Async methods, from .NET 11 on.
pub const ASYNC_PROFILER: &str = "System.Runtime.CompilerServices.AsyncProfilerEventSource";
/// Thread pool and old web requests.
pub const FRAMEWORK: &str = "System.Diagnostics.Eventing.FrameworkEventSource";
/// Events that libraries report through DiagnosticSource, and activities.
pub const DIAGNOSTIC_SOURCE: &str = "Microsoft-Diagnostics-DiagnosticSource";
/// Messages of `ILogger`.
pub const LOGGERS: &str = "Microsoft-Extensions-Logging";
/// Web server of ASP.NET Core.
pub const KESTREL: &str = "Microsoft-AspNetCore-Server-Kestrel";
/// Host of ASP.NET Core, for any server.
pub const HOSTING: &str = "Microsoft.AspNetCore.Hosting";
/// Outgoing requests (`HttpClient`).
pub const HTTP_CLIENT: &str = "System.Net.Http";
/// DNS lookups.
pub const NAME_RESOLUTION: &str = "System.Net.NameResolution";
/// Connections.
pub const SOCKETS: &str = "System.Net.Sockets";
/// TLS handshakes.
pub const SECURITY: &str = "System.Net.Security";
