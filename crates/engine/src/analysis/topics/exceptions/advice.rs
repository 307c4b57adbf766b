//! Advice against exceptions, by type.

/// Advice for well-known types.
const KNOWN: [(&[&str], &str); 20] = [
    (
        &["System.FormatException", "System.OverflowException"],
        "Parse with TryParse, which returns false instead of throwing.",
    ),
    (
        &["System.Collections.Generic.KeyNotFoundException"],
        "Look up keys with TryGetValue or GetValueOrDefault, which don't throw.",
    ),
    (
        &["System.OperationCanceledException", "System.Threading.Tasks.TaskCanceledException"],
        "Cancellation throws again at every await up the chain. Check IsCancellationRequested before starting work, \
         and find out what cancels: a timeout, a closed connection or a shutdown.",
    ),
    (&["System.TimeoutException"], "Find out what took too long (Waits, HTTP, SQL) before raising the timeout."),
    (
        &["System.Net.Http.HttpRequestException"],
        "The HTTP tab shows which requests fail and why. Check IsSuccessStatusCode instead of calling \
         EnsureSuccessStatusCode where failures are expected, and retry with exponential backoff.",
    ),
    (
        &["System.Net.Sockets.SocketException"],
        "Check that the server listens on this address and port. Reuse connections, and wait before retrying.",
    ),
    (
        &["System.IO.FileNotFoundException", "System.IO.DirectoryNotFoundException"],
        "Check with File.Exists or Directory.Exists where a missing file is expected.",
    ),
    (
        &["System.IO.IOException", "System.IO.EndOfStreamException"],
        "A file or connection was closed or is in use elsewhere. Find out what closes it too early.",
    ),
    (
        &["System.InvalidOperationException"],
        "Check the state before the call: FirstOrDefault for sequences that can be empty, HasValue for nullables.",
    ),
    (&["System.NullReferenceException"], "A bug: check for null, and enable nullable reference types."),
    (
        &["System.IndexOutOfRangeException", "System.ArgumentOutOfRangeException"],
        "A bug: check indexes and ranges against the length first.",
    ),
    (
        &["System.ArgumentException", "System.ArgumentNullException"],
        "A bug in the caller: validate arguments before the call, or fix them at their source.",
    ),
    (&["System.InvalidCastException"], "Check the type with \"is\" or \"as\" instead of casting."),
    (
        &["System.NotSupportedException", "System.NotImplementedException"],
        "Check first what is supported (such as CanSeek or IsReadOnly), or don't call this method.",
    ),
    (
        &["System.ObjectDisposedException"],
        "An object is used after Dispose. Wait for pending work before disposing objects.",
    ),
    (&["System.UnauthorizedAccessException"], "Check the file's permissions and the account that the process runs as."),
    (
        &["System.AggregateException"],
        "Look at its inner exceptions. Use await, which rethrows the original, instead of Wait or Result.",
    ),
    (
        &["System.Text.Json.JsonException"],
        "Validate the input before deserializing, and return an error for invalid input.",
    ),
    (
        &["System.DllNotFoundException", "System.EntryPointNotFoundException", "System.IO.FileLoadException"],
        "An assembly is missing or has the wrong version. Fix the deployment.",
    ),
    (&["System.OutOfMemoryException"], "Take a heap snapshot to find what keeps objects alive."),
];

/// Returns an instruction for exceptions of a type.
pub fn advice(type_name: &str) -> String {
    if let Some((_, words)) = KNOWN.iter().find(|(names, _)| names.contains(&type_name)) {
        return (*words).to_owned();
    }
    let short = type_name.rsplit(['.', '+']).next().unwrap_or(type_name);
    let is_of_framework = type_name.starts_with("System.") || type_name.starts_with("Microsoft.");
    match (type_name, is_of_framework) {
        ("", _) | (_, true) => "Where failures are expected, check the condition first instead of catching \
            exceptions."
            .to_owned(),
        _ => format!("Return a result instead of throwing {short} where this outcome is expected."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_names_method_only_for_parsing_or_lookup() {
        assert!(advice("System.FormatException").contains("TryParse"));
        assert!(advice("System.Collections.Generic.KeyNotFoundException").contains("TryGetValue"));
        for name in ["Shop.OutOfStockException", "System.NotSupportedException", "Npgsql.PostgresException", ""] {
            let words = advice(name);
            assert!(
                !words.contains("TryParse") && !words.contains("TryGetValue") && !words.is_empty(),
                "{name}: {words}"
            );
        }
        assert!(advice("Shop.Stock+EmptyException").contains("throwing EmptyException"));
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
