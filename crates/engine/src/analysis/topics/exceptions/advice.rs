//! Advice against exceptions, by type.

use crate::analysis::topics::shared::fixes::OWN_THROW;

/// Advice for well-known types.
const KNOWN: [(&[&str], &str); 22] = [
    (&["System.FormatException", "System.OverflowException"], "Use TryParse, which doesn't throw."),
    (&["System.Collections.Generic.KeyNotFoundException"], "Use TryGetValue or GetValueOrDefault."),
    (
        &["System.OperationCanceledException", "System.Threading.Tasks.TaskCanceledException"],
        "Check IsCancellationRequested before starting work.",
    ),
    (&["System.TimeoutException"], "Find out which operation timed out first."),
    (&["System.Net.Http.HttpRequestException"], "Check IsSuccessStatusCode, and retry with backoff."),
    (
        &["System.Net.Sockets.SocketException"],
        "Read the message: refused, reset and closed connections have different causes.",
    ),
    (
        &["System.IO.FileNotFoundException", "System.IO.DirectoryNotFoundException"],
        "Check File.Exists or Directory.Exists first.",
    ),
    (&["System.IO.IOException", "System.IO.EndOfStreamException"], "Find out what closes the file or connection."),
    (&["System.InvalidOperationException"], "Check the state first (FirstOrDefault, HasValue)."),
    (&["System.NullReferenceException"], "A bug: enable nullable reference types."),
    (
        &["System.IndexOutOfRangeException", "System.ArgumentOutOfRangeException"],
        "A bug: check indexes against the length.",
    ),
    (&["System.ArgumentException", "System.ArgumentNullException"], "A bug: validate arguments before the call."),
    (&["System.InvalidCastException"], "Check the type with \"is\" or \"as\"."),
    (
        &["System.NotSupportedException", "System.NotImplementedException"],
        "Check CanSeek, IsReadOnly and the like first.",
    ),
    (&["System.ObjectDisposedException"], "Wait for pending work before calling Dispose."),
    (&["System.UnauthorizedAccessException"], "Check the permissions of the process's account."),
    (&["System.AggregateException"], "Use await, which rethrows the original exception."),
    (&["System.Text.Json.JsonException"], "Validate the input before deserializing it."),
    (&["System.DllNotFoundException"], "Fix the deployment: a native library is missing."),
    (&["System.EntryPointNotFoundException"], "Fix the deployment: the native library lacks this function."),
    (&["System.IO.FileLoadException"], "Fix the deployment: an assembly couldn't be loaded."),
    (&["System.OutOfMemoryException"], "Take a heap snapshot with dotnet-gcdump."),
];

/// Returns the name of a type without namespace and outer types: "TimeoutException".
pub fn short_type(type_name: &str) -> &str {
    type_name.rsplit(['.', '+']).next().unwrap_or(type_name)
}

/// Types that the runtime throws in the app's code, without a .NET method.
const OF_RUNTIME: [&str; 7] = [
    "System.NullReferenceException",
    "System.IndexOutOfRangeException",
    "System.InvalidCastException",
    "System.OutOfMemoryException",
    "System.DllNotFoundException",
    "System.EntryPointNotFoundException",
    "System.IO.FileLoadException",
];

/// Returns an instruction for exceptions of a type. `is_thrown_by_app` if the app's code has the throw statement, so that
/// there is no .NET method to replace.
pub fn advice(type_name: &str, is_thrown_by_app: bool) -> String {
    if is_thrown_by_app && !OF_RUNTIME.contains(&type_name) {
        return OWN_THROW.to_owned();
    }
    if let Some((_, words)) = KNOWN.iter().find(|(names, _)| names.contains(&type_name)) {
        return (*words).to_owned();
    }
    let is_of_framework = type_name.starts_with("System.") || type_name.starts_with("Microsoft.");
    match (type_name, is_of_framework) {
        ("", _) | (_, true) => "Check the condition first instead of catching.".to_owned(),
        _ => OWN_THROW.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_names_method_only_for_parsing_or_lookup() {
        assert!(advice("System.FormatException", false).contains("TryParse"));
        assert!(advice("System.Collections.Generic.KeyNotFoundException", false).contains("TryGetValue"));
        for name in ["Shop.OutOfStockException", "System.NotSupportedException", "Npgsql.PostgresException", ""] {
            let words = advice(name, false);
            assert!(
                !words.contains("TryParse") && !words.contains("TryGetValue") && !words.is_empty(),
                "{name}: {words}"
            );
        }
        assert_eq!(advice("Shop.Stock+EmptyException", false), OWN_THROW);
        assert_eq!(advice("System.FormatException", true), OWN_THROW);
        assert!(advice("System.NullReferenceException", true).contains("nullable"), "the runtime throws it");
    }

    #[test]
    fn type_has_at_most_one_advice() {
        let mut names: Vec<&str> = KNOWN.iter().flat_map(|(names, _)| names.iter().copied()).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
    }
}
