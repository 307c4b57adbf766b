//! Facts from events about database commands: from `SqlClient`, Entity Framework, and any library with activities.

use crate::analysis::topics::http::events::tags;
use crate::analysis::values::decimal::decimal;
use crate::analysis::values::fields::{Decoded, arguments, pairs, text, whole};
use crate::clr::source_names::{DIAGNOSTIC_SOURCE, LOGGERS};
use crate::model::EventType;
use nettrace::{Field, Value};

const COMMAND_LOGGER: &str = "Microsoft.EntityFrameworkCore.Database.Command";
/// Event sources of `SqlClient`.
pub(super) const CLIENT: &str = "Microsoft.Data.SqlClient.EventSource";
pub(super) const OLD_CLIENT: &str = "System.Data.SqlClient.EventSource";
const CLIENTS: [&str; 3] = [CLIENT, OLD_CLIENT, "Microsoft-AdoNet-SystemData"];

/// Sources of commands. Several may report the same commands; those of the first source in the trace are used.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum CommandEventSource {
    /// Entity Framework through DiagnosticSource.
    EntityFramework,
    /// `SqlClient` through DiagnosticSource.
    SqlClient,
    /// `SqlClient`'s event source.
    EventSource,
    /// Activities with the tags of OpenTelemetry for databases.
    Activity,
    /// Entity Framework's log.
    Log,
}

/// A fact from an event.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum CommandFact {
    /// A command starts.
    Begins(Command),
    /// A command ends: its key, its failure, its duration if recorded, and its text if not recorded before.
    Ends { key: Key, failure: Option<String>, took: Option<i64>, command: Option<Command> },
}

/// The key that matches a command's start and end.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Key {
    Id(String),
    /// The activity, or else the thread.
    Around,
    /// None: an event that records everything at the end.
    Alone,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Command {
    pub key: Key,
    pub text: String,
    /// Server and database, if recorded.
    pub database: String,
}

/// Returns whether events of a type may be about commands.
pub(super) fn may_be_command(event_type: &EventType) -> bool {
    let name = event_type.display_name.as_str();
    match event_type.provider.as_str() {
        DIAGNOSTIC_SOURCE => name != "Message" && name != "NewDiagnosticListener",
        LOGGERS => name == "FormattedMessage" || name == "MessageJson",
        provider => CLIENTS.contains(&provider) && (name.contains("Execute") || event_type.record.event_id <= 2),
    }
}

/// Returns the fact and the source of an event; `None` if it isn't about a command.
pub(super) fn command_fact(event_type: &EventType, values: Vec<Value>) -> Option<(CommandEventSource, CommandFact)> {
    let fields: Vec<(&Field, Value)> = event_type.schema.fields.iter().zip(values).collect();
    match event_type.provider.as_str() {
        DIAGNOSTIC_SOURCE => diagnostics(&event_type.display_name, &fields),
        LOGGERS => Some((CommandEventSource::Log, logged(&fields)?)),
        _ => Some((CommandEventSource::EventSource, of_client(event_type, &fields)?)),
    }
}

/// Returns the fact from `BeginExecute` or `EndExecute`.
fn of_client(event_type: &EventType, fields: &Decoded<'_>) -> Option<CommandFact> {
    const SUCCEEDED: i64 = 1;
    let key = Key::Id(whole(fields, "objectId")?.to_string());
    if event_type.display_name.starts_with("Begin") || event_type.display_name.ends_with("Start") {
        let database = joined(text(fields, "dataSource"), text(fields, "database"));
        return Some(CommandFact::Begins(Command { key, text: text(fields, "commandText").to_owned(), database }));
    }
    let state = whole(fields, "compositeState")?;
    let failure = (state & SUCCEEDED == 0).then(|| match whole(fields, "sqlExceptionNumber") {
        Some(number) if number != 0 => format!("SQL error {number}"),
        _ => "failed".to_owned(),
    });
    Some(CommandFact::Ends { key, failure, took: None, command: None })
}

fn diagnostics(event: &str, fields: &Decoded<'_>) -> Option<(CommandEventSource, CommandFact)> {
    let source = text(fields, "SourceName");
    let find = |names: &[&str]| {
        let found =
            names.iter().find_map(|name| arguments(pairs(fields)).find(|pair| pair.0.eq_ignore_ascii_case(name)));
        found.map_or("", |(_, value)| value)
    };
    let name = text(fields, "EventName");
    let command_source = match source {
        "Microsoft.EntityFrameworkCore" => CommandEventSource::EntityFramework,
        "SqlClientDiagnosticListener" => CommandEventSource::SqlClient,
        _ => return Some((CommandEventSource::Activity, of_activity(event, fields, find(&["Tags"]))?)),
    };
    let id = find(&["CommandId", "OperationId"]);
    let key = if id.is_empty() { Key::Around } else { Key::Id(id.to_owned()) };
    let command = find(&["CommandText", "LogCommandText", "Text"]);
    let database = joined(find(&["DataSource", "Server"]), find(&["Database"]));
    let command = Command { key: key.clone(), text: command.to_owned(), database };
    let ends = ["CommandExecuted", "WriteCommandAfter"].iter().any(|end| name.ends_with(end));
    let fails = ["CommandError", "CommandCanceled", "WriteCommandError"].iter().any(|end| name.ends_with(end));
    let command_fact = match name {
        _ if name.ends_with("CommandExecuting") || name.ends_with("WriteCommandBefore") => CommandFact::Begins(command),
        _ if ends || fails => {
            let failure = fails.then(|| match find(&["Message", "Exception"]) {
                "" => "failed".to_owned(),
                message => message.to_owned(),
            });
            CommandFact::Ends { key, failure, took: None, command: Some(command) }
        }
        _ => return None,
    };
    Some((command_source, command_fact))
}

/// Returns the fact from an activity with database tags.
fn of_activity(event: &str, fields: &Decoded<'_>, all_tags: &str) -> Option<CommandFact> {
    if !event.ends_with("Stop") || !all_tags.contains("[db.") {
        return None;
    }
    let find = |names: &[&str]| {
        let found = names.iter().find_map(|name| tags(all_tags).find(|pair| pair.0 == *name));
        found.map_or("", |(_, value)| value)
    };
    let command = match find(&["db.query.text", "db.statement", "db.stored_procedure.name"]) {
        "" => [text(fields, "ActivityName"), text(fields, "EventName")].into_iter().find(|name| !name.is_empty())?,
        command => command,
    };
    let database = joined(find(&["server.address", "db.system.name", "db.system"]), find(&["db.namespace", "db.name"]));
    let failure = match find(&["error.type", "db.response.status_code"]) {
        "" => None,
        error => Some(error.to_owned()),
    };
    let ticks =
        arguments(pairs(fields)).find(|pair| pair.0 == "DurationTicks").and_then(|pair| pair.1.parse::<i64>().ok());
    let took = ticks.filter(|ticks| *ticks > 0).map(|ticks| ticks.saturating_mul(100));
    let command = Command { key: Key::Alone, text: command.to_owned(), database };
    Some(CommandFact::Ends { key: Key::Alone, failure, took, command: Some(command) })
}

/// Returns the fact from "Executed DbCommand (12ms) [Parameters=…, CommandType='Text', …]", with the command text in
/// further lines.
fn logged(fields: &Decoded<'_>) -> Option<CommandFact> {
    if text(fields, "LoggerName") != COMMAND_LOGGER {
        return None;
    }
    let message = text(fields, "FormattedMessage");
    let (failed, rest) = match message.strip_prefix("Executed DbCommand (") {
        Some(rest) => (false, rest),
        None => (true, message.strip_prefix("Failed executing DbCommand (")?),
    };
    let (milliseconds, rest) = rest.split_once("ms)")?;
    let (_, command) = rest.split_once('\n')?;
    let took = decimal(&milliseconds.replace(',', "")).map(|milliseconds| (milliseconds * 1e6) as i64);
    let command = Command { key: Key::Alone, text: command.trim().to_owned(), database: String::new() };
    let failure = failed.then(|| "failed".to_owned());
    Some(CommandFact::Ends { key: Key::Alone, failure, took, command: Some(command) })
}

fn joined(server: &str, database: &str) -> String {
    [server, database].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/")
}
