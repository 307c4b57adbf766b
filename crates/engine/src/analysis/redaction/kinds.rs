//! Kinds of the texts in events: by provider and field, and otherwise by what the text looks like.

use crate::clr::provider::Provider;
use crate::clr::source_names::LOGGERS;
use crate::model::METRICS;
use protocol::redaction::TextKind;

/// Fields of events of .NET and its libraries, in lower case, whose texts name code, events, counters or parts of a
/// protocol. In events of an app, such as an order's status, they can have any text.
const CODE_FIELDS: [&str; 16] = [
    "method",
    "httpmethod",
    "scheme",
    "protocol",
    "sslprotocol",
    "countertype",
    "displayunits",
    "unit",
    "level",
    "status",
    "version",
    "loggername",
    "sourcename",
    "eventname",
    "series",
    "interval",
];
/// Fields of counters, whose names say what is counted.
const COUNTER_FIELDS: [&str; 3] = ["name", "displayname", "displayratetimescale"];
/// Parts of field names, in lower case, with the kind of the field.
const FIELD_NAMES: [(&str, TextKind); 23] = [
    ("commandline", TextKind::CommandLine),
    ("environment", TextKind::CommandLine),
    ("exception", TextKind::Exception),
    ("error", TextKind::Exception),
    ("stacktrace", TextKind::Exception),
    ("commandtext", TextKind::Sql),
    ("sql", TextKind::Sql),
    ("statement", TextKind::Sql),
    ("machinename", TextKind::Name),
    ("computername", TextKind::Name),
    ("username", TextKind::Name),
    ("login", TextKind::Name),
    ("processname", TextKind::Name),
    ("url", TextKind::Url),
    ("uri", TextKind::Url),
    ("host", TextKind::Url),
    ("query", TextKind::Url),
    ("address", TextKind::Url),
    ("filename", TextKind::Path),
    ("directory", TextKind::Path),
    ("folder", TextKind::Path),
    ("message", TextKind::Log),
    ("path", TextKind::Url),
];

/// Returns the kind of a text field, if its name determines it. `event` is the event's name, `field` the name of the
/// field or of the argument.
pub(super) fn field_kind(provider: &str, event: &str, field: &str) -> Option<TextKind> {
    let lower = field.to_ascii_lowercase();
    if Provider::from_name(provider).is_some_and(names_code) {
        return Some(match lower.as_str() {
            "commandline" => TextKind::CommandLine,
            "exceptionmessage" => TextKind::Exception,
            _ if lower.ends_with("path") || lower.ends_with("filename") => TextKind::Path,
            _ => TextKind::Code,
        });
    }
    // "Request.Method" is a method.
    let last = lower.rsplit('.').next().unwrap_or(&lower);
    let is_counter = event == "EventCounters";
    let is_of_counter = is_counter && COUNTER_FIELDS.contains(&last) || provider == METRICS && last != "tags";
    if is_of_counter || (is_counter || is_of_framework(provider)) && CODE_FIELDS.contains(&last) {
        return Some(TextKind::Code);
    }
    if provider.eq_ignore_ascii_case(LOGGERS) {
        return Some(if lower.contains("exception") { TextKind::Exception } else { TextKind::Log });
    }
    FIELD_NAMES.iter().find(|(part, _)| lower.contains(part)).map(|(_, kind)| *kind)
}

/// Returns whether a provider is part of .NET or its libraries.
fn is_of_framework(provider: &str) -> bool {
    provider == METRICS || ["System.", "Microsoft.", "Microsoft-"].iter().any(|start| provider.starts_with(start))
}

/// Returns whether a provider's texts are names of code, except for a few fields.
fn names_code(provider: Provider) -> bool {
    use Provider::{AsyncProfiler, EventPipe, Tasks, UniversalEvents, UniversalSystem};
    provider.has_fixed_layouts()
        || matches!(provider, EventPipe | Tasks | AsyncProfiler | UniversalEvents | UniversalSystem)
}

/// Returns the kind of a text by its beginning.
pub(super) fn text_kind(text: &str) -> TextKind {
    const COMMANDS: [&str; 6] = ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "EXEC ", "WITH "];
    let begins = |word: &str| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    let is_drive = |bytes: &[u8]| matches!(bytes, [letter, b':', b'\\', ..] if letter.is_ascii_alphabetic());
    if text.contains("://") {
        TextKind::Url
    } else if COMMANDS.iter().any(|word| begins(word)) {
        TextKind::Sql
    } else if is_drive(text.as_bytes()) || text.starts_with("\\\\") {
        TextKind::Path
    } else if text.starts_with('/') {
        TextKind::Url
    } else {
        TextKind::Other
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_and_text_determine_the_kind() {
        let of = |provider, event, field| field_kind(provider, event, field);
        let runtime = "Microsoft-Windows-DotNETRuntime";
        assert_eq!(of(runtime, "Start", "CommandLine"), Some(TextKind::CommandLine));
        assert_eq!(of(runtime, "Start", "ExceptionMessage"), Some(TextKind::Exception));
        assert_eq!(of(runtime, "Start", "ExceptionType"), Some(TextKind::Code));
        assert_eq!(of(runtime, "ModuleLoad", "ModuleILPath"), Some(TextKind::Path));
        assert_eq!(of("System.Net.Http", "RequestStart", "pathAndQuery"), Some(TextKind::Url));
        assert_eq!(of("System.Net.Http", "RequestStart", "scheme"), Some(TextKind::Code));
        assert_eq!(of("Microsoft-AspNetCore-Server-Kestrel", "RequestStart", "Method"), Some(TextKind::Code));
        assert_eq!(of("App", "Order", "Status"), None);
        assert_eq!(of("App", "EventCounters", "DisplayName"), Some(TextKind::Code));
        assert_eq!(of("App", "EventCounters", "DisplayRateTimeScale"), Some(TextKind::Code));
        assert_eq!(of("App", "EventCounters", "CounterType"), Some(TextKind::Code));
        assert_eq!(of("App", "EventCounters", "Metadata"), None);
        assert_eq!(of("App", "Order", "DisplayName"), None);
        assert_eq!(of(LOGGERS, "FormattedMessage", "FormattedMessage"), Some(TextKind::Log));
        assert_eq!(text_kind("https://shop.example/a"), TextKind::Url);
        assert_eq!(text_kind("select * from Orders"), TextKind::Sql);
        assert_eq!(text_kind(r"C:\Users\ann"), TextKind::Path);
        assert_eq!(text_kind("apples"), TextKind::Other);
    }
}
