//! Advice against exceptions, by type.

/// Advice for well-known types.
const KNOWN: [(&[&str], &str); 20] = [
    (
        &["System.FormatException", "System.OverflowException"],
        "Parse with TryParse, which returns false instead of throwing.",
    ),
    (
        &["System.Collections.Generic.KeyNotFoundException"],
        "Look keys up with TryGetValue or GetValueOrDefault, which don't throw.",
    ),
    (
        &["System.OperationCanceledException", "System.Threading.Tasks.TaskCanceledException"],
        "Cancellation throws once for every await on its way. Check IsCancellationRequested before starting work, and find \
         out what cancels: a timeout, a closed connection or a shutdown.",
    ),
    (&["System.TimeoutException"], "Find out what took too long (Waits, HTTP, SQL) before raising the timeout."),
    (
        &["System.Net.Http.HttpRequestException"],
        "See which requests fail, and why, in HTTP. Check IsSuccessStatusCode instead of calling \
         EnsureSuccessStatusCode where failures are expected, and retry with increasing delays.",
    ),
    (
        &["System.Net.Sockets.SocketException"],
        "Check that the other side listens at this address and port. Connect once and reuse connections instead of \
         trying again right away.",
    ),
    (
        &["System.IO.FileNotFoundException", "System.IO.DirectoryNotFoundException"],
        "Check with File.Exists or Directory.Exists where a missing file is expected.",
    ),
    (
        &["System.IO.IOException", "System.IO.EndOfStreamException"],
        "A file or connection was closed or is in use elsewhere. Find out who closes it first.",
    ),
    (
        &["System.InvalidOperationException"],
        "Test the state before the call: FirstOrDefault for sequences that can be empty, HasValue for nullables.",
    ),
    (&["System.NullReferenceException"], "A bug: test for null, and enable nullable reference types."),
    (
        &["System.IndexOutOfRangeException", "System.ArgumentOutOfRangeException"],
        "A bug: test indexes and ranges against the length first.",
    ),
    (
        &["System.ArgumentException", "System.ArgumentNullException"],
        "A bug of the caller: test arguments before the call, or correct them where they come from.",
    ),
    (&["System.InvalidCastException"], "Test the type with \"is\" or \"as\" instead of casting."),
    (
        &["System.NotSupportedException", "System.NotImplementedException"],
        "Ask first what is supported (such as CanSeek or IsReadOnly), or don't call this method.",
    ),
    (
        &["System.ObjectDisposedException"],
        "Something is used after Dispose. Wait for pending work before disposing objects.",
    ),
    (&["System.UnauthorizedAccessException"], "Check the permissions of the file or of the user of the process."),
    (
        &["System.AggregateException"],
        "Look at its inner exceptions. Use await, which throws the original, instead of Wait or Result.",
    ),
    (
        &["System.Text.Json.JsonException"],
        "Validate the input before deserializing, and answer invalid input with an error.",
    ),
    (
        &["System.DllNotFoundException", "System.EntryPointNotFoundException", "System.IO.FileLoadException"],
        "A library is missing or has another version. Correct the deployment.",
    ),
    (&["System.OutOfMemoryException"], "Find what keeps memory with a heap snapshot."),
];

/// Returns an instruction for exceptions of a type.
pub fn advice(type_name: &str) -> String {
    if let Some((_, words)) = KNOWN.iter().find(|(names, _)| names.contains(&type_name)) {
        return (*words).to_owned();
    }
    let short = type_name.rsplit(['.', '+']).next().unwrap_or(type_name);
    let is_of_framework = type_name.starts_with("System.") || type_name.starts_with("Microsoft.");
    match (type_name, is_of_framework) {
        ("", _) | (_, true) => "Test the condition first where failures are expected, instead of catching.".to_owned(),
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
