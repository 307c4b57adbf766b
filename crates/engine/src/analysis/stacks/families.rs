//! Families of .NET's own code, which are folded together, and their names for users.

use super::frames::{family, namespace};
use crate::analysis::samples::stack_states::method_path;
use crate::model::{Function, Store};

const THREAD_POOL: &str = "Thread pool";
/// Tasks and the infrastructure of async methods.
const TASKS: &str = "Tasks";

/// Code in which threads begin.
const THREAD_START: &str = "Thread start";

/// Prefixes of `Namespace.Type.Method` with their families. The first match wins.
const FAMILIES: &[(&str, &str)] = &[
    ("System.Threading.ThreadPool", THREAD_POOL),
    ("System.Threading.PortableThreadPool", THREAD_POOL),
    ("System.Threading.WindowsThreadPool", THREAD_POOL),
    ("System.Threading.QueueUserWorkItemCallback", THREAD_POOL),
    ("System.Threading._ThreadPoolWaitCallback", THREAD_POOL),
    ("System.Threading._IOCompletionCallback", THREAD_POOL),
    ("System.Threading.LowLevelLifoSemaphore", THREAD_POOL),
    ("System.Threading.Tasks.", TASKS),
    ("System.Threading.ExecutionContext", THREAD_START),
    ("System.Runtime.CompilerServices.Async", TASKS),
    ("System.Runtime.CompilerServices.ConfiguredTask", TASKS),
    ("System.Runtime.CompilerServices.ConfiguredValueTask", TASKS),
    ("System.Runtime.CompilerServices.PoolingAsync", TASKS),
    ("System.Runtime.CompilerServices.Task", TASKS),
    ("System.Runtime.CompilerServices.ValueTask", TASKS),
    ("System.Threading.Thread.StartCallback", THREAD_START),
    ("System.Threading.Thread+StartHelper", THREAD_START),
    // .NET Core 2.1
    ("System.Threading.Thread.ThreadMain_", THREAD_START),
    ("System.Threading.ThreadHelper.", THREAD_START),
    ("System.Threading.Timer", "Timers"),
    ("System.Threading.", "Threads and locks"),
    ("System.Collections.", "Collections"),
    ("System.Linq.", "LINQ"),
    ("System.Text.Json.", "JSON"),
    ("System.Text.RegularExpressions.", "Regular expressions"),
    ("System.Text.", "Text"),
    ("System.IO.Compression.", "Compression"),
    ("System.IO.", "I/O"),
    ("System.Net.Http.", "HttpClient"),
    ("System.Net.Security.", "TLS"),
    ("System.Net.Sockets.", "Sockets"),
    ("System.Net.", "Network"),
    ("System.Security.Cryptography.", "Cryptography"),
    ("System.Reflection.", "Reflection"),
    ("System.Data.", "Data access"),
    ("System.Diagnostics.Tracing.", "Event tracing"),
    ("System.Diagnostics.", "Diagnostics"),
    ("System.Xml.", "XML"),
    ("System.Console", "Console"),
    ("System.", "Base library"),
    ("Interop+", "Base library"),
    ("Microsoft.Win32.", "Base library"),
    ("Microsoft.AspNetCore.", "ASP.NET Core"),
    ("Microsoft.EntityFrameworkCore.", "EF Core"),
    ("Microsoft.Data.", "Data access"),
    ("Microsoft.Extensions.DependencyInjection.", "Dependency injection"),
    ("Microsoft.Extensions.Hosting.", "Host"),
    ("Microsoft.Extensions.Logging.", "Logging"),
    ("Microsoft.Extensions.", ".NET extensions"),
];

/// Modules of code without a namespace, by lowercase prefix.
const MODULES: &[(&str, &str)] = &[
    ("libclrjit", "JIT compiler"),
    ("clrjit", "JIT compiler"),
    ("libclrgc", "GC"),
    ("clrgc", "GC"),
    ("libcoreclr", ".NET runtime"),
    ("coreclr", ".NET runtime"),
    ("clr", ".NET runtime"),
    ("libsystem.", "Native libraries of .NET"),
    ("[kernel", "Kernel"),
    ("vmlinux", "Kernel"),
    ("ntoskrnl", "Kernel"),
    ("libc.", "C library"),
    ("libc-", "C library"),
    ("libpthread", "C library"),
];

/// Returns the family of a function: by namespace and type, else by module; for code that is in no table, the first two
/// parts of its namespace, or its module.
pub fn family_of<'s>(store: &'s Store, function: &Function) -> &'s str {
    if function.is_managed {
        let path = method_path(store, function);
        if let Some((_, family)) = FAMILIES.iter().find(|(start, _)| path.starts_with(start)) {
            return family;
        }
    }
    let module = store.strings.get(function.module);
    let lower = module.to_ascii_lowercase();
    if let Some((_, family)) = MODULES.iter().find(|(start, _)| !function.is_managed && lower.starts_with(start)) {
        return family;
    }
    namespace_family(store, function)
}

/// Returns the first two parts of a function's namespace; without a namespace, its module.
pub fn namespace_family<'s>(store: &'s Store, function: &Function) -> &'s str {
    let namespace = namespace(store.strings.get(function.raw_name));
    if namespace.is_empty() { store.strings.get(function.module) } else { family(namespace) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::testing::store_of_methods;

    #[test]
    fn threads_start_in_one_family_in_all_versions() {
        let methods = [
            ("System.Threading.Thread", "ThreadMain_ParameterizedThreadStart"),
            ("System.Threading.ThreadHelper", "ThreadStart"),
            ("System.Threading.Thread", "StartCallback"),
        ];
        let (store, _) = store_of_methods(&methods, &[&[1, 2, 3]]);
        assert!(store.functions.iter().all(|function| family_of(&store, function) == THREAD_START));
    }

    #[test]
    fn families_have_common_names() {
        let methods = [
            ("System.Threading.PortableThreadPool+WorkerThread", "WorkerThreadStart"),
            ("System.Threading.Tasks.Task`1[System.__Canon]", "InnerInvoke"),
            ("Microsoft.AspNetCore.Routing.EndpointMiddleware", "Invoke"),
            ("System.Threading.Monitor", "Wait"),
            ("System.String", "Concat"),
            ("Contoso.Library.Deep.Inside", "Run"),
        ];
        let (store, _) = store_of_methods(&methods, &[&[1, 2, 3, 4, 5, 6]]);
        let mut names: Vec<&str> = store.functions.iter().map(|function| family_of(&store, function)).collect();
        names.sort_unstable();
        assert_eq!(
            names,
            ["ASP.NET Core", "Base library", "Contoso.Library", "Tasks", "Thread pool", "Threads and locks"]
        );
    }
}
